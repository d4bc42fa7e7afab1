//! `createIndexes` options read and checked: what they do to keys, and what no server takes.
//!
//! # Source
//!
//! `validateIndexSpec`, `validateIdIndexSpec`, `validateExpireAfterSeconds`, `src/mongo/db/catalog/index_key_validate.cpp`;
//! `IndexCatalogImpl::_isSpecOk`, `src/mongo/db/catalog/index_catalog_impl.cpp`, all of MongoDB 6.0.

use super::filter::Filter;
use super::pattern::{Shape, parse};
use super::projection::Projection;
use super::wildcard::Scope;
use super::{Field, IndexError, IndexSpec, Keys};
use crate::document::{Element, Elements};
use crate::record::keystring::{Decimal, Direction, Value, Version, bson_type, fixed, string};
use std::fmt::Write;

/// Options that say nothing about a key, or only about one of a kind that is refused.
const WITHOUT_EFFECT: [&[u8]; 14] = [
    b"_id",
    b"ns",
    b"originalSpec",
    b"default_language",
    b"language_override",
    b"textIndexVersion",
    b"2dsphereIndexVersion",
    b"bits",
    b"min",
    b"max",
    b"coarsestIndexedLevel",
    b"finestIndexedLevel",
    b"bucketSize",
    b"hidden",
];

/// The options of an `_id` index; any other is refused for it.
const OF_ID_INDEX: [&[u8]; 6] = [b"collation", b"name", b"v", b"key", b"ns", b"_id"];

/// What the options of one specification say.
struct Options {
    name: Option<String>,
    version: Version,
    unique: bool,
    sparse: bool,
    filter: Option<Filter>,
    projection: Option<Projection>,
    expire_after_seconds: Option<f64>,
}

pub(super) fn parse_specification(document: &[u8]) -> Result<IndexSpec, IndexError> {
    let key = Elements::new(document)?.find_name(b"key")?.filter(|key| key.kind == bson_type::OBJECT);
    let mut options = Options {
        name: None,
        version: Version::V1,
        unique: false,
        sparse: false,
        filter: None,
        projection: None,
        expire_after_seconds: None,
    };
    let Some(key) = key else {
        let (fields, shape) = parse(Elements::new(document)?, document.len())?;
        let direction = first_number(Elements::new(document)?);
        options.name = Some(default_name(Elements::new(document)?));
        return assemble(document, fields, shape, direction, options);
    };
    let (fields, shape) = parse(key.elements()?, key.value.len())?;
    for element in Elements::new(document)? {
        let element = element?;
        if is_id(&fields, first_number(key.elements()?)) && !OF_ID_INDEX.contains(&element.name) {
            // `unique: true` is what it is anyway; a dump of an old server can say so.
            if element.name != b"unique" || !truth(&element, "unique")? {
                return Err(IndexError::OptionNotForKind { option: known_name(&element)?, kind: "an `_id`" });
            }
        }
        options.read(&element)?;
    }
    if options.name.is_none() {
        options.name = Some(default_name(key.elements()?));
    }
    assemble(key.value, fields, shape, first_number(key.elements()?), options)
}

impl Options {
    fn read(&mut self, element: &Element<'_>) -> Result<(), IndexError> {
        match element.name {
            b"key" => {}
            b"name" => self.name = Some(name(element)?),
            b"unique" => self.unique = truth(element, "unique")?,
            b"sparse" => self.sparse = truth(element, "sparse")?,
            b"background" | b"dropDups" | b"prepareUnique" => {
                truth(element, known_name(element)?)?;
            }
            b"clustered" => {
                if truth(element, "clustered")? {
                    let why = "it is the collection itself and has no table of its own";
                    return Err(IndexError::Unsupported { what: "a clustered index".to_owned(), why });
                }
            }
            b"v" => self.version = version(element)?,
            b"expireAfterSeconds" => self.expire_after_seconds = Some(seconds(element)?),
            b"partialFilterExpression" => {
                expect_object(element, "partialFilterExpression")?;
                self.filter = Some(Filter::parse(element.elements()?)?);
            }
            b"wildcardProjection" => {
                expect_object(element, "wildcardProjection")?;
                self.projection = Some(Projection::parse(element)?);
            }
            b"collation" => collation(element)?,
            b"storageEngine" => {
                expect_object(element, "storageEngine")?;
                if element.elements()?.next().is_some() {
                    let why = "it changes how pages are built";
                    return Err(IndexError::Unsupported { what: "option `storageEngine`".to_owned(), why });
                }
            }
            b"weights" => return Err(IndexError::OptionNotForKind { option: "weights", kind: "a non-text" }),
            name if WITHOUT_EFFECT.contains(&name) => {}
            name => return Err(IndexError::UnknownOption { option: text(name) }),
        }
        Ok(())
    }
}

fn assemble(
    pattern: &[u8],
    fields: Vec<Field>,
    shape: Shape,
    first_number: Option<f64>,
    options: Options,
) -> Result<IndexSpec, IndexError> {
    if options.sparse && options.filter.is_some() {
        return Err(IndexError::SparseAndPartial);
    }
    let seconds = options.expire_after_seconds;
    if seconds.is_some() && fields.len() > 1 {
        return Err(IndexError::OptionNotForKind { option: "expireAfterSeconds", kind: "a compound" });
    }
    if options.projection.is_some() && shape != (Shape::Wildcard { root: Vec::new() }) {
        return Err(IndexError::OptionNotForKind { option: "wildcardProjection", kind: "a non-`$**`" });
    }
    let keys = match shape {
        Shape::Fields if is_id(&fields, first_number) => {
            if fields[0].direction == Direction::Descending || first_number != Some(1.0) {
                return Err(IndexError::OptionValue {
                    option: "key",
                    expected: "{_id: 1} for an `_id` index",
                });
            }
            Keys::Id
        }
        Shape::Fields => Keys::Fields,
        Shape::Hashed if options.unique => {
            return Err(IndexError::OptionNotForKind { option: "unique", kind: "a hashed" });
        }
        Shape::Hashed => Keys::Hashed,
        Shape::Wildcard { root } => {
            let refused = [
                ("sparse", options.sparse),
                ("unique", options.unique),
                ("expireAfterSeconds", seconds.is_some()),
                ("v: 1", options.version == Version::V0),
            ];
            if let Some((option, _)) = refused.into_iter().find(|(_, given)| *given) {
                return Err(IndexError::OptionNotForKind { option, kind: "a wildcard" });
            }
            Keys::Wildcard(match (options.projection, root.is_empty()) {
                (Some(projection), _) => Scope::Projected(projection),
                (None, true) => Scope::AllButId,
                (None, false) => Scope::Projected(Projection::subtree(&root)),
            })
        }
    };
    Ok(IndexSpec {
        name: options.name.unwrap_or_default(),
        pattern: pattern.to_vec(),
        fields,
        keys,
        version: options.version,
        unique: options.unique,
        sparse: options.sparse,
        filter: options.filter,
    })
}

/// Source: `IndexDescriptor::isIdIndexPattern`: 1 or -1 once cut to a whole number.
fn is_id(fields: &[Field], first_number: Option<f64>) -> bool {
    let whole = first_number.map(|number| number.trunc().abs());
    matches!(fields, [field] if field.path == b"_id") && whole == Some(1.0)
}

fn first_number(mut pattern: Elements<'_>) -> Option<f64> {
    pattern.next().and_then(Result::ok).and_then(|element| as_number(element.into()))
}

/// The name that drivers give: fields and directions joined by `_`.
fn default_name(pattern: Elements<'_>) -> String {
    let mut name = String::new();
    for element in pattern.filter_map(Result::ok) {
        let joint = if name.is_empty() { "" } else { "_" };
        let value = Value::from(element);
        // Writing to a String cannot fail.
        let _ = match as_number(value) {
            Some(number) => write!(name, "{joint}{}_{number}", text(element.name)),
            None => write!(name, "{joint}{}_{}", text(element.name), text(string(value).unwrap_or(&[]))),
        };
    }
    name
}

/// The value of any number type; `None` for other types.
pub(super) fn as_number(value: Value<'_>) -> Option<f64> {
    match value.kind {
        bson_type::DOUBLE => fixed(value).ok().map(f64::from_le_bytes),
        bson_type::INT32 => fixed(value).ok().map(|bytes| i32::from_le_bytes(bytes).into()),
        #[expect(clippy::cast_precision_loss, reason = "only its sign, or its being small, matters")]
        bson_type::INT64 => fixed(value).ok().map(|bytes| i64::from_le_bytes(bytes) as f64),
        bson_type::DECIMAL => fixed(value).ok().map(|bytes| Decimal::read(bytes).to_f64()),
        _ => None,
    }
}

/// Source: `BSONElement::trueValue` for what `validateIndexSpec` lets through: bools and numbers.
fn truth(element: &Element<'_>, option: &'static str) -> Result<bool, IndexError> {
    if element.kind == bson_type::BOOL {
        return Ok(element.value != [0]);
    }
    match as_number((*element).into()) {
        Some(number) => Ok(number != 0.0),
        None => Err(wrong_type(element, option, "a bool or a number")),
    }
}

fn name(element: &Element<'_>) -> Result<String, IndexError> {
    if element.kind != bson_type::STRING {
        return Err(wrong_type(element, "name", "a string"));
    }
    match string((*element).into()).unwrap_or(&[]) {
        b"" => Err(IndexError::OptionValue { option: "name", expected: "longer than nothing" }),
        b"*" => Err(IndexError::OptionValue { option: "name", expected: "something other than `*`" }),
        name if name.contains(&0) => Err(IndexError::OptionValue { option: "name", expected: "without NUL" }),
        name => Ok(text(name)),
    }
}

fn version(element: &Element<'_>) -> Result<Version, IndexError> {
    match as_number((*element).into()) {
        Some(1.0) => Ok(Version::V0),
        Some(2.0) => Ok(Version::V1),
        Some(_) => Err(IndexError::OptionValue { option: "v", expected: "1 or 2" }),
        None => Err(wrong_type(element, "v", "a number")),
    }
}

fn seconds(element: &Element<'_>) -> Result<f64, IndexError> {
    let range = 0.0..=f64::from(i32::MAX);
    match as_number((*element).into()) {
        Some(number) if range.contains(&number) => Ok(number),
        Some(_) => Err(IndexError::OptionValue {
            option: "expireAfterSeconds",
            expected: "between 0 and 2147483647",
        }),
        None => Err(wrong_type(element, "expireAfterSeconds", "a number")),
    }
}

fn collation(element: &Element<'_>) -> Result<(), IndexError> {
    expect_object(element, "collation")?;
    let locale = element.elements()?.find_name(b"locale")?.filter(|locale| locale.kind == bson_type::STRING);
    let Some(locale) = locale else {
        return Err(IndexError::OptionValue { option: "collation", expected: "an object with a `locale`" });
    };
    match string(locale.into()).unwrap_or(&[]) {
        b"simple" => Ok(()),
        locale => Err(IndexError::Unsupported {
            what: format!("collation `{}`", text(locale)),
            why: "its keys come from the ICU library, which is not modelled",
        }),
    }
}

fn expect_object(element: &Element<'_>, option: &'static str) -> Result<(), IndexError> {
    if element.kind == bson_type::OBJECT { Ok(()) } else { Err(wrong_type(element, option, "an object")) }
}

fn wrong_type(element: &Element<'_>, option: &'static str, expected: &'static str) -> IndexError {
    IndexError::OptionType { option, expected, found: super::error::type_name(element.kind) }
}

/// The name of an option as text that lives on.
fn known_name(element: &Element<'_>) -> Result<&'static str, IndexError> {
    const NAMES: [&str; 13] = [
        "background",
        "dropDups",
        "prepareUnique",
        "unique",
        "sparse",
        "clustered",
        "expireAfterSeconds",
        "partialFilterExpression",
        "wildcardProjection",
        "storageEngine",
        "weights",
        "hidden",
        "originalSpec",
    ];
    NAMES
        .into_iter()
        .find(|name| name.as_bytes() == element.name)
        .ok_or_else(|| IndexError::UnknownOption { option: text(element.name) })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

//! A key pattern, `{a: 1, "b.c": -1}`: the server's rules for it, and the fields and kind that it means.
//!
//! # Source
//!
//! `validateKeyPattern`, `validateIndexSpec`, `src/mongo/db/catalog/index_key_validate.cpp`; `Ordering::make`,
//! `src/mongo/bson/ordering.h`; `IndexNames::findPluginName`, `src/mongo/db/index_names.cpp`, all of MongoDB 6.0.

use super::spec::as_number;
use super::{Field, IndexError};
use crate::document::{Element, Elements};
use crate::record::keystring::{Direction, bson_type, string};

/// BSON bytes of the longest pattern.
pub(super) const PATTERN_BYTES_MAX: usize = 2048;

/// `Ordering::kMaxCompoundIndexKeys`.
pub(super) const FIELDS_MAX: usize = 32;

const WILDCARD: &[u8] = b"$**";

/// What a pattern means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Values of fields.
    Fields,
    /// One of the fields as a hash.
    Hashed,
    /// Every path below this one; empty for the whole document.
    Wildcard {
        /// Without `.$**`.
        root: Vec<u8>,
    },
}

/// Checks a pattern. Returns its fields and what they mean.
pub(super) fn parse(pattern: Elements<'_>, pattern_bytes: usize) -> Result<(Vec<Field>, Shape), IndexError> {
    let elements: Vec<Element<'_>> = pattern.collect::<Result<_, _>>()?;
    if pattern_bytes > PATTERN_BYTES_MAX {
        return Err(IndexError::PatternTooLong { bytes: pattern_bytes });
    }
    if elements.is_empty() {
        return Err(IndexError::EmptyPattern);
    }
    for (index, element) in elements.iter().enumerate() {
        if elements[..index].iter().any(|earlier| earlier.name == element.name) {
            return Err(IndexError::DuplicateField { field: text(element.name) });
        }
    }
    let index_type = index_type(&elements)?;
    let wildcard = elements.iter().find(|element| is_wildcard(element)).map(|element| element.name);
    let mut fields = Vec::with_capacity(elements.len());
    for element in &elements {
        let direction = direction(element, index_type)?;
        check_path(element.name, wildcard == Some(element.name))?;
        let hashed = element.kind == bson_type::STRING;
        fields.push(Field { path: element.name.to_vec(), direction, hashed });
    }
    if fields.len() > FIELDS_MAX {
        return Err(IndexError::TooManyFields { count: fields.len() });
    }
    let shape = match (wildcard, index_type) {
        (Some(name), _) => wildcard_shape(name, &fields)?,
        (None, Some(_)) => Shape::Hashed,
        (None, None) => Shape::Fields,
    };
    let hashed = fields.iter().filter(|field| field.hashed).count();
    if hashed > 1 {
        return Err(IndexError::SeveralHashed { count: hashed });
    }
    Ok((fields, shape))
}

fn wildcard_shape(name: &[u8], fields: &[Field]) -> Result<Shape, IndexError> {
    let unsupported = |what: &str, why| Err(IndexError::Unsupported { what: what.to_owned(), why });
    if fields.len() > 1 {
        return unsupported(
            "a compound wildcard index",
            "servers before 7.0 refuse it, later keys were not measured",
        );
    }
    if fields[0].direction == Direction::Descending {
        return unsupported(
            "a descending wildcard index",
            "servers before 7.0 refuse it, later keys were not measured",
        );
    }
    let root = name.strip_suffix(WILDCARD).and_then(|root| root.strip_suffix(b".")).unwrap_or(&[]);
    Ok(Shape::Wildcard { root: root.to_vec() })
}

fn is_wildcard(element: &Element<'_>) -> bool {
    element.kind != bson_type::STRING && (element.name == WILDCARD || element.name.ends_with(b".$**"))
}

/// The one string among the values, if it is a type whose keys are known.
fn index_type<'a>(elements: &[Element<'a>]) -> Result<Option<&'a [u8]>, IndexError> {
    let Some(first) = elements.iter().find(|element| element.kind == bson_type::STRING) else {
        return Ok(None);
    };
    let name = string((*first).into()).unwrap_or(&[]);
    let unsupported =
        |why| Err(IndexError::Unsupported { what: format!("index type `{}`", text(name)), why });
    match name {
        b"hashed" => Ok(Some(name)),
        b"text" => unsupported("its keys come from word stemmers that are not modelled"),
        b"2dsphere" | b"2dsphere_bucket" => unsupported("its keys are S2 cells, which are not modelled"),
        b"2d" => unsupported("its keys are geohashes, which are not modelled"),
        b"geoHaystack" => unsupported("no server since 5.0 builds it"),
        b"columnstore" => unsupported("no released server builds it"),
        b"queryable_encrypted_range" => unsupported("its keys are made by encrypting clients"),
        _ => Err(IndexError::UnknownType { name: text(name) }),
    }
}

fn direction(element: &Element<'_>, index_type: Option<&[u8]>) -> Result<Direction, IndexError> {
    let field = || text(element.name);
    if element.kind == bson_type::STRING {
        let second = string((*element).into()).unwrap_or(&[]);
        return match index_type {
            Some(first) if first != second => {
                Err(IndexError::SeveralTypes { first: text(first), second: text(second) })
            }
            _ => Ok(Direction::Ascending),
        };
    }
    match as_number((*element).into()) {
        None => {
            let found = super::error::type_name(element.kind);
            Err(IndexError::BadDirectionType { field: field(), found })
        }
        Some(number) if number.is_nan() => Err(IndexError::BadDirection { field: field(), found: "NaN" }),
        Some(0.0) => Err(IndexError::BadDirection { field: field(), found: "0" }),
        Some(number) if number < 0.0 => Ok(Direction::Descending),
        Some(_) => Ok(Direction::Ascending),
    }
}

fn check_path(path: &[u8], may_end_in_wildcard: bool) -> Result<(), IndexError> {
    const DB_REF_NAMES: [&[u8]; 3] = [b"$db", b"$id", b"$ref"];
    if path == b"_fts" {
        return Err(IndexError::ReservedName);
    }
    let count = path.split(|byte| *byte == b'.').count();
    for (index, part) in path.split(|byte| *byte == b'.').enumerate() {
        if part.is_empty() {
            return Err(IndexError::EmptyName { field: text(path) });
        }
        let in_db_ref = index > 0 && DB_REF_NAMES.contains(&part);
        let wildcard = may_end_in_wildcard && index + 1 == count && part == WILDCARD;
        if part[0] == b'$' && !in_db_ref && !wildcard {
            return Err(IndexError::DollarName { field: text(path) });
        }
    }
    Ok(())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

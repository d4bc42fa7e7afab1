//! `partialFilterExpression`: which documents a partial index takes in.
//!
//! Values are compared as `KeyString`s, which sort as the server compares. A path that meets an array asks each
//! element, and where it ends at the array also the array itself.
//!
//! # Source
//!
//! `_checkValidFilterExpressions`, `src/mongo/db/catalog/index_catalog_impl.cpp`;
//! `ComparisonMatchExpression::matchesSingleElement`, `src/mongo/db/matcher/expression_leaf.cpp`;
//! `BSONElementIterator`, `src/mongo/db/matcher/path.cpp`, all of MongoDB 6.0. `$or`, `$in` and nested `$and` since 6.0.

use super::IndexError;
use super::entries::{Scratch, lone_key};
use super::error::TYPE_NAMES;
use super::path::{component, follow};
use super::spec::as_number;
use crate::document::{Element, Elements};
use crate::record::keystring::{KeyError, TypeBits, Value, bson_type, check_depth, generic_type, string};

/// `internalPartialFilterExpressionMaxDepth`.
const LEVELS_MAX: usize = 4;

const NAN: u8 = 0x1e;

/// A condition on documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    All(Vec<Filter>),
    Any(Vec<Filter>),
    Path { path: Vec<u8>, test: Test },
}

/// A condition on one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Compare { comparison: Comparison, right: Constant },
    OneOf(Vec<Constant>),
    Exists,
    Type(Vec<u8>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A value of the filter, ready to be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    kind: u8,
    key: Vec<u8>,
}

impl Constant {
    fn new(element: &Element<'_>) -> Result<Self, IndexError> {
        let mut key = Vec::new();
        lone_key((*element).into(), &mut key, &mut TypeBits::default())
            .map_err(IndexError::FilterConstant)?;
        Ok(Self { kind: element.kind, key })
    }

    fn is_nan(&self) -> bool {
        self.key == [NAN]
    }
}

impl Filter {
    /// From the value of `partialFilterExpression`.
    pub(super) fn parse(expression: Elements<'_>) -> Result<Self, IndexError> {
        Self::parse_level(expression, 1)
    }

    fn parse_level(expression: Elements<'_>, level: usize) -> Result<Self, IndexError> {
        if level > LEVELS_MAX {
            return Err(IndexError::FilterTooDeep { levels_max: LEVELS_MAX });
        }
        let mut all = Vec::new();
        for element in expression {
            let element = element?;
            match element.name {
                b"$and" => all.push(Self::All(clauses(&element, level)?)),
                b"$or" => all.push(Self::Any(clauses(&element, level)?)),
                b"$comment" => {}
                name if name.starts_with(b"$") => return Err(unknown_operator(name)),
                path => parse_path(path, &element, &mut all)?,
            }
        }
        Ok(Self::All(all))
    }

    /// Whether a document belongs into the index.
    pub(super) fn matches(&self, document: &[u8], scratch: &mut Scratch) -> Result<bool, KeyError> {
        match self {
            Self::All(clauses) => {
                for clause in clauses {
                    if !clause.matches(document, scratch)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Any(clauses) => {
                for clause in clauses {
                    if clause.matches(document, scratch)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Path { path, test } => {
                any_along(Elements::new(document)?, path, 0, 1, &mut |value| test.matches(value, scratch))
            }
        }
    }
}

fn clauses(element: &Element<'_>, level: usize) -> Result<Vec<Filter>, IndexError> {
    let wrong = || IndexError::FilterOperand {
        operator: text(element.name),
        expected: "a non-empty array of objects",
    };
    if element.kind != bson_type::ARRAY {
        return Err(wrong());
    }
    let mut parsed = Vec::new();
    for clause in element.elements()? {
        let clause = clause?;
        if clause.kind != bson_type::OBJECT {
            return Err(wrong());
        }
        parsed.push(Filter::parse_level(clause.elements()?, level + 1)?);
    }
    if parsed.is_empty() { Err(wrong()) } else { Ok(parsed) }
}

/// `path: value` or `path: {$operator: value, ..}`.
fn parse_path(path: &[u8], element: &Element<'_>, all: &mut Vec<Filter>) -> Result<(), IndexError> {
    const DB_REF_NAMES: [&[u8]; 3] = [b"$db", b"$id", b"$ref"];
    if path.split(|byte| *byte == b'.').any(<[u8]>::is_empty) {
        return Err(IndexError::EmptyName { field: text(path) });
    }
    let mut push = |test| all.push(Filter::Path { path: path.to_vec(), test });
    if element.kind == bson_type::REGEX {
        return Err(unknown_operator(b"$regex"));
    }
    let first = match element.kind {
        bson_type::OBJECT => element.elements()?.next().transpose()?,
        _ => None,
    };
    let has_operators =
        first.is_some_and(|first| first.name.starts_with(b"$") && !DB_REF_NAMES.contains(&first.name));
    if !has_operators {
        push(compare(Comparison::Equal, element, b"$eq")?);
        return Ok(());
    }
    for operator in element.elements()? {
        let operator = operator?;
        push(match operator.name {
            b"$eq" => compare(Comparison::Equal, &operator, operator.name)?,
            b"$lt" => compare(Comparison::Less, &operator, operator.name)?,
            b"$lte" => compare(Comparison::LessOrEqual, &operator, operator.name)?,
            b"$gt" => compare(Comparison::Greater, &operator, operator.name)?,
            b"$gte" => compare(Comparison::GreaterOrEqual, &operator, operator.name)?,
            b"$in" => Test::OneOf(one_of(&operator)?),
            b"$exists" if is_true(&operator) => Test::Exists,
            b"$exists" => return Err(unknown_operator(b"$exists: false")),
            b"$type" => Test::Type(types(&operator)?),
            name => return Err(unknown_operator(name)),
        });
    }
    Ok(())
}

fn compare(comparison: Comparison, element: &Element<'_>, operator: &[u8]) -> Result<Test, IndexError> {
    let ordered = comparison != Comparison::Equal;
    if element.kind == bson_type::UNDEFINED || ordered && element.kind == bson_type::REGEX {
        let expected = "neither undefined nor, where it is ordered, a regex";
        return Err(IndexError::FilterOperand { operator: text(operator), expected });
    }
    Ok(Test::Compare { comparison, right: Constant::new(element)? })
}

fn one_of(element: &Element<'_>) -> Result<Vec<Constant>, IndexError> {
    let wrong = || IndexError::FilterOperand {
        operator: "$in".to_owned(),
        expected: "an array without regexes, undefined and operators",
    };
    if element.kind != bson_type::ARRAY {
        return Err(wrong());
    }
    let mut constants = Vec::new();
    for inner in element.elements()? {
        let inner = inner?;
        let operator = match inner.kind {
            bson_type::OBJECT => {
                inner.elements()?.next().transpose()?.is_some_and(|e| e.name.starts_with(b"$"))
            }
            _ => false,
        };
        if operator || matches!(inner.kind, bson_type::REGEX | bson_type::UNDEFINED) {
            return Err(wrong());
        }
        constants.push(Constant::new(&inner)?);
    }
    Ok(constants)
}

/// `BSONElement::trueValue`: everything but false, zero, null and undefined.
fn is_true(element: &Element<'_>) -> bool {
    match element.kind {
        bson_type::BOOL => element.value != [0],
        bson_type::NULL | bson_type::UNDEFINED => false,
        _ => as_number((*element).into()) != Some(0.0),
    }
}

/// `$type: "string"`, `$type: 2`, `$type: ["string", 2]`.
fn types(element: &Element<'_>) -> Result<Vec<u8>, IndexError> {
    let mut kinds = Vec::new();
    if element.kind == bson_type::ARRAY {
        for inner in element.elements()? {
            add_type(&inner?, &mut kinds)?;
        }
    } else {
        add_type(element, &mut kinds)?;
    }
    if kinds.is_empty() { Err(wrong_type_operand()) } else { Ok(kinds) }
}

fn add_type(element: &Element<'_>, kinds: &mut Vec<u8>) -> Result<(), IndexError> {
    const NUMBERS: [u8; 4] = [bson_type::DOUBLE, bson_type::INT32, bson_type::INT64, bson_type::DECIMAL];
    if element.kind == bson_type::STRING {
        let alias = string((*element).into()).unwrap_or(&[]);
        if alias == b"number" {
            kinds.extend(NUMBERS);
            return Ok(());
        }
        let kind = TYPE_NAMES.iter().find(|(_, name)| name.as_bytes() == alias).map(|(kind, _)| *kind);
        kinds.push(kind.ok_or_else(wrong_type_operand)?);
        return Ok(());
    }
    let number = as_number((*element).into()).ok_or_else(wrong_type_operand)?;
    let code = |kind: u8| if kind == bson_type::MIN_KEY { -1.0 } else { f64::from(kind) };
    let kind =
        TYPE_NAMES.iter().map(|(kind, _)| *kind).find(|kind| code(*kind).to_bits() == number.to_bits());
    kinds.push(kind.ok_or_else(wrong_type_operand)?);
    Ok(())
}

fn wrong_type_operand() -> IndexError {
    let expected = "the number or the name of a BSON type, or an array of these";
    IndexError::FilterOperand { operator: "$type".to_owned(), expected }
}

fn unknown_operator(name: &[u8]) -> IndexError {
    IndexError::FilterOperator { operator: text(name) }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Test {
    /// `None` stands for a value that is missing.
    fn matches(&self, value: Option<Value<'_>>, scratch: &mut Scratch) -> Result<bool, KeyError> {
        Ok(match (self, value) {
            (Self::Exists, value) => value.is_some(),
            (Self::Type(kinds), value) => value.is_some_and(|value| kinds.contains(&value.kind)),
            (Self::OneOf(constants), None) => {
                constants.iter().any(|constant| constant.kind == bson_type::NULL)
            }
            (Self::OneOf(constants), Some(value)) => {
                lone_key(value, &mut scratch.filter_key, &mut scratch.type_bits)?;
                constants.iter().any(|constant| constant.key == scratch.filter_key)
            }
            (Self::Compare { comparison, right }, value) => comparison.holds(value, right, scratch)?,
        })
    }
}

impl Comparison {
    fn holds(
        self,
        left: Option<Value<'_>>,
        right: &Constant,
        scratch: &mut Scratch,
    ) -> Result<bool, KeyError> {
        let with_equal = matches!(self, Self::Equal | Self::LessOrEqual | Self::GreaterOrEqual);
        let left = left.unwrap_or(Value::UNDEFINED);
        if generic_type(left.kind) != generic_type(right.kind) {
            return Ok(match right.kind {
                bson_type::NULL if left.kind == bson_type::UNDEFINED => with_equal,
                bson_type::MAX_KEY => matches!(self, Self::Less | Self::LessOrEqual),
                bson_type::MIN_KEY => matches!(self, Self::Greater | Self::GreaterOrEqual),
                _ => false,
            });
        }
        lone_key(left, &mut scratch.filter_key, &mut scratch.type_bits)?;
        let left_is_nan = scratch.filter_key == [NAN];
        if left_is_nan || right.is_nan() {
            return Ok(with_equal && left_is_nan && right.is_nan());
        }
        let order = scratch.filter_key.cmp(&right.key);
        Ok(match self {
            Self::Equal => order.is_eq(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        })
    }
}

/// Whether `test` holds for any value that a path leads to.
fn any_along(
    object: Elements<'_>,
    path: &[u8],
    from: usize,
    levels: usize,
    test: &mut dyn FnMut(Option<Value<'_>>) -> Result<bool, KeyError>,
) -> Result<bool, KeyError> {
    let (reached, rest) = follow(object, path, from)?;
    let Some(reached) = reached.filter(|value| value.kind == bson_type::ARRAY) else { return test(reached) };
    check_depth(reached.at, levels)?;
    let (position, after) = component(path, rest);
    let is_position = !position.is_empty() && position.iter().all(u8::is_ascii_digit);
    for element in Elements::nested(reached.bytes, reached.at)? {
        let element = element?;
        let holds = if rest == path.len() {
            test(Some(element.into()))?
        } else {
            let inside = matches!(element.kind, bson_type::OBJECT | bson_type::ARRAY);
            let named = is_position && element.name == position;
            (element.kind == bson_type::OBJECT
                && any_along(element.elements()?, path, rest, levels + 1, test)?)
                || (named && after == path.len() && test(Some(element.into()))?)
                || (named
                    && after < path.len()
                    && inside
                    && any_along(element.elements()?, path, after, levels + 1, test)?)
        };
        if holds {
            return Ok(true);
        }
    }
    if rest == path.len() { test(Some(reached)) } else { Ok(false) }
}

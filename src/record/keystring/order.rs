//! The server's order of BSON values, written from its definition and not from the bytes: what keys are held to.
//!
//! # Source
//!
//! `BSONElement::compareElements`, `canonicalizeBSONType`, `src/mongo/bson/bsonelement.cpp` of MongoDB 6.0.

use super::{Decimal, Value, bson_type, code_and_scope, fixed, string};
use crate::document::Elements;
use std::cmp::Ordering;

/// Compares two values as a server does.
pub(super) fn order(left: Value<'_>, right: Value<'_>) -> Ordering {
    let rank = |kind| CANONICAL.iter().position(|kinds| kinds.contains(&kind)).unwrap();
    rank(left.kind).cmp(&rank(right.kind)).then_with(|| match left.kind {
        bson_type::DOUBLE | bson_type::INT32 | bson_type::INT64 | bson_type::DECIMAL => {
            Number::read(left).compare(&Number::read(right))
        }
        bson_type::STRING | bson_type::SYMBOL | bson_type::CODE => {
            string(left).unwrap().cmp(string(right).unwrap())
        }
        bson_type::OBJECT | bson_type::ARRAY => order_elements(left, right),
        bson_type::BINARY => {
            let parts = |value: Value<'_>| (value.bytes.len(), value.bytes[4], value.bytes[5..].to_vec());
            parts(left).cmp(&parts(right))
        }
        bson_type::DATE => {
            let millis = |value| i64::from_le_bytes(fixed(value).unwrap());
            millis(left).cmp(&millis(right))
        }
        bson_type::TIMESTAMP => {
            let time = |value| u64::from_le_bytes(fixed(value).unwrap());
            time(left).cmp(&time(right))
        }
        bson_type::REGEX => left.bytes.split(|byte| *byte == 0).cmp(right.bytes.split(|byte| *byte == 0)),
        bson_type::DB_POINTER => (left.bytes.len(), left.bytes).cmp(&(right.bytes.len(), right.bytes)),
        bson_type::CODE_WITH_SCOPE => {
            let ((a, a_scope), (b, b_scope)) =
                (code_and_scope(left).unwrap(), code_and_scope(right).unwrap());
            a.cmp(b).then_with(|| order_elements(a_scope, b_scope))
        }
        _ => left.bytes.cmp(right.bytes), // bool, ObjectId, and types with one value
    })
}

fn order_elements(left: Value<'_>, right: Value<'_>) -> Ordering {
    let rank = |kind| CANONICAL.iter().position(|kinds| kinds.contains(&kind)).unwrap();
    let mut left = Elements::nested(left.bytes, 0).unwrap();
    let mut right = Elements::nested(right.bytes, 0).unwrap();
    loop {
        let (a, b) = match (left.next().map(Result::unwrap), right.next().map(Result::unwrap)) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => (a, b),
        };
        let by_name = rank(a.kind).cmp(&rank(b.kind)).then_with(|| a.name.cmp(b.name));
        let ordered = by_name.then_with(|| order(a.into(), b.into()));
        if ordered.is_ne() {
            return ordered;
        }
    }
}

/// Types that compare with each other, in the order of the groups.
const CANONICAL: [&[u8]; 17] = [
    &[bson_type::MIN_KEY],
    &[bson_type::UNDEFINED],
    &[bson_type::NULL],
    &[bson_type::DOUBLE, bson_type::INT32, bson_type::INT64, bson_type::DECIMAL],
    &[bson_type::STRING, bson_type::SYMBOL],
    &[bson_type::OBJECT],
    &[bson_type::ARRAY],
    &[bson_type::BINARY],
    &[bson_type::OBJECT_ID],
    &[bson_type::BOOL],
    &[bson_type::DATE],
    &[bson_type::TIMESTAMP],
    &[bson_type::REGEX],
    &[bson_type::DB_POINTER],
    &[bson_type::CODE],
    &[bson_type::CODE_WITH_SCOPE],
    &[bson_type::MAX_KEY],
];

/// A number written out: sign, digits before and behind the point, no zeros at either end.
#[derive(Debug)]
enum Number {
    Nan,
    Infinite { negative: bool },
    Finite { negative: bool, whole: String, fraction: String },
}

impl Number {
    fn read(value: Value<'_>) -> Self {
        match value.kind {
            bson_type::INT32 => Self::written(&i32::from_le_bytes(fixed(value).unwrap()).to_string()),
            bson_type::INT64 => Self::written(&i64::from_le_bytes(fixed(value).unwrap()).to_string()),
            bson_type::DOUBLE => match f64::from_le_bytes(fixed(value).unwrap()) {
                number if number.is_nan() => Self::Nan,
                number if number.is_infinite() => Self::Infinite { negative: number < 0.0 },
                number => Self::written(&format!("{number:.1074}")), // the smallest double has 1074 digits
            },
            _ => match Decimal::read(fixed(value).unwrap()) {
                Decimal::Nan => Self::Nan,
                Decimal::Infinity { negative } => Self::Infinite { negative },
                Decimal::Finite { negative, biased_exponent, coefficient } => {
                    let sign = if negative { "-" } else { "" };
                    let digits = coefficient.to_string();
                    let exponent = i32::try_from(biased_exponent).unwrap() - 6176;
                    let count = usize::try_from(exponent.unsigned_abs()).unwrap();
                    if exponent >= 0 {
                        return Self::written(&format!("{sign}{digits}{}", "0".repeat(count)));
                    }
                    let padded = format!("{}{digits}", "0".repeat((count + 1).saturating_sub(digits.len())));
                    let (whole, fraction) = padded.split_at(padded.len() - count);
                    Self::written(&format!("{sign}{whole}.{fraction}"))
                }
            },
        }
    }

    fn written(text: &str) -> Self {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let negative = negative && !(whole.is_empty() && fraction.is_empty());
        Self::Finite { negative, whole: whole.to_owned(), fraction: fraction.to_owned() }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Nan, Self::Nan) => Ordering::Equal,
            (Self::Nan, _) => Ordering::Less,
            (_, Self::Nan) => Ordering::Greater,
            (Self::Infinite { negative: a }, Self::Infinite { negative: b }) => b.cmp(a),
            (Self::Infinite { negative: true }, _) | (_, Self::Infinite { negative: false }) => {
                Ordering::Less
            }
            (Self::Infinite { negative: false }, _) | (_, Self::Infinite { negative: true }) => {
                Ordering::Greater
            }
            (
                Self::Finite { negative: a_negative, whole: a, fraction: a_fraction },
                Self::Finite { negative: b_negative, whole: b, fraction: b_fraction },
            ) => {
                let magnitude = (a.len(), a, a_fraction).cmp(&(b.len(), b, b_fraction));
                let same_sign = if *a_negative { magnitude.reverse() } else { magnitude };
                b_negative.cmp(a_negative).then(same_sign)
            }
        }
    }
}

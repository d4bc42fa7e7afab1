//! Keys of hashed indexes: 8 bytes of an MD5 in place of the value.
//!
//! ```text
//!  MD5 of    seed 00000000 | canonical type (4) | value                          top level
//!                          | canonical type (4) | name NUL | value               inside objects and arrays
//!  value     numbers: as int64    objects, arrays: elements, then 00000000
//!            code with scope: code with its NUL, elements, 00000000    others: their BSON bytes
//!  key       the first 8 bytes of the digest, little-endian, as an int64
//! ```
//!
//! # Source
//!
//! `recursiveHash`, `src/mongo/db/hasher.cpp`; `BSONElement::safeNumberLongForHash`, `src/mongo/bson/bsonelement.h`;
//! `ExpressionKeysPrivate::getHashKeys`, `src/mongo/db/index/expression_keys_private.cpp`, all of MongoDB 6.0.

use super::entries::{Entries, Header};
use super::path::follow;
use super::{Field, Refusal, Stop};
use crate::document::Elements;
use crate::record::keystring::{Decimal, KeyError, Value, bson_type, check_depth, code_and_scope, fixed};
use md5::{Digest, Md5};

/// Adds the entry of a document to `out`.
pub(super) fn add_entry(
    fields: &[Field],
    sparse: bool,
    document: &[u8],
    header: &Header<'_>,
    out: &mut Entries,
) -> Result<(), Stop> {
    let mut missing = 0;
    for field in fields {
        match follow(Elements::new(document)?, &field.path, 0)?.0 {
            Some(value) if value.kind == bson_type::ARRAY => return Err(Refusal::ArrayInHashedIndex.into()),
            Some(_) => {}
            None => missing += 1,
        }
    }
    if sparse && missing == fields.len() {
        return Ok(());
    }
    out.add(header, |writer| {
        for field in fields {
            let value = follow(Elements::new(document)?, &field.path, 0)?.0.unwrap_or(Value::NULL);
            if field.hashed {
                writer.int64(hash(value)?);
            } else {
                writer.field(value, field.direction)?;
            }
        }
        Ok(())
    })
}

/// What a hashed index holds for a value.
pub(super) fn hash(value: Value<'_>) -> Result<i64, KeyError> {
    const SEED: [u8; 4] = 0_i32.to_le_bytes();
    let mut md5 = Md5::new_with_prefix(SEED);
    add_value(&mut md5, value, None, 1)?;
    let digest: [u8; 16] = md5.finalize().into();
    Ok(digest.first_chunk().map_or(0, |head| i64::from_le_bytes(*head)))
}

fn add_value(md5: &mut Md5, value: Value<'_>, name: Option<&[u8]>, levels: usize) -> Result<(), KeyError> {
    md5.update(canonical_type(value.kind).to_le_bytes());
    if let Some(name) = name {
        md5.update(name);
        md5.update([0]);
    }
    match value.kind {
        bson_type::OBJECT | bson_type::ARRAY => add_elements(md5, value, levels + 1),
        bson_type::CODE_WITH_SCOPE => {
            let (code, scope) = code_and_scope(value)?;
            md5.update(code);
            md5.update([0]);
            add_elements(md5, scope, levels + 2)
        }
        _ => {
            match whole_number(value)? {
                Some(number) => md5.update(number.to_le_bytes()),
                None => md5.update(value.bytes),
            }
            Ok(())
        }
    }
}

fn add_elements(md5: &mut Md5, value: Value<'_>, levels: usize) -> Result<(), KeyError> {
    check_depth(value.at, levels)?;
    for element in Elements::nested(value.bytes, value.at)? {
        let element = element?;
        add_value(md5, element.into(), Some(element.name), levels)?;
    }
    md5.update(0_i32.to_le_bytes()); // the canonical type of the end of an object
    Ok(())
}

/// A number as the hash takes it: cut, or for decimals rounded, to an int64. `None` for other types.
fn whole_number(value: Value<'_>) -> Result<Option<i64>, KeyError> {
    /// Historical: the one double that turns over instead of stopping at the largest int64.
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    Ok(Some(match value.kind {
        bson_type::INT32 => i32::from_le_bytes(fixed(value)?).into(),
        bson_type::INT64 => i64::from_le_bytes(fixed(value)?),
        bson_type::DOUBLE => {
            let number = f64::from_le_bytes(fixed(value)?);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "saturates, and NaN is 0: the server's rules"
            )]
            let cut = number as i64;
            if number.to_bits() == TWO_TO_63.to_bits() { i64::MIN } else { cut }
        }
        bson_type::DECIMAL => Decimal::read(fixed(value)?).to_i64_rounded(),
        _ => return Ok(None),
    }))
}

/// Source: `canonicalizeBSONType`, `src/mongo/bson/bsontypes.h` of MongoDB 6.0.
fn canonical_type(kind: u8) -> i32 {
    match kind {
        bson_type::MIN_KEY => -1,
        bson_type::NULL => 5,
        bson_type::DOUBLE | bson_type::INT32 | bson_type::INT64 | bson_type::DECIMAL => 10,
        bson_type::STRING | bson_type::SYMBOL => 15,
        bson_type::OBJECT => 20,
        bson_type::ARRAY => 25,
        bson_type::BINARY => 30,
        bson_type::OBJECT_ID => 35,
        bson_type::BOOL => 40,
        bson_type::DATE => 45,
        bson_type::TIMESTAMP => 47,
        bson_type::REGEX => 50,
        bson_type::DB_POINTER => 55,
        bson_type::CODE => 60,
        bson_type::CODE_WITH_SCOPE => 65,
        bson_type::MAX_KEY => 127,
        _ => 0, // undefined; the element walk knows no other type
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first is the constant of the server's own start-up test (`HasherUnitTest`); the others were read from
    /// index files.
    #[test]
    fn hashes_are_those_of_a_server() {
        let key = |number: i64| number.to_be_bytes();
        let int32 = |number: i32| number.to_le_bytes();
        let check = |kind, bytes: &[u8], want: i64| {
            assert_eq!(hash(Value { kind, bytes, at: 0 }), Ok(want), "type {kind:02x} {:02x?}", key(want));
        };
        check(bson_type::INT32, &int32(42), -944_302_157_085_130_861);
        check(bson_type::INT64, &42_i64.to_le_bytes(), -944_302_157_085_130_861);
        check(bson_type::DOUBLE, &42.9_f64.to_le_bytes(), -944_302_157_085_130_861);
        check(bson_type::INT32, &int32(-1), 0x1fa5_a661_c219_efa6 >> 1);
    }
}

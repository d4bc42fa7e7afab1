//! KeyString: BSON values as bytes whose `memcmp` order is the server's order of the values.
//!
//! ```text
//!  key      value, value, .. (one a field) | 04 | RecordId          type bits are kept apart: `TypeBits`
//!
//!  0a minKey          3c string, symbol   bytes, NUL written 00 ff, 00
//!  0f undefined       46 object           per element: generic type, name 00, value; then 00
//!  14 null, missing   50 array            values; then 00
//!  1e .. 33 numbers   5a binary           length (1 byte, or ff and 4), subtype, bytes
//!  6e false           64 ObjectId         12 bytes
//!  6f true            78 date             8 bytes, sign bit flipped
//!  f0 maxKey          82 timestamp        8 bytes
//!                     8c regex            pattern 00 options 00
//!                     96 dbPointer        length (4), namespace, 12 bytes
//!                     a0 code             as string
//!                     aa code with scope  as string, elements of the scope as in an object, 00
//! ```
//!
//! All numbers big-endian. A descending field's bytes are inverted, type byte and terminators included; the end
//! byte, the `RecordId` and the type bits are not.
//!
//! # Source
//!
//! `BuilderBase::_appendBsonValue` and what it calls, `CType`, `src/mongo/db/storage/key_string.cpp` of MongoDB 6.0. The
//! bytes were compared with those in index files of mongod 6.0.5: see `tests/it/keystring.rs`.

mod decimal;
mod exact;
mod number;
#[cfg(test)]
mod order;
mod record_id;
#[cfg(test)]
mod tests;
mod type_bits;

pub(super) use decimal::Decimal;
pub use record_id::{RecordId, append_record_id};
pub use type_bits::TypeBits;

use crate::document::{DocumentErrorKind, Element, Elements};

/// Levels of embedded documents and arrays that a server takes, the document itself included.
///
/// Source: `BSONDepth::getMaxDepthForUserStorage`, `src/mongo/bson/bson_depth.h`: 200 less 20.
pub const NESTING_LEVELS_MAX: usize = 180;

/// Follows the last value of a key; `kEnd` in `key_string.cpp`.
pub const END: u8 = 0x04;

/// Ends a string, a name, an object, an array.
const TERMINATOR: u8 = 0x00;
/// Follows a NUL that is part of a string.
const ESCAPED: u8 = 0xff;
/// From this length on a binary's length takes five bytes instead of one.
const BINARY_SHORT_BYTES_END: usize = 0xff;

/// BSON types by number: bsonspec.org.
pub(super) mod bson_type {
    pub(in crate::record) const DOUBLE: u8 = 0x01;
    pub(in crate::record) const STRING: u8 = 0x02;
    pub(in crate::record) const OBJECT: u8 = 0x03;
    pub(in crate::record) const ARRAY: u8 = 0x04;
    pub(in crate::record) const BINARY: u8 = 0x05;
    pub(in crate::record) const UNDEFINED: u8 = 0x06;
    pub(in crate::record) const OBJECT_ID: u8 = 0x07;
    pub(in crate::record) const BOOL: u8 = 0x08;
    pub(in crate::record) const DATE: u8 = 0x09;
    pub(in crate::record) const NULL: u8 = 0x0a;
    pub(in crate::record) const REGEX: u8 = 0x0b;
    pub(in crate::record) const DB_POINTER: u8 = 0x0c;
    pub(in crate::record) const CODE: u8 = 0x0d;
    pub(in crate::record) const SYMBOL: u8 = 0x0e;
    pub(in crate::record) const CODE_WITH_SCOPE: u8 = 0x0f;
    pub(in crate::record) const INT32: u8 = 0x10;
    pub(in crate::record) const TIMESTAMP: u8 = 0x11;
    pub(in crate::record) const INT64: u8 = 0x12;
    pub(in crate::record) const DECIMAL: u8 = 0x13;
    pub(in crate::record) const MIN_KEY: u8 = 0xff;
    pub(in crate::record) const MAX_KEY: u8 = 0x7f;
}

/// Which form of KeyString an index has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Of indexes with `v: 1` (before MongoDB 3.4): no decimals, fractions laid out otherwise.
    V0,
    /// Of indexes with `v: 2`.
    V1,
}

/// How a field of an index sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Bytes as they are.
    Ascending,
    /// All bytes of the value inverted.
    Descending,
}

/// Why a value cannot be made into a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The document is damaged where the key had to be read.
    #[error(transparent)]
    Damaged(#[from] DocumentErrorKind),
    /// More levels than a server stores.
    #[error(
        "value at byte {at} of the document nests deeper than MongoDB's limit of {NESTING_LEVELS_MAX} levels"
    )]
    TooDeep {
        /// From the document's first byte.
        at: usize,
    },
    /// An index with `v: 1` has no form for decimals.
    #[error("decimal at byte {at} of the document cannot be in an index with v: 1")]
    DecimalInV0 {
        /// From the document's first byte.
        at: usize,
    },
    /// The keys of one document take more than can be a transaction's.
    #[error("keys of one document exceed {bytes_max} bytes")]
    TooLong {
        /// The limit.
        bytes_max: usize,
    },
}

/// A value as it stands in a document: type byte, bytes, place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<'a> {
    /// The BSON type byte.
    pub kind: u8,
    /// The value's bytes.
    pub bytes: &'a [u8],
    /// Of its first byte, from the first byte of the outermost document.
    pub at: usize,
}

impl Value<'_> {
    /// What stands for a field that a document lacks.
    pub const NULL: Self = Self { kind: bson_type::NULL, bytes: &[], at: 0 };
    /// What stands for an empty array's elements.
    pub const UNDEFINED: Self = Self { kind: bson_type::UNDEFINED, bytes: &[], at: 0 };
}

impl<'a> From<Element<'a>> for Value<'a> {
    fn from(element: Element<'a>) -> Self {
        Self { kind: element.kind, bytes: element.value, at: element.value_at() }
    }
}

/// Appends values to a key and their types to its type bits. Both belong to the caller, who uses them again.
#[derive(Debug)]
pub struct KeyWriter<'k> {
    version: Version,
    out: &'k mut Vec<u8>,
    type_bits: &'k mut TypeBits,
}

impl<'k> KeyWriter<'k> {
    /// At the end of `out`. Clears `type_bits`.
    pub fn new(version: Version, out: &'k mut Vec<u8>, type_bits: &'k mut TypeBits) -> Self {
        type_bits.clear();
        Self { version, out, type_bits }
    }

    /// One field's value.
    ///
    /// # Errors
    ///
    /// A damaged value, or one that nests too deep; `out` then ends in half a key.
    pub fn field(&mut self, value: Value<'_>, direction: Direction) -> Result<(), KeyError> {
        let start = self.out.len();
        self.value(value, 1)?;
        if direction == Direction::Descending {
            self.out[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
        Ok(())
    }

    /// A string that is no value of the document: a wildcard index's path.
    pub fn string(&mut self, text: &[u8]) {
        self.type_bits.push(0, 1);
        self.out.push(0x3c);
        self.terminated(text);
    }

    /// An int64 that is no value of the document: a hash.
    pub fn int64(&mut self, number: i64) {
        self.type_bits.push(0b01, 2);
        number::append_integer(number, self.version, self.out);
    }

    fn value(&mut self, value: Value<'_>, levels: usize) -> Result<(), KeyError> {
        let Value { kind, bytes, at } = value;
        match kind {
            bson_type::INT32 => {
                self.type_bits.push(0b00, 2);
                number::append_integer(i32::from_le_bytes(fixed(value)?).into(), self.version, self.out);
            }
            bson_type::INT64 => self.int64(i64::from_le_bytes(fixed(value)?)),
            bson_type::DOUBLE => {
                let number = f64::from_le_bytes(fixed(value)?);
                match (number == 0.0 && number.is_sign_negative(), self.version) {
                    (false, _) => self.type_bits.push(0b10, 2),
                    (true, Version::V0) => self.type_bits.push(0b11, 2),
                    (true, Version::V1) => self.type_bits.push(0b11000, 5),
                }
                number::append_double(number, self.version, self.out);
            }
            bson_type::DECIMAL if self.version == Version::V0 => return Err(KeyError::DecimalInV0 { at }),
            bson_type::DECIMAL => decimal::append_decimal(fixed(value)?, self.out, self.type_bits),
            bson_type::STRING => self.string(string(value)?),
            bson_type::SYMBOL => {
                self.type_bits.push(1, 1);
                self.out.push(0x3c);
                self.terminated(string(value)?);
            }
            bson_type::OBJECT => {
                self.out.push(0x46);
                self.object(value, levels + 1)?;
            }
            bson_type::ARRAY => {
                check_depth(at, levels + 1)?;
                self.out.push(0x50);
                for element in Elements::nested(bytes, at)? {
                    self.value(element?.into(), levels + 1)?;
                }
                self.out.push(TERMINATOR);
            }
            bson_type::BINARY => self.binary(value)?,
            bson_type::BOOL => {
                let [truth] = fixed(value)?;
                self.out.push(if truth == 0 { 0x6e } else { 0x6f });
            }
            bson_type::OBJECT_ID => self.tagged(0x64, bytes),
            bson_type::DATE => {
                let sorted = u64::from_le_bytes(fixed(value)?) ^ 1 << 63;
                self.tagged(0x78, &sorted.to_be_bytes());
            }
            bson_type::TIMESTAMP => self.tagged(0x82, &u64::from_le_bytes(fixed(value)?).to_be_bytes()),
            bson_type::REGEX => self.tagged(0x8c, bytes), // pattern and options, each with its NUL
            bson_type::DB_POINTER => self.db_pointer(value)?,
            bson_type::CODE => {
                self.out.push(0xa0);
                self.terminated(string(value)?);
            }
            bson_type::CODE_WITH_SCOPE => {
                let (code, scope) = code_and_scope(value)?;
                self.out.push(0xaa);
                self.terminated(code);
                self.object(scope, levels + 2)?;
            }
            _ => self.out.push(generic_type(kind)),
        }
        Ok(())
    }

    fn tagged(&mut self, type_byte: u8, bytes: &[u8]) {
        self.out.push(type_byte);
        self.out.extend_from_slice(bytes);
    }

    /// Bytes that may hold NULs, and a NUL behind them that cannot be taken for one of them.
    fn terminated(&mut self, text: &[u8]) {
        let mut parts = text.split(|byte| *byte == 0);
        self.out.extend_from_slice(parts.next().unwrap_or(&[]));
        for part in parts {
            self.out.extend_from_slice(&[0, ESCAPED]);
            self.out.extend_from_slice(part);
        }
        self.out.push(TERMINATOR);
    }

    /// The elements of an object, without its type byte.
    fn object(&mut self, value: Value<'_>, levels: usize) -> Result<(), KeyError> {
        check_depth(value.at, levels)?;
        for element in Elements::nested(value.bytes, value.at)? {
            let element = element?;
            self.tagged(generic_type(element.kind), element.name);
            self.out.push(TERMINATOR);
            self.value(element.into(), levels)?;
        }
        self.out.push(TERMINATOR);
        Ok(())
    }

    fn binary(&mut self, value: Value<'_>) -> Result<(), KeyError> {
        let [_, _, _, _, subtype, payload @ ..] = value.bytes else {
            return Err(damaged(value, "its length runs past the document"));
        };
        self.out.push(0x5a);
        match u8::try_from(payload.len()) {
            Ok(length) if payload.len() < BINARY_SHORT_BYTES_END => self.out.push(length),
            _ => {
                self.out.push(ESCAPED);
                let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
                self.out.extend_from_slice(&length.to_be_bytes());
            }
        }
        self.out.push(*subtype);
        self.out.extend_from_slice(payload);
        Ok(())
    }

    fn db_pointer(&mut self, value: Value<'_>) -> Result<(), KeyError> {
        const OBJECT_ID_BYTES: usize = 12;
        let split = value.bytes.len().checked_sub(OBJECT_ID_BYTES).filter(|at| *at >= 5);
        let (namespace, id) =
            value.bytes.split_at(split.ok_or(damaged(value, "its length runs past the document"))?);
        let namespace = namespace[4..].split(|byte| *byte == 0).next().unwrap_or(&[]);
        self.out.push(0x96);
        let length = u32::try_from(namespace.len()).unwrap_or(u32::MAX);
        self.out.extend_from_slice(&length.to_be_bytes());
        self.out.extend_from_slice(namespace);
        self.out.extend_from_slice(id);
        Ok(())
    }
}

/// The type byte in front of a name: the same for all values that a type can have.
pub(super) fn generic_type(kind: u8) -> u8 {
    match kind {
        bson_type::MIN_KEY => 0x0a,
        bson_type::UNDEFINED => 0x0f,
        bson_type::DOUBLE | bson_type::INT32 | bson_type::INT64 | bson_type::DECIMAL => 0x1e,
        bson_type::STRING | bson_type::SYMBOL => 0x3c,
        bson_type::OBJECT => 0x46,
        bson_type::ARRAY => 0x50,
        bson_type::BINARY => 0x5a,
        bson_type::OBJECT_ID => 0x64,
        bson_type::BOOL => 0x6e,
        bson_type::DATE => 0x78,
        bson_type::TIMESTAMP => 0x82,
        bson_type::REGEX => 0x8c,
        bson_type::DB_POINTER => 0x96,
        bson_type::CODE => 0xa0,
        bson_type::CODE_WITH_SCOPE => 0xaa,
        bson_type::MAX_KEY => 0xf0,
        _ => 0x14, // null, and what is missing; the element walk knows no other type
    }
}

/// Refuses to go deeper than a server stores.
pub(super) fn check_depth(at: usize, levels: usize) -> Result<(), KeyError> {
    if levels > NESTING_LEVELS_MAX { Err(KeyError::TooDeep { at }) } else { Ok(()) }
}

fn damaged(value: Value<'_>, what: &'static str) -> KeyError {
    DocumentErrorKind::BadElement { at: value.at, what }.into()
}

/// A value of a fixed length.
pub(super) fn fixed<const BYTES: usize>(value: Value<'_>) -> Result<[u8; BYTES], KeyError> {
    value.bytes.try_into().map_err(|_| damaged(value, "its value has another length than its type"))
}

/// The bytes between a string's length and its NUL.
pub(super) fn string(value: Value<'_>) -> Result<&[u8], KeyError> {
    match value.bytes {
        [_, _, _, _, text @ .., _] => Ok(text),
        _ => Err(damaged(value, "its length runs past the document")),
    }
}

/// The two parts of a code with scope: the code without its NUL, and the scope as an object.
pub(super) fn code_and_scope(value: Value<'_>) -> Result<(&[u8], Value<'_>), KeyError> {
    const HEAD_BYTES: usize = 8; // the whole length, then the code's
    let short = || damaged(value, "its code runs past its value");
    let head = value.bytes.get(4..).and_then(|rest| rest.first_chunk::<4>()).ok_or_else(short)?;
    let code_bytes = usize::try_from(i32::from_le_bytes(*head)).ok().filter(|bytes| *bytes > 0);
    let scope_at = code_bytes.and_then(|bytes| bytes.checked_add(HEAD_BYTES)).ok_or_else(short)?;
    let (code, scope) = value.bytes.split_at_checked(scope_at).ok_or_else(short)?;
    let scope = Value { kind: bson_type::OBJECT, bytes: scope, at: value.at + scope_at };
    Ok((&code[HEAD_BYTES..code.len() - 1], scope))
}

//! Extended JSON version 2: sub-documents that stand for one value of another BSON type.
//!
//! As mongoimport does, the *first* key decides: a document that begins with one of these keys must be
//! that wrapper to the letter, and any other document is an ordinary one whatever follows. The order of
//! keys is free only inside the inner documents.
//!
//! Source: measured with mongoimport 100.18 (Go driver 2.7.0, `extjson_parser.go`, `extjson_wrappers.go`).

use super::{
    binary, date,
    decimal::decimal128,
    dialect::JsonDialect,
    document::{Parser, patch_length, push_value},
    lexer::{Nul, TEXT_BYTES_MAX},
    number::Number,
};
use crate::source::{
    fault::{Fault, Parsed, quoted},
    float_text::{self, NotFloat},
    input::Mark,
};
use std::io::Read;

/// A key that begins a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrapper {
    Oid,
    NumberInt,
    NumberLong,
    NumberDouble,
    NumberDecimal,
    Date,
    Binary,
    Uuid,
    Timestamp,
    RegularExpression,
    DbPointer,
    Code,
    Scope,
    Symbol,
    MinKey,
    MaxKey,
    Undefined,
}

impl Wrapper {
    /// Whether version 1 does not know it.
    fn is_of_version_2(self) -> bool {
        use Wrapper::{DbPointer, NumberDouble, RegularExpression, Symbol, Uuid};
        matches!(self, DbPointer | NumberDouble | RegularExpression | Symbol | Uuid)
    }
}

/// The keys, the frequent ones first.
const WRAPPERS: [(&str, Wrapper); 17] = [
    ("$oid", Wrapper::Oid),
    ("$date", Wrapper::Date),
    ("$numberInt", Wrapper::NumberInt),
    ("$numberLong", Wrapper::NumberLong),
    ("$numberDouble", Wrapper::NumberDouble),
    ("$numberDecimal", Wrapper::NumberDecimal),
    ("$binary", Wrapper::Binary),
    ("$uuid", Wrapper::Uuid),
    ("$timestamp", Wrapper::Timestamp),
    ("$regularExpression", Wrapper::RegularExpression),
    ("$dbPointer", Wrapper::DbPointer),
    ("$code", Wrapper::Code),
    ("$scope", Wrapper::Scope),
    ("$symbol", Wrapper::Symbol),
    ("$minKey", Wrapper::MinKey),
    ("$maxKey", Wrapper::MaxKey),
    ("$undefined", Wrapper::Undefined),
];

/// Which wrapper `key` begins, if any, and its name for messages.
pub(super) fn wrapper(key: &[u8]) -> Option<(&'static str, Wrapper)> {
    WRAPPERS.into_iter().find(|(name, _)| name.as_bytes() == key)
}

/// What a wrapper became.
pub(super) enum Wrapped {
    /// A whole value; its closing bracket is consumed.
    Done,
    /// Code whose scope document is next, to be read like any document; `total_at` is where the length
    /// of both belongs.
    Scope { total_at: usize },
}

/// A value inside a wrapper. A text is in [`Parser::text`].
enum Scalar {
    Text,
    Integer(i64),
    Bool(Truth),
    /// A document; not consumed.
    Document,
    /// Anything else, named.
    Other(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    True,
    False,
}

impl Scalar {
    fn name(&self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Integer(_) => "an integer",
            Self::Bool(Truth::True) => "true",
            Self::Bool(Truth::False) => "false",
            Self::Document => "a document",
            Self::Other(name) => name,
        }
    }
}

impl<R: Read> Parser<R> {
    /// Writes the value of `wrapper`, whose key is consumed, as the element at `type_at`.
    ///
    /// [`crate::source::input::Input::mark`] stands at its opening bracket and stays there, so that every
    /// fault of a wrapper's value is placed where the value begins.
    pub(super) fn wrapped(
        &mut self,
        out: &mut Vec<u8>,
        type_at: usize,
        (name, wrapper): (&str, Wrapper),
    ) -> Parsed<Wrapped> {
        // `{ "$oid" : ..`: only version 1 was ever written with a blank here.
        self.evidence.version_1 += u64::from(self.lexer.input.peek()? == Some(b' '));
        self.evidence.version_2 += u64::from(wrapper.is_of_version_2());
        self.lexer.expect(b':', "behind a key")?;
        match wrapper {
            Wrapper::Oid => self.oid(out, type_at)?,
            Wrapper::NumberInt => {
                let value = self.integer_text("$numberInt")?;
                let value = i32::try_from(value)
                    .map_err(|_| self.bad_value(format!("`$numberInt` {value} is outside int32")))?;
                push_value(out, type_at, 0x10, &value.to_le_bytes());
            }
            Wrapper::NumberLong => {
                let value = self.integer_text("$numberLong")?;
                push_value(out, type_at, 0x12, &value.to_le_bytes());
            }
            Wrapper::NumberDouble => {
                self.text_of("$numberDouble")?;
                let value = float_text::parse(&self.text).map_err(|bad| {
                    let reason = match bad {
                        NotFloat::Grammar => "is not a number",
                        NotFloat::Range => "is beyond the largest double",
                    };
                    self.bad_value(format!("`$numberDouble` {} {reason}", quoted(&self.text)))
                })?;
                push_value(out, type_at, 0x01, &value.to_le_bytes());
            }
            Wrapper::NumberDecimal => {
                self.text_of("$numberDecimal")?;
                let value = decimal128(&self.text).ok_or_else(|| {
                    self.bad_text(
                        "$numberDecimal",
                        "a number of at most 34 digits with an exponent from -6176 to 6111",
                    )
                })?;
                push_value(out, type_at, 0x13, &value);
            }
            Wrapper::Date => self.date(out, type_at)?,
            Wrapper::Binary => self.binary(out, type_at)?,
            Wrapper::Uuid => {
                self.text_of("$uuid")?;
                let bytes = binary::uuid(&self.text)
                    .ok_or_else(|| self.bad_text("$uuid", "hexadecimal digits in groups of 8-4-4-4-12"))?;
                out[type_at] = 0x05;
                push_binary(out, 4, &bytes);
            }
            Wrapper::Timestamp => self.timestamp(out, type_at)?,
            Wrapper::RegularExpression => self.regular_expression(out, type_at)?,
            Wrapper::DbPointer => self.db_pointer(out, type_at)?,
            Wrapper::Code => return self.code(out, type_at),
            Wrapper::Scope => return Err(self.bad_value("`$scope` must follow `$code`".to_owned())),
            Wrapper::Symbol => {
                self.text_of("$symbol")?;
                out[type_at] = 0x0e;
                push_string(out, &self.text);
            }
            Wrapper::MinKey => self.marker(out, type_at, "$minKey", 0xff)?,
            Wrapper::MaxKey => self.marker(out, type_at, "$maxKey", 0x7f)?,
            Wrapper::Undefined => {
                let scalar = self.scalar()?;
                if !matches!(scalar, Scalar::Bool(Truth::True)) {
                    return Err(self.bad_kind("$undefined", &scalar, "true"));
                }
                push_value(out, type_at, 0x06, &[]);
            }
        }
        self.close_wrapper(name)?;
        Ok(Wrapped::Done)
    }

    /// Consumes the bracket that closes the wrapper `name`, which may hold nothing more.
    pub(super) fn close_wrapper(&mut self, name: &str) -> Parsed<()> {
        match self.lexer.significant()? {
            Some(b'}') => {
                self.lexer.input.advance(1);
                self.lexer.depth -= 1;
                Ok(())
            }
            Some(b',') => {
                Err(self.bad_value(format!("a document that begins with `{name}` holds other keys")))
            }
            found => Err(self.lexer.unexpected(found, &format!("`}}` behind the value of `{name}`"))),
        }
    }

    fn oid(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        self.text_of("$oid")?;
        let bytes = self.object_id("$oid")?;
        push_value(out, type_at, 0x07, &bytes);
        Ok(())
    }

    fn date(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        const NAME: &str = "$date";
        let milliseconds = match self.scalar()? {
            Scalar::Integer(milliseconds) => milliseconds,
            Scalar::Text => self.date_text().ok_or_else(|| {
                self.bad_text(NAME, "a date like 2006-01-02T15:04:05.999Z, with its seconds and its zone")
            })?,
            Scalar::Document => {
                let mut milliseconds = 0;
                self.inner_document(NAME, &["$numberLong"], |parser, _| {
                    milliseconds = parser.integer_text("$numberLong")?;
                    Ok(())
                })?;
                milliseconds
            }
            scalar => return Err(self.bad_kind(NAME, &scalar, "a string, an integer or a `$numberLong`")),
        };
        push_value(out, type_at, 0x09, &milliseconds.to_le_bytes());
        Ok(())
    }

    fn date_text(&self) -> Option<i64> {
        match self.dialect {
            JsonDialect::Auto => date::lenient_milliseconds(&self.text),
            _ => date::milliseconds(&self.text),
        }
    }

    fn binary(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        const NAME: &str = "$binary";
        let mut subtype = 0;
        match self.scalar()? {
            Scalar::Document => {
                self.evidence.version_2 += 1;
                self.inner_document(NAME, &["base64", "subType"], |parser, index| {
                    if index == 0 {
                        parser.text_of("base64")?;
                        parser.base64()
                    } else {
                        subtype = parser.subtype("subType")?;
                        Ok(())
                    }
                })?;
            }
            // The form of version 1, in this order only.
            Scalar::Text => {
                self.base64()?;
                if self.lexer.significant()? != Some(b',') {
                    return Err(self.bad_value("`$binary` text without `$type` behind it".to_owned()));
                }
                self.lexer.input.advance(1);
                self.next_key("$binary")?;
                if self.key != b"$type" {
                    return Err(self.bad_value(format!(
                        "found key {} behind `$binary` text, where `$type` belongs",
                        quoted(&self.key)
                    )));
                }
                subtype = self.subtype("$type")?;
                self.evidence.version_1 += 1;
            }
            scalar => return Err(self.bad_kind(NAME, &scalar, "a document or a string")),
        }
        out[type_at] = 0x05;
        push_binary(out, subtype, &self.first);
        Ok(())
    }

    /// Decodes [`Parser::text`] into [`Parser::first`].
    fn base64(&mut self) -> Parsed<()> {
        self.first.clear();
        if binary::base64(&self.text, &mut self.first) {
            Ok(())
        } else {
            Err(self.bad_text("base64", "padded base64 of the standard alphabet"))
        }
    }

    fn subtype(&mut self, name: &str) -> Parsed<u8> {
        self.text_of(name)?;
        binary::subtype(&self.text).ok_or_else(|| self.bad_text(name, "one or two hexadecimal digits"))
    }

    fn timestamp(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        const KEYS: [&str; 2] = ["t", "i"];
        let mut parts = [0_u32; 2];
        self.inner_document("$timestamp", &KEYS, |parser, index| {
            let scalar = parser.scalar()?;
            let Scalar::Integer(value) = scalar else {
                return Err(parser.bad_kind(KEYS[index], &scalar, "an integer"));
            };
            parts[index] = u32::try_from(value).map_err(|_| {
                parser.bad_value(format!("`$timestamp` has {} {value}, outside 0 to 4294967295", KEYS[index]))
            })?;
            Ok(())
        })?;
        let [seconds, increment] = parts;
        push_value(out, type_at, 0x11, &increment.to_le_bytes());
        out.extend_from_slice(&seconds.to_le_bytes());
        Ok(())
    }

    fn regular_expression(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        const NAME: &str = "$regularExpression";
        const KEYS: [&str; 2] = ["pattern", "options"];
        self.inner_document(NAME, &KEYS, |parser, index| {
            parser.text_of(KEYS[index])?;
            let kept = if index == 0 { &mut parser.first } else { &mut parser.second };
            std::mem::swap(&mut parser.text, kept);
            Ok(())
        })?;
        if self.first.contains(&0) || self.second.contains(&0) {
            return Err(self.bad_value(format!("`{NAME}` holds a NUL, which BSON patterns cannot")));
        }
        self.second.sort_unstable();
        push_value(out, type_at, 0x0b, &self.first);
        out.push(0);
        out.extend_from_slice(&self.second);
        out.push(0);
        Ok(())
    }

    fn db_pointer(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        let mut id = [0; 12];
        self.inner_document("$dbPointer", &["$ref", "$id"], |parser, index| {
            if index == 0 {
                parser.text_of("$ref")?;
                std::mem::swap(&mut parser.text, &mut parser.first);
                return Ok(());
            }
            match parser.scalar()? {
                Scalar::Text => id = parser.object_id("$id")?,
                Scalar::Document => parser.inner_document("$id", &["$oid"], |parser, _| {
                    parser.text_of("$oid")?;
                    id = parser.object_id("$oid")?;
                    Ok(())
                })?,
                scalar => return Err(parser.bad_kind("$id", &scalar, "an `$oid` or a string")),
            }
            Ok(())
        })?;
        out[type_at] = 0x0c;
        push_string(out, &self.first);
        out.extend_from_slice(&id);
        Ok(())
    }

    fn code(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<Wrapped> {
        self.text_of("$code")?;
        match self.lexer.significant()? {
            Some(b'}') => {
                out[type_at] = 0x0d;
                push_string(out, &self.text);
                self.close_wrapper("$code")?;
                Ok(Wrapped::Done)
            }
            Some(b',') => {
                self.lexer.input.advance(1);
                let total_at = out.len();
                out[type_at] = 0x0f;
                out.extend_from_slice(&[0; 4]);
                push_string(out, &self.text);
                self.next_key("$code")?;
                if self.key != b"$scope" {
                    return Err(self.bad_value(format!(
                        "found key {} behind `$code`, where only `$scope` belongs",
                        quoted(&self.key)
                    )));
                }
                match self.lexer.significant()? {
                    Some(b'{') => Ok(Wrapped::Scope { total_at }),
                    _ => Err(self.bad_value("`$scope` must be a document".to_owned())),
                }
            }
            found => Err(self.lexer.unexpected(found, "`,` or `}` behind the value of `$code`")),
        }
    }

    fn marker(&mut self, out: &mut Vec<u8>, type_at: usize, name: &str, element_type: u8) -> Parsed<()> {
        match self.scalar()? {
            Scalar::Integer(1) => {}
            scalar => return Err(self.bad_kind(name, &scalar, "the integer 1")),
        }
        push_value(out, type_at, element_type, &[]);
        Ok(())
    }

    /// Reads an inner document that holds each of `keys` once, in any order, and nothing else; `take`
    /// reads the value of `keys[index]`.
    fn inner_document(
        &mut self,
        name: &str,
        keys: &[&str],
        mut take: impl FnMut(&mut Self, usize) -> Parsed<()>,
    ) -> Parsed<()> {
        let found = self.lexer.significant()?;
        if found != Some(b'{') {
            let wanted = keys.join("` and `");
            return Err(self.bad_value(format!("`{name}` must be a document of `{wanted}`")));
        }
        self.lexer.input.advance(1);
        self.lexer.depth += 1;
        let mut seen = [0_u8; 2];
        if self.lexer.significant()? != Some(b'}') {
            loop {
                self.next_key(name)?;
                let Some(index) = keys.iter().position(|key| key.as_bytes() == self.key) else {
                    return Err(
                        self.bad_value(format!("`{name}` holds an unknown key {}", quoted(&self.key)))
                    );
                };
                seen[index] += 1;
                if seen[index] > 1 {
                    return Err(self.bad_value(format!("`{name}` holds `{}` twice", keys[index])));
                }
                take(self, index)?;
                match self.lexer.significant()? {
                    Some(b',') => self.lexer.input.advance(1),
                    Some(b'}') => break,
                    found => return Err(self.lexer.unexpected(found, &format!("`,` or `}}` in `{name}`"))),
                }
            }
        }
        self.lexer.input.advance(1);
        self.lexer.depth -= 1;
        match keys.iter().zip(seen).find(|(_, seen)| *seen == 0) {
            Some((missing, _)) => Err(self.bad_value(format!("`{name}` lacks `{missing}`"))),
            None => Ok(()),
        }
    }

    /// Reads a key and its colon into [`Parser::key`].
    fn next_key(&mut self, name: &str) -> Parsed<()> {
        let found = self.lexer.significant()?;
        if found != Some(b'"') {
            return Err(self.lexer.unexpected(found, &format!("a key of `{name}`")));
        }
        self.key.clear();
        self.lexer.string(&mut self.key, Nul::Allowed, TEXT_BYTES_MAX)?;
        self.lexer.expect(b':', "behind a key")
    }

    /// Reads a string into [`Parser::text`].
    fn text_of(&mut self, name: &str) -> Parsed<()> {
        match self.scalar()? {
            Scalar::Text => Ok(()),
            scalar => Err(self.bad_kind(name, &scalar, "a string")),
        }
    }

    /// An integer as text. Some programs write it as a number, which loses nothing.
    fn integer_text(&mut self, name: &str) -> Parsed<i64> {
        match self.scalar()? {
            Scalar::Text => {}
            Scalar::Integer(value) if self.dialect == JsonDialect::Auto => return Ok(value),
            scalar => return Err(self.bad_kind(name, &scalar, "a string")),
        }
        std::str::from_utf8(&self.text)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| self.bad_text(name, "the decimal digits of an int64"))
    }

    fn object_id(&self, name: &str) -> Parsed<[u8; 12]> {
        binary::hexadecimal(&self.text).ok_or_else(|| self.bad_text(name, "24 hexadecimal digits"))
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        let found = self.lexer.significant()?;
        match found {
            Some(b'"') => {
                self.text.clear();
                self.lexer.string(&mut self.text, Nul::Allowed, TEXT_BYTES_MAX)?;
                Ok(Scalar::Text)
            }
            Some(b'-' | b'0'..=b'9') => match self.lexer.word(Number::parse)? {
                Ok(Number::Int32(value)) => Ok(Scalar::Integer(i64::from(value))),
                Ok(Number::Int64(value)) => Ok(Scalar::Integer(value)),
                Ok(Number::Double(_)) => Ok(Scalar::Other("a double")),
                Err(_) => Ok(Scalar::Other("no number")),
            },
            Some(b'{') => Ok(Scalar::Document),
            Some(b'[') => Ok(Scalar::Other("an array")),
            Some(b't' | b'f' | b'n') => self.lexer.word(|word| match word {
                b"true" => Scalar::Bool(Truth::True),
                b"false" => Scalar::Bool(Truth::False),
                b"null" => Scalar::Other("null"),
                _ => Scalar::Other("no value"),
            }),
            found => Err(self.lexer.unexpected(found, "a value")),
        }
    }

    #[cold]
    fn bad_value(&self, what: String) -> Fault {
        Fault::value(self.lexer.input.marked_place(Mark::Token), what)
    }

    #[cold]
    fn bad_text(&self, name: &str, wanted: &str) -> Fault {
        self.bad_value(format!("`{name}` is {}, expected {wanted}", quoted(&self.text)))
    }

    #[cold]
    fn bad_kind(&self, name: &str, scalar: &Scalar, wanted: &str) -> Fault {
        let found = match scalar {
            Scalar::Integer(value) => format!("the integer {value}"),
            Scalar::Text => quoted(&self.text),
            scalar => scalar.name().to_owned(),
        };
        self.bad_value(format!("`{name}` is {found}, expected {wanted}"))
    }
}

/// Appends a BSON string: its length with the NUL, its bytes, the NUL.
pub(super) fn push_string(out: &mut Vec<u8>, text: &[u8]) {
    let length_at = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(text);
    out.push(0);
    patch_length(out, length_at, length_at + 4);
}

/// Appends a BSON binary. The old subtype 2 has its length once more in front of its bytes.
pub(super) fn push_binary(out: &mut Vec<u8>, subtype: u8, bytes: &[u8]) {
    const OLD_SUBTYPE: u8 = 2;
    let length_at = out.len();
    out.extend_from_slice(&[0, 0, 0, 0, subtype]);
    let inner_at = out.len();
    if subtype == OLD_SUBTYPE {
        out.extend_from_slice(&[0; 4]);
    }
    out.extend_from_slice(bytes);
    if subtype == OLD_SUBTYPE {
        patch_length(out, inner_at, inner_at + 4);
    }
    patch_length(out, length_at, inner_at);
}

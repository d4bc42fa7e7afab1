//! Columns whose types were given: by the header, `name.type(argument)`, or on the command line.
//!
//! Source: `columnTypeRE`, `ParseTypedHeader`, `NewFieldParser`, `mongoimport/typed_fields.go`, mongo-tools 100.18.

use super::{
    cell::{self, ColumnType},
    layout::Layout,
};
use crate::source::fault::quoted;
use crate::source::json::{base64, decimal128, iso_date};
use std::sync::Arc;

/// Where the types of columns come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Columns {
    /// One type a column, from its first rows.
    #[default]
    Inferred,
    /// Each cell alone, as mongoimport does without further options; cells beyond the header get its names.
    EachCell,
    /// The header, as with `mongoimport --columnsHaveTypes`.
    Header,
    /// These, by the columns' names; the others are inferred.
    Named(Arc<[(Vec<u8>, CellType)]>),
}

impl Columns {
    /// From lists of `name:type`, as typed; `type` is one of `int`, `int32`, `int64`, `double`, `decimal`, `string`,
    /// `boolean`, `date`, `binary`, `auto`.
    ///
    /// # Errors
    ///
    /// What is wrong with the lists, for a message.
    pub fn parse(lists: &[String]) -> Result<Self, String> {
        let mut named = Vec::new();
        for item in lists.iter().flat_map(|list| list.split(',')).map(str::trim) {
            let (name, type_name) = item
                .rsplit_once(':')
                .ok_or_else(|| format!("`{item}` names no type; `name:type` does, as in `zip:string`"))?;
            let cell_type = CellType::of_word(type_name).ok_or_else(|| {
                format!(
                    "`{type_name}` is no type; known are int, int32, int64, double, decimal, string, boolean, date, binary and auto"
                )
            })?;
            let name = name.as_bytes().to_vec();
            if named.iter().any(|(known, _)| *known == name) {
                return Err(format!("column `{}` has two types", String::from_utf8_lossy(&name)));
            }
            named.push((name, cell_type));
        }
        Ok(Self::Named(named.into()))
    }
}

/// The type of the cells of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellType(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Each cell alone.
    Auto,
    Text,
    Double,
    Decimal,
    /// The smallest integer type.
    Integer,
    Int32,
    Int64,
    Boolean,
    Binary(Encoding),
    /// ISO 8601, with or without a time.
    IsoDate,
    Date(Layout),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Base64,
    Base32,
    Hex,
}

impl CellType {
    fn of_word(word: &str) -> Option<Self> {
        Some(Self(match word.to_ascii_lowercase().as_str() {
            "auto" => Kind::Auto,
            "string" => Kind::Text,
            "double" => Kind::Double,
            "decimal" => Kind::Decimal,
            "int" => Kind::Integer,
            "int32" => Kind::Int32,
            "int64" | "long" => Kind::Int64,
            "boolean" | "bool" => Kind::Boolean,
            "binary" => Kind::Binary(Encoding::Base64),
            "date" => Kind::IsoDate,
            _ => return None,
        }))
    }

    fn of_header(word: &[u8], argument: &[u8]) -> Result<Self, String> {
        let layout = |layout: fn(&[u8]) -> Layout| match argument {
            b"" => Err("needs a layout in its brackets".to_owned()),
            argument => Ok(Kind::Date(layout(argument))),
        };
        let kind = match word {
            b"binary" => Kind::Binary(match argument {
                b"base64" => Encoding::Base64,
                b"base32" => Encoding::Base32,
                b"hex" => Encoding::Hex,
                _ => return Err("takes `base64`, `base32` or `hex`".to_owned()),
            }),
            b"date" | b"date_go" => layout(Layout::go)?,
            b"date_ms" => layout(Layout::sql_server)?,
            b"date_oracle" => layout(Layout::oracle)?,
            b"auto" | b"string" | b"double" | b"decimal" | b"int32" | b"int64" | b"boolean" => {
                if !argument.is_empty() {
                    return Err("takes nothing in its brackets".to_owned());
                }
                let word = std::str::from_utf8(word).unwrap_or_default();
                return Self::of_word(word).ok_or_else(|| "is no type".to_owned());
            }
            _ => return Err("is no type".to_owned()),
        };
        Ok(Self(kind))
    }

    /// The word for notes.
    pub(super) fn name(&self) -> &'static str {
        match self.0 {
            Kind::Auto => "auto",
            Kind::Text => "string",
            Kind::Double => "double",
            Kind::Decimal => "decimal",
            Kind::Integer => "int32 or int64",
            Kind::Int32 => "int32",
            Kind::Int64 => "int64",
            Kind::Boolean => "boolean",
            Kind::Binary(_) => "binary",
            Kind::IsoDate | Kind::Date(_) => "date",
        }
    }

    /// Appends the element of a cell.
    ///
    /// # Errors
    ///
    /// A cell that is none of this type, for a message.
    pub(super) fn push(&self, out: &mut Vec<u8>, key: &[u8], cell: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(cell).unwrap_or_default();
        let value = match &self.0 {
            Kind::Auto => {
                super::push_element(out, key, cell, ColumnType::Each);
                return Ok(());
            }
            Kind::Text => {
                super::push_element(out, key, cell, ColumnType::Text);
                return Ok(());
            }
            Kind::Double => cell::float(cell).map(|value| (0x01, value.to_le_bytes().to_vec())),
            Kind::Decimal => decimal128(cell).map(|value| (0x13, value.to_vec())),
            Kind::Integer => text.parse::<i64>().ok().map(|value| match i32::try_from(value) {
                Ok(value) => (0x10, value.to_le_bytes().to_vec()),
                Err(_) => (0x12, value.to_le_bytes().to_vec()),
            }),
            Kind::Int32 => text.parse::<i32>().ok().map(|value| (0x10, value.to_le_bytes().to_vec())),
            Kind::Int64 => text.parse::<i64>().ok().map(|value| (0x12, value.to_le_bytes().to_vec())),
            Kind::Boolean => match text.to_ascii_lowercase().as_str() {
                "true" | "1" => Some((0x08, vec![1])),
                "false" | "0" => Some((0x08, vec![0])),
                _ => None,
            },
            Kind::Binary(encoding) => encoding
                .decoded(cell)
                .map(|bytes| (0x05, [&super::length(bytes.len())[..], &[0], &bytes[..]].concat())),
            Kind::IsoDate => iso_milliseconds(cell).map(|value| (0x09, value.to_le_bytes().to_vec())),
            Kind::Date(layout) => layout.milliseconds(cell).map(|value| (0x09, value.to_le_bytes().to_vec())),
        };
        let (kind, bytes) = value
            .ok_or_else(|| format!("{} in column {} is no {}", quoted(cell), quoted(key), self.name()))?;
        super::push_key(out, kind, key);
        out.extend_from_slice(&bytes);
        Ok(())
    }
}

/// ISO 8601: a date, or a date and a time, in UTC unless a zone is given.
fn iso_milliseconds(cell: &[u8]) -> Option<i64> {
    const DATE_BYTES: usize = 10;
    let with_t: Vec<u8> = match cell.get(DATE_BYTES) {
        None => [cell, b"T00:00:00Z"].concat(),
        Some(b' ') => [&cell[..DATE_BYTES], b"T", &cell[DATE_BYTES + 1..]].concat(),
        Some(_) => cell.to_vec(),
    };
    iso_date(&with_t).or_else(|| iso_date(&[&with_t[..], b"Z"].concat()))
}

impl Encoding {
    fn decoded(self, text: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Self::Base64 => (!text.is_empty() && base64(text, &mut bytes)).then_some(bytes),
            Self::Hex => bits(text, 4, |byte| char::from(byte).to_digit(16)),
            Self::Base32 => {
                let digits = text.trim_ascii_end().strip_suffix(b"=").map_or(text, |_| {
                    let end = text.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
                    &text[..end]
                });
                bits(digits, 5, |byte| match byte {
                    b'A'..=b'Z' => Some(u32::from(byte - b'A')),
                    b'2'..=b'7' => Some(u32::from(byte - b'2') + 26),
                    _ => None,
                })
            }
        }
    }
}

/// Whole bytes of digits of `width` bits; `None` without any, or if a bit is left over that is set.
fn bits(text: &[u8], width: u32, digit: impl Fn(u8) -> Option<u32>) -> Option<Vec<u8>> {
    let (mut bytes, mut held, mut held_bits) = (Vec::new(), 0_u32, 0);
    for byte in text {
        held = held << width | digit(*byte)?;
        held_bits += width;
        if held_bits >= 8 {
            held_bits -= 8;
            bytes.push(u8::try_from(held >> held_bits & 0xff).ok()?);
            held &= (1 << held_bits) - 1;
        }
    }
    (!text.is_empty() && held == 0 && held_bits < width).then_some(bytes)
}

/// A header's cell, `name.type(argument)`, as the column's name and type.
///
/// # Errors
///
/// What is wrong with it, for a message.
pub(super) fn typed_name(cell: &[u8]) -> Result<(Vec<u8>, CellType), String> {
    let untyped = || format!("column {} has no type; `name.type(argument)` has", quoted(cell));
    let inner = cell.strip_suffix(b")").ok_or_else(untyped)?;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    // The last `.word(`, as a greedy name leaves it.
    let opens = (0..inner.len()).rev().filter(|at| inner[*at] == b'(');
    let found = opens.filter_map(|open| {
        let word_at = inner[..open].iter().rposition(|byte| !is_word(byte))?;
        (inner[word_at] == b'.' && word_at + 1 < open).then_some((word_at, open))
    });
    let (dot, open) = found.into_iter().next().ok_or_else(untyped)?;
    let mut argument = Vec::new();
    let mut escaped = false;
    for byte in &inner[open + 1..] {
        match byte {
            b'\\' if !escaped => escaped = true,
            byte => {
                argument.push(*byte);
                escaped = false;
            }
        }
    }
    let word = &inner[dot + 1..open];
    let cell_type = CellType::of_header(word, &argument)
        .map_err(|what| format!("in column {}, type {} {what}", quoted(cell), quoted(word)))?;
    Ok((inner[..dot].to_vec(), cell_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(header: &str, cell: &str) -> Result<Vec<u8>, String> {
        let (name, cell_type) = typed_name(header.as_bytes())?;
        let mut out = Vec::new();
        cell_type.push(&mut out, &name, cell.as_bytes())?;
        Ok(out)
    }

    #[test]
    fn cells_take_the_types_that_the_header_names() {
        for (header, cell, want) in [
            ("z.string()", "007", &b"\x02z\0\x04\0\0\x00007\0"[..]),
            ("n.int32()", "5", b"\x10n\0\x05\0\0\0"),
            ("n.int64()", "5", b"\x12n\0\x05\0\0\0\0\0\0\0"),
            ("n.double()", "0", b"\x01n\0\0\0\0\0\0\0\0\0"),
            ("n.auto()", "5", b"\x10n\0\x05\0\0\0"),
            ("b.boolean()", "TRUE", b"\x08b\0\x01"),
            ("b.binary(base64)", "aGk=", b"\x05b\0\x02\0\0\0\0hi"),
            ("b.binary(hex)", "6869", b"\x05b\0\x02\0\0\0\0hi"),
            ("b.binary(base32)", "NBUQ====", b"\x05b\0\x02\0\0\0\0hi"),
            ("d.date(2006\\(01\\))", "1970(01)", b"\x09d\0\0\0\0\0\0\0\0\0"),
            ("a.b.int32()", "1", b"\x10a.b\0\x01\0\0\0"),
        ] {
            assert_eq!(element(header, cell).as_deref(), Ok(want), "{header} {cell}");
        }
    }

    #[test]
    fn what_a_type_does_not_take_is_told_with_the_cell_and_the_column() {
        for (header, cell, want) in [
            ("a", "", "column `a` has no type; `name.type(argument)` has"),
            ("a.int32(x)", "", "in column `a.int32(x)`, type `int32` takes nothing in its brackets"),
            ("a.money()", "", "in column `a.money()`, type `money` is no type"),
            ("a.date()", "", "in column `a.date()`, type `date` needs a layout in its brackets"),
            ("a.int32()", "2147483648", "`2147483648` in column `a` is no int32"),
            ("a.int32()", "", "`` in column `a` is no int32"),
            ("a.boolean()", "yes", "`yes` in column `a` is no boolean"),
            ("a.binary(hex)", "f", "`f` in column `a` is no binary"),
        ] {
            assert_eq!(element(header, cell), Err(want.to_owned()));
        }
    }

    #[test]
    fn types_that_are_typed_are_read_by_name() {
        let Ok(Columns::Named(named)) =
            Columns::parse(&["zip:string, n:int".to_owned(), "t:date".to_owned()])
        else {
            panic!("not named")
        };
        let types: Vec<_> = named.iter().map(|(_, cell_type)| cell_type.name()).collect();
        assert_eq!(types, ["string", "int32 or int64", "date"]);
        let push = |index: usize, cell: &str| {
            let mut out = Vec::new();
            named[index].1.push(&mut out, b"", cell.as_bytes()).map(|()| out)
        };
        assert_eq!(push(1, "9999999999").unwrap().len(), 2 + 8);
        for text in ["1970-01-01", "1970-01-01 00:00:00", "1970-01-01T01:00:00+01:00"] {
            assert_eq!(push(2, text), Ok(b"\x09\0\0\0\0\0\0\0\0\0".to_vec()), "{text}");
        }
        for (list, want) in [
            ("a", "`a` names no type; `name:type` does, as in `zip:string`"),
            ("a:int,a:date", "column `a` has two types"),
        ] {
            assert_eq!(Columns::parse(&[list.to_owned()]), Err(want.to_owned()));
        }
        assert!(Columns::parse(&["a:money".to_owned()]).is_err());
    }
}

//! Extended JSON version 1: sub-documents of one or two `$`-keys that stand for one value.
//!
//! They are looked at when they are whole, since version 1 counts keys and does not mind their order. Where
//! mongoimport refuses a value, the sub-document stays one here only if mongoimport keeps it as one too.
//!
//! Source: `ParseSpecialKeys`, common/bsonutil/bsonutil.go, and `FormatDate`, `common/util/format_date.go`,
//! mongo-tools 100.18; measured.

use super::{
    binary, date,
    decimal::decimal128,
    dialect::{Evidence, JsonDialect},
    extended::{push_binary, push_string},
    number::saturating_i64,
};
use crate::document::{Element, Elements};

/// What a sub-document stands for: a type byte and its value, in the caller's buffer.
pub(super) type Value = Result<Option<u8>, String>;

/// The value that `document` stands for in `dialect`, appended to `out`; `None` if it is an ordinary one.
///
/// # Errors
///
/// A document that must be a value and is none.
pub(super) fn value(document: &[u8], dialect: JsonDialect, seen: &mut Evidence, out: &mut Vec<u8>) -> Value {
    let Ok(elements) = Elements::new(document) else { return Ok(None) };
    let mut elements = elements.filter_map(Result::ok);
    match (elements.next(), elements.next(), elements.next()) {
        (Some(only), None, _) if dialect == JsonDialect::V1 => of_one_key(&only, out),
        (Some(first), Some(second), None) => of_two_keys(&first, &second, dialect, seen, out),
        _ => Ok(None),
    }
}

fn of_one_key(element: &Element<'_>, out: &mut Vec<u8>) -> Value {
    let name = String::from_utf8_lossy(element.name).into_owned();
    let refused = |wanted: &str| Err(format!("`{name}` holds no {wanted}"));
    match element.name {
        b"$oid" => match text(element).and_then(binary::hexadecimal::<12>) {
            Some(bytes) => Ok(Some(put(out, 0x07, &bytes))),
            None => refused("text of 24 hexadecimal digits"),
        },
        b"$date" => match milliseconds(element) {
            Some(milliseconds) => Ok(Some(put(out, 0x09, &milliseconds.to_le_bytes()))),
            None => refused("date"),
        },
        b"$code" => match text(element) {
            Some(text) => {
                push_string(out, text);
                Ok(Some(0x0d))
            }
            None => refused("text"),
        },
        b"$numberLong" => match text(element).and_then(integer) {
            Some(value) => Ok(Some(put(out, 0x12, &value.to_le_bytes()))),
            None => refused("text of an int64"),
        },
        b"$numberInt" => match text(element).and_then(integer).and_then(|value| i32::try_from(value).ok()) {
            Some(value) => Ok(Some(put(out, 0x10, &value.to_le_bytes()))),
            None => refused("text of an int32"),
        },
        b"$numberDecimal" => match text(element).and_then(decimal128) {
            Some(bytes) => Ok(Some(put(out, 0x13, &bytes))),
            None => refused("text of a decimal"),
        },
        b"$timestamp" => match timestamp(element) {
            Some(bytes) => Ok(Some(put(out, 0x11, &bytes))),
            None => refused("document of `t` and `i`"),
        },
        b"$undefined" => Ok(Some(put(out, 0x06, &[]))),
        b"$minKey" => Ok(Some(put(out, 0xff, &[]))),
        b"$maxKey" => Ok(Some(put(out, 0x7f, &[]))),
        _ => Ok(None),
    }
}

fn of_two_keys(
    first: &Element<'_>,
    second: &Element<'_>,
    dialect: JsonDialect,
    seen: &mut Evidence,
    out: &mut Vec<u8>,
) -> Value {
    let (a, b) = if first.name < second.name { (first, second) } else { (second, first) };
    match (a.name, b.name) {
        (b"$binary", b"$type") => {
            let subtype = text(b).filter(|text| text.len() == 2).and_then(binary::subtype);
            let mut bytes = Vec::new();
            let is_base64 = text(a).is_some_and(|text| binary::base64(text, &mut bytes));
            match subtype.filter(|_| is_base64) {
                Some(subtype) => {
                    seen.version_1 += 1;
                    push_binary(out, subtype, &bytes);
                    Ok(Some(0x05))
                }
                None if dialect == JsonDialect::V1 => {
                    Err("`$binary` and `$type` hold no base64 and two hexadecimal digits".to_owned())
                }
                None => Ok(None),
            }
        }
        (b"$options", b"$regex") if dialect == JsonDialect::V1 || seen.is_version_1() => {
            let of_text = text(a).zip(text(b));
            let is_option = |byte: &u8| b"gims".contains(byte);
            match of_text.filter(|(options, regex)| options.iter().all(is_option) && !regex.contains(&0)) {
                Some((options, pattern)) => {
                    seen.regexes += 1;
                    push_regex(out, pattern, options);
                    Ok(Some(0x0b))
                }
                None if dialect == JsonDialect::V1 => {
                    Err("`$regex` and `$options` hold no pattern and options of `gims`".to_owned())
                }
                None => Ok(None),
            }
        }
        (b"$code", b"$scope") if dialect == JsonDialect::V1 => match (text(a), b.kind) {
            (Some(code), 0x03) => {
                let total = 4 + 4 + code.len() + 1 + b.value.len();
                out.extend_from_slice(&u32::try_from(total).unwrap_or(u32::MAX).to_le_bytes());
                push_string(out, code);
                out.extend_from_slice(b.value);
                Ok(Some(0x0f))
            }
            _ => Err("`$code` and `$scope` hold no text and document".to_owned()),
        },
        _ => Ok(None),
    }
}

/// Appends a pattern and its options, which BSON has in alphabetical order.
pub(super) fn push_regex(out: &mut Vec<u8>, pattern: &[u8], options: &[u8]) {
    let mut options = options.to_vec();
    options.sort_unstable();
    out.extend_from_slice(pattern);
    out.push(0);
    out.extend_from_slice(&options);
    out.push(0);
}

fn put(out: &mut Vec<u8>, kind: u8, bytes: &[u8]) -> u8 {
    out.extend_from_slice(bytes);
    kind
}

fn text<'a>(element: &Element<'a>) -> Option<&'a [u8]> {
    (element.kind == 0x02).then(|| element.value.get(4..element.value.len().max(5) - 1)).flatten()
}

/// Milliseconds of ISO text, a number, or what an inner `$numberLong` became.
fn milliseconds(element: &Element<'_>) -> Option<i64> {
    match (element.kind, element.value) {
        (0x02, _) => text(element).and_then(date::lenient_milliseconds),
        (0x01, value) => Some(saturating_i64(f64::from_le_bytes(*value.first_chunk()?))),
        (0x10, value) => Some(i32::from_le_bytes(*value.first_chunk()?).into()),
        (0x12, value) => Some(i64::from_le_bytes(*value.first_chunk()?)),
        _ => None,
    }
}

/// Decimal, hexadecimal or octal text.
fn integer(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (16, digits),
        None if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
        None => (10, digits),
    };
    let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_digits.then(|| i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()).flatten()
}

/// `{t, i}` of any numbers, which wrap round at 32 bits.
fn timestamp(element: &Element<'_>) -> Option<[u8; 8]> {
    let (mut seconds, mut increment) = (None, None);
    for part in element.elements().ok().filter(|_| element.kind == 0x03)?.filter_map(Result::ok) {
        let value = match (part.kind, part.value) {
            (0x01, value) => saturating_i64(f64::from_le_bytes(*value.first_chunk()?)),
            (0x10, value) => i32::from_le_bytes(*value.first_chunk()?).into(),
            (0x12, value) => i64::from_le_bytes(*value.first_chunk()?),
            _ => return None,
        };
        let [low @ .., _, _, _, _] = value.to_le_bytes();
        match part.name {
            b"t" => seconds = Some(low),
            b"i" => increment = Some(low),
            _ => return None,
        }
    }
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&increment?);
    bytes[4..].copy_from_slice(&seconds?);
    Some(bytes)
}

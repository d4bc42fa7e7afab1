//! Where a document keeps its `_id`: the server stores it first, and adds one where it is missing.

use super::DocumentErrorKind;
use std::ops::Range;

/// Where `_id` stands among a document's top-level elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdPlace {
    /// First, as in every stored document.
    First,
    /// Later; the range of its element (type byte, name, value) in the document.
    Later(Range<usize>),
    /// Nowhere.
    Missing,
}

/// Finds `_id` without decoding any value. The common case, `_id` first, costs one comparison.
///
/// # Errors
///
/// An element before `_id` that is damaged.
///
/// # Panics
///
/// If `document` has not passed [`super::check`].
pub fn find_id(document: &[u8]) -> Result<IdPlace, DocumentErrorKind> {
    const ID_NAME: &[u8] = b"_id\0";
    if document.get(5..9) == Some(ID_NAME) {
        return Ok(IdPlace::First);
    }
    let end = document.len() - 1;
    let mut at = 4;
    while at < end {
        let bytes =
            element_bytes(&document[at..end]).map_err(|what| DocumentErrorKind::BadElement { at, what })?;
        if document[at + 1..end].starts_with(ID_NAME) {
            return Ok(IdPlace::Later(at..at + bytes));
        }
        at += bytes;
    }
    Ok(IdPlace::Missing)
}

/// Bytes of the element that `tail` begins with: type byte, name, NUL, value.
///
/// # Errors
///
/// Names the rule that is broken: no end of name, unknown type, a value that runs past `tail`.
pub fn element_bytes(tail: &[u8]) -> Result<usize, &'static str> {
    let name_bytes = c_string_bytes(&tail[1..]).ok_or("its name does not end")?;
    let value = &tail[1 + name_bytes..];
    let value_bytes = match tail[0] {
        0x06 | 0x0a | 0xff | 0x7f => 0,
        0x08 => 1,
        0x10 => 4,
        0x01 | 0x09 | 0x11 | 0x12 => 8,
        0x07 => 12,
        0x13 => 16,
        0x02 | 0x0d | 0x0e => 4 + length_field(value, 1)?,
        0x03 | 0x04 => length_field(value, 5)?,
        0x05 => 5 + length_field(value, 0)?,
        0x0f => length_field(value, 14)?,
        0x0c => 4 + length_field(value, 1)? + 12,
        0x0b => {
            let pattern = c_string_bytes(value).ok_or("its pattern does not end")?;
            pattern + c_string_bytes(&value[pattern..]).ok_or("its options do not end")?
        }
        _ => return Err("unknown element type"),
    };
    if value_bytes > value.len() {
        return Err("its value runs past the document");
    }
    Ok(1 + name_bytes + value_bytes)
}

fn length_field(value: &[u8], min: usize) -> Result<usize, &'static str> {
    let head = value.first_chunk::<4>().ok_or("its length runs past the document")?;
    usize::try_from(i32::from_le_bytes(*head))
        .ok()
        .filter(|bytes| *bytes >= min)
        .ok_or("its length is too small")
}

fn c_string_bytes(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == 0).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::fixture::document;

    #[test]
    fn id_is_found_first_later_or_not_at_all() {
        let id: &[u8] = b"\x10_id\0\x01\0\0\0";
        let name: &[u8] = b"\x02n\0\x03\0\0\0ab\0";
        assert_eq!(find_id(&document(&[id, name])), Ok(IdPlace::First));
        assert_eq!(find_id(&document(&[name, id])), Ok(IdPlace::Later(14..23)));
        assert_eq!(find_id(&document(&[name])), Ok(IdPlace::Missing));
        assert_eq!(find_id(&document(&[])), Ok(IdPlace::Missing));
    }

    /// The walk needs the size of every type, so every type is walked over once.
    #[test]
    fn every_element_type_is_stepped_over_by_its_own_size() {
        let elements: &[&[u8]] = &[
            b"\x01a\x0012345678",
            b"\x02a\0\x02\0\0\0x\0",
            b"\x03a\0\x05\0\0\0\0",
            b"\x04a\0\x05\0\0\0\0",
            b"\x05a\0\x03\0\0\0\x80xyz",
            b"\x06a\0",
            b"\x07a\x00123456789012",
            b"\x08a\0\x01",
            b"\x09a\x0012345678",
            b"\x0aa\0",
            b"\x0ba\0re\0i\0",
            b"\x0ca\0\x02\0\0\0x\x00123456789012",
            b"\x0da\0\x02\0\0\0x\0",
            b"\x0ea\0\x02\0\0\0x\0",
            b"\x0fa\0\x0f\0\0\0\x02\0\0\0x\0\x05\0\0\0\0",
            b"\x10a\x001234",
            b"\x11a\x0012345678",
            b"\x12a\x0012345678",
            b"\x13a\x001234567890123456",
            b"\xffa\0",
            b"\x7fa\0",
        ];
        for element in elements {
            assert_eq!(element_bytes(element), Ok(element.len()), "type 0x{:02x}", element[0]);
        }
    }

    #[test]
    fn damaged_elements_are_named_and_never_read_past_the_end() {
        for (element, what) in [
            (&b"\x02name"[..], "its name does not end"),
            (b"\x42a\0", "unknown element type"),
            (b"\x10a\0\x01", "its value runs past the document"),
            (b"\x02a\0\x01", "its length runs past the document"),
            (b"\x02a\0\0\0\0\0", "its length is too small"),
            (b"\x03a\0\xff\xff\xff\xff", "its length is too small"),
            (b"\x05a\0\xff\xff\xff\x7f", "its value runs past the document"),
            (b"\x0ba\0re", "its pattern does not end"),
        ] {
            assert_eq!(element_bytes(element), Err(what), "{element:?}");
        }
    }
}

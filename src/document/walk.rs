//! Whether a document is one all the way down, as far as a server looks before it stores it.
//!
//! Lengths, ends and types are looked at and nothing is decoded: text is not required to be UTF-8, keys may repeat,
//! array keys may be any. Depth costs one word of memory a level, never the thread's stack.
//!
//! Source: `validateBSON`, `bson/bson_validate.cpp`, mongod 6.0; measured on 6.0.27.

use super::{DocumentErrorKind, element_bytes};

/// Walks documents; owns what it needs again for the next.
#[derive(Clone, Debug, Default)]
pub struct Walker {
    /// Where each open document's terminator stands, the outermost one's first.
    ends: Vec<usize>,
}

impl Walker {
    /// That has walked nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Walks a document that has passed [`super::check`].
    ///
    /// # Errors
    ///
    /// The first element that is damaged, by its place from the document's first byte.
    pub fn walk(&mut self, document: &[u8]) -> Result<(), DocumentErrorKind> {
        let damaged = |at, what| DocumentErrorKind::BadElement { at, what };
        self.ends.clear();
        self.ends.push(document.len() - 1);
        let mut at = 4;
        while let Some(end) = self.ends.last().copied() {
            if at == end {
                at = end + 1;
                self.ends.pop();
                continue;
            }
            let bytes = element_bytes(&document[at..end]).map_err(|what| damaged(at, what))?;
            let after = at + bytes;
            match document[at] {
                0x03 | 0x04 => {
                    let begins = after - embedded_bytes(document, at, after);
                    self.open(document, begins, after).map_err(|what| damaged(at, what))?;
                    at = begins + 4;
                    continue;
                }
                0x02 | 0x0d | 0x0e if document[after - 1] != 0 => {
                    return Err(damaged(at, "its text does not end in NUL"));
                }
                0x08 if document[after - 1] > 1 => {
                    return Err(damaged(at, "a bool that is neither 0 nor 1"));
                }
                0x0f => {
                    let begins = scope_begins(document, at, after)
                        .ok_or(damaged(at, "its scope's length is wrong"))?;
                    self.open(document, begins, after).map_err(|what| damaged(at, what))?;
                    at = begins + 4;
                    continue;
                }
                _ => {}
            }
            at = after;
        }
        Ok(())
    }

    /// Opens the document of `begins..after`.
    fn open(&mut self, document: &[u8], begins: usize, after: usize) -> Result<(), &'static str> {
        if document[after - 1] != 0 {
            return Err("the embedded document does not end in NUL");
        }
        debug_assert!(begins + 5 <= after, "its length was looked at");
        self.ends.push(after - 1);
        Ok(())
    }
}

/// Bytes of the document or array that is the value of the element at `at`: what is behind its name.
fn embedded_bytes(document: &[u8], at: usize, after: usize) -> usize {
    let name_bytes = document[at + 1..after].iter().position(|byte| *byte == 0).unwrap_or(0);
    after - (at + 1 + name_bytes + 1)
}

/// Where the scope of a code element begins, if the lengths add up.
fn scope_begins(document: &[u8], at: usize, after: usize) -> Option<usize> {
    let value_at = after - embedded_bytes(document, at, after);
    let length = |at: usize| {
        let bytes = document.get(at..after)?.first_chunk()?;
        usize::try_from(i32::from_le_bytes(*bytes)).ok()
    };
    let code_bytes = length(value_at + 4)?.max(1);
    let begins = (value_at + 8).checked_add(code_bytes)?;
    let scope_bytes = length(begins)?;
    let ends_with_nul = document.get(begins - 1) == Some(&0);
    (ends_with_nul && scope_bytes >= super::DOCUMENT_BYTES_MIN && begins + scope_bytes == after)
        .then_some(begins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::fixture::document;

    #[test]
    fn damage_is_found_at_any_level_and_unusual_values_are_not_damage() {
        let whole = |elements: &[&[u8]]| Walker::new().walk(&document(elements));
        let inner = |element: &[u8]| [b"\x03d\0", &document(&[element])[..]].concat();
        for element in [
            &b"\x02s\0\x02\0\0\0\xff\0"[..],
            b"\x0a\0",
            b"\x0aa.b\0",
            b"\x05b\0\x02\0\0\0\x02xy",
            b"\x06u\0",
            b"\x0fc\0\x0f\0\0\0\x02\0\0\0x\0\x05\0\0\0\0",
        ] {
            assert_eq!(whole(&[b"\x0aa\0", &inner(element), b"\x0ab\0"]), Ok(()));
        }
        for (element, what) in [
            (&b"\xeeu\0"[..], "unknown element type"),
            (b"\x02s\0\x02\0\0\0ab", "its text does not end in NUL"),
            (b"\x02s\0\0\0\0\0", "its length is too small"),
            (b"\x08b\0\x02", "a bool that is neither 0 nor 1"),
            (b"\x03d\0\x09\0\0\0\0", "its value runs past the document"),
            (b"\x03d\0\x05\0\0\0x", "the embedded document does not end in NUL"),
            (b"\x0fc\0\x0f\0\0\0\x03\0\0\0x\0\x05\0\0\0\0", "its scope's length is wrong"),
        ] {
            let damaged = whole(&[b"\x0aa\0", &inner(element)]);
            let Err(DocumentErrorKind::BadElement { at, what: found }) = damaged else {
                panic!("{damaged:?}")
            };
            assert_eq!((at, found), (4 + 3 + 3 + 4, what), "{}", element.escape_ascii());
        }
        let short = [b"\x03d\0\x05\0\0\0\0", &b"\x0a"[..]].concat();
        assert!(whole(&[&short]).is_err(), "bytes behind an element");
    }

    #[test]
    fn depth_costs_no_stack() {
        let mut nested = vec![5, 0, 0, 0, 0];
        let levels = 300_000;
        let mut bytes = Vec::new();
        for level in 0..levels {
            let length = u32::try_from(5 + 8 * (levels - level)).unwrap();
            bytes.extend(length.to_le_bytes());
            bytes.extend(b"\x03a\0");
        }
        bytes.append(&mut nested);
        bytes.resize(bytes.len() + levels, 0);
        assert_eq!(Walker::new().walk(&bytes), Ok(()));
    }

    proptest::proptest! {
        #[test]
        fn foreign_bytes_never_panic(bytes in proptest::collection::vec(0_u8..20, 0..200)) {
            let _ = Walker::new().walk(&document(&[&bytes]));
        }
    }
}

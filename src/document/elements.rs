//! The elements of a document one after the other: type, name and value as bytes, nothing decoded.

use super::{DOCUMENT_BYTES_MIN, DocumentErrorKind, element_bytes};

/// One element of a document, borrowed from its bytes.
///
/// ```text
///  element   +------+-----------+-----+----------------+
///            | type | name      | NUL | value          |
///            +------+-----------+-----+----------------+
///            at                       value_at
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    /// The BSON type byte.
    pub kind: u8,
    /// Without its NUL.
    pub name: &'a [u8],
    /// Exactly as many bytes as its type, or its length field, says.
    pub value: &'a [u8],
    /// Of its type byte, from the first byte of the outermost document.
    pub at: usize,
}

impl<'a> Element<'a> {
    /// Of the value's first byte, from the first byte of the outermost document.
    #[must_use]
    pub fn value_at(&self) -> usize {
        self.at + 1 + self.name.len() + 1
    }

    /// The elements of an embedded document or array.
    ///
    /// # Errors
    ///
    /// As [`Elements::nested`].
    pub fn elements(&self) -> Result<Elements<'a>, DocumentErrorKind> {
        Elements::nested(self.value, self.value_at())
    }
}

/// Walks over the elements of a document; stops after the first damaged one.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Elements<'a> {
    /// Of a whole document.
    ///
    /// # Errors
    ///
    /// A document shorter than its own length field, or without its terminator.
    pub fn new(document: &'a [u8]) -> Result<Self, DocumentErrorKind> {
        Self::nested(document, 0)
    }

    /// Of a document that begins `at` bytes into the outermost one.
    ///
    /// # Errors
    ///
    /// A length field that is not the document's, or no terminator.
    pub fn nested(document: &'a [u8], at: usize) -> Result<Self, DocumentErrorKind> {
        let damaged = |what| DocumentErrorKind::BadElement { at, what };
        let head = document.first_chunk::<4>().ok_or(damaged("its length runs past the document"))?;
        if usize::try_from(i32::from_le_bytes(*head)).ok() != Some(document.len())
            || document.len() < DOCUMENT_BYTES_MIN
        {
            return Err(damaged("the embedded document's length is wrong"));
        }
        if document[document.len() - 1] != 0 {
            return Err(damaged("the embedded document does not end in NUL"));
        }
        Ok(Self { rest: &document[4..document.len() - 1], at: at + 4 })
    }

    /// Of no document at all.
    #[must_use]
    pub fn none() -> Self {
        Self { rest: &[], at: 0 }
    }

    /// The first element of this name, the one that a server takes when names repeat.
    ///
    /// # Errors
    ///
    /// A damaged element before it.
    pub fn find_name(mut self, name: &[u8]) -> Result<Option<Element<'a>>, DocumentErrorKind> {
        while !self.rest.is_empty() {
            let at = self.at;
            let bytes =
                element_bytes(self.rest).map_err(|what| DocumentErrorKind::BadElement { at, what })?;
            let (element, rest) = self.rest.split_at(bytes);
            // Most names have another length, which is seen faster than that their bytes differ.
            if element.get(1 + name.len()) == Some(&0) && element[1..].starts_with(name) {
                let (name, value) = (&element[1..=name.len()], &element[name.len() + 2..]);
                return Ok(Some(Element { kind: element[0], name, value, at }));
            }
            (self.rest, self.at) = (rest, at + bytes);
        }
        Ok(None)
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Result<Element<'a>, DocumentErrorKind>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let at = self.at;
        match element_bytes(self.rest) {
            Ok(bytes) => {
                let (element, rest) = self.rest.split_at(bytes);
                (self.rest, self.at) = (rest, at + bytes);
                let name_bytes = element[1..].iter().position(|byte| *byte == 0).unwrap_or(0);
                let (name, value) = (&element[1..=name_bytes], &element[name_bytes + 2..]);
                Some(Ok(Element { kind: element[0], name, value, at }))
            }
            Err(what) => {
                self.rest = &[];
                Some(Err(DocumentErrorKind::BadElement { at, what }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// {"a": {"b": true}, "a": null}
    const NESTED: &[u8] = b"\x14\0\0\0\x03a\0\x09\0\0\0\x08b\0\x01\0\x0aa\0\0";

    #[test]
    fn elements_know_their_place_in_the_outermost_document() {
        let all: Vec<_> = Elements::new(NESTED).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].kind, all[0].name, all[0].at, all[0].value_at()), (3, &b"a"[..], 4, 7));
        let inner = all[0].elements().unwrap().next().unwrap().unwrap();
        assert_eq!(inner, Element { kind: 8, name: b"b", value: b"\x01", at: 11 });
        assert_eq!((all[1].kind, all[1].at), (0x0a, 16));
    }

    #[test]
    fn the_first_of_two_equal_names_is_found_and_a_prefix_is_not() {
        let find = |name: &[u8]| Elements::new(NESTED).unwrap().find_name(name).unwrap();
        assert_eq!(find(b"a").map(|element| element.kind), Some(3));
        assert_eq!(find(b""), None);
        assert_eq!(find(b"ab"), None);
    }

    #[test]
    fn damage_is_named_with_its_place_and_ends_the_walk() {
        let cut = b"\x0c\0\0\0\x08a\0\x01\x10b\0\0";
        let mut walk = Elements::new(cut).unwrap();
        assert!(walk.next().unwrap().is_ok());
        let what = "its value runs past the document";
        assert_eq!(walk.next(), Some(Err(DocumentErrorKind::BadElement { at: 8, what })));
        assert_eq!(walk.next(), None);
        for (bytes, what) in [
            (&b"\x05\0"[..], "its length runs past the document"),
            (b"\x06\0\0\0\0", "the embedded document's length is wrong"),
            (b"\x04\0\0\0", "the embedded document's length is wrong"),
            (b"\x05\0\0\0\x07", "the embedded document does not end in NUL"),
        ] {
            let error = Elements::nested(bytes, 9).unwrap_err();
            assert_eq!(error, DocumentErrorKind::BadElement { at: 9, what }, "{bytes:?}");
        }
    }
}

//! Lengths of a BSON file's documents, without reading the documents.

use super::{SourceError, SourceErrorKind};
use crate::document;
use std::fs::File;
use std::io::{self, BufReader, Read};

/// What a document begins with where its `_id` comes first: length, type, name.
const HEAD_BYTES: usize = 4 + 1 + 4;
/// Read-ahead: small documents are passed over within it, large ones by a seek.
const BUFFER_BYTES: usize = 64 << 10;

/// One document, passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    /// A document of so many bytes whose first field is `_id`: a server stores it as it is.
    Plain {
        /// Its bytes.
        bytes: u64,
    },
    /// What follows can be told only by reading it: another first field, no length, too few bytes.
    Unclear,
    /// No more.
    End,
}

/// From document to document by their lengths.
pub struct Hops {
    input: String,
    reader: BufReader<File>,
    offset: u64,
    bytes: u64,
}

impl Hops {
    pub(super) fn new(input: String, file: File) -> Self {
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        Self { input, reader: BufReader::with_capacity(BUFFER_BYTES, file), offset: 0, bytes }
    }

    /// Where the next document begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Passes over the next document. Whether its bytes are sound is not looked at.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn hop(&mut self) -> Result<Hop, SourceError> {
        self.try_hop().map_err(|source| SourceErrorKind::reading(&self.input, self.offset, source).into())
    }

    fn try_hop(&mut self) -> io::Result<Hop> {
        let left = self.bytes.saturating_sub(self.offset);
        if left == 0 {
            return Ok(Hop::End);
        }
        if left < HEAD_BYTES as u64 {
            return Ok(Hop::Unclear);
        }
        let mut head = [0; HEAD_BYTES];
        self.reader.read_exact(&mut head)?;
        let [a, b, c, d, _, name @ ..] = head;
        let Ok(bytes) = document::declared_bytes([a, b, c, d]) else { return Ok(Hop::Unclear) };
        let Some(rest) = bytes.checked_sub(HEAD_BYTES).filter(|_| bytes as u64 <= left) else {
            return Ok(Hop::Unclear);
        };
        if name != *b"_id\0" {
            return Ok(Hop::Unclear);
        }
        self.reader.seek_relative(i64::try_from(rest).map_err(io::Error::other)?)?;
        self.offset += bytes as u64;
        Ok(Hop::Plain { bytes: bytes as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom, Write};

    fn hops(bytes: &[u8]) -> Vec<Hop> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        let mut hops = Hops::new("a.bson".to_owned(), file);
        let mut all = Vec::new();
        loop {
            let hop = hops.hop().unwrap();
            all.push(hop);
            if !matches!(hop, Hop::Plain { .. }) {
                return all;
            }
        }
    }

    #[test]
    fn documents_are_passed_over_until_one_must_be_read() {
        let plain = b"\x0e\0\0\0\x10_id\0\x01\0\0\0\0";
        let other = b"\x0c\0\0\0\x10a\0\x01\0\0\0\0";
        let passed = Hop::Plain { bytes: 14 };
        for (bytes, want) in [
            (vec![], vec![Hop::End]),
            ([&plain[..], plain].concat(), vec![passed, passed, Hop::End]),
            ([&plain[..], other, plain].concat(), vec![passed, Hop::Unclear]),
            (plain[..13].to_vec(), vec![Hop::Unclear]),
            ([&plain[..], b"\xff\xff\xff\xff12345"].concat(), vec![passed, Hop::Unclear]),
            ([&plain[..], b"\x05\0\0\0"].concat(), vec![passed, Hop::Unclear]),
        ] {
            assert_eq!(hops(&bytes), want, "{bytes:?}");
        }
    }
}

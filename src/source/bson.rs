//! A BSON stream: documents one behind the other, as in a mongodump `.bson` file.
//!
//! Documents are copied and walked, not decoded: a damaged one is told at its place.

use super::{OnBadDocument, Skipped, Source, SourceError, SourceErrorKind, input::read_retrying};
use crate::document::{self, DocumentError, DocumentErrorKind};
use std::io::Read;

/// Reads documents from any byte stream. Holds one buffer of 256 KiB; memory does not depend on what
/// the stream says about itself.
pub struct BsonSource<R> {
    input: String,
    reader: R,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    offset: u64,
    /// Of the document that was returned last.
    document_offset: u64,
    ordinal: u64,
    bytes_total: Option<u64>,
    on_bad: OnBadDocument,
    ended: bool,
    skipped: Skipped,
    walker: document::Walker,
}

/// Read-ahead. Larger than an L2 cache gains nothing.
const BUFFER_BYTES: usize = 1 << 18;

impl<R: Read + Send> BsonSource<R> {
    /// `input` is the name for messages; `bytes_total` what the whole stream holds, if known.
    pub fn new(input: String, reader: R, bytes_total: Option<u64>, on_bad: OnBadDocument) -> Self {
        Self {
            input,
            reader,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            offset: 0,
            document_offset: 0,
            ordinal: 0,
            bytes_total,
            on_bad,
            ended: false,
            skipped: Skipped::default(),
            walker: document::Walker::new(),
        }
    }

    /// The same, of a stream that goes on behind `bytes` bytes and `documents` documents of its input: places in
    /// messages are those in the whole.
    #[must_use]
    pub fn behind(mut self, bytes: u64, documents: u64) -> Self {
        (self.offset, self.ordinal) = (bytes, documents);
        self
    }

    /// Makes at least `wanted` bytes (at most [`BUFFER_BYTES`]) available unless the stream ends.
    fn fill(&mut self, wanted: usize) -> Result<&[u8], SourceError> {
        if self.end - self.start < wanted {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            while self.end < wanted {
                match read_retrying(&mut self.reader, &mut self.buffer[self.end..]) {
                    Ok(0) => break,
                    Ok(bytes) => self.end += bytes,
                    Err(source) => return Err(self.io_error(source)),
                }
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn io_error(&self, source: std::io::Error) -> SourceError {
        let offset = self.offset + (self.end - self.start) as u64;
        SourceErrorKind::reading(&self.input, offset, source).into()
    }

    fn document_error(&self, kind: DocumentErrorKind) -> DocumentError {
        DocumentError { input: self.input.clone(), ordinal: self.ordinal, offset: self.offset, kind }
    }

    /// Nothing behind this place can be told apart: stop, or count what is left as one skipped document.
    /// `taken` bytes of it have left the buffer already.
    fn give_up(&mut self, taken: usize, kind: DocumentErrorKind) -> Result<Option<usize>, SourceError> {
        let error = self.document_error(kind);
        self.ended = true;
        if self.on_bad == OnBadDocument::Stop {
            return Err(SourceErrorKind::Document(error).into());
        }
        let mut left = (taken + self.end - self.start) as u64;
        self.start = self.end;
        loop {
            match read_retrying(&mut self.reader, &mut self.buffer) {
                Ok(0) => break,
                Ok(bytes) => left += bytes as u64,
                Err(source) => return Err(self.io_error(source)),
            }
        }
        self.offset += left;
        self.skipped.count(left, &error);
        Ok(None)
    }

    /// The next document that can be taken; what was appended on the way to an error is the caller's to
    /// remove.
    fn take_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let before = out.len();
        while !self.ended {
            let head = self.fill(4)?;
            let Some(head) = head.first_chunk::<4>() else {
                return match head.len() {
                    0 => Ok(None),
                    present => self.give_up(0, DocumentErrorKind::Truncated { declared: None, present }),
                };
            };
            let declared = match document::declared_bytes(*head) {
                Ok(declared) => declared,
                Err(kind) => return self.give_up(0, kind),
            };
            let present = self.copy_document(declared, out)?;
            if present < declared {
                return self
                    .give_up(present, DocumentErrorKind::Truncated { declared: Some(declared), present });
            }
            let damage = match out[before + declared - 1] {
                0 => self.walker.walk(&out[before..]).err(),
                found => Some(DocumentErrorKind::NoTerminator { at: declared - 1, found }),
            };
            let Some(damage) = damage else {
                self.document_offset = self.offset;
                self.advance(declared);
                return Ok(Some(declared));
            };
            let error = self.document_error(damage);
            if self.on_bad == OnBadDocument::Stop {
                return Err(SourceErrorKind::Document(error).into());
            }
            out.truncate(before);
            self.skipped.count(declared as u64, &error);
            self.advance(declared);
        }
        Ok(None)
    }

    fn advance(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        self.ordinal += 1;
    }

    /// Appends `declared` bytes to `out`; returns how many the stream had.
    fn copy_document(&mut self, declared: usize, out: &mut Vec<u8>) -> Result<usize, SourceError> {
        if declared <= BUFFER_BYTES {
            self.fill(declared)?;
        }
        let buffered = declared.min(self.end - self.start);
        out.extend_from_slice(&self.buffer[self.start..self.start + buffered]);
        self.start += buffered;
        if buffered == declared {
            return Ok(declared);
        }
        // The rest goes past the buffer, straight to its place; memory grows only by what arrives.
        let wanted = (declared - buffered) as u64;
        match (&mut self.reader).take(wanted).read_to_end(out) {
            Ok(bytes) => Ok(buffered + bytes),
            Err(source) => Err(self.io_error(source)),
        }
    }
}

impl<R: Read + Send> Source for BsonSource<R> {
    fn name(&self) -> &str {
        &self.input
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let before = out.len();
        let outcome = self.take_document(out);
        let taken = out.len() - before;
        if !matches!(outcome, Ok(Some(_))) {
            self.ended = true;
            out.truncate(before);
        }
        match outcome {
            Err(error) if error.is_broken_packing() && self.on_bad == OnBadDocument::Skip => {
                let left = (taken + self.end - self.start) as u64;
                self.start = self.end;
                self.offset += left;
                self.skipped.damage(left, &error);
                Ok(None)
            }
            outcome => outcome,
        }
    }

    fn document_offset(&self) -> u64 {
        self.document_offset
    }

    fn position(&self) -> u64 {
        self.offset
    }

    fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("{}: BSON documents", self.input)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::input::tests::OneByte;

    /// A document of `bytes` bytes, at least 13, with one string.
    fn document(bytes: usize) -> Vec<u8> {
        let text_bytes = bytes - 13;
        let mut document = u32::try_from(bytes).unwrap().to_le_bytes().to_vec();
        document.extend(b"\x02a\0");
        document.extend(u32::try_from(text_bytes + 1).unwrap().to_le_bytes());
        document.resize(bytes - 2, b'x');
        document.extend(b"\0\0");
        document
    }

    fn source<R: Read + Send>(reader: R, on_bad: OnBadDocument) -> BsonSource<R> {
        BsonSource::new("a.bson".to_owned(), reader, None, on_bad)
    }

    /// Lengths of all documents, and the error that ended them.
    fn lengths(source: &mut dyn Source) -> (Vec<usize>, Option<String>) {
        let mut out = b"before".to_vec();
        let mut lengths = Vec::new();
        loop {
            let before = out.len();
            match source.next_document(&mut out) {
                Ok(Some(bytes)) => {
                    assert_eq!(document::check(&out[before..]), Ok(()));
                    assert_eq!(out.len(), before + bytes);
                    lengths.push(bytes);
                }
                outcome => {
                    assert_eq!(out.len(), before, "what is not returned is not appended");
                    let message = outcome.err().map(|error| error.to_string());
                    assert_eq!(source.next_document(&mut out).ok(), Some(None), "an end is an end");
                    return (lengths, message);
                }
            }
        }
    }

    #[test]
    fn bad_documents_stop_with_their_place_or_are_counted_to_the_byte() {
        let good = document(20);
        let unended = {
            let mut document = document(20);
            document[19] = 7;
            document
        };
        for (name, parts, want, message, read, skipped) in [
            ("nothing", &[][..], &[][..], "", &[][..], (0, 0)),
            ("good", &[&good[..], &good], &[20, 20], "", &[20, 20], (0, 0)),
            (
                "the last document is cut off",
                &[&good, &good[..11]],
                &[20],
                "a.bson: document 1 at byte 20: the input ends after 11 of its 20 bytes (9 are missing)",
                &[20],
                (1, 11),
            ),
            (
                "only its terminator is missing",
                &[&good, &good[..19]],
                &[20],
                "a.bson: document 1 at byte 20: the input ends after 19 of its 20 bytes (1 is missing)",
                &[20],
                (1, 19),
            ),
            (
                "its length is cut off",
                &[&good, &good[..3]],
                &[20],
                "a.bson: document 1 at byte 20: the input ends after 3 of the 4 bytes of its length field",
                &[20],
                (1, 3),
            ),
            (
                "length 4",
                &[&good, &[4, 0, 0, 0], &good],
                &[20],
                "a.bson: document 1 at byte 20: declared length 4 is below the shortest document's 5 bytes",
                &[20],
                (1, 24),
            ),
            (
                "a negative length",
                &[&[0xff; 4], &good],
                &[],
                "a.bson: document 0 at byte 0: declared length -1 is below the shortest document's 5 bytes",
                &[],
                (1, 24),
            ),
            (
                "length 2^31-1",
                &[&good, &[0xff, 0xff, 0xff, 0x7f], &good],
                &[20],
                "a.bson: document 1 at byte 20: declared length 2147483647 exceeds MongoDB's document limit of 16793600 bytes (16 MiB and 16 KiB)",
                &[20],
                (1, 24),
            ),
            (
                "one above the limit",
                &[&good, &16_793_601_u32.to_le_bytes()],
                &[20],
                "a.bson: document 1 at byte 20: declared length 16793601 exceeds MongoDB's document limit of 16793600 bytes (16 MiB and 16 KiB)",
                &[20],
                (1, 4),
            ),
            (
                "a missing terminator, whose neighbours are good",
                &[&good, &unended, &good, &unended],
                &[20],
                "a.bson: document 1 at byte 20: byte 19 of the document is 0x07 where its terminator 0x00 belongs",
                &[20, 20],
                (2, 40),
            ),
        ] {
            let bytes = parts.concat();
            let (got, error) = lengths(&mut source(&bytes[..], OnBadDocument::Stop));
            assert_eq!((&got[..], error.unwrap_or_default().as_str()), (want, message), "{name}, stop");
            for reader in [0, 1] {
                let mut skipping: Box<dyn Source + '_> = match reader {
                    0 => Box::new(source(&bytes[..], OnBadDocument::Skip)),
                    _ => Box::new(source(OneByte(&bytes, 0), OnBadDocument::Skip)),
                };
                let (got, error) = lengths(&mut *skipping);
                assert_eq!((&got[..], error), (read, None), "{name}, skip");
                let Skipped { documents, bytes: skipped_bytes, reasons } = skipping.skipped();
                assert_eq!((*documents, *skipped_bytes), skipped, "{name}, skip");
                assert_eq!(reasons.first().map_or("", String::as_str), message, "{name}, skip");
                assert_eq!(
                    skipping.bytes_read(),
                    bytes.len() as u64,
                    "{name}: every byte is read or skipped"
                );
            }
        }
    }

    /// Borders of the buffer fall into lengths, into documents, and between them; one document is larger
    /// than the buffer and the last is as large as a server stores.
    #[test]
    fn documents_are_whole_wherever_the_buffer_ends() {
        let sizes = [
            BUFFER_BYTES - 2,
            20,
            BUFFER_BYTES,
            BUFFER_BYTES + 1,
            13,
            3 * BUFFER_BYTES,
            99,
            document::DOCUMENT_BYTES_MAX,
        ];
        let bytes: Vec<u8> = sizes.iter().flat_map(|bytes| document(*bytes)).collect();
        assert_eq!(lengths(&mut source(&bytes[..], OnBadDocument::Stop)), (sizes.to_vec(), None));
        let small: Vec<u8> = sizes[..5].iter().flat_map(|bytes| document(*bytes)).collect();
        assert_eq!(
            lengths(&mut source(OneByte(&small, 0), OnBadDocument::Stop)),
            (sizes[..5].to_vec(), None)
        );
    }

    /// A length costs four bytes of input; memory must not follow what it claims.
    #[test]
    fn memory_grows_by_what_arrives_and_not_by_what_is_declared() {
        let mut bytes = u32::try_from(document::DOCUMENT_BYTES_MAX).unwrap().to_le_bytes().to_vec();
        bytes.resize(BUFFER_BYTES + 100, b'x');
        let mut out = Vec::new();
        assert!(source(&bytes[..], OnBadDocument::Stop).next_document(&mut out).is_err());
        assert!(out.capacity() < 4 * bytes.len(), "{}", out.capacity());
    }

    struct Failing<'a>(&'a [u8]);

    impl Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() { Err(std::io::Error::other("disk on fire")) } else { self.0.read(buffer) }
        }
    }

    /// A failed read is no bad document: skipping would hide that the rest was not seen.
    #[test]
    fn a_failing_reader_is_an_error_even_when_bad_documents_are_skipped() {
        let bytes = [document(20), document(20)].concat();
        for cut in [20, 23, 30] {
            let mut source = source(Failing(&bytes[..cut]), OnBadDocument::Skip);
            let message = format!("a.bson: cannot read on from byte {cut}: disk on fire");
            assert_eq!(lengths(&mut source), (vec![20], Some(message)));
            assert_eq!(source.skipped(), &Skipped::default());
        }
    }

    #[test]
    fn only_the_first_reasons_are_kept() {
        let mut unended = document(20);
        unended[19] = 1;
        let mut source = source(std::io::Cursor::new(unended.repeat(25)), OnBadDocument::Skip);
        assert_eq!(lengths(&mut source), (vec![], None));
        assert_eq!((source.skipped().documents, source.skipped().reasons.len()), (25, Skipped::REASONS_MAX));
    }

    proptest::proptest! {
        #[test]
        fn foreign_bytes_never_panic_and_are_all_accounted_for(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
            document_bytes in 13_usize..40,
        ) {
            let bytes = [document(document_bytes), bytes].concat();
            let mut source = source(&bytes[..], OnBadDocument::Skip);
            let (lengths, error) = lengths(&mut source);
            let returned = lengths.iter().sum::<usize>() as u64;
            proptest::prop_assert_eq!(error, None);
            proptest::prop_assert_eq!(returned + source.skipped().bytes, bytes.len() as u64);
        }
    }
}

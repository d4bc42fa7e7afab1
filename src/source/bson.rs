//! A BSON stream: documents one behind the other, as in a mongodump `.bson` file.

use super::{OnBadDocument, Skipped, Source, SourceError, SourceErrorKind};
use crate::document::{self, DocumentError, DocumentErrorKind};
use std::io::Read;

/// Reads documents from any byte stream. Holds one buffer of 256 KiB; memory does not depend
/// on what the stream says about itself.
pub struct BsonSource<R> {
    input: String,
    reader: R,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    offset: u64,
    ordinal: u64,
    bytes_total: Option<u64>,
    on_bad: OnBadDocument,
    ended: bool,
    skipped: Skipped,
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
            ordinal: 0,
            bytes_total,
            on_bad,
            ended: false,
            skipped: Skipped::default(),
        }
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
        let doing = format!("cannot read on from byte {}", self.offset + (self.end - self.start) as u64);
        SourceErrorKind::Io { input: self.input.clone(), doing, source }.into()
    }

    fn document_error(&self, kind: DocumentErrorKind) -> DocumentError {
        DocumentError { input: self.input.clone(), ordinal: self.ordinal, offset: self.offset, kind }
    }

    /// Nothing behind this place can be told apart: stop, or count what is left as one skipped document.
    fn give_up(&mut self, kind: DocumentErrorKind) -> Result<Option<usize>, SourceError> {
        let error = self.document_error(kind);
        self.ended = true;
        if self.on_bad == OnBadDocument::Stop {
            return Err(SourceErrorKind::Document(error).into());
        }
        let mut rest = (self.end - self.start) as u64;
        loop {
            match read_retrying(&mut self.reader, &mut self.buffer) {
                Ok(0) => break,
                Ok(bytes) => rest += bytes as u64,
                Err(source) => return Err(self.io_error(source)),
            }
        }
        self.offset += rest;
        self.skipped.count(rest, &error);
        Ok(None)
    }

    /// Appends `declared` bytes to `out`; returns how many the stream had.
    fn copy_document(&mut self, declared: usize, out: &mut Vec<u8>) -> Result<usize, SourceError> {
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

fn read_retrying(reader: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

impl<R: Read + Send> Source for BsonSource<R> {
    fn name(&self) -> &str {
        &self.input
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let before = out.len();
        while !self.ended {
            let head = self.fill(4)?;
            let Some(head) = head.first_chunk::<4>() else {
                let present = head.len();
                self.ended = true;
                return if present == 0 {
                    Ok(None)
                } else {
                    self.give_up(DocumentErrorKind::Truncated { declared: None, present })
                };
            };
            let declared = match document::declared_bytes(*head) {
                Ok(declared) => declared,
                Err(kind) => return self.give_up(kind),
            };
            if declared <= BUFFER_BYTES {
                self.fill(declared)?;
            }
            let copied = self.copy_document(declared, out);
            let present = match copied {
                Ok(present) => present,
                Err(error) => {
                    out.truncate(before);
                    return Err(error);
                }
            };
            if present < declared {
                out.truncate(before);
                let outcome =
                    self.give_up(DocumentErrorKind::Truncated { declared: Some(declared), present });
                self.skipped.bytes += if outcome.is_ok() { present as u64 } else { 0 };
                return outcome;
            }
            let last = out[before + declared - 1];
            if last != 0 {
                out.truncate(before);
                let error =
                    self.document_error(DocumentErrorKind::NoTerminator { at: declared - 1, found: last });
                if self.on_bad == OnBadDocument::Stop {
                    self.ended = true;
                    return Err(SourceErrorKind::Document(error).into());
                }
                self.skipped.count(declared as u64, &error);
                self.advance(declared);
                continue;
            }
            self.advance(declared);
            return Ok(Some(declared));
        }
        Ok(None)
    }

    fn bytes_read(&self) -> u64 {
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

impl<R> BsonSource<R> {
    fn advance(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        self.ordinal += 1;
    }
}

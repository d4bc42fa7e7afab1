//! An archive as its parser sees it: documents and terminators, one behind the other.
//!
//! Source: `readBSONOrTerminator`, common/archive/parser.go, mongo-tools 100.18.

use crate::document::{DOCUMENT_BYTES_MAX, DOCUMENT_BYTES_MIN};
use crate::source::unpack::Stream;
use std::io::{self, BufRead, BufReader, Read};

/// Read-ahead.
const BUFFER_BYTES: usize = 1 << 18;

/// `ff ff ff ff`, which no document's length can be.
const TERMINATOR: [u8; 4] = [0xff; 4];

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A document of so many bytes, its length included, which is not consumed.
    Document(usize),
    Terminator,
    /// The end of the input, between two items.
    End,
    /// So many bytes, at most three, and the end.
    Cut(usize),
    /// Four bytes that are neither.
    BadLength(u32),
}

/// The items of an archive.
pub(super) struct Items {
    stream: BufReader<Stream>,
    offset: u64,
}

impl Items {
    pub fn new(stream: Stream) -> Self {
        Self { stream: BufReader::with_capacity(BUFFER_BYTES, stream), offset: 0 }
    }

    /// Of the next byte, in the unpacked archive.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Consumes `bytes` bytes, or as many as there are; how many there were. Each piece is lent to `each`.
    pub fn pass(&mut self, bytes: u64, mut each: impl FnMut(&[u8])) -> io::Result<u64> {
        let mut left = bytes;
        while left > 0 {
            let buffered = match self.stream.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffered => buffered?,
            };
            if buffered.is_empty() {
                break;
            }
            let piece = buffered.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            each(&buffered[..piece]);
            self.stream.consume(piece);
            self.offset += piece as u64;
            left -= piece as u64;
        }
        Ok(bytes - left)
    }

    /// The next item. A terminator is consumed; of a document, and of bytes that are neither, nothing is kept back
    /// but their first four bytes, which [`Items::document`] hands on.
    pub fn next(&mut self) -> io::Result<(Item, [u8; 4])> {
        let mut head = [0; 4];
        let mut have = 0;
        self.pass(4, |piece| {
            head[have..have + piece.len()].copy_from_slice(piece);
            have += piece.len();
        })?;
        let item = match (have, u32::from_le_bytes(head)) {
            (0, _) => Item::End,
            (1..=3, _) => Item::Cut(have),
            _ if head == TERMINATOR => Item::Terminator,
            (_, length) => match usize::try_from(length) {
                Ok(bytes) if (DOCUMENT_BYTES_MIN..=DOCUMENT_BYTES_MAX).contains(&bytes) => {
                    Item::Document(bytes)
                }
                _ => Item::BadLength(length),
            },
        };
        Ok((item, head))
    }

    /// Appends a document of `bytes` bytes to `out`, whose first four are `head`; how many there were. Memory grows
    /// by what arrives.
    pub fn document(&mut self, bytes: usize, head: [u8; 4], out: &mut Vec<u8>) -> io::Result<usize> {
        out.extend_from_slice(&head);
        let wanted = (bytes - head.len()) as u64;
        let read = (&mut self.stream).take(wanted).read_to_end(out)?;
        self.offset += read as u64;
        Ok(head.len() + read)
    }
}

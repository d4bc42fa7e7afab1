//! gzip, member by member, by C zlib.

use super::{BUFFER_BYTES, Packing, PackingFault, PackingFaultKind, Stream};
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// What is left to read.
enum State {
    /// Between members, or before the first.
    Between(BufReader<Stream>),
    Member(Box<GzDecoder<BufReader<Stream>>>),
    Ended,
}

/// Unpacks all members of a gzip stream.
pub(super) struct GzipReader {
    state: State,
    unpacked_bytes: u64,
    members: u64,
}

impl GzipReader {
    pub fn new(packed: Stream) -> Self {
        let packed = BufReader::with_capacity(BUFFER_BYTES, packed);
        Self { state: State::Between(packed), unpacked_bytes: 0, members: 0 }
    }

    fn fault(&mut self, what: PackingFaultKind) -> io::Error {
        self.state = State::Ended;
        PackingFault { packing: Packing::Gzip, what, unpacked_bytes: self.unpacked_bytes }.into_io()
    }

    /// Of a decoder's error: what flate2 says by kind and text, told apart.
    fn member_fault(&mut self, error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => self.fault(PackingFaultKind::Truncated),
            io::ErrorKind::InvalidInput if error.to_string().contains("checksum") => {
                self.fault(PackingFaultKind::Checksum)
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                self.fault(PackingFaultKind::Damaged(error.to_string()))
            }
            _ => error,
        }
    }

    /// Begins the next member; `false` at the end. Zeros behind a member are a tape's padding.
    fn next_member(&mut self, mut packed: BufReader<Stream>) -> io::Result<bool> {
        loop {
            let head = match packed.fill_buf() {
                Ok(head) => head,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            match head.first() {
                None => {
                    self.state = State::Ended;
                    return Ok(false);
                }
                Some(0) if self.members > 0 => {
                    let zeros = head.iter().take_while(|byte| **byte == 0).count();
                    packed.consume(zeros);
                }
                Some(0x1f) => {
                    self.state = State::Member(Box::new(GzDecoder::new(packed)));
                    self.members += 1;
                    return Ok(true);
                }
                Some(_) => return Err(self.fault(PackingFaultKind::Trailing)),
            }
        }
    }
}

impl Read for GzipReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(0),
                State::Between(packed) => {
                    if !self.next_member(packed)? {
                        return Ok(0);
                    }
                }
                State::Member(mut member) => match member.read(buffer) {
                    Ok(0) => self.state = State::Between(member.into_inner()),
                    Ok(bytes) => {
                        self.state = State::Member(member);
                        self.unpacked_bytes += bytes as u64;
                        return Ok(bytes);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                        self.state = State::Member(member);
                        return Err(error);
                    }
                    Err(error) => return Err(self.member_fault(error)),
                },
            }
        }
    }
}

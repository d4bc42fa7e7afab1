//! Compressed inputs, unpacked as they are read: gzip of any number of members, Zstandard of any number of frames.
//!
//! Memory is the decoder's window and some buffers, whatever the stream unpacks to. A thread unpacks ahead of who reads.
//! After a fault a stream is at its end, so that what came before it can be kept.

mod ahead;
mod gzip;
mod zstd;

use self::ahead::Ahead;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Any stream of bytes.
pub(super) type Stream = Box<dyn Read + Send>;

/// Compressed bytes that are read at a time.
const BUFFER_BYTES: usize = 1 << 17;

/// A compression that is undone on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Packing {
    /// The word for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// What `packed` unpacks to.
    ///
    /// # Errors
    ///
    /// A decoder that the system has no memory for, or no thread.
    pub(super) fn unpack(self, packed: Stream) -> io::Result<Stream> {
        Ok(match self {
            Self::Gzip => Box::new(Ahead::new(gzip::GzipReader::new(packed))?),
            Self::Zstd => Box::new(Ahead::new(zstd::ZstdReader::new(packed)?)?),
        })
    }
}

/// Why a compressed stream cannot be read on. Travels inside an [`io::Error`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its {} stream {what}, after {unpacked_bytes} unpacked bytes", packing.name())]
pub struct PackingFault {
    /// Which compression.
    pub packing: Packing,
    /// What is wrong with it.
    pub what: PackingFaultKind,
    /// Unpacked bytes before the fault.
    pub unpacked_bytes: u64,
}

/// The kinds of [`PackingFault`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackingFaultKind {
    /// It ends before its end mark.
    #[error("ends early")]
    Truncated,
    /// Everything was unpacked, but the checksum is another one.
    #[error("does not match its checksum")]
    Checksum,
    /// Bytes that no encoder writes.
    #[error("is damaged ({0})")]
    Damaged(String),
    /// Bytes behind its end that are not another stream.
    #[error("is followed by other bytes")]
    Trailing,
    /// A window that a reader must not be made to hold.
    #[error("asks for a window of more than 128 MiB")]
    Window,
}

impl PackingFault {
    /// The fault inside `error`, if that is what it is.
    pub(super) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    fn into_io(self) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, self)
    }
}

/// How far a stream has been read, for whoever shows progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter(Arc<AtomicU64>);

impl Meter {
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A stream whose bytes are counted.
pub(super) struct Metered<R> {
    reader: R,
    meter: Meter,
}

impl<R> Metered<R> {
    pub fn new(reader: R, meter: Meter) -> Self {
        Self { reader, meter }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.reader.read(buffer)?;
        self.meter.0.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// An error once, then the end.
pub(super) struct FailOnce(pub Option<io::Error>);

impl Read for FailOnce {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::input::tests::OneByte;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        let mut packed = Vec::with_capacity(::zstd_safe::compress_bound(bytes.len()));
        let mut context = ::zstd_safe::CCtx::create();
        context.set_parameter(::zstd_safe::CParameter::ChecksumFlag(true)).unwrap();
        context.compress2(&mut packed, bytes).unwrap();
        packed
    }

    /// What comes out, and the message of the fault that ended it. Read in pieces of 1000 bytes.
    fn unpacked(packing: Packing, packed: Vec<u8>) -> (Vec<u8>, Option<String>) {
        let mut reader = packing.unpack(Box::new(io::Cursor::new(packed))).unwrap();
        let (mut out, mut piece) = (Vec::new(), [0; 1000]);
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return (out, None),
                Ok(bytes) => out.extend_from_slice(&piece[..bytes]),
                Err(error) => {
                    assert_eq!(reader.read(&mut piece).unwrap(), 0, "a fault is an end");
                    return (out, Some(error.to_string()));
                }
            }
        }
    }

    fn text() -> Vec<u8> {
        let digits = (0..800_000_u32).map(|n| (n.wrapping_mul(n).wrapping_mul(2_654_435_761) >> 20) % 10);
        digits.filter_map(|digit| u8::try_from(digit).ok()).map(|digit| b'0' + digit).collect()
    }

    #[test]
    fn members_and_frames_one_behind_the_other_are_one_stream() {
        let text = text();
        let (first, second) = text.split_at(333_333);
        for (packing, pack) in [(Packing::Gzip, gzip as fn(&[u8]) -> Vec<u8>), (Packing::Zstd, zstd)] {
            let packed = [pack(first), pack(b""), pack(second)].concat();
            assert_eq!(unpacked(packing, packed), (text.clone(), None), "{packing:?}");
            assert_eq!(unpacked(packing, pack(b"")), (Vec::new(), None), "{packing:?}");
        }
    }

    #[test]
    fn a_stream_is_the_same_however_its_bytes_arrive() {
        let text = text();
        let packed: &'static [u8] = Box::leak(gzip(&text[..5000]).into_boxed_slice());
        let mut reader = Packing::Gzip.unpack(Box::new(OneByte(packed, 0))).unwrap();
        let mut out = Vec::new();
        reader.read_to_end(&mut out).unwrap();
        assert_eq!(out, text[..5000]);
    }

    #[test]
    fn streams_that_end_early_keep_what_came_before_and_say_so() {
        let text = text();
        for (packing, packed) in [(Packing::Gzip, gzip(&text)), (Packing::Zstd, zstd(&text))] {
            for cut in [1, 9, packed.len() / 2, packed.len() - 1] {
                let (out, message) = unpacked(packing, packed[..cut].to_vec());
                let want =
                    format!("its {} stream ends early, after {} unpacked bytes", packing.name(), out.len());
                assert_eq!(message.as_deref(), Some(want.as_str()));
                assert!(text.starts_with(&out));
                assert!(cut < packed.len() / 2 || !out.is_empty(), "{packing:?} {cut}: nothing was kept");
            }
        }
    }

    #[test]
    fn a_wrong_checksum_is_told_behind_what_was_handed_on() {
        let text = text();
        for (packing, mut packed, at_from_end) in
            [(Packing::Gzip, gzip(&text), 6), (Packing::Zstd, zstd(&text), 2)]
        {
            let at = packed.len() - at_from_end;
            packed[at] ^= 0x10;
            let (out, message) = unpacked(packing, packed);
            let name = packing.name();
            let want =
                format!("its {name} stream does not match its checksum, after {} unpacked bytes", out.len());
            assert_eq!(message, Some(want));
            // libzstd keeps back what it unpacked last.
            let kept = if packing == Packing::Gzip { 800_000 } else { 798_000 };
            assert!(text.starts_with(&out) && out.len() >= kept, "{name}: {}", out.len());
        }
    }

    #[test]
    fn other_bytes_behind_the_end_are_told_and_zeros_are_padding() {
        let text = text();
        for (packing, packed) in [(Packing::Gzip, gzip(&text)), (Packing::Zstd, zstd(&text))] {
            let name = packing.name();
            let (out, message) = unpacked(packing, [&packed[..], b"trailing bytes"].concat());
            let want = format!("its {name} stream is followed by other bytes, after 800000 unpacked bytes");
            assert_eq!((out.len(), message), (800_000, Some(want)));
        }
        let padded = [gzip(&text), vec![0; 4096]].concat();
        assert_eq!(unpacked(Packing::Gzip, padded).1, None);
    }

    #[test]
    fn damaged_bytes_are_told_with_the_decoders_reason() {
        for (packing, packed, want) in [
            (
                Packing::Gzip,
                [&gzip(b"x")[..10], &[0xff; 20]].concat(),
                "its gzip stream is damaged (corrupt deflate stream), after 0 unpacked bytes",
            ),
            (
                Packing::Zstd,
                [&zstd(b"x")[..6], &[0xff; 20]].concat(),
                "its zstd stream is damaged (Corrupted block detected), after 0 unpacked bytes",
            ),
        ] {
            assert_eq!(unpacked(packing, packed).1.as_deref(), Some(want));
        }
    }
}

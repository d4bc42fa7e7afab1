//! Zstandard, frame by frame, by the libzstd that packs pages too.
//!
//! Where a frame is damaged the library does not say how much of the caller's buffer it had filled, so that what it
//! unpacked in that call is lost.

use super::{BUFFER_BYTES, Packing, PackingFault, PackingFaultKind, Stream};
use crate::source::input::read_retrying;
use std::io::{self, Read};
use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer};

/// Largest window, as a power of two: what `zstd -d` takes without `--long`, 128 MiB.
const WINDOW_LOG_MAX: u32 = 27;

/// Unpacks all frames of a Zstandard stream.
pub(super) struct ZstdReader {
    packed: Stream,
    context: DCtx<'static>,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// Whether the decoder stands between two frames.
    between: bool,
    frames: u64,
    ended: bool,
    unpacked_bytes: u64,
}

impl ZstdReader {
    pub fn new(packed: Stream) -> io::Result<Self> {
        let mut context = DCtx::try_create().ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        context
            .set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))
            .map_err(|code| io::Error::other(zstd_safe::get_error_name(code)))?;
        Ok(Self {
            packed,
            context,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            between: true,
            frames: 0,
            ended: false,
            unpacked_bytes: 0,
        })
    }

    fn fault(&mut self, what: PackingFaultKind) -> io::Error {
        self.ended = true;
        PackingFault { packing: Packing::Zstd, what, unpacked_bytes: self.unpacked_bytes }.into_io()
    }

    /// Of a decoder's error code: the library's own words, told apart.
    fn frame_fault(&mut self, code: usize) -> io::Error {
        let words = zstd_safe::get_error_name(code);
        self.fault(match words {
            "Restored data doesn't match checksum" => PackingFaultKind::Checksum,
            "Frame requires too much memory for decoding" => PackingFaultKind::Window,
            "Unknown frame descriptor" if self.between && self.frames > 0 => PackingFaultKind::Trailing,
            words => PackingFaultKind::Damaged(words.to_owned()),
        })
    }
}

impl Read for ZstdReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !buffer.is_empty() {
            if self.start == self.end {
                (self.start, self.end) = (0, read_retrying(&mut self.packed, &mut self.buffer)?);
                if self.end == 0 && self.between {
                    self.ended = true;
                    break;
                }
            }
            let at_end_of_input = self.end == 0;
            let mut input = InBuffer::around(&self.buffer[self.start..self.end]);
            let mut output = OutBuffer::around(&mut *buffer);
            let decoded = self.context.decompress_stream(&mut output, &mut input);
            let (taken, given) = (input.pos, output.pos());
            self.start += taken;
            self.unpacked_bytes += given as u64;
            match decoded {
                Err(code) => return Err(self.frame_fault(code)),
                Ok(hint) => {
                    self.between = hint == 0;
                    self.frames += u64::from(self.between);
                }
            }
            if given > 0 {
                return Ok(given);
            }
            if at_end_of_input && !self.between {
                return Err(self.fault(PackingFaultKind::Truncated));
            }
        }
        Ok(0)
    }
}

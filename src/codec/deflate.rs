//! Stock C zlib with every parameter in the caller's hand: window, memory, and where it flushes.
//!
//! [`Zlib`](super::Zlib) is the plain stream of a library's defaults; stores that hand their input over piece by
//! piece, or save memory, write other sizes: up to 20 % on btrfs.

use super::{Codec, ZlibLevel};
use flate2::{Decompress, FlushDecompress, Status};
use std::{ffi::c_int, mem::MaybeUninit, ptr::NonNull};

/// Parameters of a stream beside its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Logarithm of the history, 9 to 15.
    pub window_bits: u8,
    /// `memLevel`, 1 to 9: symbols a block, and hash size.
    pub memory_level: u8,
    /// How the input is handed over.
    pub feed: Feed,
}

/// How a stream gets its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feed {
    /// In one piece.
    Whole,
    /// A page at a time, each but the end closed by a sync flush, into output pages of the same size.
    Pages {
        /// Bytes of a page.
        page_bytes: usize,
    },
    /// Behind a head that a full flush closes.
    Headed {
        /// Not part of the input, but of the output.
        head: &'static [u8],
    },
}

/// The encoder.
pub struct Deflate {
    /// Boxed: zlib's own state points back at it.
    stream: NonNull<libz_sys::z_stream>,
    feed: Feed,
}

// SAFETY: the stream and its state are reached through this value alone.
#[expect(unsafe_code, reason = "memLevel and output windows are not to be had through flate2")]
unsafe impl Send for Deflate {}

/// Output is taken in pages of this size, unless the feed says otherwise.
const OUTPUT_BYTES: usize = 4096;

impl Deflate {
    /// With its state, 256 KiB or less.
    ///
    /// # Panics
    ///
    /// If the shape is outside zlib's ranges, or there is no memory.
    #[must_use]
    pub fn new(level: ZlibLevel, shape: Shape) -> Self {
        let stream = Box::into_raw(Box::new(MaybeUninit::<libz_sys::z_stream>::zeroed()));
        let size = c_int::try_from(size_of::<libz_sys::z_stream>()).expect("a small struct");
        // SAFETY: all zeroes is what deflateInit2_ asks of a stream that uses zlib's own allocator; it fills the
        // function pointers in before it returns.
        #[expect(unsafe_code, reason = "memLevel is not to be had through flate2")]
        let answer = unsafe {
            libz_sys::deflateInit2_(
                stream.cast(),
                level.get(),
                libz_sys::Z_DEFLATED,
                c_int::from(shape.window_bits),
                c_int::from(shape.memory_level),
                libz_sys::Z_DEFAULT_STRATEGY,
                libz_sys::zlibVersion(),
                size,
            )
        };
        assert_eq!(answer, libz_sys::Z_OK, "deflateInit2 of {shape:?}");
        let stream = NonNull::new(stream.cast()).expect("a box is not null");
        Self { stream, feed: shape.feed }
    }

    fn reset(&mut self) {
        // SAFETY: the stream was initialised in `new` and is freed only in `drop`.
        #[expect(unsafe_code, reason = "see `new`")]
        let answer = unsafe { libz_sys::deflateReset(self.stream.as_ptr()) };
        assert_eq!(answer, libz_sys::Z_OK, "deflateReset of a sound stream");
    }

    /// Hands `input` over and takes what comes, in output pages; the last one may be half full from the call before.
    fn feed(&mut self, input: &[u8], flush: c_int, out: &mut Output<'_>) -> bool {
        let (mut left, mut at) = (input.len(), input.as_ptr());
        loop {
            let (next_out, avail_out) = out.room();
            // SAFETY: `at` and `left` lie within `input`, `next_out` and `avail_out` within `out`'s last page; both
            // outlive the call, and zlib writes to the output only.
            #[expect(unsafe_code, reason = "see `new`")]
            let (answer, consumed, written) = unsafe {
                let stream = self.stream.as_ptr();
                (*stream).next_in = at.cast_mut();
                (*stream).avail_in = u32::try_from(left).expect("pieces are below 4 GiB");
                (*stream).next_out = next_out;
                (*stream).avail_out = u32::try_from(avail_out).expect("a page");
                let answer = libz_sys::deflate(stream, flush);
                let left_now = usize::try_from((*stream).avail_in).expect("at most `left`");
                let room_now = usize::try_from((*stream).avail_out).expect("at most a page");
                at = (*stream).next_in;
                (answer, left - left_now, avail_out - room_now)
            };
            left -= consumed;
            out.take(written);
            match answer {
                libz_sys::Z_STREAM_END => return true,
                libz_sys::Z_OK | libz_sys::Z_BUF_ERROR if flush == libz_sys::Z_FINISH => {}
                libz_sys::Z_OK | libz_sys::Z_BUF_ERROR if left > 0 => {}
                // Whole input taken: btrfs asks no further, even where the flush just filled the page.
                libz_sys::Z_OK | libz_sys::Z_BUF_ERROR => match out.style {
                    Style::Plain if out.is_full() => {}
                    Style::KernelPages | Style::Plain => return true,
                },
                _ => return false,
            }
        }
    }
}

impl Drop for Deflate {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw` in `new` with the same layout, and not freed before.
        #[expect(unsafe_code, reason = "see `new`")]
        unsafe {
            libz_sys::deflateEnd(self.stream.as_ptr());
            drop(Box::from_raw(self.stream.as_ptr().cast::<MaybeUninit<libz_sys::z_stream>>()));
        }
    }
}

/// Whether a flush that just fills a page is asked to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// No: the empty block that marks the flush is then left out.
    KernelPages,
    Plain,
}

/// Output that grows by a page whenever one is full.
struct Output<'o> {
    bytes: &'o mut Vec<u8>,
    used: usize,
    page_bytes: usize,
    style: Style,
}

impl Output<'_> {
    fn is_full(&self) -> bool {
        self.used == self.bytes.len()
    }

    fn room(&mut self) -> (*mut u8, usize) {
        if self.is_full() {
            self.bytes.resize(self.used + self.page_bytes, 0);
        }
        let room = &mut self.bytes[self.used..];
        (room.as_mut_ptr(), room.len())
    }

    fn take(&mut self, written: usize) {
        self.used += written;
    }
}

impl Codec for Deflate {
    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        self.reset();
        out.clear();
        let feed = self.feed;
        let (page_bytes, style) = match feed {
            Feed::Pages { page_bytes } => (page_bytes, Style::KernelPages),
            Feed::Whole | Feed::Headed { .. } => (OUTPUT_BYTES, Style::Plain),
        };
        let mut output = Output { bytes: out, used: 0, page_bytes, style };
        let is_packed = match feed {
            Feed::Whole => self.feed(input, libz_sys::Z_FINISH, &mut output),
            Feed::Headed { head } => {
                self.feed(head, libz_sys::Z_FULL_FLUSH, &mut output)
                    && self.feed(input, libz_sys::Z_FINISH, &mut output)
            }
            Feed::Pages { page_bytes } => {
                let mut pages = input.chunks(page_bytes);
                pages.all(|page| self.feed(page, libz_sys::Z_SYNC_FLUSH, &mut output))
                    && self.feed(&[], libz_sys::Z_FINISH, &mut output)
            }
        };
        let used = if is_packed { output.used } else { 0 };
        out.truncate(used);
        is_packed
    }

    fn unpack(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> bool {
        let head_bytes = match self.feed {
            Feed::Headed { head } => head.len(),
            Feed::Whole | Feed::Pages { .. } => 0,
        };
        out.clear();
        out.resize(head_bytes + raw_bytes, 0);
        let mut decompress = Decompress::new(true);
        let status = decompress.decompress(packed, out, FlushDecompress::Finish);
        let whole = decompress.total_out() == (head_bytes + raw_bytes) as u64;
        let done = matches!(status, Ok(Status::StreamEnd)) && whole;
        out.drain(..if done { head_bytes } else { out.len() });
        done
    }
}

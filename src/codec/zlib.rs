//! Stock C zlib: other implementations of deflate write other sizes, up to 9 % at level 6.

use super::Codec;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// A zlib level, 1 to 9. No default: whoever packs says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ZlibLevel(u8);

impl ZlibLevel {
    /// Fastest.
    pub const MIN: i32 = 1;
    /// Smallest.
    pub const MAX: i32 = 9;
    /// What WiredTiger uses unless told otherwise, and mongod never tells it otherwise.
    ///
    /// Source: `zlib_init_config`, `ext/compressors/zlib/zlib_compress.c` at tag mongodb-8.0.0
    /// (`Z_DEFAULT_COMPRESSION`, which is 6).
    pub const SERVER: Self = Self(6);

    /// `None` outside 1..=9.
    #[must_use]
    pub fn new(level: i32) -> Option<Self> {
        u8::try_from(level).ok().filter(|_| (Self::MIN..=Self::MAX).contains(&level)).map(Self)
    }

    /// The level.
    #[must_use]
    pub fn get(self) -> i32 {
        i32::from(self.0)
    }
}

/// The zlib encoder.
pub struct Zlib {
    compress: Compress,
    decompress: Decompress,
}

impl Zlib {
    /// With its 256 KiB of state.
    #[must_use]
    pub fn new(level: ZlibLevel) -> Self {
        Self {
            compress: Compress::new(Compression::new(u32::from(level.0)), true),
            decompress: Decompress::new(true),
        }
    }
}

pub(super) fn library_version() -> String {
    // SAFETY: zlibVersion returns a pointer to a constant NUL-terminated string inside the library.
    #[expect(unsafe_code, reason = "the C library's own version, so that the report cannot lie")]
    let version = unsafe { std::ffi::CStr::from_ptr(libz_sys::zlibVersion()) };
    version.to_string_lossy().into_owned()
}

/// Deflate's worst case, as `deflateBound` has it for the default window and memory level.
fn bound(input_bytes: usize) -> usize {
    input_bytes + (input_bytes >> 12) + (input_bytes >> 14) + (input_bytes >> 25) + 13 + 6
}

impl Codec for Zlib {
    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        self.compress.reset();
        out.clear();
        out.reserve(bound(input.len()));
        let status = self.compress.compress_vec(input, out, FlushCompress::Finish);
        let ended = matches!(status, Ok(Status::StreamEnd));
        if !ended {
            out.clear();
        }
        ended
    }

    fn unpack(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> bool {
        self.unpack_prefix(packed, raw_bytes, out).is_some()
    }

    fn unpack_prefix(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> Option<usize> {
        self.decompress.reset(true);
        out.resize(raw_bytes, 0);
        let status = self.decompress.decompress(packed, out, FlushDecompress::Finish);
        let ended = matches!(status, Ok(Status::StreamEnd));
        let done = ended && self.decompress.total_out() == raw_bytes as u64;
        if !done {
            out.clear();
            return None;
        }
        usize::try_from(self.decompress.total_in()).ok()
    }
}

//! One zstd frame an input, by the one-shot call that `WiredTiger` makes.

use super::Codec;

/// A zstd level, 1 to 22. No default: WiredTiger means 6, the library 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ZstdLevel(u8);

impl ZstdLevel {
    /// Fastest of the regular levels.
    pub const MIN: i32 = 1;
    /// Smallest.
    pub const MAX: i32 = 22;
    /// What a server uses unless `zstdDefaultCompressionLevel` says otherwise.
    ///
    /// Source: `zstd_init_config`, `ext/compressors/zstd/zstd_compress.c:484` at tag mongodb-8.0.0.
    pub const SERVER: Self = Self(6);

    /// `None` outside 1..=22.
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

/// The zstd encoder.
pub struct Zstd {
    level: ZstdLevel,
    compress: zstd_safe::CCtx<'static>,
    decompress: zstd_safe::DCtx<'static>,
}

impl Zstd {
    /// With its contexts.
    #[must_use]
    pub fn new(level: ZstdLevel) -> Self {
        Self { level, compress: zstd_safe::CCtx::create(), decompress: zstd_safe::DCtx::create() }
    }
}

pub(super) fn library_version() -> String {
    zstd_safe::version_string().to_owned()
}

impl Codec for Zstd {
    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        out.reserve(zstd_safe::compress_bound(input.len()));
        // ZSTD_compressCCtx, as in zstd_compress.c: content size in the header, no checksum.
        let done = self.compress.compress(out, input, self.level.get()).is_ok();
        if !done {
            out.clear();
        }
        done
    }

    fn unpack(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        out.reserve(raw_bytes);
        let done = self.decompress.decompress(out, packed).is_ok() && out.len() == raw_bytes;
        if !done {
            out.clear();
        }
        done
    }
}

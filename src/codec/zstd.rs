//! One zstd frame an input, by the one-shot call that `WiredTiger` makes.

use super::Codec;
use std::ptr::NonNull;

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

/// How levels 5 and up of the greedy and lazy kind look for matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchFinder {
    /// By rows where the window is larger than 16 KiB: the library's own choice.
    Rows,
    /// By hash chains: what a kernel's build takes for windows up to 128 KiB.
    ///
    /// Source: `ZSTD_resolveRowMatchFinderMode`, `lib/zstd/compress/zstd_compress.c` at tag v6.12.
    Chains,
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
        unpack(&mut self.decompress, packed, raw_bytes, out)
    }
}

/// The zstd encoder with its match finder chosen.
pub struct TunedZstd {
    compress: NonNull<zstd_sys::ZSTD_CCtx>,
    decompress: zstd_safe::DCtx<'static>,
}

// SAFETY: the context is reached through this value alone.
#[expect(unsafe_code, reason = "the match finder is not to be had through zstd-safe")]
unsafe impl Send for TunedZstd {}

impl TunedZstd {
    /// With its contexts. `level` is any of the library's, negative ones included.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[must_use]
    pub fn new(level: i32, finder: MatchFinder) -> Self {
        // SAFETY: creating has no precondition; the parameters are set on the context just made, and refused
        // values are answered by an error code.
        #[expect(unsafe_code, reason = "see above")]
        let compress = unsafe {
            let context = NonNull::new(zstd_sys::ZSTD_createCCtx()).expect("memory for a context");
            let set = |parameter, value| {
                let answer = zstd_sys::ZSTD_CCtx_setParameter(context.as_ptr(), parameter, value);
                assert_eq!(zstd_sys::ZSTD_isError(answer), 0, "{parameter:?} = {value}");
            };
            set(zstd_sys::ZSTD_cParameter::ZSTD_c_compressionLevel, level);
            if finder == MatchFinder::Chains {
                set(USE_ROW_MATCH_FINDER, PARAMETER_SWITCH_DISABLE);
            }
            context
        };
        Self { compress, decompress: zstd_safe::DCtx::create() }
    }
}

/// `ZSTD_c_useRowMatchFinder` and `ZSTD_ps_disable` of `zstd.h` 1.5.2.
const USE_ROW_MATCH_FINDER: zstd_sys::ZSTD_cParameter = zstd_sys::ZSTD_cParameter::ZSTD_c_experimentalParam14;
const PARAMETER_SWITCH_DISABLE: i32 = 2;

impl Drop for TunedZstd {
    fn drop(&mut self) {
        // SAFETY: made in `new`, freed once.
        #[expect(unsafe_code, reason = "see above")]
        unsafe {
            zstd_sys::ZSTD_freeCCtx(self.compress.as_ptr());
        }
    }
}

impl Codec for TunedZstd {
    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        out.resize(zstd_safe::compress_bound(input.len()), 0);
        // SAFETY: both buffers are as long as they say. ZSTD_compress2 starts a new frame each time.
        #[expect(unsafe_code, reason = "see above")]
        let (answer, failed) = unsafe {
            let (to, from) = (out.as_mut_ptr().cast(), input.as_ptr().cast());
            let answer = zstd_sys::ZSTD_compress2(self.compress.as_ptr(), to, out.len(), from, input.len());
            (answer, zstd_sys::ZSTD_isError(answer) != 0)
        };
        out.truncate(if failed { 0 } else { answer });
        !failed
    }

    fn unpack(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> bool {
        unpack(&mut self.decompress, packed, raw_bytes, out)
    }
}

fn unpack(
    decompress: &mut zstd_safe::DCtx<'static>,
    packed: &[u8],
    raw_bytes: usize,
    out: &mut Vec<u8>,
) -> bool {
    out.clear();
    out.reserve(raw_bytes);
    let done = decompress.decompress(out, packed).is_ok() && out.len() == raw_bytes;
    if !done {
        out.clear();
    }
    done
}

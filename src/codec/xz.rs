//! One `.xz` stream without a check, as `lzma_easy_encoder` writes it.

use super::Codec;
use xz2::stream::{Action, Check, Status, Stream};

/// An xz preset, 0 to 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct XzPreset(u8);

impl XzPreset {
    /// Fastest.
    pub const MIN: i32 = 0;
    /// Smallest.
    pub const MAX: i32 = 9;

    /// `None` outside 0..=9.
    #[must_use]
    pub fn new(preset: i32) -> Option<Self> {
        u8::try_from(preset).ok().filter(|_| (Self::MIN..=Self::MAX).contains(&preset)).map(Self)
    }

    /// The preset.
    #[must_use]
    pub fn get(self) -> i32 {
        i32::from(self.0)
    }
}

/// The xz encoder. Its state is made anew for each input.
#[derive(Debug)]
pub struct Xz {
    preset: XzPreset,
}

impl Xz {
    /// At a preset.
    #[must_use]
    pub fn new(preset: XzPreset) -> Self {
        Self { preset }
    }
}

/// Memory that unpacking may take: what preset 9 needs.
const UNPACK_MEMORY_BYTES: u64 = 128 << 20;
/// Beyond the input's length: headers, index, and a chunk header for each 64 KiB that do not pack.
const BOUND_EXTRA_BYTES: usize = 256;

/// Of the C sources in the pinned `lzma-sys`, which xz2 does not pass on.
pub(super) fn library_version() -> String {
    "5.2.5".to_owned()
}

impl Codec for Xz {
    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        out.reserve(input.len() + input.len() / 1024 + BOUND_EXTRA_BYTES);
        let done = Stream::new_easy_encoder(u32::from(self.preset.0), Check::None)
            .and_then(|mut stream| stream.process_vec(input, out, Action::Finish))
            .is_ok_and(|status| status == Status::StreamEnd);
        if !done {
            out.clear();
        }
        done
    }

    fn unpack(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        out.reserve(raw_bytes);
        let done = Stream::new_stream_decoder(UNPACK_MEMORY_BYTES, 0)
            .and_then(|mut stream| stream.process_vec(packed, out, Action::Finish))
            .is_ok_and(|status| status == Status::StreamEnd)
            && out.len() == raw_bytes;
        if !done {
            out.clear();
        }
        done
    }
}

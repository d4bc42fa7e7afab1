//! Raw LZ4 blocks at the library's default speed, as `LZ4_compress_default` writes them.

use super::Codec;
use lz4::block::{self, CompressionMode};

/// The LZ4 encoder.
#[derive(Debug, Default)]
pub struct Lz4;

pub(super) fn library_version() -> String {
    let version = lz4::version();
    format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100)
}

impl Codec for Lz4 {
    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        let bound = block::compress_bound(input.len());
        out.clear();
        out.resize(bound.unwrap_or(0), 0);
        let packed = block::compress_to_buffer(input, Some(CompressionMode::DEFAULT), NO_PREFIX, out);
        out.truncate(*packed.as_ref().unwrap_or(&0));
        packed.is_ok()
    }

    fn unpack(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        out.resize(raw_bytes, 0);
        let size = i32::try_from(raw_bytes).ok();
        let done = block::decompress_to_buffer(packed, size, out).is_ok_and(|bytes| bytes == raw_bytes);
        if !done {
            out.clear();
        }
        done
    }
}

/// The crate can put the input's length in front; servers keep it elsewhere.
const NO_PREFIX: bool = false;

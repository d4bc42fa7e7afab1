//! Snappy's raw block format.

use super::Codec;

/// The snappy encoder.
pub struct Snappy {
    encoder: snap::raw::Encoder,
    decoder: snap::raw::Decoder,
}

impl Snappy {
    /// With its hash table.
    #[must_use]
    pub fn new() -> Self {
        Self { encoder: snap::raw::Encoder::new(), decoder: snap::raw::Decoder::new() }
    }
}

impl Default for Snappy {
    fn default() -> Self {
        Self::new()
    }
}

/// The crate has no version constant; its manifest pins it exactly.
pub(super) fn library_version() -> String {
    "snap 1.1.2 (bytes of C++ snappy 1.1.7)".to_owned()
}

impl Codec for Snappy {
    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        out.resize(snap::raw::max_compress_len(input.len()), 0);
        let packed_bytes = self.encoder.compress(input, out).unwrap_or(0);
        out.truncate(packed_bytes);
        packed_bytes > 0
    }

    fn unpack(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> bool {
        // Asked first, so that a damaged block cannot make us allocate what it claims.
        let claimed = snap::raw::decompress_len(packed);
        out.clear();
        if claimed != Ok(raw_bytes) {
            return false;
        }
        out.resize(raw_bytes, 0);
        let done = self.decoder.decompress(packed, out) == Ok(raw_bytes);
        if !done {
            out.clear();
        }
        done
    }
}

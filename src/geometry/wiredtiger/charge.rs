//! What an image takes in the file: packed or raw, in whole units.

use super::facts;
use crate::codec::CodecKind;
use crate::units::{AllocationUnit, DiskBytes, PackedBytes, RawBytes};

/// One page as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its image.
    pub image: RawBytes,
    /// Bytes packed, before padding; `None` if the image is stored as it is.
    pub packed: Option<PackedBytes>,
    /// Bytes in the file.
    pub stored: DiskBytes,
}

/// Whether an image of this size is handed to the encoder at all.
///
/// Source: `__wt_blkcache_write`, `src/block_cache/block_io.c:269` at tag mongodb-8.0.0.
#[must_use]
pub fn is_tried(image: RawBytes, unit: AllocationUnit) -> bool {
    image.0 > unit.bytes()
}

/// The part of an image that the encoder gets.
///
/// # Panics
///
/// If the image is too short to have been tried.
#[must_use]
pub fn encoder_input(image: &[u8]) -> &[u8] {
    &image[facts::COMPRESS_SKIP_BYTES as usize..]
}

/// Bytes that a packed image has before padding: the 64 raw ones, a length prefix, the encoder's output;
/// `None` if the extension reports that packing failed.
///
/// `output_bytes` is what the encoder made of [`encoder_input`]; `None` if it gave up.
///
/// Source: the extensions in ext/compressors at tag mongodb-8.0.0. Snappy and zstd fail unless prefix and
/// output are shorter than the input, zlib unless its output fits into the input's bytes.
#[must_use]
pub fn packed(codec: CodecKind, image: RawBytes, output_bytes: Option<u64>) -> Option<PackedBytes> {
    let skip = u64::from(facts::COMPRESS_SKIP_BYTES);
    let input_bytes = image.0.checked_sub(skip)?;
    let (packed_bytes, fits) = match codec {
        CodecKind::None => return None,
        CodecKind::Snappy | CodecKind::Zstd(_) => {
            let bytes = u64::from(facts::LENGTH_PREFIX_BYTES) + output_bytes?;
            (bytes, bytes < input_bytes)
        }
        CodecKind::Zlib(_) => (output_bytes?, output_bytes? <= input_bytes),
    };
    fits.then_some(PackedBytes(skip + packed_bytes))
}

/// Charges an image to the file.
///
/// It is stored packed only if packing saves at least one *whole* unit, counted downwards; otherwise it is
/// stored as it is. Either way its last unit is padded.
///
/// ```text
///  image (raw)                                  stored, packed
///  ┌────────┬─────────────────────────────┐     ┌────────┬──────────────┬─────────┐
///  │ 64 B   │ cells                       │ ──► │ 64 B   │ codec output │ padding │
///  └────────┴─────────────────────────────┘     └────────┴──────────────┴─────────┘
///   never packed: 28 B page header, 12 B        └── packed ─────────────┘         │
///   block header, first 24 B of cells           └── stored, a multiple of unit ───┘
/// ```
///
/// # Source
///
/// `__wt_blkcache_write`, `src/block_cache/block_io.c:269` (too small to try) and `:310` (did it pay);
/// `__block_write_off`, `src/block/block_write.c:253` (padding), tag mongodb-8.0.0. The same in 6.0, 7.0
/// and 8.1.1.
///
/// # Panics
///
/// If the image is empty: an image has a header, so the caller's sum is wrong.
///
/// # Examples
///
/// ```
/// # use pagepress::{geometry::wiredtiger::charge, units::{AllocationUnit, DiskBytes, PackedBytes, RawBytes}};
/// let block = charge::charge(RawBytes(32_768), Some(PackedBytes(9_000)), AllocationUnit::DEFAULT);
/// assert_eq!(block.stored, DiskBytes(12_288)); // 3 units instead of 8
/// ```
#[must_use]
pub fn charge(image: RawBytes, packed: Option<PackedBytes>, unit: AllocationUnit) -> Block {
    assert!(image.0 > 0, "an image has at least its headers");
    let pays = |packed: &PackedBytes| {
        is_tried(image, unit) && unit.units_covered(packed.0) < unit.units_covered(image.0)
    };
    let packed = packed.filter(pays);
    Block { image, packed, stored: unit.round_up(packed.map_or(image.0, |packed| packed.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{ZlibLevel, ZstdLevel};

    /// WiredTiger asks whether packing saved a unit by comparing *floored* unit counts
    /// (`block_io.c:310` at mongodb-8.0.0), so an 8191 B image packed to 4096 B is thrown away
    /// although it would have halved the block. One byte either way flips the answer.
    #[test]
    fn packed_image_that_saves_less_than_one_floored_unit_is_stored_raw() {
        for (raw_bytes, packed_bytes, want_bytes, why) in [
            (4096, Some(100), 4096, "one unit or less is never packed"),
            (8191, Some(4096), 8192, "floor 1 against floor 1: did not pay"),
            (8191, Some(4095), 4096, "one packed byte less: floor 1 against floor 0"),
            (8192, Some(4096), 4096, "one raw byte more: floor 2 against floor 1"),
            (28_665, Some(24_575), 24_576, "the gate of a 28 KB image"),
            (28_665, Some(24_576), 28_672, "would save a unit, but is rejected"),
            (32_768, Some(32_767), 32_768, "accepted although nothing is saved"),
            (9000, None, 12_288, "the codec gave up"),
        ] {
            let block = charge(RawBytes(raw_bytes), packed_bytes.map(PackedBytes), AllocationUnit::DEFAULT);
            assert_eq!(
                block.stored,
                DiskBytes(want_bytes),
                "{raw_bytes} B packed to {packed_bytes:?}: {why}"
            );
        }
    }

    #[test]
    fn length_prefix_and_skipped_bytes_count_and_extensions_give_up_by_their_own_rule() {
        let zstd = CodecKind::Zstd(ZstdLevel::SERVER);
        let zlib = CodecKind::Zlib(ZlibLevel::SERVER);
        for (codec, output, want, why) in [
            (CodecKind::None, Some(1), None, "nothing is packed"),
            (CodecKind::Snappy, Some(1000), Some(1072), "64 + 8 + output"),
            (zstd, Some(1000), Some(1072), "64 + 8 + output"),
            (zlib, Some(1000), Some(1064), "no prefix"),
            (zstd, Some(9928), None, "prefix and output are as long as the input"),
            (zstd, Some(9927), Some(9999), "a byte shorter"),
            (zlib, Some(9936), Some(10_000), "just fits"),
            (zlib, Some(9937), None, "does not fit"),
            (zstd, None, None, "the encoder gave up"),
        ] {
            assert_eq!(packed(codec, RawBytes(10_000), output), want.map(PackedBytes), "{codec}: {why}");
        }
    }
}

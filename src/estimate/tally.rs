//! Where every byte of a file goes, as integers that workers add up.

use crate::units::{DiskBytes, PackedBytes, RawBytes};
use std::collections::BTreeMap;

/// Leaf blocks by their size in allocation units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockHistogram(pub BTreeMap<u64, u64>);

/// Sums over pages, then over the file. Every stored byte has exactly one owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Leaf pages.
    pub leaf_pages: u64,
    /// Their images, uncompressed.
    pub leaf_image: RawBytes,
    /// Bytes in packed leaf blocks before padding: 64 raw bytes, length prefix, codec output.
    pub leaf_packed: PackedBytes,
    /// Bytes of leaf images that were stored as they are, before padding.
    pub leaf_kept_raw: RawBytes,
    /// Leaf pages that were stored as they are: not tried, given up, or no whole unit saved.
    pub pages_kept_raw: u64,
    /// Part of the leaf blocks that holds no data.
    pub leaf_padding: DiskBytes,
    /// Leaf blocks: packed + kept raw + padding.
    pub leaf_blocks: DiskBytes,
    /// Packed leaf blocks that two per cent fewer packed bytes would make a unit shorter.
    pub blocks_just_over: u64,
    /// Leaf blocks by units.
    pub block_histogram: BlockHistogram,
    /// Internal pages, the root included.
    pub internal_pages: u64,
    /// Their blocks.
    pub internal_blocks: DiskBytes,
    /// Descriptor, extent lists, free space.
    pub overhead: DiskBytes,
}

impl Tally {
    /// All bytes of the file.
    #[must_use]
    pub fn storage(&self) -> DiskBytes {
        self.leaf_blocks + self.internal_blocks + self.overhead
    }

    /// As if every page were there `times` times.
    pub fn multiply(&mut self, times: u64) {
        let Tally {
            leaf_pages,
            leaf_image,
            leaf_packed,
            leaf_kept_raw,
            pages_kept_raw,
            leaf_padding,
            leaf_blocks,
            blocks_just_over,
            block_histogram,
            internal_pages,
            internal_blocks,
            overhead: _, // once a file
        } = self;
        let counts = [leaf_pages, pages_kept_raw, blocks_just_over, internal_pages];
        let bytes = [
            &mut leaf_image.0,
            &mut leaf_packed.0,
            &mut leaf_kept_raw.0,
            &mut leaf_padding.0,
            &mut leaf_blocks.0,
            &mut internal_blocks.0,
        ];
        for figure in counts.into_iter().chain(bytes).chain(block_histogram.0.values_mut()) {
            *figure *= times;
        }
    }

    /// Checks that the leaf blocks' parts add up to them.
    ///
    /// # Panics
    ///
    /// If a stored byte has no owner or two: a broken sum of ours, never the input's fault.
    pub fn assert_complete(&self) {
        let owned = self.leaf_packed.0 + self.leaf_kept_raw.0 + self.leaf_padding.0; // kinds meet: hence `.0`
        assert_eq!(owned, self.leaf_blocks.0, "leaf block bytes without exactly one owner");
        let counted: u64 = self.block_histogram.0.values().sum();
        assert_eq!(counted, self.leaf_pages, "leaf pages missing from the histogram");
    }
}

impl std::ops::AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, rhs: &Tally) {
        // A new field will not compile until it is merged.
        let Tally {
            leaf_pages,
            leaf_image,
            leaf_packed,
            leaf_kept_raw,
            pages_kept_raw,
            leaf_padding,
            leaf_blocks,
            blocks_just_over,
            block_histogram,
            internal_pages,
            internal_blocks,
            overhead,
        } = rhs;
        self.leaf_pages += leaf_pages;
        self.leaf_image += *leaf_image;
        self.leaf_packed += *leaf_packed;
        self.leaf_kept_raw += *leaf_kept_raw;
        self.pages_kept_raw += pages_kept_raw;
        self.leaf_padding += *leaf_padding;
        self.leaf_blocks += *leaf_blocks;
        self.blocks_just_over += blocks_just_over;
        for (units, pages) in &block_histogram.0 {
            *self.block_histogram.0.entry(*units).or_default() += pages;
        }
        self.internal_pages += internal_pages;
        self.internal_blocks += *internal_blocks;
        self.overhead += *overhead;
    }
}

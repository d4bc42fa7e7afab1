//! The image size before compression, moved by what each stored block took.

use super::{TableConfig, facts};

/// The table's current target size of leaf images. One variable shared by all threads that reconcile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSize {
    bytes: u32,
    min: u32,
    max: u32,
}

impl ImageSize {
    /// As a table is opened. Without a compressor, or with small leaves, it never moves.
    ///
    /// Source: `__btree_conf`, `src/btree/bt_handle.c` at tag mongodb-8.0.0.
    #[must_use]
    pub fn new(config: &TableConfig, packs: bool) -> Self {
        let min = config.leaf_page_bytes_max;
        let max = config.image_bytes_max();
        let adjusts = packs && min >= facts::ADJUST_LEAF_BYTES_MIN && max > min;
        let bytes = if adjusts { max } else { min };
        Self { bytes, min, max: bytes }
    }

    /// The target size that a reconciliation reads at its start.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.bytes
    }

    /// Whether it can move at all.
    #[must_use]
    pub fn moves(self) -> bool {
        self.max > self.min
    }

    /// At another size.
    #[must_use]
    pub fn at(self, bytes: u32) -> Self {
        Self { bytes: bytes.clamp(self.min, self.max), ..self }
    }

    /// All sizes that blocks can move it to, ascending; itself only where it does not move.
    ///
    /// From either end by steps: a step that would pass an end stops there.
    #[must_use]
    pub fn reachable(self) -> Vec<Self> {
        let step = usize::try_from(self.step()).unwrap_or(usize::MAX).max(1);
        let (down, up) = ((self.min..=self.max).rev().step_by(step), (self.min..=self.max).step_by(step));
        let mut bytes: Vec<u32> = down.chain(up).chain([self.bytes]).collect();
        bytes.sort_unstable();
        bytes.dedup();
        bytes.into_iter().map(|bytes| self.at(bytes)).collect()
    }

    /// One step of ten per cent of `leaf_page_max`, rounded down.
    fn step(self) -> u32 {
        self.min / facts::ADJUST_STEP_DIVISOR
    }

    /// Learns what one leaf block took: `packed_bytes` before padding, or `None` if it was stored raw.
    ///
    /// Source: `__rec_compression_adjust`, `src/reconcile/rec_write.c` at tag mongodb-8.0.0.
    #[must_use]
    pub fn after_block(self, packed_bytes: Option<u64>, last: bool) -> Self {
        let Some(packed_bytes) = packed_bytes.filter(|_| self.moves()) else { return self };
        let (target, step) = (u64::from(self.min), self.step());
        let bytes = if packed_bytes > target {
            if self.bytes - self.min > step { self.bytes - step } else { self.min }
        } else if !last && packed_bytes <= target - u64::from(step) {
            (self.bytes + step).min(self.max)
        } else {
            self.bytes
        };
        Self { bytes, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever blocks are written, the size is one of those that can be reached.
    #[test]
    fn no_walk_leaves_the_sizes_that_can_be_reached() {
        use crate::geometry::wiredtiger::Release;
        let first = ImageSize::new(&TableConfig::collection(Release::NEWEST), true);
        let reachable = first.reachable();
        assert_eq!(reachable.len(), 62);
        let mut met = vec![first];
        let mut at = 0;
        while let Some(size) = met.get(at).copied() {
            at += 1;
            for packed in [Some(60_000), Some(30_000), Some(1000), None] {
                let moved = size.after_block(packed, false);
                if !met.contains(&moved) {
                    met.push(moved);
                }
            }
        }
        met.sort_by_key(|size| size.bytes());
        assert_eq!(met, reachable, "and each of them is reached");
        let fixed = ImageSize::new(&TableConfig::collection(Release::NEWEST), false);
        assert_eq!(fixed.reachable(), [fixed]);
    }
    use crate::geometry::wiredtiger::Release;

    #[test]
    fn thirty_one_large_blocks_lead_down_and_thirty_one_small_ones_up() {
        let start = ImageSize::new(&TableConfig::collection(Release::NEWEST), true);
        assert_eq!(start.bytes(), 131_072);
        let mut size = start;
        for _ in 0..30 {
            size = size.after_block(Some(40_000), false);
        }
        assert_eq!(size.bytes(), 32_792);
        size = size.after_block(Some(32_769), false);
        assert_eq!(size.bytes(), 32_768);
        for _ in 0..30 {
            size = size.after_block(Some(29_492), false);
        }
        assert_eq!(size.bytes(), 131_048);
        assert_eq!(size.after_block(Some(10), false).bytes(), 131_072);
    }

    #[test]
    fn between_the_thresholds_and_for_raw_and_last_blocks_it_stays() {
        let size = ImageSize::new(&TableConfig::collection(Release::NEWEST), true).at(65_536);
        for (packed, last, want, why) in [
            (Some(32_768), false, 65_536, "exactly the leaf size"),
            (Some(29_493), false, 65_536, "a byte above 90 %"),
            (Some(29_492), false, 68_812, "90 %"),
            (Some(29_492), true, 65_536, "the last block never raises it"),
            (Some(32_769), true, 62_260, "but lowers it"),
            (None, false, 65_536, "stored raw: nothing learnt"),
        ] {
            assert_eq!(size.after_block(packed, last).bytes(), want, "{why}");
        }
    }

    #[test]
    fn it_never_moves_without_a_compressor_or_with_small_leaves() {
        let config = TableConfig::collection(Release::NEWEST);
        assert_eq!(ImageSize::new(&config, false).bytes(), 32_768);
        let small = TableConfig { leaf_page_bytes_max: 8192, ..config };
        assert_eq!(ImageSize::new(&small, true).after_block(Some(1), false).bytes(), 8192);
    }
}

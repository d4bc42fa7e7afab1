//! Internal pages, from the addresses of the blocks below them.

use super::{
    TableConfig, cell, facts,
    reconcile::{Chunk, Chunker, Limits},
    window::Aggregate,
};
use crate::units::{DiskBytes, RawBytes};

/// Internal pages of a finished tree, the root included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InternalPages {
    /// How many.
    pub pages: u64,
    /// Bytes of their images.
    pub images: RawBytes,
    /// Bytes of their blocks. They are never packed: none is larger than one unit by default.
    pub blocks: DiskBytes,
    /// Levels, the root's included.
    pub levels: u32,
}

/// Builds the levels above the leaves while these are written, in memory that grows with the height only.
///
/// Fan-out follows from the bytes of each entry: a promoted key, and an address cookie of offset, size and
/// checksum. Source: `__rec_split_row_promote` and `__rec_root_write`, `src/reconcile/rec_write.c`;
/// `__wt_block_addr_pack`, `src/block/block_addr.c`; tag mongodb-8.0.0.
#[derive(Clone, Debug)]
pub struct InternalBuilder {
    config: TableConfig,
    limits: Limits,
    levels: Vec<Level>,
    /// Where the next block is written: the file grows by what is appended.
    offset: u64,
    previous_last: Option<u64>,
}

#[derive(Clone, Debug)]
struct Level {
    chunker: Chunker,
    pages: InternalPages,
    windows: Option<Aggregate>,
}

/// Bytes of the key cell's descriptor, of the address cell's two descriptors and of its length.
///
/// The second descriptor says which fields of a time aggregate follow; without any it is there all the same,
/// as zero. Source: measured on mongod 6.0.5 and 6.0.27 (`38 00 87 ..`); `__wt_cell_pack_addr`,
/// `src/include/cell_inline.h` at tag mongodb-8.0.0.
const ENTRY_OVERHEAD_BYTES: u64 = 1 + 2 + 1;

impl InternalBuilder {
    /// For an empty table: the first block is written behind the descriptor.
    #[must_use]
    pub fn new(config: &TableConfig) -> Self {
        Self {
            config: *config,
            limits: Limits::internal(config.internal_page_bytes_max, config.allocation),
            levels: Vec::new(),
            offset: config.allocation.bytes(),
            previous_last: None,
        }
    }

    /// Adds a leaf block that holds the records `first..=last`, with the windows on it.
    pub fn push_leaf(&mut self, first: u64, last: u64, windows: Option<Aggregate>, stored: DiskBytes) {
        let key_bytes = self.previous_last.map_or(1, |previous| promoted_key_bytes(previous, first));
        self.previous_last = Some(last);
        let entry = self.entry_bytes(key_bytes, windows, stored);
        self.offset += stored.0;
        self.push(0, entry, windows);
    }

    fn entry_bytes(&self, key_bytes: u64, windows: Option<Aggregate>, stored: DiskBytes) -> u64 {
        let unit = self.config.allocation.bytes();
        let cookie = cell::packed_bytes(self.offset / unit - 1)
            + cell::packed_bytes(stored.0 / unit)
            + facts::COOKIE_CHECKSUM_BYTES;
        let window_bytes = windows.map_or(0, Aggregate::address_bytes);
        ENTRY_OVERHEAD_BYTES + key_bytes + u64::from(cookie + window_bytes)
    }

    fn push(&mut self, level: usize, entry_bytes: u64, windows: Option<Aggregate>) {
        if level == self.levels.len() {
            let chunker = Chunker::new(self.limits);
            self.levels.push(Level { chunker, pages: InternalPages::default(), windows: None });
        }
        let here = &mut self.levels[level];
        let done = here.chunker.push_plain(entry_bytes);
        // Images are held back by two; all of a load's windows pack to the same length, so the newest will do.
        here.windows = windows;
        if let Some(image) = done {
            self.finish_image(level, image);
        }
    }

    fn finish_image(&mut self, level: usize, image: Chunk) {
        let stored = self.count(level, image.image_bytes);
        // Above the leaves keys are copied whole; of a RecordId all but the first are full length.
        let key_bytes = u64::from(cell::packed_bytes(self.previous_last.unwrap_or(1)));
        let windows = self.levels[level].windows;
        let entry = self.entry_bytes(key_bytes, windows, stored);
        self.push(level + 1, entry, windows);
    }

    /// Closes all levels. A table without leaves has a root all the same.
    #[must_use]
    pub fn finish(mut self) -> InternalPages {
        let mut level = 0;
        while level < self.levels.len() {
            let last = self.levels[level].chunker.clone().finish();
            let is_root = self.levels[level].pages.pages == 0 && last[1].is_none();
            if is_root {
                let bytes = last[0].map_or(u64::from(facts::HEADER_BYTES), |image| image.image_bytes);
                self.count(level, bytes);
                self.levels.truncate(level + 1);
            } else {
                for image in last.into_iter().flatten() {
                    self.finish_image(level, image);
                }
            }
            level += 1;
        }
        let mut total = InternalPages::default();
        for Level { pages, .. } in &self.levels {
            total.pages += pages.pages;
            total.images += pages.images;
            total.blocks += pages.blocks;
            total.levels += 1;
        }
        total
    }

    fn count(&mut self, level: usize, image_bytes: u64) -> DiskBytes {
        let stored = self.config.allocation.round_up(image_bytes);
        let pages = &mut self.levels[level].pages;
        pages.pages += 1;
        pages.images += RawBytes(image_bytes);
        pages.blocks += stored;
        stored
    }
}

/// Bytes of the key that separates two leaves: the shortest prefix of the right one's first key that differs
/// from the left one's last.
fn promoted_key_bytes(left_last: u64, right_first: u64) -> u64 {
    let (mut left, mut right) = (Vec::with_capacity(9), Vec::with_capacity(9));
    cell::pack(left_last, &mut left);
    cell::pack(right_first, &mut right);
    let common = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    (common + 1).min(right.len()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::wiredtiger::Release;

    fn tree(leaves: u64, records_per_leaf: u64, stored: u64) -> InternalPages {
        let mut builder = InternalBuilder::new(&TableConfig::collection(Release::NEWEST));
        for leaf in 0..leaves {
            builder.push_leaf(
                leaf * records_per_leaf + 1,
                (leaf + 1) * records_per_leaf,
                None,
                DiskBytes(stored),
            );
        }
        builder.finish()
    }

    #[test]
    fn one_leaf_still_has_a_root() {
        let pages = tree(1, 10, 4096);
        assert_eq!((pages.pages, pages.levels, pages.blocks), (1, 1, DiskBytes(4096)));
    }

    /// Collections of 200 B documents as mongod 6.0.5 stored them: 727 leaves under 3 pages and a root,
    /// 177 leaves under the root alone, 407 under 2 pages and a root.
    #[test]
    fn measured_collections_have_the_servers_internal_pages() {
        for (leaves, records, stored, want) in
            [(727, 138, 28_672, 4), (177, 565, 4096, 1), (407, 246, 28_632, 3)]
        {
            assert_eq!(tree(leaves, records, stored).pages, want, "{leaves} leaves");
        }
    }
}

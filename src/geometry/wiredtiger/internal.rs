//! Internal pages, from the addresses of the blocks below them.

use super::{
    TableConfig, cell, facts,
    reconcile::{Chunk, Chunker, Limits},
    window::Aggregate,
};
use crate::record::RecordId;
use crate::units::{DiskBytes, RawBytes};
use std::collections::VecDeque;

/// Internal pages of a finished tree, the root included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InternalPages {
    /// How many.
    pub pages: u64,
    /// Bytes of their images.
    pub images: RawBytes,
    /// Bytes of their blocks. A collection's are never packed: none is larger than one unit by default; an
    /// index has no compressor.
    pub blocks: DiskBytes,
    /// Levels, the root's included.
    pub levels: u32,
}

impl InternalPages {
    /// Their sums.
    #[must_use]
    pub fn of(pages: &[InternalPage]) -> Self {
        let mut total = Self::default();
        for page in pages {
            total.pages += 1;
            total.images += page.image;
            total.blocks += page.stored;
            total.levels = total.levels.max(page.level + 1);
        }
        total
    }
}

/// One internal page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InternalPage {
    /// 0 just above the leaves.
    pub level: u32,
    /// Pages below it.
    pub children: u32,
    /// Bytes of its image.
    pub image: RawBytes,
    /// Bytes of its block.
    pub stored: DiskBytes,
}

/// A block that an internal page points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Bytes of the key that separates it from its left neighbour. That of a tree's first child is not stored.
    pub key_bytes: u64,
    /// Where it lies in the file.
    pub offset: u64,
    /// Its bytes in the file.
    pub stored: DiskBytes,
    /// Of the values in it, if any has a time window.
    pub windows: Option<Aggregate>,
}

/// Builds the levels above the leaves while these are written; two open pages a level are all it holds.
///
/// Fan-out follows from the bytes of each entry: a promoted key, and an address cookie of offset, size and
/// checksum. Source: `__rec_split_row_promote` and `__rec_root_write`, `src/reconcile/rec_write.c`;
/// `__wt_block_addr_pack`, `src/block/block_addr.c`; tag mongodb-8.0.0.
#[derive(Clone, Debug)]
pub struct InternalBuilder {
    config: TableConfig,
    limits: Limits,
    levels: Vec<Level>,
    pages: Vec<InternalPage>,
    /// Where the next block is written: the file grows by what is appended.
    offset: u64,
    /// Key of the last record so far; empty before the first.
    previous_last: Vec<u8>,
    /// The next leaf's first key, to compare with it.
    scratch: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Level {
    chunker: Chunker,
    /// Key lengths and time windows of the children on pages that are not final yet.
    open: VecDeque<(u64, Option<Aggregate>)>,
    pages: u64,
    children: u64,
}

/// Bytes of the address cell's two descriptors and of its length.
///
/// The second descriptor says which fields of a time aggregate follow; without any it is there all the same,
/// as zero. Source: measured on mongod 6.0.5 and 6.0.27 (`38 00 87 ..`); `__wt_cell_pack_addr`,
/// `src/include/cell_inline.h` at tag mongodb-8.0.0.
const ADDRESS_OVERHEAD_BYTES: u32 = 2 + 1;

/// What the first key of a reconciled page is cut to: nothing sorts before it anyway.
///
/// Source: `cell_zero` in `__wti_rec_row_int`, `src/reconcile/rec_row.c` at tag mongodb-8.0.0.
const FIRST_KEY_BYTES: u64 = 1;

impl InternalBuilder {
    /// For an empty table: the first block is written behind the descriptor.
    #[must_use]
    pub fn new(config: &TableConfig) -> Self {
        Self {
            config: *config,
            limits: Limits::internal(config.internal_page_bytes_max, config.allocation),
            levels: Vec::new(),
            pages: Vec::new(),
            offset: config.allocation.bytes(),
            previous_last: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Adds a leaf block of a collection that holds the records `first..=last`, with the windows on it, behind all
    /// others.
    pub fn push_leaf<'r>(
        &mut self,
        first: impl Into<RecordId<'r>>,
        last: impl Into<RecordId<'r>>,
        windows: Option<Aggregate>,
        stored: DiskBytes,
    ) {
        self.scratch.clear();
        cell::push_record_id(first.into(), &mut self.scratch);
        let key_bytes = if self.previous_last.is_empty() {
            FIRST_KEY_BYTES
        } else {
            promoted_key_bytes(&self.previous_last, &self.scratch)
        };
        self.previous_last.clear();
        cell::push_record_id(last.into(), &mut self.previous_last);
        self.push_child(Child { key_bytes, offset: self.offset, stored, windows });
    }

    /// Adds a block in key order, wherever it lies.
    pub fn push_child(&mut self, child: Child) {
        self.offset = self.offset.max(child.offset + child.stored.0);
        self.push(0, child);
    }

    fn entry_bytes(&self, child: &Child) -> u64 {
        let unit = self.config.allocation.bytes();
        let cookie = cell::cookie_bytes(child.offset, child.stored.0, unit);
        let windows = child.windows.map_or(0, Aggregate::address_bytes);
        let key_header = cell::key_header_bytes(0, child.key_bytes);
        child.key_bytes + u64::from(key_header + ADDRESS_OVERHEAD_BYTES + windows + cookie)
    }

    fn push(&mut self, at: usize, mut child: Child) {
        if at == self.levels.len() {
            let chunker = Chunker::new(self.limits);
            self.levels.push(Level { chunker, open: VecDeque::new(), pages: 0, children: 0 });
        }
        if self.levels[at].children == 0 {
            child.key_bytes = FIRST_KEY_BYTES;
        }
        let entry_bytes = self.entry_bytes(&child);
        let level = &mut self.levels[at];
        level.children += 1;
        level.open.push_back((child.key_bytes, child.windows));
        if let Some(image) = level.chunker.push_plain(entry_bytes) {
            self.finish_image(at, image);
        }
    }

    fn finish_image(&mut self, at: usize, image: Chunk) {
        let stored = self.count(at, image);
        let children = self.levels[at].open.drain(..image.records as usize);
        // Above the leaves keys are copied whole.
        let (mut key_bytes, mut windows) = (None, None::<Aggregate>);
        for (child_key_bytes, child_windows) in children {
            key_bytes = key_bytes.or(Some(child_key_bytes));
            windows = match (windows, child_windows) {
                (Some(left), Some(right)) => Some(left.with(right)),
                (left, right) => left.or(right),
            };
        }
        let key_bytes = key_bytes.unwrap_or(FIRST_KEY_BYTES);
        self.push(at + 1, Child { key_bytes, offset: self.offset, stored, windows });
    }

    /// Closes all levels. A table without leaves has a root all the same.
    #[must_use]
    pub fn finish(self) -> InternalPages {
        InternalPages::of(&self.into_pages())
    }

    /// Closes all levels and lists their pages, the root last.
    #[must_use]
    pub fn into_pages(mut self) -> Vec<InternalPage> {
        let mut at = 0;
        while at < self.levels.len() {
            let last = self.levels[at].chunker.clone().finish();
            let is_root = self.levels[at].pages == 0 && last[1].is_none();
            if is_root {
                let bytes = u64::from(facts::HEADER_BYTES);
                let empty = Chunk { records: 0, held_back: 0, image_bytes: bytes, last: true };
                self.count(at, last[0].unwrap_or(empty));
                break;
            }
            for image in last.into_iter().flatten() {
                self.finish_image(at, image);
            }
            at += 1;
        }
        self.pages.sort_by_key(|page| page.level);
        self.pages
    }

    fn count(&mut self, at: usize, image: Chunk) -> DiskBytes {
        let stored = self.config.allocation.round_up(image.image_bytes);
        self.levels[at].pages += 1;
        let level = u32::try_from(at).expect("a tree has few levels");
        self.pages.push(InternalPage {
            level,
            children: image.records,
            image: RawBytes(image.image_bytes),
            stored,
        });
        stored
    }
}

/// Bytes of the key that separates two leaves: the shortest prefix of the right one's first key that differs
/// from the left one's last.
///
/// Source: `__rec_split_row_promote`, `src/reconcile/rec_write.c` at tag mongodb-8.0.0.
fn promoted_key_bytes(left_last: &[u8], right_first: &[u8]) -> u64 {
    let common = left_last.iter().zip(right_first).take_while(|(a, b)| a == b).count();
    (common + 1).min(right_first.len()) as u64
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

//! The pages of a finished index file.

use super::{IndexConfig, blocks::Blocks};
use crate::geometry::wiredtiger::{
    internal::{Child, InternalBuilder, InternalPage, InternalPages},
    window::Aggregate,
};
use crate::units::{DiskBytes, RawBytes};

/// One leaf page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafPage {
    /// Keys on it, ghosts included.
    pub entries: u32,
    /// Keys and values: an empty value without time window has no cell.
    pub cells: u32,
    /// Bytes of its image.
    pub image: RawBytes,
    /// Bytes of its block.
    pub stored: DiskBytes,
}

/// An index's file after its checkpoint. Every byte of it has one owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexPages {
    /// Keys, ghosts included.
    pub entries: u64,
    /// How many leaf pages.
    pub leaf_pages: u64,
    /// Bytes of their images.
    pub leaf_image: RawBytes,
    /// Bytes of their blocks.
    pub leaf_blocks: DiskBytes,
    /// Internal pages, the root included.
    pub internal: InternalPages,
    /// Keys and values in blocks of their own.
    pub overflow_items: u64,
    /// Bytes of these blocks.
    pub overflow_blocks: DiskBytes,
    /// Space of pages that were written again elsewhere, not yet taken by others.
    pub free: DiskBytes,
    /// Descriptor and extent lists.
    pub overhead: DiskBytes,
    /// The file.
    pub file: DiskBytes,
    /// Each leaf page, in key order.
    pub leaves: Vec<LeafPage>,
    /// Each internal page, the root last.
    pub internals: Vec<InternalPage>,
}

impl IndexPages {
    /// Every byte of the file has exactly one owner.
    ///
    /// # Panics
    ///
    /// If not: a sum of this module is wrong.
    pub fn assert_complete(&self) {
        let owned =
            self.leaf_blocks + self.internal.blocks + self.overflow_blocks + self.free + self.overhead;
        assert_eq!(owned, self.file, "bytes of the file without an owner, or with two");
    }
}

/// Bytes of a checkpoint's avail list besides its extents: the table's configuration is behind them.
///
/// Source: as `file::skeleton`'s.
const AVAIL_LIST_BYTES: u64 = 1536;

/// Takes leaves in key order and closes the file.
#[derive(Debug)]
pub(super) struct Assembly {
    leaves: Vec<LeafPage>,
    internal: InternalBuilder,
}

/// How a leaf is pointed at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) key_bytes: u64,
    pub(super) offset: u64,
    pub(super) windows: Option<Aggregate>,
}

impl Assembly {
    pub(super) fn new(config: &IndexConfig) -> Self {
        Self { leaves: Vec::new(), internal: InternalBuilder::new(config.table()) }
    }

    pub(super) fn push(&mut self, leaf: LeafPage, address: Address) {
        let Address { key_bytes, offset, windows } = address;
        self.internal.push_child(Child { key_bytes, offset, stored: leaf.stored, windows });
        self.leaves.push(leaf);
    }

    /// Writes internal pages, root and extent lists, as a first checkpoint does.
    ///
    /// Source: `__wt_block_checkpoint`, `src/block/block_ckpt.c` at tag mongodb-8.0.0.
    pub(super) fn finish(self, mut blocks: Blocks, overflow: &[DiskBytes]) -> IndexPages {
        let descriptor = DiskBytes(blocks.unit().bytes());
        let mut pages = IndexPages { leaves: self.leaves, ..IndexPages::default() };
        for leaf in &pages.leaves {
            pages.entries += u64::from(leaf.entries);
            pages.leaf_image += leaf.image;
            pages.leaf_blocks += leaf.stored;
        }
        pages.leaf_pages = pages.leaves.len() as u64;
        pages.overflow_items = overflow.len() as u64;
        pages.overflow_blocks = overflow.iter().copied().sum();
        pages.internals = self.internal.into_pages();
        pages.internal = InternalPages::of(&pages.internals);
        pages.overhead = descriptor;
        if let Some((root, below)) = pages.internals.split_last() {
            for page in below {
                blocks.allocate(page.stored.0);
            }
            blocks.allocate_first_fit(root.stored.0);
            let allocated = blocks.allocate_first_fit(blocks.used_list_bytes());
            blocks.truncate();
            let available = blocks.allocate_first_fit(blocks.free_list_bytes() + AVAIL_LIST_BYTES);
            pages.overhead += allocated.stored + available.stored;
        }
        pages.free = blocks.free_bytes();
        pages.file = blocks.end();
        pages.assert_complete();
        pages
    }
}

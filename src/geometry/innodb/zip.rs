//! Tables with `ROW_FORMAT=COMPRESSED`: pages of 16 KiB in memory that must fit into 1 to 16 KiB of file.
//!
//! ```text
//!  KEY_BLOCK_SIZE   ┌──────┬───────────────┬──────────────────┬─ ─ ─┬──────────────────────────────┐
//!  bytes of file    │ 94 B │ zlib stream   │ modification log │free │ per record 2 B + 13 B, each  │
//!                   │ raw  │ of the rows   │ rows since, raw  │     │ reference to a document 20 B │
//!                   └──────┴───────────────┴──────────────────┴─ ─ ─┴──────────────────────────────┘
//! ```

use super::dynamic::{PageCounts, directory_bytes};
use super::facts::{
    EMPTY_PAGE_ROOM, FILE_HEADER_BYTES, KEY_BYTES, PAD_BYTES_LIMIT, PAD_FAILURE_PCT, PAD_GOOD_ROUNDS,
    PAD_ROUND_COMPRESSIONS, PAD_STEP_BYTES, PAGE_BYTES, RECORD_HEADER_BYTES, REFERENCE_BYTES, SLOT_BYTES,
    SYSTEM_BYTES, ZIP_HEADER_BYTES, ZIP_LOB_MEMORY_LEVEL, ZIP_LOB_WINDOW_BITS, ZIP_MEMORY_LEVEL,
    ZIP_SLOT_BYTES, ZIP_WINDOW_BITS,
};
use super::page::{key_bytes, node_count};
use super::record::{Placement, Shape};
use super::space::{Space, Use};
use crate::codec::{
    EncoderKind, ZlibLevel,
    deflate::{self, Feed},
};

/// `KEY_BLOCK_SIZE`: 1, 2, 4, 8 or 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyBlock(u8);

impl KeyBlock {
    /// All of them, in KiB.
    pub const ALL: [u8; 5] = [1, 2, 4, 8, 16];
    /// Where the table does not say: half a page.
    pub const DEFAULT: Self = Self(8);

    /// `None` unless `kib` is one of [`Self::ALL`].
    #[must_use]
    pub fn new(kib: u8) -> Option<Self> {
        Self::ALL.contains(&kib).then_some(Self(kib))
    }

    /// In KiB.
    #[must_use]
    pub fn kib(self) -> u8 {
        self.0
    }

    /// In bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        usize::from(self.0) << 10
    }
}

/// What stands before the rows in a page's stream: how long each of the four columns is.
///
/// Source: `page_zip_fields_encode`, page/page0zip.cc. The codes are of the right number; a flush closes them.
const FIELDS: &[u8] = &[0x11, 0x1b, 0x02, 0x02];

/// What packs the rows of a page.
#[must_use]
pub fn page_encoder(level: ZlibLevel) -> EncoderKind {
    let shape = deflate::Shape {
        window_bits: ZIP_WINDOW_BITS,
        memory_level: ZIP_MEMORY_LEVEL,
        feed: Feed::Headed { head: FIELDS },
    };
    EncoderKind::Deflate { level, shape }
}

/// What packs a document that lies off the page: whole, and by itself.
#[must_use]
pub fn lob_encoder(level: ZlibLevel) -> EncoderKind {
    let shape = deflate::Shape {
        window_bits: ZIP_LOB_WINDOW_BITS,
        memory_level: ZIP_LOB_MEMORY_LEVEL,
        feed: Feed::Whole,
    };
    EncoderKind::Deflate { level, shape }
}

/// The encoders, handed in: each packs its argument and says how many bytes came out.
pub struct Packers<'p> {
    /// [`page_encoder`].
    pub page: &'p mut dyn FnMut(&[u8]) -> usize,
    /// [`lob_encoder`].
    pub lob: &'p mut dyn FnMut(&[u8]) -> usize,
}

/// Room that is kept free on pages in memory so that fewer fail to fit: moved after each 128 compressions.
///
/// Source: `dict_index_zip_pad_update`, dict/dict0dict.cc.
#[derive(Clone, Copy, Debug, Default)]
struct Padding {
    bytes: usize,
    successes: u32,
    failures: u32,
    good_rounds: u32,
}

impl Padding {
    fn count(&mut self, successes: u32, failures: u32) {
        self.successes += successes;
        self.failures += failures;
        let all = self.successes + self.failures;
        if all < PAD_ROUND_COMPRESSIONS {
            return;
        }
        let failure_pct = self.failures * 100 / all;
        (self.successes, self.failures) = (0, 0);
        if failure_pct > PAD_FAILURE_PCT {
            if self.bytes + PAD_STEP_BYTES < PAD_BYTES_LIMIT {
                self.bytes += PAD_STEP_BYTES;
            }
            self.good_rounds = 0;
            return;
        }
        self.good_rounds += 1;
        if self.good_rounds >= PAD_GOOD_ROUNDS && self.bytes > 0 {
            self.bytes -= PAD_STEP_BYTES;
            self.good_rounds = 0;
        }
    }
}

/// A leaf that is being filled.
#[derive(Clone, Debug, Default)]
struct Leaf {
    /// Bytes of its records in memory.
    record_bytes: usize,
    rows: Vec<Shape>,
    /// What the stream would hold, all rows in it.
    stream: Vec<u8>,
    /// Where each row ends in `stream`.
    ends: Vec<usize>,
    references: usize,
    /// Where the modification log ends, in the file's page.
    log_end: usize,
}

impl Leaf {
    fn push(&mut self, shape: Shape, bytes: &[u8]) {
        self.stream.extend_from_slice(bytes);
        self.ends.push(self.stream.len());
        self.record_bytes += shape.record_bytes();
        self.references += usize::from(shape.placement == Placement::OffPage);
        self.rows.push(shape);
    }

    fn pop(&mut self) {
        let Some(shape) = self.rows.pop() else { return };
        self.ends.pop();
        self.stream.truncate(self.ends.last().copied().unwrap_or(0));
        self.record_bytes -= shape.record_bytes();
        self.references -= usize::from(shape.placement == Placement::OffPage);
    }

    /// Bytes at the end of the page that are not packed.
    fn trailer_bytes(&self) -> usize {
        ZIP_SLOT_BYTES * self.rows.len() + REFERENCE_BYTES * self.references
    }
}

/// A table that rows are inserted into in the order of their keys, in one transaction.
pub struct ZipTable {
    key_block: KeyBlock,
    space: Space,
    counts: PageCounts,
    padding: Padding,
    leaf: Leaf,
    own: u64,
    next_id: u64,
    row: Vec<u8>,
    compressions: u64,
}

impl ZipTable {
    /// Without rows.
    #[must_use]
    pub fn new(key_block: KeyBlock) -> Self {
        Self {
            key_block,
            space: Space::new(key_block.bytes() as u64),
            counts: PageCounts { own: PageCounts::OWN, ..PageCounts::default() },
            padding: Padding::default(),
            leaf: Leaf::default(),
            own: 3,
            next_id: 1,
            row: Vec::new(),
            compressions: 0,
        }
    }

    /// Inserts the next row.
    pub fn insert(&mut self, document: &[u8], packers: &mut Packers<'_>) {
        let shape = Shape::compressed(document.len(), self.key_block.bytes());
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        shape.push_length(&mut row);
        row.push(0);
        row.extend(key_bytes(self.next_id));
        if shape.placement == Placement::OnPage {
            row.extend_from_slice(document);
        }
        self.next_id += 1;
        if self.next_id == 2 {
            self.open_leaf(packers);
        }
        if !self.take(shape, &row, packers) {
            self.split(packers);
            if !self.take(shape, &row, packers) {
                // One row always fits, by the rule that moves documents off the page.
                self.leaf.push(shape, &row);
            }
        }
        self.row = row;
        if shape.placement == Placement::OffPage {
            self.store_lob(document, packers);
        }
    }

    /// Ends the load.
    #[must_use]
    pub fn finish(mut self) -> (PageCounts, Space) {
        self.counts.leaves += 1;
        self.counts.nodes = node_count(self.counts.leaves);
        (self.counts, self.space)
    }

    /// Puts a row on the open leaf if it has room, in memory and in the file.
    fn take(&mut self, shape: Shape, row: &[u8], packers: &mut Packers<'_>) -> bool {
        let record_bytes = shape.record_bytes();
        let leaf = &mut self.leaf;
        let count = leaf.rows.len();
        let free = EMPTY_PAGE_ROOM.saturating_sub(leaf.record_bytes + directory_bytes(count + 1));
        let is_padded = leaf.record_bytes + record_bytes >= PAGE_BYTES - self.padding.bytes;
        if count > 0 && (free < record_bytes || is_padded) {
            return false;
        }
        // Source: `page_zip_available`, include/page0zip.inl.
        let logged = record_bytes - RECORD_HEADER_BYTES + SLOT_BYTES;
        if logged + leaf.trailer_bytes() + SLOT_BYTES + leaf.log_end < self.key_block.bytes() {
            let heap_number_bytes = if count + 2 < 64 { 1 } else { 2 };
            // References lie in the trailer, as the system columns do.
            let off_page = if shape.placement == Placement::OffPage { REFERENCE_BYTES } else { 0 };
            leaf.log_end += record_bytes - RECORD_HEADER_BYTES - SYSTEM_BYTES - off_page + heap_number_bytes;
            leaf.push(shape, row);
            return true;
        }
        leaf.push(shape, row);
        let stream_bytes = (packers.page)(&leaf.stream);
        self.compressions += 1;
        let fits = ZIP_HEADER_BYTES + 1 + stream_bytes + leaf.trailer_bytes() <= self.key_block.bytes();
        if fits {
            leaf.log_end = ZIP_HEADER_BYTES + stream_bytes;
            self.padding.count(1, 0);
        } else {
            leaf.pop();
            // Tried with the leaf latched, and again with the tree latched.
            self.padding.count(0, 2);
        }
        fits
    }

    /// The next rows go to a new leaf; but the first one, as the root, is copied and halved.
    fn split(&mut self, packers: &mut Packers<'_>) {
        let is_first = self.counts.leaves == 0;
        if is_first {
            self.own = self.space.allocate(Use::LeafSplit, 0);
        }
        self.own = self.space.allocate(Use::LeafSplit, self.own + 1);
        self.counts.leaves += 1;
        let leaves = self.counts.leaves + 1;
        for _ in node_count(leaves - 1).max(1)..node_count(leaves) {
            self.space.allocate_node();
        }
        let before = std::mem::take(&mut self.leaf);
        self.open_leaf(packers);
        let kept = if is_first { before.rows.len() / 2 } else { before.rows.len() };
        for index in kept..before.rows.len() {
            let start = if index == 0 { 0 } else { before.ends[index - 1] };
            self.leaf.push(before.rows[index], &before.stream[start..before.ends[index]]);
        }
        if !self.leaf.rows.is_empty() {
            self.leaf.log_end = ZIP_HEADER_BYTES + (packers.page)(&self.leaf.stream);
        }
    }

    /// An empty page is compressed, and compressed again as the copy of what moves there.
    fn open_leaf(&mut self, packers: &mut Packers<'_>) {
        self.leaf = Leaf { log_end: ZIP_HEADER_BYTES + (packers.page)(&[]), ..Leaf::default() };
        self.padding.count(2, 0);
    }

    fn store_lob(&mut self, document: &[u8], packers: &mut Packers<'_>) {
        let part_bytes = self.key_block.bytes() - FILE_HEADER_BYTES;
        let pages = (packers.lob)(document).div_ceil(part_bytes).max(1);
        let mut page = self.own;
        for _ in 0..pages {
            page = self.space.allocate(Use::Lob, page + 1);
        }
        self.counts.lobs += pages as u64;
    }
}

const _: () = assert!(KEY_BYTES == 8);

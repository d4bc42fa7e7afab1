//! Tables whose pages are stored whole, or page-compressed: rows in key order to pages.

use super::facts::{EMPTY_PAGE_ROOM, LEAF_RESERVE_BYTES, LOB_PART_BYTES};
use super::page::{self, Links, NO_PAGE, Row, UndoLog};
use super::record::{Placement, Shape};
use super::space::{Space, Use};

/// Pages in use, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// Leaves.
    pub leaves: u64,
    /// Pages of documents.
    pub lobs: u64,
    /// Pages above the leaves.
    pub nodes: u64,
    /// Space header, change-buffer bitmap, inodes.
    pub own: u64,
}

impl PageCounts {
    /// Space header, change-buffer bitmap and inodes of a small file.
    pub const OWN: u64 = 3;

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.leaves + self.lobs + self.nodes + self.own
    }
}

/// Bytes that a directory of `records` records is counted with. Source: `page_dir_calc_reserved_space`,
/// include/page0page.inl.
#[must_use]
pub fn directory_bytes(records: usize) -> usize {
    (2 * records).div_ceil(4)
}

/// Whether a record of `next_bytes` begins a new leaf, behind `records` records of `record_bytes` in all.
///
/// Source: `btr_cur_optimistic_insert`, btr/btr0cur.cc: from the second record on, some room is kept.
#[must_use]
pub fn leaf_is_full(records: usize, record_bytes: usize, next_bytes: usize) -> bool {
    let free = EMPTY_PAGE_ROOM.saturating_sub(record_bytes + directory_bytes(records + 1));
    let reserve = if records >= 2 { LEAF_RESERVE_BYTES } else { 0 };
    free < next_bytes + reserve
}

/// A table that rows are inserted into in the order of their keys, in one transaction.
#[derive(Debug)]
pub struct Table {
    space: Space,
    undo: UndoLog,
    counts: PageCounts,
    /// Page number and first key of each leaf.
    leaves: Vec<(u32, u64)>,
    rows: Vec<Row>,
    documents: Vec<u8>,
    record_bytes: usize,
    own: u32,
    previous: u32,
    next_id: u64,
}

/// The root: in a table of one leaf that leaf.
const ROOT_PAGE: u32 = 3;

impl Table {
    /// Without rows.
    #[must_use]
    pub fn new() -> Self {
        Self {
            space: Space::new(super::facts::PAGE_BYTES as u64),
            undo: UndoLog::new(),
            counts: PageCounts { own: PageCounts::OWN, ..PageCounts::default() },
            leaves: Vec::new(),
            rows: Vec::new(),
            documents: Vec::new(),
            record_bytes: 0,
            own: ROOT_PAGE,
            previous: NO_PAGE,
            next_id: 1,
        }
    }

    /// Inserts the next row; pages that are final go to `sink`.
    pub fn insert(&mut self, document: &[u8], sink: &mut dyn FnMut(Vec<u8>)) {
        let shape = Shape::dynamic(document.len());
        if leaf_is_full(self.rows.len(), self.record_bytes, shape.record_bytes()) {
            self.split(sink);
        }
        let lob_page = match shape.placement {
            Placement::OnPage => {
                self.documents.extend_from_slice(document);
                0
            }
            Placement::OffPage => self.store_lob(document, sink),
        };
        self.record_bytes += shape.record_bytes();
        self.rows.push(Row {
            id: self.next_id,
            shape,
            roll_pointer: self.undo.next_pointer(),
            lob_page,
            document_end: self.documents.len(),
        });
        self.next_id += 1;
    }

    /// Ends the load: the last leaf, and the levels above.
    pub fn finish(mut self, sink: &mut dyn FnMut(Vec<u8>)) -> (PageCounts, Space) {
        self.close_leaf(self.rows.len(), NO_PAGE, sink);
        page::nodes(&self.leaves, &mut *sink);
        self.counts.nodes = page::node_count(self.counts.leaves);
        (self.counts, self.space)
    }

    /// The new leaf begins with the next row; but the first one, as the root, is copied and halved.
    fn split(&mut self, sink: &mut dyn FnMut(Vec<u8>)) {
        let is_first = self.leaves.is_empty();
        if is_first {
            self.own = self.page(Use::LeafSplit, 0);
        }
        let next = self.page(Use::LeafSplit, self.own + 1);
        let kept = if is_first { self.rows.len() / 2 } else { self.rows.len() };
        self.close_leaf(kept, next, sink);
        self.previous = self.own;
        self.own = next;
        let leaves = self.counts.leaves + 1;
        for _ in page::node_count(leaves - 1).max(1)..page::node_count(leaves) {
            self.space.allocate_node();
        }
    }

    /// Hands the first `kept` rows over as a leaf.
    fn close_leaf(&mut self, kept: usize, next: u32, sink: &mut dyn FnMut(Vec<u8>)) {
        let rows: Vec<Row> = self.rows.drain(..kept).collect();
        let documents_end = rows.last().map_or(0, |row| row.document_end);
        self.leaves.push((self.own, rows.first().map_or(0, |row| row.id)));
        self.counts.leaves += 1;
        let links = Links { own: self.own, previous: self.previous, next };
        sink(page::leaf(links, &rows, &self.documents[..documents_end]));
        self.documents.drain(..documents_end);
        for row in &mut self.rows {
            row.document_end -= documents_end;
        }
        self.record_bytes = self.rows.iter().map(|row| row.shape.record_bytes()).sum();
    }

    /// A document on pages of its own; the number of the first.
    fn store_lob(&mut self, document: &[u8], sink: &mut dyn FnMut(Vec<u8>)) -> u32 {
        let parts: Vec<&[u8]> = document.chunks(LOB_PART_BYTES).collect();
        let mut pages = vec![self.page(Use::Lob, self.own + 1)];
        for _ in 1..parts.len() {
            let hint = pages[pages.len() - 1] + 1;
            pages.push(self.page(Use::Lob, hint));
        }
        for (index, part) in parts.iter().enumerate() {
            let next = pages.get(index + 1).copied().unwrap_or(NO_PAGE);
            sink(page::lob(pages[index], next, part));
        }
        self.counts.lobs += parts.len() as u64;
        pages[0]
    }

    fn page(&mut self, used_for: Use, hint: u32) -> u32 {
        u32::try_from(self.space.allocate(used_for, hint.into())).unwrap_or(NO_PAGE)
    }
}

impl Default for Table {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(documents: usize, document_bytes: usize) -> (PageCounts, u64) {
        let mut table = Table::new();
        let mut images = 0;
        let mut sink = |image: Vec<u8>| {
            assert_eq!(image.len(), 16_384);
            images += 1;
        };
        for _ in 0..documents {
            table.insert(&vec![b'x'; document_bytes], &mut sink);
        }
        let (counts, space) = table.finish(&mut sink);
        assert_eq!(images, counts.total() - counts.own);
        (counts, space.file_bytes())
    }

    /// 343 bytes a record: 44 on a leaf, and 22 on the first, which was the root.
    #[test]
    fn rows_of_one_length_fill_leaves_up_to_the_reserve() {
        let (counts, _) = counts(22 + 44 * 100, 314);
        assert_eq!((counts.leaves, counts.nodes, counts.lobs), (101, 1, 0));
    }

    #[test]
    fn long_documents_take_pages_of_their_own() {
        let (counts, _) = counts(10, 16_331);
        assert_eq!((counts.leaves, counts.nodes, counts.lobs), (1, 0, 20));
    }
}

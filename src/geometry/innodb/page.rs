//! The bytes of a page in memory, as page compression gets them.
//!
//! What no model can know (log number, space and index ids, checksums) has plausible values: it is a few bytes of a
//! page. Transaction ids and roll pointers are another matter: the latter rise from row to row and cost up to 2.4 %.

use super::facts::{
    self, EMPTY_PAGE_ROOM, FILE_HEADER_BYTES, PAGE_BYTES, RECORD_HEADER_BYTES, RECORDS_START, TRAILER_BYTES,
};
use super::record::{NULL_BITS_BYTES, Placement, Shape};

/// Page types. Source: include/fil0fil.h.
const TYPE_INDEX: u16 = 17_855;
const TYPE_LOB: u16 = 10;
const TYPE_INODE: u16 = 3;
/// Where infimum and supremum begin, behind their headers.
const INFIMUM: usize = 99;
const SUPREMUM: usize = 112;
/// Records between two slots of the directory, on a page that was filled in order.
const RECORDS_PER_SLOT: usize = 4;
/// A slot whose records become more is split. Source: `PAGE_DIR_SLOT_MAX_N_OWNED`, include/page0page.h.
const SLOT_RECORDS_MAX: usize = 8;
/// No page. Source: `FIL_NULL`, include/fil0fil.h.
pub(super) const NO_PAGE: u32 = u32::MAX;
const SPACE_ID: u32 = 6;
const INDEX_ID: u64 = 21;
/// Of a load in one statement: the same on all rows.
const TRANSACTION_ID: u64 = 0x2a15;
/// Insert flag and rollback segment.
const ROLL_POINTER_FLAGS: u8 = 0x85;
/// Where a log of some size stands.
const LOG_NUMBER: u64 = 0x0312_4000;

/// A page's neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// The page itself.
    pub own: u32,
    /// To its left; `NO_PAGE` for none.
    pub previous: u32,
    /// To its right.
    pub next: u32,
}

/// The undo record of the row inserted last: what roll pointers point at.
#[derive(Clone, Copy, Debug)]
pub struct UndoLog {
    page: u32,
    offset: u16,
    rows: u64,
}

impl UndoLog {
    /// Where the records of an undo page begin and must end. Source: `TRX_UNDO_PAGE_HDR`, include/trx0undo.h.
    const START: u16 = 56;
    const END: u16 = 16_384 - 8 - 10;

    /// Of a transaction that begins.
    #[must_use]
    pub fn new() -> Self {
        Self { page: 0x2d, offset: 272, rows: 0 }
    }

    /// The next row's pointer. Its record takes 16 to 19 bytes, one for each 7 bits of the row's number.
    ///
    /// Source: `trx_undo_page_report_insert`, trx/trx0rec.cc; `mach_u64_write_much_compressed`.
    pub fn next_pointer(&mut self) -> [u8; 7] {
        let number_bytes = match self.rows {
            0..0x80 => 1,
            0x80..0x4000 => 2,
            0x4000..0x20_0000 => 3,
            _ => 4,
        };
        let record_bytes = 15 + number_bytes;
        if self.offset + record_bytes > Self::END {
            self.page += 1;
            self.offset = Self::START;
        }
        let [p0, p1, p2, p3] = self.page.to_be_bytes();
        let [o0, o1] = self.offset.to_be_bytes();
        self.offset += record_bytes;
        self.rows += 1;
        [ROLL_POINTER_FLAGS, p0, p1, p2, p3, o0, o1]
    }
}

impl Default for UndoLog {
    fn default() -> Self {
        Self::new()
    }
}

/// One record of a leaf that is being built.
#[derive(Clone, Debug)]
pub struct Row {
    /// Key.
    pub id: u64,
    /// Length and place of its document.
    pub shape: Shape,
    /// Where its undo record lies.
    pub roll_pointer: [u8; 7],
    /// Page of the first part of a document that lies off the page.
    pub lob_page: u32,
    /// Where its document ends among those of its page, if it lies there.
    pub document_end: usize,
}

/// A key as it is stored: big-endian, the top bit flipped.
pub(super) fn key_bytes(id: u64) -> [u8; 8] {
    (id ^ (1 << 63)).to_be_bytes()
}

/// Image of a leaf. `documents` are those of the rows that lie on the page.
#[must_use]
pub fn leaf(links: Links, rows: &[Row], documents: &[u8]) -> Vec<u8> {
    let mut image = Image::new(links, TYPE_INDEX);
    let mut start = 0;
    for row in rows {
        let mut head = Vec::with_capacity(3);
        row.shape.push_length(&mut head);
        head.extend([0; NULL_BITS_BYTES]);
        image.begin_record(&head);
        image.bytes.extend(key_bytes(row.id));
        image.bytes.extend(&TRANSACTION_ID.to_be_bytes()[2..]);
        image.bytes.extend(row.roll_pointer);
        match row.shape.placement {
            Placement::OnPage => image.bytes.extend(&documents[start..row.document_end]),
            Placement::OffPage => {
                image.bytes.extend(SPACE_ID.to_be_bytes());
                image.bytes.extend(row.lob_page.to_be_bytes());
                image.bytes.extend(u32::try_from(FILE_HEADER_BYTES).unwrap_or(0).to_be_bytes());
                image.bytes.extend((row.shape.document_bytes as u64).to_be_bytes());
            }
        }
        start = row.document_end;
    }
    image.finish(0)
}

/// Images of the pages above the leaves, lowest level first and the root last; `leaves` are page numbers with the
/// first key of each. A table of one leaf has none: its root is the leaf.
pub fn nodes(leaves: &[(u32, u64)], mut sink: impl FnMut(Vec<u8>)) {
    let mut below: Vec<(u32, u64)> = leaves.to_vec();
    let mut level = 1;
    while below.len() > 1 {
        let mut above = Vec::new();
        for (index, children) in node_pages(below.len())
            .scan(0, |at, count| {
                let start = *at;
                *at += count;
                Some(start..*at)
            })
            .enumerate()
        {
            let own = u32::try_from(index).unwrap_or(NO_PAGE) + FIRST_NODE_PAGE;
            let mut image = Image::new(Links { own, previous: NO_PAGE, next: NO_PAGE }, TYPE_INDEX);
            for (page, first_id) in &below[children.clone()] {
                image.begin_record(&[]);
                image.bytes.extend(key_bytes(*first_id));
                image.bytes.extend(page.to_be_bytes());
            }
            above.push((own, below[children.start].1));
            sink(image.finish(level));
        }
        below = above;
        level += 1;
    }
}

/// Pages above the leaves of a tree, the root included.
#[must_use]
pub fn node_count(leaves: u64) -> u64 {
    let mut pages = 0;
    let mut below = usize::try_from(leaves).unwrap_or(usize::MAX);
    while below > 1 {
        let level = node_pages(below).count();
        pages += level as u64;
        below = level;
    }
    pages
}

/// Children of each page of a level. The first that was full was halved; the others fill up.
fn node_pages(children: usize) -> impl Iterator<Item = usize> {
    let first = if children <= NODE_CHILDREN_MAX { children } else { NODE_CHILDREN_MAX / 2 };
    let mut left = children;
    std::iter::from_fn(move || {
        let page = if left == children { first } else { left.min(NODE_CHILDREN_MAX) };
        left -= page;
        (page > 0).then_some(page)
    })
}

/// Node pointers on a page, and half a byte of directory for each.
const NODE_CHILDREN_MAX: usize = EMPTY_PAGE_ROOM * 2 / (2 * facts::NODE_POINTER_BYTES + 1);
const _: () = assert!(NODE_CHILDREN_MAX == 928);
const FIRST_NODE_PAGE: u32 = 36;

/// Image of a page of a document.
#[must_use]
pub fn lob(own: u32, next: u32, part: &[u8]) -> Vec<u8> {
    let mut image = Image::new(Links { own, previous: NO_PAGE, next: NO_PAGE }, TYPE_LOB);
    image.bytes.truncate(FILE_HEADER_BYTES);
    image.bytes.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_be_bytes());
    image.bytes.extend(next.to_be_bytes());
    image.bytes.extend(part);
    image.close()
}

/// Image of a page of the file's own that holds next to nothing.
#[must_use]
pub fn inode(own: u32) -> Vec<u8> {
    let mut image = Image::new(Links { own, previous: NO_PAGE, next: NO_PAGE }, TYPE_INODE);
    image.bytes.truncate(FILE_HEADER_BYTES);
    image.close()
}

struct Image {
    bytes: Vec<u8>,
    own: u32,
    /// Where records begin, behind their headers.
    origins: Vec<usize>,
}

impl Image {
    fn new(links: Links, page_type: u16) -> Self {
        let mut bytes = Vec::with_capacity(PAGE_BYTES);
        bytes.extend([0; 4]);
        bytes.extend(links.own.to_be_bytes());
        bytes.extend(links.previous.to_be_bytes());
        bytes.extend(links.next.to_be_bytes());
        bytes.extend(log_number(links.own).to_be_bytes());
        bytes.extend(page_type.to_be_bytes());
        bytes.extend([0; 8]);
        bytes.extend(SPACE_ID.to_be_bytes());
        bytes.resize(RECORDS_START, 0);
        Self { bytes, own: links.own, origins: Vec::new() }
    }

    /// Lengths and null bits, then room for the header.
    fn begin_record(&mut self, head: &[u8]) {
        self.bytes.extend(head);
        self.bytes.extend([0; RECORD_HEADER_BYTES]);
        self.origins.push(self.bytes.len());
    }

    fn finish(mut self, level: u16) -> Vec<u8> {
        let count = self.origins.len();
        let heap_top = self.bytes.len();
        // The supremum's slot is split when it owns one record too many, itself included.
        let owners = if count < SLOT_RECORDS_MAX { 0 } else { (count - RECORDS_PER_SLOT) / RECORDS_PER_SLOT };
        self.link_records(owners);
        let last = self.origins.last().copied().unwrap_or(0);
        let header =
            [owners + 2, heap_top, 0x8000 | (count + 2), 0, 0, last, 2, count.saturating_sub(1), count];
        for (index, field) in header.into_iter().enumerate() {
            self.put(FILE_HEADER_BYTES + 2 * index, field);
        }
        let level_at = FILE_HEADER_BYTES + 2 * header.len() + 8;
        self.put(level_at, usize::from(level));
        self.bytes[level_at + 2..level_at + 10].copy_from_slice(&INDEX_ID.to_be_bytes());
        self.bytes.resize(PAGE_BYTES, 0);
        let slots = std::iter::once(INFIMUM)
            .chain((1..=owners).map(|slot| self.origins[slot * RECORDS_PER_SLOT - 1]))
            .chain([SUPREMUM]);
        let slots: Vec<usize> = slots.collect();
        for (index, origin) in slots.into_iter().enumerate() {
            self.put(PAGE_BYTES - TRAILER_BYTES - 2 * (index + 1), origin);
        }
        self.close()
    }

    /// Headers of all records: how many each owns, its number in the heap, the way to the next.
    fn link_records(&mut self, owners: usize) {
        let count = self.origins.len();
        let origins = std::mem::take(&mut self.origins);
        let next = |index: usize| origins.get(index).copied().unwrap_or(SUPREMUM);
        self.put_record_header(INFIMUM, 1, 2, next(0).wrapping_sub(INFIMUM));
        self.put_record_header(SUPREMUM, count + 1 - owners * RECORDS_PER_SLOT, 1 << 3 | 3, 0);
        self.bytes[INFIMUM..INFIMUM + 8].copy_from_slice(b"infimum\0");
        self.bytes[SUPREMUM..SUPREMUM + 8].copy_from_slice(b"supremum");
        for (index, origin) in origins.iter().enumerate() {
            let is_owner = (index + 1) % RECORDS_PER_SLOT == 0 && index < owners * RECORDS_PER_SLOT;
            let owned = if is_owner { RECORDS_PER_SLOT } else { 0 };
            self.put_record_header(*origin, owned, (index + 2) << 3, next(index + 1).wrapping_sub(*origin));
        }
        self.origins = origins;
    }

    fn put_record_header(&mut self, origin: usize, owned: usize, heap: usize, next: usize) {
        self.bytes[origin - RECORD_HEADER_BYTES] = owned.to_le_bytes()[0];
        self.put(origin - 4, heap);
        self.put(origin - 2, next);
    }

    /// The low 16 bits of `value`, high byte first.
    fn put(&mut self, at: usize, value: usize) {
        let [low, high, ..] = value.to_le_bytes();
        self.bytes[at] = high;
        self.bytes[at + 1] = low;
    }

    fn close(mut self) -> Vec<u8> {
        self.bytes.resize(PAGE_BYTES, 0);
        let [.., l0, l1, l2, l3] = log_number(self.own).to_be_bytes();
        let checksum = self.own.wrapping_mul(0x9e37_79b1).to_be_bytes();
        self.bytes[PAGE_BYTES - TRAILER_BYTES..PAGE_BYTES - 4].copy_from_slice(&[l0, l1, l2, l3]);
        self.bytes[PAGE_BYTES - 4..].copy_from_slice(&checksum);
        self.bytes
    }
}

/// Each page's last change lies a page's worth of log behind that of the one before.
fn log_number(page: u32) -> u64 {
    LOG_NUMBER + u64::from(page) * (PAGE_BYTES as u64 + 977)
}

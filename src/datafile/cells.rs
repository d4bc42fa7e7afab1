//! The cells of a page image, one after the other, borrowed from it.

use super::cursor::Cursor;
use super::error::{Fault, Read};
use super::page::{Page, PageKind};
use crate::geometry::wiredtiger::{cell, facts};

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// A key; on leaves of tables with prefix compression only what differs from the key before it.
    Key {
        /// Bytes that it shares with the key before it.
        prefix_bytes: u8,
    },
    /// A value.
    Value,
    /// Where a large key lies.
    OverflowKey,
    /// Where a large value lies.
    OverflowValue,
    /// Where a child lies.
    Child {
        /// Whether that child is a leaf.
        is_leaf: bool,
    },
    /// A child that was truncated away as a whole.
    DeletedChild,
    /// What an overflow item left behind.
    Removed,
}

/// Who wrote a value, and who took it away: what a cell tells beside its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellWindow {
    /// When it was written; 0 where that is not told.
    pub start_ts: u64,
    /// By which transaction.
    pub start_txn: u64,
    flags: u8,
}

/// Bits of the second descriptor byte. Source: `WT_CELL_PREPARE`, `WT_CELL_TS_DURABLE_START` and so on,
/// src/include/cell.h at tag mongodb-8.0.0.
const PREPARED: u8 = 0x01;
const STOPPED: u8 = 0x10 | 0x40;

impl CellWindow {
    /// Whether somebody who reads now finds the value: it is committed, and nobody has deleted it.
    #[must_use]
    pub fn is_live(self) -> bool {
        let stopped = self.flags & STOPPED != 0;
        // A prepared transaction has not committed: its inserts are not there yet, its deletions neither.
        if self.flags & PREPARED != 0 { stopped } else { !stopped }
    }
}

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// What it is.
    pub kind: CellKind,
    /// Its data: key, value, or the cookie of an address.
    pub data: &'a [u8],
    /// What its second descriptor says, if there is one.
    pub window: Option<CellWindow>,
    /// Bytes in front of the data.
    pub header_bytes: usize,
}

impl Cell<'_> {
    /// Bytes that a value cell has more than it would have without a time window.
    #[must_use]
    pub fn window_bytes(&self) -> u64 {
        if self.kind != CellKind::Value || self.window.is_none() {
            return 0;
        }
        let data_bytes = self.data.len() as u64;
        let plain = if data_bytes == 0 { 0 } else { u64::from(cell::value_header_bytes(data_bytes)) };
        (self.header_bytes as u64).saturating_sub(plain)
    }
}

/// Walks over a page's cells; the first broken one ends it.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    cursor: Cursor<'a>,
    left: u32,
    offset: u64,
    /// Addresses of truncated children carry who truncated them.
    has_truncations: bool,
    failed: bool,
}

impl<'a> Cells<'a> {
    /// Of a leaf or an internal page that is not encrypted.
    ///
    /// # Errors
    ///
    /// Any other page.
    pub fn of(page: &Page<'a>) -> Read<Self> {
        let offset = page.address.offset;
        if page.header.is_encrypted() {
            return Err(Fault::Encrypted { offset });
        }
        if !matches!(page.header.kind, PageKind::Leaf | PageKind::Internal) {
            return Err(Fault::Damaged { offset, at: None, what: "a page without cells in the tree" });
        }
        Ok(Self {
            cursor: Cursor::at(page.image, facts::HEADER_BYTES as usize),
            left: page.header.entries,
            offset,
            has_truncations: page.header.has_truncations(),
            failed: false,
        })
    }

    fn next_cell(&mut self) -> Result<Cell<'a>, &'static str> {
        const CUT_OFF: &str = "a cell runs past the page";
        let begins = self.cursor.position();
        let descriptor = self.cursor.byte().ok_or(CUT_OFF)?;
        let short = usize::from(descriptor >> 2);
        let (kind, data, window) = match descriptor & 0b11 {
            0b01 => (CellKind::Key { prefix_bytes: 0 }, self.cursor.take(short), None),
            0b10 => {
                let prefix_bytes = self.cursor.byte().ok_or(CUT_OFF)?;
                (CellKind::Key { prefix_bytes }, self.cursor.take(short), None)
            }
            0b11 => (CellKind::Value, self.cursor.take(short), None),
            _ => self.long_cell(descriptor)?,
        };
        let data = data.ok_or(CUT_OFF)?;
        Ok(Cell { kind, data, window, header_bytes: self.cursor.position() - begins - data.len() })
    }

    /// Source: `__wt_cell_unpack_safe`, `src/include/cell_inline.h` at tag mongodb-8.0.0.
    #[expect(clippy::type_complexity, reason = "the parts of one cell, put together by the caller")]
    fn long_cell(
        &mut self,
        descriptor: u8,
    ) -> Result<(CellKind, Option<&'a [u8]>, Option<CellWindow>), &'static str> {
        const SECOND_DESCRIPTOR: u8 = 0x08;
        const REPEATED: u8 = 0x04;
        /// What is taken off the length of a long cell that a short one could not hold.
        const LENGTH_ADJUST: u64 = 64;
        const NOT_PACKED: &str = "a cell holds what is no packed integer";
        let cursor = &mut self.cursor;
        let kind = match descriptor >> 4 {
            0 => CellKind::DeletedChild,
            1 => CellKind::Child { is_leaf: false },
            2 | 3 => CellKind::Child { is_leaf: true },
            4 | 11 | 12 => CellKind::Removed,
            5 => CellKind::Key { prefix_bytes: 0 },
            6 => CellKind::OverflowKey,
            7 => CellKind::Key { prefix_bytes: cursor.byte().ok_or(NOT_PACKED)? },
            8 => CellKind::Value,
            10 => CellKind::OverflowValue,
            _ => return Err("a cell of a kind that mongod's tables never have"),
        };
        let has_second = descriptor & SECOND_DESCRIPTOR != 0;
        let window = if has_second { Some(read_window(cursor).ok_or(NOT_PACKED)?) } else { None };
        if kind == CellKind::DeletedChild && self.has_truncations {
            for _transaction_and_times in 0..3 {
                cursor.packed().ok_or(NOT_PACKED)?;
            }
        }
        let repeats = if descriptor & REPEATED == 0 { 0 } else { cursor.packed().ok_or(NOT_PACKED)? };
        if repeats > 1 {
            return Err("a repeated cell, which no row store has");
        }
        let mut length = cursor.packed().ok_or(NOT_PACKED)?;
        let is_key = matches!(kind, CellKind::Key { .. });
        if is_key || kind == CellKind::Value && !has_second && descriptor & REPEATED == 0 {
            length = length.checked_add(LENGTH_ADJUST).ok_or(NOT_PACKED)?;
        }
        Ok((kind, cursor.take_u64(length), window))
    }
}

/// The fields that the second descriptor announces, in the order in which they stand.
///
/// Source: `__cell_pack_value_validity` and `__cell_pack_addr_validity`, `src/include/cell_inline.h` at tag
/// mongodb-8.0.0: start time, start transaction, durable start, stop time, stop transaction, durable stop.
fn read_window(cursor: &mut Cursor<'_>) -> Option<CellWindow> {
    const START_TS: u8 = 0x08;
    const START_TXN: u8 = 0x20;
    const FIELDS: [u8; 6] = [START_TS, START_TXN, 0x02, 0x10, 0x40, 0x04];
    let flags = cursor.byte()?;
    let mut window = CellWindow { flags, ..CellWindow::default() };
    for field in FIELDS {
        if flags & field == 0 {
            continue;
        }
        let value = cursor.packed()?;
        match field {
            START_TS => window.start_ts = value,
            START_TXN => window.start_txn = value,
            _ => {}
        }
    }
    Some(window)
}

impl<'a> Iterator for Cells<'a> {
    type Item = Read<Cell<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let at = self.cursor.position();
        let damaged = |what| Some(Err(Fault::Damaged { offset: self.offset, at: Some(at), what }));
        if self.left == 0 {
            self.failed = true; // asked again, there is nothing more
            return if self.cursor.is_at_end() { None } else { damaged("bytes behind the last cell") };
        }
        self.left -= 1;
        match self.next_cell() {
            Ok(cell) => Some(Ok(cell)),
            Err(what) => {
                self.failed = true;
                Some(Err(Fault::Damaged { offset: self.offset, at: Some(at), what }))
            }
        }
    }
}

//! What a leaf holds, counted from its cells.

use super::block::Address;
use super::cells::{CellKind, CellWindow, Cells};
use super::error::{Fault, Read};
use super::page::{Page, PageKind, PageReader};
use crate::document;
use crate::geometry::wiredtiger::facts;
use crate::units::AllocationUnit;

/// One leaf, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeafCounts {
    /// Keys that somebody who reads now finds.
    pub live: u64,
    /// Keys kept for older readers only: deleted, or not committed.
    pub dead: u64,
    /// Bytes of the live values.
    pub value_bytes: u64,
    /// Live values that are documents: length and terminator agree.
    pub documents: u64,
    /// Their bytes.
    pub document_bytes: u64,
    /// Values with a time window.
    pub windows: u64,
    /// What the windows take.
    pub window_bytes: u64,
    /// Blocks of overflow items.
    pub overflow: Vec<Address>,
}

impl LeafCounts {
    /// Of a page.
    ///
    /// # Errors
    ///
    /// A page that is no leaf, an encrypted one, and cells that break the format.
    pub fn of(page: &Page<'_>, unit: AllocationUnit) -> Read<Self> {
        let mut counts = Self::default();
        for_each_record(page, unit, |record| {
            counts.overflow.extend(record.overflow_key);
            if let Some(Value { data, window_bytes, .. }) = record.value {
                counts.windows += u64::from(window_bytes > 0);
                counts.window_bytes += window_bytes;
                if let ValueData::Overflow(address) = data {
                    counts.overflow.push(address);
                }
            }
            if !record.is_live {
                counts.dead += 1;
                return;
            }
            counts.live += 1;
            if let Some(Value { data: ValueData::Here(bytes), .. }) = record.value {
                counts.value_bytes += bytes.len() as u64;
                if document::check(bytes).is_ok() {
                    counts.documents += 1;
                    counts.document_bytes += bytes.len() as u64;
                }
            }
        })?;
        Ok(counts)
    }
}

/// A key and what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The key as its cell has it.
    pub key: &'a [u8],
    /// Bytes that the key shares with the one before it, in tables with prefix compression.
    pub prefix_bytes: u8,
    /// Where a large key lies.
    pub overflow_key: Option<Address>,
    /// `None` for an empty value that was never rewritten: it has no cell.
    pub value: Option<Value<'a>>,
    /// Whether somebody who reads now finds it.
    pub is_live: bool,
}

/// A value's cell.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    /// Its bytes.
    pub data: ValueData<'a>,
    /// When it was written; 0 where that is not told.
    pub start_ts: u64,
    /// By which transaction; 0 where that is not told.
    pub start_txn: u64,
    /// What the time window takes.
    pub window_bytes: u64,
}

/// Where a value's bytes are.
#[derive(Clone, Copy, Debug)]
pub enum ValueData<'a> {
    /// On the page.
    Here(&'a [u8]),
    /// In a block of their own.
    Overflow(Address),
}

/// Calls `each` for every record of a leaf, in key order.
///
/// # Errors
///
/// Those of [`LeafCounts::of`]; records before the fault have been told.
pub fn for_each_record<'a>(
    page: &Page<'a>,
    unit: AllocationUnit,
    mut each: impl FnMut(Record<'a>),
) -> Read<()> {
    let offset = page.address.offset;
    let damaged = |what| Fault::Damaged { offset, at: None, what };
    if page.header.kind != PageKind::Leaf {
        return Err(damaged("no leaf, although its parent says so"));
    }
    let address =
        |cookie| Address::of_cookie(cookie, unit).ok_or(damaged("an overflow item's address cannot be read"));
    let mut open: Option<Record<'a>> = None;
    for cell in Cells::of(page)? {
        let cell = cell?;
        let key = |prefix_bytes, key, overflow_key| Record {
            key,
            prefix_bytes,
            overflow_key,
            value: None,
            is_live: true,
        };
        match cell.kind {
            CellKind::Key { prefix_bytes } => {
                let next = key(prefix_bytes, cell.data, None);
                open.replace(next).into_iter().for_each(&mut each);
            }
            CellKind::OverflowKey => {
                let next = key(0, cell.data, Some(address(cell.data)?));
                open.replace(next).into_iter().for_each(&mut each);
            }
            CellKind::Value | CellKind::OverflowValue => {
                let record = open.take().filter(|record| record.value.is_none());
                let record = record.ok_or(damaged("a value without a key"))?;
                let data = match cell.kind {
                    CellKind::Value => ValueData::Here(cell.data),
                    _ => ValueData::Overflow(address(cell.data)?),
                };
                let window = cell.window.unwrap_or_default();
                let (start_ts, start_txn) = (window.start_ts, window.start_txn);
                let value = Value { data, start_ts, start_txn, window_bytes: cell.window_bytes() };
                let is_live = cell.window.is_none_or(CellWindow::is_live);
                each(Record { value: Some(value), is_live, ..record });
            }
            CellKind::Removed => {}
            CellKind::Child { .. } | CellKind::DeletedChild => return Err(damaged("a child on a leaf")),
        }
    }
    open.into_iter().for_each(&mut each);
    Ok(())
}

/// Appends the data of the overflow item at `address`.
///
/// # Errors
///
/// Those of [`PageReader::read`], and a page that is no overflow item.
pub fn read_overflow(reader: &mut PageReader<'_>, address: Address, out: &mut Vec<u8>) -> Read<()> {
    let page = reader.read(address)?;
    let offset = address.offset;
    if page.header.is_encrypted() {
        return Err(Fault::Encrypted { offset });
    }
    let start = facts::HEADER_BYTES as usize;
    let end = usize::try_from(page.header.entries).ok().and_then(|bytes| bytes.checked_add(start));
    let is_overflow = page.header.kind == PageKind::Overflow;
    let data = end.filter(|_| is_overflow).and_then(|end| page.image.get(start..end));
    let what = "not the overflow item that its cell promises";
    out.extend_from_slice(data.ok_or(Fault::Damaged { offset, at: None, what })?);
    Ok(())
}

//! What each record of an index takes in its cells.

use super::{
    IndexConfig, IndexEntries,
    blocks::{Blocks, Extent},
    leaf::{LeafWriter, Record, Saved},
    order::{OrderedEntries, common_bytes},
    pages::LeafPage,
};
use crate::geometry::wiredtiger::{
    cell, facts,
    reconcile::{self, Chunk, Pushed},
    window::{Aggregate, LoadClock},
};
use crate::units::{DiskBytes, RawBytes};
use std::collections::BTreeMap;

/// A record's place in key order: its entry's rank, and in the lowest bit whether it is the entry itself or the
/// ghost, which sorts just before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(pub(super) u32);

impl Place {
    pub(super) const FIRST: Self = Self(0);

    pub(super) fn entry(rank: u32) -> Self {
        Self(rank << 1 | 1)
    }

    pub(super) fn ghost(rank: u32) -> Self {
        Self(rank << 1)
    }

    /// Position of its entry in key order.
    fn entry_at(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_ghost(self) -> bool {
        self.0 & 1 == 0
    }
}

/// Whether the values that a load wrote still have their time windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadState {
    /// A standalone server, or a replica set whose history window has passed before pages were written.
    Settled,
    /// A replica set, its pages written within the history window of the load.
    Bulk,
}

/// The records of an index, and which of their parts lie outside the pages.
#[derive(Debug)]
pub(super) struct Records<'a> {
    pub(super) config: IndexConfig,
    entries: &'a IndexEntries,
    /// `None` if no value has a window.
    windows: Option<LoadClock>,
    /// Bytes in front of each entry's value, by rank: pages are written many times, windows never change. Empty
    /// without windows.
    value_headers: Vec<u8>,
    overflow_keys: BTreeMap<Place, Extent>,
    overflow_values: BTreeMap<Place, Extent>,
}

impl<'a> Records<'a> {
    pub(super) fn new(
        config: &IndexConfig,
        order: &'a OrderedEntries<'_>,
        windows: Option<LoadClock>,
    ) -> Self {
        Self {
            config: *config,
            entries: order.by_rank(),
            windows,
            value_headers: windows.map_or(Vec::new(), |clock| value_headers(order.by_rank(), clock)),
            overflow_keys: BTreeMap::new(),
            overflow_values: BTreeMap::new(),
        }
    }

    pub(super) fn key(&self, place: Place) -> &'a [u8] {
        if place.is_ghost() {
            self.entries.ghost(place.entry_at())
        } else {
            self.entries.key(place.entry_at())
        }
    }

    pub(super) fn document(&self, place: Place) -> u64 {
        self.entries.document(place.entry_at())
    }

    fn value_bytes(&self, place: Place) -> u64 {
        if place.is_ghost() { 0 } else { self.entries.value_bytes(place.entry_at()) }
    }

    /// What its update adds to the pressure on its page while that is saved. A ghost has two: written, deleted.
    pub(super) fn saved_bytes(&self, place: Place) -> u64 {
        let saved = reconcile::saved_bytes(self.value_bytes(place));
        if place.is_ghost() { saved + facts::UPDATE_MEMORY_BYTES + saved } else { saved }
    }

    /// Expected memory of its insert, in thirds of a byte.
    pub(super) fn memory_thirds(&self, place: Place) -> u64 {
        let update_bytes = self.saved_bytes(place) + facts::UPDATE_MEMORY_BYTES;
        facts::INSERT_MEMORY_BYTES_THIRDS + 3 * (self.key(place).len() as u64 + update_bytes)
    }

    /// Bytes of its value cell. A long value is written to blocks of its own when first asked for.
    fn value_cell_bytes(&mut self, place: Place, blocks: &mut Blocks) -> u64 {
        let mut bytes = self.value_bytes(place);
        let is_long = bytes > self.config.page_value_bytes_max();
        if let Some(header_bytes) =
            self.value_headers.get(place.entry_at()).filter(|_| !is_long && !place.is_ghost())
        {
            return bytes + u64::from(*header_bytes);
        }
        if is_long {
            let image_bytes = u64::from(facts::HEADER_BYTES) + bytes;
            let block = *self.overflow_values.entry(place).or_insert_with(|| blocks.allocate(image_bytes));
            bytes = cell::cookie_bytes(block.offset, block.stored.0, blocks.unit().bytes()).into();
        }
        match self.windows {
            Some(clock) => {
                let header = clock.window(self.document(place)).value_header_bytes(bytes);
                bytes + u64::from(header) + if place.is_ghost() { GHOST_STOP_BYTES } else { 0 }
            }
            None if is_long => facts::OVERFLOW_CELL_BYTES + bytes,
            None if bytes == 0 => 0,
            None => u64::from(cell::value_header_bytes(bytes)) + bytes,
        }
    }

    /// Hands a record to a page. Nothing is `saved` unless its update is, although it is written.
    #[inline]
    pub(super) fn write(
        &mut self,
        place: Place,
        saved: Saved,
        writer: &mut LeafWriter<'a>,
        blocks: &mut Blocks,
    ) -> Pushed {
        let overflow =
            if self.overflow_keys.is_empty() { None } else { self.overflow_keys.get(&place).copied() };
        let value_cell_bytes = self.value_cell_bytes(place, blocks);
        let record = Record { key: self.key(place), value_cell_bytes, saved, overflow };
        let taken = writer.push(&record, blocks);
        if let Some(block) = taken.overflow {
            self.overflow_keys.insert(place, block);
        }
        taken.pushed
    }

    /// Bytes of the key that separates two pages: the shortest prefix of the right one's first key that differs
    /// from the left one's last; the whole key if that last one is an overflow key.
    ///
    /// Source: `__rec_split_row_promote`, `src/reconcile/rec_write.c` at tag mongodb-8.0.0; `key_sfx_compress` in
    /// `__rec_key_state_update`, `src/reconcile/rec_row.c`.
    pub(super) fn separator_bytes(&self, left_last: Place, right_first: Place) -> usize {
        let right = self.key(right_first);
        if self.overflow_keys.contains_key(&left_last) {
            return right.len();
        }
        (common_bytes(self.key(left_last), right) + 1).min(right.len())
    }

    /// The first place behind `left` whose key is not below the separator of this length in front of `right`.
    pub(super) fn first_behind(&self, left: Place, right: Place, separator_bytes: usize) -> Place {
        let separator = &self.key(right)[..separator_bytes];
        let (mut low, mut high) = (left.0 + 1, right.0);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(Place(middle)) < separator { low = middle + 1 } else { high = middle }
        }
        Place(low)
    }

    /// The leaf that holds these records, without its block.
    pub(super) fn leaf(&self, places: impl Iterator<Item = Place>, chunk: &Chunk) -> Leaf {
        let (mut values, mut documents) = (0, None::<(u64, u64)>);
        for place in places {
            let has_value = self.windows.is_some() || self.value_bytes(place) > 0;
            values += u32::from(has_value);
            if self.windows.is_some() {
                let document = self.document(place);
                documents = Some(documents.map_or((document, document), |(oldest, newest)| {
                    (oldest.min(document), newest.max(document))
                }));
            }
        }
        let windows = self.windows.zip(documents).map(|(clock, (oldest, newest))| {
            Aggregate::of(clock.window(oldest)).with(Aggregate::of(clock.window(newest)))
        });
        let unit = self.config.table().allocation;
        let page = LeafPage {
            entries: chunk.records,
            cells: chunk.records + values,
            image: RawBytes(chunk.image_bytes),
            stored: unit.round_up(chunk.image_bytes),
        };
        Leaf { page, windows }
    }

    /// Bytes of each block of an overflow item.
    pub(super) fn overflow_blocks(&self) -> Vec<DiskBytes> {
        self.overflow_keys.values().chain(self.overflow_values.values()).map(|block| block.stored).collect()
    }
}

/// Nine bytes of timestamp, nine of transaction id and nine of length are the most that such a header can have.
fn value_headers(entries: &IndexEntries, clock: LoadClock) -> Vec<u8> {
    let header = |entry| {
        let window = clock.window(entries.document(entry));
        u8::try_from(window.value_header_bytes(entries.value_bytes(entry))).unwrap_or(u8::MAX)
    };
    (0..entries.len()).map(header).collect()
}

/// A leaf page and what its address says of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) page: LeafPage,
    pub(super) windows: Option<Aggregate>,
}

/// What a ghost's window has more than another's: stop timestamp and stop transaction, as differences of zero.
///
/// Source: `__cell_pack_value_validity`, `src/include/cell_inline.h` at tag mongodb-8.0.0; measured on mongod 6.0.5 and
/// 6.0.27 (`8c 78 .. 80 80 80 80`).
const GHOST_STOP_BYTES: u64 = 2;

//! Cuts sorted keys into leaf images.

use super::{
    IndexConfig,
    blocks::{Blocks, Extent},
    order::common_bytes,
};
use crate::geometry::wiredtiger::{
    cell, facts,
    reconcile::{Chunk, Chunker, Item, Limits, Pushed},
};

/// What saved updates count for: at first, and when the engine counts them anew.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Saved {
    pub(super) bytes: u64,
    pub(super) list_bytes: u64,
}

/// What a leaf image holds of a record, or keeps back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) key: &'a [u8],
    /// Of its value cell, nothing if there is none.
    pub(super) value_cell_bytes: u64,
    /// Memory of its updates, if they are saved.
    pub(super) saved: Saved,
    /// Where its key lies if the page was read with it in blocks of its own: it stays there.
    pub(super) overflow: Option<Extent>,
}

/// A record that was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) pushed: Pushed,
    /// Where its key lies, if not on the page.
    pub(super) overflow: Option<Extent>,
}

/// The chunker, and the state of prefix compression.
///
/// Source: `__rec_cell_build_leaf_key` and `__rec_key_state_update`, `src/reconcile/rec_row.c` at tag
/// mongodb-8.0.0.
#[derive(Debug)]
pub(super) struct LeafWriter<'a> {
    chunker: Chunker,
    page_key_bytes_max: u64,
    unit_bytes: u64,
    /// The last key that is on its page. `None` if the next key is to be whole: a page begins, or a boundary was
    /// met and only overflow keys since.
    previous: Option<&'a [u8]>,
    previous_prefix: usize,
}

impl<'a> LeafWriter<'a> {
    pub(super) fn reconciliation(config: &IndexConfig) -> Self {
        Self::with(config, Chunker::new)
    }

    pub(super) fn bulk_load(config: &IndexConfig) -> Self {
        Self::with(config, Chunker::bulk_load)
    }

    fn with(config: &IndexConfig, chunker: fn(Limits) -> Chunker) -> Self {
        let table = config.table();
        Self {
            chunker: chunker(Limits::leaf(table.leaf_page_bytes_max, table.allocation)),
            page_key_bytes_max: config.page_key_bytes_max(),
            unit_bytes: table.allocation.bytes(),
            previous: None,
            previous_prefix: 0,
        }
    }

    /// Takes the next record in key order. Overflow keys are written at once.
    pub(super) fn push(&mut self, record: &Record<'a>, blocks: &mut Blocks) -> Taken {
        if let Some(block) = record.overflow {
            let bytes = self.overflow_cell_bytes(block.offset, block.stored.0);
            let pushed = self.push_cells(record, bytes, bytes);
            if pushed.whole {
                self.previous = None;
            }
            return Taken { pushed, overflow: Some(block) };
        }
        let key_bytes = record.key.len() as u64;
        let is_long = key_bytes > self.page_key_bytes_max;
        let block_bytes = u64::from(facts::HEADER_BYTES) + key_bytes;
        let whole_cell_bytes = if is_long {
            self.overflow_cell_bytes(blocks.next_offset(block_bytes), block_bytes)
        } else {
            key_cell_bytes(0, key_bytes)
        };
        let mut prefix = self.prefix(record.key);
        let suffix_bytes = key_bytes - prefix as u64;
        let is_whole = prefix == 0 || suffix_bytes > self.page_key_bytes_max;
        let cell_bytes =
            if is_whole { whole_cell_bytes } else { key_cell_bytes(prefix as u64, suffix_bytes) };
        let pushed = self.push_cells(record, cell_bytes, whole_cell_bytes);
        if pushed.whole {
            self.previous = None;
        }
        if is_whole || pushed.whole {
            prefix = 0;
        }
        self.previous_prefix = prefix;
        if is_long && prefix == 0 {
            return Taken { pushed, overflow: Some(blocks.allocate(block_bytes)) };
        }
        self.previous = Some(record.key);
        Taken { pushed, overflow: None }
    }

    fn push_cells(&mut self, record: &Record<'a>, key_bytes: u64, whole_key_bytes: u64) -> Pushed {
        let item = Item {
            bytes: key_bytes + record.value_cell_bytes,
            whole_bytes: whole_key_bytes + record.value_cell_bytes,
            saved_bytes: record.saved.bytes,
        };
        self.chunker.push_listed(item, record.saved.list_bytes)
    }

    /// Passes over a record that stays in memory.
    pub(super) fn hold_back(&mut self, saved_bytes: u64) -> Pushed {
        let pushed = self.chunker.hold_back(saved_bytes);
        if pushed.whole {
            self.previous = None;
        }
        pushed
    }

    pub(super) fn finish(self) -> [Option<Chunk>; 2] {
        self.chunker.finish()
    }

    /// Length of the prefix that is left out. It ratchets: what is a little longer than the one before stays as
    /// long as that, so that a reader can go through the page without rebuilding each key.
    fn prefix(&self, key: &[u8]) -> usize {
        let Some(previous) = self.previous else { return 0 };
        let common = common_bytes(previous, key).min(facts::PREFIX_BYTES_MAX);
        if common < facts::PREFIX_BYTES_MIN {
            return 0;
        }
        let last = self.previous_prefix;
        if last != 0 && common > last && common < last + facts::PREFIX_GAIN_BYTES_MIN { last } else { common }
    }

    fn overflow_cell_bytes(&self, offset: u64, bytes: u64) -> u64 {
        let cookie = cell::packed_bytes(offset / self.unit_bytes - 1)
            + cell::packed_bytes(bytes.div_ceil(self.unit_bytes))
            + facts::COOKIE_CHECKSUM_BYTES;
        facts::OVERFLOW_CELL_BYTES + u64::from(cookie)
    }
}

fn key_cell_bytes(prefix: u64, suffix: u64) -> u64 {
    u64::from(cell::key_header_bytes(prefix, suffix)) + suffix
}

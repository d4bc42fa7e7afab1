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
    #[inline]
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

    #[inline]
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
        let cookie = cell::cookie_bytes(offset, bytes, self.unit_bytes);
        facts::OVERFLOW_CELL_BYTES + u64::from(cookie)
    }
}

fn key_cell_bytes(prefix: u64, suffix: u64) -> u64 {
    u64::from(cell::key_header_bytes(prefix, suffix)) + suffix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::wiredtiger::Release;
    use crate::units::AllocationUnit;

    fn write(writer: &mut LeafWriter<'static>, key: &'static [u8], blocks: &mut Blocks) -> Taken {
        let record = Record { key, value_cell_bytes: 0, saved: Saved::default(), overflow: None };
        writer.push(&record, blocks)
    }

    fn image_bytes(keys: &[&'static [u8]]) -> u64 {
        let mut writer = LeafWriter::reconciliation(&IndexConfig::new(Release::NEWEST));
        let mut blocks = Blocks::new(AllocationUnit::DEFAULT);
        for key in keys {
            write(&mut writer, key, &mut blocks);
        }
        writer.finish()[0].map_or(0, |chunk| chunk.image_bytes)
    }

    /// A prefix grows only by ten bytes and more, but shrinks at once: after one poor neighbour a page's keys stay
    /// long.
    #[test]
    fn prefixes_ratchet_down() {
        let cases: [(&[&[u8]], u64, &str); 5] = [
            (&[b"aaaa0", b"aaa1"], 6 + 5, "three shared bytes are too few"),
            (&[b"aaaa0", b"aaaa1"], 6 + 3, "four are enough"),
            (&[b"aaaa0", b"aaaa1234", b"aaaa1235"], 6 + 6 + 6, "seven after four stay four"),
            (&[b"aaaa0", b"aaaa1234567890", b"aaaa1234567891"], 6 + 12 + 12, "thirteen do, too"),
            (&[b"aaaa0", b"aaaa12345678901", b"aaaa12345678902"], 6 + 13 + 3, "fourteen are ten more"),
        ];
        for (keys, want, why) in cases {
            assert_eq!(image_bytes(keys), 40 + want, "{why}");
        }
    }

    /// Equal keys, of which each but the whole ones takes two bytes. A reconciliation writes one key whole where
    /// half the page is full, and counts its prefix anew; a bulk load does not.
    #[test]
    fn the_second_choice_boundary_makes_one_key_whole() {
        const KEY: &[u8] = &[b'a'; 60];
        let config = IndexConfig::new(Release::NEWEST);
        for (mut writer, want) in [
            (LeafWriter::bulk_load(&config), 40 + 61 + 5999 * 2),
            (LeafWriter::reconciliation(&config), 40 + 2 * 61 + 5998 * 2),
        ] {
            let mut blocks = Blocks::new(AllocationUnit::DEFAULT);
            for _ in 0..6000 {
                write(&mut writer, KEY, &mut blocks);
            }
            assert_eq!(writer.finish()[0].unwrap().image_bytes, want);
        }
    }

    #[test]
    fn a_key_too_long_for_its_page_goes_to_blocks_of_its_own() {
        const LONG: &[u8] = &[b'a'; 1475];
        const FITS: &[u8] = &[b'a'; 1474];
        let config = IndexConfig::new(Release::NEWEST);
        let mut blocks = Blocks::new(AllocationUnit::DEFAULT);
        let mut writer = LeafWriter::reconciliation(&config);
        assert_eq!(write(&mut writer, FITS, &mut blocks).overflow, None);
        assert_eq!(write(&mut writer, LONG, &mut blocks).overflow, None, "its suffix fits behind a prefix");
        let mut writer = LeafWriter::reconciliation(&config);
        let block = write(&mut writer, LONG, &mut blocks).overflow.unwrap();
        assert_eq!((block.offset, block.stored.0), (4096, 4096));
        assert_eq!(write(&mut writer, b"aaaab", &mut blocks).overflow, None);
        let bytes = writer.finish()[0].unwrap().image_bytes;
        assert_eq!(bytes, 40 + (2 + 7) + 6, "an overflow cell; the key behind has no prefix to share");
    }
}

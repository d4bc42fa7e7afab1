//! From an in-memory page to page images: where the boundaries fall.

use super::{facts, segment};
use crate::units::AllocationUnit;

/// Bytes at which an image of target size `page_bytes` is cut: `pct` per cent, rounded to the nearest
/// multiple of the allocation size unless that gives nothing or the whole page.
///
/// Source: `__wt_split_page_size`, `src/reconcile/rec_write.c` at tag mongodb-8.0.0.
#[must_use]
pub fn split_bytes(pct: u64, page_bytes: u64, unit_bytes: u64) -> u64 {
    let exact = page_bytes * pct / 100;
    let nearest = (exact + unit_bytes / 2) / unit_bytes * unit_bytes;
    if nearest == 0 || nearest == page_bytes { exact } else { nearest }
}

/// Sizes that decide the boundaries of one reconciliation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    page_bytes: u64,
    split_bytes: u64,
    min_split_bytes: u64,
    unit_bytes: u64,
    cells_min: u32,
}

impl Limits {
    /// Of leaf images with target size `image_bytes`.
    #[must_use]
    pub fn leaf(image_bytes: u32, unit: AllocationUnit) -> Self {
        let page_bytes = u64::from(image_bytes);
        Self {
            page_bytes,
            split_bytes: split_bytes(facts::SPLIT_PCT, page_bytes, unit.bytes()),
            min_split_bytes: split_bytes(facts::MIN_SPLIT_PCT, page_bytes, unit.bytes()),
            unit_bytes: unit.bytes(),
            cells_min: 0,
        }
    }

    /// Of internal images.
    #[must_use]
    pub fn internal(page_bytes: u32, unit: AllocationUnit) -> Self {
        Self { cells_min: facts::INTERNAL_CELLS_MIN, ..Self::leaf(page_bytes, unit) }
    }
}

/// A page image, as a run of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Records (key and value) on it.
    pub records: u32,
    /// Records in its range that stay in memory because they are not committed. See [`Chunker::hold_back`].
    pub held_back: u32,
    /// Bytes with headers.
    pub image_bytes: u64,
    /// Whether it is the last one of its reconciliation: it never makes the image size grow.
    pub last: bool,
}

/// A record on its way to an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Bytes of both cells, the key's prefix compressed where the table does that.
    pub bytes: u64,
    /// The same with the whole key, as a record has it behind a boundary.
    pub whole_bytes: u64,
    /// Memory of its update if it is *saved*: kept in memory beside the page because a reader may need it or
    /// because it is not committed. 0 if not. See [`saved_bytes`].
    pub saved_bytes: u64,
}

impl Item {
    /// Without prefix compression, and not saved.
    #[must_use]
    pub fn plain(bytes: u64) -> Self {
        Self { bytes, whole_bytes: bytes, saved_bytes: 0 }
    }
}

/// What a saved update adds to the pressure on its page.
///
/// Source: `__rec_update_save`, `src/reconcile/rec_visibility.c` at tag mongodb-6.0.5: `WT_UPDATE_MEMSIZE` less
/// `WT_UPDATE_SIZE`.
#[must_use]
pub fn saved_bytes(value_bytes: u64) -> u64 {
    segment::update_bytes(value_bytes) - facts::UPDATE_MEMORY_BYTES
}

/// The saved updates of a record: as first counted, and counted anew.
#[derive(Clone, Copy)]
struct Saved {
    bytes: u64,
    list_bytes: u64,
}

/// What became of an [`Item`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// An image that has become final, in key order.
    pub done: Option<Chunk>,
    /// Whether the record stands behind a boundary, its key whole: the next key's prefix starts anew.
    pub whole: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Open {
    records: u32,
    held_back: u32,
    bytes: u64,
    saved: u64,
    /// What `saved` becomes when it is counted anew.
    saved_lists: u64,
    saved_records: u64,
    /// What lies in front of the second-choice boundary, if one was met.
    min: Option<Front>,
}

#[derive(Clone, Copy, Debug)]
struct Front {
    records: u32,
    held_back: u32,
    bytes: u64,
}

impl Open {
    const EMPTY: Self = Self {
        records: 0,
        held_back: 0,
        bytes: facts::HEADER_BYTES as u64,
        saved: 0,
        saved_lists: 0,
        saved_records: 0,
        min: None,
    };

    fn front(&self) -> Front {
        Front { records: self.records, held_back: self.held_back, bytes: self.bytes }
    }
}

/// Cuts a stream of records into images, the way one reconciliation does, or one bulk load.
///
/// A reconciliation holds two images back: the engine decides about the last pair only at the end. A bulk load
/// writes each image when it is full and knows no second-choice boundary.
///
/// Source: `__wti_rec_split`, `__wti_rec_split_crossing_bnd`, `__wti_rec_split_finish`,
/// `src/reconcile/rec_write.c`; `__wt_bulk_insert_row`, `src/reconcile/rec_row.c`; `__wti_rec_need_split`,
/// `src/reconcile/reconcile_inline.h`; tag mongodb-8.0.0. The same rules in all releases from 4.4 on.
#[derive(Clone, Debug)]
pub struct Chunker {
    limits: Limits,
    writer: Writer,
    previous: Option<Open>,
    current: Open,
    space: u64,
    min_space: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    Reconciliation,
    BulkLoad,
}

impl Chunker {
    /// At the start of a reconciliation.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self::with(limits, Writer::Reconciliation)
    }

    /// At the start of a bulk load, as of an index that is built on existing documents.
    #[must_use]
    pub fn bulk_load(limits: Limits) -> Self {
        Self::with(limits, Writer::BulkLoad)
    }

    fn with(limits: Limits, writer: Writer) -> Self {
        let mut chunker =
            Self { limits, writer, previous: None, current: Open::EMPTY, space: 0, min_space: 0 };
        chunker.start_image();
        chunker
    }

    fn start_image(&mut self) {
        let header = u64::from(facts::HEADER_BYTES);
        self.current = Open::EMPTY;
        self.space = self.limits.split_bytes.saturating_sub(header);
        self.min_space = self.limits.min_split_bytes.saturating_sub(header);
    }

    /// Takes a record.
    pub fn push(&mut self, item: Item) -> Pushed {
        self.push_listed(item, item.saved_bytes)
    }

    /// Takes a record whose saved updates count for another sum, that of its whole list, once the engine counts
    /// them anew: when it has written an image, of all that it still holds.
    ///
    /// Source: `__rec_split_write_supd`, `src/reconcile/rec_write.c` at tag mongodb-6.0.5.
    #[inline]
    pub fn push_listed(&mut self, item: Item, list_bytes: u64) -> Pushed {
        // An update is saved before the engine asks whether its record still fits.
        self.current.saved_lists += list_bytes;
        self.current.saved += item.saved_bytes;
        self.current.saved_records += u64::from(item.saved_bytes > 0);
        let pressure = self.pressure();
        let whole = self.crosses(item.bytes + pressure);
        let bytes = if whole { item.whole_bytes } else { item.bytes };
        let mut done = None;
        if whole {
            let splits = self.crosses_split(bytes) || !self.crosses_min(bytes) || self.crosses(pressure);
            if splits {
                done = self.split(bytes, Saved { bytes: item.saved_bytes, list_bytes });
            } else if self.current.records > 0 {
                self.current.min = Some(self.current.front());
            }
        }
        self.current.records += 1;
        self.current.bytes += bytes;
        self.space = self.space.saturating_sub(bytes);
        if self.current.min.is_none() {
            self.min_space = self.min_space.saturating_sub(bytes);
        }
        Pushed { done, whole }
    }

    /// Takes a record of a transaction that has not committed: its update is saved and nothing is written.
    ///
    /// Enough of them fill a page that holds little else: then it is cut in front of this record, at half its
    /// size, too, where a written record would only have left a second-choice boundary.
    ///
    /// Source: `__rec_row_leaf_insert`, `src/reconcile/rec_row.c` at tag mongodb-8.0.0 ("fake split points").
    pub fn hold_back(&mut self, saved_bytes: u64) -> Pushed {
        self.current.saved += saved_bytes;
        self.current.saved_lists += saved_bytes;
        self.current.saved_records += 1;
        let whole = self.current.records > 0 && self.crosses(self.pressure());
        let saved = Saved { bytes: saved_bytes, list_bytes: saved_bytes };
        let done = if whole { self.split(0, saved) } else { None };
        self.current.held_back += 1;
        Pushed { done, whole }
    }

    /// Takes a record without prefix compression that is not saved. Returns an image that has become final.
    pub fn push_plain(&mut self, bytes: u64) -> Option<Chunk> {
        self.push(Item::plain(bytes)).done
    }

    fn crosses(&self, bytes: u64) -> bool {
        self.crosses_min(bytes) || self.crosses_split(bytes)
    }

    fn crosses_min(&self, bytes: u64) -> bool {
        self.writer == Writer::Reconciliation && self.current.min.is_none() && bytes > self.min_space
    }

    fn crosses_split(&self, bytes: u64) -> bool {
        bytes > self.space
    }

    /// How much longer a record seems because of saved updates that no written image has taken yet.
    fn pressure(&self) -> u64 {
        let previous = self.previous.unwrap_or_default();
        let saved_records = self.current.saved_records + previous.saved_records;
        let items = 2 * u64::from(self.current.records) + saved_records;
        if items > facts::SAVED_UPDATES_ITEMS_MIN {
            (self.current.saved + previous.saved) / facts::SAVED_UPDATES_DIVISOR
        } else {
            0
        }
    }

    fn split(&mut self, bytes: u64, saved: Saved) -> Option<Chunk> {
        let header = u64::from(facts::HEADER_BYTES);
        // A large record behind little: the image takes it rather than being cut short.
        let too_little = self.current.bytes < self.limits.split_bytes / 2 && !self.crosses(self.pressure());
        let too_few_cells = 2 * self.current.records < self.limits.cells_min;
        let done = if too_little || too_few_cells || self.current.records == 0 {
            None
        } else {
            let mut full = self.current;
            // The record at hand goes to the next image, and its update with it.
            let is_saved = u64::from(saved.bytes > 0);
            full.saved -= saved.bytes;
            full.saved_lists -= saved.list_bytes;
            full.saved_records -= is_saved;
            self.start_image();
            self.current.saved = saved.bytes;
            self.current.saved_lists = saved.list_bytes;
            self.current.saved_records = is_saved;
            if self.previous.is_some() {
                full.saved = full.saved_lists;
                self.current.saved = saved.list_bytes;
            }
            match self.writer {
                Writer::Reconciliation => self.previous.replace(full).map(|open| chunk(open.front(), false)),
                Writer::BulkLoad => Some(chunk(full.front(), false)),
            }
        };
        if self.space < bytes {
            let grown = (self.current.bytes + bytes + header).next_multiple_of(self.limits.unit_bytes);
            self.space = grown - self.current.bytes;
        }
        done
    }

    /// The last one or two images.
    #[must_use]
    pub fn finish(self) -> [Option<Chunk>; 2] {
        let current = self.current;
        let Some(previous) = self.previous else {
            let some = current.records > 0 || current.held_back > 0;
            return [some.then(|| chunk(current.front(), true)), None];
        };
        let (previous_all, current_all) = (previous.front(), current.front());
        let merged = Front {
            records: previous.records + current.records,
            held_back: previous.held_back + current.held_back,
            bytes: previous.bytes + current.bytes - u64::from(facts::HEADER_BYTES),
        };
        if merged.bytes <= self.limits.page_bytes {
            return [Some(chunk(merged, true)), None];
        }
        match previous.min {
            Some(front) if current.bytes < self.limits.min_split_bytes => {
                let back = Front {
                    records: merged.records - front.records,
                    held_back: merged.held_back - front.held_back,
                    bytes: current.bytes + previous.bytes - front.bytes,
                };
                [Some(chunk(front, false)), Some(chunk(back, true))]
            }
            _ => [Some(chunk(previous_all, false)), Some(chunk(current_all, true))],
        }
    }
}

fn chunk(open: Front, last: bool) -> Chunk {
    Chunk { records: open.records, held_back: open.held_back, image_bytes: open.bytes, last }
}

/// All images of one reconciliation over these records.
pub fn chunks(limits: Limits, items: impl IntoIterator<Item = Item>) -> Vec<Chunk> {
    let mut chunker = Chunker::new(limits);
    let mut done: Vec<Chunk> = items.into_iter().filter_map(|item| chunker.push(item).done).collect();
    done.extend(chunker.finish().into_iter().flatten());
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::wiredtiger::cell;

    #[test]
    fn split_sizes_round_to_the_nearest_unit_unless_that_is_the_whole_page() {
        for (pct, page, want) in [
            (90, 32_768, 28_672),
            (50, 32_768, 16_384),
            (90, 131_072, 118_784),
            (50, 131_072, 65_536),
            (90, 4096, 3686),
            (50, 4096, 2048),
            (90, 78_656, 69_632),
            (50, 78_656, 40_960),
            (90, 32_792, 28_672),
        ] {
            assert_eq!(split_bytes(pct, page, 4096), want, "{pct} % of {page}");
        }
        assert_eq!(split_bytes(90, 16_384, 16_384), 14_745, "an index page");
    }

    /// The first two pages of the 200 B collection of docs/FORMAT.md, as mongod 6.0.5 wrote them.
    #[test]
    fn two_hundred_byte_documents_make_the_servers_pages() {
        let records = (1..=29_395).map(|record_id| Item::plain(cell::record_bytes(record_id, None, 200)));
        let pages = chunks(Limits::leaf(32_768, AllocationUnit::DEFAULT), records.clone());
        assert_eq!((pages[0].records, pages[0].image_bytes), (139, 28_611));
        assert_eq!((pages[1].records, pages[1].image_bytes), (138, 28_468));
        let pages = chunks(Limits::leaf(131_072, AllocationUnit::DEFAULT), records);
        assert_eq!((pages[0].records, pages[0].image_bytes), (576, 118_633));
    }

    #[test]
    fn the_last_pair_is_merged_rebalanced_or_kept() {
        let limits = Limits::leaf(32_768, AllocationUnit::DEFAULT);
        let shape = |records: usize| -> Vec<_> {
            chunks(limits, std::iter::repeat_n(Item::plain(1000), records))
                .iter()
                .map(|page| (page.records, page.last))
                .collect()
        };
        assert_eq!(shape(28), [(28, true)], "28040 B: below the cut");
        assert_eq!(shape(32), [(32, true)], "28 + 4 records are 32040 B: merged up to the target size");
        assert_eq!(shape(33), [(16, false), (17, true)], "33040 B: rebalanced at the 50 % boundary");
        assert_eq!(
            shape(44),
            [(16, false), (28, true)],
            "16 records behind the cut are 16040 B, below 16384"
        );
        assert_eq!(shape(45), [(28, false), (17, true)], "17 are 17040 B: kept");
    }

    #[test]
    fn a_large_record_shares_its_page_with_little_and_never_with_much() {
        let limits = Limits::leaf(32_768, AllocationUnit::DEFAULT);
        let shape = |sizes: &[u64]| -> Vec<_> {
            chunks(limits, sizes.iter().copied().map(Item::plain)).iter().map(|page| page.records).collect()
        };
        assert_eq!(shape(&[14_000, 100_000, 100]), [3], "14040 B < 14336: shared, and room to the next unit");
        assert_eq!(shape(&[14_300, 100_000, 20_000]), [1, 1, 1], "14340 B: not shared");
    }

    /// 8152 B fit in front of the second-choice boundary. Records of 100 B with 170 B saved beside each count 17 B
    /// more, so the page is cut there; what is held back stays in the range of the page it precedes.
    #[test]
    fn records_held_back_cut_the_page_at_half_its_size() {
        let limits = Limits::leaf(16_384, AllocationUnit::DEFAULT);
        let mut chunker = Chunker::new(limits);
        let mut done = Vec::new();
        for _ in 0..160 {
            done.extend(chunker.push_plain(100));
            done.extend(chunker.hold_back(170).done);
        }
        done.extend(chunker.finish().into_iter().flatten());
        let shape: Vec<_> = done.iter().map(|page| (page.records, page.held_back)).collect();
        assert_eq!(shape, [(70, 69), (90, 91)], "the second cut is undone: both parts fit on a page");
        let plain = chunks(limits, std::iter::repeat_n(Item::plain(100), 160));
        assert_eq!(plain.len(), 1, "16040 B: without them one page");
    }

    #[test]
    fn no_records_make_no_pages() {
        assert!(chunks(Limits::leaf(32_768, AllocationUnit::DEFAULT), []).is_empty());
    }
}

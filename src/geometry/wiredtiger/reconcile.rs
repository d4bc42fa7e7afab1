//! From an in-memory page to page images: where the boundaries fall.

use super::facts;
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
    /// Bytes with headers.
    pub image_bytes: u64,
    /// Whether it is the last one of its reconciliation: it never makes the image size grow.
    pub last: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Open {
    records: u32,
    bytes: u64,
    /// Records and bytes in front of the second-choice boundary, if one was met.
    min: Option<(u32, u64)>,
}

impl Open {
    const EMPTY: Self = Self { records: 0, bytes: facts::HEADER_BYTES as u64, min: None };
}

/// Cuts a stream of records into images, the way one reconciliation does.
///
/// Two images are held back: the engine decides about the last pair only at the end.
///
/// Source: `__wti_rec_split`, `__wti_rec_split_crossing_bnd`, `__wti_rec_split_finish`,
/// `src/reconcile/rec_write.c` at tag mongodb-8.0.0. The same rules in all releases from 4.4 on.
#[derive(Clone, Debug)]
pub struct Chunker {
    limits: Limits,
    previous: Option<Open>,
    current: Open,
    space: u64,
    min_space: u64,
}

impl Chunker {
    /// At the start of a reconciliation.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let mut chunker = Self { limits, previous: None, current: Open::EMPTY, space: 0, min_space: 0 };
        chunker.start_image();
        chunker
    }

    fn start_image(&mut self) {
        let header = u64::from(facts::HEADER_BYTES);
        self.current = Open::EMPTY;
        self.space = self.limits.split_bytes.saturating_sub(header);
        self.min_space = self.limits.min_split_bytes.saturating_sub(header);
    }

    /// Takes a record of `bytes` (both cells). Returns an image that has become final.
    pub fn push(&mut self, bytes: u64) -> Option<Chunk> {
        let mut done = None;
        let crosses_split = bytes > self.space;
        let crosses_min = self.current.min.is_none() && bytes > self.min_space;
        if crosses_split {
            done = self.split(bytes);
        } else if crosses_min && self.current.records > 0 {
            self.current.min = Some((self.current.records, self.current.bytes));
        }
        self.current.records += 1;
        self.current.bytes += bytes;
        self.space -= bytes; // split() has made room
        if self.current.min.is_none() {
            self.min_space = self.min_space.saturating_sub(bytes);
        }
        done
    }

    fn split(&mut self, bytes: u64) -> Option<Chunk> {
        let header = u64::from(facts::HEADER_BYTES);
        // A large record behind little: the image takes it rather than being cut short.
        let too_little = self.current.bytes < self.limits.split_bytes / 2;
        let too_few_cells = 2 * self.current.records < self.limits.cells_min;
        let done = if too_little || too_few_cells {
            None
        } else {
            let full = std::mem::replace(&mut self.current, Open::EMPTY);
            self.start_image();
            self.previous.replace(full).map(|open| chunk(open, false))
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
            return [(current.records > 0).then(|| chunk(current, true)), None];
        };
        let merged_bytes = previous.bytes + current.bytes - u64::from(facts::HEADER_BYTES);
        if merged_bytes <= self.limits.page_bytes {
            let merged = Open { records: previous.records + current.records, bytes: merged_bytes, min: None };
            return [Some(chunk(merged, true)), None];
        }
        match previous.min {
            Some((records, bytes)) if current.bytes < self.limits.min_split_bytes => {
                let front = Open { records, bytes, min: None };
                let back = Open {
                    records: current.records + previous.records - records,
                    bytes: current.bytes + previous.bytes - bytes,
                    min: None,
                };
                [Some(chunk(front, false)), Some(chunk(back, true))]
            }
            _ => [Some(chunk(previous, false)), Some(chunk(current, true))],
        }
    }
}

fn chunk(open: Open, last: bool) -> Chunk {
    Chunk { records: open.records, image_bytes: open.bytes, last }
}

/// All images of one reconciliation over records of these lengths.
pub fn chunks(limits: Limits, record_bytes: impl IntoIterator<Item = u64>) -> Vec<Chunk> {
    let mut chunker = Chunker::new(limits);
    let mut done: Vec<Chunk> = record_bytes.into_iter().filter_map(|bytes| chunker.push(bytes)).collect();
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
        let records = (1..=29_395).map(|record_id| cell::record_bytes(record_id, 200));
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
            chunks(limits, std::iter::repeat_n(1000, records))
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
            chunks(limits, sizes.iter().copied()).iter().map(|page| page.records).collect()
        };
        assert_eq!(shape(&[14_000, 100_000, 100]), [3], "14040 B < 14336: shared, and room to the next unit");
        assert_eq!(shape(&[14_300, 100_000, 20_000]), [1, 1, 1], "14340 B: not shared");
    }

    #[test]
    fn no_records_make_no_pages() {
        assert!(chunks(Limits::leaf(32_768, AllocationUnit::DEFAULT), []).is_empty());
    }
}

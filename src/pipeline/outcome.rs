//! What became of a segment's pages at one image size: packed for real, or estimated from a few of them.

use super::segments::Segment;
use super::state::{FreshInserts, State};
use crate::geometry::wiredtiger::{
    cell, charge,
    feedback::ImageSize,
    reconcile::{self, Chunk, Item, Limits},
};
use crate::units::{AllocationUnit, PackedBytes, RawBytes};

/// One leaf page as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOutcome {
    /// Bytes of its image.
    pub image_bytes: u64,
    /// Bytes packed, if it is stored packed.
    pub packed_bytes: Option<u64>,
    /// Bytes in the file.
    pub stored_bytes: u64,
    /// Whether it is its segment's last.
    pub last: bool,
}

impl PageOutcome {
    /// Where writing it moves the image size.
    #[must_use]
    pub fn moves(&self, size: ImageSize) -> ImageSize {
        size.after_block(self.packed_bytes, self.last)
    }
}

/// The pages of one segment at one image size.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    pages: Vec<PageOutcome>,
}

impl Pages {
    /// In key order.
    #[must_use]
    pub fn pages(&self) -> &[PageOutcome] {
        &self.pages
    }

    /// From outcomes in key order.
    #[must_use]
    pub fn new(pages: Vec<PageOutcome>) -> Self {
        Self { pages }
    }
}

/// A segment's records as lengths: where its pages end at any image size, without touching a document.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bytes of all cells up to and with record i.
    cumulated: Vec<u64>,
    /// What record i's saved update weighs; empty where none is saved.
    saved: Vec<u32>,
    unit: AllocationUnit,
}

impl Layout {
    /// Of a segment of a collection in one of its states.
    #[must_use]
    pub fn of(segment: &Segment, state: &State, unit: AllocationUnit) -> Self {
        let mut total = 0;
        let lengths = (0..segment.records()).map(|index| segment.document(index).len() as u64);
        let cumulated = lengths
            .clone()
            .zip(segment.first_record_id..)
            .map(|(bytes, record_id)| {
                total += cell::record_bytes(record_id, state.window(record_id), bytes);
                total
            })
            .collect();
        let saved = match state.fresh_inserts {
            FreshInserts::NotSaved => Vec::new(),
            // Below 32 + the value, and documents are far below 4 GiB.
            FreshInserts::Saved => lengths
                .map(|bytes| u32::try_from(reconcile::saved_bytes(bytes)).unwrap_or(u32::MAX))
                .collect(),
        };
        Self { cumulated, saved, unit }
    }

    /// Cell bytes of the whole segment.
    #[must_use]
    pub fn cell_bytes(&self) -> u64 {
        self.cumulated.last().copied().unwrap_or(0)
    }

    /// Cell bytes of the first `records` records.
    #[must_use]
    pub fn cell_bytes_before(&self, records: usize) -> u64 {
        if records == 0 { 0 } else { self.cumulated[records - 1] }
    }

    /// The page images at one target size.
    #[must_use]
    pub fn cut(&self, size: ImageSize) -> Vec<Chunk> {
        let limits = Limits::leaf(size.bytes(), self.unit);
        let mut before = 0;
        let items = self.cumulated.iter().enumerate().map(|(index, end)| {
            let bytes = end - std::mem::replace(&mut before, *end);
            let saved_bytes = self.saved.get(index).copied().map_or(0, u64::from);
            Item { saved_bytes, ..Item::plain(bytes) }
        });
        reconcile::chunks(limits, items)
    }
}

/// How densely the run's own pages of a segment packed, as a function of the place in the segment.
///
/// The same bytes on pages of another size pack a little better or worse; how much is learnt from a few
/// pages, as a factor on this profile. So differences within the segment are kept and only one number is
/// estimated.
#[derive(Clone, Debug, Default)]
pub struct PackProfile {
    /// (cell bytes up to the page's end, packed bytes up to there).
    ends: Vec<(u64, u64)>,
}

impl PackProfile {
    /// Adds the segment's next page: its cell bytes, and what the encoder made of its image, paid or not.
    pub fn push(&mut self, cell_bytes: u64, packed_bytes: u64) {
        let (cells, packed) = self.ends.last().copied().unwrap_or((0, 0));
        self.ends.push((cells + cell_bytes, packed + packed_bytes));
    }

    /// Packed bytes between two places, given in cell bytes.
    #[must_use]
    pub fn between(&self, start: u64, end: u64) -> u64 {
        self.up_to(end) - self.up_to(start)
    }

    fn up_to(&self, place: u64) -> u64 {
        let index = self.ends.partition_point(|(cells, _)| *cells < place);
        let (left_cells, left_packed) = if index == 0 { (0, 0) } else { self.ends[index - 1] };
        match self.ends.get(index) {
            None => left_packed,
            Some((cells, packed)) => {
                let (span, rise) = (cells - left_cells, packed - left_packed);
                // A segment's bytes are far below 2^32, so the product fits.
                left_packed + (place - left_cells) * rise / span
            }
        }
    }
}

/// Outcomes of a segment's pages at a size at which only some were packed.
///
/// `sampled` holds, by page, what the encoder made of those that were.
#[must_use]
pub fn extrapolate(
    chunks: &[Chunk],
    layout: &Layout,
    profile: &PackProfile,
    sampled: &[Option<PackedBytes>],
    unit: AllocationUnit,
) -> Pages {
    let mut records = 0;
    let expected: Vec<u64> = chunks
        .iter()
        .map(|chunk| {
            let start = layout.cell_bytes_before(records);
            records += chunk.records as usize;
            profile.between(start, layout.cell_bytes_before(records)).max(1)
        })
        .collect();
    let (mut packed_sum, mut expected_sum) = (0_u128, 0_u128);
    for (packed, expected) in sampled.iter().zip(&expected) {
        if let Some(packed) = packed {
            packed_sum += u128::from(packed.0);
            expected_sum += u128::from(*expected);
        }
    }
    if expected_sum == 0 {
        (packed_sum, expected_sum) = (1, 1);
    }
    let pages = chunks.iter().zip(expected).zip(sampled).map(|((chunk, expected), sampled)| {
        let guess = u128::from(expected) * packed_sum / expected_sum;
        let packed = sampled.unwrap_or(PackedBytes(u64::try_from(guess).unwrap_or(u64::MAX)));
        outcome(chunk, Some(packed), unit)
    });
    Pages { pages: pages.collect() }
}

/// One page's outcome, from what the encoder made of it.
#[must_use]
pub fn outcome(chunk: &Chunk, packed: Option<PackedBytes>, unit: AllocationUnit) -> PageOutcome {
    let block = charge::charge(RawBytes(chunk.image_bytes), packed, unit);
    PageOutcome {
        image_bytes: chunk.image_bytes,
        packed_bytes: block.packed.map(|packed| packed.0),
        stored_bytes: block.stored.0,
        last: chunk.last,
    }
}

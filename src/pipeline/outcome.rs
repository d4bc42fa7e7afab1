//! What became of a segment's pages at one image size: packed for real, or estimated from a few of them.

use super::segments::Segment;
use super::state::{FreshInserts, State};
use crate::geometry::wiredtiger::{
    cell, charge, facts,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
            .enumerate()
            .map(|(index, bytes)| {
                let window = state.window(segment.number(index));
                total += cell::record_bytes(segment.record_id(index), window, bytes);
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

    /// Records in it.
    #[must_use]
    pub fn records(&self) -> usize {
        self.cumulated.len()
    }

    /// Blocks are whole multiples of it.
    #[must_use]
    pub fn unit(&self) -> AllocationUnit {
        self.unit
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

    /// Of `records` records: these over and over, from record `first` on.
    #[must_use]
    pub fn repeated(&self, first: usize, records: usize) -> Self {
        let own = self.cumulated.len();
        let mut total = 0;
        let places = (first..first + records).map(|place| place % own.max(1));
        let cumulated = places
            .clone()
            .map(|place| {
                total += self.cumulated[place] - self.cell_bytes_before(place);
                total
            })
            .collect();
        let saved =
            if self.saved.is_empty() { Vec::new() } else { places.map(|place| self.saved[place]).collect() };
        Self { cumulated, saved, unit: self.unit }
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

    /// Packed bytes between two places where the same pages come over and over.
    #[must_use]
    pub fn between_repeated(&self, start: u64, end: u64) -> u64 {
        let Some((cells, packed)) = self.ends.last().copied().filter(|(cells, _)| *cells > 0) else {
            return 0;
        };
        let up_to = |place: u64| {
            u128::from(place / cells) * u128::from(packed) + u128::from(self.up_to(place % cells))
        };
        u64::try_from(up_to(end) - up_to(start)).unwrap_or(u64::MAX)
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
                // In 128 bits: a segment is as large as its memory page, which may be configured up to 10 TiB.
                let risen = u128::from(place - left_cells) * u128::from(rise) / u128::from(span);
                left_packed + u64::try_from(risen).expect("a part of `rise`")
            }
        }
    }
}

/// Outcomes of pages of which only some were packed, from what each is expected to pack to. `sampled` holds, by page,
/// what the encoder made of those that were.
#[must_use]
pub fn guessed_pages(
    chunks: &[Chunk],
    expected: &[u64],
    sampled: &[Option<PackedBytes>],
    unit: AllocationUnit,
) -> Pages {
    let packed = guesses(expected, sampled);
    let pages = chunks.iter().zip(packed).map(|(chunk, packed)| outcome(chunk, Some(packed), unit));
    Pages { pages: pages.collect() }
}

/// What a profile says that each page packs to.
#[must_use]
pub fn expected_packing(chunks: &[Chunk], layout: &Layout, profile: &PackProfile) -> Vec<u64> {
    let mut records = 0;
    chunks
        .iter()
        .map(|chunk| {
            let start = layout.cell_bytes_before(records);
            records += chunk.records as usize;
            profile.between(start, layout.cell_bytes_before(records)).max(1)
        })
        .collect()
}

/// The same from the images alone, whose cells are those of the records.
#[must_use]
pub fn expected_of_images(chunks: &[Chunk], profile: &PackProfile) -> Vec<u64> {
    let mut place = 0;
    chunks
        .iter()
        .map(|chunk| {
            let start = place;
            place += chunk.image_bytes - u64::from(facts::HEADER_BYTES);
            profile.between(start, place).max(1)
        })
        .collect()
}

/// Packed bytes of each page: as they are where the page was packed, else as expected times what those show.
#[must_use]
pub fn guesses(expected: &[u64], sampled: &[Option<PackedBytes>]) -> Vec<PackedBytes> {
    let (mut packed_sum, mut expected_sum) = (0_u128, 0_u128);
    for (packed, expected) in sampled.iter().zip(expected) {
        if let Some(packed) = packed {
            packed_sum += u128::from(packed.0);
            expected_sum += u128::from(*expected);
        }
    }
    if expected_sum == 0 {
        (packed_sum, expected_sum) = (1, 1);
    }
    let guess = |(expected, sampled): (&u64, &Option<PackedBytes>)| {
        let guess = u128::from(*expected) * packed_sum / expected_sum;
        sampled.unwrap_or(PackedBytes(u64::try_from(guess).unwrap_or(u64::MAX)))
    };
    expected.iter().zip(sampled).map(guess).collect()
}

/// Of each page the first record, counted from the segment's first, and the one behind its last.
pub fn ranges(chunks: &[Chunk]) -> impl Iterator<Item = (usize, usize)> {
    let mut end = 0;
    chunks.iter().map(move |chunk| {
        let start = end;
        end += chunk.records as usize;
        (start, end)
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::LoadState;
    use crate::geometry::wiredtiger::{Release, TableConfig};

    const UNIT: AllocationUnit = AllocationUnit::DEFAULT;

    /// Documents of these lengths.
    fn segment(lengths: &[usize]) -> Segment {
        let mut segment = Segment { first_number: 1, ..Segment::default() };
        for length in lengths {
            segment.bytes.resize(segment.bytes.len() + length, 0);
            segment.ends.push(segment.bytes.len());
        }
        segment
    }

    fn layout_on(release: Release, load: LoadState, lengths: &[usize]) -> Layout {
        Layout::of(&segment(lengths), &State::new(load, release), UNIT)
    }

    fn settled(lengths: &[usize]) -> Layout {
        layout_on(Release::NEWEST, LoadState::Settled, lengths)
    }

    fn size(bytes: u32) -> ImageSize {
        ImageSize::new(&TableConfig::collection(Release::NEWEST), true).at(bytes)
    }

    /// Headers, and of each record what `cell` says.
    #[test]
    fn a_layout_knows_the_cell_bytes_before_every_record() {
        let layout = settled(&[10, 100, 5]);
        let [a, b, c] =
            [(1_u64, 10), (2, 100), (3, 5)].map(|(id, bytes)| cell::record_bytes(id, None, bytes));
        let before: Vec<u64> = (0..=3).map(|records| layout.cell_bytes_before(records)).collect();
        assert_eq!(before, [0, a, a + b, a + b + c]);
        assert_eq!(layout.cell_bytes(), a + b + c);
        assert_eq!(settled(&[]).cell_bytes(), 0);
    }

    #[test]
    fn a_layout_cuts_larger_images_into_fewer_pages_and_loses_no_record() {
        let layout = settled(&vec![200; 3000]);
        let pages: Vec<usize> = [32_768, 65_536, 131_072]
            .into_iter()
            .map(|bytes| {
                let chunks = layout.cut(size(bytes));
                assert_eq!(chunks.iter().map(|chunk| chunk.records).sum::<u32>(), 3000);
                let headers = chunks.len() as u64 * u64::from(facts::HEADER_BYTES);
                let images: u64 = chunks.iter().map(|chunk| chunk.image_bytes).sum();
                assert_eq!(images, layout.cell_bytes() + headers);
                assert_eq!(chunks.iter().position(|chunk| chunk.last), Some(chunks.len() - 1));
                chunks.len()
            })
            .collect();
        assert_eq!(pages, [22, 11, 6]);
    }

    /// 6.0.0 to 6.0.6 keep fresh inserts as saved updates, and so cut at about half the size.
    #[test]
    fn saved_updates_make_pages_of_half_the_size() {
        let pages = |release: &str, load| {
            let release = Release::parse(release).unwrap();
            layout_on(release, load, &vec![200; 3000]).cut(size(32_768)).len()
        };
        assert_eq!(pages("6.0.5", LoadState::Settled), 22);
        assert_eq!((pages("6.0.7", LoadState::Bulk), pages("6.0.5", LoadState::Bulk)), (23, 47));
    }

    fn profile(pages: &[(u64, u64)]) -> PackProfile {
        let mut profile = PackProfile::default();
        for (cells, packed) in pages {
            profile.push(*cells, *packed);
        }
        profile
    }

    #[test]
    fn a_profile_runs_straight_between_page_ends_and_flat_behind_the_last() {
        let profile = profile(&[(100, 50), (100, 10)]);
        for (start, end, want, why) in [
            (0, 200, 60, "all of it"),
            (0, 100, 50, "one page"),
            (0, 50, 25, "half a page"),
            (50, 150, 30, "half of each"),
            (199, 200, 1, "rounded down before the place, not behind it"),
            (150, 150, 0, "nothing"),
            (150, 1000, 5, "behind the last page there is nothing"),
        ] {
            assert_eq!(profile.between(start, end), want, "{why}");
        }
        assert_eq!(PackProfile::default().between(0, 10), 0, "no pages");
        assert_eq!(
            profile.between_repeated(150, 650),
            5 + 2 * 60 + 25,
            "half of the last, two rounds, half of the first"
        );
        assert_eq!(PackProfile::default().between_repeated(0, 10), 0, "no pages");
    }

    /// A memory page of 10 TiB makes one segment of a whole input.
    #[test]
    fn a_profile_of_a_huge_segment_does_not_overflow() {
        let huge = 10 << 40;
        assert_eq!(profile(&[(huge, huge / 2)]).between(0, huge - 2), huge / 2 - 1);
    }

    fn chunks(records: &[u32], layout: &Layout) -> Vec<Chunk> {
        let mut taken = 0;
        let header = u64::from(facts::HEADER_BYTES);
        records
            .iter()
            .map(|records| {
                let start = layout.cell_bytes_before(taken);
                taken += *records as usize;
                let image_bytes = header + layout.cell_bytes_before(taken) - start;
                Chunk { records: *records, image_bytes, held_back: 0, last: taken == layout.cumulated.len() }
            })
            .collect()
    }

    #[test]
    fn a_layout_that_is_repeated_goes_on_with_its_first_record() {
        let layout = settled(&[10, 100, 5]);
        let bytes = |layout: &Layout| -> Vec<u64> {
            let before = |record| layout.cell_bytes_before(record);
            (0..layout.cumulated.len()).map(|record| before(record + 1) - before(record)).collect()
        };
        let [a, b, c] = bytes(&layout)[..] else { panic!("three records") };
        assert_eq!(bytes(&layout.repeated(2, 5)), [c, a, b, c, a]);
        assert!(bytes(&settled(&[]).repeated(0, 0)).is_empty());
    }

    /// The run packed 200 records of 1000 B to a half in their front part and to a tenth in their back part. At
    /// another size pages pack by a factor of 0.8 of that, as the one sampled page shows.
    #[test]
    fn pages_that_were_not_packed_follow_the_profile_times_what_sampled_pages_show() {
        let layout = settled(&[1000; 200]);
        let half = layout.cell_bytes_before(100);
        let profile = profile(&[(half, half / 2), (layout.cell_bytes() - half, half / 10)]);
        let chunks = chunks(&[50, 50, 50, 50], &layout);
        let sampled = [None, Some(PackedBytes(half / 5)), None, None];
        let pages = guessed_pages(&chunks, &expected_packing(&chunks, &layout, &profile), &sampled, UNIT);
        let packed: Vec<u64> = pages.pages().iter().map(|page| page.packed_bytes.unwrap()).collect();
        let fifth = half / 5;
        assert!(packed[0].abs_diff(fifth) < 20, "{packed:?}: half of a half, times 0.8");
        assert_eq!(packed[1], fifth, "what was packed is taken as it is");
        assert!(packed[2].abs_diff(fifth / 5) < 20 && packed[3].abs_diff(fifth / 5) < 20, "{packed:?}");
        assert_eq!(
            pages.pages().iter().map(|page| page.last).collect::<Vec<_>>(),
            [false, false, false, true]
        );
        assert!(pages.pages().iter().all(|page| page.stored_bytes.is_multiple_of(4096)));
    }

    #[test]
    fn without_any_sampled_page_the_profile_stands_as_it_is() {
        let layout = settled(&[1000; 100]);
        let profile = profile(&[(layout.cell_bytes(), 50_000)]);
        let chunks = chunks(&[50, 50], &layout);
        let expected = expected_packing(&chunks, &layout, &profile);
        let pages = guessed_pages(&chunks, &expected, &[None, None], UNIT);
        let packed: Vec<Option<u64>> = pages.pages().iter().map(|page| page.packed_bytes).collect();
        let front = profile.between(0, layout.cell_bytes_before(50));
        assert_eq!(packed, [Some(front), Some(50_000 - front)]);
    }

    #[test]
    fn a_page_that_saves_no_unit_is_raw_and_moves_no_size() {
        let chunk = Chunk { records: 1, image_bytes: 30_000, held_back: 0, last: false };
        let raw = outcome(&chunk, Some(PackedBytes(29_000)), UNIT);
        assert_eq!((raw.packed_bytes, raw.stored_bytes), (None, 32_768));
        assert_eq!(raw.moves(size(65_536)), size(65_536));
        let packed = outcome(&chunk, Some(PackedBytes(10_000)), UNIT);
        assert_eq!((packed.packed_bytes, packed.stored_bytes), (Some(10_000), 12_288));
        assert_eq!(packed.moves(size(65_536)), size(65_536 + 3276));
    }
}

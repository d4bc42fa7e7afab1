//! All image sizes that a part's tables may have, from segment to segment.

use super::outcomes::{CutPacked, Cuts, PagePacked, SegmentOutcomes, ranges};
use crate::codec::CodecKind;
use crate::geometry::wiredtiger::feedback::ImageSize;
use crate::pipeline::{
    Plan, Timing,
    effort::Packing,
    outcome::{self, Layout},
    segments::Segment,
    speed::ImageSample,
    state::State,
    what_if,
    workers::{Job, Workers},
};
use crate::units::PackedBytes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Segments whose image sizes a lane may still have: that at hand, and those that are written beside it.
const SEGMENTS_MET: usize = 4;
/// Cuts that lanes may go on with beside the run's, at most: one each.
const LANE_CUTS_MAX: usize = 4;

/// How far a lane strays from the run's own sizes: four steps of a table with the default leaf pages.
const LANE_BEYOND_BYTES: u32 = 4 * 3276;

/// Follows every table of a plan through the segments of a part.
pub struct Follower<'p> {
    plan: &'p Plan,
    workers: &'p Workers,
    states: Vec<State>,
    tables: Vec<Table>,
}

/// One state, one codec.
struct Table {
    state: usize,
    codec: usize,
    kind: CodecKind,
    first: ImageSize,
    /// Sizes that the next segment may be cut at.
    candidates: Vec<ImageSize>,
    /// Smallest and largest size that was met in each of the last segments.
    met: VecDeque<(u32, u32)>,
    sample: ImageSample,
}

impl Table {
    /// Sizes that a lane is likely to have: those that the last segments' pages led through, and where these moved at
    /// all, a little beyond.
    fn lane_sizes(&self) -> impl Iterator<Item = ImageSize> {
        let low = self.met.iter().map(|(low, _)| *low).min().unwrap_or(0);
        let high = self.met.iter().map(|(_, high)| *high).max().unwrap_or(0);
        let beyond = if low < high { LANE_BEYOND_BYTES } else { 0 };
        let likely = low.saturating_sub(beyond)..=high.saturating_add(beyond);
        self.first.reachable().into_iter().filter(move |size| likely.contains(&size.bytes()))
    }
}

/// A page to be packed: its records, and the tables that ask.
type Wanted = BTreeMap<(usize, usize, usize), BTreeSet<usize>>;

/// What was packed, by table and records.
type Done = BTreeMap<(usize, usize, usize), Option<PackedBytes>>;

impl<'p> Follower<'p> {
    /// In front of the part's first segment.
    pub fn new(plan: &'p Plan, workers: &'p Workers, states: Vec<State>) -> Self {
        let mut tables = Vec::new();
        for state in 0..states.len() {
            tables.extend(plan.codecs.iter().enumerate().map(|(codec, kind)| {
                let first = ImageSize::new(&plan.table, *kind != CodecKind::None);
                let (candidates, met) = (Vec::new(), VecDeque::new());
                Table { state, codec, kind: *kind, first, candidates, met, sample: ImageSample::new() }
            }));
        }
        Self { plan, workers, states, tables }
    }

    /// The threads.
    pub fn workers(&self) -> &'p Workers {
        self.workers
    }

    /// Images of each table to time its encoder on.
    pub fn samples(&self) -> impl Iterator<Item = (CodecKind, &[Arc<[u8]>])> {
        self.tables.iter().map(|table| (table.kind, table.sample.images()))
    }

    /// Takes the part's next segment.
    pub fn take(&mut self, segment: &Segment) -> SegmentOutcomes {
        let unit = self.plan.table.allocation;
        let layouts: Vec<Layout> = self.states.iter().map(|state| Layout::of(segment, state, unit)).collect();
        for table in self.tables.iter_mut().filter(|table| table.candidates.is_empty()) {
            let is_first = segment.first_number == 1;
            table.candidates = if is_first { vec![table.first] } else { table.first.reachable() };
        }
        let mut cutter = Cutter::new(&layouts);
        let mut done = Done::new();
        self.pack_candidates(segment, &mut cutter, &mut done);
        self.move_on(&mut cutter, &done);
        self.pack_for_lanes(segment, &mut cutter, &mut done);
        let states = cutter.finish();
        let tables = self.tables.iter().enumerate();
        SegmentOutcomes {
            records: segment.records() as u64,
            bson_bytes: segment.bytes.len() as u64,
            tables: tables.map(|(index, table)| known_of(index, &states[table.state], &done)).collect(),
            states,
            indexes: Vec::new(),
        }
    }

    /// All pages at all sizes that the run may have.
    fn pack_candidates(&mut self, segment: &Segment, cutter: &mut Cutter<'_>, done: &mut Done) {
        let (mut wanted, mut kept) = (Wanted::new(), Wanted::new());
        for (index, table) in self.tables.iter_mut().enumerate() {
            for (nth, size) in table.candidates.iter().enumerate() {
                let chunks = cutter.cut(table.state, *size);
                for (start, end) in ranges(chunks).filter(|_| table.kind != CodecKind::None) {
                    wanted.entry((table.state, start, end)).or_default().insert(index);
                    let is_timed = nth == 0 && self.plan.timing == Timing::Measure;
                    if is_timed && table.sample.wants_next() {
                        kept.entry((table.state, start, end)).or_default().insert(index);
                    }
                }
            }
        }
        self.pack(segment, wanted, &kept, done);
    }

    /// A few pages of each further size that a lane is likely to have.
    fn pack_for_lanes(&mut self, segment: &Segment, cutter: &mut Cutter<'_>, done: &mut Done) {
        let mut wanted = Wanted::new();
        for (index, table) in self.tables.iter().enumerate().filter(|(_, table)| table.first.moves()) {
            for size in table.lane_sizes() {
                let ranges: Vec<(usize, usize)> = ranges(cutter.cut(table.state, size)).collect();
                let all = (1..=LANE_CUTS_MAX)
                    .flat_map(|cuts| what_if::band_pages(ranges.len(), cuts, Packing::All));
                for (start, end) in all.map(|page| ranges[page]) {
                    if !done.contains_key(&(index, start, end)) {
                        wanted.entry((table.state, start, end)).or_default().insert(index);
                    }
                }
            }
        }
        self.pack(segment, wanted, &Wanted::new(), done);
    }

    fn pack(&mut self, segment: &Segment, wanted: Wanted, kept: &Wanted, done: &mut Done) {
        let job = |(key, tables): (&(usize, usize, usize), &BTreeSet<usize>)| Job {
            records: key.1..key.2,
            clock: self.states[key.0].clock,
            codecs: tables.iter().map(|table| self.tables[*table].codec).collect(),
            keep_image: kept.contains_key(key),
        };
        let jobs: Vec<Job> = wanted.iter().map(job).collect();
        for ((key, tables), packed) in wanted.into_iter().zip(self.workers.pack(segment, &jobs)) {
            if let Some(image) = packed.kept_image {
                for table in kept.get(&key).into_iter().flatten() {
                    self.tables[*table].sample.add(Arc::clone(&image));
                }
            }
            let (_, start, end) = key;
            done.extend(tables.into_iter().map(|table| (table, start, end)).zip(packed.outputs));
        }
    }

    /// Moves every size that a table may have by the pages that are cut at it.
    fn move_on(&mut self, cutter: &mut Cutter<'_>, done: &Done) {
        let unit = self.plan.table.allocation;
        for (index, table) in self.tables.iter_mut().enumerate().filter(|(_, table)| table.first.moves()) {
            let (mut low, mut high) = (u32::MAX, 0);
            let mut next = Vec::new();
            for start in &table.candidates {
                let chunks = cutter.cut(table.state, *start);
                let mut size = *start;
                (low, high) = (low.min(size.bytes()), high.max(size.bytes()));
                for (chunk, (first, end)) in chunks.iter().zip(ranges(chunks)) {
                    let packed = done.get(&(index, first, end)).copied().flatten();
                    size = outcome::outcome(chunk, packed, unit).moves(size);
                    (low, high) = (low.min(size.bytes()), high.max(size.bytes()));
                }
                next.push(size);
            }
            next.sort_unstable_by_key(|size| size.bytes());
            next.dedup();
            table.candidates = next;
            table.met.push_back((low, high));
            if table.met.len() > SEGMENTS_MET {
                table.met.pop_front();
            }
        }
    }
}

/// What is known of a table's pages, by cut.
fn known_of(table: usize, cuts: &Cuts, done: &Done) -> Vec<CutPacked> {
    let page = |(start, end)| {
        done.get(&(table, start, end)).map_or(PagePacked::Unknown, |packed| PagePacked::of(*packed))
    };
    cuts.cuts
        .iter()
        .map(|chunks| {
            let pages: CutPacked = ranges(chunks).map(page).collect();
            if pages.iter().all(|page| *page == PagePacked::Unknown) { Vec::new() } else { pages }
        })
        .collect()
}

/// Cuts a segment at one size after the other, each once.
struct Cutter<'l> {
    layouts: &'l [Layout],
    states: Vec<Cuts>,
}

impl<'l> Cutter<'l> {
    fn new(layouts: &'l [Layout]) -> Self {
        Self { layouts, states: vec![Cuts::default(); layouts.len()] }
    }

    fn cut(&mut self, state: usize, size: ImageSize) -> &[crate::geometry::wiredtiger::reconcile::Chunk] {
        let cuts = &mut self.states[state];
        let place = match cuts.at.binary_search_by_key(&size.bytes(), |(bytes, _)| *bytes) {
            Ok(place) => place,
            Err(place) => {
                let chunks = self.layouts[state].cut(size);
                let known = cuts.cuts.iter().position(|known| *known == chunks);
                let position = known.unwrap_or(cuts.cuts.len());
                if known.is_none() {
                    cuts.cuts.push(chunks);
                }
                cuts.at.insert(place, (size.bytes(), position));
                place
            }
        };
        &cuts.cuts[cuts.at[place].1]
    }

    fn finish(self) -> Vec<Cuts> {
        self.states
    }
}

//! All image sizes that a part's tables may have, from segment to segment.
//!
//! Each size that a table may have at the part's first segment begins a *way*: the run from there on, and its lanes.
//! Ways that go on alike are one; a few segments on there are mostly one or two. What any of them asks for is packed.

use super::outcomes::{CutPacked, Cuts, PagePacked, SegmentOutcomes};
use crate::codec::CodecKind;
use crate::geometry::wiredtiger::{facts, feedback::ImageSize, reconcile::Chunk};
use crate::pipeline::{
    Plan, Timing,
    effort::Packing,
    outcome::{self, Layout, PackProfile, Pages, ranges},
    schedule::Lane,
    segments::Segment,
    speed::ImageSample,
    state::State,
    what_if,
    workers::{Job, Workers},
};
use crate::units::{AllocationUnit, PackedBytes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Segments in which lanes of a part that begins in the midst may have other sizes than those of its ways: what was
/// being written in front of it moves them.
const SEGMENTS_UNSETTLED: u64 = 4;
/// How far beyond: two steps of a table with the default leaf pages.
const UNSETTLED_BYTES: u32 = 2 * 3276;
/// Cuts that lanes may go on with beside the run's, at most: one each.
const LANE_CUTS_MAX: usize = 4;

/// Follows every table of a plan through the segments of a part.
pub struct Follower<'p> {
    plan: &'p Plan,
    workers: &'p Workers,
    states: Vec<State>,
    tables: Vec<Table>,
    segments: u64,
}

/// One state, one codec.
struct Table {
    state: usize,
    codec: usize,
    kind: CodecKind,
    first: ImageSize,
    begins: Begins,
    ways: Vec<Way>,
    sample: ImageSample,
}

/// Where a part's first segment lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begins {
    /// It is the collection's first: all is known.
    First,
    /// Others lie in front of it.
    Within,
}

/// What a table may be up to.
struct Way {
    size: ImageSize,
    lanes: Vec<Lane>,
}

impl Way {
    fn goes_on_as(&self, other: &Self) -> bool {
        let mut lanes = self.lanes.iter().zip(&other.lanes);
        self.size == other.size && lanes.all(|(one, other)| one.goes_on_as(other))
    }
}

/// One way through the segment at hand.
struct Step {
    profile: PackProfile,
    /// A size at which some lanes cut the segment otherwise than the run, and which.
    others: Vec<(ImageSize, Vec<usize>)>,
}

/// A page to be packed: its state and records, and the tables that ask.
type Wanted = BTreeMap<(usize, usize, usize), BTreeSet<usize>>;

/// What was packed, by table and records.
type Done = BTreeMap<(usize, usize, usize), Option<PackedBytes>>;

impl<'p> Follower<'p> {
    /// In front of the part's first segment.
    pub fn new(plan: &'p Plan, workers: &'p Workers, states: Vec<State>) -> Self {
        let mut tables = Vec::new();
        for state in 0..states.len() {
            tables.extend(plan.codecs.iter().enumerate().map(|(codec, kind)| Table {
                state,
                codec,
                kind: *kind,
                first: ImageSize::new(&plan.table, *kind != CodecKind::None),
                begins: Begins::Within,
                ways: Vec::new(),
                sample: ImageSample::new(),
            }));
        }
        Self { plan, workers, states, tables, segments: 0 }
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
        if self.segments == 0 {
            let begins = if segment.first_number == 1 { Begins::First } else { Begins::Within };
            self.tables.iter_mut().for_each(|table| table.begin(begins));
        }
        self.segments += 1;
        let mut cutter = Cutter::new(&layouts);
        let mut done = Done::new();
        self.pack_ways(segment, &mut cutter, &mut done);
        let mut steps = Vec::new();
        for (index, table) in self.tables.iter_mut().enumerate() {
            steps.push(table.move_on(index, &mut cutter, &done, unit));
        }
        self.pack_for_lanes(segment, &steps, &mut cutter, &mut done);
        for (index, (table, steps)) in self.tables.iter_mut().zip(&steps).enumerate() {
            table.start_lanes(index, steps, &mut cutter, &done, unit);
        }
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
    fn pack_ways(&mut self, segment: &Segment, cutter: &mut Cutter<'_>, done: &mut Done) {
        let (mut wanted, mut kept) = (Wanted::new(), Wanted::new());
        for (index, table) in self.tables.iter_mut().enumerate() {
            for (nth, way) in table.ways.iter().enumerate() {
                let chunks = cutter.cut(table.state, way.size);
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

    /// A few pages of each further size that a lane has on some way, or is likely to have.
    fn pack_for_lanes(
        &mut self,
        segment: &Segment,
        steps: &[Vec<Step>],
        cutter: &mut Cutter<'_>,
        done: &mut Done,
    ) {
        let mut wanted = Wanted::new();
        for (index, (table, steps)) in self.tables.iter().zip(steps).enumerate() {
            for (size, cuts) in table.lane_sizes(steps, self.segments) {
                let ranges: Vec<(usize, usize)> = ranges(cutter.cut(table.state, size)).collect();
                let pages = cuts.flat_map(|cuts| what_if::band_pages(ranges.len(), cuts, Packing::All));
                for (start, end) in pages.map(|page| ranges[page]) {
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
}

impl Table {
    fn begin(&mut self, begins: Begins) {
        self.begins = begins;
        let moves = self.first.moves();
        self.ways = match begins {
            Begins::First => {
                let lanes = if moves { Lane::ensemble(self.first) } else { Vec::new() };
                vec![Way { size: self.first, lanes }]
            }
            Begins::Within => {
                let lanes = |size| if moves { Lane::ensemble_within(size) } else { Vec::new() };
                self.first.reachable().into_iter().map(|size| Way { size, lanes: lanes(size) }).collect()
            }
        };
    }

    /// Moves every way by the pages that are cut at its size, and asks its lanes for theirs.
    fn move_on(
        &mut self,
        index: usize,
        cutter: &mut Cutter<'_>,
        done: &Done,
        unit: AllocationUnit,
    ) -> Vec<Step> {
        let header = u64::from(facts::HEADER_BYTES);
        let mut steps = Vec::new();
        for way in &mut self.ways {
            let chunks = cutter.cut(self.state, way.size).to_vec();
            let mut profile = PackProfile::default();
            let mut pages = Vec::with_capacity(chunks.len());
            for (chunk, (start, end)) in chunks.iter().zip(ranges(&chunks)) {
                let packed = done.get(&(index, start, end)).copied().flatten();
                profile.push(chunk.image_bytes - header, packed.map_or(chunk.image_bytes, |packed| packed.0));
                let page = outcome::outcome(chunk, packed, unit);
                way.size = page.moves(way.size);
                pages.push(page);
            }
            let main = Arc::new(Pages::new(pages));
            let cell_bytes = chunks.iter().map(|chunk| chunk.image_bytes - header).sum();
            let mut others: Vec<(ImageSize, Vec<usize>)> = Vec::new();
            for (nth, lane) in way.lanes.iter_mut().enumerate() {
                let size = lane.segment_filled(cell_bytes, &main);
                let cut = cutter.position(self.state, size);
                if cutter.cut(self.state, size) == chunks {
                    lane.start(Arc::clone(&main));
                } else if let Some((_, lanes)) =
                    others.iter_mut().find(|(known, _)| cutter.position(self.state, *known) == cut)
                {
                    lanes.push(nth);
                } else {
                    others.push((size, vec![nth]));
                }
            }
            steps.push(Step { profile, others });
        }
        steps
    }

    /// Sizes at which pages are packed for lanes, each with the numbers of cuts that its pages are chosen for.
    fn lane_sizes(
        &self,
        steps: &[Step],
        segments: u64,
    ) -> impl Iterator<Item = (ImageSize, std::ops::RangeInclusive<usize>)> {
        let mut sizes: BTreeMap<u32, (ImageSize, std::ops::RangeInclusive<usize>)> = BTreeMap::new();
        for step in steps {
            for (size, _) in &step.others {
                let cuts = step.others.len();
                let (_, range) = sizes.entry(size.bytes()).or_insert((*size, cuts..=cuts));
                *range = (*range.start()).min(cuts)..=(*range.end()).max(cuts);
            }
        }
        if self.begins == Begins::Within {
            for (_, cuts) in sizes.values_mut() {
                *cuts = 1..=LANE_CUTS_MAX;
            }
            let ends = sizes.keys().next().copied().zip(sizes.keys().last().copied());
            if let Some((low, high)) = ends.filter(|_| segments <= SEGMENTS_UNSETTLED) {
                let likely = low.saturating_sub(UNSETTLED_BYTES)..=high.saturating_add(UNSETTLED_BYTES);
                let more = self.first.reachable().into_iter().filter(|size| likely.contains(&size.bytes()));
                sizes.extend(more.map(|size| (size.bytes(), (size, 1..=LANE_CUTS_MAX))));
            }
        }
        sizes.into_values()
    }

    /// Starts the lanes that cut the segment otherwise than the run, and lets ways that go on alike be one.
    fn start_lanes(
        &mut self,
        index: usize,
        steps: &[Step],
        cutter: &mut Cutter<'_>,
        done: &Done,
        unit: AllocationUnit,
    ) {
        for (way, step) in self.ways.iter_mut().zip(steps) {
            for (size, lanes) in &step.others {
                let chunks = cutter.cut(self.state, *size);
                let ranges: Vec<(usize, usize)> = ranges(chunks).collect();
                let mut sampled = vec![None; chunks.len()];
                for page in what_if::band_pages(chunks.len(), step.others.len(), Packing::All) {
                    let (start, end) = ranges[page];
                    let packed = done.get(&(index, start, end)).copied().flatten();
                    // An encoder that gave up made at least as many bytes as it got.
                    sampled[page] = Some(packed.unwrap_or(PackedBytes(chunks[page].image_bytes)));
                }
                let expected = outcome::expected_of_images(chunks, &step.profile);
                let pages = Arc::new(outcome::guessed_pages(chunks, &expected, &sampled, unit));
                for lane in lanes {
                    way.lanes[*lane].start(Arc::clone(&pages));
                }
            }
        }
        let mut ways: Vec<Way> = Vec::new();
        for way in self.ways.drain(..) {
            if !ways.iter().any(|known| known.goes_on_as(&way)) {
                ways.push(way);
            }
        }
        self.ways = ways;
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

    fn cut(&mut self, state: usize, size: ImageSize) -> &[Chunk] {
        let position = self.position(state, size);
        &self.states[state].cuts[position]
    }

    /// Which of the different cuts it is.
    fn position(&mut self, state: usize, size: ImageSize) -> usize {
        let cuts = &mut self.states[state];
        match cuts.at.binary_search_by_key(&size.bytes(), |(bytes, _)| *bytes) {
            Ok(place) => cuts.at[place].1,
            Err(place) => {
                let chunks = self.layouts[state].cut(size);
                let known = cuts.cuts.iter().position(|known| *known == chunks);
                let position = known.unwrap_or(cuts.cuts.len());
                if known.is_none() {
                    cuts.cuts.push(chunks);
                }
                cuts.at.insert(place, (size.bytes(), position));
                position
            }
        }
    }

    fn finish(self) -> Vec<Cuts> {
        self.states
    }
}

//! What became of each run's documents at each image size: packed for real, or derived from a size close to it.

use super::runs::{Run, Sample};
use crate::codec::CodecKind;
use crate::geometry::wiredtiger::{facts, feedback::ImageSize, reconcile::Chunk};
use crate::pipeline::{
    Plan, Timing,
    outcome::{self, Layout, PackProfile, PageOutcome, ranges},
    speed::ImageSample,
    state::State,
    workers::{Job, Workers},
};
use crate::units::{AllocationUnit, PackedBytes, scaled};
use std::{collections::BTreeMap, sync::Arc};

/// One page as it comes from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPage {
    /// Its first record, counted from the run's first.
    pub first: usize,
    /// Records on it.
    pub records: u32,
    /// As stored.
    pub outcome: PageOutcome,
}

impl RunPage {
    /// Bytes of its cells.
    pub fn cell_bytes(&self) -> u64 {
        self.outcome.image_bytes.saturating_sub(u64::from(facts::HEADER_BYTES))
    }
}

/// The whole pages of a run at one image size; at least one.
#[derive(Clone, Debug)]
pub struct RunPages {
    /// In key order.
    pub pages: Vec<RunPage>,
    /// How densely they packed.
    profile: PackProfile,
}

impl RunPages {
    /// The page on which record `record` of a stretch stands, where the run comes over and over.
    pub fn page_of(&self, record: u64) -> usize {
        let records: u64 = self.pages.iter().map(|page| u64::from(page.records)).sum();
        let mut left = record % records.max(1);
        for (index, page) in self.pages.iter().enumerate() {
            if left < u64::from(page.records) {
                return index;
            }
            left -= u64::from(page.records);
        }
        0
    }
}

/// How far a size may be from one at which the run was packed, in thousandths, to be derived from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeness {
    /// The expected figure.
    Main,
    /// Other orders of the same work, and resampled walks.
    Lane,
}

impl Closeness {
    fn thousandths(self) -> u32 {
        match self {
            Self::Main => 40,
            Self::Lane => 125,
        }
    }
}

/// A table's pages of all runs, as far as they were asked for.
pub struct TablePages<'p> {
    plan: &'p Plan,
    workers: &'p Workers,
    state: State,
    codec: usize,
    kind: CodecKind,
    known: BTreeMap<usize, Known>,
    /// Pages that the encoder packed.
    pub packed: u64,
    /// Images to time the encoder on.
    pub images: ImageSample,
    /// How far neighbouring pages' densities lie apart: a standard deviation, relative.
    pub page_spread: f64,
}

/// Pages that scatter more than that show it within a run and from run to run.
const PAGE_SPREAD_MAX: f64 = 0.02;
/// Of the difference of two normal variates, the median is this times the deviation of each.
const MEDIAN_OF_DIFFERENCE: f64 = 0.953_87;

/// What is known of one run.
struct Known {
    layout: Layout,
    packed: BTreeMap<u32, Arc<RunPages>>,
    derived: BTreeMap<u32, Arc<RunPages>>,
}

impl<'p> TablePages<'p> {
    pub fn new(plan: &'p Plan, workers: &'p Workers, state: State, codec: usize) -> Self {
        Self {
            plan,
            workers,
            state,
            codec,
            kind: plan.codecs[codec],
            known: BTreeMap::new(),
            packed: 0,
            images: ImageSample::new(),
            page_spread: 0.0,
        }
    }

    /// Packs every run at the size that a table begins with and learns from neighbouring runs how far single pages
    /// lie apart: what stands between the runs is not the same page over and over, and one page in ten that is a
    /// little larger may decide where the image size comes to rest.
    #[expect(clippy::cast_precision_loss, reason = "bytes, of which the first digits count")]
    pub fn learn_spread(&mut self, sample: &Sample, size: ImageSize) {
        if self.kind == CodecKind::None {
            return;
        }
        let runs: Vec<(f64, f64)> = sample
            .stretches
            .iter()
            .map(|stretch| {
                let pages = self.pages(stretch.run, &sample.runs[stretch.run], size, Closeness::Main);
                let image_bytes: u64 = pages.pages.iter().map(|page| page.outcome.image_bytes).sum();
                let packed = |page: &RunPage| page.outcome.packed_bytes.unwrap_or(page.outcome.image_bytes);
                let packed_bytes: u64 = pages.pages.iter().map(packed).sum();
                (packed_bytes as f64 / image_bytes.max(1) as f64, pages.pages.len() as f64)
            })
            .collect();
        let mut apart: Vec<f64> = runs
            .windows(2)
            .map(|pair| {
                let ((left, left_pages), (right, right_pages)) = (pair[0], pair[1]);
                // The mean of so many pages lies closer to its neighbour's than a single one does.
                let pages = left_pages.midpoint(right_pages).sqrt();
                2.0 * (left - right).abs() / (left + right).max(f64::MIN_POSITIVE) * pages
            })
            .collect();
        apart.sort_by(f64::total_cmp);
        let median = apart.get(apart.len() / 2).copied().unwrap_or(0.0);
        self.page_spread = (median / MEDIAN_OF_DIFFERENCE).min(PAGE_SPREAD_MAX);
    }

    /// The same page, had it packed to another length.
    pub fn repacked(&self, page: &RunPage, factor: f64) -> RunPage {
        let Some(packed) = page.outcome.packed_bytes.filter(|_| self.page_spread > 0.0) else { return *page };
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "bytes of a page, times about 1"
        )]
        let packed = (packed as f64 * factor) as u64;
        let chunk = Chunk {
            records: page.records,
            image_bytes: page.outcome.image_bytes,
            held_back: 0,
            last: page.outcome.last,
        };
        let outcome = outcome::outcome(&chunk, Some(PackedBytes(packed)), self.plan.table.allocation);
        RunPage { outcome, ..*page }
    }

    /// Blocks are whole multiples of it.
    pub fn unit(&self) -> AllocationUnit {
        self.plan.table.allocation
    }

    /// The pages of run `index`, which is `run`, at `size`.
    pub fn pages(&mut self, index: usize, run: &Run, size: ImageSize, closeness: Closeness) -> Arc<RunPages> {
        let unit = self.plan.table.allocation;
        let known = self.known.entry(index).or_insert_with(|| Known {
            layout: Layout::of(&run.segment, &self.state, unit),
            packed: BTreeMap::new(),
            derived: BTreeMap::new(),
        });
        let bytes = size.bytes();
        if let Some(pages) = known.packed.get(&bytes) {
            return Arc::clone(pages);
        }
        let below = known.packed.range(..bytes).next_back();
        let above = known.packed.range(bytes..).next();
        let close = below.into_iter().chain(above).min_by_key(|(other, _)| other.abs_diff(bytes));
        let close = close.filter(|(other, _)| {
            u64::from(other.abs_diff(bytes)) * 1000 <= u64::from(bytes) * u64::from(closeness.thousandths())
        });
        if let Some((_, close)) = close {
            let derived = known
                .derived
                .entry(bytes)
                .or_insert_with(|| Arc::new(derived(&known.layout, &close.profile, self.kind, size)));
            return Arc::clone(derived);
        }
        let chunks = whole_pages(&known.layout, size);
        let outputs = self.pack(run, &chunks);
        let known = self.known.get_mut(&index).expect("inserted above");
        let pages = Arc::new(packed(&known.layout, &chunks, &outputs, self.kind, size));
        known.packed.insert(bytes, Arc::clone(&pages));
        // From here on there may be a closer one.
        known.derived.clear();
        pages
    }

    /// The pages of `records` records of a stretch, from record `first` on, of which the last ends a reconciliation.
    pub fn tail(
        &self,
        index: usize,
        pages: &RunPages,
        first: u64,
        records: u64,
        size: ImageSize,
    ) -> Vec<RunPage> {
        let Some(known) = self.known.get(&index) else { return Vec::new() };
        let own = known.layout.records() as u64;
        let first = usize::try_from(first % own.max(1)).unwrap_or(0);
        let layout = known.layout.repeated(first, usize::try_from(records).unwrap_or(0));
        let start = known.layout.cell_bytes_before(first);
        outcomes(&layout.cut(size), &layout, &pages.profile, start, self.kind)
            .map(|page| RunPage { first: (first + page.first) % known.layout.records().max(1), ..page })
            .collect()
    }

    /// Records of a run in so many bytes of cells, on average; one at least.
    pub fn records(&self, index: usize, cell_bytes: u64) -> u64 {
        self.known.get(&index).map_or(1, |known| {
            scaled(cell_bytes, known.layout.records() as u64, known.layout.cell_bytes()).max(1)
        })
    }

    /// Cell bytes of so many records of a run, on average.
    pub fn cell_bytes(&self, index: usize, records: u64) -> u64 {
        self.known
            .get(&index)
            .map_or(0, |known| scaled(known.layout.cell_bytes(), records, known.layout.records() as u64))
    }

    fn pack(&mut self, run: &Run, chunks: &[Chunk]) -> Vec<Option<PackedBytes>> {
        if self.kind == CodecKind::None {
            return vec![None; chunks.len()];
        }
        let jobs: Vec<Job> = ranges(chunks)
            .map(|(start, end)| Job {
                records: start..end,
                clock: self.state.clock,
                codecs: vec![self.codec],
                keep_image: self.images.wants_next() && self.plan.timing == Timing::Measure,
            })
            .collect();
        self.packed += jobs.len() as u64;
        let packed = self.workers.pack(&run.segment, &jobs);
        packed
            .into_iter()
            .map(|done| {
                if let Some(image) = done.kept_image {
                    self.images.add(image);
                }
                done.outputs[0]
            })
            .collect()
    }
}

/// The pages that lie in a run whole, as if it went on behind its end; all of it as one page if there are none.
fn whole_pages(layout: &Layout, size: ImageSize) -> Vec<Chunk> {
    let mut end = 0;
    let whole = over_and_over(layout, size).1.into_iter().take_while(|chunk| {
        end += chunk.records as usize;
        end <= layout.records()
    });
    let chunks: Vec<Chunk> = whole.collect();
    if !chunks.is_empty() {
        return chunks;
    }
    let records = u32::try_from(layout.records()).unwrap_or(u32::MAX);
    let image_bytes = layout.cell_bytes() + u64::from(facts::HEADER_BYTES);
    vec![Chunk { records, image_bytes, held_back: 0, last: true }]
}

/// The run again and again, and its pages but for the two at the end, which are cut otherwise than the others.
fn over_and_over(layout: &Layout, size: ImageSize) -> (Layout, Vec<Chunk>) {
    const PAGES: u64 = 4;
    let rounds = (PAGES * u64::from(size.bytes())).div_ceil(layout.cell_bytes().max(1));
    let records = layout.records().saturating_mul(1 + usize::try_from(rounds).unwrap_or(0));
    let repeated = layout.repeated(0, records);
    let mut chunks = repeated.cut(size);
    chunks.truncate(chunks.len().saturating_sub(2).max(1));
    (repeated, chunks)
}

/// From chunks that were packed. A run shorter than a page is repeated until there is a whole one.
fn packed(
    layout: &Layout,
    chunks: &[Chunk],
    outputs: &[Option<PackedBytes>],
    kind: CodecKind,
    size: ImageSize,
) -> RunPages {
    let unit = layout.unit();
    let mut profile = PackProfile::default();
    let mut pages = Vec::with_capacity(chunks.len());
    for ((chunk, (first, _)), output) in chunks.iter().zip(ranges(chunks)).zip(outputs) {
        let outcome = PageOutcome { last: false, ..outcome::outcome(chunk, *output, unit) };
        let page = RunPage { first, records: chunk.records, outcome };
        profile.push(page.cell_bytes(), output.map_or(chunk.image_bytes, |packed| packed.0));
        pages.push(page);
    }
    if chunks.iter().any(|chunk| chunk.last) {
        return derived(layout, &profile, kind, size);
    }
    RunPages { pages, profile }
}

/// The run's pages at another size, by how densely it packed.
fn derived(layout: &Layout, profile: &PackProfile, kind: CodecKind, size: ImageSize) -> RunPages {
    let own = layout.records();
    let (layout, chunks) = over_and_over(layout, size);
    let pages = outcomes(&chunks, &layout, profile, 0, kind)
        .map(|page| RunPage {
            first: page.first % own.max(1),
            outcome: PageOutcome { last: false, ..page.outcome },
            ..page
        })
        .collect();
    RunPages { pages, profile: profile.clone() }
}

/// Outcomes of chunks by a profile, in which the first record stands behind `start` bytes of cells.
fn outcomes<'a>(
    chunks: &'a [Chunk],
    layout: &'a Layout,
    profile: &'a PackProfile,
    start: u64,
    kind: CodecKind,
) -> impl Iterator<Item = RunPage> + 'a {
    chunks.iter().zip(ranges(chunks)).map(move |(chunk, (first, end))| {
        let packs = kind != CodecKind::None;
        let expected = packs.then(|| {
            let place = |record| start + layout.cell_bytes_before(record);
            PackedBytes(profile.between_repeated(place(first), place(end)).max(1))
        });
        RunPage { first, records: chunk.records, outcome: outcome::outcome(chunk, expected, layout.unit()) }
    })
}

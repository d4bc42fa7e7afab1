//! Pages that are not packed, or not all: other image sizes for the band, and slow levels on a sample.

use super::{
    Timing,
    effort::Packing,
    outcome::{self, Layout, PackProfile},
    run::{MainPages, Step, TableRun},
    state::State,
    workers::{Job, Packed},
};
use crate::geometry::wiredtiger::reconcile::Chunk;
use crate::units::PackedBytes;
use std::sync::Arc;

/// Share of a segment's pages that the band may pack again at other image sizes, as a divisor.
const BAND_PAGES_DIVISOR: usize = 24;
/// Pages packed at each further image size, at least.
const BAND_PAGES_MIN: usize = 4;
/// Pages of a segment that a level packs which does not pack all, at least.
const SAMPLED_PAGES_MIN: usize = 2;

/// A segment at an image size that the run did not take: some of its pages are to be packed.
struct WhatIf {
    chunks: Vec<Chunk>,
    /// Pages that are packed, in key order.
    sampled: Vec<usize>,
    /// Lanes that go on with it.
    lanes: Vec<usize>,
}

/// Which of `pages` pages are packed, evenly chosen, where lanes go on with `sizes` cuts that the run did not take.
pub(super) fn band_pages(pages: usize, sizes: usize, packing: Packing) -> Vec<usize> {
    let (divisor, least) = match packing {
        Packing::All => (BAND_PAGES_DIVISOR, BAND_PAGES_MIN),
        Packing::Sampled { pages, .. } => (BAND_PAGES_DIVISOR * pages, 1),
    };
    evenly((pages / divisor / sizes).max(least), pages)
}

/// So many of `pages` pages, each in the middle of its stretch.
fn evenly(wanted: usize, pages: usize) -> Vec<usize> {
    let wanted = wanted.min(pages);
    let mut chosen: Vec<usize> = (0..wanted).map(|nth| (2 * nth + 1) * (pages - 1) / (2 * wanted)).collect();
    chosen.dedup();
    chosen
}

/// One for each chosen page, in their order.
fn jobs(chunks: &[Chunk], chosen: &[usize], state: &State, codec: usize) -> Vec<Job> {
    let mut chosen = chosen.iter().peekable();
    let job = |(page, (start, end)): (usize, (usize, usize))| {
        let job = Job { records: start..end, clock: state.clock, codecs: vec![codec], keep_image: false };
        chosen.next_if_eq(&&page).map(|_| job)
    };
    outcome::ranges(chunks).enumerate().filter_map(job).collect()
}

/// How far sampled pages of a slow level pack from what the codec that it follows lets expect.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SampleSpread {
    pages: u64,
    millionths: u128,
    squares: u128,
}

impl SampleSpread {
    fn push(&mut self, packed: PackedBytes, expected_bytes: u64) {
        let ratio = u128::from(packed.0) * 1_000_000 / u128::from(expected_bytes.max(1));
        self.pages += 1;
        self.millionths += ratio;
        self.squares += ratio * ratio;
    }

    /// Twice the standard error of a sum over `leaf_pages` pages, in millionths of it.
    pub(super) fn error_millionths(&self, leaf_pages: u64) -> u64 {
        let pages = u128::from(self.pages);
        if pages < 2 || self.millionths == 0 {
            return 0;
        }
        let mean = self.millionths / pages;
        let variance = (self.squares / pages).saturating_sub(mean * mean);
        // Pages that were packed are known: only the others can be off.
        let unknown = u128::from(leaf_pages.saturating_sub(self.pages));
        let of_mean = (variance * unknown / u128::from(leaf_pages.max(1)) / pages).isqrt();
        u64::try_from(2 * of_mean * 1_000_000 / mean.max(1)).unwrap_or(u64::MAX)
    }
}

/// A segment of a slow level.
pub(super) struct Sampled {
    /// Packed bytes of each page, most of them expected.
    pub(super) outputs: Vec<Option<PackedBytes>>,
    /// Pages that were packed.
    pub(super) packed: u64,
}

/// Packs one in `pages` pages of a table that does not pack all, and takes the others to pack as those of the table it
/// is `like`.
pub(super) fn pack_sampled(
    step: &Step<'_>,
    run: &mut TableRun,
    chunks: &[Chunk],
    pages: usize,
    like: &PackProfile,
) -> Sampled {
    let Step { plan, workers, states, segment, ref layouts } = *step;
    let chosen = evenly((chunks.len() / pages).max(SAMPLED_PAGES_MIN), chunks.len());
    let mut jobs = jobs(chunks, &chosen, &states[run.state], run.codec);
    for job in &mut jobs {
        job.keep_image = run.sample.wants_next() && plan.timing == Timing::Measure;
    }
    let expected = outcome::expected_packing(chunks, &layouts[run.state], like);
    let mut sampled = vec![None; chunks.len()];
    for (page, packed) in chosen.iter().zip(workers.pack(segment, &jobs)) {
        let output = output(&packed);
        run.spread.push(output, expected[*page]);
        sampled[*page] = Some(output);
        if let Some(image) = packed.kept_image {
            run.sample.add(image);
        }
    }
    let outputs = outcome::guesses(&expected, &sampled).into_iter().map(Some).collect();
    Sampled { outputs, packed: chosen.len() as u64 }
}

/// Moves the other orders on: each cuts the segment at its own image size.
pub(super) fn follow_lanes(step: &Step<'_>, run: &mut TableRun, main: &MainPages<'_>) {
    let Step { plan, workers, states, segment, ref layouts } = *step;
    let layout = &layouts[run.state];
    let what_ifs = cut_lanes(run, layout, main);
    let jobs: Vec<Job> = what_ifs
        .iter()
        .flat_map(|what_if| jobs(&what_if.chunks, &what_if.sampled, &states[run.state], run.codec))
        .collect();
    let mut packed = workers.pack(segment, &jobs).into_iter();
    for WhatIf { chunks, sampled, lanes } in what_ifs {
        let mut outputs = vec![None; chunks.len()];
        for (page, packed) in sampled.iter().zip(packed.by_ref()) {
            outputs[*page] = Some(output(&packed));
        }
        let expected = outcome::expected_packing(&chunks, layout, &main.profile);
        let pages = Arc::new(outcome::guessed_pages(&chunks, &expected, &outputs, plan.table.allocation));
        for lane in lanes {
            run.lanes[lane].start(Arc::clone(&pages));
        }
    }
}

/// What one encoder made of a page. One that gave up made at least as many bytes as it got.
fn output(packed: &Packed) -> PackedBytes {
    packed.outputs[0].unwrap_or(PackedBytes(packed.image.0))
}

/// Cuts the segment for each of one codec's lanes. Those that cut it as the run did start at once; the others
/// are brought together by their boundaries, since nearby image sizes often lead to the same ones.
fn cut_lanes(run: &mut TableRun, layout: &Layout, main: &MainPages<'_>) -> Vec<WhatIf> {
    let mut what_ifs: Vec<WhatIf> = Vec::new();
    for (index, lane) in run.lanes.iter_mut().enumerate() {
        let chunks = layout.cut(lane.segment_filled(layout.cell_bytes(), &main.pages));
        if chunks == main.chunks {
            lane.start(Arc::clone(&main.pages));
        } else if let Some(known) = what_ifs.iter_mut().find(|known| known.chunks == chunks) {
            known.lanes.push(index);
        } else {
            what_ifs.push(WhatIf { chunks, sampled: Vec::new(), lanes: vec![index] });
        }
    }
    let sizes = what_ifs.len();
    for what_if in &mut what_ifs {
        what_if.sampled = band_pages(what_if.chunks.len(), sizes, run.packing);
    }
    what_ifs
}

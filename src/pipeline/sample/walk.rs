//! The image size along a collection that is known by a sample: the expected order, other orders, resampled ones.

use super::{
    pages::{Closeness, RunPage, TablePages},
    runs::Sample,
    stretched::{Piece, Stretched},
};
use crate::geometry::wiredtiger::feedback::ImageSize;
use crate::pipeline::{
    outcome::Pages,
    run::{SampledPage, TableRun},
    state::State,
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};
use std::sync::Arc;

/// Resampled walks from which the error is taken.
const REPLICATES: u64 = 64;
/// Segments that a resampled walk follows at most, evenly chosen.
const REPLICATE_SEGMENTS_MAX: usize = 2048;
/// Runs, the stretch's own among them, of which one is drawn: near enough to share what changes along the input.
const NEIGHBOURS: usize = 5;
/// Resampled walks are made of the same runs, so they differ less among themselves than another sample would from them
/// where the image size is about to turn. Calibrated on samples of a tenth of the measured sets; see docs/METHOD.md.
const UNSEEN: f64 = 1.4;
/// What image sizes of resampled walks are rounded to, in bytes: an eighth of the smallest.
const REPLICATE_SIZE_STEP: u32 = 4096;

/// Follows the collection through the expected order and the lanes; `run` has every page afterwards.
pub fn follow(
    run: &mut TableRun,
    pages: &mut TablePages<'_>,
    sample: &Sample,
    file: &Stretched,
    state: &State,
) {
    let unit = pages.unit();
    let mut number = 1;
    for pieces in &file.segments {
        let size = run.size();
        let (main, cell_bytes) =
            segment_pages(pages, sample, file, pieces, size, Closeness::Main, &mut InTurn);
        for (page, stretch) in &main {
            let segment = &sample.runs[sample.stretches[*stretch].run].segment;
            let last = number + (u64::from(page.records).max(1) - 1) * file.times;
            run.take_sampled(state, &SampledPage { page, segment, numbers: number..=last }, unit);
            number = last + file.times;
        }
        let outcomes = Arc::new(Pages::new(main.iter().map(|(page, _)| page.outcome).collect()));
        let mut lanes = std::mem::take(&mut run.lanes);
        for lane in &mut lanes {
            let lane_size = lane.segment_filled(cell_bytes, &outcomes);
            if lane_size == size {
                lane.start(Arc::clone(&outcomes));
            } else {
                let (other, _) =
                    segment_pages(pages, sample, file, pieces, lane_size, Closeness::Lane, &mut InTurn);
                lane.start(Arc::new(Pages::new(other.iter().map(|(page, _)| page.outcome).collect())));
            }
        }
        run.lanes = lanes;
    }
    run.pages_packed = pages.packed;
}

/// Half the width of the interval that holds the whole input's figure in 95 of 100 samples, in millionths of the
/// figure; `None` where a single run cannot tell.
///
/// Each replicate lets a run drawn from its neighbours stand for each stretch, begins somewhere in each run, and follows
/// the image size anew, since that is what a difference in density ends in.
pub fn error_millionths(
    pages: &mut TablePages<'_>,
    sample: &Sample,
    file: &Stretched,
    first_size: ImageSize,
    seed: u64,
) -> Option<u64> {
    let stretches = sample.stretches.len();
    if stretches < 2 {
        return None;
    }
    let expected = stored(pages, sample, file, first_size, &mut InTurn);
    let replicates: Vec<u64> = (0..REPLICATES)
        .map(|nth| stored(pages, sample, file, first_size, &mut Drawn::new(seed ^ (nth + 1), stretches)))
        .collect();
    // Of `neighbours` runs, one of which is the stretch's own, a draw shows this share of their variance.
    #[expect(clippy::cast_precision_loss, reason = "a few")]
    let neighbours = NEIGHBOURS.min(stretches) as f64;
    let shown = (neighbours - 1.0) / neighbours;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a count"
    )]
    let freedom = (stretches as f64 * shown) as usize;
    let half_width = t_quantile(freedom) * relative_deviation(expected, &replicates) / shown.sqrt() * UNSEEN;
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let read = sample.documents_read() as f64 / file.documents.max(1) as f64;
    let unread = (1.0 - read).max(0.0).sqrt();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and saturating"
    )]
    Some((half_width * unread * 1e6) as u64)
}

/// Leaf block bytes of a walk along the collection, or along an even part of a large one.
fn stored(
    pages: &mut TablePages<'_>,
    sample: &Sample,
    file: &Stretched,
    first_size: ImageSize,
    choice: &mut impl Choice,
) -> u64 {
    let stride = file.segments.len().div_ceil(REPLICATE_SEGMENTS_MAX).max(1);
    let (mut size, mut stored) = (first_size, 0);
    for pieces in file.segments.iter().step_by(stride) {
        let rounded = size.at(size.bytes().next_multiple_of(REPLICATE_SIZE_STEP));
        let (made, _) = segment_pages(pages, sample, file, pieces, rounded, Closeness::Lane, choice);
        for (page, _) in &made {
            size = page.outcome.moves(size);
            stored += page.outcome.stored_bytes;
        }
    }
    stored
}

/// Root of the mean square of how far `values` lie from `expected`, over `expected`.
#[expect(clippy::cast_precision_loss, reason = "sums of bytes, of which the first digits count")]
fn relative_deviation(expected: u64, values: &[u64]) -> f64 {
    let expected = expected as f64;
    let squares: f64 = values.iter().map(|value| (*value as f64 - expected).powi(2)).sum();
    if expected > 0.0 { (squares / values.len() as f64).sqrt() / expected } else { 0.0 }
}

/// Student's quantile of 97.5 % with so many degrees of freedom.
///
/// Exact for one and two, else the first terms of its expansion (Abramowitz and Stegun 26.7.5), within 0.5 %.
#[expect(clippy::cast_precision_loss, reason = "a count")]
fn t_quantile(freedom: usize) -> f64 {
    const NORMAL: f64 = 1.959_964;
    match freedom {
        0 | 1 => 12.706,
        2 => 4.303,
        _ => {
            let (z, n) = (NORMAL, freedom as f64);
            let first = (z.powi(3) + z) / 4.0;
            let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
            let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
            z + first / n + second / n.powi(2) + third / n.powi(3)
        }
    }
}

/// Which run stands for a stretch, and with which of its pages a piece begins.
trait Choice {
    fn stretch(&self, own: usize) -> usize;
    fn first_page(&mut self, own: usize, pages: usize) -> usize;

    /// What a page between the runs packs to, over what a page of the run does.
    fn factor(&mut self, spread: f64) -> f64;
}

/// Each its own, from the page where the piece's first record is.
struct InTurn;

impl Choice for InTurn {
    fn stretch(&self, own: usize) -> usize {
        own
    }

    fn first_page(&mut self, own: usize, _pages: usize) -> usize {
        own
    }

    fn factor(&mut self, _spread: f64) -> f64 {
        1.0
    }
}

/// Drawn anew.
struct Drawn {
    rng: ChaCha8Rng,
    stands_in: Vec<usize>,
}

impl Drawn {
    fn new(seed: u64, stretches: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let stands_in = (0..stretches)
            .map(|own| {
                // Neighbours two by two; an odd one at the end has the pair before it.
                let partner =
                    if own + 1 == stretches && own % 2 == 0 { own.saturating_sub(1) } else { own ^ 1 };
                if rng.next_u32() % 2 == 0 { own } else { partner }
            })
            .collect();
        Self { rng, stands_in }
    }
}

impl Choice for Drawn {
    fn stretch(&self, own: usize) -> usize {
        self.stands_in[own]
    }

    fn first_page(&mut self, _own: usize, pages: usize) -> usize {
        self.rng.next_u32() as usize % pages.max(1)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a quarter of the word at a time")]
    fn factor(&mut self, spread: f64) -> f64 {
        // Four even draws make a bell that ends at 3.5 deviations: 65536 and 3 are their range and variance.
        const DRAWS: u32 = 4;
        let word = self.rng.next_u64();
        let sum: u32 = (0..DRAWS).map(|nth| u32::from((word >> (16 * nth)) as u16)).sum();
        let standard = (f64::from(sum) / 65_536.0 - f64::from(DRAWS) / 2.0) * 3_f64.sqrt();
        1.0 + spread * standard
    }
}

/// The pages of one segment at `size`, each with the stretch whose run it is of; and the segment's cell bytes.
fn segment_pages(
    table: &mut TablePages<'_>,
    sample: &Sample,
    file: &Stretched,
    pieces: &[Piece],
    size: ImageSize,
    closeness: Closeness,
    choice: &mut impl Choice,
) -> (Vec<(RunPage, usize)>, u64) {
    let mut made: Vec<(RunPage, usize)> = Vec::new();
    let mut cell_bytes = 0;
    // Bytes that pages of earlier pieces took too few of, or too many.
    let mut owed = 0_i64;
    for (nth, piece) in pieces.iter().enumerate() {
        let stretch = choice.stretch(piece.stretch);
        let index = sample.stretches[stretch].run;
        let pages = table.pages(index, &sample.runs[index], size, closeness);
        let first = choice.first_page(pages.page_of(piece.first), pages.pages.len());
        let is_last = nth + 1 == pieces.len();
        let records = if stretch == piece.stretch { piece.records } else { file.records_of(piece, stretch) };
        let piece_bytes = table.cell_bytes(index, records);
        cell_bytes += piece_bytes;
        // Bytes, not records: the run's last record is on no whole page, and may be its largest.
        let mut left = i64::try_from(piece_bytes).unwrap_or(i64::MAX / 2) + owed;
        for page in pages.pages.iter().cycle().skip(first) {
            let bytes = i64::try_from(page.cell_bytes()).unwrap_or(i64::MAX).max(1);
            // The last piece keeps a page and what is left for the segment's end, which is cut otherwise.
            let goes_on = if is_last { left >= 2 * bytes } else { 2 * left >= bytes };
            if !goes_on {
                break;
            }
            left -= bytes;
            let factor = choice.factor(table.page_spread);
            made.push((table.repacked(page, factor), stretch));
        }
        owed = left;
        if is_last && left > 0 {
            let records_left = table.records(index, left.unsigned_abs());
            let done = records.saturating_sub(records_left);
            let tail = table.tail(index, &pages, piece.first + done, records_left, size);
            made.extend(tail.into_iter().map(|page| (page, stretch)));
        }
    }
    if let Some((page, _)) = made.last_mut() {
        page.outcome.last = true;
    }
    (made, cell_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, want) in
            [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)]
        {
            let got = t_quantile(freedom);
            assert!((got / want - 1.0).abs() < 0.008, "{freedom}: {got}");
        }
    }

    #[test]
    fn a_deviation_is_relative_to_what_was_expected() {
        assert!((relative_deviation(100, &[90, 110]) - 0.1).abs() < 1e-12);
        assert!((relative_deviation(100, &[110, 110]) - 0.1).abs() < 1e-12, "beside it is off too");
        assert!(relative_deviation(5, &[5, 5, 5]).abs() < 1e-12);
        assert!(relative_deviation(0, &[0, 0]).abs() < 1e-12);
    }
}

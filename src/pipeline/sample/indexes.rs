//! Indexes of a collection that is known by a sample.
//!
//! Keys that ascend as documents come are modelled on documents in a row. Of all others, the runs' entries make an index of their own, which has the input's order and its repetitions, but
//! fewer neighbours: keys that lie closer share longer prefixes, and more entries of one key share a page. How much
//! closer packs denser is what an index of every other run shows beside that of all runs.

use super::runs::Sample;
use crate::estimate::{Band, Basis, IndexEstimate};
use crate::geometry::wiredtiger::file;
use crate::pipeline::segments::Segment;
use crate::pipeline::{
    Plan,
    indexes::{self, IndexRun, Loaded},
    state::State,
    workers::Workers,
};
use crate::units::{BsonBytes, DiskBytes};

/// What the entries between the runs can do to an index that those within them do not show: its order over the whole
/// input, and how full its last pages are. See docs/METHOD.md.
const BAND_SHARE: f64 = 0.03;
/// The bytes of an entry are taken to change by this factor at most between the sample and the collection.
const CHANGE_MAX: f64 = 1.25;

/// Rows of all indexes, for a collection of `documents` documents.
pub fn estimate(
    plan: &Plan,
    workers: &Workers,
    states: &[State],
    sample: &Sample,
    documents: u64,
) -> Vec<IndexEstimate> {
    let model = Model { plan, workers, states };
    let runs = |step: usize| {
        let stretches = sample.stretches.iter().step_by(step);
        model.indexes_of(stretches.map(|stretch| &sample.runs[stretch.run].segment))
    };
    let row = model.indexes_of(std::iter::once(&sample.row));
    let ascending: Vec<&str> = row.runs.iter().filter(|run| run.ascends()).map(IndexRun::name).collect();
    let (whole, half) = (runs(1), runs(2));
    whole
        .rows
        .iter()
        .zip(&half.rows)
        .zip(&row.rows)
        .map(|((whole_row, half_row), in_row)| {
            // A gap between runs cuts the prefixes of all keys behind it on its page, and the whole has no gaps.
            if ascending.contains(&in_row.name.as_str()) {
                scaled(in_row, None, row.documents, documents, plan)
            } else {
                let half_row = Some(half_row).filter(|_| half.documents < whole.documents);
                scaled(whole_row, half_row, whole.documents, documents, plan)
            }
        })
        .collect()
}

/// What indexes are modelled by.
struct Model<'m> {
    plan: &'m Plan,
    workers: &'m Workers,
    states: &'m [State],
}

/// Indexes of some documents.
struct Indexes {
    runs: Vec<IndexRun>,
    rows: Vec<IndexEstimate>,
    documents: u64,
}

impl Model<'_> {
    fn indexes_of<'s>(&self, segments: impl Iterator<Item = &'s Segment>) -> Indexes {
        let Self { plan, workers, states } = *self;
        let mut runs: Vec<IndexRun> = plan.indexes.iter().cloned().map(IndexRun::new).collect();
        let (mut documents, mut bson_bytes) = (0, 0);
        for segment in segments {
            workers.for_each(&mut runs, |index| index.take(segment, documents));
            indexes::bound(&mut runs, plan.index_memory_bytes);
            documents += segment.records() as u64;
            bson_bytes += segment.bytes.len() as u64;
        }
        let loaded = Loaded { documents, bson: BsonBytes(bson_bytes) };
        let rows = indexes::finish(&runs, states, loaded, &plan.table, workers);
        Indexes { runs, rows, documents }
    }
}

/// What an index of the sample says of one with the entries of `documents` documents.
#[expect(clippy::cast_precision_loss, reason = "bytes and counts, of which the first digits count")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive, and rounded up to units"
)]
fn scaled(
    row: &IndexEstimate,
    half: Option<&IndexEstimate>,
    modelled: u64,
    documents: u64,
    plan: &Plan,
) -> IndexEstimate {
    let factor = documents as f64 / modelled.max(1) as f64;
    let times = |figure: u64, factor: f64| (figure as f64 * factor).round() as u64;
    let entries = times(row.entries, factor);
    let skeleton = file::skeleton(&plan.table).0 as f64;
    let entry_bytes = |row: &IndexEstimate| -> Option<f64> {
        let storage = row.storage.filter(|_| row.entries > 0)?;
        Some((storage.0 as f64 - skeleton).max(0.0) / row.entries as f64)
    };
    let change = entry_bytes(row).zip(half.and_then(entry_bytes)).map_or(1.0, |(own, halved)| {
        let doublings = (row.entries as f64 / half.map_or(1, |half| half.entries).max(1) as f64).log2();
        let per_doubling = if doublings > 0.0 && own > 0.0 {
            (own / halved.max(f64::MIN_POSITIVE) - 1.0) / doublings
        } else {
            0.0
        };
        (1.0 + per_doubling * factor.max(1.0).log2()).clamp(1.0 / CHANGE_MAX, CHANGE_MAX)
    });
    let unit = plan.table.allocation;
    let storage = entry_bytes(row)
        .map(|own| unit.round_up((skeleton + own * change * entries as f64) as u64))
        .or(row.storage);
    // A page more or less is more of a small index than of a large one.
    let last_page = 1.0 / row.leaf_pages.unwrap_or(1).max(1) as f64;
    let band = storage.map(|storage| {
        let doubt = (storage.0 as f64 * (BAND_SHARE + (change - 1.0).abs() + last_page)) as u64;
        Band { low: DiskBytes(storage.0.saturating_sub(doubt)), high: DiskBytes(storage.0 + doubt) }
    });
    IndexEstimate {
        entries,
        storage,
        band,
        leaf_pages: row.leaf_pages.map(|pages| times(pages, factor * change)),
        twins: row.twins.map(|twins| unit.round_up(times(twins.0, factor * change))),
        documents_refused: times(row.documents_refused, factor),
        basis: Basis::Extrapolated,
        ..row.clone()
    }
}

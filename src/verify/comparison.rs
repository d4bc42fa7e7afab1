//! What was predicted and what was measured, side by side.

use crate::estimate::{
    Band, CodecName, CollectionEstimate, IndexBuild, IndexEstimate, LoadState, ModelFacts, StorageEstimate,
    Timing,
};
use crate::units::{BsonBytes, DiskBytes, RawBytes};

/// A whole run of `verify`.
#[derive(Clone, Debug)]
pub struct Verification {
    /// Rules and encoders of the prediction.
    pub model: ModelFacts,
    /// The servers that measured, one entry a state.
    pub servers: Vec<ServerRun>,
    /// How far a prediction may be off.
    pub tolerance: Tolerance,
    /// One entry an input.
    pub collections: Vec<VerifiedCollection>,
    /// What it took.
    pub timing: Timing,
}

/// A server that measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRun {
    /// As it tells: `6.0.27`.
    pub version: String,
    /// The program, or its address without secrets.
    pub place: String,
    /// Which state its collections come out in.
    pub load: LoadState,
    /// Its cache, where it tells.
    pub cache_bytes: Option<u64>,
}

/// How far a prediction may lie from the measured median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// In per cent of the measured size.
    pub percent: f64,
    /// In any case: files grow by blocks, and a small one by a share of itself.
    pub bytes: DiskBytes,
}

impl Tolerance {
    /// Blocks that no file is held to.
    pub const BLOCKS: u64 = 3;
}

/// One input.
#[derive(Clone, Debug)]
pub struct VerifiedCollection {
    /// Name of the collection.
    pub name: String,
    /// Inputs it was read from.
    pub sources: Vec<String>,
    /// Documents that were loaded.
    pub documents: u64,
    /// Their BSON bytes, predicted; the server counted the same, or there is no result.
    pub bson: BsonBytes,
    /// Documents left out.
    pub documents_skipped: u64,
    /// Data first, then indexes.
    pub checks: Vec<Check>,
    /// Where scans were measured.
    pub scans: Vec<ScanCheck>,
}

/// What a size is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The documents under a codec.
    Data(CodecName),
    /// An index.
    Index {
        /// `user_1`.
        name: String,
        /// When it came to be.
        build: IndexBuild,
    },
}

/// Predicted and measured, where both are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// By the model.
    pub predicted: u64,
    /// The median of the runs.
    pub measured: u64,
}

/// One size, predicted and measured.
#[derive(Clone, Debug)]
pub struct Check {
    /// Which file.
    pub subject: Subject,
    /// In which state.
    pub load: LoadState,
    /// `None` where the model gives no figure.
    pub predicted: Option<DiskBytes>,
    /// What scheduling inside the server can make of it; indexes have none.
    pub band: Option<Band>,
    /// Files measured, ascending; at least one.
    pub runs: Vec<DiskBytes>,
    /// Free bytes inside the file of the median run.
    pub free: Option<DiskBytes>,
    /// Leaf and internal pages: modelled, and written during load and checkpoint. A page that was written twice
    /// counts twice.
    pub pages: Option<Pair>,
    /// Where the tuned image size ended.
    pub image_tuned: Option<Pair>,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the tolerance.
    Within,
    /// Beyond it.
    Outside,
    /// Nothing was predicted.
    NotPredicted,
}

impl Verdict {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Within => "within",
            Self::Outside => "outside",
            Self::NotPredicted => "not-predicted",
        }
    }
}

impl Check {
    /// The middle run; of two, the smaller.
    ///
    /// # Panics
    ///
    /// Without a run, which [`compare`] does not make.
    #[must_use]
    pub fn measured(&self) -> DiskBytes {
        self.runs[(self.runs.len() - 1) / 2]
    }

    /// Smallest and largest run.
    ///
    /// # Panics
    ///
    /// As [`Check::measured`].
    #[must_use]
    pub fn spread(&self) -> (DiskBytes, DiskBytes) {
        (self.runs[0], self.runs[self.runs.len() - 1])
    }

    /// Predicted less measured, in per cent of measured.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "byte counts stay below 2^53")]
    pub fn difference_pct(&self) -> Option<f64> {
        let measured = self.measured().0 as f64;
        // The difference first: whole bytes lose nothing.
        self.predicted.map(|predicted| (predicted.0 as f64 - measured) / measured * 100.0)
    }

    /// Whether the measured median lies in the band.
    #[must_use]
    pub fn is_inside_band(&self) -> Option<bool> {
        self.band.map(|band| (band.low..=band.high).contains(&self.measured()))
    }

    /// Whether the prediction is near enough.
    #[must_use]
    pub fn verdict(&self, tolerance: Tolerance) -> Verdict {
        match (self.predicted, self.difference_pct()) {
            (Some(predicted), Some(percent)) => {
                let bytes = predicted.0.abs_diff(self.measured().0);
                if percent.abs() <= tolerance.percent || bytes <= tolerance.bytes.0 {
                    Verdict::Within
                } else {
                    Verdict::Outside
                }
            }
            _ => Verdict::NotPredicted,
        }
    }
}

/// A full scan of a collection that no page of was in the server's cache.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanCheck {
    /// Under which codec.
    pub codec: CodecName,
    /// In which state.
    pub load: LoadState,
    /// Seconds of each, ascending; at least one.
    pub runs_s: Vec<f64>,
    /// Seconds that one thread takes to restore all leaf pages: image bytes by measured encoder speed. `None` where
    /// nothing is packed or speeds were not measured.
    pub decompression_s: Option<f64>,
}

impl ScanCheck {
    /// The middle run.
    ///
    /// # Panics
    ///
    /// Without a run, which [`compare`] does not make.
    #[must_use]
    pub fn measured_s(&self) -> f64 {
        self.runs_s[(self.runs_s.len() - 1) / 2]
    }
}

/// What one load left on a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Its state.
    pub load: LoadState,
    /// The collection's codec.
    pub codec: CodecName,
    /// The data file.
    pub storage: DiskBytes,
    /// Free bytes inside it.
    pub free: Option<DiskBytes>,
    /// Pages that were written.
    pub pages_written: Option<u64>,
    /// Where the tuned image size ended.
    pub image_tuned: Option<RawBytes>,
    /// Files of indexes, with when they came to be.
    pub indexes: Vec<(String, IndexBuild, DiskBytes)>,
    /// Seconds of cold scans; empty where none was asked for.
    pub scans_s: Vec<f64>,
}

/// Puts an estimate beside what was measured of the same documents. Rows without a measurement are left out.
#[must_use]
pub fn compare(estimate: &CollectionEstimate, measured: &[Measured]) -> VerifiedCollection {
    let data = estimate.storage.iter().filter_map(|row| data_check(row, measured));
    let indexes = estimate.indexes.iter().filter_map(|row| index_check(row, measured));
    VerifiedCollection {
        name: estimate.name.clone(),
        sources: estimate.sources.clone(),
        documents: estimate.documents,
        bson: estimate.bson,
        documents_skipped: estimate.documents_skipped,
        checks: data.chain(indexes).collect(),
        scans: estimate.storage.iter().filter_map(|row| scan_check(row, measured)).collect(),
    }
}

fn runs_of<'m>(row: &StorageEstimate, measured: &'m [Measured]) -> Vec<&'m Measured> {
    let is_of = |run: &&Measured| run.load == row.load && run.codec == row.codec;
    let mut runs: Vec<&Measured> = measured.iter().filter(is_of).collect();
    runs.sort_by_key(|run| run.storage);
    runs
}

fn data_check(row: &StorageEstimate, measured: &[Measured]) -> Option<Check> {
    let runs = runs_of(row, measured);
    let median = *runs.get(runs.len().checked_sub(1)? / 2)?;
    let pages = row.tally.leaf_pages + row.tally.internal_pages;
    let pair = |predicted, measured: Option<u64>| measured.map(|measured| Pair { predicted, measured });
    Some(Check {
        subject: Subject::Data(row.codec.clone()),
        load: row.load,
        predicted: Some(row.storage),
        band: Some(row.band),
        runs: runs.iter().map(|run| run.storage).collect(),
        free: median.free,
        pages: pair(pages, median.pages_written),
        image_tuned: pair(row.image_tuned.0, median.image_tuned.map(|bytes| bytes.0)),
    })
}

fn index_check(row: &IndexEstimate, measured: &[Measured]) -> Option<Check> {
    // An index that is built afterwards is the same in every state, and predicted once.
    let is_of = |run: &&Measured| run.load == row.load || row.build == IndexBuild::AfterLoad;
    let indexes = measured.iter().filter(is_of).flat_map(|run| &run.indexes);
    let mut runs: Vec<DiskBytes> = indexes
        .filter(|(name, build, _)| *name == row.name && *build == row.build)
        .map(|(_, _, storage)| *storage)
        .collect();
    runs.sort();
    (!runs.is_empty()).then(|| Check {
        subject: Subject::Index { name: row.name.clone(), build: row.build },
        load: row.load,
        predicted: row.storage,
        band: None,
        runs,
        free: None,
        pages: None,
        image_tuned: None,
    })
}

#[expect(clippy::cast_precision_loss, reason = "byte counts stay below 2^53")]
fn scan_check(row: &StorageEstimate, measured: &[Measured]) -> Option<ScanCheck> {
    let mut runs_s: Vec<f64> =
        runs_of(row, measured).iter().flat_map(|run| run.scans_s.iter().copied()).collect();
    runs_s.sort_by(f64::total_cmp);
    let packed_images = row.tally.leaf_image.0.saturating_sub(row.tally.leaf_kept_raw.0);
    let speed = row.speed.and_then(|speed| speed.decompress_mb_per_s);
    (!runs_s.is_empty()).then(|| ScanCheck {
        codec: row.codec.clone(),
        load: row.load,
        runs_s,
        decompression_s: speed.map(|mb_per_s| packed_images as f64 / 1e6 / mb_per_s),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture;

    fn check(predicted: Option<u64>, runs: &[u64]) -> Check {
        let mut check = fixture::flights().collections[0].checks[0].clone();
        check.predicted = predicted.map(DiskBytes);
        check.runs = runs.iter().copied().map(DiskBytes).collect();
        check
    }

    #[test]
    fn verdict_takes_the_per_cent_or_three_blocks() {
        let tolerance = Tolerance { percent: 2.0, bytes: DiskBytes(3 * 4096) };
        for (predicted, runs, want, why) in [
            (Some(102_000_000), &[100_000_000][..], Verdict::Within, "two per cent"),
            (Some(102_000_001), &[100_000_000], Verdict::Outside, "a byte more"),
            (Some(98_000_000), &[100_000_000], Verdict::Within, "two per cent less"),
            (Some(36_864 + 12_288), &[36_864], Verdict::Within, "three blocks"),
            (Some(36_864 + 12_289), &[36_864], Verdict::Outside, "a byte more than three blocks"),
            (Some(100_000_000), &[1, 100_000_000, 900_000_000], Verdict::Within, "the median counts"),
            (None, &[1], Verdict::NotPredicted, "no figure"),
        ] {
            assert_eq!(check(predicted, runs).verdict(tolerance), want, "{why}");
        }
    }

    #[test]
    fn of_two_runs_the_smaller_is_the_median_and_the_spread_has_both() {
        let check = check(Some(1), &[10, 20]);
        assert_eq!((check.measured(), check.spread()), (DiskBytes(10), (DiskBytes(10), DiskBytes(20))));
    }

    #[test]
    fn rows_find_the_runs_of_their_state_and_codec_and_no_others() {
        let estimate = crate::estimate::fixture::logs();
        let run = |codec: &str, level, load, storage| Measured {
            load,
            codec: estimate.collections[0]
                .storage
                .iter()
                .map(|row| row.codec.clone())
                .find(|name| name.name == codec && name.level == level)
                .unwrap(),
            storage: DiskBytes(storage),
            free: None,
            pages_written: Some(700),
            image_tuned: None,
            indexes: vec![("user_1".to_owned(), IndexBuild::BeforeLoad, DiskBytes(storage / 10))],
            scans_s: Vec::new(),
        };
        let measured = [
            run("zstd", Some(6), LoadState::Settled, 300),
            run("zstd", Some(6), LoadState::Settled, 100),
            run("zstd", Some(6), LoadState::Bulk, 900),
            run("snappy", None, LoadState::Settled, 500),
        ];
        let compared = compare(&estimate.collections[0], &measured);
        let shown: Vec<_> =
            compared.checks.iter().map(|check| (check.subject.clone(), check.runs.clone())).collect();
        let data = |name, level| Subject::Data(CodecName { name, level });
        let index = Subject::Index { name: "user_1".to_owned(), build: IndexBuild::BeforeLoad };
        let bytes = |runs: &[u64]| runs.iter().copied().map(DiskBytes).collect::<Vec<_>>();
        assert_eq!(
            shown,
            [
                (data("snappy", None), bytes(&[500])),
                (data("zstd", Some(6)), bytes(&[100, 300])),
                // The fixture's index is of the bulk state.
                (index, bytes(&[90])),
            ]
        );
        assert!(compared.scans.is_empty());
    }
}

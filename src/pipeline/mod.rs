//! Plan in, estimate out: the only place where source, geometry and codecs meet.
//!
//! ```text
//!  source ──► segments ──► cut at the table's image size ──► images ──► encoders ──► blocks ──► tally
//!   the next few are read          ▲                        all threads, by page         │
//!   while these are packed         └─────────────── feedback, in key order ──────────────┘
//! ```
//!
//! A table (a state under a codec) takes one segment after the other and looks at its pages in key order, so the outcome
//! does not depend on the number of threads; tables do not wait for each other. Memory holds two batches of segments and
//! their pages, whatever the input's size.

mod effort;
mod indexes;
pub mod inspect;
mod outcome;
pub mod partial;
mod run;
mod sample;
mod schedule;
mod segments;
mod speed;
mod state;
pub mod store;
mod traffic;
mod what_if;
mod workers;

pub use effort::Effort;
pub use partial::NotInParts;
pub use sample::{Amount, SAMPLE_BYTES_DEFAULT, Sampling};
pub use traffic::{Logged, TrafficPlan, measure_traffic, wire_codecs};

use crate::codec::{self, CodecKind};
use crate::datafile::DataFileError;
use crate::estimate::{CollectionEstimate, LoadState, ModelFacts};
use crate::geometry::wiredtiger::TableConfig;
use crate::record::collection::Shape;
use crate::record::index::IndexSpec;
use crate::source::{OnBadDocument, Source, SourceError};
use std::num::NonZeroUsize;

/// Memory for entries of indexes unless a plan says otherwise: about seven million `_id`s, or half a million documents
/// with ten indexes.
pub const INDEX_MEMORY_BYTES: u64 = 160 << 20;

/// What to estimate and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The table's sizes and the release's rules.
    pub table: TableConfig,
    /// States of the collection, in the order of the report.
    pub loads: Vec<LoadState>,
    /// Codecs, in the order of the report.
    pub codecs: Vec<CodecKind>,
    /// Whether slow levels pack all of their pages.
    pub effort: Effort,
    /// What the collection was created as.
    pub shape: Shape,
    /// Indexes, in the order of the report. A collection has [`IndexSpec::id`] at least, unless it is clustered.
    pub indexes: Vec<IndexSpec>,
    /// Memory for entries of all indexes together. Once they are more, indexes are modelled on those of the documents
    /// up to there, and scaled.
    pub index_memory_bytes: u64,
    /// Threads that build and pack images.
    pub threads: NonZeroUsize,
    /// What to do with a document that cannot be taken.
    pub on_bad: OnBadDocument,
    /// Whether encoders are timed.
    pub timing: Timing,
    /// Whether the image size is recorded from page to page.
    pub walk: Walk,
    /// Which documents are modelled; `None` for all.
    pub sampling: Option<Sampling>,
}

impl Plan {
    /// A plain collection with its `_id_` in both states, under the codecs that MongoDB offers at a server's levels,
    /// on all cores, untimed.
    #[must_use]
    pub fn new(table: TableConfig) -> Self {
        Self {
            table,
            loads: vec![LoadState::Settled, LoadState::Bulk],
            codecs: CodecKind::SERVER.to_vec(),
            effort: Effort::Full,
            shape: Shape::default(),
            indexes: vec![IndexSpec::id()],
            index_memory_bytes: INDEX_MEMORY_BYTES,
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            on_bad: OnBadDocument::Stop,
            timing: Timing::Skip,
            walk: Walk::Skip,
            sampling: None,
        }
    }
}

/// Whether the image size is recorded from page to page. Figures do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// In each row, with [`crate::estimate::IMAGE_WALK_POINTS_MAX`] points at most.
    Record,
    /// Not at all.
    Skip,
}

/// Whether encoders are timed after the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Each on one thread, over a sample of the run's own images.
    Measure,
    /// Not at all: results are the same from run to run.
    Skip,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Documents read.
    pub documents: u64,
    /// Input bytes consumed, as stored.
    pub bytes_read: u64,
    /// Input bytes in all, where that is known.
    pub bytes_total: Option<u64>,
}

/// Why there is no estimate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The input.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A data file.
    #[error(transparent)]
    DataFile(#[from] DataFileError),
    /// Not one document.
    #[error("{input}: {}", no_documents(*skipped, first_reason.as_deref()))]
    NoDocuments {
        /// Name of the input.
        input: String,
        /// Documents that were skipped.
        skipped: u64,
        /// The first one's message.
        first_reason: Option<String>,
    },
    /// An input or a collection that is not estimated in parts.
    #[error("{input}: {why}")]
    NotInParts {
        /// Name of the input.
        input: String,
        /// Why not.
        why: NotInParts,
    },
    /// The system gives no threads.
    #[error("cannot start {threads} threads: {source}")]
    Threads {
        /// As asked for.
        threads: NonZeroUsize,
        /// The system's answer.
        source: rayon::ThreadPoolBuildError,
    },
}

fn no_documents(skipped: u64, first_reason: Option<&str>) -> String {
    match (skipped, first_reason) {
        (0, _) => "holds no documents".to_owned(),
        (_, None) => format!("holds no document that can be taken ({skipped} skipped)"),
        (1, Some(reason)) => format!("holds no document that can be taken; 1 was skipped: {reason}"),
        (_, Some(reason)) => {
            format!("holds no document that can be taken; {skipped} were skipped, the first: {reason}")
        }
    }
}

/// Estimates one collection. `observe` is called once a segment, on the calling thread.
///
/// # Errors
///
/// What the source returns; an input without documents; a system without threads.
pub fn estimate_collection(
    name: &str,
    source: &mut dyn Source,
    plan: &Plan,
    observe: &mut dyn FnMut(Progress),
) -> Result<CollectionEstimate, PipelineError> {
    if let Some(sampling) = plan.sampling
        && let Some(estimate) = sample::estimate(plan, sampling, name, source, observe)?
    {
        return Ok(estimate);
    }
    run::CollectionRun::new(plan)?.estimate(name, source, observe)
}

/// The rules, sizes and encoders that a plan's estimates follow.
#[must_use]
pub fn model_facts(plan: &Plan) -> ModelFacts {
    let TableConfig { allocation, leaf_page_bytes_max, memory_page_bytes_max, cache_bytes, release, .. } =
        plan.table;
    ModelFacts {
        server: release.to_string(),
        server_note: release.is_newer_than_known().then(|| {
            format!(
                "the rules of {release} are not known here; those of 8.0 are used and are unverified there"
            )
        }),
        leaf_page_bytes_max: u64::from(leaf_page_bytes_max),
        allocation_bytes: allocation.bytes(),
        memory_page_bytes_max,
        cache_bytes,
        codec_versions: codec::library_versions(),
    }
}

//! Figures: what was counted, what was modelled, and how sure it is. Knows no source of its integers.

pub mod apply;
pub mod band;
#[cfg(test)]
pub(crate) mod fixture;
mod index;
mod inspection;
pub mod merging;
mod on_server;
pub mod partial;
mod remarks;
pub mod shards;
pub mod store;
pub mod sweep;
mod tally;
mod walk;

pub use index::{IndexBuild, IndexEstimate, IndexNotPredicted, PatternValue};
pub use inspection::{
    Faults, FileLayout, Inspection, LeafFigures, Readable, TableInspection, TableRole, Unreadable, Way,
    WhatIf,
};
pub use on_server::{History, Layout, OnServer};
pub use remarks::{Remark, remarks};
pub use tally::{BlockHistogram, Tally};
pub use walk::{IMAGE_WALK_POINTS_MAX, ImageWalk};

use crate::units::{BsonBytes, DiskBytes, Ratio, RawBytes};

/// How a shown number came to be known; printed beside it, never dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Read off the input.
    Counted,
    /// Rebuilt by the page model from the whole input.
    Modelled,
    /// Modelled on a sample and scaled.
    Extrapolated,
    /// Timed or read off a server.
    Measured,
}

impl Basis {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Modelled => "modelled",
            Self::Extrapolated => "extrapolated",
            Self::Measured => "measured",
        }
    }
}

/// In which of its two states a collection is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadState {
    /// No time windows on the pages.
    Settled,
    /// Loaded into a replica set inside the history window.
    Bulk,
}

impl LoadState {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Bulk => "bulk",
        }
    }
}

/// A codec as reports name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecName {
    /// `none`, `snappy`, `zlib` or `zstd`.
    pub name: &'static str,
    /// `None` for a codec without levels.
    pub level: Option<i32>,
}

impl std::fmt::Display for CodecName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.level {
            Some(level) => write!(f, "{}:{level}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// What scheduling inside the server can make of the same load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// Smallest file expected.
    pub low: DiskBytes,
    /// Largest file expected.
    pub high: DiskBytes,
}

/// How a band is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BandBasis {
    /// Every order that it covers was followed through all segments.
    #[default]
    Followed,
    /// Some of it was not: the band is wider by what that leaves open.
    Widened,
    /// Lows and highs of several files, added: wider than the band of their sum.
    Summed,
}

impl BandBasis {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Followed => "followed",
            Self::Widened => "widened",
            Self::Summed => "summed",
        }
    }
}

/// Encoder speed, in decimal megabytes of uncompressed page image per second on one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Median over the repetitions.
    pub compress_mb_per_s: f64,
    /// Median over the repetitions; of pages that the codec really packed.
    pub decompress_mb_per_s: Option<f64>,
    /// Page image bytes that one repetition packs.
    pub image_bytes_timed: u64,
}

/// One collection under one codec in one state.
#[derive(Clone, Debug)]
pub struct StorageEstimate {
    /// Which state.
    pub load: LoadState,
    /// Which codec.
    pub codec: CodecName,
    /// File size after the load and one checkpoint: the expected value.
    pub storage: DiskBytes,
    /// What scheduling can do to it.
    pub band: Band,
    /// How `band` is known.
    pub band_basis: BandBasis,
    /// How `storage` is known.
    pub basis: Basis,
    /// Half the width of the interval that holds the whole input's figure in 95 of 100 samples, in millionths of
    /// `storage`; `None` where all documents were read, or a single run cannot tell. The band has it too.
    pub sampling_error_millionths: Option<u64>,
    /// Where every byte of `storage` goes.
    pub tally: Tally,
    /// Leaf pages that the encoder packed; fewer than there are where a slow level was sampled.
    pub pages_packed: u64,
    /// Where the image size that follows the blocks stands at the end.
    pub image_tuned: RawBytes,
    /// Measured on this machine; `None` for `none` and where timing was turned off.
    pub speed: Option<Speed>,
    /// The image size from page to page; `None` where it was not asked for.
    pub walk: Option<ImageWalk>,
}

/// What a collection was created as, where its figures depend on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionKind {
    /// Set for a clustered collection: documents whose `_id` was not above the one before.
    pub clustered_out_of_order: Option<u64>,
    /// Set for a capped one.
    pub capped: Option<CapFacts>,
    /// The codec that a server takes unless it is told otherwise.
    pub server_codec: &'static str,
}

impl CollectionKind {
    /// Neither clustered nor capped, nor a time series' buckets.
    pub const PLAIN: Self = Self { clustered_out_of_order: None, capped: None, server_codec: "snappy" };
}

/// Limits of a capped collection, and what they did to its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapFacts {
    /// BSON bytes at most.
    pub bson: BsonBytes,
    /// Documents at most, if there is such a limit.
    pub documents: Option<u64>,
    /// Whether the input had more.
    pub reach: CapReach,
}

/// Whether a capped collection was filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapReach {
    /// The input ended before.
    Below,
    /// The input has more; the figures are those of the collection when it is first full.
    Full,
}

/// One collection under every codec asked for.
#[derive(Clone, Debug)]
pub struct CollectionEstimate {
    /// Name of the collection: the input's file name without its endings.
    pub name: String,
    /// Inputs it was read from.
    pub sources: Vec<String>,
    /// What it was created as.
    pub kind: CollectionKind,
    /// Documents that the estimate stands on.
    pub documents: u64,
    /// Their BSON bytes as the server would count them, added `_id` included.
    pub bson: BsonBytes,
    /// Documents to which an `_id` was added, as a driver would.
    pub ids_added: u64,
    /// Documents left out.
    pub documents_skipped: u64,
    /// Why, the first few.
    pub skip_reasons: Vec<String>,
    /// Share of the documents, by bytes, that was modelled.
    pub sampled_fraction: f64,
    /// How they were sampled; `None` where all were modelled.
    pub sample: Option<SampleFacts>,
    /// One row a codec and state.
    pub storage: Vec<StorageEstimate>,
    /// One row an index, state and build.
    pub indexes: Vec<IndexEstimate>,
    /// How it is stored where it was read from, if that was a server.
    pub on_server: Option<OnServer>,
    /// Indexes that the input names and the model does not know.
    pub indexes_not_predicted: Vec<IndexNotPredicted>,
    /// What is unusual about the documents; `None` where nobody looked.
    pub oddities: Option<Vec<OddityCount>>,
}

/// What a sample took, and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleFacts {
    /// Of the draws.
    pub seed: u64,
    /// Runs of neighbouring documents.
    pub runs: u64,
    /// Documents in them.
    pub documents: u64,
    /// Their BSON bytes.
    pub bson: BsonBytes,
    /// How the documents of the input are known.
    pub documents_of_input: Basis,
    /// The error that was asked for, in millionths.
    pub target_error_millionths: Option<u64>,
    /// Documents that the figures were scaled to, if they were.
    pub scaled_to_documents: Option<u64>,
}

/// Something unusual about documents, and how often it was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddityCount {
    /// Where: keys with dots between, `[]` for any element of an array.
    pub path: String,
    /// What.
    pub what: String,
    /// How often.
    pub count: u64,
}

impl CollectionEstimate {
    /// storage ÷ BSON of one row.
    #[must_use]
    pub fn ratio(&self, row: &StorageEstimate) -> Option<Ratio> {
        Ratio::of(row.storage, self.bson)
    }
}

/// The rules and parameters that an estimate follows, and the encoders it ran.
#[derive(Clone, Debug)]
pub struct ModelFacts {
    /// Release whose rules were followed, as the user gave it: `8.0`, `6.0.5`.
    pub server: String,
    /// Set when the release is newer than the rules known here: what to tell the user.
    pub server_note: Option<String>,
    /// `leaf_page_max`.
    pub leaf_page_bytes_max: u64,
    /// `allocation_size`.
    pub allocation_bytes: u64,
    /// `memory_page_max` as given, before the cache clips it.
    pub memory_page_bytes_max: u64,
    /// Server cache.
    pub cache_bytes: u64,
    /// Encoder library and its version.
    pub codec_versions: Vec<(&'static str, String)>,
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// Seconds from start to the last figure.
    pub wall_s: f64,
    /// Processor seconds over all threads; `None` where the system does not tell.
    pub cpu_s: Option<f64>,
}

/// A whole run of `estimate`.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Rules and encoders.
    pub model: ModelFacts,
    /// One entry an input.
    pub collections: Vec<CollectionEstimate>,
    /// Inputs that were left out as a whole, each with its reason.
    pub inputs_skipped: Vec<String>,
    /// What it took.
    pub timing: Timing,
}

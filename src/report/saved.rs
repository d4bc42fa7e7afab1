//! Saved reports read back: whole ones of `estimate`, and partial ones.
//!
//! A report may come from another release, another machine or a hand: its fields may be more than these, and none of
//! these may be missing, of another kind, or in contradiction to others.

use super::partial::{COMMAND as PARTIAL, partial};
use super::wire::SCHEMA;
use crate::estimate::partial::Partial;
use crate::estimate::{
    Band, BandBasis, Basis, BlockHistogram, CapFacts, CapReach, CodecName, CollectionEstimate,
    CollectionKind, Estimate, IndexBuild, IndexEstimate, IndexNotPredicted, LoadState, ModelFacts,
    OddityCount, PatternValue, SampleFacts, Speed, StorageEstimate, Tally, Timing, shards::FIGURE_MAX,
};
use crate::units::{BsonBytes, DiskBytes, PackedBytes, RawBytes};
use serde::Deserialize;
use serde_json::Value;

/// Bytes that a report may have: a partial one holds the entries of its indexes.
pub const REPORT_BYTES_MAX: u64 = 4 << 30;

/// Why a file is no report that can be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Ends early: the rest of it is missing.
    #[error("{place}: ends early: {reason}")]
    Truncated {
        /// The file.
        place: String,
        /// The parser's answer, with line and column.
        reason: String,
    },
    /// Not JSON at all.
    #[error("{place}: is no JSON: {reason}")]
    NotJson {
        /// The file.
        place: String,
        /// The parser's answer, with line and column.
        reason: String,
    },
    /// JSON that says nothing of this program.
    #[error("{place}: is no report of pagepress: {found}")]
    NotOurs {
        /// The file.
        place: String,
        /// What stands where the program names itself.
        found: String,
    },
    /// Written by another generation of this program.
    #[error("{place}: has schema {found}; this pagepress reads schema {SCHEMA}")]
    Schema {
        /// The file.
        place: String,
        /// Its schema.
        found: u64,
    },
    /// Of a command whose reports are not merged.
    #[error("{place}: is a report of `{command}`; reports of estimate are merged, whole or partial")]
    Command {
        /// The file.
        place: String,
        /// As the report names it.
        command: String,
    },
    /// Ours by its head, but a field is missing, of another kind or in contradiction to others.
    #[error("{place}: is damaged: {reason}")]
    Damaged {
        /// The file.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// Larger than any report.
    #[error("{place}: is longer than any report: more than {REPORT_BYTES_MAX} bytes (4 GiB)")]
    TooLarge {
        /// The file.
        place: String,
    },
}

impl ReadError {
    /// What the user can do next.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Truncated { .. } => vec![
                "is it being written, or was its copy cut off? `--out` makes files that appear whole"
                    .to_owned(),
            ],
            Self::Schema { found, .. } if *found > u64::from(SCHEMA) => {
                vec!["a newer pagepress wrote it; merge with that one".to_owned()]
            }
            Self::Schema { .. } | Self::Damaged { .. } => {
                vec!["run the command that made it again, with this pagepress".to_owned()]
            }
            Self::NotJson { .. } | Self::NotOurs { .. } | Self::Command { .. } | Self::TooLarge { .. } => {
                vec![
                    "to make a report, run `pagepress estimate --output json --out report.json INPUT`"
                        .to_owned(),
                ]
            }
        }
    }
}

/// A report that was read back.
#[derive(Clone, Debug)]
pub enum SavedReport {
    /// Of whole inputs.
    Whole(Box<Estimate>),
    /// Of a part of one.
    Part(Box<Partial>),
}

/// Reads the bytes of a report; `place` names it in messages.
///
/// # Errors
///
/// Bytes that are no JSON, no report of this program, of another schema or command, or damaged.
pub fn read(place: &str, bytes: &[u8]) -> Result<SavedReport, ReadError> {
    let place = || place.to_owned();
    // Only what the head says; the rest is passed over without being kept.
    let head: Head = serde_json::from_slice(bytes).map_err(|error| {
        let reason = error.to_string();
        if error.is_eof() {
            ReadError::Truncated { place: place(), reason }
        } else if error.is_data() {
            ReadError::NotOurs { place: place(), found: reason }
        } else {
            ReadError::NotJson { place: place(), reason }
        }
    })?;
    match &head.tool.name {
        Value::String(name) if name == "pagepress" => {}
        Value::Null => {
            let found = "`tool.name` is missing".to_owned();
            return Err(ReadError::NotOurs { place: place(), found });
        }
        other => {
            let found = format!("`tool.name` is {}", shortened(&other.to_string()));
            return Err(ReadError::NotOurs { place: place(), found });
        }
    }
    match head.schema.as_u64() {
        Some(schema) if schema == u64::from(SCHEMA) => {}
        Some(found) => return Err(ReadError::Schema { place: place(), found }),
        None => {
            let found = "`schema` is missing or no number".to_owned();
            return Err(ReadError::NotOurs { place: place(), found });
        }
    }
    let damaged = |reason| ReadError::Damaged { place: place(), reason };
    match head.command.as_str() {
        Some("estimate") if head.model.geometry.as_str().is_none_or(|name| name == "wiredtiger") => {
            let read: EstimateIn =
                serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
            Ok(SavedReport::Whole(Box::new(read.estimate().map_err(damaged)?)))
        }
        Some(PARTIAL) => Ok(SavedReport::Part(Box::new(partial(bytes).map_err(damaged)?))),
        command => {
            let command = shortened(command.unwrap_or("nothing"));
            Err(ReadError::Command { place: place(), command })
        }
    }
}

/// Foreign text as a message can hold it.
fn shortened(text: &str) -> String {
    const LETTERS_MAX: usize = 40;
    if text.chars().count() <= LETTERS_MAX {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LETTERS_MAX).collect();
    short.push('…');
    short
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    schema: Value,
    tool: HeadTool,
    command: Value,
    model: HeadModel,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HeadTool {
    name: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HeadModel {
    geometry: Value,
}

#[derive(Deserialize)]
struct EstimateIn {
    model: ModelIn,
    collections: Vec<CollectionIn>,
    #[serde(default)]
    inputs_skipped: Vec<String>,
    timing: TimingIn,
}

#[derive(Deserialize)]
pub(super) struct ModelIn {
    server: String,
    server_note: Option<String>,
    leaf_page_bytes_max: u64,
    allocation_bytes: u64,
    memory_page_bytes_max: u64,
    cache_bytes: u64,
    codecs: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
pub(super) struct TimingIn {
    wall_s: f64,
    cpu_s: Option<f64>,
}

#[derive(Deserialize)]
struct CollectionIn {
    name: String,
    #[serde(default)]
    sources: Vec<String>,
    documents_out_of_order: Option<u64>,
    capped_bson_bytes_max: Option<u64>,
    capped_documents_max: Option<u64>,
    cap_reached: Option<bool>,
    server_codec: String,
    documents: u64,
    bson_bytes: u64,
    ids_added: u64,
    documents_skipped: u64,
    #[serde(default)]
    skip_reasons: Vec<String>,
    sampled_fraction: f64,
    sample: Option<SampleIn>,
    storage: Vec<StorageIn>,
    indexes: Vec<IndexIn>,
    #[serde(default)]
    indexes_not_predicted: Vec<NotPredictedIn>,
    oddities: Option<Vec<OddityIn>>,
}

#[derive(Deserialize)]
struct SampleIn {
    seed: u64,
    runs: u64,
    documents_sampled: u64,
    bson_bytes_sampled: u64,
    documents_basis: BasisIn,
    target_error_fraction: Option<f64>,
    scaled_to_documents: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct NotPredictedIn {
    name: String,
    reason: String,
}

#[derive(Deserialize)]
struct OddityIn {
    path: String,
    what: String,
    count: u64,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LoadIn {
    Settled,
    Bulk,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BasisIn {
    Counted,
    Modelled,
    Extrapolated,
    Measured,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BandBasisIn {
    Followed,
    Widened,
    Summed,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BuildIn {
    BeforeLoad,
    AfterLoad,
}

#[derive(Deserialize)]
struct StorageIn {
    load: LoadIn,
    codec: String,
    level: Option<i32>,
    storage_bytes: u64,
    storage_bytes_low: u64,
    storage_bytes_high: u64,
    band_basis: Option<BandBasisIn>,
    basis: BasisIn,
    sampling_error_fraction: Option<f64>,
    leaf_pages: u64,
    leaf_image_bytes: u64,
    leaf_packed_bytes: u64,
    leaf_kept_raw_bytes: u64,
    leaf_block_bytes: u64,
    internal_pages: u64,
    internal_block_bytes: u64,
    overhead_bytes: u64,
    padding_bytes: u64,
    pages_kept_raw: u64,
    pages_packed: u64,
    blocks_just_over: u64,
    image_bytes_tuned: u64,
    block_histogram: Vec<BlocksIn>,
    compress_mb_per_s: Option<f64>,
    decompress_mb_per_s: Option<f64>,
    image_bytes_timed: Option<u64>,
}

#[derive(Deserialize)]
struct BlocksIn {
    block_units: u64,
    blocks: u64,
}

#[derive(Deserialize)]
struct IndexIn {
    name: String,
    key: serde_json::Map<String, Value>,
    load: LoadIn,
    build: BuildIn,
    entries: u64,
    entries_modelled: u64,
    storage_bytes: Option<u64>,
    storage_bytes_low: Option<u64>,
    storage_bytes_high: Option<u64>,
    leaf_pages: Option<u64>,
    twin_entries_bytes: Option<u64>,
    documents_refused: u64,
    refused_reason: Option<String>,
    basis: BasisIn,
}

impl From<LoadIn> for LoadState {
    fn from(read: LoadIn) -> Self {
        match read {
            LoadIn::Settled => Self::Settled,
            LoadIn::Bulk => Self::Bulk,
        }
    }
}

impl From<BasisIn> for Basis {
    fn from(read: BasisIn) -> Self {
        match read {
            BasisIn::Counted => Self::Counted,
            BasisIn::Modelled => Self::Modelled,
            BasisIn::Extrapolated => Self::Extrapolated,
            BasisIn::Measured => Self::Measured,
        }
    }
}

/// The codec of that name.
pub(super) fn codec_of(name: &str, level: Option<i32>) -> Result<CodecName, String> {
    let known = ["none", "snappy", "zlib", "zstd"].into_iter().find(|known| *known == name);
    match known {
        Some(name) => Ok(CodecName { name, level }),
        None => Err(format!("`codec` is {}, which is none of none, snappy, zlib and zstd", shortened(name))),
    }
}

impl ModelIn {
    pub(super) fn facts(self) -> Result<ModelFacts, String> {
        let Self {
            server,
            server_note,
            leaf_page_bytes_max,
            allocation_bytes,
            memory_page_bytes_max,
            cache_bytes,
            codecs,
        } = self;
        let version = |(name, version): (String, Value)| {
            let known = ["zstd", "snappy", "zlib"].into_iter().find(|known| *known == name);
            match (known, version) {
                (Some(name), Value::String(version)) => Ok((name, version)),
                _ => Err(format!("`model.codecs` has {} and no version that is text", shortened(&name))),
            }
        };
        Ok(ModelFacts {
            server,
            server_note,
            leaf_page_bytes_max,
            allocation_bytes,
            memory_page_bytes_max,
            cache_bytes,
            codec_versions: codecs.into_iter().map(version).collect::<Result<_, _>>()?,
        })
    }
}

impl From<TimingIn> for Timing {
    fn from(read: TimingIn) -> Self {
        Self { wall_s: read.wall_s, cpu_s: read.cpu_s }
    }
}

impl From<NotPredictedIn> for IndexNotPredicted {
    fn from(read: NotPredictedIn) -> Self {
        Self { name: read.name, reason: read.reason }
    }
}

impl EstimateIn {
    fn estimate(self) -> Result<Estimate, String> {
        let Self { model, collections, inputs_skipped, timing } = self;
        let collections = collections.into_iter().map(CollectionIn::collection);
        Ok(Estimate {
            model: model.facts()?,
            collections: collections.collect::<Result<_, _>>()?,
            inputs_skipped,
            timing: timing.into(),
        })
    }
}

impl CollectionIn {
    fn collection(self) -> Result<CollectionEstimate, String> {
        let counts = [self.documents, self.bson_bytes, self.ids_added, self.documents_skipped];
        let sampled = self.sample.iter().flat_map(|sample| {
            let scaled = sample.scaled_to_documents.unwrap_or(0);
            [sample.runs, sample.documents_sampled, sample.bson_bytes_sampled, scaled]
        });
        let caps = [self.documents_out_of_order, self.capped_bson_bytes_max, self.capped_documents_max];
        bounded(counts.into_iter().chain(sampled).chain(caps.into_iter().flatten()))?;
        let capped = self.capped_bson_bytes_max.map(|bytes| CapFacts {
            bson: BsonBytes(bytes),
            documents: self.capped_documents_max,
            reach: if self.cap_reached == Some(true) { CapReach::Full } else { CapReach::Below },
        });
        Ok(CollectionEstimate {
            name: self.name,
            sources: self.sources,
            kind: CollectionKind {
                clustered_out_of_order: self.documents_out_of_order,
                capped,
                server_codec: codec_of(&self.server_codec, None)?.name,
            },
            documents: self.documents,
            bson: BsonBytes(self.bson_bytes),
            ids_added: self.ids_added,
            documents_skipped: self.documents_skipped,
            skip_reasons: self.skip_reasons,
            sampled_fraction: self.sampled_fraction,
            sample: self.sample.map(SampleIn::facts),
            storage: self.storage.into_iter().map(StorageIn::row).collect::<Result<_, _>>()?,
            indexes: self.indexes.into_iter().map(IndexIn::row).collect::<Result<_, _>>()?,
            on_server: None,
            indexes_not_predicted: self.indexes_not_predicted.into_iter().map(Into::into).collect(),
            oddities: self.oddities.map(|all| {
                let odd =
                    |OddityIn { path, what, count }| OddityCount { path, what, count: count.min(FIGURE_MAX) };
                all.into_iter().map(odd).collect()
            }),
        })
    }
}

impl SampleIn {
    fn facts(self) -> SampleFacts {
        SampleFacts {
            seed: self.seed,
            runs: self.runs,
            documents: self.documents_sampled,
            bson: BsonBytes(self.bson_bytes_sampled),
            documents_of_input: self.documents_basis.into(),
            target_error_millionths: self.target_error_fraction.map(millionths),
            scaled_to_documents: self.scaled_to_documents,
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
fn millionths(fraction: f64) -> u64 {
    (fraction.clamp(0.0, 1e6) * 1e6).round() as u64
}

/// Figures that can be added to those of other reports.
fn bounded(figures: impl IntoIterator<Item = u64>) -> Result<(), String> {
    match figures.into_iter().find(|figure| *figure > FIGURE_MAX) {
        None => Ok(()),
        Some(figure) => Err(format!("{figure} is no figure of a collection: it is above {FIGURE_MAX}")),
    }
}

impl StorageIn {
    fn row(self) -> Result<StorageEstimate, String> {
        let codec = codec_of(&self.codec, self.level)?;
        let load = LoadState::from(self.load);
        let (tally, storage) = self.tally().map_err(|what| format!("{} {codec}: {what}", load.name()))?;
        let speed = self.compress_mb_per_s.zip(self.image_bytes_timed).map(|(compress, timed)| Speed {
            compress_mb_per_s: compress,
            decompress_mb_per_s: self.decompress_mb_per_s,
            image_bytes_timed: timed.min(FIGURE_MAX),
        });
        Ok(StorageEstimate {
            load,
            codec,
            storage,
            band: Band { low: DiskBytes(self.storage_bytes_low), high: DiskBytes(self.storage_bytes_high) },
            band_basis: match self.band_basis {
                None | Some(BandBasisIn::Followed) => BandBasis::Followed,
                Some(BandBasisIn::Widened) => BandBasis::Widened,
                Some(BandBasisIn::Summed) => BandBasis::Summed,
            },
            basis: self.basis.into(),
            sampling_error_millionths: self.sampling_error_fraction.map(millionths),
            tally,
            pages_packed: self.pages_packed,
            image_tuned: RawBytes(self.image_bytes_tuned),
            speed,
            walk: None,
        })
    }

    fn tally(&self) -> Result<(Tally, DiskBytes), String> {
        bounded([
            self.storage_bytes,
            self.storage_bytes_low,
            self.storage_bytes_high,
            self.leaf_pages,
            self.leaf_image_bytes,
            self.leaf_packed_bytes,
            self.leaf_kept_raw_bytes,
            self.leaf_block_bytes,
            self.internal_pages,
            self.internal_block_bytes,
            self.overhead_bytes,
            self.padding_bytes,
            self.pages_kept_raw,
            self.pages_packed,
            self.blocks_just_over,
            self.image_bytes_tuned,
        ])?;
        let mut block_histogram = BlockHistogram::default();
        let mut pages = 0_u64;
        for BlocksIn { block_units, blocks } in &self.block_histogram {
            pages = pages.saturating_add(*blocks);
            if block_histogram.0.insert(*block_units, *blocks).is_some() {
                return Err(format!("`block_histogram` has {block_units} units twice"));
            }
        }
        let leaf_bytes = self.leaf_packed_bytes + self.leaf_kept_raw_bytes + self.padding_bytes;
        let all_bytes = self.leaf_block_bytes + self.internal_block_bytes + self.overhead_bytes;
        for (what, is, parts) in [
            ("leaf_block_bytes", self.leaf_block_bytes, leaf_bytes),
            ("storage_bytes", self.storage_bytes, all_bytes),
            ("leaf_pages", self.leaf_pages, pages),
        ] {
            if is != parts {
                return Err(format!("`{what}` is {is}, and its parts are {parts}"));
            }
        }
        if !(self.storage_bytes_low..=self.storage_bytes_high).contains(&self.storage_bytes) {
            return Err("`storage_bytes` is not between its low and its high".to_owned());
        }
        let tally = Tally {
            leaf_pages: self.leaf_pages,
            leaf_image: RawBytes(self.leaf_image_bytes),
            leaf_packed: PackedBytes(self.leaf_packed_bytes),
            leaf_kept_raw: RawBytes(self.leaf_kept_raw_bytes),
            pages_kept_raw: self.pages_kept_raw,
            leaf_padding: DiskBytes(self.padding_bytes),
            leaf_blocks: DiskBytes(self.leaf_block_bytes),
            blocks_just_over: self.blocks_just_over,
            block_histogram,
            internal_pages: self.internal_pages,
            internal_blocks: DiskBytes(self.internal_block_bytes),
            overhead: DiskBytes(self.overhead_bytes),
        };
        Ok((tally, DiskBytes(self.storage_bytes)))
    }
}

impl IndexIn {
    fn row(self) -> Result<IndexEstimate, String> {
        let known = [self.storage_bytes, self.storage_bytes_low, self.storage_bytes_high, self.leaf_pages];
        let counts = [self.entries, self.entries_modelled, self.documents_refused];
        let figures = known.into_iter().chain([self.twin_entries_bytes]).flatten().chain(counts);
        bounded(figures).map_err(|what| format!("index {}: {what}", shortened(&self.name)))?;
        let value = |(field, value): (String, Value)| {
            let value = match (value.as_i64(), value.as_f64(), value) {
                (Some(whole), _, _) => PatternValue::Whole(whole),
                (None, Some(number), _) => PatternValue::Number(number),
                (_, _, Value::String(text)) => PatternValue::Text(text),
                (_, _, other) => {
                    return Err(format!("index {}: `key` has {other}", shortened(&self.name)));
                }
            };
            Ok((field, value))
        };
        Ok(IndexEstimate {
            pattern: self.key.into_iter().map(value).collect::<Result<_, _>>()?,
            name: self.name,
            load: self.load.into(),
            build: match self.build {
                BuildIn::BeforeLoad => IndexBuild::BeforeLoad,
                BuildIn::AfterLoad => IndexBuild::AfterLoad,
            },
            entries: self.entries,
            entries_modelled: self.entries_modelled,
            storage: self.storage_bytes.map(DiskBytes),
            band: self
                .storage_bytes_low
                .zip(self.storage_bytes_high)
                .map(|(low, high)| Band { low: DiskBytes(low), high: DiskBytes(high) }),
            leaf_pages: self.leaf_pages,
            twins: self.twin_entries_bytes.map(DiskBytes),
            documents_refused: self.documents_refused,
            refused_reason: self.refused_reason,
            basis: self.basis.into(),
        })
    }
}

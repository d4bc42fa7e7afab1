//! A whole report of `estimate`, field by field.

use super::shortened;
use crate::estimate::{
    Band, BandBasis, Basis, BlockHistogram, CapFacts, CapReach, CodecName, CollectionEstimate,
    CollectionKind, Estimate, IndexBuild, IndexEstimate, IndexNotPredicted, LoadState, ModelFacts,
    OddityCount, PatternValue, SampleFacts, Speed, StorageEstimate, Tally, Timing, shards::FIGURE_MAX,
};
use crate::units::{BsonBytes, DiskBytes, PackedBytes, RawBytes};
use serde::Deserialize;
use serde_json::Value;

/// Reads the bytes of a whole report.
///
/// # Errors
///
/// What is wrong with them, in words.
pub(super) fn estimate(bytes: &[u8]) -> Result<Estimate, String> {
    let read: EstimateIn = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    read.estimate()
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
pub(in crate::report) struct ModelIn {
    server: String,
    server_note: Option<String>,
    leaf_page_bytes_max: u64,
    allocation_bytes: u64,
    memory_page_bytes_max: u64,
    cache_bytes: u64,
    codecs: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
pub(in crate::report) struct TimingIn {
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
pub(in crate::report) struct NotPredictedIn {
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
pub(in crate::report) enum LoadIn {
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
pub(in crate::report) fn codec_of(name: &str, level: Option<i32>) -> Result<CodecName, String> {
    let known = ["none", "snappy", "zlib", "zstd"].into_iter().find(|known| *known == name);
    match known {
        Some(name) => Ok(CodecName { name, level }),
        None => Err(format!("`codec` is {}, which is none of none, snappy, zlib and zstd", shortened(name))),
    }
}

impl ModelIn {
    pub(in crate::report) fn facts(self) -> Result<ModelFacts, String> {
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

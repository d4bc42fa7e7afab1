//! What other programs read: schema 1. Names end in their unit; what is not known is `null`, never 0.
//!
//! A rename here breaks users, a rename in [`crate::estimate`] breaks nobody. Fields may be added; one
//! that goes or changes its meaning needs the next schema number.

use super::number;
use crate::estimate::{
    BandBasis, CapReach, CollectionEstimate, CollectionKind, Estimate, History, ImageWalk, IndexEstimate,
    IndexNotPredicted, ModelFacts, OddityCount, OnServer, PatternValue, SampleFacts, StorageEstimate, Timing,
};
use serde::{Serialize, Serializer};

pub(super) const SCHEMA: u32 = 1;

#[derive(Serialize)]
pub(super) struct EstimateV1<'a> {
    schema: u32,
    tool: ToolV1,
    command: &'static str,
    model: ModelV1<'a>,
    collections: Vec<CollectionV1<'a>>,
    inputs_skipped: &'a [String],
    timing: TimingV1,
}

#[derive(Serialize)]
pub(super) struct ToolV1 {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
pub(super) struct ModelV1<'a> {
    geometry: &'static str,
    server: &'a str,
    server_note: Option<&'a str>,
    leaf_page_bytes_max: u64,
    allocation_bytes: u64,
    memory_page_bytes_max: u64,
    cache_bytes: u64,
    #[serde(serialize_with = "as_map")]
    codecs: &'a [(&'static str, String)],
}

#[derive(Serialize)]
struct CollectionV1<'a> {
    #[serde(flatten)]
    head: HeadV1<'a>,
    storage: Vec<StorageV1>,
    indexes: Vec<IndexV1<'a>>,
    indexes_not_predicted: Vec<IndexNotPredictedV1<'a>>,
    oddities: Option<Vec<OddityV1<'a>>>,
    on_server: Option<OnServerV1<'a>>,
}

/// A collection without its rows.
#[derive(Serialize)]
pub(super) struct HeadV1<'a> {
    name: &'a str,
    sources: &'a [String],
    clustered: bool,
    documents_out_of_order: Option<u64>,
    capped_bson_bytes_max: Option<u64>,
    capped_documents_max: Option<u64>,
    cap_reached: Option<bool>,
    server_codec: &'static str,
    documents: u64,
    bson_bytes: u64,
    ids_added: u64,
    documents_skipped: u64,
    skip_reasons: &'a [String],
    sampled_fraction: f64,
    sample: Option<SampleV1>,
}

/// How documents were sampled.
#[derive(Serialize)]
struct SampleV1 {
    seed: u64,
    runs: u64,
    documents_sampled: u64,
    bson_bytes_sampled: u64,
    documents_basis: &'static str,
    target_error_fraction: Option<f64>,
    scaled_to_documents: Option<u64>,
}

#[derive(Serialize)]
struct IndexNotPredictedV1<'a> {
    name: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct OddityV1<'a> {
    path: &'a str,
    what: &'a str,
    count: u64,
}

/// As the collection stands where it was read from.
#[derive(Serialize)]
struct OnServerV1<'a> {
    version: &'a str,
    codec: Option<&'static str>,
    level: Option<i32>,
    storage_bytes: u64,
    free_bytes: Option<u64>,
    documents: u64,
    bson_bytes: u64,
    keeps_history: bool,
    layout: &'static str,
    indexes: Vec<OnServerIndexV1<'a>>,
}

#[derive(Serialize)]
struct OnServerIndexV1<'a> {
    name: &'a str,
    storage_bytes: u64,
}

#[derive(Serialize)]
pub(super) struct StorageV1 {
    load: &'static str,
    codec: &'static str,
    level: Option<i32>,
    storage_bytes: u64,
    storage_bytes_low: u64,
    storage_bytes_high: u64,
    // Only where it is not as a single run has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    band_basis: Option<&'static str>,
    ratio_storage_to_bson: Option<f64>,
    basis: &'static str,
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
    block_histogram: Vec<BlocksV1>,
    compress_mb_per_s: Option<f64>,
    decompress_mb_per_s: Option<f64>,
    image_bytes_timed: Option<u64>,
    // On request only: it may be longer than all else.
    #[serde(skip_serializing_if = "Option::is_none")]
    image_size_walk_bytes: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_size_walk_pages: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct BlocksV1 {
    pub block_units: u64,
    pub blocks: u64,
}

#[derive(Serialize)]
pub(super) struct IndexV1<'a> {
    name: &'a str,
    #[serde(serialize_with = "as_pattern")]
    key: &'a [(String, PatternValue)],
    load: &'static str,
    build: &'static str,
    entries: u64,
    entries_modelled: u64,
    storage_bytes: Option<u64>,
    storage_bytes_low: Option<u64>,
    storage_bytes_high: Option<u64>,
    leaf_pages: Option<u64>,
    twin_entries_bytes: Option<u64>,
    documents_refused: u64,
    refused_reason: Option<&'a str>,
    basis: &'static str,
}

#[derive(Serialize)]
pub(super) struct TimingV1 {
    wall_s: f64,
    cpu_s: Option<f64>,
}

pub(super) fn as_map<S: Serializer>(
    pairs: &&[(&'static str, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, version)| (name, version)))
}

/// `{"user": 1, "ts": -1}`, in the order of the fields; whole numbers without a point.
fn as_pattern<S: Serializer>(pattern: &&[(String, PatternValue)], serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeMap;
    let mut map = serializer.serialize_map(Some(pattern.len()))?;
    for (field, value) in *pattern {
        match value {
            PatternValue::Whole(number) => map.serialize_entry(field, number)?,
            PatternValue::Number(number) => map.serialize_entry(field, number)?,
            PatternValue::Text(text) => map.serialize_entry(field, text)?,
        }
    }
    map.end()
}

/// This program.
pub(super) fn tool_v1() -> ToolV1 {
    ToolV1 { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") }
}

/// `estimate` as it goes out.
pub(super) fn estimate(estimate: &Estimate) -> EstimateV1<'_> {
    let Estimate { model, collections, inputs_skipped, timing } = estimate;
    EstimateV1 {
        schema: SCHEMA,
        tool: tool_v1(),
        command: "estimate",
        model: model_v1(model),
        collections: collections.iter().map(collection_v1).collect(),
        inputs_skipped,
        timing: timing_v1(*timing),
    }
}

pub(super) fn model_v1(model: &ModelFacts) -> ModelV1<'_> {
    let ModelFacts {
        server,
        server_note,
        leaf_page_bytes_max,
        allocation_bytes,
        memory_page_bytes_max,
        cache_bytes,
        codec_versions,
    } = model;
    ModelV1 {
        geometry: "wiredtiger",
        server,
        server_note: server_note.as_deref(),
        leaf_page_bytes_max: *leaf_page_bytes_max,
        allocation_bytes: *allocation_bytes,
        memory_page_bytes_max: *memory_page_bytes_max,
        cache_bytes: *cache_bytes,
        codecs: codec_versions,
    }
}

fn collection_v1(collection: &CollectionEstimate) -> CollectionV1<'_> {
    CollectionV1 {
        head: head_v1(collection),
        storage: collection.storage.iter().map(|row| storage_v1(collection, row)).collect(),
        indexes: collection.indexes.iter().map(index_v1).collect(),
        indexes_not_predicted: collection
            .indexes_not_predicted
            .iter()
            .map(|IndexNotPredicted { name, reason }| IndexNotPredictedV1 { name, reason })
            .collect(),
        oddities: collection.oddities.as_ref().map(|all| all.iter().map(oddity_v1).collect()),
        on_server: collection.on_server.as_ref().map(on_server_v1),
    }
}

pub(super) fn head_v1(collection: &CollectionEstimate) -> HeadV1<'_> {
    let CollectionEstimate {
        name,
        sources,
        kind: CollectionKind { clustered_out_of_order, capped, server_codec },
        documents,
        bson,
        ids_added,
        documents_skipped,
        skip_reasons,
        sampled_fraction,
        sample,
        storage: _,
        indexes: _,
        on_server: _,
        indexes_not_predicted: _,
        oddities: _,
    } = collection;
    HeadV1 {
        name,
        sources,
        clustered: clustered_out_of_order.is_some(),
        documents_out_of_order: *clustered_out_of_order,
        capped_bson_bytes_max: capped.map(|cap| cap.bson.0),
        capped_documents_max: capped.and_then(|cap| cap.documents),
        cap_reached: capped.map(|cap| cap.reach == CapReach::Full),
        server_codec,
        documents: *documents,
        bson_bytes: bson.0,
        ids_added: *ids_added,
        documents_skipped: *documents_skipped,
        skip_reasons,
        sampled_fraction: number::ratio(*sampled_fraction),
        sample: sample.map(sample_v1),
    }
}

fn sample_v1(sample: SampleFacts) -> SampleV1 {
    let SampleFacts {
        seed,
        runs,
        documents,
        bson,
        documents_of_input,
        target_error_millionths,
        scaled_to_documents,
    } = sample;
    SampleV1 {
        seed,
        runs,
        documents_sampled: documents,
        bson_bytes_sampled: bson.0,
        documents_basis: documents_of_input.name(),
        target_error_fraction: target_error_millionths.map(number::millionths),
        scaled_to_documents,
    }
}

fn oddity_v1(oddity: &OddityCount) -> OddityV1<'_> {
    let OddityCount { path, what, count } = oddity;
    OddityV1 { path, what, count: *count }
}

fn on_server_v1(on_server: &OnServer) -> OnServerV1<'_> {
    let OnServer { version, codec, storage, free, documents, bson, indexes, history, layout } = on_server;
    OnServerV1 {
        version,
        codec: codec.as_ref().map(|codec| codec.name),
        level: codec.as_ref().and_then(|codec| codec.level),
        storage_bytes: storage.0,
        free_bytes: free.map(|free| free.0),
        documents: *documents,
        bson_bytes: bson.0,
        keeps_history: *history == History::Kept,
        layout: layout.name(),
        indexes: indexes
            .iter()
            .map(|(name, storage)| OnServerIndexV1 { name, storage_bytes: storage.0 })
            .collect(),
    }
}

pub(super) fn storage_v1(collection: &CollectionEstimate, row: &StorageEstimate) -> StorageV1 {
    // A new figure will not compile until it is written.
    let StorageEstimate {
        load,
        codec,
        storage,
        band,
        band_basis,
        basis,
        sampling_error_millionths,
        tally,
        pages_packed,
        image_tuned,
        speed,
        walk,
    } = row;
    let crate::estimate::Tally {
        leaf_pages,
        leaf_image,
        leaf_packed,
        leaf_kept_raw,
        pages_kept_raw,
        leaf_padding,
        leaf_blocks,
        blocks_just_over,
        block_histogram,
        internal_pages,
        internal_blocks,
        overhead,
    } = tally;
    StorageV1 {
        load: load.name(),
        codec: codec.name,
        level: codec.level,
        storage_bytes: storage.0,
        storage_bytes_low: band.low.0,
        storage_bytes_high: band.high.0,
        band_basis: (*band_basis != BandBasis::Followed).then(|| band_basis.name()),
        ratio_storage_to_bson: collection.ratio(row).map(|ratio| number::ratio(ratio.value())),
        basis: basis.name(),
        sampling_error_fraction: sampling_error_millionths.map(number::millionths),
        leaf_pages: *leaf_pages,
        leaf_image_bytes: leaf_image.0,
        leaf_packed_bytes: leaf_packed.0,
        leaf_kept_raw_bytes: leaf_kept_raw.0,
        leaf_block_bytes: leaf_blocks.0,
        internal_pages: *internal_pages,
        internal_block_bytes: internal_blocks.0,
        overhead_bytes: overhead.0,
        padding_bytes: leaf_padding.0,
        pages_kept_raw: *pages_kept_raw,
        pages_packed: *pages_packed,
        blocks_just_over: *blocks_just_over,
        image_bytes_tuned: image_tuned.0,
        block_histogram: block_histogram
            .0
            .iter()
            .map(|(units, blocks)| BlocksV1 { block_units: *units, blocks: *blocks })
            .collect(),
        compress_mb_per_s: speed.map(|speed| number::measured(speed.compress_mb_per_s)),
        decompress_mb_per_s: speed.and_then(|speed| speed.decompress_mb_per_s).map(number::measured),
        image_bytes_timed: speed.map(|speed| speed.image_bytes_timed),
        image_size_walk_bytes: walk.as_ref().map(|walk| walk.bytes().to_vec()),
        image_size_walk_pages: walk.as_ref().map(ImageWalk::pages_per_point),
    }
}

pub(super) fn index_v1(row: &IndexEstimate) -> IndexV1<'_> {
    let IndexEstimate {
        name,
        pattern,
        load,
        build,
        entries,
        entries_modelled,
        storage,
        band,
        leaf_pages,
        twins,
        documents_refused,
        refused_reason,
        basis,
    } = row;
    IndexV1 {
        name,
        key: pattern,
        load: load.name(),
        build: build.name(),
        entries: *entries,
        entries_modelled: *entries_modelled,
        storage_bytes: storage.map(|storage| storage.0),
        storage_bytes_low: band.map(|band| band.low.0),
        storage_bytes_high: band.map(|band| band.high.0),
        leaf_pages: *leaf_pages,
        twin_entries_bytes: twins.map(|twins| twins.0),
        documents_refused: *documents_refused,
        refused_reason: refused_reason.as_deref(),
        basis: basis.name(),
    }
}

pub(super) fn timing_v1(timing: Timing) -> TimingV1 {
    let Timing { wall_s, cpu_s } = timing;
    TimingV1 { wall_s: number::measured(wall_s), cpu_s: cpu_s.map(number::measured) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::fixture;
    use crate::report::{OutputKind, ReportOptions, columns, definitions};
    use serde_json::Value;

    fn written(kind: OutputKind, estimate: &Estimate) -> Vec<u8> {
        let mut out = Vec::new();
        kind.report().write(estimate, &ReportOptions::default(), &mut out).unwrap();
        out
    }

    fn keys_of(value: &Value, keys: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    keys.push(key.clone());
                    // Below `codecs` the keys are libraries, below `key` fields of documents.
                    if key != "codecs" && key != "key" {
                        keys_of(value, keys);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| keys_of(item, keys)),
            _ => {}
        }
    }

    #[test]
    fn every_field_has_a_definition_and_every_definition_a_field_or_column() {
        let json: Value = serde_json::from_slice(&written(OutputKind::Json, &fixture::awkward())).unwrap();
        let mut names = Vec::new();
        keys_of(&json, &mut names);
        for name in &names {
            assert!(definitions::definition(name).is_some(), "{name} has no definition");
        }
        let mut swept = Vec::new();
        let sweep = crate::estimate::sweep::Sweep::of(vec![fixture::logs()]);
        crate::report::sweep::write_sweep(&sweep, OutputKind::Json, &ReportOptions::default(), &mut swept)
            .unwrap();
        keys_of(&serde_json::from_slice(&swept).unwrap(), &mut names);
        for name in &names {
            assert!(definitions::definition(name).is_some(), "{name} has no definition");
        }
        names.extend(columns::COLUMNS.iter().map(|column| column.name.to_owned()));
        for (name, _) in definitions::DEFINITIONS {
            assert!(names.iter().any(|known| known == name), "{name} is defined but never written");
        }
    }

    #[test]
    fn what_is_not_known_is_null_and_never_zero() {
        let json: Value = serde_json::from_slice(&written(OutputKind::Json, &fixture::awkward())).unwrap();
        let row = &json["collections"][0]["storage"][0];
        for name in [
            "level",
            "ratio_storage_to_bson",
            "compress_mb_per_s",
            "decompress_mb_per_s",
            "image_bytes_timed",
        ] {
            assert_eq!(row.get(name), Some(&Value::Null), "{name}");
        }
        assert_eq!(json["timing"].get("cpu_s"), Some(&Value::Null));
    }

    /// Two readers that know nothing of our writers must find the same figures under the same names.
    #[test]
    fn csv_and_json_are_read_back_to_the_same_figures() {
        for estimate in [fixture::logs(), fixture::awkward()] {
            let json: Value = serde_json::from_slice(&written(OutputKind::Json, &estimate)).unwrap();
            let csv = written(OutputKind::Csv, &estimate);
            let mut lines = csv::Reader::from_reader(csv.as_slice());
            let heads = lines.headers().unwrap().clone();
            let collection = &json["collections"][0];
            let mut rows = 0_usize;
            for line in lines.records() {
                let line = line.unwrap();
                for (name, cell) in heads.iter().zip(&line) {
                    let storage = collection["storage"].as_array().unwrap();
                    let index = rows.checked_sub(storage.len()).map(|at| &collection["indexes"][at]);
                    let table = index.unwrap_or_else(|| &storage[rows]);
                    let found = match name {
                        "index" => index.map_or(Some(&Value::Null), |index| index.get("name")),
                        "collection" => collection.get("name"),
                        "build" | "entries" if index.is_none() => Some(&Value::Null),
                        _ => {
                            let objects = [table, collection, &json["model"]];
                            let found = objects.into_iter().find_map(|object| object.get(name));
                            found.or(index.map(|_| &Value::Null))
                        }
                    };
                    match found {
                        Some(Value::Null) => assert_eq!(cell, "", "{name}"),
                        Some(Value::String(text)) => assert_eq!(cell, text, "{name}"),
                        Some(Value::Number(number)) => {
                            assert_eq!(cell.parse::<f64>().ok(), number.as_f64(), "{name}");
                        }
                        other => panic!("{name}: {other:?}"),
                    }
                }
                rows += 1;
            }
            let estimated = &estimate.collections[0];
            assert_eq!(rows, estimated.storage.len() + estimated.indexes.len());
        }
    }

    #[test]
    fn stored_bytes_have_one_owner_each_on_the_wire_too() {
        let wire = serde_json::to_value(estimate(&fixture::logs())).unwrap();
        for row in wire["collections"][0]["storage"].as_array().unwrap() {
            let bytes = |name: &str| row[name].as_u64().unwrap();
            assert_eq!(
                bytes("storage_bytes"),
                bytes("leaf_block_bytes") + bytes("internal_block_bytes") + bytes("overhead_bytes")
            );
            assert_eq!(
                bytes("leaf_block_bytes"),
                bytes("leaf_packed_bytes") + bytes("leaf_kept_raw_bytes") + bytes("padding_bytes")
            );
        }
    }

    proptest::proptest! {
        /// Whatever a collection is called and however large it is, both formats give it back.
        #[test]
        fn any_name_and_size_come_back(name in "\\PC*|[\\x00-\\x7f]*", bytes: u64, speed in 0.0..1e9_f64) {
            let mut estimate = fixture::logs();
            estimate.collections[0].name.clone_from(&name);
            let row = &mut estimate.collections[0].storage[1];
            row.storage = crate::units::DiskBytes(bytes);
            row.speed.as_mut().unwrap().compress_mb_per_s = speed;
            let json: Value = serde_json::from_slice(&written(OutputKind::Json, &estimate)).unwrap();
            proptest::prop_assert_eq!(json["collections"][0]["name"].as_str(), Some(name.as_str()));
            let row = &json["collections"][0]["storage"][1];
            proptest::prop_assert_eq!(row["storage_bytes"].as_u64(), Some(bytes));
            proptest::prop_assert!((row["compress_mb_per_s"].as_f64().unwrap() - speed).abs() <= 0.001);
            let csv = written(OutputKind::Csv, &estimate);
            let line = csv::Reader::from_reader(csv.as_slice()).records().nth(1).unwrap().unwrap();
            proptest::prop_assert_eq!(line.get(0), Some(name.as_str()));
            let bytes = bytes.to_string();
            proptest::prop_assert!(line.iter().any(|cell| cell == bytes));
        }
    }
}

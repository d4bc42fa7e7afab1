//! What other programs read: schema 1, with the names of `estimate` wherever they mean the same.

use crate::estimate::store::{Parts, StoreEstimate, StoreModel, StoredInput, StoredRow};
use crate::report::number;
use crate::report::wire::{SCHEMA, TimingV1, ToolV1, as_map, timing_v1, tool_v1};
use serde::{Serialize, Serializer, ser::SerializeMap};

#[derive(Serialize)]
pub(super) struct StoreEstimateV1<'a> {
    schema: u32,
    tool: ToolV1,
    command: &'static str,
    model: ModelV1<'a>,
    collections: Vec<InputV1<'a>>,
    inputs_skipped: &'a [String],
    timing: TimingV1,
}

#[derive(Serialize)]
struct ModelV1<'a> {
    geometry: &'static str,
    measured_on: &'static str,
    write: &'static str,
    #[serde(flatten, serialize_with = "as_sizes")]
    sizes: &'a [(&'static str, u64)],
    #[serde(serialize_with = "as_map")]
    codecs: &'a [(&'static str, String)],
}

#[derive(Serialize)]
struct InputV1<'a> {
    name: &'a str,
    sources: [&'a str; 1],
    documents: Option<u64>,
    bson_bytes: Option<u64>,
    input_bytes: u64,
    documents_skipped: u64,
    skip_reasons: &'a [String],
    storage: Vec<RowV1>,
    /// None is modelled for these stores.
    indexes: [(); 0],
}

#[derive(Serialize)]
struct RowV1 {
    load: Option<&'static str>,
    table_codec: Option<&'static str>,
    table_level: Option<i32>,
    table_bytes: Option<u64>,
    codec: &'static str,
    level: Option<i32>,
    storage_bytes: u64,
    storage_bytes_low: Option<u64>,
    storage_bytes_high: Option<u64>,
    ratio_storage_to_bson: Option<f64>,
    ratio_storage_to_input: Option<f64>,
    ratio_storage_to_table: Option<f64>,
    basis: &'static str,
    extents: Option<u64>,
    extents_kept_raw: Option<u64>,
    page_bytes: Option<u64>,
    leaf_pages: Option<u64>,
    lob_pages: Option<u64>,
    other_pages: Option<u64>,
    pages_kept_raw: Option<u64>,
    packed_bytes: Option<u64>,
    kept_raw_bytes: Option<u64>,
    padding_bytes: Option<u64>,
    never_used_bytes: Option<u64>,
    metadata_bytes: Option<u64>,
}

fn as_sizes<S: Serializer>(pairs: &&[(&'static str, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    pairs.iter().try_for_each(|(name, bytes)| map.serialize_entry(name, bytes))?;
    map.end()
}

/// `estimate` of a store as it goes out.
pub(super) fn estimate(estimate: &StoreEstimate) -> StoreEstimateV1<'_> {
    let StoreEstimate { model, inputs, inputs_skipped, timing } = estimate;
    let StoreModel { geometry, measured_on, write, sizes, codec_versions } = model;
    StoreEstimateV1 {
        schema: SCHEMA,
        tool: tool_v1(),
        command: "estimate",
        model: ModelV1 { geometry, measured_on, write, sizes, codecs: codec_versions },
        collections: inputs.iter().map(input_v1).collect(),
        inputs_skipped,
        timing: timing_v1(*timing),
    }
}

fn input_v1(input: &StoredInput) -> InputV1<'_> {
    let StoredInput { name, source, documents, bson, input_bytes, documents_skipped, skip_reasons, rows } =
        input;
    InputV1 {
        name,
        sources: [source],
        documents: *documents,
        bson_bytes: bson.map(|bson| bson.0),
        input_bytes: *input_bytes,
        documents_skipped: *documents_skipped,
        skip_reasons,
        storage: rows.iter().map(|row| row_v1(input, row)).collect(),
        indexes: [],
    }
}

fn row_v1(input: &StoredInput, row: &StoredRow) -> RowV1 {
    // A new figure will not compile until it is written.
    let StoredRow {
        load,
        table_codec,
        table,
        codec,
        storage,
        basis,
        parts,
        packed,
        kept_raw,
        padding,
        metadata,
        never_used,
    } = row;
    let ratio = |ratio: crate::units::Ratio| number::ratio(ratio.value());
    let mut wire = RowV1 {
        load: load.map(crate::estimate::LoadState::name),
        table_codec: table_codec.as_ref().map(|codec| codec.name),
        table_level: table_codec.as_ref().and_then(|codec| codec.level),
        table_bytes: table.map(|table| table.0),
        codec: codec.name,
        level: codec.level,
        storage_bytes: storage.0,
        storage_bytes_low: None,
        storage_bytes_high: None,
        ratio_storage_to_bson: input.ratio_to_bson(row).map(ratio),
        ratio_storage_to_input: input.ratio_to_input(row).map(ratio),
        ratio_storage_to_table: row.ratio_to_table().map(ratio),
        basis: basis.name(),
        extents: None,
        extents_kept_raw: None,
        page_bytes: None,
        leaf_pages: None,
        lob_pages: None,
        other_pages: None,
        pages_kept_raw: None,
        packed_bytes: packed.map(|bytes| bytes.0),
        kept_raw_bytes: kept_raw.map(|bytes| bytes.0),
        padding_bytes: padding.map(|bytes| bytes.0),
        never_used_bytes: never_used.map(|bytes| bytes.0),
        metadata_bytes: metadata.map(|bytes| bytes.0),
    };
    match parts {
        Parts::Extents { extents, kept_raw } => {
            wire.extents = Some(*extents);
            wire.extents_kept_raw = Some(*kept_raw);
        }
        Parts::Pages { page_bytes, leaves, lobs, others, kept_raw } => {
            wire.page_bytes = Some(*page_bytes);
            wire.leaf_pages = Some(*leaves);
            wire.lob_pages = Some(*lobs);
            wire.other_pages = Some(*others);
            wire.pages_kept_raw = *kept_raw;
        }
    }
    wire
}

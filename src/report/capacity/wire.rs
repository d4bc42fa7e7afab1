//! A plan as JSON, schema 1.

use super::rows::{self, Row, Section};
use crate::capacity::{Capacity, CollectionCapacity};
use crate::estimate::CollectionEstimate;
use crate::report::number::{self, Cell};
use crate::report::wire::{self, HeadV1, IndexV1, ModelV1, SCHEMA, StorageV1, TimingV1, ToolV1};
use serde::ser::{Serialize, SerializeMap, Serializer};

#[derive(serde::Serialize)]
pub(super) struct PlanV1<'a> {
    schema: u32,
    tool: ToolV1,
    command: &'static str,
    model: ModelV1<'a>,
    #[serde(flatten)]
    sections: SectionsV1,
    collections: Vec<CollectionV1<'a>>,
    inputs_skipped: &'a [String],
    timing: TimingV1,
}

#[derive(serde::Serialize)]
struct CollectionV1<'a> {
    #[serde(flatten)]
    head: HeadV1<'a>,
    documents_planned: u64,
    bson_bytes_planned: u64,
    sample_documents: u64,
    sample_bson_bytes: u64,
    storage: Vec<StorageV1>,
    indexes: Vec<IndexV1<'a>>,
    #[serde(flatten)]
    sections: SectionsV1,
}

/// Sections under their names.
struct SectionsV1(Vec<Section>);

impl Serialize for SectionsV1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for section in &self.0 {
            let rows: Vec<RowV1<'_>> = section.rows.iter().map(RowV1).collect();
            map.serialize_entry(section.name, &rows)?;
        }
        map.end()
    }
}

/// Fields under their names; a codec is two of them.
struct RowV1<'r>(&'r Row);

impl Serialize for RowV1<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for field in self.0 {
            match &field.cell {
                Cell::Text(text) => map.serialize_entry(field.name, text)?,
                Cell::Count(count) | Cell::Bytes(count) => map.serialize_entry(field.name, count)?,
                Cell::Ratio(value) => map.serialize_entry(field.name, &number::ratio(*value))?,
                Cell::Speed(value) => map.serialize_entry(field.name, &number::measured(*value))?,
                Cell::Unknown => map.serialize_entry(field.name, &None::<u64>)?,
                Cell::Codec(codec) => {
                    let (codec_name, level_name) = codec_names(field.name);
                    map.serialize_entry(codec_name, codec.name)?;
                    map.serialize_entry(level_name, &codec.level)?;
                }
            }
        }
        map.end()
    }
}

/// Names of a codec's two fields.
pub(super) fn codec_names(name: &str) -> (&'static str, &'static str) {
    match name {
        "below" => ("below_codec", "below_level"),
        "above" => ("above_codec", "above_level"),
        _ => ("codec", "level"),
    }
}

pub(super) fn plan_v1(plan: &Capacity) -> PlanV1<'_> {
    let estimate = &plan.estimate;
    let collections = estimate.collections.iter().zip(&plan.collections);
    PlanV1 {
        schema: SCHEMA,
        tool: wire::tool_v1(),
        command: "plan",
        model: wire::model_v1(&estimate.model),
        sections: SectionsV1(rows::of_plan(plan)),
        collections: collections.map(|(collection, capacity)| collection_v1(collection, capacity)).collect(),
        inputs_skipped: &estimate.inputs_skipped,
        timing: wire::timing_v1(estimate.timing),
    }
}

fn collection_v1<'a>(collection: &'a CollectionEstimate, capacity: &CollectionCapacity) -> CollectionV1<'a> {
    let (sample_documents, sample_bson_bytes) = capacity.sample;
    CollectionV1 {
        head: wire::head_v1(collection),
        documents_planned: capacity.documents,
        bson_bytes_planned: capacity.bson_bytes,
        sample_documents,
        sample_bson_bytes,
        storage: collection.storage.iter().map(|row| wire::storage_v1(collection, row)).collect(),
        indexes: collection.indexes.iter().map(wire::index_v1).collect(),
        sections: SectionsV1(rows::of_collection(capacity)),
    }
}

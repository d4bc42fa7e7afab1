//! Partial reports on the wire: written by `estimate --partial`, read by `merge`. docs/DISTRIBUTED.md has the layout.

use super::number;
use super::saved::{LoadIn, ModelIn, NotPredictedIn, TimingIn, codec_of};
use super::wire::{ModelV1, SCHEMA, TimingV1, ToolV1, model_v1, timing_v1, tool_v1};
use crate::estimate::partial::{
    InputMark, Part, Partial, PartialCollection, PartialIndex, Seen, Uniqueness, WalkWanted,
};
use crate::estimate::{CodecName, IndexNotPredicted, LoadState, Speed};
use crate::units::BsonBytes;
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// What a partial report names as its command.
pub(super) const COMMAND: &str = "partial";

/// Rows that a report may have: more than there are codecs with their levels, or indexes of a collection.
const ROWS_MAX: usize = 1024;

#[derive(Serialize)]
struct PartialOut<'a> {
    schema: u32,
    tool: ToolV1,
    command: &'static str,
    model: ModelV1<'a>,
    part: u32,
    parts: u32,
    loads: Vec<&'static str>,
    codecs: Vec<CodecOut>,
    walk: bool,
    index_memory_bytes: u64,
    collection: CollectionOut<'a>,
    timing: TimingV1,
}

#[derive(Serialize)]
struct CodecOut {
    codec: &'static str,
    level: Option<i32>,
}

#[derive(Serialize)]
struct CollectionOut<'a> {
    name: &'a str,
    source: &'a str,
    input_bytes: u64,
    input_digest: &'a str,
    documents_before: u64,
    documents: u64,
    bson_bytes: u64,
    segments: u64,
    ids_added: u64,
    documents_skipped: u64,
    skip_reasons: &'a [String],
    speeds: Vec<Option<SpeedWire>>,
    indexes: Vec<IndexOut<'a>>,
    indexes_not_predicted: Vec<NotPredictedOut<'a>>,
    frames: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct SpeedWire {
    compress_mb_per_s: f64,
    decompress_mb_per_s: Option<f64>,
    image_bytes_timed: u64,
}

#[derive(Serialize)]
struct IndexOut<'a> {
    name: &'a str,
    pattern: String,
    unique: bool,
    refused_reason: Option<&'a str>,
}

#[derive(Serialize)]
struct NotPredictedOut<'a> {
    name: &'a str,
    reason: &'a str,
}

/// Writes a partial report, last line ended.
///
/// # Errors
///
/// What `out` answers.
pub fn write_partial(partial: &Partial, out: &mut dyn Write) -> io::Result<()> {
    let Partial { model, part, loads, codecs, walk, index_memory_bytes, collection, timing } = partial;
    let wire = PartialOut {
        schema: SCHEMA,
        tool: tool_v1(),
        command: COMMAND,
        model: model_v1(model),
        part: part.number(),
        parts: part.of(),
        loads: loads.iter().map(|load| load.name()).collect(),
        codecs: codecs.iter().map(|codec| CodecOut { codec: codec.name, level: codec.level }).collect(),
        walk: *walk == WalkWanted::Yes,
        index_memory_bytes: *index_memory_bytes,
        collection: collection_out(collection),
        timing: timing_v1(*timing),
    };
    serde_json::to_writer_pretty(&mut *out, &wire).map_err(io::Error::from)?;
    writeln!(out)
}

fn collection_out(collection: &PartialCollection) -> CollectionOut<'_> {
    let PartialCollection {
        name,
        source,
        input: InputMark { bytes, digest },
        documents_before,
        documents,
        bson,
        segments,
        seen: Seen { ids_added, documents_skipped, skip_reasons },
        speeds,
        indexes,
        indexes_not_predicted,
        frames,
    } = collection;
    let speed = |speed: &Speed| SpeedWire {
        compress_mb_per_s: number::measured(speed.compress_mb_per_s),
        decompress_mb_per_s: speed.decompress_mb_per_s.map(number::measured),
        image_bytes_timed: speed.image_bytes_timed,
    };
    CollectionOut {
        name,
        source,
        input_bytes: *bytes,
        input_digest: digest,
        documents_before: *documents_before,
        documents: *documents,
        bson_bytes: bson.0,
        segments: *segments,
        ids_added: *ids_added,
        documents_skipped: *documents_skipped,
        skip_reasons,
        speeds: speeds.iter().map(|of| of.as_ref().map(speed)).collect(),
        indexes: indexes.iter().map(index_out).collect(),
        indexes_not_predicted: indexes_not_predicted.iter().map(not_predicted_out).collect(),
        frames: frames.iter().map(|frame| BASE64.encode(frame)).collect(),
    }
}

fn index_out(index: &PartialIndex) -> IndexOut<'_> {
    let PartialIndex { name, pattern, uniqueness, refused_reason } = index;
    IndexOut {
        name,
        pattern: BASE64.encode(pattern),
        unique: *uniqueness == Uniqueness::Unique,
        refused_reason: refused_reason.as_deref(),
    }
}

fn not_predicted_out(index: &IndexNotPredicted) -> NotPredictedOut<'_> {
    let IndexNotPredicted { name, reason } = index;
    NotPredictedOut { name, reason }
}

#[derive(Deserialize)]
struct PartialIn {
    model: ModelIn,
    part: u32,
    parts: u32,
    loads: Vec<LoadIn>,
    codecs: Vec<CodecIn>,
    walk: bool,
    index_memory_bytes: u64,
    collection: CollectionIn,
    timing: TimingIn,
}

#[derive(Deserialize)]
struct CodecIn {
    codec: String,
    level: Option<i32>,
}

#[derive(Deserialize)]
struct CollectionIn {
    name: String,
    source: String,
    input_bytes: u64,
    input_digest: String,
    documents_before: u64,
    documents: u64,
    bson_bytes: u64,
    segments: u64,
    ids_added: u64,
    documents_skipped: u64,
    skip_reasons: Vec<String>,
    speeds: Vec<Option<SpeedWire>>,
    indexes: Vec<IndexIn>,
    indexes_not_predicted: Vec<NotPredictedIn>,
    frames: Vec<String>,
}

#[derive(Deserialize)]
struct IndexIn {
    name: String,
    pattern: String,
    unique: bool,
    refused_reason: Option<String>,
}

/// Reads the bytes of a partial report.
///
/// # Errors
///
/// What is wrong with them, in words.
pub(super) fn partial(bytes: &[u8]) -> Result<Partial, String> {
    let read: PartialIn = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let PartialIn { model, part, parts, loads, codecs, walk, index_memory_bytes, collection, timing } = read;
    let codecs: Vec<CodecName> = codecs
        .into_iter()
        .map(|CodecIn { codec, level }| codec_of(&codec, level))
        .collect::<Result<_, _>>()?;
    if loads.len().max(codecs.len()).max(collection.indexes.len()) > ROWS_MAX {
        return Err(format!("it has more than {ROWS_MAX} rows"));
    }
    Ok(Partial {
        model: model.facts()?,
        part: Part::new(part, parts).ok_or_else(|| format!("there is no part {part} of {parts}"))?,
        loads: loads.into_iter().map(LoadState::from).collect(),
        codecs,
        walk: if walk { WalkWanted::Yes } else { WalkWanted::No },
        index_memory_bytes,
        collection: collection.collection()?,
        timing: timing.into(),
    })
}

fn bytes_of(what: &str, text: &str) -> Result<Vec<u8>, String> {
    BASE64.decode(text).map_err(|error| format!("{what} is no base64: {error}"))
}

impl CollectionIn {
    fn collection(self) -> Result<PartialCollection, String> {
        let speed = |speed: SpeedWire| Speed {
            compress_mb_per_s: speed.compress_mb_per_s,
            decompress_mb_per_s: speed.decompress_mb_per_s,
            image_bytes_timed: speed.image_bytes_timed,
        };
        Ok(PartialCollection {
            name: self.name,
            source: self.source,
            input: InputMark { bytes: self.input_bytes, digest: self.input_digest },
            documents_before: self.documents_before,
            documents: self.documents,
            bson: BsonBytes(self.bson_bytes),
            segments: self.segments,
            seen: Seen {
                ids_added: self.ids_added,
                documents_skipped: self.documents_skipped,
                skip_reasons: self.skip_reasons,
            },
            speeds: self.speeds.into_iter().map(|of| of.map(speed)).collect(),
            indexes: self.indexes.into_iter().map(IndexIn::index).collect::<Result<_, _>>()?,
            indexes_not_predicted: self.indexes_not_predicted.into_iter().map(Into::into).collect(),
            frames: self
                .frames
                .iter()
                .enumerate()
                .map(|(nth, frame)| bytes_of(&format!("frame {}", nth + 1), frame))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl IndexIn {
    fn index(self) -> Result<PartialIndex, String> {
        Ok(PartialIndex {
            pattern: bytes_of("an index's pattern", &self.pattern)?,
            name: self.name,
            uniqueness: if self.unique { Uniqueness::Unique } else { Uniqueness::Repeated },
            refused_reason: self.refused_reason,
        })
    }
}

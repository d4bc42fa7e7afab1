//! Encoders over a collection's first documents as other places hold them: messages, journal records, oplog entries,
//! the stream of a dump. The formats are [`crate::capacity`]'s, the encoders a server's.

use super::{PipelineError, Plan, Timing, estimate_collection};
use crate::capacity::journal::{self, Record};
use crate::capacity::measured::{Direction, JournalTraffic, OplogTraffic, Stream, Traffic, WireTraffic};
use crate::capacity::{oplog, wire};
use crate::codec::{Codec, CodecKind, ZlibLevel, ZstdLevel};
use crate::document::Elements;
use crate::estimate::LoadState;
use crate::geometry::wiredtiger::{TableConfig, cell, window::LoadClock};
use crate::record::RecordId;
use crate::record::collection::{IdMaker, Keys, Purpose, Shape, normalise};
use crate::record::index::{Entries, IndexSpec};
use crate::source::{Documents, Skipped, Source, SourceError};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Header and trailer of a gzip file, less those of the zlib stream that stands for it. Source: RFC 1950, RFC 1952.
const GZIP_BYTES: u64 = (10 + 8) - (2 + 4);
/// Documents that a transaction inserts have so many bytes at most. Source: `insertVectorMaxBytes`,
/// `src/mongo/db/ops/write_ops.h`, mongod 6.0.
const TRANSACTION_BYTES_MAX: usize = 256 << 10;

/// What to run.
#[derive(Clone, Debug)]
pub struct TrafficPlan {
    /// Name of the collection; it stands in messages and entries.
    pub collection: String,
    /// Documents of one insert command, or of one reply.
    pub batch_documents: u64,
    /// Whether a replica set logs the documents, or a standalone's tables do.
    pub logged: Logged,
    /// Encoders of a dump's stream.
    pub streams: Vec<CodecKind>,
}

/// What the journal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logged {
    /// A standalone: puts into the collection and its indexes.
    Tables,
    /// A replica set: puts into the oplog; user tables are not logged.
    Oplog,
}

/// Compressors that messages and journals have, at a server's levels.
///
/// Source: `ZSTD_CLEVEL_DEFAULT` in `src/mongo/transport/message_compressor_zstd.cpp`, and zlib's default level in
/// `message_compressor_zlib.cpp`, mongod 6.0.
#[must_use]
pub fn wire_codecs() -> Vec<CodecKind> {
    let zstd = ZstdLevel::new(3).map(CodecKind::Zstd);
    let codecs = [CodecKind::None, CodecKind::Snappy, CodecKind::Zlib(ZlibLevel::SERVER)];
    codecs.into_iter().chain(zstd).collect()
}

/// Runs everything over `documents`, as their source gave them, on all threads.
///
/// # Errors
///
/// As [`estimate_collection`], whose entries are the oplog's.
pub fn measure_traffic(
    documents: &Documents,
    model: &Plan,
    plan: &TrafficPlan,
) -> Result<Traffic, PipelineError> {
    let stored = stored(documents);
    let wire = [Direction::Insert, Direction::Find]
        .into_par_iter()
        .flat_map_iter(|direction| wire_codecs().into_iter().map(move |codec| (direction, codec)))
        .map(|(direction, codec)| wire_traffic(&stored, plan, direction, codec))
        .collect();
    let journal =
        CodecKind::SERVER.into_par_iter().map(|codec| journal_traffic(&stored, model, plan, codec)).collect();
    let oplog = match plan.logged {
        Logged::Oplog => Some(oplog_traffic(&stored, model, plan)?),
        Logged::Tables => None,
    };
    // One after the other: they are timed.
    let streams = plan.streams.iter().map(|codec| stream(&stored, *codec, model.timing)).collect();
    Ok(Traffic {
        documents: stored.len() as u64,
        bson_bytes: stored.bytes.len() as u64,
        wire,
        journal,
        oplog,
        streams,
    })
}

/// Documents as a server stores them; those that it would refuse are left out.
fn stored(documents: &Documents) -> Documents {
    let mut ids = IdMaker::new();
    let mut stored = Documents::default();
    stored.bytes.reserve(documents.bytes.len());
    for document in documents.iter() {
        let start = stored.bytes.len();
        stored.bytes.extend_from_slice(document);
        match normalise(&mut stored.bytes, start, &mut ids) {
            Ok(_) => stored.ends.push(stored.bytes.len()),
            Err(_) => stored.bytes.truncate(start),
        }
    }
    stored
}

/// Packed bytes; `None` without an encoder, or where it gave up.
fn packed_bytes(encoder: Option<&mut Box<dyn Codec>>, input: &[u8], out: &mut Vec<u8>) -> Option<u64> {
    encoder?.pack(input, out).then_some(out.len() as u64)
}

/// Cuts documents into batches by number and bytes, and hands each to `take`.
fn for_each_batch<'d>(
    documents: impl Iterator<Item = &'d [u8]>,
    documents_max: u64,
    bytes_max: usize,
    mut take: impl FnMut(&[&'d [u8]]),
) {
    let (mut batch, mut bytes): (Vec<&[u8]>, usize) = (Vec::new(), 0);
    for document in documents {
        let is_full = batch.len() as u64 >= documents_max || bytes + document.len() > bytes_max;
        if is_full && !batch.is_empty() {
            take(&batch);
            batch.clear();
            bytes = 0;
        }
        bytes += document.len();
        batch.push(document);
    }
    if !batch.is_empty() {
        take(&batch);
    }
}

fn wire_traffic(
    stored: &Documents,
    plan: &TrafficPlan,
    direction: Direction,
    codec: CodecKind,
) -> WireTraffic {
    let mut encoder = codec.encoder();
    let (mut body, mut out) = (Vec::new(), Vec::new());
    let mut traffic = WireTraffic { direction, codec, messages: 0, message_bytes: 0, sent_bytes: 0 };
    let bytes_max = match direction {
        Direction::Insert => wire::MESSAGE_BYTES_MAX,
        Direction::Find => wire::REPLY_BYTES_MAX,
    };
    for_each_batch(stored.iter(), plan.batch_documents, bytes_max, |batch| {
        let documents = batch.iter().copied();
        match direction {
            Direction::Insert => wire::insert_body(&plan.collection, documents, &mut body),
            Direction::Find => wire::reply_body(&plan.collection, documents, &mut body),
        }
        let packed = packed_bytes(encoder.as_mut(), &body, &mut out);
        traffic.messages += 1;
        traffic.message_bytes += wire::message_bytes(body.len() as u64, None);
        traffic.sent_bytes += wire::message_bytes(body.len() as u64, packed);
    });
    traffic
}

fn journal_traffic(stored: &Documents, model: &Plan, plan: &TrafficPlan, codec: CodecKind) -> JournalTraffic {
    let mut encoder = codec.encoder();
    let mut out = Vec::new();
    let mut records = Records { record: Record::default(), puts: Puts::of(model, plan), number: 0 };
    let mut traffic = JournalTraffic { codec, records: 0, record_bytes: 0, written_bytes: 0 };
    let group_documents = LoadClock::new(model.table.release).group_documents();
    for_each_batch(stored.iter(), plan.batch_documents, wire::MESSAGE_BYTES_MAX, |command| {
        for_each_batch(command.iter().copied(), group_documents, TRANSACTION_BYTES_MAX, |group| {
            let record = records.of(group);
            let packed = packed_bytes(encoder.as_mut(), record.body(), &mut out);
            traffic.records += 1;
            traffic.record_bytes += record.bytes();
            traffic.written_bytes += journal::charge(codec, record.bytes(), packed);
        });
    });
    traffic
}

/// Makes the records of a load, in order.
struct Records<'p> {
    record: Record,
    puts: Puts<'p>,
    /// Documents so far.
    number: u64,
}

enum Puts<'p> {
    Tables { indexes: &'p [IndexSpec], entries: Box<Entries>, key: Vec<u8> },
    Oplog { collection: &'p str, entry: Vec<u8>, key: Vec<u8> },
}

impl<'p> Puts<'p> {
    fn of(model: &'p Plan, plan: &'p TrafficPlan) -> Self {
        match plan.logged {
            Logged::Tables => {
                Self::Tables { indexes: &model.indexes, entries: Box::new(Entries::new()), key: Vec::new() }
            }
            Logged::Oplog => Self::Oplog { collection: &plan.collection, entry: Vec::new(), key: Vec::new() },
        }
    }
}

impl Records<'_> {
    /// The record of a transaction that inserts these documents: first all of them, then their entries in each index.
    fn of(&mut self, group: &[&[u8]]) -> &Record {
        self.record.start();
        let first = self.number;
        self.number += group.len() as u64;
        match &mut self.puts {
            Puts::Tables { indexes, entries, key } => {
                for (number, document) in (first + 1..).zip(group) {
                    key.clear();
                    cell::push_record_id(RecordId::Number(number), key);
                    self.record.put(key, document);
                }
                for (number, document) in (first + 1..).zip(group) {
                    for index in *indexes {
                        entries.clear();
                        // A document that an index cannot hold is not in it; the estimate has counted it.
                        let _ = index.entries(document, RecordId::Number(number), entries);
                        entries.iter().for_each(|entry| self.record.put(entry.key, entry.value));
                    }
                }
            }
            Puts::Oplog { collection, entry, key } => {
                for (number, document) in (first..).zip(group) {
                    key.clear();
                    cell::push_record_id(RecordId::Number(oplog::timestamp(number)), key);
                    entry.clear();
                    oplog::insert_entry(collection, document, id_of(document), number, entry);
                    self.record.put(key, entry);
                }
            }
        }
        &self.record
    }
}

/// The element `_id`, which comes first in a stored document.
fn id_of(document: &[u8]) -> &[u8] {
    let first = Elements::new(document).ok().and_then(|mut elements| elements.next()?.ok());
    first.and_then(|id| document.get(id.at..id.value_at() + id.value.len())).unwrap_or_default()
}

fn oplog_traffic(
    stored: &Documents,
    model: &Plan,
    plan: &TrafficPlan,
) -> Result<OplogTraffic, PipelineError> {
    let table = Plan {
        table: TableConfig { release: model.table.release, ..TableConfig::collection(model.table.release) },
        loads: vec![LoadState::Settled],
        codecs: vec![CodecKind::Snappy],
        shape: Shape { keys: Keys::Clustered, capped: None, purpose: Purpose::Oplog },
        indexes: Vec::new(),
        timing: Timing::Skip,
        walk: super::Walk::Skip,
        ..model.clone()
    };
    let mut entries = EntrySource {
        documents: stored.iter(),
        collection: &plan.collection,
        number: 0,
        position: 0,
        skipped: Skipped::default(),
    };
    let estimate = estimate_collection("oplog.rs", &mut entries, &table, &mut |_| ())?;
    Ok(OplogTraffic {
        entry_bytes: estimate.bson.0,
        storage_bytes: estimate.storage.first().map_or(0, |row| row.storage.0),
    })
}

/// Oplog entries of documents in memory.
struct EntrySource<'d, I> {
    documents: I,
    collection: &'d str,
    number: u64,
    position: u64,
    skipped: Skipped,
}

impl<'d, I: Iterator<Item = &'d [u8]> + Send> Source for EntrySource<'_, I> {
    fn name(&self) -> &'static str {
        "oplog entries"
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let Some(document) = self.documents.next() else { return Ok(None) };
        let start = out.len();
        oplog::insert_entry(self.collection, document, id_of(document), self.number, out);
        self.number += 1;
        self.position += (out.len() - start) as u64;
        Ok(Some(out.len() - start))
    }

    fn document_offset(&self) -> u64 {
        self.position
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }

    fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

fn stream(stored: &Documents, codec: CodecKind, timing: Timing) -> Stream {
    let bson_bytes = stored.bytes.len() as u64;
    let plain =
        Stream { codec, bson_bytes, packed_bytes: bson_bytes, pack_mb_per_s: None, unpack_mb_per_s: None };
    let Some(mut encoder) = codec.encoder() else { return plain };
    let (mut packed, mut raw) = (Vec::new(), Vec::new());
    if !encoder.pack(&stored.bytes, &mut packed) {
        return plain;
    }
    let wrapper = if matches!(codec, CodecKind::Zlib(_)) { GZIP_BYTES } else { 0 };
    let mut timed = Stream { packed_bytes: packed.len() as u64 + wrapper, ..plain };
    if timing == Timing::Measure {
        let pack_s = least_seconds(|| encoder.pack(&stored.bytes, &mut packed));
        timed.pack_mb_per_s = mb_per_s(bson_bytes, pack_s);
        let unpack_s = least_seconds(|| encoder.unpack(&packed, stored.bytes.len(), &mut raw));
        timed.unpack_mb_per_s = mb_per_s(bson_bytes, unpack_s);
    }
    timed
}

/// The fastest of a few passes: once for what is slow, so that a large stream is not packed many times.
fn least_seconds(mut pass: impl FnMut() -> bool) -> f64 {
    const PASSES_MAX: usize = 7;
    const NO_MORE_AFTER: Duration = Duration::from_millis(200);
    let began = Instant::now();
    let mut least_s = f64::INFINITY;
    for _ in 0..PASSES_MAX {
        let start = Instant::now();
        pass();
        least_s = least_s.min(start.elapsed().as_secs_f64());
        if began.elapsed() > NO_MORE_AFTER {
            break;
        }
    }
    least_s
}

#[expect(clippy::cast_precision_loss, reason = "a sample is a few MiB")]
fn mb_per_s(bytes: u64, seconds: f64) -> Option<f64> {
    (bytes > 0 && seconds > 0.0).then(|| bytes as f64 / 1e6 / seconds)
}

//! Dumps, oplog, journal and wire: what encoders made of the first documents, for all of them and for a day.

use super::disk::entries_per_s;
use super::measured::{Direction, Traffic};
use super::scans::Scans;
use super::{BYTES_PER_MB, Needs, S_PER_DAY, float, name_of, whole};
use crate::estimate::{Basis, CodecName, CollectionEstimate};

/// A dump under one codec and level.
#[derive(Clone, Debug, PartialEq)]
pub struct DumpRow {
    /// `zlib` is gzip.
    pub codec: CodecName,
    /// The whole stream.
    pub dump_bytes: u64,
    /// Over BSON bytes.
    pub ratio_dump_to_bson: f64,
    /// One thread that packs; `None` if not timed.
    pub pack_s: Option<f64>,
    /// One thread that unpacks.
    pub unpack_s: Option<f64>,
    /// Over the network asked for; `None` if none was.
    pub transfer_s: Option<f64>,
    /// The slowest of reading, packing and sending, which overlap; `None` if one is not known.
    pub dump_s: Option<f64>,
    /// The slowest of receiving, unpacking and packing pages, at least: inserts and index builds come on top.
    pub restore_s_low: Option<f64>,
    /// How the size is known.
    pub basis: Basis,
}

/// The oplog of a replica set.
#[derive(Clone, Debug, PartialEq)]
pub struct OplogRow {
    /// An entry in the mean.
    pub entry_bytes: f64,
    /// What it adds to its document.
    pub entry_overhead_bytes: f64,
    /// An entry on disk under snappy; `None` if there is none.
    pub storage_bytes_per_entry: Option<f64>,
    /// Entries of a day; `None` without a rate.
    pub oplog_bytes_per_day: Option<u64>,
    /// The same on disk.
    pub oplog_storage_bytes_per_day: Option<u64>,
    /// Entries of a day to all other members.
    pub replication_bytes_per_day: Option<u64>,
    /// How it is known.
    pub basis: Basis,
}

/// The journal under one compressor.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalRow {
    /// The journal's compressor.
    pub codec: CodecName,
    /// A document in the mean, records' padding included.
    pub journal_bytes_per_document: f64,
    /// Share of what is written that only fills units.
    pub records: u64,
    /// Bytes of the first documents' records before packing.
    pub record_bytes: u64,
    /// Bytes written for them.
    pub written_bytes: u64,
    /// Of a day; `None` without a rate.
    pub journal_bytes_per_day: Option<u64>,
    /// How it is known.
    pub basis: Basis,
}

/// The wire in one direction under one compressor.
#[derive(Clone, Debug, PartialEq)]
pub struct WireRow {
    /// Which way.
    pub direction: Direction,
    /// The compressor.
    pub codec: CodecName,
    /// Messages that carried the first documents.
    pub messages: u64,
    /// Their bytes without compression.
    pub message_bytes: u64,
    /// Their bytes as sent.
    pub sent_bytes: u64,
    /// A document in the mean.
    pub sent_bytes_per_document: f64,
    /// Inserts of a day; `None` without a rate, and for reads.
    pub sent_bytes_per_day: Option<u64>,
    /// How it is known.
    pub basis: Basis,
}

/// Means over first documents: modelled as they stand, extrapolated as soon as a rate or all documents come in.
fn mean(bytes: u64, documents: u64) -> f64 {
    if documents == 0 { 0.0 } else { float(bytes) / float(documents) }
}

fn per_day(bytes_each: f64, per_s: Option<f64>) -> Option<u64> {
    per_s.map(|per_s| whole(bytes_each * per_s * S_PER_DAY))
}

pub(super) fn dumps(
    collection: &CollectionEstimate,
    traffic: &Traffic,
    bson_bytes: u64,
    scans: &Scans,
    needs: &Needs,
) -> Vec<DumpRow> {
    let growth = float(bson_bytes) / float(traffic.bson_bytes.max(1));
    let is_whole = bson_bytes == traffic.bson_bytes;
    let source = scans.work_of(collection.kind.server_codec).or(scans.work.first().map(|(_, work, _)| work));
    let read_s = source.and_then(|work| match needs.disks_typed.as_slice() {
        [only] => work.scan_s(*only),
        _ => work.thread_s(),
    });
    let pages_s = collection
        .storage
        .iter()
        .find(|row| row.codec.name == collection.kind.server_codec)
        .and_then(|row| Some(float(row.tally.leaf_image.0) / BYTES_PER_MB / row.speed?.compress_mb_per_s))
        .map(|seconds| seconds * float(bson_bytes) / float(collection.bson.0.max(1)));
    let of = |stream: &super::measured::Stream| {
        let is_plain = stream.codec == crate::codec::CodecKind::None;
        let mb = float(bson_bytes) / BYTES_PER_MB;
        let dump_bytes = whole(float(stream.packed_bytes) * growth);
        let seconds = |speed: Option<f64>| if is_plain { Some(0.0) } else { Some(mb / speed?) };
        let (pack_s, unpack_s) = (seconds(stream.pack_mb_per_s), seconds(stream.unpack_mb_per_s));
        let transfer_s = needs.network_mb_per_s.map(|network| float(dump_bytes) / BYTES_PER_MB / network);
        let sent_s = transfer_s.unwrap_or(0.0);
        let slowest = |one: f64, other: f64| one.max(other).max(sent_s);
        DumpRow {
            codec: name_of(stream.codec),
            dump_bytes,
            ratio_dump_to_bson: mean(stream.packed_bytes, stream.bson_bytes),
            pack_s,
            unpack_s,
            transfer_s,
            dump_s: pack_s.zip(read_s).map(|(pack_s, read_s)| slowest(pack_s, read_s)),
            restore_s_low: unpack_s.zip(pages_s).map(|(unpack_s, pages_s)| slowest(unpack_s, pages_s)),
            basis: if is_whole { Basis::Modelled } else { Basis::Extrapolated },
        }
    };
    traffic.streams.iter().map(of).collect()
}

pub(super) fn oplog(traffic: &Traffic, needs: &Needs) -> Option<OplogRow> {
    let measured = traffic.oplog?;
    let entry_bytes = mean(measured.entry_bytes, traffic.documents);
    let storage = (traffic.documents > 0).then(|| mean(measured.storage_bytes, traffic.documents));
    let rate = entries_per_s(needs);
    let others = float(needs.members.value().saturating_sub(1));
    Some(OplogRow {
        entry_bytes,
        entry_overhead_bytes: entry_bytes - mean(traffic.bson_bytes, traffic.documents),
        storage_bytes_per_entry: storage,
        oplog_bytes_per_day: per_day(entry_bytes, rate),
        oplog_storage_bytes_per_day: storage.and_then(|bytes| per_day(bytes, rate)),
        replication_bytes_per_day: per_day(entry_bytes * others, rate),
        basis: basis_of_rate(rate),
    })
}

pub(super) fn journal(traffic: &Traffic, needs: &Needs) -> Vec<JournalRow> {
    let rate = entries_per_s(needs);
    let of = |one: &super::measured::JournalTraffic| {
        let each = mean(one.written_bytes, traffic.documents);
        JournalRow {
            codec: name_of(one.codec),
            journal_bytes_per_document: each,
            records: one.records,
            record_bytes: one.record_bytes,
            written_bytes: one.written_bytes,
            journal_bytes_per_day: per_day(each, rate),
            basis: basis_of_rate(rate),
        }
    };
    traffic.journal.iter().map(of).collect()
}

pub(super) fn wire(traffic: &Traffic, needs: &Needs) -> Vec<WireRow> {
    let of = |one: &super::measured::WireTraffic| {
        let rate = match one.direction {
            Direction::Insert => needs.writes_per_s,
            Direction::Find => None,
        };
        let each = mean(one.sent_bytes, traffic.documents);
        WireRow {
            direction: one.direction,
            codec: name_of(one.codec),
            messages: one.messages,
            message_bytes: one.message_bytes,
            sent_bytes: one.sent_bytes,
            sent_bytes_per_document: each,
            sent_bytes_per_day: per_day(each, rate),
            basis: basis_of_rate(rate),
        }
    };
    traffic.wire.iter().map(of).collect()
}

fn basis_of_rate(rate: Option<f64>) -> Basis {
    if rate.is_some() { Basis::Extrapolated } else { Basis::Modelled }
}

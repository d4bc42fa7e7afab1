//! Plans against what real servers sent, logged and scanned; documents as in `accuracy`.

use crate::accuracy::shared;
use pagepress::{
    capacity::measured::{Direction, Traffic},
    codec::CodecKind,
    geometry::wiredtiger::{Release, TableConfig},
    pipeline::{Logged, Plan, TrafficPlan, measure_traffic},
    source::{Documents, OnBadDocument, Source, bson::BsonSource},
};
use serde_json::Value;
use std::{
    fs::{self, File},
    path::Path,
};

/// What the issue promises of every row.
const TRAFFIC_PCT: f64 = 5.0;

fn rows(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/capacity").join(file);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn documents(shared: &Path, name: &str) -> Documents {
    let file = File::open(shared.join("datasets").join(format!("{name}.bson.zst"))).unwrap();
    let stream = zstd::stream::read::Decoder::new(file).unwrap();
    let mut source = BsonSource::new(name.to_owned(), stream, None, OnBadDocument::Stop);
    let mut documents = Documents::default();
    while source.next_document(&mut documents.bytes).unwrap().is_some() {
        documents.ends.push(documents.bytes.len());
    }
    documents
}

fn model() -> Plan {
    Plan::new(TableConfig::collection(Release::parse("6.0.27").unwrap()))
}

fn traffic(documents: &Documents, name: &str, batch_documents: u64, logged: Logged) -> Traffic {
    let plan =
        TrafficPlan { collection: name.to_owned(), batch_documents, logged, streams: Vec::new() };
    measure_traffic(documents, &model(), &plan).unwrap()
}

fn names(rows: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

/// A line for each figure, and whether it lies within the promise.
fn compare(what: &str, got: u64, want: u64, faults: &mut Vec<String>) {
    let pct = (got as f64 / want as f64 - 1.0) * 100.0;
    let line = format!("{what}: {got} against {want}, {pct:+.2} %");
    eprintln!("{line}");
    if pct.abs() > TRAFFIC_PCT {
        faults.push(line);
    }
}

#[test]
fn messages_and_journal_take_what_a_server_counted() {
    let Some(shared) = shared() else { return };
    let rows = rows("wire-journal.json");
    let mut faults = Vec::new();
    for name in names(&rows) {
        let documents = documents(&shared, &name);
        let of_name = |what: &str, batch: u64| {
            let is_of = |row: &&Value| {
                row["name"] == name.as_str() && row["what"] == what && row["batch_documents"] == batch
            };
            rows.iter().filter(is_of).collect::<Vec<_>>()
        };
        for batch in [100, 1000] {
            let traffic = traffic(&documents, &name, batch, Logged::Tables);
            for row in of_name("wire", batch) {
                let codec = row["compressor"].as_str().unwrap();
                for (direction, measured) in
                    [(Direction::Insert, "insert_physical_in"), (Direction::Find, "find_physical_out")]
                {
                    let is_of = |wire: &&pagepress::capacity::measured::WireTraffic| {
                        wire.direction == direction && wire.codec.name() == codec
                    };
                    let sent = traffic.wire.iter().find(is_of).unwrap().sent_bytes;
                    let what = format!("{name} {codec} {} of {batch}", direction.name());
                    compare(&what, sent, row[measured].as_u64().unwrap(), &mut faults);
                }
            }
            for row in of_name("journal", batch) {
                let codec = row["journal_compressor"].as_str().unwrap();
                let journal = traffic.journal.iter().find(|one| one.codec.name() == codec).unwrap();
                let what = format!("{name} journal {codec}");
                compare(&what, journal.written_bytes, row["written_bytes"].as_u64().unwrap(), &mut faults);
                assert_eq!(journal.records, row["log_write_operations"].as_u64().unwrap(), "{what}");
                if journal.codec == CodecKind::None {
                    let payload = row["payload_bytes"].as_u64().unwrap();
                    compare(&format!("{what} payload"), journal.record_bytes, payload, &mut faults);
                }
            }
        }
    }
    assert!(faults.is_empty(), "beyond {TRAFFIC_PCT} %:\n{}", faults.join("\n"));
}

#[test]
fn oplog_entries_take_what_a_server_stored() {
    let Some(shared) = shared() else { return };
    let mut faults = Vec::new();
    for row in rows("oplog.json") {
        let name = row["name"].as_str().unwrap();
        let oplog = traffic(&documents(&shared, name), name, 1000, Logged::Oplog).oplog.unwrap();
        let measured = |field: &str| row[field].as_u64().unwrap();
        compare(&format!("{name} oplog"), oplog.entry_bytes, measured("oplog_bytes"), &mut faults);
        let what = format!("{name} oplog on disk");
        compare(&what, oplog.storage_bytes, measured("oplog_storage_bytes"), &mut faults);
    }
    assert!(faults.is_empty(), "beyond {TRAFFIC_PCT} %:\n{}", faults.join("\n"));
}

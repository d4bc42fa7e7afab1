//! Index keys against those in real index files: every row of `groundtruth/keystring.json`.
//!
//! Reads it below the folder that `PAGEPRESS_SHARED` names, by default `../shared`. Without that folder it says
//! so and passes. A row is one entry, or a document that has none; all entries of a document are compared, keys
//! and values, in key order.

use bson::{Bson, Document};
use pagepress::record::index::{Entries, IndexError, IndexSpec, Outcome, clustered_record_id};
use pagepress::record::keystring::RecordId;
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

#[derive(Debug, Deserialize)]
struct Vectors {
    vectors: Vec<Row>,
}

/// One entry of an index, or a document without one. Unknown fields are left alone.
#[derive(Debug, Deserialize)]
struct Row {
    collection: String,
    label: String,
    /// Absent in the metadata entries of wildcard indexes.
    bson_hex: Option<String>,
    pattern: Vec<(String, Value)>,
    options: Value,
    index_kind: String,
    record_id: Value,
    entries: usize,
    key_hex: Option<String>,
    value_hex: Option<String>,
}

/// The server replaced this one by its clock when the document came in.
const CLOCK_LABEL: &str = "timestamp 0,0 at the top level: the server stored its clock";

fn vectors() -> Option<Vec<Row>> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("PAGEPRESS_SHARED").map_or_else(default, PathBuf::from);
    let file = folder.join("groundtruth/keystring.json");
    let Ok(text) = fs::read_to_string(&file) else {
        eprintln!("SKIPPED: no index keys at {}; set PAGEPRESS_SHARED to their folder", file.display());
        return None;
    };
    Some(serde_json::from_str::<Vectors>(&text).unwrap().vectors)
}

fn unhex(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn to_bson(value: &Value) -> Bson {
    match value {
        Value::Bool(truth) => Bson::Boolean(*truth),
        Value::Number(number) => Bson::Int32(number.as_i64().unwrap().try_into().unwrap()),
        Value::String(text) => Bson::String(text.clone()),
        Value::Object(fields) => {
            Bson::Document(fields.iter().map(|(name, value)| (name.clone(), to_bson(value))).collect())
        }
        other => panic!("{other} in index options"),
    }
}

/// What `createIndexes` was given.
fn specification(row: &Row) -> Vec<u8> {
    let key: Document = row.pattern.iter().map(|(name, value)| (name.clone(), to_bson(value))).collect();
    let mut specification = bson::doc! { "key": key };
    for (name, value) in row.options.as_object().unwrap() {
        specification.insert(name, to_bson(value));
    }
    specification.to_vec().unwrap()
}

/// The document as its collection holds it: rows of most kinds leave `_id` out.
fn document(row: &Row) -> Vec<u8> {
    const ID: &[u8] = b"\x10_id\0\x01\0\0\0";
    let mut document = unhex(row.bson_hex.as_ref().unwrap());
    if row.index_kind != "_id" && !row.index_kind.starts_with("clustered") {
        document.splice(4..4, ID.iter().copied());
        let length = i32::try_from(document.len()).unwrap();
        document[..4].copy_from_slice(&length.to_le_bytes());
    }
    document
}

#[derive(Default)]
struct Score {
    matched: usize,
    rows: usize,
    left_out: BTreeMap<String, usize>,
}

fn expected(rows: &[&Row]) -> Vec<(String, String)> {
    let entry = |row: &&Row| Some((row.key_hex.clone()?, row.value_hex.clone().unwrap_or_default()));
    rows.iter().filter_map(entry).collect()
}

fn entries(out: &Entries) -> Vec<(String, String)> {
    out.iter().map(|entry| (hex(entry.key), hex(entry.value))).collect()
}

/// Compares one document's entries. Returns what differs.
fn compare(spec: &IndexSpec, rows: &[&Row], out: &mut Entries) -> Result<(), String> {
    let row = rows[0];
    let document = document(row);
    let mut clustered = Vec::new();
    let record_id = if let Value::Number(number) = &row.record_id {
        RecordId::Number(number.as_u64().unwrap())
    } else {
        clustered_record_id(&document, &mut clustered).unwrap();
        RecordId::Clustered(&clustered)
    };
    out.clear();
    let outcome = spec.entries(&document, record_id, out);
    let (got, want) = (entries(out), expected(rows));
    if got == want && outcome == Ok(Outcome::Added(row.entries)) {
        return Ok(());
    }
    Err(format!("{} {}: {outcome:?}\n  got  {got:?}\n  want {want:?}", row.collection, row.label))
}

/// The keys of a whole wildcard index, beside those of its documents.
fn compare_metadata(spec: &IndexSpec, rows: &[&Row], out: &mut Entries) -> Result<(), String> {
    let paths: BTreeSet<Vec<u8>> = out.array_paths().clone();
    out.clear();
    spec.metadata_entries(paths.iter().map(Vec::as_slice), out);
    let (got, want) = (entries(out), expected(rows));
    if got == want { Ok(()) } else { Err(format!("metadata: got {got:?}, want {want:?}")) }
}

#[test]
fn index_keys_equal_those_in_real_index_files() {
    let Some(rows) = vectors() else { return };
    let mut collections: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        collections.entry(&row.collection).or_default().push(row);
    }
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    let mut faults = Vec::new();
    for rows in collections.values() {
        let score = scores.entry(&rows[0].index_kind).or_default();
        let spec = match IndexSpec::parse(&specification(rows[0])) {
            Ok(spec) => spec,
            Err(IndexError::Unsupported { what, why }) => {
                *score.left_out.entry(format!("{what}: {why}")).or_default() += rows.len();
                continue;
            }
            Err(error) => panic!("{}: {error}", rows[0].collection),
        };
        let (of_documents, metadata): (Vec<&Row>, Vec<&Row>) =
            rows.iter().partition(|row| row.bson_hex.is_some());
        let mut out = Entries::new();
        for of_document in of_documents.chunk_by(|a, b| a.record_id == b.record_id) {
            if of_document[0].label == CLOCK_LABEL {
                *score.left_out.entry(CLOCK_LABEL.to_owned()).or_default() += of_document.len();
                continue;
            }
            score.rows += of_document.len();
            match compare(&spec, of_document, &mut out) {
                Ok(()) => score.matched += of_document.len(),
                Err(fault) => faults.push(fault),
            }
        }
        score.rows += metadata.len();
        match compare_metadata(&spec, &metadata, &mut out) {
            Ok(()) => score.matched += metadata.len(),
            Err(fault) => faults.push(format!("{}: {fault}", rows[0].collection)),
        }
    }
    for (kind, Score { matched, rows, left_out }) in &scores {
        eprintln!("{kind:20} {matched:4} of {rows:4} vectors");
        for (reason, count) in left_out {
            eprintln!("{kind:20}      {count} not compared: {reason}");
        }
    }
    assert!(
        faults.is_empty(),
        "{} documents differ:\n{}",
        faults.len(),
        faults[..faults.len().min(40)].join("\n")
    );
}

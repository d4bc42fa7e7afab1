//! Every fixture of the inputs that people really have: what is recognised, documents and stored bytes, or the error.
//!
//! The fixtures and what mongo-tools 100.18 made of them are those of data/inputs.

use pagepress::record::collection::{IdMaker, normalise};
use pagepress::source::csv::Columns;
use pagepress::source::json::JsonDialect;
use pagepress::source::{self, Collection, Namespaces, OnBadDocument, OpenOptions};
use serde_json::Value;
use std::{fs, path::PathBuf};

fn fixtures() -> (PathBuf, Value) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/inputs");
    let text = fs::read_to_string(folder.join("expected.json")).unwrap();
    (folder, serde_json::from_str(&text).unwrap())
}

/// What was read of one input.
#[derive(Debug, Default, PartialEq)]
struct Read {
    documents: u64,
    /// With the `_id`s that were added.
    stored_bytes: u64,
    ids_added: u64,
    faults: Vec<String>,
}

impl Read {
    fn take(&mut self, collection: Collection, options: &OpenOptions) {
        let mut source = match collection.open(options) {
            Ok(source) => source,
            Err(error) => return self.faults.push(error.to_string()),
        };
        let mut ids = IdMaker::new();
        let mut bson = Vec::new();
        loop {
            bson.clear();
            match source.next_document(&mut bson) {
                Ok(Some(_)) => match normalise(&mut bson, 0, &mut ids) {
                    Ok(bytes) => {
                        self.documents += 1;
                        self.stored_bytes += bytes as u64;
                    }
                    Err(kind) => self.faults.push(format!("document {}: {kind}", self.documents)),
                },
                Ok(None) => break,
                Err(error) => {
                    self.faults.push(error.to_string());
                    break;
                }
            }
        }
        self.ids_added += ids.count();
        self.faults.extend(source.skipped().reasons.iter().cloned());
    }
}

fn read(path: &std::path::Path, options: &OpenOptions) -> Read {
    let mut read = Read::default();
    match source::find(path, options, &Namespaces::new(&["*".to_owned()])) {
        Ok(found) => found.collections.into_iter().for_each(|collection| read.take(collection, options)),
        Err(error) => read.faults.push(error.to_string()),
    }
    read
}

fn skipping() -> OpenOptions {
    OpenOptions::new(OnBadDocument::Skip)
}

fn differs_by_mistake(line: &str) -> bool {
    !ON_PURPOSE.iter().any(|(name, _)| line.starts_with(name))
}

fn number(of: &Value, name: &str) -> u64 {
    of[name].as_u64().unwrap_or(0)
}

/// Fixtures whose reading differs on purpose, each with the reason.
const ON_PURPOSE: [(&str, &str); 10] = [
    ("archive/namespace_not_in_prelude", "nothing is lost: a note"),
    ("archive/text_before_magic", "nothing is lost: a note"),
    ("csv/bare_quote", "reading goes on at the next line"),
    ("csv/typed_bad_cell", "reading goes on at the next line"),
    ("csv/typed_blank_cell", "reading goes on at the next line"),
    ("csv/id_column", "equal _ids are not looked for"),
    ("json/depth_arrays_201", "priced as it is; --strict tells that no server stores it"),
    ("json/depth_objects_199", "priced as it is; --strict tells that no server stores it"),
    ("json/depth_objects_201", "priced as it is; --strict tells that no server stores it"),
    (
        "json/lookalike/042.jsonl Auto",
        "legacy binaries are read in either order, since no other meaning is known",
    ),
];

#[test]
fn every_whole_input_is_read_as_the_server_stores_it_or_refused_at_its_place() {
    let (folder, expected) = fixtures();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (name, want) in expected["files"].as_object().unwrap() {
        if name.ends_with('/') || want.get("v2").is_some() || want["documents"].is_null() {
            continue;
        }
        checked += 1;
        let mut options = skipping();
        if name.starts_with("csv/typed") {
            options.columns = Columns::Header;
        } else if name.starts_with("csv/") || name.starts_with("sniff/") {
            options.columns = Columns::EachCell;
        }
        let got = read(&folder.join(name), &options);
        // What a reader may take although the tool stops there.
        let tolerant = want.get("tolerant").unwrap_or(want);
        let format = want["format"].as_str().unwrap_or_default();
        let is_bson = format.starts_with("bson") || format.starts_with("mongodump");
        let added = if is_bson { 17 * got.ids_added } else { 0 };
        let documents = got.documents;
        let bytes = got.stored_bytes - added;
        let wants_error = !want["errors"].as_array().unwrap().is_empty() && want.get("tolerant").is_none();
        let wanted = (number(tolerant, "documents"), number(tolerant, "bson_bytes"));
        if (documents, bytes) != wanted || (wants_error && got.faults.is_empty()) {
            wrong.push(format!(
                "{name}: {documents} documents, {bytes} bytes; want {wanted:?}; {:?}",
                got.faults
            ));
        }
    }
    wrong.retain(|line| differs_by_mistake(line));
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn values_of_both_json_versions_become_the_bytes_that_mongoimport_stores() {
    let (folder, expected) = fixtures();
    let mut wrong = Vec::new();
    for (name, want) in expected["files"].as_object().unwrap() {
        for (version, dialect) in
            [("v2", JsonDialect::V2), ("v1", JsonDialect::V1), ("v2", JsonDialect::Auto)]
        {
            let Some(want) = want.get(version) else { continue };
            let options = OpenOptions { json: dialect, ..skipping() };
            let options = OpenOptions { format: Some(source::Format::Json), ..options };
            let got = read(&folder.join(name), &options);
            let bytes = want["bson_bytes"].as_u64();
            let refused = bytes.is_none();
            let matches = match dialect {
                JsonDialect::V2 => Some(got.stored_bytes).filter(|bytes| *bytes > 0) == bytes,
                // Both take some values that the tool refuses.
                _ => refused || Some(got.stored_bytes) == bytes,
            };
            if !matches {
                let wanted = bytes.map_or_else(|| "an error".to_owned(), |bytes| bytes.to_string());
                wrong.push(format!(
                    "{name} {dialect:?}: {}; want {wanted}; {:?}",
                    got.stored_bytes, got.faults
                ));
            }
        }
    }
    wrong.retain(|line| differs_by_mistake(line));
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn dumps_hold_the_collections_indexes_and_documents_that_were_dumped() {
    let (folder, expected) = fixtures();
    let options = skipping();
    for (name, want) in expected["files"].as_object().unwrap() {
        let Some(collections) = want["collections"].as_object().filter(|_| name.ends_with('/')) else {
            continue;
        };
        let found = source::find(&folder.join(name), &options, &Namespaces::new(&["*".to_owned()])).unwrap();
        let mut seen = Vec::new();
        for collection in found.collections {
            let want = &collections[&collection.name];
            let indexes = want["indexes"].as_u64();
            if indexes.is_some() {
                let got = collection.indexes.as_ref().map(|indexes| indexes.len() as u64);
                assert_eq!(got, indexes, "{name} {}", collection.name);
            }
            seen.push(collection.name.clone());
            let mut read = Read::default();
            read.take(collection, &options);
            let documents = number(want, "documents") + number(want, "bucket_documents");
            let bytes = number(want, "bytes") + number(want, "bucket_bytes");
            assert_eq!((read.documents, read.stored_bytes), (documents, bytes), "{name}");
            assert_eq!(read.faults, Vec::<String>::new(), "{name}");
        }
        for (missing, want) in collections.iter().filter(|(known, _)| !seen.contains(known)) {
            let is_without_documents = number(want, "documents") + number(want, "bucket_documents") == 0;
            let is_for_the_server = missing == ".oplog" || missing == "olddb.system.indexes";
            assert!(is_without_documents || is_for_the_server, "{name}: {missing} was not found");
        }
    }
}

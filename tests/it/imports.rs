//! Text that is read here and inserted into a real server comes back as the same bytes, of the types and lengths that
//! docs/INPUTS.md tells.

use crate::server::{Server, Topology, mongod};
use bson::{Bson, Document, doc};
use pagepress::{
    record::collection::{IdMaker, normalise},
    source::{
        self, Format, OnBadDocument, OpenOptions, Source,
        csv::{Columns, CsvSource, Dialect},
        json::JsonSource,
    },
};
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

/// Servers that were measured elsewhere too.
const VERSIONS: [&str; 2] = ["6.0.5", "6.0.27"];

/// A row of the tables.
#[derive(Debug)]
struct Row {
    text: String,
    type_name: String,
    bytes: usize,
}

/// Rows of the table below a heading of docs/INPUTS.md.
fn table(heading: &str) -> Vec<Row> {
    let document = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/INPUTS.md")).unwrap();
    let (_, section) = document.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|line| {
        let mut cells = line[1..].split('|').map(str::trim);
        let text = cells.next().unwrap().trim_matches('`').to_owned();
        let type_name = cells.next().unwrap().to_owned();
        Row { text, type_name, bytes: cells.next().unwrap().parse().unwrap() }
    })
    .collect()
}

fn documents(source: &mut dyn Source) -> Vec<Vec<u8>> {
    let mut documents = Vec::new();
    let mut out = Vec::new();
    while source.next_document(&mut out).unwrap().is_some() {
        documents.push(std::mem::take(&mut out));
    }
    documents
}

fn of_json(rows: &[Row]) -> Vec<Vec<u8>> {
    let line = |(number, row): (usize, &Row)| format!("{{\"_id\":{number},\"v\":{}}}\n", row.text);
    let text: String = rows.iter().enumerate().map(line).collect();
    documents(&mut JsonSource::new(String::new(), text.as_bytes(), None, OnBadDocument::Stop))
}

fn of_csv(rows: &[Row]) -> Vec<Vec<u8>> {
    let line = |(number, row): (usize, &Row)| format!("{number},\"{}\"\n", row.text);
    let text: String =
        std::iter::once("_id,v\n".to_owned()).chain(rows.iter().enumerate().map(line)).collect();
    let source = CsvSource::new(String::new(), text.as_bytes(), Dialect::Csv, None, OnBadDocument::Stop);
    documents(&mut source.with_columns(Columns::EachCell))
}

/// What the server says of each document: the type of `v`, and the bytes of all of it.
fn types_and_bytes(server: &mut Server, collection: &str) -> BTreeMap<i32, (String, usize)> {
    let project = doc! {"$project": {"type": {"$type": "$v"}, "bytes": {"$bsonSize": "$$ROOT"}}};
    let command = doc! {"aggregate": collection, "pipeline": [project], "cursor": {"batchSize": 10_000}};
    let answer = server.run("d", command);
    let batch = answer.get_document("cursor").unwrap().get_array("firstBatch").unwrap();
    let entry = |row: &Document| {
        let bytes = usize::try_from(row.get_i32("bytes").unwrap()).unwrap();
        (row.get_i32("_id").unwrap(), (row.get_str("type").unwrap().to_owned(), bytes))
    };
    batch.iter().filter_map(Bson::as_document).map(entry).collect()
}

#[test]
fn each_text_becomes_the_bytes_type_and_length_that_a_server_stores_and_the_document_tells() {
    /// A document's length and NUL, `_id` as an int32, and the type and name of `v`.
    const FRAME_BYTES: usize = 5 + 9 + 3;
    for version in VERSIONS {
        let Some(mongod) = mongod(version) else { continue };
        let mut server = Server::start(&mongod, Topology::Standalone);
        for (heading, read) in [("JSON", of_json as fn(&[Row]) -> Vec<Vec<u8>>), ("CSV and TSV", of_csv)] {
            let rows = table(heading);
            assert!(rows.len() > 20, "{heading}: {} rows", rows.len());
            let documents = read(&rows);
            assert_eq!(documents.len(), rows.len());
            server.insert("d", heading, &documents);
            assert!(server.stored("d", heading) == documents, "{version} {heading}: other bytes came back");
            let told = types_and_bytes(&mut server, heading);
            for (number, row) in rows.iter().enumerate() {
                let want = (row.type_name.clone(), FRAME_BYTES + row.bytes);
                assert_eq!(told[&i32::try_from(number).unwrap()], want, "{version} {heading}: {row:?}");
            }
        }
    }
}

/// Whole files, `_id`s added where they lack one: as many bytes as `mongoimport` stored.
#[test]
fn files_that_were_imported_elsewhere_take_the_same_bytes_in_a_server() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/inputs");
    let expected = fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let Some(mongod) = mongod("6.0.27") else { return };
    let mut server = Server::start(&mongod, Topology::Standalone);
    let mut files = 0;
    for (name, want) in expected["files"].as_object().unwrap() {
        let tool = &want["mongoimport"];
        // Files of which the tool gave up a part depend on its threads.
        let is_whole =
            tool["rc"] == 0 && tool["command"].as_str().is_some_and(|command| !command.contains("--legacy"));
        let Some(bytes) = tool["bson_bytes"].as_u64().filter(|bytes| is_whole && *bytes > 0) else {
            continue;
        };
        if ["csv/id_column.csv", "csv/ragged.csv"].contains(&name.as_str()) {
            continue;
        }
        let mut options = OpenOptions { columns: Columns::EachCell, ..OpenOptions::new(OnBadDocument::Stop) };
        if tool["command"].as_str().is_some_and(|command| command.contains("--columnsHaveTypes")) {
            options.columns = Columns::Header;
        }
        options.format = match Path::new(name).extension().and_then(|ending| ending.to_str()) {
            Some("csv") => Some(Format::Csv),
            Some("tsv") => Some(Format::Tsv),
            _ => Some(Format::Json),
        };
        let mut source = source::open(&folder.join(name), &options).unwrap();
        let mut documents = documents(&mut *source);
        let mut ids = IdMaker::new();
        for document in &mut documents {
            normalise(document, 0, &mut ids).unwrap();
        }
        server.insert("d", name, &documents);
        let stored = server.stored("d", name);
        assert!(stored == documents, "{name}: other bytes came back");
        let got: usize = stored.iter().map(Vec::len).sum();
        assert_eq!(got as u64, bytes, "{name}");
        files += 1;
    }
    assert!(files > 30, "{files} files");
}

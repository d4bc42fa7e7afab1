//! Predictions against servers that are running now. Skipped, with one loud line each, where they cannot be had.

use crate::accuracy::{quantile, shared};
use crate::case::Case;
use crate::test_server::{TestServer, VERSIONS, mongod};
use pagepress::mongod::{
    KeyedBy, Loader, Membership, Namespace, NewCollection, Reader, ThrowAway, ThrowAwayOptions,
};
use serde_json::Value;
use std::{fs::File, io, path::Path};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/samples/flights.bson");

/// One data file: how far off, and whether it is inside its band.
struct Row {
    what: String,
    percent: f64,
    blocks: i64,
    inside: bool,
}

impl Row {
    /// Within 1.5 %, or three blocks of a small file.
    fn is_near(&self) -> bool {
        self.percent.abs() <= 1.5 || self.blocks <= 3
    }
}

/// The data files of a comparison; every row is printed.
fn data_rows(what: &str, json: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    for check in json["collections"][0]["checks"].as_array().unwrap() {
        let percent = check["difference_pct"].as_f64().unwrap();
        let name = check["codec"].as_str().or(check["index"].as_str()).unwrap();
        let what = format!("{what} {} {name}", check["load"].as_str().unwrap());
        eprintln!(
            "{what:40} predicted {:>9} measured {:>9} {percent:+6.2} % band {:5} pages {}/{} image {}/{}",
            check["predicted_bytes"],
            check["measured_bytes"],
            check["inside_band"],
            check["pages_predicted"],
            check["pages_written"],
            check["image_bytes_tuned_predicted"],
            check["image_bytes_tuned_measured"],
        );
        if check["subject"] == "data" {
            let blocks = check["difference_bytes"].as_i64().unwrap().abs() / 4096;
            let inside = check["inside_band"].as_bool().unwrap();
            rows.push(Row { what, percent, blocks, inside });
        }
    }
    rows
}

/// Every one near and inside: for collections that a server stores the same way each time.
fn check_data(what: &str, json: &Value) -> usize {
    let rows = data_rows(what, json);
    for row in &rows {
        assert!(row.is_near() && row.inside, "{}: {:+.2} %, inside: {}", row.what, row.percent, row.inside);
    }
    rows.len()
}

fn verify(mongod: &Path, input: &str, args: &str) -> Value {
    let case = Case::new(&format!("verify -q -o json {args} --spawn"));
    let answer = case.arg(&mongod.display().to_string()).arg(input).run();
    assert!(answer.code <= 1, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

/// The first command of the README, held against real servers in both states and under every codec.
#[test]
fn the_sample_is_stored_as_predicted_on_both_servers_and_in_both_states() {
    for version in VERSIONS {
        let Some(mongod) = mongod(version) else { continue };
        let json = verify(&mongod, SAMPLE, r#"--index {"carrier":1} --tolerance 1.5%"#);
        assert_eq!((json["schema"].as_u64(), json["command"].as_str()), (Some(1), Some("verify")));
        assert_eq!(json["model"]["server"], version, "rules of the server that measures");
        let servers: Vec<_> = json["servers"].as_array().unwrap().iter().map(|run| &run["version"]).collect();
        assert_eq!(servers, [version, version]);
        assert_eq!(check_data(version, &json), 8);
        let checks = json["collections"][0]["checks"].as_array().unwrap();
        let indexes = checks.iter().filter(|check| check["subject"] == "index");
        // `_id_` and `carrier_1` in both states, and `carrier_1` once built afterwards.
        assert_eq!(indexes.count(), 5);
    }
}

/// Three of the measured sets, of different shape, on both servers and in both states. A single load is no median:
/// the server's own runs of these sets lie up to 4 % apart in three cases of 24, further on a machine with other work,
/// so two of the 24 may miss.
#[ignore = "loads 48 collections into servers: tests/accuracy runs it"]
#[test]
fn measured_data_sets_are_stored_as_predicted_on_both_servers_and_in_both_states() {
    const MISSES_MAX: usize = 2;
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    for version in VERSIONS {
        let Some(mongod) = mongod(version) else { continue };
        let mut rows = Vec::new();
        for name in ["flights", "mdn_compat", "random"] {
            let packed = File::open(shared.join("datasets").join(format!("{name}.bson.zst"))).unwrap();
            let path = folder.path().join(format!("{name}.bson"));
            let mut unpacked = File::create(&path).unwrap();
            io::copy(&mut zstd::stream::read::Decoder::new(packed).unwrap(), &mut unpacked).unwrap();
            let json = verify(&mongod, path.to_str().unwrap(), "");
            rows.extend(data_rows(&format!("{version} {name}"), &json));
        }
        assert_eq!(rows.len(), 24);
        let far: Vec<&str> = rows.iter().filter(|row| !row.is_near()).map(|row| row.what.as_str()).collect();
        assert!(far.len() <= MISSES_MAX, "more than 1.5 % off: {far:?}");
        let out: Vec<&str> = rows.iter().filter(|row| !row.inside).map(|row| row.what.as_str()).collect();
        assert!(out.len() <= MISSES_MAX, "outside the band: {out:?}");
        assert!(quantile(rows.iter().map(|row| row.percent.abs()), 0.5) <= 0.3, "median");
    }
}

/// Other levels are other servers; a scan restarts them.
#[test]
fn levels_repeats_and_scans_are_measured_each_on_its_server() {
    let Some(mongod) = mongod("6.0.5") else { return };
    let json = verify(&mongod, SAMPLE, "-c zstd:6,zstd:19 --load settled --repeat 3 --scan");
    let collection = &json["collections"][0];
    for check in collection["checks"].as_array().unwrap().iter().filter(|check| check["subject"] == "data") {
        assert_eq!(check["measured_bytes_runs"].as_array().unwrap().len(), 3, "{check}");
    }
    let scans = collection["scans"].as_array().unwrap();
    assert_eq!(scans.iter().map(|scan| &scan["level"]).collect::<Vec<_>>(), [6, 19]);
    for scan in scans {
        assert_eq!(scan["scan_s_runs"].as_array().unwrap().len(), 3);
        assert!(scan["decompression_s"].as_f64().unwrap() > 0.0);
    }
}

/// A replica set of one comes up again after a restart, with its documents.
#[test]
fn a_replica_set_is_scanned_after_restarts_too() {
    let Some(mongod) = mongod("6.0.27") else { return };
    let json = verify(&mongod, SAMPLE, "-c snappy --load bulk --scan");
    assert_eq!(json["collections"][0]["scans"][0]["scan_s_runs"].as_array().unwrap().len(), 3);
}

fn throw_away(version: &str) -> Option<ThrowAway> {
    let options = ThrowAwayOptions {
        mongod: mongod(version)?,
        membership: Membership::Standalone,
        cache_bytes: 256 << 20,
        zstd_level: None,
    };
    Some(ThrowAway::start(options).unwrap())
}

/// What no driver's document type would hold: text that is not UTF-8, a key twice, a date in the year 275760.
#[test]
fn documents_are_stored_and_read_back_byte_for_byte() {
    let Some(server) = throw_away("6.0.27") else { return };
    let scratch = server.scratch();
    let document = |id: u8, body: &[u8]| {
        let mut bytes = [b"\0\0\0\0\x10_id\0".as_slice(), &[id, 0, 0, 0], body, b"\0"].concat();
        let length = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        bytes[..4].copy_from_slice(&length);
        bytes
    };
    let documents = [
        document(1, b"\x02a\0\x03\0\0\0\xff\xfe\0"),
        document(2, b"\x08a\0\x00\x08a\0\x01"),
        document(3, b"\x09d\0\x00\xdc\xc2\x08\xb2\x1e\0\0"),
        document(4, b""),
    ];
    let name = "odd".to_owned();
    scratch
        .create(&NewCollection {
            name: name.clone(),
            config: "block_compressor=zlib".to_owned(),
            keyed_by: KeyedBy::Number,
        })
        .unwrap();
    let mut loader = Loader::new(scratch, &name);
    for document in &documents {
        loader.push(document).unwrap();
    }
    assert_eq!(loader.finish().unwrap(), 4);
    let namespace = Namespace { database: scratch.database().to_owned(), collection: name };
    let mut reader = Reader::open(server.server(), &namespace).unwrap();
    let mut read = Vec::new();
    while let Some(bytes) = reader.next_document(&mut read).unwrap() {
        assert!(bytes > 0);
    }
    assert!(read == documents.concat(), "other bytes came back");
    let facts = server.server().describe(&namespace).unwrap();
    assert_eq!((facts.compressor(), facts.table.documents), (Some("zlib"), 4));
}

/// The server's release, sizes, codec and indexes are used without being typed, and its own file is explained.
#[test]
fn a_collection_is_estimated_from_its_server_with_its_own_options() {
    let Some(server) = throw_away("6.0.5") else { return };
    let scratch = server.scratch();
    let config = "block_compressor=zstd,leaf_page_max=65536".to_owned();
    scratch
        .create(&NewCollection { name: "flights.2013".to_owned(), config, keyed_by: KeyedBy::Number })
        .unwrap();
    let index = b"\x2d\0\0\0\x03key\0\x12\0\0\0\x10carrier\0\x01\0\0\0\0\x02name\0\x08\0\0\0carrier\0\0";
    let mut index = index.to_vec();
    let length = u32::try_from(index.len()).unwrap().to_le_bytes();
    index[..4].copy_from_slice(&length);
    scratch.create_indexes("flights.2013", &[index]).unwrap();
    let mut loader = Loader::new(scratch, "flights.2013");
    let stream = std::fs::read(SAMPLE).unwrap();
    let mut at = 0;
    while let Some(head) = stream[at..].first_chunk::<4>() {
        let end = at + usize::try_from(u32::from_le_bytes(*head)).unwrap();
        loader.push(&stream[at..end]).unwrap();
        at = end;
    }
    loader.finish().unwrap();
    scratch.measured("flights.2013").unwrap();
    let uri = format!("{}/{}.flights.2013?appName=s3cret", server.server().shown(), scratch.database());
    let answer = Case::new("estimate --no-timing -o json --load settled --read-mb-per-s 50").arg(&uri).run();
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!format!("{answer:?}").contains("s3cret"));
    let json: Value = serde_json::from_str(&answer.stdout).unwrap();
    let model = &json["model"];
    assert_eq!(
        (model["server"].as_str(), model["leaf_page_bytes_max"].as_u64()),
        (Some("6.0.5"), Some(65_536))
    );
    assert_eq!(model["cache_bytes"], 256 << 20);
    let collection = &json["collections"][0];
    assert_eq!(
        (collection["name"].as_str(), collection["documents"].as_u64()),
        (Some("flights.2013"), Some(5000))
    );
    let names: Vec<_> =
        collection["indexes"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["_id_", "carrier", "carrier"], "before and after the load");
    let there = &collection["on_server"];
    assert_eq!((there["codec"].as_str(), there["level"].as_i64()), (Some("zstd"), Some(6)));
    assert_eq!((there["layout"].as_str(), there["keeps_history"].as_bool()), (Some("plain"), Some(false)));
    let rows = collection["storage"].as_array().unwrap();
    let zstd = rows.iter().find(|row| row["codec"] == "zstd").unwrap();
    let (predicted, stored) =
        (zstd["storage_bytes"].as_u64().unwrap(), there["storage_bytes"].as_u64().unwrap());
    assert!(predicted.abs_diff(stored) <= 3 * 4096, "predicted {predicted}, stored {stored}");
    let table = Case::new("estimate --no-timing -q --load settled").arg(&uri).run().stdout;
    assert!(table.contains("on the server (6.0.5): "), "{table}");
    // The same collection verified elsewhere: its index comes along.
    let mongod = mongod("6.0.5").unwrap();
    let json = verify(&mongod, &uri, "--load settled -c zstd");
    let checks = json["collections"][0]["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["index"] == "carrier"), "{json}");
}

/// A server that runs: its state and its level are what is measured, and nothing stays behind.
#[test]
fn a_running_server_measures_its_own_state_and_keeps_nothing() {
    let Some(mongod) = mongod("6.0.27") else { return };
    let server = TestServer::start(&mongod, &[]);
    let answer = Case::new("verify -o json --allow-writes --uri").arg(&server.uri()).arg(SAMPLE).run();
    assert_eq!((answer.code, answer.stderr.contains("warning")), (0, false), "{}", answer.stderr);
    let json: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(json["servers"].as_array().unwrap().len(), 1);
    assert_eq!(json["servers"][0]["load"], "settled");
    assert_eq!(check_data("running", &json), 4);
    assert!(server.connect().left_over().unwrap().is_empty());
}

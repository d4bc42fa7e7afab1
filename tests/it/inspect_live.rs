//! Real servers' files: every byte accounted for, and every page rebuilt.

use crate::case::Case;
use crate::server::{Folder, Server, Topology, mongod};
use bson::doc;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Documents of some size and shape, the same on every run.
pub fn documents(count: i32, text_bytes: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut state = seed;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    (0..count)
        .map(|id| {
            let mut text = String::new();
            while text.len() < text_bytes {
                write!(text, "{:x} word{} ", word(), word() % 50).unwrap();
            }
            let user = i32::try_from(word() % 1000).unwrap();
            doc! {"_id": id, "user": user, "tags": ["a", "b", format!("t{}", word() % 9)], "text": text}
                .to_vec()
                .unwrap()
        })
        .collect()
}

/// Eight collections under four codecs, each with indexes; some changed after their first checkpoint, so that there
/// is free space and space that is about to be.
fn eight_collections(version: &str, topology: Topology) -> Option<(Folder, Vec<ServerSays>)> {
    let mut server = Server::start(&mongod(version)?, topology);
    let mut says = Vec::new();
    for (number, codec) in ["none", "snappy", "zlib", "zstd"].into_iter().cycle().take(8).enumerate() {
        let name = format!("c{number}");
        let engine = doc! {"wiredTiger": {"configString": format!("block_compressor={codec}")}};
        server.run("shop", doc! {"create": &name, "storageEngine": engine});
        let count = 500 * (i32::try_from(number).unwrap() + 1);
        server.insert("shop", &name, &documents(count, 40 << (number % 4), number as u64 + 1));
        let user = doc! {"key": {"user": 1}, "name": "user_1"};
        let tags = doc! {"key": {"tags": 1, "text": -1}, "name": "tags_1_text_-1"};
        server.run("shop", doc! {"createIndexes": &name, "indexes": [user, tags]});
    }
    server.checkpoint();
    for number in [1, 3, 5, 6] {
        let deletes = doc! {"q": {"user": {"$lt": 200 + number * 90}}, "limit": 0};
        server.run("shop", doc! {"delete": format!("c{number}"), "deletes": [deletes]});
        let update =
            doc! {"q": {"user": {"$gt": 600}}, "u": {"$set": {"more": "x".repeat(300)}}, "multi": true};
        server.run("shop", doc! {"update": format!("c{number}"), "updates": [update]});
        if number > 1 {
            server.checkpoint();
        }
    }
    server.checkpoint();
    for number in 0..8 {
        let name = format!("c{number}");
        let stats = server.run("shop", doc! {"collStats": &name});
        says.push(ServerSays { name, stats });
    }
    Some((server.stop(), says))
}

/// `collStats` of one collection.
struct ServerSays {
    name: String,
    stats: bson::Document,
}

fn inspect(dbpath: &Path, args: &str) -> (i32, Value) {
    let answer = Case::new(&format!("inspect -q -o json {args}")).arg(&dbpath.display().to_string()).run();
    let json = serde_json::from_str(&answer.stdout);
    (answer.code, json.unwrap_or_else(|error| panic!("{error}: {}", answer.stderr)))
}

const OWNERS: [&str; 10] = [
    "description_bytes",
    "leaf_block_bytes",
    "overflow_block_bytes",
    "internal_block_bytes",
    "root_block_bytes",
    "damaged_block_bytes",
    "extent_list_bytes",
    "free_bytes",
    "pending_bytes",
    "after_checkpoint_bytes",
];

/// The owners of every file's bytes add up to its length, live pages to what its checkpoint counts, documents to
/// what the server counts. Standalone and replica set, both servers.
#[test]
fn sizes_of_eight_collections_and_their_indexes_add_up_to_their_files_byte_by_byte() {
    for (version, topology) in [("6.0.5", Topology::Standalone), ("6.0.27", Topology::ReplicaSet)] {
        let Some((folder, says)) = eight_collections(version, topology) else { continue };
        let (code, json) = inspect(folder.path(), "--ns shop.");
        assert_eq!(code, 0, "{json:#}");
        let tables = json["tables"].as_array().unwrap();
        assert_eq!(tables.len(), 8 + 24);
        let mut files = 0;
        for table in tables {
            let bytes = |name: &str| table[name].as_u64().unwrap_or_else(|| panic!("{name} in {table:#}"));
            let length = fs::metadata(table["file"].as_str().unwrap()).unwrap().len();
            assert_eq!(bytes("storage_bytes"), length, "{table:#}");
            assert_eq!(OWNERS.into_iter().map(bytes).sum::<u64>(), length, "{table:#}");
            assert_eq!(bytes("live_bytes"), bytes("checkpoint_live_bytes"), "{table:#}");
            assert_eq!((bytes("faults"), bytes("after_checkpoint_bytes")), (0, 0), "{table:#}");
            files += length;
        }
        for ServerSays { name, stats } in &says {
            let table = tables.iter().find(|table| table["name"] == format!("shop.{name}")).unwrap();
            let number = |name: &str| -> i64 {
                stats.get_i32(name).map(i64::from).or_else(|_| stats.get_i64(name)).unwrap()
            };
            assert_eq!(table["entries"].as_i64(), Some(number("count")), "{name}");
            assert_eq!(table["bson_bytes"].as_i64(), Some(number("size")), "{name}");
            let codec = ["none", "snappy", "zlib", "zstd"][name[1..].parse::<usize>().unwrap() % 4];
            assert_eq!(table["codec"], codec, "{name}");
            assert_eq!(table["window_bytes"].as_u64() > Some(0), topology == Topology::ReplicaSet, "{name}");
        }
        eprintln!("{version} {topology:?}: {files} bytes of {} files, each with one owner", tables.len());
    }
}

/// While the server still runs: files are as its last checkpoint has them, and free space is what it says.
#[test]
fn a_running_servers_files_are_read_and_free_space_is_what_it_reports() {
    let Some(program) = mongod("6.0.5") else { return };
    let mut server = Server::start(&program, Topology::Standalone);
    server.run("shop", doc! {"create": "c"});
    server.insert("shop", "c", &documents(20_000, 200, 9));
    server.checkpoint();
    server.run("shop", doc! {"delete": "c", "deletes": [{"q": {"user": {"$lt": 500}}, "limit": 0}]});
    server.checkpoint();
    server.checkpoint();
    let stats = server.run("shop", doc! {"collStats": "c"});
    let (code, json) = inspect(server.dbpath(), "--ns shop.c");
    assert_eq!(code, 0, "{json:#}");
    let table = &json["tables"][0];
    assert_eq!(table["storage_bytes"].as_i64(), Some(i64::from(stats.get_i32("storageSize").unwrap())));
    assert_eq!(table["free_bytes"].as_i64(), Some(i64::from(stats.get_i32("freeStorageSize").unwrap())));
    let behind = json["behind"][0].as_str().unwrap();
    assert!(behind.starts_with("mongod.lock is not empty"), "{behind}");
}

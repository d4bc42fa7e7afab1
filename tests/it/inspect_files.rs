//! Small files of a real server, kept in data/datafiles: read whole, and damaged in ten thousand ways.

use crate::case::Case;
use crate::inspect_live::documents;
use crate::server::{Server, Topology, mongod};
use bson::{Document, doc};
use pagepress::{
    datafile::{Catalog, DataFile, DataFileError, TableKind},
    estimate::{LoadState, TableInspection},
    geometry::wiredtiger::Release,
    pipeline::{
        PipelineError,
        inspect::{InspectPlan, TableName, inspect_table},
    },
};
use proptest::prelude::*;
use serde_json::Value;
use std::{fs, num::NonZeroUsize, path::PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/datafiles")
}

const CODECS: [&str; 4] = ["none", "snappy", "zlib", "zstd"];
const NAMESPACES: [&str; 4] = ["shop.none", "shop.snappy", "shop.zlib", "shop.zstd"];

/// Makes data/datafiles again: `cargo test --test it -- --ignored datafiles_are_made`. Idents, and so file names, are
/// others each time; data/README.md has the digests.
#[test]
#[ignore = "writes data/datafiles"]
fn datafiles_are_made_by_a_real_server() {
    let mut server = Server::start(&mongod("6.0.27").unwrap(), Topology::Standalone);
    for (codec, seed) in CODECS.into_iter().zip(1..) {
        let config = format!("block_compressor={codec},leaf_page_max=12KB,memory_page_max=64KB");
        let engine = doc! {"wiredTiger": {"configString": config}};
        server.run("shop", doc! {"create": codec, "storageEngine": engine});
        server.insert("shop", codec, &documents(120, 150, seed));
    }
    let user = doc! {"key": {"text": 1}, "name": "text_1"};
    server.run("shop", doc! {"createIndexes": "zstd", "indexes": [user]});
    server.checkpoint();
    for codec in CODECS {
        server.run("shop", doc! {"delete": codec, "deletes": [{"q": {"user": {"$lt": 300}}, "limit": 0}]});
    }
    server.checkpoint();
    let stopped = server.stop();
    let _ = fs::remove_dir_all(folder());
    fs::create_dir_all(folder()).unwrap();
    let catalog = Catalog::read(stopped.path()).unwrap();
    let tables = catalog.tables.into_iter().filter(|table| table.namespace.starts_with("shop."));
    let own = ["_mdb_catalog.wt", "sizeStorer.wt"].map(|name| stopped.path().join(name));
    for path in tables.map(|table| table.path).chain(own) {
        // Not copied: a server's files are nobody else's to read.
        fs::write(folder().join(path.file_name().unwrap()), fs::read(&path).unwrap()).unwrap();
    }
}

fn json(args: &str, path: &std::path::Path) -> (i32, Value, String) {
    let answer = Case::new(args).arg(&path.display().to_string()).run();
    (answer.code, serde_json::from_str(&answer.stdout).unwrap_or(Value::Null), answer.stderr)
}

/// Every collection under its codec and every index, with the counts that the server wrote down.
#[test]
fn a_folder_is_listed_by_its_catalog_and_its_counts_are_the_servers() {
    let (code, json, _) = json("inspect -q -o json --ns shop.", &folder());
    assert_eq!(code, 0, "{json:#}");
    let tables = json["tables"].as_array().unwrap();
    let names: Vec<&str> = tables.iter().map(|table| table["name"].as_str().unwrap()).collect();
    let indexes = [
        "shop.none / _id_",
        "shop.snappy / _id_",
        "shop.zlib / _id_",
        "shop.zstd / _id_",
        "shop.zstd / text_1",
    ];
    assert_eq!(names, [&NAMESPACES[..], &indexes[..]].concat());
    for (table, codec) in tables.iter().zip(CODECS) {
        assert_eq!(table["codec"], codec);
        assert_eq!(table["entries"], table["entries_stored"], "{codec}");
        assert_eq!(table["bson_bytes"], table["bson_bytes_stored"], "{codec}");
        assert!(table["free_bytes"].as_u64() > Some(0), "{codec}: deleted documents leave space");
    }
    assert_eq!(json["behind"], serde_json::json!([]));
}

/// Under the codec that a table has, its pages come to the size that they have.
#[test]
fn recompressing_by_a_tables_own_codec_gives_its_own_blocks() {
    for (namespace, codec) in NAMESPACES.into_iter().zip(CODECS) {
        let (code, json, _) =
            json(&format!("inspect -q -o json --ns {namespace} --what-if {codec}"), &folder());
        assert_eq!(code, 0);
        let table = &json["tables"][0];
        let rows = table["what_if"].as_array().unwrap();
        let ways: Vec<_> = rows.iter().map(|row| (row["way"].as_str(), row["load"].as_str())).collect();
        let repacked = [(Some("repacked"), Some("settled")), (Some("repacked"), Some("bulk"))];
        assert_eq!(ways, [&[(Some("recompressed"), None)][..], &repacked[..]].concat());
        for name in ["leaf_pages", "pages_kept_raw", "leaf_block_bytes", "padding_bytes"] {
            assert_eq!(rows[0][name], table[name], "{namespace}: {name}");
        }
    }
}

/// What is written out is what was inserted and not deleted, whatever the codec.
#[test]
fn exported_documents_are_those_that_were_inserted_and_not_deleted() {
    for (codec, seed) in CODECS.into_iter().zip(1..) {
        let case = Case::new(&format!("inspect -q --ns shop.{codec} --export out.bson"));
        let case = case.arg(&folder().display().to_string());
        let answer = case.run();
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        let is_kept = |document: &Vec<u8>| {
            let document = Document::from_reader(document.as_slice()).unwrap();
            document.get_i32("user").unwrap() >= 300
        };
        let kept: Vec<u8> = documents(120, 150, seed).into_iter().filter(is_kept).flatten().collect();
        assert!(!kept.is_empty());
        assert_eq!(fs::read(case.path("out.bson")).unwrap(), kept, "{codec}");
    }
}

fn files() -> Vec<(TableName, PathBuf)> {
    let catalog = Catalog::read(&folder()).unwrap();
    let tables = catalog.tables.into_iter().filter(|table| table.namespace.starts_with("shop."));
    let named = tables.map(|table| {
        let index = match table.kind {
            TableKind::Collection => None,
            TableKind::Index { name } => Some(name),
        };
        (TableName { namespace: Some(table.namespace), index, counts_stored: None }, table.path)
    });
    let own = ["_mdb_catalog.wt", "sizeStorer.wt"].map(|name| (TableName::default(), folder().join(name)));
    named.chain(own).collect()
}

fn inspected(name: &TableName, path: &std::path::Path) -> Result<(TableInspection, DataFile), DataFileError> {
    let file = DataFile::open(path)?;
    let plan = InspectPlan {
        what_if: Vec::new(),
        loads: vec![LoadState::Settled],
        release: Release::NEWEST,
        threads: NonZeroUsize::MIN,
    };
    match inspect_table(&file, name.clone(), &plan, &mut |_| ()) {
        Ok(table) => {
            let mut document = Vec::new();
            while file.documents().next_document(&mut document).is_some() && document.len() < 1000 {}
            Ok((table, file))
        }
        Err(PipelineError::DataFile(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

/// Numbers of a 64-bit linear congruential generator; the high half is used.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

const UNIT: usize = 4096;

/// CRC32C by its definition, bit by bit, so that it is not the code under test that seals.
fn crc32c(bytes: impl Iterator<Item = u8>) -> u32 {
    let step = |crc: u32, byte: u8| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 })
    };
    bytes.fold(u32::MAX, step) ^ u32::MAX
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// The block that holds byte `at`, if its length is one.
fn block_of(file: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    (0..=at / UNIT).rev().take(8).map(|unit| unit * UNIT).find_map(|start| {
        let bytes = number(file, start + 28) as usize;
        let fits = bytes > 0 && bytes.is_multiple_of(UNIT) && start + bytes <= file.len();
        (fits && at < start + bytes).then_some(start..start + bytes)
    })
}

/// Gives a changed block the checksum that it now has, and whoever points to it too, up to the checkpoint: so the
/// change is met by what is behind the checksums.
fn seal(file: &mut [u8], at: usize) {
    let mut at = Some(at);
    for _ in 0..6 {
        let Some(block) = at.and_then(|at| block_of(file, at)) else { return };
        let before = number(file, block.start + 32);
        file[block.start + 32..block.start + 36].fill(0);
        let after = crc32c(file[block.clone()].iter().copied());
        file[block.start + 32..block.start + 36].copy_from_slice(&after.to_le_bytes());
        let packed = |checksum: u32| checksum.checked_sub(8256).map(u32::to_be_bytes);
        let (Some(before), Some(after)) = (packed(before), packed(after)) else { return };
        let cookie = file.windows(5).position(|window| window[0] == 0xe4 && window[1..] == before);
        if let Some(cookie) = cookie {
            file[cookie + 1..cookie + 5].copy_from_slice(&after);
        }
        at = cookie;
    }
}

fn mutated(file: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = file.to_vec();
    let at = numbers.below(bytes.len());
    match numbers.below(8) {
        0 | 1 => bytes[at] ^= 1 << numbers.below(8),
        2 => bytes.truncate(at),
        3 => {
            let end = (at + numbers.below(3 * UNIT)).min(bytes.len());
            bytes[at..end].fill([0, 0xff, 0x80][numbers.below(3)]);
        }
        4 => {
            let units = bytes.len() / UNIT;
            let (from, to) = (numbers.below(units) * UNIT, numbers.below(units) * UNIT);
            bytes.copy_within(from..from + UNIT, to);
        }
        // Sealed: headers and first cells, where the structure is.
        choice => {
            let unit = numbers.below(bytes.len() / UNIT) * UNIT;
            let at = if choice == 5 { unit + 16 + numbers.below(60) } else { unit + numbers.below(UNIT) };
            for _ in 0..=numbers.below(3) {
                let at = (at + numbers.below(8)).min(bytes.len() - 1);
                bytes[at] = [0, 1, 0x7f, 0x80, 0xe8, 0xff, 7, 64][numbers.below(8)];
            }
            seal(&mut bytes, at);
        }
    }
    bytes
}

/// Either an error with its byte, or faults with theirs, or figures whose bytes all have an owner; never a panic.
fn check(name: &TableName, path: &std::path::Path, context: &str) -> &'static str {
    match inspected(name, path) {
        Err(error) => {
            let message = error.to_string();
            assert!(
                message.contains("byte ") && message.contains(&path.display().to_string()),
                "{context}: {message}"
            );
            "refused"
        }
        Ok((table, file)) => {
            table.layout.assert_complete();
            assert!(table.faults.messages.iter().all(|message| message.contains("byte ")), "{context}");
            match (table.faults.count > 0, file.checkpoint().damaged_newer) {
                (true, _) => "read with faults",
                (false, Some(_)) => "read from an older checkpoint",
                (false, None) => "read",
            }
        }
    }
}

const MUTATIONS: usize = 10_000;

#[test]
fn ten_thousand_damaged_files_end_in_an_error_or_in_figures_with_the_place_of_each_fault() {
    let scratch = tempfile::tempdir().unwrap();
    let mut outcomes = std::collections::BTreeMap::<&str, usize>::new();
    let files: Vec<_> = files().into_iter().map(|(name, path)| (name, fs::read(path).unwrap())).collect();
    let mut numbers = Numbers(4);
    let path = scratch.path().join("damaged.wt");
    for round in 0..MUTATIONS {
        let (name, file) = &files[round % files.len()];
        fs::write(&path, mutated(file, &mut numbers)).unwrap();
        *outcomes.entry(check(name, &path, &format!("round {round}"))).or_default() += 1;
    }
    eprintln!("{MUTATIONS} damaged files: {outcomes:?}");
    for outcome in ["refused", "read with faults", "read"] {
        assert!(
            outcomes.get(outcome).is_some_and(|count| *count > MUTATIONS / 50),
            "{outcome}: {outcomes:?}"
        );
    }
}

/// A flipped bit is either told with its place or lies in space that nobody owns.
#[test]
fn a_flipped_bit_in_a_live_block_is_always_noticed() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("flipped.wt");
    let (name, file) =
        files().into_iter().map(|(name, path)| (name, fs::read(path).unwrap())).next().unwrap();
    fs::write(&path, &file).unwrap();
    let (whole, _) = inspected(&name, &path).unwrap();
    let mut numbers = Numbers(5);
    for _ in 0..400 {
        let (at, bit) = (numbers.below(file.len()), numbers.below(8));
        let mut flipped = file.clone();
        flipped[at] ^= 1 << bit;
        fs::write(&path, &flipped).unwrap();
        let Ok((table, opened)) = inspected(&name, &path) else { continue };
        let is_noticed = table.faults.count > 0 || opened.checkpoint().damaged_newer.is_some();
        let is_same = (&table.layout, &table.leaves) == (&whole.layout, &whole.leaves);
        assert!(is_noticed || is_same, "byte {at}, bit {bit}");
    }
}

/// Whole messages, with their hints.
#[test]
fn files_that_are_no_data_files_are_refused_with_the_byte_and_a_way_out() {
    let whole = fs::read(&files()[0].1).unwrap();
    let mut no_checkpoint = whole.clone();
    no_checkpoint.truncate(UNIT);
    for (bytes, message) in [
        (
            b"{\"a\": 1}".as_slice(),
            "error: x.wt: byte 0: is not a WiredTiger data file: it begins with 0x2261227b, not 0x0001d841\n\n\
             hint: documents are for `pagepress estimate x.wt`\n\
             hint: data files end in `.wt` and lie in the server's dbPath\n",
        ),
        (
            b"",
            "error: x.wt: byte 0: the file ends inside its description block, which takes 512 bytes at least\n\n\
             hint: is the file whole? Compare its length with the original's, and copy it again\n\
             hint: a running server overwrites blocks: stop it, or take a snapshot of the whole folder\n",
        ),
        (
            &no_checkpoint,
            "error: x.wt: byte 4096: no checkpoint was found before the end of the file\n\n\
             hint: a table that was created and never written to has none; so has a file that was cut off\n",
        ),
    ] {
        let answer = Case::new("inspect x.wt").file("x.wt", bytes).run();
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (2, "", message));
    }
}

#[test]
fn options_that_make_no_sense_here_are_refused_with_a_way_out() {
    let folder = folder();
    for (args, message) in [
        (
            "inspect --ns shop.nothing",
            "error: --ns: no collection is called `shop.nothing`\n\nhint: it holds ",
        ),
        (
            "inspect --ns shop. --export x.bson",
            "error: --export: it takes the documents of exactly one collection\n\nhint: name it: `--ns shop.none`\n",
        ),
        (
            "inspect --ns shop.zstd --export -",
            "error: --export: documents and report cannot both go to standard output\n\n\
             hint: give the report a file: `--out report.txt`\n",
        ),
        ("inspect --what-if lz4", "error: --what-if: `lz4` is none of none, snappy, zlib and zstd\n\nhint: "),
    ] {
        let answer = Case::new(args).arg(&folder.display().to_string()).run();
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args}");
        assert!(answer.stderr.starts_with(message), "{args}: {}", answer.stderr);
    }
    let answer = Case::new("inspect .").run();
    assert_eq!(
        answer.stderr,
        "error: .: is no dbPath: it holds no _mdb_catalog.wt\n\n\
         hint: pass the folder that mongod was started with (`--dbpath`), or a single .wt file\n"
    );
}

/// Real files hold no secret here, so one is made to look encrypted: its pages' flags say so, checksums and all.
#[test]
fn of_an_encrypted_file_block_sizes_are_told_and_why_there_is_no_more() {
    let (_, path) = files().into_iter().next().unwrap();
    let mut file = fs::read(path).unwrap();
    for unit in 1..file.len() / UNIT {
        let start = unit * UNIT;
        let is_page =
            matches!(file[start + 24], 6 | 7) && block_of(&file, start).is_some_and(|b| b.start == start);
        if is_page {
            file[start + 25] |= 0x08;
            seal(&mut file, start);
        }
    }
    let case = Case::new("inspect -q -o json x.wt").file("x.wt", &file);
    let answer = case.run();
    let json: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    let table = &json["tables"][0];
    assert_eq!((table["encrypted"].as_bool(), table["entries"].as_u64()), (Some(true), None), "{table:#}");
    assert!(table["leaf_pages"].as_u64() > Some(0), "{table:#}");
    let table = Case::new("inspect -q x.wt").file("x.wt", &file).run().stdout;
    assert!(table.contains("encrypted: without the key only block sizes can be told"), "{table}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Behind a sound description block, anything at all.
    #[test]
    fn any_bytes_behind_a_description_block_are_refused_with_a_place(
        tail in prop::collection::vec(any::<u8>(), 0..20_000),
        magic_at in prop::collection::vec(0_usize..40, 0..4),
    ) {
        let whole = fs::read(&files()[0].1).unwrap();
        let mut bytes = whole[..UNIT].to_vec();
        bytes.extend(tail);
        for place in magic_at {
            let at = place * 512 + 40;
            if at + 4 <= bytes.len() && at > UNIT {
                bytes[at..at + 4].copy_from_slice(b"\xe2\xf5\x1a\x80");
            }
        }
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("any.wt");
        fs::write(&path, bytes).unwrap();
        let error = DataFile::open(&path).unwrap_err();
        prop_assert!(error.to_string().contains("byte "), "{error}");
    }
}

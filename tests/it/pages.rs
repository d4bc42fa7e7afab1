//! Every page of the golden cases: as the server wrote it, given where the server cut its segments; and the
//! whole prediction, where we cut them ourselves.

use crate::golden::{Case, LeafRow, Measured, MeasuredTable, cases};
use crate::read_leaf::read_leaf;
use pagepress::{
    codec::{CodecKind, ZlibLevel, ZstdLevel},
    estimate::{CollectionEstimate, LoadState},
    geometry::wiredtiger::{
        Release, TableConfig, cell, charge,
        feedback::ImageSize,
        file,
        image::LeafImage,
        internal::InternalBuilder,
        reconcile::{Item, Limits, chunks},
    },
    pipeline::{Plan, estimate_collection},
    source::{OnBadDocument, bson::BsonSource},
    units::{DiskBytes, RawBytes},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, num::NonZeroUsize, path::PathBuf};

fn codec(name: &str) -> CodecKind {
    match name {
        "none" => CodecKind::None,
        "snappy" => CodecKind::Snappy,
        "zlib" => CodecKind::Zlib(ZlibLevel::SERVER),
        "zstd" => CodecKind::Zstd(ZstdLevel::SERVER),
        other => panic!("codec {other} in a golden case"),
    }
}

fn config(case: &Case, cache_bytes: u64) -> TableConfig {
    let default = TableConfig::collection(Release::NEWEST);
    let leaf = case.table.leaf_page_max.unwrap_or(u64::from(default.leaf_page_bytes_max));
    let memory = case.table.memory_page_max.unwrap_or(default.memory_page_bytes_max);
    default.with_sizes(case.unit(), leaf, memory, cache_bytes).unwrap()
}

/// Writes a case's pages with the library's parts, cutting segments where the server cut its own and moving
/// the image size by what the server's blocks took. So each page is compared for itself.
fn rebuild(
    case: &Case,
    documents: &[Vec<u8>],
    measured: &Measured,
    kind: CodecKind,
    table: &MeasuredTable,
) -> Rebuilt {
    let config = config(case, measured.cache_bytes);
    let mut size = ImageSize::new(&config, kind != CodecKind::None);
    let mut internal = InternalBuilder::new(&config);
    let mut encoder = kind.encoder();
    let (mut image, mut output) = (LeafImage::new(), Vec::new());
    let (mut rows, mut record, mut leaves) = (Vec::new(), 0, 0_u64);
    for end in &measured.segment_ends {
        let end = usize::try_from(*end).unwrap();
        let lengths = (record..end)
            .map(|i| Item::plain(cell::record_bytes(i as u64 + 1, None, documents[i].len() as u64)));
        for chunk in chunks(Limits::leaf(size.bytes(), config.allocation), lengths) {
            let first_record_id = record as u64 + 1;
            image.start();
            for _ in 0..chunk.records {
                image.push(record as u64 + 1, None, &documents[record]);
                record += 1;
            }
            let bytes = image.finish();
            let raw = RawBytes(bytes.len() as u64);
            assert_eq!(raw.0, chunk.image_bytes, "the builder and the boundaries agree on every length");
            if leaves.is_multiple_of(7) {
                let read = read_leaf(bytes).unwrap();
                let want = (first_record_id..).zip(&documents[record - chunk.records as usize..record]);
                assert!(read.iter().map(|(id, value)| (*id, value)).eq(want), "{}: read back", case.name);
            }
            let tried = encoder.as_mut().filter(|_| charge::is_tried(raw, config.allocation));
            let output_bytes = tried.and_then(|encoder| {
                encoder.pack(charge::encoder_input(bytes), &mut output).then_some(output.len() as u64)
            });
            let block = charge::charge(raw, charge::packed(kind, raw, output_bytes), config.allocation);
            let server = table.leaf.get(rows.len());
            size = size.after_block(server.and_then(|row| row.packed_bytes), chunk.last);
            let stored = server.map_or(block.stored, |row| DiskBytes(row.block_bytes));
            internal.push_leaf(first_record_id, record as u64, None, stored);
            rows.push(LeafRow {
                first_record_id,
                records: u64::from(chunk.records),
                image_bytes: raw.0,
                packed_bytes: block.packed.map(|packed| packed.0),
                block_bytes: block.stored.0,
            });
            leaves += 1;
        }
    }
    let internal = internal.finish();
    Rebuilt { rows, image_bytes_tuned: u64::from(size.bytes()), internal, skeleton: file::skeleton(&config) }
}

struct Rebuilt {
    rows: Vec<LeafRow>,
    image_bytes_tuned: u64,
    internal: pagepress::geometry::wiredtiger::internal::InternalPages,
    skeleton: DiskBytes,
}

/// The promise for page images and packed lengths: boundaries, image bytes, the keep-or-raw decision, packed
/// bytes and block of every page are the server's, and so is the image size that its blocks lead to.
#[test]
fn every_leaf_page_is_the_servers_given_where_it_cut_its_segments() {
    let mut pages = 0;
    for case in cases() {
        let (documents, measured) = (case.documents(), case.measured());
        for (name, table) in &measured.codecs {
            let context = format!("{} {name}", case.name);
            let rebuilt = rebuild(&case, &documents, &measured, codec(name), table);
            assert_eq!(rebuilt.rows.len(), table.leaf.len(), "{context}: leaf pages");
            for (ours, server) in rebuilt.rows.iter().zip(&table.leaf) {
                assert_eq!(ours, server, "{context}");
            }
            pages += rebuilt.rows.len();
            if codec(name) != CodecKind::None {
                assert_eq!(
                    rebuilt.image_bytes_tuned, table.image_bytes_tuned,
                    "{context}: image size at the end"
                );
            }
        }
    }
    eprintln!("{pages} of {pages} leaf pages equal to the server's");
    assert!(pages > 13_000, "{pages} pages are fewer than were measured");
}

/// Internal pages and the rest of the file, given the leaf blocks: every block of the file is accounted for.
#[test]
fn internal_pages_and_file_bytes_are_the_servers_given_its_leaf_blocks() {
    for case in cases() {
        let (documents, measured) = (case.documents(), case.measured());
        for (name, table) in &measured.codecs {
            let context = format!("{} {name}", case.name);
            let rebuilt = rebuild(&case, &documents, &measured, codec(name), table);
            assert_eq!(rebuilt.internal.pages, table.internal.len() as u64 + 1, "{context}: internal pages");
            let lists: u64 = table.extent_list_bytes.iter().sum();
            assert_eq!(
                rebuilt.skeleton.0,
                lists + case.unit().bytes(),
                "{context}: descriptor and extent lists"
            );
            let leaves: u64 = table.leaf.iter().map(|row| row.block_bytes).sum();
            let file = leaves + rebuilt.internal.blocks.0 + rebuilt.skeleton.0;
            assert_eq!(file, table.storage_bytes, "{context}: file");
        }
    }
}

fn estimate(case: &Case, stream: &[u8], threads: usize) -> CollectionEstimate {
    let mut source = BsonSource::new(case.name.clone(), stream, None, OnBadDocument::Stop);
    let plan = Plan {
        indexes: Vec::new(),
        loads: vec![LoadState::Settled],
        codecs: case.codecs.iter().map(|name| codec(name)).collect(),
        threads: NonZeroUsize::new(threads).unwrap(),
        ..Plan::new(config(case, case.measured().cache_bytes))
    };
    estimate_collection(&case.name, &mut source, &plan, &mut |_| ()).unwrap()
}

/// `expected.json`: what the library predicts, to the byte.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Expected {
    storage_bytes: u64,
    storage_bytes_low: u64,
    storage_bytes_high: u64,
    leaf_pages: u64,
    pages_kept_raw: u64,
    internal_pages: u64,
}

fn expected(estimate: &CollectionEstimate) -> BTreeMap<String, Expected> {
    let row = |row: &pagepress::estimate::StorageEstimate| {
        row.tally.assert_complete();
        assert_eq!(row.tally.storage(), row.storage, "every byte has an owner");
        let expected = Expected {
            storage_bytes: row.storage.0,
            storage_bytes_low: row.band.low.0,
            storage_bytes_high: row.band.high.0,
            leaf_pages: row.tally.leaf_pages,
            pages_kept_raw: row.tally.pages_kept_raw,
            internal_pages: row.tally.internal_pages,
        };
        (row.codec.name.to_owned(), expected)
    };
    estimate.storage.iter().map(row).collect()
}

/// The whole prediction is pinned to the byte in `expected.json`, lies within the case's tolerance of what
/// the server stored, and is the same on 1, 2 and 7 threads. `PAGEPRESS_BLESS=1` rewrites the pins.
#[test]
fn predictions_are_pinned_and_within_tolerance_on_any_number_of_threads() {
    let bless = std::env::var_os("PAGEPRESS_BLESS").is_some();
    for case in cases() {
        let stream = case.documents().concat();
        let got = expected(&estimate(&case, &stream, 2));
        for threads in [1, 7] {
            assert_eq!(expected(&estimate(&case, &stream, threads)), got, "{}: {threads} threads", case.name);
        }
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("data/golden")
            .join(&case.name)
            .join("expected.json");
        if bless {
            fs::write(&path, serde_json::to_string_pretty(&got).unwrap() + "\n").unwrap();
        }
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let pinned: BTreeMap<String, Expected> = serde_json::from_str(&text).unwrap();
        assert_eq!(got, pinned, "{}: differs from expected.json", case.name);
        let unit = case.unit().bytes();
        for (name, table) in case.measured().codecs {
            let ours = &got[&name];
            let (pages, bytes) = (table.leaf.len() as u64, table.storage_bytes);
            let context = format!("{} {name}: {ours:?}, measured {pages} leaf pages, {bytes} B", case.name);
            assert!(ours.leaf_pages.abs_diff(pages) <= case.tolerance.leaf_pages, "{context}");
            let units_off = ours.storage_bytes.abs_diff(bytes) / unit;
            assert!(units_off <= case.tolerance.storage_units, "{context}: {units_off} units off");
        }
    }
}

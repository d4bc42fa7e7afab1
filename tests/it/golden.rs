//! Golden cases: documents that anybody can rebuild, and every page that a real server made of them.
//!
//! `data/README.md` defines `case.toml`, `measured.json` and the generator. The tests here show that the
//! inputs are what the servers were given, and that the measured pages are consistent among themselves:
//! whatever is compared with them can then only be wrong on its own side.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::PathBuf};

use pagepress::units::AllocationUnit;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::read_leaf::HEADERS_BYTES;

/// `case.toml`: what was loaded, into which table, on which server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The folder's name.
    #[serde(skip)]
    pub name: String,
    pub server: String,
    pub codecs: Vec<String>,
    /// Exactly one of `input` and `generator` is given.
    pub input: Option<Input>,
    pub generator: Option<Generator>,
    pub stream: Stream,
    #[serde(default)]
    pub table: Table,
    pub tolerance: Tolerance,
}

/// A BSON stream compressed with zstd, as a path from the case's folder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub file: PathBuf,
}

/// Parameters of the seeded generator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generator {
    pub seed: u64,
    pub documents: usize,
    pub field: Field,
    pub length_bytes: u64,
    pub doublings: u64,
    pub noise_percent: Vec<u64>,
    pub noise_run: usize,
}

/// What a generated document holds besides its `_id`.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Field {
    None,
    Text,
    Binary,
}

/// What the documents come to, back to back.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    pub documents: u64,
    pub bson_bytes: u64,
    pub sha256: String,
}

/// Table options that differ from what mongod uses by itself.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub memory_page_max: Option<u64>,
    pub leaf_page_max: Option<u64>,
    pub internal_page_max: Option<u64>,
    pub allocation_size: Option<u64>,
}

/// How far a prediction may be from the measured file, and why it may be off at all.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    pub leaf_pages: u64,
    pub storage_units: u64,
    pub reason: String,
}

/// `measured.json`: what the server made of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    pub case: String,
    pub server: String,
    pub documents: u64,
    pub bson_bytes: u64,
    pub cache_bytes: u64,
    pub eviction_threads: u64,
    /// Last RecordId of each in-memory page: where reconciliations start and stop.
    pub segment_ends: Vec<u64>,
    pub codecs: BTreeMap<String, MeasuredTable>,
}

/// One collection, in the state that its only checkpoint left it in.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct MeasuredTable {
    pub config: String,
    pub repeatable: bool,
    pub storage_bytes_runs: Vec<u64>,
    pub storage_bytes: u64,
    pub free_bytes: u64,
    pub image_bytes_tuned: u64,
    pub pages_written_before_checkpoint: u64,
    pub in_memory_splits: u64,
    pub extent_list_bytes: Vec<u64>,
    pub root: RootRow,
    pub internal: Vec<InternalRow>,
    pub leaf: Vec<LeafRow>,
}

/// `[children, image_bytes, block_bytes]`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(from = "(u64, u64, u64)")]
pub struct RootRow {
    pub children: u64,
    pub image_bytes: u64,
    pub block_bytes: u64,
}

impl From<(u64, u64, u64)> for RootRow {
    fn from((children, image_bytes, block_bytes): (u64, u64, u64)) -> Self {
        Self { children, image_bytes, block_bytes }
    }
}

/// `[level, children, image_bytes, block_bytes]`, level 1 just below the root, in key order.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(from = "(u64, u64, u64, u64)")]
pub struct InternalRow {
    pub level: u64,
    pub children: u64,
    pub image_bytes: u64,
    pub block_bytes: u64,
}

impl From<(u64, u64, u64, u64)> for InternalRow {
    fn from((level, children, image_bytes, block_bytes): (u64, u64, u64, u64)) -> Self {
        Self { level, children, image_bytes, block_bytes }
    }
}

/// `[first_record_id, records, image_bytes, packed_bytes, block_bytes]`, in key order.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(from = "(u64, u64, u64, Option<u64>, u64)")]
pub struct LeafRow {
    pub first_record_id: u64,
    pub records: u64,
    pub image_bytes: u64,
    /// `None` when the image was stored as it is.
    pub packed_bytes: Option<u64>,
    pub block_bytes: u64,
}

impl From<(u64, u64, u64, Option<u64>, u64)> for LeafRow {
    fn from(row: (u64, u64, u64, Option<u64>, u64)) -> Self {
        let (first_record_id, records, image_bytes, packed_bytes, block_bytes) = row;
        Self { first_record_id, records, image_bytes, packed_bytes, block_bytes }
    }
}

impl Generator {
    /// The documents, as `data/README.md` defines them.
    pub fn documents(&self) -> Vec<Vec<u8>> {
        let mut state = self.seed;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state
        };
        let document = |number: usize| {
            let mut length = self.length_bytes;
            if self.doublings > 0 {
                let base = length << ((word() >> 33) % self.doublings);
                length = base + (word() >> 33) % base;
            }
            let share = self.noise_percent[number / self.noise_run % self.noise_percent.len()];
            let (length, noise) = (index(length), index(length * share / 100));
            let mut payload = Vec::with_capacity(length + 16);
            while payload.len() < noise {
                match self.field {
                    Field::Text => payload.extend_from_slice(hex(&word().to_be_bytes()).as_bytes()),
                    _ => payload.extend_from_slice(&word().to_be_bytes()[..4]),
                }
            }
            payload.truncate(noise);
            payload.resize(length, b'x');
            self.field.document(number, &payload)
        };
        (0..self.documents).map(document).collect()
    }
}

impl Field {
    /// `{_id: <int32>, s: <payload>}`, `{_id: <int32>, b: <payload>}` or `{_id: <int32>}`.
    fn document(&self, number: usize, payload: &[u8]) -> Vec<u8> {
        let int32 = |value: usize| i32::try_from(value).expect("fits an int32").to_le_bytes();
        let mut body = [b"\x10_id\0".as_slice(), &int32(number)].concat();
        match self {
            Self::None => {}
            Self::Text => {
                body.extend([b"\x02s\0".as_slice(), &int32(payload.len() + 1), payload, b"\0"].concat());
            }
            Self::Binary => {
                body.extend([b"\x05b\0".as_slice(), &int32(payload.len()), b"\0", payload].concat());
            }
        }
        [int32(body.len() + 5).as_slice(), &body, b"\0"].concat()
    }
}

impl Case {
    /// The documents that were loaded, in order.
    pub fn documents(&self) -> Vec<Vec<u8>> {
        match (&self.input, &self.generator) {
            (None, Some(generator)) => generator.documents(),
            (Some(input), None) => {
                let path = cases_dir().join(&self.name).join(&input.file);
                let packed = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                split_stream(&unpack(&packed))
            }
            _ => panic!("{}: either an input or a generator", self.name),
        }
    }

    /// The unit of the table's file.
    pub fn unit(&self) -> AllocationUnit {
        let bytes = self.table.allocation_size;
        bytes.map_or(AllocationUnit::DEFAULT, |bytes| AllocationUnit::new(bytes).expect("a unit"))
    }

    /// The `configString` that the collection was created with.
    pub fn config(&self, codec: &str) -> String {
        let table = &self.table;
        let options = [
            ("memory_page_max", table.memory_page_max),
            ("leaf_page_max", table.leaf_page_max),
            ("allocation_size", table.allocation_size),
            ("internal_page_max", table.internal_page_max),
        ];
        let given = options.iter().filter_map(|(name, value)| Some(format!("{name}={}", (*value)?)));
        given.chain([format!("block_compressor={codec}")]).collect::<Vec<_>>().join(",")
    }

    /// What the server made of it.
    pub fn measured(&self) -> Measured {
        let path = cases_dir().join(&self.name).join("measured.json");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// Every case, by name.
pub fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = fs::read_dir(cases_dir())
        .expect("data/golden is there")
        .map(|entry| {
            let entry = entry.expect("data/golden can be listed");
            let path = entry.path().join("case.toml");
            let text =
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut case: Case =
                toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            case.name = entry.file_name().into_string().expect("a plain name");
            case
        })
        .collect();
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    cases
}

fn cases_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/golden")
}

fn index(value: u64) -> usize {
    usize::try_from(value).expect("fits this machine")
}

/// One zstd frame that states its content size.
fn unpack(packed: &[u8]) -> Vec<u8> {
    let bytes = zstd_safe::get_frame_content_size(packed).expect("a zstd frame").expect("a stated size");
    let mut stream = Vec::with_capacity(index(bytes));
    zstd_safe::decompress(&mut stream, packed).expect("an intact frame");
    stream
}

fn split_stream(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = stream;
    let mut documents = Vec::new();
    while let Some(length) = rest.first_chunk::<4>() {
        let length = usize::try_from(i32::from_le_bytes(*length)).expect("a length is positive");
        let (document, behind) = rest.split_at(length);
        documents.push(document.to_vec());
        rest = behind;
    }
    documents
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("memory takes it");
        text
    })
}

/// The generators and the files in git give the very bytes that the servers were given: a change of one
/// bit on the way would otherwise look like an error of the prediction.
#[test]
fn every_input_is_the_stream_that_its_case_states() {
    for case in cases() {
        let documents = case.documents();
        let mut hasher = Sha256::new();
        for document in &documents {
            hasher.update(document);
        }
        let got = Stream {
            documents: documents.len() as u64,
            bson_bytes: documents.iter().map(|document| document.len() as u64).sum(),
            sha256: hex(&hasher.finalize()),
        };
        assert_eq!(got, case.stream, "{}", case.name);
    }
}

/// What was measured is what the case asked for, under the conditions that make it repeatable: all pages
/// written by one checkpoint, in key order, with one thread that could have evicted but did not.
#[test]
fn every_measurement_belongs_to_its_case_and_can_be_repeated() {
    for case in cases() {
        let measured = case.measured();
        let context = &case.name;
        assert_eq!((&measured.case, &measured.server), (&case.name, &case.server), "{context}");
        assert_eq!(measured.documents, case.stream.documents, "{context}");
        assert_eq!(measured.bson_bytes, case.stream.bson_bytes, "{context}");
        assert_eq!(measured.eviction_threads, 1, "{context}");
        assert!(measured.cache_bytes / 40 > measured.bson_bytes, "{context}: eviction starts at 2.5 %");
        let mut wanted = case.codecs.clone();
        wanted.sort();
        assert!(measured.codecs.keys().eq(&wanted), "{context}");
        for (codec, table) in &measured.codecs {
            assert_eq!(table.config, case.config(codec), "{context}");
            assert_eq!(table.pages_written_before_checkpoint, 0, "{context} {codec}");
            assert!(table.repeatable, "{context} {codec}");
            assert_eq!(table.storage_bytes_runs, [table.storage_bytes; 2], "{context} {codec}");
        }
    }
}

/// Nothing is missing and nothing is counted twice: records follow each other, children and pages agree,
/// and the blocks fill the file to the last byte.
#[test]
fn measured_pages_hold_every_record_once_and_fill_the_file() {
    for case in cases() {
        for (codec, table) in case.measured().codecs {
            let context = format!("{} {codec}", case.name);
            let mut next_record_id = 1;
            for leaf in &table.leaf {
                assert_eq!(leaf.first_record_id, next_record_id, "{context}");
                next_record_id += leaf.records;
            }
            assert_eq!(next_record_id - 1, case.stream.documents, "{context}");

            assert!(table.internal.iter().all(|page| page.level == 1), "{context}: files this small");
            let leaves_below: u64 = table.internal.iter().map(|page| page.children).sum();
            let pages = table.leaf.len() as u64;
            let children = if table.internal.is_empty() { pages } else { table.internal.len() as u64 };
            assert_eq!(table.root.children, children, "{context}");
            assert!(table.internal.is_empty() || leaves_below == pages, "{context}");

            let internal = table.internal.iter().map(|page| page.block_bytes).chain([table.root.block_bytes]);
            let used_bytes = case.unit().bytes() // the description block
                + table.leaf.iter().map(|page| page.block_bytes).sum::<u64>()
                + internal.sum::<u64>()
                + table.extent_list_bytes.iter().sum::<u64>();
            assert_eq!((used_bytes, table.free_bytes), (table.storage_bytes, 0), "{context}");
        }
    }
}

/// A page's image is its headers and the cells of its documents, nothing else: no page directory, no
/// padding, no time windows on a standalone server.
#[test]
fn measured_images_are_as_long_as_the_cells_of_their_records() {
    for case in cases() {
        let mut cells = Vec::new();
        for (document, record_id) in case.documents().iter().zip(1..) {
            cells.push(cells_bytes(record_id, document.len() as u64));
        }
        for (codec, table) in case.measured().codecs {
            for leaf in table.leaf {
                let first = index(leaf.first_record_id - 1);
                let bytes: u64 = cells[first..first + index(leaf.records)].iter().sum();
                assert_eq!(leaf.image_bytes, HEADERS_BYTES as u64 + bytes, "{} {codec} {leaf:?}", case.name);
            }
        }
    }
}

/// Key cell and value cell of one record.
fn cells_bytes(record_id: u64, value_bytes: u64) -> u64 {
    let packed_integer = |value: u64| match value {
        0..=63 => 1,
        64..=8511 => 2,
        8512..=73_791 => 3,
        73_792..=16_785_471 => 4,
        _ => 5,
    };
    let value_header = if value_bytes <= 63 { 1 } else { 1 + packed_integer(value_bytes - 64) };
    1 + packed_integer(record_id) + value_header + value_bytes
}

/// An image of more than one unit is kept packed when that covers fewer whole units; it then takes the
/// units that the packed bytes start, and otherwise those that the image starts.
#[test]
fn measured_blocks_obey_the_keep_or_raw_rule() {
    for case in cases() {
        let unit = case.unit();
        for (codec, table) in case.measured().codecs {
            for leaf in table.leaf {
                let context = format!("{} {codec} {leaf:?}", case.name);
                let stored_bytes = leaf.packed_bytes.unwrap_or(leaf.image_bytes);
                assert_eq!(leaf.block_bytes, unit.round_up(stored_bytes).0, "{context}");
                if let Some(packed_bytes) = leaf.packed_bytes {
                    assert!(leaf.image_bytes > unit.bytes(), "{context}");
                    assert!(
                        unit.units_covered(packed_bytes) < unit.units_covered(leaf.image_bytes),
                        "{context}"
                    );
                    assert_ne!(codec, "none", "{context}");
                }
            }
            for page in table.internal.iter().map(|page| (page.image_bytes, page.block_bytes)) {
                assert_eq!(page.1, unit.round_up(page.0).0, "{} {codec}", case.name);
            }
            assert_eq!(table.root.block_bytes, unit.round_up(table.root.image_bytes).0, "{}", case.name);
        }
    }
}

/// Where an in-memory page ended is the one thing in the file that was derived and not read, from the
/// uncompressed table. It holds for all four: there are as many ends as the server made splits, and no
/// table has a page that reaches across one.
#[test]
fn in_memory_pages_ended_where_every_codec_has_a_page_end() {
    for case in cases() {
        let measured = case.measured();
        let ends = &measured.segment_ends;
        assert_eq!(ends.last(), Some(&measured.documents), "{}", case.name);
        for (codec, table) in &measured.codecs {
            let context = format!("{} {codec}", case.name);
            assert_eq!(ends.len() as u64, table.in_memory_splits + 1, "{context}");
            let page_ends: Vec<u64> =
                table.leaf.iter().map(|leaf| leaf.first_record_id + leaf.records - 1).collect();
            for end in ends {
                assert!(page_ends.contains(end), "{context}: no page ends at {end}");
            }
        }
    }
}

/// Two servers two years apart made the same pages, so one set of rules serves both. In-memory pages end
/// a few documents apart, because the depths of skiplist entries are drawn.
#[test]
fn servers_6_0_5_and_6_0_27_make_the_same_pages_but_for_where_in_memory_pages_end() {
    let cases = cases();
    let mut pairs = 0;
    for newer in cases.iter().filter(|case| case.server == "6.0.27") {
        let older_name = newer.name.strip_suffix("-6.0.27").expect("the name says which case it repeats");
        let older = cases.iter().find(|case| case.name == older_name).expect("the repeated case is there");
        assert_eq!((older.server.as_str(), &older.stream), ("6.0.5", &newer.stream));
        let (older, newer) = (older.measured(), newer.measured());
        for (one, other) in older.segment_ends.iter().zip(&newer.segment_ends) {
            assert!(one.abs_diff(*other) <= 10, "{older_name}: {one}, {other}");
        }
        for (codec, table) in older.codecs {
            let other = &newer.codecs[&codec];
            assert_eq!(table.leaf.len(), other.leaf.len(), "{older_name} {codec}");
            assert_eq!(table.image_bytes_tuned, other.image_bytes_tuned, "{older_name} {codec}");
            assert!(table.storage_bytes.abs_diff(other.storage_bytes) <= 4096, "{older_name} {codec}");
        }
        pairs += 1;
    }
    assert_eq!(pairs, 2);
}

/// A golden set that tests nothing passes everything: pages of every kind are there, and every folder is
/// in the list that says where its documents come from.
#[test]
fn golden_cases_cover_every_codec_and_both_sides_of_the_keep_or_raw_border() {
    let readme = fs::read_to_string(cases_dir().join("../README.md")).expect("data/README.md is there");
    let (mut pages, mut packed, mut raw, mut between) = (0, 0, 0, 0);
    for case in cases() {
        assert!(readme.contains(&format!("| {} |", case.name)), "{} is not in data/README.md", case.name);
        assert_eq!(case.codecs, ["none", "snappy", "zlib", "zstd"], "{}", case.name);
        let largest_bytes = 4 * case.table.leaf_page_max.unwrap_or(32_768);
        for (codec, table) in case.measured().codecs {
            pages += table.leaf.len();
            if codec != "none" {
                let kept = table.leaf.iter().filter(|leaf| leaf.packed_bytes.is_some()).count();
                packed += kept;
                raw += table.leaf.len() - kept;
                between +=
                    usize::from((largest_bytes / 4 + 1..largest_bytes).contains(&table.image_bytes_tuned));
            }
        }
    }
    assert!(pages >= 2000 && packed >= 500 && raw >= 500, "{pages} pages, {packed} packed, {raw} raw");
    assert!(between >= 5, "{between} tables end with an image size between its bounds");
}

/// A tolerance may only shrink, and may not hide an error: it names its cause and stays below 3 %.
#[test]
fn every_tolerance_has_a_reason_and_is_small() {
    for case in cases() {
        let tolerance = &case.tolerance;
        assert!(tolerance.reason.len() > 20, "{}: {tolerance:?}", case.name);
        for (codec, table) in case.measured().codecs {
            let allowed_bytes = tolerance.storage_units * case.unit().bytes();
            assert!(allowed_bytes * 100 <= table.storage_bytes * 3, "{} {codec}", case.name);
            assert!(tolerance.leaf_pages * 100 <= table.leaf.len() as u64 * 10, "{} {codec}", case.name);
        }
    }
}

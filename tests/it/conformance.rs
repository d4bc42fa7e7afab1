//! Page by page against a real server, live: golden inputs are loaded, the server's files are read, its segments are
//! found, and every leaf image and block is built again.

use crate::golden::{Case, cases};
use crate::server::{Server, Topology, mongod};
use bson::doc;
use pagepress::{
    codec::{CodecKind, ZlibLevel, ZstdLevel},
    datafile::{Catalog, DataFile, PageFacts, PageReader, Step, ValueData, for_each_record},
    geometry::wiredtiger::{
        Release, TableConfig, cell, charge,
        feedback::ImageSize,
        image::LeafImage,
        reconcile::{self, Item, Limits, chunks},
        segment::{Cut, MemoryPage},
        window::Window,
    },
    units::RawBytes,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Large documents, real ones, and noise on which image sizes stop in between.
const CASES: [&str; 3] = ["hex-1m", "mdn-2m", "sizes-1k-256k"];
const CODECS: [CodecKind; 4] = [
    CodecKind::None,
    CodecKind::Snappy,
    CodecKind::Zlib(ZlibLevel::SERVER),
    CodecKind::Zstd(ZstdLevel::SERVER),
];
const CACHE_BYTES: u64 = 2 << 30;

/// A leaf as the server wrote it.
struct ServerLeaf {
    image: Vec<u8>,
    facts: PageFacts,
    windows: Vec<Option<Window>>,
}

fn collection(case: &Case, kind: CodecKind) -> String {
    format!("{}-{}", case.name, kind.name())
}

/// Loads every case under every codec, one checkpoint behind each.
fn load(server: &mut Server, case: &Case, documents: &[Vec<u8>]) {
    for kind in CODECS {
        let memory = case.table.memory_page_max.map(|bytes| format!(",memory_page_max={bytes}"));
        let config = format!("block_compressor={}{}", kind.name(), memory.unwrap_or_default());
        let engine = doc! {"wiredTiger": {"configString": config}};
        let name = collection(case, kind);
        server.run("golden", doc! {"create": &name, "storageEngine": engine});
        server.insert("golden", &name, documents);
        server.checkpoint();
    }
}

/// All leaves in key order, their records compared with what was inserted.
fn leaves_of(dbpath: &Path, name: &str, documents: &[Vec<u8>]) -> Vec<ServerLeaf> {
    let catalog = Catalog::read(dbpath).unwrap();
    let namespace = format!("golden.{name}");
    let table = catalog.tables.iter().find(|table| table.namespace == namespace).unwrap();
    let file = DataFile::open(&table.path).unwrap();
    let (mut reader, mut leaves, mut records) = (file.page_reader(), Vec::new(), 0);
    for step in file.walk() {
        match step {
            Step::Internal { .. } => {}
            Step::Fault { fault, .. } => panic!("{namespace}: {fault}"),
            Step::Leaf(address) => {
                let leaf = read_leaf(&mut reader, &file, address, &documents[records..], records as u64 + 1);
                records += leaf.windows.len();
                leaves.push(leaf);
            }
        }
    }
    assert_eq!(records, documents.len(), "{namespace}");
    leaves
}

fn read_leaf(
    reader: &mut PageReader<'_>,
    file: &DataFile,
    address: pagepress::datafile::Address,
    documents: &[Vec<u8>],
    first_record_id: u64,
) -> ServerLeaf {
    let page = reader.read(address).unwrap();
    let mut windows = Vec::new();
    for_each_record(&page, file.checkpoint().config.unit, |record| {
        let mut key = Vec::new();
        cell::pack(first_record_id + windows.len() as u64, &mut key);
        assert_eq!(record.key, key);
        let value = record.value.unwrap();
        assert!(
            matches!(value.data, ValueData::Here(bytes) if bytes == documents[windows.len()]),
            "{key:x?}"
        );
        let has_window = value.window_bytes > 0;
        let window = Window { start_ts: value.start_ts, start_txn: value.start_txn };
        windows.push(has_window.then_some(window));
    })
    .unwrap();
    ServerLeaf { image: page.image.to_vec(), facts: PageFacts::of(&page), windows }
}

/// What counts when records are cut into pages.
struct Loaded<'a> {
    documents: &'a [Vec<u8>],
    items: Vec<Item>,
    config: TableConfig,
}

impl Loaded<'_> {
    /// Where the server is expected to end the segment that begins with record `start`.
    fn expected_end(&self, start: usize) -> usize {
        let mut page = MemoryPage::new(&self.config);
        for (index, document) in self.documents.iter().enumerate().skip(start) {
            match page.insert(index as u64 + 1, document.len() as u64) {
                Cut::Not => {}
                Cut::Before => return index,
                Cut::After => return index + 1,
            }
        }
        self.documents.len()
    }

    /// As [`Self::segment_end`], at whichever image size the server had come to; that size too.
    fn segment_at_any_size(
        &self,
        leaves: &[ServerLeaf],
        first: usize,
        start: usize,
        size: ImageSize,
    ) -> Option<(usize, ImageSize)> {
        const STEPS: u32 = 31;
        let (low, high) = (size.at(0).bytes(), size.at(u32::MAX).bytes());
        let step = low / 10;
        let ladder = (0..STEPS).flat_map(|nth| [high.saturating_sub(nth * step), low + nth * step]);
        ladder
            .map(|bytes| size.at(bytes))
            .find_map(|size| self.segment_end(leaves, first, start, size).map(|last| (last, size)))
    }

    /// The leaf with which the server ended the segment that begins with leaf `first` and record `start`: the page
    /// end near the expected one that explains every image of the segment.
    fn segment_end(
        &self,
        leaves: &[ServerLeaf],
        first: usize,
        start: usize,
        size: ImageSize,
    ) -> Option<usize> {
        const TRIED: usize = 40;
        let expected = self.expected_end(start);
        let mut end = start;
        let mut ends: Vec<(usize, usize)> = (first..leaves.len())
            .map(|leaf| {
                end += leaves[leaf].windows.len();
                (leaf, end)
            })
            .collect();
        ends.sort_by_key(|(_, end)| end.abs_diff(expected));
        ends.into_iter().take(TRIED).find_map(|(last, end)| {
            let items = self.items[start..end].iter().copied();
            let cut = chunks(Limits::leaf(size.bytes(), self.config.allocation), items);
            let ours = cut.iter().map(|chunk| (chunk.records as usize, chunk.image_bytes));
            let servers =
                leaves[first..=last].iter().map(|leaf| (leaf.windows.len(), leaf.facts.image_bytes));
            ours.eq(servers).then_some(last)
        })
    }
}

/// Whether two images differ in nothing but what is filled in when the block is written: write generation, the flag
/// for packed blocks, block size, checksum and its flag.
fn same_image(ours: &[u8], servers: &[u8]) -> bool {
    const PACKED: u8 = 0x01;
    ours.len() == servers.len()
        && ours[..8] == servers[..8]
        && ours[16..25] == servers[16..25]
        && ours[25] == servers[25] & !PACKED
        && ours[26..28] == servers[26..28]
        && ours[40..] == servers[40..]
}

/// What was rebuilt.
#[derive(Clone, Copy, Debug, Default)]
struct Rebuilt {
    pages: usize,
    segments: usize,
    /// Segments that began at another image size than the blocks before them lead to: a page of theirs, or one
    /// before them, was written more than once.
    sizes_found: usize,
    /// Pages that no segment explains: a busy machine's server also wrote while inserts were not committed. What is
    /// on them is rebuilt all the same.
    cuts_unknown: usize,
}

impl std::ops::AddAssign for Rebuilt {
    fn add_assign(&mut self, table: Self) {
        let Self { pages, segments, sizes_found, cuts_unknown } = table;
        self.pages += pages;
        self.segments += segments;
        self.sizes_found += sizes_found;
        self.cuts_unknown += cuts_unknown;
    }
}

/// Rebuilds all of a table's leaves.
///
/// # Panics
///
/// On a byte or a block that differs.
fn rebuild(context: &str, loaded: &Loaded<'_>, leaves: &[ServerLeaf], kind: CodecKind) -> Rebuilt {
    let mut rebuilt = Rebuilt { pages: leaves.len(), ..Rebuilt::default() };
    let mut size = ImageSize::new(&loaded.config, kind != CodecKind::None);
    let (mut encoder, mut image, mut output) = (kind.encoder(), LeafImage::new(), Vec::new());
    let (mut leaf, mut record) = (0, 0);
    while leaf < leaves.len() {
        rebuilt.segments += 1;
        let last = loaded.segment_end(leaves, leaf, record, size).unwrap_or_else(|| {
            let Some((last, found)) = loaded.segment_at_any_size(leaves, leaf, record, size) else {
                rebuilt.cuts_unknown += 1;
                return leaf;
            };
            rebuilt.sizes_found += 1;
            size = found;
            last
        });
        for (number, server) in leaves.iter().enumerate().take(last + 1).skip(leaf) {
            image.start();
            for window in &server.windows {
                image.push(record as u64 + 1, *window, &loaded.documents[record]);
                record += 1;
            }
            let bytes = image.finish();
            assert!(same_image(bytes, &server.image), "{context}: image of leaf {number}");
            let raw = RawBytes(bytes.len() as u64);
            let tried = encoder.as_mut().filter(|_| charge::is_tried(raw, loaded.config.allocation));
            let output_bytes = tried.and_then(|encoder| {
                encoder.pack(charge::encoder_input(bytes), &mut output).then_some(output.len() as u64)
            });
            let packed = charge::packed(kind, raw, output_bytes);
            let block = charge::charge(raw, packed, loaded.config.allocation);
            let (ours, servers) = (block.packed.map(|packed| packed.0), server.facts.packed_bytes);
            match (kind, ours, servers) {
                (CodecKind::Zstd(_), Some(ours), Some(servers)) => {
                    assert!(
                        ours.abs_diff(servers) * 2000 <= servers,
                        "{context}: {ours} and {servers} B packed"
                    );
                }
                _ => assert_eq!(ours, servers, "{context}: leaf {number}, packed"),
            }
            assert_eq!(block.stored.0, server.facts.block_bytes, "{context}: leaf {number}, block");
            size = size.after_block(servers, number == last);
        }
        leaf = last + 1;
    }
    assert_eq!(record, loaded.documents.len(), "{context}");
    rebuilt
}

fn conform(version: &str, topology: Topology) -> Option<Rebuilt> {
    let mut server = Server::start(&mongod(version)?, topology);
    let cases: Vec<Case> = cases().into_iter().filter(|case| CASES.contains(&case.name.as_str())).collect();
    let inputs: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(inputs.len(), CASES.len());
    let documents: Vec<Vec<Vec<u8>>> = cases.iter().map(Case::documents).collect();
    cases.iter().zip(&documents).for_each(|(case, documents)| load(&mut server, case, documents));
    let folder = server.stop();
    let release = Release::parse(version).unwrap();
    let saves = topology == Topology::ReplicaSet && release.saves_fresh_inserts();
    let mut rebuilt = Rebuilt::default();
    for (case, documents) in cases.iter().zip(&documents) {
        let default = TableConfig::collection(release);
        let memory = case.table.memory_page_max.unwrap_or(default.memory_page_bytes_max);
        let leaf = default.leaf_page_bytes_max.into();
        let config = default.with_sizes(default.allocation, leaf, memory, CACHE_BYTES).unwrap();
        for kind in CODECS {
            let context = format!("{version} {topology:?} {} {kind}", case.name);
            let leaves = leaves_of(folder.path(), &collection(case, kind), documents);
            let windows = leaves.iter().flat_map(|leaf| &leaf.windows);
            let item = |((record_id, document), window): ((u64, &Vec<u8>), &Option<Window>)| {
                let bytes = document.len() as u64;
                let saved_bytes = if saves { reconcile::saved_bytes(bytes) } else { 0 };
                Item { saved_bytes, ..Item::plain(cell::record_bytes(record_id, *window, bytes)) }
            };
            let items = (1..).zip(documents).zip(windows.clone()).map(item).collect();
            let has_windows = windows.clone().all(Option::is_some);
            assert_eq!(has_windows, topology == Topology::ReplicaSet, "{context}: time windows");
            rebuilt += rebuild(&context, &Loaded { documents, items, config }, &leaves, kind);
        }
    }
    Some(rebuilt)
}

/// The promise at its strongest: not one byte of an image differs, not one block has another size.
#[test]
fn every_leaf_image_and_block_of_live_servers_is_built_again() {
    let mut total = 0;
    for (version, topology) in [
        ("6.0.5", Topology::Standalone),
        ("6.0.5", Topology::ReplicaSet),
        ("6.0.27", Topology::Standalone),
        ("6.0.27", Topology::ReplicaSet),
    ] {
        let Some(Rebuilt { pages, segments, sizes_found, cuts_unknown }) = conform(version, topology) else {
            continue;
        };
        eprintln!(
            "{version} {topology:?}: {pages} of {pages} pages in {segments} segments, {sizes_found} of them at an \
             image size that was looked for; {cuts_unknown} pages were cut where no segment ends"
        );
        assert!(cuts_unknown * 20 <= pages, "{version} {topology:?}: pages are not cut where segments end");
        assert!(
            sizes_found * 10 <= segments,
            "{version} {topology:?}: image sizes are not those that blocks lead to"
        );
        total += pages;
    }
    if total > 0 {
        eprintln!("{total} of {total} pages");
        assert!(total >= 2000, "{total} pages are too few to show anything");
    }
}

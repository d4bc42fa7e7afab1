//! How fast a data file is read, its checksums compared and its cells counted, on one thread; and what trying
//! another codec on its pages costs beside the encoder alone.
//!
//! `cargo bench --bench datafile`. The file is made here, page by page, as a server would write it, and read from
//! the page cache. Each run asserts how many records it found.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, missing_docs)]
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod shapes;

use pagepress::{
    codec::{CodecKind, ZstdLevel},
    datafile::DataFile,
    estimate::{LoadState, TableInspection},
    geometry::wiredtiger::{Release, cell, charge, image::LeafImage},
    pipeline::inspect::{InspectPlan, TableName, inspect_table},
    record::RecordId,
};
use std::{fs, num::NonZeroUsize, path::Path, time::Instant};

const UNIT: usize = 4096;
const IMAGE_BYTES: usize = 28_672;

/// A file under construction: blocks one behind the other.
struct Builder {
    bytes: Vec<u8>,
}

/// Where a block lies, packed as in a cookie: offset and size in units, checksum.
type Address = (u64, u64, u32);

impl Builder {
    /// Adds a block that holds `image`, sealed.
    fn block(&mut self, image: &[u8]) -> Address {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(image);
        self.bytes.resize(start + image.len().next_multiple_of(UNIT), 0);
        let block = &mut self.bytes[start..];
        let bytes = block.len() as u32;
        block[28..32].copy_from_slice(&bytes.to_le_bytes());
        block[32..36].fill(0);
        block[36] = 1;
        let checksum = crc32c::crc32c(block);
        block[32..36].copy_from_slice(&checksum.to_le_bytes());
        ((start / UNIT) as u64 - 1, u64::from(bytes) / UNIT as u64, checksum)
    }

    /// Adds an internal page over children, each with its first key.
    fn internal(&mut self, children: &[(u64, Address)], is_leaf: bool) -> Address {
        let mut image = vec![0; 40];
        for (record_id, address) in children {
            cell::push_record_id_key(RecordId::Number(*record_id), &mut image);
            let cookie = cookie(&[*address]);
            image.extend([if is_leaf { 0x38 } else { 0x18 }, 0, 0x80 | cookie.len() as u8]);
            image.extend(cookie);
        }
        let header = [(image.len() as u32).to_le_bytes(), (2 * children.len() as u32).to_le_bytes()].concat();
        image[16..24].copy_from_slice(&header);
        image[24] = 6;
        self.block(&image)
    }
}

fn cookie(addresses: &[Address]) -> Vec<u8> {
    let mut out = Vec::new();
    for (offset, size, checksum) in addresses {
        for value in [*offset, *size, u64::from(*checksum)] {
            cell::pack(value, &mut out);
        }
    }
    out
}

/// A collection of `stream`'s documents without a compressor; returns how many there are.
fn build(stream: &[u8], path: &Path) -> u64 {
    let mut file = Builder { bytes: vec![0; UNIT] };
    file.bytes[..8].copy_from_slice(b"\x41\xd8\x01\x00\x01\x00\x00\x00");
    let checksum = crc32c::crc32c(&file.bytes);
    file.bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
    let (mut image, mut leaves) = (LeafImage::new(), Vec::new());
    let (mut at, mut record_id, mut first, mut used) = (0, 1, 1, 0);
    image.start();
    while at < stream.len() {
        let length = i32::from_le_bytes(stream[at..at + 4].try_into().unwrap()) as usize;
        if used + length + 20 > IMAGE_BYTES {
            leaves.push((first, file.block(image.finish())));
            image.start();
            (first, used) = (record_id, 0);
        }
        image.push(record_id, None, &stream[at..at + length]);
        (at, record_id, used) = (at + length, record_id + 1, used + length + 8);
    }
    leaves.push((first, file.block(image.finish())));
    let (mut level, mut is_leaf, mut live) = (leaves, true, 0);
    let root = loop {
        let above: Vec<_> =
            level.chunks(230).map(|group| (group[0].0, file.internal(group, is_leaf))).collect();
        is_leaf = false;
        if above.len() == 1 {
            live += file.bytes.len() as u64 - UNIT as u64 - above[0].1.1 * UNIT as u64;
            break above[0].1;
        }
        level = above;
    };
    let mut list = vec![0; 40];
    (list[24], list[27]) = (1, 1);
    list.extend(b"\xe2\xf5\x1a\x80\x80\x81");
    cell::pack(7, &mut list);
    let size_at = list.len();
    list.extend([0; 9]);
    let none = (0, 0, 0);
    let mut checkpoint = vec![1];
    checkpoint.extend(cookie(&[root, none, none, none]));
    for value in [0, live] {
        cell::pack(value, &mut checkpoint);
    }
    let config =
        b"block_metadata=[allocation_size=4KB,block_compressor=none,key_format=q,leaf_page_max=32KB]";
    for text in [config.as_slice(), b"", &checkpoint] {
        cell::pack(text.len() as u64, &mut list);
        list.extend(text);
    }
    list[16..20].copy_from_slice(&46_u32.to_le_bytes());
    let mut size = Vec::new();
    cell::pack((file.bytes.len() + list.len().next_multiple_of(UNIT)) as u64, &mut size);
    list[size_at..size_at + size.len()].copy_from_slice(&size);
    file.block(&list);
    fs::write(path, &file.bytes).unwrap();
    record_id - 1
}

fn inspect(file: &DataFile, what_if: Vec<CodecKind>) -> TableInspection {
    let plan = InspectPlan {
        what_if,
        loads: Vec::<LoadState>::new(),
        release: Release::NEWEST,
        threads: NonZeroUsize::MIN,
    };
    inspect_table(file, TableName::default(), &plan, &mut |_| ()).unwrap()
}

/// Processor seconds of the process so far, user and system: what a core of its own would have taken, on a machine
/// that others use too. Fields 14 and 15 of proc(5)'s `stat`, in hundredths of a second.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_whitespace().skip(11).take(2);
    fields.map(|ticks| ticks.parse::<f64>().unwrap() / 100.0).sum()
}

fn main() {
    let (stream, count) = shapes::log_lines(1_000_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.wt");
    assert_eq!(build(&stream, &path), count);
    let length = fs::metadata(&path).unwrap().len();
    let gb_per_s = |start: Instant| length as f64 / 1e9 / start.elapsed().as_secs_f64();
    for round in 0..3 {
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let file = DataFile::open(&path).unwrap();
        let search = gb_per_s(start);
        let start = Instant::now();
        let table = inspect(&file, Vec::new());
        let walk = gb_per_s(start);
        let of_a_core = length as f64 / 1e9 / (cpu_seconds() - cpu);
        let bson = stream.len() as u64;
        assert_eq!((table.leaves.entries, table.leaves.bson.unwrap().0), (count, bson), "{:?}", table.faults);
        assert_eq!((table.faults.count, table.layout.pending.0), (0, 0), "{:?}", table.faults);
        let both = 1.0 / (1.0 / search + 1.0 / walk);
        println!(
            "round {round}: checkpoint found at {search:.2} GB/s, pages read at {walk:.2} GB/s, both {both:.2}; \
             both in a core's own time {of_a_core:.2} GB/s"
        );
    }
    drop(stream);
    let (stream, _) = shapes::log_lines(100_000_000);
    build(&stream, &path);
    let length = fs::metadata(&path).unwrap().len();
    let kind = CodecKind::Zstd(ZstdLevel::SERVER);
    let file = DataFile::open(&path).unwrap();
    let (mut encoder, mut reader, mut output) = (kind.encoder().unwrap(), file.page_reader(), Vec::new());
    for round in 0..3 {
        let start = Instant::now();
        let table = inspect(&file, vec![kind]);
        let inspected = start.elapsed().as_secs_f64();
        assert_eq!(table.what_if.len(), 1);
        let mut alone = 0.0;
        for step in file.walk() {
            let pagepress::datafile::Step::Leaf(address) = step else { continue };
            let page = reader.read(address).unwrap();
            let start = Instant::now();
            encoder.pack(charge::encoder_input(page.image), &mut output);
            alone += start.elapsed().as_secs_f64();
        }
        let mb_per_s = |seconds: f64| length as f64 / 1e6 / seconds;
        let (ours, bare) = (mb_per_s(inspected), mb_per_s(alone));
        println!("round {round}: what if {kind}: {ours:.1} MB/s, the encoder alone {bare:.1} MB/s");
    }
}

//! A collection's file, byte by byte, on btrfs: what the file system still gains on top of each of `WiredTiger`'s codecs.

use super::{
    StorePlan,
    btrfs::{FileOnBtrfs, packers, row},
    packers::Packers,
};
use crate::codec::CodecKind;
use crate::estimate::{
    CodecName, LoadState,
    store::{StoredInput, StoredRow},
};
use crate::geometry::btrfs::{Method, Mount};
use crate::geometry::wiredtiger::{
    TableConfig, charge, facts, feedback::ImageSize, file, image::LeafImage, internal::InternalBuilder,
    reconcile::Chunk,
};
use crate::pipeline::{
    PipelineError, Progress,
    outcome::{self, Layout},
    segments::{Segment, SegmentReader},
    state::State,
};
use crate::record::collection::Shape;
use crate::source::Source;
use crate::units::{DiskBytes, PackedBytes, RawBytes};

/// What is asked of the collection.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    /// Sizes and rules.
    pub table: &'a TableConfig,
    /// States.
    pub loads: &'a [LoadState],
    /// `WiredTiger`'s codecs.
    pub codecs: &'a [CodecKind],
}

/// Estimates a collection's file on btrfs: a row for each state, codec and method. `observe` is called once a segment.
///
/// # Errors
///
/// What the source returns; an input without documents; a system without threads.
pub fn estimate_stack(
    name: &str,
    source: &mut dyn Source,
    tables: Tables<'_>,
    (methods, mount): (&[Method], Mount),
    plan: &StorePlan,
    observe: &mut dyn FnMut(Progress),
) -> Result<StoredInput, PipelineError> {
    let packers = packers(methods, plan)?;
    let Tables { table, loads, codecs } = tables;
    let input = source.name().to_owned();
    let mut files: Vec<TableFile> = loads
        .iter()
        .flat_map(|load| codecs.iter().map(|codec| (State::new(*load, table.release), *codec)))
        .map(|(state, codec)| TableFile::new(state, codec, table, FileOnBtrfs::new(methods, mount), &packers))
        .collect();
    let mut reader = SegmentReader::new(source, plan.on_bad, Shape::default(), table);
    let mut segment = Segment::default();
    while reader.next_segment(&mut segment)? {
        observe(reader.progress());
        for file in &mut files {
            file.take(&segment, table, &packers);
        }
    }
    let skipped = reader.skipped();
    if reader.documents() == 0 {
        let first_reason = skipped.reasons.into_iter().next();
        return Err(PipelineError::NoDocuments { input, skipped: skipped.documents, first_reason });
    }
    Ok(StoredInput {
        name: name.to_owned(),
        source: input,
        documents: Some(reader.documents()),
        bson: Some(reader.bson()),
        input_bytes: reader.bson().0,
        documents_skipped: skipped.documents,
        skip_reasons: skipped.reasons,
        rows: files.into_iter().flat_map(|file| file.finish(table, &packers)).collect(),
    })
}

/// A table's file while it is written: blocks in key order, then the levels above, then the checkpoint's lists.
struct TableFile {
    state: State,
    codec: CodecKind,
    size: ImageSize,
    internal: InternalBuilder,
    /// What internal pages hold, one entry a leaf.
    addresses: Vec<u8>,
    file: FileOnBtrfs,
}

/// Version and magic number of a file. Source: `WT_BLOCK_MAGIC`, src/include/block.h at tag mongodb-8.0.0.
const DESCRIPTOR: [u8; 8] = [0x41, 0xd8, 0x01, 0, 1, 0, 0, 0];
/// Where an image has its write generation, its block's size and checksum.
const WRITE_GENERATION: std::ops::Range<usize> = 8..16;
const BLOCK_SIZE: std::ops::Range<usize> = 28..32;
const CHECKSUM: std::ops::Range<usize> = 32..36;
const PAGE_FLAGS: usize = 25;
/// Offsets and sizes count these where the allocation size is the default.
const ADDRESS_GRAIN_BYTES: u64 = 4096;
/// Source: `WT_PAGE_COMPRESSED`, src/include/btmem.h at tag mongodb-8.0.0.
const FLAG_COMPRESSED: u8 = 0x01;

impl TableFile {
    fn new(
        state: State,
        codec: CodecKind,
        table: &TableConfig,
        file: FileOnBtrfs,
        packers: &Packers,
    ) -> Self {
        let mut this = Self {
            state,
            codec,
            size: ImageSize::new(table, codec != CodecKind::None),
            internal: InternalBuilder::new(table),
            addresses: Vec::new(),
            file,
        };
        this.push_padded(&DESCRIPTOR, table.allocation.round_up(1), packers);
        this
    }

    fn take(&mut self, segment: &Segment, table: &TableConfig, packers: &Packers) {
        let chunks = Layout::of(segment, &self.state, table.allocation).cut(self.size);
        let mut first = 0;
        let ranges: Vec<(usize, Chunk)> = chunks
            .into_iter()
            .map(|chunk| {
                let start = first;
                first += chunk.records as usize;
                (start, chunk)
            })
            .collect();
        let blocks = packers.map(&ranges, |(start, chunk), _| {
            leaf_block(segment, *start, chunk, self.codec, &self.state, table)
        });
        for ((start, chunk), (packed, block)) in ranges.into_iter().zip(blocks) {
            let last = start + chunk.records as usize - 1;
            let windows = self.state.aggregate(segment.number(start), segment.number(last));
            let stored = DiskBytes(block.len() as u64);
            self.internal.push_leaf(segment.record_id(start), segment.record_id(last), windows, stored);
            self.push_address(segment.number(start), &block);
            self.size = outcome::outcome(&chunk, packed, table.allocation).moves(self.size);
            self.file.push(&block, packers);
        }
    }

    /// A key, and where the block lies: cells of the page above it.
    fn push_address(&mut self, first_number: u64, block: &[u8]) {
        let key = first_number.to_be_bytes();
        let unit = (self.file.bytes() / ADDRESS_GRAIN_BYTES).to_be_bytes();
        self.addresses.extend([0x15, 0x84]);
        self.addresses.extend(&key[5..]);
        self.addresses.extend([0x38, 0x00, 0x8a, 0xe3]);
        self.addresses.extend(&unit[5..]);
        self.addresses.push(block.len().to_le_bytes()[1] >> 4);
        self.addresses.push(0xe4);
        self.addresses.extend(&block[CHECKSUM]);
    }

    fn finish(mut self, table: &TableConfig, packers: &Packers) -> Vec<StoredRow> {
        let internal = self.internal.clone().finish();
        let addresses = std::mem::take(&mut self.addresses);
        let held = addresses.len().min(usize::try_from(internal.blocks.0).unwrap_or(usize::MAX));
        self.push_padded(&addresses[..held], internal.blocks, packers);
        let lists = DiskBytes(file::skeleton(table).0 - table.allocation.round_up(1).0);
        self.push_padded(&DESCRIPTOR, lists, packers);
        let table_bytes = DiskBytes(self.file.bytes());
        let codec = CodecName { name: self.codec.name(), level: self.codec.level() };
        let load = self.state.load;
        let stored = self.file.finish(packers).into_iter().map(|(method, extents)| StoredRow {
            load: Some(load),
            table_codec: Some(codec.clone()),
            table: Some(table_bytes),
            ..row(method, extents)
        });
        stored.collect()
    }

    fn push_padded(&mut self, bytes: &[u8], length: DiskBytes, packers: &Packers) {
        let mut padded = bytes.to_vec();
        padded.resize(usize::try_from(length.0).unwrap_or(0).max(bytes.len()), 0);
        self.file.push(&padded, packers);
    }
}

/// A leaf's block as it stands in the file, and what packing made of its image.
fn leaf_block(
    segment: &Segment,
    start: usize,
    chunk: &Chunk,
    codec: CodecKind,
    state: &State,
    table: &TableConfig,
) -> (Option<PackedBytes>, Vec<u8>) {
    let mut image = LeafImage::new();
    image.start();
    for index in start..start + chunk.records as usize {
        image.push(segment.record_id(index), state.window(segment.number(index)), segment.document(index));
    }
    let image = image.finish();
    let raw = RawBytes(image.len() as u64);
    let mut output = Vec::new();
    let output_bytes =
        codec.encoder().filter(|_| charge::is_tried(raw, table.allocation)).and_then(|mut encoder| {
            encoder.pack(charge::encoder_input(image), &mut output).then_some(output.len() as u64)
        });
    let packed = charge::packed(codec, raw, output_bytes);
    let stored = charge::charge(raw, packed, table.allocation);
    let mut block = image.to_vec();
    if stored.packed.is_some() {
        block.truncate(facts::COMPRESS_SKIP_BYTES as usize);
        block[PAGE_FLAGS] |= FLAG_COMPRESSED;
        if matches!(codec, CodecKind::Snappy | CodecKind::Zstd(_)) {
            block.extend((output.len() as u64).to_le_bytes());
        }
        block.append(&mut output);
    }
    block.resize(usize::try_from(stored.stored.0).unwrap_or(block.len()), 0);
    let length = u32::try_from(block.len()).unwrap_or(u32::MAX);
    block[WRITE_GENERATION].copy_from_slice(&segment.number(start).to_le_bytes());
    block[BLOCK_SIZE].copy_from_slice(&length.to_le_bytes());
    let checksum = checksum_like(&block).to_le_bytes();
    block[CHECKSUM].copy_from_slice(&checksum);
    (packed, block)
}

/// Four bytes that are as hard to pack as a checksum.
fn checksum_like(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

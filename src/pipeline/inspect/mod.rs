//! A real data file to figures: its pages are read, checked and packed again on all threads, in its order.

mod leaves;
mod stored;

use super::{PipelineError, Plan, estimate_collection};
use crate::codec::CodecKind;
use crate::datafile::{Address, DataFile, Fault, LeafCounts, Owned, PageFacts, PageKind, Scan, Step, Walk};
use crate::estimate::{
    CodecName, FileLayout, LeafFigures, LoadState, Readable, TableInspection, TableRole, Way, WhatIf,
};
use crate::geometry::wiredtiger::{Release, TableConfig, charge};
use crate::record::collection::{Keys, Shape};
use crate::source::OnBadDocument;
use crate::units::{AllocationUnit, BsonBytes, DiskBytes, PackedBytes, RawBytes};
use leaves::{Inspected, Leaves};
use std::num::NonZeroUsize;
use stored::StoredDocuments;

/// What to find out beside what is there.
#[derive(Clone, Debug)]
pub struct InspectPlan {
    /// Codecs that a collection's pages and documents are packed by; none for none.
    pub what_if: Vec<CodecKind>,
    /// States in which documents are loaded anew.
    pub loads: Vec<LoadState>,
    /// Whose rules they follow then.
    pub release: Release,
    /// Threads.
    pub threads: NonZeroUsize,
}

/// What is known of a table from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct TableName {
    /// `db.collection`.
    pub namespace: Option<String>,
    /// Of the index, if it is one.
    pub index: Option<String>,
    /// Documents and their BSON bytes, as the server wrote them down.
    pub counts_stored: Option<(u64, BsonBytes)>,
}

/// How many addresses wait for the threads at once, and what their blocks take at most.
const BATCH_LEAVES: usize = 1024;
const BATCH_BYTES: u64 = 64 << 20;

/// Inspects one table. `observe` is told the bytes of the blocks read, on the calling thread.
///
/// Pages that cannot be read are told of in the result and left out of its figures.
///
/// # Errors
///
/// A system without threads; a list of free extents that cannot be read.
pub fn inspect_table(
    file: &DataFile,
    name: TableName,
    plan: &InspectPlan,
    observe: &mut dyn FnMut(u64),
) -> Result<TableInspection, PipelineError> {
    let config = &file.checkpoint().config;
    let role = role_of(file, &name);
    let what_if = if role == TableRole::Collection { plan.what_if.clone() } else { Vec::new() };
    let mut run = Run {
        file,
        leaves: Leaves::new(file, what_if.clone(), plan.threads)?,
        walk: file.walk(),
        batch: Vec::new(),
        batch_bytes: 0,
        read_bytes: 0,
        table: empty(file, name, role),
        repacked: what_if.iter().map(|kind| Recompressed::new(*kind)).collect(),
    };
    run.visit(observe);
    run.finish_layout()?;
    let Run { mut table, repacked, .. } = run;
    if table.readable == Readable::Pages {
        let layout = table.layout;
        table.what_if = repacked.iter().map(|codec| codec.row(&layout)).collect();
        if role == TableRole::Collection && !what_if.is_empty() {
            let rows = repack(file, &table, plan, observe)?;
            table.what_if.extend(rows);
        }
    }
    if !config.is_known {
        table.codec = None;
    }
    Ok(table)
}

/// What the catalog says; without it, what only one kind of table has.
fn role_of(file: &DataFile, name: &TableName) -> TableRole {
    let config = &file.checkpoint().config;
    match (&name.namespace, &name.index) {
        (Some(_), Some(_)) => TableRole::Index,
        (Some(_), None) => TableRole::Collection,
        _ if config.key_format == "q" => TableRole::Collection,
        _ if config.prefix_compression => TableRole::Index,
        _ => TableRole::Other,
    }
}

fn empty(file: &DataFile, name: TableName, role: TableRole) -> TableInspection {
    let checkpoint = file.checkpoint();
    TableInspection {
        file: file.blocks().path().display().to_string(),
        namespace: name.namespace,
        index: name.index,
        role,
        codec: Some(checkpoint.config.codec.name().to_owned()),
        readable: Readable::Pages,
        allocation_bytes: checkpoint.config.unit.bytes(),
        leaf_page_bytes_max: checkpoint.config.leaf_page_bytes_max,
        layout: FileLayout { file: DiskBytes(file.blocks().length()), ..FileLayout::default() },
        leaves: LeafFigures::default(),
        counts_stored: name.counts_stored,
        faults: crate::estimate::Faults::default(),
        checkpoint_live: DiskBytes(checkpoint.live_bytes),
        what_if: Vec::new(),
    }
}

/// One table along its walk.
struct Run<'f> {
    file: &'f DataFile,
    leaves: Leaves<'f>,
    walk: Walk<'f>,
    batch: Vec<Address>,
    batch_bytes: u64,
    read_bytes: u64,
    table: TableInspection,
    repacked: Vec<Recompressed>,
}

impl Run<'_> {
    fn visit(&mut self, observe: &mut dyn FnMut(u64)) {
        while let Some(step) = self.walk.next() {
            match step {
                Step::Internal { level, facts } => self.take_internal(level, &facts),
                Step::Leaf(address) => {
                    self.batch.push(address);
                    self.batch_bytes += address.bytes;
                    if self.batch.len() >= BATCH_LEAVES || self.batch_bytes >= BATCH_BYTES {
                        self.flush(observe);
                    }
                }
                // Only once, whatever the other pages claim.
                Step::Fault { address, fault: Fault::Encrypted { .. }, .. }
                    if self.file.checkpoint().root == Some(address) =>
                {
                    self.scan_headers();
                }
                Step::Fault { address, fault, owned } => self.take_fault(address, &fault, owned),
            }
        }
        self.flush(observe);
    }

    fn take_internal(&mut self, level: usize, facts: &PageFacts) {
        let blocks = DiskBytes(facts.block_bytes);
        self.table.leaves.internal_pages += 1;
        match level {
            0 => self.table.layout.root += blocks,
            _ => self.table.layout.internal += blocks,
        }
        self.read_bytes += facts.block_bytes;
    }

    fn take_fault(&mut self, address: Address, fault: &Fault, owned: Owned) {
        if owned == Owned::Yes {
            self.table.layout.damaged += DiskBytes(address.bytes);
        }
        self.table.faults.checksums += u64::from(matches!(fault, Fault::Checksum { .. }));
        self.table.faults.count(fault.to_string());
    }

    /// Has the waiting leaves read, and counts them in their order.
    fn flush(&mut self, observe: &mut dyn FnMut(u64)) {
        let batch = std::mem::take(&mut self.batch);
        for (address, outcome) in batch.iter().zip(self.leaves.read(&batch)) {
            match outcome {
                Ok(leaf) => self.take_leaf(&leaf),
                Err(fault) => self.take_fault(*address, &fault, Owned::Yes),
            }
        }
        self.read_bytes += std::mem::take(&mut self.batch_bytes);
        observe(self.read_bytes);
    }

    fn take_leaf(&mut self, leaf: &Inspected) {
        let unit = self.file.checkpoint().config.unit;
        self.table.layout.leaves += DiskBytes(leaf.facts.block_bytes);
        count_leaf(&mut self.table.leaves, &leaf.facts, unit);
        let LeafCounts { live, dead, windows, window_bytes, document_bytes, .. } = leaf.counts;
        let figures = &mut self.table.leaves;
        figures.entries += live;
        figures.entries_dead += dead;
        figures.windows += windows;
        figures.window_bytes += window_bytes;
        if self.table.role == TableRole::Collection {
            *figures.bson.get_or_insert_default() += BsonBytes(document_bytes);
        }
        for (codec, output) in self.repacked.iter_mut().zip(&leaf.packed) {
            codec.take(RawBytes(leaf.facts.image_bytes), *output, unit);
        }
        for address in &leaf.counts.overflow {
            self.take_overflow(*address);
        }
    }

    fn take_overflow(&mut self, address: Address) {
        if let Err(fault) = self.walk.claim(address) {
            return self.take_fault(address, &fault, Owned::No);
        }
        match self.leaves.check_overflow(address) {
            Ok(()) => {
                self.table.leaves.overflow_pages += 1;
                self.table.layout.overflow += DiskBytes(address.bytes);
            }
            Err(fault) => self.take_fault(address, &fault, Owned::Yes),
        }
    }

    /// All that an encrypted file tells: the sizes in its blocks' headers.
    fn scan_headers(&mut self) {
        self.table.readable = Readable::HeadersOnly;
        let unit = self.file.checkpoint().config.unit;
        let free = self.file.free_extents().unwrap_or_default();
        for found in Scan::new(self.file, free) {
            let (address, header) = match found {
                Ok(found) => found,
                Err(fault) => return self.table.faults.count(fault.to_string()),
            };
            // The lists and the root have their owner already.
            let root = self.file.checkpoint().root == Some(address);
            if !root && self.walk.claim(address).is_err() {
                continue;
            }
            let blocks = DiskBytes(address.bytes);
            match header.kind {
                PageKind::Leaf => {
                    // What was packed fills its block: the padding cannot be told from it.
                    let packed_bytes = header.is_packed().then_some(address.bytes);
                    let facts = PageFacts {
                        image_bytes: header.image_bytes,
                        packed_bytes: packed_bytes.or(Some(address.bytes)),
                        block_bytes: address.bytes,
                    };
                    self.table.layout.leaves += blocks;
                    count_leaf(&mut self.table.leaves, &facts, unit);
                    self.table.leaves.pages_kept_raw += u64::from(!header.is_packed());
                }
                PageKind::Internal => {
                    self.take_internal(
                        usize::from(!root),
                        &PageFacts {
                            image_bytes: header.image_bytes,
                            packed_bytes: None,
                            block_bytes: address.bytes,
                        },
                    );
                }
                PageKind::Overflow => {
                    self.table.leaves.overflow_pages += 1;
                    self.table.layout.overflow += blocks;
                }
                // Of an earlier checkpoint.
                PageKind::ExtentList => self.table.layout.pending += blocks,
            }
        }
    }

    /// Gives the bytes that no page has their owner.
    fn finish_layout(&mut self) -> Result<(), PipelineError> {
        self.file.check_lists()?;
        let checkpoint = self.file.checkpoint();
        for extent in self.file.free_extents()? {
            let address = Address { offset: extent.offset, bytes: extent.bytes, checksum: 0 };
            match self.walk.claim(address) {
                Ok(()) => self.table.layout.free += DiskBytes(extent.bytes),
                Err(fault) => self.take_fault(address, &fault, Owned::No),
            }
        }
        let length = self.file.blocks().length();
        let known_end = checkpoint.file_bytes.min(length);
        if checkpoint.file_bytes > length {
            let bytes = checkpoint.file_bytes - length;
            let fault = Fault::Outside { offset: length, bytes, limit: length, what: "file" };
            self.table.faults.count(fault.to_string());
        }
        let layout = &mut self.table.layout;
        layout.description = DiskBytes(self.walk.description_bytes());
        layout.extent_lists = DiskBytes(self.walk.list_bytes());
        layout.pending += DiskBytes(known_end.saturating_sub(self.walk.space().claimed_bytes()));
        layout.after_checkpoint = DiskBytes(length - known_end);
        layout.assert_complete();
        if self.table.faults.count == 0
            && self.table.readable == Readable::Pages
            && layout.live() != self.table.checkpoint_live
        {
            let (found, said) = (layout.live().0, self.table.checkpoint_live.0);
            let place = checkpoint.available.offset;
            let what =
                format!("byte {place}: the checkpoint counts {said} bytes of live pages, found are {found}");
            self.table.faults.count(what);
        }
        Ok(())
    }
}

fn count_leaf(figures: &mut LeafFigures, facts: &PageFacts, unit: AllocationUnit) {
    let PageFacts { image_bytes, packed_bytes, block_bytes } = *facts;
    figures.pages += 1;
    figures.image += RawBytes(image_bytes);
    let used_bytes = if let Some(packed_bytes) = packed_bytes {
        figures.packed += PackedBytes(packed_bytes);
        packed_bytes
    } else {
        figures.kept_raw += RawBytes(image_bytes);
        figures.pages_kept_raw += 1;
        image_bytes
    };
    figures.padding += DiskBytes(block_bytes.saturating_sub(used_bytes));
    *figures.block_histogram.0.entry(block_bytes / unit.bytes()).or_default() += 1;
    let step = image_bytes.next_multiple_of(LeafFigures::IMAGE_STEP_BYTES);
    *figures.image_histogram.entry(step).or_default() += 1;
}

/// The leaves that are there, under another codec.
struct Recompressed {
    kind: CodecKind,
    leaf_pages: u64,
    pages_kept_raw: u64,
    leaf_blocks: DiskBytes,
    padding: DiskBytes,
}

impl Recompressed {
    fn new(kind: CodecKind) -> Self {
        let (leaf_blocks, padding) = (DiskBytes(0), DiskBytes(0));
        Self { kind, leaf_pages: 0, pages_kept_raw: 0, leaf_blocks, padding }
    }

    fn take(&mut self, image: RawBytes, packed: Option<PackedBytes>, unit: AllocationUnit) {
        let block = charge::charge(image, packed, unit);
        self.leaf_pages += 1;
        self.pages_kept_raw += u64::from(block.packed.is_none());
        self.leaf_blocks += block.stored;
        self.padding += DiskBytes(block.stored.0 - block.packed.map_or(image.0, |packed| packed.0));
    }

    /// All else stays as it is, free space left out.
    fn row(&self, layout: &FileLayout) -> WhatIf {
        let others = FileLayout { leaves: DiskBytes(0), ..*layout }.compact();
        WhatIf {
            way: Way::Recompressed,
            codec: codec_name(self.kind),
            storage: others + self.leaf_blocks,
            band: None,
            leaf_pages: self.leaf_pages,
            pages_kept_raw: self.pages_kept_raw,
            leaf_blocks: self.leaf_blocks,
            padding: self.padding,
        }
    }
}

fn codec_name(kind: CodecKind) -> CodecName {
    CodecName { name: kind.name(), level: kind.level() }
}

/// The documents of the file, loaded anew into an empty table of its sizes.
fn repack(
    file: &DataFile,
    table: &TableInspection,
    plan: &InspectPlan,
    observe: &mut dyn FnMut(u64),
) -> Result<Vec<WhatIf>, PipelineError> {
    let config = &file.checkpoint().config;
    if plan.loads.is_empty() || table.leaves.entries == 0 {
        return Ok(Vec::new());
    }
    let default = TableConfig::collection(plan.release);
    let sizes = default.with_sizes(
        config.unit,
        config.leaf_page_bytes_max,
        config.memory_page_bytes_max,
        default.cache_bytes,
    );
    let Ok(sizes) = sizes else { return Ok(Vec::new()) };
    let named = Shape::of_name(table.namespace.as_deref().unwrap_or_default());
    let keys = if config.key_format == "q" { Keys::Numbers } else { Keys::Clustered };
    let model = Plan {
        loads: plan.loads.clone(),
        codecs: plan.what_if.clone(),
        shape: Shape { keys, ..named },
        indexes: Vec::new(),
        threads: plan.threads,
        on_bad: OnBadDocument::Skip,
        ..Plan::new(sizes)
    };
    let mut documents = StoredDocuments::new(file);
    let mut advance = |at: super::Progress| observe(at.bytes_read);
    let estimate = match estimate_collection(&table.name(), &mut documents, &model, &mut advance) {
        Ok(estimate) => estimate,
        Err(PipelineError::NoDocuments { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let rows = estimate.storage.into_iter().map(|row| WhatIf {
        way: Way::Repacked(row.load),
        codec: row.codec,
        storage: row.storage,
        band: Some(row.band),
        leaf_pages: row.tally.leaf_pages,
        pages_kept_raw: row.tally.pages_kept_raw,
        leaf_blocks: row.tally.leaf_blocks,
        padding: row.tally.leaf_padding,
    });
    Ok(rows.collect())
}

//! All parts one after the other through the code of a run over the whole.

use super::frames::{Expected, FrameFault, Reader, unpack};
use super::outcomes::SegmentOutcomes;
use crate::codec::CodecKind;
use crate::estimate::{
    CollectionEstimate, CollectionKind, Speed,
    partial::{PartialCollection, PartialIndex, Uniqueness},
};
use crate::geometry::wiredtiger::{facts, reconcile::Chunk};
use crate::pipeline::{
    PipelineError, Plan,
    effort::{self, Packing},
    indexes::{self, IndexRun, Loaded},
    outcome,
    run::{MainPages, Step, TableRun},
    segments::Segment,
    state::State,
    what_if,
    workers::Workers,
};
use crate::record::index::{IndexError, IndexSpec};
use crate::units::{BsonBytes, DiskBytes, PackedBytes};
use std::sync::Arc;

/// Images of a whole collection are no more: a million million times a page.
const IMAGE_BYTES_MAX: u64 = 1 << 57;

/// What may be off about a segment that a lane had to guess, as a divisor of its blocks: five per cent.
const GUESS_DIVISOR: u64 = 20;

/// A collection that is put together from its parts.
pub struct Replay<'p> {
    plan: &'p Plan,
    workers: Workers,
    states: Vec<State>,
    runs: Vec<TableRun>,
    indexes: Vec<IndexRun>,
    documents: u64,
    bson_bytes: u64,
    image_bytes: u64,
    speeds: Vec<MeanSpeed>,
}

impl<'p> Replay<'p> {
    /// In front of the first part. `plan` is the parts' own; it packs nothing.
    ///
    /// # Errors
    ///
    /// A system without threads.
    pub fn new(plan: &'p Plan) -> Result<Self, PipelineError> {
        let workers = Workers::new(plan.threads, Vec::new(), plan.table.allocation)
            .map_err(|source| PipelineError::Threads { threads: plan.threads, source })?;
        let states: Vec<State> =
            plan.loads.iter().map(|load| State::new(*load, plan.table.release)).collect();
        let packings = effort::packings(&plan.codecs, plan.effort);
        let mut runs = Vec::new();
        for state in 0..states.len() {
            let codecs = plan.codecs.iter().zip(&packings).enumerate();
            runs.extend(
                codecs.map(|(codec, (kind, packing))| TableRun::new(state, codec, *kind, *packing, plan)),
            );
        }
        let indexes = plan.indexes.iter().cloned().map(IndexRun::new).collect();
        let speeds = runs.iter().map(|_| MeanSpeed::default()).collect();
        let (documents, bson_bytes, image_bytes) = (0, 0, 0);
        Ok(Self { plan, workers, states, runs, indexes, documents, bson_bytes, image_bytes, speeds })
    }

    /// Documents so far: those in front of the next part.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Takes the next part.
    ///
    /// # Errors
    ///
    /// Bytes that are no outcomes of such a part.
    pub fn take_part(&mut self, part: &PartialCollection) -> Result<(), FrameFault> {
        if part.indexes.len() != self.indexes.len() || part.speeds.len() != self.runs.len() {
            return Err(FrameFault::new("it has not as many rows as it has states, codecs and indexes"));
        }
        let tables: Vec<usize> = self.runs.iter().map(|run| run.state).collect();
        let ghosts: Vec<bool> = self.indexes.iter().map(IndexRun::has_ghosts).collect();
        let expected = Expected { tables: &tables, states: self.states.len(), ghosts: &ghosts };
        let (documents, bson_bytes, mut segments) = (self.documents, self.bson_bytes, 0);
        for frame in &part.frames {
            let raw = unpack(frame)?;
            let mut reader = Reader::new(&raw);
            while !reader.is_at_end() {
                segments += 1;
                let segment = reader
                    .segment(&expected, self.documents)
                    .and_then(|segment| self.take_segment(&segment, &part.indexes))
                    .map_err(|fault| FrameFault::new(format!("segment {segments}: {}", fault.what)))?;
                (self.documents, self.bson_bytes) = segment;
            }
        }
        let found = (self.documents - documents, self.bson_bytes - bson_bytes, segments);
        if found != (part.documents, part.bson.0, part.segments) {
            return Err(FrameFault::new(format!(
                "it says {} documents of {} bytes in {} segments, and its outcomes are of {} of {} in {}",
                part.documents, part.bson.0, part.segments, found.0, found.1, found.2
            )));
        }
        for (mean, speed) in self.speeds.iter_mut().zip(&part.speeds) {
            mean.take(*speed);
        }
        Ok(())
    }

    fn take_segment(
        &mut self,
        outcomes: &SegmentOutcomes,
        told: &[PartialIndex],
    ) -> Result<(u64, u64), FrameFault> {
        for ((run, found), told) in self.indexes.iter_mut().zip(&outcomes.indexes).zip(told) {
            run.absorb(found, told.refused_reason.as_deref())
                .map_err(|_| FrameFault::new(format!("entries of index {} are missing", told.name)))?;
        }
        indexes::bound(&mut self.indexes, self.plan.index_memory_bytes);
        let largest = outcomes.states.iter().flat_map(|cuts| &cuts.cuts).map(|cut| image_bytes(cut)).max();
        self.image_bytes = self.image_bytes.saturating_add(largest.unwrap_or(0));
        if self.image_bytes > IMAGE_BYTES_MAX {
            return Err(FrameFault::new("its pages are larger than any file"));
        }
        let segment = Segment { first_number: self.documents + 1, ..Segment::default() };
        let step = Step {
            plan: self.plan,
            workers: &self.workers,
            states: &self.states,
            segment: &segment,
            layouts: Vec::new(),
        };
        for (table, run) in self.runs.iter_mut().enumerate() {
            let (chunks, packed) = main_pages(table, run, outcomes)?;
            let main = run.take_segment(&step, chunks, &packed, chunks.len() as u64);
            follow_lanes(table, run, outcomes, &main, self.plan);
        }
        Ok((self.documents + outcomes.records, self.bson_bytes + outcomes.bson_bytes))
    }

    /// The collection's figures; `first` and `last` are the first part, and the last one that has segments.
    #[must_use]
    pub fn finish(self, first: &PartialCollection, last: &PartialCollection) -> CollectionEstimate {
        let Self { plan, workers, states, runs, indexes, documents, bson_bytes, speeds, .. } = self;
        let loaded = Loaded { documents, bson: BsonBytes(bson_bytes) };
        let indexes = indexes::finish(&indexes, &states, loaded, &plan.table, &workers);
        let mut storage: Vec<_> = runs.into_iter().map(|run| run.finish(plan, &states, documents)).collect();
        for (row, mean) in storage.iter_mut().zip(&speeds) {
            row.speed = mean.speed();
        }
        CollectionEstimate {
            name: first.name.clone(),
            sources: vec![first.source.clone()],
            kind: CollectionKind::PLAIN,
            documents,
            bson: loaded.bson,
            ids_added: last.seen.ids_added,
            documents_skipped: last.seen.documents_skipped,
            skip_reasons: last.seen.skip_reasons.clone(),
            sampled_fraction: 1.0,
            sample: None,
            storage,
            indexes,
            on_server: None,
            indexes_not_predicted: first.indexes_not_predicted.clone(),
            oddities: None,
        }
    }
}

fn image_bytes(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|chunk| chunk.image_bytes).sum()
}

/// The pages that the run has at its image size, all of them packed.
fn main_pages<'o>(
    table: usize,
    run: &TableRun,
    outcomes: &'o SegmentOutcomes,
) -> Result<(&'o [Chunk], Vec<Option<PackedBytes>>), FrameFault> {
    let bytes = run.size().bytes();
    let missing = || FrameFault::new(format!("there are no pages for an image size of {bytes} bytes"));
    let cuts = &outcomes.states[run.state];
    let cut = cuts.position(bytes).ok_or_else(missing)?;
    let chunks = &cuts.cuts[cut];
    if run.kind() == CodecKind::None {
        return Ok((chunks, vec![None; chunks.len()]));
    }
    let known = &outcomes.tables[table][cut];
    let packed: Result<Vec<_>, _> = known.iter().map(|page| page.known()).collect();
    Ok((chunks, packed.ok().filter(|packed| packed.len() == chunks.len()).ok_or_else(missing)?))
}

/// Moves the other orders on, as [`what_if::follow_lanes`] does, on pages that the part has packed. Where it has not, a
/// lane goes on with what the nearest size and the run's own pages let expect.
fn follow_lanes(
    table: usize,
    run: &mut TableRun,
    outcomes: &SegmentOutcomes,
    main: &MainPages<'_>,
    plan: &Plan,
) {
    let cuts = &outcomes.states[run.state];
    let header = u64::from(facts::HEADER_BYTES);
    let cell_bytes = main.chunks.iter().map(|chunk| chunk.image_bytes - header).sum();
    let mut others: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut is_guessed = false;
    for (index, lane) in run.lanes.iter_mut().enumerate() {
        let bytes = lane.segment_filled(cell_bytes, &main.pages).bytes();
        let exact = cuts.position(bytes);
        is_guessed |= exact.is_none();
        let Some(cut) = exact.or_else(|| cuts.nearest(bytes)) else { continue };
        if cuts.cuts[cut] == main.chunks {
            lane.start(Arc::clone(&main.pages));
        } else if let Some((_, lanes)) = others.iter_mut().find(|(known, _)| *known == cut) {
            lanes.push(index);
        } else {
            others.push((cut, vec![index]));
        }
    }
    let sizes = others.len();
    let mut guessed_bytes = if is_guessed { stored(main.pages.pages()) } else { 0 };
    for (cut, lanes) in others {
        let chunks = &cuts.cuts[cut];
        let known = &outcomes.tables[table][cut];
        let mut sampled = vec![None; chunks.len()];
        let mut is_missing = false;
        for page in what_if::band_pages(chunks.len(), sizes, Packing::All) {
            match known.get(page).copied().unwrap_or_default().known() {
                // An encoder that gave up made at least as many bytes as it got.
                Ok(packed) => sampled[page] = Some(packed.unwrap_or(PackedBytes(chunks[page].image_bytes))),
                Err(_) => is_missing = true,
            }
        }
        let expected = outcome::expected_of_images(chunks, &main.profile);
        let pages = outcome::guessed_pages(chunks, &expected, &sampled, plan.table.allocation);
        if is_missing {
            guessed_bytes = guessed_bytes.max(stored(pages.pages()));
        }
        let pages = Arc::new(pages);
        for lane in lanes {
            run.lanes[lane].start(Arc::clone(&pages));
        }
    }
    // Once a lane has guessed, its image size may be another one from there on.
    if guessed_bytes == 0 && run.lane_doubt.0 > 0 {
        guessed_bytes = stored(main.pages.pages());
    }
    run.lane_doubt += DiskBytes(guessed_bytes / GUESS_DIVISOR);
}

fn stored(pages: &[outcome::PageOutcome]) -> u64 {
    pages.iter().map(|page| page.stored_bytes).sum()
}

/// Speeds of several machines, weighted by the image bytes that they were measured on.
#[derive(Clone, Copy, Debug, Default)]
struct MeanSpeed {
    image_bytes: u64,
    compress: f64,
    unpacked_bytes: u64,
    decompress: f64,
}

impl MeanSpeed {
    #[expect(clippy::cast_precision_loss, reason = "a few MiB a part")]
    fn take(&mut self, speed: Option<Speed>) {
        let Some(speed) = speed else { return };
        let weight = speed.image_bytes_timed as f64;
        self.image_bytes = self.image_bytes.saturating_add(speed.image_bytes_timed);
        self.compress += weight * speed.compress_mb_per_s;
        if let Some(decompress) = speed.decompress_mb_per_s {
            self.unpacked_bytes = self.unpacked_bytes.saturating_add(speed.image_bytes_timed);
            self.decompress += weight * decompress;
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few MiB a part")]
    fn speed(&self) -> Option<Speed> {
        (self.image_bytes > 0).then(|| Speed {
            compress_mb_per_s: self.compress / self.image_bytes as f64,
            decompress_mb_per_s: (self.unpacked_bytes > 0)
                .then(|| self.decompress / self.unpacked_bytes as f64),
            image_bytes_timed: self.image_bytes,
        })
    }
}

/// What an index of a partial report is, as far as its pages depend on it once its entries are made.
///
/// # Errors
///
/// A pattern that no server takes.
pub fn spec_of(index: &PartialIndex) -> Result<IndexSpec, IndexError> {
    let mut fields = Vec::new();
    push_field(0x03, b"key", &index.pattern, &mut fields);
    let mut name = u32::try_from(index.name.len() + 1).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    name.extend_from_slice(index.name.as_bytes());
    name.push(0);
    push_field(0x02, b"name", &name, &mut fields);
    if index.uniqueness == Uniqueness::Unique {
        push_field(0x08, b"unique", &[1], &mut fields);
    }
    let mut document = u32::try_from(fields.len() + 5).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    document.append(&mut fields);
    document.push(0);
    IndexSpec::parse(&document)
}

fn push_field(kind: u8, name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(name);
    out.push(0);
    out.extend_from_slice(value);
}

//! One collection from its first document to its figures.

use super::{
    PipelineError, Plan, Progress, Timing,
    effort::{self, Packing},
    indexes::{self, IndexRun, Loaded},
    outcome::{self, Layout, PackProfile, PageOutcome, Pages},
    sample::RunPage,
    schedule::Lane,
    segments::{Batch, Segment, SegmentReader},
    speed::{self, ImageSample},
    state::State,
    what_if::{self, SampleSpread, Sampled},
    workers::{Job, Packed, Workers},
};
use crate::codec::CodecKind;
use crate::estimate::{
    BandBasis, Basis, CapFacts, CapReach, CodecName, CollectionEstimate, CollectionKind, ImageWalk,
    StorageEstimate, Tally,
    band::{self, Walk},
};
use crate::geometry::wiredtiger::{
    facts, feedback::ImageSize, file, internal::InternalBuilder, reconcile::Chunk, window::Aggregate,
};
use crate::record::{
    RecordId,
    collection::{Keys, Shape},
};
use crate::source::Source;
use crate::units::{AllocationUnit, BsonBytes, DiskBytes, PackedBytes, RawBytes, scaled};
use std::{ops::RangeInclusive, sync::Arc};

/// The run of one collection under all codecs.
pub(super) struct CollectionRun<'p> {
    plan: &'p Plan,
    workers: Workers,
    states: Vec<State>,
    runs: Vec<TableRun>,
    indexes: Vec<IndexRun>,
}

/// One table along the run: one state, one codec.
pub(super) struct TableRun {
    /// Position in the list of states.
    pub(super) state: usize,
    /// Position in the list of codecs.
    pub(super) codec: usize,
    pub(super) packing: Packing,
    kind: CodecKind,
    size: ImageSize,
    walk: Walk,
    tally: Tally,
    internal: InternalBuilder,
    pub(super) lanes: Vec<Lane>,
    pub(super) sample: ImageSample,
    /// Pages that the encoder packed for the expected size.
    pub(super) pages_packed: u64,
    pub(super) spread: SampleSpread,
    sizes: Option<ImageWalk>,
    /// What a sample of the documents leaves open.
    pub(super) sampling: Option<Sampling>,
    /// What segments that a lane could not follow leave open.
    pub(super) lane_doubt: DiskBytes,
}

/// How a sample stands for its collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sampling {
    /// Pages that each page stands for.
    pub(super) times: u64,
    /// Half the width of the interval that holds the figure in 95 of 100 samples, in millionths of it.
    pub(super) error_millionths: Option<u64>,
}

/// A page of a collection that is known by a sample.
pub(super) struct SampledPage<'s> {
    pub(super) page: &'s RunPage,
    /// The run that it is of.
    pub(super) segment: &'s Segment,
    /// Of its records in the collection.
    pub(super) numbers: RangeInclusive<u64>,
}

impl TableRun {
    pub(super) fn new(state: usize, codec: usize, kind: CodecKind, packing: Packing, plan: &Plan) -> Self {
        let config = &plan.table;
        let size = ImageSize::new(config, kind != CodecKind::None);
        Self {
            state,
            codec,
            packing,
            kind,
            size,
            walk: Walk::Steady,
            tally: Tally::default(),
            internal: InternalBuilder::new(config),
            lanes: if size.moves() { Lane::ensemble(size) } else { Vec::new() },
            sample: ImageSample::new(),
            pages_packed: 0,
            spread: SampleSpread::default(),
            sizes: (plan.walk == super::Walk::Record).then(ImageWalk::default),
            sampling: None,
            lane_doubt: DiskBytes(0),
        }
    }

    /// The codec.
    pub(super) fn kind(&self) -> CodecKind {
        self.kind
    }

    /// The image size at which the next segment is cut.
    pub(super) fn size(&self) -> ImageSize {
        self.size
    }
}

impl<'p> CollectionRun<'p> {
    pub(super) fn new(plan: &'p Plan) -> Result<Self, PipelineError> {
        let workers = Workers::new(plan.threads, plan.codecs.clone(), plan.table.allocation)
            .map_err(|source| PipelineError::Threads { threads: plan.threads, source })?;
        let states: Vec<State> =
            plan.loads.iter().map(|load| State::new(*load, plan.table.release)).collect();
        let packings = effort::packings(&plan.codecs, plan.effort);
        let runs = (0..states.len())
            .flat_map(|state| {
                let codecs = plan.codecs.iter().zip(&packings).enumerate();
                codecs.map(move |(codec, (kind, packing))| TableRun::new(state, codec, *kind, *packing, plan))
            })
            .collect();
        let indexes = plan.indexes.iter().cloned().map(IndexRun::new).collect();
        Ok(Self { plan, workers, states, runs, indexes })
    }

    pub(super) fn estimate(
        mut self,
        name: &str,
        source: &mut dyn Source,
        observe: &mut dyn FnMut(Progress),
    ) -> Result<CollectionEstimate, PipelineError> {
        let input = source.name().to_owned();
        let mut reader = SegmentReader::new(source, self.plan.on_bad, self.plan.shape, &self.plan.table);
        self.take_all(&mut reader, observe)?;
        observe(reader.progress());
        let skipped = reader.skipped();
        if reader.documents() == 0 {
            let first_reason = skipped.reasons.into_iter().next();
            return Err(PipelineError::NoDocuments { input, skipped: skipped.documents, first_reason });
        }
        let loaded = Loaded { documents: reader.documents(), bson: reader.bson() };
        let states = self.states;
        let indexes = indexes::finish(&self.indexes, &states, loaded, &self.plan.table, &self.workers);
        let storage =
            self.runs.into_iter().map(|run| run.finish(self.plan, &states, loaded.documents)).collect();
        Ok(CollectionEstimate {
            name: name.to_owned(),
            sources: vec![input],
            kind: kind_of(self.plan.shape, &reader),
            documents: reader.documents(),
            bson: reader.bson(),
            ids_added: reader.ids_added(),
            documents_skipped: skipped.documents,
            skip_reasons: skipped.reasons,
            sampled_fraction: 1.0,
            sample: None,
            storage,
            indexes,
            on_server: None,
            indexes_not_predicted: Vec::new(),
            oddities: None,
        })
    }

    /// Reads to the end, the next segments while the ones before are packed.
    fn take_all(
        &mut self,
        reader: &mut SegmentReader<'_>,
        observe: &mut dyn FnMut(Progress),
    ) -> Result<(), PipelineError> {
        let (mut batch, mut next) = (Batch::default(), Batch::default());
        batch.fill(reader)?;
        while !batch.segments().is_empty() {
            observe(reader.progress());
            let Self { plan, workers, states, runs, indexes } = &mut *self;
            let (read, _) = workers.join(
                || next.fill(reader),
                || {
                    let segments = batch.segments();
                    workers.join(
                        || take_keys(plan, workers, indexes, segments),
                        || pack_segments(plan, workers, states, runs, segments),
                    )
                },
            );
            read?;
            std::mem::swap(&mut batch, &mut next);
        }
        Ok(())
    }
}

fn kind_of(shape: Shape, reader: &SegmentReader<'_>) -> CollectionKind {
    let reach = if reader.cap_reached() { CapReach::Full } else { CapReach::Below };
    CollectionKind {
        clustered_out_of_order: (shape.keys == Keys::Clustered).then(|| reader.out_of_order()),
        capped: shape.capped.map(|cap| CapFacts {
            bson: BsonBytes(cap.bytes()),
            documents: cap.documents(),
            reach,
        }),
        server_codec: shape.purpose.server_codec(),
    }
}

/// One segment, and all that stays as it is while it is packed.
pub(super) struct Step<'s> {
    pub(super) plan: &'s Plan,
    pub(super) workers: &'s Workers,
    pub(super) states: &'s [State],
    pub(super) segment: &'s Segment,
    /// By state.
    pub(super) layouts: Vec<Layout>,
}

/// Makes every index take the keys of some segments.
fn take_keys(plan: &Plan, workers: &Workers, indexes: &mut [IndexRun], segments: &[Segment]) {
    for segment in segments {
        workers.for_each(indexes, |index| index.take(segment, segment.first_number - 1));
        indexes::bound(indexes, plan.index_memory_bytes);
    }
}

/// Packs some segments under every state and codec and moves all of them on.
///
/// A table's segments follow each other, since the pages of one decide how the next is cut. Tables do not wait for each
/// other: while one packs the last pages of a segment, other threads are at other tables'.
fn pack_segments(
    plan: &Plan,
    workers: &Workers,
    states: &[State],
    runs: &mut [TableRun],
    segments: &[Segment],
) {
    let steps = workers.map(segments, |segment| {
        let layouts = states.iter().map(|state| Layout::of(segment, state, plan.table.allocation)).collect();
        Step { plan, workers, states, segment, layouts }
    });
    let profiles: Vec<Vec<PackProfile>> = workers.map_mut(runs, |run| match run.packing {
        Packing::All => steps.iter().map(|step| run.pack_segment(step, None)).collect(),
        Packing::Sampled { .. } => Vec::new(),
    });
    workers.for_each(runs, |run| {
        let Packing::Sampled { like, .. } = run.packing else { return };
        let like = &profiles[run.state * plan.codecs.len() + like];
        for (step, like) in steps.iter().zip(like) {
            run.pack_segment(step, Some(like));
        }
    });
}

/// One table's pages of a segment in the sequential order, and how densely they packed.
pub(super) struct MainPages<'c> {
    pub(super) chunks: &'c [Chunk],
    pub(super) pages: Arc<Pages>,
    pub(super) profile: PackProfile,
}

impl TableRun {
    /// Packs the next segment and follows the lanes through it. Returns how densely its pages packed; a table that
    /// packs a sample of them needs that of the one it is `like`.
    fn pack_segment(&mut self, step: &Step<'_>, like: Option<&PackProfile>) -> PackProfile {
        let chunks = step.layouts[self.state].cut(self.size);
        let (outputs, packed) = match (self.packing, like) {
            (Packing::Sampled { pages, .. }, Some(like)) => {
                let Sampled { outputs, packed } = what_if::pack_sampled(step, self, &chunks, pages, like);
                (outputs, packed)
            }
            (Packing::All | Packing::Sampled { .. }, _) => {
                (self.pack_pages(step, &chunks), chunks.len() as u64)
            }
        };
        let main = self.take_segment(step, &chunks, &outputs, packed);
        what_if::follow_lanes(step, self, &main);
        main.profile
    }

    /// What the encoder made of each page.
    fn pack_pages(&mut self, step: &Step<'_>, chunks: &[Chunk]) -> Vec<Option<PackedBytes>> {
        let Step { plan, workers, states, segment, .. } = *step;
        if self.kind == CodecKind::None {
            return vec![None; chunks.len()];
        }
        let jobs: Vec<Job> = outcome::ranges(chunks)
            .map(|(start, end)| Job {
                records: start..end,
                clock: states[self.state].clock,
                codecs: vec![self.codec],
                keep_image: self.sample.wants_next() && plan.timing == Timing::Measure,
            })
            .collect();
        let packed = workers.pack(segment, &jobs).into_iter();
        let output = |packed: Packed| {
            if let Some(image) = packed.kept_image {
                self.sample.add(image);
            }
            packed.outputs[0]
        };
        packed.map(output).collect()
    }

    pub(super) fn take_segment<'c>(
        &mut self,
        step: &Step<'_>,
        chunks: &'c [Chunk],
        outputs: &[Option<PackedBytes>],
        pages_packed: u64,
    ) -> MainPages<'c> {
        let Step { plan, segment, states, .. } = *step;
        let state = &states[self.state];
        self.pages_packed += pages_packed;
        let unit = plan.table.allocation;
        let mut first = 0;
        let mut profile = PackProfile::default();
        let mut pages = Vec::with_capacity(chunks.len());
        for (chunk, packed) in chunks.iter().zip(outputs) {
            let page = outcome::outcome(chunk, *packed, unit);
            let last = first + chunk.records as usize - 1;
            let windows = state.aggregate(segment.number(first), segment.number(last));
            self.take_page(&page, segment.record_id(first), segment.record_id(last), windows, unit);
            let cell_bytes = chunk.image_bytes - u64::from(facts::HEADER_BYTES);
            profile.push(cell_bytes, packed.map_or(chunk.image_bytes, |packed| packed.0));
            pages.push(page);
            first = last + 1;
        }
        MainPages { chunks, pages: Arc::new(Pages::new(pages)), profile }
    }

    fn take_page(
        &mut self,
        page: &PageOutcome,
        first: RecordId<'_>,
        last: RecordId<'_>,
        windows: Option<Aggregate>,
        unit: AllocationUnit,
    ) {
        self.internal.push_leaf(first, last, windows, DiskBytes(page.stored_bytes));
        let moved = page.moves(self.size);
        if moved != self.size {
            self.walk = Walk::Moving;
        }
        self.size = moved;
        if let Some(sizes) = &mut self.sizes {
            sizes.push(moved.bytes());
        }
        count_page(&mut self.tally, page, unit.bytes());
    }

    /// Takes the next page of a collection that is known by a sample.
    pub(super) fn take_sampled(&mut self, state: &State, sampled: &SampledPage<'_>, unit: AllocationUnit) {
        let SampledPage { page, segment, ref numbers } = *sampled;
        let windows = state.aggregate(*numbers.start(), *numbers.end());
        let last = (page.first + page.records.max(1) as usize - 1) % segment.records();
        let of = |record, number| match segment.record_id(record) {
            RecordId::Number(_) => RecordId::Number(number),
            clustered @ RecordId::Clustered(_) => clustered,
        };
        let (first, last) = (of(page.first, *numbers.start()), of(last, *numbers.end()));
        self.take_page(&page.outcome, first, last, windows, unit);
    }

    pub(super) fn finish(self, plan: &Plan, states: &[State], records: u64) -> StorageEstimate {
        let Self {
            state,
            kind,
            size,
            mut tally,
            internal,
            lanes,
            sample,
            walk,
            pages_packed,
            spread,
            packing,
            sizes,
            sampling,
            lane_doubt,
            ..
        } = self;
        let mut internal = internal.finish();
        let times = sampling.map_or(1, |sampling| sampling.times);
        if times > 1 {
            tally.multiply(times);
            internal.pages *= times;
            internal.blocks.0 *= times;
        }
        tally.internal_pages = internal.pages;
        tally.internal_blocks = internal.blocks;
        tally.overhead = file::skeleton(&plan.table);
        tally.assert_complete();
        let storage = tally.storage();
        // A byte a value, packed as the rest of the image is.
        let age = match states[state].clock {
            Some(_) => DiskBytes(scaled(records, tally.leaf_blocks.0, tally.leaf_image.0)),
            None => DiskBytes(0),
        };
        let others = lanes.into_iter().map(|lane| {
            let (leaf_bytes, leaves) = lane.finish();
            let (leaf_bytes, leaves) = (leaf_bytes * times, leaves * times);
            let internal = scaled(internal.blocks.0, leaves.max(1), tally.leaf_pages);
            DiskBytes(leaf_bytes + plan.table.allocation.round_up(internal).0 + tally.overhead.0)
        });
        let levels = spread.error_millionths(tally.leaf_pages);
        // A sample that cannot tell its error may be off by anything.
        let documents = sampling.map_or(0, |sampling| sampling.error_millionths.unwrap_or(1_000_000));
        let doubt = DiskBytes(age.0 + lane_doubt.0 + scaled(storage.0, levels + documents, 1_000_000));
        let band = band::around(storage, others, walk, doubt, plan.table.allocation);
        StorageEstimate {
            load: states[state].load,
            codec: CodecName { name: kind.name(), level: kind.level() },
            storage,
            band,
            band_basis: if lane_doubt.0 == 0 { BandBasis::Followed } else { BandBasis::Widened },
            basis: match (packing, sampling) {
                (Packing::All, None) => Basis::Modelled,
                _ => Basis::Extrapolated,
            },
            sampling_error_millionths: sampling.and_then(|sampling| sampling.error_millionths),
            pages_packed,
            speed: (plan.timing == Timing::Measure).then(|| speed::measure(kind, sample.images())).flatten(),
            walk: sizes,
            tally,
            image_tuned: RawBytes(size.bytes().into()),
        }
    }
}

/// A block is just over a unit if this part of it less would make it a unit shorter: two per cent.
const JUST_OVER_DIVISOR: u64 = 50;

fn count_page(tally: &mut Tally, page: &PageOutcome, unit_bytes: u64) {
    tally.leaf_pages += 1;
    tally.leaf_image += RawBytes(page.image_bytes);
    tally.leaf_blocks += DiskBytes(page.stored_bytes);
    let used_bytes = if let Some(packed_bytes) = page.packed_bytes {
        tally.leaf_packed += PackedBytes(packed_bytes);
        let shorter_bytes = packed_bytes - packed_bytes / JUST_OVER_DIVISOR;
        let saves_a_unit = shorter_bytes.div_ceil(unit_bytes) < packed_bytes.div_ceil(unit_bytes);
        tally.blocks_just_over += u64::from(saves_a_unit);
        packed_bytes
    } else {
        tally.leaf_kept_raw += RawBytes(page.image_bytes);
        tally.pages_kept_raw += 1;
        page.image_bytes
    };
    tally.leaf_padding += DiskBytes(page.stored_bytes - used_bytes);
    *tally.block_histogram.0.entry(page.stored_bytes / unit_bytes).or_default() += 1;
}

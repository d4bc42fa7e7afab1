//! One collection from its first document to its figures.

use super::{
    PipelineError, Plan, Progress, Timing,
    outcome::{self, Layout, PackProfile, PageOutcome, Pages},
    schedule::Lane,
    segments::{Segment, SegmentReader},
    speed::{self, ImageSample},
    workers::{Job, Packed, Workers},
};
use crate::codec::CodecKind;
use crate::estimate::{
    Basis, CodecName, CollectionEstimate, LoadState, StorageEstimate, Tally,
    band::{self, Walk},
};
use crate::geometry::wiredtiger::{
    TableConfig, facts, feedback::ImageSize, file, internal::InternalBuilder, reconcile::Chunk,
};
use crate::source::Source;
use crate::units::{DiskBytes, PackedBytes, RawBytes};
use std::{collections::BTreeMap, sync::Arc};

/// Share of a segment's pages that the band may pack again at other image sizes, as a divisor.
const BAND_PAGES_DIVISOR: usize = 6;
/// Pages packed at each further image size, at least.
const BAND_PAGES_MIN: usize = 2;

/// The run of one collection under all codecs.
pub(super) struct CollectionRun<'p> {
    plan: &'p Plan,
    workers: Workers,
    codecs: Vec<CodecRun>,
}

/// One codec's state along the run.
struct CodecRun {
    kind: CodecKind,
    size: ImageSize,
    walk: Walk,
    tally: Tally,
    internal: InternalBuilder,
    lanes: Vec<Lane>,
    sample: ImageSample,
}

impl CodecRun {
    fn new(kind: CodecKind, config: &TableConfig) -> Self {
        let size = ImageSize::new(config, kind != CodecKind::None);
        Self {
            kind,
            size,
            walk: Walk::Steady,
            tally: Tally::default(),
            internal: InternalBuilder::new(config),
            lanes: if size.moves() { Lane::ensemble(size) } else { Vec::new() },
            sample: ImageSample::new(),
        }
    }
}

impl<'p> CollectionRun<'p> {
    pub(super) fn new(plan: &'p Plan) -> Result<Self, PipelineError> {
        let workers = Workers::new(plan.threads, plan.codecs.clone(), plan.table.allocation)
            .map_err(|source| PipelineError::Threads { threads: plan.threads, source })?;
        let codecs = plan.codecs.iter().map(|kind| CodecRun::new(*kind, &plan.table)).collect();
        Ok(Self { plan, workers, codecs })
    }

    pub(super) fn estimate(
        mut self,
        name: &str,
        source: &mut dyn Source,
        observe: &mut dyn FnMut(Progress),
    ) -> Result<CollectionEstimate, PipelineError> {
        let input = source.name().to_owned();
        let mut reader = SegmentReader::new(source, self.plan.on_bad, &self.plan.table);
        let (mut segment, mut next) = (Segment::default(), Segment::default());
        let mut there_is_more = reader.next_segment(&mut segment)?;
        while there_is_more {
            observe(reader.progress());
            let Self { plan, workers, codecs } = &mut self;
            let (read, ()) = workers
                .join(|| reader.next_segment(&mut next), || pack_segment(plan, workers, codecs, &segment));
            there_is_more = read?;
            std::mem::swap(&mut segment, &mut next);
        }
        observe(reader.progress());
        let skipped = reader.skipped();
        if reader.documents() == 0 {
            let first_reason = skipped.reasons.into_iter().next();
            return Err(PipelineError::NoDocuments { input, skipped: skipped.documents, first_reason });
        }
        let storage = self.codecs.into_iter().map(|run| run.finish(self.plan)).collect();
        Ok(CollectionEstimate {
            name: name.to_owned(),
            sources: vec![input],
            documents: reader.documents(),
            bson: reader.bson(),
            ids_added: reader.ids_added(),
            documents_skipped: skipped.documents,
            skip_reasons: skipped.reasons,
            sampled_fraction: 1.0,
            storage,
        })
    }
}

/// Packs one segment under every codec and moves all states on.
fn pack_segment(plan: &Plan, workers: &Workers, codecs: &mut [CodecRun], segment: &Segment) {
    let layout = Layout::of(segment, plan.table.allocation);
    let chunks: Vec<Vec<Chunk>> = codecs.iter().map(|run| layout.cut(run.size)).collect();
    let packed = pack_main(plan, workers, codecs, segment, &chunks);
    let mains: Vec<MainPages> = codecs
        .iter_mut()
        .zip(&chunks)
        .zip(&packed)
        .map(|((run, chunks), packed)| run.take_segment(plan, segment, chunks, packed))
        .collect();
    follow_lanes(plan, workers, codecs, segment, &layout, &mains);
}

/// What the encoder made of each page, by codec. Codecs at the same image size share their images.
fn pack_main(
    plan: &Plan,
    workers: &Workers,
    codecs: &mut [CodecRun],
    segment: &Segment,
    chunks: &[Vec<Chunk>],
) -> Vec<Vec<Option<PackedBytes>>> {
    let mut by_size: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, run) in codecs.iter().enumerate() {
        if run.kind != CodecKind::None {
            by_size.entry(run.size.bytes()).or_default().push(index);
        }
    }
    let mut jobs = Vec::new();
    for sharing in by_size.values() {
        let mut start = 0;
        for chunk in &chunks[sharing[0]] {
            let end = start + chunk.records as usize;
            // Every codec of the group asks, so that each keeps its own even sample.
            let wanted: Vec<bool> = sharing.iter().map(|index| codecs[*index].sample.wants_next()).collect();
            let keep_image = plan.timing == Timing::Measure && wanted.contains(&true);
            jobs.push((wanted, Job { records: start..end, codecs: sharing.clone(), keep_image }));
            start = end;
        }
    }
    let (wanted, jobs): (Vec<_>, Vec<_>) = jobs.into_iter().unzip();
    let mut outputs: Vec<Vec<Option<PackedBytes>>> = codecs.iter().map(|_| Vec::new()).collect();
    for (wanted, Packed { outputs: packed, kept_image, .. }) in
        wanted.iter().zip(workers.pack(segment, &jobs))
    {
        for ((index, packed), wanted) in packed.into_iter().zip(wanted) {
            outputs[index].push(packed);
            if let Some(image) = kept_image.as_ref().filter(|_| *wanted) {
                codecs[index].sample.add(Arc::clone(image));
            }
        }
    }
    for (outputs, chunks) in outputs.iter_mut().zip(chunks) {
        outputs.resize(chunks.len(), None); // `none` packs nothing
    }
    outputs
}

/// One codec's pages of a segment in the sequential order, and how densely they packed.
struct MainPages<'c> {
    chunks: &'c [Chunk],
    pages: Arc<Pages>,
    profile: PackProfile,
}

impl CodecRun {
    fn take_segment<'c>(
        &mut self,
        plan: &Plan,
        segment: &Segment,
        chunks: &'c [Chunk],
        outputs: &[Option<PackedBytes>],
    ) -> MainPages<'c> {
        let unit = plan.table.allocation;
        let mut record_id = segment.first_record_id;
        let mut profile = PackProfile::default();
        let mut pages = Vec::with_capacity(chunks.len());
        for (chunk, packed) in chunks.iter().zip(outputs) {
            let page = outcome::outcome(chunk, *packed, unit);
            let last = record_id + u64::from(chunk.records) - 1;
            self.internal.push_leaf(record_id, last, DiskBytes(page.stored_bytes));
            let moved = page.moves(self.size);
            if moved != self.size {
                self.walk = Walk::Moving;
            }
            self.size = moved;
            count_page(&mut self.tally, &page, unit.bytes());
            let cell_bytes = chunk.image_bytes - u64::from(facts::HEADER_BYTES);
            profile.push(cell_bytes, packed.map_or(chunk.image_bytes, |packed| packed.0));
            pages.push(page);
            record_id = last + 1;
        }
        MainPages { chunks, pages: Arc::new(Pages::new(pages)), profile }
    }

    fn finish(self, plan: &Plan) -> StorageEstimate {
        let Self { kind, mut tally, internal, lanes, sample, walk, .. } = self;
        let internal = internal.finish();
        tally.internal_pages = internal.pages;
        tally.internal_blocks = internal.blocks;
        tally.overhead = file::skeleton(&plan.table);
        tally.assert_complete();
        let storage = tally.storage();
        let others = lanes.into_iter().map(|lane| {
            let (leaf_bytes, leaves) = lane.finish();
            let internal = internal.blocks.0 * leaves.max(1) / tally.leaf_pages.max(1);
            DiskBytes(leaf_bytes + plan.table.allocation.round_up(internal).0 + tally.overhead.0)
        });
        let band = band::around(storage, others, walk, plan.table.allocation);
        StorageEstimate {
            load: LoadState::Settled,
            codec: CodecName { name: kind.name(), level: kind.level() },
            storage,
            band,
            basis: Basis::Modelled,
            speed: (plan.timing == Timing::Measure).then(|| speed::measure(kind, sample.images())).flatten(),
            tally,
        }
    }
}

fn count_page(tally: &mut Tally, page: &PageOutcome, unit_bytes: u64) {
    tally.leaf_pages += 1;
    tally.leaf_image += RawBytes(page.image_bytes);
    tally.leaf_blocks += DiskBytes(page.stored_bytes);
    let used_bytes = if let Some(packed_bytes) = page.packed_bytes {
        tally.leaf_packed += PackedBytes(packed_bytes);
        packed_bytes
    } else {
        tally.leaf_kept_raw += RawBytes(page.image_bytes);
        tally.pages_kept_raw += 1;
        page.image_bytes
    };
    tally.leaf_padding += DiskBytes(page.stored_bytes - used_bytes);
    *tally.block_histogram.0.entry(page.stored_bytes / unit_bytes).or_default() += 1;
}

/// A segment at an image size that the run did not take: some of its pages are to be packed.
struct WhatIf {
    codec: usize,
    chunks: Vec<Chunk>,
    /// Pages that are packed, in key order.
    sampled: Vec<usize>,
    /// Lanes that go on with it.
    lanes: Vec<usize>,
}

impl WhatIf {
    /// Chooses pages evenly, each in the middle of its stretch; the last page is an odd one.
    fn sample(&mut self, sizes: usize) {
        let pages = self.chunks.len();
        let wanted = (pages / BAND_PAGES_DIVISOR / sizes).max(BAND_PAGES_MIN).min(pages);
        self.sampled = (0..wanted).map(|nth| (2 * nth + 1) * (pages - 1) / (2 * wanted)).collect();
        self.sampled.dedup();
    }

    /// One for each sampled page.
    fn jobs(&self) -> impl Iterator<Item = Job> {
        let mut sampled = self.sampled.iter().peekable();
        let mut end = 0;
        self.chunks.iter().enumerate().filter_map(move |(page, chunk)| {
            let start = end;
            end += chunk.records as usize;
            let job = Job { records: start..end, codecs: vec![self.codec], keep_image: false };
            sampled.next_if_eq(&&page).map(|_| job)
        })
    }
}

/// Moves the other orders on: each cuts the segment at its own image size.
fn follow_lanes(
    plan: &Plan,
    workers: &Workers,
    codecs: &mut [CodecRun],
    segment: &Segment,
    layout: &Layout,
    mains: &[MainPages<'_>],
) {
    let what_ifs: Vec<WhatIf> = codecs
        .iter_mut()
        .zip(mains)
        .enumerate()
        .flat_map(|(codec, (run, main))| cut_lanes(codec, run, layout, main))
        .collect();
    let jobs: Vec<Job> = what_ifs.iter().flat_map(WhatIf::jobs).collect();
    let mut packed = workers.pack(segment, &jobs).into_iter();
    for what_if in what_ifs {
        let mut sampled = vec![None; what_if.chunks.len()];
        for (page, Packed { image, outputs, .. }) in what_if.sampled.iter().zip(packed.by_ref()) {
            // An encoder that gave up made at least as many bytes as it got.
            sampled[*page] = Some(outputs[0].1.unwrap_or(PackedBytes(image.0)));
        }
        let profile = &mains[what_if.codec].profile;
        let pages = outcome::extrapolate(&what_if.chunks, layout, profile, &sampled, plan.table.allocation);
        let pages = Arc::new(pages);
        for lane in what_if.lanes {
            codecs[what_if.codec].lanes[lane].start(Arc::clone(&pages));
        }
    }
}

/// Cuts the segment for each of one codec's lanes. Those that cut it as the run did start at once; the others
/// are brought together by their boundaries, since nearby image sizes often lead to the same ones.
fn cut_lanes(codec: usize, run: &mut CodecRun, layout: &Layout, main: &MainPages<'_>) -> Vec<WhatIf> {
    let mut what_ifs: Vec<WhatIf> = Vec::new();
    for (index, lane) in run.lanes.iter_mut().enumerate() {
        let chunks = layout.cut(lane.segment_filled(layout.cell_bytes(), &main.pages));
        if chunks == main.chunks {
            lane.start(Arc::clone(&main.pages));
        } else if let Some(known) = what_ifs.iter_mut().find(|known| known.chunks == chunks) {
            known.lanes.push(index);
        } else {
            what_ifs.push(WhatIf { codec, chunks, sampled: Vec::new(), lanes: vec![index] });
        }
    }
    let sizes = what_ifs.len();
    what_ifs.iter_mut().for_each(|what_if| what_if.sample(sizes));
    what_ifs
}

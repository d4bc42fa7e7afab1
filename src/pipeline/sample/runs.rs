//! Which documents a sample takes: runs of neighbours, one from each stretch of the input.
//!
//! Pages hold neighbours, so single documents would tell nothing of how they pack. One run from each of many equal
//! stretches sees what changes along the input, which runs drawn from all of it could miss.

use crate::pipeline::{
    PipelineError, Plan, Progress,
    segments::{Segment, SegmentReader},
};
use crate::record::collection::IdMaker;
use crate::source::{Entered, Jumps, Skipped, Source};
use crate::units::scaled;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};
use std::ops::Range;

/// Memory for sampled documents, whatever share of the input was asked for: 256 MiB.
pub const SAMPLE_BYTES_MAX: u64 = 256 << 20;

/// Documents in a row, beside the runs, that tell how indexes with ascending keys lie: 8 MiB at most, and 1 MiB at
/// least where the input has as many.
const ROW_BYTES_MAX: u64 = 8 << 20;
const ROW_BYTES_MIN: u64 = 1 << 20;

/// One run of documents.
pub struct Run {
    /// Its documents, numbered about where they stand in the collection.
    pub segment: Segment,
}

/// A stretch of the input and the run that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Position in the list of runs.
    pub run: usize,
    /// Documents in it.
    pub documents: u64,
    /// Their BSON bytes, added `_id`s included.
    pub bson_bytes: u64,
}

/// How the documents of a stretch are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Totals {
    /// The input was read through.
    Counted,
    /// From the bytes of the input and the lengths of the runs' documents.
    Extrapolated,
}

/// Runs, and what they stand for.
pub struct Sample {
    /// In the order in which they were taken.
    pub runs: Vec<Run>,
    /// In the order of the input.
    pub stretches: Vec<Stretch>,
    /// More documents in a row than a run has, once they are taken.
    pub row: Segment,
    /// How `stretches` are known.
    pub totals: Totals,
    /// Share of the input's documents that the runs hold, by bytes.
    pub fraction: f64,
    /// What was skipped on the way.
    pub skipped: Skipped,
    /// Documents of the runs that were given an `_id`.
    pub ids_added: u64,
    /// Documents of the runs whose clustered key is not above the one before.
    pub out_of_order: u64,
}

impl Sample {
    /// Documents of the whole input.
    pub fn documents(&self) -> u64 {
        self.stretches.iter().map(|stretch| stretch.documents).sum()
    }

    /// Their BSON bytes.
    pub fn bson_bytes(&self) -> u64 {
        self.stretches.iter().map(|stretch| stretch.bson_bytes).sum()
    }

    /// Documents in the runs.
    pub fn documents_read(&self) -> u64 {
        self.runs.iter().map(|run| run.segment.records() as u64).sum()
    }

    /// Their BSON bytes.
    pub fn bson_bytes_read(&self) -> u64 {
        self.runs.iter().map(|run| run.segment.bytes.len() as u64).sum()
    }
}

/// An even number below `bound`, which is not 0.
fn below(rng: &mut ChaCha8Rng, bound: u64) -> u64 {
    // The product's upper half; what 2^64 leaves over is 2^-20 of it at most.
    u64::try_from((u128::from(rng.next_u64()) * u128::from(bound)) >> 64).unwrap_or(0)
}

/// Takes runs from a file that can be entered anywhere; can take twice as many again and again.
pub struct JumpSampler<'p> {
    plan: &'p Plan,
    jumps: Jumps,
    rng: ChaCha8Rng,
    run_bytes: u64,
    ranges: Vec<(Range<u64>, Option<Taken>)>,
    runs: Vec<Run>,
    ids: IdMaker,
    skipped: Skipped,
    ids_added: u64,
    out_of_order: u64,
    bytes_read: u64,
}

/// What ends the search for a small error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleLimit {
    /// The runs would be most of the file.
    File,
    /// They would not fit into [`SAMPLE_BYTES_MAX`].
    Memory,
}

/// A run that was taken, and where.
#[derive(Clone, Copy)]
struct Taken {
    run: usize,
    at: u64,
    input_bytes: u64,
}

impl<'p> JumpSampler<'p> {
    /// Over `stretches` stretches, with runs of `run_bytes`.
    pub fn new(plan: &'p Plan, jumps: Jumps, seed: u64, stretches: u64, run_bytes: u64) -> Self {
        let bytes = jumps.bytes();
        let stretches = stretches.clamp(1, bytes.max(1));
        let edge = |nth: u64| scaled(bytes, nth, stretches);
        Self {
            plan,
            jumps,
            rng: ChaCha8Rng::seed_from_u64(seed),
            run_bytes,
            ranges: (0..stretches).map(|nth| (edge(nth)..edge(nth + 1), None)).collect(),
            runs: Vec::new(),
            ids: IdMaker::new(),
            skipped: Skipped::default(),
            ids_added: 0,
            out_of_order: 0,
            bytes_read: 0,
        }
    }

    /// Documents in a row, about as many as the runs have, from an even place.
    pub fn take_row(&mut self) -> Result<Segment, PipelineError> {
        let bytes = self.bytes_read.clamp(ROW_BYTES_MIN, ROW_BYTES_MAX);
        let at = below(&mut self.rng, self.jumps.bytes().saturating_sub(bytes) + 1);
        match self.jumps.open_at(at)? {
            None => Ok(Segment::default()),
            Some(Entered { begins, mut source }) => Ok(self.read(&mut *source, begins, bytes)?.0),
        }
    }

    /// Halves every stretch; a run stays with the half in which it begins.
    pub fn split(&mut self) {
        let halves = self.ranges.iter().flat_map(|(range, taken)| {
            let middle = range.start.midpoint(range.end);
            let is_left = taken.is_some_and(|taken| taken.at < middle);
            let (left, right) = if is_left { (*taken, None) } else { (None, *taken) };
            [(range.start..middle, left), (middle..range.end, right)]
        });
        self.ranges = halves.filter(|(range, _)| !range.is_empty()).collect();
    }

    /// Why twice as many runs are too many, if they are.
    pub fn limit(&self) -> Option<SampleLimit> {
        let next = 2 * self.bytes_read;
        if next > self.jumps.bytes() / 2 {
            Some(SampleLimit::File)
        } else {
            (next > SAMPLE_BYTES_MAX).then_some(SampleLimit::Memory)
        }
    }

    /// Takes a run from every stretch that has none.
    pub fn fill(&mut self, observe: &mut dyn FnMut(Progress)) -> Result<(), PipelineError> {
        for nth in 0..self.ranges.len() {
            if self.ranges[nth].1.is_none() {
                let range = self.ranges[nth].0.clone();
                self.ranges[nth].1 = self.take(range)?;
                let documents = self.runs.iter().map(|run| run.segment.records() as u64).sum();
                let bytes_total = Some(self.ranges.len() as u64 * self.run_bytes);
                observe(Progress { documents, bytes_read: self.bytes_read, bytes_total });
            }
        }
        Ok(())
    }

    fn take(&mut self, range: Range<u64>) -> Result<Option<Taken>, PipelineError> {
        let room = (range.end - range.start).saturating_sub(self.run_bytes) + 1;
        let drawn = range.start + below(&mut self.rng, room);
        let opened = match self.jumps.open_at(drawn)? {
            None => self.jumps.open_at(range.start)?,
            opened => opened,
        };
        let Some(Entered { begins: at, mut source }) = opened else { return Ok(None) };
        let (segment, input_bytes) = self.read(&mut *source, at, self.run_bytes)?;
        self.bytes_read += input_bytes;
        if segment.records() == 0 {
            return Ok(None);
        }
        self.runs.push(Run { segment });
        Ok(Some(Taken { run: self.runs.len() - 1, at, input_bytes }))
    }

    /// Documents of `bytes` bytes from `at` on, numbered about where they stand; and how long they are in the input.
    fn read(
        &mut self,
        source: &mut dyn Source,
        at: u64,
        bytes: u64,
    ) -> Result<(Segment, u64), PipelineError> {
        let mut segment = Segment::default();
        let reader = SegmentReader::new(source, self.plan.on_bad, self.plan.shape, &self.plan.table);
        let ids = std::mem::take(&mut self.ids);
        let before = ids.count();
        let mut reader = reader.in_runs(bytes, ids);
        reader.next_segment(&mut segment)?;
        let input_bytes = reader.position();
        self.skipped.add(&reader.skipped());
        self.out_of_order += reader.out_of_order();
        self.ids = reader.into_ids();
        self.ids_added += self.ids.count() - before;
        segment.first_number = 1 + scaled(at, segment.records() as u64, input_bytes);
        segment.shrink();
        Ok((segment, input_bytes))
    }

    /// What was taken so far. Stretches without a document of their own are their neighbour's.
    pub fn sample(&mut self) -> Sample {
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut waiting_bytes = 0;
        for (range, taken) in &self.ranges {
            waiting_bytes += range.end - range.start;
            let Some(Taken { run, input_bytes, .. }) = taken else { continue };
            let segment = &self.runs[*run].segment;
            let of_stretch = |own: usize| scaled(own as u64, waiting_bytes, *input_bytes);
            let documents = of_stretch(segment.records()).max(1);
            stretches.push(Stretch { run: *run, documents, bson_bytes: of_stretch(segment.bytes.len()) });
            waiting_bytes = 0;
        }
        if let Some(last) = stretches.last_mut().filter(|_| waiting_bytes > 0) {
            last.documents += scaled(last.documents, waiting_bytes, last.bson_bytes);
            last.bson_bytes += waiting_bytes;
        }
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let fraction = (self.bytes_read as f64 / self.jumps.bytes().max(1) as f64).min(1.0);
        Sample {
            runs: std::mem::take(&mut self.runs),
            stretches,
            row: Segment::default(),
            totals: Totals::Extrapolated,
            fraction,
            skipped: self.skipped.clone(),
            ids_added: self.ids_added,
            out_of_order: self.out_of_order,
        }
    }

    /// Takes the runs of [`JumpSampler::sample`] back, to take more.
    pub fn resume(&mut self, sample: Sample) {
        self.runs = sample.runs;
    }
}

/// A run among so many blocks of the stream, drawn evenly.
struct Group {
    segment: Segment,
    blocks: u64,
    documents: u64,
    bson_bytes: u64,
}

/// Reads `source` through and keeps one block in `stride`, drawn evenly from each group of neighbours; where those are
/// more than `bytes_max`, groups are joined two by two.
pub fn from_stream(
    source: &mut dyn Source,
    plan: &Plan,
    StreamPlan { seed, stride, bytes_max, run_bytes }: StreamPlan,
    observe: &mut dyn FnMut(Progress),
) -> Result<Sample, PipelineError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let reader = SegmentReader::new(source, plan.on_bad, plan.shape, &plan.table);
    let mut reader = reader.in_runs(run_bytes, IdMaker::new());
    let (mut stride, mut kept_bytes) = (stride.max(1), 0);
    let mut groups: Vec<Group> = Vec::new();
    let (mut block, mut row) = (Segment::default(), Segment::default());
    while reader.next_segment(&mut block)? {
        observe(reader.progress());
        if groups.last().is_none_or(|group| group.blocks == stride) {
            groups.push(Group { segment: Segment::default(), blocks: 0, documents: 0, bson_bytes: 0 });
        }
        if (row.bytes.len() as u64) < ROW_BYTES_MAX {
            row.append(&block);
        }
        let Some(group) = groups.last_mut() else { continue };
        group.blocks += 1;
        group.documents += block.records() as u64;
        group.bson_bytes += block.bytes.len() as u64;
        // The short block at the end stands for no others if it can be helped.
        let is_short = group.blocks > 1 && (block.bytes.len() as u64) < run_bytes / 2;
        if !is_short && below(&mut rng, group.blocks) == 0 {
            kept_bytes += block.bytes.len() as u64;
            kept_bytes -= group.segment.bytes.len() as u64;
            std::mem::swap(&mut group.segment, &mut block);
        }
        while kept_bytes > bytes_max && groups.len() > 2 {
            groups = joined(groups, &mut rng);
            stride *= 2;
            kept_bytes = groups.iter().map(|group| group.segment.bytes.len() as u64).sum();
        }
    }
    observe(reader.progress());
    let bson_bytes = reader.bson().0;
    let (skipped, ids_added, out_of_order) = (reader.skipped(), reader.ids_added(), reader.out_of_order());
    let stretches = groups.iter().enumerate().map(|(run, group)| Stretch {
        run,
        documents: group.documents,
        bson_bytes: group.bson_bytes,
    });
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let fraction = kept_bytes as f64 / bson_bytes.max(1) as f64;
    Ok(Sample {
        stretches: stretches.collect(),
        row,
        runs: groups.into_iter().map(|group| Run { segment: group.segment }).collect(),
        totals: Totals::Counted,
        fraction,
        skipped,
        ids_added,
        out_of_order,
    })
}

/// How a stream is sampled.
#[derive(Clone, Copy, Debug)]
pub struct StreamPlan {
    /// Of the draws.
    pub seed: u64,
    /// One block in so many at first.
    pub stride: u64,
    /// Bytes of runs that are kept at most.
    pub bytes_max: u64,
    /// Of a block.
    pub run_bytes: u64,
}

/// Neighbours two by two; each of their blocks is as likely as the others.
fn joined(groups: Vec<Group>, rng: &mut ChaCha8Rng) -> Vec<Group> {
    let mut groups = groups.into_iter();
    let mut joined = Vec::with_capacity(groups.len() / 2 + 1);
    while let Some(left) = groups.next() {
        joined.push(match groups.next() {
            None => left,
            Some(right) => {
                let blocks = left.blocks + right.blocks;
                let segment = if below(rng, blocks) < left.blocks { left.segment } else { right.segment };
                Group {
                    segment,
                    blocks,
                    documents: left.documents + right.documents,
                    bson_bytes: left.bson_bytes + right.bson_bytes,
                }
            }
        });
    }
    joined
}

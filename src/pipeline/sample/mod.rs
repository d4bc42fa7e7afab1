//! A collection from a sample of its documents.
//!
//! ```text
//!  stretches of the input ──► a run of each ──► its pages, packed at the image sizes that are met
//!                                                        │
//!  segments of the whole collection ──► pages of their stretches' runs ──► image size, blocks, tree, lanes
//! ```
//!
//! The collection is followed segment by segment as a full run follows it, so that the image size settles as slowly,
//! keys grow as long and internal pages as many as in the whole; only the pages are those of the runs, over and over.

mod indexes;
mod pages;
mod runs;
mod stretched;
mod walk;

pub(super) use pages::RunPage;

use super::{
    PipelineError, Plan, Progress,
    effort::Packing,
    run::{self, TableRun},
    state::State,
    workers::Workers,
};
use crate::estimate::{Basis, CapFacts, CapReach, CollectionEstimate, CollectionKind, SampleFacts};
use crate::geometry::wiredtiger::feedback::ImageSize;
use crate::record::collection::Keys;
use crate::source::Source;
use crate::units::{BsonBytes, scaled};
use pages::TablePages;
use runs::{JumpSampler, SAMPLE_BYTES_MAX, Sample, SampleLimit, StreamPlan, Totals};
use std::num::NonZeroU64;
use stretched::{Scaling, Stretched};

/// Which documents are modelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// How many.
    pub amount: Amount,
    /// Of the draws: the same seed draws the same documents.
    pub seed: u64,
    /// Documents of the collection that is predicted; `None` for those of the input.
    pub scale_to: Option<NonZeroU64>,
}

/// How much is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// A share of the input, above 0 and at most 1.
    Share(f64),
    /// Bytes of documents.
    Bytes(u64),
    /// As much as it takes until the sampling error is at most so many millionths.
    Error(u64),
}

/// What is sampled where only a number of documents was asked for: 64 MB.
pub const SAMPLE_BYTES_DEFAULT: u64 = 64_000_000;

/// Runs that a sample has at least, where it is large enough for runs of [`run_bytes_min`].
const RUNS_WANTED: u64 = 24;
/// A run is no longer than that.
const RUN_BYTES_MAX: u64 = 1 << 20;
/// Runs that a search for an error begins with, and their length.
const FIRST_RUNS: u64 = 32;
const FIRST_RUN_BYTES: u64 = 256 << 10;

/// A run holds one page at the largest image size at least.
fn run_bytes_min(plan: &Plan) -> u64 {
    u64::from(plan.table.image_bytes_max())
}

/// Estimates one collection from a sample; `None` where the sample would be all of a file and nothing is scaled: then
/// all of it is to be modelled, exactly.
pub(super) fn estimate(
    plan: &Plan,
    sampling: Sampling,
    name: &str,
    source: &mut dyn Source,
    observe: &mut dyn FnMut(Progress),
) -> Result<Option<CollectionEstimate>, PipelineError> {
    let input = source.name().to_owned();
    let workers = Workers::new(plan.threads, plan.codecs.clone(), plan.table.allocation)
        .map_err(|source| PipelineError::Threads { threads: plan.threads, source })?;
    let mut run = SampledRun::new(plan, sampling, &workers);
    let Some(sample) = run.take_sample(source, observe)? else { return Ok(None) };
    if sample.documents_read() == 0 {
        let first_reason = sample.skipped.reasons.into_iter().next();
        return Err(PipelineError::NoDocuments { input, skipped: sample.skipped.documents, first_reason });
    }
    Ok(Some(run.finish(name, input, &sample)))
}

struct SampledRun<'p> {
    plan: &'p Plan,
    sampling: Sampling,
    workers: &'p Workers,
    states: Vec<State>,
    tables: Vec<Table<'p>>,
}

/// One table: its pages, and the error of the sample that they are of.
struct Table<'p> {
    state: usize,
    codec: usize,
    pages: TablePages<'p>,
    error_millionths: Option<u64>,
}

impl<'p> SampledRun<'p> {
    fn new(plan: &'p Plan, sampling: Sampling, workers: &'p Workers) -> Self {
        let states: Vec<State> =
            plan.loads.iter().map(|load| State::new(*load, plan.table.release)).collect();
        let mut tables = Vec::new();
        for (state, of) in states.iter().enumerate() {
            tables.extend((0..plan.codecs.len()).map(|codec| Table {
                state,
                codec,
                pages: TablePages::new(plan, workers, *of, codec),
                error_millionths: None,
            }));
        }
        Self { plan, sampling, workers, states, tables }
    }

    fn take_sample(
        &mut self,
        source: &mut dyn Source,
        observe: &mut dyn FnMut(Progress),
    ) -> Result<Option<Sample>, PipelineError> {
        let Some(jumps) = source.jumps() else {
            let sample = runs::from_stream(source, self.plan, self.stream_plan(), observe)?;
            self.measure_errors(&sample);
            return Ok(Some(sample));
        };
        let (bytes, run_min) = (jumps.bytes(), run_bytes_min(self.plan));
        let seed = self.sampling.seed;
        let sample_bytes = match self.sampling.amount {
            Amount::Share(share) => share_of(bytes, share),
            Amount::Bytes(bytes) => bytes,
            Amount::Error(millionths) if bytes / 2 >= FIRST_RUNS * FIRST_RUN_BYTES => {
                let run_bytes = FIRST_RUN_BYTES.max(run_min);
                let mut sampler = JumpSampler::new(self.plan, jumps, seed, FIRST_RUNS, run_bytes);
                return self.until_error(&mut sampler, millionths, observe);
            }
            Amount::Error(_) => bytes,
        };
        if sample_bytes >= bytes {
            return self.all_of(source, observe);
        }
        let sample_bytes = sample_bytes.min(SAMPLE_BYTES_MAX);
        let run_bytes = (sample_bytes / RUNS_WANTED).clamp(run_min, RUN_BYTES_MAX.max(run_min));
        let stretches = (sample_bytes / run_bytes).max(2);
        let run_bytes = run_bytes.min(sample_bytes / stretches).max(1);
        let mut sampler = JumpSampler::new(self.plan, jumps, seed, stretches, run_bytes);
        sampler.fill(observe)?;
        let mut sample = sampler.sample();
        sample.row = sampler.take_row()?;
        self.measure_errors(&sample);
        Ok(Some(sample))
    }

    /// All documents of a small input, where they are to stand for more; `None` where they stand for themselves.
    fn all_of(
        &mut self,
        source: &mut dyn Source,
        observe: &mut dyn FnMut(Progress),
    ) -> Result<Option<Sample>, PipelineError> {
        if self.sampling.scale_to.is_none() {
            return Ok(None);
        }
        let stream = StreamPlan { stride: 1, bytes_max: SAMPLE_BYTES_MAX, ..self.stream_plan() };
        let sample = runs::from_stream(source, self.plan, stream, observe)?;
        self.measure_errors(&sample);
        Ok(Some(sample))
    }

    fn stream_plan(&self) -> StreamPlan {
        let (stride, bytes_max) = match self.sampling.amount {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 and more")]
            Amount::Share(share) => ((1.0 / share).round() as u64, SAMPLE_BYTES_MAX),
            Amount::Bytes(bytes) => (1, bytes.min(SAMPLE_BYTES_MAX)),
            Amount::Error(_) => (1, SAMPLE_BYTES_DEFAULT),
        };
        StreamPlan { seed: self.sampling.seed, stride, bytes_max, run_bytes: run_bytes_min(self.plan) }
    }

    /// Takes twice as many runs until every table's error is small enough; `None` if that would be most of the file.
    fn until_error(
        &mut self,
        sampler: &mut JumpSampler<'_>,
        millionths: u64,
        observe: &mut dyn FnMut(Progress),
    ) -> Result<Option<Sample>, PipelineError> {
        loop {
            sampler.fill(observe)?;
            let mut sample = sampler.sample();
            self.measure_errors(&sample);
            let reached = self
                .tables
                .iter()
                .all(|table| table.error_millionths.is_some_and(|error| error <= millionths));
            match sampler.limit() {
                Some(SampleLimit::File) if !reached && self.sampling.scale_to.is_none() => return Ok(None),
                None if !reached => {
                    sampler.resume(sample);
                    sampler.split();
                }
                _ => {
                    sample.row = sampler.take_row()?;
                    return Ok(Some(sample));
                }
            }
        }
    }

    fn documents(&self, sample: &Sample) -> u64 {
        let documents = self.sampling.scale_to.map_or(sample.documents(), NonZeroU64::get);
        // A capped collection ends where it is full.
        self.plan.shape.capped.map_or(documents, |cap| {
            let by_bytes = scaled(cap.bytes(), sample.documents(), sample.bson_bytes());
            documents.min(cap.documents().unwrap_or(u64::MAX)).min(by_bytes).max(1)
        })
    }

    fn stretched(&self, sample: &Sample) -> Stretched {
        let scaling = if self.sampling.scale_to.is_some() { Scaling::ToDocuments } else { Scaling::ToBytes };
        Stretched::new(sample, self.documents(sample), scaling, &self.plan.table)
    }

    fn measure_errors(&mut self, sample: &Sample) {
        if sample.runs.is_empty() {
            return;
        }
        let (plan, seed) = (self.plan, self.sampling.seed);
        let file = self.stretched(sample);
        self.workers.for_each(&mut self.tables, |table| {
            let first =
                ImageSize::new(&plan.table, plan.codecs[table.codec] != crate::codec::CodecKind::None);
            table.pages.learn_spread(sample, first);
            table.error_millionths = walk::error_millionths(&mut table.pages, sample, &file, first, seed);
        });
    }

    fn finish(mut self, name: &str, input: String, sample: &Sample) -> CollectionEstimate {
        let Self { plan, sampling, workers, .. } = self;
        let documents = self.documents(sample);
        let file = self.stretched(sample);
        let states = &self.states;
        let mut runs: Vec<(TableRun, &mut Table<'_>)> = self
            .tables
            .iter_mut()
            .map(|table| {
                let kind = plan.codecs[table.codec];
                (TableRun::new(table.state, table.codec, kind, Packing::All, plan), table)
            })
            .collect();
        workers.for_each(&mut runs, |(run, table)| {
            let state = &states[table.state];
            walk::follow(run, &mut table.pages, sample, &file, state);
            run.sampling =
                Some(run::Sampling { times: file.times, error_millionths: table.error_millionths });
            std::mem::swap(&mut run.sample, &mut table.pages.images);
        });
        let runs: Vec<TableRun> = runs.into_iter().map(|(run, _)| run).collect();
        let storage = runs.into_iter().map(|run| run.finish(plan, states, documents)).collect();
        let bson = scaled(sample.bson_bytes(), documents, sample.documents());
        let read = BsonBytes(sample.bson_bytes_read());
        CollectionEstimate {
            name: name.to_owned(),
            sources: vec![input],
            kind: self.kind(sample, documents),
            documents,
            bson: BsonBytes(bson),
            ids_added: scaled(sample.ids_added, documents, sample.documents_read()),
            documents_skipped: sample.skipped.documents,
            skip_reasons: sample.skipped.reasons.clone(),
            sampled_fraction: sample.fraction,
            sample: Some(SampleFacts {
                seed: sampling.seed,
                runs: sample.stretches.len() as u64,
                documents: sample.documents_read(),
                bson: read,
                documents_of_input: match sample.totals {
                    Totals::Counted => Basis::Counted,
                    Totals::Extrapolated => Basis::Extrapolated,
                },
                target_error_millionths: match sampling.amount {
                    Amount::Error(millionths) => Some(millionths),
                    Amount::Share(_) | Amount::Bytes(_) => None,
                },
                scaled_to_documents: sampling.scale_to.map(NonZeroU64::get),
            }),
            storage,
            indexes: indexes::estimate(plan, workers, states, sample, documents),
            on_server: None,
            indexes_not_predicted: Vec::new(),
            oddities: None,
        }
    }

    fn kind(&self, sample: &Sample, documents: u64) -> CollectionKind {
        let shape = self.plan.shape;
        let wanted = self.sampling.scale_to.map_or(sample.documents(), NonZeroU64::get);
        let reach = if documents < wanted { CapReach::Full } else { CapReach::Below };
        CollectionKind {
            clustered_out_of_order: (shape.keys == Keys::Clustered)
                .then(|| scaled(sample.out_of_order, documents, sample.documents_read())),
            capped: shape.capped.map(|cap| CapFacts {
                bson: BsonBytes(cap.bytes()),
                documents: cap.documents(),
                reach,
            }),
            server_codec: shape.purpose.server_codec(),
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of it"
)]
fn share_of(bytes: u64, share: f64) -> u64 {
    (bytes as f64 * share) as u64
}

//! A collection in parts, each on a machine of its own, and the figures of all parts together.
//!
//! ```text
//!  part K of N: segments that begin in its bytes ──► every image size that the table may have there
//!                                                        │ cut, pack, next sizes: soon one or two
//!  part 1, part 2, .. part N: outcomes ──────────────────┴──► replay: the run's own code, page after page
//! ```
//!
//! What a part does not know is the image size at its first segment. There are 62 of them, most of which cut alike and
//! soon lead to the same one; a part packs pages for those that are left. The replay goes from size to size as the run
//! does and finds each page packed, so tallies and file sizes are the run's, whatever the number of parts.

mod follow;
mod frames;
mod outcomes;
mod reading;
mod replay;

pub use frames::FrameFault;
pub use replay::{Replay, spec_of};

use super::{
    PipelineError, Plan, Progress, Timing, Walk,
    indexes::IndexRun,
    segments::{Segment, SegmentReader},
    speed,
    state::State,
    workers::Workers,
};
use crate::estimate::{
    CodecName, LoadState,
    partial::{InputMark, Part, PartialCollection, PartialIndex, Seen, Uniqueness, WalkWanted},
};
use crate::record::{collection::Keys, index::IndexKind};
use crate::source::{Jumps, Source};
use crate::units::BsonBytes;
use follow::Follower;
use frames::FrameWriter;
use md5::{Digest, Md5};
use std::fmt;

/// Why an input or a collection is not estimated in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotInParts {
    /// It can only be read from its first byte to its last.
    Stream,
    /// The keys of its pages are those of documents.
    Clustered,
    /// Where it is full depends on all documents.
    Capped,
    /// A segment's outcomes would not fit into a report.
    MemoryPage,
}

impl fmt::Display for NotInParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stream => {
                "is no plain file of BSON or of lines of JSON, and only those are estimated in parts"
            }
            Self::Clustered => "a clustered collection is not estimated in parts",
            Self::Capped => "a capped collection is not estimated in parts",
            Self::MemoryPage => "with a memory page above 1 GiB a collection is not estimated in parts",
        })
    }
}

/// A segment is no larger.
const MEMORY_PAGE_BYTES_MAX: u64 = 1 << 30;

/// States, codecs and what else a merged report has, as a partial report names them.
#[must_use]
pub fn rows_of(plan: &Plan) -> (Vec<LoadState>, Vec<CodecName>, WalkWanted) {
    let codecs = plan.codecs.iter().map(|kind| CodecName { name: kind.name(), level: kind.level() });
    let walk = if plan.walk == Walk::Record { WalkWanted::Yes } else { WalkWanted::No };
    (plan.loads.clone(), codecs.collect(), walk)
}

/// Outcomes of one part of a collection. `observe` is called once a segment.
///
/// # Errors
///
/// What the source returns; an input without documents or that cannot be taken in parts; a system without threads.
pub fn estimate_part(
    name: &str,
    source: &mut dyn Source,
    plan: &Plan,
    part: Part,
    observe: &mut dyn FnMut(Progress),
) -> Result<PartialCollection, PipelineError> {
    let input = source.name().to_owned();
    let jumps =
        divisible(source, plan).map_err(|why| PipelineError::NotInParts { input: input.clone(), why })?;
    let mark = mark_of(&jumps)?;
    let range = part.range(mark.bytes);
    let mut elsewhere = None;
    let (source, start) = match reading::start(&jumps, plan, range.start)? {
        None => (source, None),
        Some(start) => {
            let opened = jumps.open_behind(start.offset, start.documents)?;
            (&mut **elsewhere.insert(opened), Some(start))
        }
    };
    let mut reader = SegmentReader::new(source, plan.on_bad, plan.shape, &plan.table);
    let documents_passed = start.as_ref().map_or(0, |start| start.documents);
    if let Some(start) = start {
        reader = reader.behind(start.documents, start.page);
    }
    let workers = Workers::new(plan.threads, plan.codecs.clone(), plan.table.allocation)
        .map_err(|source| PipelineError::Threads { threads: plan.threads, source })?;
    let mut run = PartRun::new(plan, &workers, documents_passed);
    let (mut segment, mut next) = (Segment::default(), Segment::default());
    let mut there_is_more = reader.next_segment(&mut segment)?;
    while there_is_more && reader.segment_offset() < range.end {
        observe(reader.progress());
        let is_own = reader.segment_offset() >= range.start && segment.records() > 0;
        let (read, ()) = workers.join(
            || reader.next_segment(&mut next),
            || {
                if is_own {
                    run.take(&segment);
                }
            },
        );
        if !is_own {
            run.documents_before += segment.records() as u64;
        }
        there_is_more = read?;
        std::mem::swap(&mut segment, &mut next);
    }
    observe(reader.progress());
    let skipped = reader.skipped();
    if !there_is_more && reader.documents() == 0 {
        let first_reason = skipped.reasons.into_iter().next();
        return Err(PipelineError::NoDocuments { input, skipped: skipped.documents, first_reason });
    }
    let seen = Seen {
        ids_added: reader.ids_added(),
        documents_skipped: skipped.documents,
        skip_reasons: skipped.reasons,
    };
    Ok(run.finish(name, input, mark, seen))
}

/// How the documents of an input can be reached, if it is estimated in parts.
fn divisible(source: &dyn Source, plan: &Plan) -> Result<Jumps, NotInParts> {
    if plan.shape.keys == Keys::Clustered {
        return Err(NotInParts::Clustered);
    }
    if plan.shape.capped.is_some() {
        return Err(NotInParts::Capped);
    }
    if plan.table.memory_page_bytes_max > MEMORY_PAGE_BYTES_MAX {
        return Err(NotInParts::MemoryPage);
    }
    source.jumps().ok_or(NotInParts::Stream)
}

/// Bytes at either end that an input is known by.
const MARK_BYTES: u64 = 64 << 10;

fn mark_of(jumps: &Jumps) -> Result<InputMark, PipelineError> {
    let [first, last] = jumps.ends(MARK_BYTES)?;
    let digest = Md5::new().chain_update(first).chain_update(last).finalize();
    Ok(InputMark { bytes: jumps.bytes(), digest: format!("{:032x}", u128::from_be_bytes(digest.into())) })
}

/// A part on its way through its segments.
struct PartRun<'p> {
    plan: &'p Plan,
    follower: Follower<'p>,
    frames: FrameWriter,
    indexes: Vec<PartialIndex>,
    /// Memory that entries would take, of all indexes.
    held_bytes: u64,
    documents_before: u64,
    documents: u64,
    bson_bytes: u64,
    segments: u64,
}

impl<'p> PartRun<'p> {
    fn new(plan: &'p Plan, workers: &'p Workers, documents_before: u64) -> Self {
        let states = plan.loads.iter().map(|load| State::new(*load, plan.table.release)).collect();
        let indexes = plan.indexes.iter().map(|spec| PartialIndex {
            name: spec.name().to_owned(),
            pattern: spec.pattern().to_vec(),
            uniqueness: if spec.is_unique() && spec.kind() != IndexKind::Id {
                Uniqueness::Unique
            } else {
                Uniqueness::Repeated
            },
            refused_reason: None,
        });
        Self {
            plan,
            follower: Follower::new(plan, workers, states),
            frames: FrameWriter::new(),
            indexes: indexes.collect(),
            held_bytes: 0,
            documents_before,
            documents: 0,
            bson_bytes: 0,
            segments: 0,
        }
    }

    fn take(&mut self, segment: &Segment) {
        let before = segment.first_number - 1;
        let mut outcomes = self.follower.take(segment);
        let holds = self.held_bytes <= self.plan.index_memory_bytes;
        let mut runs: Vec<IndexRun> = self
            .plan
            .indexes
            .iter()
            .cloned()
            .map(|spec| if holds { IndexRun::new(spec) } else { IndexRun::counting(spec) })
            .collect();
        self.follower.workers().for_each(&mut runs, |run| run.take(segment, before));
        for (run, index) in runs.into_iter().zip(&mut self.indexes) {
            let (found, reason) = run.into_segment();
            self.held_bytes += found.memory_bytes();
            if index.refused_reason.is_none() {
                index.refused_reason = reason;
            }
            outcomes.indexes.push(found);
        }
        self.frames.push(&outcomes, before);
        self.documents += segment.records() as u64;
        self.bson_bytes += segment.bytes.len() as u64;
        self.segments += 1;
    }

    fn finish(self, name: &str, source: String, input: InputMark, seen: Seen) -> PartialCollection {
        let speeds = self.follower.samples().map(|(kind, images)| {
            (self.plan.timing == Timing::Measure).then(|| speed::measure(kind, images)).flatten()
        });
        PartialCollection {
            name: name.to_owned(),
            source,
            input,
            documents_before: self.documents_before,
            documents: self.documents,
            bson: BsonBytes(self.bson_bytes),
            segments: self.segments,
            seen,
            speeds: speeds.collect(),
            indexes: self.indexes,
            indexes_not_predicted: Vec::new(),
            frames: self.frames.finish(),
        }
    }
}

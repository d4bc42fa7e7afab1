//! The threads that read leaves, count what is on them and pack them again, each with buffers of its own.

use crate::codec::{Codec, CodecKind};
use crate::datafile::{Address, DataFile, Fault, LeafCounts, PageFacts, PageReader, read_overflow};
use crate::geometry::wiredtiger::charge;
use crate::pipeline::PipelineError;
use crate::units::{AllocationUnit, PackedBytes, RawBytes};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

/// One leaf as found.
pub(super) struct Inspected {
    pub facts: PageFacts,
    pub counts: LeafCounts,
    /// What each further codec makes of its image, before the question whether that pays.
    pub packed: Vec<Option<PackedBytes>>,
}

/// A pool of threads over one file.
pub(super) struct Leaves<'f> {
    pool: ThreadPool,
    kinds: Vec<CodecKind>,
    unit: AllocationUnit,
    /// One a thread, so a lock is never waited for.
    sets: Vec<Mutex<Set<'f>>>,
}

struct Set<'f> {
    reader: PageReader<'f>,
    encoders: Vec<Option<Box<dyn Codec>>>,
    output: Vec<u8>,
}

impl<'f> Leaves<'f> {
    pub(super) fn new(
        file: &'f DataFile,
        kinds: Vec<CodecKind>,
        threads: NonZeroUsize,
    ) -> Result<Self, PipelineError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .build()
            .map_err(|source| PipelineError::Threads { threads, source })?;
        let set = || Set {
            reader: file.page_reader(),
            encoders: kinds.iter().map(|kind| kind.encoder()).collect(),
            output: Vec::new(),
        };
        let sets = (0..threads.get()).map(|_| Mutex::new(set())).collect();
        Ok(Self { pool, kinds, unit: file.checkpoint().config.unit, sets })
    }

    /// Reads every leaf of `batch`. Outcomes stand in its order.
    pub(super) fn read(&self, batch: &[Address]) -> Vec<Result<Inspected, Fault>> {
        self.pool.install(|| batch.par_iter().map(|address| self.read_one(*address)).collect())
    }

    fn read_one(&self, address: Address) -> Result<Inspected, Fault> {
        let thread = rayon::current_thread_index().unwrap_or(0);
        // A panic of another leaf ends the run anyway; the set itself holds no half-done state.
        let mut set = self.sets[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let Set { reader, encoders, output } = &mut *set;
        let page = reader.read(address)?;
        let counts = LeafCounts::of(&page, self.unit)?;
        let raw = RawBytes(page.image.len() as u64);
        let pack = |(kind, encoder): (&CodecKind, &mut Option<Box<dyn Codec>>)| {
            let encoder = encoder.as_mut().filter(|_| charge::is_tried(raw, self.unit))?;
            let done = encoder.pack(charge::encoder_input(page.image), output);
            charge::packed(*kind, raw, done.then_some(output.len() as u64))
        };
        let packed = self.kinds.iter().zip(encoders).map(pack).collect();
        Ok(Inspected { facts: PageFacts::of(&page), counts, packed })
    }

    /// Whether the overflow item at `address` can be read.
    pub(super) fn check_overflow(&self, address: Address) -> Result<(), Fault> {
        let mut set = self.sets[0].lock().unwrap_or_else(PoisonError::into_inner);
        let Set { reader, output, .. } = &mut *set;
        output.clear();
        read_overflow(reader, address, output)
    }
}

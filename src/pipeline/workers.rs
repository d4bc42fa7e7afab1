//! The threads that build and pack images, each with encoders of its own.

use super::segments::Segment;
use crate::codec::{Codec, CodecKind};
use crate::geometry::wiredtiger::{charge, image::LeafImage, window::LoadClock};
use crate::units::{AllocationUnit, PackedBytes, RawBytes};
use rayon::{
    ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder,
    iter::{IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator},
};
use std::{
    num::NonZeroUsize,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

/// One image to build, and the codecs that are to pack it.
#[derive(Clone, Debug)]
pub struct Job {
    /// Records of the segment, counted from its first.
    pub records: Range<usize>,
    /// Time windows beside the values, if the state has them.
    pub clock: Option<LoadClock>,
    /// Positions in the list of codecs.
    pub codecs: Vec<usize>,
    /// Whether the image itself is wanted, to time encoders on.
    pub keep_image: bool,
}

/// What came of a [`Job`].
#[derive(Clone, Debug)]
pub struct Packed {
    /// Bytes of the image.
    pub image: RawBytes,
    /// What each of the job's codecs made of the image, before the question whether that pays.
    pub outputs: Vec<Option<PackedBytes>>,
    /// If it was asked for.
    pub kept_image: Option<Arc<[u8]>>,
}

/// A pool of threads; the results do not depend on how many.
pub struct Workers {
    pool: ThreadPool,
    kinds: Vec<CodecKind>,
    unit: AllocationUnit,
    /// One a thread, so a lock is never waited for.
    sets: Vec<Mutex<WorkerSet>>,
}

struct WorkerSet {
    encoders: Vec<Option<Box<dyn Codec>>>,
    image: LeafImage,
    output: Vec<u8>,
}

impl Workers {
    /// Starts `threads` threads with an encoder of each kind.
    ///
    /// # Errors
    ///
    /// When the system gives no threads.
    pub fn new(
        threads: NonZeroUsize,
        kinds: Vec<CodecKind>,
        unit: AllocationUnit,
    ) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build()?;
        let set = || WorkerSet {
            encoders: kinds.iter().map(|kind| kind.encoder()).collect(),
            image: LeafImage::new(),
            output: Vec::new(),
        };
        let sets = (0..threads.get()).map(|_| Mutex::new(set())).collect();
        Ok(Self { pool, kinds, unit, sets })
    }

    /// Runs both on the pool, side by side where it has two threads.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        self.pool.install(|| rayon::join(a, b))
    }

    /// Runs `each` on every item, on all threads. Results stand in the order of the items.
    pub fn map<'i, T: Sync, R: Send>(
        &self,
        items: &'i [T],
        each: impl Fn(&'i T) -> R + Sync + Send,
    ) -> Vec<R> {
        self.pool.install(|| items.par_iter().map(each).collect())
    }

    /// Runs `each` on every item, which it may change, on all threads.
    pub fn for_each<T: Send>(&self, items: &mut [T], each: impl Fn(&mut T) + Sync + Send) {
        self.pool.install(|| items.par_iter_mut().with_max_len(1).for_each(each));
    }

    /// The same with what each makes of its item. Results stand in the order of the items.
    pub fn map_mut<T: Send, R: Send>(
        &self,
        items: &mut [T],
        each: impl Fn(&mut T) -> R + Sync + Send,
    ) -> Vec<R> {
        self.pool.install(|| items.par_iter_mut().with_max_len(1).map(each).collect())
    }

    /// Builds and packs every job's image. Results stand in the order of the jobs.
    pub fn pack(&self, segment: &Segment, jobs: &[Job]) -> Vec<Packed> {
        // A job takes milliseconds: the last ones are to be shared out one by one.
        let jobs = jobs.par_iter().with_max_len(1);
        self.pool.install(|| jobs.map(|job| self.pack_one(segment, job)).collect())
    }

    fn pack_one(&self, segment: &Segment, job: &Job) -> Packed {
        let thread = rayon::current_thread_index().unwrap_or(0);
        // A panic of another job ends the run anyway; the set itself holds no half-done state.
        let mut set = self.sets[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let WorkerSet { encoders, image, output } = &mut *set;
        image.start();
        for index in job.records.clone() {
            let window = job.clock.map(|clock| clock.window(segment.number(index) - 1));
            image.push(segment.record_id(index), window, segment.document(index));
        }
        let bytes = image.finish();
        let raw = RawBytes(bytes.len() as u64);
        let outputs = job
            .codecs
            .iter()
            .map(|codec| {
                let encoder = encoders[*codec].as_mut().filter(|_| charge::is_tried(raw, self.unit));
                let output_bytes = encoder.and_then(|encoder| {
                    encoder.pack(charge::encoder_input(bytes), output).then_some(output.len() as u64)
                });
                charge::packed(self.kinds[*codec], raw, output_bytes)
            })
            .collect();
        Packed { image: raw, outputs, kept_image: job.keep_image.then(|| Arc::from(bytes)) }
    }
}

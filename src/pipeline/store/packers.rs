//! A pool of threads, each with encoders of its own; results do not depend on how many.

use crate::codec::{Codec, EncoderKind};
use rayon::{
    ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder,
    iter::{IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator},
};
use std::{
    num::NonZeroUsize,
    sync::{Mutex, PoisonError},
};

/// The pool.
pub(super) struct Packers {
    pool: ThreadPool,
    /// One a thread, so a lock is never waited for.
    sets: Vec<Mutex<PackerSet>>,
}

/// Encoders of one thread.
pub(super) struct PackerSet {
    encoders: Vec<Option<Box<dyn Codec>>>,
    output: Vec<u8>,
}

impl PackerSet {
    fn new(kinds: &[Option<EncoderKind>]) -> Self {
        let encoders = kinds.iter().map(|kind| kind.map(EncoderKind::encoder)).collect();
        Self { encoders, output: Vec::new() }
    }

    /// What encoder `index` makes of `input`; `None` if it gives up or there is none.
    pub(super) fn pack(&mut self, index: usize, input: &[u8]) -> Option<u64> {
        let encoder = self.encoders[index].as_mut()?;
        encoder.pack(input, &mut self.output).then_some(self.output.len() as u64)
    }
}

impl Packers {
    /// `threads` threads with an encoder of each kind.
    pub(super) fn new(
        threads: NonZeroUsize,
        kinds: &[Option<EncoderKind>],
    ) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build()?;
        let sets = (0..threads.get()).map(|_| Mutex::new(PackerSet::new(kinds))).collect();
        Ok(Self { pool, sets })
    }

    /// Runs `each` on every item, on all threads. Results stand in the order of the items.
    pub(super) fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        each: impl Fn(&T, &mut PackerSet) -> R + Sync,
    ) -> Vec<R> {
        self.pool.install(|| items.par_iter().map(|item| self.with_set(|set| each(item, set))).collect())
    }

    /// Runs `each` on every item, which it may change.
    pub(super) fn for_each<T: Send>(&self, items: &mut [T], each: impl Fn(&mut T, &mut PackerSet) + Sync) {
        self.pool.install(|| items.par_iter_mut().for_each(|item| self.with_set(|set| each(item, set))));
    }

    fn with_set<R>(&self, act: impl FnOnce(&mut PackerSet) -> R) -> R {
        let thread = rayon::current_thread_index().unwrap_or(0);
        // A panic of another item ends the run anyway; the set itself holds no half-done state.
        act(&mut self.sets[thread].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

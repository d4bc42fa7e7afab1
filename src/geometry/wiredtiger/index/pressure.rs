//! Eviction while a load goes on: what other tables hold in the cache, and when it is too much.

use crate::geometry::wiredtiger::{TableConfig, facts};

/// What the load puts into the cache besides this index, in update bytes for each document.
///
/// The server begins to evict when the updates of all tables exceed a fortieth of the cache. Which pages its threads
/// take depends on their timing: identical loads differ by a few per cent in the size of an index. So this is
/// an estimate of the usual course, not of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// Of tables that grow at their end: the collection, and a replica set's oplog.
    pub appended_bytes_per_document: u64,
    /// Of the other indexes. They are taken to hold and to lose memory as this one does.
    pub index_bytes_per_document: u64,
}

/// Documents whose pages count as equally old.
pub(super) const AGE_DOCUMENTS: u64 = 2000;

/// Share of the pages with updates that one round takes at most, as a divisor.
pub(super) const ROUND_DIVISOR: usize = 3;

/// The cache as an index under load sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cache {
    pressure: Pressure,
    target_bytes: u64,
    segment_bytes: u64,
    appended_bytes: u64,
    documents: u64,
}

impl Cache {
    pub(super) fn new(pressure: Pressure, config: &TableConfig) -> Self {
        let collection =
            TableConfig { cache_bytes: config.cache_bytes, ..TableConfig::collection(config.release) };
        Self {
            pressure,
            target_bytes: config.cache_bytes * facts::UPDATES_TARGET_PCT_TENTHS / 1000,
            segment_bytes: collection.memory_page_bytes_split(),
            appended_bytes: 0,
            documents: 0,
        }
    }

    /// After so many documents, `held_bytes` of all `inserted_bytes` of this index being in memory: how many of
    /// them are to go.
    pub(super) fn excess_bytes(&mut self, documents: u64, held_bytes: u64, inserted_bytes: u64) -> u64 {
        self.appended_bytes += (documents - self.documents) * self.pressure.appended_bytes_per_document;
        self.documents = documents;
        let others = self.pressure.index_bytes_per_document * documents * held_bytes / inserted_bytes.max(1);
        let indexes = held_bytes + others;
        if self.appended_bytes + indexes <= self.target_bytes {
            return 0;
        }
        // Segments that nothing is appended to any more go first.
        self.appended_bytes %= self.segment_bytes;
        let excess = (self.appended_bytes + indexes).saturating_sub(self.target_bytes);
        excess * held_bytes / indexes.max(1)
    }
}

//! The cache: what a collection takes in it, and how often a random read misses it.
//!
//! Pages live unpacked in the cache, so the codec counts only by how it cuts pages. A read by `_id` looks at a leaf of
//! `_id_` and at a leaf of the collection. Internal pages are looked at by every read and leaves of `_id_` by many, so
//! they stay; what room is left holds a share of the collection's leaves, whichever were read last.
//!
//! ```text
//!  cache   |<- internal ->|<- _id_ leaves ->|<- leaves of documents ----->|<- kept free by eviction ->|
//!                                            a share of those that are read
//! ```

use crate::estimate::{CollectionEstimate, StorageEstimate};

/// A page in memory besides its image. Source: `WT_PAGE`, `src/include/btmem.h` at tag mongodb-8.0.0.
const PAGE_MEMORY_BYTES: u64 = 88;
/// Where a row starts on its page. Source: `WT_ROW`, `src/include/btmem.h` at tag mongodb-8.0.0.
const ROW_MEMORY_BYTES: u64 = 8;
/// A leaf in its parent: `WT_REF`, a key with its head, a slot, and its cell on the parent's image.
/// Source: `WT_REF` and `WT_IKEY`, `src/include/btmem.h` at tag mongodb-8.0.0.
const CHILD_MEMORY_BYTES: u64 = 48 + 12 + 8 + 20;
/// What the engine adds for the allocator. Source: `cache_overhead`, `dist/api_data.py` at tag mongodb-8.0.0.
const CACHE_OVERHEAD_PCT: u64 = 8;
/// Eviction begins there. Source: `eviction_target`, `dist/api_data.py` at tag mongodb-8.0.0.
pub const EVICTION_TARGET: f64 = 0.80;
/// Clients help from there. Source: `eviction_trigger`, `dist/api_data.py` at tag mongodb-8.0.0.
pub const EVICTION_TRIGGER: f64 = 0.95;
/// Where a cache under random reads stands between the two.
const EVICTION_STEADY: f64 = 0.85;

/// What one collection takes in a cache, in the cache's own count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InCache {
    /// Leaves with documents.
    pub leaves: f64,
    /// Pages above them, as leaves count in their parents.
    pub internal: f64,
    /// The index that a read by `_id` goes through.
    pub id_index: f64,
    /// All other indexes.
    pub other_indexes: f64,
    /// Documents on a leaf, in the mean.
    pub documents_per_leaf: f64,
}

impl InCache {
    /// Of one row of an estimate.
    #[must_use]
    pub fn of(collection: &CollectionEstimate, row: &StorageEstimate) -> Self {
        let tally = &row.tally;
        let leaf_bytes = tally.leaf_image.0
            + tally.leaf_pages * PAGE_MEMORY_BYTES
            + collection.documents * ROW_MEMORY_BYTES;
        let (mut id_index, mut other_indexes) = (0.0, 0.0);
        for index in super::indexes_of(collection, row.load) {
            let pages = index.leaf_pages.unwrap_or(0);
            // The file is all but its images: what is padded there is neither packed nor much.
            let bytes = index.storage.map_or(0, |storage| storage.0)
                + pages * (PAGE_MEMORY_BYTES + CHILD_MEMORY_BYTES)
                + index.entries * ROW_MEMORY_BYTES;
            if index.name == "_id_" {
                id_index += charged(bytes);
            } else {
                other_indexes += charged(bytes);
            }
        }
        Self {
            leaves: charged(leaf_bytes),
            internal: charged(tally.leaf_pages * CHILD_MEMORY_BYTES),
            id_index,
            other_indexes,
            documents_per_leaf: super::float(collection.documents) / super::float(tally.leaf_pages.max(1)),
        }
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.leaves + self.internal + self.id_index + self.other_indexes
    }

    /// Every part times `factor`; pages hold as many documents as before.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            leaves: self.leaves * factor,
            internal: self.internal * factor,
            id_index: self.id_index * factor,
            other_indexes: self.other_indexes * factor,
            documents_per_leaf: self.documents_per_leaf,
        }
    }

    /// Both together.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let leaves = self.leaves + other.leaves;
        let weighed = self.documents_per_leaf * self.leaves + other.documents_per_leaf * other.leaves;
        Self {
            leaves,
            internal: self.internal + other.internal,
            id_index: self.id_index + other.id_index,
            other_indexes: self.other_indexes + other.other_indexes,
            documents_per_leaf: if leaves > 0.0 { weighed / leaves } else { 0.0 },
        }
    }

    /// What reads of a share of the documents want in the cache, if those documents lie together.
    #[must_use]
    pub fn working_set(&self, share: f64) -> f64 {
        (self.leaves + self.internal + self.id_index) * share
    }

    /// The same if they lie anywhere: a page is wanted if one of its documents is.
    #[must_use]
    pub fn working_set_scattered(&self, share: f64) -> f64 {
        let touched = |documents: f64| 1.0 - (1.0 - share).powf(documents.max(1.0));
        (self.leaves + self.internal) * touched(self.documents_per_leaf) + self.id_index
    }

    /// Pages read in for a random read of a share of the documents, which lie together.
    #[must_use]
    pub fn pages_per_read(&self, share: f64, cache_bytes: u64) -> PagesPerRead {
        let at = |filled: f64| self.misses(share, super::float(cache_bytes) * filled);
        PagesPerRead { expected: at(EVICTION_STEADY), low: at(EVICTION_TRIGGER), high: at(EVICTION_TARGET) }
    }

    fn misses(&self, share: f64, room: f64) -> f64 {
        let missing = |room: f64, wanted: f64| {
            if wanted > 0.0 { 1.0 - (room / wanted).clamp(0.0, 1.0) } else { 0.0 }
        };
        let room = room - self.internal * share;
        let index = self.id_index * share;
        missing(room, index) + missing(room - index, self.leaves * share)
    }

    /// Cache under which so large a share of the leaves with documents is found in it.
    #[must_use]
    pub fn cache_for(&self, share: f64, hit_share: f64) -> f64 {
        (self.internal + self.id_index + self.leaves * hit_share) * share / EVICTION_STEADY
    }
}

/// A random read's misses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PagesPerRead {
    /// Where the cache stands under random reads.
    pub expected: f64,
    /// If it stands at the trigger.
    pub low: f64,
    /// If it stands at the target.
    pub high: f64,
}

fn charged(bytes: u64) -> f64 {
    super::float(bytes + bytes * CACHE_OVERHEAD_PCT / 100)
}

/// Memory of the machine on which a server takes a cache of this size by itself.
///
/// Source: `WiredTigerUtil::getCacheSizeMB`, mongod 6.0: half of what exceeds 1 GiB, and 256 MiB at least.
#[must_use]
pub fn memory_for(cache_bytes: u64) -> u64 {
    cache_bytes.saturating_mul(2).saturating_add(1 << 30)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 582 MB of documents of 1 KB, measured on 6.0.27: 651.6 MB in the cache, and 0.675, 0.535, 0.305 and 0 pages
    /// read for each of 20,000 random reads by `_id`.
    const MEASURED: InCache = InCache {
        leaves: 641.0e6,
        internal: 1.9e6,
        id_index: 12.2e6,
        other_indexes: 0.0,
        documents_per_leaf: 28.0,
    };

    #[test]
    fn misses_are_those_of_a_measured_server() {
        for (cache_bytes, want) in
            [(268_435_456, 0.675), (375_390_208, 0.535), (536_870_912, 0.305), (2_147_483_648, 0.0)]
        {
            let got = MEASURED.pages_per_read(1.0, cache_bytes);
            assert!((got.expected - want).abs() < 0.05, "{cache_bytes}: {got:?}, {want}");
            assert!(got.low <= got.expected && got.expected <= got.high);
        }
        assert!(MEASURED.pages_per_read(0.1, 268_435_456).expected.abs() < 1e-9);
    }

    #[test]
    fn the_cache_for_a_hit_share_gives_that_share() {
        let cache = MEASURED.cache_for(1.0, 0.9);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size in bytes")]
        let misses = MEASURED.pages_per_read(1.0, cache as u64);
        assert!((misses.expected - 0.1).abs() < 1e-6, "{misses:?}");
    }

    #[test]
    fn documents_that_lie_anywhere_want_more_pages() {
        let (together, scattered) = (MEASURED.working_set(0.1), MEASURED.working_set_scattered(0.1));
        assert!(scattered > 9.0 * together && scattered <= MEASURED.total(), "{together} {scattered}");
        assert!((MEASURED.working_set_scattered(1.0) - MEASURED.total()).abs() < 1.0);
    }
}

//! Capacity: what documents need besides their own file. Disk of a whole cluster, cache, cold scans, dumps, the oplog,
//! the journal and the wire.
//!
//! Arithmetic over an [`Estimate`] and over what encoders made of the first documents ([`measured`]); the formats of
//! messages, records and entries stand in [`wire`], [`journal`] and [`oplog`]. Nothing here reads or runs anything.
//!
//! ```text
//!  Estimate ──► disk ──────┐
//!     │   └───► cache      ├──► Capacity ──► report::capacity
//!     │   └───► scan ──► advice
//!  Traffic ──► traffic ────┘
//! ```

mod advice;
mod bson;
pub mod cache;
mod disk;
#[cfg(test)]
pub(crate) mod fixture;
pub mod journal;
pub mod measured;
mod needs;
pub mod oplog;
pub mod scan;
mod scans;
mod traffic;
pub mod wire;

pub use advice::{Advice, Use};
pub use cache::{InCache, PagesPerRead};
pub use disk::{DiskRow, MemberRow};
pub use needs::{
    BATCH_DOCUMENTS, CACHE_BYTES_MIN, DISKS_MB_PER_S, Given, HEADROOM_PCT, HIT_SHARE, MEMBERS, Needs,
    SCAN_SAVINGS_PCT, WorkingSet,
};
pub use scans::{CrossoverRow, SavingRow, ScanRow};
pub use traffic::{DumpRow, JournalRow, OplogRow, WireRow};

use crate::codec::CodecKind;
use crate::estimate::{Basis, CodecName, CollectionEstimate, Estimate, IndexBuild, IndexEstimate, LoadState};
use measured::Traffic;

const BYTES_PER_MB: f64 = 1e6;
const S_PER_DAY: f64 = 86_400.0;

/// A whole plan.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// What was asked for.
    pub needs: Needs,
    /// What it stands on.
    pub estimate: Estimate,
    /// One entry a collection, in the order of the estimate.
    pub collections: Vec<CollectionCapacity>,
    /// All collections together, on each member and on all: one row a state and codec.
    pub members: Vec<MemberRow>,
    /// All collections in one cache: one row a state and codec.
    pub cache: Vec<CacheRow>,
    /// The same under other caches.
    pub cache_curve: Vec<CachePoint>,
}

/// What one collection needs.
#[derive(Clone, Debug)]
pub struct CollectionCapacity {
    /// Documents that it will have.
    pub documents: u64,
    /// Their BSON bytes.
    pub bson_bytes: u64,
    /// First documents that messages, records, entries and streams were made of, and their BSON bytes.
    pub sample: (u64, u64),
    /// One row a state and codec.
    pub disk: Vec<DiskRow>,
    /// One row a state, codec and disk.
    pub scan: Vec<ScanRow>,
    /// One row a state and pair of codecs.
    pub crossovers: Vec<CrossoverRow>,
    /// One row a state, codec and saving.
    pub savings: Vec<SavingRow>,
    /// One row a codec and level.
    pub dump: Vec<DumpRow>,
    /// Of a replica set.
    pub oplog: Option<OplogRow>,
    /// One row a compressor.
    pub journal: Vec<JournalRow>,
    /// One row a direction and compressor.
    pub wire: Vec<WireRow>,
    /// What to use for what.
    pub advice: Vec<Advice>,
}

/// All collections in one cache.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheRow {
    /// Which state.
    pub load: LoadState,
    /// Which codec.
    pub codec: CodecName,
    /// By part.
    pub in_cache: InCache,
    /// What reads of the working set want, if its documents lie together.
    pub working_set_bytes: u64,
    /// The same if they lie anywhere.
    pub working_set_scattered_bytes: u64,
    /// Under the cache asked for.
    pub pages_per_read: PagesPerRead,
    /// Cache for the hit share asked for, on each shard.
    pub cache_for_hit_share_bytes: u64,
    /// How it is known.
    pub basis: Basis,
}

/// Misses under one cache.
#[derive(Clone, Debug, PartialEq)]
pub struct CachePoint {
    /// Which state.
    pub load: LoadState,
    /// Which codec.
    pub codec: CodecName,
    /// Cache of each member.
    pub cache_bytes: u64,
    /// Pages read in for a random read of the working set.
    pub pages_per_read: PagesPerRead,
    /// How it is known.
    pub basis: Basis,
}

/// How many times as many documents a collection will have, and how figures of it are then known.
///
/// All figures are taken to grow with the documents. That leaves out what grows more slowly or faster: wider
/// `RecordId`s, deeper trees, the fixed blocks of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// 1.0 if it stays as it is.
    pub factor: f64,
    /// What becomes of a modelled figure.
    pub basis: Basis,
}

impl Growth {
    /// Of a collection, as `needs` ask for it.
    #[must_use]
    pub fn of(collection: &CollectionEstimate, needs: &Needs) -> Self {
        match needs.documents {
            Some(documents) if documents != collection.documents => Self {
                factor: float(documents) / float(collection.documents.max(1)),
                basis: Basis::Extrapolated,
            },
            _ => Self { factor: 1.0, basis: Basis::Modelled },
        }
    }

    /// How a figure that is known by `own` is known afterwards.
    #[must_use]
    pub fn basis_of(&self, own: Basis) -> Basis {
        if self.basis == Basis::Extrapolated { Basis::Extrapolated } else { own }
    }

    /// A count or size, grown.
    #[must_use]
    pub fn grown(&self, count: u64) -> u64 {
        whole(float(count) * self.factor)
    }
}

/// Plans for every collection of `estimate`; `traffic` has an entry for each, in the same order.
#[must_use]
pub fn plan(estimate: Estimate, traffic: &[Traffic], needs: Needs) -> Capacity {
    let collections = estimate
        .collections
        .iter()
        .zip(traffic)
        .map(|(collection, traffic)| collection_capacity(collection, traffic, &needs))
        .collect::<Vec<_>>();
    let members = disk::members(&collections, &needs);
    let (cache, cache_curve) = caches(&estimate, &needs);
    Capacity { needs, estimate, collections, members, cache, cache_curve }
}

fn collection_capacity(
    collection: &CollectionEstimate,
    traffic: &Traffic,
    needs: &Needs,
) -> CollectionCapacity {
    let growth = Growth::of(collection, needs);
    let documents = growth.grown(collection.documents);
    let bson_bytes = growth.grown(collection.bson.0);
    let scans = scans::Scans::of(collection, &growth, needs);
    let dump = traffic::dumps(collection, traffic, bson_bytes, &scans, needs);
    CollectionCapacity {
        documents,
        bson_bytes,
        sample: (traffic.documents, traffic.bson_bytes),
        disk: disk::rows(collection, &growth, needs),
        advice: advice::advice(collection, traffic, &scans, &dump, needs),
        scan: scans.rows,
        crossovers: scans.crossovers,
        savings: scans.savings,
        dump,
        oplog: traffic::oplog(traffic, needs),
        journal: traffic::journal(traffic, needs),
        wire: traffic::wire(traffic, needs),
    }
}

/// Rows that all collections have: one a state and codec of the first.
fn caches(estimate: &Estimate, needs: &Needs) -> (Vec<CacheRow>, Vec<CachePoint>) {
    let Some(first) = estimate.collections.first() else { return (Vec::new(), Vec::new()) };
    let share = working_share(estimate, needs);
    let cache_bytes = needs.cache_bytes.value();
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    for row in &first.storage {
        let mut all = InCache::default();
        let mut basis = Basis::Modelled;
        for collection in &estimate.collections {
            let same = collection.storage.iter().find(|own| own.load == row.load && own.codec == row.codec);
            let Some(own) = same else { continue };
            let growth = Growth::of(collection, needs);
            all = all.with(&InCache::of(collection, own).scaled(growth.factor));
            basis = worse(basis, growth.basis_of(own.basis));
        }
        // A shard has its part of the documents and a cache of its own.
        let all = all.scaled(1.0 / float(needs.shards.value()));
        let (load, codec) = (row.load, row.codec.clone());
        for bytes in curve(all.total(), cache_bytes) {
            let pages_per_read = all.pages_per_read(share, bytes);
            let codec = codec.clone();
            points.push(CachePoint { load, codec, cache_bytes: bytes, pages_per_read, basis });
        }
        rows.push(CacheRow {
            load,
            codec,
            in_cache: all,
            working_set_bytes: whole(all.working_set(share)),
            working_set_scattered_bytes: whole(all.working_set_scattered(share)),
            pages_per_read: all.pages_per_read(share, cache_bytes),
            cache_for_hit_share_bytes: whole(all.cache_for(share, needs.hit_share.value()))
                .max(CACHE_BYTES_MIN),
            basis,
        });
    }
    (rows, points)
}

/// Share of all documents that is read.
fn working_share(estimate: &Estimate, needs: &Needs) -> f64 {
    match needs.working_set.value() {
        WorkingSet::Share(share) => share,
        WorkingSet::Bytes(bytes) => float(bytes) / float(data_bytes(estimate, needs).max(1)),
    }
}

/// BSON bytes of all documents that there will be.
#[must_use]
pub fn data_bytes(estimate: &Estimate, needs: &Needs) -> u64 {
    let grown = |collection: &CollectionEstimate| Growth::of(collection, needs).grown(collection.bson.0);
    estimate.collections.iter().map(grown).sum()
}

/// From the smallest cache on, doubled until one holds all at the eviction target, and the one asked for.
fn curve(wanted: f64, asked_bytes: u64) -> Vec<u64> {
    const DOUBLINGS_MAX: usize = 24;
    let holds_all = |bytes: u64| float(bytes) * cache::EVICTION_TARGET >= wanted;
    let mut sizes = vec![CACHE_BYTES_MIN];
    while let Some(last) = sizes.last().copied().filter(|last| !holds_all(*last)) {
        if sizes.len() > DOUBLINGS_MAX {
            break;
        }
        sizes.push(last * 2);
    }
    sizes.push(asked_bytes);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The indexes that a collection in this state has, each as it stands if it was there during the load.
pub(crate) fn indexes_of(
    collection: &CollectionEstimate,
    load: LoadState,
) -> impl Iterator<Item = &IndexEstimate> {
    let is_of = move |index: &&IndexEstimate| index.load == load && index.build == IndexBuild::BeforeLoad;
    collection.indexes.iter().filter(is_of)
}

/// The less certain of two.
fn worse(one: Basis, other: Basis) -> Basis {
    if one == Basis::Extrapolated || other == Basis::Extrapolated { Basis::Extrapolated } else { one }
}

/// A codec as reports name it.
fn name_of(codec: CodecKind) -> CodecName {
    CodecName { name: codec.name(), level: codec.level() }
}

#[expect(clippy::cast_precision_loss, reason = "figures of a plan are not exact to the byte beyond 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

/// Rounded; what is below zero is zero, what is too large the largest.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from f64 saturates")]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

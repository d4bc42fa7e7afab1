//! What a plan is asked for: a user's own numbers, and defaults where there are none.

use crate::codec::CodecKind;

/// A number that a user gave, or that was taken for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given<T> {
    /// Typed.
    Typed(T),
    /// Taken where nothing was typed.
    Default(T),
}

impl<T: Copy> Given<T> {
    /// The number, whoever chose it.
    #[must_use]
    pub fn value(&self) -> T {
        match self {
            Self::Typed(value) | Self::Default(value) => *value,
        }
    }

    /// Who chose it, as reports print it.
    #[must_use]
    pub fn chooser(&self) -> &'static str {
        match self {
            Self::Typed(_) => "given",
            Self::Default(_) => "default",
        }
    }
}

/// How much of the data is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorkingSet {
    /// BSON bytes of documents.
    Bytes(u64),
    /// Share of all documents, above 0 and up to 1.
    Share(f64),
}

/// Everything that a plan depends on besides documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Needs {
    /// Documents that each collection will have; `None` for as many as were read.
    pub documents: Option<u64>,
    /// Members of each replica set; one is a standalone, without an oplog.
    pub members: Given<u64>,
    /// Parts that the documents are spread over evenly.
    pub shards: Given<u64>,
    /// Disks, in decimal megabytes a second, ascending; none for [`DISKS_MB_PER_S`].
    pub disks_typed: Vec<f64>,
    /// The server's cache.
    pub cache_bytes: Given<u64>,
    /// How much of the data is read.
    pub working_set: Given<WorkingSet>,
    /// Share of document pages wanted in the cache, 0 to 1.
    pub hit_share: Given<f64>,
    /// Documents inserted a second.
    pub writes_per_s: Option<f64>,
    /// Documents updated a second.
    pub updates_per_s: Option<f64>,
    /// Hours that the oplog must reach back.
    pub oplog_hours: Option<f64>,
    /// Free space to keep, in per cent of what is used.
    pub headroom_pct: Given<f64>,
    /// Price of a decimal gigabyte for a month, in any currency.
    pub price_per_gb_month: Option<f64>,
    /// Documents of one insert command, or of one reply.
    pub batch_documents: Given<u64>,
    /// Network between members, and to where dumps go, in decimal megabytes a second.
    pub network_mb_per_s: Option<f64>,
    /// Time that a scan should save against `none`, in per cent; none for [`SCAN_SAVINGS_PCT`].
    pub scan_savings_typed: Vec<f64>,
    /// Encoders that a dump is packed with.
    pub dump_codecs: Vec<CodecKind>,
    /// Who chose them.
    pub dump_codecs_chosen: Given<()>,
}

/// Disks of a plan: a slow USB disk, a spinning one, a network volume, a flash drive, a fast one. Chosen.
pub const DISKS_MB_PER_S: &[f64] = &[30.0, 100.0, 300.0, 1000.0, 3000.0];
/// Chosen: a quarter and a half of the time.
pub const SCAN_SAVINGS_PCT: &[f64] = &[25.0, 50.0];
/// Members of the usual replica set. Source: MongoDB manual, "Replica Set Deployment Architectures".
pub const MEMBERS: u64 = 3;
/// Smallest cache that a server takes. Source: `storage.wiredTiger.engineConfig.cacheSizeGB`, MongoDB manual: from 0.25.
pub const CACHE_BYTES_MIN: u64 = 256 << 20;
/// Free space in per cent of what is used. Source: the lower end of "data, index, journal and oplog plus 20 to 30 %" in
/// IONOS' MongoDB sizing guide, which also counts those parts.
pub const HEADROOM_PCT: f64 = 20.0;
/// Chosen: of a hundred reads five go to the disk.
pub const HIT_SHARE: f64 = 0.95;
/// What drivers that batch by number use, and the ground truth of ours. Chosen.
pub const BATCH_DOCUMENTS: u64 = 1000;

impl Needs {
    /// Nothing but defaults, under a cache of this size.
    #[must_use]
    pub fn new(cache_bytes: u64) -> Self {
        Self {
            documents: None,
            members: Given::Default(MEMBERS),
            shards: Given::Default(1),
            disks_typed: Vec::new(),
            cache_bytes: Given::Default(cache_bytes),
            working_set: Given::Default(WorkingSet::Share(1.0)),
            hit_share: Given::Default(HIT_SHARE),
            writes_per_s: None,
            updates_per_s: None,
            oplog_hours: None,
            headroom_pct: Given::Default(HEADROOM_PCT),
            price_per_gb_month: None,
            batch_documents: Given::Default(BATCH_DOCUMENTS),
            network_mb_per_s: None,
            scan_savings_typed: Vec::new(),
            dump_codecs: Vec::new(),
            dump_codecs_chosen: Given::Default(()),
        }
    }

    /// Disks that scans are planned on.
    #[must_use]
    pub fn disks(&self) -> &[f64] {
        if self.disks_typed.is_empty() { DISKS_MB_PER_S } else { &self.disks_typed }
    }

    /// Savings whose disks are looked for.
    #[must_use]
    pub fn scan_savings(&self) -> &[f64] {
        if self.scan_savings_typed.is_empty() { SCAN_SAVINGS_PCT } else { &self.scan_savings_typed }
    }
}

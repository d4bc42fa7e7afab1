//! Disk: of a collection, and of every member of a cluster.

use super::{CollectionCapacity, Growth, Needs, float, indexes_of, journal, whole, worse};
use crate::estimate::{Basis, CodecName, CollectionEstimate, LoadState};

/// Seconds between checkpoints. Source: `storage.syncPeriodSecs`, MongoDB manual: 60.
const CHECKPOINT_S: f64 = 60.0;
const BYTES_PER_GB: f64 = 1e9;

/// One collection under one codec in one state.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskRow {
    /// Which state.
    pub load: LoadState,
    /// Which codec.
    pub codec: CodecName,
    /// The collection's file.
    pub data_bytes: u64,
    /// Files of its indexes; `None` if one is not known.
    pub index_bytes: Option<u64>,
    /// Free space that updates between two checkpoints leave in the file, at most; `None` without a rate of updates.
    pub checkpoint_free_bytes: Option<u64>,
    /// How the sizes are known.
    pub basis: Basis,
}

/// All collections on one member of a replica set, and on all members of all shards.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberRow {
    /// Which state.
    pub load: LoadState,
    /// Which codec.
    pub codec: CodecName,
    /// Collections' files, on one member.
    pub data_bytes: u64,
    /// Indexes' files; `None` if one is not known.
    pub index_bytes: Option<u64>,
    /// The oplog; `None` if rate or hours are not given, or if there is none.
    pub oplog_bytes: Option<u64>,
    /// Journal files.
    pub journal_bytes: u64,
    /// Free space that updates between two checkpoints leave; `None` without a rate of updates.
    pub checkpoint_free_bytes: Option<u64>,
    /// Free space to keep.
    pub headroom_bytes: u64,
    /// All that is known of these.
    pub member_bytes: u64,
    /// On all members of all shards.
    pub cluster_bytes: u64,
    /// Price of that for a month; `None` if none is given.
    pub price_per_month: Option<f64>,
    /// How it is known.
    pub basis: Basis,
}

pub(super) fn rows(collection: &CollectionEstimate, growth: &Growth, needs: &Needs) -> Vec<DiskRow> {
    let row = |row: &crate::estimate::StorageEstimate| {
        let indexes: Option<Vec<u64>> = indexes_of(collection, row.load)
            .map(|index| index.storage.map(|storage| growth.grown(storage.0)))
            .collect();
        let tally = &row.tally;
        let block_bytes = float(tally.leaf_blocks.0) / float(tally.leaf_pages.max(1));
        let free = |updates_per_s: f64| {
            let rewritten = updates_per_s * CHECKPOINT_S * block_bytes;
            whole(rewritten.min(float(tally.leaf_blocks.0) * growth.factor))
        };
        DiskRow {
            load: row.load,
            codec: row.codec.clone(),
            data_bytes: growth.grown(row.storage.0),
            index_bytes: indexes.map(|indexes| indexes.iter().sum()),
            checkpoint_free_bytes: needs.updates_per_s.map(free),
            basis: growth.basis_of(row.basis),
        }
    };
    collection.storage.iter().map(row).collect()
}

pub(super) fn members(collections: &[CollectionCapacity], needs: &Needs) -> Vec<MemberRow> {
    let Some(first) = collections.first() else { return Vec::new() };
    let (shards, members) = (needs.shards.value(), needs.members.value());
    let oplog_bytes = oplog_bytes(collections, needs);
    let journal_bytes = journal::FILES_MIN * journal::FILE_BYTES;
    let has_rates = oplog_bytes.is_some() || needs.updates_per_s.is_some();
    let of_rates = if has_rates { Basis::Extrapolated } else { Basis::Modelled };
    let of = |first: &DiskRow| {
        let same = |one: &&DiskRow| one.load == first.load && one.codec == first.codec;
        let rows: Vec<&DiskRow> =
            collections.iter().filter_map(|collection| collection.disk.iter().find(same)).collect();
        let part = |bytes: u64| bytes.div_ceil(shards);
        let data_bytes = part(rows.iter().map(|row| row.data_bytes).sum());
        let indexes: Option<Vec<u64>> = rows.iter().map(|row| row.index_bytes).collect();
        let index_bytes = indexes.map(|indexes| part(indexes.iter().sum()));
        // A rate of updates is that of all collections: what one of them can have is what all have.
        let free: Option<Vec<u64>> = rows.iter().map(|row| row.checkpoint_free_bytes).collect();
        let checkpoint_free_bytes = free.and_then(|free| free.iter().copied().max()).map(part);
        let used = data_bytes
            + index_bytes.unwrap_or(0)
            + oplog_bytes.unwrap_or(0)
            + journal_bytes
            + checkpoint_free_bytes.unwrap_or(0);
        let headroom_bytes = whole(float(used) * needs.headroom_pct.value() / 100.0);
        let member_bytes = used + headroom_bytes;
        let cluster_bytes = member_bytes.saturating_mul(members).saturating_mul(shards);
        MemberRow {
            load: first.load,
            codec: first.codec.clone(),
            data_bytes,
            index_bytes,
            oplog_bytes,
            journal_bytes,
            checkpoint_free_bytes,
            headroom_bytes,
            member_bytes,
            cluster_bytes,
            price_per_month: needs
                .price_per_gb_month
                .map(|price| float(cluster_bytes) / BYTES_PER_GB * price),
            // Rates were given for a span; what follows from them is no model of documents alone.
            basis: rows.iter().map(|row| row.basis).fold(of_rates, worse),
        }
    };
    first.disk.iter().map(of).collect()
}

/// What the oplog of one member must hold, on disk: entries of the hours asked for, as collections are written in
/// proportion to their documents.
fn oplog_bytes(collections: &[CollectionCapacity], needs: &Needs) -> Option<u64> {
    let hours = needs.oplog_hours?;
    let entries_per_s = entries_per_s(needs)?;
    let oplogs: Option<Vec<(f64, f64)>> = collections
        .iter()
        .map(|one| Some((one.oplog.as_ref()?.storage_bytes_per_entry?, float(one.documents))))
        .collect();
    let oplogs = oplogs?;
    let documents: f64 = oplogs.iter().map(|(_, documents)| documents).sum();
    let bytes: f64 = oplogs.iter().map(|(bytes, documents)| bytes * documents).sum();
    let entry_bytes = if documents > 0.0 { bytes / documents } else { 0.0 };
    let bytes = hours * 3600.0 * entries_per_s / float(needs.shards.value()) * entry_bytes;
    // A server makes none below.
    Some(whole(bytes).max(super::oplog::DEFAULT_BYTES_MIN))
}

/// Inserts and updates: an update counts as one that replaces its document, the largest that it can be.
pub(super) fn entries_per_s(needs: &Needs) -> Option<f64> {
    match (needs.writes_per_s, needs.updates_per_s) {
        (None, None) => None,
        (writes, updates) => Some(writes.unwrap_or(0.0) + updates.unwrap_or(0.0)),
    }
}

//! Indexes along a run: keys while documents are read, pages when all keys are there.

use super::{segments::Segment, state::State, workers::Workers};
use crate::document::Elements;
use crate::estimate::{Basis, IndexBuild, IndexEstimate, LoadState, PatternValue};
use crate::geometry::wiredtiger::{
    TableConfig, facts,
    index::{
        self, ENTRIES_MAX, Ghosts, IndexConfig, IndexEntries, IndexPages, Load, OrderedEntries, Pressure,
        bulk_built, insert_built,
    },
    segment::update_bytes,
    window::LoadClock,
};
use crate::record::index::{Entries, IndexKind, IndexSpec, Outcome};
use crate::units::{AllocationUnit, BsonBytes, DiskBytes, scaled};

/// Bytes that an oplog entry has besides its document. Source: measured on mongod 6.0.5, plain inserts.
const OPLOG_ENTRY_BYTES: u64 = 130;

/// Whether further entries are held, or only counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holding {
    All,
    NoMore,
}

/// One index along the run.
pub(super) struct IndexRun {
    spec: IndexSpec,
    scratch: Entries,
    /// Those of the first documents, as long as memory is given for.
    entries: IndexEntries,
    holding: Holding,
    /// Bytes of the keys of the entries that are held.
    key_bytes: u64,
    keys: u64,
    refused: u64,
    refused_reason: Option<String>,
}

/// What one segment's documents add to an index.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexSegment {
    pub(super) keys: u64,
    /// Of the keys, if their entries are there.
    pub(super) key_bytes: u64,
    pub(super) refused: u64,
    /// All of them, or none.
    pub(super) entries: IndexEntries,
}

impl IndexSegment {
    /// Memory that all of its entries take.
    pub(super) fn memory_bytes(&self) -> u64 {
        self.key_bytes + self.keys * IndexEntries::OVERHEAD_BYTES
    }
}

/// Entries that were to be there and are not, or are too many to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntriesMissing;

impl IndexRun {
    /// One that only counts.
    pub(super) fn counting(spec: IndexSpec) -> Self {
        Self { holding: Holding::NoMore, ..Self::new(spec) }
    }

    /// What was taken, and why the first document was refused that was.
    pub(super) fn into_segment(self) -> (IndexSegment, Option<String>) {
        let Self { keys, key_bytes, refused, entries, refused_reason, .. } = self;
        (IndexSegment { keys, key_bytes, refused, entries }, refused_reason)
    }

    /// Takes what a run over a segment found.
    pub(super) fn absorb(
        &mut self,
        segment: &IndexSegment,
        reason: Option<&str>,
    ) -> Result<(), EntriesMissing> {
        self.keys += segment.keys;
        self.refused += segment.refused;
        if segment.refused > 0 && self.refused_reason.is_none() {
            self.refused_reason = reason.map(str::to_owned);
        }
        if self.holding == Holding::NoMore {
            return Ok(());
        }
        let (held, new) = (self.entries.len(), segment.entries.len());
        if new as u64 != segment.keys || new > ENTRIES_MAX - held {
            return Err(EntriesMissing);
        }
        self.key_bytes += segment.key_bytes;
        let unique = self.has_ghosts();
        for entry in (0..new).map(|entry| segment.entries.stored(entry)) {
            let value_bytes = usize::from(entry.value_bytes);
            if unique {
                let record_id_bytes = usize::from(entry.record_id_bytes);
                self.entries.push_unique(entry.key, record_id_bytes, value_bytes, entry.document);
            } else {
                self.entries.push(entry.key, value_bytes, entry.document);
            }
        }
        Ok(())
    }

    /// Whether an insert of an entry writes a ghost first.
    pub(super) fn has_ghosts(&self) -> bool {
        self.spec.is_unique() && self.spec.kind() != IndexKind::Id
    }

    pub(super) fn new(spec: IndexSpec) -> Self {
        Self {
            spec,
            scratch: Entries::new(),
            entries: IndexEntries::new(),
            holding: Holding::All,
            key_bytes: 0,
            keys: 0,
            refused: 0,
            refused_reason: None,
        }
    }

    /// Takes the keys of a segment's documents, before which so many were inserted.
    pub(super) fn take(&mut self, segment: &Segment, documents_before: u64) {
        for index in 0..segment.records() {
            let number = documents_before + index as u64 + 1;
            let (document, record_id) = (segment.document(index), segment.record_id(index));
            self.scratch.clear();
            let outcome = match self.holding {
                Holding::All => self.spec.entries(document, record_id, &mut self.scratch),
                Holding::NoMore => self.spec.count(document, record_id, &mut self.scratch),
            };
            let refused = match outcome {
                Ok(Outcome::Added(added)) => {
                    self.keys += added as u64;
                    // More than 2^32 documents have more keys than are held.
                    self.hold(u32::try_from(number - 1).unwrap_or(u32::MAX));
                    continue;
                }
                Ok(Outcome::Refused(refusal)) => refusal.to_string(),
                Err(error) => error.to_string(),
            };
            self.refused += 1;
            self.refused_reason.get_or_insert(format!("document {}: {refused}", number - 1));
        }
    }

    /// Takes in the entries of a document, unless they are only counted.
    fn hold(&mut self, document: u32) {
        if self.holding == Holding::NoMore {
            return;
        }
        let unique = self.has_ghosts();
        for entry in self.scratch.iter() {
            self.key_bytes += entry.key.len() as u64;
            if unique {
                let record_id_bytes = entry.key.len() - entry.key_string().len();
                self.entries.push_unique(entry.key, record_id_bytes, entry.value.len(), document);
            } else {
                self.entries.push(entry.key, entry.value.len(), document);
            }
        }
    }

    /// Memory that its entries take.
    fn held_bytes(&self) -> u64 {
        if self.holding == Holding::NoMore {
            return 0; // decided already
        }
        self.key_bytes + self.keys * IndexEntries::OVERHEAD_BYTES
    }

    /// Name of the index.
    pub(super) fn name(&self) -> &str {
        self.spec.name()
    }

    /// Whether keys ascend as documents come, but for one in a hundred.
    pub(super) fn ascends(&self) -> bool {
        const ODD_SHARE: usize = 100;
        !self.entries.is_empty() && self.entries.descents() * ODD_SHARE <= self.entries.len()
    }

    fn is_whole(&self) -> bool {
        self.entries.len() as u64 == self.keys
    }

    /// A figure of the entries that are held, for all of them.
    fn scaled(&self, held: u64, unit_bytes: u64) -> u64 {
        if self.is_whole() {
            return held;
        }
        scaled(held, self.keys, self.entries.len() as u64).next_multiple_of(unit_bytes)
    }

    fn row(&self, load: LoadState, build: IndexBuild, pages: &IndexPages, twins: DiskBytes) -> IndexEstimate {
        // An index of which not even one entry could be held is not known.
        let is_known = self.keys == 0 || !self.entries.is_empty();
        let unit_bytes = AllocationUnit::DEFAULT.bytes();
        IndexEstimate {
            name: self.spec.name().to_owned(),
            pattern: pattern(&self.spec),
            load,
            build,
            entries: self.keys,
            entries_modelled: self.entries.len() as u64,
            storage: is_known.then(|| DiskBytes(self.scaled(pages.file.0, unit_bytes))),
            leaf_pages: is_known.then(|| self.scaled(pages.leaf_pages, 1)),
            band: None,
            twins: (twins.0 > 0).then(|| DiskBytes(self.scaled(twins.0, unit_bytes))),
            documents_refused: self.refused,
            refused_reason: self.refused_reason.clone(),
            basis: if self.is_whole() { Basis::Modelled } else { Basis::Extrapolated },
        }
    }
}

/// Fields of an index's pattern, for reports. Names that are no UTF-8 are shown with replacement characters.
fn pattern(spec: &IndexSpec) -> Vec<(String, PatternValue)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let Ok(elements) = Elements::new(spec.pattern()) else { return Vec::new() };
    let fields = elements.filter_map(Result::ok).filter_map(|element| {
        let bytes = element.value;
        let value = match element.kind {
            0x01 => PatternValue::from(f64::from_le_bytes(*bytes.first_chunk()?)),
            0x10 => PatternValue::Whole(i32::from_le_bytes(*bytes.first_chunk()?).into()),
            0x12 => PatternValue::Whole(i64::from_le_bytes(*bytes.first_chunk()?)),
            0x02 => PatternValue::Text(text(bytes.get(4..bytes.len() - 1)?)),
            _ => return None,
        };
        Some((text(element.name), value))
    });
    fields.collect()
}

/// What was loaded, to know what fills the server's cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub documents: u64,
    pub bson: BsonBytes,
}

/// Every index in every state, there during the load; and built after it, where an index can be.
pub(super) fn finish(
    runs: &[IndexRun],
    states: &[State],
    loaded: Loaded,
    table: &TableConfig,
    workers: &Workers,
) -> Vec<IndexEstimate> {
    let config = IndexConfig::with_cache(table.release, table.cache_bytes);
    let rows = workers.map(runs, |run| {
        let order = OrderedEntries::of(&run.entries);
        let mut rows = workers.map(states, |state| {
            let pressure = pressure(run, runs, state.load, loaded);
            before_load(run, &order, state, pressure, &config)
        });
        // The same in every state: a build writes no time windows.
        if let Some(state) = states.first().filter(|_| run.spec.kind() != IndexKind::Id) {
            let pages = bulk_built(&config, &order);
            rows.push(run.row(state.load, IndexBuild::AfterLoad, &pages, DiskBytes(0)));
        }
        rows
    });
    rows.into_iter().flatten().collect()
}

/// Once all indexes together hold more than that, none takes more: all are then modelled on the same documents.
pub(super) fn bound(runs: &mut [IndexRun], memory_bytes_max: u64) {
    let held_bytes: u64 = runs.iter().map(IndexRun::held_bytes).sum();
    if held_bytes > memory_bytes_max {
        for run in runs {
            run.holding = Holding::NoMore;
        }
    }
}

fn before_load(
    run: &IndexRun,
    order: &OrderedEntries<'_>,
    state: &State,
    pressure: Pressure,
    config: &IndexConfig,
) -> IndexEstimate {
    let load = Load {
        clock: LoadClock::new(config.table().release),
        state: match state.load {
            LoadState::Settled => index::LoadState::Settled,
            LoadState::Bulk => index::LoadState::Bulk,
        },
        pressure: Some(pressure),
        ghosts: Ghosts::Written,
    };
    let pages = insert_built(config, order, &load);
    let has_twins = state.load == LoadState::Bulk && run.entries.has_ghosts();
    let twins = if has_twins {
        let without = insert_built(config, order, &Load { ghosts: Ghosts::LeftOut, ..load });
        DiskBytes(pages.file.0.saturating_sub(without.file.0))
    } else {
        DiskBytes(0)
    };
    run.row(state.load, IndexBuild::BeforeLoad, &pages, twins)
}

/// What the load puts into the cache for each document besides one index's own entries, in update bytes.
fn pressure(run: &IndexRun, runs: &[IndexRun], load: LoadState, loaded: Loaded) -> Pressure {
    let documents = loaded.documents.max(1);
    let document_bytes = loaded.bson.0 / documents;
    let update = |bytes| update_bytes(bytes) + facts::INSERT_MEMORY_BYTES_THIRDS / 3;
    let oplog_bytes = match load {
        LoadState::Settled => 0,
        LoadState::Bulk => update(document_bytes + OPLOG_ENTRY_BYTES),
    };
    let others = runs.iter().filter(|other| other.spec.name() != run.spec.name());
    let key_bytes = |other: &IndexRun| other.scaled(other.key_bytes, 1);
    let index_bytes: u64 = others.map(|other| other.keys * update(0) + key_bytes(other)).sum();
    Pressure {
        appended_bytes_per_document: update(document_bytes) + oplog_bytes,
        index_bytes_per_document: index_bytes / documents,
    }
}

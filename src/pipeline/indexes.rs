//! Indexes along a run: keys while documents are read, pages when all keys are there.

use super::{segments::Segment, state::State, workers::Workers};
use crate::document::Elements;
use crate::estimate::{Basis, IndexBuild, IndexEstimate, LoadState, PatternValue};
use crate::geometry::wiredtiger::{
    TableConfig, facts,
    index::{self, IndexConfig, IndexEntries, IndexPages, Load, Pressure, bulk_built, insert_built},
    segment::update_bytes,
    window::LoadClock,
};
use crate::record::index::{Entries, IndexKind, IndexSpec, Outcome};
use crate::units::{BsonBytes, DiskBytes};

/// Memory that one index's entries may take, so that a run's memory does not grow with its input. An index that has
/// more is not predicted, and says so.
const ENTRY_BYTES_MAX: usize = 160 << 20;
/// What [`IndexEntries`] holds of an entry beside its key.
const ENTRY_OVERHEAD_BYTES: usize = 14;

/// Bytes that an oplog entry has besides its document. Source: measured on mongod 6.0.5, plain inserts.
const OPLOG_ENTRY_BYTES: u64 = 130;

/// One index along the run.
pub(super) struct IndexRun {
    spec: IndexSpec,
    scratch: Entries,
    entries: IndexEntries,
    key_bytes: usize,
    keys: u64,
    refused: u64,
    refused_reason: Option<String>,
}

impl IndexRun {
    pub(super) fn new(spec: IndexSpec) -> Self {
        Self {
            spec,
            scratch: Entries::new(),
            entries: IndexEntries::new(),
            key_bytes: 0,
            keys: 0,
            refused: 0,
            refused_reason: None,
        }
    }

    /// Takes the keys of a segment's documents.
    pub(super) fn take(&mut self, segment: &Segment) {
        let unique = self.spec.is_unique() && self.spec.kind() != IndexKind::Id;
        for index in 0..segment.records() {
            let number = segment.number(index);
            self.scratch.clear();
            let refused =
                match self.spec.entries(segment.document(index), segment.record_id(index), &mut self.scratch)
                {
                    Ok(Outcome::Added(_)) => None,
                    Ok(Outcome::Refused(refusal)) => Some(refusal.to_string()),
                    Err(error) => Some(error.to_string()),
                };
            if let Some(reason) = refused {
                self.refused += 1;
                self.refused_reason.get_or_insert(format!("document {}: {reason}", number - 1));
                continue;
            }
            // More than 2^32 documents have more keys than are held.
            let document = u32::try_from(number - 1).unwrap_or(u32::MAX);
            for entry in self.scratch.iter() {
                self.keys += 1;
                self.key_bytes += entry.key.len();
                if !self.fits() {
                    self.entries = IndexEntries::new();
                } else if unique {
                    let record_id_bytes = entry.key.len() - entry.key_string().len();
                    self.entries.push_unique(entry.key, record_id_bytes, entry.value.len(), document);
                } else {
                    self.entries.push(entry.key, entry.value.len(), document);
                }
            }
        }
    }

    /// Whether all entries so far are held.
    fn fits(&self) -> bool {
        // A count beyond a pointer's range does not fit either.
        let keys = usize::try_from(self.keys).unwrap_or(usize::MAX);
        self.key_bytes.saturating_add(keys.saturating_mul(ENTRY_OVERHEAD_BYTES)) <= ENTRY_BYTES_MAX
    }

    fn row(&self, load: LoadState, build: IndexBuild, pages: Option<&IndexPages>) -> IndexEstimate {
        IndexEstimate {
            name: self.spec.name().to_owned(),
            pattern: pattern(&self.spec),
            load,
            build,
            entries: self.keys,
            storage: pages.map(|pages| DiskBytes(pages.file.0)),
            leaf_pages: pages.map(|pages| pages.leaf_pages),
            documents_refused: self.refused,
            refused_reason: self.refused_reason.clone(),
            basis: Basis::Modelled,
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
    let mut jobs = Vec::new();
    for run in runs {
        for state in states {
            jobs.push((run, state, IndexBuild::BeforeLoad));
        }
        if run.spec.kind() != IndexKind::Id {
            // The same in every state: a build writes no time windows.
            jobs.extend(states.first().map(|state| (run, state, IndexBuild::AfterLoad)));
        }
    }
    workers.map(&jobs, |(run, state, build)| {
        let pages = run.fits().then(|| match build {
            IndexBuild::BeforeLoad => {
                let pressure = Some(pressure(run, runs, state.load, loaded));
                let windows = match state.load {
                    LoadState::Settled => index::LoadState::Settled,
                    LoadState::Bulk => index::LoadState::Bulk,
                };
                let clock = LoadClock::new(table.release);
                insert_built(&config, &run.entries, &Load { clock, state: windows, pressure })
            }
            IndexBuild::AfterLoad => bulk_built(&config, &run.entries),
        });
        if let Some(pages) = &pages {
            pages.assert_complete();
        }
        run.row(state.load, *build, pages.as_ref())
    })
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
    let index_bytes: u64 = others.map(|other| other.keys * update(0) + other.key_bytes as u64).sum();
    Pressure {
        appended_bytes_per_document: update(document_bytes) + oplog_bytes,
        index_bytes_per_document: index_bytes / documents,
    }
}

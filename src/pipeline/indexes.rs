//! Indexes along a run: keys while documents are read, pages when all keys are there.

use super::{segments::Segment, state::State, workers::Workers};
use crate::document::Elements;
use crate::estimate::{Basis, IndexBuild, IndexEstimate, LoadState, PatternValue};
use crate::geometry::wiredtiger::{
    TableConfig,
    index::{self, IndexConfig, IndexEntries, IndexPages, Load, bulk_built, insert_built},
    window::LoadClock,
};
use crate::record::index::{Entries, IndexKind, IndexSpec, Outcome};
use crate::units::DiskBytes;

/// Bytes of keys that one index may hold in memory. An index that has more is not predicted, and says so.
const KEY_BYTES_MAX: usize = 1 << 30;

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
            let record_id = segment.first_record_id + index as u64;
            self.scratch.clear();
            let refused = match self.spec.entries(segment.document(index), record_id, &mut self.scratch) {
                Ok(Outcome::Added(_)) => None,
                Ok(Outcome::Refused(refusal)) => Some(refusal.to_string()),
                Err(error) => Some(error.to_string()),
            };
            if let Some(reason) = refused {
                self.refused += 1;
                self.refused_reason.get_or_insert(format!("document {}: {reason}", record_id - 1));
                continue;
            }
            // More than 2^32 documents have more keys than are held.
            let document = u32::try_from(record_id - 1).unwrap_or(u32::MAX);
            for entry in self.scratch.iter() {
                self.keys += 1;
                self.key_bytes += entry.key.len();
                if self.key_bytes > KEY_BYTES_MAX {
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

/// Every index in every state, there during the load; and built after it, where an index can be.
pub(super) fn finish(
    runs: &[IndexRun],
    states: &[State],
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
        let pages = (run.key_bytes <= KEY_BYTES_MAX).then(|| match build {
            IndexBuild::BeforeLoad => insert_built(&config, &run.entries, &load(state, table)),
            IndexBuild::AfterLoad => bulk_built(&config, &run.entries),
        });
        if let Some(pages) = &pages {
            pages.assert_complete();
        }
        run.row(state.load, *build, pages.as_ref())
    })
}

/// Groups are cut alike in both states; only the bulk one keeps time windows.
fn load(state: &State, table: &TableConfig) -> Load {
    let windows = match state.load {
        LoadState::Settled => index::LoadState::Settled,
        LoadState::Bulk => index::LoadState::Bulk,
    };
    Load { clock: LoadClock::new(table.release), state: windows }
}

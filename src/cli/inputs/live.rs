//! What a server tells of a collection, as the model takes it.

use crate::cli::UsageError;
use crate::cli::plan::EstimatePlan;
use crate::codec::{CodecKind, ZlibLevel, ZstdLevel};
use crate::estimate::{CodecName, History, Layout, OnServer};
use crate::geometry::wiredtiger::{Release, TableConfig};
use crate::mongod::{CollectionFacts, ServerFacts, config_value};
use crate::record::index::{IndexKind, IndexSpec};
use crate::source::live::LiveCollection;
use crate::units::AllocationUnit;

/// The server's release, its cache and the table's sizes, where nothing else was typed. What a server does not tell,
/// or what no rule is known for, stays as it is.
pub(super) fn table(collection: &LiveCollection, plan: &EstimatePlan) -> Result<TableConfig, UsageError> {
    let facts = collection.server().facts();
    let mut table = TableConfig::collection(release(facts).unwrap_or(plan.model.table.release));
    let config = &collection.facts().table.config;
    let size = |key| config_value(config, key).and_then(bytes);
    if let Some(unit) = size("allocation_size").and_then(AllocationUnit::new) {
        table.allocation = unit;
    }
    let leaf = size("leaf_page_max").and_then(|bytes| u32::try_from(bytes).ok());
    table.leaf_page_bytes_max = leaf.unwrap_or(table.leaf_page_bytes_max);
    table.memory_page_bytes_max = size("memory_page_max").unwrap_or(table.memory_page_bytes_max);
    table.cache_bytes = facts.cache_bytes.unwrap_or(table.cache_bytes);
    plan.typed.over(table)
}

/// The rules of a server's own version; `None` for a line that none are known of.
pub(in crate::cli) fn release(facts: &ServerFacts) -> Option<Release> {
    Release::parse(facts.plain_version())
}

/// A size as `WiredTiger` writes it: `4KB`, `10m`, `32768`.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" => 10,
        "m" | "mb" => 20,
        "g" | "gb" => 30,
        "t" | "tb" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// The typed indexes, `_id_` among them, then the server's.
pub(super) fn indexes(collection: &LiveCollection, typed: &[IndexSpec]) -> (Vec<IndexSpec>, Vec<String>) {
    let (mut specs, mut left_out) = (typed.to_vec(), Vec::new());
    for (name, parsed) in parsed(collection.facts()) {
        match parsed {
            Ok(spec) => {
                let is_same =
                    |known: &IndexSpec| known.name() == spec.name() || known.pattern() == spec.pattern();
                if !specs.iter().any(is_same) {
                    specs.push(spec);
                }
            }
            Err(reason) => {
                left_out.push(format!("{}: index {name} is left out: {reason}", collection.name()));
            }
        }
    }
    (specs, left_out)
}

/// Definitions of those that can be predicted, without `_id_`.
pub(super) fn definitions(collection: &LiveCollection) -> Vec<(String, Vec<u8>)> {
    let facts = collection.facts();
    let known = parsed(facts).into_iter().zip(&facts.indexes);
    known
        .filter_map(|((_, spec), definition)| Some((spec.ok()?, definition)))
        .filter(|(spec, _)| spec.kind() != IndexKind::Id)
        .map(|(spec, definition)| (spec.name().to_owned(), definition.clone()))
        .collect()
}

/// Each index's name and what is made of its definition.
fn parsed(facts: &CollectionFacts) -> Vec<(String, Result<IndexSpec, String>)> {
    let spec = |(ordinal, definition): (usize, &Vec<u8>)| {
        let parsed = IndexSpec::parse(definition);
        let name = facts.table.indexes.get(ordinal).map(|index| index.name.clone());
        let shown = match &parsed {
            Ok(spec) => spec.name().to_owned(),
            Err(_) => name.unwrap_or_else(|| format!("number {ordinal}")),
        };
        (shown, parsed.map_err(|error| error.to_string()))
    };
    facts.indexes.iter().enumerate().map(spec).collect()
}

/// How the collection is stored.
pub(super) fn on_server(collection: &LiveCollection) -> OnServer {
    let (facts, server) = (collection.facts(), collection.server().facts());
    OnServer {
        version: server.version.clone(),
        codec: facts.compressor().and_then(|name| codec(name, server)),
        storage: facts.table.storage,
        free: facts.table.free,
        documents: facts.table.documents,
        bson: facts.table.bson,
        indexes: facts.table.indexes.iter().map(|index| (index.name.clone(), index.storage)).collect(),
        history: if server.keeps_history() { History::Kept } else { History::NotKept },
        layout: match (facts.clustered, facts.capped) {
            (true, _) => Layout::Clustered,
            (_, true) => Layout::Capped,
            _ => Layout::Plain,
        },
    }
}

/// A compressor at the level that the server uses.
fn codec(name: &str, server: &ServerFacts) -> Option<CodecName> {
    let level = server.zstd_level.and_then(ZstdLevel::new).unwrap_or(ZstdLevel::SERVER);
    let kind = match name {
        "none" => CodecKind::None,
        "snappy" => CodecKind::Snappy,
        "zlib" => CodecKind::Zlib(ZlibLevel::SERVER),
        "zstd" => CodecKind::Zstd(level),
        _ => return None,
    };
    Some(CodecName { name: kind.name(), level: kind.level() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_wiredtiger_writes_them() {
        for (text, want) in [
            ("4KB", Some(4096)),
            ("10m", Some(10 << 20)),
            ("32768", Some(32_768)),
            ("5GB", Some(5 << 30)),
            ("", None),
            ("KB", None),
            ("1x", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(bytes(text), want, "{text}");
        }
    }
}

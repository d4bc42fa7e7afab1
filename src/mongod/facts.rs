//! What a server tells of itself and of a collection, as plain values.

use crate::units::{BsonBytes, DiskBytes, RawBytes};

/// A server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFacts {
    /// `6.0.27`.
    pub version: String,
    /// Whether it is a mongos, which has no files of its own.
    pub is_router: bool,
    /// Name of the replica set that it belongs to.
    pub replica_set: Option<String>,
    /// `minSnapshotHistoryWindowInSeconds`; `None` where it may not be asked.
    pub history_window_s: Option<u64>,
    /// `WiredTiger`'s cache; `None` where it may not be asked, or with another engine.
    pub cache_bytes: Option<u64>,
    /// `zstdDefaultCompressionLevel` where it was set.
    pub zstd_level: Option<i32>,
    /// `wiredTiger`; `None` where it may not be asked.
    pub engine: Option<String>,
}

impl ServerFacts {
    /// Major and minor of the version; `None` for text that is no version.
    #[must_use]
    pub fn line(&self) -> Option<(u16, u16)> {
        let mut parts = self.version.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    }

    /// The version without what stands behind its third number: `8.1.0` of `8.1.0-rc0`.
    #[must_use]
    pub fn plain_version(&self) -> &str {
        self.version.split(['-', '+']).next().unwrap_or_default()
    }

    /// Whether fresh documents keep time windows on their pages for a while.
    #[must_use]
    pub fn keeps_history(&self) -> bool {
        self.replica_set.is_some() && self.history_window_s != Some(0)
    }
}

/// One collection's table after a checkpoint, as `collStats` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableStats {
    /// `storageSize`: the file.
    pub storage: DiskBytes,
    /// `freeStorageSize`: the part of it that is free for reuse; `None` on servers that do not tell.
    pub free: Option<DiskBytes>,
    /// `count`.
    pub documents: u64,
    /// `size`.
    pub bson: BsonBytes,
    /// Pages that were written since the server started: leaf and internal, and again those that were rewritten.
    pub pages_written: Option<u64>,
    /// Where the image size stands that `WiredTiger` tunes; `None` where nothing is packed.
    pub image_tuned: Option<RawBytes>,
    /// `creationString`: the table's configuration.
    pub config: String,
    /// In the server's order.
    pub indexes: Vec<IndexStats>,
}

/// One index's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStats {
    /// `user_1`.
    pub name: String,
    /// Its file.
    pub storage: DiskBytes,
}

impl TableStats {
    /// The file of one index.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<DiskBytes> {
        self.indexes.iter().find(|index| index.name == name).map(|index| index.storage)
    }
}

/// A collection on a server, as it is described there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionFacts {
    /// Its table.
    pub table: TableStats,
    /// Definitions of its indexes as BSON documents, as createIndexes takes them; `_id_` is one of them.
    pub indexes: Vec<Vec<u8>>,
    /// Whether it is capped.
    pub capped: bool,
    /// Whether documents are keyed by `_id` in place of a `RecordId`.
    pub clustered: bool,
}

/// The value of one key at the top of a configuration: `zstd` of `block_compressor` in
/// `allocation_size=4KB,block_compressor=zstd,log=(enabled=true)`.
#[must_use]
pub fn config_value<'a>(config: &'a str, key: &str) -> Option<&'a str> {
    let mut depth = 0_usize;
    let parts = config.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.filter_map(|part| part.split_once('=')).find(|(name, _)| *name == key).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read_at_its_top_level_only() {
        let config =
            "allocation_size=4KB,log=(enabled=true,block_compressor=no),block_compressor=zstd,type=file";
        assert_eq!(config_value(config, "block_compressor"), Some("zstd"));
        assert_eq!(config_value(config, "allocation_size"), Some("4KB"));
        assert_eq!(config_value(config, "enabled"), None);
        assert_eq!(config_value("a=)),b=1", "b"), Some("1"));
    }

    #[test]
    fn versions_are_cut_to_their_line_and_their_release() {
        let facts = |version: &str| ServerFacts {
            version: version.to_owned(),
            is_router: false,
            replica_set: None,
            history_window_s: None,
            cache_bytes: None,
            zstd_level: None,
            engine: None,
        };
        for (version, line, plain) in
            [("6.0.27", Some((6, 0)), "6.0.27"), ("8.1.0-rc0", Some((8, 1)), "8.1.0"), ("x", None, "x")]
        {
            assert_eq!((facts(version).line(), facts(version).plain_version()), (line, plain));
        }
        let member = |window| ServerFacts {
            replica_set: Some("rs".to_owned()),
            history_window_s: window,
            ..facts("6.0.27")
        };
        assert!(!facts("6.0.27").keeps_history());
        assert!(member(None).keeps_history() && member(Some(300)).keeps_history());
        assert!(!member(Some(0)).keeps_history());
    }
}

//! `collStats` of one collection to figures.

use super::client::integer;
use super::{IndexStats, MongodError, Server, TableStats};
use crate::units::{BsonBytes, DiskBytes, RawBytes};
use mongodb::bson::{Bson, Document, doc};

impl Server {
    /// What `collStats` tells of a collection.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn table_stats(&self, database: &str, collection: &str) -> Result<TableStats, MongodError> {
        let answer = self.run(database, "reading collStats", doc! { "collStats": collection })?;
        Ok(table_stats(&answer))
    }

    /// Makes a checkpoint: only then does a file's size count.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn checkpoint(&self) -> Result<(), MongodError> {
        self.run("admin", "making a checkpoint", doc! { "fsync": 1 }).map(drop)
    }
}

/// Through a router the shards' figures are added up, and their tables are not told.
fn table_stats(answer: &Document) -> TableStats {
    let count = |place: &[&str]| integer(answer, place).and_then(|count| u64::try_from(count).ok());
    let table = answer.get_document("wiredTiger").ok();
    let indexes = answer.get_document("indexSizes").ok().map(|sizes| {
        let size = |bytes: &Bson| match bytes {
            Bson::Int32(bytes) => u64::try_from(*bytes).ok(),
            Bson::Int64(bytes) => u64::try_from(*bytes).ok(),
            _ => None,
        };
        let index = |(name, bytes): (&String, &Bson)| {
            Some(IndexStats { name: name.clone(), storage: DiskBytes(size(bytes)?) })
        };
        sizes.iter().filter_map(index).collect()
    });
    let config = table.and_then(|table| table.get_str("creationString").ok()).unwrap_or_default();
    let is_packed =
        super::config_value(config, "block_compressor").is_some_and(|name| !matches!(name, "" | "none"));
    TableStats {
        storage: DiskBytes(count(&["storageSize"]).unwrap_or(0)),
        free: count(&["freeStorageSize"])
            .or_else(|| count(&["wiredTiger", "block-manager", "file bytes available for reuse"]))
            .map(DiskBytes),
        documents: count(&["count"]).unwrap_or(0),
        bson: BsonBytes(count(&["size"]).unwrap_or(0)),
        pages_written: count(&["wiredTiger", "cache", "pages written from cache"]),
        image_tuned: table.filter(|_| is_packed).and_then(tuned).map(RawBytes),
        config: config.to_owned(),
        indexes: indexes.unwrap_or_default(),
    }
}

/// The name of this statistic ends in a space on some releases.
fn tuned(table: &Document) -> Option<u64> {
    const NAME: &str = "compressed page maximum leaf page size prior to compression";
    let compression = table.get_document("compression").ok()?;
    let name = compression.keys().find(|name| name.trim_end() == NAME)?;
    u64::try_from(integer(compression, &[name])?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_and_what_is_not_told_is_not_known() {
        let answer = doc! {
            "count": 3, "size": 300_i64, "storageSize": 8192, "freeStorageSize": 4096,
            "indexSizes": { "_id_": 4096, "a_1": 12_288_i64 },
            "wiredTiger": {
                "creationString": "block_compressor=zstd",
                "cache": { "pages written from cache": 7 },
                "compression": { "compressed page maximum leaf page size prior to compression ": 65536 },
            },
        };
        let stats = table_stats(&answer);
        assert_eq!((stats.storage, stats.free), (DiskBytes(8192), Some(DiskBytes(4096))));
        assert_eq!((stats.documents, stats.bson), (3, BsonBytes(300)));
        assert_eq!((stats.pages_written, stats.image_tuned), (Some(7), Some(RawBytes(65536))));
        assert_eq!((stats.index("a_1"), stats.index("b_1")), (Some(DiskBytes(12_288)), None));
        let router = table_stats(&doc! { "count": 3, "size": 300, "storageSize": 8192 });
        assert_eq!((router.free, router.pages_written, router.image_tuned), (None, None, None));
        assert_eq!(router.config, "");
    }
}

//! An index's table configuration.

use crate::geometry::wiredtiger::{Release, TableConfig, facts, reconcile};
use crate::units::AllocationUnit;

/// Sizes that decide an index's pages: those of the table that mongod creates for each index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexConfig {
    table: TableConfig,
}

impl IndexConfig {
    /// As mongod creates it, under a cache of 1 GiB.
    #[must_use]
    pub fn new(release: Release) -> Self {
        Self::with_cache(release, 1 << 30)
    }

    /// As mongod creates it, under a cache of this size: a small one clips the memory page.
    #[must_use]
    pub fn with_cache(release: Release, cache_bytes: u64) -> Self {
        let table = TableConfig {
            allocation: AllocationUnit::DEFAULT,
            leaf_page_bytes_max: facts::INDEX_PAGE_BYTES_MAX,
            internal_page_bytes_max: facts::INDEX_PAGE_BYTES_MAX,
            memory_page_bytes_max: facts::INDEX_MEMORY_PAGE_BYTES_MAX,
            cache_bytes,
            release,
        };
        Self { table }
    }

    /// The table's own sizes.
    #[must_use]
    pub fn table(&self) -> &TableConfig {
        &self.table
    }

    fn split_bytes(&self) -> u64 {
        let page_bytes = u64::from(self.table.leaf_page_bytes_max);
        reconcile::split_bytes(facts::SPLIT_PCT, page_bytes, page_bytes)
    }

    /// Longest key, less the prefix it shares, that is stored on its page (`maxleafkey`).
    #[must_use]
    pub fn page_key_bytes_max(&self) -> u64 {
        self.split_bytes() / facts::OVERFLOW_KEY_DIVISOR
    }

    /// Longest value that is stored on its page (`maxleafvalue`).
    #[must_use]
    pub fn page_value_bytes_max(&self) -> u64 {
        self.split_bytes() / facts::OVERFLOW_VALUE_DIVISOR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_a_sixteen_kilobyte_page() {
        let config = IndexConfig::new(Release::NEWEST);
        assert_eq!((config.page_key_bytes_max(), config.page_value_bytes_max()), (1474, 7372));
        assert_eq!(config.table().memory_page_bytes_split(), 4 << 20);
        let small = IndexConfig::with_cache(Release::NEWEST, 128 << 20);
        assert_eq!(small.table().memory_page_bytes_forced(), 2_684_354, "a fiftieth of the cache");
    }
}

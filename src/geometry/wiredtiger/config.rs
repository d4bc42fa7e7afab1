//! A table's configuration and the sizes that follow from it.

use super::{facts, reconcile::split_bytes};
use crate::units::AllocationUnit;

/// Sizes that decide a collection's pages, checked against the engine's ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableConfig {
    /// `allocation_size`.
    pub allocation: AllocationUnit,
    /// `leaf_page_max`, bytes: largest leaf image before packing where nothing is packed.
    pub leaf_page_bytes_max: u32,
    /// `internal_page_max`, bytes.
    pub internal_page_bytes_max: u32,
    /// `memory_page_max` as configured, bytes.
    pub memory_page_bytes_max: u64,
    /// The server's cache, bytes: clips the memory page.
    pub cache_bytes: u64,
    /// Rules of which release.
    pub release: Release,
}

/// A configuration that the engine would refuse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// `leaf_page_max` outside its range.
    #[error("leaf page maximum {bytes} is outside WiredTiger's range of 512 to 536870912 bytes (512 MiB)")]
    LeafRange {
        /// As given.
        bytes: u64,
    },
    /// `leaf_page_max` is no multiple of the allocation size.
    #[error("leaf page maximum {bytes} is not a multiple of the allocation size {allocation}")]
    LeafMultiple {
        /// As given.
        bytes: u64,
        /// The allocation size.
        allocation: u64,
    },
    /// `memory_page_max` outside its range.
    #[error(
        "memory page maximum {bytes} is outside WiredTiger's range of 512 bytes to 10995116277760 (10 TiB)"
    )]
    MemoryRange {
        /// As given.
        bytes: u64,
    },
    /// Cache outside its range: the server's smallest, the engine's largest.
    ///
    /// Source: `cache_size`, `dist/api_data.py` at tag mongodb-8.0.0.
    #[error("cache of {bytes} bytes is outside the range of 268435456 (256 MiB) to 10995116277760 (10 TiB)")]
    CacheRange {
        /// As given.
        bytes: u64,
    },
}

impl TableConfig {
    /// A collection as mongod creates it, under a cache of 1 GiB.
    #[must_use]
    pub fn collection(release: Release) -> Self {
        Self {
            allocation: AllocationUnit::DEFAULT,
            leaf_page_bytes_max: facts::LEAF_PAGE_BYTES_MAX,
            internal_page_bytes_max: facts::INTERNAL_PAGE_BYTES_MAX,
            memory_page_bytes_max: facts::MEMORY_PAGE_BYTES_MAX,
            cache_bytes: 1 << 30,
            release,
        }
    }

    /// With other sizes, checked. The internal page grows to the allocation size where that is larger.
    ///
    /// # Errors
    ///
    /// [`ConfigError`]: what the engine itself would refuse.
    pub fn with_sizes(
        self,
        allocation: AllocationUnit,
        leaf_page_bytes_max: u64,
        memory_page_bytes_max: u64,
        cache_bytes: u64,
    ) -> Result<Self, ConfigError> {
        let leaf = u32::try_from(leaf_page_bytes_max)
            .ok()
            .filter(|bytes| (512..=512 << 20).contains(bytes))
            .ok_or(ConfigError::LeafRange { bytes: leaf_page_bytes_max })?;
        if !leaf_page_bytes_max.is_multiple_of(allocation.bytes()) {
            return Err(ConfigError::LeafMultiple {
                bytes: leaf_page_bytes_max,
                allocation: allocation.bytes(),
            });
        }
        if !(512..=10 << 40).contains(&memory_page_bytes_max) {
            return Err(ConfigError::MemoryRange { bytes: memory_page_bytes_max });
        }
        if !(256 << 20..=10 << 40).contains(&cache_bytes) {
            return Err(ConfigError::CacheRange { bytes: cache_bytes });
        }
        let unit = u32::try_from(allocation.bytes()).unwrap_or(u32::MAX); // 128 MiB at most
        Ok(Self {
            allocation,
            leaf_page_bytes_max: leaf,
            internal_page_bytes_max: self.internal_page_bytes_max.max(unit),
            memory_page_bytes_max,
            cache_bytes,
            release: self.release,
        })
    }

    /// Bytes at which an in-memory leaf is forced out of the cache.
    ///
    /// Source: `__btree_page_sizes`, `src/btree/bt_handle.c` at tag mongodb-8.0.0 (`maxmempage`).
    #[must_use]
    pub fn memory_page_bytes_forced(&self) -> u64 {
        // In 128 bits: the fields are public, so the cache may be anything.
        let trigger = u128::from(facts::DIRTY_TRIGGER_PCT) * u128::from(self.cache_bytes) / 100;
        let by_cache =
            u64::try_from(trigger / u128::from(facts::MEMORY_PAGE_CACHE_DIVISOR)).unwrap_or(u64::MAX);
        self.memory_page_bytes_max.min(by_cache).max(u64::from(self.leaf_page_bytes_max))
    }

    /// Bytes at which an in-memory leaf that grows at its end is split (`splitmempage`).
    #[must_use]
    pub fn memory_page_bytes_split(&self) -> u64 {
        facts::SPLIT_MEMORY_TENTHS * self.memory_page_bytes_forced() / 10
    }

    /// Longest key of a collection that stands on its leaf: a tenth of the size at which a leaf is cut (`leaf_key_max`).
    ///
    /// Source: `__btree_page_sizes`, `src/btree/bt_handle.c` at tag mongodb-8.0.0.
    #[must_use]
    pub fn leaf_key_bytes_max(&self) -> u64 {
        let leaf = u64::from(self.leaf_page_bytes_max);
        split_bytes(facts::SPLIT_PCT, leaf, self.allocation.bytes()) / facts::OVERFLOW_KEY_DIVISOR
    }

    /// Largest image before compression: four times the larger page size (`maxmempage_image`).
    #[must_use]
    pub fn image_bytes_max(&self) -> u32 {
        facts::IMAGE_SIZE_MULTIPLE.saturating_mul(self.leaf_page_bytes_max.max(self.internal_page_bytes_max))
    }
}

/// A server release whose rules are followed, down to the point release where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    /// 8 in 8.0.4.
    pub major: u16,
    /// 0 in 8.0.4.
    pub minor: u16,
    /// 4 in 8.0.4; `None` for the newest of its line.
    pub patch: Option<u16>,
}

impl Release {
    /// Lines whose rules were read or measured, oldest first.
    pub const KNOWN: [(u16, u16); 5] = [(4, 4), (5, 0), (6, 0), (7, 0), (8, 0)];
    /// The newest of them.
    pub const NEWEST: Self = Self { major: 8, minor: 0, patch: None };

    /// From `8.0` or `6.0.5`. `None` for other text and for lines between or before the known ones.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            if digits { part.parse::<u16>().ok() } else { None }
        });
        let (major, minor) = (parts.next()??, parts.next()??);
        let patch = match parts.next() {
            None => None,
            Some(patch) => Some(patch?),
        };
        let release = Self { major, minor, patch };
        (parts.next().is_none() && (Self::KNOWN.contains(&(major, minor)) || release.is_newer_than_known()))
            .then_some(release)
    }

    /// Whether an insert that a reader at the oldest timestamp may not see yet counts as a saved update: such
    /// pages are cut at half their size.
    ///
    /// Source: WT-10449, `__rec_need_save_upd`, `src/reconcile/rec_visibility.c`; 6.0.0 to 6.0.6, seen on 6.0.5 and
    /// gone on 6.0.27.
    #[must_use]
    pub fn saves_fresh_inserts(self) -> bool {
        (self.major, self.minor) == (6, 0) && self.patch.is_some_and(|patch| patch <= 6)
    }

    /// Whether its line is newer than the newest one known: its rules are then unverified.
    #[must_use]
    pub fn is_newer_than_known(self) -> bool {
        (self.major, self.minor) > (Self::NEWEST.major, Self::NEWEST.minor)
    }
}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        self.patch.map_or(Ok(()), |patch| write!(f, ".{patch}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_page_is_clipped_by_a_small_cache() {
        let config = TableConfig::collection(Release::NEWEST);
        assert_eq!(
            (config.memory_page_bytes_forced(), config.memory_page_bytes_split()),
            (10_485_760, 8_388_608)
        );
        assert_eq!(config.leaf_key_bytes_max(), 2867);
        let small = config.with_sizes(AllocationUnit::DEFAULT, 32 << 10, 10 << 20, 256 << 20).unwrap();
        assert_eq!(
            (small.memory_page_bytes_forced(), small.memory_page_bytes_split()),
            (5_368_709, 4_294_967)
        );
    }

    #[test]
    fn sizes_that_the_engine_refuses_are_refused() {
        let config = TableConfig::collection(Release::NEWEST);
        let unit = AllocationUnit::DEFAULT;
        for (leaf, memory, cache, want) in [
            (0, 10 << 20, 1 << 30, ConfigError::LeafRange { bytes: 0 }),
            (1 << 30, 10 << 20, 1 << 30, ConfigError::LeafRange { bytes: 1 << 30 }),
            (10_000, 10 << 20, 1 << 30, ConfigError::LeafMultiple { bytes: 10_000, allocation: 4096 }),
            (32_768, 100, 1 << 30, ConfigError::MemoryRange { bytes: 100 }),
            (32_768, 10 << 20, 1 << 20, ConfigError::CacheRange { bytes: 1 << 20 }),
            (32_768, 10 << 20, u64::MAX, ConfigError::CacheRange { bytes: u64::MAX }),
        ] {
            assert_eq!(config.with_sizes(unit, leaf, memory, cache), Err(want));
        }
    }

    #[test]
    fn releases_are_known_newer_or_refused() {
        for (text, want) in [
            ("8.0", Some((8, 0, None))),
            ("6.0.5", Some((6, 0, Some(5)))),
            ("9.0", Some((9, 0, None))),
            ("8.2.1", Some((8, 2, Some(1)))),
            ("3.6", None),
            ("5.1", None),
            ("8", None),
            ("8.0.1.2", None),
            ("8.0.x", None),
            ("", None),
            ("+8.0", None),
        ] {
            let got = Release::parse(text).map(|release| (release.major, release.minor, release.patch));
            assert_eq!(got, want, "{text:?}");
        }
    }
}

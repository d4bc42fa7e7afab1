//! A full scan with nothing in the cache: reading from the disk, unpacking, and what a server does besides.
//!
//! ```text
//!  disk    read block 1 | read block 2 | read block 3 |           the system reads ahead
//!  thread               | take in, unpack 1 | documents | take in, unpack 2 | documents
//! ```
//!
//! One thread scans. A system that reads ahead makes the slower of disk and thread count; one that does not, both.

use crate::estimate::{LoadState, StorageEstimate};

/// Opening tables and the first command after a start: seconds, whatever the size.
const START_S: f64 = 0.010;
/// Taking a block out of the system's cache, and its checksum: seconds a megabyte of storage.
const TAKE_IN_S_PER_MB: f64 = 0.000_17;
/// Memory for an image that is unpacked or copied out of its block: seconds a megabyte, of tables with a compressor.
const IMAGE_S_PER_MB: f64 = 0.000_35;
/// Building a page in memory: seconds a row.
const ROW_S: f64 = 0.000_000_145;
/// Handing a document to the reply of a query: seconds.
const DOCUMENT_S: f64 = 0.000_000_35;
/// Copying it there: seconds a megabyte of BSON.
const COPY_S_PER_MB: f64 = 0.000_13;

/// What one thread does in a scan, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Which state.
    pub load: LoadState,
    /// Bytes on disk.
    pub storage_bytes: f64,
    /// Taking blocks in and building pages.
    pub take_in_s: f64,
    /// Unpacking; `None` where the encoder was not timed.
    pub unpack_s: Option<f64>,
    /// Handing documents out: what a scan takes when all is in the cache.
    pub documents_s: f64,
}

impl Work {
    /// Of one row of an estimate.
    #[must_use]
    pub fn of(row: &StorageEstimate, documents: u64, bson_bytes: u64) -> Self {
        let tally = &row.tally;
        let mb = |bytes: u64| super::float(bytes) / super::BYTES_PER_MB;
        let packed_share = if tally.leaf_pages == 0 {
            0.0
        } else {
            1.0 - super::float(tally.pages_kept_raw) / super::float(tally.leaf_pages)
        };
        let unpack_s = match row.speed.and_then(|speed| speed.decompress_mb_per_s) {
            Some(speed) => Some(mb(tally.leaf_image.0) * packed_share / speed),
            None if row.codec.name == "none" || packed_share <= 0.0 => Some(0.0),
            None => None,
        };
        let rows = super::float(documents);
        let image_bytes = if row.codec.name == "none" { 0 } else { tally.leaf_image.0 };
        Self {
            load: row.load,
            storage_bytes: super::float(row.storage.0),
            take_in_s: mb(row.storage.0) * TAKE_IN_S_PER_MB + mb(image_bytes) * IMAGE_S_PER_MB + rows * ROW_S,
            unpack_s,
            documents_s: rows * DOCUMENT_S + mb(bson_bytes) * COPY_S_PER_MB,
        }
    }

    /// For so many times as many documents.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            load: self.load,
            storage_bytes: self.storage_bytes * factor,
            take_in_s: self.take_in_s * factor,
            unpack_s: self.unpack_s.map(|unpack_s| unpack_s * factor),
            documents_s: self.documents_s * factor,
        }
    }

    /// All that the thread does.
    #[must_use]
    pub fn thread_s(&self) -> Option<f64> {
        Some(self.unpack_s? + self.other_s())
    }

    /// What it does besides unpacking.
    #[must_use]
    pub fn other_s(&self) -> f64 {
        START_S + self.take_in_s + self.documents_s
    }

    /// What a scan takes longer with a cold cache than with a warm one, if the system has the blocks.
    #[must_use]
    pub fn added_s(&self) -> Option<f64> {
        Some(START_S + self.take_in_s + self.unpack_s?)
    }

    /// What the disk takes.
    #[must_use]
    pub fn disk_s(&self, disk_mb_per_s: f64) -> f64 {
        self.storage_bytes / super::BYTES_PER_MB / disk_mb_per_s
    }

    /// If the system reads ahead.
    #[must_use]
    pub fn scan_s(&self, disk_mb_per_s: f64) -> Option<f64> {
        Some(self.disk_s(disk_mb_per_s).max(self.thread_s()?))
    }

    /// If it does not.
    #[must_use]
    pub fn scan_alone_s(&self, disk_mb_per_s: f64) -> Option<f64> {
        Some(self.disk_s(disk_mb_per_s) + self.thread_s()?)
    }

    /// Disk from which on `other`, which takes less of the thread and more of the disk, is the faster one, if the
    /// system reads ahead. `None` if one of the two is never slower.
    #[must_use]
    pub fn crossover_mb_per_s(&self, other: &Self) -> Option<f64> {
        let (own, others) = (self.thread_s()?, other.thread_s()?);
        let is_between = self.storage_bytes < other.storage_bytes && own > others && own > 0.0;
        is_between.then(|| other.storage_bytes / super::BYTES_PER_MB / own)
    }

    /// The fastest disk on which this scan takes a share of `plain`'s time, if the system reads ahead: `1.0 - saved`.
    /// `None` if it never does.
    #[must_use]
    pub fn disk_for_share(&self, plain: &Self, share: f64) -> Option<f64> {
        let own = self.thread_s()?;
        // The plain scan must be bound by the disk, or both threads would have to differ that much.
        let disk = plain.storage_bytes / super::BYTES_PER_MB * share / own.max(f64::MIN_POSITIVE);
        (self.storage_bytes <= plain.storage_bytes * share && plain.disk_s(disk) >= plain.thread_s()?)
            .then_some(disk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(storage_mb: f64, unpack_s: f64) -> Work {
        Work {
            load: LoadState::Settled,
            storage_bytes: storage_mb * 1e6,
            take_in_s: 0.0,
            unpack_s: Some(unpack_s),
            documents_s: 0.1 - START_S,
        }
    }

    #[test]
    fn at_the_crossover_both_take_as_long() {
        let (packed, plain) = (work(40.0, 0.3), work(100.0, 0.0));
        let disk = packed.crossover_mb_per_s(&plain).unwrap();
        assert!((disk - 250.0).abs() < 1e-9, "{disk}");
        let (one, other) = (packed.scan_s(disk).unwrap(), plain.scan_s(disk).unwrap());
        assert!((one - other).abs() < 1e-9, "{one} {other}");
        assert_eq!(plain.crossover_mb_per_s(&packed), None);
        assert_eq!(work(120.0, 0.3).crossover_mb_per_s(&plain), None, "never worth it");
        assert_eq!(work(40.0, 0.0).crossover_mb_per_s(&plain), None, "always worth it");
    }

    #[test]
    fn the_disk_for_a_saving_saves_that_much() {
        let (packed, plain) = (work(40.0, 0.3), work(100.0, 0.0));
        let disk = packed.disk_for_share(&plain, 0.762).unwrap();
        let share = packed.scan_s(disk).unwrap() / plain.scan_s(disk).unwrap();
        assert!((share - 0.762).abs() < 1e-9, "{disk}: {share}");
        assert_eq!(packed.disk_for_share(&plain, 0.3), None, "more than is to be had");
    }

    #[test]
    fn without_a_speed_no_time_is_claimed() {
        let work = Work { unpack_s: None, ..work(40.0, 0.0) };
        assert_eq!((work.scan_s(100.0), work.added_s()), (None, None));
        assert!((work.disk_s(100.0) - 0.4).abs() < 1e-9);
    }
}

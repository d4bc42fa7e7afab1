//! Figures of real data files: what each byte of them is, and what they would be otherwise.

use super::{Band, BlockHistogram, CodecName, LoadState, Timing};
use crate::units::{BsonBytes, DiskBytes, PackedBytes, Ratio, RawBytes};
use std::collections::BTreeMap;

/// A whole run of `inspect`.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The file or dbPath, as it was given.
    pub path: String,
    /// One entry a table: collections, then indexes.
    pub tables: Vec<TableInspection>,
    /// Tables of which nothing can be said.
    pub unreadable: Vec<Unreadable>,
    /// Why the files may be behind what the server knows.
    pub behind: Vec<String>,
    /// Release whose rules repacked documents follow.
    pub server: String,
    /// Encoder library and its version.
    pub codec_versions: Vec<(&'static str, String)>,
    /// What it took.
    pub timing: Timing,
}

/// A table that cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Its file.
    pub file: String,
    /// Its collection or index, where that is known.
    pub name: Option<String>,
    /// Bytes of the file, where the system tells.
    pub file_bytes: Option<DiskBytes>,
    /// Why.
    pub reason: String,
}

/// What a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableRole {
    /// Documents.
    Collection,
    /// Keys of documents.
    Index,
    /// Neither, as far as can be told: one of the engine's own tables.
    Other,
}

impl TableRole {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Collection => "collection",
            Self::Index => "index",
            Self::Other => "table",
        }
    }
}

/// How much of a table could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readable {
    /// Its live pages.
    Pages,
    /// The headers of its blocks: the rest is encrypted. Blocks that wait to be free are counted as live ones.
    HeadersOnly,
}

/// One data file, from its newest checkpoint.
#[derive(Clone, Debug)]
pub struct TableInspection {
    /// The file.
    pub file: String,
    /// `db.collection`, where the catalog names it.
    pub namespace: Option<String>,
    /// Name of the index, where the catalog names it.
    pub index: Option<String>,
    /// What it holds.
    pub role: TableRole,
    /// `block_compressor`; `None` where the configuration cannot be read.
    pub codec: Option<String>,
    /// How much of it could be read.
    pub readable: Readable,
    /// `allocation_size`.
    pub allocation_bytes: u64,
    /// `leaf_page_max`.
    pub leaf_page_bytes_max: u64,
    /// Where every byte of the file goes.
    pub layout: FileLayout,
    /// Its leaves.
    pub leaves: LeafFigures,
    /// Documents as the server last wrote their number down, and their BSON bytes.
    pub counts_stored: Option<(u64, BsonBytes)>,
    /// Pages that cannot be read, and places that contradict each other.
    pub faults: Faults,
    /// Live bytes as the checkpoint itself has them: the other route to `layout`'s sum of pages.
    pub checkpoint_live: DiskBytes,
    /// What it would be otherwise.
    pub what_if: Vec<WhatIf>,
}

impl TableInspection {
    /// `shop.orders`, `shop.orders / user_1`, or the file's name.
    #[must_use]
    pub fn name(&self) -> String {
        match (&self.namespace, &self.index) {
            (Some(namespace), None) => namespace.clone(),
            (Some(namespace), Some(index)) => format!("{namespace} / {index}"),
            _ => self.file.clone(),
        }
    }

    /// File ÷ BSON bytes of the live documents; `None` for what holds none.
    #[must_use]
    pub fn ratio(&self) -> Option<Ratio> {
        self.leaves.bson.and_then(|bson| Ratio::of(self.layout.file, bson))
    }
}

/// The owners of a file's bytes. Each byte has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileLayout {
    /// All bytes of the file.
    pub file: DiskBytes,
    /// Its first unit.
    pub description: DiskBytes,
    /// Leaves.
    pub leaves: DiskBytes,
    /// Items too large for a page.
    pub overflow: DiskBytes,
    /// Pages that lead to the leaves, but for the root.
    pub internal: DiskBytes,
    /// The root page.
    pub root: DiskBytes,
    /// Blocks whose parent is known and whose contents are damaged.
    pub damaged: DiskBytes,
    /// Extent lists of the checkpoint.
    pub extent_lists: DiskBytes,
    /// Free space: what `collStats` calls `freeStorageSize`.
    pub free: DiskBytes,
    /// Blocks of earlier checkpoints that are free once the next one is done, and, where pages are damaged,
    /// whatever these lead to.
    pub pending: DiskBytes,
    /// Written behind the end that the checkpoint knows.
    pub after_checkpoint: DiskBytes,
}

impl FileLayout {
    /// The live pages.
    #[must_use]
    pub fn live(&self) -> DiskBytes {
        self.leaves + self.overflow + self.internal + self.root
    }

    /// The file without free space and without what will be: as after a fresh load.
    #[must_use]
    pub fn compact(&self) -> DiskBytes {
        self.description + self.live() + self.extent_lists
    }

    /// Checks that the owners' bytes add up to the file.
    ///
    /// # Panics
    ///
    /// If they do not: a broken sum of ours, never the file's fault.
    pub fn assert_complete(&self) {
        let Self { file, description, leaves, overflow, internal, root, .. } = *self;
        let Self { damaged, extent_lists, free, pending, after_checkpoint, .. } = *self;
        let pages = description + leaves + overflow + internal + root + damaged;
        let owned = pages + extent_lists + free + pending + after_checkpoint;
        assert_eq!(owned, file, "bytes of the file without exactly one owner");
    }
}

/// Sums over a table's leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeafFigures {
    /// Leaves.
    pub pages: u64,
    /// Their images.
    pub image: RawBytes,
    /// Packed blocks before padding.
    pub packed: PackedBytes,
    /// Images stored as they are, before padding.
    pub kept_raw: RawBytes,
    /// Leaves stored as they are.
    pub pages_kept_raw: u64,
    /// Bytes of blocks that hold nothing.
    pub padding: DiskBytes,
    /// Internal pages, the root included.
    pub internal_pages: u64,
    /// Overflow items.
    pub overflow_pages: u64,
    /// Keys that a reader finds.
    pub entries: u64,
    /// Keys that only older readers find.
    pub entries_dead: u64,
    /// Values with a time window.
    pub windows: u64,
    /// Bytes of the windows.
    pub window_bytes: u64,
    /// Live documents' bytes, in tables that hold documents.
    pub bson: Option<BsonBytes>,
    /// Blocks by units.
    pub block_histogram: BlockHistogram,
    /// Images by size, rounded up to whole [`LeafFigures::IMAGE_STEP_BYTES`].
    pub image_histogram: BTreeMap<u64, u64>,
}

impl LeafFigures {
    /// Step of [`LeafFigures::image_histogram`]: where images are cut moves in steps of the allocation unit.
    pub const IMAGE_STEP_BYTES: u64 = 4096;

    /// Smallest image size that at least `percent` of all image bytes do not exceed.
    #[must_use]
    pub fn image_bytes_at(&self, percent: u64) -> Option<u64> {
        let weighted = |(bytes, pages): (&u64, &u64)| u128::from(*bytes) * u128::from(*pages);
        let total: u128 = self.image_histogram.iter().map(weighted).sum();
        let mut seen = 0;
        self.image_histogram.iter().find_map(|entry| {
            seen += weighted(entry);
            (seen * 100 >= total * u128::from(percent)).then_some(*entry.0)
        })
    }
}

/// What cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// All of them.
    pub count: u64,
    /// Of these, blocks whose checksum is another.
    pub checksums: u64,
    /// The first few, each with its offset.
    pub messages: Vec<String>,
}

impl Faults {
    /// How many messages are kept.
    pub const MESSAGES_MAX: usize = 10;

    /// Counts one.
    pub fn count(&mut self, message: String) {
        self.count += 1;
        if self.messages.len() < Self::MESSAGES_MAX {
            self.messages.push(message);
        }
    }
}

/// How a table came to another size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The page images that are there, packed by another codec.
    Recompressed,
    /// Its documents, loaded anew.
    Repacked(LoadState),
}

impl Way {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Recompressed => "recompressed",
            Self::Repacked(_) => "repacked",
        }
    }

    /// The state of the collection after it.
    #[must_use]
    pub fn load(self) -> Option<LoadState> {
        match self {
            Self::Recompressed => None,
            Self::Repacked(load) => Some(load),
        }
    }
}

/// A table under another codec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// How it came about.
    pub way: Way,
    /// Under which codec.
    pub codec: CodecName,
    /// The file, without free space.
    pub storage: DiskBytes,
    /// What scheduling can do to it; `None` where the pages are given.
    pub band: Option<Band>,
    /// Leaves.
    pub leaf_pages: u64,
    /// Leaves stored as they are.
    pub pages_kept_raw: u64,
    /// Their blocks.
    pub leaf_blocks: DiskBytes,
    /// Bytes of these blocks that hold nothing.
    pub padding: DiskBytes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_sizes_are_weighted_by_their_bytes() {
        let figures = LeafFigures {
            image_histogram: BTreeMap::from([(4096, 10), (28_672, 10), (118_784, 10)]),
            ..LeafFigures::default()
        };
        for (percent, want) in [(0, 4096), (2, 4096), (5, 28_672), (50, 118_784), (100, 118_784)] {
            assert_eq!(figures.image_bytes_at(percent), Some(want), "{percent} %");
        }
        assert_eq!(LeafFigures::default().image_bytes_at(50), None);
    }

    #[test]
    #[should_panic(expected = "bytes of the file without exactly one owner")]
    fn a_byte_without_an_owner_is_noticed() {
        let layout = FileLayout { file: DiskBytes(8192), free: DiskBytes(4096), ..FileLayout::default() };
        layout.assert_complete();
    }

    #[test]
    fn faults_are_all_counted_and_the_first_ones_kept() {
        let mut faults = Faults::default();
        (0..25).for_each(|nth| faults.count(format!("byte {nth}")));
        assert_eq!((faults.count, faults.messages.len()), (25, Faults::MESSAGES_MAX));
    }
}

//! Reads WiredTiger's data files as a server left them, and never writes.
//!
//! [`DataFile::open`] finds the newest checkpoint in the file itself; [`DataFile::walk`] visits its live pages;
//! [`PageReader`] gives their images. Every block's checksum is compared, every unit of the file has one owner at
//! most, nothing is allocated because foreign bytes ask for it. [`Catalog`] knows which collection or index a file
//! of a dbPath is. `docs/FORMAT.md` has the rules.

mod block;
mod catalog;
mod cells;
mod checkpoint;
mod config;
mod cursor;
mod documents;
mod error;
mod extents;
mod leaf;
mod page;
mod scan;
mod space;
mod walk;

pub use block::{Address, Blocks, IMAGE_BYTES_MAX};
pub use catalog::{Catalog, ServerLock, StoredCounts, Table, TableKind};
pub use cells::{Cell, CellKind, CellWindow, Cells};
pub use checkpoint::Checkpoint;
pub use config::FileConfig;
pub use documents::Documents;
pub use error::{DataFileError, Fault};
pub use extents::Extent;
pub use leaf::{LeafCounts, Record, Value, ValueData, for_each_record, read_overflow};
pub use page::{BlockCodec, Page, PageHeader, PageKind, PageReader};
pub use scan::Scan;
pub use space::Space;
pub use walk::{Owned, Step, Walk};

use std::path::Path;

/// An open data file with its newest checkpoint.
#[derive(Debug)]
pub struct DataFile {
    blocks: Blocks,
    checkpoint: Checkpoint,
}

impl DataFile {
    /// Opens `path` for reading only, and searches it for its newest checkpoint: reads all of it once.
    ///
    /// # Errors
    ///
    /// What the system answers, a file that is no data file, and one in which no checkpoint is whole.
    pub fn open(path: &Path) -> Result<Self, DataFileError> {
        let blocks = Blocks::open(path)?;
        let checkpoint = checkpoint::find(&blocks)?;
        Ok(Self { blocks, checkpoint })
    }

    /// The file's blocks.
    #[must_use]
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Where everything is.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// A reader of the table's pages.
    #[must_use]
    pub fn page_reader(&self) -> PageReader<'_> {
        PageReader::new(&self.blocks, self.checkpoint.config.codec.clone())
    }

    /// All live pages, from the root down.
    #[must_use]
    pub fn walk(&self) -> Walk<'_> {
        Walk::new(self)
    }

    /// The live documents, in key order.
    #[must_use]
    pub fn documents(&self) -> Documents<'_> {
        Documents::new(self)
    }

    /// The extents that may be given out, without the block that lists them.
    ///
    /// # Errors
    ///
    /// A list that cannot be read.
    pub fn free_extents(&self) -> Result<Vec<Extent>, DataFileError> {
        let own = self.checkpoint.available;
        let mut extents = extents::read(&self.blocks, own).map_err(|fault| self.blocks.failed(fault))?;
        // The list was made before its own block was taken from it.
        if let Some(at) = extents.iter().position(|extent| {
            extent.offset <= own.offset && own.end() <= extent.offset.saturating_add(extent.bytes)
        }) {
            let whole = extents.remove(at);
            let front = Extent { offset: whole.offset, bytes: own.offset - whole.offset };
            let back = Extent { offset: own.end(), bytes: whole.offset + whole.bytes - own.end() };
            extents.extend([front, back].into_iter().filter(|extent| extent.bytes > 0));
        }
        Ok(extents)
    }

    /// Compares the checksums of the lists of extents given out and taken back.
    ///
    /// # Errors
    ///
    /// The first one that cannot be read.
    pub fn check_lists(&self) -> Result<(), DataFileError> {
        let read = |list: &Address| extents::read(&self.blocks, *list).map(drop);
        self.checkpoint.lists.iter().try_for_each(read).map_err(|fault| self.blocks.failed(fault))
    }

    /// Names the file in front of what is wrong with it.
    #[must_use]
    pub fn failed(&self, fault: Fault) -> DataFileError {
        self.blocks.failed(fault)
    }
}

/// Sizes of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFacts {
    /// Of the image, both headers included.
    pub image_bytes: u64,
    /// In the block before padding; `None` where it is stored as it is.
    pub packed_bytes: Option<u64>,
    /// In the file.
    pub block_bytes: u64,
}

impl PageFacts {
    /// Of a page as read.
    #[must_use]
    pub fn of(page: &Page<'_>) -> Self {
        Self {
            image_bytes: page.header.image_bytes,
            packed_bytes: page.packed_bytes,
            block_bytes: page.address.bytes,
        }
    }
}

//! Figures of stores other than `WiredTiger`'s collections: what a file or a table takes there.

use super::{Basis, CodecName, LoadState, Timing};
use crate::units::{BsonBytes, DiskBytes, PackedBytes, Ratio, RawBytes};

/// A run of `estimate` for one of these stores.
#[derive(Clone, Debug)]
pub struct StoreEstimate {
    /// Rules and encoders.
    pub model: StoreModel,
    /// One entry an input.
    pub inputs: Vec<StoredInput>,
    /// Inputs that were left out as a whole, each with its reason.
    pub inputs_skipped: Vec<String>,
    /// What it took.
    pub timing: Timing,
}

/// Which rules were followed.
#[derive(Clone, Debug)]
pub struct StoreModel {
    /// `btrfs`, `innodb`, or `wiredtiger-on-btrfs`.
    pub geometry: &'static str,
    /// The store that the rules were measured on.
    pub measured_on: &'static str,
    /// How the documents or bytes got there.
    pub write: &'static str,
    /// Sizes of the layout: a name that ends in its unit, and bytes.
    pub sizes: Vec<(&'static str, u64)>,
    /// Encoder library and its version.
    pub codec_versions: Vec<(&'static str, String)>,
}

/// One input under every method asked for.
#[derive(Clone, Debug)]
pub struct StoredInput {
    /// The input's file name without its endings.
    pub name: String,
    /// Where it was read from.
    pub source: String,
    /// Documents, where the store holds documents and not a file.
    pub documents: Option<u64>,
    /// Their BSON bytes.
    pub bson: Option<BsonBytes>,
    /// Bytes that the store was given: those of the file, or of the documents.
    pub input_bytes: u64,
    /// Documents left out.
    pub documents_skipped: u64,
    /// Why, the first few.
    pub skip_reasons: Vec<String>,
    /// One row a method.
    pub rows: Vec<StoredRow>,
}

/// One input under one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRow {
    /// State of the collection whose file this is, where there is one.
    pub load: Option<LoadState>,
    /// `WiredTiger`'s own codec, where its file lies on another store.
    pub table_codec: Option<CodecName>,
    /// Bytes of that file, as `WiredTiger` sees it.
    pub table: Option<DiskBytes>,
    /// Codec and level, as `--codec` names them.
    pub codec: CodecName,
    /// Bytes on disk.
    pub storage: DiskBytes,
    /// How they are known.
    pub basis: Basis,
    /// What the store cuts its data into.
    pub parts: Parts,
    /// Output of the encoder in parts that are stored packed, where it is known.
    pub packed: Option<PackedBytes>,
    /// Bytes in parts that are stored as they are.
    pub kept_raw: Option<RawBytes>,
    /// Up to the ends of allocation units.
    pub padding: Option<DiskBytes>,
    /// Metadata beside `storage`.
    pub metadata: Option<DiskBytes>,
    /// Part of `storage` that is there for growth: nothing was ever written to it.
    pub never_used: Option<DiskBytes>,
}

/// What a store cuts its data into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// btrfs.
    Extents {
        /// All of them.
        extents: u64,
        /// Of these, stored as they are.
        kept_raw: u64,
    },
    /// `InnoDB`.
    Pages {
        /// Bytes of a page in the file.
        page_bytes: u64,
        /// Leaves.
        leaves: u64,
        /// Pages of documents that lie off the leaves.
        lobs: u64,
        /// Pages above the leaves, and the file's own.
        others: u64,
        /// Pages that page compression left as they are.
        kept_raw: Option<u64>,
    },
}

impl StoredInput {
    /// storage ÷ BSON of one row, where there are documents.
    #[must_use]
    pub fn ratio_to_bson(&self, row: &StoredRow) -> Option<Ratio> {
        Ratio::of(row.storage, self.bson?)
    }

    /// storage ÷ bytes given.
    #[must_use]
    pub fn ratio_to_input(&self, row: &StoredRow) -> Option<Ratio> {
        Ratio::of(row.storage, BsonBytes(self.input_bytes))
    }
}

impl StoredRow {
    /// storage ÷ bytes of the file as `WiredTiger` sees it: what the file system still gains.
    #[must_use]
    pub fn ratio_to_table(&self) -> Option<Ratio> {
        Ratio::of(self.storage, BsonBytes(self.table?.0))
    }
}

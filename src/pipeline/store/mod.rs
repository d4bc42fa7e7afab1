//! Files and tables of other stores: source, geometry and encoders meet here too.

mod btrfs;
mod innodb;
mod packers;
mod stack;

pub use btrfs::estimate_file;
pub use innodb::estimate_table;
pub use stack::{Tables, estimate_stack};

use super::PipelineError;
use crate::codec::CodecKind;
use crate::estimate::LoadState;
use crate::estimate::store::StoreModel;
use crate::geometry::wiredtiger::TableConfig;
use crate::geometry::{btrfs as btrfs_rules, innodb as innodb_rules};
use crate::source::OnBadDocument;
use std::num::NonZeroUsize;

/// Which store, and its methods in the order of the report.
#[derive(Clone, Debug)]
pub enum Store {
    /// The input itself as a file on btrfs.
    Btrfs(Vec<btrfs_rules::Method>, btrfs_rules::Mount),
    /// A row a document.
    Innodb(Vec<innodb_rules::Method>),
    /// A collection's file, under each of `WiredTiger`'s codecs, on btrfs.
    WiredTigerOnBtrfs {
        /// The table's sizes and the release's rules.
        table: TableConfig,
        /// Its states.
        loads: Vec<LoadState>,
        /// Its codecs.
        codecs: Vec<CodecKind>,
        /// What the file system does with each file.
        methods: Vec<btrfs_rules::Method>,
        /// By which mount option.
        mount: btrfs_rules::Mount,
    },
}

/// What to estimate and how.
#[derive(Clone, Debug)]
pub struct StorePlan {
    /// Where to.
    pub store: Store,
    /// Threads that pack; the result does not depend on it.
    pub threads: NonZeroUsize,
    /// What to do with a document that cannot be taken.
    pub on_bad: OnBadDocument,
}

impl StorePlan {
    /// The rules that the plan's estimates follow.
    #[must_use]
    pub fn model(&self) -> StoreModel {
        let codec_versions = crate::codec::store_library_versions();
        match &self.store {
            Store::Btrfs(_, mount) => StoreModel {
                geometry: "btrfs",
                measured_on: "Linux 6.18, 4 KiB pages",
                write: written(*mount),
                sizes: btrfs_sizes(),
                codec_versions,
            },
            Store::Innodb(_) => StoreModel {
                geometry: "innodb",
                measured_on: "MariaDB 10.11.19",
                write: "one row a document in key order, one transaction",
                sizes: vec![
                    ("page_bytes", innodb_rules::facts::PAGE_BYTES as u64),
                    ("hole_bytes", innodb_rules::facts::HOLE_BYTES as u64),
                ],
                codec_versions,
            },
            Store::WiredTigerOnBtrfs { table, mount, .. } => StoreModel {
                geometry: "wiredtiger-on-btrfs",
                measured_on: "Linux 6.18, 4 KiB pages",
                write: written(*mount),
                sizes: [
                    btrfs_sizes(),
                    vec![
                        ("leaf_page_bytes_max", u64::from(table.leaf_page_bytes_max)),
                        ("allocation_bytes", table.allocation.bytes()),
                    ],
                ]
                .concat(),
                codec_versions,
            },
        }
    }
}

fn written(mount: btrfs_rules::Mount) -> &'static str {
    match mount {
        btrfs_rules::Mount::Force => {
            "mounted with compress-force; the file written once front to back, then synced"
        }
        btrfs_rules::Mount::Allow => {
            "mounted with compress; the file written once front to back, then synced"
        }
    }
}

fn btrfs_sizes() -> Vec<(&'static str, u64)> {
    vec![
        ("extent_bytes_max", btrfs_rules::EXTENT_BYTES_MAX as u64),
        ("sector_bytes", btrfs_rules::SECTOR_BYTES as u64),
    ]
}

/// A system without threads, in the pipeline's words.
fn threads_error(threads: NonZeroUsize) -> impl FnOnce(rayon::ThreadPoolBuildError) -> PipelineError {
    move |source| PipelineError::Threads { threads, source }
}

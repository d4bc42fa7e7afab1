//! An index's table: from its keys to the pages and bytes of its file.
//!
//! An index that is built on existing documents is written in one go ([`bulk_built`]). One that is there while
//! they are loaded grows page by page ([`insert_built`]): [`blocks`] gives pages their place in the file, the
//! leaf writer cuts sorted keys into images, and the tree says which keys share a page in memory.

pub mod blocks;

mod bulk;
mod config;
mod entries;
mod insert;
mod leaf;
mod order;
mod pages;
mod records;
mod tree;

pub use bulk::bulk_built;
pub use config::IndexConfig;
pub use entries::IndexEntries;
pub use insert::{Load, insert_built};
pub use pages::{IndexPages, LeafPage};
pub use records::LoadState;

//! An index's table: from its keys to the pages and bytes of its file.
//!
//! An index that is built on existing documents is written in one go ([`bulk_built`]). One that is there while
//! they are loaded grows page by page ([`insert_built`]): `tree` says which keys share a page in memory, `pressure`
//! when other tables drive pages out early, `leaf` cuts sorted keys into images, `records` says what each key and
//! value takes, and [`blocks`] gives pages their place in the file.

pub mod blocks;

mod bulk;
mod config;
mod entries;
mod insert;
mod leaf;
mod order;
mod pages;
mod pressure;
mod records;
mod tree;

pub use bulk::bulk_built;
pub use config::IndexConfig;
pub use entries::{ENTRIES_MAX, IndexEntries, StoredEntry};
pub use insert::{Ghosts, Load, insert_built};
pub use order::OrderedEntries;
pub use pages::{IndexPages, LeafPage};
pub use pressure::Pressure;
pub use records::LoadState;

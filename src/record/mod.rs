//! What a B-tree stores: keys and values.

pub mod collection;
pub mod index;
pub mod keystring;

pub use keystring::RecordId;

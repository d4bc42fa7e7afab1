//! How many bytes your documents take in MongoDB, per block compressor, before you deploy.

pub mod document;
pub mod estimate;
pub mod source;
pub mod units;

//! How many bytes your documents take in MongoDB, per block compressor, before you deploy.

pub mod cli;
pub mod codec;
pub mod document;
pub mod estimate;
pub mod geometry;
pub mod pipeline;
pub mod record;
pub mod report;
pub mod source;
pub mod units;

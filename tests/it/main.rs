//! The integration tests, one binary; a file per subject.

mod golden;
mod read_leaf;

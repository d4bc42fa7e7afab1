//! Capacity: what a collection needs besides its file.
mod bson;
pub mod journal;
pub mod measured;
pub mod oplog;
pub mod wire;

//! How a store lays records out: records to page images, and an image to disk bytes.

pub mod btrfs;
pub mod innodb;
pub mod wiredtiger;

//! `WiredTiger`'s row-store tables, from records to the bytes of the file.
//!
//! A load goes through these files in order: [`segment`] says how many records one in-memory page takes,
//! [`reconcile`] cuts it into page images, [`cell`] builds their bytes, [`charge`] says what a packed image
//! takes in the file, [`feedback`] moves the image size with it, [`internal`] and [`mod@file`] add the rest.

pub mod cell;
pub mod charge;
pub mod facts;
pub mod feedback;
pub mod file;
pub mod image;
pub mod index;
pub mod internal;
pub mod reconcile;
pub mod segment;
pub mod window;

mod config;

pub use config::{ConfigError, Release, TableConfig};

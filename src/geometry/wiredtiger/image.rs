//! The bytes of a leaf image.

use super::{cell, facts, window::Window};
use crate::record::RecordId;

/// Page type of a row-store leaf. Source: `WT_PAGE_ROW_LEAF`, src/include/btmem.h at tag mongodb-8.0.0.
const PAGE_TYPE_ROW_LEAF: u8 = 7;
/// No value is empty. Source: `WT_PAGE_EMPTY_V_NONE`, src/include/btmem.h at tag mongodb-8.0.0.
const FLAG_NO_EMPTY_VALUES: u8 = 0x04;
/// Of the page header. Source: `WT_PAGE_VERSION_TS`, src/include/btmem.h at tag mongodb-8.0.0.
const PAGE_VERSION: u8 = 1;

/// Builds leaf images one behind the other in one buffer.
///
/// The header holds what is known before the block is written: write generation, block size and checksum
/// are zero. They lie in the first 64 bytes, which are never packed, so no size depends on them.
#[derive(Debug, Default)]
pub struct LeafImage {
    bytes: Vec<u8>,
    cells: u32,
}

impl LeafImage {
    /// Without a buffer yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts an empty image.
    pub fn start(&mut self) {
        self.cells = 0;
        self.bytes.clear();
        self.bytes.resize(facts::HEADER_BYTES as usize, 0);
    }

    /// Appends a collection's record, with a time window or without.
    pub fn push<'r>(&mut self, record_id: impl Into<RecordId<'r>>, window: Option<Window>, value: &[u8]) {
        cell::push_record_id_key(record_id.into(), &mut self.bytes);
        match window {
            Some(window) => window.push_value_header(value.len() as u64, &mut self.bytes),
            None => cell::push_value_header(value.len() as u64, &mut self.bytes),
        }
        self.bytes.extend_from_slice(value);
        self.cells += 2;
    }

    /// The image, its header filled in.
    ///
    /// # Panics
    ///
    /// If it is larger than 4 GiB, which no limit of this module allows.
    pub fn finish(&mut self) -> &[u8] {
        let image_bytes = u32::try_from(self.bytes.len()).expect("an image is far below 4 GiB");
        self.bytes[16..20].copy_from_slice(&image_bytes.to_le_bytes());
        self.bytes[20..24].copy_from_slice(&self.cells.to_le_bytes());
        self.bytes[24] = PAGE_TYPE_ROW_LEAF;
        self.bytes[25] = FLAG_NO_EMPTY_VALUES;
        self.bytes[27] = PAGE_VERSION;
        &self.bytes
    }
}

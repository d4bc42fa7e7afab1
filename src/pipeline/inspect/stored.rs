//! The documents of a data file, as a source.

use crate::datafile::{DataFile, Documents};
use crate::source::{Skipped, Source, SourceError};

/// A collection's live documents in key order. What cannot be read is left out; whoever walked the file knows of it.
pub(super) struct StoredDocuments<'f> {
    documents: Documents<'f>,
    name: String,
    bytes_total: u64,
    skipped: Skipped,
}

impl<'f> StoredDocuments<'f> {
    pub(super) fn new(file: &'f DataFile) -> Self {
        Self {
            documents: file.documents(),
            name: file.blocks().path().display().to_string(),
            bytes_total: file.checkpoint().live_bytes,
            skipped: Skipped::default(),
        }
    }
}

impl Source for StoredDocuments<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        Ok(self.documents.next_document(out))
    }

    fn document_offset(&self) -> u64 {
        self.documents.block_offset()
    }

    fn bytes_read(&self) -> u64 {
        self.documents.blocks_read_bytes()
    }

    fn bytes_total(&self) -> Option<u64> {
        Some(self.bytes_total)
    }

    fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

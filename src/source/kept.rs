//! The first documents of a source, kept as they pass: for figures that need the documents again.

use super::Watcher;
use std::sync::{Arc, Mutex, PoisonError};

/// Documents one behind the other, as their source gave them.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// Where each document ends in `bytes`.
    pub ends: Vec<usize>,
}

impl Documents {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }

    /// Adds one.
    pub fn push(&mut self, document: &[u8]) {
        self.bytes.extend_from_slice(document);
        self.ends.push(self.bytes.len());
    }
}

/// Keeps the first documents that it sees.
pub struct Keeper {
    bytes_max: usize,
    documents: Arc<Mutex<Documents>>,
}

impl Keeper {
    /// That keeps documents while they have `bytes_max` bytes at most together.
    #[must_use]
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, documents: Arc::default() }
    }

    /// What was kept; it can be read when the source is gone.
    #[must_use]
    pub fn documents(&self) -> Arc<Mutex<Documents>> {
        Arc::clone(&self.documents)
    }
}

impl Watcher for Keeper {
    fn see(&mut self, document: &[u8]) {
        if self.bytes_max == 0 {
            return;
        }
        // A lock that a panic has poisoned still holds whole documents.
        let mut kept = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes.len() + document.len() <= self.bytes_max {
            kept.push(document);
        } else {
            // The first documents, not those that happen to fit.
            self.bytes_max = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{OnBadDocument, Source, Watched, bson::BsonSource};

    #[test]
    fn the_first_documents_are_kept_and_all_are_passed_on() {
        let stream: Vec<u8> = (0..10_i32)
            .flat_map(|id| [b"\x0e\0\0\0\x10_id\0".as_slice(), &id.to_le_bytes(), b"\0"].concat())
            .collect();
        let source = BsonSource::new(
            "ten".to_owned(),
            std::io::Cursor::new(stream.clone()),
            None,
            OnBadDocument::Stop,
        );
        let keeper = Keeper::new(3 * 14 + 13);
        let documents = keeper.documents();
        let mut kept = Watched::new(Box::new(source), keeper);
        let mut out = Vec::new();
        while kept.next_document(&mut out).unwrap().is_some() {}
        assert_eq!(out, stream);
        let documents = documents.lock().unwrap();
        assert_eq!((documents.len(), &documents.bytes[..]), (3, &stream[..3 * 14]));
        assert!(documents.iter().all(|document| document.len() == 14));
    }
}

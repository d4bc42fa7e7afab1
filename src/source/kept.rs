//! A source whose first documents are kept as they pass: for figures that need the documents again.

use super::{Skipped, Source, SourceError};
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

/// Passes the documents of another source on and keeps the first of them.
pub struct Kept {
    source: Box<dyn Source>,
    bytes_max: usize,
    documents: Arc<Mutex<Documents>>,
}

impl Kept {
    /// Round `source`; documents are kept while they have `bytes_max` bytes at most together.
    #[must_use]
    pub fn new(source: Box<dyn Source>, bytes_max: usize) -> Self {
        Self { source, bytes_max, documents: Arc::default() }
    }

    /// What was kept; it can be read when the source is gone.
    #[must_use]
    pub fn documents(&self) -> Arc<Mutex<Documents>> {
        Arc::clone(&self.documents)
    }

    fn keep(&mut self, document: &[u8]) {
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

impl Source for Kept {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let next = self.source.next_document(out)?;
        if let Some(bytes) = next.filter(|_| self.bytes_max > 0) {
            self.keep(&out[out.len() - bytes..]);
        }
        Ok(next)
    }

    fn document_offset(&self) -> u64 {
        self.source.document_offset()
    }

    fn position(&self) -> u64 {
        self.source.position()
    }

    fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.source.bytes_total()
    }

    fn skipped(&self) -> &Skipped {
        self.source.skipped()
    }

    fn notes(&self) -> Vec<String> {
        self.source.notes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{OnBadDocument, bson::BsonSource};

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
        let mut kept = Kept::new(Box::new(source), 3 * 14 + 13);
        let documents = kept.documents();
        let mut out = Vec::new();
        while kept.next_document(&mut out).unwrap().is_some() {}
        assert_eq!(out, stream);
        let documents = documents.lock().unwrap();
        assert_eq!((documents.len(), &documents.bytes[..]), (3, &stream[..3 * 14]));
        assert!(documents.iter().all(|document| document.len() == 14));
    }
}

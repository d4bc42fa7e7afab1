//! A source whose documents are looked at as they pass: counted for `--strict`, kept for `plan`.

use super::{Skipped, Source, SourceError};
use crate::document::Oddities;

/// What looks at documents.
pub trait Watcher: Send {
    /// The next one.
    fn see(&mut self, document: &[u8]);
}

impl Watcher for Oddities {
    fn see(&mut self, document: &[u8]) {
        self.count(document);
    }
}

/// Passes the documents of another source on, and shows each to a watcher. It is read through: nobody enters it in its
/// middle.
pub struct Watched<W> {
    source: Box<dyn Source>,
    watcher: W,
}

impl<W: Watcher> Watched<W> {
    /// Round `source`.
    #[must_use]
    pub fn new(source: Box<dyn Source>, watcher: W) -> Self {
        Self { source, watcher }
    }

    /// As it is after what was passed so far.
    #[must_use]
    pub fn watcher(&self) -> &W {
        &self.watcher
    }
}

impl<W: Watcher> Source for Watched<W> {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let next = self.source.next_document(out)?;
        if let Some(bytes) = next {
            self.watcher.see(&out[out.len() - bytes..]);
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

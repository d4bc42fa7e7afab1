//! A source whose documents are looked at as they pass: for `--strict`.

use super::{Skipped, Source, SourceError};
use crate::document::Oddities;

/// Counts what is unusual about the documents of another source.
pub struct Watched {
    source: Box<dyn Source>,
    oddities: Oddities,
}

impl Watched {
    /// Round `source`.
    #[must_use]
    pub fn new(source: Box<dyn Source>) -> Self {
        Self { source, oddities: Oddities::new() }
    }

    /// What was met so far.
    #[must_use]
    pub fn oddities(&self) -> &Oddities {
        &self.oddities
    }
}

impl Source for Watched {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let next = self.source.next_document(out)?;
        if let Some(bytes) = next {
            self.oddities.count(&out[out.len() - bytes..]);
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

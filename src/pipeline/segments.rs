//! From a source to segments: the records that one in-memory leaf holds when it is written.

use super::{PipelineError, Progress};
use crate::document::{DOCUMENT_BYTES_MAX, DocumentError, DocumentErrorKind};
use crate::geometry::wiredtiger::{
    TableConfig,
    segment::{Cut, MemoryPage},
};
use crate::record::collection::{IdMaker, normalise};
use crate::source::{OnBadDocument, Skipped, Source, SourceError, SourceErrorKind};
use crate::units::BsonBytes;

/// Documents of one in-memory leaf, in key order.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// `RecordId` of the first.
    pub first_record_id: u64,
    /// Documents as stored, one behind the other.
    pub bytes: Vec<u8>,
    /// Where each ends in `bytes`.
    pub ends: Vec<usize>,
}

impl Segment {
    /// Records in it.
    #[must_use]
    pub fn records(&self) -> usize {
        self.ends.len()
    }

    /// The document of record `index`, counted from the segment's first.
    #[must_use]
    pub fn document(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    fn start(&mut self, first_record_id: u64) {
        self.first_record_id = first_record_id;
        self.bytes.clear();
        self.ends.clear();
    }
}

/// Reads a source segment by segment. Holds at most one document besides the caller's segment.
pub struct SegmentReader<'a> {
    source: &'a mut dyn Source,
    on_bad: OnBadDocument,
    page: MemoryPage,
    ids: IdMaker,
    /// A record that a cut moved to the next segment.
    moved: Vec<u8>,
    documents: u64,
    bson_bytes: u64,
    refused: Skipped,
    ordinal: u64,
    ended: bool,
}

impl<'a> SegmentReader<'a> {
    /// At the source's next document.
    pub fn new(source: &'a mut dyn Source, on_bad: OnBadDocument, config: &TableConfig) -> Self {
        Self {
            source,
            on_bad,
            page: MemoryPage::new(config),
            ids: IdMaker::new(),
            moved: Vec::new(),
            documents: 0,
            bson_bytes: 0,
            refused: Skipped::default(),
            ordinal: 0,
            ended: false,
        }
    }
}

impl SegmentReader<'_> {
    /// Fills `segment` with the documents of the next in-memory leaf. `false` at the end of the input.
    ///
    /// # Errors
    ///
    /// What the source returns, and documents whose `_id` cannot be looked for.
    pub fn next_segment(&mut self, segment: &mut Segment) -> Result<bool, PipelineError> {
        segment.start(self.documents + 1);
        if !self.moved.is_empty() {
            segment.first_record_id = self.documents; // it was counted when it was read
            segment.bytes.append(&mut self.moved);
            segment.ends.push(segment.bytes.len());
        }
        while !self.ended {
            let start = segment.bytes.len();
            let Some(read_bytes) = self.source.next_document(&mut segment.bytes)? else {
                self.ended = true;
                break;
            };
            self.ordinal += 1;
            let Some(stored_bytes) = self.take(segment, start, read_bytes)? else { continue };
            match self.page.insert(self.documents, stored_bytes as u64) {
                Cut::Not => segment.ends.push(segment.bytes.len()),
                Cut::Before => {
                    self.moved.extend_from_slice(&segment.bytes[start..]);
                    segment.bytes.truncate(start);
                    return Ok(true);
                }
                Cut::After => {
                    segment.ends.push(segment.bytes.len());
                    return Ok(true);
                }
            }
        }
        Ok(segment.records() > 0)
    }

    /// Brings the document just read into its stored form and counts it; `None` if it was skipped.
    fn take(
        &mut self,
        segment: &mut Segment,
        start: usize,
        read_bytes: usize,
    ) -> Result<Option<usize>, PipelineError> {
        let outcome = normalise(&mut segment.bytes, start, &mut self.ids).and_then(|bytes| {
            let fits = bytes <= DOCUMENT_BYTES_MAX;
            if fits { Ok(bytes) } else { Err(DocumentErrorKind::BuiltTooLong { bytes }) }
        });
        match outcome {
            Ok(bytes) => {
                self.documents += 1;
                self.bson_bytes += bytes as u64;
                Ok(Some(bytes))
            }
            Err(kind) => {
                segment.bytes.truncate(start);
                let error = DocumentError {
                    input: self.source.name().to_owned(),
                    ordinal: self.ordinal - 1 + self.source.skipped().documents,
                    offset: self.source.bytes_read().saturating_sub(read_bytes as u64),
                    kind,
                };
                if self.on_bad == OnBadDocument::Stop {
                    return Err(SourceError::from(SourceErrorKind::Document(error)).into());
                }
                self.refused.count(read_bytes as u64, &error);
                Ok(None)
            }
        }
    }

    /// Documents taken so far.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Their BSON bytes, added `_id`s included.
    #[must_use]
    pub fn bson(&self) -> BsonBytes {
        BsonBytes(self.bson_bytes)
    }

    /// Documents that were given an `_id`.
    #[must_use]
    pub fn ids_added(&self) -> u64 {
        u64::from(self.ids.count())
    }

    /// What was skipped: by the source, and here.
    #[must_use]
    pub fn skipped(&self) -> Skipped {
        let mut all = self.source.skipped().clone();
        all.documents += self.refused.documents;
        all.bytes += self.refused.bytes;
        all.reasons.extend(self.refused.reasons.iter().cloned());
        all.reasons.truncate(Skipped::REASONS_MAX);
        all
    }

    /// How far the source has been read.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            documents: self.documents,
            bytes_read: self.source.bytes_read(),
            bytes_total: self.source.bytes_total(),
        }
    }
}

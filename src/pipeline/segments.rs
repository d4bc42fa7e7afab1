//! From a source to segments: the records that one in-memory leaf holds when it is written.

#[cfg(test)]
mod tests;

use super::{PipelineError, Progress};
use crate::document::{DocumentError, DocumentErrorKind, Elements};
use crate::geometry::wiredtiger::{
    TableConfig, cell,
    segment::{Cut, MemoryPage},
};
use crate::record::RecordId;
use crate::record::collection::{IdMaker, Keys, Purpose, Shape, normalise};
use crate::record::index::{Outcome, clustered_record_id};
use crate::source::{OnBadDocument, Skipped, Source, SourceError, SourceErrorKind};
use crate::units::BsonBytes;

/// Documents of one in-memory leaf, in key order.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// Number of the first in the order of the inserts, from 1: the `RecordId` of a plain collection.
    pub first_number: u64,
    /// Documents as stored, one behind the other.
    pub bytes: Vec<u8>,
    /// Where each ends in `bytes`.
    pub ends: Vec<usize>,
    /// Keys of a clustered collection, one behind the other; else empty.
    pub keys: Vec<u8>,
    /// Where each ends in `keys`.
    pub key_ends: Vec<usize>,
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
        part(&self.bytes, &self.ends, index)
    }

    /// Number of record `index` in the order of the inserts, from 1.
    #[must_use]
    pub fn number(&self, index: usize) -> u64 {
        self.first_number + index as u64
    }

    /// The table's key of record `index`.
    #[must_use]
    pub fn record_id(&self, index: usize) -> RecordId<'_> {
        if self.key_ends.is_empty() {
            RecordId::Number(self.number(index))
        } else {
            RecordId::Clustered(part(&self.keys, &self.key_ends, index))
        }
    }

    /// Takes in another segment's records, behind its own.
    pub fn append(&mut self, other: &Self) {
        let (bytes, key_bytes) = (self.bytes.len(), self.keys.len());
        if self.ends.is_empty() {
            self.first_number = other.first_number;
        }
        self.bytes.extend_from_slice(&other.bytes);
        self.ends.extend(other.ends.iter().map(|end| bytes + end));
        self.keys.extend_from_slice(&other.keys);
        self.key_ends.extend(other.key_ends.iter().map(|end| key_bytes + end));
    }

    /// Gives memory back that it does not need to hold what it holds.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.keys.shrink_to_fit();
        self.key_ends.shrink_to_fit();
    }

    fn start(&mut self, first_number: u64) {
        self.first_number = first_number;
        self.bytes.clear();
        self.ends.clear();
        self.keys.clear();
        self.key_ends.clear();
    }

    /// Takes in what stands at the end of `bytes` and, in a clustered collection, of `keys`.
    fn end_record(&mut self, keys: Keys) {
        self.ends.push(self.bytes.len());
        if keys == Keys::Clustered {
            self.key_ends.push(self.keys.len());
        }
    }
}

/// Segments that are packed side by side.
#[derive(Debug, Default)]
pub struct Batch {
    /// Those behind `filled` are only there for their memory.
    segments: Vec<Segment>,
    filled: usize,
}

impl Batch {
    /// Documents of a batch, about: three segments of a server's default memory pages. Enough for one table to go on
    /// where another waits, and a small part of what a run holds.
    const BYTES: usize = 16 << 20;

    /// What was filled in.
    pub fn segments(&self) -> &[Segment] {
        &self.segments[..self.filled]
    }

    /// Reads the next segments, or none at the end.
    pub fn fill(&mut self, reader: &mut SegmentReader<'_>) -> Result<(), PipelineError> {
        self.filled = 0;
        let mut bytes = 0;
        while bytes < Self::BYTES {
            if self.filled == self.segments.len() {
                self.segments.push(Segment::default());
            }
            let segment = &mut self.segments[self.filled];
            if !reader.next_segment(segment)? {
                break;
            }
            bytes += segment.bytes.len();
            self.filled += 1;
        }
        Ok(())
    }
}

/// Appends the key of an oplog entry: its `ts` as a number.
///
/// Source: `record_id_helpers::keyForOptime`, `src/mongo/db/record_id_helpers.cpp`, mongod 6.0.
fn push_oplog_key(entry: &[u8], keys: &mut Vec<u8>) -> Result<(), DocumentErrorKind> {
    let stamp = Elements::new(entry)?.find_name(b"ts")?;
    let Some(stamp) = stamp.and_then(|stamp| stamp.value.first_chunk().copied()) else {
        return Err(DocumentErrorKind::ClusteredKey { what: "an oplog entry without `ts`".to_owned() });
    };
    cell::push_record_id(RecordId::Number(u64::from_le_bytes(stamp)), keys);
    Ok(())
}

/// Part `index` of parts that lie one behind the other.
fn part<'b>(bytes: &'b [u8], ends: &[usize], index: usize) -> &'b [u8] {
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &bytes[start..ends[index]]
}

/// Reads a source segment by segment. Holds at most one document besides the caller's segment.
pub struct SegmentReader<'a> {
    source: &'a mut dyn Source,
    on_bad: OnBadDocument,
    shape: Shape,
    key_bytes_max: u64,
    page: Page,
    ids: IdMaker,
    /// A record that a cut moved to the next segment, and its key.
    moved: Vec<u8>,
    moved_key: Vec<u8>,
    moved_offset: u64,
    /// Where the first document of the segment at hand begins in the input.
    segment_offset: u64,
    order: KeyOrder,
    documents: u64,
    bson_bytes: u64,
    refused: Skipped,
    ordinal: u64,
    ended: bool,
    cap_reached: bool,
}

/// What a segment ends at.
#[derive(Clone, Debug)]
enum Page {
    /// The memory of a server's leaf.
    Memory(MemoryPage),
    /// So many bytes of documents.
    Run { bytes_max: u64, bytes: u64 },
}

impl Page {
    fn insert(&mut self, record_id: RecordId<'_>, document_bytes: u64) -> Cut {
        match self {
            Self::Memory(page) => page.insert(record_id, document_bytes),
            Self::Run { bytes_max, bytes } => {
                *bytes += document_bytes;
                if bytes < bytes_max {
                    return Cut::Not;
                }
                *bytes = 0;
                Cut::After
            }
        }
    }
}

/// Whether the keys of a clustered collection come as its table has them.
#[derive(Clone, Debug, Default)]
struct KeyOrder {
    previous: Vec<u8>,
    out_of_order: u64,
}

impl KeyOrder {
    fn take(&mut self, key: &[u8]) {
        self.out_of_order += u64::from(key <= self.previous.as_slice());
        self.previous.clear();
        self.previous.extend_from_slice(key);
    }
}

impl<'a> SegmentReader<'a> {
    /// At the source's next document.
    pub fn new(
        source: &'a mut dyn Source,
        on_bad: OnBadDocument,
        shape: Shape,
        config: &TableConfig,
    ) -> Self {
        Self {
            source,
            on_bad,
            shape,
            key_bytes_max: config.leaf_key_bytes_max(),
            page: Page::Memory(MemoryPage::new(config)),
            ids: IdMaker::new(),
            moved: Vec::new(),
            moved_key: Vec::new(),
            moved_offset: 0,
            segment_offset: 0,
            order: KeyOrder::default(),
            documents: 0,
            bson_bytes: 0,
            refused: Skipped::default(),
            ordinal: 0,
            ended: false,
            cap_reached: false,
        }
    }

    /// The same reader, whose segments are runs of `bytes_max` bytes at least, but for the last; added `_id`s go on
    /// behind those of `ids`.
    pub fn in_runs(mut self, bytes_max: u64, ids: IdMaker) -> Self {
        self.page = Page::Run { bytes_max, bytes: 0 };
        self.ids = ids;
        self
    }

    /// The same reader, whose source goes on behind `documents` documents of a collection without added `_id`s, the
    /// last of which are on `page`.
    pub fn behind(mut self, documents: u64, page: MemoryPage) -> Self {
        self.page = Page::Memory(page);
        (self.documents, self.ordinal) = (documents, documents);
        self
    }
}

impl SegmentReader<'_> {
    /// Where added `_id`s go on.
    pub fn into_ids(self) -> IdMaker {
        self.ids
    }

    /// Input bytes consumed so far, unpacked.
    pub fn position(&self) -> u64 {
        self.source.position()
    }

    /// Where the first document of the segment that was filled last begins in the input, unpacked.
    pub fn segment_offset(&self) -> u64 {
        self.segment_offset
    }

    /// Fills `segment` with the documents of the next in-memory leaf. `false` at the end of the input, and where a
    /// capped collection is full.
    ///
    /// # Errors
    ///
    /// What the source returns, and documents whose `_id` cannot be looked for or cannot key the table.
    pub fn next_segment(&mut self, segment: &mut Segment) -> Result<bool, PipelineError> {
        segment.start(self.documents + 1);
        if !self.moved.is_empty() {
            segment.first_number = self.documents; // it was counted when it was read
            segment.bytes.append(&mut self.moved);
            segment.keys.append(&mut self.moved_key);
            segment.end_record(self.shape.keys);
            self.segment_offset = self.moved_offset;
        }
        while !self.ended {
            let (start, key_start) = (segment.bytes.len(), segment.keys.len());
            if self.source.next_document(&mut segment.bytes)?.is_none() {
                self.ended = true;
                break;
            }
            self.ordinal += 1;
            let Some(stored_bytes) = self.take(segment, start)? else { continue };
            if segment.records() == 0 {
                self.segment_offset = self.source.document_offset();
            }
            let record_id = match self.shape.keys {
                Keys::Numbers => RecordId::Number(self.documents),
                Keys::Clustered => RecordId::Clustered(&segment.keys[key_start..]),
            };
            match self.page.insert(record_id, stored_bytes as u64) {
                Cut::Not => segment.end_record(self.shape.keys),
                Cut::Before => {
                    self.moved.extend_from_slice(&segment.bytes[start..]);
                    self.moved_key.extend_from_slice(&segment.keys[key_start..]);
                    segment.bytes.truncate(start);
                    segment.keys.truncate(key_start);
                    self.moved_offset = self.source.document_offset();
                    return Ok(true);
                }
                Cut::After => {
                    segment.end_record(self.shape.keys);
                    return Ok(true);
                }
            }
        }
        Ok(segment.records() > 0)
    }

    /// Brings the document just read into its stored form, makes its key and counts it; `None` if it was skipped or
    /// has no room below the cap.
    fn take(&mut self, segment: &mut Segment, start: usize) -> Result<Option<usize>, PipelineError> {
        let key_start = segment.keys.len();
        let stored = self
            .store(&mut segment.bytes, start)
            .and_then(|bytes| self.push_key(segment, start).map(|()| bytes));
        match stored {
            Ok(bytes) if self.has_room_for(bytes) => {
                if self.shape.keys == Keys::Clustered {
                    self.order.take(&segment.keys[key_start..]);
                }
                self.documents += 1;
                self.bson_bytes += bytes as u64;
                Ok(Some(bytes))
            }
            Ok(_) => {
                segment.bytes.truncate(start);
                segment.keys.truncate(key_start);
                (self.ended, self.cap_reached) = (true, true);
                Ok(None)
            }
            Err(kind) => {
                segment.bytes.truncate(start);
                segment.keys.truncate(key_start);
                let offset = self.source.document_offset();
                let error = DocumentError {
                    input: self.source.name().to_owned(),
                    ordinal: self.ordinal - 1 + self.source.skipped().documents,
                    offset,
                    kind,
                };
                if self.on_bad == OnBadDocument::Stop {
                    return Err(SourceError::from(SourceErrorKind::Document(error)).into());
                }
                self.refused.count(self.source.position() - offset, &error);
                Ok(None)
            }
        }
    }

    /// As [`normalise`], but for an oplog's entries, which are stored as they are.
    fn store(&mut self, bytes: &mut Vec<u8>, start: usize) -> Result<usize, DocumentErrorKind> {
        match self.shape.purpose {
            Purpose::Oplog => Ok(bytes.len() - start),
            _ => normalise(bytes, start, &mut self.ids),
        }
    }

    fn has_room_for(&self, bytes: usize) -> bool {
        self.shape.capped.is_none_or(|cap| cap.holds(self.documents + 1, self.bson_bytes + bytes as u64))
    }

    /// Appends the key of the document at the end of `segment`, where the collection is clustered.
    fn push_key(&self, segment: &mut Segment, start: usize) -> Result<(), DocumentErrorKind> {
        if self.shape.keys == Keys::Numbers {
            return Ok(());
        }
        if self.shape.purpose == Purpose::Oplog {
            return push_oplog_key(&segment.bytes[start..], &mut segment.keys);
        }
        let key_start = segment.keys.len();
        let what = match clustered_record_id(&segment.bytes[start..], &mut segment.keys) {
            Ok(Outcome::Added(_)) => {
                let key_bytes = (segment.keys.len() - key_start) as u64;
                if key_bytes <= self.key_bytes_max {
                    return Ok(());
                }
                let max = self.key_bytes_max;
                format!(
                    "its key of {key_bytes} bytes exceeds {max}, above which keys lie in blocks of their own, which is not modelled for collections"
                )
            }
            Ok(Outcome::Refused(refusal)) => refusal.to_string(),
            Err(error) => error.to_string(),
        };
        Err(DocumentErrorKind::ClusteredKey { what })
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
        self.ids.count()
    }

    /// Documents of a clustered collection whose key is not above the one before.
    #[must_use]
    pub fn out_of_order(&self) -> u64 {
        self.order.out_of_order
    }

    /// Whether a capped collection was full before the input ended.
    #[must_use]
    pub fn cap_reached(&self) -> bool {
        self.cap_reached
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

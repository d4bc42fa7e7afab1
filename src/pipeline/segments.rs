//! From a source to segments: the records that one in-memory leaf holds when it is written.

use super::{PipelineError, Progress};
use crate::document::DocumentError;
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
            if self.source.next_document(&mut segment.bytes)?.is_none() {
                self.ended = true;
                break;
            }
            self.ordinal += 1;
            let Some(stored_bytes) = self.take(segment, start)? else { continue };
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
    fn take(&mut self, segment: &mut Segment, start: usize) -> Result<Option<usize>, PipelineError> {
        match normalise(&mut segment.bytes, start, &mut self.ids) {
            Ok(bytes) => {
                self.documents += 1;
                self.bson_bytes += bytes as u64;
                Ok(Some(bytes))
            }
            Err(kind) => {
                segment.bytes.truncate(start);
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
                self.refused.count(self.source.bytes_read() - offset, &error);
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
        self.ids.count()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DOCUMENT_BYTES_MAX;
    use crate::geometry::wiredtiger::Release;
    use crate::source::{bson::BsonSource, json::JsonSource};
    use crate::units::AllocationUnit;

    /// A memory page of 4 KiB: it splits at 3276 B with five records or more, and is forced out at 4096 B.
    fn small_pages() -> TableConfig {
        let default = TableConfig::collection(Release::NEWEST);
        default.with_sizes(AllocationUnit::DEFAULT, 4096, 4096, 1 << 30).unwrap()
    }

    /// A document of `bytes` bytes whose only element is a binary named `name`.
    fn document(name: &str, bytes: usize) -> Vec<u8> {
        let mut document = u32::try_from(bytes).unwrap().to_le_bytes().to_vec();
        document.push(0x05);
        document.extend_from_slice(name.as_bytes());
        document.push(0);
        let value_bytes = bytes - document.len() - 4 - 1 - 1;
        document.extend_from_slice(&u32::try_from(value_bytes).unwrap().to_le_bytes());
        document.resize(bytes, 0);
        document
    }

    fn bson(bytes: &[u8], on_bad: OnBadDocument) -> BsonSource<&[u8]> {
        BsonSource::new("a.bson".to_owned(), bytes, None, on_bad)
    }

    /// First record id and document lengths of every segment.
    fn segments(reader: &mut SegmentReader<'_>) -> Result<Vec<(u64, Vec<usize>)>, PipelineError> {
        let (mut segment, mut all) = (Segment::default(), Vec::new());
        while reader.next_segment(&mut segment)? {
            let lengths = (0..segment.records()).map(|index| segment.document(index).len());
            all.push((segment.first_record_id, lengths.collect()));
        }
        assert_eq!(segment.records(), 0, "behind the end there is nothing");
        Ok(all)
    }

    #[test]
    fn a_split_moves_its_record_to_the_next_segment_and_a_forced_page_keeps_it() {
        for (lengths, want, why) in [
            (vec![200; 25], vec![(1, vec![200; 9]), (10, vec![200; 9]), (19, vec![200; 7])], "split"),
            (vec![200; 9], vec![(1, vec![200; 9])], "one record less than a split"),
            (vec![200; 10], vec![(1, vec![200; 9]), (10, vec![200])], "the moved record ends the input"),
            (
                vec![4000; 2],
                vec![(1, vec![4000]), (2, vec![4000])],
                "forced out with fewer than five records",
            ),
            (
                [vec![200; 10], vec![4000; 2]].concat(),
                vec![(1, vec![200; 9]), (10, vec![200, 4000]), (12, vec![4000])],
                "a moved record counts on its new page",
            ),
            (vec![], vec![], "nothing"),
        ] {
            let bytes: Vec<u8> = lengths.iter().flat_map(|bytes| document("_id", *bytes)).collect();
            let mut source = bson(&bytes, OnBadDocument::Stop);
            let mut reader = SegmentReader::new(&mut source, OnBadDocument::Stop, &small_pages());
            assert_eq!(segments(&mut reader).unwrap(), want, "{why}");
            assert_eq!(reader.documents(), lengths.len() as u64, "{why}");
            assert_eq!(reader.bson(), BsonBytes(bytes.len() as u64), "{why}");
            assert_eq!(reader.progress().bytes_read, bytes.len() as u64, "{why}");
        }
    }

    #[test]
    fn added_ids_are_counted_and_part_of_the_bytes() {
        let bytes = [document("a", 100), document("_id", 100), document("b", 100)].concat();
        let mut source = bson(&bytes, OnBadDocument::Stop);
        let mut reader = SegmentReader::new(&mut source, OnBadDocument::Stop, &small_pages());
        assert_eq!(segments(&mut reader).unwrap(), [(1, vec![117, 100, 117])]);
        assert_eq!((reader.ids_added(), reader.bson()), (2, BsonBytes(334)));
    }

    /// Documents that the source steps over and such as are refused here count in one order.
    #[test]
    fn a_refused_document_is_named_by_its_place_in_the_input_whoever_skipped_those_before_it() {
        let mut unended = document("_id", 50);
        unended[49] = 1;
        let mut damaged = document("a", 60);
        damaged[4] = 0x42;
        let good = document("_id", 40);
        let bytes = [&good[..], &unended, &damaged, &good, &damaged].concat();
        let reasons = [
            "a.bson: document 1 at byte 40: byte 49 of the document is 0x01 where its terminator 0x00 belongs",
            "a.bson: document 2 at byte 90: element at byte 4 of the document is damaged: unknown element type",
            "a.bson: document 4 at byte 190: element at byte 4 of the document is damaged: unknown element type",
        ];
        let mut source = bson(&bytes, OnBadDocument::Skip);
        let mut reader = SegmentReader::new(&mut source, OnBadDocument::Skip, &small_pages());
        assert_eq!(segments(&mut reader).unwrap(), [(1, vec![40, 40])]);
        let Skipped { documents, bytes: skipped_bytes, reasons: got } = reader.skipped();
        assert_eq!((documents, skipped_bytes), (3, 50 + 2 * 60));
        assert_eq!(got, reasons);
        assert_eq!((reader.documents(), reader.ids_added()), (2, 0));

        let mut source = bson(&bytes[90..], OnBadDocument::Stop);
        let mut reader = SegmentReader::new(&mut source, OnBadDocument::Stop, &small_pages());
        let error = segments(&mut reader).unwrap_err().to_string();
        assert_eq!(error, reasons[1].replace("document 2 at byte 90", "document 0 at byte 0"));
    }

    /// The place is the text's, not the BSON's that was made of it; and what was not stored got no `_id`.
    #[test]
    fn a_text_document_without_room_for_an_id_is_named_by_its_place_in_the_text() {
        // Length, element, length of the string, its NUL, terminator.
        let text = "x".repeat(DOCUMENT_BYTES_MAX - 4 - 3 - 4 - 1 - 1 - 10);
        let input = format!("{{\"a\":1}}\n {{\"t\":\"{text}\"}}\n{{\"b\":1}}\n");
        let reason = "a.json: document 1 at byte 9: its 16793590 bytes and the `_id` that it lacks (17 bytes) exceed \
                      MongoDB's document limit of 16793600 bytes (16 MiB and 16 KiB)";
        let json = |on_bad| JsonSource::new("a.json".to_owned(), input.as_bytes(), None, on_bad);
        let mut source = json(OnBadDocument::Skip);
        let config = TableConfig::collection(Release::NEWEST);
        let mut reader = SegmentReader::new(&mut source, OnBadDocument::Skip, &config);
        assert_eq!(segments(&mut reader).unwrap(), [(1, vec![29, 29])]);
        let skipped = reader.skipped();
        assert_eq!((skipped.documents, skipped.bytes), (1, text.len() as u64 + 8));
        assert_eq!(skipped.reasons, [reason]);
        assert_eq!(reader.ids_added(), 2);
        let mut source = json(OnBadDocument::Stop);
        let mut reader = SegmentReader::new(&mut source, OnBadDocument::Stop, &config);
        assert_eq!(segments(&mut reader).unwrap_err().to_string(), reason);
    }
}

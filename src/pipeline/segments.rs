//! From a source to segments: the records that one in-memory leaf holds when it is written.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DOCUMENT_BYTES_MAX;
    use crate::geometry::wiredtiger::Release;
    use crate::record::collection::Cap;
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
            all.push((segment.first_number, lengths.collect()));
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
            let mut reader =
                SegmentReader::new(&mut source, OnBadDocument::Stop, Shape::default(), &small_pages());
            assert_eq!(segments(&mut reader).unwrap(), want, "{why}");
            assert_eq!(reader.documents(), lengths.len() as u64, "{why}");
            assert_eq!(reader.bson(), BsonBytes(bytes.len() as u64), "{why}");
            assert_eq!(reader.progress().bytes_read, bytes.len() as u64, "{why}");
        }
    }

    fn read(stream: &[u8], on_bad: OnBadDocument, shape: Shape) -> (Vec<Vec<u8>>, u64, Vec<String>, bool) {
        let mut source = bson(stream, on_bad);
        let mut reader = SegmentReader::new(&mut source, on_bad, shape, &small_pages());
        let (mut segment, mut keys) = (Segment::default(), Vec::new());
        while reader.next_segment(&mut segment).unwrap() {
            for index in 0..segment.records() {
                match segment.record_id(index) {
                    RecordId::Number(number) => keys.push(number.to_be_bytes().to_vec()),
                    RecordId::Clustered(key) => keys.push(key.to_vec()),
                }
            }
        }
        (keys, reader.out_of_order(), reader.skipped().reasons, reader.cap_reached())
    }

    /// A document `{_id: int32}` behind a padding that makes `bytes` bytes of it.
    fn numbered(id: i32, bytes: usize) -> Vec<u8> {
        let mut document = document("p", bytes - 9);
        document.splice(4..4, [&b"\x10_id\0"[..], &id.to_le_bytes()].concat());
        document[0..4].copy_from_slice(&u32::try_from(bytes).unwrap().to_le_bytes());
        document
    }

    /// Keys of 1, 2 and 200, also across a cut, where the last record of a page moves to the next.
    #[test]
    fn a_clustered_collection_is_keyed_by_its_ids_and_knows_which_are_out_of_order() {
        let shape = Shape { keys: Keys::Clustered, ..Shape::default() };
        let stream = [numbered(1, 300), numbered(200, 300), numbered(2, 300)].concat();
        let (keys, out_of_order, ..) = read(&stream, OnBadDocument::Stop, shape);
        assert_eq!(keys, [&b"\x2b\x02"[..], b"\x2c\x01\x90", b"\x2b\x04"]);
        assert_eq!(out_of_order, 1);
        let many: Vec<u8> = (0..100).flat_map(|id| numbered(id, 300)).collect();
        let (keys, out_of_order, ..) = read(&many, OnBadDocument::Stop, shape);
        assert_eq!((keys.len(), out_of_order), (100, 0));
        assert!(keys.is_sorted());
        let (_, out_of_order, ..) = read(&[&many[..300], &many[..300]].concat(), OnBadDocument::Stop, shape);
        assert_eq!(out_of_order, 1, "the same `_id` again is not above the one before");
    }

    #[test]
    fn an_id_that_cannot_key_a_table_is_refused_with_the_rule_it_breaks() {
        let shape = Shape { keys: Keys::Clustered, ..Shape::default() };
        let array = b"\x0f\0\0\0\x04_id\0\x05\0\0\0\0\0".to_vec();
        let stream = [array, document("_id", 3000), numbered(1, 100)].concat();
        let (keys, _, reasons, _) = read(&stream, OnBadDocument::Skip, shape);
        assert_eq!(keys.len(), 1);
        assert_eq!(
            reasons,
            [
                "a.bson: document 0 at byte 0: its `_id` cannot key a clustered collection: `_id` cannot be an array, a \
                 regex or undefined",
                "a.bson: document 1 at byte 15: its `_id` cannot key a clustered collection: its key of 2992 bytes exceeds \
                 368, above which keys lie in blocks of their own, which is not modelled for collections",
            ]
        );
    }

    #[test]
    fn a_capped_collection_ends_with_what_just_fits() {
        let stream: Vec<u8> = (0..100).flat_map(|id| numbered(id, 256)).collect();
        for (cap, want, reached) in [
            (Cap::new(2560, None), 10, true),
            (Cap::new(2561, None), 11, true),
            (Cap::new(1 << 20, Some(7)), 7, true),
            (Cap::new(25_600, None), 100, false),
        ] {
            let shape = Shape { capped: Some(cap), ..Shape::default() };
            let (keys, _, _, is_reached) = read(&stream, OnBadDocument::Stop, shape);
            assert_eq!((keys.len(), is_reached), (want, reached), "{cap:?}");
        }
    }

    #[test]
    fn added_ids_are_counted_and_part_of_the_bytes() {
        let bytes = [document("a", 100), document("_id", 100), document("b", 100)].concat();
        let mut source = bson(&bytes, OnBadDocument::Stop);
        let mut reader =
            SegmentReader::new(&mut source, OnBadDocument::Stop, Shape::default(), &small_pages());
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
        let mut reader =
            SegmentReader::new(&mut source, OnBadDocument::Skip, Shape::default(), &small_pages());
        assert_eq!(segments(&mut reader).unwrap(), [(1, vec![40, 40])]);
        let Skipped { documents, bytes: skipped_bytes, reasons: got } = reader.skipped();
        assert_eq!((documents, skipped_bytes), (3, 50 + 2 * 60));
        assert_eq!(got, reasons);
        assert_eq!((reader.documents(), reader.ids_added()), (2, 0));

        let mut source = bson(&bytes[90..], OnBadDocument::Stop);
        let mut reader =
            SegmentReader::new(&mut source, OnBadDocument::Stop, Shape::default(), &small_pages());
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
        let mut reader = SegmentReader::new(&mut source, OnBadDocument::Skip, Shape::default(), &config);
        assert_eq!(segments(&mut reader).unwrap(), [(1, vec![29, 29])]);
        let skipped = reader.skipped();
        assert_eq!((skipped.documents, skipped.bytes), (1, text.len() as u64 + 8));
        assert_eq!(skipped.reasons, [reason]);
        assert_eq!(reader.ids_added(), 2);
        let mut source = json(OnBadDocument::Stop);
        let mut reader = SegmentReader::new(&mut source, OnBadDocument::Stop, Shape::default(), &config);
        assert_eq!(segments(&mut reader).unwrap_err().to_string(), reason);
    }
}

//! Where segments end, what they hold, and what is refused on the way.

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
        (vec![4000; 2], vec![(1, vec![4000]), (2, vec![4000])], "forced out with fewer than five records"),
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
    let mut reader = SegmentReader::new(&mut source, OnBadDocument::Stop, Shape::default(), &small_pages());
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
    let mut reader = SegmentReader::new(&mut source, OnBadDocument::Skip, Shape::default(), &small_pages());
    assert_eq!(segments(&mut reader).unwrap(), [(1, vec![40, 40])]);
    let Skipped { documents, bytes: skipped_bytes, reasons: got } = reader.skipped();
    assert_eq!((documents, skipped_bytes), (3, 50 + 2 * 60));
    assert_eq!(got, reasons);
    assert_eq!((reader.documents(), reader.ids_added()), (2, 0));

    let mut source = bson(&bytes[90..], OnBadDocument::Stop);
    let mut reader = SegmentReader::new(&mut source, OnBadDocument::Stop, Shape::default(), &small_pages());
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

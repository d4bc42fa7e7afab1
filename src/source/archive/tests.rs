//! Archives built here, whole and damaged; the measured ones are in tests/it/inputs.rs.

use super::{crc::Crc, items::Items};
use crate::source::namespace::Namespaces;
use crate::source::{Found, OnBadDocument, OpenOptions, find};
use std::fs;

fn document(elements: &[&[u8]]) -> Vec<u8> {
    let body = elements.concat();
    let length = u32::try_from(body.len() + 5).unwrap().to_le_bytes();
    [&length[..], &body, &[0]].concat()
}

fn text(name: &str, value: &str) -> Vec<u8> {
    let length = u32::try_from(value.len() + 1).unwrap().to_le_bytes();
    [&b"\x02"[..], name.as_bytes(), &[0], &length, value.as_bytes(), &[0]].concat()
}

/// `{_id: n, s: "…"}`
fn stored(n: u8) -> Vec<u8> {
    document(&[&[&b"\x10_id\0"[..], &[n, 0, 0, 0]].concat(), &text("s", &"x".repeat(usize::from(n) * 10))])
}

fn listed(collection: &str, metadata: &str) -> Vec<u8> {
    document(&[&text("db", "d"), &text("collection", collection), &text("metadata", metadata)])
}

fn header(collection: &str, end: Option<u64>) -> Vec<u8> {
    let crc = [&b"\x12CRC\0"[..], &end.unwrap_or(0).to_le_bytes()].concat();
    let flag = [&b"\x08EOF\0"[..], &[u8::from(end.is_some())]].concat();
    document(&[&text("db", "d"), &text("collection", collection), &flag, &crc])
}

fn crc(documents: &[Vec<u8>]) -> u64 {
    let mut crc = Crc::EMPTY;
    for document in documents {
        crc.add(document);
    }
    crc.value()
}

const END: &[u8] = &[0xff; 4];

/// Parts of an archive of `a` (3 documents in two blocks) and `b` (2 documents between them), and a view.
fn parts() -> Vec<Vec<u8>> {
    let a: Vec<Vec<u8>> = [1, 2, 3].map(stored).to_vec();
    let b: Vec<Vec<u8>> = [4, 5].map(stored).to_vec();
    let first = document(&[b"\x10concurrent_collections\0\x04\0\0\0", &text("server_version", "6.0.5")]);
    vec![
        b"\x6d\xe2\x99\x81".to_vec(),
        first,
        listed("b", "{\"indexes\":[{\"key\":{\"_id\":1},\"name\":\"_id_\"}]}"),
        listed("a", ""),
        listed("v", "{\"type\":\"view\"}"),
        END.to_vec(),
        [&header("a", None)[..], &a[0], &a[1], END].concat(),
        [&header("b", None)[..], &b.concat(), END].concat(),
        [&header("a", None)[..], &a[2], END].concat(),
        [&header("b", Some(crc(&b)))[..], END].concat(),
        [&header("v", None)[..], END, &header("v", Some(0)), END].concat(),
        [&header("a", Some(crc(&a)))[..], END].concat(),
    ]
}

/// Name, documents, bytes, reasons.
type Member = (String, u64, usize, Vec<String>);

/// What is read of an archive of these bytes: each collection's name, documents and bytes, and what was skipped.
fn read(bytes: &[u8], on_bad: OnBadDocument) -> Result<Vec<Member>, (String, Vec<String>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.archive");
    fs::write(&path, bytes).unwrap();
    let prefix = format!("{}/", folder.path().display());
    let told = |text: &str| text.replace(&prefix, "");
    let options = OpenOptions::new(on_bad);
    let refused = |error: crate::source::SourceError| {
        (told(&error.to_string()), error.hints().iter().map(|hint| told(hint)).collect())
    };
    let Found { collections, .. } = find(&path, &options, &Namespaces::default()).map_err(refused)?;
    let mut all = Vec::new();
    for collection in collections {
        let name = collection.name.clone();
        let mut source = collection.open(&options).map_err(refused)?;
        let (mut out, mut documents) = (Vec::new(), 0);
        while source.next_document(&mut out).map_err(refused)?.is_some() {
            documents += 1;
        }
        let reasons = source.skipped().reasons.iter().map(|reason| told(reason)).collect();
        all.push((name, documents, out.len(), reasons));
    }
    Ok(all)
}

fn bytes_of(numbers: &[u8]) -> usize {
    numbers.iter().map(|n| stored(*n).len()).sum()
}

#[test]
fn collections_that_take_turns_are_read_one_by_one() {
    let want = vec![
        ("d.a".to_owned(), 3, bytes_of(&[1, 2, 3]), Vec::new()),
        ("d.b".to_owned(), 2, bytes_of(&[4, 5]), Vec::new()),
    ];
    for on_bad in [OnBadDocument::Stop, OnBadDocument::Skip] {
        assert_eq!(read(&parts().concat(), on_bad), Ok(want.clone()));
        let behind_text = [&b"Enter password:\n"[..], &parts().concat()].concat();
        assert_eq!(read(&behind_text, on_bad), Ok(want.clone()));
    }
}

#[test]
fn damage_is_told_with_its_place_and_what_is_there_can_be_taken() {
    let whole = parts();
    let cut = |parts: usize, bytes: usize| {
        let all = whole[..parts].concat();
        all[..all.len() - bytes].to_vec()
    };
    let with = |index: usize, part: Vec<u8>| {
        let mut parts = whole.clone();
        parts[index] = part;
        parts.concat()
    };
    let offset = |parts: usize| whole[..parts].concat().len();
    let garbage = [&whole.concat()[..], b"done"].concat();
    let a_left = |numbers: &[u8]| ("d.a".to_owned(), numbers.len() as u64, bytes_of(numbers));
    let b_left = ("d.b".to_owned(), 2_u64, bytes_of(&[4, 5]));
    for (bytes, message, left) in [
        (
            cut(4, 3),
            format!("d.archive: at byte {}: the archive ends inside its list of collections", offset(4) - 3),
            None,
        ),
        (
            cut(7, 10),
            format!(
                "d.archive: at byte {}: the archive ends after {} of the {} bytes of document 1 of d.a",
                offset(7) - 10,
                stored(2).len() - 6,
                stored(2).len()
            ),
            Some(vec![a_left(&[1])]),
        ),
        (
            cut(9, 0),
            format!("d.archive: at byte {}: the archive ends before d.a is complete", offset(9)),
            Some(vec![a_left(&[1, 2, 3]), b_left.clone()]),
        ),
        (
            with(11, [&header("a", Some(7))[..], END].concat()),
            format!(
                "d.archive: at byte {}: the checksum of d.a is 0000000000000007, but its documents have {:016x}",
                offset(11),
                crc(&[1, 2, 3].map(stored))
            ),
            Some(vec![a_left(&[1, 2, 3]), b_left.clone()]),
        ),
        (
            garbage,
            format!(
                "d.archive: at byte {}: 0x656e6f64 is neither the length of a document nor the end of a block",
                offset(12) + 4
            ),
            Some(vec![a_left(&[1, 2, 3]), b_left.clone()]),
        ),
        (
            with(9, [&whole[9][..], END].concat()),
            format!("d.archive: at byte {}: a block ends that has not begun", offset(10) + 4),
            Some(vec![a_left(&[1, 2, 3]), b_left]),
        ),
    ] {
        assert_eq!(read(&bytes, OnBadDocument::Stop).unwrap_err().0, message);
        match (read(&bytes, OnBadDocument::Skip), left) {
            (Ok(got), Some(left)) => {
                assert!(got.iter().any(|(_, _, _, reasons)| reasons.contains(&message)), "{got:?}");
                let got: Vec<_> =
                    got.into_iter().map(|(name, documents, bytes, _)| (name, documents, bytes)).collect();
                assert_eq!(got, left, "{message}");
            }
            (got, left) => assert!(got.is_err() && left.is_none(), "{message}: {got:?}"),
        }
    }
}

#[test]
fn a_stream_that_holds_no_more_than_its_magic_number_is_told() {
    let (message, hints) = read(b"\x6d\xe2\x99\x81", OnBadDocument::Skip).unwrap_err();
    assert_eq!(message, "d.archive: at byte 4: the archive ends inside its list of collections");
    assert_eq!(hints, ["it was cut off while it was written or copied: fetch it again, or dump again"]);
}

#[test]
fn a_pass_over_bytes_stops_where_they_end() {
    let mut items = Items::new(Box::new(std::io::Cursor::new(vec![7; 10])));
    assert_eq!(items.pass(4, |piece| assert_eq!(piece, [7; 4])).unwrap(), 4);
    assert_eq!(items.pass(u64::MAX, |_| {}).unwrap(), 6);
    assert_eq!(items.offset(), 10);
}

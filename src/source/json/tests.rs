//! The reader as a whole: documents, places of errors, what is skipped.

mod properties;
mod wrappers;

use super::*;
use crate::document::{self, DOCUMENT_BYTES_MAX};
use crate::source::input::tests::OneByte;
use bson::{Bson, doc};
use proptest::{collection::vec, prelude::*};

/// What a source gave: its documents, the error that ended it, what it skipped.
#[derive(Debug, PartialEq)]
struct Run {
    documents: Vec<Vec<u8>>,
    error: Option<String>,
    skipped: Skipped,
}

fn run_over(reader: impl Read + Send, on_bad: OnBadDocument) -> (Run, JsonSource<impl Read + Send>) {
    let mut source = JsonSource::new("a.json".to_owned(), reader, None, on_bad);
    let mut documents = Vec::new();
    let mut out = b"before".to_vec();
    let error = loop {
        let before = out.len();
        match source.next_document(&mut out) {
            Ok(Some(bytes)) => {
                assert_eq!(out.len(), before + bytes);
                assert_eq!(document::check(&out[before..]), Ok(()));
                documents.push(out[before..].to_vec());
            }
            outcome => {
                assert_eq!(out.len(), before, "what is not returned is not appended");
                break outcome.err().map(|error| error.to_string());
            }
        }
    };
    assert_eq!(source.next_document(&mut out).ok(), Some(None), "an end is an end");
    (Run { documents, error, skipped: source.skipped().clone() }, source)
}

/// Reads `text` at once and a byte at a time, which must not differ.
fn run(text: &[u8], on_bad: OnBadDocument) -> Run {
    let (at_once, _) = run_over(text, on_bad);
    let (in_bytes, _) = run_over(OneByte(text, 0), on_bad);
    assert_eq!(at_once, in_bytes, "{}", text.escape_ascii());
    at_once
}

fn good(text: &[u8]) -> Vec<Vec<u8>> {
    let Run { documents, error, skipped } = run(text, OnBadDocument::Stop);
    assert_eq!((error, skipped), (None, Skipped::default()), "{}", text.escape_ascii());
    documents
}

/// The message of the only error of `text`, without the input's name.
fn message(text: &[u8]) -> String {
    let error = run(text, OnBadDocument::Stop).error.unwrap_or_default();
    error.strip_prefix("a.json: ").unwrap_or(&error).to_owned()
}

/// The bytes of `{"v": value}` after its key, between type byte and terminator.
fn value(json: &str) -> (u8, Vec<u8>) {
    let documents = good(format!("{{\"v\":{json}}}").as_bytes());
    let [document] = &documents[..] else { panic!("{json}: {} documents", documents.len()) };
    assert_eq!(&document[5..7], b"v\0");
    (document[4], document[7..document.len() - 1].to_vec())
}

#[test]
fn a_document_is_the_bson_that_another_encoder_makes_of_it() {
    let text = br#" { "_id" : {"$oid":"656000000a0a0a0a0a000001"}, "s":"h\u00e9\n", "i":-5, "l":5000000000,
        "d":1.5e1, "t":true, "f":false, "n":null, "e":{}, "a":[], "deep":{"a":[1,{"b":[["x"]]},2.0]},
        "when":{"$date":"2023-11-14T22:13:20.123Z"}, "ts":{"$timestamp":{"t":1,"i":2}} } "#;
    let oid = bson::oid::ObjectId::parse_str("656000000a0a0a0a0a000001").unwrap();
    let expect = doc! {
        "_id": oid, "s": "h\u{e9}\n", "i": -5, "l": 5_000_000_000_i64,
        "d": 15.0, "t": true, "f": false, "n": Bson::Null, "e": {}, "a": [], "deep": {"a": [1, {"b": [["x"]]}, 2.0]},
        "when": bson::DateTime::from_millis(1_700_000_000_123),
        "ts": bson::Timestamp { time: 1, increment: 2 },
    };
    assert_eq!(good(text), [expect.to_vec().unwrap()]);
}

#[test]
fn strings_are_kept_to_the_byte() {
    for (json, want, why) in [
        (&br#""plain""#[..], &b"plain"[..], "plain"),
        (br#""\"\\\/\b\f\n\r\t""#, b"\"\\/\x08\x0c\n\r\t", "all short escapes"),
        (br#""\u0041\u00e9\u20ac""#, "A\u{e9}\u{20ac}".as_bytes(), "code units"),
        (br#""\ud83d\ude00""#, "\u{1f600}".as_bytes(), "a pair"),
        (br#""\ud800""#, "\u{fffd}".as_bytes(), "a high surrogate alone"),
        (br#""\udc00x""#, "\u{fffd}x".as_bytes(), "a low surrogate alone"),
        (br#""\ud800\n""#, "\u{fffd}\n".as_bytes(), "an escape behind it"),
        (br#""\ud800\u0041""#, "\u{fffd}A".as_bytes(), "a character behind it"),
        (
            br#""\ud83d\ud83d\ude00""#,
            "\u{fffd}\u{fffd}\u{fffd}".as_bytes(),
            "it takes the next for its partner",
        ),
        (b"\"caf\xe9 \xff\"", b"caf\xe9 \xff", "bytes that are no UTF-8"),
        (br#""a\u0000b""#, b"a\0b", "NUL in a value"),
    ] {
        let documents = good(&[b"{\"v\":", json, b"}"].concat());
        let length = u32::try_from(want.len() + 1).unwrap().to_le_bytes();
        let document = &documents[0];
        assert_eq!(document[7..document.len() - 1], [&length[..], want, b"\0"].concat(), "{why}");
    }
}

#[test]
fn duplicate_and_empty_keys_are_kept_in_order() {
    let document = good(br#"{"a":1,"":2,"a":3}"#).remove(0);
    assert_eq!(document[4..], *b"\x10a\0\x01\0\0\0\x10\0\x02\0\0\0\x10a\0\x03\0\0\0\0");
}

#[test]
fn array_indexes_are_decimal_keys() {
    let numbers: Vec<i32> = (0..1234).collect();
    let text = format!("{{\"a\":{numbers:?}}}");
    assert_eq!(good(text.as_bytes()), [doc! {"a": numbers}.to_vec().unwrap()]);
}

#[test]
fn documents_may_stand_on_lines_across_lines_in_arrays_or_without_anything_between() {
    let (one, two) = (doc! {"a": 1}.to_vec().unwrap(), doc! {"a": 2}.to_vec().unwrap());
    for (text, notes, why) in [
        (&b"{\"a\":1}\n{\"a\":2}\n"[..], 1, "lines"),
        (b"\xef\xbb\xbf{\"a\":1}\r\n\r\n{\"a\":2}", 1, "a mark, CRLF, no last line end"),
        (b"{\"a\":1}{\"a\":2}", 1, "nothing between"),
        (b"{\n\t\"a\" : 1\n}\n{\n\t\"a\" : 2\n}", 1, "spread"),
        (b"[{\"a\":1},{\"a\":2}]", 2, "an array"),
        (b" [\n{\"a\":1}\n,\n{\"a\":2}\n]\n", 2, "an array on lines"),
        (b"[{\"a\":1}]\n[{\"a\":2}]\n[]", 2, "arrays on lines"),
        (b"[{\"a\":1}]{\"a\":2}", 2, "both"),
        (b"{\"a\":1},\n{\"a\":2},\n", 2, "commas without an array"),
        (b"[{\"a\":1}\n{\"a\":2},]", 4, "no comma, and one too many"),
        (b"{\"a\":1}\n\xef\xbb\xbf{\"a\":2}", 2, "two files in one"),
    ] {
        let (got, source) = run_over(text, OnBadDocument::Stop);
        assert_eq!(
            got,
            Run { documents: vec![one.clone(), two.clone()], error: None, skipped: Skipped::default() },
            "{why}"
        );
        assert_eq!(source.notes().len(), notes, "{why}: {:?}", source.notes());
        assert_eq!(source.bytes_read(), text.len() as u64, "{why}");
    }
    assert_eq!(good(b" \n\t"), [] as [Vec<u8>; 0]);
    assert_eq!(good(b"[]"), [] as [Vec<u8>; 0]);
}

#[test]
fn errors_tell_document_byte_line_column_and_what_belongs_there() {
    for (text, want) in [
        (
            &b"{\"a\":1}\n{\"a\":}"[..],
            "document 1 at byte 13 (line 2, column 6): found `}` where a value belongs",
        ),
        (b"{\"a\" 1}", "document 0 at byte 5 (line 1, column 6): found `1` where `:` behind a key belongs"),
        (
            b"{\"a\":1 \"b\":2}",
            "document 0 at byte 7 (line 1, column 8): found `\"` where `,` or `}` belongs",
        ),
        (b"{\"a\":1,}", "document 0 at byte 7 (line 1, column 8): found `}` where a key belongs"),
        (b"{\"a\":[1,]}", "document 0 at byte 8 (line 1, column 9): found `]` where a value belongs"),
        (b"{\"a\":[1}}", "document 0 at byte 7 (line 1, column 8): found `}` where `,` or `]` belongs"),
        (b"{\"a\":01}", "document 0 at byte 5 (line 1, column 6): `01` is not a JSON number"),
        (b"{\"a\":1e999}", "document 0 at byte 5 (line 1, column 6): `1e999` is beyond the largest double"),
        (b"{\"a\":nul}", "document 0 at byte 5 (line 1, column 6): found `nul` where a value belongs"),
        (
            b"{\"a\":\"x\x01y\"}",
            "document 0 at byte 7 (line 1, column 8): found byte 0x01 inside a string, where control characters must be escaped",
        ),
        (
            b"{\"a\":\"x\n{}",
            "document 0 at byte 7 (line 1, column 8): found a line end inside a string, where control characters must be escaped",
        ),
        (
            b"{\"a\":\"\\x\"}",
            "document 0 at byte 7 (line 1, column 8): found `x` where one of `\"\\/bfnrtu` behind a backslash belongs",
        ),
        (
            b"{\"a\":\"\\u12g4\"}",
            "document 0 at byte 10 (line 1, column 11): found `g` where a hexadecimal digit of `\\uXXXX` belongs",
        ),
        (
            b"{\"_id\":1,\"a\\u0000b\":2}",
            "document 0 at byte 9 (line 1, column 10): key `a\\0b` holds a NUL, which BSON keys cannot",
        ),
        (
            b"{\"a\":1}\n{\"a\":",
            "document 1 at byte 13 (line 2, column 6): the input ends where a value belongs",
        ),
        (
            b"{\"a\":\"x",
            "document 0 at byte 7 (line 1, column 8): the input ends where the `\"` that closes a string belongs",
        ),
        (
            b"[{\"a\":1},",
            "document 1 at byte 9 (line 1, column 10): the input ends inside its array, where `]` belongs",
        ),
        (
            b"{\"a\":1}\n5\n",
            "document 1 at byte 8 (line 2, column 1): found the number `5` where a document belongs",
        ),
        (b"\"a\"", "document 0 at byte 0 (line 1, column 1): found a string where a document belongs"),
        (b"[[1]]", "document 0 at byte 1 (line 1, column 2): found an array where a document belongs"),
        (b"[null]", "document 0 at byte 1 (line 1, column 2): found `null` where a document belongs"),
        (b"[,{}]", "document 0 at byte 1 (line 1, column 2): found `,` where a document belongs"),
        (b"[{}]]", "document 1 at byte 4 (line 1, column 5): found `]` where a document belongs"),
        (b"{}\nexport 1", "document 1 at byte 3 (line 2, column 1): found `export` where a document belongs"),
    ] {
        assert_eq!(message(text), want, "{}", text.escape_ascii());
    }
}

/// What skipping would lead to depends on whether a later line can be trusted to begin a document.
#[test]
fn hints_tell_how_far_skipping_would_go() {
    for (text, want, why) in [
        ("{\"a\":1}\n7\n", vec!["to leave it out and go on, pass `--on-bad-document skip`"], "sound grammar"),
        (
            "{\"a\":1}\n{\"a\":]}\n",
            vec!["to leave it out and go on at the next line, pass `--on-bad-document skip`"],
            "a document a line",
        ),
        (
            "{\"a\":1} {\"a\":2} {\"a\":]}\n",
            vec!["to estimate from the 2 documents before it, pass `--on-bad-document skip`"],
            "lines mean nothing",
        ),
        (
            "{\"a\":1}\n{\"a\":",
            vec!["to estimate from the document before it, pass `--on-bad-document skip`"],
            "cut off",
        ),
        ("{\"a\":", vec![], "nothing would be left"),
    ] {
        let mut source = JsonSource::new("a".to_owned(), text.as_bytes(), None, OnBadDocument::Stop);
        let mut out = Vec::new();
        let error = loop {
            if let Err(error) = source.next_document(&mut out) {
                break error;
            }
        };
        assert_eq!(error.hints(), want, "{why}");
    }
}

#[test]
fn text_of_the_shell_that_means_nothing_is_told_what_writes_json() {
    for text in ["{a:oops}", "{\"a\":ObjectId(\"x\")}", "{\"a\":nan}", "{\"a\":/x/y}", "{\"a\":new Thing(1)}"]
    {
        let mut source = JsonSource::new("a".to_owned(), text.as_bytes(), None, OnBadDocument::Stop);
        let hints = source.next_document(&mut Vec::new()).unwrap_err().hints();
        assert!(hints[0].contains("mongoexport --jsonFormat canonical"), "{text}: {hints:?}");
    }
}

#[test]
fn skipping_counts_each_bad_document_once_and_goes_on_where_it_can() {
    for (text, good_documents, skipped, last_reason, why) in [
        (
            &b"{\"a\":1}\n7\n[1,[2]]\n\"]\"\n{\"a\":2}\n"[..],
            2,
            // The array is opened, and its two elements are no documents.
            (4, 8),
            "document 4 at byte 18 (line 4, column 1): found a string where a document belongs",
            "scalars and arrays",
        ),
        (
            b"[{\"a\":1},7,[{\"a\":[\"]\"]}],{\"a\":2}]",
            2,
            (2, 1 + 13),
            "document 2 at byte 11 (line 1, column 12): found an array where a document belongs",
            "an array in an array is stepped over as a whole",
        ),
        (
            b"{\"a\":1}\n{\"a\":oops}\n{\"a\":2}\n",
            2,
            (1, 11),
            "document 1 at byte 13 (line 2, column 6): found `oops` where a value belongs; reading went on at the next line that begins with `{`",
            "a line of its own",
        ),
        (
            b"{\"a\":1}\n{\"a\":\"cut\n{\"a\":2}\n",
            2,
            (1, 10),
            "document 1 at byte 17 (line 2, column 10): found a line end inside a string, where control characters must be escaped; reading went on at the next line that begins with `{`",
            "a line cut in a string",
        ),
        (
            b"{\"a\":1}\n{\"a\":\n{\"a\":2}\n{\"a\":3}\n",
            3,
            (1, 6),
            "document 1 at byte 22 (line 4, column 1): found `{` where `,` or `}` belongs; reading went on at the next line that begins with `{`",
            "a line cut before a value does not cost its neighbour",
        ),
        (
            b"{\"a\":oops}\n{\"a\":1}\n{\"a\":2}\n",
            2,
            (1, 11),
            "document 0 at byte 5 (line 1, column 6): found `oops` where a value belongs; reading went on at the next line that begins with `{`",
            "the first line",
        ),
        (
            b"{\"a\":1} {\"a\":2}\n{\"a\":oops}\n{\"a\":3}\n",
            2,
            (1, 19),
            "document 2 at byte 21 (line 2, column 6): found `oops` where a value belongs; nothing was read behind it",
            "no line can be trusted where two values shared one",
        ),
        (
            b"{\n\"a\":1}\n{\"a\":2}\n{\"a\":oops}\n{\"a\":3}\n",
            2,
            (1, 19),
            "document 2 at byte 22 (line 4, column 6): found `oops` where a value belongs; nothing was read behind it",
            "nor where one was spread",
        ),
        (
            b"[\n{\"a\":1},\n{\"a\":oops},\n{\"a\":2}\n]\n",
            2,
            (1, 12),
            "document 1 at byte 16 (line 3, column 6): found `oops` where a value belongs; reading went on at the next line that begins with `{`",
            "an array on lines",
        ),
        (
            b"{\"a\":1}\n{\"a\":2}\n{\"a\":",
            2,
            (1, 5),
            "document 2 at byte 21 (line 3, column 6): the input ends where a value belongs; nothing was read behind it",
            "a cut end",
        ),
        (
            b"[{\"a\":1},{\"a\":2}",
            2,
            (1, 0),
            "document 2 at byte 16 (line 1, column 17): the input ends inside its array, where `]` belongs; nothing was read behind it",
            "an array that is not closed",
        ),
        (
            b"{\n\"a\":1}\n{\"a\":{\"$date\":\"}\"},\"b\":[\"]\"]} {\"a\":2}",
            2,
            (1, 29),
            "document 1 at byte 14 (line 3, column 6): `$date` is `}`, expected a date like 2006-01-02T15:04:05.999Z, with its seconds and its zone",
            "a bad value in sound grammar needs no lines",
        ),
    ] {
        let Run { documents, error, skipped: got } = run(text, OnBadDocument::Skip);
        assert_eq!((documents.len(), error), (good_documents, None), "{why}");
        assert_eq!((got.documents, got.bytes), skipped, "{why}");
        assert_eq!(got.reasons.last().unwrap(), &format!("a.json: {last_reason}"), "{why}");
    }
}

/// 100 000 levels would overflow any recursion. The server's limit of 180 is not this reader's.
#[test]
fn depth_is_bounded_by_a_documents_length_only() {
    let levels = 100_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{{\"a\":{}1{}}}", open.repeat(levels), close.repeat(levels));
        let (run, _) = run_over(text.as_bytes(), OnBadDocument::Stop);
        assert_eq!(run.error, None);
        assert_eq!(run.documents[0].len(), 5 + 7 + levels * (4 + 3 + 1));
        let (cut, _) = run_over(&text.as_bytes()[..text.len() / 2], OnBadDocument::Skip);
        assert_eq!((cut.documents.len(), cut.skipped.documents), (0, 1));
    }
    let endless = format!("{{\"a\":{}", "[".repeat(4_000_000));
    let (run, _) = run_over(endless.as_bytes(), OnBadDocument::Stop);
    assert!(run.error.is_some_and(|error| error.contains("exceed MongoDB's document limit")));
}

#[test]
fn documents_are_taken_up_to_the_servers_limit_and_skipped_by_their_brackets_above() {
    let text_bytes_max = DOCUMENT_BYTES_MAX - 5 - 3 - 4 - 1;
    let document = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes));
    assert_eq!(
        run_over(document(text_bytes_max).as_bytes(), OnBadDocument::Stop).0.documents[0].len(),
        DOCUMENT_BYTES_MAX
    );
    for (what, long) in [
        ("one byte", document(text_bytes_max + 1)),
        (
            "a string, refused in its middle",
            format!("{{\"b\":{{\"a\":\"{}}}\"}}}}", "}\\\"".repeat(12 << 20)),
        ),
        ("many elements", format!("{{\"a\":[{}0]}}", "0,".repeat(2_000_000))),
        ("a number", format!("{{\"a\":{}}}", "1".repeat(2 * DOCUMENT_BYTES_MAX + 1))),
    ] {
        let text = format!("{{}}{long}{{}}");
        let (run, _) = run_over(text.as_bytes(), OnBadDocument::Stop);
        let error = run.error.unwrap_or_default();
        let begins =
            error.starts_with("a.json: document 1 at byte 2: ") && error.contains("bytes of BSON (16.");
        assert!(begins || what == "a number", "{what}: {error}");
        assert!(
            error.contains("exceed MongoDB's document limit of 16793600 bytes (16 MiB and 16 KiB)"),
            "{what}: {error}"
        );
        let (run, _) = run_over(text.as_bytes(), OnBadDocument::Skip);
        assert_eq!((run.documents.len(), run.error), (2, None), "{what}");
        assert_eq!((run.skipped.documents, run.skipped.bytes), (1, long.len() as u64), "{what}");
    }
}

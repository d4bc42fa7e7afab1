//! The reader as a whole: documents, places of errors, what is skipped.

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
fn wrappers_become_the_value_that_they_stand_for() {
    for (json, element_type, want, why) in [
        (
            r#"{"$oid":"656000000A0a0a0a0a000001"}"#,
            0x07,
            &b"\x65\x60\0\0\x0a\x0a\x0a\x0a\x0a\0\0\x01"[..],
            "either case",
        ),
        (r#"{"\u0024oid":"000000000000000000000000"}"#, 0x07, &[0; 12], "an escaped key is the same key"),
        (r#" { "$numberInt" : "+5" } "#, 0x10, b"\x05\0\0\0", "a sign"),
        (r#"{"$numberInt":"-0"}"#, 0x10, &[0; 4], "no negative zero"),
        (r#"{"$numberLong":"5"}"#, 0x12, b"\x05\0\0\0\0\0\0\0", "int64 though it is small"),
        (r#"{"$numberDouble":"0x1p1"}"#, 0x01, &2_f64.to_le_bytes(), "mongoimport's floats"),
        (r#"{"$numberDouble":"-Infinity"}"#, 0x01, &f64::NEG_INFINITY.to_le_bytes(), "not finite"),
        (r#"{"$numberDecimal":"1"}"#, 0x13, b"\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\x40\x30", "decimal"),
        (r#"{"$date":-1}"#, 0x09, &[0xff; 8], "milliseconds"),
        (r#"{"$date":{"$numberLong":"-1"}}"#, 0x09, &[0xff; 8], "canonical"),
        (r#"{"$date":"1969-12-31T23:59:59.999Z"}"#, 0x09, &[0xff; 8], "relaxed"),
        (r#"{"$binary":{"base64":"aGk=","subType":"80"}}"#, 0x05, b"\x02\0\0\0\x80hi", "binary"),
        (r#"{"$binary":{"subType":"0","base64":"aGk="}}"#, 0x05, b"\x02\0\0\0\0hi", "in either order"),
        (
            r#"{"$binary":{"base64":"aGk=","subType":"02"}}"#,
            0x05,
            b"\x06\0\0\0\x02\x02\0\0\0hi",
            "its length twice",
        ),
        (r#"{"$binary":"aGk=","$type":"05"}"#, 0x05, b"\x02\0\0\0\x05hi", "version 1"),
        (
            r#"{"$uuid":"00000000-0000-0000-0000-000000000001"}"#,
            0x05,
            b"\x10\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01",
            "subtype 4",
        ),
        (r#"{"$timestamp":{"i":4294967295,"t":1}}"#, 0x11, b"\xff\xff\xff\xff\x01\0\0\0", "increment first"),
        (
            r#"{"$regularExpression":{"options":"zi","pattern":"a+"}}"#,
            0x0b,
            b"a+\0iz\0",
            "options are sorted",
        ),
        (r#"{"$symbol":"s"}"#, 0x0e, b"\x02\0\0\0s\0", "symbol"),
        (r#"{"$code":"f()"}"#, 0x0d, b"\x04\0\0\0f()\0", "code"),
        (
            r#"{"$dbPointer":{"$ref":"a","$id":{"$oid":"000000000000000000000001"}}}"#,
            0x0c,
            b"\x02\0\0\0a\0\0\0\0\0\0\0\0\0\0\0\0\x01",
            "with an id",
        ),
        (
            r#"{"$dbPointer":{"$id":"000000000000000000000001","$ref":"a"}}"#,
            0x0c,
            b"\x02\0\0\0a\0\0\0\0\0\0\0\0\0\0\0\0\x01",
            "with bare digits",
        ),
        (r#"{"$minKey":1}"#, 0xff, b"", "smallest"),
        (r#"{"$maxKey":1}"#, 0x7f, b"", "largest"),
        (r#"{"$undefined":true}"#, 0x06, b"", "undefined"),
    ] {
        assert_eq!(value(json), (element_type, want.to_vec()), "{json}: {why}");
    }
}

/// The scope is a document like the top level: its own first key is no wrapper, deeper ones are.
#[test]
fn a_scope_is_taken_literally_at_its_own_level_only() {
    let scope = good(br#"{"$oid":{"$numberInt":"1"},"x":[{"$minKey":1}]}"#).remove(0);
    let total = u8::try_from(4 + 6 + scope.len()).unwrap();
    let want = [&[total, 0, 0, 0, 2, 0, 0, 0, b'f', 0][..], &scope].concat();
    let got = value(r#"{"$code":"f","$scope":{"$oid":{"$numberInt":"1"},"x":[{"$minKey":1}]}}"#);
    assert_eq!(got, (0x0f, want));
}

/// mongoimport decides by the first key; what begins with another stays a document.
#[test]
fn documents_that_only_look_like_wrappers_stay_documents() {
    for json in [
        r#"{"x":1,"$oid":"656000000a0a0a0a0a000001"}"#,
        r#"{"$regex":"a","$options":"i"}"#,
        r#"{"$ref":"a","$id":{"$oid":"656000000a0a0a0a0a000001"}}"#,
        r#"{"$gt":1}"#,
        r#"{"$":1}"#,
        r#"{"":1}"#,
    ] {
        assert_eq!(value(json).0, 0x03, "{json}");
    }
    assert_eq!(good(br#"{"$oid":"x"}"#), [doc! {"$oid": "x"}.to_vec().unwrap()], "nor is the top level one");
}

#[test]
fn bad_wrappers_say_what_they_hold_and_what_belongs() {
    for (json, want) in [
        (r#"{"$oid":"abc"}"#, "`$oid` is `abc`, expected 24 hexadecimal digits"),
        (r#"{"$oid":123}"#, "`$oid` is the integer 123, expected a string"),
        (r#"{"$oid":{"$oid":"a"}}"#, "`$oid` is a document, expected a string"),
        (
            r#"{"$oid":"656000000a0a0a0a0a000001","x":1}"#,
            "a document that begins with `$oid` holds other keys",
        ),
        (r#"{"$numberInt":"2147483648"}"#, "`$numberInt` 2147483648 is outside int32"),
        (r#"{"$numberInt":" 5"}"#, "`$numberInt` is ` 5`, expected the decimal digits of an int64"),
        (r#"{"$numberDouble":"1e400"}"#, "`$numberDouble` `1e400` is beyond the largest double"),
        (r#"{"$numberDouble":"-NaN"}"#, "`$numberDouble` `-NaN` is not a number"),
        (
            r#"{"$numberDecimal":"1E6145"}"#,
            "`$numberDecimal` is `1E6145`, expected a number of at most 34 digits with an exponent from -6176 to 6111",
        ),
        (
            r#"{"$date":"2023-11-14"}"#,
            "`$date` is `2023-11-14`, expected a date like 2006-01-02T15:04:05.999Z, with its seconds and its zone",
        ),
        (r#"{"$date":1.5}"#, "`$date` is a double, expected a string, an integer or a `$numberLong`"),
        (r#"{"$date":{"$numberInt":"5"}}"#, "`$date` holds an unknown key `$numberInt`"),
        (r#"{"$date":{}}"#, "`$date` lacks `$numberLong`"),
        (r#"{"$binary":{"base64":"aGk=","base64":"aGk="}}"#, "`$binary` holds `base64` twice"),
        (r#"{"$binary":"aGk="}"#, "`$binary` text without `$type` behind it"),
        (r#"{"$binary":"aGk=","x":1}"#, "found key `x` behind `$binary` text, where `$type` belongs"),
        (r#"{"$timestamp":"1"}"#, "`$timestamp` must be a document of `t` and `i`"),
        (r#"{"$timestamp":{"t":-1,"i":1}}"#, "`$timestamp` has t -1, outside 0 to 4294967295"),
        (r#"{"$timestamp":{"t":1.0,"i":1}}"#, "`t` is a double, expected an integer"),
        (
            r#"{"$regularExpression":{"pattern":"a\u0000","options":""}}"#,
            "`$regularExpression` holds a NUL, which BSON patterns cannot",
        ),
        (r#"{"$scope":{},"$code":"f"}"#, "`$scope` must follow `$code`"),
        (r#"{"$code":"f","x":1}"#, "found key `x` behind `$code`, where only `$scope` belongs"),
        (r#"{"$code":"f","$scope":1}"#, "`$scope` must be a document"),
        (r#"{"$minKey":2}"#, "`$minKey` is the integer 2, expected the integer 1"),
        (r#"{"$undefined":false}"#, "`$undefined` is false, expected true"),
    ] {
        let text = format!("{{\"_id\":1,\"v\":{json}}}");
        assert_eq!(message(text.as_bytes()), format!("document 0 at byte 13 (line 1, column 14): {want}"));
        // Its grammar holds, so that skipping goes on behind its last bracket.
        let text = format!("{text} {{\"a\":1}}");
        let skipping = run(text.as_bytes(), OnBadDocument::Skip);
        assert_eq!(skipping.documents, [doc! {"a": 1}.to_vec().unwrap()], "{json}");
        assert_eq!((skipping.error, skipping.skipped.documents), (None, 1), "{json}");
        assert_eq!(skipping.skipped.bytes, text.len() as u64 - 8, "{json}");
    }
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

/// What no version contradicts is taken, and said; `v2` refuses it as mongoimport does.
#[test]
fn forms_that_other_programs_write_are_read_unless_version_2_is_asked_for() {
    for (json, kind) in [
        (r#"{"$numberLong":5}"#, 0x12),
        (r#"{"$date":{"$numberLong":5}}"#, 0x09),
        (r#"{"$date":"+010000-01-01T00:00:00Z"}"#, 0x09),
        (r#"{"$date":"2020-01-01T00:00Z"}"#, 0x09),
        ("\"a\tb\"", 0x02),
        ("Infinity", 0x01),
        ("-Infinity", 0x01),
        ("+1", 0x10),
        (".5", 0x01),
        ("0x10", 0x10),
        ("'it\\'s'", 0x02),
        ("/a\\/b/gi", 0x0b),
        ("new Date(5)", 0x09),
        ("NumberDecimal(\"1.5\")", 0x13),
        ("UUID(\"00010203-0405-0607-0809-0a0b0c0d0e0f\")", 0x05),
        ("DBRef(\"c\", 1)", 0x03),
        ("{a:1}", 0x03),
    ] {
        assert_eq!(value(json).0, kind, "{json}");
        let text = format!("{{\"v\":{json}}}");
        let source = JsonSource::new("a".to_owned(), text.as_bytes(), None, OnBadDocument::Stop);
        let strict = source.with_dialect(JsonDialect::V2).next_document(&mut Vec::new());
        assert!(strict.is_err(), "{json}");
    }
    assert_eq!(value(r#"{"$type":"00","$binary":"aGk="}"#).0, 0x05, "version 1, in another order");
}

#[test]
fn a_pattern_with_options_is_a_regex_once_the_input_is_of_version_1() {
    const AS_DOCUMENT: usize = 43;
    const AS_REGEX: usize = 12;
    let regex = "{\"r\":{\"$regex\":\"a\",\"$options\":\"i\"}}";
    let bytes = |text: &str, dialect| {
        let source = JsonSource::new("a".to_owned(), text.as_bytes(), None, OnBadDocument::Stop);
        let (mut source, mut out) = (source.with_dialect(dialect), Vec::new());
        let mut last = 0;
        while let Some(bytes) = source.next_document(&mut out).unwrap() {
            last = bytes;
        }
        (last, source.notes().len())
    };
    assert_eq!(bytes(regex, JsonDialect::Auto), (AS_DOCUMENT, 1));
    assert_eq!(bytes(regex, JsonDialect::V1), (AS_REGEX, 2));
    assert_eq!(
        bytes(
            &format!("{{ \"_id\" : {{ \"$oid\" : \"656000000a0a0a0a0a000001\" }} }}{regex}"),
            JsonDialect::Auto
        ),
        (AS_REGEX, 2)
    );
    assert_eq!(
        bytes(&format!("{{\"a\":{{\"$numberDouble\" : \"1\"}}}}{regex}"), JsonDialect::Auto).0,
        AS_DOCUMENT
    );
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

/// JSON text of a value, in the spelling of canonical Extended JSON, with blanks.
fn json_of(value: &Bson, out: &mut String) {
    use std::fmt::Write;
    match value {
        Bson::Double(double) => write!(out, "{{ \"$numberDouble\" : \"{double:e}\"}}").unwrap(),
        Bson::Int32(int) => write!(out, "{int}").unwrap(),
        Bson::Int64(int) => write!(out, "{{\"$numberLong\":\"{int}\"}}").unwrap(),
        Bson::Boolean(truth) => write!(out, "{truth}").unwrap(),
        Bson::Null => out.push_str("null"),
        Bson::String(text) => json_string(text, out),
        Bson::ObjectId(id) => write!(out, "{{\"$oid\":\"{}\"}}", id.to_hex()).unwrap(),
        Bson::DateTime(date) => {
            write!(out, "{{\"$date\":{{\"$numberLong\":\"{}\"}}}}", date.timestamp_millis()).unwrap();
        }
        Bson::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { " " } else { ",\n" });
                json_of(item, out);
            }
            out.push(']');
        }
        Bson::Document(document) => {
            out.push('{');
            for (index, (key, item)) in document.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { " , " });
                json_string(key, out);
                out.push(':');
                json_of(item, out);
            }
            out.push('}');
        }
        other => panic!("{other} is not generated"),
    }
}

fn json_string(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).unwrap());
}

fn any_value() -> impl Strategy<Value = Bson> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Bson::Int32),
        any::<i64>().prop_map(Bson::Int64),
        prop::num::f64::NORMAL.prop_map(Bson::Double),
        any::<bool>().prop_map(Bson::Boolean),
        Just(Bson::Null),
        any::<String>().prop_map(Bson::String),
        any::<[u8; 12]>().prop_map(|bytes| Bson::ObjectId(bson::oid::ObjectId::from_bytes(bytes))),
        any::<i64>().prop_map(|ms| Bson::DateTime(bson::DateTime::from_millis(ms))),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Bson::Array),
            any_document(inner).prop_map(Bson::Document),
        ]
    })
}

/// Keys hold no NUL, and none begins like a wrapper.
fn any_document(value: impl Strategy<Value = Bson>) -> impl Strategy<Value = bson::Document> {
    vec(("[^\0$][^\0]{0,8}|", value), 0..6).prop_map(|fields| fields.into_iter().collect())
}

proptest! {
    #[test]
    fn what_another_encoder_writes_is_read_from_its_json(documents in vec(any_document(any_value()), 1..4)) {
        let mut text = String::new();
        for document in &documents {
            json_of(&Bson::Document(document.clone()), &mut text);
            text.push('\n');
        }
        let expect: Vec<Vec<u8>> = documents.iter().map(|document| document.to_vec().unwrap()).collect();
        prop_assert_eq!(good(text.as_bytes()), expect);
    }

    #[test]
    fn damaged_text_never_panics_and_never_yields_a_broken_document(
        document in any_document(any_value()),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        array in any::<bool>(),
    ) {
        let mut one = String::new();
        json_of(&Bson::Document(document), &mut one);
        let mut text = if array { format!("[{one},{one},{one}]") } else { format!("{one}\n{one}\n{one}\n") }.into_bytes();
        for (at, byte) in damage {
            let at = at.index(text.len());
            text[at] = byte;
        }
        run(&text, OnBadDocument::Stop);
        let skipping = run(&text, OnBadDocument::Skip);
        prop_assert_eq!(skipping.error, None);
        prop_assert!(skipping.skipped.bytes <= text.len() as u64);
    }
}

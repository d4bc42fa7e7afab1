//! Values that `$`-keys stand for, in every dialect.

use super::*;

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

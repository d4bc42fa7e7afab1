//! Index specifications against the server's rules, and the entries of small documents.

use super::{Entries, IndexError, IndexKind, IndexSpec, Outcome, Refusal};
use crate::record::keystring::KeyError;
use bson::{Bson, Document, doc};

fn bytes(document: &Document) -> Vec<u8> {
    document.to_vec().unwrap()
}

fn spec(specification: &Document) -> IndexSpec {
    IndexSpec::parse(&bytes(specification)).unwrap_or_else(|error| panic!("{specification}: {error}"))
}

fn refused(specification: &Document) -> String {
    IndexSpec::parse(&bytes(specification)).expect_err(&specification.to_string()).to_string()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// All entries of one document, keys and values in hexadecimal, joined by a colon where there is a value.
fn entries(specification: &Document, document: &Document) -> Vec<String> {
    let mut out = Entries::new();
    let (spec, document) = (spec(specification), bytes(document));
    let outcome = spec.entries(&document, 1, &mut out).unwrap();
    assert_eq!(outcome, Outcome::Added(out.len()), "{specification} {document:?}");
    assert_eq!(spec.count(&document, 1, &mut Entries::new()), Ok(outcome), "{specification} {document:?}");
    out.iter()
        .map(|entry| match hex(entry.value).as_str() {
            "" => hex(entry.key),
            value => format!("{}:{value}", hex(entry.key)),
        })
        .collect()
}

#[test]
fn specifications_that_no_server_takes_are_refused_by_name() {
    let direction = "only numbers above 0, numbers below 0 and index types are allowed";
    let many: Document = (0..33).map(|n| (format!("f{n}"), Bson::Int32(1))).collect();
    for (specification, want) in [
        (doc! { "key": {} }, "index keys cannot be empty".to_owned()),
        (doc! {}, "index keys cannot be empty".to_owned()),
        (doc! { "a": 0 }, format!("direction of field `a` cannot be 0; {direction}")),
        (doc! { "a": f64::NAN }, format!("direction of field `a` cannot be NaN; {direction}")),
        (doc! { "a": true }, format!("direction of field `a` cannot be of type bool; {direction}")),
        (doc! { "a": "1" }, "unknown index type `1`".to_owned()),
        (doc! { "a": "" }, "unknown index type ``".to_owned()),
        (
            doc! { "a": "hashed", "b": "text" },
            "index types `hashed` and `text` cannot be in one index".to_owned(),
        ),
        (doc! { "a": "hashed", "b": "hashed" }, "2 fields are hashed; an index can have one".to_owned()),
        (doc! { "": 1 }, "index key `` has an empty name in it".to_owned()),
        (doc! { "a..b": 1 }, "index key `a..b` has an empty name in it".to_owned()),
        (doc! { "a.": 1 }, "index key `a.` has an empty name in it".to_owned()),
        (doc! { "$a": 1 }, "index key `$a` has a name that begins with `$`".to_owned()),
        (doc! { "a.$b": 1 }, "index key `a.$b` has a name that begins with `$`".to_owned()),
        (doc! { "$**.a": 1 }, "index key `$**.a` has a name that begins with `$`".to_owned()),
        (doc! { "_fts": 1 }, "index key `_fts` is kept for text indexes".to_owned()),
        (many, "33 fields in an index key pattern exceed the limit of 32".to_owned()),
        (
            doc! { "x".repeat(2040): 1 },
            "index key pattern of 2051 bytes exceeds the limit of 2048 bytes".to_owned(),
        ),
        (
            doc! { "key": { "a": 1 }, "nmae": "x" },
            "field `nmae` is not valid for an index specification".to_owned(),
        ),
        (
            doc! { "key": { "a": 1 }, "name": 1 },
            "option `name` must be a string, but is of type int".to_owned(),
        ),
        (doc! { "key": { "a": 1 }, "name": "" }, "option `name` must be longer than nothing".to_owned()),
        (
            doc! { "key": { "a": 1 }, "unique": "yes" },
            "option `unique` must be a bool or a number, but is of type string".to_owned(),
        ),
        (doc! { "key": { "a": 1 }, "v": 3 }, "option `v` must be 1 or 2".to_owned()),
        (
            doc! { "key": { "a": 1 }, "sparse": true, "partialFilterExpression": {} },
            "options `partialFilterExpression` and `sparse` cannot be mixed".to_owned(),
        ),
        (
            doc! { "key": { "a": 1, "b": 1 }, "expireAfterSeconds": 9 },
            "a compound index does not support the option `expireAfterSeconds`".to_owned(),
        ),
        (
            doc! { "key": { "a": 1 }, "expireAfterSeconds": -1 },
            "option `expireAfterSeconds` must be between 0 and 2147483647".to_owned(),
        ),
        (
            doc! { "key": { "a": "hashed" }, "unique": true },
            "a hashed index does not support the option `unique`".to_owned(),
        ),
        (
            doc! { "key": { "$**": 1 }, "sparse": true },
            "a wildcard index does not support the option `sparse`".to_owned(),
        ),
        (
            doc! { "key": { "$**": 1 }, "unique": true },
            "a wildcard index does not support the option `unique`".to_owned(),
        ),
        (
            doc! { "key": { "a": 1 }, "wildcardProjection": { "a": 1 } },
            "a non-`$**` index does not support the option `wildcardProjection`".to_owned(),
        ),
        (
            doc! { "key": { "a.$**": 1 }, "wildcardProjection": { "a": 1 } },
            "a non-`$**` index does not support the option `wildcardProjection`".to_owned(),
        ),
        (
            doc! { "key": { "$**": 1 }, "wildcardProjection": {} },
            "option `wildcardProjection` cannot be an empty object".to_owned(),
        ),
        (
            doc! { "key": { "$**": 1 }, "wildcardProjection": { "a": 1, "b": 0 } },
            "option `wildcardProjection` cannot include some fields and exclude others".to_owned(),
        ),
        (
            doc! { "key": { "$**": 1 }, "wildcardProjection": { "a": 1, "a.b": 1 } },
            "option `wildcardProjection` has paths that collide at `a.b`".to_owned(),
        ),
        (
            doc! { "key": { "_id": 1 }, "sparse": true },
            "an `_id` index does not support the option `sparse`".to_owned(),
        ),
        (
            doc! { "key": { "_id": 1 }, "unique": false },
            "an `_id` index does not support the option `unique`".to_owned(),
        ),
        (doc! { "_id": -1 }, "option `key` must be {_id: 1} for an `_id` index".to_owned()),
    ] {
        assert_eq!(refused(&specification), want, "{specification}");
    }
    // Two fields of one name: the document type of the tests cannot hold them.
    let twice = b"\x13\0\0\0\x10a\0\x01\0\0\0\x10a\0\x01\0\0\0\0";
    let error = IndexSpec::parse(twice).unwrap_err();
    assert_eq!(error, IndexError::DuplicateField { field: "a".to_owned() });
}

#[test]
fn kinds_whose_keys_are_not_known_say_so() {
    for (specification, want) in [
        (
            doc! { "a": "text" },
            "index type `text` is not supported: its keys come from word stemmers that are not modelled",
        ),
        (
            doc! { "a": "2dsphere" },
            "index type `2dsphere` is not supported: its keys are S2 cells, which are not modelled",
        ),
        (
            doc! { "a": "2d", "b": 1 },
            "index type `2d` is not supported: its keys are geohashes, which are not modelled",
        ),
        (
            doc! { "a": 1, "$**": 1 },
            "a compound wildcard index is not supported: servers before 7.0 refuse it, later keys were not measured",
        ),
        (
            doc! { "$**": -1 },
            "a descending wildcard index is not supported: servers before 7.0 refuse it, later keys were not measured",
        ),
        (
            doc! { "key": { "a": 1 }, "collation": { "locale": "en" } },
            "collation `en` is not supported: its keys come from the ICU library, which is not modelled",
        ),
        (
            doc! { "key": { "_id": 1 }, "clustered": true, "unique": true },
            "an `_id` index does not support the option `clustered`",
        ),
        (
            doc! { "key": { "a": 1 }, "storageEngine": { "wiredTiger": {} } },
            "option `storageEngine` is not supported: it changes how pages are built",
        ),
    ] {
        assert_eq!(refused(&specification), want, "{specification}");
    }
}

#[test]
fn names_kinds_and_formats_follow_from_the_specification() {
    for (specification, name, kind, format_version) in [
        (doc! { "_id": 1 }, "_id_1", IndexKind::Id, 8),
        (doc! { "key": { "_id": 1 }, "name": "_id_", "v": 2 }, "_id_", IndexKind::Id, 8),
        (doc! { "_id": 2 }, "_id_2", IndexKind::Fields, 8),
        (doc! { "a": 2, "b.c": -1.0 }, "a_2_b.c_-1", IndexKind::Fields, 8),
        (doc! { "a.$id": 1_i64 }, "a.$id_1", IndexKind::Fields, 8),
        (doc! { "key": 1 }, "key_1", IndexKind::Fields, 8),
        (doc! { "key": { "a": 1 }, "unique": true }, "a_1", IndexKind::Fields, 14),
        (doc! { "key": { "a": 1 }, "v": 1, "unique": 1 }, "a_1", IndexKind::Fields, 13),
        (doc! { "key": { "a": 1 }, "v": 1 }, "a_1", IndexKind::Fields, 6),
        (doc! { "a": "hashed", "b": 1 }, "a_hashed_b_1", IndexKind::Hashed, 8),
        (doc! { "a.$**": 1 }, "a.$**_1", IndexKind::Wildcard, 8),
        (
            doc! { "key": { "a": 1 }, "collation": { "locale": "simple" }, "hidden": true, "ns": "d.c" },
            "a_1",
            IndexKind::Fields,
            8,
        ),
    ] {
        let spec = spec(&specification);
        assert_eq!((spec.name(), spec.kind(), spec.format_version()), (name, kind, format_version));
    }
    let id = IndexSpec::id();
    assert_eq!((id.name(), id.pattern()), ("_id_", &bytes(&doc! { "_id": 1 })[..]));
    assert_eq!(spec(&doc! { "key": { "_id": 1 }, "name": "_id_" }).pattern(), id.pattern());
}

#[test]
fn the_index_of_gridfs_chunks_is_what_a_driver_asks_for() {
    let asked = spec(&doc! { "key": { "files_id": 1, "n": 1 }, "unique": true });
    assert_eq!(IndexSpec::gridfs_chunks(), asked);
}

/// Key bytes: 14 null, 0f undefined, 2b02 the number 1, 2b04 the number 2, 04 end, 0008 RecordId 1.
#[test]
fn fields_make_a_key_for_each_combination() {
    for (pattern, document, want, why) in [
        (doc! { "a": 1 }, doc! { "a": 1 }, &["2b02040008"][..], "one value"),
        (doc! { "a": -1 }, doc! { "a": 1 }, &["d4fd040008"], "descending, end and RecordId are not inverted"),
        (doc! { "a": 2 }, doc! { "a": 1_i64 }, &["2b02040008:02"], "direction 2 is ascending"),
        (doc! { "a": 1 }, doc! {}, &["14040008"], "missing is null"),
        (doc! { "a": 1 }, doc! { "a": [] }, &["0f040008"], "an empty array is undefined"),
        (
            doc! { "a": 1 },
            doc! { "a": [2, 1, 2] },
            &["2b02040008", "2b04040008"],
            "each element once, in key order",
        ),
        (
            doc! { "a": 1 },
            doc! { "a": [1, 1_i64, 1.0] },
            &["2b02040008"],
            "the first of equals keeps its type",
        ),
        (doc! { "a": 1 }, doc! { "a": [1_i64, 1] }, &["2b02040008:02"], "so does this one"),
        (doc! { "a": 1 }, doc! { "a": [[1, 2]] }, &["502b022b0400040008"], "one level only"),
        (doc! { "a.b": 1 }, doc! { "a": { "b": 1 } }, &["2b02040008"], "through an object"),
        (doc! { "a.b": 1 }, doc! { "a": 1 }, &["14040008"], "a scalar on the way"),
        (
            doc! { "a.b": 1 },
            doc! { "a": [{ "b": [1, 2] }, { "b": [2] }, 5] },
            &["14040008", "2b02040008", "2b04040008"],
            "arrays in arrays",
        ),
        (doc! { "a.0": 1 }, doc! { "a": [2, 1] }, &["2b04040008"], "a position"),
        (
            doc! { "a.0": 1 },
            doc! { "a": [[1], 3] },
            &["502b0200040008"],
            "a position that is an array: stored whole",
        ),
        (
            doc! { "a": 1, "b": -1 },
            doc! { "a": [1, 2], "b": 1 },
            &["2b02d4fd040008", "2b04d4fd040008"],
            "one array field",
        ),
        (
            doc! { "a.b": 1, "a.c": 1 },
            doc! { "a": [{ "b": 1, "c": 2 }] },
            &["2b022b04040008"],
            "the same array",
        ),
        (
            doc! { "a": 1, "a.b": 1 },
            doc! { "a": [] },
            &["0f14040008"],
            "one path ends at the array, one goes on",
        ),
        (
            doc! { "key": { "a": 1, "b": 1 }, "sparse": true },
            doc! { "b": 1 },
            &["142b02040008"],
            "one field is there",
        ),
        (doc! { "key": { "a": 1, "b": 1 }, "sparse": true }, doc! { "c": 1 }, &[], "none is"),
        (
            doc! { "key": { "a": 1 }, "sparse": true },
            doc! { "a": Bson::Null },
            &["14040008"],
            "null is there",
        ),
        (
            doc! { "_id": 1 },
            doc! { "_id": 1_i64 },
            &["2b0204:000802"],
            "RecordId in the value, type bits behind it",
        ),
        (doc! { "a": "hashed" }, doc! { "a": -1 }, &["321fa5a661c219efa6040008:02"], "a hash"),
    ] {
        let got = entries(&pattern, &document);
        assert_eq!(got, want, "{pattern} {document}: {why}");
    }
}

#[test]
fn wildcards_make_a_key_for_each_leaf() {
    let document = doc! { "_id": 7, "a": { "b": [1, { "c": 2 }, [3]], "d": {} }, "e": [], "x.y": 1 };
    let path = |path: &str| path.bytes().fold("3c".to_owned(), |hex, byte| format!("{hex}{byte:02x}")) + "00";
    let [b, c, d, e] = ["a.b", "a.b.c", "a.d", "e"].map(path);
    let all = [
        format!("{c}2b04040008"),
        format!("{b}2b02040008"),
        format!("{b}502b0600040008"),
        format!("{d}4600040008"),
        format!("{e}0f040008"),
    ];
    let mut want = all.to_vec();
    want.sort();
    assert_eq!(entries(&doc! { "$**": 1 }, &document), want);
    assert_eq!(entries(&doc! { "a.b.$**": 1 }, &document).len(), 3);
    let projected =
        |projection| entries(&doc! { "key": { "$**": 1 }, "wildcardProjection": projection }, &document);
    assert_eq!(projected(doc! { "e": 1 }), [format!("{e}0f040008")]);
    let left_of_b = [format!("{c}2b04040008"), format!("{b}5000040008")];
    assert_eq!(projected(doc! { "a.b.c": 1 }), [&left_of_b[1], &left_of_b[0]].map(String::clone));
    assert_eq!(projected(doc! { "a": 0 }), [format!("{e}0f040008")]);
    assert_eq!(projected(doc! { "a": 0, "_id": 1 }).len(), 2);
    assert_eq!(projected(doc! { "_id": 1 }), [format!("{}2b0e040008", path("_id"))]);
    assert_eq!(projected(doc! { "a": { "d": 1 } }), [format!("{d}4600040008")]);
}

#[test]
fn wildcard_metadata_names_each_array_path_once() {
    let spec = spec(&doc! { "$**": 1 });
    let mut out = Entries::new();
    for _ in 0..2 {
        spec.entries(&bytes(&doc! { "a": [1], "b": { "c": [] } }), 1, &mut out).unwrap();
    }
    let paths = out.array_paths().clone();
    assert_eq!(paths.iter().collect::<Vec<_>>(), [b"a".as_slice(), b"b.c"]);
    out.clear();
    spec.metadata_entries(paths.iter().map(Vec::as_slice), &mut out);
    assert_eq!(out.get(0).key, b"\x2b\x02\x3ca\0\x04\xe3\xff\xff\xff\xff\xff\x7f\xff\xff");
    assert_eq!(out.len(), 2);
}

#[test]
fn documents_that_a_server_refuses_leave_no_trace() {
    let regex = Bson::RegularExpression(bson::Regex {
        pattern: "x".try_into().unwrap(),
        options: "".try_into().unwrap(),
    });
    let decimal = Bson::Decimal128(bson::Decimal128::from_bytes([1; 16]));
    for (pattern, document, want) in [
        (doc! { "a": 1, "b": 1 }, doc! { "a": [1], "b": [1] }, Refusal::ParallelArrays),
        (doc! { "a.b": 1, "a.c": 1 }, doc! { "a": [{ "b": [1], "c": [1] }] }, Refusal::ParallelArrays),
        (doc! { "a.0": 1 }, doc! { "a": [{ "0": 1 }] }, Refusal::AmbiguousPosition),
        (doc! { "a": "hashed" }, doc! { "a": [1] }, Refusal::ArrayInHashedIndex),
        (doc! { "a.b": "hashed" }, doc! { "a": [{ "b": 1 }] }, Refusal::ArrayInHashedIndex),
        (doc! { "a": "hashed", "b": 1 }, doc! { "b": [1] }, Refusal::ArrayInHashedIndex),
        (doc! { "_id": 1 }, doc! { "_id": [1] }, Refusal::TypeOfId),
        (doc! { "_id": 1 }, doc! { "_id": regex }, Refusal::TypeOfId),
        (doc! { "key": { "a": 1 }, "v": 1 }, doc! { "a": [1, decimal] }, Refusal::DecimalInV0),
    ] {
        let mut out = Entries::new();
        let spec = spec(&pattern);
        assert_eq!(spec.entries(&bytes(&document), 1, &mut out), Ok(Outcome::Refused(want)), "{document}");
        assert_eq!((out.len(), out.memory_bytes()), (0, 0), "{pattern} {document}");
    }
}

#[test]
fn partial_filters_take_the_documents_that_a_server_takes() {
    let nan = f64::NAN;
    for (filter, document, want) in [
        (doc! {}, doc! {}, true),
        (doc! { "a": 1 }, doc! { "a": 1.0 }, true),
        (doc! { "a": 1 }, doc! { "a": "1" }, false),
        (doc! { "a": 1 }, doc! { "a": [5, 1] }, true),
        (doc! { "a": [5, 1] }, doc! { "a": [5, 1] }, true),
        (doc! { "a": [5] }, doc! { "a": [[5]] }, true),
        (doc! { "a": Bson::Null }, doc! {}, true),
        (doc! { "a": Bson::Null }, doc! { "a": Bson::Undefined }, true),
        (doc! { "a": Bson::Null }, doc! { "a": [] }, false),
        (doc! { "a.b": Bson::Null }, doc! { "a": [{}, { "b": 1 }] }, true),
        (doc! { "a.b": Bson::Null }, doc! { "a": [1] }, false),
        (doc! { "a": { "$gt": Bson::Null } }, doc! { "a": Bson::Null }, false),
        (doc! { "a": { "$gte": Bson::Null } }, doc! {}, true),
        (doc! { "a": { "$gt": 5 } }, doc! { "a": [1, 7] }, true),
        (doc! { "a": { "$gt": 5 } }, doc! { "a": "x" }, false),
        (doc! { "a": { "$gt": 5 } }, doc! { "a": nan }, false),
        (doc! { "a": { "$lt": 5 } }, doc! { "a": nan }, false),
        (doc! { "a": { "$lte": nan } }, doc! { "a": nan }, true),
        (doc! { "a": { "$lt": nan } }, doc! { "a": nan }, false),
        (doc! { "a": { "$gt": 5, "$lt": 7 } }, doc! { "a": 6 }, true),
        (doc! { "a": { "$gt": 5, "$lt": 7 } }, doc! { "a": [4, 8] }, true), // one element each is enough
        (doc! { "a": { "$gte": Bson::MinKey } }, doc! { "a": "x" }, true),
        (doc! { "a": { "$lt": Bson::MinKey } }, doc! { "a": "x" }, false),
        (doc! { "a": { "$lt": Bson::MaxKey } }, doc! { "a": "x" }, true),
        (doc! { "a": { "$exists": true } }, doc! { "a": Bson::Null }, true),
        (doc! { "a": { "$exists": true } }, doc! { "a": [] }, true),
        (doc! { "a.b": { "$exists": true } }, doc! { "a": [{ "c": 1 }] }, false),
        (doc! { "a": { "$type": "string" } }, doc! { "a": [1, "x"] }, true),
        (doc! { "a": { "$type": "array" } }, doc! { "a": [1] }, true),
        (doc! { "a": { "$type": 4 } }, doc! { "a": 1 }, false),
        (doc! { "a": { "$type": ["number", "null"] } }, doc! { "a": 1_i64 }, true),
        (doc! { "a": { "$type": -1 } }, doc! { "a": Bson::MinKey }, true),
        (doc! { "a": { "$in": [1, Bson::Null] } }, doc! {}, true),
        (doc! { "a": { "$in": [1, "x"] } }, doc! { "a": 1.0 }, true),
        (doc! { "a": { "$in": [1, "x"] } }, doc! { "a": 2 }, false),
        (doc! { "a": 1, "b": 2 }, doc! { "a": 1, "b": 3 }, false),
        (doc! { "$and": [{ "a": 1 }, { "b": { "$gt": 1 } }] }, doc! { "a": 1, "b": 2 }, true),
        (doc! { "$or": [{ "a": 1 }, { "b": 1 }] }, doc! { "b": 1 }, true),
        (doc! { "$or": [{ "a": 1 }, { "b": 1 }] }, doc! { "b": 2 }, false),
        (doc! { "a.1": 5 }, doc! { "a": [4, 5] }, true),
        (doc! { "a.1.b": 5 }, doc! { "a": [4, { "b": 5 }] }, true),
        (doc! { "a.1.b": 5 }, doc! { "a": [{ "b": 5 }] }, false),
        (doc! { "a": { "b": 1 } }, doc! { "a": { "b": 1.0 } }, true),
        (doc! { "a": { "b": 1 } }, doc! { "a": { "b": 1, "c": 1 } }, false),
        (doc! { "a": { "$ref": "c", "$id": 1 } }, doc! { "a": { "$ref": "c", "$id": 1 } }, true),
    ] {
        let specification = doc! { "key": { "z": 1 }, "partialFilterExpression": filter };
        assert_eq!(!entries(&specification, &document).is_empty(), want, "{specification} {document}");
    }
}

#[test]
fn filters_that_no_partial_index_takes_are_refused_by_operator() {
    let and = |clause| doc! { "$and": [clause] };
    let regex = || {
        Bson::RegularExpression(bson::Regex {
            pattern: "x".try_into().unwrap(),
            options: "".try_into().unwrap(),
        })
    };
    for (filter, want) in [
        (doc! { "a": { "$ne": 1 } }, "expression `$ne` is not supported in a partial index"),
        (
            doc! { "a": { "$exists": false } },
            "expression `$exists: false` is not supported in a partial index",
        ),
        (doc! { "$nor": [{ "a": 1 }] }, "expression `$nor` is not supported in a partial index"),
        (doc! { "$expr": true }, "expression `$expr` is not supported in a partial index"),
        (doc! { "a": regex() }, "expression `$regex` is not supported in a partial index"),
        (
            doc! { "a": { "$gt": regex() } },
            "operand of `$gt` in a partial filter must be neither undefined nor, where it is ordered, a regex",
        ),
        (
            doc! { "a": { "$in": 1 } },
            "operand of `$in` in a partial filter must be an array without regexes, undefined and operators",
        ),
        (
            doc! { "a": { "$type": "strnig" } },
            "operand of `$type` in a partial filter must be the number or the name of a BSON type, or an array of these",
        ),
        (doc! { "$and": [] }, "operand of `$and` in a partial filter must be a non-empty array of objects"),
        (and(and(and(and(doc! { "a": 1 })))), "partial filter nests deeper than 4 levels"),
    ] {
        let specification = doc! { "key": { "z": 1 }, "partialFilterExpression": filter };
        assert_eq!(refused(&specification), want, "{specification}");
    }
}

#[test]
fn entries_gather_sort_and_are_forgotten() {
    let spec = spec(&doc! { "a": 1 });
    let mut out = Entries::new();
    for (record_id, a) in [(1, 2), (2, 1), (3, 1)] {
        spec.entries(&bytes(&doc! { "a": a }), record_id, &mut out).unwrap();
    }
    out.sort();
    let keys: Vec<&[u8]> = out.iter().map(|entry| entry.key).collect();
    assert_eq!(keys, [b"\x2b\x02\x04\0\x10".as_slice(), b"\x2b\x02\x04\0\x18", b"\x2b\x04\x04\0\x08"]);
    assert_eq!(out.get(0).key_string(), out.get(1).key_string(), "two documents of one value");
    assert_eq!(out.get(2).key_string(), b"\x2b\x04\x04");
    out.clear();
    assert!(out.is_empty());
}

/// Arrays, objects and the filter's paths, each far deeper than a server stores.
#[test]
fn deep_documents_are_an_error_and_never_a_crash() {
    fn deep(kind: u8, levels: usize) -> Vec<u8> {
        let mut inner = vec![5, 0, 0, 0, 0];
        for _ in 0..levels {
            let length = i32::try_from(inner.len() + 8).unwrap().to_le_bytes();
            inner = [&length[..], &[kind, b'a', 0], &inner, &[0]].concat();
        }
        inner
    }
    let long_path = vec!["a"; 1000].join(".");
    let filter = doc! { long_path.clone(): 1 };
    for (pattern, kind) in [
        (doc! { "a": 1 }, 3),
        (doc! { "a": 1 }, 4),
        (doc! { long_path: 1 }, 4),
        (doc! { "$**": 1 }, 3),
        (doc! { "key": { "$**": 1 }, "wildcardProjection": { "b": 0 } }, 4),
        (doc! { "a": "hashed" }, 3),
        (doc! { "key": { "b": 1 }, "partialFilterExpression": filter }, 4),
    ] {
        let got = spec(&pattern).entries(&deep(kind, 5000), 1, &mut Entries::new());
        let ok = matches!(got, Err(KeyError::TooDeep { .. }) | Ok(_));
        assert!(ok, "{pattern}: {got:?}");
    }
}

proptest::proptest! {
    /// Foreign bytes as specification and as document: an error or an outcome, never a panic.
    #[test]
    fn foreign_bytes_never_panic(mut document: Vec<u8>, at: usize, byte: u8) {
        let length = i32::try_from(document.len() + 5).unwrap().to_le_bytes();
        document = [&length[..], &document, &[0]].concat();
        let _ = IndexSpec::parse(&document);
        let mut real = bytes(&doc! { "a": [{ "b": 1.5, "c": "x" }, [1]], "d": { "e": Bson::Null } });
        let place = at % real.len();
        real[place] = byte;
        for pattern in [doc! { "a.b": 1, "a.0": 1 }, doc! { "$**": 1 }, doc! { "d": "hashed" }, doc! { "a": 1 }] {
            for document in [&document, &real] {
                let _ = spec(&pattern).entries(document, 1, &mut Entries::new());
            }
        }
        let _ = IndexSpec::parse(&real);
    }
}

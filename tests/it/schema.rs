//! Schema 1 as other programs rely on it: every field is there and of its type, whatever else is added.

use crate::case::{Case, documents};
use serde_json::Value;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    /// A whole number, never negative.
    Count,
    Number,
    /// A number where it is known, else null.
    NumberOrNull,
    CountOrNull,
    TextOrNull,
    Map,
    List,
    Flag,
}

impl Kind {
    fn is_of(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Count => value.is_u64(),
            Self::Number => value.is_number(),
            Self::NumberOrNull => value.is_number() || value.is_null(),
            Self::CountOrNull => value.is_u64() || value.is_null(),
            Self::TextOrNull => value.is_string() || value.is_null(),
            Self::Map => value.is_object(),
            Self::List => value.is_array(),
            Self::Flag => value.is_boolean(),
        }
    }
}

fn check(place: &str, object: &Value, fields: &[(&str, Kind)]) {
    for (name, kind) in fields {
        let value = object.get(name).unwrap_or_else(|| panic!("{place} lacks {name}"));
        assert!(kind.is_of(value), "{place}.{name} is {value}, not {kind:?}");
    }
}

fn check_estimate(json: &Value) {
    check(
        "estimate",
        json,
        &[
            ("schema", Kind::Count),
            ("tool", Kind::Map),
            ("command", Kind::Text),
            ("model", Kind::Map),
            ("collections", Kind::List),
            ("inputs_skipped", Kind::List),
            ("timing", Kind::Map),
        ],
    );
    assert_eq!((json["schema"].as_u64(), json["command"].as_str()), (Some(1), Some("estimate")));
    check("tool", &json["tool"], &[("name", Kind::Text), ("version", Kind::Text)]);
    let model = [
        ("server", Kind::Text),
        ("server_note", Kind::TextOrNull),
        ("leaf_page_bytes_max", Kind::Count),
        ("allocation_bytes", Kind::Count),
        ("memory_page_bytes_max", Kind::Count),
        ("cache_bytes", Kind::Count),
        ("codecs", Kind::Map),
    ];
    check("model", &json["model"], &model);
    let codecs = [("zstd", Kind::Text), ("snappy", Kind::Text), ("zlib", Kind::Text)];
    check("model.codecs", &json["model"]["codecs"], &codecs);
    check("timing", &json["timing"], &[("wall_s", Kind::Number), ("cpu_s", Kind::NumberOrNull)]);
    for collection in json["collections"].as_array().unwrap() {
        check_collection(collection);
    }
}

fn check_collection(collection: &Value) {
    check(
        "collection",
        collection,
        &[
            ("name", Kind::Text),
            ("sources", Kind::List),
            ("clustered", Kind::Flag),
            ("documents_out_of_order", Kind::CountOrNull),
            ("capped_bson_bytes_max", Kind::CountOrNull),
            ("capped_documents_max", Kind::CountOrNull),
            ("server_codec", Kind::Text),
            ("documents", Kind::Count),
            ("bson_bytes", Kind::Count),
            ("ids_added", Kind::Count),
            ("documents_skipped", Kind::Count),
            ("skip_reasons", Kind::List),
            ("sampled_fraction", Kind::Number),
            ("storage", Kind::List),
            ("indexes", Kind::List),
            ("indexes_not_predicted", Kind::List),
        ],
    );
    assert!(!collection["storage"].as_array().unwrap().is_empty());
    for row in collection["storage"].as_array().unwrap() {
        check(
            "storage",
            row,
            &[
                ("load", Kind::Text),
                ("codec", Kind::Text),
                ("level", Kind::CountOrNull),
                ("storage_bytes", Kind::Count),
                ("storage_bytes_low", Kind::Count),
                ("storage_bytes_high", Kind::Count),
                ("ratio_storage_to_bson", Kind::NumberOrNull),
                ("basis", Kind::Text),
                ("sampling_error_fraction", Kind::NumberOrNull),
                ("leaf_pages", Kind::Count),
                ("leaf_image_bytes", Kind::Count),
                ("leaf_block_bytes", Kind::Count),
                ("internal_block_bytes", Kind::Count),
                ("overhead_bytes", Kind::Count),
                ("padding_bytes", Kind::Count),
                ("pages_kept_raw", Kind::Count),
                ("compress_mb_per_s", Kind::NumberOrNull),
                ("decompress_mb_per_s", Kind::NumberOrNull),
                ("image_bytes_timed", Kind::CountOrNull),
            ],
        );
    }
    for index in collection["indexes"].as_array().unwrap() {
        check(
            "index",
            index,
            &[
                ("name", Kind::Text),
                ("key", Kind::Map),
                ("load", Kind::Text),
                ("build", Kind::Text),
                ("entries", Kind::Count),
                ("storage_bytes", Kind::Count),
                ("storage_bytes_low", Kind::CountOrNull),
                ("storage_bytes_high", Kind::CountOrNull),
            ],
        );
    }
    if collection["sample"].is_null() {
        assert_eq!(collection["sampled_fraction"], 1.0);
    } else {
        check(
            "sample",
            &collection["sample"],
            &[
                ("seed", Kind::Count),
                ("runs", Kind::Count),
                ("documents_sampled", Kind::Count),
                ("bson_bytes_sampled", Kind::Count),
                ("documents_basis", Kind::Text),
                ("target_error_fraction", Kind::NumberOrNull),
                ("scaled_to_documents", Kind::CountOrNull),
            ],
        );
    }
}

#[test]
fn every_promised_field_is_there_with_its_type() {
    for args in ["", "--no-timing", "--server 9.0 --on-bad-document skip", "--sample 50%", "--scale-to 90000"]
    {
        let case = Case::new(&format!("estimate logs.bson -q -o json {args}"));
        let answer = case.file("logs.bson", &documents(3000)).run();
        check_estimate(&serde_json::from_str(&answer.stdout).unwrap());
    }
}

/// Two runs differ in what was timed and in nothing else.
#[test]
fn run_after_run_gives_the_same_json_but_for_timing_and_speeds() {
    let run = || {
        let case = Case::new("estimate logs.bson -q -o json -c none,zstd:1");
        let answer = case.file("logs.bson", &documents(30_000)).run();
        let mut json: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert!(json["timing"].take().is_object());
        for row in json["collections"][0]["storage"].as_array_mut().unwrap() {
            for name in ["compress_mb_per_s", "decompress_mb_per_s", "image_bytes_timed"] {
                row[name].take();
            }
        }
        json
    };
    assert_eq!(run(), run());
}

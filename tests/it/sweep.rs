//! `pagepress sweep` as a program: points, findings, messages.

use crate::case::{Case, documents};
use serde_json::Value;
use std::{fs, path::Path};

fn flights() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/samples/flights.bson")).unwrap()
}

fn sweep(args: &str) -> Value {
    let answer = Case::new(&format!("sweep a.bson -q -o json {args}")).file("a.bson", &flights()).run();
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{args}");
    serde_json::from_str(&answer.stdout).unwrap()
}

fn points(json: &Value) -> &Vec<Value> {
    json["collections"][0]["points"].as_array().unwrap()
}

/// A point of a sweep is a row of an estimate at that leaf page size.
#[test]
fn points_are_what_estimates_say() {
    let swept = sweep("--no-timing -c none,zstd:5..6 --leaf-page-max 16K..32K --load both");
    assert_eq!((swept["schema"].as_u64(), swept["command"].as_str()), (Some(1), Some("sweep")));
    assert_eq!(points(&swept).len(), 2 * 2 * 3);
    for leaf in ["16K", "32K"] {
        let case = Case::new(&format!(
            "estimate a.bson -q -o json --no-timing -c none,zstd:5,zstd:6 --leaf-page-max {leaf}"
        ));
        let answer = case.file("a.bson", &flights()).run();
        let estimate: Value = serde_json::from_str(&answer.stdout).unwrap();
        let leaf_bytes = estimate["model"]["leaf_page_bytes_max"].clone();
        let rows = estimate["collections"][0]["storage"].as_array().unwrap();
        let same: Vec<&Value> =
            points(&swept).iter().filter(|point| point["leaf_page_bytes_max"] == leaf_bytes).collect();
        assert_eq!(same.len(), rows.len());
        for (point, row) in same.into_iter().zip(rows) {
            for (name, value) in row.as_object().unwrap() {
                assert_eq!(&point[name], value, "{leaf}: {name}");
            }
        }
    }
}

/// Slow levels pack a sample; what they end on is what packing all pages ends on, within a per cent.
#[test]
fn sampled_levels_end_where_full_ones_do() {
    let (sampled, full) =
        (sweep("--no-timing -c zstd:9,zstd:16"), sweep("--no-timing --full -c zstd:9,zstd:16"));
    let (sampled, full) = (&points(&sampled)[1], &points(&full)[1]);
    assert_eq!((sampled["basis"].as_str(), full["basis"].as_str()), (Some("extrapolated"), Some("modelled")));
    assert!(sampled["pages_packed"].as_u64() < full["pages_packed"].as_u64());
    let bytes = |row: &Value, name: &str| row[name].as_f64().unwrap();
    let (got, want) = (bytes(sampled, "storage_bytes"), bytes(full, "storage_bytes"));
    // Fourteen pages: a page of one unit more or less is more than a per cent.
    assert!((got - want).abs() <= (want / 100.0).max(2.0 * 4096.0), "{got} against {want}");
    assert!(bytes(sampled, "storage_bytes_low") <= want && want <= bytes(sampled, "storage_bytes_high"));
}

#[test]
fn each_use_has_its_point_and_the_lines_that_apply_it() {
    let json = sweep("-c none,snappy,zlib:6,zstd:1..7");
    let collection = &json["collections"][0];
    let uses: Vec<&str> = collection["recommendations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["use"].as_str().unwrap())
        .collect();
    assert_eq!(uses, ["least-storage", "default", "fastest-reads", "write-heavy", "knee"]);
    let default = &collection["recommendations"][1];
    assert_eq!((default["codec"].as_str(), default["load"].as_str()), (Some("snappy"), Some("settled")));
    assert!(default["apply"][0].as_str().unwrap().contains("block_compressor=snappy"));
    assert!(points(&json).iter().any(|point| point["on_pareto_front"] == Value::Bool(true)));
    let table =
        Case::new("sweep a.bson -q -c none,zstd:5..6 --no-timing --explain").file("a.bson", &flights()).run();
    for part in
        ["plateau: settled, leaf page 32 KiB, zstd:5 to zstd:6", "To apply one of them:", "blocks_per_page: "]
    {
        assert!(table.stdout.contains(part), "{part}: {}", table.stdout);
    }
}

#[test]
fn what_cannot_be_swept_is_said() {
    let see = |flag: &str, what: &str, hint: &str| {
        let answer = Case::new(&format!("sweep a.bson {flag}")).file("a.bson", &documents(3)).run();
        assert_eq!(answer.stderr, format!("error: {what}\n\nhint: {hint}\n"), "{flag}");
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{flag}");
    };
    see("-c zstd:9..1", "--codec: the range in `zstd:9..1` runs from 9 down to 1", "write `zstd:1..9`");
    see("-c zstd:1..x", "--codec: `zstd:1..x` is no range of levels", "as in `--codec zstd:1..22`");
    see(
        "--leaf-page-max 1M..4K",
        "--leaf-page-max: the range in `1M..4K` runs from 1M down to 4K",
        "write `--leaf-page-max 4K..1M`",
    );
    see(
        "--leaf-page-max 5K..20K",
        "--leaf-page-max: a range runs over powers of two, and `5K..20K` does not begin and end with one",
        "as in `--leaf-page-max 4K..1M`; list other sizes with commas",
    );
    let answer = Case::new("sweep - --leaf-page-max 16K,32K").stdin(&documents(3)).run();
    assert_eq!(
        answer.stderr,
        "error: --leaf-page-max: 2 sizes read the input as often, and standard input can be read once\n\n\
         hint: save the stream to a file, or name one size\n"
    );
    let answer = Case::new("sweep a.bson --index").arg(r#"{"a":1}"#).file("a.bson", &documents(3)).run();
    assert_eq!(
        answer.stderr,
        "error: --index: `{\"a\":1}`: a sweep compares collections; indexes are packed by no codec\n\n\
         hint: leave it out, or run `pagepress estimate --index ..`\n"
    );
    let answer = Case::new("sweep a.bson --leaf-page-max 10000").file("a.bson", &documents(3)).run();
    assert!(
        answer.stderr.starts_with("error: --leaf-page-max: leaf page maximum 10000 is not a multiple of"),
        "{answer:?}"
    );
}

//! `pagepress plan` as a program: its figures, its schema, its messages.

use crate::case::{Answer, Case, documents};
use serde_json::Value;
use std::{fs, path::Path};

fn flights() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/samples/flights.bson")).unwrap()
}

fn run(args: &str) -> Answer {
    Case::new(&format!("plan flights.bson -q {args}")).file("flights.bson", &flights()).run()
}

fn plan(args: &str) -> Value {
    let answer = run(&format!("-o json {args}"));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{args}");
    serde_json::from_str(&answer.stdout).unwrap()
}

/// The row of a section that has these values.
fn row<'j>(rows: &'j Value, keys: &[(&str, Value)]) -> &'j Value {
    let rows = rows.as_array().unwrap();
    let is_wanted = |row: &&Value| keys.iter().all(|(name, value)| row[name] == *value);
    rows.iter().find(is_wanted).unwrap_or_else(|| panic!("no row with {keys:?}"))
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row} is no number"))
}

#[test]
fn every_section_is_there_with_a_basis_in_each_row() {
    let json = plan("--no-timing --writes-per-s 100");
    assert_eq!((json["schema"].as_u64(), json["command"].as_str()), (Some(1), Some("plan")));
    let collection = &json["collections"][0];
    let of_all = ["given", "members", "cache", "cache_curve"].map(|name| (name, &json[name]));
    let of_one = ["disk", "scan", "dump", "oplog", "journal", "wire", "advice"];
    for (name, rows) in of_all.into_iter().chain(of_one.map(|name| (name, &collection[name]))) {
        assert!(!rows.as_array().unwrap().is_empty(), "{name}");
        for row in rows.as_array().unwrap() {
            let basis = row["basis"].as_str().unwrap();
            let known = ["given", "default", "modelled", "extrapolated"];
            assert!(known.contains(&basis), "{name}: {basis}");
        }
    }
    assert_eq!(collection["storage"].as_array().unwrap().len(), 4, "settled alone");
    // Untimed, so without times.
    let scan = row(&collection["scan"], &[("codec", "zstd".into())]);
    assert_eq!((&scan["scan_s"], &scan["unpack_s"]), (&Value::Null, &Value::Null));
    assert!(number(scan, "disk_s") > 0.0);
}

#[test]
fn a_member_takes_the_sum_of_its_parts_and_the_cluster_all_members() {
    let json = plan(
        "--no-timing --writes-per-s 1000 --oplog-hours 48 --shards 2 --price-per-gb-month 0.1 --updates-per-s 5",
    );
    for member in json["members"].as_array().unwrap() {
        let bytes = |name: &str| member[name].as_u64().unwrap();
        let used = ["data_bytes", "index_bytes", "oplog_bytes", "journal_bytes", "checkpoint_free_bytes"];
        let used: u64 = used.into_iter().map(bytes).sum();
        assert_eq!(bytes("member_bytes"), used + bytes("headroom_bytes"));
        assert_eq!(bytes("headroom_bytes"), (used as f64 * 0.2).round() as u64);
        assert_eq!(bytes("cluster_bytes"), 6 * bytes("member_bytes"));
        let price = bytes("cluster_bytes") as f64 / 1e9 * 0.1;
        assert!((number(member, "price_per_month") - price).abs() < 0.01);
        // 1,005 entries a second over two shards.
        let entry = number(&json["collections"][0]["oplog"][0], "entry_storage_bytes");
        let oplog = 48.0 * 3600.0 * 1005.0 / 2.0 * entry;
        assert!((bytes("oplog_bytes") as f64 / oplog - 1.0).abs() < 1e-6);
    }
}

#[test]
fn more_documents_grow_every_figure_and_say_so() {
    let (as_read, grown) = (plan("--no-timing"), plan("--no-timing --documents 5000000"));
    let of = |json: &Value, name: &str| {
        let key = [("codec", Value::from("snappy"))];
        let in_cache = number(row(&json["cache"], &key), "in_cache_bytes");
        let disk = number(row(&json["collections"][0]["disk"], &key), name);
        (in_cache, disk, row(&json["cache"], &key)["basis"].as_str().unwrap().to_owned())
    };
    let (small, large) = (of(&as_read, "data_bytes"), of(&grown, "data_bytes"));
    assert!((large.0 / small.0 - 1000.0).abs() < 0.1 && (large.1 / small.1 - 1000.0).abs() < 0.1);
    assert_eq!((small.2.as_str(), large.2.as_str()), ("modelled", "extrapolated"));
    assert_eq!(grown["collections"][0]["documents_planned"], 5_000_000);
    // Random reads of 1.9 GB in the cache, of which 256 MiB hold an eighth.
    let first = &grown["cache_curve"][0];
    assert!((0.8..0.95).contains(&number(first, "pages_per_read")), "{first}");
}

#[test]
fn a_standalone_has_no_oplog_and_logs_its_tables() {
    let (alone, set) = (plan("--no-timing --replicas 1"), plan("--no-timing"));
    let collection = |json: &Value| json["collections"][0].clone();
    assert_eq!(collection(&alone)["oplog"], Value::Array(Vec::new()));
    let written = |json: &Value| {
        number(row(&collection(json)["journal"], &[("codec", "none".into())]), "journal_bytes_per_document")
    };
    // The entry of 449 B against the document of 313 B and its key in `_id_`.
    assert!(written(&set) > written(&alone) + 90.0, "{} {}", written(&set), written(&alone));
}

/// Two runs differ in what was timed and in nothing else.
#[test]
fn run_after_run_gives_the_same_plan() {
    let run = || {
        let mut json = plan("--no-timing -j 1");
        assert!(json["timing"].take().is_object());
        json
    };
    assert_eq!(run(), run());
}

#[test]
fn the_working_set_and_the_cache_decide_how_often_a_read_misses() {
    let misses = |args: &str| {
        let json = plan(&format!("--no-timing -c snappy --documents 5000000 {args}"));
        number(&json["cache"][0], "pages_per_read")
    };
    let all = misses("--cache 512M");
    assert!((0.7..0.9).contains(&all), "{all}");
    assert!(misses("--cache 1G") < all && misses("--cache 512M --working-set 50%") < all);
    assert!(misses("--cache 512M --working-set 100M").abs() < 1e-9);
    assert!(misses("--cache 16G").abs() < 1e-9);
}

#[test]
fn plots_and_other_formats_are_written() {
    let case = Case::new("plan flights.bson -q -o csv --plots plots").file("flights.bson", &flights());
    let answer = case.run();
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let head = "collection,section,load,codec,level,subject,name,value,basis";
    assert_eq!(answer.stdout.lines().next(), Some(head));
    assert!(case.path("plots/flights-cold-scan.svg").exists());
    let page = run("-o html --no-timing").stdout;
    assert!(page.contains("<h3>Disk of each member, and of all</h3>") && page.contains("pagepress plan"));
    let markdown = run("-o markdown --no-timing --explain").stdout;
    assert!(markdown.contains("### Journal\n") && markdown.contains("- oplog_bytes: "));
}

fn refused(args: &str, what: &str, hint: &str) {
    let answer = Case::new(&format!("plan a.bson -q {args}")).file("a.bson", &documents(3)).run();
    assert_eq!(answer.stderr, format!("error: {what}\n\nhint: {hint}\n"), "{args}");
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args}");
}

#[test]
fn rates_and_prices_are_above_nothing() {
    for (flag, value, example) in [
        ("--writes-per-s", "0", "1000"),
        ("--updates-per-s", "-5", "1000"),
        ("--oplog-hours", "0", "24"),
        ("--price-per-gb-month", "free", "0.1"),
        ("--network-mb-per-s", "-1", "100"),
        ("--disk-mb-per-s", "0", "100,500"),
        ("--scan-saving", "nan", "23.8,34.6"),
    ] {
        refused(
            &format!("{flag}={value}"),
            &format!("{flag}: `{value}` is not a number above 0"),
            &format!("as in `{flag} {example}`; leave it out where it is not known"),
        );
    }
}

#[test]
fn a_saving_is_below_all_of_the_time() {
    let what = "--scan-saving: `100` is not below 100";
    refused("--scan-saving 25,100", what, "as in `--scan-saving 23.8,34.6`");
}

#[test]
fn counts_are_whole_and_within_their_ranges() {
    for (flag, value, max, example) in [
        ("--documents", "0", "1000000000000000", "100000000"),
        ("--replicas", "51", "50", "3"),
        ("--shards", "-1", "1024", "2"),
        ("--batch", "1.5", "100000", "1000"),
    ] {
        refused(
            &format!("{flag}={value}"),
            &format!("{flag}: `{value}` is not a whole number from 1 to {max}"),
            &format!("as in `{flag} {example}`"),
        );
    }
}

#[test]
fn percentages_are_within_their_ranges() {
    let what = "--hit-rate: `101%` is not a percentage above 0 and up to 100";
    refused("--hit-rate 101%", what, "as in `--hit-rate 99%`");
    let what = "--working-set: `0%` is not a percentage above 0 and up to 100";
    refused("--working-set 0%", what, "as in `--working-set 10%`");
    let what = "--headroom: `-1` is not a percentage from 0 to 1000";
    refused("--headroom=-1", what, "as in `--headroom 30%`");
}

#[test]
fn a_working_set_is_a_part_of_the_data() {
    refused("--working-set 0", "--working-set: nothing is read of 0 bytes", "as in `--working-set 10%`");
    refused(
        "--working-set 1M",
        "--working-set: 1 MiB are more than all documents have, 51 B of BSON",
        "`--working-set 100%` is all of it; more documents are planned with `--documents`",
    );
}

#[test]
fn a_cache_is_one_that_a_server_takes() {
    let hint = "what a smaller working set does in that cache: `--working-set SIZE`";
    for flag in ["--cache", "--cache-size"] {
        let what = format!("{flag}: 255M is below 256M, the smallest cache that a server takes");
        refused(&format!("{flag} 255M"), &what, hint);
    }
}

#[test]
fn levels_are_within_a_stores_range() {
    let what = "--codec: level 23 in `zstd:23` is outside zstd's range of 1 to 22";
    refused("-c zstd:23", what, "a server uses `zstd:6` unless told otherwise");
    let what = "--dump-codec: level 40 in `zstd:40` is outside zstd's range of 1 to 22";
    refused("--dump-codec zstd:40", what, "a server uses `zstd:6` unless told otherwise");
    let what = "--dump-codec: `snappy` packs blocks, and a dump is one stream";
    refused("--dump-codec snappy", what, "as in `--dump-codec none,zlib:6,zstd:3`");
}

//! Dumps, compressed inputs, `--strict` and `generate`, through the program.

use crate::case::{Answer, Case, documents};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const METADATA: &str = r#"{"options":{"storageEngine":{"wiredTiger":{"configString":"block_compressor=zstd"}}},"indexes":[
{"v":{"$numberInt":"2"},"key":{"_id":{"$numberInt":"1"}},"name":"_id_"},
{"v":{"$numberInt":"2"},"key":{"a":{"$numberDouble":"1.0"}},"name":"a_1"},
{"v":2,"key":{"place":"2dsphere"},"name":"place_2dsphere","2dsphereIndexVersion":3},
{"v":2,"key":{"n":1},"name":"n_1","collation":{"locale":"de","strength":2}}],"collectionName":"orders","type":"collection"}"#;

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

/// A dump of `shop.orders` and a view, in the folder that the program runs in.
fn dump(case: Case) -> Case {
    let folder = case.path("dump/shop");
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    write("orders.bson.gz", &gzipped(&documents(1000)));
    write("orders.metadata.json.gz", &gzipped(METADATA.as_bytes()));
    write("cheap.metadata.json", br#"{"options":{"viewOn":"orders"},"indexes":[],"type":"view"}"#);
    write("users.bson", &documents(10));
    case
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

#[test]
fn a_dump_is_estimated_whole_with_the_indexes_of_its_metadata() {
    let case = dump(Case::new("estimate --no-timing -c none -o json --load settled dump"));
    let answer = case.run();
    assert_eq!(
        answer.stderr,
        "note: dump: mongodump directory, 2 collections, 1 left out\n\
         note: left out: shop.cheap: a view, which stores nothing\n\
         note: shop.orders: was created with block_compressor=zstd, for which there is `--codec`\n"
    );
    assert_eq!(answer.code, 0);
    let json = json(&answer);
    let [orders, users] = &json["collections"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!((orders["name"].as_str(), orders["documents"].as_u64()), (Some("shop.orders"), Some(1000)));
    assert_eq!(orders["sources"][0], "dump/shop/orders.bson.gz");
    let names = |rows: &Value| -> Vec<String> {
        let rows = rows.as_array().unwrap();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&orders["indexes"]), ["_id_", "a_1", "a_1"]);
    assert_eq!(names(&orders["indexes_not_predicted"]), ["place_2dsphere", "n_1"]);
    assert_eq!((users["documents"].as_u64(), names(&users["indexes"]).len()), (Some(10), 1));
}

#[test]
fn collections_of_a_dump_are_chosen_by_pattern_and_its_table_says_what_is_not_predicted() {
    let answer = dump(Case::new("estimate -q --no-timing -c none dump --ns shop.o*")).run();
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert!(answer.stdout.contains("shop.orders  1,000 documents"), "{}", answer.stdout);
    assert!(!answer.stdout.contains("shop.users"), "{}", answer.stdout);
    assert!(answer.stdout.contains("\nindex place_2dsphere: not predicted: "), "{}", answer.stdout);
}

#[test]
fn a_dump_without_the_collection_that_was_asked_for_says_what_it_holds() {
    let answer = dump(Case::new("estimate -q dump --ns other.*")).run();
    assert_eq!(
        answer.stderr,
        "error: dump: holds no collection with documents that `--ns` chooses\n\n\
         hint: left out: shop.cheap: a view, which stores nothing\n\
         hint: left out: shop.orders: not chosen by `--ns`\n\
         hint: left out: shop.users: not chosen by `--ns`\n"
    );
    assert_eq!(answer.code, 2);
}

#[test]
fn a_gzip_that_ends_early_is_told_and_what_came_before_can_be_taken() {
    let packed = gzipped(&documents(50_000));
    let cut = &packed[..packed.len() - 4];
    let answer = Case::new("estimate -q --no-timing a.bson.gz").file("a.bson.gz", cut).run();
    let error = "a.bson.gz: its gzip stream ends early, after 850000 unpacked bytes";
    assert_eq!(
        answer.stderr,
        format!(
            "error: {error}\n\nhint: it was cut off while it was written or copied: fetch it again\n\
             hint: to estimate from what came before, pass `--on-bad-document skip`\n"
        )
    );
    let skip = "estimate --no-timing -c none -o json --on-bad-document skip a.bson.gz";
    let answer = Case::new(skip).file("a.bson.gz", cut).run();
    assert_eq!(answer.code, 1);
    let collection = &json(&answer)["collections"][0];
    assert_eq!(
        (collection["documents"].as_u64(), collection["documents_skipped"].as_u64()),
        (Some(50_000), Some(0))
    );
    assert_eq!(collection["skip_reasons"][0], error);
    assert!(
        answer.stderr.contains("note: a.bson.gz: unpacked from gzip: BSON documents\n"),
        "{}",
        answer.stderr
    );
}

#[test]
fn damage_that_cost_no_document_is_said_under_the_table() {
    let mut packed = gzipped(&documents(50_000));
    let at = packed.len() - 6;
    packed[at] ^= 1;
    let args = "estimate -q --no-timing -c none --on-bad-document skip a.bson.gz";
    let answer = Case::new(args).file("a.bson.gz", &packed).run();
    let want = "the input is damaged, and all that is there was taken: a.bson.gz: its gzip stream does not match its \
                checksum, after 850000 unpacked bytes";
    assert!(answer.stdout.lines().any(|line| line == want), "{}", answer.stdout);
    assert_eq!(answer.code, 1);
}

#[test]
fn strict_lists_oddities_by_path_and_leaves_a_mark_in_the_exit_code() {
    let odd = b"\x1e\0\0\0\x10_id\0\x01\0\0\0\x02s\0\x02\0\0\0\xff\0\x06s\0\0\0";
    let odd = [&u32::try_from(odd.len() - 1).unwrap().to_le_bytes()[..], &odd[4..odd.len() - 1]].concat();
    let run = |args: &str| {
        Case::new(&format!("estimate --no-timing -c none {args} a.bson")).file("a.bson", &odd).run()
    };
    let answer = run("--strict -o json");
    assert_eq!(
        answer.stderr,
        "note: a.bson: BSON documents\na: s: duplicate key: 1\na: s: string that is not UTF-8: 1\na: s: deprecated type undefined: 1\n"
    );
    assert_eq!(answer.code, 1);
    let first = json(&answer)["collections"][0]["oddities"][0].clone();
    assert_eq!(first, serde_json::json!({"path": "s", "what": "duplicate key", "count": 1}));
    let answer = run("-o json");
    assert_eq!((answer.code, &json(&answer)["collections"][0]["oddities"]), (0, &Value::Null));
}

#[test]
fn generated_documents_are_estimated_and_files_are_named_by_their_ending() {
    let case = Case::new("generate nested -n 300 --seed 7 --out a.ndjson");
    assert_eq!(case.run().code, 0);
    let text = fs::read_to_string(case.path("a.ndjson")).unwrap();
    assert_eq!(text.lines().count(), 300);
    let case = Case::new("generate logs -n 500 --out a.bson");
    assert_eq!(case.run().code, 0);
    let bytes = fs::read(case.path("a.bson")).unwrap();
    let answer = Case::new("estimate -q --no-timing -c none -o json -").stdin(&bytes).run();
    assert_eq!(json(&answer)["collections"][0]["documents"], 500);
    for (args, message) in [
        ("generate", "error: `pagepress generate` needs SHAPE\n"),
        ("generate logs -n x", "error: --documents: `x` is not a whole number from 0\n"),
    ] {
        let answer = Case::new(args).run();
        assert!(answer.stderr.starts_with(message) && answer.code == 2, "{}", answer.stderr);
    }
}

#[test]
fn an_archive_on_standard_input_is_read_as_often_as_it_has_collections() {
    let inputs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/inputs");
    let bytes = fs::read(inputs.join("archive/three_interleaved.archive.gz")).unwrap();
    let answer = Case::new("estimate --no-timing -c none -o json -").stdin(&bytes).run();
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let json = json(&answer);
    let documents: Vec<_> =
        json["collections"].as_array().unwrap().iter().map(|one| &one["documents"]).collect();
    assert_eq!(documents, [40, 25, 10]);
    assert_eq!(json["collections"][0]["sources"][0], "-: fx.alpha");
    let first = answer.stderr.lines().next().unwrap();
    assert!(first.ends_with(" were put into a temporary file"), "{first}");
}

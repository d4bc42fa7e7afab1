//! Several machines: parts of one file give the report of the whole, shards add up, and what does not go together is
//! told.

use crate::case::{Answer, Case, documents};
use pagepress::source::generate::{FieldNames, Generator, Notation, Request, Shape};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Few records make many segments.
const SMALL_PAGES: &str = "--memory-page-max 256K --codec none,snappy,zstd:1";

fn generated(shape: Shape, documents: u64, notation: Notation) -> Vec<u8> {
    let field_names = FieldNames::Long;
    let mut generator = Generator::new(Request { shape, documents, seed: 5, field_names, notation });
    let mut bytes = Vec::new();
    while generator.fill(&mut bytes, 1 << 20) {}
    bytes
}

/// A folder of reports.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Makes a report of `input` and says where it is.
    fn report(&self, name: &str, options: &str, input: &Path) -> PathBuf {
        let path = self.path(name);
        let answer = Case::new(&format!("estimate -q --no-timing -o json {options} --out"))
            .arg(path.to_str().unwrap())
            .arg(input.to_str().unwrap())
            .run();
        assert!(answer.code < 2, "{options}: {}", answer.stderr);
        path
    }

    /// All parts of `input`.
    fn parts(&self, of: u32, options: &str, input: &Path) -> Vec<PathBuf> {
        let part =
            |k| self.report(&format!("{k}-of-{of}.json"), &format!("{options} --partial {k}/{of}"), input);
        (1..=of).map(part).collect()
    }

    /// A report with one field changed.
    fn changed(&self, name: &str, report: &Path, pointer: &str, value: Value) -> PathBuf {
        let mut report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
        *report.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        self.file(name, &serde_json::to_vec(&report).unwrap())
    }
}

fn merge(reports: &[PathBuf]) -> Answer {
    let case = Case::new("merge -o json");
    reports.iter().fold(case, |case, report| case.arg(report.to_str().unwrap())).run()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Takes out what may differ, after a look at it: times, and bands that are wider than the run's and say so. Returns how
/// many of these there are.
fn alike(merged: &mut Value, single: &mut Value) -> usize {
    for report in [&mut *merged, &mut *single] {
        report.as_object_mut().unwrap().remove("timing").unwrap();
    }
    let mut widened = 0;
    let rows = single.pointer("/collections/0/storage").unwrap().as_array().unwrap().clone();
    let merged_rows = merged.pointer_mut("/collections/0/storage").unwrap().as_array_mut().unwrap();
    for (row, single) in merged_rows.iter_mut().zip(&rows) {
        let Some(basis) = row.as_object_mut().unwrap().shift_remove("band_basis") else { continue };
        assert_eq!(basis, "widened");
        widened += 1;
        let [low, high] = ["storage_bytes_low", "storage_bytes_high"].map(|name| {
            let wide = row[name].as_u64().unwrap();
            row[name] = single[name].clone();
            wide
        });
        let inside = low <= single["storage_bytes_low"].as_u64().unwrap()
            && single["storage_bytes_high"].as_u64().unwrap() <= high;
        assert!(inside, "{low}..{high} does not hold the band of {single}");
    }
    widened
}

/// Merges parts and holds the result against the run over the whole, key by key in their order.
fn assert_merges(options: &str, input: &Path, ofs: &[u32]) -> usize {
    let folder = Folder::new();
    let single = folder.report("single.json", options, input);
    let mut widened = 0;
    for of in ofs {
        let parts = folder.parts(*of, options, input);
        let answer = merge(&parts);
        assert!(answer.code < 2, "{of}: {}", answer.stderr);
        let (mut merged, mut single) = (serde_json::from_str(&answer.stdout).unwrap(), read(&single));
        widened += alike(&mut merged, &mut single);
        let [merged, single] = [merged, single].map(|report| serde_json::to_string_pretty(&report).unwrap());
        assert_eq!(merged, single, "{of} parts of {options}");
    }
    widened
}

#[test]
fn any_split_merges_to_the_report_of_a_run_over_the_whole() {
    let folder = Folder::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/samples/flights.bson");
    let catalogue = folder.file("catalogue.bson", &generated(Shape::Catalogue, 3000, Notation::Bson));
    let mixed = folder.file("mixed.bson", &generated(Shape::Mixed, 3000, Notation::Bson));
    let mut widened = 0;
    for input in [&sample, &catalogue, &mixed] {
        for threads in [1, 2] {
            widened += assert_merges(&format!("{SMALL_PAGES} -j {threads}"), input, &[1, 2, 3, 5, 8]);
        }
    }
    assert!(widened < 9, "{widened} bands of 180 are wider than those of a run over the whole");
}

#[test]
fn all_codecs_indexes_and_the_image_size_from_page_to_page_merge_too() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/samples/flights.bson");
    assert_merges("--memory-page-max 512K --walk --index {\"carrier\":1}", &sample, &[3]);
}

/// 6.0.5 keeps fresh inserts as saved updates; small leaves never move the image size.
#[test]
fn other_releases_and_leaf_sizes_merge() {
    let folder = Folder::new();
    let input = folder.file("a.bson", &generated(Shape::Catalogue, 3000, Notation::Bson));
    for options in ["--memory-page-max 256K --server 6.0.5", "--leaf-page-max 4K", "--leaf-page-max 64K"] {
        assert_merges(&format!("-c snappy,zstd:1 {options}"), &input, &[3]);
    }
}

/// Entries that do not fit are counted in every part; which are held follows from all parts in front of one.
#[test]
fn indexes_beyond_their_memory_are_modelled_on_the_same_first_documents() {
    let folder = Folder::new();
    let input = folder.file("a.bson", &generated(Shape::Catalogue, 4000, Notation::Bson));
    let unique = "--index {\"key\":{\"sku\":1},\"unique\":true}";
    for memory in ["50K", "150K", "1M"] {
        assert_merges(&format!("{SMALL_PAGES} --index-memory {memory} {unique}"), &input, &[1, 3]);
    }
}

/// What is skipped, or gets an `_id`, moves all segments behind it: the lengths alone do not tell them.
#[test]
fn documents_that_are_skipped_or_get_an_id_merge() {
    let folder = Folder::new();
    let mut damaged = generated(Shape::Catalogue, 3000, Notation::Bson);
    let middle = damaged.len() / 3;
    let place = (middle..damaged.len()).find(|at| damaged[*at..].starts_with(b"\x02sku\0")).unwrap();
    damaged[place] = 0x55;
    let damaged = folder.file("damaged.bson", &damaged);
    assert_merges(&format!("{SMALL_PAGES} --on-bad-document skip"), &damaged, &[1, 4]);
    let plain = b"\x11\0\0\0\x10_id\0\x01\0\0\0\x0a-\0\0".repeat(20_000);
    let other = b"\x16\0\0\0\x02a\0\x0a\0\0\0without i\0\0".repeat(20_000);
    let mixed = folder.file("mixed.bson", &[plain, other].concat());
    assert_merges(SMALL_PAGES, &mixed, &[1, 5]);
    let lines = folder.file("lines.json", &generated(Shape::Catalogue, 1000, Notation::Json));
    assert_merges(SMALL_PAGES, &lines, &[3]);
}

/// A document of 1 MiB is more than a whole memory page.
#[test]
fn documents_larger_than_a_memory_page_merge() {
    let folder = Folder::new();
    let mut bytes = Vec::new();
    for nth in 0..40_i32 {
        let value = vec![b'a' + u8::try_from(nth % 20).unwrap(); if nth % 7 == 3 { 1 << 20 } else { 30_000 }];
        let length = i32::try_from(value.len()).unwrap();
        bytes.extend_from_slice(&(length + 4 + 9 + 3 + 5 + 1).to_le_bytes());
        bytes.extend_from_slice(b"\x10_id\0");
        bytes.extend_from_slice(&nth.to_le_bytes());
        bytes.extend_from_slice(b"\x05v\0");
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.push(0);
        bytes.extend_from_slice(&value);
        bytes.push(0);
    }
    let input = folder.file("large.bson", &bytes);
    assert_merges(SMALL_PAGES, &input, &[1, 2, 5, 8]);
}

#[test]
fn more_parts_than_segments_merge_and_their_order_does_not_matter() {
    let folder = Folder::new();
    let input = folder.file("a.bson", &documents(100));
    let single = folder.report("single.json", "", &input);
    let mut parts = folder.parts(5, "", &input);
    parts.rotate_left(2);
    let (mut merged, mut single) = (serde_json::from_str(&merge(&parts).stdout).unwrap(), read(&single));
    alike(&mut merged, &mut single);
    assert_eq!(merged, single);
}

#[test]
fn the_same_part_has_the_same_bytes_under_every_number_of_threads() {
    let folder = Folder::new();
    let input = folder.file("a.bson", &generated(Shape::Catalogue, 3000, Notation::Bson));
    let [mut one, mut two] = [1, 2].map(|threads| {
        let options = format!("{SMALL_PAGES} -j {threads} --partial 2/3");
        read(&folder.report(&format!("{threads}.json"), &options, &input))
    });
    for report in [&mut one, &mut two] {
        report.as_object_mut().unwrap().remove("timing");
    }
    assert_eq!(one, two);
}

/// Twice the documents in two files, and each figure is the sum.
#[test]
fn reports_of_two_shards_are_added_by_the_collections_name() {
    let folder = Folder::new();
    let all = generated(Shape::Catalogue, 2000, Notation::Bson);
    let a = folder.file("a/orders.bson", &all);
    let b = folder.file("b/orders.bson", &documents(5000));
    let c = folder.file("b/events.bson", &documents(10));
    let reports = [("a.json", &a), ("b.json", &b), ("c.json", &c)]
        .map(|(name, input)| folder.report(name, "--index {\"sku\":1}", input));
    let answer = merge(&reports);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let merged: Value = serde_json::from_str(&answer.stdout).unwrap();
    let [one, other, alone] = reports.map(|report| read(&report));
    let collections = merged["collections"].as_array().unwrap();
    assert_eq!(collections.len(), 2);
    let (one, other) = (&one["collections"][0], &other["collections"][0]);
    assert_eq!(collections[1], alone["collections"][0], "a name of its own");
    let sum = |part: &dyn Fn(&Value) -> &Value| part(one).as_u64().unwrap() + part(other).as_u64().unwrap();
    for name in ["documents", "bson_bytes", "ids_added"] {
        assert_eq!(collections[0][name], sum(&|from| &from[name]), "{name}");
    }
    for (row, found) in collections[0]["storage"].as_array().unwrap().iter().enumerate() {
        for name in
            ["storage_bytes", "storage_bytes_low", "storage_bytes_high", "leaf_pages", "padding_bytes"]
        {
            assert_eq!(found[name], sum(&|from| &from["storage"][row][name]), "{name}");
        }
        assert_eq!(found["band_basis"], "summed");
        let ratio = found["storage_bytes"].as_f64().unwrap() / collections[0]["bson_bytes"].as_f64().unwrap();
        assert!((found["ratio_storage_to_bson"].as_f64().unwrap() - ratio).abs() < 1e-4);
    }
    for (row, found) in collections[0]["indexes"].as_array().unwrap().iter().enumerate() {
        for name in ["entries", "storage_bytes", "leaf_pages"] {
            assert_eq!(found[name], sum(&|from| &from["indexes"][row][name]), "{name}");
        }
    }
    assert_eq!(collections[0]["sources"].as_array().unwrap().len(), 2);
}

/// What `merge` says, with the folder's name taken out.
fn refusal(folder: &Folder, reports: &[PathBuf]) -> String {
    let answer = merge(reports);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    answer.stderr.replace(&format!("{}/", folder.0.path().display()), "")
}

/// A folder with three parts of a small file.
fn three_parts() -> (Folder, PathBuf, Vec<PathBuf>) {
    let folder = Folder::new();
    let input = folder.file("a.bson", &generated(Shape::Catalogue, 2000, Notation::Bson));
    let parts = folder.parts(3, SMALL_PAGES, &input);
    (folder, input, parts)
}

#[test]
fn parts_that_are_missing_are_named() {
    let (folder, _, parts) = three_parts();
    assert_eq!(
        refusal(&folder, &parts[1..2]),
        "error: parts 1 and 3 of 3 are missing\n\n\
         hint: run `pagepress estimate --partial 1/3 … --out part.json`\n"
    );
    assert!(refusal(&folder, &parts[..2]).starts_with("error: part 3 of 3 is missing\n"));
}

#[test]
fn a_part_that_is_there_twice_is_named() {
    let (folder, _, mut parts) = three_parts();
    parts.push(folder.file("again.json", &fs::read(&parts[1]).unwrap()));
    assert_eq!(
        refusal(&folder, &parts),
        "error: 2-of-3.json and again.json: both are part 2/3\n\nhint: name each part once\n"
    );
}

#[test]
fn parts_of_different_splits_are_refused() {
    let (folder, input, mut parts) = three_parts();
    parts[1] = folder.parts(2, SMALL_PAGES, &input)[1].clone();
    assert_eq!(
        refusal(&folder, &parts),
        "error: 1-of-3.json and 2-of-2.json: `part` differs: one of 3 in the first, one of 2 in the second\n\n\
         hint: the parts of one merge are of one file and have one N in `--partial K/N`\n"
    );
}

#[test]
fn parts_of_different_inputs_are_refused() {
    let (folder, _, mut parts) = three_parts();
    let mut other = generated(Shape::Catalogue, 2000, Notation::Bson);
    *other.last_mut().unwrap() = 0;
    let place = other.len() - 20;
    other[place] ^= 1;
    let other = folder.file("b/a.bson", &other);
    parts[0] = folder.report("other.json", &format!("{SMALL_PAGES} --partial 1/3"), &other);
    let said = refusal(&folder, &parts);
    assert!(said.starts_with("error: other.json and 2-of-3.json: `input.digest` differs: "), "{said}");
    assert!(said.contains("\nhint: the parts of one merge are of one file "), "{said}");
}

#[test]
fn parts_of_different_models_are_refused() {
    let (folder, input, mut parts) = three_parts();
    let older = format!("{SMALL_PAGES} --server 6.0 --partial 2/3");
    parts[1] = folder.report("older.json", &older, &input);
    assert_eq!(
        refusal(&folder, &parts),
        "error: 1-of-3.json and older.json: `model.server` differs: 8.0 in the first, 6.0 in the second\n\n\
         hint: make both with the same options and the same pagepress, then merge them\n"
    );
    parts[1] = folder.changed("zstd.json", &folder.path("2-of-3.json"), "/model/codecs/zstd", json!("1.5.7"));
    let said = refusal(&folder, &parts);
    assert!(said.contains("`model.codecs.zstd` differs: 1.5.2 in the first, 1.5.7 in the second"), "{said}");
    parts[1] = folder.report("codecs.json", "--memory-page-max 256K -c zstd:1,none --partial 2/3", &input);
    let said = refusal(&folder, &parts);
    let differs = "`codecs` differs: none, snappy, zstd:1 in the first, zstd:1, none in the second";
    assert!(said.contains(differs), "{said}");
}

#[test]
fn a_whole_report_among_parts_is_refused() {
    let (folder, input, mut parts) = three_parts();
    parts.push(folder.report("whole.json", SMALL_PAGES, &input));
    assert_eq!(
        refusal(&folder, &parts),
        "error: whole.json: is a whole report, and 1-of-3.json is part 1/3: they cannot be merged into one\n\n\
         hint: merge the parts first, then the report of that merge with the whole ones\n"
    );
}

#[test]
fn a_part_of_bytes_that_changed_in_between_is_refused() {
    let (folder, _, mut parts) = three_parts();
    parts[1] = folder.changed("gap.json", &parts[1], "/collection/documents_before", json!(5));
    let said = refusal(&folder, &parts);
    let ends = read(&parts[0]).pointer("/collection/documents").unwrap().as_u64().unwrap();
    assert_eq!(
        said,
        format!(
            "error: gap.json: part 2/3 begins behind 5 documents, and the parts in front of it hold {ends}\n\n\
             hint: was the input written in between? Make all parts of the same bytes\n"
        )
    );
}

#[test]
fn shards_of_different_models_or_rows_are_refused() {
    let folder = Folder::new();
    let input = folder.file("a.bson", &documents(100));
    let plain = folder.report("a.json", "-c none", &input);
    for (options, what) in [
        ("-c none --server 7.0", "`model.server` differs: 8.0 in the first, 7.0 in the second"),
        (
            "-c none --leaf-page-max 16K",
            "`model.leaf_page_bytes_max` differs: 32768 in the first, 16384 in the second",
        ),
        (
            "-c snappy",
            "`storage rows of a` differs: settled none, bulk none in the first, settled snappy, bulk snappy in the second",
        ),
        ("-c none --clustered", "`kind of a` differs: plain in the first, clustered in the second"),
    ] {
        let other = folder.report("b.json", options, &input);
        let said = refusal(&folder, &[plain.clone(), other]);
        assert_eq!(
            said,
            format!(
                "error: a.json and b.json: {what}\n\n\
                 hint: make both with the same options and the same pagepress, then merge them\n"
            )
        );
    }
}

#[test]
fn files_that_are_no_report_are_told_apart() {
    let folder = Folder::new();
    let input = folder.file("a.bson", &documents(100));
    let whole = folder.report("a.json", "", &input);
    let bytes = fs::read(&whole).unwrap();
    let cut = folder.file("cut.json", &bytes[..bytes.len() / 2]);
    let said = refusal(&folder, &[cut]);
    assert!(said.starts_with("error: cut.json: ends early: EOF while parsing"), "{said}");
    assert!(said.ends_with(
        "hint: is it being written, or was its copy cut off? `--out` makes files that appear whole\n"
    ));
    let make = "\n\nhint: to make a report, run `pagepress estimate --output json --out report.json INPUT`\n";
    for (name, text, want) in [
        ("text.json", "hello", "is no JSON: expected value at line 1 column 1".to_owned() + make),
        ("other.json", "{}", "is no report of pagepress: `tool.name` is missing".to_owned() + make),
        (
            "tool.json",
            r#"{"tool":{"name":5}}"#,
            "is no report of pagepress: `tool.name` is 5".to_owned() + make,
        ),
        (
            "sweep.json",
            r#"{"tool":{"name":"pagepress"},"schema":1,"command":"sweep"}"#,
            "is a report of `sweep`; reports of estimate are merged, whole or partial".to_owned() + make,
        ),
        (
            "schema.json",
            r#"{"tool":{"name":"pagepress"},"schema":2,"command":"estimate"}"#,
            "has schema 2; this pagepress reads schema 1\n\n\
             hint: a newer pagepress wrote it; merge with that one\n"
                .to_owned(),
        ),
    ] {
        let file = folder.file(name, text.as_bytes());
        assert_eq!(refusal(&folder, &[file]), format!("error: {name}: {want}"));
    }
    let sum = folder.changed("sum.json", &whole, "/collections/0/storage/0/padding_bytes", json!(1));
    let said = refusal(&folder, &[sum]);
    assert!(said.starts_with("error: sum.json: is damaged: settled none: `leaf_block_bytes` is "), "{said}");
    assert!(said.ends_with("hint: run the command that made it again, with this pagepress\n"), "{said}");
}

/// Each byte of a part's outcomes may be any other: it is refused or merged, and nothing else happens.
#[test]
fn damaged_outcomes_are_refused_and_never_panic() {
    let (folder, _, parts) = three_parts();
    let report = read(&parts[1]);
    let frame = report.pointer("/collection/frames/0").unwrap().as_str().unwrap().to_owned();
    for (nth, place) in (0..frame.len()).step_by(frame.len() / 40).enumerate() {
        let mut other = frame.clone().into_bytes();
        other[place] = if other[place] == b'A' { b'B' } else { b'A' };
        let other = json!(String::from_utf8(other).unwrap());
        let name = format!("frame{nth}.json");
        let mut set = parts.clone();
        set[1] = folder.changed(&name, &parts[1], "/collection/frames/0", other);
        let answer = merge(&set);
        assert!(answer.code == 0 || answer.code == 2, "{place}: {}", answer.stderr);
        assert!(
            answer.code == 0 || answer.stderr.contains(&format!("{name}: is damaged: ")),
            "{}",
            answer.stderr
        );
    }
    for (pointer, value) in [
        ("/collection/frames", json!([])),
        ("/collection/frames/0", json!("AAAA")),
        ("/collection/frames/0", json!("?")),
        ("/collection/speeds", json!([])),
        ("/collection/indexes", json!([])),
        ("/collection/indexes/0/pattern", json!("AAAA")),
        ("/collection/documents", json!(u64::MAX)),
        ("/codecs", json!([])),
        ("/loads", json!([])),
        ("/part", json!(0)),
        ("/model/allocation_bytes", json!(3)),
        ("/model/leaf_page_bytes_max", json!(u64::MAX)),
        ("/model/server", json!("0.1")),
        ("/model/codecs/zstd", json!(1)),
        ("/codecs/0/codec", json!("lz4")),
    ] {
        let set: Vec<PathBuf> = parts
            .iter()
            .enumerate()
            .map(|(nth, part)| folder.changed(&format!("set{nth}.json"), part, pointer, value.clone()))
            .collect();
        let answer = merge(&set);
        assert_eq!(answer.code, 2, "{pointer}: {}", answer.stdout);
        assert!(
            answer.stderr.starts_with("error: ") && !answer.stderr.contains("panicked"),
            "{}",
            answer.stderr
        );
    }
}

/// What `estimate --partial` says, file names as they are.
fn partial_refusal(case: &Case) -> String {
    let answer = case.run();
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    answer.stderr
}

#[test]
fn inputs_that_are_not_estimated_in_parts_are_refused() {
    let leave = "\n\nhint: leave `--partial` out, or unpack the input into a file of its own\n";
    let csv = Case::new("estimate -q --partial 1/2 a.csv").file("a.csv", b"a,b\n1,2\n");
    let why = "is no plain file of BSON or of lines of JSON, and only those are estimated in parts";
    assert_eq!(partial_refusal(&csv), format!("error: a.csv: {why}{leave}"));
    let clustered = Case::new("estimate -q --partial 1/2 system.buckets.a.bson")
        .file("system.buckets.a.bson", &documents(3));
    let why = "a clustered collection is not estimated in parts";
    assert_eq!(partial_refusal(&clustered), format!("error: system.buckets.a.bson: {why}{leave}"));
    let huge = Case::new("estimate -q --partial 1/2 --memory-page-max 2G --cache-size 100G a.bson")
        .file("a.bson", &documents(3));
    let why = "with a memory page above 1 GiB a collection is not estimated in parts";
    assert_eq!(partial_refusal(&huge), format!("error: a.bson: {why}{leave}"));
}

#[test]
fn a_part_that_makes_no_sense_is_refused() {
    for text in ["0/2", "3/2", "1", "1/", "a/b", "-1/2", "1/0", "+1/2", "1/1000000000000"] {
        let case = Case::new("estimate a.bson --partial").arg(text).file("a.bson", &documents(3));
        assert_eq!(
            partial_refusal(&case),
            format!(
                "error: --partial: `{text}` is no part: write K/N with K from 1 to N, and N up to 100000\n\n\
                 hint: as in `--partial 2/16`, the second of sixteen parts\n"
            )
        );
    }
}

#[test]
fn options_that_do_not_go_with_parts_are_refused() {
    for option in ["--sample 5%", "--strict", "--clustered", "--capped 1M", "--scale-to 100", "--explain"] {
        let case =
            Case::new(&format!("estimate --partial 1/2 {option} a.bson")).file("a.bson", &documents(3));
        let said = partial_refusal(&case);
        let name = option.split(' ').next().unwrap();
        assert!(
            said.contains("--partial") && said.contains(name) && said.contains("does not go with"),
            "{said}"
        );
    }
    let case = Case::new("estimate --partial 1/2 -o csv a.bson").file("a.bson", &documents(3));
    assert_eq!(
        partial_refusal(&case),
        "error: --partial: a partial report is JSON and cannot be written as csv\n\n\
         hint: leave `--output` out; `pagepress merge --output` writes the merged report\n"
    );
    let case = Case::new("estimate --partial 1/2 a.bson b.bson").file("a.bson", &documents(3));
    assert_eq!(
        partial_refusal(&case.file("b.bson", &documents(3))),
        "error: --partial: 2 inputs are given, and a part is of one\n\n\
         hint: name one file, as in `pagepress estimate --partial 1/4 dump/shop/orders.bson`\n"
    );
    let case = Case::new("estimate --partial 1/2 -").stdin(&documents(3));
    assert!(
        partial_refusal(&case).starts_with("error: --partial: a part is of a file, and the input is none\n")
    );
}

#[test]
fn a_merge_of_nothing_but_empty_parts_has_no_documents() {
    let (folder, _, parts) = three_parts();
    let set: Vec<PathBuf> = parts
        .iter()
        .enumerate()
        .map(|(nth, part)| {
            let mut report = read(part);
            let collection = report["collection"].as_object_mut().unwrap();
            for name in ["documents", "bson_bytes", "segments"] {
                collection[name] = json!(0);
            }
            collection["frames"] = json!([]);
            folder.file(&format!("empty{nth}.json"), &serde_json::to_vec(&report).unwrap())
        })
        .collect();
    assert!(refusal(&folder, &set).starts_with("error: a.bson: holds no documents\n"));
}

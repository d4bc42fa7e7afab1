//! The fuzzers' corpora, without a fuzzer: fixtures, and inputs that once broke what `reading` asks.

use crate::reading;
use std::{fs, path::Path};

/// What holds of any bytes.
type Check = fn(&[u8]);

/// Every fuzzer of `fuzz/fuzz_targets`, with what it runs.
const FUZZERS: [(&str, Check); 5] = [
    ("archive", reading::archive),
    ("bson", reading::bson),
    ("csv", reading::csv),
    ("json", reading::json),
    ("metadata", reading::metadata),
];

#[test]
fn what_the_fuzzers_begin_with_is_read_or_refused() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    for (name, check) in FUZZERS {
        let mut inputs = 0;
        for entry in fs::read_dir(fuzz.join("corpus").join(name)).unwrap() {
            let input = fs::read(entry.unwrap().path()).unwrap();
            check(&input);
            reading::csv_once(&input);
            reading::json_once(&input);
            inputs += 1;
        }
        assert!(inputs > 5, "{name}: {inputs}");
    }
}

#[test]
fn every_fuzzer_has_a_corpus_and_a_place_in_the_test_above() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let names = |folder: &str| {
        let entries = fs::read_dir(fuzz.join(folder)).unwrap();
        let stem = |path: std::path::PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| stem(entry.unwrap().path())).collect();
        names.sort();
        names
    };
    let known = FUZZERS.map(|(name, _)| name);
    assert_eq!(names("fuzz_targets"), known);
    assert_eq!(names("corpus"), known);
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    assert!(known.iter().all(|name| manifest.contains(&format!("[[bin]]\nname = \"{name}\"\n"))));
    let main = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).unwrap();
    assert!(!main.contains("libfuzzer"), "its licence is not the program's");
}

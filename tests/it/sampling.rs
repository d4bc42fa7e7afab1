//! Samples: what they cost, what they promise, and what they say of themselves.

use crate::accuracy::shared;
use crate::case::{Answer, Case};
use pagepress::{
    estimate::{Basis, CollectionEstimate, LoadState},
    geometry::wiredtiger::{Release, TableConfig},
    pipeline::{Amount, Plan, Sampling, estimate_collection},
    source::{
        OnBadDocument, OpenOptions,
        generate::{FieldNames, Generator, Notation, Request, Shape},
        open,
    },
};
use serde_json::Value;
use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

/// Documents of all sizes and kinds, or lines of a log.
fn generated(shape: Shape, documents: u64, notation: Notation) -> Vec<u8> {
    let mut generator =
        Generator::new(Request { shape, documents, seed: 1, field_names: FieldNames::Long, notation });
    let mut bytes = Vec::new();
    while generator.fill(&mut bytes, 1 << 20) {}
    bytes
}

/// A folder with one file in it.
fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn plan(sampling: impl Into<Option<Sampling>>, threads: usize) -> Plan {
    Plan {
        threads: NonZeroUsize::new(threads).unwrap(),
        sampling: sampling.into(),
        ..Plan::new(TableConfig::collection(Release::NEWEST))
    }
}

fn estimate(path: &Path, sampling: impl Into<Option<Sampling>>, threads: usize) -> CollectionEstimate {
    run(path, &plan(sampling, threads))
}

fn run(path: &Path, plan: &Plan) -> CollectionEstimate {
    let mut source = open(path, &OpenOptions::new(OnBadDocument::Stop)).unwrap();
    estimate_collection("c", &mut *source, plan, &mut |_| {}).unwrap()
}

fn share(share: f64, seed: u64) -> Sampling {
    Sampling { amount: Amount::Share(share), seed, scale_to: None }
}

/// Rows whose full figure lies in the sample's band, and rows in all.
fn covered(full: &CollectionEstimate, sampled: &CollectionEstimate) -> (usize, usize) {
    let rows = full.storage.iter().zip(&sampled.storage);
    let inside =
        rows.filter(|(full, sampled)| (sampled.band.low..=sampled.band.high).contains(&full.storage));
    (inside.count(), full.storage.len())
}

/// Of each data set, samples of a tenth under 200 seeds: 95 % intervals that hold the full run's figure.
fn assert_covers(name: &str, path: &Path, seeds: u64) {
    let full = estimate(path, None, 2);
    let (mut inside, mut of) = (0, 0);
    for seed in 0..seeds {
        let (hits, rows) = covered(&full, &estimate(path, share(0.1, seed), 2));
        inside += hits;
        of += rows;
    }
    let percent = 100.0 * inside as f64 / of as f64;
    eprintln!("{name}: {percent:.1} % of {of} intervals hold the full run's figure");
    assert!(percent >= 93.0, "{name}: {percent:.1} %");
}

#[test]
fn a_tenth_of_the_documents_tells_what_all_of_them_take() {
    for shape in [Shape::Mixed, Shape::Logs] {
        let (_folder, path) = file("a.bson", &generated(shape, 40_000, Notation::Bson));
        assert_covers(shape.name(), &path, 6);
    }
}

/// Takes minutes, so `tests/accuracy` runs it.
#[test]
#[ignore = "takes minutes: tests/accuracy runs it"]
fn a_tenth_of_every_measured_data_set_tells_what_all_of_it_takes() {
    let Some(shared) = shared() else { return };
    let mut sets: Vec<PathBuf> =
        shared.join("datasets").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    sets.retain(|path| path.extension().is_some_and(|ending| ending == "zst"));
    sets.sort();
    for set in sets {
        let name = set.file_stem().unwrap().to_string_lossy().into_owned();
        let bytes = zstd::decode_all(std::fs::File::open(&set).unwrap()).unwrap();
        let (_folder, path) = file(&name, &bytes);
        assert_covers(&name, &path, 200);
    }
}

#[test]
fn the_same_seed_draws_the_same_documents_on_any_number_of_threads() {
    let (_folder, path) = file("a.bson", &generated(Shape::Mixed, 30_000, Notation::Bson));
    let sizes = |sampling, threads| -> Vec<u64> {
        estimate(&path, sampling, threads).storage.iter().map(|row| row.storage.0).collect()
    };
    let one = sizes(share(0.2, 3), 1);
    assert_eq!(one, sizes(share(0.2, 3), 2));
    assert_eq!(one, sizes(share(0.2, 3), 7));
    assert_ne!(one, sizes(share(0.2, 4), 2));
}

/// Every byte has an owner in a sample too, and every figure says where it comes from.
#[test]
fn all_figures_of_a_sample_say_so_and_add_up() {
    let (_folder, path) = file("a.bson", &generated(Shape::Catalogue, 20_000, Notation::Bson));
    let sampled = estimate(&path, share(0.1, 0), 2);
    let facts = sampled.sample.unwrap();
    assert!(facts.documents < 4000 && facts.runs >= 2, "{facts:?}");
    assert_eq!(facts.documents_of_input, Basis::Extrapolated);
    for row in &sampled.storage {
        assert_eq!((row.basis, row.tally.storage()), (Basis::Extrapolated, row.storage));
        assert!(row.sampling_error_millionths.is_some() && row.band.low < row.band.high);
    }
    assert!(!sampled.indexes.is_empty());
    for row in &sampled.indexes {
        let band = row.band.unwrap();
        assert_eq!(row.basis, Basis::Extrapolated);
        assert!((band.low..=band.high).contains(&row.storage.unwrap()));
    }
    let full = estimate(&path, None, 2);
    assert!(full.sample.is_none() && full.storage.iter().all(|row| row.sampling_error_millionths.is_none()));
    let off = sampled.documents as f64 / full.documents as f64 - 1.0;
    assert!(off.abs() < 0.02, "{} documents of {}", sampled.documents, full.documents);
}

/// Ascending and scattered keys: an index of a tenth of the entries, for all of them.
#[test]
fn an_index_of_a_sample_holds_the_full_index_in_its_band() {
    let (_folder, path) = file("a.bson", &generated(Shape::Mixed, 60_000, Notation::Bson));
    let (full, sampled) = (estimate(&path, None, 2), estimate(&path, share(0.1, 1), 2));
    for (full, sampled) in full.indexes.iter().zip(&sampled.indexes) {
        let (storage, band) = (full.storage.unwrap(), sampled.band.unwrap());
        assert!(
            (band.low..=band.high).contains(&storage),
            "{} {}: {} outside {}..{}",
            full.name,
            full.load.name(),
            storage.0,
            band.low.0,
            band.high.0
        );
    }
}

/// What cannot be entered in the middle is read through: its documents are counted.
#[test]
fn a_compressed_file_is_read_through_and_its_documents_are_counted() {
    let bytes = generated(Shape::Logs, 30_000, Notation::Bson);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&bytes).unwrap();
    let (_folder, path) = file("a.bson.gz", &packer.finish().unwrap());
    let sampled = estimate(&path, share(0.1, 0), 2);
    let facts = sampled.sample.unwrap();
    assert_eq!((sampled.documents, facts.documents_of_input), (30_000, Basis::Counted));
    assert_eq!(sampled.bson.0, bytes.len() as u64);
    assert!((0.05..0.2).contains(&sampled.sampled_fraction), "{}", sampled.sampled_fraction);
    let (_folder, plain) = file("a.bson", &bytes);
    let (inside, of) = covered(&estimate(&plain, None, 2), &sampled);
    assert!(inside * 10 >= of * 9, "{inside} of {of}");
}

#[test]
fn lines_of_json_are_sampled_without_reading_them_all() {
    let (_folder, path) = file("a.ndjson", &generated(Shape::Logs, 30_000, Notation::Json));
    let sampled = estimate(&path, share(0.1, 0), 2);
    assert_eq!(sampled.sample.unwrap().documents_of_input, Basis::Extrapolated);
    let (inside, of) = covered(&estimate(&path, None, 2), &sampled);
    assert!(inside * 10 >= of * 9, "{inside} of {of}");
}

/// Numbers grow by a byte at 8,256 and 73,792, a tree by a level: what ten times the documents take is not ten times as
/// much, but it is what ten times as many documents of the same kind take.
#[test]
fn a_collection_is_scaled_to_what_so_many_documents_take() {
    let (_folder, path) = file("a.bson", &generated(Shape::Logs, 20_000, Notation::Bson));
    let (_folder, tenfold) = file("b.bson", &generated(Shape::Logs, 200_000, Notation::Bson));
    let scale_to = NonZeroU64::new(200_000);
    let sampling = Sampling { amount: Amount::Bytes(2 << 20), seed: 0, scale_to };
    let scaled = estimate(&path, sampling, 2);
    assert_eq!((scaled.documents, scaled.sample.unwrap().scaled_to_documents), (200_000, Some(200_000)));
    let full = estimate(&tenfold, None, 2);
    for (scaled, full) in scaled.storage.iter().zip(&full.storage) {
        // The generator's later documents are not quite as long as its first ones.
        let (band, one_pct) = (scaled.band, full.storage.0 / 100);
        assert!(
            (band.low.0 - one_pct..=band.high.0 + one_pct).contains(&full.storage.0),
            "{} {}: {} outside {}..{}",
            full.load.name(),
            full.codec,
            full.storage.0,
            band.low.0,
            band.high.0
        );
        let pages = scaled.tally.internal_pages as f64 / full.tally.internal_pages as f64;
        assert!((0.9..1.1).contains(&pages), "{pages} of the internal pages");
    }
}

/// 380 GB are followed in as many segments as memory is given for.
#[test]
fn two_thousand_million_documents_are_scaled_to_in_a_moment() {
    let (_folder, path) = file("a.bson", &generated(Shape::Logs, 20_000, Notation::Bson));
    let estimate = |documents| {
        let scale_to = NonZeroU64::new(documents);
        let sampling = Sampling { amount: Amount::Bytes(1 << 20), seed: 0, scale_to };
        run(&path, &Plan { loads: vec![LoadState::Settled], ..plan(sampling, 2) })
    };
    let (less, more) = (estimate(20_000_000), estimate(2_000_000_000));
    assert_eq!(more.documents, 2_000_000_000);
    for (less, more) in less.storage.iter().zip(&more.storage) {
        let per_document =
            |row: &pagepress::estimate::StorageEstimate, documents: f64| row.storage.0 as f64 / documents;
        let off = per_document(more, 2e9) / per_document(less, 2e7) - 1.0;
        // A byte more for each record's number, of about 190.
        assert!((-0.005..0.02).contains(&off), "{} {}: {off}", more.load.name(), more.codec);
    }
}

fn json(answer: &Answer) -> Value {
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn a_target_is_kept_or_all_documents_are_modelled() {
    let args = "estimate a.bson --no-timing -q -o json --target-error 2%";
    let small = json(&Case::new(args).file("a.bson", &generated(Shape::Logs, 1000, Notation::Bson)).run());
    assert_eq!(small["collections"][0]["sample"], Value::Null, "all of a small file");
    let sharp = args.replace("2%", "0.01%");
    let strict =
        json(&Case::new(&sharp).file("a.bson", &generated(Shape::Logs, 100_000, Notation::Bson)).run());
    assert_eq!(strict["collections"][0]["sample"], Value::Null, "it would take most of the file");
    let large = json(&Case::new(args).file("a.bson", &generated(Shape::Logs, 200_000, Notation::Bson)).run());
    let collection = &large["collections"][0];
    assert_eq!(collection["sample"]["target_error_fraction"], 0.02);
    for row in collection["storage"].as_array().unwrap() {
        assert!(row["sampling_error_fraction"].as_f64().unwrap() <= 0.02, "{row}");
    }
}

#[test]
fn a_table_says_how_much_was_modelled_and_how_well_that_tells() {
    let answer = Case::new("estimate a.bson --no-timing --sample 20% --scale-to 1000000 -c none")
        .file("a.bson", &generated(Shape::Random, 20_000, Notation::Bson))
        .run();
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let said: Vec<&str> = answer
        .stdout
        .lines()
        .filter(|line| line.contains("were modelled") || line.contains("scaled to"))
        .collect();
    assert_eq!(said.len(), 2, "{}", answer.stdout);
    assert!(said[0].contains("sizes are extrapolated, 95 % within \u{b1}"), "{}", said[0]);
    assert_eq!(said[1].trim(), "scaled to 1,000,000 documents: every stretch of the input in proportion");
}

#[test]
fn a_damaged_document_in_a_run_is_named_from_where_the_run_began_or_skipped_and_counted() {
    let mut bytes = generated(Shape::Random, 20_000, Notation::Bson);
    let each = bytes.len() / 20_000;
    for document in 0..20_000 {
        if document % 50 == 49 {
            bytes[document * each + 4] = 0x42;
        }
    }
    let case = |more: &str| {
        Case::new(&format!("estimate a.bson -q --no-timing --sample 20% {more}")).file("a.bson", &bytes).run()
    };
    let stopped = case("");
    assert_eq!(stopped.code, 2);
    let first = stopped.stderr.lines().next().unwrap();
    assert!(
        first.starts_with("error: a.bson, from byte ")
            && first.ends_with(": element at byte 4 of the document is damaged: unknown element type"),
        "{first}"
    );
    let skipped = case("--on-bad-document skip -o json");
    assert_eq!(skipped.code, 1, "{}", skipped.stderr);
    let report: Value = serde_json::from_str(&skipped.stdout).unwrap();
    let count = report["collections"][0]["documents_skipped"].as_u64().unwrap();
    assert!((20..200).contains(&count), "{count}");
}

#[test]
fn samples_are_refused_where_they_make_no_sense() {
    for (args, want) in [
        (
            "estimate a.bson --geometry btrfs --sample 5%",
            "error: --sample: not with another store: it shows collections of WiredTiger by themselves",
        ),
        ("estimate a.bson --sample 5% --target-error 1%", "error: --sample does not go with --target-error"),
        ("estimate a.bson --sample-seed 1", "error: --sample-seed: nothing is sampled"),
    ] {
        let answer = Case::new(args).file("a.bson", b"\x05\0\0\0\0").run();
        assert_eq!((answer.code, answer.stderr.lines().next()), (2, Some(want)), "{args}");
    }
}

//! Predicted index files against those of real servers, on the measured data sets.

use crate::accuracy::{pct, quantile, run, shared};
use pagepress::{
    codec::CodecKind,
    estimate::IndexEstimate,
    geometry::wiredtiger::{Release, TableConfig},
    pipeline::Plan,
    record::index::IndexSpec,
    source::{OnBadDocument, Source, json::JsonSource},
};
use serde::Deserialize;
use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

/// One load of a data set with its indexes. Unknown fields are left alone.
#[derive(Debug, Deserialize)]
struct Measured {
    name: String,
    load: String,
    indexes: Vec<MeasuredIndex>,
}

#[derive(Debug, Deserialize)]
struct MeasuredIndex {
    name: String,
    key: serde_json::Value,
    build: String,
    storage_bytes: u64,
    storage_bytes_min: u64,
    storage_bytes_max: u64,
}

/// A prediction beside its measurement.
struct Comparison {
    set: String,
    predicted: u64,
    measured: MeasuredIndex,
}

impl Comparison {
    fn error_pct(&self) -> f64 {
        pct(self.predicted, self.measured.storage_bytes).abs()
    }

    fn beyond_pct(&self) -> f64 {
        let nearest = self.predicted.clamp(self.measured.storage_bytes_min, self.measured.storage_bytes_max);
        pct(self.predicted, nearest).abs()
    }
}

/// What product.md promises, in per cent: median error, and furthest beyond the server's own runs.
const AFTER_LOAD_PCT: f64 = 0.3;
const AFTER_LOAD_BLOCKS: u64 = 2;
const SETTLED: (f64, f64) = (1.5, 5.0);
const BULK: (f64, f64) = (3.0, 8.0);

fn spec(key: &serde_json::Value) -> IndexSpec {
    let text = key.to_string();
    let mut bson = Vec::new();
    let mut source = JsonSource::new("key".to_owned(), text.as_bytes(), None, OnBadDocument::Stop);
    source.next_document(&mut bson).unwrap();
    if key.get("_id").is_some() { IndexSpec::id() } else { IndexSpec::parse(&bson).unwrap() }
}

/// Every index of one data set, in both states and builds.
fn predict(shared: &Path, set: &str, rows: &[&Measured]) -> Vec<IndexEstimate> {
    let mut keys: Vec<&serde_json::Value> = Vec::new();
    for index in rows.iter().flat_map(|row| &row.indexes) {
        if !keys.contains(&&index.key) {
            keys.push(&index.key);
        }
    }
    let plan = Plan {
        codecs: vec![CodecKind::None],
        indexes: keys.into_iter().map(spec).collect(),
        ..Plan::new(TableConfig::collection(Release::parse("6.0.27").unwrap()))
    };
    run(shared, set, &plan).indexes
}

fn table(title: &str, rows: &[Comparison]) -> String {
    let mut out = format!(
        "\n{title}\n{:16} {:32} {:>12} {:>12} {:>8}  {:>16}\n",
        "set", "index", "predicted B", "measured B", "error %", "server's runs %"
    );
    for row in rows {
        let MeasuredIndex { name, storage_bytes: measured, .. } = &row.measured;
        let range = |bytes| pct(bytes, *measured);
        let (min, max) = (range(row.measured.storage_bytes_min), range(row.measured.storage_bytes_max));
        let error = pct(row.predicted, *measured);
        let runs = format!("{min:+.2}..{max:+.2}");
        let (set, predicted) = (&row.set, row.predicted);
        writeln!(out, "{set:16} {name:32} {predicted:12} {measured:12} {error:+8.2}  {runs:>16}").unwrap();
    }
    let errors = || rows.iter().map(Comparison::error_pct);
    let beyond = rows.iter().map(Comparison::beyond_pct).fold(0.0, f64::max);
    let (median, p90, max) = (quantile(errors(), 0.5), quantile(errors(), 0.9), quantile(errors(), 1.0));
    let cases = rows.len();
    writeln!(
        out,
        "{cases} cases: median {median:.2} %, p90 {p90:.2} %, max {max:.2} %, beyond the runs {beyond:.2} %"
    )
    .unwrap();
    out
}

/// The three kinds of index of the accuracy promise: built after the load, there during it in either state.
#[test]
fn indexes_keep_the_accuracy_promise() {
    let Some(shared) = shared() else { return };
    let text = fs::read_to_string(shared.join("groundtruth/indexes.json")).unwrap();
    let measured: Vec<Measured> = serde_json::from_str(&text).unwrap();
    let mut by_set: BTreeMap<String, Vec<&Measured>> = BTreeMap::new();
    for row in &measured {
        by_set.entry(row.name.clone()).or_default().push(row);
    }
    let predicted: BTreeMap<String, Vec<IndexEstimate>> =
        by_set.iter().map(|(set, rows)| (set.clone(), predict(&shared, set, rows))).collect();
    let (mut after, mut settled, mut bulk) = (Vec::new(), Vec::new(), Vec::new());
    for Measured { name: set, load, indexes } in measured {
        for index in indexes {
            let same = |row: &&IndexEstimate| {
                row.name == index.name
                    && row.build.name() == index.build
                    && (index.build == "after-load" || row.load.name() == load)
            };
            // `_id_` is always there during the load, whatever the row says.
            let Some(row) = predicted[&set].iter().find(same) else { continue };
            let predicted = row.storage.unwrap().0;
            let rows = match (index.build.as_str(), load.as_str()) {
                ("after-load", _) => &mut after,
                (_, "settled") => &mut settled,
                _ => &mut bulk,
            };
            rows.push(Comparison { set: set.clone(), predicted, measured: index });
        }
    }
    eprintln!("{}", table("built after the load", &after));
    eprintln!("{}", table("there during the load, settled", &settled));
    eprintln!("{}", table("there during the load, bulk", &bulk));
    for row in &after {
        let blocks = row.predicted.abs_diff(row.measured.storage_bytes) / 4096;
        let within = blocks <= AFTER_LOAD_BLOCKS || row.error_pct() <= AFTER_LOAD_PCT;
        assert!(within || row.beyond_pct() == 0.0, "{} {}: {blocks} blocks", row.set, row.measured.name);
    }
    for (title, rows, (median, beyond)) in [("settled", settled, SETTLED), ("bulk", bulk, BULK)] {
        assert!(quantile(rows.iter().map(Comparison::error_pct), 0.5) <= median, "{title}: median");
        for row in &rows {
            assert!(row.beyond_pct() <= beyond, "{title}: {} {} beyond the runs", row.set, row.measured.name);
        }
    }
}

//! What both states and ten indexes cost above a settled run with `_id_` alone.
//!
//! `cargo bench --bench indexes` (arguments: MB of documents, default 200). The two are run in turn, three times;
//! the ratio is that of the medians. Each run asserts how many entries its indexes have.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, missing_docs)]
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod shapes;

use bson::{Document, doc};
use pagepress::{
    estimate::LoadState,
    geometry::wiredtiger::{Release, TableConfig},
    pipeline::{Plan, Timing, estimate_collection},
    record::index::IndexSpec,
    source::{OnBadDocument, bson::BsonSource},
};
use std::time::{Duration, Instant};

const ROUNDS: usize = 3;

fn ten() -> Vec<Document> {
    vec![
        doc! { "user": 1 },
        doc! { "level": 1 },
        doc! { "ts": 1 },
        doc! { "ts": -1, "user": 1 },
        doc! { "host": 1, "level": 1 },
        doc! { "user": 1, "ts": -1 },
        doc! { "msg": 1 },
        doc! { "host": "hashed" },
        doc! { "key": { "ts": 1, "msg": 1 }, "unique": true },
        doc! { "key": { "user": -1, "host": 1 }, "sparse": true },
    ]
}

fn run(documents: &[u8], count: u64, plan: &Plan) -> Duration {
    let start = Instant::now();
    let mut source = BsonSource::new("bench".to_owned(), documents, None, OnBadDocument::Stop);
    let estimate = estimate_collection("bench", &mut source, plan, &mut |_| ()).unwrap();
    let elapsed = start.elapsed();
    assert!(estimate.indexes.iter().all(|index| index.entries == count), "an entry a document");
    elapsed
}

fn main() {
    let megabytes = std::env::args().skip(1).find_map(|text| text.parse::<usize>().ok()).unwrap_or(200);
    let (documents, count) = shapes::log_lines(megabytes * 1_000_000);
    let mut settled = Plan::new(TableConfig::collection(Release::NEWEST));
    settled.loads = vec![LoadState::Settled];
    settled.timing = Timing::Measure;
    let mut both = settled.clone();
    both.loads = vec![LoadState::Settled, LoadState::Bulk];
    both.indexes.extend(ten().iter().map(|spec| IndexSpec::parse(&spec.to_vec().unwrap()).unwrap()));
    println!("{megabytes} MB, {count} documents, {} threads", both.threads);
    let (mut alone, mut all) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(run(&documents, count, &settled).as_secs_f64());
        all.push(run(&documents, count, &both).as_secs_f64());
    }
    let median = |seconds: &mut Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    };
    let (alone, all) = (median(&mut alone), median(&mut all));
    println!("settled, _id_ alone           {alone:8.3} s");
    println!("both states, _id_ and ten     {all:8.3} s   {:.2} x", all / alone);
}

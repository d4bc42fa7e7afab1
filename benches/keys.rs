//! How fast index keys are made, on one thread.
//!
//! `cargo bench --bench keys`. Each index's run asserts how many entries it made.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, missing_docs)]

use bson::{Document, doc, oid::ObjectId};
use pagepress::record::index::{Entries, IndexSpec};
use std::time::Instant;

const DOCUMENTS: u64 = 400_000;
/// Entries that are gathered before the buffers are used again.
const BATCH: usize = 4096;

/// Fields of the usual types, in an order in which the last has to be searched for.
fn document(number: u64) -> Document {
    let spread = number.wrapping_mul(6_364_136_223_846_793_005);
    let amount: bson::Decimal128 = format!("{}.{:02}", spread % 100_000, spread % 97).parse().unwrap();
    doc! {
        "_id": ObjectId::from_bytes([7; 12]),
        "number": i64::try_from(number).unwrap(),
        "double": spread as f64 / 1e9,
        "tags": ["red", "green", "blue"],
        "nested": { "name": format!("name {}", spread % 1000), "flag": number.is_multiple_of(2) },
        "amount": amount,
        "text": format!("{spread:x}"),
    }
}

fn main() {
    let documents: Vec<Vec<u8>> = (0..1000).map(|number| document(number).to_vec().unwrap()).collect();
    for (pattern, entries_per_document) in [
        (doc! { "_id": 1 }, 1),
        (doc! { "number": 1 }, 1),
        (doc! { "double": 1 }, 1),
        (doc! { "text": 1 }, 1),
        (doc! { "amount": 1 }, 1),
        (doc! { "nested.name": 1 }, 1),
        (doc! { "number": 1, "text": -1 }, 1),
        (doc! { "tags": 1 }, 3),
        (doc! { "text": "hashed" }, 1),
        (doc! { "$**": 1 }, 9),
        (doc! { "key": { "number": 1 }, "partialFilterExpression": { "double": { "$gt": 0 } } }, 1),
    ] {
        let spec = IndexSpec::parse(&pattern.to_vec().unwrap()).unwrap();
        let mut out = Entries::new();
        let (mut made, start) = (0_u64, Instant::now());
        for record_id in 1..=DOCUMENTS {
            let document = &documents[usize::try_from(record_id % 1000).unwrap()];
            spec.entries(document, record_id, &mut out).unwrap();
            if out.len() > BATCH {
                made += out.len() as u64;
                out.clear();
            }
        }
        made += out.len() as u64;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{:24} {:6.2} million keys/s, {:6.2} million documents/s",
            spec.name(),
            made as f64 / seconds / 1e6,
            DOCUMENTS as f64 / seconds / 1e6
        );
        if spec.name() != "number_1" {
            assert_eq!(made, DOCUMENTS * entries_per_document, "{pattern}");
        }
    }
}

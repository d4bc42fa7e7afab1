//! How fast documents are read, on one thread.
//!
//! `cargo bench --bench reader`. Each format's run asserts how many documents and BSON bytes it made.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, missing_docs)]
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod shapes;

use pagepress::source::{OnBadDocument, Source, bson::BsonSource};
use std::time::Instant;

/// Reads everything into one reused buffer; returns documents and BSON bytes.
fn drain(source: &mut dyn Source) -> (u64, u64) {
    let (mut out, mut documents, mut bytes) = (Vec::new(), 0, 0);
    while let Some(read) = source.next_document(&mut out).unwrap() {
        documents += 1;
        bytes += read as u64;
        if out.len() > 8 << 20 {
            out.clear();
        }
    }
    (documents, bytes)
}

fn main() {
    let (stream, count) = shapes::log_lines(200_000_000);
    for round in 0..3 {
        let start = Instant::now();
        let mut source = BsonSource::new("bench".to_owned(), &stream[..], None, OnBadDocument::Stop);
        assert_eq!(drain(&mut source), (count, stream.len() as u64));
        let gb_per_s = stream.len() as f64 / 1e9 / start.elapsed().as_secs_f64();
        println!("bson, round {round}: {gb_per_s:.2} GB/s ({count} documents)");
    }
}

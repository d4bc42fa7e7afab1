//! How fast documents are generated, on one thread.
//!
//! `cargo bench --bench generate`. Every shape is to reach 300 MB of BSON a second; the run says which do not.

#![allow(clippy::print_stdout, clippy::cast_precision_loss, missing_docs)]

use pagepress::source::generate::{FieldNames, Generator, Notation, Request, Shape};
use std::time::Instant;

const BYTES: u64 = 200_000_000;

fn main() {
    for shape in Shape::ALL {
        for notation in [Notation::Bson, Notation::Json] {
            let request =
                Request { shape, documents: u64::MAX, seed: 42, field_names: FieldNames::Long, notation };
            let mut generator = Generator::new(request);
            let (mut piece, mut bytes) = (Vec::new(), 0_u64);
            let start = Instant::now();
            while bytes < BYTES {
                piece.clear();
                assert!(generator.fill(&mut piece, 1 << 18));
                bytes += piece.len() as u64;
            }
            let mb_per_s = bytes as f64 / 1e6 / start.elapsed().as_secs_f64();
            println!("{:12} {notation:?}: {mb_per_s:.0} MB/s", shape.name());
        }
    }
}

//! Estimates a file of documents and prints its storage under each codec.
//!
//! `cargo run --release --example estimate_file -- data/samples/flights.bson`
//!
//! The library takes what the command takes: any format that is recognised, one collection a file.

use pagepress::{
    codec::{CodecKind, ZlibLevel, ZstdLevel},
    geometry::wiredtiger::{Release, TableConfig},
    pipeline::{Plan, estimate_collection},
    source::{self, OpenOptions},
};
use std::{error::Error, io::Write, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let path = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: estimate_file FILE")?);
    let zlib = CodecKind::Zlib(ZlibLevel::SERVER);
    let zstd = [ZstdLevel::new(3).ok_or("no such level")?, ZstdLevel::SERVER].map(CodecKind::Zstd);
    let plan = Plan {
        codecs: vec![CodecKind::None, CodecKind::Snappy, zlib, zstd[0], zstd[1]],
        ..Plan::new(TableConfig::collection(Release::NEWEST))
    };
    let mut source = source::open(&path, &OpenOptions::new(plan.on_bad))?;
    let collection = estimate_collection("example", &mut *source, &plan, &mut |_| ())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} documents, {} B of BSON", collection.documents, collection.bson.0)?;
    for row in &collection.storage {
        let ratio = collection.ratio(row).map_or(0.0, pagepress::units::Ratio::value);
        let (low, high) = (row.band.low.0, row.band.high.0);
        writeln!(
            out,
            "{:7} {:8} {:>10} B, {low} to {high}, {ratio:.4} of BSON",
            row.load.name(),
            row.codec.to_string(),
            row.storage.0
        )?;
    }
    Ok(())
}

//! Walks the page images of a BSON file's first segment and prints image, packed and stored bytes of each.
//!
//! `cargo run --release --example pages -- data/samples/flights.bson`
//!
//! These are the parts that the pipeline is made of, one after the other; docs/FORMAT.md tells their rules.
//! Documents are taken as they are, so `_id` must already stand first, as in a dump.

use pagepress::{
    codec::{CodecKind, ZstdLevel},
    geometry::wiredtiger::{
        Release, TableConfig, cell, charge,
        feedback::ImageSize,
        image::LeafImage,
        reconcile::{Item, Limits, chunks},
        segment::{Cut, MemoryPage},
    },
    source::{OnBadDocument, Source, bson::BsonSource},
    units::RawBytes,
};
use std::{error::Error, fs::File, io::Write};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: pages FILE.bson")?;
    let (table, kind) = (TableConfig::collection(Release::NEWEST), CodecKind::Zstd(ZstdLevel::SERVER));
    // The documents that one in-memory leaf holds. A record that cuts it before itself begins the next one.
    let mut source = BsonSource::new(path.clone(), File::open(&path)?, None, OnBadDocument::Stop);
    let (mut memory, mut documents, mut document) = (MemoryPage::new(&table), Vec::new(), Vec::new());
    while let Some(bytes) = source.next_document(&mut document)? {
        let cut = memory.insert(documents.len() as u64 + 1, bytes as u64);
        if cut != Cut::Before {
            documents.push(std::mem::take(&mut document));
        }
        if cut != Cut::Not {
            break;
        }
    }
    let mut size = ImageSize::new(&table, true);
    let lengths = (1..)
        .zip(&documents)
        .map(|(id, document)| Item::plain(cell::record_bytes(id, None, document.len() as u64)));
    let mut encoder = kind.encoder().ok_or("nothing to pack with")?;
    let (mut image, mut packed, mut record_id) = (LeafImage::new(), Vec::new(), 0);
    let mut out = std::io::stdout().lock();
    writeln!(out, "page  records  image [B]  packed [B]  stored [B]  next image size [B]")?;
    for (page, chunk) in chunks(Limits::leaf(size.bytes(), table.allocation), lengths).iter().enumerate() {
        image.start();
        for document in documents.iter().skip(record_id).take(chunk.records as usize) {
            record_id += 1;
            image.push(record_id as u64, None, document);
        }
        let raw = RawBytes(chunk.image_bytes);
        let packs = charge::is_tried(raw, table.allocation)
            && encoder.pack(charge::encoder_input(image.finish()), &mut packed);
        let output_bytes = packs.then_some(packed.len() as u64);
        let block = charge::charge(raw, charge::packed(kind, raw, output_bytes), table.allocation);
        size = size.after_block(block.packed.map(|packed| packed.0), chunk.last);
        let kept = block.packed.map_or("raw".to_owned(), |packed| packed.0.to_string());
        let (records, stored) = (chunk.records, block.stored.0);
        writeln!(out, "{page:4}  {records:7}  {:9}  {kept:>10}  {stored:10}  {:19}", raw.0, size.bytes())?;
    }
    Ok(())
}

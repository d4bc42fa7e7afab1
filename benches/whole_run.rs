//! What the whole run costs above the encoders: reader, images, band and speeds included.
//!
//! `cargo bench --bench whole_run` (arguments: MB of documents, default 200). The bare encoders pack the very
//! images of the sequential schedule, on as many threads. Each run asserts its stored sizes: a fast wrong
//! answer is a failure.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, missing_docs)]
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod shapes;

use pagepress::{
    codec::{CodecKind, ZlibLevel, ZstdLevel},
    document,
    estimate::LoadState,
    geometry::wiredtiger::{
        Release, TableConfig, cell, charge,
        feedback::ImageSize,
        image::LeafImage,
        reconcile::{Item, Limits, chunks},
        segment::{Cut, MemoryPage},
    },
    pipeline::{Plan, Timing, estimate_collection},
    record::index::IndexSpec,
    source::{OnBadDocument, bson::BsonSource},
    units::RawBytes,
};
use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// Stored bytes of the default 200 MB under none, snappy, zlib:6 and zstd:6.
const STORED_200_MB: [u64; 4] = [209_317_888, 94_834_688, 71_806_976, 71_802_880];

fn codecs() -> Vec<CodecKind> {
    vec![
        CodecKind::None,
        CodecKind::Snappy,
        CodecKind::Zlib(ZlibLevel::SERVER),
        CodecKind::Zstd(ZstdLevel::SERVER),
    ]
}

fn whole_run(
    documents: &[u8],
    codecs: &[CodecKind],
    threads: NonZeroUsize,
    timing: Timing,
) -> (Duration, Vec<u64>) {
    let start = Instant::now();
    let mut source = BsonSource::new("bench".to_owned(), documents, None, OnBadDocument::Stop);
    let table = TableConfig::collection(Release::NEWEST);
    let (loads, codecs) = (vec![LoadState::Settled], codecs.to_vec());
    let indexes = vec![IndexSpec::id()];
    let plan = Plan { loads, indexes, codecs, threads, timing, ..Plan::new(table) };
    let estimate = estimate_collection("bench", &mut source, &plan, &mut |_| ()).unwrap();
    (start.elapsed(), estimate.storage.iter().map(|row| row.storage.0).collect())
}

/// The images that one codec's sequential schedule packs, and what packing them takes on all threads.
fn bare_encoder(documents: &[u8], kind: CodecKind, threads: NonZeroUsize) -> Duration {
    let config = TableConfig::collection(Release::NEWEST);
    let mut size = ImageSize::new(&config, true);
    let (mut page, mut segment) = (MemoryPage::new(&config), Vec::new());
    let (mut at, mut record_id, mut first) = (0, 0, 1);
    let mut busy = Duration::ZERO;
    while at < documents.len() {
        let bytes = document::declared_bytes(documents[at..at + 4].try_into().unwrap()).unwrap();
        record_id += 1;
        if page.insert(record_id, bytes as u64) == Cut::Before {
            busy += pack_segment(kind, threads, &mut size, first, &segment);
            first = record_id;
            segment.clear();
        }
        segment.push(&documents[at..at + bytes]);
        at += bytes;
    }
    busy + pack_segment(kind, threads, &mut size, first, &segment)
}

fn pack_segment(
    kind: CodecKind,
    threads: NonZeroUsize,
    size: &mut ImageSize,
    first: u64,
    segment: &[&[u8]],
) -> Duration {
    let unit = TableConfig::collection(Release::NEWEST).allocation;
    let lengths = segment
        .iter()
        .enumerate()
        .map(|(i, d)| Item::plain(cell::record_bytes(first + i as u64, None, d.len() as u64)));
    let (mut images, mut start) = (Vec::new(), 0);
    for chunk in chunks(Limits::leaf(size.bytes(), unit), lengths) {
        let mut image = LeafImage::new();
        image.start();
        let end = start + chunk.records as usize;
        for (index, document) in segment.iter().enumerate().take(end).skip(start) {
            image.push(first + index as u64, None, document);
        }
        images.push((image.finish().to_vec(), chunk.last));
        start = end;
    }
    let next = AtomicUsize::new(0);
    let clock = Instant::now();
    let mut sizes: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get())
            .map(|_| {
                scope.spawn(|| {
                    let (mut encoder, mut out, mut done) = (kind.encoder().unwrap(), Vec::new(), Vec::new());
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some((image, _)) = images.get(index) else { return done };
                        encoder.pack(charge::encoder_input(image), &mut out);
                        done.push((index, out.len()));
                    }
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let elapsed = clock.elapsed();
    sizes.sort_unstable();
    for ((_, output_bytes), (image, last)) in sizes.into_iter().zip(&images) {
        let raw = RawBytes(image.len() as u64);
        let packed = charge::packed(kind, raw, Some(output_bytes as u64));
        let block = charge::charge(raw, packed, unit);
        *size = size.after_block(block.packed.map(|packed| packed.0), *last);
    }
    elapsed
}

/// Each is run so often, in turn: what else the machine does then falls on all alike.
const REPEATS: usize = 3;

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    let megabytes = std::env::args().skip(1).find_map(|text| text.parse::<usize>().ok()).unwrap_or(200);
    let threads = std::thread::available_parallelism().unwrap();
    let (documents, count) = shapes::log_lines(megabytes * 1_000_000);
    println!(
        "{megabytes} MB, {count} documents of {} B in the mean, {threads} threads, medians of {REPEATS}",
        documents.len() as u64 / count
    );
    let (mut bare, mut whole, mut untimed, mut none) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        bare.push(
            codecs()
                .into_iter()
                .skip(1)
                .map(|kind| bare_encoder(&documents, kind, threads))
                .sum::<Duration>(),
        );
        let (time, stored) = whole_run(&documents, &codecs(), threads, Timing::Measure);
        whole.push(time);
        let (time, again) = whole_run(&documents, &codecs(), threads, Timing::Skip);
        untimed.push(time);
        assert_eq!(stored, again, "stored sizes depend on timing");
        none.push(whole_run(&documents, &[CodecKind::None], NonZeroUsize::MIN, Timing::Skip).0);
        if megabytes == 200 {
            assert_eq!(stored, STORED_200_MB, "stored sizes have changed");
        }
    }
    let bare = median(&mut bare);
    println!("bare encoders              {:>8.3} s", bare.as_secs_f64());
    for (what, times) in [("whole run", &mut whole), ("  without timing encoders", &mut untimed)] {
        let time = median(times);
        let ratio = time.as_secs_f64() / bare.as_secs_f64();
        println!("{what:<26} {:>8.3} s  {ratio:.3} x bare", time.as_secs_f64());
    }
    let none = median(&mut none).as_secs_f64();
    println!("none alone, one thread     {none:>8.3} s  {:.2} GB/s", documents.len() as f64 / none / 1e9);
}

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
    estimate::{CollectionEstimate, LoadState},
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

/// Settled, with `_id_`, unless changed.
fn plan(codecs: Vec<CodecKind>, threads: NonZeroUsize, timing: Timing) -> Plan {
    let (loads, indexes) = (vec![LoadState::Settled], vec![IndexSpec::id()]);
    Plan { loads, indexes, codecs, threads, timing, ..Plan::new(TableConfig::collection(Release::NEWEST)) }
}

fn run(documents: &[u8], plan: &Plan) -> (Duration, CollectionEstimate) {
    let start = Instant::now();
    let mut source = BsonSource::new("bench".to_owned(), documents, None, OnBadDocument::Stop);
    let estimate = estimate_collection("bench", &mut source, plan, &mut |_| ()).unwrap();
    (start.elapsed(), estimate)
}

/// `_id_` and ten of one to three fields.
fn ten_indexes() -> Vec<IndexSpec> {
    let patterns: [&[(&str, i32)]; 10] = [
        &[("user", 1)],
        &[("level", 1)],
        &[("ts", 1)],
        &[("host", 1)],
        &[("user", 1), ("ts", 1)],
        &[("level", 1), ("host", 1)],
        &[("host", 1), ("user", 1)],
        &[("ts", -1), ("level", 1)],
        &[("user", -1), ("level", 1)],
        &[("level", 1), ("user", 1), ("ts", 1)],
    ];
    let spec = |fields: &&[(&str, i32)]| {
        let mut pattern = vec![0; 4];
        for (name, direction) in *fields {
            shapes::int32(&mut pattern, name, *direction);
        }
        pattern.push(0);
        let bytes = pattern.len() as i32;
        pattern[..4].copy_from_slice(&bytes.to_le_bytes());
        IndexSpec::parse(&pattern).unwrap()
    };
    std::iter::once(IndexSpec::id()).chain(patterns.iter().map(spec)).collect()
}

/// Image bytes that are packed in a state, under all codecs.
fn image_bytes(estimate: &CollectionEstimate, load: LoadState) -> f64 {
    let packed = estimate.storage.iter().filter(|row| row.load == load && row.codec.name != "none");
    packed.map(|row| row.tally.leaf_image.0 as f64).sum()
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
    let timed = plan(codecs(), threads, Timing::Measure);
    let untimed = plan(codecs(), threads, Timing::Skip);
    let both_loads = vec![LoadState::Settled, LoadState::Bulk];
    let both = Plan { loads: both_loads, indexes: ten_indexes(), ..plan(codecs(), threads, Timing::Measure) };
    let none = plan(vec![CodecKind::None], NonZeroUsize::MIN, Timing::Skip);
    let (mut bares, mut walls) = (Vec::new(), [(); 4].map(|()| Vec::new()));
    let mut both_of_settled = 1.0;
    for _ in 0..REPEATS {
        let bare = |kind| bare_encoder(&documents, kind, threads);
        bares.push(codecs().into_iter().skip(1).map(bare).sum::<Duration>());
        for (plan, times) in [&timed, &untimed, &both, &none].into_iter().zip(&mut walls) {
            let (time, estimate) = run(&documents, plan);
            times.push(time);
            let stored: Vec<u64> = estimate.storage.iter().map(|row| row.storage.0).collect();
            if megabytes == 200 {
                assert!(stored.starts_with(&STORED_200_MB[..plan.codecs.len()]), "{stored:?} have changed");
            }
            if plan.loads.len() == 2 {
                let [settled, bulk] =
                    [LoadState::Settled, LoadState::Bulk].map(|load| image_bytes(&estimate, load));
                both_of_settled = (settled + bulk) / settled;
            }
        }
    }
    let bare = median(&mut bares).as_secs_f64();
    let [timed, untimed, both, none] = walls.map(|mut walls| median(&mut walls).as_secs_f64());
    println!("bare encoders                      {bare:>8.3} s");
    // An encoder takes as long for a byte of either state's images.
    for (what, time, bare) in [
        ("whole run", timed, bare),
        ("  without timing encoders", untimed, bare),
        ("both states, ten indexes", both, bare * both_of_settled),
    ] {
        println!("{what:<34} {time:>8.3} s  {:.3} x bare ({bare:.3} s)", time / bare);
    }
    println!(
        "none alone, one thread             {none:>8.3} s  {:.2} GB/s",
        documents.len() as f64 / none / 1e9
    );
}

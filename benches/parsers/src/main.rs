//! MB of text a second on one thread: our readers to BSON bytes, others to what they end in.
//!
//! `cargo run --release --manifest-path benches/parsers/Cargo.toml`. Ours decide types, read Extended JSON, keep
//! duplicate keys, know an error's place and write BSON; the others stop at a tree, a tape or the ends of cells. So
//! theirs is a bound on what their place in ours could win. Every round asserts how many documents it saw.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss)]

#[allow(dead_code, reason = "documents in BSON are not read here")]
#[path = "../../shapes/mod.rs"]
mod shapes;

use pagepress::source::{
    OnBadDocument, Source,
    csv::{CsvSource, Dialect},
    json::JsonSource,
};
use serde_json::value::RawValue;
use std::{fmt::Write, hint::black_box, time::Instant};

const ROUNDS: usize = 5;
const TEXT_BYTES: usize = 100_000_000;

/// The best of some rounds, each of which must see `documents`.
fn mb_per_s(text: &[u8], documents: usize, mut read: impl FnMut(&[u8]) -> usize) -> f64 {
    let seconds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        assert_eq!(read(text), documents);
        start.elapsed().as_secs_f64()
    });
    text.len() as f64 / 1e6 / seconds.fold(f64::INFINITY, f64::min)
}

fn drain(mut source: impl Source) -> usize {
    let (mut out, mut documents) = (Vec::new(), 0);
    while source.next_document(&mut out).unwrap().is_some() {
        documents += 1;
        if out.len() > 8 << 20 {
            out.clear();
        }
    }
    documents
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn json(shape: &str, text: &str) {
    let text = text.as_bytes();
    let documents = lines(text).count();
    let speed = |read: &mut dyn FnMut(&[u8]) -> usize| mb_per_s(text, documents, read);
    let ours = speed(&mut |text| drain(JsonSource::new("bench".to_owned(), text, None, OnBadDocument::Stop)));
    let checked = speed(&mut |text| {
        lines(text).map(|line| black_box(serde_json::from_slice::<&RawValue>(line).unwrap())).count()
    });
    let tree = speed(&mut |text| {
        lines(text).map(|line| black_box(serde_json::from_slice::<serde_json::Value>(line).unwrap())).count()
    });
    // It parses in place, so each line is copied first, as into a reader's buffer.
    let (mut buffers, mut copy) = (simd_json::Buffers::default(), Vec::new());
    let simd = speed(&mut |text| {
        let each = |line: &[u8]| {
            copy.clear();
            copy.extend_from_slice(line);
            black_box(simd_json::to_tape_with_buffers(&mut copy, &mut buffers).unwrap().0.len());
        };
        lines(text).map(each).count()
    });
    let sonic = speed(&mut |text| {
        lines(text).map(|line| black_box(sonic_rs::from_slice::<sonic_rs::Value>(line).unwrap())).count()
    });
    print(
        shape,
        &[
            ("pagepress, to BSON", ours),
            ("serde_json, checked only", checked),
            ("serde_json, to a tree", tree),
            ("simd-json, to a tape", simd),
            ("sonic-rs, to a tree", sonic),
        ],
    );
}

fn csv(shape: &str, text: &str) {
    let text = text.as_bytes();
    let documents = lines(text).count() - 1;
    let ours = mb_per_s(text, documents, |text| {
        drain(CsvSource::new("bench".to_owned(), text, Dialect::Csv, None, OnBadDocument::Stop))
    });
    let cells = mb_per_s(text, documents, |mut text| {
        let (mut reader, mut records) = (csv_core::Reader::new(), 0);
        let (mut out, mut ends) = (vec![0; 1 << 16], vec![0; 64]);
        loop {
            let (result, read, ..) = reader.read_record(text, &mut out, &mut ends);
            text = &text[read..];
            match result {
                csv_core::ReadRecordResult::Record => records += 1,
                csv_core::ReadRecordResult::End => return records - 1,
                _ => {}
            }
            black_box(&out);
        }
    });
    print(shape, &[("pagepress, to BSON", ours), ("csv-core, to cells", cells)]);
}

fn print(shape: &str, rows: &[(&str, f64)]) {
    println!("{shape}");
    for (what, speed) in rows {
        println!("  {what:<26} {speed:>7.0} MB/s  {:.2}", speed / rows[0].1);
    }
}

/// Lines of so many bytes in all, each written by `line` from its number and a message of nineteen words.
fn text(line: impl Fn(&mut String, u64, &str, &mut shapes::Numbers)) -> String {
    let mut numbers = shapes::Numbers::new(7);
    let words: Vec<String> = (0..220)
        .map(|_| {
            let letters = 3 + numbers.below(6);
            (0..letters).map(|_| char::from(b'a' + u8::try_from(numbers.below(26)).unwrap())).collect()
        })
        .collect();
    let (mut out, mut number) = (String::new(), 0);
    while out.len() < TEXT_BYTES {
        let chosen: Vec<&str> =
            (0..19).map(|_| words[usize::try_from(numbers.below(220)).unwrap()].as_str()).collect();
        line(&mut out, number, &chosen.join(" "), &mut numbers);
        number += 1;
    }
    out
}

fn main() {
    json(
        "JSON, lines of a log",
        &text(|out, number, message, numbers| {
            let user = numbers.below(5000);
            writeln!(
                out,
                r#"{{"_id":{number},"user":{user},"level":"info","msg":"{message}","host":"srv-17"}}"#
            )
            .unwrap();
        }),
    );
    json(
        "Extended JSON, canonical, lines of a log",
        &text(|out, number, message, numbers| {
            let user = numbers.below(5000);
            writeln!(
            out,
            r#"{{"_id":{{"$numberInt":"{number}"}},"user":{{"$numberInt":"{user}"}},"level":"info","msg":"{message}"}}"#
        )
        .unwrap();
        }),
    );
    json(
        "JSON, thirty numbers a document",
        &text(|out, number, _, numbers| {
            write!(out, r#"{{"_id":{number}"#).unwrap();
            for field in 0..30 {
                write!(out, r#","n{field}":{}.{}"#, numbers.below(100_000), numbers.below(1000)).unwrap();
            }
            out.push_str("}\n");
        }),
    );
    let header = "_id,user,level,msg,host\n".to_owned();
    csv(
        "CSV, lines of a log",
        &(header
            + &text(|out, number, message, numbers| {
                writeln!(out, "{number},{},info,{message},srv-17", numbers.below(5000)).unwrap();
            })),
    );
    let header = (0..30).fold("_id".to_owned(), |names, field| format!("{names},n{field}"));
    csv(
        "CSV, thirty numbers a row",
        &(header
            + "\n"
            + &text(|out, number, _, numbers| {
                write!(out, "{number}").unwrap();
                for _ in 0..30 {
                    write!(out, ",{}.{}", numbers.below(100_000), numbers.below(1000)).unwrap();
                }
                out.push('\n');
            })),
    );
}

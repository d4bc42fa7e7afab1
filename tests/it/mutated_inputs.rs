//! Ten thousand seeded mutations of every format, held to what `reading` asks: documents, or an error with a place.

use crate::{
    mutations::{Numbers, gzipped, mutated},
    reading,
};
use std::{env, fs, path::PathBuf, process::Command, thread};

const MUTATIONS: usize = 10_000;

/// A format: what is mutated, and what must hold of it.
struct Target {
    name: &'static str,
    seeds: Vec<Vec<u8>>,
    check: fn(&[u8]),
}

fn targets() -> Vec<Target> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/inputs");
    let file = |name: &str| fs::read(folder.join(name)).unwrap();
    let files = |names: &[&str]| names.iter().map(|name| file(name)).collect::<Vec<_>>();
    let target = |name, seeds, check| Target { name, seeds, check };
    let bson = files(&[
        "bson/all_types.bson",
        "bson/mixed_good_and_bad.bson",
        "bson/same.bson",
        "bson/missing_id.bson",
    ]);
    let text = ["json/same_v2_relaxed.jsonl", "json/dates.jsonl", "json/array.json", "csv/quoting.csv"];
    let wide = |bytes: &[u8]| -> Vec<u8> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let mut both_widths = files(&text);
    both_widths.extend(files(&text).iter().map(|bytes| wide(bytes)));
    let archives = files(&["archive/three_interleaved.archive", "archive/old_header_no_type.archive"]);
    let orders = "dump_dir/shop/orders.metadata.json";
    let readings = "dump_dir/shop/readings.metadata.json";
    let mut any =
        files(&["archive/three_interleaved.archive.gz", "sniff/tar_of_dump.tar", "sniff/wiredtiger.wt"]);
    any.extend(files(&["bson/same.bson", "json/pretty_concatenated.json", "csv/basic.tsv"]));
    vec![
        target("bson", bson.clone(), reading::bson),
        target("canonical JSON", files(&["json/same_v2_canonical.jsonl"]), reading::json),
        target("relaxed JSON", files(&["json/same_v2_relaxed.jsonl", "json/numbers.jsonl"]), reading::json),
        target("JSON version 1", files(&["json/same_v1_strict.jsonl"]), reading::json),
        target("shell", files(&["json/same_v1_shell.txt"]), reading::json),
        target(
            "csv",
            files(&["csv/quoting.csv", "csv/dotted_arrays.csv", "csv/auto_types.csv", "csv/ragged.csv"]),
            reading::csv,
        ),
        target("typed csv", files(&["csv/typed.csv", "csv/typed_escapes.csv"]), reading::csv),
        target("tsv", files(&["csv/basic.tsv", "csv/quotes.tsv", "csv/crlf.tsv"]), reading::csv),
        target("archive", archives, reading::archive),
        target("metadata", files(&[orders, readings]), reading::metadata),
        target("gzip", bson.iter().map(|bytes| gzipped(bytes)).collect(), reading::packed),
        target(
            "zstd",
            bson.iter().map(|bytes| zstd::encode_all(&bytes[..], 3).unwrap()).collect(),
            reading::packed,
        ),
        target("utf-16", both_widths, reading::wide),
        target("anything", any, reading::recognised),
    ]
}

/// Tells which input it was, where a check panics.
struct Shown<'a>(&'a str, &'a [u8]);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{}: {}", self.0, self.1.escape_ascii());
        }
    }
}

fn run(target: &Target, numbers: &mut Numbers, mutations: usize) {
    for round in 0..mutations {
        let input = mutated(&target.seeds[round % target.seeds.len()], numbers);
        let _shown = Shown(target.name, &input);
        (target.check)(&input);
    }
}

/// Half of the mutations of each format on each of two threads.
#[test]
#[ignore = "run by the test below, under limits of its own"]
fn mutations_of_every_format() {
    let targets = targets();
    thread::scope(|scope| {
        for shard in 0..2 {
            let targets = &targets;
            scope.spawn(move || {
                for (index, target) in targets.iter().enumerate() {
                    run(target, &mut Numbers::new(1000 * shard + index as u64), MUTATIONS / 2);
                }
            });
        }
    });
    println!("{MUTATIONS} mutations of each of {} formats", targets.len());
}

/// This binary once more, in a process that may have one gibibyte of addresses, half of which are the program, its
/// stacks and heaps; and ten minutes of the processor, which only a reader that hangs would use up.
#[cfg(unix)]
#[test]
fn ten_thousand_mutations_of_each_format_are_read_or_refused_in_bounded_memory() {
    let script = "ulimit -v 1048576 && ulimit -t 600 && export MALLOC_ARENA_MAX=1 && exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "mutated_inputs::mutations_of_every_format"])
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("10000 mutations of each of 14 formats"), "{stdout}\n{stderr}");
}

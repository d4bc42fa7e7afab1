//! Inputs that are small and unfold to something large: they are read in bounded memory, and can be stopped.

use crate::case::{Answer, Case};
use std::io::Write;

/// A gzip stream of `times` members, each of which unfolds to 16 MiB of `byte`.
fn bomb(byte: u8, times: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&vec![byte; 16 << 20]).unwrap();
    encoder.finish().unwrap().repeat(times)
}

/// A document whose one field holds arrays in arrays, as many as fit into `bytes`.
fn nested(bytes: usize) -> Vec<u8> {
    /// A length, a type, the name `0`, a NUL; the array's own NUL.
    const LEVEL_BYTES: usize = 8;
    const FRAME_BYTES: usize = 4 + 3 + 1;
    let levels = (bytes - FRAME_BYTES - 5) / LEVEL_BYTES;
    let length = |bytes: usize| u32::try_from(bytes).unwrap().to_le_bytes();
    let mut document = length(FRAME_BYTES + 5 + levels * LEVEL_BYTES).to_vec();
    document.extend(b"\x04a\0");
    for level in (1..=levels).rev() {
        document.extend(length(5 + level * LEVEL_BYTES));
        document.extend(b"\x040\0");
    }
    document.extend(b"\x05\0\0\0\0");
    document.resize(document.len() + levels + 1, 0);
    document
}

#[test]
fn a_document_of_two_million_nested_arrays_is_estimated_from_bson_and_from_json() {
    let bson = nested(16 << 20);
    assert_eq!(bson.len(), 16_777_213);
    let levels = (bson.len() - 13) / 8 + 1;
    let json = [b"{\"a\":", "[".repeat(levels).as_bytes(), "]".repeat(levels).as_bytes(), b"}"].concat();
    let args = "estimate -q --no-timing -c none --load settled -o json";
    let figures = |name: &str, bytes: &[u8]| {
        let answer = Case::new(args).arg(name).file(name, bytes).run();
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let collection = &json["collections"][0];
        (collection["documents"].clone(), collection["bson_bytes"].clone(), collection["storage"].clone())
    };
    let of_bson = figures("a.bson", &bson);
    assert_eq!(of_bson.1, 16_777_213 + 17, "an `_id` is added");
    assert_eq!(figures("a.json", &json), of_bson);
}

/// The limit that the shell sets is about twice what the program needs: addresses count, used or not, which is why
/// threads share a heap.
#[cfg(target_os = "linux")]
const SCRIPT: &str = "ulimit -v 400000 && export MALLOC_ARENA_MAX=1 && exec \"$0\" \"$@\"";

/// Runs `estimate` with 400 MB of addresses.
#[cfg(target_os = "linux")]
fn limited(args: &str, input: &[u8]) -> Answer {
    let case = Case::new("").file("a.gz", input);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", SCRIPT, env!("CARGO_BIN_EXE_pagepress"), "estimate", "-q", "--no-timing"]);
    shell.args(["-c", "none", "-j", "1", "a.gz"]).args(args.split(' ')).current_dir(case.path(""));
    let output = shell.output().unwrap();
    Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A quarter of a gigabyte in a quarter of a megabyte: bytes that make no documents, brackets that never close, a string, a header
/// and cells without an end.
#[cfg(target_os = "linux")]
#[test]
fn a_quarter_of_a_gigabyte_that_unfolds_from_gzip_is_refused_in_bounded_memory() {
    for (byte, args, want) in [
        (
            0,
            "--format bson --on-bad-document skip",
            "error: a.gz: holds no document that can be taken; 1 was",
        ),
        (
            0,
            "--format json --on-bad-document skip",
            "error: a.gz: holds no document that can be taken; 1 was",
        ),
        (
            b'[',
            "--format json --on-bad-document skip",
            "error: a.gz: holds no document that can be taken; 1 was",
        ),
        (
            b'a',
            "--format json --on-bad-document skip",
            "error: a.gz: holds no document that can be taken; 8 were",
        ),
        (b' ', "--format json", "error: a.gz: holds no documents\n"),
        (b',', "--format csv", "error: a.gz: document 0 at byte 0: 16793602 bytes of BSON (16.0 MiB) exceed"),
        (
            b'\t',
            "--format tsv",
            "error: a.gz: document 0 at byte 0: 16793602 bytes of BSON (16.0 MiB) exceed",
        ),
        (b'a', "--format csv", "error: a.gz: document 0 at byte 0: 17039360 bytes of BSON (16.2 MiB) exceed"),
        (b'"', "--format csv", "error: a.gz: document 0 at byte 0: 16793601 bytes of BSON (16.0 MiB) exceed"),
    ] {
        let answer = limited(args, &bomb(byte, 16));
        assert!(answer.stderr.starts_with(want), "{args}: {}", answer.stderr);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args}");
    }
}

/// Nothing is left of it but the signal: no handler waits for the end of an input.
#[cfg(unix)]
#[test]
fn a_reading_without_an_end_is_stopped_by_ctrl_c() {
    use std::os::unix::process::ExitStatusExt;
    const SIGINT: i32 = 2;
    let case = Case::new("estimate -q --format bson --on-bad-document skip -");
    let mut child = case.command().stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than a pipe and the buffers hold, so that it is being read by the time that all is written.
    input.write_all(&bomb(0, 60)).unwrap();
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.signal(), output.stdout.len()), (Some(SIGINT), 0));
    drop(input);
}

//! Whole messages for inputs that cannot be taken, through the program: what, where, which limit, what next.

use crate::case::{Answer, Case, documents};
use std::process::Stdio;

/// The shortest document that is not above the limit by itself.
const LIMIT_BYTES: usize = 16_793_600;

/// A document of `bytes` bytes with one binary of that name.
fn document(name: &str, bytes: usize) -> Vec<u8> {
    let mut document = u32::try_from(bytes).unwrap().to_le_bytes().to_vec();
    document.push(5);
    document.extend(name.as_bytes());
    document.push(0);
    let value_bytes = bytes - document.len() - 6;
    document.extend(u32::try_from(value_bytes).unwrap().to_le_bytes());
    document.resize(bytes, 0);
    document
}

const GO_ON: &str = "hint: to leave it out and go on, pass `--on-bad-document skip`\n";

/// Without skipping: the message, exit code 2 and no result.
fn refused(name: &str, bytes: &[u8], args: &str, error: &str, hints: &str) {
    let case = Case::new(&format!("estimate -q --no-timing {args}")).arg(name).file(name, bytes);
    let Answer { code, stdout, stderr } = case.run();
    assert_eq!(stderr, format!("error: {error}\n{}{hints}", if hints.is_empty() { "" } else { "\n" }));
    assert_eq!((code, stdout.as_str()), (2, ""), "{error}");
}

/// With skipping: documents counted, the reason, exit code 1.
fn skipped(name: &str, bytes: &[u8], documents: u64, reason: &str) {
    let args = "estimate -q --no-timing -c none -o json --on-bad-document skip";
    let Answer { code, stdout, stderr } = Case::new(args).arg(name).file(name, bytes).run();
    assert_eq!((code, stderr.as_str()), (1, ""), "{reason}");
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let collection = &json["collections"][0];
    assert_eq!(
        (collection["documents"].as_u64(), collection["skip_reasons"][0].as_str()),
        (Some(documents), Some(reason))
    );
}

fn refused_and_skipped(name: &str, bytes: &[u8], documents: u64, error: &str, hints: &str) {
    refused(name, bytes, "", error, hints);
    skipped(name, bytes, documents, error);
}

#[test]
fn damaged_bson_is_told_by_document_byte_value_and_limit() {
    let good = document("_id", 40);
    let last = |bytes: &[u8]| [&good[..], bytes].concat();
    let between = |bytes: &[u8]| [&good[..], bytes, &good].concat();
    let rest = "hint: after a bad length the next document cannot be found; to estimate from the document before it, \
                pass `--on-bad-document skip`\nhint: to look at the place, run `xxd -s 40 -l 16 a.bson`\n";
    let cut = "hint: to estimate from the document before it, pass `--on-bad-document skip`\n\
               hint: to look at the place, run `xxd -s 40 -l 16 a.bson`\n";
    let limit = "MongoDB's document limit of 16793600 bytes (16 MiB and 16 KiB)";
    for (bytes, error, hints) in [
        (
            last(&good[..30]),
            "a.bson: document 1 at byte 40: the input ends after 30 of its 40 bytes (10 are missing)"
                .to_owned(),
            cut,
        ),
        (
            last(b"\x28\0\0"),
            "a.bson: document 1 at byte 40: the input ends after 3 of the 4 bytes of its length field"
                .to_owned(),
            cut,
        ),
        (
            between(b"\x04\0\0\0"),
            "a.bson: document 1 at byte 40: declared length 4 is below the shortest document's 5 bytes"
                .to_owned(),
            rest,
        ),
        (
            between(b"\xff\xff\xff\x7f"),
            format!("a.bson: document 1 at byte 40: declared length 2147483647 exceeds {limit}"),
            rest,
        ),
        (
            between(&document("_id", LIMIT_BYTES + 1)),
            format!("a.bson: document 1 at byte 40: declared length 16793601 exceeds {limit}"),
            rest,
        ),
    ] {
        refused_and_skipped("a.bson", &bytes, 1, &error, hints);
    }
    let mut unended = good.clone();
    unended[39] = 7;
    let mut damaged = document("n", 40);
    damaged[4] = 0x42;
    let look = |at: u32| format!("{GO_ON}hint: to look at the place, run `xxd -s {at} -l 16 a.bson`\n");
    for (bytes, error, hints) in [
        (
            &unended,
            "a.bson: document 1 at byte 40: byte 39 of the document is 0x07 where its terminator 0x00 belongs".to_owned(),
            look(79),
        ),
        (
            &damaged,
            "a.bson: document 1 at byte 40: element at byte 4 of the document is damaged: unknown element type".to_owned(),
            look(44),
        ),
        (
            &document("n", LIMIT_BYTES - 16),
            format!("a.bson: document 1 at byte 40: its 16793584 bytes and the `_id` that it lacks (17 bytes) exceed {limit}"),
            GO_ON.to_owned(),
        ),
    ] {
        refused_and_skipped("a.bson", &between(bytes), 2, &error, &hints);
    }
    skipped_none("a.bson", &between(&document("n", LIMIT_BYTES - 17)), 3);
}

fn skipped_none(name: &str, bytes: &[u8], documents: u64) {
    let Answer { code, stdout, .. } =
        Case::new("estimate -q --no-timing -c none -o json").arg(name).file(name, bytes).run();
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, json["collections"][0]["documents"].as_u64()), (0, Some(documents)));
}

#[test]
fn damage_at_the_very_beginning_asks_for_the_format_or_another_copy() {
    refused(
        "a.bson",
        b"\x04\0\0\0",
        "",
        "a.bson: document 0 at byte 0: declared length 4 is below the shortest document's 5 bytes",
        "hint: is this BSON? `--format json|csv|tsv` reads text\n\
         hint: to look at the place, run `xxd -s 0 -l 16 a.bson`\n",
    );
    refused(
        "a.bson",
        b"\x28\0\0\0\x10_id\0\x01",
        "",
        "a.bson: document 0 at byte 0: the input ends after 10 of its 40 bytes (30 are missing)",
        "hint: it was cut off while it was written or copied: fetch it again\n\
         hint: to look at the place, run `xxd -s 0 -l 16 a.bson`\n",
    );
    refused(
        "a.bson",
        b"\x04\0\0\0",
        "--on-bad-document skip",
        "a.bson: holds no document that can be taken; 1 was skipped: a.bson: document 0 at byte 0: declared length 4 is \
         below the shortest document's 5 bytes",
        "hint: if its format is another one, name it: `--format bson|json|csv|tsv`\n",
    );
}

#[test]
fn broken_json_is_told_by_line_and_column() {
    refused_and_next_line(
        b"{\"a\":1}\n{\"a\":2,\n\"b\":}\n{\"a\":3}\n",
        "a.json: document 1 at byte 20 (line 3, column 5): found `}` where a value belongs",
    );
    let scalar = b"{\"a\":1}\n42\n{\"a\":3}\n";
    let error =
        "a.json: document 1 at byte 8 (line 2, column 1): found the number `42` where a document belongs";
    refused_and_skipped("a.json", scalar, 2, error, GO_ON);
    let cut = "a.json: document 1 at byte 13 (line 2, column 6): the input ends where a value belongs";
    refused(
        "a.json",
        b"{\"a\":1}\n{\"a\":",
        "",
        cut,
        "hint: to estimate from the document before it, pass `--on-bad-document skip`\n",
    );
    for empty in ["[]", " \n", "[ ]\n"] {
        refused(
            "a.json",
            empty.as_bytes(),
            "",
            "a.json: holds no documents",
            "hint: an empty collection takes 4096 bytes on disk; there is nothing to estimate\n",
        );
    }
}

fn refused_and_next_line(bytes: &[u8], error: &str) {
    let hint = "hint: to leave it out and go on at the next line, pass `--on-bad-document skip`\n";
    refused("a.json", bytes, "", error, hint);
    let reason = format!("{error}; reading went on at the next line that begins with `{{`");
    skipped("a.json", bytes, 2, &reason);
}

#[test]
fn ragged_rows_are_told_by_row_cells_and_columns() {
    let error = "a.csv: document 1 at byte 8 (line 3, column 1): row 2 holds 3 cells where the header names 2 columns";
    let hints = format!("hint: a cell that holds a comma must be quoted\n{GO_ON}");
    refused_and_skipped("a.csv", b"a,b\n1,2\n1,2,3\n4\n5,6\n", 3, error, &hints);
    refused(
        "a.csv",
        b"a,b\n",
        "",
        "a.csv: holds no documents",
        "hint: an empty collection takes 4096 bytes on disk; there is nothing to estimate\n",
    );
}

/// `mongoimport` drops it without a word; here it is said, after the reading that found it.
#[test]
fn a_last_tsv_line_that_is_left_out_is_told() {
    let answer = Case::new("estimate a.tsv --no-timing").file("a.tsv", b"a\tb\n1\t2\n3\t4").run();
    assert_eq!(
        answer.stderr,
        "note: a.tsv: a int32, b int32; 2 columns from the first 1 row\n\
         note: a.tsv: the last line has no line end and is left out, as mongoimport does with TSV\n"
    );
    assert_eq!(answer.code, 0);
}

#[test]
fn standard_input_holds_any_format_or_nothing() {
    for (bytes, documents) in [(&documents(3)[..], 3), (b"{\"a\":1} {\"a\":2}", 2), (b"a,b\n1,2\n", 1)] {
        let answer = Case::new("estimate - -q --no-timing -o json").stdin(bytes).run();
        let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!((answer.code, json["collections"][0]["documents"].as_u64()), (0, Some(documents)));
    }
    for (bytes, want) in [
        (
            &b""[..],
            "error: -: is empty (0 bytes)\n\n\
             hint: nothing came from standard input: did the command before the pipe fail?\n",
        ),
        (
            b"\x11\0\0\0\x10_id\0\x01\0\0\0\x0a-\0\0\x11\0",
            "error: -: document 1 at byte 17: the input ends after 2 of the 4 bytes of its length field\n\n\
             hint: to estimate from the document before it, pass `--on-bad-document skip`\n",
        ),
    ] {
        let answer = Case::new("estimate - -q").stdin(bytes).run();
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (2, "", want));
    }
}

#[test]
fn one_bad_input_among_several_stops_all_or_is_left_out() {
    let case = |args: &str| {
        let case = Case::new(&format!("estimate --no-timing -c none -o json -q {args}"));
        let case =
            case.file("good.bson", &documents(2)).file("empty.bson", b"").file("bad.bson", b"\x04\0\0\0");
        case.file(
            "good.metadata.json",
            b"{\"options\":{},\"indexes\":[],\"uuid\":\"\",\"collectionName\":\"good\"}",
        )
    };
    let answer = case("good.bson empty.bson").run();
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert_eq!(
        answer.stderr,
        "error: empty.bson: is empty (0 bytes)\n\n\
         hint: an empty collection takes 4096 bytes on disk; there is nothing to estimate\n\
         hint: to go on with the other inputs, pass `--on-bad-document skip`\n"
    );
    let answer = case("bad.bson empty.bson good.metadata.json good.bson --on-bad-document skip").run();
    assert_eq!((answer.code, answer.stderr.as_str()), (1, ""));
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(json["collections"].as_array().unwrap().len(), 1);
    assert_eq!(json["collections"][0]["name"], "good");
    assert_eq!(
        json["inputs_skipped"],
        serde_json::json!([
            "bad.bson: holds no document that can be taken; 1 was skipped: bad.bson: document 0 at byte 0: declared \
             length 4 is below the shortest document's 5 bytes",
            "empty.bson: is empty (0 bytes)",
            "good.metadata.json: is metadata of a mongodump directory, not documents",
        ])
    );
    let answer = case("bad.bson empty.bson --on-bad-document skip").run();
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "nothing is left");
    assert!(answer.stderr.starts_with("error: bad.bson: holds no document"), "{answer:?}");
    let answer = case("missing.bson good.bson --on-bad-document skip").run();
    assert_eq!(answer.code, 2, "what cannot be read is no bad document");
}

#[test]
fn an_input_that_is_left_out_is_told_on_standard_error() {
    let case = Case::new("estimate --no-timing empty.bson good.bson --on-bad-document skip");
    let answer = case.file("good.bson", &documents(2)).file("empty.bson", b"").run();
    assert_eq!(
        answer.stderr,
        "note: good.bson: BSON documents\nwarning: an input was left out: empty.bson: is empty (0 bytes)\n"
    );
}

#[test]
fn the_same_input_twice_is_refused_whatever_it_is_called() {
    let hint = "hint: leave out one of them: each input is a collection of its own\n";
    for (inputs, want) in [
        ("a.bson a.bson", "`a.bson` is given twice"),
        ("a.bson ./a.bson", "`a.bson` and `./a.bson` are the same file"),
    ] {
        let answer = Case::new(&format!("estimate {inputs}")).file("a.bson", &documents(1)).run();
        assert_eq!((answer.code, answer.stderr), (2, format!("error: {want}\n\n{hint}")));
    }
}

/// More files than a process may have open, all checked before the first is read.
#[cfg(target_os = "linux")]
#[test]
fn inputs_may_be_more_than_a_process_can_open() {
    let mut case = Case::new("");
    for nth in 0..40 {
        case = case.file(&format!("{nth}.bson"), &documents(1));
    }
    let program = env!("CARGO_BIN_EXE_pagepress");
    let script =
        format!("ulimit -n 20 && exec '{program}' estimate -q --no-timing -c none -o csv -j 1 *.bson");
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &script]).current_dir(case.path("")).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap().lines().count(),
        1 + 4 * 40,
        "a line each for two states and two states of _id_"
    );
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    fn pipe(case: &Case) {
        let made = Command::new("mkfifo").arg(case.path("pipe")).status().unwrap();
        assert!(made.success());
    }

    #[test]
    fn a_named_pipe_is_read_once() {
        let case = Case::new("estimate pipe -q --no-timing -o json");
        pipe(&case);
        let child = case.command().stdin(Stdio::null()).spawn().unwrap();
        fs::write(case.path("pipe"), documents(3)).unwrap();
        let output = child.wait_with_output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["collections"][0]["documents"], 3);
        let case = Case::new("estimate pipe ./pipe");
        pipe(&case);
        let answer = case.run();
        assert_eq!(
            (answer.code, answer.stderr.as_str()),
            (
                2,
                "error: `pipe` and `./pipe` are the same file\n\n\
                 hint: leave out one of them: each input is a collection of its own\n"
            )
        );
    }

    #[test]
    fn names_cannot_command_a_terminal_and_hints_can_be_pasted() {
        let name = "it's\n\u{1b}[31mred\u{202e}.bson";
        let shown = r"it's\n\u{1b}[31mred\u{202e}.bson";
        let cut = &documents(2)[..30];
        refused(
            name,
            cut,
            "",
            &format!(
                "{shown}: document 1 at byte 17: the input ends after 13 of its 17 bytes (4 are missing)"
            ),
            "hint: to estimate from the document before it, pass `--on-bad-document skip`\n\
             hint: to look at the place, run `xxd -s 17 -l 16 $'it\\'s\\n\\u001b[31mred\\u202e.bson'`\n",
        );
        let case = Case::new("estimate --no-timing -c none --on-bad-document skip").arg(name).file(name, cut);
        let answer = case.run();
        assert!(answer.stdout.starts_with(&format!("{}  1 documents", shown.trim_end_matches(".bson"))));
        let is_plain = |text: &str| text.lines().all(|line| !line.chars().any(char::is_control));
        assert!(is_plain(&answer.stdout) && is_plain(&answer.stderr), "{answer:?}");
        assert_eq!(
            answer.stderr,
            format!(
                "note: {shown}: BSON documents\nwarning: {shown}: 1 skipped, 1 counted\n  {shown}: document 1 at byte 17: \
                 the input ends after 13 of its 17 bytes (4 are missing)\n"
            )
        );
        let case = Case::new("estimate").arg("my dir");
        fs::create_dir(case.path("my dir")).unwrap();
        let answer = case.run();
        assert_eq!(
            answer.stderr,
            "error: my dir: is a directory\n\nhint: pass the files in it: `pagepress estimate 'my dir'/*.bson`\n"
        );
    }

    /// Another user's file, as far as a test that may run as root can have one.
    #[test]
    fn what_cannot_be_read_says_the_systems_answer() {
        let case = Case::new("estimate -q secret.bson").file("secret.bson", &documents(1));
        fs::set_permissions(case.path("secret.bson"), fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read(case.path("secret.bson")).is_err() {
            let answer = case.run();
            assert_eq!(
                (answer.code, answer.stderr.as_str()),
                (
                    2,
                    "error: secret.bson: cannot open: Permission denied (os error 13)\n\n\
                     hint: to see who may read it, run `ls -ld secret.bson`\n"
                )
            );
        }
        if cfg!(target_os = "linux") {
            let answer = Case::new("estimate /proc/self/mem").run();
            assert_eq!(
                (answer.code, answer.stderr.as_str()),
                (
                    2,
                    "error: /proc/self/mem: cannot read on from byte 0: Input/output error (os error 5)\n\n\
                     hint: to see whether it can be read at all, run `cat /proc/self/mem | wc -c`\n"
                )
            );
        }
    }

    #[test]
    fn places_that_cannot_be_written_are_told() {
        for (out, want) in [
            (
                "no/report.txt",
                "error: no/report.txt: cannot write: No such file or directory (os error 2)\n\n\
                 hint: the folder of `--out` must exist\n",
            ),
            (
                ".",
                "error: .: cannot write: Is a directory (os error 21)\n\n\
                 hint: name the file too, as in `--out ./report.txt`\n",
            ),
        ] {
            let case = Case::new(&format!("estimate a.bson --out {out}")).file("a.bson", &documents(1));
            let answer = case.run();
            assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (2, "", want));
        }
    }
}

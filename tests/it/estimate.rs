//! `pagepress estimate` as a program: streams, files, exit codes.

use crate::case::{Case, documents};
use std::fs;
use std::io::Read;
use std::process::Stdio;

#[test]
fn result_goes_to_standard_output_and_notes_to_standard_error() {
    let answer = Case::new("estimate logs.bson").file("logs.bson", &documents(3)).run();
    assert_eq!(answer.code, 0);
    assert!(
        answer.stdout.starts_with("logs  3 documents  51 B BSON  counted from logs.bson\n"),
        "{answer:?}"
    );
    assert_eq!(answer.stderr, "note: logs.bson: BSON documents\n");
}

#[test]
fn quiet_says_nothing_beside_the_result() {
    let loud = Case::new("estimate logs.bson --no-timing").file("logs.bson", &documents(3)).run();
    let quiet = Case::new("estimate logs.bson --no-timing --quiet").file("logs.bson", &documents(3)).run();
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    assert_eq!(quiet.stdout, loud.stdout);
}

#[test]
fn standard_input_is_an_input() {
    let answer = Case::new("estimate - --output json").stdin(&documents(2)).run();
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(answer.code, 0);
    assert_eq!(json["collections"][0]["documents"], 2);
    assert_eq!(json["collections"][0]["sources"][0], "-");
}

#[test]
fn each_input_is_a_collection() {
    let case = Case::new("estimate a.bson b.bson --output json");
    let answer = case.file("a.bson", &documents(1)).file("b.bson", &documents(2)).run();
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let names: Vec<_> = json["collections"].as_array().unwrap().iter().map(|each| &each["name"]).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn skipped_documents_leave_a_result_and_exit_code_1() {
    let mut bytes = documents(2);
    bytes.truncate(bytes.len() - 1);
    let reason = "logs.bson: document 1 at byte 17: the input ends after 16 of its 17 bytes (1 is missing)";

    let skipped = Case::new("estimate logs.bson --output json --on-bad-document skip");
    let answer = skipped.file("logs.bson", &bytes).run();
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(answer.code, 1);
    assert_eq!(json["collections"][0]["documents_skipped"], 1);
    assert_eq!(json["collections"][0]["skip_reasons"][0], reason);
    assert_eq!(
        answer.stderr,
        format!(
            "note: logs.bson: BSON documents\n\
             warning: logs.bson: 1 skipped, 1 counted\n  {reason}\n"
        )
    );

    let stopped = Case::new("estimate logs.bson --quiet").file("logs.bson", &bytes).run();
    assert_eq!((stopped.code, stopped.stdout.as_str()), (2, ""));
    assert_eq!(
        stopped.stderr,
        format!(
            "error: {reason}\n\n\
             hint: to estimate from the document before it, pass `--on-bad-document skip`\n\
             hint: to look at the place, run `xxd -s 17 -l 16 logs.bson`\n"
        )
    );
}

#[test]
fn an_input_that_is_missing_is_found_out_before_another_is_read() {
    let answer = Case::new("estimate logs.bson none.bson").file("logs.bson", &documents(1)).run();
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert_eq!(
        answer.stderr,
        "error: none.bson: cannot open: No such file or directory (os error 2)\n\n\
         hint: check the path; `-` reads standard input\n"
    );
}

#[test]
fn a_release_newer_than_the_rules_is_taken_and_said() {
    let case = || Case::new("estimate logs.bson --server 9.0").file("logs.bson", &documents(1));
    let note = "the rules of 9.0 are not known here; those of 8.0 are used and are unverified there";
    assert!(case().run().stdout.contains(&format!("\n{note}\n")));
    let answer = case().arg("--output=json").run();
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(
        (json["model"]["server"].as_str(), json["model"]["server_note"].as_str()),
        (Some("9.0"), Some(note))
    );
    assert!(answer.stderr.ends_with(&format!("note: {note}\n")));
    assert_eq!(answer.code, 0);
}

#[test]
fn model_options_reach_the_model() {
    let args = "estimate logs.bson -o json --server 6.0.5 --leaf-page-max 64K --allocation-size 8KiB \
                --memory-page-max 5m --cache-size 268435456";
    let answer = Case::new(args).file("logs.bson", &documents(1)).run();
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let model = &json["model"];
    assert_eq!(model["server"], "6.0.5");
    for (name, want) in [
        ("leaf_page_bytes_max", 65_536),
        ("allocation_bytes", 8192),
        ("memory_page_bytes_max", 5_242_880),
        ("cache_bytes", 268_435_456),
    ] {
        assert_eq!(model[name], want, "{name}");
    }
}

#[test]
fn out_writes_a_whole_file_and_nothing_to_standard_output() {
    let case = Case::new("estimate logs.bson --output csv --out result.csv").file("logs.bson", &documents(1));
    let answer = case.run();
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""));
    assert!(fs::read_to_string(case.path("result.csv")).unwrap().starts_with("collection,documents,"));
    assert_eq!(fs::read_dir(case.path("")).unwrap().count(), 2);
}

#[test]
fn out_keeps_the_old_file_when_the_run_fails() {
    let case = Case::new("estimate logs.bson --quiet --out result.txt");
    let case = case.file("logs.bson", &documents(1)[..9]).file("result.txt", b"old");
    assert_eq!(case.run().code, 2);
    assert_eq!(fs::read(case.path("result.txt")).unwrap(), b"old");
    assert_eq!(fs::read_dir(case.path("")).unwrap().count(), 2);
}

#[test]
fn out_in_a_folder_that_is_missing_is_an_error_with_a_remedy() {
    let answer = Case::new("estimate logs.bson --out no/result.txt").file("logs.bson", &documents(1)).run();
    assert_eq!(
        answer.stderr,
        "error: no/result.txt: cannot write: No such file or directory (os error 2)\n\n\
         hint: the folder of `--out` must exist\n"
    );
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
}

/// `pagepress … | head -1`: the reader has seen enough, which is no failure.
#[test]
fn a_broken_pipe_ends_quietly_with_success() {
    for args in ["estimate logs.bson --quiet", "facts", "estimate --help", "completions bash"] {
        let case = Case::new(args).file("logs.bson", &documents(1));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = case.command().stdout(writer).spawn().unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{args}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let case = Case::new("estimate logs.bson --quiet").file("logs.bson", &documents(1));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = case.command().stdout(Stdio::from(full)).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: standard output: cannot write: No space left on device (os error 28)\n\n\
         hint: nothing was kept; make room and run it again\n"
    );
}

#[test]
fn output_holds_no_colour_whatever_the_environment_says() {
    for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"), ("FORCE_COLOR", "1")] {
        for args in ["estimate logs.bson", "estimate --help", "estimate none.bson"] {
            let case = Case::new(args).file("logs.bson", &documents(1));
            let output = case.command().env(name, value).output().unwrap();
            assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b), "{name} {args}");
        }
    }
}

#[test]
fn explain_puts_a_sentence_for_each_column_under_the_table() {
    let answer = Case::new("estimate logs.bson --explain").file("logs.bson", &documents(1)).run();
    assert!(answer.stdout.contains("\nstorage/bson  storage divided by the BSON bytes"), "{answer:?}");
}

/// The figures of one run, as a program reads them.
fn storage(args: &str, bytes: &[u8]) -> Vec<serde_json::Value> {
    let answer = Case::new(&format!("estimate logs.bson -o json {args}")).file("logs.bson", bytes).run();
    assert_eq!(answer.code, 0, "{answer:?}");
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    json["collections"][0]["storage"].as_array().unwrap().clone()
}

#[test]
fn a_row_a_codec_in_the_order_that_was_typed() {
    let names = |args: &str| -> Vec<String> {
        let rows = storage(args, &documents(500));
        let name = |row: &serde_json::Value| {
            format!("{} {} {}", row["load"].as_str().unwrap(), row["codec"].as_str().unwrap(), row["level"])
        };
        rows.iter().map(name).collect()
    };
    assert_eq!(
        names("--no-timing --load settled"),
        ["settled none null", "settled snappy null", "settled zlib 6", "settled zstd 6"]
    );
    assert_eq!(
        names("--no-timing -c zstd:9,none"),
        ["settled zstd 9", "settled none null", "bulk zstd 9", "bulk none null"]
    );
    assert_eq!(names("--no-timing --load bulk -c zlib:1"), ["bulk zlib 1"]);
}

#[test]
fn figures_add_up_and_do_not_depend_on_threads() {
    let bytes = documents(40_000);
    let rows = storage("--no-timing --threads 1", &bytes);
    for row in &rows {
        let of = |name: &str| row[name].as_u64().unwrap();
        assert_eq!(
            of("storage_bytes"),
            of("leaf_block_bytes") + of("internal_block_bytes") + of("overhead_bytes")
        );
        assert!(
            of("storage_bytes_low") <= of("storage_bytes") && of("storage_bytes") <= of("storage_bytes_high")
        );
    }
    assert_eq!(storage("--no-timing --threads 7", &bytes), rows);
    assert_eq!(storage("--no-timing --threads 2", &bytes), rows);
}

/// What a server would have refused is counted, told with its rule, and the exit code says so.
#[test]
fn documents_that_an_index_refuses_leave_a_result_and_exit_code_1() {
    let json = b"{\"a\":[1,2],\"b\":3}\n{\"a\":[1],\"b\":[2]}\n";
    let case =
        Case::new("estimate a.json --no-timing -q --index").arg(r#"{"a":1,"b":1}"#).file("a.json", json);
    let answer = case.run();
    assert_eq!((answer.code, answer.stderr.as_str()), (1, ""));
    let line = "index a_1_b_1: a server would refuse 1 documents; the first: document 1: cannot index parallel arrays";
    assert!(answer.stdout.contains(line), "{}", answer.stdout);
}

#[test]
fn what_a_collection_is_follows_from_its_name_and_its_options() {
    let indexes = |args: &str, file: &str| {
        let case = Case::new(&format!("estimate {file} --no-timing -q -c none -o json {args}"));
        let answer = case.file(file, &documents(100)).run();
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let collection = json["collections"][0].clone();
        let names: Vec<String> =
            collection["indexes"].as_array().unwrap().iter().map(|row| row["name"].to_string()).collect();
        (names, collection)
    };
    let (names, buckets) = indexes("", "system.buckets.weather.bson");
    assert!(names.is_empty(), "{names:?}");
    assert_eq!((&buckets["clustered"], &buckets["server_codec"]), (&true.into(), &"zstd".into()));
    let (names, chunks) = indexes("", "fs.chunks.bson");
    assert!(names.contains(&"\"files_id_1_n_1\"".to_owned()), "{names:?}");
    assert_eq!((&chunks["clustered"], &chunks["server_codec"]), (&false.into(), &"snappy".into()));
    assert!(indexes("--clustered", "a.bson").0.is_empty());
    let (_, capped) = indexes("--capped 512 --capped-max 20", "a.bson");
    assert_eq!((&capped["documents"], &capped["cap_reached"]), (&20.into(), &true.into()));
    assert_eq!(capped["capped_bson_bytes_max"], 512);
}

/// The borders of `--server`: 6.0.6 cuts bulk leaves half full, 6.0.7 does not; 5.0, 7.0 and 8.0 do not either; no
/// release differs in the settled state.
#[test]
fn releases_differ_where_their_rules_do() {
    let sizes = |server: &str| {
        let case =
            Case::new(&format!("estimate a.bson --no-timing -q -o json -c none,zstd --server {server}"));
        let answer = case.file("a.bson", &documents(60_000)).run();
        let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let rows = json["collections"][0]["storage"].as_array().unwrap().clone();
        rows.iter().map(|row| row["storage_bytes"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let newest = sizes("8.0");
    for same in ["4.4", "5.0", "6.0.7", "6.0", "7.0", "7.0.2", "8.0.9"] {
        assert_eq!(sizes(same), newest, "{same}");
    }
    for half_full in ["6.0.0", "6.0.6"] {
        let old = sizes(half_full);
        assert_eq!(old[..2], newest[..2], "settled, {half_full}");
        assert!(
            old[2] > newest[2] * 21 / 20 && old[3] > newest[3] * 6 / 5,
            "bulk, {half_full}: {old:?} against {newest:?}"
        );
    }
}

#[test]
fn speeds_are_measured_unless_told_otherwise() {
    let bytes = documents(20_000);
    let measured = storage("--codec none,zstd:1", &bytes);
    assert!(measured[0]["compress_mb_per_s"].is_null());
    assert!(measured[1]["compress_mb_per_s"].as_f64().unwrap() > 0.0);
    let skipped = storage("--codec none,zstd:1 --no-timing", &bytes);
    assert!(
        skipped.iter().all(|row| row["compress_mb_per_s"].is_null() && row["image_bytes_timed"].is_null())
    );
}

#[test]
fn an_input_without_documents_has_no_result() {
    let answer = Case::new("estimate logs.bson -q").file("logs.bson", b"").run();
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert_eq!(
        answer.stderr,
        "error: logs.bson: is empty (0 bytes)\n\n\
         hint: an empty collection takes 4096 bytes on disk; there is nothing to estimate\n"
    );
}

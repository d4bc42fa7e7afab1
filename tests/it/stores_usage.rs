//! Other stores at the command line: whole messages, and reports that programs and people read.

use crate::case::Case;

fn refused(args: &str, want: &str) {
    let answer = Case::new(args).run();
    assert_eq!(answer.stderr, want, "{args}");
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args}");
}

#[test]
fn stores_that_are_not_there() {
    refused(
        "estimate --geometry zfs x",
        "error: --geometry: `zfs` is none of wiredtiger, btrfs, innodb\n\n\
         hint: `pagepress estimate --help` says what can be given\n",
    );
    refused(
        "estimate --on xfs:zstd:3 x",
        "error: --on: `xfs:zstd:3` is not on btrfs, the only file system that is known\n\n\
         hint: write it as in `--on btrfs:zstd:3`, or `--on btrfs` for all of its codecs\n",
    );
    refused(
        "estimate --geometry innodb --on btrfs:lzo x",
        "error: --on: only a collection of WiredTiger can lie on a file system\n\n\
         hint: leave out `--geometry`, or give the file to `--geometry btrfs` itself\n",
    );
    refused(
        "estimate --mount compress x",
        "error: --mount: it is about btrfs, and none is named\n\n\
         hint: name it: `--geometry btrfs` for a file, `--on btrfs:zstd:3` for a collection's file\n",
    );
}

#[test]
fn codecs_that_a_store_has_not() {
    refused(
        "estimate --geometry btrfs --codec snappy x",
        "error: --codec: `snappy` is none of btrfs's: none, zlib, lzo and zstd\n\n\
         hint: levels go behind a colon, further codecs behind a comma: `--codec zlib:3,lzo,zstd:3`\n",
    );
    refused(
        "estimate --geometry innodb --codec zstd:3 x",
        "error: --codec: `zstd` packs no table of InnoDB, neither in MySQL nor in MariaDB\n\n\
         hint: zstd is there for MySQL's connections and binary log; tables have `zlib`, `lz4` and `kbs:8`\n",
    );
    refused(
        "estimate --geometry innodb --codec brotli x",
        "error: --codec: `brotli` is none of innodb's: none, zlib, lz4, lzo, lzma, bzip2, snappy, kbs, mysql-zlib \
         and mysql-lz4\n\n\
         hint: levels go behind a colon, further codecs behind a comma: `--codec none,zlib:6,kbs:8`\n",
    );
    refused(
        "estimate --geometry btrfs --codec zlib,,lzo x",
        "error: --codec: a name is missing in `zlib,,lzo`\n\nhint: write them as in `none,zlib:3`\n",
    );
    refused(
        "estimate --geometry btrfs --codec zlib,zlib:3 x",
        "error: --codec: `zlib:3` is listed twice\n\nhint: a codec without a level means its default level\n",
    );
}

#[test]
fn levels_outside_a_stores_range() {
    let clamped = "hint: a mount would take the nearest level without a word: write that one\n";
    for level in ["16", "22", "0", "-16"] {
        let range = "1 to 15, and -15 to -1";
        refused(
            &format!("estimate --geometry btrfs --codec zstd:{level} x"),
            &format!(
                "error: --codec: level {level} in `zstd:{level}` is outside btrfs's range for zstd: {range}\n\n{clamped}"
            ),
        );
    }
    refused(
        "estimate --geometry btrfs --codec zlib:10 x",
        "error: --codec: level 10 in `zlib:10` is outside btrfs's range for zlib: 1 to 9\n\n\
         hint: not to pack at all is `none`\n",
    );
    refused(
        "estimate --geometry btrfs --codec zstd:fast x",
        "error: --codec: `fast` in `zstd:fast` is not a level: btrfs's zstd takes 1 to 15, and -15 to -1\n",
    );
    refused(
        "estimate --geometry btrfs --codec lzo:1 x",
        "error: --codec: `lzo:1` has a level, and lzo has no levels\n\nhint: write `lzo`\n",
    );
    refused(
        "estimate --geometry innodb --codec zlib:0 x",
        "error: --codec: level 0 in `zlib:0` is outside innodb's range for zlib: 1 to 9\n\n\
         hint: not to pack at all is `none`\n",
    );
    refused(
        "estimate --geometry innodb --codec lzma:10 x",
        "error: --codec: level 10 in `lzma:10` is outside innodb's range for lzma: 0 to 9\n\n\
         hint: a server uses `lzma:6` unless told otherwise\n",
    );
    refused(
        "estimate --geometry innodb --codec kbs:3 x",
        "error: --codec: `kbs:3` is no KEY_BLOCK_SIZE: it is 1, 2, 4, 8 or 16 (KiB)\n\n\
         hint: as in `--codec kbs:8`, which is half a page, a server's default\n",
    );
    refused(
        "estimate --on btrfs:zstd:16 x",
        &format!(
            "error: --codec: level 16 in `zstd:16` is outside btrfs's range for zstd: 1 to 15, and -15 to -1\n\n{clamped}"
        )
        .replace("--codec", "--on"),
    );
}

#[test]
fn options_that_a_store_has_not() {
    let leave_out = "hint: leave it out, or leave out `--geometry`\n";
    for (geometry, why) in [
        ("btrfs", "a file system has no indexes"),
        ("innodb", "its primary key is the table itself, and no other index is modelled"),
    ] {
        let case = Case::new(&format!("estimate --geometry {geometry} x --index")).arg("{\"a\":1}").run();
        let want = format!("error: --index: not with `--geometry {geometry}`: {why}\n\n{leave_out}");
        assert_eq!((case.code, case.stderr), (2, want));
    }
    for option in [
        "--load settled",
        "--server 8.0",
        "--clustered",
        "--capped 1G",
        "--cache-size 1G",
        "--leaf-page-max 32K",
    ] {
        let flag = option.split(' ').next().unwrap();
        refused(
            &format!("estimate --geometry btrfs {option} x"),
            &format!(
                "error: {flag}: not with `--geometry btrfs`: it is about tables of WiredTiger\n\n{leave_out}"
            ),
        );
    }
    refused(
        "estimate --geometry btrfs --format bson x",
        "error: --format: not with `--geometry btrfs`: a file is stored as it is, whatever it holds\n\n\
         hint: leave it out\n",
    );
    refused(
        "estimate --geometry innodb --mount compress x",
        &format!("error: --mount: not with `--geometry innodb`: it is about btrfs\n\n{leave_out}"),
    );
    for option in ["--output html", "--plots p", "--walk"] {
        let flag = if option.starts_with("--plots") { "--plots" } else { option };
        refused(
            &format!("estimate --geometry innodb {option} x"),
            &format!(
                "error: {flag}: not with another store: it shows collections of WiredTiger by themselves\n\n\
                 hint: take `--output markdown`, `csv` or `json`\n"
            ),
        );
    }
    refused(
        "estimate --on btrfs:lzo --clustered x",
        "error: --clustered: not with `--on`: only the file of a plain collection is rebuilt byte by byte\n\n\
         hint: leave out one of them\n",
    );
}

#[test]
fn inputs_that_cannot_be_read() {
    refused(
        "estimate --geometry btrfs nowhere",
        "error: nowhere: cannot open: No such file or directory (os error 2)\n\n\
         hint: check the path; `-` reads standard input\n",
    );
    let answer =
        Case::new("estimate --geometry innodb cut.bson").file("cut.bson", b"\x10\0\0\0\x10_id\0").run();
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("cut.bson: document 0 at byte 0"), "{}", answer.stderr);
}

fn json(case: &Case) -> serde_json::Value {
    let answer = case.run();
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

fn sample() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/data/samples/flights.bson")).unwrap()
}

#[test]
fn a_file_on_btrfs_has_extents_and_no_documents() {
    let case = Case::new("estimate --geometry btrfs --codec none,lzo,zstd:3 --output json f.bson");
    let report = json(&case.file("f.bson", &sample()));
    assert_eq!(report["model"]["geometry"], "btrfs");
    let file = &report["collections"][0];
    assert!(file["documents"].is_null() && file["bson_bytes"].is_null());
    assert_eq!(file["input_bytes"], 1_569_119);
    assert_eq!(file["storage"][0]["storage_bytes"], 1_572_864);
    assert_eq!(file["storage"][2]["extents"], 12);
    assert!(file["storage"][2]["ratio_storage_to_bson"].is_null());
    for row in file["storage"].as_array().unwrap() {
        let parts =
            ["packed_bytes", "kept_raw_bytes", "padding_bytes"].map(|part| row[part].as_u64().unwrap());
        assert_eq!(parts.iter().sum::<u64>(), row["storage_bytes"], "every byte has an owner: {row}");
    }
}

#[test]
fn results_do_not_depend_on_threads_or_on_how_the_input_comes() {
    for args in ["--geometry btrfs", "--geometry innodb", "--on btrfs"] {
        let run = |threads: usize| {
            let case = Case::new(&format!("estimate {args} -j {threads} --output csv -"));
            let answer = case.stdin(&sample()).run();
            assert_eq!(answer.code, 0, "{}", answer.stderr);
            answer.stdout
        };
        let one = run(1);
        assert_eq!(one, run(2), "{args}");
        assert_eq!(one, run(7), "{args}");
    }
}

/// The file that is rebuilt byte by byte is as long as the estimate says.
#[test]
fn a_collections_file_below_each_codec_has_the_length_that_is_estimated() {
    let estimate = json(&Case::new("estimate --no-timing --output json f.bson").file("f.bson", &sample()));
    let stack =
        json(&Case::new("estimate --on btrfs --load both --output json f.bson").file("f.bson", &sample()));
    let rows = stack["collections"][0]["storage"].as_array().unwrap();
    assert_eq!(rows.len(), 8 * 4);
    for row in rows {
        let of = estimate["collections"][0]["storage"].as_array().unwrap().iter();
        let table = of
            .into_iter()
            .find(|table| (&table["load"], &table["codec"]) == (&row["load"], &row["table_codec"]));
        assert_eq!(row["table_bytes"], table.unwrap()["storage_bytes"], "{row}");
        if row["codec"] == "none" {
            assert_eq!(row["table_bytes"], row["storage_bytes"]);
        }
    }
}

#[test]
fn a_table_of_documents_says_what_was_never_used() {
    let case = Case::new("estimate --geometry innodb --codec none,zlib:6,kbs:8 --output json f.bson");
    let report = json(&case.file("f.bson", &sample()));
    let table = &report["collections"][0];
    assert_eq!((&table["documents"], &table["bson_bytes"]), (&5000.into(), &1_569_119.into()));
    let [whole, packed, rows] = &table["storage"].as_array().unwrap()[..] else { panic!("three rows") };
    assert_eq!(whole["storage_bytes"], 10_485_760);
    assert_eq!((&whole["page_bytes"], &rows["page_bytes"]), (&16_384.into(), &8192.into()));
    assert!(whole["never_used_bytes"].as_u64().unwrap() > 8_000_000);
    assert!(packed["never_used_bytes"].is_null() && packed["storage_bytes"].as_u64().unwrap() < 600_000);
}

#[test]
fn tables_for_people_show_only_what_a_store_has() {
    for (args, has, has_not) in [
        ("--geometry btrfs", "extents", "leaf"),
        ("--geometry innodb", "never used", "extents"),
        ("--on btrfs:zstd:3", "table's", "never used"),
    ] {
        for output in ["table", "markdown"] {
            let case = Case::new(&format!("estimate {args} --explain --output {output} f.bson"));
            let answer = case.file("f.bson", &sample()).run();
            assert_eq!(answer.code, 0, "{}", answer.stderr);
            let shown = answer.stdout.split("\nstorage:").next().unwrap().to_owned();
            let (table, _) =
                shown.split_once("a file system has no indexes").or(shown.split_once("must not be")).unwrap();
            assert!(table.contains(has), "{table}");
            let head: String = table.lines().skip(3).take(5).collect();
            assert!(!head.contains(has_not), "{args}: {head}");
        }
    }
}

//! Whole messages for everything that can be typed wrong: exit code 2, nothing on standard output.

use crate::case::Case;

fn refused(args: &str, want: &str) {
    refused_case(&Case::new(args), args, want);
}

fn refused_case(case: &Case, what: &str, want: &str) {
    let answer = case.run();
    assert_eq!(answer.stderr, want, "{what}");
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{what}");
}

#[test]
fn commands_that_are_not_there() {
    refused(
        "",
        "error: no command given\n\n\
         hint: to estimate from a file, run `pagepress estimate FILE`\n\
         hint: `pagepress --help` lists the commands\n",
    );
    refused(
        "logs.bson",
        "error: `logs.bson` is no command\n\n\
         hint: to estimate from a file, run `pagepress estimate logs.bson`\n\
         hint: `pagepress --help` says what can be given\n",
    );
    refused(
        "estimte x",
        "error: `estimte` is no command\n\n\
         hint: did you mean `estimate`?\n\
         hint: `pagepress --help` says what can be given\n",
    );
    refused("man nope", "error: `nope` is no command\n\nhint: `pagepress --help` lists the commands\n");
}

#[test]
fn options_and_arguments_that_are_not_there() {
    let see = "hint: `pagepress estimate --help` says what can be given\n";
    refused("estimate", &format!("error: `pagepress estimate` needs INPUT\n\n{see}"));
    refused("estimate --frob x", &format!("error: `--frob` is no option of `pagepress estimate`\n\n{see}"));
    refused(
        "estimate --codecs x",
        &format!(
            "error: `--codecs` is no option of `pagepress estimate`\n\nhint: did you mean `--codec`?\n{see}"
        ),
    );
    refused("estimate --out a --out b x", &format!("error: --out is given twice\n\n{see}"));
    refused("estimate x --threads", &format!("error: --threads: the value is missing\n\n{see}"));
    refused(
        "facts x",
        "error: `x` is one argument too many for `pagepress facts`\n\n\
         hint: `pagepress facts --help` says what can be given\n",
    );
    refused(
        "--verbose",
        "error: an option that was given needs --version as well\n\n\
         hint: `pagepress --help` says what can be given\n",
    );
}

#[test]
fn words_that_are_none_of_those_allowed() {
    let see = "hint: `pagepress estimate --help` says what can be given\n";
    for (args, want) in [
        ("--format xml", "--format: `xml` is none of bson, json, csv, tsv"),
        ("--on-bad-document 7", "--on-bad-document: `7` is none of stop, skip"),
        ("--output 7", "--output: `7` is none of table, json, csv, markdown, html"),
        ("--load fresh", "--load: `fresh` is none of settled, bulk, both"),
    ] {
        refused(&format!("estimate {args} x"), &format!("error: {want}\n\n{see}"));
    }
    refused(
        "estimate x --format",
        &format!(
            "error: --format: the value is missing\n\nhint: it takes one of bson, json, csv, tsv\n{see}"
        ),
    );
}

#[test]
fn codecs_and_levels_that_no_server_has() {
    for (list, what, hint) in [
        (
            "lz4",
            "`lz4` is none of none, snappy, zlib and zstd",
            "levels go behind a colon, further codecs behind a comma: `--codec snappy,zstd:9`",
        ),
        (
            "ZSTD",
            "`ZSTD` is none of none, snappy, zlib and zstd",
            "names are in lower case: `zstd`\n\
             hint: levels go behind a colon, further codecs behind a comma: `--codec snappy,zstd:9`",
        ),
        (
            "none,,zstd",
            "a name is missing in `none,,zstd`",
            "write them as in `--codec none,snappy,zlib:6,zstd:6`",
        ),
        (
            "zstd:0",
            "level 0 in `zstd:0` is outside zstd's range of 1 to 22",
            "to the zstd library 0 means its own default of 3; a server's default is `zstd:6`",
        ),
        (
            "zstd:23",
            "level 23 in `zstd:23` is outside zstd's range of 1 to 22",
            "a server uses `zstd:6` unless told otherwise",
        ),
        (
            "zstd:-5",
            "level -5 in `zstd:-5` is outside zstd's range of 1 to 22",
            "a server uses `zstd:6` unless told otherwise",
        ),
        (
            "zlib:0",
            "level 0 in `zlib:0` is outside zlib's range of 1 to 9",
            "zlib's level 0 packs nothing; what a server has for that is `none`",
        ),
        (
            "zlib:10",
            "level 10 in `zlib:10` is outside zlib's range of 1 to 9",
            "a server uses `zlib:6` unless told otherwise",
        ),
        (
            "zstd:fast",
            "`fast` in `zstd:fast` is not a level: zstd takes a whole number from 1 to 22",
            "a server uses `zstd:6` unless told otherwise",
        ),
        (
            "zlib:",
            "the level is missing in `zlib:`: zlib takes a whole number from 1 to 9",
            "a server uses `zlib:6` unless told otherwise",
        ),
        ("snappy:3", "`snappy:3` has a level, and snappy has no levels", "write `snappy`"),
        ("none:1", "`none:1` has a level, and none has no levels", "write `none`"),
        ("zstd:6,zstd", "zstd:6 is listed twice", "`zstd` without a level means `zstd:6`, as on a server"),
        ("snappy,snappy", "snappy is listed twice", "leave out one `snappy`"),
    ] {
        refused(&format!("estimate x --codec {list}"), &format!("error: --codec: {what}\n\nhint: {hint}\n"));
    }
    let empty = Case::new("estimate x --codec").arg("");
    let want = "error: --codec: a name is missing in ``\n\nhint: write them as in `--codec none,snappy,zlib:6,zstd:6`\n";
    refused_case(&empty, "empty list", want);
}

#[test]
fn releases_without_rules() {
    for text in ["abc", "8", "8.0.0-rc1"] {
        refused(
            &format!("estimate x --server {text}"),
            &format!(
                "error: --server: `{text}` is not a release: write MAJOR.MINOR or MAJOR.MINOR.PATCH\n\n\
                 hint: as in `--server 8.0` or `--server 6.0.5`\n"
            ),
        );
    }
    for text in ["3.6", "5.1"] {
        refused(
            &format!("estimate x --server {text}"),
            &format!(
                "error: --server: the rules of release {text} are not known; known are 4.4, 5.0, 6.0, 7.0, 8.0, \
                 and newer ones follow the last\n\n\
                 hint: pass the known release that is nearest to it\n"
            ),
        );
    }
}

#[test]
fn sizes_that_the_engine_refuses() {
    for (args, what, hint) in [
        (
            "--leaf-page-max 32Q",
            "--leaf-page-max: `32Q` is not a size: write a whole number of bytes, or one followed by K, M, G or T (powers of 1024)",
            "as in `--leaf-page-max 32K`",
        ),
        (
            "--cache-size 99999999999T",
            "--cache-size: `99999999999T` is more than 18446744073709551615 bytes",
            "as in `--cache-size 1G`",
        ),
        (
            "--allocation-size 3000",
            "--allocation-size: 3000 is not a power of two from 512 to 134217728 bytes (128 MiB)",
            "nearest to it: 2048 or 4096\nhint: a server's tables use 4096",
        ),
        (
            "--allocation-size 256M",
            "--allocation-size: 268435456 is not a power of two from 512 to 134217728 bytes (128 MiB)",
            "nearest to it: 134217728\nhint: a server's tables use 4096",
        ),
        (
            "--allocation-size 0",
            "--allocation-size: 0 is not a power of two from 512 to 134217728 bytes (128 MiB)",
            "nearest to it: 512\nhint: a server's tables use 4096",
        ),
        (
            "--leaf-page-max 10000",
            "--leaf-page-max: leaf page maximum 10000 is not a multiple of the allocation size 4096",
            "nearest to it: 8192 or 12288",
        ),
        (
            "--leaf-page-max 1G",
            "--leaf-page-max: leaf page maximum 1073741824 is outside WiredTiger's range of 512 to 536870912 bytes (512 MiB)",
            "a server's collections use 32768 (32 KiB)",
        ),
        (
            "--memory-page-max 100",
            "--memory-page-max: memory page maximum 100 is outside WiredTiger's range of 512 bytes to 10995116277760 (10 TiB)",
            "a server's collections use 10485760 (10 MiB)",
        ),
        (
            "--cache-size 1M",
            "--cache-size: cache of 1048576 bytes is outside the range of 268435456 (256 MiB) to 10995116277760 (10 TiB)",
            "without `--cache-size` it is 1073741824 (1 GiB)",
        ),
    ] {
        refused(&format!("estimate x {args}"), &format!("error: {what}\n\nhint: {hint}\n"));
    }
}

#[test]
fn threads_that_are_no_number_of_threads() {
    for text in ["0", "-1", "1025", "many"] {
        refused(
            &format!("estimate x --threads={text}"),
            &format!(
                "error: --threads: `{text}` is not a whole number from 1 to 1024\n\n\
                 hint: leave it out to use all cores; the result does not depend on it\n"
            ),
        );
    }
}

#[test]
fn inputs_and_outputs_that_get_in_each_others_way() {
    refused(
        "estimate - -",
        "error: `-` is given twice, and standard input can be read only once\n\n\
         hint: give `-` once, or save the stream to a file\n",
    );
    refused(
        "estimate x --output csv --explain",
        "error: --explain: csv output holds figures only\n\n\
         hint: `--explain` goes with `--output table` and `--output markdown`\n",
    );
    let case = Case::new("estimate logs.bson --out ./logs.bson").file("logs.bson", b"precious");
    refused_case(
        &case,
        "output over input",
        "error: --out: `./logs.bson` is also an input\n\nhint: give the result a name of its own\n",
    );
    assert_eq!(std::fs::read(case.path("logs.bson")).unwrap(), b"precious");
}

#[cfg(feature = "live")]
#[test]
fn what_verify_cannot_do() {
    let file = |args: &str| Case::new(&format!("verify {args}")).file("a.bson", &crate::case::documents(1));
    for (args, error, hint) in [
        (
            "a.bson",
            "there is no server to measure on",
            "pass `--spawn MONGOD` to start one and remove it afterwards, or `--uri URI --allow-writes`",
        ),
        (
            "a.bson --uri mongodb://eve:s3cret@h",
            "--uri: a running server is written to only with --allow-writes",
            "documents go into a database `pagepress_verify_...` of their own, which is dropped afterwards",
        ),
        (
            "a.bson --allow-writes --uri mongodb://eve:s3cret@h/shop.orders",
            "--uri: mongodb://h/shop.orders: names a collection, and `verify` makes its own database",
            "name hosts only, as in `--uri mongodb://localhost:27017`",
        ),
        (
            "a.bson --spawn mongod --drop-left-over",
            "--drop-left-over: goes with --uri; what --spawn starts leaves nothing",
            "leave it out",
        ),
        (
            "- --spawn mongod",
            "`-` cannot be read again, and `verify` reads each input for the prediction and for each load",
            "save it to a file and pass that",
        ),
        (
            "a.bson --spawn mongod --repeat 0",
            "--repeat: `0` is not a whole number from 1 to 100",
            "as in `--repeat 3`",
        ),
        (
            "a.bson --spawn mongod --tolerance 101%",
            "--tolerance: `101%` is not a number of per cent from 0 to 100",
            "as in `--tolerance 2%`",
        ),
        (
            "a.bson --allow-writes --uri mongodb://h --scan",
            "--scan: only a server of --spawn can be restarted to empty its cache",
            "pass `--spawn MONGOD`",
        ),
        (
            "a.bson --spawn mongod --codec zlib:9",
            "--codec: zlib:9 cannot be measured: a server packs with zlib:6 and no other level",
            "write `zlib`",
        ),
        (
            "a.bson --spawn mongod --read-mb-per-s 0",
            "--read-mb-per-s: `0` is not a number of megabytes above 0",
            "as in `--read-mb-per-s 20`",
        ),
    ] {
        refused_case(&file(args), args, &format!("error: {error}\n\nhint: {hint}\n"));
    }
    refused(
        "verify a.bson --spawn x --uri mongodb://eve:s3cret@h",
        "error: --spawn does not go with --uri\n\nhint: `pagepress verify --help` says what can be given\n",
    );
}

#[test]
fn limits_of_capped_collections() {
    refused(
        "estimate --capped 0 x",
        "error: --capped: a limit of 0 bytes holds no document\n\n\
         hint: as in `--capped 1G`; leave it out for a collection without a limit\n",
    );
    for text in ["0", "2147483648", "x", "-1"] {
        refused(
            &format!("estimate --capped 1G --capped-max {text} x"),
            &format!(
                "error: --capped-max: `{text}` is not a whole number of documents from 1 to 2147483647\n\n\
                 hint: as in `--capped 1G --capped-max 1000000`\n"
            ),
        );
    }
    let see = "hint: `pagepress estimate --help` says what can be given\n";
    refused(
        "estimate --capped 1G --clustered x",
        &format!("error: --capped does not go with --clustered\n\n{see}"),
    );
    refused(
        "estimate --capped-max 1 x",
        &format!("error: an option that was given needs --capped as well\n\n{see}"),
    );
    refused(
        "estimate --index-memory 1x x",
        "error: --index-memory: `1x` is not a size: write a whole number of bytes, or one followed by K, M, G or T (powers of 1024)\n\n\
         hint: as in `--index-memory 1G`\n",
    );
}

//! What is left when a run or a server ends badly, and whole messages of servers that do not do what they are asked.

use crate::case::{Answer, Case, documents};
use crate::fake_server::FakeServer;
use crate::test_server::{TestServer, mongod, signal, until};
use mongodb::bson::doc;
use pagepress::mongod::{KeyedBy, Scratch};
use std::{
    fs,
    os::unix::process::ExitStatusExt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    process::{Child, Command},
};

/// Loads that go on until they are stopped.
const ENDLESS: &str = "verify -q --load settled --repeat 100 -c none";

fn running(server: &TestServer, case: &Case) -> Child {
    let client = case.command().spawn().unwrap();
    until("the database is there", || !server.connect().left_over().unwrap().is_empty());
    client
}

fn endless_at(server: &TestServer) -> Case {
    let case = Case::new(&format!("{ENDLESS} --allow-writes --uri")).arg(&server.uri());
    case.arg("a.bson").file("a.bson", &documents(20_000))
}

fn refused(case: &Case, error: &str, hints: &[&str]) {
    let Answer { code, stdout, stderr } = case.run();
    let hints = hints.join("\nhint: ");
    assert_eq!(stderr, format!("error: {error}\n\nhint: {hints}\n"));
    assert_eq!((code, stdout.as_str()), (2, ""));
}

#[test]
fn the_database_is_dropped_after_an_interrupt_and_the_process_ends_by_it() {
    let Some(mongod) = mongod("6.0.5") else { return };
    let server = TestServer::start(&mongod, &[]);
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let case = endless_at(&server);
        let mut client = running(&server, &case);
        signal(&client, name);
        assert_eq!(client.wait().unwrap().signal(), Some(number), "SIG{name}");
        assert!(server.connect().left_over().unwrap().is_empty(), "SIG{name}");
    }
}

/// Nobody can clean up after SIGKILL; the next run says what is there, and drops it when it is told to.
#[test]
fn what_a_killed_run_left_is_named_by_the_next_one_and_dropped_on_request() {
    let Some(mongod) = mongod("6.0.5") else { return };
    let server = TestServer::start(&mongod, &[]);
    let case = endless_at(&server);
    let mut client = running(&server, &case);
    client.kill().unwrap();
    client.wait().unwrap();
    let left = server.connect().left_over().unwrap();
    assert_eq!(left.len(), 1);
    let next = |args: &str| {
        let case = Case::new(&format!("verify --load settled -c none --allow-writes {args} --uri"));
        case.arg(&server.uri()).arg("a.bson").file("a.bson", &documents(100)).run()
    };
    let named = next("");
    assert_eq!(
        named.stderr,
        format!(
            "note: database `{}` is there from an earlier run that was killed, or from one that is at work; \
             `--drop-left-over` drops it\nnote: a.bson: BSON documents\n",
            left[0]
        )
    );
    assert_eq!((named.code, server.connect().left_over().unwrap()), (0, left.clone()));
    let only_cleans = Case::new("verify --allow-writes --drop-left-over --uri").arg(&server.uri()).run();
    assert_eq!(only_cleans.stderr, format!("note: dropped database `{}` of an earlier run\n", left[0]));
    assert_eq!((only_cleans.code, only_cleans.stdout.as_str()), (0, ""));
    assert!(server.connect().left_over().unwrap().is_empty());
}

#[test]
fn the_database_is_dropped_after_a_panic() {
    let Some(mongod) = mongod("6.0.5") else { return };
    let server = TestServer::start(&mongod, &[]);
    let connected = server.connect();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let scratch = Scratch::new(&connected).unwrap();
        let collection = pagepress::mongod::NewCollection {
            name: "c".to_owned(),
            config: String::new(),
            keyed_by: KeyedBy::Number,
        };
        scratch.create(&collection).unwrap();
        assert_eq!(connected.left_over().unwrap(), [scratch.database()]);
        panic!("as a bug would");
    }));
    assert!(outcome.is_err());
    assert!(connected.left_over().unwrap().is_empty());
}

#[test]
fn a_server_that_is_killed_is_told_with_the_database_that_stays() {
    let Some(mongod) = mongod("6.0.5") else { return };
    let mut server = TestServer::start(&mongod, &[]);
    let case = endless_at(&server);
    let client = running(&server, &case);
    let database = server.connect().left_over().unwrap().remove(0);
    server.kill();
    let output = client.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let uri = server.uri();
    assert!(stderr.starts_with(&format!("error: {uri}: loading: the connection is lost: ")), "{stderr}");
    assert!(
        stderr.ends_with(&format!(
            "hint: database `{database}` could not be dropped and is still there: when the server is back, run \
             `pagepress verify --drop-left-over --allow-writes --uri {uri}`\n"
        )),
        "{stderr}"
    );
}

/// Folders of throw-away servers below one folder, and whether a process still works in one.
fn left_in(folder: &Path) -> (usize, bool) {
    let folders = fs::read_dir(folder).unwrap().count();
    let name = folder.display().to_string();
    let works = fs::read_dir("/proc").is_ok_and(|processes| {
        processes.filter_map(Result::ok).any(|process| {
            let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line);
            line.contains("--dbpath") && line.contains(&name)
        })
    });
    (folders, works)
}

/// SIGKILL too: a watchdog waits for it.
#[test]
fn a_throw_away_server_goes_with_its_client_however_that_ends() {
    let Some(mongod) = mongod("6.0.5") else { return };
    for name in ["INT", "TERM", "KILL"] {
        let folder = tempfile::tempdir().unwrap();
        let case = Case::new(&format!("{ENDLESS} --spawn")).arg(&mongod.display().to_string());
        let case = case.arg("a.bson").file("a.bson", &documents(20_000));
        let mut client = case.command().env("TMPDIR", folder.path()).spawn().unwrap();
        until("a server works", || left_in(folder.path()) == (1, true));
        signal(&client, name);
        client.wait().unwrap();
        until("nothing is left", || left_in(folder.path()) == (0, false));
    }
}

#[test]
fn a_throw_away_server_leaves_nothing_after_a_complete_run_and_after_an_error() {
    let Some(mongod) = mongod("6.0.5") else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = |index: &str| {
        let case = Case::new("verify -q --load settled -c none --index").arg(index);
        let case = case.arg("--spawn").arg(&mongod.display().to_string()).arg("a.bson");
        let case = case.file("a.bson", &documents(1000));
        let output = case.command().env("TMPDIR", folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run(r#"{"x":1}"#).0, Some(0));
    assert_eq!(left_in(folder.path()), (0, false));
    let (code, stderr) = run(r#"{"key":{"x":1},"unique":true}"#);
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains(": document 1 (17 B) is refused by the server: E11000 duplicate key error"),
        "{stderr}"
    );
    assert_eq!(left_in(folder.path()), (0, false));
}

/// A server without room ends; the reason is in its log, which is gone when the message is read.
#[test]
fn a_server_that_ends_while_it_is_loaded_is_told_with_the_last_words_of_its_log() {
    let Some(mongod) = mongod("6.0.5") else { return };
    let case = Case::new("verify -q --load settled -c none --spawn ./mongod a.bson");
    // Files of 1 MiB at most, in blocks of 512 bytes.
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exec {0} --version\nulimit -f 2048\nexec {0} \"$@\"\n",
        mongod.display()
    );
    let case = case.file("mongod", script.as_bytes()).file("a.bson", &documents(300_000));
    Command::new("chmod").arg("+x").arg(case.path("mongod")).status().unwrap();
    let Answer { code, stdout, stderr } = case.run();
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.starts_with("error: ./mongod: "), "{stderr}");
    assert!(stderr.contains("the server has ended ("), "{stderr}");
    assert!(stderr.contains("hint: a throw-away server writes below TMPDIR"), "{stderr}");
}

#[test]
fn no_server_is_told_with_the_reason() {
    let hint = "check host and port; behind a firewall or without TLS a server seems not to be there";
    let address = "mongodb://eve:s3cret@127.0.0.1:1/a.b?serverSelectionTimeoutMS=300";
    refused(
        &Case::new("estimate -q").arg(address),
        "mongodb://127.0.0.1:1/a.b: no server answers: I/O error: Connection refused (os error 111)",
        &[hint],
    );
    let case = Case::new(
        "verify -q --allow-writes --uri mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300 a.bson",
    );
    refused(
        &case.file("a.bson", &documents(1)),
        "mongodb://127.0.0.1:1: no server answers: I/O error: Connection refused (os error 111)",
        &[hint],
    );
}

#[test]
fn addresses_that_name_no_collection_or_hold_a_secret_in_the_wrong_place() {
    refused(
        &Case::new("estimate mongodb://eve:s3cret@h/shop"),
        "mongodb://h/shop: names no collection",
        &["name database and collection behind the hosts: mongodb://HOST/shop.orders"],
    );
    refused(
        &Case::new("estimate mongodb://eve:s3/cret@h/shop.orders"),
        "mongodb://h/shop.orders: `/`, `:`, `@`, `?` and `%` in a user or password must be percent-encoded",
        &["write it as mongodb://USER:PASSWORD@HOST:PORT/DATABASE.COLLECTION?OPTIONS"],
    );
    refused(
        &Case::new("mongodb://eve:s3cret@h/shop.orders"),
        "`mongodb://h/shop.orders` is no command",
        &[
            "to estimate from a file, run `pagepress estimate mongodb://h/shop.orders`",
            "`pagepress --help` says what can be given",
        ],
    );
}

#[test]
fn a_router_is_told_what_works_through_it() {
    let server = FakeServer::start(doc! { "msg": "isdbgrid", "maxWireVersion": 17 }, "6.0.27");
    let case = Case::new("verify -q --allow-writes --uri").arg(&server.uri()).arg("a.bson");
    refused(
        &case.file("a.bson", &documents(1)),
        &format!("{}: is a sharded router (mongos), which has no files of its own to measure", server.uri()),
        &[
            "through a router `estimate` works: it reads the documents of all shards",
            "to verify, pass `--spawn MONGOD`, or the address of a server that is no part of a cluster",
        ],
    );
}

#[test]
fn a_server_older_than_the_known_rules_is_told_its_version() {
    let hint = "to verify against a newer one, pass `--spawn MONGOD`";
    let server = FakeServer::start(doc! { "maxWireVersion": 8 }, "4.2.24");
    let case = Case::new("verify -q --allow-writes --uri").arg(&server.uri()).arg("a.bson");
    refused(
        &case.file("a.bson", &documents(1)),
        &format!(
            "{}: is older than server 4.4: Server at {} reports wire version 8, but this version of the MongoDB Rust \
             driver requires at least 9 (MongoDB 4.4).",
            server.uri(),
            server.uri().trim_start_matches("mongodb://")
        ),
        &["to estimate from it, dump it with its own mongodump and pass the .bson files", hint],
    );
    let case = Case::new("verify -q --spawn ./mongod a.bson").file("a.bson", &documents(1));
    let case = case.file("mongod", b"#!/bin/sh\necho 'db version v4.2.24'\n");
    Command::new("chmod").arg("+x").arg(case.path("mongod")).status().unwrap();
    refused(&case, "./mongod: is a server of version 4.2.24; the oldest that is measured is 4.4", &[hint]);
}

#[test]
fn programs_that_are_no_mongod() {
    let hint = "`--spawn` takes the path of a mongod, as in `--spawn /usr/bin/mongod`";
    let case =
        |spawn: &str| Case::new(&format!("verify -q --spawn {spawn} a.bson")).file("a.bson", &documents(1));
    refused(
        &case("./nowhere"),
        "./nowhere: cannot be started: No such file or directory (os error 2)",
        &[hint],
    );
    refused(
        &case("/bin/true"),
        "/bin/true: is not a mongod: `--version` answers `true (GNU coreutils) 9.1`",
        &[hint],
    );
}

#[test]
fn users_that_are_wrong_or_may_not_write() {
    let Some(mongod) = mongod("6.0.5") else { return };
    let server = TestServer::start(&mongod, &["--auth"]);
    let admin = mongodb::sync::Client::with_uri_str(server.uri()).unwrap().database("admin");
    let user = |name: &str, role: &str| {
        doc! { "createUser": name, "pwd": "s3cret", "roles": [{ "role": role, "db": "admin" }] }
    };
    admin.run_command(user("root", "root")).run().unwrap();
    let uri = |user: &str| format!("mongodb://{user}@{}", &server.uri()["mongodb://".len()..]);
    let root = mongodb::sync::Client::with_uri_str(uri("root:s3cret")).unwrap();
    root.database("admin").run_command(user("eve", "readAnyDatabase")).run().unwrap();
    let at = |uri: &str| {
        let case = Case::new("verify -q -c none --allow-writes --uri").arg(uri).arg("a.bson");
        case.file("a.bson", &documents(1))
    };
    refused(
        &at(&uri("eve:wr0ng")),
        &format!(
            "{}: the server refuses the user or the password: SCRAM failure: Authentication failed.",
            server.uri()
        ),
        &["users are looked for in database `admin`; for another one append `?authSource=DATABASE`"],
    );
    let rights = "`estimate` needs role `read` on the database, `verify` needs `readWriteAnyDatabase`";
    let answer = at(&uri("eve:s3cret")).run();
    let place = format!(
        "error: {}: creating a collection is not allowed: not authorized on pagepress_verify_",
        server.uri()
    );
    assert!(answer.stderr.starts_with(&place), "{}", answer.stderr);
    assert!(answer.stderr.ends_with(&format!("hint: {rights}\n")), "{}", answer.stderr);
    assert!(!answer.stderr.contains("s3cret") && answer.code == 2, "{}", answer.stderr);
    refused(
        &at(&server.uri()),
        &format!(
            "{}: listing databases is not allowed: command listDatabases requires authentication",
            server.uri()
        ),
        &[rights],
    );
    refused(
        &Case::new("estimate -q").arg(&format!("{}/shop.none", uri("eve:s3cret"))),
        &format!("{}/shop.none: has no such collection", server.uri()),
        &["names are case-sensitive; `mongosh` lists them with `show collections`"],
    );
}

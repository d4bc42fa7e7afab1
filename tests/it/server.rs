//! A real mongod for one test: own folder, loopback, gone at the end. Speaks the wire protocol by itself, so that no
//! driver stands between a test and its documents.

use bson::{Document, RawDocument, doc};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How a server is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    Standalone,
    /// One member, so that documents carry timestamps.
    ReplicaSet,
}

/// A running server.
pub struct Server {
    folder: tempfile::TempDir,
    child: Child,
    stream: TcpStream,
}

/// The program, or `None` with one loud line where it cannot be had.
pub fn mongod(version: &str) -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/get-mongod");
    let answer = Command::new(script).arg(version).output();
    match answer {
        Ok(done) if done.status.success() => {
            Some(PathBuf::from(String::from_utf8(done.stdout).unwrap().trim_end()))
        }
        Ok(done) => {
            eprintln!("!! SKIPPED: {}", String::from_utf8_lossy(&done.stderr).trim_end());
            None
        }
        Err(error) => {
            eprintln!("!! SKIPPED: tests/get-mongod does not run: {error}");
            None
        }
    }
}

const REPLICA_SET: &str = "pagepress";

impl Server {
    /// Starts it and waits until it takes writes.
    pub fn start(mongod: &Path, topology: Topology) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(mongod);
        command.arg("--dbpath").arg(folder.path()).args(["--bind_ip", "127.0.0.1", "--nounixsocket"]);
        command.arg("--port").arg(port.to_string()).args(["--wiredTigerCacheSizeGB", "2"]);
        // One thread writes pages, and checkpoints come when they are asked for.
        command.args(["--wiredTigerEngineConfigString", "eviction=(threads_min=1,threads_max=1)"]);
        command.args(["--syncdelay", "3600", "--setParameter", "diagnosticDataCollectionEnabled=false"]);
        command.arg("--logpath").arg(folder.path().join("log"));
        if topology == Topology::ReplicaSet {
            command.args(["--replSet", REPLICA_SET, "--oplogSize", "990"]);
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let Some(stream) = connect(port) else {
            let _ = child.kill();
            panic!("mongod does not answer");
        };
        let mut server = Self { folder, child, stream };
        if topology == Topology::ReplicaSet {
            let host = format!("127.0.0.1:{port}");
            let members = doc! {"_id": REPLICA_SET, "members": [{"_id": 0, "host": host}]};
            server.run("admin", doc! {"replSetInitiate": members});
            wait_until("a primary", || {
                server.run("admin", doc! {"hello": 1}).get_bool("isWritablePrimary").is_ok_and(|is| is)
            });
        }
        server
    }

    pub fn dbpath(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a command that must succeed.
    pub fn run(&mut self, database: &str, command: Document) -> Document {
        let shown = command.keys().next().cloned().unwrap_or_default();
        let answer = self.exchange(database, command, &[]).unwrap();
        assert!(is_ok(&answer), "{shown}: {answer}");
        answer
    }

    /// Inserts documents in order, in batches of a thousand, as drivers do.
    pub fn insert(&mut self, database: &str, collection: &str, documents: &[Vec<u8>]) {
        const BATCH_DOCUMENTS: usize = 1000;
        const BATCH_BYTES: usize = 40 << 20;
        let mut rest = documents;
        while !rest.is_empty() {
            let (mut count, mut bytes) = (0, 0);
            while count < rest.len().min(BATCH_DOCUMENTS) && bytes + rest[count].len() <= BATCH_BYTES {
                bytes += rest[count].len();
                count += 1;
            }
            let command = doc! {"insert": collection, "ordered": true};
            let answer = self.exchange(database, command, &rest[..count]).unwrap();
            assert!(is_ok(&answer) && !answer.contains_key("writeErrors"), "insert: {answer}");
            rest = &rest[count..];
        }
    }

    /// A small collection's documents in natural order, byte for byte as they are stored.
    pub fn stored(&mut self, database: &str, collection: &str) -> Vec<Vec<u8>> {
        let command = doc! {"find": collection, "batchSize": 100_000, "singleBatch": true};
        let answer = self.exchange_bytes(database, command, &[]).unwrap();
        let answer = RawDocument::from_bytes(&answer).unwrap();
        let batch = answer.get_document("cursor").unwrap().get_array("firstBatch").unwrap();
        batch.into_iter().map(|row| row.unwrap().as_document().unwrap().as_bytes().to_vec()).collect()
    }

    /// Has a checkpoint written, of all that was inserted: one of a replica set leaves out what is not yet stable.
    pub fn checkpoint(&mut self) {
        let answer = self.run("admin", doc! {"ping": 1});
        if let Ok(written) = answer.get_timestamp("operationTime") {
            wait_until("a stable timestamp", || {
                let status = self.run("admin", doc! {"replSetGetStatus": 1});
                let optimes = status.get_document("optimes").unwrap();
                let majority = optimes.get_document("readConcernMajorityOpTime").unwrap();
                majority.get_timestamp("ts").unwrap() >= written
            });
        }
        self.run("admin", doc! {"fsync": 1});
    }

    /// A clean shutdown; the files stay until the returned folder is dropped.
    pub fn stop(mut self) -> Folder {
        // The connection ends without an answer.
        let _ = self.exchange("admin", doc! {"shutdown": 1, "force": true}, &[]);
        assert!(self.child.wait().unwrap().success(), "mongod does not stop cleanly");
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        Folder(folder)
    }

    /// One message there and one back.
    fn exchange(&mut self, database: &str, command: Document, documents: &[Vec<u8>]) -> io::Result<Document> {
        let answer = self.exchange_bytes(database, command, documents)?;
        Ok(Document::from_reader(&mut &answer[..]).unwrap())
    }

    /// The answer as it came.
    fn exchange_bytes(
        &mut self,
        database: &str,
        mut command: Document,
        documents: &[Vec<u8>],
    ) -> io::Result<Vec<u8>> {
        const HEADER_BYTES: usize = 16;
        const OP_MSG: i32 = 2013;
        command.insert("$db", database);
        let mut body = vec![0; 4]; // flags
        body.push(0);
        body.extend(command.to_vec().unwrap());
        if !documents.is_empty() {
            const NAME: &[u8] = b"documents\0";
            let bytes = 4 + NAME.len() + documents.iter().map(Vec::len).sum::<usize>();
            body.push(1);
            body.extend(i32::try_from(bytes).unwrap().to_le_bytes());
            body.extend(NAME);
            body.extend(documents.concat());
        }
        let length = i32::try_from(HEADER_BYTES + body.len()).unwrap();
        let header: Vec<u8> = [length, 1, 0, OP_MSG].into_iter().flat_map(i32::to_le_bytes).collect();
        self.stream.write_all(&header)?;
        self.stream.write_all(&body)?;
        let mut head = [0; HEADER_BYTES];
        self.stream.read_exact(&mut head)?;
        let length = u32::from_le_bytes(head[..4].try_into().unwrap());
        let mut answer = vec![0; length as usize - HEADER_BYTES];
        self.stream.read_exact(&mut answer)?;
        // Flags, and the kind of the one section.
        Ok(answer.split_off(5))
    }
}

/// The dbPath of a server that has stopped.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already gone after a clean stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_ok(answer: &Document) -> bool {
    answer.get_f64("ok").is_ok_and(|ok| ok > 0.5)
}

fn connect(port: u16) -> Option<TcpStream> {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(120) {
        if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) {
            stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
            // Header and body are two writes, and the second must not wait for the first's receipt.
            stream.set_nodelay(true).unwrap();
            return Some(stream);
        }
        sleep(Duration::from_millis(100));
    }
    None
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(120), "{what} does not come");
        sleep(Duration::from_millis(100));
    }
}

//! A mongod for a test: loopback, own folder, gone at the end of the test.

pub use crate::server::mongod;
use pagepress::mongod::{Address, Server};
use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Servers that the tests run on.
pub const VERSIONS: [&str; 2] = ["6.0.5", "6.0.27"];

pub struct TestServer {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl TestServer {
    pub fn start(mongod: &Path, args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("db")).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(mongod)
            .arg("--dbpath")
            .arg(folder.path().join("db"))
            .arg("--logpath")
            .arg(folder.path().join("log"))
            .args(["--port", &port.to_string(), "--bind_ip", "127.0.0.1", "--nounixsocket"])
            .args(["--wiredTigerCacheSizeGB", "0.25"])
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { process, port, folder };
        until("the server answers", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        server
    }

    pub fn uri(&self) -> String {
        format!("mongodb://127.0.0.1:{}", self.port)
    }

    pub fn connect(&self) -> Server {
        Server::connect(&Address::parse(&self.uri()).unwrap(), None).unwrap()
    }

    /// As the out-of-memory killer does.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(self.folder.path());
    }
}

/// Waits for what has to come to pass.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited in vain: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub fn signal(process: &Child, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), process.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

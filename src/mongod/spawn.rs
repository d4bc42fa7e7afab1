//! A mongod of our own: temporary folder, loopback, free port; stopped and removed at the end of its scope.

use super::watchdog::Watchdog;
use super::{Address, MongodError, MongodErrorKind, Scratch, Server, log};
use crate::units::Exact;
use mongodb::bson::doc;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A server with journal recovery to do takes seconds; one that is stuck is told of.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// After a clean shutdown was asked for.
const STOPPED_WITHIN: Duration = Duration::from_secs(120);
/// Where its collections are made.
const DATABASE: &str = "pagepress_verify";
const POLL: Duration = Duration::from_millis(50);

/// Transactions that make ids of three bytes: `WiredTiger` packs numbers below 8512 into two.
///
/// Source: `POS_2BYTE_MAX`, `src/include/intpack_inline.h` at tag mongodb-8.0.0.
const AGE_TRANSACTIONS: i32 = 9_000;

/// Whether it stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// No oplog, no time windows.
    Standalone,
    /// The only member of a replica set.
    ReplicaSet,
}

/// How it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrowAwayOptions {
    /// The program.
    pub mongod: PathBuf,
    /// Alone or not.
    pub membership: Membership,
    /// `--wiredTigerCacheSizeGB`, in bytes.
    pub cache_bytes: u64,
    /// `--zstdDefaultCompressionLevel`, where it is not the server's own.
    pub zstd_level: Option<i32>,
}

/// What a program answers to `--version`: `6.0.27`.
///
/// # Errors
///
/// It cannot be started, or it is no mongod.
pub fn version_of(mongod: &Path) -> Result<String, MongodError> {
    let shown = mongod.display().to_string();
    let output = Command::new(mongod).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|source| MongodErrorKind::Spawn { source }.at(&shown))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.lines().find_map(|line| line.strip_prefix("db version v"));
    match version {
        Some(version) if output.status.success() => Ok(version.trim().to_owned()),
        _ => {
            let errors = String::from_utf8_lossy(&output.stderr);
            let first = text.lines().chain(errors.lines()).find(|line| !line.trim().is_empty());
            let answer = first.map_or_else(|| output.status.to_string(), |line| format!("`{}`", line.trim()));
            Err(MongodErrorKind::NotAMongod { answer }.at(&shown))
        }
    }
}

/// The server. Fields are dropped in this order: nothing writes into the folder when it is removed.
pub struct ThrowAway {
    options: ThrowAwayOptions,
    server: Option<Server>,
    scratch: Option<Scratch>,
    process: Option<Process>,
    port: u16,
    folder: tempfile::TempDir,
}

/// A process and who watches over it.
struct Process {
    child: Child,
    watchdog: Option<Watchdog>,
}

impl ThrowAway {
    /// Starts it and waits until it takes writes. A member of a replica set is aged: its transaction ids take three
    /// bytes, as those of a server that has been up for a while, which is what is predicted.
    ///
    /// # Errors
    ///
    /// It cannot be started, ends at once, or never answers.
    pub fn start(options: ThrowAwayOptions) -> Result<Self, MongodError> {
        let shown = options.mongod.display().to_string();
        let spawn = |source| MongodErrorKind::Spawn { source }.at(&shown);
        let folder = tempfile::Builder::new().prefix("pagepress-verify-").tempdir().map_err(spawn)?;
        fs::create_dir(folder.path().join("db")).map_err(spawn)?;
        let mut made = Self { options, server: None, scratch: None, process: None, port: 0, folder };
        if let Err(error) = made.prepare() {
            return Err(made.explained(error, "starting"));
        }
        Ok(made)
    }

    fn prepare(&mut self) -> Result<(), MongodError> {
        self.run_on_free_port()?;
        if self.options.membership == Membership::ReplicaSet {
            self.initiate()?;
            self.age()?;
        }
        self.scratch = Some(Scratch::on_throw_away(self.server(), DATABASE));
        Ok(())
    }

    /// The connection.
    ///
    /// # Panics
    ///
    /// If it was not started, which no public function leaves behind.
    #[must_use]
    pub fn server(&self) -> &Server {
        self.server.as_ref().expect("a started server")
    }

    /// A database on it, in which collections can be made.
    ///
    /// # Panics
    ///
    /// As [`ThrowAway::server`].
    #[must_use]
    pub fn scratch(&self) -> &Scratch {
        self.scratch.as_ref().expect("a started server")
    }

    /// Stops it cleanly and starts it again on the same files, its own cache empty.
    ///
    /// # Errors
    ///
    /// As [`ThrowAway::start`].
    pub fn restart(&mut self) -> Result<(), MongodError> {
        // The answer to this is that the connection closes.
        let _ =
            self.server().run("admin", "stopping", doc! { "shutdown": 1, "force": true, "timeoutSecs": 1 });
        let began = Instant::now();
        while self.ended().is_none() {
            if began.elapsed() > STOPPED_WITHIN {
                let why = "it does not end".to_owned();
                return Err(MongodErrorKind::Command { doing: "stopping the server", why }.at(&self.shown()));
            }
            thread::sleep(POLL);
        }
        self.process = None;
        self.server = None;
        self.run_process()?;
        if self.options.membership == Membership::ReplicaSet {
            self.await_primary()?;
        }
        self.scratch = Some(Scratch::on_throw_away(self.server(), DATABASE));
        Ok(())
    }

    /// A better reason for an error, if the server has ended by itself.
    #[must_use]
    pub fn explained(&mut self, error: MongodError, doing: &'static str) -> MongodError {
        if !error.is_lost() {
            return error;
        }
        // The connection breaks before the process is gone.
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) {
            if let Some(status) = self.ended() {
                return self.ended_error(doing, status);
            }
            thread::sleep(POLL);
        }
        error
    }

    fn ended_error(&self, doing: &'static str, status: ExitStatus) -> MongodError {
        let why = log::last_error(&self.log());
        let kind = match why {
            Some(why) if why.contains("No space left on device") => MongodErrorKind::DiskFull { doing, why },
            why => MongodErrorKind::Ended { doing, status: status.to_string(), why },
        };
        kind.at(&self.shown())
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.process.as_mut().and_then(|process| process.child.try_wait().ok().flatten())
    }

    fn shown(&self) -> String {
        self.options.mongod.display().to_string()
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Starts the process on a free port. One that was free may be taken when the server wants it: then another.
    fn run_on_free_port(&mut self) -> Result<(), MongodError> {
        const TRIES: usize = 3;
        let mut tries = 0;
        loop {
            tries += 1;
            self.port = free_port().map_err(|source| MongodErrorKind::Spawn { source }.at(&self.shown()))?;
            match self.run_process() {
                Err(error) if tries < TRIES && error.to_string().contains("ddress already in use") => {}
                outcome => return outcome,
            }
        }
    }

    /// Starts the process and connects.
    fn run_process(&mut self) -> Result<(), MongodError> {
        let shown = self.shown();
        let spawn = |source: io::Error| MongodErrorKind::Spawn { source }.at(&shown);
        let port = self.port;
        let child = self.command(port).spawn().map_err(spawn)?;
        let mut process = Process { child, watchdog: None };
        #[cfg(unix)]
        {
            process.watchdog = Some(Watchdog::over(&process.child, self.folder.path()).map_err(spawn)?);
        }
        self.process = Some(process);
        let began = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = self.ended() {
                return Err(self.ended_error("starting", status));
            }
            if began.elapsed() > READY_WITHIN {
                let why = log::last_error(&self.log());
                return Err(MongodErrorKind::NeverReady { seconds: READY_WITHIN.as_secs(), why }.at(&shown));
            }
            thread::sleep(POLL);
        }
        self.server = Some(Server::connect(&Address::loopback(port), None)?);
        Ok(())
    }

    fn command(&self, port: u16) -> Command {
        let mut command = Command::new(&self.options.mongod);
        command.arg("--dbpath").arg(self.folder.path().join("db"));
        command.arg("--logpath").arg(self.log()).arg("--logappend");
        command.args(["--port", &port.to_string(), "--bind_ip", "127.0.0.1"]);
        command.args(["--wiredTigerCacheSizeGB", &gibibytes(self.options.cache_bytes)]);
        command.args(["--setParameter", "diagnosticDataCollectionEnabled=false"]);
        if let Some(level) = self.options.zstd_level {
            command.args(["--zstdDefaultCompressionLevel", &level.to_string()]);
        }
        if self.options.membership == Membership::ReplicaSet {
            command.args(["--replSet", "pagepress"]);
        }
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // Out of reach of the terminal's Ctrl-C: it is stopped by us, not beside us.
            command.arg("--nounixsocket").process_group(0);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn initiate(&mut self) -> Result<(), MongodError> {
        let host = format!("127.0.0.1:{}", self.port);
        let config = doc! { "_id": "pagepress", "members": [{ "_id": 0, "host": host }] };
        self.server().run("admin", "starting the replica set", doc! { "replSetInitiate": config })?;
        self.await_primary()
    }

    /// Waits until it takes writes.
    fn await_primary(&mut self) -> Result<(), MongodError> {
        let began = Instant::now();
        loop {
            let hello = self.server().run("admin", "starting the replica set", doc! { "hello": 1 })?;
            if hello.get_bool("isWritablePrimary").unwrap_or(false) {
                break;
            }
            if began.elapsed() > READY_WITHIN {
                let why = log::last_error(&self.log());
                return Err(
                    MongodErrorKind::NeverReady { seconds: READY_WITHIN.as_secs(), why }.at(&self.shown())
                );
            }
            thread::sleep(POLL);
        }
        // What the connection knew was from before.
        self.server = Some(Server::connect(&Address::loopback(self.port), None)?);
        Ok(())
    }

    /// Uses up the short transaction ids.
    fn age(&self) -> Result<(), MongodError> {
        const STATEMENTS: i32 = 1_000;
        let statement = doc! { "q": { "_id": 0 }, "u": { "$inc": { "n": 1 } }, "upsert": true };
        let statements = vec![statement; usize::try_from(STATEMENTS).unwrap_or_default()];
        for _ in 0..AGE_TRANSACTIONS / STATEMENTS {
            let update = doc! { "update": "age", "updates": statements.clone() };
            self.server().run("pagepress", "ageing the server", update)?;
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Not a clean shutdown: nothing of it is kept. It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(watchdog) = self.watchdog.take() {
            watchdog.dismiss();
        }
    }
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Gibibytes with as many decimals as the size has: `1`, `0.25`.
fn gibibytes(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "caches are far below 2^53 bytes")]
    let size = bytes as f64 / f64::from(1_u32 << 30);
    size.to_string()
}

impl std::fmt::Display for ThrowAwayOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let member = match self.membership {
            Membership::Standalone => "standalone",
            Membership::ReplicaSet => "replica set of one",
        };
        write!(f, "{member}, cache {}", Exact(self.cache_bytes))?;
        self.zstd_level.map_or(Ok(()), |level| write!(f, ", zstd level {level}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_sizes_are_written_as_the_server_takes_them() {
        for (bytes, want) in [(1 << 30, "1"), (256 << 20, "0.25"), (3 << 29, "1.5")] {
            assert_eq!(gibibytes(bytes), want);
        }
    }
}

//! What can go wrong between a server and us: one text each, without secrets, with what to do next.

use super::VERSION_MIN;
use crate::units::Human;

/// A server that does not do what it is asked.
#[derive(Debug, thiserror::Error)]
#[error("{server}: {kind}")]
pub struct MongodError {
    server: String,
    kind: Box<MongodErrorKind>,
}

impl MongodError {
    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &MongodErrorKind {
        &self.kind
    }

    /// The server, program or address, without secrets.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// What the user can do next, one line each, best first.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        self.kind.hints(&self.server)
    }

    /// Whether nothing answers any more: what was to be cleaned up there cannot be.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(
            *self.kind,
            MongodErrorKind::Unreachable { .. }
                | MongodErrorKind::Lost { .. }
                | MongodErrorKind::Ended { .. }
        )
    }
}

/// The kinds of [`MongodError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MongodErrorKind {
    /// Not an address.
    #[error("{why}")]
    NotAUri {
        /// Which rule it breaks.
        why: String,
    },
    /// An address of a server where one of a collection belongs.
    #[error("names no collection")]
    NoCollectionNamed,
    /// An option of the address that the driver does not take.
    #[error("its options cannot be used: {why}")]
    BadOptions {
        /// The driver's words.
        why: String,
    },
    /// No server answers.
    #[error("no server answers: {why}")]
    Unreachable {
        /// The system's or the driver's words.
        why: String,
    },
    /// The user or the password is wrong.
    #[error("the server refuses the user or the password: {why}")]
    LogIn {
        /// The server's words.
        why: String,
    },
    /// The user may not do this.
    #[error("{doing} is not allowed: {why}")]
    NotAllowed {
        /// What was tried.
        doing: &'static str,
        /// The server's words.
        why: String,
    },
    /// A mongos where a server with files belongs.
    #[error("is a sharded router (mongos), which has no files of its own to measure")]
    Router,
    /// Older than the rules that are known.
    #[error("is a server of version {version}; the oldest that is measured is {}.{}", VERSION_MIN.0, VERSION_MIN.1)]
    TooOld {
        /// As it tells.
        version: String,
    },
    /// So old that the driver does not talk to it.
    #[error("is older than server {}.{}: {why}", VERSION_MIN.0, VERSION_MIN.1)]
    TooOldToTalkTo {
        /// The driver's words.
        why: String,
    },
    /// Another storage engine.
    #[error("stores with engine `{engine}`, not with wiredTiger")]
    Engine {
        /// As it tells.
        engine: String,
    },
    /// No such collection, or an empty one.
    #[error("has no such collection")]
    NoCollection,
    /// A view or a time-series collection.
    #[error("is a {what}, which has no documents of its own")]
    NoDocumentsOfItsOwn {
        /// `view`, `time-series collection`.
        what: &'static str,
        /// Where the documents are, if that is known.
        buckets: Option<String>,
    },
    /// A document that the server does not take.
    #[error("document {ordinal} ({}) is refused by the server: {why}", Human(*bytes))]
    DocumentRefused {
        /// From 0, in input order.
        ordinal: u64,
        /// Its BSON bytes.
        bytes: u64,
        /// The server's words.
        why: String,
    },
    /// No room for what is written.
    #[error("{doing}: the server's disk is full: {why}")]
    DiskFull {
        /// What was tried.
        doing: &'static str,
        /// The server's words.
        why: String,
    },
    /// The server went away and does not come back.
    #[error("{doing}: the connection is lost: {why}")]
    Lost {
        /// What was tried.
        doing: &'static str,
        /// The driver's words.
        why: String,
    },
    /// A server that we started has ended by itself.
    #[error("{doing}: the server has ended ({status}){}", said(why.as_deref()))]
    Ended {
        /// What was tried.
        doing: &'static str,
        /// How it ended.
        status: String,
        /// What its log says last.
        why: Option<String>,
    },
    /// A program that cannot be started.
    #[error("cannot be started: {source}")]
    Spawn {
        /// The system's answer.
        source: std::io::Error,
    },
    /// A program that is no mongod.
    #[error("is not a mongod: `--version` answers {answer}")]
    NotAMongod {
        /// First line of its answer, or how it ended.
        answer: String,
    },
    /// A server that was started and never answers.
    #[error("does not answer within {seconds} s of its start{}", said(why.as_deref()))]
    NeverReady {
        /// How long it was waited for.
        seconds: u64,
        /// What its log says last.
        why: Option<String>,
    },
    /// Anything else that a server refuses.
    #[error("{doing} failed: {why}")]
    Command {
        /// What was tried.
        doing: &'static str,
        /// The server's words.
        why: String,
    },
    /// A database that was created and could not be dropped.
    #[error("database `{database}` could not be dropped: {why}")]
    NotDropped {
        /// Our own.
        database: String,
        /// Why.
        why: String,
    },
    /// The program was built without the driver.
    #[error("this pagepress was built without feature `live` and talks to no server")]
    NotBuilt,
}

fn said(why: Option<&str>) -> String {
    why.map_or_else(String::new, |why| format!(": {why}"))
}

impl MongodErrorKind {
    /// The error of a server, program or address.
    #[must_use]
    pub fn at(self, server: &str) -> MongodError {
        MongodError { server: server.to_owned(), kind: Box::new(self) }
    }

    fn hints(&self, server: &str) -> Vec<String> {
        let hint = |text: &str| vec![text.to_owned()];
        match self {
            Self::NotAUri { .. } | Self::BadOptions { .. } => {
                hint("write it as mongodb://USER:PASSWORD@HOST:PORT/DATABASE.COLLECTION?OPTIONS")
            }
            Self::NoCollectionNamed => {
                hint("name database and collection behind the hosts: mongodb://HOST/shop.orders")
            }
            Self::Unreachable { .. } => {
                hint("check host and port; behind a firewall or without TLS a server seems not to be there")
            }
            Self::LogIn { .. } => hint(
                "users are looked for in database `admin`; for another one append `?authSource=DATABASE`",
            ),
            Self::NotAllowed { .. } => {
                hint("`estimate` needs role `read` on the database, `verify` needs `readWriteAnyDatabase`")
            }
            Self::Router => vec![
                "through a router `estimate` works: it reads the documents of all shards".to_owned(),
                "to verify, pass `--spawn MONGOD`, or the address of a server that is no part of a cluster"
                    .to_owned(),
            ],
            Self::TooOld { .. } => hint("to verify against a newer one, pass `--spawn MONGOD`"),
            Self::TooOldToTalkTo { .. } => vec![
                "to estimate from it, dump it with its own mongodump and pass the .bson files".to_owned(),
                "to verify against a newer one, pass `--spawn MONGOD`".to_owned(),
            ],
            Self::Engine { .. } => hint("pages of wiredTiger are what is predicted"),
            Self::NoCollection => {
                hint("names are case-sensitive; `mongosh` lists them with `show collections`")
            }
            Self::NoDocumentsOfItsOwn { buckets: Some(buckets), .. } => {
                vec![format!("its documents are in `{buckets}`: pass that collection")]
            }
            Self::NoDocumentsOfItsOwn { .. } => hint("pass the collection that it is made from"),
            Self::DocumentRefused { .. } => {
                hint("leave it out of the input, or leave out the index that refuses it")
            }
            Self::DiskFull { .. } | Self::Ended { .. } => {
                hint("a throw-away server writes below TMPDIR: set it to a folder with more room")
            }
            Self::Spawn { .. } | Self::NotAMongod { .. } => {
                hint("`--spawn` takes the path of a mongod, as in `--spawn /usr/bin/mongod`")
            }
            Self::NotDropped { .. } => vec![format!(
                "drop it yourself, or run `pagepress verify --drop-left-over --allow-writes --uri {server}`"
            )],
            Self::Lost { .. } | Self::NeverReady { .. } | Self::Command { .. } => Vec::new(),
            Self::NotBuilt => hint("build it with `cargo build --release --features live`"),
        }
    }
}

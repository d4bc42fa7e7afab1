//! A connection, and commands over it with our own errors.

use super::address::{Address, ReadFrom};
use super::{MongodError, MongodErrorKind, ServerFacts, VERSION_MIN, without_secrets};
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::error::{Error, ErrorKind, WriteFailure};
use mongodb::options::{ClientOptions, ReadPreference, ReadPreferenceOptions, SelectionCriteria};
use mongodb::sync::Client;
use std::time::Duration;

/// A server that does not answer for so long is not there. An address may ask for another time.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// Numbers of server errors. Source: `src/mongo/base/error_codes.yml`, MongoDB 6.0.
mod code {
    pub(super) const UNAUTHORIZED: i32 = 13;
    pub(super) const AUTHENTICATION_FAILED: i32 = 18;
    pub(super) const OUT_OF_DISK_SPACE: i32 = 14_031;
    pub(super) const SHUTDOWN_IN_PROGRESS: i32 = 91;
    pub(super) const INTERRUPTED_AT_SHUTDOWN: i32 = 11_600;
}

/// A server that answered.
#[derive(Clone, Debug)]
pub struct Server {
    client: Client,
    shown: String,
    facts: ServerFacts,
}

impl Server {
    /// Connects, and asks the server what it is. `read` decides which member of a replica set is read, over what the
    /// address says.
    ///
    /// # Errors
    ///
    /// Options that cannot be used, nobody there, a user who is not let in.
    pub fn connect(address: &Address, read: Option<ReadFrom>) -> Result<Self, MongodError> {
        let shown = address.to_string();
        let options = ClientOptions::parse(address.secret_uri()).run();
        let mut options = options.map_err(|error| options_error(&error).at(&shown))?;
        options.server_selection_timeout.get_or_insert(ANSWERS_WITHIN);
        options.connect_timeout.get_or_insert(ANSWERS_WITHIN);
        options.app_name.get_or_insert_with(|| env!("CARGO_PKG_NAME").to_owned());
        if let Some(read) = read {
            options.selection_criteria = Some(SelectionCriteria::ReadPreference(preference(read)));
        }
        let selection = options.selection_criteria.clone();
        let client = Client::with_options(options).map_err(|error| options_error(&error).at(&shown))?;
        let mut server = Self { client, shown, facts: unknown() };
        server.facts = server.ask(selection.as_ref())?;
        Ok(server)
    }

    fn ask(&self, selection: Option<&SelectionCriteria>) -> Result<ServerFacts, MongodError> {
        let connecting = |command: Document| {
            let database = self.client.database("admin");
            let run = database.run_command(command);
            let answer = match selection {
                Some(selection) => run.selection_criteria(selection.clone()).run(),
                None => run.run(),
            };
            answer.map_err(|error| self.error("connecting", &error))
        };
        let hello = connecting(doc! { "hello": 1 })
            .or_else(|error| if error.is_lost() { Err(error) } else { connecting(doc! { "isMaster": 1 }) })?;
        let build = connecting(doc! { "buildInfo": 1 })?;
        // What follows needs rights that a reader may lack; then it is not known.
        let status = self.run("admin", "asking", doc! { "serverStatus": 1 }).ok();
        let parameters = doc! { "getParameter": 1, "minSnapshotHistoryWindowInSeconds": 1 };
        let parameters = self.run("admin", "asking", parameters).ok();
        let options = self.run("admin", "asking", doc! { "getCmdLineOpts": 1 }).ok();
        let whole = |found: Option<i64>| found.and_then(|number| u64::try_from(number).ok());
        Ok(ServerFacts {
            version: build.get_str("version").unwrap_or_default().to_owned(),
            is_router: hello.get_str("msg").is_ok_and(|text| text == "isdbgrid"),
            replica_set: hello.get_str("setName").ok().map(str::to_owned),
            history_window_s: whole(
                parameters.as_ref().and_then(|found| integer(found, &["minSnapshotHistoryWindowInSeconds"])),
            ),
            cache_bytes: whole(
                status
                    .as_ref()
                    .and_then(|found| integer(found, &["wiredTiger", "cache", "maximum bytes configured"])),
            ),
            zstd_level: options
                .as_ref()
                .and_then(|found| {
                    let place =
                        ["parsed", "storage", "wiredTiger", "engineConfig", "zstdDefaultCompressionLevel"];
                    integer(found, &place)
                })
                .and_then(|level| i32::try_from(level).ok()),
            engine: status.as_ref().and_then(|found| {
                Some(found.get_document("storageEngine").ok()?.get_str("name").ok()?.to_owned())
            }),
        })
    }

    /// What it told when it was connected to.
    #[must_use]
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// Its address without secrets.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Checks that it has tables whose rules are known.
    ///
    /// # Errors
    ///
    /// A router, an old release, another engine.
    pub fn check_measurable(&self) -> Result<(), MongodError> {
        let facts = &self.facts;
        let kind = match &facts.engine {
            _ if facts.is_router => MongodErrorKind::Router,
            _ if facts.line().is_some_and(|line| line < VERSION_MIN) => {
                MongodErrorKind::TooOld { version: facts.version.clone() }
            }
            Some(engine) if engine != "wiredTiger" => MongodErrorKind::Engine { engine: engine.clone() },
            _ => return Ok(()),
        };
        Err(kind.at(&self.shown))
    }

    /// Names of databases that earlier runs were killed before they could drop, oldest first.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn left_over(&self) -> Result<Vec<String>, MongodError> {
        let names = self.client.list_database_names().run();
        let mut names = names.map_err(|error| self.error("listing databases", &error))?;
        names.retain(|name| super::scratch::is_ours(name));
        names.sort();
        Ok(names)
    }

    /// Drops one of those.
    ///
    /// # Errors
    ///
    /// What the server answers; a name that is not of our making is refused.
    pub fn drop_left_over(&self, database: &str) -> Result<(), MongodError> {
        if !super::scratch::is_ours(database) {
            let why = format!("`{database}` is not a database of pagepress");
            return Err(MongodErrorKind::Command { doing: "dropping", why }.at(&self.shown));
        }
        self.run(database, "dropping a database", doc! { "dropDatabase": 1 }).map(drop)
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Runs a command on a database.
    pub(super) fn run(
        &self,
        database: &str,
        doing: &'static str,
        command: Document,
    ) -> Result<Document, MongodError> {
        let answer = self.client.database(database).run_command(command).run();
        answer.map_err(|error| self.error(doing, &error))
    }

    /// Runs a command that was put together byte by byte.
    pub(super) fn run_raw(
        &self,
        database: &str,
        doing: &'static str,
        command: RawDocumentBuf,
    ) -> Result<Document, MongodError> {
        let answer = self.client.database(database).run_raw_command(command).run();
        answer.map_err(|error| self.error(doing, &error))
    }

    /// Our error for the driver's.
    pub(super) fn error(&self, doing: &'static str, error: &Error) -> MongodError {
        kind_of(doing, error).at(&self.shown)
    }
}

fn unknown() -> ServerFacts {
    ServerFacts {
        version: String::new(),
        is_router: false,
        replica_set: None,
        history_window_s: None,
        cache_bytes: None,
        zstd_level: None,
        engine: None,
    }
}

/// A whole number at a place, of whichever type the server chose.
pub(super) fn integer(document: &Document, place: &[&str]) -> Option<i64> {
    use mongodb::bson::Bson;
    let (last, folders) = place.split_last()?;
    let mut at = document;
    for folder in folders {
        at = at.get_document(folder).ok()?;
    }
    match at.get(last)? {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        #[expect(clippy::cast_possible_truncation, reason = "a count that the server sends as a double")]
        Bson::Double(number) if number.abs() < 9e15 => Some(*number as i64),
        _ => None,
    }
}

fn preference(read: ReadFrom) -> ReadPreference {
    let options = None::<ReadPreferenceOptions>;
    match read {
        ReadFrom::Primary => ReadPreference::Primary,
        ReadFrom::PrimaryPreferred => ReadPreference::PrimaryPreferred { options },
        ReadFrom::Secondary => ReadPreference::Secondary { options },
        ReadFrom::SecondaryPreferred => ReadPreference::SecondaryPreferred { options },
        ReadFrom::Nearest => ReadPreference::Nearest { options },
    }
}

fn options_error(error: &Error) -> MongodErrorKind {
    match &*error.kind {
        ErrorKind::DnsResolve { message, .. } => MongodErrorKind::Unreachable { why: shortened(message) },
        ErrorKind::InvalidArgument { message, .. } | ErrorKind::InvalidTlsConfig { message, .. } => {
            MongodErrorKind::BadOptions { why: shortened(message) }
        }
        other => MongodErrorKind::BadOptions { why: shortened(&other.to_string()) },
    }
}

fn kind_of(doing: &'static str, error: &Error) -> MongodErrorKind {
    match &*error.kind {
        ErrorKind::Authentication { message, .. } => MongodErrorKind::LogIn { why: shortened(message) },
        ErrorKind::Command(answer) => of_answer(doing, answer.code, &answer.message),
        ErrorKind::Write(WriteFailure::WriteError(answer)) => of_answer(doing, answer.code, &answer.message),
        ErrorKind::ServerSelection { message, .. } => {
            let why = selection_cause(message);
            if why.contains("uthentication") {
                return MongodErrorKind::LogIn { why };
            }
            if why.contains(" reports wire version ") && why.contains(" requires at least ") {
                return MongodErrorKind::TooOldToTalkTo { why };
            }
            if doing == CONNECTING {
                MongodErrorKind::Unreachable { why }
            } else {
                MongodErrorKind::Lost { doing, why }
            }
        }
        ErrorKind::DnsResolve { message, .. } => MongodErrorKind::Unreachable { why: shortened(message) },
        ErrorKind::Io(source) if doing == CONNECTING => {
            MongodErrorKind::Unreachable { why: source.to_string() }
        }
        ErrorKind::Io(source) => MongodErrorKind::Lost { doing, why: source.to_string() },
        ErrorKind::ConnectionPoolCleared { message, .. } => {
            MongodErrorKind::Lost { doing, why: shortened(message) }
        }
        ErrorKind::IncompatibleServer { message, .. } => {
            MongodErrorKind::Command { doing, why: shortened(message) }
        }
        other => MongodErrorKind::Command { doing, why: shortened(&other.to_string()) },
    }
}

const CONNECTING: &str = "connecting";

/// What a server answers in place of doing it.
pub(super) fn of_answer(doing: &'static str, code: i32, message: &str) -> MongodErrorKind {
    let why = shortened(message);
    match code {
        code::UNAUTHORIZED => MongodErrorKind::NotAllowed { doing, why },
        code::AUTHENTICATION_FAILED => MongodErrorKind::LogIn { why },
        code::OUT_OF_DISK_SPACE => MongodErrorKind::DiskFull { doing, why },
        code::SHUTDOWN_IN_PROGRESS | code::INTERRUPTED_AT_SHUTDOWN => MongodErrorKind::Lost { doing, why },
        _ if message.contains("No space left on device") => MongodErrorKind::DiskFull { doing, why },
        _ => MongodErrorKind::Command { doing, why },
    }
}

/// The first cause in the driver's description of a topology, which names every server and its state.
fn selection_cause(message: &str) -> String {
    let cause = message.split_once("Error: Kind: ").map(|(_, rest)| rest);
    let cause = cause.and_then(|rest| rest.split(", labels:").next());
    shortened(cause.unwrap_or(message))
}

/// A foreign message as one line without secrets. A server repeats whole commands, documents and all.
fn shortened(message: &str) -> String {
    const CHARS_MAX: usize = 300;
    let message = message.split(" to execute command").next().unwrap_or_default();
    let message = without_secrets(message);
    match message.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}...", &message[..end]),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_messages_lose_commands_secrets_and_length() {
        for (message, want) in [
            ("not authorized on a to execute command { insert: \"x\" }", "not authorized on a"),
            ("see mongodb://u:p@h/d?x=1", "see mongodb://h/d"),
        ] {
            assert_eq!(shortened(message), want);
        }
        assert_eq!(shortened(&"\u{e9}".repeat(400)).chars().count(), 303);
    }

    #[test]
    fn the_cause_is_found_in_the_description_of_a_topology() {
        let message = "Kind: Server selection timeout: No available servers. Topology: { Type: Unknown, Servers: [ \
                       { Address: h:1, Type: Unknown, Error: Kind: I/O error: Connection refused (os error 111), \
                       labels: {} } ] }";
        assert_eq!(selection_cause(message), "I/O error: Connection refused (os error 111)");
        assert_eq!(selection_cause("no idea"), "no idea");
    }

    #[test]
    fn whole_numbers_are_found_whatever_their_type() {
        let document = doc! { "a": { "b": 3_i32, "c": 4_i64, "d": 5.0, "e": "6" } };
        for (key, want) in [("b", Some(3)), ("c", Some(4)), ("d", Some(5)), ("e", None), ("f", None)] {
            assert_eq!(integer(&document, &["a", key]), want);
        }
    }
}

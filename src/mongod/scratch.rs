//! A database of our own on somebody's server: created under a name that nobody else uses, always dropped.

use super::{MongodError, MongodErrorKind, Server, signals};
use mongodb::bson::{Document, RawDocumentBuf, doc, oid::ObjectId};
use std::thread;
use std::time::{Duration, Instant};

/// What all of them begin with.
const PREFIX: &str = "pagepress_verify_";
/// A server that comes back within this time is cleaned up still.
const DROP_WITHIN: Duration = Duration::from_secs(15);

/// Whether a database bears a name that only this program gives: the prefix and an `ObjectId`.
pub(super) fn is_ours(database: &str) -> bool {
    database.strip_prefix(PREFIX).is_some_and(|id| {
        id.len() == 24 && id.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    })
}

/// The database. Everything that it runs stays inside it.
pub struct Scratch {
    server: Server,
    database: String,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    ToBeDropped,
    NotToBeDropped,
}

impl Scratch {
    /// A name for a new database; nothing is created yet. From here on a signal drops it.
    ///
    /// # Errors
    ///
    /// The system gives no handler for signals.
    pub fn new(server: &Server) -> Result<Self, MongodError> {
        signals::watch().map_err(|source| {
            let why = format!("signals cannot be handled: {source}");
            MongodErrorKind::Command { doing: "starting", why }.at(server.shown())
        })?;
        // Seconds, a random value and a counter: two runs never share one.
        let database = format!("{PREFIX}{}", ObjectId::new().to_hex());
        let registered = signals::Registered { client: server.client().clone(), database: database.clone() };
        signals::lock().push(registered);
        Ok(Self { server: server.clone(), database, state: State::ToBeDropped })
    }

    /// A database on a server that goes away with it: nobody has to drop it.
    pub(super) fn on_throw_away(server: &Server, database: &str) -> Self {
        Self { server: server.clone(), database: database.to_owned(), state: State::NotToBeDropped }
    }

    /// Its server.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Its name.
    #[must_use]
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Runs a command on it.
    pub(super) fn run(&self, doing: &'static str, command: Document) -> Result<Document, MongodError> {
        let _no_drop_meanwhile = signals::lock();
        self.server.run(&self.database, doing, command)
    }

    /// Runs a command that was put together byte by byte.
    pub(super) fn run_raw(
        &self,
        doing: &'static str,
        command: RawDocumentBuf,
    ) -> Result<Document, MongodError> {
        let _no_drop_meanwhile = signals::lock();
        self.server.run_raw(&self.database, doing, command)
    }

    /// Drops the database, trying again while the server does not answer.
    ///
    /// # Errors
    ///
    /// It could not be dropped; the error names it.
    pub fn close(mut self) -> Result<(), MongodError> {
        self.drop_database()
    }

    fn leave(&mut self) {
        self.state = State::NotToBeDropped;
        signals::lock().retain(|registered| registered.database != self.database);
    }

    /// Whether the server says so; not, if it says nothing.
    fn is_not_there(&self) -> bool {
        self.server.left_over().is_ok_and(|names| !names.contains(&self.database))
    }

    fn drop_database(&mut self) -> Result<(), MongodError> {
        if self.state == State::NotToBeDropped {
            return Ok(());
        }
        let began = Instant::now();
        loop {
            match self.run("dropping the database", doc! { "dropDatabase": 1 }) {
                Ok(_) => {
                    self.leave();
                    return Ok(());
                }
                Err(error) if error.is_lost() && began.elapsed() < DROP_WITHIN => {
                    thread::sleep(Duration::from_millis(500));
                }
                // What may not be dropped may not have been created.
                Err(_) if self.is_not_there() => {
                    self.leave();
                    return Ok(());
                }
                Err(error) => {
                    self.leave();
                    let why = error.to_string();
                    let database = self.database.clone();
                    return Err(MongodErrorKind::NotDropped { database, why }.at(self.server.shown()));
                }
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Only after a panic or an error that is told already; [`Scratch::close`] tells of its own.
        let _ = self.drop_database();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_our_own_making_are_ours() {
        for (name, ours) in [
            ("pagepress_verify_65f0c0ffee65f0c0ffee65f0", true),
            ("pagepress_verify_65F0C0FFEE65f0c0ffee65f0", false),
            ("pagepress_verify_", false),
            ("pagepress_verify_mine", false),
            ("pagepress_verify_65f0c0ffee65f0c0ffee65f00", false),
            ("shop", false),
            ("", false),
        ] {
            assert_eq!(is_ours(name), ours, "{name}");
        }
    }
}

//! A collection on a server, read in natural order; nothing is written there.

use super::{Skipped, Source, SourceError};
use crate::mongod::{Address, CollectionFacts, MongodErrorKind, Namespace, ReadFrom, Reader, Server};
use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

/// How a collection is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveOptions {
    /// Which member of a replica set; `None` for what the address says.
    pub read_from: Option<ReadFrom>,
    /// BSON bytes a second at most.
    pub bytes_per_s: Option<NonZeroU64>,
}

/// A collection that is there.
pub struct LiveCollection {
    server: Server,
    namespace: Namespace,
    facts: CollectionFacts,
    options: LiveOptions,
    name: String,
}

impl LiveCollection {
    /// Connects, and asks what the collection is.
    ///
    /// # Errors
    ///
    /// Nobody there, no rights, no such collection; a view or a time-series collection.
    pub fn connect(address: &Address, options: LiveOptions) -> Result<Self, SourceError> {
        let name = address.to_string();
        let namespace = address.namespace().cloned();
        let namespace = namespace.ok_or_else(|| MongodErrorKind::NoCollectionNamed.at(&name))?;
        let server = Server::connect(address, options.read_from)?;
        let facts = server.describe(&namespace)?;
        Ok(Self { server, namespace, facts, options, name })
    }

    /// Its address without secrets.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name and its database's.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// Where it is.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// How it is stored there.
    #[must_use]
    pub fn facts(&self) -> &CollectionFacts {
        &self.facts
    }

    /// Begins a scan.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn open(&self) -> Result<Box<dyn Source>, SourceError> {
        Ok(Box::new(LiveSource {
            reader: Reader::open(&self.server, &self.namespace)?,
            name: self.name.clone(),
            began_at: 0,
            bytes_read: 0,
            bytes_total: self.facts.table.bson.0,
            throttle: self.options.bytes_per_s.map(Throttle::new),
            skipped: Skipped::default(),
        }))
    }
}

/// A running scan.
struct LiveSource {
    reader: Reader,
    name: String,
    /// Where the last document began.
    began_at: u64,
    bytes_read: u64,
    bytes_total: u64,
    throttle: Option<Throttle>,
    skipped: Skipped,
}

impl Source for LiveSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let Some(bytes) = self.reader.next_document(out)? else { return Ok(None) };
        self.began_at = self.bytes_read;
        self.bytes_read += bytes as u64;
        if let Some(throttle) = &self.throttle {
            throttle.wait(self.bytes_read);
        }
        Ok(Some(bytes))
    }

    fn document_offset(&self) -> u64 {
        self.began_at
    }

    fn position(&self) -> u64 {
        self.bytes_read
    }

    /// What the server counts; it may be written meanwhile.
    fn bytes_total(&self) -> Option<u64> {
        Some(self.bytes_total)
    }

    fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("{}: read in natural order, nothing is written", self.name)]
    }
}

/// Waits until so many bytes may have been read.
struct Throttle {
    began: Instant,
    bytes_per_s: NonZeroU64,
}

impl Throttle {
    /// Shorter waits are left to add up: a batch of the server is in memory already.
    const WAIT_MIN: Duration = Duration::from_millis(20);

    fn new(bytes_per_s: NonZeroU64) -> Self {
        Self { began: Instant::now(), bytes_per_s }
    }

    fn wait(&self, bytes_read: u64) {
        let ahead = due(bytes_read, self.bytes_per_s).saturating_sub(self.began.elapsed());
        if ahead >= Self::WAIT_MIN {
            thread::sleep(ahead);
        }
    }
}

/// How long reading so many bytes has to take.
fn due(bytes: u64, bytes_per_s: NonZeroU64) -> Duration {
    let whole = Duration::from_secs(bytes / bytes_per_s);
    let micros = u128::from(bytes % bytes_per_s) * 1_000_000 / u128::from(bytes_per_s.get());
    whole + Duration::from_micros(u64::try_from(micros).unwrap_or(0)) // below a second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_takes_as_long_as_its_bytes_may() {
        for (bytes, bytes_per_s, want_ms) in
            [(0, 1, 0), (1_500, 1_000, 1_500), (1, 3, 333), (u64::MAX, u64::MAX, 1_000)]
        {
            let took = due(bytes, NonZeroU64::new(bytes_per_s).unwrap());
            assert_eq!(took.as_millis(), want_ms, "{bytes} at {bytes_per_s}");
        }
    }
}

//! Documents into a collection as one client brings them: in order, a thousand a command, byte for byte.

use super::client::{integer, of_answer};
use super::{MongodError, MongodErrorKind, Scratch, TableStats};
use mongodb::bson::{Bson, Document, RawDocumentBuf, doc};

/// Documents of one command: what drivers and mongorestore send.
const COMMAND_DOCUMENTS: usize = 1000;
/// Bytes of documents of one command, unless a single document has more: a command is a document itself, and
/// 16 KiB of room are left for what the driver adds.
const COMMAND_BYTES_MAX: usize = 16 << 20;

/// What a table is keyed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyedBy {
    /// Record numbers.
    Number,
    /// `_id`: a clustered collection.
    Id,
}

/// How a collection is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCollection {
    /// Its name in the scratch database.
    pub name: String,
    /// `WiredTiger` configuration of its table: `block_compressor=zstd`.
    pub config: String,
    /// What its table is keyed by.
    pub keyed_by: KeyedBy,
}

impl Scratch {
    /// Creates a collection.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn create(&self, collection: &NewCollection) -> Result<(), MongodError> {
        let engine = doc! { "wiredTiger": { "configString": &collection.config } };
        let mut create = doc! { "create": &collection.name, "storageEngine": engine };
        if collection.keyed_by == KeyedBy::Id {
            create.insert("clusteredIndex", doc! { "key": { "_id": 1 }, "unique": true });
        }
        self.run("creating a collection", create).map(drop)
    }

    /// Creates indexes from their definitions as BSON documents, each with key and name.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn create_indexes(&self, collection: &str, definitions: &[Vec<u8>]) -> Result<(), MongodError> {
        if definitions.is_empty() {
            return Ok(());
        }
        let mut command = Raw::new();
        command.string("createIndexes", collection);
        command.documents("indexes", definitions.iter().map(Vec::as_slice));
        self.run_raw("creating indexes", self.raw(command)?).map(drop)
    }

    /// Drops indexes by name.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn drop_indexes(&self, collection: &str, names: &[String]) -> Result<(), MongodError> {
        names.iter().try_for_each(|name| {
            let command = doc! { "dropIndexes": collection, "index": name };
            self.run("dropping an index", command).map(drop)
        })
    }

    /// Makes a checkpoint and reads what it left.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn measured(&self, collection: &str) -> Result<TableStats, MongodError> {
        self.server().checkpoint()?;
        self.server().table_stats(self.database(), collection)
    }

    /// Reads the whole collection inside the server, without sending a document: the server compares a field that
    /// none has.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn scan(&self, collection: &str) -> Result<(), MongodError> {
        let nowhere = doc! { "pagepress_no_such_field": 1 };
        let find = doc! { "find": collection, "filter": nowhere, "hint": { "$natural": 1 } };
        self.run("scanning", find).map(drop)
    }

    /// Drops a collection.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn drop_collection(&self, collection: &str) -> Result<(), MongodError> {
        self.run("dropping a collection", doc! { "drop": collection }).map(drop)
    }

    fn raw(&self, command: Raw) -> Result<RawDocumentBuf, MongodError> {
        RawDocumentBuf::from_bytes(command.finish()).map_err(|error| {
            let why = error.to_string();
            MongodErrorKind::Command { doing: "putting a command together", why }.at(self.server().shown())
        })
    }
}

/// Takes documents and sends them a command at a time.
pub struct Loader<'s> {
    scratch: &'s Scratch,
    collection: String,
    /// One behind the other.
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    sent: u64,
}

impl<'s> Loader<'s> {
    /// Into a collection that exists.
    #[must_use]
    pub fn new(scratch: &'s Scratch, collection: &str) -> Self {
        Self { scratch, collection: collection.to_owned(), bytes: Vec::new(), ends: Vec::new(), sent: 0 }
    }

    /// Takes the next document, `_id` first.
    ///
    /// # Errors
    ///
    /// What the server answers to the command that this document filled; which document it refuses.
    pub fn push(&mut self, document: &[u8]) -> Result<(), MongodError> {
        if !self.ends.is_empty() && self.bytes.len() + document.len() > COMMAND_BYTES_MAX {
            self.send()?;
        }
        self.bytes.extend_from_slice(document);
        self.ends.push(self.bytes.len());
        if self.ends.len() == COMMAND_DOCUMENTS { self.send() } else { Ok(()) }
    }

    /// Sends what is left and returns how many documents were sent in all.
    ///
    /// # Errors
    ///
    /// As [`Loader::push`].
    pub fn finish(mut self) -> Result<u64, MongodError> {
        self.send()?;
        Ok(self.sent)
    }

    fn send(&mut self) -> Result<(), MongodError> {
        if self.ends.is_empty() {
            return Ok(());
        }
        let mut command = Raw::new();
        command.string("insert", &self.collection);
        command.boolean_true("ordered");
        command.documents("documents", self.documents());
        let answer = self.scratch.run_raw("loading", self.scratch.raw(command)?)?;
        self.check(&answer)?;
        self.sent += self.ends.len() as u64;
        self.bytes.clear();
        self.ends.clear();
        Ok(())
    }

    fn documents(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }

    /// An insert command succeeds even when its documents do not.
    fn check(&self, answer: &Document) -> Result<(), MongodError> {
        let Some(Bson::Document(first)) = answer.get_array("writeErrors").ok().and_then(|all| all.first())
        else {
            return Ok(());
        };
        let message = first.get_str("errmsg").unwrap_or_default();
        let code = integer(first, &["code"]).and_then(|code| i32::try_from(code).ok()).unwrap_or(0);
        let kind = match of_answer("loading", code, message) {
            MongodErrorKind::Command { why, .. } => {
                let index = integer(first, &["index"]).and_then(|index| usize::try_from(index).ok());
                let index = index.unwrap_or(0);
                let bytes = self.documents().nth(index).map_or(0, <[u8]>::len) as u64;
                MongodErrorKind::DocumentRefused { ordinal: self.sent + index as u64, bytes, why }
            }
            other => other,
        };
        Err(kind.at(self.scratch.server().shown()))
    }
}

/// A command as bytes, so that documents go in as they are: invalid UTF-8, repeated keys and all.
struct Raw(Vec<u8>);

/// Kinds of BSON elements. Source: bsonspec.org, version 1.1.
const STRING: u8 = 0x02;
const DOCUMENT: u8 = 0x03;
const ARRAY: u8 = 0x04;
const BOOLEAN: u8 = 0x08;

impl Raw {
    fn new() -> Self {
        Self(vec![0; 4])
    }

    fn element(&mut self, kind: u8, name: &str) {
        self.0.push(kind);
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(0);
    }

    fn string(&mut self, name: &str, value: &str) {
        self.element(STRING, name);
        self.0.extend_from_slice(&length(value.len() + 1));
        self.0.extend_from_slice(value.as_bytes());
        self.0.push(0);
    }

    fn boolean_true(&mut self, name: &str) {
        self.element(BOOLEAN, name);
        self.0.push(1);
    }

    fn documents<'d>(&mut self, name: &str, documents: impl Iterator<Item = &'d [u8]>) {
        self.element(ARRAY, name);
        let start = self.0.len();
        self.0.extend_from_slice(&[0; 4]);
        for (at, document) in documents.enumerate() {
            self.element(DOCUMENT, &at.to_string());
            self.0.extend_from_slice(document);
        }
        self.0.push(0);
        let bytes = length(self.0.len() - start);
        self.0[start..start + 4].copy_from_slice(&bytes);
    }

    fn finish(mut self) -> Vec<u8> {
        self.0.push(0);
        let bytes = length(self.0.len());
        self.0[..4].copy_from_slice(&bytes);
        self.0
    }
}

fn length(bytes: usize) -> [u8; 4] {
    // Two documents of 16 MiB at most; a length that does not fit would be refused by the server.
    i32::try_from(bytes).unwrap_or(i32::MAX).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The driver's own reader must find the command, and in it the documents to the byte.
    #[test]
    fn documents_stand_in_a_command_byte_for_byte() {
        // Not UTF-8, and a key twice: nothing that a document type of the driver would hold.
        let odd = b"\x16\0\0\0\x02a\0\x03\0\0\0\xff\xfe\0\x08a\0\x00\x0ab\0\0".as_slice();
        let mut command = Raw::new();
        command.string("insert", "c\u{e9}");
        command.boolean_true("ordered");
        command.documents("documents", [odd, b"\x05\0\0\0\0"].into_iter());
        let command = RawDocumentBuf::from_bytes(command.finish()).unwrap();
        assert_eq!(command.get_str("insert").unwrap(), "c\u{e9}");
        assert!(command.get_bool("ordered").unwrap());
        let documents: Vec<&[u8]> = command
            .get_array("documents")
            .unwrap()
            .into_iter()
            .map(|document| document.unwrap().as_document().unwrap().as_bytes())
            .collect();
        assert_eq!(documents, [odd, b"\x05\0\0\0\0"]);
    }
}

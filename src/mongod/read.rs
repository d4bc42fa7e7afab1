//! Documents of a collection, byte for byte, in natural order; nothing is written.

use super::{CollectionFacts, MongodError, MongodErrorKind, Namespace, Server, config_value};
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::options::Hint;
use mongodb::sync::{Collection, Cursor};

/// Documents that one answer of the server brings at most; 16 MiB bound it too.
const BATCH_DOCUMENTS: u32 = 1000;

impl Server {
    /// What a collection is, and how it is stored.
    ///
    /// # Errors
    ///
    /// No such collection; a view or a time-series collection; what the server answers.
    pub fn describe(&self, namespace: &Namespace) -> Result<CollectionFacts, MongodError> {
        let Namespace { database, collection } = namespace;
        let listing = doc! { "listCollections": 1, "filter": { "name": collection } };
        let listed = self.run(database, "listing collections", listing)?;
        let info = first_batch(&listed).into_iter().next();
        let info = info.ok_or_else(|| MongodErrorKind::NoCollection.at(self.shown()))?;
        let no_documents =
            |what, buckets| MongodErrorKind::NoDocumentsOfItsOwn { what, buckets }.at(self.shown());
        match info.get_str("type") {
            Ok("view") => return Err(no_documents("view", None)),
            Ok("timeseries") => {
                let buckets = format!("{database}.system.buckets.{collection}");
                return Err(no_documents("time-series collection", Some(buckets)));
            }
            _ => {}
        }
        let options = info.get_document("options").cloned().unwrap_or_default();
        let listing = doc! { "listIndexes": collection };
        let indexes = self.run(database, "listing indexes", listing)?;
        // What a clustered collection lists as its first index is its own table.
        let has_table = |index: &Document| !index.contains_key("clustered");
        let indexes = first_batch(&indexes).into_iter().filter(has_table);
        let indexes = indexes.filter_map(|index| index.to_vec().ok()).collect();
        Ok(CollectionFacts {
            table: self.table_stats(database, collection)?,
            indexes,
            capped: options.get_bool("capped").unwrap_or(false),
            clustered: options.contains_key("clusteredIndex"),
        })
    }
}

/// The documents of a cursor's first batch. Collections and indexes of one name or collection fit into it.
fn first_batch(answer: &Document) -> Vec<Document> {
    let batch = answer.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let batch = batch.map(Vec::as_slice).unwrap_or_default();
    batch.iter().filter_map(|value| value.as_document().cloned()).collect()
}

impl CollectionFacts {
    /// `zstd`, as the table was created; `None` through a router.
    #[must_use]
    pub fn compressor(&self) -> Option<&str> {
        match config_value(&self.table.config, "block_compressor") {
            Some("") => Some("none"),
            other => other,
        }
    }
}

/// A running scan.
pub struct Reader {
    server: Server,
    cursor: Cursor<RawDocumentBuf>,
}

impl Reader {
    /// Begins a scan in natural order.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn open(server: &Server, namespace: &Namespace) -> Result<Self, MongodError> {
        let database = server.client().database(&namespace.database);
        let collection: Collection<RawDocumentBuf> = database.collection(&namespace.collection);
        let found = collection
            .find(doc! {})
            .hint(Hint::Keys(doc! { "$natural": 1 }))
            .batch_size(BATCH_DOCUMENTS)
            .run();
        let cursor = found.map_err(|error| server.error("reading", &error))?;
        Ok(Self { server: server.clone(), cursor })
    }

    /// Appends the next document's bytes and returns their number; `None` at the end.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, MongodError> {
        match self.cursor.advance() {
            Ok(true) => {
                let bytes = self.cursor.current().as_bytes();
                out.extend_from_slice(bytes);
                Ok(Some(bytes.len()))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(self.server.error("reading", &error)),
        }
    }
}

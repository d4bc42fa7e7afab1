//! One load into a server, and what it left there.

use super::Measured;
use crate::estimate::{CodecName, IndexBuild, LoadState};
use crate::mongod::{KeyedBy, Loader, MongodError, NewCollection, Scratch, TableStats, ThrowAway};
use std::time::Instant;

/// What to load, and how.
#[derive(Clone, Debug)]
pub struct Task<'t> {
    /// Which state the server's collections come out in.
    pub load: LoadState,
    /// The collection's codec.
    pub codec: CodecName,
    /// `WiredTiger` configuration of its table.
    pub config: String,
    /// What its table is keyed by.
    pub keyed_by: KeyedBy,
    /// Indexes beside `_id_`: name, and definition as createIndexes takes it.
    pub indexes: &'t [(String, Vec<u8>)],
}

/// A load that is measured; its collection is there until it is dropped.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The figures.
    pub measured: Measured,
    /// Documents that the server counts.
    pub documents: u64,
    /// Their BSON bytes, as the server counts them.
    pub bson_bytes: u64,
}

/// The collection's name in its database.
const COLLECTION: &str = "c";

/// Creates a collection with its indexes, has `feed` load it, makes a checkpoint and reads the sizes; then builds the
/// indexes again on the loaded documents and reads theirs.
///
/// # Errors
///
/// What the server or `feed` answers. The collection may then be there still.
pub fn measure<E: From<MongodError>>(
    scratch: &Scratch,
    task: &Task<'_>,
    feed: &mut dyn FnMut(&mut Loader<'_>) -> Result<(), E>,
) -> Result<Measurement, E> {
    let config = task.config.clone();
    let keyed_by = task.keyed_by;
    scratch.create(&NewCollection { name: COLLECTION.to_owned(), config, keyed_by })?;
    let definitions: Vec<Vec<u8>> = task.indexes.iter().map(|(_, definition)| definition.clone()).collect();
    scratch.create_indexes(COLLECTION, &definitions)?;
    let mut loader = Loader::new(scratch, COLLECTION);
    feed(&mut loader)?;
    loader.finish()?;
    let table = scratch.measured(COLLECTION)?;
    let mut indexes = sizes(&table, IndexBuild::BeforeLoad);
    if !task.indexes.is_empty() {
        let names: Vec<String> = task.indexes.iter().map(|(name, _)| name.clone()).collect();
        scratch.drop_indexes(COLLECTION, &names)?;
        scratch.create_indexes(COLLECTION, &definitions)?;
        let built = sizes(&scratch.measured(COLLECTION)?, IndexBuild::AfterLoad);
        indexes.extend(built.into_iter().filter(|(name, _, _)| names.contains(name)));
    }
    Ok(Measurement {
        measured: Measured {
            load: task.load,
            codec: task.codec.clone(),
            storage: table.storage,
            free: table.free,
            pages_written: table.pages_written,
            image_tuned: table.image_tuned,
            indexes,
            scans_s: Vec::new(),
        },
        documents: table.documents,
        bson_bytes: table.bson.0,
    })
}

fn sizes(table: &TableStats, build: IndexBuild) -> Vec<(String, IndexBuild, crate::units::DiskBytes)> {
    table.indexes.iter().map(|index| (index.name.clone(), build, index.storage)).collect()
}

impl Measurement {
    /// Drops the collection.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn drop_collection(self, scratch: &Scratch) -> Result<Measured, MongodError> {
        scratch.drop_collection(COLLECTION)?;
        Ok(self.measured)
    }

    /// Scans the collection so often, each time after a restart: no page of it is in the server's cache then. The
    /// system's cache is not emptied.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub fn scan_cold(&mut self, server: &mut ThrowAway, rounds: usize) -> Result<(), MongodError> {
        for _ in 0..rounds {
            server.restart()?;
            let began = Instant::now();
            server.scratch().scan(COLLECTION)?;
            self.measured.scans_s.push(began.elapsed().as_secs_f64());
        }
        Ok(())
    }
}

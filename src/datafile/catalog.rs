//! Which collection or index each file of a dbPath is: from `_mdb_catalog.wt`, counts from `sizeStorer.wt`.

use super::leaf::{ValueData, for_each_record};
use super::walk::Step;
use super::{DataFile, DataFileError};
use crate::document::{self, Element, Elements};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A table that the catalog names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The file's name without its ending, as the engine knows it.
    pub ident: String,
    /// Where the file is.
    pub path: PathBuf,
    /// Of the collection: `db.collection`.
    pub namespace: String,
    /// What it holds.
    pub kind: TableKind,
    /// What the server wrote down about a collection; behind by up to a minute.
    pub counts: Option<StoredCounts>,
}

/// What a table holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Documents.
    Collection,
    /// Keys of documents.
    Index {
        /// As `createIndex` named it.
        name: String,
    },
}

/// What `collStats` calls `count` and `size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredCounts {
    /// Documents.
    pub documents: u64,
    /// Their BSON bytes.
    pub bson_bytes: u64,
}

/// What a dbPath holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// Collections by namespace, then indexes by namespace and name.
    pub tables: Vec<Table>,
    /// Entries of the catalog that cannot be read, and tables whose ident leads out of the dbPath.
    pub entries_damaged: u64,
}

/// The catalog's file in a dbPath.
const CATALOG_FILE: &str = "_mdb_catalog.wt";
/// The counts' file in a dbPath.
const SIZES_FILE: &str = "sizeStorer.wt";
/// Held by a running server; empty after a clean shutdown.
const LOCK_FILE: &str = "mongod.lock";

/// What a dbPath's lock file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerLock {
    /// The server was shut down cleanly, or this is no dbPath: files are whole.
    Released,
    /// A server runs on it, or was killed, or the folder is a copy of one that was in use: what came after the last
    /// checkpoint is in the journal and not in the files.
    Held,
}

impl ServerLock {
    /// Of a dbPath.
    #[must_use]
    pub fn of(dbpath: &Path) -> Self {
        match fs::metadata(dbpath.join(LOCK_FILE)) {
            Ok(metadata) if metadata.len() > 0 => Self::Held,
            _ => Self::Released,
        }
    }
}

impl Catalog {
    /// Whether `folder` has a catalog.
    #[must_use]
    pub fn is_in(folder: &Path) -> bool {
        folder.join(CATALOG_FILE).is_file()
    }

    /// Reads the catalog of a dbPath.
    ///
    /// # Errors
    ///
    /// A catalog that cannot be opened, or of which a page is damaged. Counts that cannot be read are left out.
    pub fn read(dbpath: &Path) -> Result<Self, DataFileError> {
        let file = DataFile::open(&dbpath.join(CATALOG_FILE))?;
        let mut documents = file.documents();
        let sizes = read_sizes(dbpath).unwrap_or_default();
        let (mut catalog, mut document) = (Self::default(), Vec::new());
        while documents.next_document(&mut document).is_some() {
            match tables_of(&document, dbpath, &sizes) {
                Some(tables) => catalog.tables.extend(tables),
                None => catalog.entries_damaged += 1,
            }
            document.clear();
        }
        if let Some(error) = documents.into_first_fault() {
            return Err(error);
        }
        catalog.tables.sort_by(|one, other| one.order().cmp(&other.order()));
        Ok(catalog)
    }

    /// The table whose file is `path`.
    #[must_use]
    pub fn table_at(&self, path: &Path) -> Option<&Table> {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let wanted = real(path);
        self.tables.iter().find(|table| real(&table.path) == wanted)
    }
}

impl Table {
    /// Collections first, each kind by name.
    fn order(&self) -> (bool, &str, &str) {
        match &self.kind {
            TableKind::Collection => (false, &self.namespace, ""),
            TableKind::Index { name } => (true, &self.namespace, name),
        }
    }
}

type Sizes = BTreeMap<Vec<u8>, StoredCounts>;

fn read_sizes(dbpath: &Path) -> Result<Sizes, DataFileError> {
    let file = DataFile::open(&dbpath.join(SIZES_FILE))?;
    let unit = file.checkpoint().config.unit;
    let (mut reader, mut sizes) = (file.page_reader(), Sizes::new());
    for step in file.walk() {
        let Step::Leaf(address) = step else { continue };
        let read = reader.read(address).and_then(|page| {
            for_each_record(&page, unit, |record| {
                let Some(ValueData::Here(value)) = record.value.map(|value| value.data) else { return };
                if let Some(counts) = counts_of(value).filter(|_| record.is_live) {
                    sizes.insert(record.key.to_vec(), counts);
                }
            })
        });
        read.map_err(|fault| file.failed(fault))?;
    }
    Ok(sizes)
}

fn counts_of(value: &[u8]) -> Option<StoredCounts> {
    document::check(value).ok()?;
    let number = |name| whole_number(&find(value, name)?);
    Some(StoredCounts { documents: number(b"numRecords")?, bson_bytes: number(b"dataSize")? })
}

fn find<'a>(document: &'a [u8], name: &[u8]) -> Option<Element<'a>> {
    Elements::new(document).ok()?.find_name(name).ok()?
}

fn whole_number(element: &Element<'_>) -> Option<u64> {
    match (element.kind, element.value) {
        (0x10, value) => u64::try_from(i32::from_le_bytes(*value.first_chunk()?)).ok(),
        (0x12, value) => u64::try_from(i64::from_le_bytes(*value.first_chunk()?)).ok(),
        _ => None,
    }
}

fn text(element: &Element<'_>) -> Option<String> {
    let bytes = element.value.get(4..)?.strip_suffix(b"\0")?;
    (element.kind == 0x02).then(|| String::from_utf8_lossy(bytes).into_owned())
}

/// The collection of one entry and its indexes; none for an entry of another sort, `None` for a damaged one.
///
/// ```text
///  {md: {ns, options, indexes: [..]}, idxIdent: {<index>: <ident>, ..}, ns: <namespace>, ident: <ident>}
/// ```
///
/// Source: `DurableCatalog`, `src/mongo/db/storage/durable_catalog.cpp`.
fn tables_of(entry: &[u8], dbpath: &Path, sizes: &Sizes) -> Option<Vec<Table>> {
    let (Some(ident), Some(namespace)) = (find(entry, b"ident"), find(entry, b"ns")) else {
        return Some(Vec::new()); // which features the files need
    };
    let (ident, namespace) = (text(&ident)?, text(&namespace)?);
    let path = path_of(dbpath, &ident)?;
    let counts = sizes.get(format!("table:{ident}").as_bytes()).copied();
    let collection = Table { ident, path, namespace: namespace.clone(), kind: TableKind::Collection, counts };
    let mut tables = vec![collection];
    if let Some(indexes) = find(entry, b"idxIdent") {
        for element in indexes.elements().ok()? {
            let element = element.ok()?;
            let name = String::from_utf8_lossy(element.name).into_owned();
            let ident = text(&element)?;
            let path = path_of(dbpath, &ident)?;
            let kind = TableKind::Index { name };
            tables.push(Table { ident, path, namespace: namespace.clone(), kind, counts: None });
        }
    }
    Some(tables)
}

/// The file of an ident, which may name folders (`directoryPerDB`) but none outside the dbPath.
fn path_of(dbpath: &Path, ident: &str) -> Option<PathBuf> {
    let relative = PathBuf::from(format!("{ident}.wt"));
    let stays = relative.components().all(|part| matches!(part, Component::Normal(_)));
    stays.then(|| dbpath.join(relative))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ident_cannot_lead_out_of_the_dbpath() {
        let dbpath = Path::new("/data/db");
        for (ident, want) in [
            ("collection-7-12", Some("/data/db/collection-7-12.wt")),
            ("shop/collection/7-12", Some("/data/db/shop/collection/7-12.wt")),
            ("../x", None),
            ("/etc/x", None),
            ("a/../../x", None),
        ] {
            assert_eq!(path_of(dbpath, ident), want.map(PathBuf::from), "{ident}");
        }
    }
}

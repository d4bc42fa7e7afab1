//! A mongodump directory: files of documents, and beside each what the collection was.
//!
//! ```text
//!  OUT/oplog.bson  OUT/prelude.json
//!  OUT/DB/COLL.bson[.gz]            documents one behind the other
//!  OUT/DB/COLL.metadata.json[.gz]   indexes and options; alone for a view
//! ```
//!
//! The directory may be the whole dump or one database of it. Whether a file is compressed is told by its content.
//!
//! Source: mongodump/prepare.go (`outputPath`, `NewIntentFromOptions`), mongorestore/filepath.go, mongo-tools 100.18.

use super::{
    SourceError, SourceErrorKind,
    find::{Collection, Found, Opener, no_collection},
    layers::{Layers, cannot_open},
    metadata::{CollectionMetadata, IndexDocument, View, text},
    namespace::{Namespaces, namespace, shown},
    open::{OpenOptions, over_layers},
    shell,
};
use crate::document::Elements;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Longest metadata.json that is read. Sixty-four indexes take a few KiB.
const METADATA_BYTES_MAX: u64 = 16 << 20;

/// Files of one collection, by the name that both have.
#[derive(Default)]
struct Files {
    documents: Option<PathBuf>,
    metadata: Option<PathBuf>,
}

/// Collections of a database's folder, by their escaped names.
type Database = BTreeMap<String, Files>;

pub(super) fn find(
    path: &Path,
    options: &OpenOptions,
    namespaces: &Namespaces,
) -> Result<Found, SourceError> {
    let mut found = Found::default();
    let (files, folders) = entries(path)?;
    let database = collections_of(&files);
    if database.is_empty() {
        for folder in folders {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let database = collections_of(&entries(&folder)?.0);
            Dump { db: &name, options, namespaces, found: &mut found }.take(&database)?;
        }
        if files.iter().any(|file| is_oplog(file)) {
            found.left_out.push("oplog.bson: the oplog, which no collection holds".to_owned());
        }
    } else {
        let absolute = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = absolute.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Dump { db: &name, options, namespaces, found: &mut found }.take(&database)?;
    }
    if found.collections.is_empty() {
        if found.left_out.is_empty() {
            return Err(SourceErrorKind::Directory { path: path.to_owned() }.into());
        }
        return Err(no_collection(path.display().to_string(), namespaces, &found.left_out));
    }
    let count = found.collections.len();
    let (plural, left_out) = (if count == 1 { "" } else { "s" }, found.left_out.len());
    let note = format!("{}: mongodump directory, {count} collection{plural}", path.display());
    found.notes.push(if left_out == 0 { note } else { format!("{note}, {left_out} left out") });
    Ok(found)
}

/// Files and folders of a folder, in the order of their names; dot files are none of them.
fn entries(path: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), SourceError> {
    let mut all = Vec::new();
    for entry in fs::read_dir(path).map_err(|source| cannot_open(path, source))? {
        let entry = entry.map_err(|source| cannot_open(path, source))?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            all.push(entry.path());
        }
    }
    all.sort();
    Ok(all.into_iter().partition(|path| !path.is_dir()))
}

fn is_oplog(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "oplog.bson" || name == "oplog.bson.gz")
}

fn collections_of(files: &[PathBuf]) -> Database {
    let mut database = Database::new();
    for path in files.iter().filter(|path| !is_oplog(path)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = [".gz", ".zst"].into_iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        if let Some(stem) = name.strip_suffix(".metadata.json") {
            database.entry(stem.to_owned()).or_default().metadata = Some(path.clone());
        } else if let Some(stem) = [".bson", ".bin"].into_iter().find_map(|ending| name.strip_suffix(ending))
        {
            database.entry(stem.to_owned()).or_default().documents = Some(path.clone());
        }
    }
    database
}

/// One database on its way into what was found.
struct Dump<'a> {
    db: &'a str,
    options: &'a OpenOptions,
    namespaces: &'a Namespaces,
    found: &'a mut Found,
}

impl Dump<'_> {
    fn take(&mut self, database: &Database) -> Result<(), SourceError> {
        /// Where dumps before 2.2 kept all indexes of a database.
        const INDEXES: &str = "system.indexes";
        const BUCKETS: &str = "system.buckets.";
        let legacy = database.get(INDEXES).and_then(|files| files.documents.as_deref());
        let legacy = legacy.map(|path| self.legacy_indexes(path)).transpose()?.unwrap_or_default();
        for (stem, files) in database.iter().filter(|(stem, _)| *stem != INDEXES) {
            let series = stem.strip_prefix(BUCKETS);
            let of_series = series.and_then(|series| database.get(series)?.metadata.as_ref());
            if let (Some(metadata), Some(documents)) = (of_series, &files.documents) {
                let metadata = self.metadata(metadata);
                self.collection(series.unwrap_or(stem), documents, metadata)?;
                continue;
            }
            let metadata = files.metadata.as_ref().map(|path| self.metadata(path)).unwrap_or_default();
            match &files.documents {
                Some(documents) => {
                    let mut metadata = metadata;
                    if metadata.indexes.is_none() {
                        metadata.indexes = legacy.get(&namespace(self.db, &unescaped(stem))).cloned();
                    }
                    self.collection(stem, documents, metadata)?;
                }
                None if metadata.view == View::Yes => {
                    self.leave_out(&Self::name(stem, &metadata), "a view, which stores nothing");
                }
                None if database.contains_key(&format!("{BUCKETS}{stem}")) => {}
                None => self.leave_out(&Self::name(stem, &metadata), "its documents are missing"),
            }
        }
        Ok(())
    }

    fn name(stem: &str, metadata: &CollectionMetadata) -> String {
        metadata.name.clone().unwrap_or_else(|| unescaped(stem))
    }

    fn leave_out(&mut self, collection: &str, why: &str) {
        self.found.left_out.push(format!("{}: {why}", shown(&namespace(self.db, collection))));
    }

    fn collection(
        &mut self,
        stem: &str,
        documents: &Path,
        metadata: CollectionMetadata,
    ) -> Result<(), SourceError> {
        let name = Self::name(stem, &metadata);
        if !self.namespaces.chooses(self.db, &name) {
            let why = if self.namespaces.is_empty() {
                format!("the server's own; `--ns {}` chooses it", shell::word(&namespace(self.db, &name)))
            } else {
                "not chosen by `--ns`".to_owned()
            };
            self.leave_out(&name, &why);
            return Ok(());
        }
        match Layers::of_path(documents, self.options.format) {
            Ok(layers) => drop(over_layers(layers, self.options)?),
            Err(error) if matches!(error.kind(), SourceErrorKind::Empty { .. }) => {
                self.leave_out(&name, "it holds no documents");
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        let input = documents.display().to_string();
        let opener = Opener::File(documents.to_owned());
        let collection = Collection::new(namespace(self.db, &name), input, opener);
        let CollectionMetadata { indexes, options, .. } = metadata;
        self.found.collections.push(Collection { indexes, options, ..collection });
        Ok(())
    }

    /// What a metadata file says. One that cannot be read costs its indexes and no more; an empty one says nothing.
    fn metadata(&mut self, path: &Path) -> CollectionMetadata {
        let input = path.display().to_string();
        let read = Layers::of_path(path, None).and_then(|layers| {
            let mut text = Vec::new();
            let read = layers.into_stream().take(METADATA_BYTES_MAX).read_to_end(&mut text);
            read.map_err(|source| SourceErrorKind::reading(&input, text.len() as u64, source))?;
            CollectionMetadata::parse(&input, &text)
        });
        read.unwrap_or_else(|error| {
            if !matches!(error.kind(), SourceErrorKind::Empty { .. }) {
                self.found.notes.push(format!("{error}; the collection's indexes are not known"));
            }
            CollectionMetadata::default()
        })
    }

    /// Documents of system.indexes by their namespace.
    fn legacy_indexes(&self, path: &Path) -> Result<BTreeMap<String, Vec<IndexDocument>>, SourceError> {
        const INDEXES_MAX: usize = 10_000;
        let mut by_namespace: BTreeMap<String, Vec<IndexDocument>> = BTreeMap::new();
        let layers = match Layers::of_path(path, self.options.format) {
            Err(error) if matches!(error.kind(), SourceErrorKind::Empty { .. }) => return Ok(by_namespace),
            layers => layers?,
        };
        let mut source = over_layers(layers, self.options)?;
        for _ in 0..INDEXES_MAX {
            let mut document = Vec::new();
            if source.next_document(&mut document)?.is_none() {
                break;
            }
            let of = Elements::new(&document).ok().and_then(|elements| elements.find_name(b"ns").ok()?);
            if let Some(of) = of.and_then(|element| text(&element)) {
                by_namespace.entry(of).or_default().push(IndexDocument::new(document));
            }
        }
        Ok(by_namespace)
    }
}

/// A file's name as the collection's: `+` is a blank, `%XX` a byte. What is neither stays as it is, since a long
/// name is cut anywhere.
fn unescaped(stem: &str) -> String {
    let bytes = stem.as_bytes();
    let mut name = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
        let escaped = (bytes[at] == b'%').then(|| Some(digit(at + 1)? << 4 | digit(at + 2)?)).flatten();
        if let Some(byte) = escaped.and_then(|byte| u8::try_from(byte).ok()) {
            name.push(byte);
            at += 3;
        } else {
            name.push(if bytes[at] == b'+' { b' ' } else { bytes[at] });
            at += 1;
        }
    }
    String::from_utf8_lossy(&name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{OnBadDocument, Source};

    #[test]
    fn names_of_files_are_the_collections_names_escaped() {
        for (stem, want) in [
            ("orders", "orders"),
            ("we%2Fird+name%2525%C3%A9%2A", "we/ird name%25\u{e9}*"),
            ("$admin.system.users", "$admin.system.users"),
            ("cut%", "cut%"),
            ("cut%2", "cut%2"),
            ("no%zz", "no%zz"),
        ] {
            assert_eq!(unescaped(stem), want);
        }
    }

    /// `{_id: n}`, one behind the other.
    fn documents(count: u8) -> Vec<u8> {
        (0..count).flat_map(|n| [b"\x0e\0\0\0\x10_id\0".to_vec(), vec![n, 0, 0, 0, 0]].concat()).collect()
    }

    /// A dump of these files, and what is found of it: names, then what was left out.
    fn found(files: &[(&str, &[u8])], namespaces: &[&str]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let patterns: Vec<String> = namespaces.iter().map(ToString::to_string).collect();
        let options = OpenOptions::new(OnBadDocument::Stop);
        let prefix = format!("{}/", folder.path().display());
        match find(folder.path(), &options, &Namespaces::new(&patterns)) {
            Ok(found) => {
                let shown = |collection: &Collection| {
                    let indexes =
                        collection.indexes.as_ref().map_or("?".to_owned(), |all| all.len().to_string());
                    format!("{} {} {indexes}", collection.name, collection.input.replace(&prefix, ""))
                };
                (found.collections.iter().map(shown).collect(), found.left_out)
            }
            Err(error) => {
                (vec![error.to_string().replace(&prefix[..prefix.len() - 1], "DIR")], error.hints())
            }
        }
    }

    const ID: &[u8] = b"{\"indexes\":[{\"v\":2,\"key\":{\"_id\":1},\"name\":\"_id_\"}]}";

    #[test]
    fn a_dump_is_its_users_collections_and_tells_what_it_leaves_out() {
        let view = b"{\"options\":{\"viewOn\":\"orders\"},\"indexes\":[],\"type\":\"view\"}";
        let series = b"{\"options\":{\"timeseries\":{\"timeField\":\"t\"}},\"indexes\":[]}";
        let all = documents(3);
        let files: &[(&str, &[u8])] = &[
            ("oplog.bson", &all),
            ("prelude.json", b"{\"ServerVersion\":\"6.0.5\",\"ToolVersion\":\"100\"}"),
            ("admin/system.version.bson", &all),
            ("admin/system.version.metadata.json", ID),
            ("shop/orders.bson", &all),
            ("shop/orders.metadata.json", ID),
            ("shop/orders_view.metadata.json", view),
            ("shop/readings.metadata.json", series),
            ("shop/system.buckets.readings.bson", &all),
            ("shop/empty.bson", b""),
            ("shop/lost.metadata.json", ID),
            ("shop/bare.bson", &all),
            ("shop/broken.bson", &all),
            ("shop/broken.metadata.json", b"{\"indexes\":[{"),
            ("shop/notes.txt", b"x"),
            ("shop/.DS_Store", b"x"),
        ];
        let (collections, left_out) = found(files, &[]);
        assert_eq!(
            collections,
            [
                "shop.bare shop/bare.bson ?",
                "shop.broken shop/broken.bson ?",
                "shop.orders shop/orders.bson 1",
                "shop.readings shop/system.buckets.readings.bson 0",
            ]
        );
        assert_eq!(
            left_out,
            [
                "admin.system.version: the server's own; `--ns admin.system.version` chooses it",
                "shop.empty: it holds no documents",
                "shop.lost: its documents are missing",
                "shop.orders_view: a view, which stores nothing",
                "oplog.bson: the oplog, which no collection holds",
            ]
        );
        assert_eq!(found(files, &["admin.*"]).0, ["admin.system.version admin/system.version.bson 1"]);
        assert_eq!(found(files, &["shop.o*"]).0, ["shop.orders shop/orders.bson 1"]);
        let (message, hints) = found(files, &["shop.nothing"]);
        assert_eq!(message, ["DIR: holds no collection with documents that `--ns` chooses"]);
        assert_eq!(hints[0], "left out: admin.system.version: not chosen by `--ns`");
    }

    #[test]
    fn indexes_of_old_dumps_stand_in_a_collection_of_their_own() {
        let index = |of: &str| {
            let mut document = Vec::new();
            let text = format!("{{\"v\":1,\"key\":{{\"k\":1}},\"ns\":\"{of}\",\"name\":\"k_1\"}}");
            let mut source = crate::source::json::JsonSource::new(
                String::new(),
                std::io::Cursor::new(text.into_bytes()),
                None,
                OnBadDocument::Stop,
            );
            source.next_document(&mut document).unwrap();
            document
        };
        let indexes = [index("old.items"), index("old.items"), index("old.older")].concat();
        let all = documents(2);
        let files: &[(&str, &[u8])] =
            &[("old/items.bson", &all), ("old/older.bin", &all), ("old/system.indexes.bson", &indexes)];
        assert_eq!(found(files, &[]).0, ["old.items old/items.bson 2", "old.older old/older.bin 1"]);
    }

    #[test]
    fn a_directory_without_documents_is_told_from_a_dump_without_any() {
        assert_eq!(found(&[("a.txt", b"x")], &[]).0, ["DIR: is a directory"]);
        let (message, hints) = found(&[("db/empty.bson", b"")], &[]);
        assert_eq!(message, ["DIR: holds no collection with documents of users"]);
        assert_eq!(hints, ["left out: db.empty: it holds no documents"]);
    }
}

//! From what the user named to its collections: a file or stream is one, a dump holds many.

use super::{
    Source, SourceError, SourceErrorKind,
    archive::{self, ArchiveMember},
    dump,
    layers::Layers,
    metadata::{CollectionOptions, IndexDocument},
    namespace::Namespaces,
    open::{OpenOptions, over_layers},
    recognise::Recognised,
};
use std::path::{Path, PathBuf};

/// One collection that an input holds.
pub struct Collection {
    /// `db.collection`, or the file's name without its endings.
    pub name: String,
    /// What it is read from, for messages.
    pub input: String,
    /// Its indexes, `_id_` included; `None` where the input does not say.
    pub indexes: Option<Vec<IndexDocument>>,
    /// What it was created as, as far as the input says.
    pub options: CollectionOptions,
    pub(super) opener: Opener,
}

/// Where its documents are.
pub(super) enum Opener {
    File(PathBuf),
    /// Opened once, since it cannot be opened again.
    Stream(Box<Layers>),
    Archive(Box<ArchiveMember>),
}

/// What an input holds.
#[derive(Default)]
pub struct Found {
    /// In the order of their names, or the only one.
    pub collections: Vec<Collection>,
    /// What was recognised, one line each.
    pub notes: Vec<String>,
    /// What was left out of a dump and why, one line each.
    pub left_out: Vec<String>,
}

impl Collection {
    pub(super) fn new(name: String, input: String, opener: Opener) -> Self {
        Self { name, input, indexes: None, options: CollectionOptions::default(), opener }
    }

    /// The collection's documents, from the first.
    ///
    /// # Errors
    ///
    /// Those of [`super::open()`].
    pub fn open(self, options: &OpenOptions) -> Result<Box<dyn Source>, SourceError> {
        match self.opener {
            Opener::File(path) => over_layers(Layers::of_path(&path, options.format)?, options),
            Opener::Stream(layers) => over_layers(*layers, options),
            Opener::Archive(member) => member.open(options.on_bad),
        }
    }
}

/// What `path` (`-` is standard input) holds, of which `namespaces` chooses. Files are opened and recognised, but not
/// kept open; an archive is read through once, and one that comes through a pipe is kept in the temporary directory.
///
/// # Errors
///
/// An input that cannot be opened or is not recognised; a damaged archive, unless bad documents are skipped; a dump
/// without a collection to estimate.
pub fn find(path: &Path, options: &OpenOptions, namespaces: &Namespaces) -> Result<Found, SourceError> {
    if path.is_dir() {
        return dump::find(path, options, namespaces);
    }
    let layers = Layers::of_path(path, options.format)?;
    if layers.inside == Recognised::Archive {
        return archive::find(path, layers, options.on_bad, namespaces);
    }
    let input = layers.input.clone();
    let can_be_opened_again = layers.bytes_total.is_some();
    let opener = if can_be_opened_again {
        over_layers(layers, options)?;
        Opener::File(path.to_owned())
    } else {
        Opener::Stream(Box::new(layers))
    };
    let collection = Collection::new(name_of_file(&input).to_owned(), input, opener);
    Ok(Found { collections: vec![collection], ..Found::default() })
}

/// A file's name without folders and the endings that name a format.
#[must_use]
pub fn name_of_file(input: &str) -> &str {
    const PACKED: [&str; 2] = [".gz", ".zst"];
    const FORMATS: [&str; 6] = [".bson", ".jsonl", ".ndjson", ".json", ".csv", ".tsv"];
    if input == "-" {
        return "stdin";
    }
    let file = input.rsplit(['/', '\\']).next().unwrap_or(input);
    let without = |name: &'_ str, endings: &[&str]| -> usize {
        let ending = endings.iter().find(|ending| name.len() > ending.len() && name.ends_with(*ending));
        name.len() - ending.map_or(0, |ending| ending.len())
    };
    let file = &file[..without(file, &PACKED)];
    &file[..without(file, &FORMATS)]
}

/// A dump in which nothing is left to estimate.
pub(super) fn no_collection(input: String, namespaces: &Namespaces, left_out: &[String]) -> SourceError {
    const SHOWN_MAX: usize = 5;
    let what =
        if namespaces.is_empty() { "with documents of users" } else { "with documents that `--ns` chooses" };
    let left_out = left_out.iter().take(SHOWN_MAX).map(|line| format!("left out: {line}")).collect();
    SourceErrorKind::NoCollection { input, what, left_out }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_are_named_after_their_files() {
        for (input, want) in [
            ("dump/shop/orders.bson", "orders"),
            ("orders.bson.gz", "orders"),
            ("orders.2024.jsonl.zst", "orders.2024"),
            ("C:\\dump\\orders.csv", "orders"),
            ("orders", "orders"),
            (".bson", ".bson"),
            ("-", "stdin"),
        ] {
            assert_eq!(name_of_file(input), want);
        }
    }
}

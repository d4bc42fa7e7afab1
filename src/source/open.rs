//! From a path to a source: what is it, by content first and by name second?

use super::{OnBadDocument, Source, SourceError, SourceErrorKind, bson::BsonSource};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// An input format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Concatenated BSON documents.
    Bson,
    /// JSON or Extended JSON: an array, or values one behind the other.
    Json,
    /// Comma-separated values with a header.
    Csv,
    /// Tab-separated values with a header.
    Tsv,
}

/// How to open an input.
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// The format, if the user named it; else it is recognised.
    pub format: Option<Format>,
    /// What to do with bad documents.
    pub on_bad: OnBadDocument,
}

/// Opens `path` (`-` is standard input) and recognises its format.
///
/// # Errors
///
/// Missing, unreadable, a directory, empty, not recognised.
pub fn open(path: &Path, options: OpenOptions) -> Result<Box<dyn Source>, SourceError> {
    let input = path.display().to_string();
    let (reader, bytes_total): (Box<dyn Read + Send>, Option<u64>) = if input == "-" {
        (Box::new(io::stdin()), None)
    } else {
        let io_error =
            |source| SourceErrorKind::Io { input: input.clone(), doing: "cannot open".to_owned(), source };
        let file = File::open(path).map_err(io_error)?;
        let metadata = file.metadata().map_err(io_error)?;
        if metadata.is_dir() {
            return Err(SourceErrorKind::Directory { path: path.to_owned() }.into());
        }
        (Box::new(file), metadata.is_file().then_some(metadata.len()))
    };
    Ok(Box::new(BsonSource::new(input, reader, bytes_total, options.on_bad)))
}

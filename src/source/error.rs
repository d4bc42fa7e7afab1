//! Why an input could not be read, with the place; and what was skipped instead of failing.

use super::Foreign;
use crate::document::{DocumentError, DocumentErrorKind};
use std::{io, path::PathBuf};

/// An input that cannot be opened, read or understood.
#[derive(Debug, thiserror::Error)]
#[error("{kind}")]
pub struct SourceError {
    kind: Box<SourceErrorKind>,
}

impl SourceError {
    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &SourceErrorKind {
        &self.kind
    }

    /// What the user can do next, one line each, best first.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        self.kind.hints()
    }
}

impl From<SourceErrorKind> for SourceError {
    fn from(kind: SourceErrorKind) -> Self {
        Self { kind: Box::new(kind) }
    }
}

/// The kinds of [`SourceError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceErrorKind {
    /// The operating system refused.
    #[error("{input}: {doing}: {source}")]
    Io {
        /// Name of the input.
        input: String,
        /// What was tried: `cannot open`, `cannot read at byte 4096`.
        doing: String,
        /// The system's answer.
        source: io::Error,
    },
    /// A directory where a file belongs.
    #[error("{}: is a directory", path.display())]
    Directory {
        /// As given.
        path: PathBuf,
    },
    /// No bytes at all.
    #[error("{input}: is empty (0 bytes)")]
    Empty {
        /// Name of the input.
        input: String,
    },
    /// Neither content nor name tell the format.
    #[error("{input}: its format is not recognised: it begins with {head}")]
    UnknownFormat {
        /// Name of the input.
        input: String,
        /// First bytes, in hexadecimal and as text.
        head: String,
    },
    /// Recognised, but it holds no documents as it is.
    #[error("{input}: is {}", what.name())]
    Foreign {
        /// Name of the input.
        input: String,
        /// What it is.
        what: Foreign,
    },
    /// A document that cannot be taken.
    #[error(transparent)]
    Document(DocumentError),
    /// Text that breaks the grammar of its format.
    #[error("{input}: document {ordinal} at byte {offset} (line {line}, column {column}): {what}")]
    Syntax {
        /// Name of the input.
        input: String,
        /// From 0, in input order: the document in which it happened.
        ordinal: u64,
        /// Of the character that breaks it.
        offset: u64,
        /// From 1.
        line: u64,
        /// From 1, in bytes.
        column: u64,
        /// Found and expected.
        what: String,
        /// What the user can do next, if the reader knows.
        hint: Option<String>,
    },
}

impl SourceErrorKind {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                vec!["check the path; `-` reads standard input".to_owned()]
            }
            Self::Directory { path } => vec![format!(
                "pass the files in it: `pagepress estimate {}/*.bson`",
                path.display().to_string().trim_end_matches('/')
            )],
            Self::Empty { .. } => {
                vec!["an empty collection takes 4096 bytes on disk; there is nothing to estimate".to_owned()]
            }
            Self::UnknownFormat { .. } => {
                vec!["name the format with `--format bson|json|csv|tsv`".to_owned()]
            }
            Self::Foreign { input, what } => vec![what.hint(input)],
            Self::Document(error) => document_hints(error),
            Self::Syntax { hint, .. } => hint.iter().cloned().collect(),
            Self::Io { .. } => Vec::new(),
        }
    }
}

fn document_hints(error: &DocumentError) -> Vec<String> {
    let DocumentError { input, ordinal, offset, kind } = error;
    let look = format!("to look at the place, run `xxd -s {offset} -l 16 {input}`");
    match kind {
        DocumentErrorKind::TooShort { .. } | DocumentErrorKind::TooLong { .. } if *ordinal == 0 => {
            vec!["is this BSON? `--format json|csv|tsv` reads text".to_owned(), look]
        }
        DocumentErrorKind::TooShort { .. } | DocumentErrorKind::TooLong { .. } => vec![
            format!(
                "after a bad length the next document cannot be found; to estimate from the {ordinal} before it, pass `--on-bad-document skip`"
            ),
            look,
        ],
        DocumentErrorKind::Truncated { .. } => vec![
            format!(
                "to estimate from the {ordinal} whole documents before it, pass `--on-bad-document skip`"
            ),
            look,
        ],
        DocumentErrorKind::NoTerminator { .. } | DocumentErrorKind::BadElement { .. } => {
            vec!["to leave it out and go on, pass `--on-bad-document skip`".to_owned(), look]
        }
        _ => vec!["to leave it out and go on, pass `--on-bad-document skip`".to_owned()],
    }
}

/// What was left out of an estimate, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Documents that could be stepped over or that were cut off.
    pub documents: u64,
    /// Input bytes that were not read as documents.
    pub bytes: u64,
    /// The first few, with their place; at most [`Skipped::REASONS_MAX`].
    pub reasons: Vec<SkipReason>,
}

/// One skipped document's message.
pub type SkipReason = String;

impl Skipped {
    /// How many reasons are kept: enough to see a pattern, bounded whatever the input does.
    pub const REASONS_MAX: usize = 10;

    /// Counts one document and its bytes, keeping its message while there is room.
    pub fn count(&mut self, bytes: u64, reason: &dyn std::fmt::Display) {
        self.documents += 1;
        self.bytes += bytes;
        if self.reasons.len() < Self::REASONS_MAX {
            self.reasons.push(reason.to_string());
        }
    }
}

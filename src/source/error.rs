//! Why an input could not be read, with the place; and what was skipped instead of failing.

use super::{
    Foreign,
    archive::Damage,
    shell,
    unpack::{PackingFault, PackingFaultKind},
};
use crate::document::{DocumentError, DocumentErrorKind};
use crate::mongod::MongodError;
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

    /// Whether the input could not be read, so that nothing is known of what it holds.
    #[must_use]
    pub fn is_about_the_system(&self) -> bool {
        matches!(
            *self.kind,
            SourceErrorKind::Io { .. } | SourceErrorKind::Directory { .. } | SourceErrorKind::Live(_)
        )
    }

    /// What the user can do next, one line each, best first.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        self.kind.hints()
    }

    /// Whether what was read before it is good: a compressed stream broke, not the disk below it.
    pub(super) fn is_broken_packing(&self) -> bool {
        matches!(*self.kind, SourceErrorKind::Packed { .. })
    }
}

impl From<SourceErrorKind> for SourceError {
    fn from(kind: SourceErrorKind) -> Self {
        Self { kind: Box::new(kind) }
    }
}

impl From<MongodError> for SourceError {
    fn from(error: MongodError) -> Self {
        SourceErrorKind::Live(error).into()
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
    /// A server does not give its documents.
    #[error(transparent)]
    Live(MongodError),
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
    /// A compressed stream that ends early or is damaged.
    #[error("{input}: {fault}")]
    Packed {
        /// Name of the input.
        input: String,
        /// What is wrong with it.
        fault: PackingFault,
    },
    /// A mongodump archive that ends early or is damaged.
    #[error("{input}: {damage}")]
    Archive {
        /// Name of the input.
        input: String,
        /// What is wrong with it, and where.
        damage: Damage,
    },
    /// A dump without a collection that can be estimated.
    #[error("{input}: holds no collection {what}")]
    NoCollection {
        /// Name of the input.
        input: String,
        /// `with documents`, `that `--ns` chooses`.
        what: &'static str,
        /// Namespaces that were left out, the first few.
        left_out: Vec<String>,
    },
    /// Several collections where one was asked for.
    #[error("{input}: holds {collections} collections")]
    SeveralCollections {
        /// Name of the input.
        input: String,
        /// How many.
        collections: usize,
    },
    /// A file that was entered in its middle and shows no document there.
    #[error("{input}: no document begins in the {bytes} bytes behind byte {at}")]
    NoDocumentBehind {
        /// Name of the input.
        input: String,
        /// Where it was entered.
        at: u64,
        /// How far was looked.
        bytes: u64,
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
        /// What the user can do next, one line each, best first.
        hints: Vec<String>,
    },
}

impl SourceErrorKind {
    /// A reader that failed while `input` stood at byte `offset`.
    pub(super) fn reading(input: &str, offset: u64, source: io::Error) -> Self {
        let input = input.to_owned();
        match PackingFault::of(&source) {
            Some(fault) => Self::Packed { input, fault: fault.clone() },
            None => Self::Io { input, doing: format!("cannot read on from byte {offset}"), source },
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Packed { fault, .. } => packing_hints(fault),
            Self::Archive { damage, .. } => damage.hints(),
            Self::NoCollection { left_out, .. } => left_out.clone(),
            Self::SeveralCollections { .. } => vec!["choose one with `--ns DB.COLLECTION`".to_owned()],
            Self::Io { input, source, .. } => match source.kind() {
                io::ErrorKind::NotFound => vec!["check the path; `-` reads standard input".to_owned()],
                io::ErrorKind::PermissionDenied => {
                    vec![format!("to see who may read it, run `ls -ld {}`", shell::word(input))]
                }
                _ if input == "-" => Vec::new(),
                _ => {
                    vec![format!(
                        "to see whether it can be read at all, run `cat {} | wc -c`",
                        shell::word(input)
                    )]
                }
            },
            Self::Live(error) => error.hints(),
            Self::Directory { path } => {
                let folder = path.display().to_string();
                let folder = shell::word(folder.trim_end_matches('/'));
                // Every dbPath has one.
                if path.join("WiredTiger.wt").is_file() {
                    return vec![format!("a server's data folder is for `pagepress inspect {folder}`")];
                }
                vec![format!("pass the files in it: `pagepress estimate {folder}/*.bson`")]
            }
            Self::Empty { input } if input == "-" => {
                vec!["nothing came from standard input: did the command before the pipe fail?".to_owned()]
            }
            Self::Empty { .. } => {
                vec!["an empty collection takes 4096 bytes on disk; there is nothing to estimate".to_owned()]
            }
            Self::UnknownFormat { .. } => {
                vec!["name the format with `--format bson|json|csv|tsv`".to_owned()]
            }
            Self::Foreign { input, what } => vec![what.hint(input)],
            Self::NoDocumentBehind { .. } => {
                vec![
                    "without `--sample` the file is read from its first byte and the damage is named"
                        .to_owned(),
                ]
            }
            Self::Document(error) => document_hints(error),
            Self::Syntax { hints, .. } => hints.clone(),
        }
    }
}

fn packing_hints(fault: &PackingFault) -> Vec<String> {
    let cause = match fault.what {
        PackingFaultKind::Truncated => Some("it was cut off while it was written or copied: fetch it again"),
        PackingFaultKind::Damaged(_) if fault.unpacked_bytes == 0 => {
            Some("is it encrypted, or damaged on the way? Fetch it again, or decrypt it first")
        }
        PackingFaultKind::Window => {
            Some("unpack it on the way: `zstd -dc --long=31 FILE | pagepress estimate -`")
        }
        PackingFaultKind::Checksum | PackingFaultKind::Damaged(_) => {
            Some("it was damaged while it was written or copied: fetch it again")
        }
        PackingFaultKind::Trailing => None,
    };
    let keep = "to estimate from what came before, pass `--on-bad-document skip`";
    let keep = (fault.unpacked_bytes > 0).then_some(keep);
    cause.into_iter().chain(keep).map(ToOwned::to_owned).collect()
}

pub(super) const SKIP_IT: &str = "to leave it out and go on, pass `--on-bad-document skip`";

/// What is left when nothing behind the document can be read; `None` if it is the first.
pub(super) fn skip_the_rest(ordinal: u64) -> Option<String> {
    let before = match ordinal {
        0 => return None,
        1 => "document".to_owned(),
        more => format!("{more} documents"),
    };
    Some(format!("to estimate from the {before} before it, pass `--on-bad-document skip`"))
}

fn document_hints(error: &DocumentError) -> Vec<String> {
    let DocumentError { input, ordinal, offset, kind } = error;
    // Neither a pipe nor a collection of an archive can be looked at so.
    let look = |at: usize| {
        let place = offset + at as u64;
        let file = shell::word(input);
        let unpacked =
            [(".gz", "gzip"), (".zst", "zstd")].into_iter().find(|(ending, _)| input.ends_with(ending));
        let command = match unpacked {
            Some((_, program)) => format!("{program} -dc {file} | xxd -s {place} -l 16"),
            None => format!("xxd -s {place} -l 16 {file}"),
        };
        (input != "-" && !input.contains(": ") && !input.contains(", from byte "))
            .then(|| format!("to look at the place, run `{command}`"))
    };
    let what_to_do = match kind {
        DocumentErrorKind::TooShort { .. } | DocumentErrorKind::TooLong { .. } => skip_the_rest(*ordinal)
            .map_or_else(
                || "is this BSON? `--format json|csv|tsv` reads text".to_owned(),
                |hint| format!("after a bad length the next document cannot be found; {hint}"),
            ),
        DocumentErrorKind::Truncated { .. } => skip_the_rest(*ordinal)
            .unwrap_or_else(|| "it was cut off while it was written or copied: fetch it again".to_owned()),
        _ => SKIP_IT.to_owned(),
    };
    let look = match kind {
        DocumentErrorKind::TooShort { .. }
        | DocumentErrorKind::TooLong { .. }
        | DocumentErrorKind::Truncated { .. } => look(0),
        DocumentErrorKind::NoTerminator { at, .. } | DocumentErrorKind::BadElement { at, .. } => look(*at),
        _ => None,
    };
    std::iter::once(what_to_do).chain(look).collect()
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
        self.note(reason);
    }

    /// Keeps a message about damage that cost `bytes`: one document, or none if there were none.
    pub fn damage(&mut self, bytes: u64, reason: &dyn std::fmt::Display) {
        self.documents += u64::from(bytes > 0);
        self.bytes += bytes;
        self.note(reason);
    }

    /// Takes in what another part of the input left out.
    pub fn add(&mut self, other: &Self) {
        let Self { documents, bytes, reasons } = other;
        self.documents += documents;
        self.bytes += bytes;
        for reason in reasons {
            self.note(reason);
        }
    }

    fn note(&mut self, reason: &dyn std::fmt::Display) {
        if self.reasons.len() < Self::REASONS_MAX {
            self.reasons.push(reason.to_string());
        }
    }
}

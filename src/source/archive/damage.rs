//! What can be wrong with an archive, and where.

use crate::source::error::SKIP_IT;

/// Damage of an archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset}: {kind}")]
pub struct Damage {
    /// In the unpacked archive.
    pub offset: u64,
    /// The collection that it is about, if it is about one.
    pub namespace: Option<String>,
    /// What is wrong.
    pub kind: DamageKind,
}

/// The kinds of [`Damage`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DamageKind {
    /// The end comes before the list of collections is complete.
    #[error("the archive ends inside its list of collections")]
    TruncatedPrelude,
    /// The end comes inside a document.
    #[error("the archive ends after {present} of the {declared} bytes of document {ordinal} of {namespace}")]
    TruncatedDocument {
        /// `db.collection`.
        namespace: String,
        /// From 0, in its collection.
        ordinal: u64,
        /// Bytes of it.
        declared: usize,
        /// Bytes that are there.
        present: usize,
    },
    /// The end comes inside a block's header, or between documents.
    #[error("the archive ends inside a block of collections' documents")]
    TruncatedBlock,
    /// A collection began and its end mark never came.
    #[error("the archive ends before {0} is complete")]
    NeverEnded(String),
    /// A collection is listed and no block of it is there.
    #[error("{0} is listed, but the archive ends before its first block")]
    NeverSeen(String),
    /// Documents came through the archive other than they went in.
    #[error("the checksum of {namespace} is {declared:016x}, but its documents have {computed:016x}")]
    Checksum {
        /// `db.collection`.
        namespace: String,
        /// As the archive has it.
        declared: u64,
        /// As they are.
        computed: u64,
    },
    /// Four bytes that are no length and no end mark.
    #[error("0x{0:08x} is neither the length of a document nor the end of a block")]
    BadLength(u32),
    /// Two end marks one behind the other.
    #[error("a block ends that has not begun")]
    NoHeader,
    /// A header that is not one.
    #[error("a block begins with a document that names no collection")]
    BadHeader,
    /// A collection goes on behind its end mark.
    #[error("{0} goes on behind its own end")]
    Reopened(String),
    /// Documents behind an end mark.
    #[error("a document stands in the block that ends {0}")]
    DocumentInEnd(String),
    /// More collections than can be held.
    #[error("the archive has more than {0} collections")]
    TooMany(usize),
    /// A list of collections that is too long to hold.
    #[error("the list of collections is longer than {0} bytes")]
    PreludeTooLong(u64),
}

impl Damage {
    /// What the user can do next, one line each, best first.
    pub(in crate::source) fn hints(&self) -> Vec<String> {
        let cause = match self.kind {
            DamageKind::TruncatedPrelude
            | DamageKind::TruncatedDocument { .. }
            | DamageKind::TruncatedBlock
            | DamageKind::NeverEnded(_)
            | DamageKind::NeverSeen(_) => {
                Some("it was cut off while it was written or copied: fetch it again, or dump again")
            }
            DamageKind::BadLength(_) => Some(
                "was it written through a terminal, which adds a byte 0d to each 0a? Dump with `--archive=FILE`",
            ),
            _ => None,
        };
        let keep = match self.kind {
            DamageKind::TruncatedPrelude | DamageKind::TooMany(_) | DamageKind::PreludeTooLong(_) => None,
            DamageKind::Checksum { .. } => {
                Some("to take its documents as they are, pass `--on-bad-document skip`")
            }
            DamageKind::Reopened(_) | DamageKind::DocumentInEnd(_) => Some(SKIP_IT),
            _ => Some("to estimate from what is there, pass `--on-bad-document skip`"),
        };
        cause.into_iter().chain(keep).map(ToOwned::to_owned).collect()
    }
}

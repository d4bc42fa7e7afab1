//! What can be wrong with a document's bytes, said with the place, the value and the limit.

use super::{DOCUMENT_BYTES_MAX, DOCUMENT_BYTES_MIN};
use crate::units::Human;

/// A document that cannot be taken, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{input}: document {ordinal} at byte {offset}: {kind}")]
pub struct DocumentError {
    /// Name of the input as the user gave it.
    pub input: String,
    /// From 0, in input order.
    pub ordinal: u64,
    /// Of the document's first byte in the (decompressed) input.
    pub offset: u64,
    /// What is wrong.
    pub kind: DocumentErrorKind,
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentErrorKind {
    /// The length field is below the shortest document's.
    #[error("declared length {declared} is below the shortest document's {DOCUMENT_BYTES_MIN} bytes")]
    TooShort {
        /// As read, little-endian.
        declared: i32,
    },
    /// The length field is above what a server stores.
    #[error(
        "declared length {declared} exceeds MongoDB's document limit of {DOCUMENT_BYTES_MAX} bytes (16 MiB and 16 KiB)"
    )]
    TooLong {
        /// As read, little-endian.
        declared: i32,
    },
    /// The input ends inside the document.
    #[error("{}", truncated(*declared, *present))]
    Truncated {
        /// Declared length; `None` when the input ends inside the length field.
        declared: Option<usize>,
        /// Bytes that are there.
        present: usize,
    },
    /// The last byte is not NUL, so the length is wrong or the bytes are damaged.
    #[error("byte {at} of the document is 0x{found:02x} where its terminator 0x00 belongs")]
    NoTerminator {
        /// From the document's first byte.
        at: usize,
        /// The byte there.
        found: u8,
    },
    /// An element runs past the document or has an unknown type.
    #[error("element at byte {at} of the document is damaged: {what}")]
    BadElement {
        /// From the document's first byte.
        at: usize,
        /// Which rule it breaks.
        what: &'static str,
    },
    /// A document that fits as it is, but not with the `_id` that a driver would add.
    #[error(
        "its {bytes} bytes and the `_id` that it lacks ({id_bytes} bytes) exceed MongoDB's document limit of {DOCUMENT_BYTES_MAX} bytes (16 MiB and 16 KiB)"
    )]
    NoRoomForId {
        /// BSON bytes without it.
        bytes: usize,
        /// Bytes of the element.
        id_bytes: usize,
    },
    /// An `_id` that cannot key a clustered collection's table.
    #[error("its `_id` cannot key a clustered collection: {what}")]
    ClusteredKey {
        /// Which rule it breaks.
        what: String,
    },
    /// A text input made a document that no server would store.
    #[error("{bytes} bytes of BSON ({}) exceed MongoDB's document limit of {DOCUMENT_BYTES_MAX} bytes (16 MiB and 16 KiB)", Human(*bytes as u64))]
    BuiltTooLong {
        /// BSON bytes.
        bytes: usize,
    },
}

fn truncated(declared: Option<usize>, present: usize) -> String {
    match declared {
        Some(declared) => {
            let missing = declared - present.min(declared);
            let are = if missing == 1 { "is" } else { "are" };
            format!("the input ends after {present} of its {declared} bytes ({missing} {are} missing)")
        }
        None => format!("the input ends after {present} of the 4 bytes of its length field"),
    }
}

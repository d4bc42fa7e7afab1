//! A BSON document as checked bytes: length, terminator, and where its `_id` stands.
//!
//! Values are never decoded: strings may be invalid UTF-8, keys may repeat, dates may lie anywhere.

mod elements;
mod error;
#[cfg(test)]
mod fixture;
mod id;
mod oddities;
mod walk;

pub use elements::{Element, Elements};
pub use error::{DocumentError, DocumentErrorKind};
pub use id::{IdPlace, element_bytes, find_id};
pub use oddities::{DEPTH_MAX, Oddities, Oddity};
pub use walk::Walker;

/// The shortest document: four bytes of length and the terminator.
pub const DOCUMENT_BYTES_MIN: usize = 5;

/// The longest document that a server stores: 16 MiB of user data and 16 KiB for its own additions.
///
/// Source: `BSONObjMaxInternalSize`, src/mongo/bson/util/builder.h (`BSONObjMaxUserSize` + 16 * 1024).
pub const DOCUMENT_BYTES_MAX: usize = (16 << 20) + (16 << 10);

/// Bytes that the length field in front of a document declares.
///
/// # Errors
///
/// A length below 5 or above [`DOCUMENT_BYTES_MAX`].
pub fn declared_bytes(head: [u8; 4]) -> Result<usize, DocumentErrorKind> {
    let declared = i32::from_le_bytes(head);
    let bytes = usize::try_from(declared).unwrap_or(0);
    if bytes < DOCUMENT_BYTES_MIN {
        Err(DocumentErrorKind::TooShort { declared })
    } else if bytes > DOCUMENT_BYTES_MAX {
        Err(DocumentErrorKind::TooLong { declared })
    } else {
        Ok(bytes)
    }
}

/// Checks that `bytes` is one document: the declared length is its length and it ends in NUL.
///
/// # Errors
///
/// What [`declared_bytes`] refuses, a length that differs from `bytes.len()`, a missing terminator.
pub fn check(bytes: &[u8]) -> Result<(), DocumentErrorKind> {
    let Some(head) = bytes.first_chunk::<4>() else {
        return Err(DocumentErrorKind::Truncated { declared: None, present: bytes.len() });
    };
    let declared = declared_bytes(*head)?;
    if declared != bytes.len() {
        return Err(DocumentErrorKind::Truncated { declared: Some(declared), present: bytes.len() });
    }
    match bytes[declared - 1] {
        0 => Ok(()),
        found => Err(DocumentErrorKind::NoTerminator { at: declared - 1, found }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_length_is_taken_from_5_to_16_mib_and_16_kib() {
        for (declared, ok) in [
            (-1, false),
            (0, false),
            (4, false),
            (5, true),
            (16_793_600, true),
            (16_793_601, false),
            (i32::MAX, false),
        ] {
            assert_eq!(declared_bytes(i32::to_le_bytes(declared)).is_ok(), ok, "{declared}");
        }
    }

    #[test]
    fn a_document_must_end_where_it_says_and_in_nul() {
        assert_eq!(check(&[5, 0, 0, 0, 0]), Ok(()));
        assert_eq!(check(&[5, 0, 0, 0, 7]), Err(DocumentErrorKind::NoTerminator { at: 4, found: 7 }));
        assert_eq!(
            check(&[6, 0, 0, 0, 0]),
            Err(DocumentErrorKind::Truncated { declared: Some(6), present: 5 })
        );
        assert_eq!(check(&[6, 0]), Err(DocumentErrorKind::Truncated { declared: None, present: 2 }));
    }
}

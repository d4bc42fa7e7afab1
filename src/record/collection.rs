//! Documents as a collection's table holds them: BSON bytes with `_id` first, keyed by `RecordId`.

use crate::document::{DocumentErrorKind, IdPlace, find_id};

/// Bytes that an added `_id` takes: type, `_id` and NUL, 12 bytes of `ObjectId`.
pub const ADDED_ID_BYTES: usize = 1 + 4 + 12;

/// Gives documents without `_id` an `ObjectId`, as a driver does before it sends them.
///
/// The values are those of one client that inserts without a pause: a fixed start second, a fixed process
/// value, a counter. So the same input always makes the same bytes.
#[derive(Clone, Debug)]
pub struct IdMaker {
    count: u32,
}

impl IdMaker {
    /// Second in which the first `ObjectId` is made: 2023-11-14T22:13:20Z.
    const START_SECOND: u32 = 1_700_000_000;
    /// Documents that one client inserts a second. Only decides how often the seconds move on.
    const DOCUMENTS_PER_SECOND: u32 = 20_000;
    /// An `ObjectId`'s five random bytes, the same for a whole process.
    const PROCESS: [u8; 5] = [0x5a, 0xc3, 0x17, 0x9e, 0x62];
    /// Counters start at a random value; drawn once.
    const START_COUNTER: u32 = 0x6b_3f01;

    /// From the first.
    #[must_use]
    pub fn new() -> Self {
        Self { count: 0 }
    }

    /// How many were made.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    fn next_id(&mut self) -> [u8; 12] {
        let second = Self::START_SECOND.wrapping_add(self.count / Self::DOCUMENTS_PER_SECOND);
        let counter = Self::START_COUNTER.wrapping_add(self.count).to_be_bytes();
        self.count = self.count.wrapping_add(1);
        let mut id = [0; 12];
        id[..4].copy_from_slice(&second.to_be_bytes());
        id[4..9].copy_from_slice(&Self::PROCESS);
        id[9..].copy_from_slice(&counter[1..]);
        id
    }
}

impl Default for IdMaker {
    fn default() -> Self {
        Self::new()
    }
}

/// Brings the document at the end of `bytes`, from `start` on, into the form a server stores: `_id` first,
/// added where it is missing. Returns its length afterwards.
///
/// # Errors
///
/// A damaged element before `_id` is found. `bytes` is left as it was.
pub fn normalise(bytes: &mut Vec<u8>, start: usize, ids: &mut IdMaker) -> Result<usize, DocumentErrorKind> {
    match find_id(&bytes[start..])? {
        IdPlace::First => {}
        IdPlace::Later(range) => bytes[start + 4..start + range.end].rotate_right(range.len()),
        IdPlace::Missing => {
            let length = bytes.len() - start + ADDED_ID_BYTES;
            let declared =
                i32::try_from(length).map_err(|_| DocumentErrorKind::BuiltTooLong { bytes: length })?;
            let mut element = [0; ADDED_ID_BYTES];
            element[..5].copy_from_slice(b"\x07_id\0");
            element[5..].copy_from_slice(&ids.next_id());
            bytes.splice(start + 4..start + 4, element);
            bytes[start..start + 4].copy_from_slice(&declared.to_le_bytes());
        }
    }
    Ok(bytes.len() - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_comes_first_and_is_added_where_it_is_missing() {
        let plain = b"\x0e\0\0\0\x10_id\0\x01\0\0\0\0";
        let later = b"\x15\0\0\0\x10a\0\x02\0\0\0\x10_id\0\x01\0\0\0\0";
        let moved = b"\x15\0\0\0\x10_id\0\x01\0\0\0\x10a\0\x02\0\0\0\0";
        let mut ids = IdMaker::new();
        for (input, want) in [(&plain[..], &plain[..]), (later, moved)] {
            let mut bytes = b"before".to_vec();
            bytes.extend_from_slice(input);
            assert_eq!(normalise(&mut bytes, 6, &mut ids), Ok(want.len()));
            assert_eq!(&bytes[6..], want);
        }
        assert_eq!(ids.count(), 0);
        let mut empty = vec![5, 0, 0, 0, 0];
        assert_eq!(normalise(&mut empty, 0, &mut ids), Ok(22));
        assert_eq!(empty[..9], *b"\x16\0\0\0\x07_id\0");
        assert_eq!(empty[21], 0);
        assert_eq!(ids.count(), 1);
    }

    #[test]
    fn added_ids_count_up_and_share_their_process() {
        let mut ids = IdMaker::new();
        let (a, b) = (ids.next_id(), ids.next_id());
        assert_eq!(a[..11], b[..11]);
        assert_eq!(a[11].wrapping_add(1), b[11]);
    }
}

//! Documents as a collection's table holds them: BSON bytes with `_id` first, keyed by `RecordId`.

use crate::document::{DOCUMENT_BYTES_MAX, DocumentErrorKind, IdPlace, find_id};

/// What a collection was created as, where that decides its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// What keys its table.
    pub keys: Keys,
    /// Its limit, if it was created with one.
    pub capped: Option<Cap>,
    /// What it is for, where that is part of MongoDB.
    pub purpose: Purpose,
}

impl Shape {
    /// As the name of a collection tells, with its database or without: a time series' buckets are clustered.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let purpose = Purpose::of_name(name);
        let keys = if purpose == Purpose::TimeSeriesBuckets { Keys::Clustered } else { Keys::Numbers };
        Self { keys, capped: None, purpose }
    }
}

/// What MongoDB itself or its drivers keep in a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Anything.
    #[default]
    Plain,
    /// The buckets behind a time-series collection.
    TimeSeriesBuckets,
    /// Pieces of files, 255 KiB each by default.
    GridFsChunks,
    /// Entries of a replica set's log: keyed by their `ts`, without `_id`s. Its shape has [`Keys::Clustered`], since
    /// its keys are bytes that documents give.
    Oplog,
}

impl Purpose {
    /// `system.buckets.*` and `*.chunks`.
    ///
    /// Source: `NamespaceString::kTimeseriesBucketsCollectionPrefix`, mongod 6.0; GridFS specification, "Terms".
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        if name.starts_with("system.buckets.") || name.contains(".system.buckets.") {
            Self::TimeSeriesBuckets
        } else if name.ends_with(".chunks") {
            Self::GridFsChunks
        } else {
            Self::Plain
        }
    }

    /// What a server packs such a collection with unless it is told otherwise: `block_compressor`'s own word.
    ///
    /// Source: seen on mongod 6.0.5; `storage.wiredTiger.collectionConfig.blockCompressor` in the MongoDB manual.
    #[must_use]
    pub fn server_codec(self) -> &'static str {
        match self {
            Self::Plain | Self::GridFsChunks | Self::Oplog => "snappy",
            Self::TimeSeriesBuckets => "zstd",
        }
    }
}

/// What a collection's table is keyed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// Numbers in the order of the inserts, from 1. An index `_id_` leads to them.
    #[default]
    Numbers,
    /// `_id` itself, as a KeyString: a clustered collection, or a time series' buckets. There is no `_id_`.
    ///
    /// Source: `key_format=u` in the table's metadata, seen on mongod 6.0.5.
    Clustered,
}

/// How much a capped collection holds before its oldest documents go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    bytes: u64,
    documents: Option<u64>,
}

impl Cap {
    /// What a server rounds a limit up to. Source: MongoDB manual, "Capped Collections".
    const UNIT_BYTES: u64 = 256;

    /// From `create`'s `size`, in BSON bytes, and `max`, in documents.
    #[must_use]
    pub fn new(size_bytes: u64, documents: Option<u64>) -> Self {
        let bytes = size_bytes.div_ceil(Self::UNIT_BYTES).saturating_mul(Self::UNIT_BYTES);
        Self { bytes, documents }
    }

    /// BSON bytes that it holds at most.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// Documents that it holds at most, if there is such a limit.
    #[must_use]
    pub fn documents(self) -> Option<u64> {
        self.documents
    }

    /// Whether so many documents of so many BSON bytes stay.
    #[must_use]
    pub fn holds(self, documents: u64, bson_bytes: u64) -> bool {
        bson_bytes <= self.bytes && self.documents.is_none_or(|max| documents <= max)
    }
}

/// Bytes that an added `_id` takes: type, `_id` and NUL, 12 bytes of `ObjectId`.
pub const ADDED_ID_BYTES: usize = 1 + 4 + 12;

/// Gives documents without `_id` an `ObjectId`, as a driver does before it sends them.
///
/// The values are those of one client that inserts without a pause: a fixed start second, a fixed process
/// value, a counter. So the same input always makes the same bytes.
#[derive(Clone, Debug)]
pub struct IdMaker {
    count: u64,
}

impl IdMaker {
    /// Second in which the first `ObjectId` is made: 2023-11-14T22:13:20Z.
    const START_SECOND: u64 = 1_700_000_000;
    /// Documents that one client inserts a second. Only decides how often the seconds move on.
    const DOCUMENTS_PER_SECOND: u64 = 20_000;
    /// An `ObjectId`'s five random bytes, the same for a whole process.
    const PROCESS: [u8; 5] = [0x5a, 0xc3, 0x17, 0x9e, 0x62];
    /// Counters start at a random value; drawn once.
    const START_COUNTER: u64 = 0x6b_3f01;

    /// From the first.
    #[must_use]
    pub fn new() -> Self {
        Self { count: 0 }
    }

    /// How many were made.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    fn next_id(&mut self) -> [u8; 12] {
        // Seconds are the low four bytes, the counter the low three: both wrap.
        let second = (Self::START_SECOND + self.count / Self::DOCUMENTS_PER_SECOND).to_be_bytes();
        let counter = (Self::START_COUNTER + self.count).to_be_bytes();
        self.count += 1;
        let mut id = [0; 12];
        id[..4].copy_from_slice(&second[4..]);
        id[4..9].copy_from_slice(&Self::PROCESS);
        id[9..].copy_from_slice(&counter[5..]);
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
/// A damaged element before `_id` is found; no room for the `_id` that is missing. `bytes` is left as it was.
pub fn normalise(bytes: &mut Vec<u8>, start: usize, ids: &mut IdMaker) -> Result<usize, DocumentErrorKind> {
    match find_id(&bytes[start..])? {
        IdPlace::First => {}
        IdPlace::Later(range) => bytes[start + 4..start + range.end].rotate_right(range.len()),
        IdPlace::Missing => {
            let present = bytes.len() - start;
            let no_room = DocumentErrorKind::NoRoomForId { bytes: present, id_bytes: ADDED_ID_BYTES };
            let length = Some(present + ADDED_ID_BYTES).filter(|bytes| *bytes <= DOCUMENT_BYTES_MAX);
            let declared = length.and_then(|bytes| i32::try_from(bytes).ok()).ok_or(no_room)?;
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
    fn names_tell_buckets_and_chunks() {
        for (name, want, keys) in [
            ("system.buckets.weather", Purpose::TimeSeriesBuckets, Keys::Clustered),
            ("shop.system.buckets.weather", Purpose::TimeSeriesBuckets, Keys::Clustered),
            ("fs.chunks", Purpose::GridFsChunks, Keys::Numbers),
            ("chunks", Purpose::Plain, Keys::Numbers),
            ("system.buckets", Purpose::Plain, Keys::Numbers),
        ] {
            assert_eq!(Shape::of_name(name), Shape { keys, capped: None, purpose: want }, "{name}");
        }
    }

    #[test]
    fn a_cap_is_whole_units_and_holds_what_just_fits() {
        let cap = Cap::new(1000, Some(3));
        assert_eq!((cap.bytes(), cap.documents()), (1024, Some(3)));
        for (documents, bson_bytes, holds) in [(3, 1024, true), (3, 1025, false), (4, 1024, false)] {
            assert_eq!(cap.holds(documents, bson_bytes), holds, "{documents} documents, {bson_bytes} B");
        }
        assert!(Cap::new(u64::MAX, None).holds(u64::MAX, 1 << 60));
    }

    #[test]
    fn an_id_that_does_not_fit_is_not_made() {
        let document = |bytes: usize| {
            let mut document = i32::try_from(bytes).unwrap().to_le_bytes().to_vec();
            document.extend_from_slice(b"\x05v\0");
            document.extend_from_slice(&i32::try_from(bytes - 13).unwrap().to_le_bytes());
            document.resize(bytes, 0);
            document
        };
        let mut ids = IdMaker::new();
        let mut fits = document(DOCUMENT_BYTES_MAX - ADDED_ID_BYTES);
        assert_eq!(normalise(&mut fits, 0, &mut ids), Ok(DOCUMENT_BYTES_MAX));
        let mut full = document(DOCUMENT_BYTES_MAX - ADDED_ID_BYTES + 1);
        let before = full.clone();
        let bytes = before.len();
        let error = DocumentErrorKind::NoRoomForId { bytes, id_bytes: ADDED_ID_BYTES };
        assert_eq!(normalise(&mut full, 0, &mut ids), Err(error));
        assert!(full == before, "left as it was");
        assert_eq!(ids.count(), 1, "an `_id` that was not added is not counted");
    }

    #[test]
    fn added_ids_count_up_and_share_their_process() {
        let mut ids = IdMaker::new();
        let (a, b) = (ids.next_id(), ids.next_id());
        assert_eq!(a[..11], b[..11]);
        assert_eq!(a[11].wrapping_add(1), b[11]);
        assert_eq!(a, *b"\x65\x53\xf1\x00\x5a\xc3\x17\x9e\x62\x6b\x3f\x01", "the same on every machine");
    }
}

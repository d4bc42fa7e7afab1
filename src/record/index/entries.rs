//! The entries of one index, keys and values in one buffer.
//!
//! ```text
//!  bytes    KeyString 04 | RecordId | type bits | KeyString 04 | ..
//!           `------- key -------------' `- value -'                      in _id_ the RecordId is the value's
//!  places   where each entry starts, and the lengths of its parts
//! ```

use super::Stop;
use crate::record::keystring::{
    Direction, END, KeyError, KeyWriter, RecordId, TypeBits, Value, Version, append_record_id,
};
use std::collections::BTreeSet;

/// Bytes that the entries of one document may take. A server's transaction would not hold as many.
const DOCUMENT_KEY_BYTES_MAX: usize = 1 << 28;

/// One entry as the index's table holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry<'e> {
    /// Sorts the table.
    pub key: &'e [u8],
    /// Often empty.
    pub value: &'e [u8],
    string_bytes: u32,
}

impl<'e> Entry<'e> {
    /// The key without its `RecordId`: what two documents with equal values share, and what a unique secondary
    /// index's twin key is.
    #[must_use]
    pub fn key_string(&self) -> &'e [u8] {
        &self.key[..self.string_bytes as usize]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    start: usize,
    string_bytes: u32,
    key_bytes: u32,
    value_bytes: u32,
}

/// Where the `RecordId` goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// `_id_`: key = KeyString, value = `RecordId` and type bits.
    Id,
    /// Every other index: key = KeyString and `RecordId`, value = type bits.
    Secondary,
}

/// Entries of any number of documents, with all that making them needs: nothing is allocated per key.
///
/// A worker keeps one for an index, [`clear`](Self::clear)s it when its contents have been taken, and so
/// allocates only until the buffers have found their size.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    bytes: Vec<u8>,
    places: Vec<Place>,
    array_paths: BTreeSet<Vec<u8>>,
    pub(super) scratch: Scratch,
}

/// Buffers that live from one document to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) type_bits: TypeBits,
    pub(super) slots: Vec<super::fields::Slot>,
    pub(super) positions: Vec<Option<super::fields::Position>>,
    pub(super) path: Vec<u8>,
    pub(super) projected: Vec<u8>,
    pub(super) filter_key: Vec<u8>,
}

/// How much there was before a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    bytes: usize,
    places: usize,
}

impl Entries {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the entries, keeps the buffers and the [`array_paths`](Self::array_paths).
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Bytes that the buffers hold, entries and their places.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.bytes.len() + size_of_val(&self.places[..])
    }

    /// One entry; those of one document stand together, in key order.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`len`](Self::len).
    #[must_use]
    pub fn get(&self, index: usize) -> Entry<'_> {
        self.at(self.places[index])
    }

    /// All entries, in the order in which their documents came.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entry<'_>> {
        self.places.iter().map(|place| self.at(*place))
    }

    /// Sorts by key, as the table will be.
    pub fn sort(&mut self) {
        let bytes = &self.bytes;
        self.places.sort_unstable_by(|a, b| key_of(bytes, *a).cmp(key_of(bytes, *b)));
    }

    /// Wildcard indexes: every path at which a document had an array. A whole index has one metadata entry for
    /// each, see [`IndexSpec::metadata_entries`](super::IndexSpec::metadata_entries).
    #[must_use]
    pub fn array_paths(&self) -> &BTreeSet<Vec<u8>> {
        &self.array_paths
    }

    pub(super) fn note_array_path(&mut self, path: &[u8]) {
        if !self.array_paths.contains(path) {
            self.array_paths.insert(path.to_vec());
        }
    }

    fn at(&self, place: Place) -> Entry<'_> {
        let value_at = place.start + place.key_bytes as usize;
        Entry {
            key: &self.bytes[place.start..value_at],
            value: &self.bytes[value_at..value_at + place.value_bytes as usize],
            string_bytes: place.string_bytes,
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { bytes: self.bytes.len(), places: self.places.len() }
    }

    /// Takes back what a document has added.
    pub(super) fn rewind(&mut self, mark: Mark) {
        self.bytes.truncate(mark.bytes);
        self.places.truncate(mark.places);
    }

    /// Orders what a document has added and drops keys it has twice; the first of equals stays. Returns how many
    /// are left.
    pub(super) fn settle(&mut self, mark: Mark) -> usize {
        let added = &mut self.places[mark.places..];
        if added.len() > 1 {
            let bytes = &self.bytes;
            added.sort_by(|a, b| key_of(bytes, *a).cmp(key_of(bytes, *b)));
            let mut kept = mark.places;
            for index in mark.places + 1..self.places.len() {
                if key_of(bytes, self.places[index]) != key_of(bytes, self.places[kept]) {
                    kept += 1;
                    self.places[kept] = self.places[index];
                }
            }
            self.places.truncate(kept + 1);
        }
        self.places.len() - mark.places
    }

    /// Adds an entry whose values `write` appends.
    pub(super) fn add(
        &mut self,
        header: &Header<'_>,
        write: impl FnOnce(&mut KeyWriter<'_>) -> Result<(), KeyError>,
    ) -> Result<(), Stop> {
        let start = self.bytes.len();
        write(&mut KeyWriter::new(header.version, &mut self.bytes, &mut self.scratch.type_bits))?;
        self.bytes.push(END);
        let string_end = self.bytes.len();
        append_record_id(header.record_id, &mut self.bytes);
        let key_end = if header.layout == Layout::Id { string_end } else { self.bytes.len() };
        self.scratch.type_bits.append_to(&mut self.bytes);
        if self.bytes.len() - header.mark.bytes > DOCUMENT_KEY_BYTES_MAX {
            return Err(KeyError::TooLong { bytes_max: DOCUMENT_KEY_BYTES_MAX }.into());
        }
        let length =
            |from: usize, to: usize| u32::try_from(to - from).expect("the limit above is below 2^32");
        self.places.push(Place {
            start,
            string_bytes: length(start, string_end),
            key_bytes: length(start, key_end),
            value_bytes: length(key_end, self.bytes.len()),
        });
        Ok(())
    }
}

/// What all entries of one document have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'a> {
    pub(super) version: Version,
    pub(super) layout: Layout,
    pub(super) record_id: RecordId<'a>,
    pub(super) mark: Mark,
}

impl Header<'_> {
    /// For the metadata of a whole index.
    pub(super) fn metadata(version: Version, record_id: u64, mark: Mark) -> Self {
        Self { version, layout: Layout::Secondary, record_id: RecordId::Number(record_id), mark }
    }
}

fn key_of(bytes: &[u8], place: Place) -> &[u8] {
    &bytes[place.start..place.start + place.key_bytes as usize]
}

/// Writes one value alone, for a partial filter.
pub(super) fn lone_key(
    value: Value<'_>,
    out: &mut Vec<u8>,
    type_bits: &mut TypeBits,
) -> Result<(), KeyError> {
    out.clear();
    KeyWriter::new(Version::V1, out, type_bits).field(value, Direction::Ascending)
}

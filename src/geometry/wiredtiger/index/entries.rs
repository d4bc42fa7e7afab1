//! The entries of one index, in the order in which its documents were inserted.

/// Keys, and of the values their lengths: an index is not compressed, so what a value holds decides nothing.
///
/// Fourteen bytes an entry beside its key, sixteen in a unique index.
#[derive(Clone, Debug, Default)]
pub struct IndexEntries {
    key_bytes: Vec<u8>,
    ends: Vec<u64>,
    value_bytes: Vec<u16>,
    documents: Vec<u32>,
    /// Bytes at each key's end that its ghost lacks; empty unless the index is unique.
    record_id_bytes: Vec<u16>,
    ascending: bool,
}

/// Most entries of one index: half of what 32 bits count, as ghosts are counted, too.
const ENTRIES_MAX: usize = (u32::MAX / 2) as usize;

impl IndexEntries {
    /// Without entries.
    #[must_use]
    pub fn new() -> Self {
        Self { ascending: true, ..Self::default() }
    }

    /// Appends an entry: its key as the table holds it (`RecordId` included where the kind of index has one), the
    /// length of its value, and which document it comes from, counted from 0. Documents come in order.
    ///
    /// A value above 65535 B counts as one of 65535 B.
    ///
    /// # Panics
    ///
    /// After 2147483647 entries.
    pub fn push(&mut self, key: &[u8], value_bytes: usize, document: u32) {
        let count = self.ends.len();
        assert!(count < ENTRIES_MAX, "an index of more than {ENTRIES_MAX} entries");
        if self.ascending && count > 0 && self.key(count - 1) > key {
            self.ascending = false;
        }
        self.key_bytes.extend_from_slice(key);
        self.ends.push(self.key_bytes.len() as u64);
        self.value_bytes.push(u16::try_from(value_bytes).unwrap_or(u16::MAX));
        self.documents.push(document);
    }

    /// Appends an entry of a unique secondary index. Its insert writes and deletes a *ghost* first: the key without
    /// the `RecordId` of this length at its end.
    ///
    /// Source: `WiredTigerIndexUnique::_insertTimestampSafe`, mongod 6.0; measured on 6.0.5 and 6.0.27.
    ///
    /// # Panics
    ///
    /// As [`Self::push`], and if the index has entries of the other kind.
    pub fn push_unique(&mut self, key: &[u8], record_id_bytes: usize, value_bytes: usize, document: u32) {
        assert_eq!(self.record_id_bytes.len(), self.ends.len(), "a unique index has no other entries");
        self.push(key, value_bytes, document);
        self.record_id_bytes.push(u16::try_from(record_id_bytes.min(key.len())).unwrap_or(u16::MAX));
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether an insert writes a ghost first.
    #[must_use]
    pub fn has_ghosts(&self) -> bool {
        !self.record_id_bytes.is_empty()
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.ends.len()).expect("entries are counted in 31 bits")
    }

    /// Whether keys came in ascending order.
    pub(super) fn is_ascending(&self) -> bool {
        self.ascending
    }

    pub(super) fn key(&self, entry: usize) -> &[u8] {
        let start = if entry == 0 { 0 } else { self.ends[entry - 1] };
        &self.key_bytes[position(start)..position(self.ends[entry])]
    }

    /// The key without its `RecordId`.
    pub(super) fn ghost(&self, entry: usize) -> &[u8] {
        let key = self.key(entry);
        let record_id_bytes = self.record_id_bytes.get(entry).map_or(0, |bytes| usize::from(*bytes));
        &key[..key.len() - record_id_bytes]
    }

    pub(super) fn value_bytes(&self, entry: usize) -> u64 {
        u64::from(self.value_bytes[entry])
    }

    pub(super) fn document(&self, entry: usize) -> u64 {
        u64::from(self.documents[entry])
    }
}

/// A place in `key_bytes`, which is as long as memory allows.
#[expect(clippy::cast_possible_truncation, reason = "it was a length of this platform when it was stored")]
fn position(end: u64) -> usize {
    end as usize
}

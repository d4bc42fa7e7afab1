//! The entries of one index, in the order in which its documents were inserted.

/// Keys, and of the values their lengths: an index is not compressed, so what a value holds decides nothing.
///
/// Sixteen bytes an entry beside its key.
#[derive(Clone, Debug, Default)]
pub struct IndexEntries {
    key_bytes: Vec<u8>,
    slots: Vec<Slot>,
    /// Whether entries have ghosts; decided by the first.
    is_unique: bool,
    /// Keys that came after a larger one.
    descents: usize,
}

/// All that is held of an entry but its key.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Of its key in `key_bytes`.
    end: u64,
    document: u32,
    value_bytes: u16,
    /// Bytes at the key's end that its ghost lacks.
    record_id_bytes: u16,
}

/// One entry as it was appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredEntry<'e> {
    /// Its key.
    pub key: &'e [u8],
    /// Length of its value.
    pub value_bytes: u16,
    /// Bytes at the key's end that its ghost lacks; 0 where it has none.
    pub record_id_bytes: u16,
    /// Which document it comes from.
    pub document: u32,
}

/// Most entries of one index: half of what 32 bits count, as ghosts are counted, too.
pub const ENTRIES_MAX: usize = (u32::MAX / 2) as usize;

impl IndexEntries {
    /// Bytes that an entry takes beside its key.
    pub const OVERHEAD_BYTES: u64 = size_of::<Slot>() as u64;

    /// Without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an entry: its key as the table holds it (`RecordId` included where the kind of index has one), the
    /// length of its value, and which document it comes from, counted from 0. Documents come in order.
    ///
    /// A value above 65535 B counts as one of 65535 B.
    ///
    /// # Panics
    ///
    /// After 2147483647 entries, and if the index has unique entries.
    pub fn push(&mut self, key: &[u8], value_bytes: usize, document: u32) {
        assert!(!self.is_unique, "a unique index has no other entries");
        self.push_slot(key, 0, value_bytes, document);
    }

    /// Appends an entry of a unique secondary index. Its insert writes and deletes a *ghost* first: the key without
    /// the `RecordId` of this length at its end.
    ///
    /// Source: measured on mongod 6.0.5 and 6.0.27: memory before the first eviction, and the keys in the file.
    ///
    /// # Panics
    ///
    /// After 2147483647 entries, and if the index has entries of the other kind.
    pub fn push_unique(&mut self, key: &[u8], record_id_bytes: usize, value_bytes: usize, document: u32) {
        assert!(self.is_unique || self.slots.is_empty(), "a unique index has no other entries");
        self.is_unique = true;
        self.push_slot(key, record_id_bytes.min(key.len()), value_bytes, document);
    }

    fn push_slot(&mut self, key: &[u8], record_id_bytes: usize, value_bytes: usize, document: u32) {
        let count = self.slots.len();
        assert!(count < ENTRIES_MAX, "an index of more than {ENTRIES_MAX} entries");
        self.descents += usize::from(count > 0 && self.key(count - 1) > key);
        self.key_bytes.extend_from_slice(key);
        let short = |bytes: usize| u16::try_from(bytes).unwrap_or(u16::MAX);
        self.slots.push(Slot {
            end: self.key_bytes.len() as u64,
            document,
            value_bytes: short(value_bytes),
            record_id_bytes: short(record_id_bytes),
        });
    }

    /// Keys that came after a larger one: few where keys ascend as documents come.
    #[must_use]
    pub fn descents(&self) -> usize {
        self.descents
    }

    /// What was appended as entry `entry`, for whoever stores it elsewhere.
    ///
    /// # Panics
    ///
    /// If there is no such entry.
    #[must_use]
    pub fn stored(&self, entry: usize) -> StoredEntry<'_> {
        let Slot { document, value_bytes, record_id_bytes, .. } = self.slots[entry];
        StoredEntry { key: self.key(entry), value_bytes, record_id_bytes, document }
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether an insert writes a ghost first.
    #[must_use]
    pub fn has_ghosts(&self) -> bool {
        self.is_unique
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.slots.len()).expect("entries are counted in 31 bits")
    }

    /// Whether keys came in ascending order.
    pub(super) fn is_ascending(&self) -> bool {
        self.descents == 0
    }

    pub(super) fn key(&self, entry: usize) -> &[u8] {
        let start = if entry == 0 { 0 } else { self.slots[entry - 1].end };
        &self.key_bytes[position(start)..position(self.slots[entry].end)]
    }

    /// The key without its `RecordId`.
    pub(super) fn ghost(&self, entry: usize) -> &[u8] {
        let key = self.key(entry);
        &key[..key.len() - usize::from(self.slots[entry].record_id_bytes)]
    }

    pub(super) fn value_bytes(&self, entry: usize) -> u64 {
        u64::from(self.slots[entry].value_bytes)
    }

    pub(super) fn document(&self, entry: usize) -> u64 {
        u64::from(self.slots[entry].document)
    }

    /// The same entries in another order.
    pub(super) fn in_order(&self, entries: impl ExactSizeIterator<Item = usize>) -> Self {
        let mut ordered = Self {
            key_bytes: Vec::with_capacity(self.key_bytes.len()),
            slots: Vec::with_capacity(entries.len()),
            is_unique: self.is_unique,
            descents: 0,
        };
        for entry in entries {
            ordered.key_bytes.extend_from_slice(self.key(entry));
            ordered.slots.push(Slot { end: ordered.key_bytes.len() as u64, ..self.slots[entry] });
        }
        ordered
    }
}

/// A place in `key_bytes`, which is as long as memory allows.
#[expect(clippy::cast_possible_truncation, reason = "it was a length of this platform when it was stored")]
fn position(end: u64) -> usize {
    end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ghost_is_the_key_without_its_record_id() {
        let mut entries = IndexEntries::new();
        entries.push_unique(b"\x2b\x02\x04\x00\x10", 2, 1, 7);
        assert_eq!(entries.ghost(0), b"\x2b\x02\x04");
        assert_eq!((entries.key(0).len(), entries.value_bytes(0), entries.document(0)), (5, 1, 7));
        assert!(entries.has_ghosts());
    }

    #[test]
    fn lengths_that_no_index_reaches_are_cut_rather_than_wrapped() {
        let mut entries = IndexEntries::new();
        entries.push_unique(b"ab", 70_000, 70_000, 0);
        assert_eq!((entries.value_bytes(0), entries.ghost(0)), (65_535, &b""[..]));
    }
}

//! The oplog: the entry that a replica set writes for a document.

use super::bson::Writer;

/// Database that a collection is taken to lie in; its name stands in every entry.
pub const DATABASE: &str = "db";
/// Source: the collection's UUID is 16 bytes; its value does not count.
const COLLECTION_UUID: [u8; 16] =
    [0x3a, 0x91, 0x5c, 0x07, 0xe2, 0x48, 0x4f, 0x6d, 0x9b, 0x10, 0x83, 0xd4, 0x26, 0x7e, 0xb5, 0x0c];
/// Where the clock of the entries stands: 2023-11-14T22:13:20Z.
const START_SECOND: u64 = 1_700_000_000;
const ENTRIES_PER_SECOND: u64 = 50_000;
/// Smallest oplog that a server makes by itself, and the largest. Source: MongoDB manual, "Oplog Size".
pub const DEFAULT_BYTES_MIN: u64 = 990_000_000;
/// As [`DEFAULT_BYTES_MIN`].
pub const DEFAULT_BYTES_MAX: u64 = 50_000_000_000;

/// The timestamp of an entry, counted from 0: second in the high half, increment in the low one.
#[must_use]
pub fn timestamp(entry: u64) -> u64 {
    (START_SECOND + entry / ENTRIES_PER_SECOND) << 32 | (entry % ENTRIES_PER_SECOND + 1)
}

/// Appends the entry of a plain insert. `document` is as the collection stores it, `id` its `_id` element from the
/// type byte to the end of the value.
///
/// Fields and their order: seen on mongod 6.0.27. Retryable writes add `lsid`, `txnNumber`, `stmtId` and `prevOpTime`.
pub fn insert_entry(collection: &str, document: &[u8], id: &[u8], entry: u64, out: &mut Vec<u8>) {
    let stamp = timestamp(entry);
    let wall = (stamp >> 32) * 1000;
    let mut writer = Writer::new(out);
    writer.string(b"op", "i");
    writer.string(b"ns", &format!("{DATABASE}.{collection}"));
    writer.uuid(b"ui", COLLECTION_UUID);
    writer.element(0x03, b"o", document);
    writer.nested(0x03, b"o2", |inner| {
        if let Some((kind, rest)) = id.split_first() {
            inner.element(*kind, b"_id", rest.get(b"_id\0".len()..).unwrap_or_default());
        }
    });
    writer.element(0x11, b"ts", &stamp.to_le_bytes());
    writer.element(0x12, b"t", &1_u64.to_le_bytes());
    writer.element(0x12, b"v", &2_u64.to_le_bytes());
    writer.element(0x09, b"wall", &wall.to_le_bytes());
    writer.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 125.0 B more than its document, of a collection called `logs` in a database of two letters with int32 `_id`s:
    /// the mean over the oplog of a measured load on 6.0.27.
    #[test]
    fn an_entry_adds_what_a_server_adds() {
        let document = b"\x0e\0\0\0\x10_id\0\x01\0\0\0\0";
        let mut entry = Vec::new();
        insert_entry("logs", document, &document[4..13], 0, &mut entry);
        assert_eq!(entry.len() - document.len(), 125);
        assert_eq!(crate::document::check(&entry).map(|()| entry.len()), Ok(entry.len()));
    }
}

//! The journal: what a transaction's record holds, and what it takes in the log.
//!
//! ```text
//!  record   +--------+-----------+---------------------------------------------+---------+
//!           | header | commit id | put | put | ..                              | padding |
//!           +--------+-----------+---------------------------------------------+---------+
//!             16 B                 operation, its length, table, key, value      to 128 B
//! ```

use crate::codec::CodecKind;
use crate::geometry::wiredtiger::cell;

/// Header of a record. Source: `struct __wt_log_record`, `src/include/log.h` at tag mongodb-8.0.0.
pub const RECORD_HEADER_BYTES: u64 = 16;
/// Every record is a whole number of these. Source: `WT_LOG_ALIGN`, `src/include/log.h` at tag mongodb-8.0.0.
pub const RECORD_ALIGN_BYTES: u64 = 128;
/// A log file, made in advance. Source: `log=(file_max=..)` of mongod's connection string, seen on mongod 6.0.5.
pub const FILE_BYTES: u64 = 100 << 20;
/// Files that a server has at least: one that is written, two made in advance. Source: seen on mongod 6.0.5.
pub const FILES_MIN: u64 = 3;
/// In front of what snappy and zstd made. Source: the extensions in ext/compressors at tag mongodb-8.0.0.
const LENGTH_PREFIX_BYTES: u64 = 8;
/// Source: `WT_LOGREC_COMMIT` and `WT_LOGOP_ROW_PUT`, `src/include/log.h` at tag mongodb-8.0.0.
const COMMIT: u64 = 1;
const ROW_PUT: u64 = 4;
/// What stands for a transaction id and a table's number: of a server that has run for a while.
const TRANSACTION_ID: u64 = 100_000;
const TABLE_ID: u64 = 20;

/// One transaction's record without its header, put by put.
#[derive(Clone, Debug, Default)]
pub struct Record {
    body: Vec<u8>,
}

impl Record {
    /// An empty record's bytes are the commit's own.
    pub fn start(&mut self) {
        self.body.clear();
        cell::pack(COMMIT, &mut self.body);
        cell::pack(TRANSACTION_ID, &mut self.body);
    }

    /// Adds the put of `key` and `value` into a table.
    ///
    /// Source: `__wt_logop_row_put_pack`, `src/log/log_auto.c` at tag mongodb-8.0.0: operation, length of all of it,
    /// table, key with its length, and the value, which is last and so has none.
    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        let key_bytes = key.len() as u64;
        let fields = u64::from(cell::packed_bytes(ROW_PUT) + cell::packed_bytes(TABLE_ID))
            + u64::from(cell::packed_bytes(key_bytes))
            + key_bytes
            + value.len() as u64;
        let length = u64::from(cell::packed_bytes(fields)) + fields;
        cell::pack(ROW_PUT, &mut self.body);
        cell::pack(length, &mut self.body);
        cell::pack(TABLE_ID, &mut self.body);
        cell::pack(key_bytes, &mut self.body);
        self.body.extend_from_slice(key);
        self.body.extend_from_slice(value);
    }

    /// What the encoder gets: all but the header.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Bytes before packing.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        RECORD_HEADER_BYTES + self.body.len() as u64
    }
}

/// Bytes that a record takes in the log, from what the encoder made of its body; `None` if it gave up or none ran.
///
/// Source: `__wt_log_write`, `src/log/log.c` at tag mongodb-8.0.0: it is packed only if that saves a whole unit,
/// counted downwards.
#[must_use]
pub fn charge(codec: CodecKind, record_bytes: u64, packed_body_bytes: Option<u64>) -> u64 {
    let prefix = match codec {
        CodecKind::Zlib(_) | CodecKind::None => 0,
        CodecKind::Snappy | CodecKind::Zstd(_) => LENGTH_PREFIX_BYTES,
    };
    let packed = packed_body_bytes.map(|bytes| RECORD_HEADER_BYTES + prefix + bytes);
    let pays = |packed: &u64| packed / RECORD_ALIGN_BYTES < record_bytes / RECORD_ALIGN_BYTES;
    packed.filter(pays).unwrap_or(record_bytes).next_multiple_of(RECORD_ALIGN_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_stored_packed_only_if_it_saves_a_whole_unit() {
        for (record, packed, want) in [
            (100, None, 128),
            (129, None, 256),
            (400, Some(366), 512),
            (400, Some(359), 384),
            (400, Some(300), 384),
            (256, Some(256 - 16 - 8), 256),
            (256, Some(103), 128),
        ] {
            assert_eq!(charge(CodecKind::Snappy, record, packed), want, "{record} {packed:?}");
        }
    }

    #[test]
    fn a_put_says_how_long_it_is() {
        let mut record = Record::default();
        record.start();
        let start = record.body().len();
        record.put(b"kk", &[7; 100]);
        let put = &record.body()[start..];
        // 4, the length in two bytes, the table, the key's length, the key, the value.
        assert_eq!(
            (put.len(), &put[..1], &put[3..5]),
            (1 + 2 + 1 + 1 + 2 + 100, &b"\x84"[..], &b"\x94\x82"[..])
        );
    }
}

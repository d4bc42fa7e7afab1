//! The wire: messages that carry documents, and what they take under `OP_COMPRESSED`.
//!
//! ```text
//!  OP_MSG          header 16 | flags 4 | section 0: command or reply | section 1: documents of an insert
//!  OP_COMPRESSED   header 16 | opcode 4, size 4, compressor 1 | all of the message behind its header, packed
//! ```

use super::bson::Writer;
use super::oplog::DATABASE;

/// Source: `MSGHEADER::Layout`, `src/mongo/rpc/message.h`, mongod 6.0.
pub const MESSAGE_HEADER_BYTES: u64 = 16;
/// What `OP_COMPRESSED` has between header and packed body. Source: `CompressionHeader`,
/// `src/mongo/transport/message_compressor_manager.cpp`, mongod 6.0.
pub const COMPRESSED_HEADER_BYTES: u64 = 9;
/// Documents of one insert command at most. Source: `maxWriteBatchSize` of `hello`, mongod 6.0.
pub const BATCH_DOCUMENTS_MAX: u64 = 100_000;
/// A message's bytes at most. Source: `maxMessageSizeBytes` of `hello`, mongod 6.0.
pub const MESSAGE_BYTES_MAX: usize = 48_000_000;
/// A reply's documents at most. Source: `FindCommon::kMaxBytesToReturnToClientAtOnce`, mongod 6.0.
pub const REPLY_BYTES_MAX: usize = 16 << 20;
const SESSION_UUID: [u8; 16] =
    [0x77, 0x1d, 0xa4, 0x30, 0x5e, 0xc9, 0x4b, 0x82, 0xa6, 0xf1, 0x09, 0x6b, 0x2d, 0xe8, 0x54, 0x93];
const CURSOR_ID: u64 = 5_837_261_940_173_826_455;

/// Replaces `out` by the body of an insert of these documents: all of the message behind its header.
///
/// As pymongo 4 sends it to a standalone: `insert`, `ordered`, `lsid`, `$db`. To a replica set a few more bytes follow.
pub fn insert_body<'d>(collection: &str, documents: impl Iterator<Item = &'d [u8]>, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&[0; 4]);
    out.push(0);
    let mut command = Writer::new(out);
    command.string(b"insert", collection);
    command.element(0x08, b"ordered", &[1]);
    command.nested(0x03, b"lsid", |session| session.uuid(b"id", SESSION_UUID));
    command.string(b"$db", DATABASE);
    command.end();
    out.push(1);
    let section = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(b"documents\0");
    documents.for_each(|document| out.extend_from_slice(document));
    let bytes = u32::try_from(out.len() - section).unwrap_or(u32::MAX);
    out[section..section + 4].copy_from_slice(&bytes.to_le_bytes());
}

/// Replaces `out` by the body of a reply with these documents as a cursor's next batch.
pub fn reply_body<'d>(collection: &str, documents: impl Iterator<Item = &'d [u8]>, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&[0; 4]);
    out.push(0);
    let mut reply = Writer::new(out);
    reply.nested(0x03, b"cursor", |cursor| {
        cursor.nested(0x04, b"nextBatch", |batch| {
            for (at, document) in documents.enumerate() {
                batch.element(0x03, at.to_string().as_bytes(), document);
            }
        });
        cursor.element(0x12, b"id", &CURSOR_ID.to_le_bytes());
        cursor.string(b"ns", &format!("{DATABASE}.{collection}"));
    });
    reply.element(0x01, b"ok", &1.0_f64.to_le_bytes());
    reply.end();
}

/// Bytes of a message on the wire: compressed if a compressor is agreed on, whatever that makes of it.
#[must_use]
pub fn message_bytes(body_bytes: u64, packed_bytes: Option<u64>) -> u64 {
    let sent = packed_bytes.map_or(body_bytes, |packed| COMPRESSED_HEADER_BYTES + packed);
    MESSAGE_HEADER_BYTES + sent
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 B an insert and 79 B a reply besides the documents and their places in the array: measured on 6.0.27 with
    /// pymongo, a collection called `logs` in a database of two letters.
    #[test]
    fn messages_add_what_measured_ones_add() {
        let document = b"\x0e\0\0\0\x10_id\0\x01\0\0\0\0".as_slice();
        let mut body = Vec::new();
        insert_body("logs", [document; 100].into_iter(), &mut body);
        assert_eq!(body.len(), 100 * document.len() + 100);
        reply_body("logs", [document; 100].into_iter(), &mut body);
        assert_eq!(body.len(), 100 * document.len() + 79 + 100 * 2 + 10 + 90 * 2);
    }
}

//! What encoders made of a collection's first documents: the integers and speeds that plans scale.

use crate::codec::CodecKind;

/// What was run over the first documents of a collection.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Documents that all of it stands on: the first ones.
    pub documents: u64,
    /// Their BSON bytes, as stored.
    pub bson_bytes: u64,
    /// Messages, one entry a direction and compressor.
    pub wire: Vec<WireTraffic>,
    /// The log, one entry a compressor.
    pub journal: Vec<JournalTraffic>,
    /// Entries of a replica set's log; `None` on a standalone.
    pub oplog: Option<OplogTraffic>,
    /// A dump as one stream, one entry a codec and level.
    pub streams: Vec<Stream>,
}

/// Which way documents go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A client inserts them.
    Insert,
    /// A client reads them.
    Find,
}

impl Direction {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Find => "find",
        }
    }
}

/// Messages that carry the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireTraffic {
    /// Which way.
    pub direction: Direction,
    /// What messages are packed with.
    pub codec: CodecKind,
    /// Messages.
    pub messages: u64,
    /// Bytes without compression, headers included.
    pub message_bytes: u64,
    /// Bytes sent, headers included.
    pub sent_bytes: u64,
}

/// Records of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalTraffic {
    /// The journal's compressor.
    pub codec: CodecKind,
    /// Records: one a transaction.
    pub records: u64,
    /// Bytes before packing and padding.
    pub record_bytes: u64,
    /// Bytes written, padding included.
    pub written_bytes: u64,
}

/// Entries of the oplog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OplogTraffic {
    /// Bytes of all entries.
    pub entry_bytes: u64,
    /// What they take on disk under snappy, as the oplog's table.
    pub storage_bytes: u64,
}

/// All documents as one stream through one encoder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    /// Encoder and level; zlib stands for gzip too.
    pub codec: CodecKind,
    /// BSON bytes that went in.
    pub bson_bytes: u64,
    /// Bytes that came out, a gzip file's header and trailer included.
    pub packed_bytes: u64,
    /// One thread, in decimal megabytes of BSON a second; `None` if not timed, and for no encoder.
    pub pack_mb_per_s: Option<f64>,
    /// The same for the way back.
    pub unpack_mb_per_s: Option<f64>,
}

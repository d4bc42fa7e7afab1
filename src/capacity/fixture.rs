//! What encoders could have made of some documents, for tests of reports.

use super::measured::{Direction, JournalTraffic, OplogTraffic, Stream, Traffic, WireTraffic};
use crate::codec::CodecKind;

/// Of log lines, a few encoders.
pub(crate) fn traffic() -> Traffic {
    let stream = |codec, packed_bytes, speed| Stream {
        codec,
        bson_bytes: 18_000_000,
        packed_bytes,
        pack_mb_per_s: speed,
        unpack_mb_per_s: speed.map(|speed| speed * 4.0),
    };
    let wire = |direction, codec, sent_bytes| WireTraffic {
        direction,
        codec,
        messages: 100,
        message_bytes: 18_100_000,
        sent_bytes,
    };
    let kinds = CodecKind::SERVER;
    Traffic {
        documents: 100_000,
        bson_bytes: 18_000_000,
        wire: [Direction::Insert, Direction::Find]
            .into_iter()
            .flat_map(|direction| {
                [wire(direction, kinds[0], 18_100_000), wire(direction, kinds[1], 9_000_000)]
            })
            .collect(),
        journal: vec![JournalTraffic {
            codec: kinds[1],
            records: 1600,
            record_bytes: 33_000_000,
            written_bytes: 16_000_000,
        }],
        oplog: Some(OplogTraffic { entry_bytes: 30_500_000, storage_bytes: 17_000_000 }),
        streams: vec![stream(kinds[0], 18_000_000, None), stream(kinds[3], 5_000_000, Some(100.0))],
    }
}

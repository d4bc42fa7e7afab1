//! A fixed comparison for tests of everything that reads one. Figures are invented.

use super::{Check, Pair, ScanCheck, ServerRun, Subject, Tolerance, Verification, VerifiedCollection};
use crate::estimate::{Band, CodecName, IndexBuild, LoadState, fixture};
use crate::units::{BsonBytes, DiskBytes};

fn data(codec: CodecName, predicted: u64, band: (u64, u64), runs: &[u64]) -> Check {
    Check {
        subject: Subject::Data(codec),
        load: LoadState::Settled,
        predicted: Some(DiskBytes(predicted)),
        band: Some(Band { low: DiskBytes(band.0), high: DiskBytes(band.1) }),
        runs: runs.iter().copied().map(DiskBytes).collect(),
        free: Some(DiskBytes(0)),
        pages: Some(Pair { predicted: 300, measured: 302 }),
        image_tuned: Some(Pair { predicted: 131_072, measured: 127_796 }),
    }
}

fn index(name: &str, load: LoadState, predicted: Option<u64>, measured: u64) -> Check {
    Check {
        subject: Subject::Index { name: name.to_owned(), build: IndexBuild::BeforeLoad },
        load,
        predicted: predicted.map(DiskBytes),
        band: None,
        runs: vec![DiskBytes(measured)],
        free: None,
        pages: None,
        image_tuned: None,
    }
}

/// One input, two states, everything that can be there and everything that can be missing.
pub(crate) fn flights() -> Verification {
    let zstd = CodecName { name: "zstd", level: Some(6) };
    let none = CodecName { name: "none", level: None };
    let estimate = fixture::logs();
    let server = |load, version: &str, cache_bytes| ServerRun {
        version: version.to_owned(),
        place: "/usr/bin/mongod".to_owned(),
        load,
        cache_bytes,
    };
    let mut unpacked = data(none.clone(), 20_000_000, (20_100_000, 20_200_000), &[20_000_000]);
    unpacked.image_tuned = None;
    unpacked.pages = None;
    unpacked.free = None;
    Verification {
        model: estimate.model,
        servers: vec![
            server(LoadState::Settled, "6.0.27", Some(1 << 30)),
            server(LoadState::Bulk, "6.0.27", None),
        ],
        tolerance: Tolerance { percent: 2.0, bytes: DiskBytes(3 * 4096) },
        collections: vec![VerifiedCollection {
            name: "a|b\u{1b}".to_owned(),
            sources: vec!["logs.bson".to_owned()],
            documents: 100_000,
            bson: BsonBytes(18_627_231),
            documents_skipped: 2,
            checks: vec![
                data(zstd.clone(), 10_100_000, (9_900_000, 10_300_000), &[9_900_000, 10_000_000, 10_200_000]),
                unpacked,
                index("_id_", LoadState::Settled, Some(1_097_728), 1_097_728),
                index("user_1", LoadState::Bulk, Some(1_100_000), 1_000_000),
                index("text", LoadState::Bulk, None, 4096),
            ],
            scans: vec![
                ScanCheck {
                    codec: zstd,
                    load: LoadState::Settled,
                    runs_s: vec![0.05, 0.066, 0.07],
                    decompression_s: Some(0.025),
                },
                ScanCheck {
                    codec: none,
                    load: LoadState::Settled,
                    runs_s: vec![0.06],
                    decompression_s: None,
                },
            ],
        }],
        timing: estimate.timing,
    }
}

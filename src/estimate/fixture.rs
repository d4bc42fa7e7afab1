//! Fixed estimates for tests of everything that reads one. Figures are invented, but they add up.

use super::{
    Band, BandBasis, BlockHistogram, CapFacts, CapReach, CodecName, CollectionEstimate, CollectionKind,
    Estimate, ImageWalk, IndexBuild, IndexEstimate, LoadState, ModelFacts, PatternValue, Speed,
    StorageEstimate, Tally, Timing,
};
use crate::estimate::Basis;
use crate::estimate::on_server::{History, Layout, OnServer};
use crate::units::{BsonBytes, DiskBytes, PackedBytes, RawBytes};

/// Two documents' worth of surprises: nothing measured, nothing to divide by, names full of punctuation.
pub(crate) fn awkward() -> Estimate {
    let mut estimate = logs();
    estimate.model.server = "9.0".to_owned();
    estimate.model.server_note =
        Some("server 9.0 is newer than the rules known here: those of 8.0 are used".to_owned());
    estimate.timing.cpu_s = None;
    estimate.inputs_skipped = vec!["e.bson: is empty (0 bytes)".to_owned()];
    let collection = &mut estimate.collections[0];
    collection.storage[0].band_basis = BandBasis::Summed;
    "a|b,\"c\"\u{1b}[31m\nd".clone_into(&mut collection.name);
    collection.sources = vec!["x, y.bson".to_owned(), "-".to_owned()];
    collection.kind = CollectionKind {
        clustered_out_of_order: Some(1),
        capped: Some(CapFacts { bson: BsonBytes(4096), documents: None, reach: CapReach::Full }),
        server_codec: "zstd",
    };
    collection.documents = 3;
    collection.bson = BsonBytes(0);
    collection.ids_added = 1;
    collection.documents_skipped = 2;
    collection.indexes_not_predicted = vec![super::IndexNotPredicted {
        name: "place_2dsphere".to_owned(),
        reason: "index type `2dsphere` is not supported".to_owned(),
    }];
    collection.oddities = Some(vec![super::OddityCount {
        path: "a[].b".to_owned(),
        what: "duplicate key".to_owned(),
        count: 2,
    }]);
    collection.skip_reasons = vec!["x, y.bson: document 1 at byte 40: damaged".to_owned()];
    collection.sampled_fraction = 0.25;
    collection.sample = Some(super::SampleFacts {
        seed: 7,
        runs: 2,
        documents: 1,
        bson: BsonBytes(50),
        documents_of_input: Basis::Extrapolated,
        target_error_millionths: Some(10_000),
        scaled_to_documents: Some(3),
    });
    collection.on_server = Some(on_server());
    for row in &mut collection.storage {
        row.basis = Basis::Extrapolated;
        row.sampling_error_millionths = Some(12_500);
        row.load = LoadState::Bulk;
        row.speed = None;
        row.walk = Some(ImageWalk::default());
    }
    estimate
}

/// As it may stand on a server: bulk-loaded, with holes.
pub(crate) fn on_server() -> OnServer {
    OnServer {
        version: "6.0.27".to_owned(),
        codec: Some(CodecName { name: "snappy", level: None }),
        storage: DiskBytes(12_000_000),
        free: Some(DiskBytes(2_000_000)),
        documents: 4,
        bson: BsonBytes(100),
        indexes: vec![("user_1".to_owned(), DiskBytes(4096))],
        history: History::Kept,
        layout: Layout::Capped,
    }
}

/// An index on `user`, there during a bulk load.
pub(crate) fn index() -> IndexEstimate {
    IndexEstimate {
        name: "user_1".to_owned(),
        pattern: vec![("user".to_owned(), PatternValue::Whole(1))],
        load: LoadState::Bulk,
        build: IndexBuild::BeforeLoad,
        entries: 100_000,
        entries_modelled: 100_000,
        storage: Some(DiskBytes(2_686_976)),
        band: None,
        leaf_pages: Some(160),
        twins: None,
        documents_refused: 0,
        refused_reason: None,
        basis: Basis::Modelled,
    }
}

/// One collection under five codecs, two of which end on the same blocks.
pub(crate) fn logs() -> Estimate {
    Estimate {
        model: ModelFacts {
            server: "6.0".to_owned(),
            server_note: None,
            leaf_page_bytes_max: 32 << 10,
            allocation_bytes: 4096,
            memory_page_bytes_max: 10 << 20,
            cache_bytes: 1 << 30,
            codec_versions: vec![
                ("zstd", "1.5.2".to_owned()),
                ("snappy", "1.1.7".to_owned()),
                ("zlib", "1.3.1".to_owned()),
            ],
        },
        collections: vec![CollectionEstimate {
            name: "logs".to_owned(),
            sources: vec!["logs.bson".to_owned()],
            kind: CollectionKind::PLAIN,
            documents: 100_000,
            bson: BsonBytes(18_627_231),
            ids_added: 0,
            documents_skipped: 0,
            skip_reasons: Vec::new(),
            sampled_fraction: 1.0,
            sample: None,
            indexes: vec![index()],
            on_server: None,
            storage: vec![
                none(),
                snappy(),
                zlib(),
                zstd(3, 9_400_000, 210.4),
                zstd(6, 9_300_000, 90.123_456),
            ],
            indexes_not_predicted: Vec::new(),
            oddities: None,
        }],
        inputs_skipped: Vec::new(),
        timing: Timing { wall_s: 1.234_567, cpu_s: Some(2.345_678) },
    }
}

fn none() -> StorageEstimate {
    let tally = Tally {
        leaf_image: RawBytes(19_200_000),
        leaf_kept_raw: RawBytes(19_200_000),
        pages_kept_raw: 601,
        ..leaves(&[(4, 1), (8, 600)], 8)
    };
    row("none", None, tally, (0, 0), None)
}

fn snappy() -> StorageEstimate {
    let tally = Tally {
        leaf_image: RawBytes(19_200_000),
        leaf_packed: PackedBytes(9_400_000),
        leaf_kept_raw: RawBytes(3_232_000),
        pages_kept_raw: 101,
        ..leaves(&[(4, 100), (5, 400), (8, 101)], 8)
    };
    row("snappy", None, tally, (5, 7), Some((1234.5, 2345.6)))
}

fn zlib() -> StorageEstimate {
    let tally = Tally {
        leaf_image: RawBytes(19_150_000),
        leaf_packed: PackedBytes(9_000_000),
        ..leaves(&[(3, 10), (6, 390)], 6)
    };
    row("zlib", Some(6), tally, (10, 20), Some((41.0, 300.25)))
}

fn zstd(level: i32, packed_bytes: u64, compress_mb_per_s: f64) -> StorageEstimate {
    let tally = Tally {
        leaf_image: RawBytes(19_150_000),
        leaf_packed: PackedBytes(packed_bytes),
        ..leaves(&[(6, 400)], 6)
    };
    row("zstd", Some(level), tally, (57, 243), Some((compress_mb_per_s, 800.2)))
}

fn leaves(units_and_pages: &[(u64, u64)], internal_pages: u64) -> Tally {
    Tally {
        leaf_pages: units_and_pages.iter().map(|(_, pages)| pages).sum(),
        leaf_blocks: DiskBytes(units_and_pages.iter().map(|(units, pages)| units * pages * 4096).sum()),
        block_histogram: BlockHistogram(units_and_pages.iter().copied().collect()),
        internal_pages,
        internal_blocks: DiskBytes(internal_pages * 4096),
        overhead: DiskBytes(3 * 4096),
        ..Tally::default()
    }
}

fn row(
    name: &'static str,
    level: Option<i32>,
    mut tally: Tally,
    band_units: (u64, u64),
    speeds_mb_per_s: Option<(f64, f64)>,
) -> StorageEstimate {
    tally.leaf_padding = DiskBytes(tally.leaf_blocks.0 - tally.leaf_packed.0 - tally.leaf_kept_raw.0);
    tally.assert_complete();
    let storage = tally.storage();
    let band = Band {
        low: DiskBytes(storage.0 - band_units.0 * 4096),
        high: DiskBytes(storage.0 + band_units.1 * 4096),
    };
    let speed = speeds_mb_per_s.map(|(compress_mb_per_s, decompress)| Speed {
        compress_mb_per_s,
        decompress_mb_per_s: Some(decompress),
        image_bytes_timed: 8_000_000,
    });
    let codec = CodecName { name, level };
    let walk = None;
    let pages_packed = tally.leaf_pages;
    StorageEstimate {
        load: LoadState::Settled,
        codec,
        storage,
        band,
        band_basis: BandBasis::Followed,
        basis: Basis::Modelled,
        sampling_error_millionths: None,
        tally,
        pages_packed,
        image_tuned: RawBytes(32 << 10),
        speed,
        walk,
    }
}

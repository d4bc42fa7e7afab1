//! What is said, and in which order.

use super::*;
use crate::estimate::fixture;
use crate::estimate::{Basis, Estimate};

fn lines(estimate: &Estimate) -> Vec<String> {
    let collection = &estimate.collections[0];
    remarks(&estimate.model, collection).iter().map(ToString::to_string).collect()
}

#[test]
fn remarks_say_what_the_rows_mean_together() {
    assert_eq!(
        lines(&fixture::logs()),
        [
            "settled: smallest file under zlib:6, 9.29 MiB or 52.3 % of the BSON bytes",
            "settled: zstd:3 and zstd:6 end on the same 2,409 blocks (9.41 MiB): the level changes nothing on disk",
            "settled: 16.8 % of the leaf pages under snappy saved no whole unit and are stored raw",
            "settled: server runs of the same load differ by up to 12.5 % (under zstd:3): see low and high",
            "speeds were measured on this machine, one thread, on 7.63 MiB of page images",
        ]
    );
}

#[test]
fn what_went_wrong_with_the_input_is_said_first() {
    assert_eq!(
        lines(&fixture::awkward())[..12],
        [
            "server 9.0 is newer than the rules known here: those of 8.0 are used",
            "2 documents were skipped and not counted; the first: x, y.bson: document 1 at byte 40: damaged",
            "sizes of several shards' files, added; low and high are sums too, and so wider than they must be",
            "25.0 % of the documents were modelled, 1 in 2 runs: sizes are extrapolated, 95 % within \u{b1}1.25 % for \
             the sampling; the number of documents is extrapolated too",
            "scaled to 3 documents: every stretch of the input in proportion",
            "the sampling error that was asked for, 1.00 %, was not reached with the documents that memory is given \
             for",
            "an `_id` of 17 bytes was added to 1 of 3 documents, as a driver would",
            "clustered: the table is keyed by `_id`, so there is no index _id_",
            "clustered: the `_id` of 1 of 3 documents is not above the one before; predicted as if loaded in key order",
            "time-series buckets: a server packs them with zstd unless told otherwise",
            "capped: full with the first 3 documents; the rest of the input would replace them, and was not read",
            "bulk: smallest file under zlib:6, 9.29 MiB",
        ]
    );
}

/// One row has no rival, codecs of different names no level in common, and `none` tries no page.
#[test]
fn remarks_follow_the_rows_that_are_there() {
    let mut estimate = fixture::logs();
    estimate.collections[0].storage.truncate(1);
    assert_eq!(lines(&estimate), [""; 0]);

    let mut estimate = fixture::logs();
    let rows = &mut estimate.collections[0].storage;
    rows.truncate(2);
    rows[1].storage = rows[0].storage;
    let got = lines(&estimate);
    assert_eq!(got[0], "settled: smallest file under none and snappy, 18.8 MiB or 105.9 % of the BSON bytes");
    assert_eq!(
        got[1],
        "settled: none and snappy end on the same 4,815 blocks (18.8 MiB): the choice between them changes nothing on disk"
    );
}

#[test]
fn bulk_is_set_against_settled_codec_by_codec() {
    let mut estimate = fixture::logs();
    let rows = &mut estimate.collections[0].storage;
    rows.truncate(2);
    let mut bulk = rows.clone();
    for row in &mut bulk {
        row.load = LoadState::Bulk;
    }
    rows[0].storage = DiskBytes(1000);
    bulk[0].storage = DiskBytes(1071);
    rows[1].storage = DiskBytes(1000);
    bulk[1].storage = DiskBytes(990);
    rows.extend(bulk);
    let got = lines(&estimate);
    let line = got.iter().find(|line| line.starts_with("bulk against settled: ")).unwrap();
    assert_eq!(line, "bulk against settled: none +7.1 %, snappy -1.0 %");
    assert!(got.iter().any(|line| line.starts_with("bulk: time windows of about 15 bytes a value")));
}

#[test]
fn building_after_the_load_is_advised_where_it_saves_more_than_a_fifth() {
    let mut estimate = fixture::logs();
    let index = |build, bytes| IndexEstimate { build, storage: Some(DiskBytes(bytes)), ..fixture::index() };
    for (after, advised) in [(800_000, false), (799_000, true)] {
        estimate.collections[0].indexes =
            vec![index(IndexBuild::BeforeLoad, 1_000_000), index(IndexBuild::AfterLoad, after)];
        let got = lines(&estimate);
        let want = "index user_1: 977 KiB when it is there during a bulk load, 780 KiB when createIndex follows the load";
        assert_eq!(got.iter().any(|line| line == want), advised, "{got:?}");
    }
}

#[test]
fn twins_and_entries_that_were_not_held_are_told() {
    let mut estimate = fixture::logs();
    estimate.collections[0].indexes = vec![
        IndexEstimate { twins: Some(DiskBytes(1_000_000)), ..fixture::index() },
        IndexEstimate { entries_modelled: 50_000, basis: Basis::Extrapolated, ..fixture::index() },
    ];
    let got = lines(&estimate);
    for want in [
        "index user_1: unique, so each entry keeps a deleted twin until its page is rewritten: 977 KiB of 2.56 MiB in bulk",
        "index user_1: extrapolated from its first 50,000 of 100,000 entries (--index-memory holds more)",
    ] {
        assert!(got.iter().any(|line| line == want), "{got:#?}");
    }
}

#[test]
fn an_index_that_refuses_documents_is_told_once() {
    let mut estimate = fixture::logs();
    let refusing = IndexEstimate {
        documents_refused: 3,
        refused_reason: Some("document 7: cannot index parallel arrays".to_owned()),
        ..fixture::index()
    };
    estimate.collections[0].indexes = vec![refusing.clone(), refusing];
    let got = lines(&estimate);
    let want = "index user_1: a server would refuse 3 documents; the first: document 7: cannot index parallel arrays";
    assert_eq!(got.iter().filter(|line| *line == want).count(), 1, "{got:?}");
}

#[test]
fn both_thresholds_are_inclusive() {
    let mut estimate = fixture::logs();
    let rows = &mut estimate.collections[0].storage;
    rows.remove(0);
    rows.truncate(1);
    rows[0].speed = None;
    rows[0].tally.leaf_pages = 1000;
    rows[0].tally.pages_kept_raw = 100;
    rows[0].storage = DiskBytes(1_000_000);
    rows[0].band.low = DiskBytes(980_000);
    rows[0].band.high = DiskBytes(1_030_000);
    assert_eq!(lines(&estimate).len(), 2);
    let rows = &mut estimate.collections[0].storage;
    rows[0].tally.pages_kept_raw = 99;
    rows[0].band.high = DiskBytes(1_029_000);
    assert_eq!(lines(&estimate).len(), 0);
}

#[test]
fn shares_round_to_nearest_and_never_divide_by_nothing() {
    assert_eq!(Tenths::of(1, 0), None);
    for (part, whole, want) in [
        (0, 7, "0.0 %"),
        (1, 1000, "0.1 %"),
        (99, 1000, "9.9 %"),
        (835, 1000, "83.5 %"),
        (u64::MAX, u64::MAX, "100.0 %"),
    ] {
        assert_eq!(Tenths::of(part, whole).map(|share| share.to_string()).as_deref(), Some(want));
    }
}

//! What holds for every input and every configuration, tried on random ones.

use pagepress::{
    codec::{CodecKind, ZlibLevel, ZstdLevel},
    estimate::{BlockHistogram, CollectionEstimate, StorageEstimate, Tally},
    geometry::wiredtiger::{
        Release, TableConfig, cell, charge, facts,
        feedback::ImageSize,
        image::LeafImage,
        reconcile::{Chunk, Chunker, Item, Limits, chunks},
    },
    pipeline::{Plan, estimate_collection},
    source::{OnBadDocument, bson::BsonSource},
    units::{AllocationUnit, DiskBytes, PackedBytes, RawBytes},
};
use proptest::{collection::vec, prelude::*};
use std::num::NonZeroUsize;

/// A document of `bytes` bytes (5, or 15 and more) whose value repeats after `period` bytes.
fn document(bytes: usize, period: usize) -> Vec<u8> {
    if bytes < 15 {
        return b"\x05\0\0\0\0".to_vec();
    }
    let mut document = u32::try_from(bytes).unwrap().to_le_bytes().to_vec();
    document.extend(b"\x05_id\0");
    document.extend(u32::try_from(bytes - 15).unwrap().to_le_bytes());
    document.push(0);
    let mut state = bytes as u32;
    let noise: Vec<u8> = (0..period)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    document.extend(noise.iter().cycle().take(bytes - 15));
    document.push(0);
    document
}

/// Many small documents, and now and then one that is larger than a page.
fn any_documents() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop_oneof![
        6 => 5_usize..600,
        2 => 600_usize..20_000,
        1 => 20_000_usize..300_000,
    ];
    let run = (bytes, prop_oneof![Just(7_usize), Just(900), Just(40_000)], 1_usize..40);
    vec(run, 1..12).prop_map(|runs| {
        let documents = runs.into_iter().flat_map(|(bytes, period, count)| {
            // A run of large documents would only cost time.
            let count = count.min(1 + 60_000 / bytes);
            document(bytes, period).repeat(count)
        });
        documents.collect()
    })
}

/// Legal sizes from the smallest to the largest that the engine takes.
fn any_table() -> impl Strategy<Value = TableConfig> {
    (9_u32..=27, 0_u32..=20, 1_u64..=8, prop_oneof![Just(512_u64), Just(10 << 20), Just(10 << 40)]).prop_map(
        |(unit_shift, leaf_shift, leaf_units, memory)| {
            let unit = 1_u64 << unit_shift;
            let leaf = ((leaf_units * unit) << leaf_shift).min(512 << 20);
            let allocation = AllocationUnit::new(unit).unwrap();
            TableConfig::collection(Release::NEWEST).with_sizes(allocation, leaf, memory, 1 << 30).unwrap()
        },
    )
}

fn estimate(stream: &[u8], table: TableConfig, threads: usize) -> CollectionEstimate {
    let mut source = BsonSource::new("random".to_owned(), stream, None, OnBadDocument::Stop);
    let plan = Plan {
        codecs: vec![
            CodecKind::None,
            CodecKind::Snappy,
            CodecKind::Zlib(ZlibLevel::new(1).unwrap()),
            CodecKind::Zstd(ZstdLevel::new(1).unwrap()),
        ],
        threads: NonZeroUsize::new(threads).unwrap(),
        ..Plan::new(table)
    };
    estimate_collection("random", &mut source, &plan, &mut |_| ()).unwrap()
}

fn assert_sound(row: &StorageEstimate, unit: AllocationUnit) {
    let StorageEstimate { codec, storage, band, tally, .. } = row;
    let context = format!("{codec}: {row:?}");
    tally.assert_complete();
    let owned = tally.leaf_blocks.0 + tally.internal_blocks.0 + tally.overhead.0;
    assert_eq!(storage.0, owned, "every byte has one owner: {context}");
    for (name, bytes) in [
        ("leaf", tally.leaf_blocks),
        ("internal", tally.internal_blocks),
        ("overhead", tally.overhead),
        ("low", band.low),
        ("high", band.high),
    ] {
        assert!(bytes.0.is_multiple_of(unit.bytes()), "{name} is no whole number of units: {context}");
    }
    let units: u64 = tally.block_histogram.0.iter().map(|(units, blocks)| units * blocks).sum();
    assert_eq!(units * unit.bytes(), tally.leaf_blocks.0, "{context}");
    assert!(band.low <= *storage && *storage <= band.high, "{context}");
    // Each page is padded by less than a unit above its image.
    assert!(tally.leaf_blocks.0 < tally.leaf_image.0 + tally.leaf_pages * unit.bytes(), "{context}");
    assert!(tally.pages_kept_raw <= tally.leaf_pages, "{context}");
}

fn assert_same(a: &CollectionEstimate, b: &CollectionEstimate) {
    assert_eq!(a.indexes, b.indexes);
    for (a, b) in a.storage.iter().zip(&b.storage) {
        assert_eq!((a.load, &a.codec, a.storage, a.band), (b.load, &b.codec, b.storage, b.band));
        assert_eq!(a.tally, b.tally);
    }
}

fn any_tally() -> impl Strategy<Value = Tally> {
    let histogram = proptest::collection::btree_map(1_u64..9, 1_u64..1000, 0..5);
    (vec(0_u64..1 << 40, 10), histogram).prop_map(|(n, histogram)| Tally {
        leaf_pages: n[0],
        leaf_image: RawBytes(n[1]),
        leaf_packed: PackedBytes(n[2]),
        leaf_kept_raw: RawBytes(n[3]),
        pages_kept_raw: n[4],
        leaf_padding: DiskBytes(n[5]),
        leaf_blocks: DiskBytes(n[6]),
        blocks_just_over: n[0] / 2,
        block_histogram: BlockHistogram(histogram),
        internal_pages: n[7],
        internal_blocks: DiskBytes(n[8]),
        overhead: DiskBytes(n[9]),
    })
}

fn sum(parts: &[&Tally]) -> Tally {
    parts.iter().fold(Tally::default(), |mut sum, part| {
        sum += *part;
        sum
    })
}

fn any_items() -> impl Strategy<Value = Vec<Item>> {
    let bytes = prop_oneof![1_u64..300, 300_u64..100_000, 100_000_u64..20 << 20];
    let item = (bytes, 0_u64..10, prop_oneof![Just(0_u64), 1_u64..40_000]).prop_map(
        |(bytes, prefix_bytes, saved_bytes)| Item { bytes, whole_bytes: bytes + prefix_bytes, saved_bytes },
    );
    vec(item, 0..200)
}

fn assert_all_there(done: &[Chunk], items: &[Item], whole: u64, context: &str) {
    let records: usize = done.iter().map(|chunk| chunk.records as usize).sum();
    assert_eq!(records, items.len(), "{context}");
    assert!(done.iter().all(|chunk| chunk.records > 0), "{context}");
    let images: u64 = done.iter().map(|chunk| chunk.image_bytes).sum();
    let cells: u64 = items.iter().map(|item| item.bytes).sum();
    let headers = done.len() as u64 * u64::from(facts::HEADER_BYTES);
    assert_eq!(images, headers + cells + whole, "{context}");
    assert!(done.iter().rev().skip(1).all(|chunk| !chunk.last), "{context}: only the last is the last");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_estimate_is_sound_and_the_same_on_any_number_of_threads(stream in any_documents()) {
        let table = TableConfig::collection(Release::NEWEST);
        let one = estimate(&stream, table, 1);
        one.storage.iter().for_each(|row| assert_sound(row, table.allocation));
        assert_same(&one, &estimate(&stream, table, 2));
        assert_same(&one, &estimate(&stream, table, 7));
    }

    /// From pages of 512 B to pages of 512 MiB in units of 128 MiB.
    #[test]
    fn every_legal_table_gives_a_sound_estimate(stream in any_documents(), table in any_table()) {
        let estimate = estimate(&stream, table, 2);
        estimate.storage.iter().for_each(|row| assert_sound(row, table.allocation));
    }
}

proptest! {
    #[test]
    fn a_block_is_whole_units_and_never_above_the_padded_image(
        image in 40_u64..1 << 20,
        packed in proptest::option::of(1_u64..1 << 21),
        unit_shift in 9_u32..=27,
    ) {
        let unit = AllocationUnit::new(1 << unit_shift).unwrap();
        let block = charge::charge(RawBytes(image), packed.map(PackedBytes), unit);
        prop_assert!(block.stored.0 > 0 && block.stored.0.is_multiple_of(unit.bytes()));
        prop_assert!(block.stored <= unit.round_up(image));
        let used = block.packed.map_or(image, |packed| packed.0);
        prop_assert!(used <= block.stored.0, "what is stored fits");
    }

    #[test]
    fn a_leaf_grows_with_every_record_by_its_cells(
        first_record_id in 1_u64..1 << 40,
        lengths in vec(5_usize..10_000, 1..40),
    ) {
        let mut image = LeafImage::new();
        image.start();
        let mut want = u64::from(facts::HEADER_BYTES);
        for (length, record_id) in lengths.into_iter().zip(first_record_id..) {
            image.push(record_id, None, &document(length, 7));
            let before = want;
            want += cell::record_bytes(record_id, None, document(length, 7).len() as u64);
            prop_assert!(want > before);
            prop_assert_eq!(image.finish().len() as u64, want);
        }
    }

    /// Any image size that feedback may lead to, in any legal table, over records of up to 20 MiB.
    #[test]
    fn boundaries_lose_no_record_and_no_byte(items in any_items(), table in any_table(), size: u32) {
        let size = ImageSize::new(&table, true).at(size);
        let plain: Vec<Item> = items.iter().map(|item| Item { whole_bytes: item.bytes, ..*item }).collect();
        let limits = Limits::leaf(size.bytes(), table.allocation);
        assert_all_there(&chunks(limits, plain.iter().copied()), &plain, 0, "reconciliation");
        for (mut chunker, name) in
            [(Chunker::new(limits), "prefixes"), (Chunker::bulk_load(limits), "bulk load")]
        {
            let (mut done, mut whole_bytes) = (Vec::new(), 0);
            for item in &items {
                let pushed = chunker.push(*item);
                done.extend(pushed.done);
                whole_bytes += if pushed.whole { item.whole_bytes - item.bytes } else { 0 };
            }
            done.extend(chunker.finish().into_iter().flatten());
            assert_all_there(&done, &items, whole_bytes, name);
        }
    }

    #[test]
    fn tallies_add_up_in_any_order_and_any_grouping(a in any_tally(), b in any_tally(), c in any_tally()) {
        prop_assert_eq!(sum(&[&a, &b]), sum(&[&b, &a]));
        prop_assert_eq!(sum(&[&sum(&[&a, &b]), &c]), sum(&[&a, &sum(&[&b, &c])]));
        prop_assert_eq!(sum(&[&a, &Tally::default()]), a);
    }
}

//! Every constant of the page model, with its source. A number without a tag is a rumour.
//!
//! Tags are those of the WiredTiger tree inside each MongoDB release. `docs/FORMAT.md` tells the rules
//! that these numbers serve; `pagepress facts` prints them.

/// Page header in front of every image: record number 8, write generation 8, image bytes 4, cells 4, type 1,
/// flags 1, unused 1, version 1.
///
/// Source: `WT_PAGE_HEADER`, src/include/btmem.h:50 at tag mongodb-8.0.0.
pub const PAGE_HEADER_BYTES: u32 = 28;

/// Block header behind it: block bytes 4, checksum 4, flags 1, unused 3.
///
/// Source: `WT_BLOCK_HEADER`, src/include/block.h:371 at tag mongodb-8.0.0.
pub const BLOCK_HEADER_BYTES: u32 = 12;

/// Bytes before the first cell.
pub const HEADER_BYTES: u32 = PAGE_HEADER_BYTES + BLOCK_HEADER_BYTES;

const _: () = assert!(8 + 8 + 4 + 4 + 1 + 1 + 1 + 1 == PAGE_HEADER_BYTES);
const _: () = assert!(4 + 4 + 1 + 3 == BLOCK_HEADER_BYTES);
const _: () = assert!(HEADER_BYTES <= COMPRESS_SKIP_BYTES); // headers stay readable unpacked

/// Leading bytes of an image that are never handed to the encoder.
///
/// Source: `WT_BLOCK_COMPRESS_SKIP`, src/include/block.h:453 at tag mongodb-8.0.0.
pub const COMPRESS_SKIP_BYTES: u32 = 64;

/// Length field that the snappy and zstd extensions put in front of the encoder's output.
///
/// Source: `snappy_compression` in `ext/compressors/snappy/snappy_compress.c`, `zstd_compress` in
/// `ext/compressors/zstd/zstd_compress.c`, tag mongodb-8.0.0. The zlib extension writes none.
pub const LENGTH_PREFIX_BYTES: u32 = 8;

/// Share of the target image size at which a page is cut, in per cent.
///
/// Source: mongod creates its tables with `split_pct=90`
/// (`WiredTigerRecordStore::generateCreateString`).
pub const SPLIT_PCT: u64 = 90;

/// Share of the target image size at which a second-choice boundary is remembered, in per cent.
///
/// Source: `WT_BTREE_MIN_SPLIT_PCT`, src/include/btree.h at tag mongodb-8.0.0.
pub const MIN_SPLIT_PCT: u64 = 50;

/// How many times the larger page size an image may have before compression.
///
/// Source: `__btree_page_sizes`, `src/btree/bt_handle.c` at tag mongodb-8.0.0: `memory_page_image_max` is 0
/// in mongod's tables, which means this multiple.
pub const IMAGE_SIZE_MULTIPLE: u32 = 4;

/// Leaf page sizes below this one are never adjusted to how well their pages pack.
///
/// Source: `__btree_conf`, `src/btree/bt_handle.c` at tag mongodb-8.0.0 (`leafpage_compadjust`).
pub const ADJUST_LEAF_BYTES_MIN: u32 = 16 * 1024;

/// A step of the image size, as a divisor of `leaf_page_max`.
///
/// Source: `__rec_compression_adjust`, `src/reconcile/rec_write.c` at tag mongodb-8.0.0.
pub const ADJUST_STEP_DIVISOR: u32 = 10;

/// Fewest cells of an internal page that is cut.
///
/// Source: `WT_PAGE_INTL_MINIMUM_ENTRIES`, src/include/btmem.h at tag mongodb-8.0.0.
pub const INTERNAL_CELLS_MIN: u32 = 20;

/// Cells and saved updates of a page above which saved updates press on it.
///
/// Source: `WT_REC_SPLIT_MIN_ITEMS_USE_MEM`, src/include/reconcile.h at tag mongodb-8.0.0.
pub const SAVED_UPDATES_ITEMS_MIN: u64 = 10;

/// Share of the saved updates' memory that counts, as a divisor.
///
/// Source: `__wti_rec_need_split`, `src/reconcile/reconcile_inline.h` at tag mongodb-8.0.0.
pub const SAVED_UPDATES_DIVISOR: u64 = 10;

/// `allocation_size` of mongod's tables.
///
/// Source: default of `file.meta`, `dist/api_data.py` at tag mongodb-8.0.0.
pub const ALLOCATION_BYTES: u32 = 4096;

/// `leaf_page_max` of a collection's table. Source: as [`ALLOCATION_BYTES`].
pub const LEAF_PAGE_BYTES_MAX: u32 = 32 * 1024;

/// `internal_page_max` of a collection's table. Source: as [`ALLOCATION_BYTES`].
pub const INTERNAL_PAGE_BYTES_MAX: u32 = 4096;

/// `memory_page_max` of a collection's table: mongod asks for 10 MiB.
///
/// Source: `WiredTigerRecordStore::generateCreateString`, `memory_page_max=10m`.
pub const MEMORY_PAGE_BYTES_MAX: u64 = 10 << 20;

/// `eviction_dirty_trigger`: dirty share of the cache at which application threads evict, in per cent.
/// Clips `memory_page_max`. Source: `dist/api_data.py` at tag mongodb-8.0.0.
pub const DIRTY_TRIGGER_PCT: u64 = 20;

/// `eviction_updates_target`: share of the cache in updates at which eviction threads begin, in per cent.
/// Half of `eviction_dirty_target`. Source: `src/evict/evict_conn.c` at tag mongodb-8.0.0.
pub const UPDATES_TARGET_PCT_TENTHS: u64 = 25;

/// A page may take this share of the dirty trigger at most: one tenth.
///
/// Source: `__btree_page_sizes`, `src/btree/bt_handle.c` at tag mongodb-8.0.0.
pub const MEMORY_PAGE_CACHE_DIVISOR: u64 = 10;

/// A page is split in memory once it holds this share of `memory_page_max`, in tenths. Source: as above.
pub const SPLIT_MEMORY_TENTHS: u64 = 8;

/// Fewest records of the last insert list that a split in memory needs.
///
/// Source: `__wt_leaf_page_can_split`, `src/include/btree_inline.h` at tag mongodb-8.0.0.
pub const SPLIT_MEMORY_RECORDS_MIN: u32 = 5;

/// Memory of a leaf before its first record: page, modification record, insert list head and its slot.
///
/// Source: fitted on 111 segment ends of mongod 6.0.5 (540 B, standard error 24 B); of it `WT_PAGE` (88 B),
/// `WT_PAGE_MODIFY` and `WT_INSERT_HEAD` (160 B) are accounted for by src/include/btmem.h at tag mongodb-8.0.0.
pub const EMPTY_LEAF_MEMORY_BYTES: u64 = 500;

/// Memory of an insert apart from its key: `WT_INSERT` 16 B and, in the mean, 4/3 skiplist pointers of 8 B.
/// In thirds of a byte, so that sums stay whole.
///
/// Source: `__row_insert_alloc`, `src/btree/row_modify.c`; `__wt_skip_choose_depth`,
/// `src/include/btree_inline.h` (next level with probability 1/4), tag mongodb-8.0.0.
pub const INSERT_MEMORY_BYTES_THIRDS: u64 = 16 * 3 + 8 * 4;

/// Memory of an update apart from its value, and the alignment of the sum.
///
/// Source: `WT_UPDATE_SIZE` and `WT_UPDATE_MEMSIZE`, src/include/btmem.h at tag mongodb-8.0.0.
pub const UPDATE_MEMORY_BYTES: u64 = 47;
/// See [`UPDATE_MEMORY_BYTES`].
pub const UPDATE_MEMORY_ALIGN: u64 = 32;

/// Bytes of an address cookie's checksum: a packed 32-bit value, of which 99.6 % take 5 bytes.
///
/// Source: `__wt_block_addr_pack`, `src/block/block_addr.c`; packing as in [`super::cell::packed_bytes`].
pub const COOKIE_CHECKSUM_BYTES: u32 = 5;

/// `leaf_page_max` and `internal_page_max` of an index's table: mongod asks for 16 KiB.
///
/// Source: `WiredTigerIndex::generateCreateString`.
pub const INDEX_PAGE_BYTES_MAX: u32 = 16 * 1024;

/// `memory_page_max` of an index's table: the default of 5 MiB.
///
/// Source: default of `file.config`, `dist/api_data.py` at tag mongodb-8.0.0.
pub const INDEX_MEMORY_PAGE_BYTES_MAX: u64 = 5 << 20;

/// `prefix_compression_min`: a shorter common prefix is written out. Source: as above.
pub const PREFIX_BYTES_MIN: usize = 4;

/// Longest prefix that a key shares: its length is a byte.
///
/// Source: `__rec_cell_build_leaf_key`, `src/reconcile/rec_row.c` at tag mongodb-8.0.0.
pub const PREFIX_BYTES_MAX: usize = 255;

/// A prefix that is longer than its predecessor's by less than this stays as long as that one.
///
/// Source: `WT_KEY_PREFIX_PREVIOUS_MINIMUM`, `src/reconcile/rec_row.c` at tag mongodb-8.0.0.
pub const PREFIX_GAIN_BYTES_MIN: usize = 10;

/// Share of the split size above which a key is stored in blocks of its own, as a divisor.
///
/// Source: `__btree_page_sizes`, `src/btree/bt_handle.c` at tag mongodb-8.0.0: `leaf_key_max` is 0 in mongod's
/// tables, which means a tenth.
pub const OVERFLOW_KEY_DIVISOR: u64 = 10;

/// The same of a value: `leaf_value_max` is 0 in an index's table, which means half.
pub const OVERFLOW_VALUE_DIVISOR: u64 = 2;

/// Bytes of a cell that stands for an overflow item, without the address cookie: descriptor and length.
///
/// Source: `__wt_cell_pack_ovfl`, `src/include/cell_inline.h` at tag mongodb-8.0.0.
pub const OVERFLOW_CELL_BYTES: u64 = 2;

/// One constant for `pagepress facts` and the test that holds docs/FORMAT.md to it.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// As in `docs/FORMAT.md`.
    pub name: &'static str,
    /// With its unit.
    pub value: u64,
    /// `B`, `%`, `records`, ...
    pub unit: &'static str,
    /// Symbol in the source.
    pub source: &'static str,
}

/// Every constant of the page model, in the order of `docs/FORMAT.md`.
#[must_use]
pub fn all() -> Vec<Fact> {
    let fact = |name, value, unit, source| Fact { name, value, unit, source };
    vec![
        fact("page header", u64::from(PAGE_HEADER_BYTES), "B", "WT_PAGE_HEADER"),
        fact("block header", u64::from(BLOCK_HEADER_BYTES), "B", "WT_BLOCK_HEADER"),
        fact("bytes never packed", u64::from(COMPRESS_SKIP_BYTES), "B", "WT_BLOCK_COMPRESS_SKIP"),
        fact("length prefix of snappy and zstd", u64::from(LENGTH_PREFIX_BYTES), "B", "zstd_compress"),
        fact("page is cut at", SPLIT_PCT, "%", "split_pct"),
        fact("second-choice boundary at", MIN_SPLIT_PCT, "%", "WT_BTREE_MIN_SPLIT_PCT"),
        fact("image size multiple", u64::from(IMAGE_SIZE_MULTIPLE), "x", "__btree_page_sizes"),
        fact("leaf size from which images adjust", u64::from(ADJUST_LEAF_BYTES_MIN), "B", "__btree_conf"),
        fact("adjustment step divisor", u64::from(ADJUST_STEP_DIVISOR), "x", "__rec_compression_adjust"),
        fact(
            "cells of an internal page that is cut",
            u64::from(INTERNAL_CELLS_MIN),
            "cells",
            "WT_PAGE_INTL_MINIMUM_ENTRIES",
        ),
        fact("allocation size", u64::from(ALLOCATION_BYTES), "B", "allocation_size"),
        fact("leaf page maximum", u64::from(LEAF_PAGE_BYTES_MAX), "B", "leaf_page_max"),
        fact("internal page maximum", u64::from(INTERNAL_PAGE_BYTES_MAX), "B", "internal_page_max"),
        fact("memory page maximum", MEMORY_PAGE_BYTES_MAX, "B", "memory_page_max"),
        fact("dirty trigger", DIRTY_TRIGGER_PCT, "%", "eviction_dirty_trigger"),
        fact(
            "memory of an empty leaf",
            EMPTY_LEAF_MEMORY_BYTES,
            "B",
            "WT_PAGE, WT_PAGE_MODIFY, WT_INSERT_HEAD",
        ),
        fact("memory of an update", UPDATE_MEMORY_BYTES, "B", "WT_UPDATE_SIZE"),
        fact(
            "records of a split in memory",
            u64::from(SPLIT_MEMORY_RECORDS_MIN),
            "records",
            "__wt_leaf_page_can_split",
        ),
        fact("saved updates press from", SAVED_UPDATES_ITEMS_MIN, "items", "WT_REC_SPLIT_MIN_ITEMS_USE_MEM"),
        fact("saved updates divisor", SAVED_UPDATES_DIVISOR, "x", "__wti_rec_need_split"),
        fact("index page maximum", u64::from(INDEX_PAGE_BYTES_MAX), "B", "leaf_page_max, internal_page_max"),
        fact("index memory page maximum", INDEX_MEMORY_PAGE_BYTES_MAX, "B", "memory_page_max"),
        fact("shortest prefix that is left out", PREFIX_BYTES_MIN as u64, "B", "prefix_compression_min"),
        fact("longest prefix that is left out", PREFIX_BYTES_MAX as u64, "B", "__rec_cell_build_leaf_key"),
        fact("growth of a prefix", PREFIX_GAIN_BYTES_MIN as u64, "B", "WT_KEY_PREFIX_PREVIOUS_MINIMUM"),
        fact("overflow key divisor", OVERFLOW_KEY_DIVISOR, "x", "leaf_key_max"),
        fact("overflow value divisor", OVERFLOW_VALUE_DIVISOR, "x", "leaf_value_max"),
        fact("overflow cell", OVERFLOW_CELL_BYTES, "B", "__wt_cell_pack_ovfl"),
        fact("updates target", UPDATES_TARGET_PCT_TENTHS, "tenths of %", "eviction_updates_target"),
    ]
}

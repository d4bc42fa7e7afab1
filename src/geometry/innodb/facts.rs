//! Constants of `InnoDB`, each with its source. Sizes are bytes.
//!
//! Read in `MariaDB` 10.11.18, measured on 10.11.19; docs/OTHER-STORES.md says how.

/// A page in memory, and in the file unless it is row-compressed. Source: `innodb_page_size`, the default.
pub const PAGE_BYTES: usize = 16_384;
/// Header of every page. Source: `FIL_PAGE_DATA`, storage/innobase/include/fil0fil.h.
pub const FILE_HEADER_BYTES: usize = 38;
/// Behind it on index pages: counters, and two segment pointers. Source: `PAGE_DATA`, include/page0types.h.
pub const INDEX_HEADER_BYTES: usize = 36 + 2 * 10;
/// Infimum and supremum. Source: `PAGE_NEW_SUPREMUM_END`, include/page0types.h.
pub const BOUNDARY_RECORDS_BYTES: usize = 26;
/// Where the first record begins.
pub const RECORDS_START: usize = 120;
/// End of every page that is not row-compressed. Source: `FIL_PAGE_DATA_END`, include/fil0fil.h.
pub const TRAILER_BYTES: usize = 8;
/// Two bytes each. Source: `PAGE_DIR_SLOT_SIZE`, include/page0page.h.
pub const SLOT_BYTES: usize = 2;
/// For records and directory on an empty page. Source: `page_get_free_space_of_empty`, include/page0page.inl.
pub const EMPTY_PAGE_ROOM: usize = PAGE_BYTES - RECORDS_START - TRAILER_BYTES - 2 * SLOT_BYTES;
/// Left free for growth on leaves that fill in key order. Source: `btr_cur_optimistic_insert`, btr/btr0cur.cc.
pub const LEAF_RESERVE_BYTES: usize = PAGE_BYTES / 16;

/// Header of a record: owned count, heap number, next. Source: `REC_N_NEW_EXTRA_BYTES`, include/rem0rec.h.
pub const RECORD_HEADER_BYTES: usize = 5;
/// `DB_TRX_ID` and `DB_ROLL_PTR`. Source: include/data0type.h.
pub const SYSTEM_BYTES: usize = 6 + 7;
/// The table's key, a BIGINT.
pub const KEY_BYTES: usize = 8;
/// A reference to a value that lies off the page. Source: `FIELD_REF_SIZE`, include/btr0types.h.
pub const REFERENCE_BYTES: usize = 20;
/// A node pointer on an 8-byte key: header, key, page number.
pub const NODE_POINTER_BYTES: usize = RECORD_HEADER_BYTES + KEY_BYTES + 4;
/// A record of this size and more has its document moved off the page. Source: `page_zip_rec_needs_ext`,
/// include/page0zip.inl.
pub const OFF_PAGE_RECORD_BYTES: usize = EMPTY_PAGE_ROOM / 2;

/// Length and next page, before a part of a document. Source: `BTR_BLOB_HDR_SIZE`, include/btr0cur.h.
pub const LOB_HEADER_BYTES: usize = 8;
/// Part of a document on one page. Source: `btr_store_big_rec_extern_fields`, btr/btr0cur.cc.
pub const LOB_PART_BYTES: usize = PAGE_BYTES - FILE_HEADER_BYTES - LOB_HEADER_BYTES - TRAILER_BYTES;

/// Raw part at the head of a row-compressed page. Source: `PAGE_DATA`, include/page0types.h.
pub const ZIP_HEADER_BYTES: usize = FILE_HEADER_BYTES + INDEX_HEADER_BYTES;
/// Raw for each record at its end: a directory entry and the system columns. Source:
/// `PAGE_ZIP_CLUST_LEAF_SLOT_SIZE`, include/page0zip.h.
pub const ZIP_SLOT_BYTES: usize = SLOT_BYTES + SYSTEM_BYTES;
/// Source: `deflateInit2` in `page_zip_compress`, page/page0zip.cc.
pub const ZIP_WINDOW_BITS: u8 = 14;
/// Source: as [`ZIP_WINDOW_BITS`].
pub const ZIP_MEMORY_LEVEL: u8 = 9;
/// Source: `deflateInit2` in `btr_store_big_rec_extern_fields`, btr/btr0cur.cc.
pub const ZIP_LOB_WINDOW_BITS: u8 = 15;
/// Source: as [`ZIP_LOB_WINDOW_BITS`].
pub const ZIP_LOB_MEMORY_LEVEL: u8 = 7;
/// Level of every zlib in the server. Source: `innodb_compression_level`, the default.
pub const ZLIB_LEVEL: i32 = 6;

/// Compressions after which the padding is looked at. Source: `ZIP_PAD_ROUND_LEN`, include/dict0mem.h.
pub const PAD_ROUND_COMPRESSIONS: u32 = 128;
/// Good rounds in a row that take a step back. Source: `ZIP_PAD_SUCCESSFUL_ROUND_LIMIT`, include/dict0mem.h.
pub const PAD_GOOD_ROUNDS: u32 = 5;
/// A step. Source: `ZIP_PAD_INCR`, include/dict0mem.h.
pub const PAD_STEP_BYTES: usize = 128;
/// Failures in per cent above which a step is added. Source: `innodb_compression_failure_threshold_pct`, the default.
pub const PAD_FAILURE_PCT: u32 = 5;
/// The padding stays below this. Source: `innodb_compression_pad_pct_max`, the default, of a page.
pub const PAD_BYTES_LIMIT: usize = PAGE_BYTES / 2;

/// Pages of an extent, whatever their size in the file. Source: `FSP_EXTENT_SIZE`, include/fsp0types.h.
pub const EXTENT_PAGES: u64 = 64;
/// Single pages that a segment takes before whole extents. Source: `FSEG_FRAG_LIMIT`, include/fsp0fsp.h.
pub const FRAGMENT_PAGES: u64 = 32;

/// Beyond what page compression made of a page: header copied, checksum. Source:
/// `fil_page_compress_for_full_crc32`, fil/fil0pagecompress.cc.
pub const PAGE_COMPRESSED_HEADER_BYTES: usize = 26;
/// Source: as [`PAGE_COMPRESSED_HEADER_BYTES`].
pub const PAGE_COMPRESSED_CHECKSUM_BYTES: usize = 4;
/// Grain of a compressed page's length. Source: as [`PAGE_COMPRESSED_HEADER_BYTES`].
pub const PAGE_COMPRESSED_GRAIN_BYTES: usize = 256;
/// Unit of a hole: a block of the file system that most are made with.
pub const HOLE_BYTES: usize = 4096;

const _: () = assert!(FILE_HEADER_BYTES + INDEX_HEADER_BYTES + BOUNDARY_RECORDS_BYTES == RECORDS_START);
const _: () = assert!(EMPTY_PAGE_ROOM == 16_252 && OFF_PAGE_RECORD_BYTES == 8126 && LOB_PART_BYTES == 16_330);
const _: () = assert!(NODE_POINTER_BYTES == 17);

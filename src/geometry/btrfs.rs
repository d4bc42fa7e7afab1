//! btrfs with compression forced on: a file as compressed extents of 128 KiB at most, in sectors of 4 KiB.
//!
//! Pure: bytes of a file in, extents out. Who packs hands the encoder in. Facts were read in Linux 6.12 and settled on
//! Linux 6.18 (4 KiB pages) with compsize; docs/OTHER-STORES.md tells what each was measured on.

pub mod heuristic;

use crate::codec::{
    EncoderKind, LzoTable, MatchFinder, ZlibLevel,
    deflate::{Feed, Shape},
};
use crate::units::{DiskBytes, PackedBytes};
use heuristic::Verdict;

/// Allocation unit of a file system made with defaults. Source: `sectorsize`, mkfs.btrfs 6.2.
pub const SECTOR_BYTES: usize = 4096;

/// Input of one compressed extent, at most. Source: `BTRFS_MAX_UNCOMPRESSED`, fs/btrfs/compression.h at tag v6.12.
pub const EXTENT_BYTES_MAX: usize = 128 << 10;

/// What is compressed by one worker in a row; a piece that fails makes the rest of it raw.
///
/// Source: `run_delalloc_compressed`, fs/btrfs/inode.c at tag v6.12.
pub const UNIT_BYTES: usize = 512 << 10;

/// Longest extent that is not compressed. Source: `BTRFS_MAX_EXTENT_SIZE`, fs/btrfs/fs.h at tag v6.12.
pub const RAW_EXTENT_BYTES_MAX: u64 = 128 << 20;

/// Bytes of a file of one sector that are stored in the metadata tree, at most.
///
/// Source: `max_inline`, 2048 by default; `can_cow_file_range_inline`, fs/btrfs/inode.c at tag v6.12.
pub const INLINE_BYTES_MAX: u64 = 2048;

/// Metadata that an extent takes: checksums, file extent item, extent item and back reference. Kept twice by default.
///
/// Source: measured on Linux 6.18, mean over 70 files.
pub const METADATA_BYTES_PER_EXTENT: u64 = 233;

/// Pages of the machine: grain of zlib's flushes and of LZO's segments.
const PAGE_BYTES: usize = 4096;
/// Of an LZO extent's total, and of each segment's length. Source: `LZO_LEN`, fs/btrfs/lzo.c at tag v6.12.
const LZO_LENGTH_BYTES: u64 = 4;

const _: () =
    assert!(EXTENT_BYTES_MAX.is_multiple_of(SECTOR_BYTES) && UNIT_BYTES.is_multiple_of(EXTENT_BYTES_MAX));

/// A zstd level that btrfs takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BtrfsZstdLevel(i32);

impl BtrfsZstdLevel {
    /// Smallest files. Source: `ZSTD_BTRFS_MAX_LEVEL`, fs/btrfs/zstd.c at tag v6.12.
    pub const MAX: i32 = 15;
    /// Fastest of the regular levels. Those from -15 to -1 are for kernels from 6.15 on.
    pub const MIN: i32 = 1;
    /// Fastest of all.
    pub const FAST_MIN: i32 = -15;
    /// Of `compress=zstd`. Source: `ZSTD_BTRFS_DEFAULT_LEVEL`, fs/btrfs/zstd.c at tag v6.12.
    pub const DEFAULT: Self = Self(3);

    /// `None` outside -15..=-1 and 1..=15. A mount clamps such values, which is no reason to estimate another level
    /// than the one that was asked for.
    #[must_use]
    pub fn new(level: i32) -> Option<Self> {
        ((Self::FAST_MIN..=Self::MAX).contains(&level) && level != 0).then_some(Self(level))
    }

    /// The level.
    #[must_use]
    pub fn get(self) -> i32 {
        self.0
    }
}

/// `compress-force=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Files are stored as they are.
    None,
    /// A zlib stream an extent, flushed at each page.
    Zlib(ZlibLevel),
    /// A segment of LZO1X-1 a page.
    Lzo,
    /// A zstd frame an extent.
    Zstd(BtrfsZstdLevel),
}

impl Method {
    /// Of `compress=zlib`. Source: `BTRFS_ZLIB_DEFAULT_LEVEL`, fs/btrfs/zlib.c at tag v6.12.
    pub const ZLIB_LEVEL_DEFAULT: i32 = 3;

    /// Each at its default level, and not at all.
    ///
    /// # Panics
    ///
    /// Never: the default is within zlib's range.
    #[must_use]
    pub fn defaults() -> Vec<Self> {
        let zlib = ZlibLevel::new(Self::ZLIB_LEVEL_DEFAULT).expect("within 1..=9");
        vec![Self::None, Self::Lzo, Self::Zlib(zlib), Self::Zstd(BtrfsZstdLevel::DEFAULT)]
    }

    /// The mount option's word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Zlib(_) => "zlib",
            Self::Lzo => "lzo",
            Self::Zstd(_) => "zstd",
        }
    }

    /// The level, where there are levels.
    #[must_use]
    pub fn level(self) -> Option<i32> {
        match self {
            Self::None | Self::Lzo => None,
            Self::Zlib(level) => Some(level.get()),
            Self::Zstd(level) => Some(level.0),
        }
    }

    /// What packs; `None` for [`Method::None`].
    ///
    /// Source: `zlib_compress_folios`, fs/btrfs/zlib.c (window 15, memory level 8, a sync flush a page);
    /// `lzo_compress_folios`, fs/btrfs/lzo.c; `zstd_get_btrfs_parameters`, fs/btrfs/zstd.c (the library's own table
    /// for the piece's length); tag v6.12.
    #[must_use]
    pub fn encoder(self) -> Option<EncoderKind> {
        match self {
            Self::None => None,
            Self::Zlib(level) => {
                let feed = Feed::Pages { page_bytes: PAGE_BYTES };
                Some(EncoderKind::Deflate { level, shape: Shape { window_bits: 15, memory_level: 8, feed } })
            }
            Self::Lzo => Some(EncoderKind::Lzo(LzoTable::KERNEL)),
            Self::Zstd(level) => Some(EncoderKind::Zstd { level: level.0, finder: MatchFinder::Chains }),
        }
    }
}

/// Which mount option asks for the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mount {
    /// `compress-force=`: every piece is tried.
    Force,
    /// `compress=`: a look at a piece decides whether it is tried, and one that failed ends all trying.
    Allow,
}

/// Packs its argument and says how many bytes came out; `None` if the encoder gave up.
pub type Pack<'p> = dyn FnMut(&[u8]) -> Option<u64> + 'p;

/// Extents of a file or of a part of it. Every byte of `disk` has an owner: `packed`, `raw` and `padding`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extents {
    /// Bytes on disk: what compsize calls disk usage.
    pub disk: DiskBytes,
    /// Compressed extents, inline ones included.
    pub compressed: u64,
    /// Extents stored as they are.
    pub kept_raw: u64,
    /// What the encoder made of the compressed ones.
    pub packed: PackedBytes,
    /// Bytes of the file in raw extents.
    pub raw_bytes: u64,
    /// Up to the ends of sectors.
    pub padding: u64,
}

impl Extents {
    /// All of them.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.compressed + self.kept_raw
    }

    /// Metadata that they take, of which a file system keeps two copies by default: a mean, not a rule.
    #[must_use]
    pub fn metadata_bytes(&self) -> u64 {
        self.count() * METADATA_BYTES_PER_EXTENT
    }

    fn compressed(packed_bytes: u64) -> Self {
        let disk = round_up(packed_bytes);
        let padding = disk - packed_bytes;
        Self {
            disk: DiskBytes(disk),
            compressed: 1,
            packed: PackedBytes(packed_bytes),
            padding,
            ..Self::default()
        }
    }

    fn raw(bytes: u64) -> Self {
        let disk = round_up(bytes);
        Self {
            disk: DiskBytes(disk),
            kept_raw: 1,
            raw_bytes: bytes,
            padding: disk - bytes,
            ..Self::default()
        }
    }

    /// A unit that is not tried.
    #[must_use]
    pub fn raw_unit(bytes: u64) -> Self {
        Self::raw(bytes)
    }

    /// The whole of a file that is not compressed.
    #[must_use]
    pub fn uncompressed(file_bytes: u64) -> Self {
        match file_bytes {
            0 => Self::default(),
            1..=INLINE_BYTES_MAX => Self::inline_raw(file_bytes),
            _ => {
                let kept_raw = round_up(file_bytes).div_ceil(RAW_EXTENT_BYTES_MAX);
                Self { kept_raw, ..Self::raw(file_bytes) }
            }
        }
    }

    fn inline_raw(bytes: u64) -> Self {
        Self { disk: DiskBytes(bytes), kept_raw: 1, raw_bytes: bytes, ..Self::default() }
    }
}

impl std::ops::AddAssign for Extents {
    fn add_assign(&mut self, other: Self) {
        let Self { disk, compressed, kept_raw, packed, raw_bytes, padding } = other;
        self.disk += disk;
        self.compressed += compressed;
        self.kept_raw += kept_raw;
        self.packed += packed;
        self.raw_bytes += raw_bytes;
        self.padding += padding;
    }
}

/// A unit's extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredUnit {
    /// Them.
    pub extents: Extents,
    /// Whether a piece that was tried did not pay.
    pub trial: Trial,
}

/// What became of the pieces that were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trial {
    /// All of them paid.
    Paid,
    /// One did not: under [`Mount::Allow`] nothing behind it in the file is tried any more.
    ///
    /// Source: `BTRFS_INODE_NOCOMPRESS` in `compress_file_range`, fs/btrfs/inode.c at tag v6.12.
    Failed,
}

/// Where a unit lies, which decides what is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the start of its file.
    First,
    /// Anywhere else.
    Later,
}

/// Stores up to 512 KiB of a file that is longer than a sector, at a multiple of 512 KiB.
///
/// ```text
///  512 KiB    ┌─ 128 KiB ─┬─ 128 KiB ─┬─ 128 KiB ─┬─ 128 KiB ─┐
///             │ frees a   │ frees a   │ does not  │ not tried │
///             │ sector    │ sector    │           │           │
///             └─ extent ──┴─ extent ──┴────── one raw extent ─┘
/// ```
///
/// A compressed piece is kept if it frees a sector: compressed length and piece, both in whole sectors. One that is not
/// makes the rest of the unit raw. A piece of a sector or less, unless it starts its file, is not tried.
///
/// Source: `compress_file_range`, fs/btrfs/inode.c at tag v6.12.
pub fn store_unit(
    method: Method,
    mount: Mount,
    place: Place,
    unit: &[u8],
    pack: &mut Pack<'_>,
) -> StoredUnit {
    let mut extents = Extents::default();
    let mut trial = Trial::Paid;
    for (index, piece) in unit.chunks(EXTENT_BYTES_MAX).enumerate() {
        let is_long = (index == 0 && place == Place::First) || piece.len() > SECTOR_BYTES;
        let is_tried = is_long && (mount == Mount::Force || heuristic::verdict(piece) == Verdict::Try);
        let packed = if is_tried { packed_bytes(method, piece, pack) } else { None };
        let frees_a_sector =
            |packed: &u64| round_up(*packed) + SECTOR_BYTES as u64 <= round_up(piece.len() as u64);
        let Some(packed) = packed.filter(frees_a_sector) else {
            trial = if is_tried { Trial::Failed } else { Trial::Paid };
            extents += Extents::raw((unit.len() - index * EXTENT_BYTES_MAX) as u64);
            break;
        };
        extents += Extents::compressed(packed);
    }
    StoredUnit { extents, trial }
}

/// Stores a file of a sector or less: in the metadata tree if it is small enough there.
///
/// Source: `can_cow_file_range_inline` and `cow_file_range_inline`, fs/btrfs/inode.c at tag v6.12. An encoder's output
/// must be shorter than its input, but for LZO.
pub fn store_small(method: Method, file: &[u8], pack: &mut Pack<'_>) -> Extents {
    let file_bytes = file.len() as u64;
    if method == Method::None || file.is_empty() {
        return Extents::uncompressed(file_bytes);
    }
    let is_kept =
        |packed: &u64| *packed <= INLINE_BYTES_MAX && (method == Method::Lzo || *packed < file_bytes);
    match packed_bytes(method, file, pack).filter(is_kept) {
        Some(packed) => Extents {
            disk: DiskBytes(packed),
            compressed: 1,
            packed: PackedBytes(packed),
            ..Extents::default()
        },
        None => Extents::uncompressed(file_bytes),
    }
}

/// What a piece takes compressed, before sectors.
fn packed_bytes(method: Method, piece: &[u8], pack: &mut Pack<'_>) -> Option<u64> {
    match method {
        Method::None => None,
        Method::Zlib(_) | Method::Zstd(_) => pack(piece),
        Method::Lzo => {
            let segments: Option<Vec<u64>> = piece.chunks(PAGE_BYTES).map(pack).collect();
            Some(lzo_extent_bytes(&segments?))
        }
    }
}

/// Bytes of an LZO extent: its own length, then for each segment a length and the data. No length straddles a page:
/// where fewer than four bytes are left, they stay empty.
///
/// Source: `copy_compressed_data_to_page`, fs/btrfs/lzo.c at tag v6.12.
#[must_use]
pub fn lzo_extent_bytes(segments: &[u64]) -> u64 {
    let page = PAGE_BYTES as u64;
    segments.iter().fold(LZO_LENGTH_BYTES, |at, segment_bytes| {
        let left = page - at % page;
        let skipped = if left < LZO_LENGTH_BYTES { left } else { 0 };
        at + skipped + LZO_LENGTH_BYTES + segment_bytes
    })
}

fn round_up(bytes: u64) -> u64 {
    bytes.next_multiple_of(SECTOR_BYTES as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZSTD: Method = Method::Zstd(BtrfsZstdLevel::DEFAULT);

    /// An encoder that makes each piece as long as the next number says.
    fn scripted(lengths: &[u64]) -> impl FnMut(&[u8]) -> Option<u64> + '_ {
        let mut lengths = lengths.iter();
        move |_| lengths.next().copied()
    }

    #[test]
    fn a_piece_that_frees_no_sector_makes_the_rest_of_its_unit_raw() {
        for (unit_bytes, packed, want_disk, want_compressed, want_raw, why) in [
            (131_072, vec![16_000], 16_384, 1, 0, "the usual case"),
            (131_072, vec![126_976], 126_976, 1, 0, "frees just one sector"),
            (131_072, vec![126_977], 131_072, 0, 1, "one byte more frees none"),
            (524_288, vec![4000, 126_977, 1, 1], 4096 + 393_216, 1, 1, "the third and fourth are not tried"),
            (131_072 + 162, vec![16_000, 1], 16_384 + 4096, 1, 1, "a tail of a sector is not tried"),
            (131_072 + 4097, vec![16_000, 4096], 16_384 + 4096, 2, 0, "a longer one is"),
        ] {
            let extents =
                store_unit(ZSTD, Mount::Force, Place::Later, &vec![0; unit_bytes], &mut scripted(&packed));
            let extents = extents.extents;
            let got = (extents.disk.0, extents.compressed, extents.kept_raw);
            assert_eq!(got, (want_disk, want_compressed, want_raw), "{why}");
            assert_eq!(extents.packed.0 + extents.raw_bytes + extents.padding, extents.disk.0, "{why}");
        }
    }

    #[test]
    fn small_files_lie_in_the_metadata_where_they_fit() {
        for (method, file_bytes, packed, want_disk, why) in [
            (ZSTD, 4096, 699, 699, "compressed and short enough"),
            (ZSTD, 4096, 2049, 4096, "too long compressed, too long raw"),
            (ZSTD, 2048, 2048, 2048, "saves nothing: raw, inline"),
            (ZSTD, 2049, 2049, 4096, "raw, a byte too long for the tree"),
            (Method::Lzo, 100, 104, 112, "LZO has no such test"),
            (Method::None, 100, 1, 100, "nothing is compressed"),
            (ZSTD, 0, 1, 0, "nothing there"),
        ] {
            let extents = store_small(method, &vec![0; file_bytes], &mut scripted(&[packed]));
            assert_eq!(extents.disk, DiskBytes(want_disk), "{why}");
        }
    }

    #[test]
    fn lengths_of_lzo_segments_do_not_straddle_pages() {
        assert_eq!(lzo_extent_bytes(&[100]), 108);
        // 4 + 4 + 4085 = 4093: three bytes are left and skipped.
        assert_eq!(lzo_extent_bytes(&[4085, 100]), 4096 + 104);
        assert_eq!(lzo_extent_bytes(&[4084, 100]), 4092 + 104);
        assert_eq!(lzo_extent_bytes(&[4088, 100]), 4096 + 104);
    }
}

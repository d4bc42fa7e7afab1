//! Page compression: what a page of 16 KiB takes once its tail is punched out.

use super::facts::{
    HOLE_BYTES, PAGE_BYTES, PAGE_COMPRESSED_CHECKSUM_BYTES, PAGE_COMPRESSED_GRAIN_BYTES,
    PAGE_COMPRESSED_HEADER_BYTES,
};
use crate::units::DiskBytes;

/// Which server wrote the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Server {
    /// `MariaDB` with `innodb_checksum_algorithm` `full_crc32`, its default since 10.5.
    MariaDb(ExactLength),
    /// `MySQL` 8.0: known from its source, not measured.
    MySql,
}

/// Whether the decoder must be told the packed length exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExactLength {
    /// Another byte: lz4, lzo, snappy.
    Stored,
    /// The stream says where it ends: zlib, lzma, bzip2.
    NotNeeded,
}

/// Header that stays as it is on `MySQL`. Source: `FIL_PAGE_DATA`, include/fil0fil.h.
const MYSQL_HEADER_BYTES: usize = 38;

/// The part of a page that the encoder gets.
#[must_use]
pub fn encoder_input(server: Server, page: &[u8]) -> &[u8] {
    match server {
        Server::MariaDb(_) => page,
        Server::MySql => &page[MYSQL_HEADER_BYTES..],
    }
}

/// One page as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredPage {
    /// Bytes on disk.
    pub disk: DiskBytes,
    /// What the encoder made of it; `None` if the page is stored as it is.
    pub packed_bytes: Option<usize>,
}

/// Charges a page; `packed_bytes` is what the encoder made of it, `None` if it gave up.
///
/// Source: `fil_page_compress_for_full_crc32`, fil/fil0pagecompress.cc of `MariaDB` 10.11;
/// `os_file_compress_page`, os/os0file.cc of `MySQL` 8.0.
#[must_use]
pub fn charge(server: Server, packed_bytes: Option<usize>) -> StoredPage {
    let written = packed_bytes.and_then(|packed| match server {
        Server::MariaDb(exact) => {
            let extra = usize::from(exact == ExactLength::Stored);
            let used = packed + PAGE_COMPRESSED_HEADER_BYTES + PAGE_COMPRESSED_CHECKSUM_BYTES + extra;
            let written = used.next_multiple_of(PAGE_COMPRESSED_GRAIN_BYTES);
            (packed <= PAGE_BYTES - PAGE_COMPRESSED_HEADER_BYTES && written < PAGE_BYTES).then_some(written)
        }
        Server::MySql => {
            let written = MYSQL_HEADER_BYTES + packed;
            (written + HOLE_BYTES <= PAGE_BYTES).then_some(written)
        }
    });
    match written.map(|bytes| bytes.next_multiple_of(HOLE_BYTES)) {
        Some(disk) => StoredPage { disk: DiskBytes(disk as u64), packed_bytes },
        None => StoredPage { disk: DiskBytes(PAGE_BYTES as u64), packed_bytes: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cost_whole_blocks_at_the_lengths_that_were_measured() {
        let stream = Server::MariaDb(ExactLength::NotNeeded);
        let block = Server::MariaDb(ExactLength::Stored);
        for (server, packed, want_kib) in [
            (stream, 4066, 4),
            (stream, 4067, 8),
            (block, 4065, 4),
            (block, 4066, 8),
            (stream, 8162, 8),
            (stream, 8163, 12),
            (block, 12_257, 12),
            (block, 12_258, 16),
            (Server::MySql, 4058, 4),
            (Server::MySql, 4059, 8),
            (Server::MySql, 12_250, 12),
            (Server::MySql, 12_251, 16),
        ] {
            assert_eq!(charge(server, Some(packed)).disk, DiskBytes(want_kib * 1024), "{server:?} {packed}");
        }
        assert_eq!(charge(stream, None).disk, DiskBytes(16_384));
    }
}

//! `InnoDB` tables of documents: one row `(id BIGINT PRIMARY KEY, doc LONGBLOB)` each, loaded in the order of the ids
//! by one transaction.
//!
//! A load goes through these files in order: [`record`] says how long a row is and where its document lies,
//! [`dynamic`] or [`zip`] which page it goes to, [`mod@page`] builds the bytes that [`charge`] compresses, and [`space`]
//! how far the file grows.

pub mod charge;
pub mod dynamic;
pub mod facts;
pub mod page;
pub mod record;
pub mod space;
pub mod zip;

pub use zip::KeyBlock;

use crate::codec::{
    EncoderKind, LzoTable, XzPreset, ZlibLevel,
    deflate::{Feed, Shape},
};
use charge::{ExactLength, Server};

/// How a table is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `ROW_FORMAT=DYNAMIC`, which a table has unless it says otherwise: pages as they are.
    Dynamic,
    /// `PAGE_COMPRESSED=1` on `MariaDB`: pages packed whole, their tails punched out.
    PageCompressed(PageCodec),
    /// `COMPRESSION=` on `MySQL`: the same idea, other constants.
    MySqlPageCompressed(MySqlCodec),
    /// `ROW_FORMAT=COMPRESSED` with a `KEY_BLOCK_SIZE`, on both: zlib at the server's level.
    RowCompressed(KeyBlock),
}

/// `innodb_compression_algorithm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageCodec {
    /// Built in.
    Zlib(ZlibLevel),
    /// By a provider plugin, as all that follow.
    Lz4,
    /// `lzo1x_1_15`.
    Lzo,
    /// An xz stream.
    Lzma(XzPreset),
    /// Block size 1.
    Bzip2,
    /// Raw blocks.
    Snappy,
}

/// `COMPRESSION=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MySqlCodec {
    /// At `innodb_compression_level`.
    Zlib(ZlibLevel),
    /// At its default.
    Lz4,
}

impl Method {
    /// What a server offers without plugins, each at the server's level.
    ///
    /// # Panics
    ///
    /// Never: the level is within zlib's range.
    #[must_use]
    pub fn defaults() -> Vec<Self> {
        let half = KeyBlock::new(4).expect("one of the five");
        vec![
            Self::Dynamic,
            Self::PageCompressed(PageCodec::Zlib(server_level())),
            Self::PageCompressed(PageCodec::Lz4),
            Self::RowCompressed(KeyBlock::DEFAULT),
            Self::RowCompressed(half),
        ]
    }

    /// As `--codec` names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dynamic => "none",
            Self::PageCompressed(PageCodec::Zlib(_)) => "zlib",
            Self::PageCompressed(PageCodec::Lz4) => "lz4",
            Self::PageCompressed(PageCodec::Lzo) => "lzo",
            Self::PageCompressed(PageCodec::Lzma(_)) => "lzma",
            Self::PageCompressed(PageCodec::Bzip2) => "bzip2",
            Self::PageCompressed(PageCodec::Snappy) => "snappy",
            Self::MySqlPageCompressed(MySqlCodec::Zlib(_)) => "mysql-zlib",
            Self::MySqlPageCompressed(MySqlCodec::Lz4) => "mysql-lz4",
            Self::RowCompressed(_) => "kbs",
        }
    }

    /// What stands behind the colon: a level, or a `KEY_BLOCK_SIZE` in KiB.
    #[must_use]
    pub fn level(self) -> Option<i32> {
        match self {
            Self::PageCompressed(PageCodec::Zlib(level))
            | Self::MySqlPageCompressed(MySqlCodec::Zlib(level)) => Some(level.get()),
            Self::PageCompressed(PageCodec::Lzma(preset)) => Some(preset.get()),
            Self::RowCompressed(key_block) => Some(key_block.kib().into()),
            _ => None,
        }
    }

    /// How pages of the file are packed; `None` where they are not.
    #[must_use]
    pub fn page_compression(self) -> Option<(EncoderKind, Server)> {
        let stream = Server::MariaDb(ExactLength::NotNeeded);
        let block = Server::MariaDb(ExactLength::Stored);
        match self {
            Self::Dynamic | Self::RowCompressed(_) => None,
            Self::PageCompressed(codec) => Some(match codec {
                PageCodec::Zlib(level) => (zlib(level), stream),
                PageCodec::Lzma(preset) => (EncoderKind::Xz(preset), stream),
                PageCodec::Bzip2 => (EncoderKind::Bzip2, stream),
                PageCodec::Lz4 => (EncoderKind::Lz4, block),
                PageCodec::Lzo => (EncoderKind::Lzo(LzoTable::LIBRARY_15), block),
                PageCodec::Snappy => (EncoderKind::Snappy, block),
            }),
            Self::MySqlPageCompressed(MySqlCodec::Zlib(level)) => Some((zlib(level), Server::MySql)),
            Self::MySqlPageCompressed(MySqlCodec::Lz4) => Some((EncoderKind::Lz4, Server::MySql)),
        }
    }
}

/// `innodb_compression_level`, as it is by default.
///
/// # Panics
///
/// Never: it is within zlib's range.
#[must_use]
pub fn server_level() -> ZlibLevel {
    ZlibLevel::new(facts::ZLIB_LEVEL).expect("within 1..=9")
}

/// `compress2`: zlib's own defaults.
fn zlib(level: ZlibLevel) -> EncoderKind {
    EncoderKind::Deflate { level, shape: Shape { window_bits: 15, memory_level: 8, feed: Feed::Whole } }
}

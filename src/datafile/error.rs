//! What is wrong with a data file, and at which byte.

use crate::units::Human;
use std::{io, path::PathBuf};

/// A data file that cannot be read on, with the place.
#[derive(Debug, thiserror::Error)]
#[error("{}: {kind}", path.display())]
pub struct DataFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub kind: Fault,
}

/// What is wrong, and where: offsets count from the first byte of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The operating system refused.
    #[error("cannot read at byte {offset}: {source}")]
    Io {
        /// Where reading began.
        offset: u64,
        /// The system's answer.
        source: io::Error,
    },
    /// The file begins with something else.
    #[error("byte 0: is not a WiredTiger data file: it begins with 0x{found:08x}, not 0x{MAGIC:08x}")]
    NotWiredTiger {
        /// First four bytes, little-endian.
        found: u32,
    },
    /// Too short for its first block.
    #[error("byte {length}: the file ends inside its description block, which takes 512 bytes at least")]
    NoDescription {
        /// Bytes of the file.
        length: u64,
    },
    /// Written by a later format.
    #[error("byte 4: format version {major}.{minor} is not known; known is {MAJOR}.0")]
    Version {
        /// As found.
        major: u16,
        /// As found.
        minor: u16,
    },
    /// The description block is damaged.
    #[error("byte 8: the description block has checksum 0x{computed:08x}, and says 0x{stored:08x}")]
    Description {
        /// Of the bytes.
        computed: u32,
        /// As stored.
        stored: u32,
    },
    /// Nothing was ever written, or what leads to it is damaged.
    #[error("byte {searched}: no checkpoint was found before the end of the file")]
    NoCheckpoint {
        /// Bytes searched.
        searched: u64,
    },
    /// An address that leads out of the file.
    #[error(
        "byte {offset}: a block of {bytes} bytes ends behind the {limit} bytes of the {what}, so it was cut off"
    )]
    Outside {
        /// Of the block.
        offset: u64,
        /// Of the block.
        bytes: u64,
        /// Where it must end.
        limit: u64,
        /// What ends there: `file`, `checkpoint`.
        what: &'static str,
    },
    /// An address of a block larger than any that is read.
    #[error("byte {offset}: a block of {bytes} bytes exceeds the limit of {limit} ({})", Human(*limit))]
    TooLarge {
        /// Of the block or page.
        offset: u64,
        /// As claimed.
        bytes: u64,
        /// What is read at most.
        limit: u64,
    },
    /// Bytes that are not those that were written.
    #[error("byte {offset}: the block has checksum 0x{computed:08x}, and its parent says 0x{expected:08x}")]
    Checksum {
        /// Of the block.
        offset: u64,
        /// Of the bytes.
        computed: u32,
        /// As its parent, or its header, has it.
        expected: u32,
    },
    /// Two owners for the same bytes: a cycle, or a damaged address.
    #[error("byte {offset}: a block of {bytes} bytes has an owner already")]
    OwnedTwice {
        /// Of the block.
        offset: u64,
        /// Of the block.
        bytes: u64,
    },
    /// The packed form does not give the page.
    #[error(
        "byte {offset}: the block does not unpack by {codec} to the {bytes} bytes that its page declares"
    )]
    Unpack {
        /// Of the block.
        offset: u64,
        /// Which codec.
        codec: String,
        /// `mem_size`.
        bytes: u64,
    },
    /// Packed by something that this build does not have.
    #[error("byte {offset}: the block is packed by `{codec}`, which is not read")]
    UnknownCodec {
        /// Of the block.
        offset: u64,
        /// As the table's configuration has it.
        codec: String,
    },
    /// Contents that nobody without the key can read.
    #[error("byte {offset}: the block is encrypted")]
    Encrypted {
        /// Of the block.
        offset: u64,
    },
    /// A field or cell that breaks the format.
    #[error("byte {offset}: {what}{}", inside(*at))]
    Damaged {
        /// Of the block.
        offset: u64,
        /// In the unpacked page, for faults inside one.
        at: Option<usize>,
        /// The rule that is broken.
        what: &'static str,
    },
    /// A tree deeper than any server builds.
    #[error("byte {offset}: the tree is deeper than {limit} levels")]
    TooDeep {
        /// Of the page that is one level too deep.
        offset: u64,
        /// Levels read at most.
        limit: usize,
    },
}

/// First four bytes of every data file. Source: `WT_BLOCK_MAGIC`, src/include/block.h at tag mongodb-8.0.0.
pub const MAGIC: u32 = 120_897;
/// The major version of every data file. Source: `WT_BLOCK_MAJOR_VERSION`, as above.
pub const MAJOR: u16 = 1;

fn inside(at: Option<usize>) -> String {
    at.map_or(String::new(), |at| format!(" (byte {at} of the page in it)"))
}

impl Fault {
    /// Whether the system is at fault and not the bytes.
    #[must_use]
    pub fn is_about_the_system(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}

/// What a file is good for.
pub(super) type Read<T> = Result<T, Fault>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_says_at_which_byte() {
        for (fault, want) in [
            (
                Fault::NotWiredTiger { found: 7 },
                "a.wt: byte 0: is not a WiredTiger data file: it begins with 0x00000007, not 0x0001d841",
            ),
            (
                Fault::NoDescription { length: 3 },
                "a.wt: byte 3: the file ends inside its description block, which takes 512 bytes at least",
            ),
            (
                Fault::Version { major: 2, minor: 1 },
                "a.wt: byte 4: format version 2.1 is not known; known is 1.0",
            ),
            (
                Fault::Description { computed: 1, stored: 2 },
                "a.wt: byte 8: the description block has checksum 0x00000001, and says 0x00000002",
            ),
            (
                Fault::NoCheckpoint { searched: 4096 },
                "a.wt: byte 4096: no checkpoint was found before the end of the file",
            ),
            (
                Fault::Outside { offset: 8192, bytes: 4096, limit: 9000, what: "file" },
                "a.wt: byte 8192: a block of 4096 bytes ends behind the 9000 bytes of the file, so it was cut off",
            ),
            (
                Fault::TooLarge { offset: 4096, bytes: 1 << 30, limit: 64 << 20 },
                "a.wt: byte 4096: a block of 1073741824 bytes exceeds the limit of 67108864 (64.0 MiB)",
            ),
            (
                Fault::Checksum { offset: 4096, computed: 10, expected: 11 },
                "a.wt: byte 4096: the block has checksum 0x0000000a, and its parent says 0x0000000b",
            ),
            (
                Fault::OwnedTwice { offset: 4096, bytes: 4096 },
                "a.wt: byte 4096: a block of 4096 bytes has an owner already",
            ),
            (
                Fault::Unpack { offset: 4096, codec: "zstd".to_owned(), bytes: 30_000 },
                "a.wt: byte 4096: the block does not unpack by zstd to the 30000 bytes that its page declares",
            ),
            (
                Fault::UnknownCodec { offset: 4096, codec: "lz4".to_owned() },
                "a.wt: byte 4096: the block is packed by `lz4`, which is not read",
            ),
            (Fault::Encrypted { offset: 4096 }, "a.wt: byte 4096: the block is encrypted"),
            (
                Fault::Damaged { offset: 4096, at: Some(40), what: "a cell runs past the page" },
                "a.wt: byte 4096: a cell runs past the page (byte 40 of the page in it)",
            ),
            (
                Fault::TooDeep { offset: 4096, limit: 32 },
                "a.wt: byte 4096: the tree is deeper than 32 levels",
            ),
        ] {
            let error = DataFileError { path: PathBuf::from("a.wt"), kind: fault };
            assert_eq!(error.to_string(), want);
        }
    }
}

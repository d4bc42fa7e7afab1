//! Blocks by their addresses: read at a place, compared with their checksums, never written.

use super::cursor::{Cursor, u32_at};
use super::error::{DataFileError, Fault, MAGIC, MAJOR, Read};
use crate::geometry::wiredtiger::facts;
use crate::units::{AllocationUnit, Human};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Largest page image and block that is read: a document of 16 MiB fits beside a page four times the largest leaf
/// page that anybody configures.
pub const IMAGE_BYTES_MAX: u64 = 64 << 20;

/// Smallest `allocation_size`, and so the least that a description block takes.
const UNIT_BYTES_MIN: usize = 512;

/// Block header: its bytes in the file, and their checksum.
const BLOCK_BYTES_AT: usize = facts::PAGE_HEADER_BYTES as usize;
const CHECKSUM_AT: usize = BLOCK_BYTES_AT + 4;
const BLOCK_FLAGS_AT: usize = CHECKSUM_AT + 4;
/// The checksum covers the whole block. Source: `WT_BLOCK_DATA_CKSUM`, src/include/block.h at tag mongodb-8.0.0.
const FLAG_WHOLE_CHECKSUM: u8 = 0x01;

/// Where a block lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Of its first byte in the file.
    pub offset: u64,
    /// In the file, whole units.
    pub bytes: u64,
    /// As whoever points to it knows it.
    pub checksum: u32,
}

impl Address {
    /// From an address cookie; `None` for what is none, or lies beyond 64 bits.
    ///
    /// Source: `__block_buffer_to_addr`, `src/block/block_addr.c` at tag mongodb-8.0.0.
    pub(super) fn of_cookie(cookie: &[u8], unit: AllocationUnit) -> Option<Self> {
        let mut cursor = Cursor::at(cookie, 0);
        match Self::read(&mut cursor, unit)? {
            Pointer::To(address) if cursor.is_at_end() => Some(address),
            _ => None,
        }
    }

    /// The next address of a cookie; `None` for what is none.
    pub(super) fn read(cursor: &mut Cursor<'_>, unit: AllocationUnit) -> Option<Pointer> {
        let (offset, size) = (cursor.packed()?, cursor.packed()?);
        let checksum = u32::try_from(cursor.packed()?).ok()?;
        if size == 0 {
            return Some(Pointer::Nowhere);
        }
        let offset = offset.checked_add(1)?.checked_mul(unit.bytes())?;
        let bytes = size.checked_mul(unit.bytes())?;
        offset.checked_add(bytes)?;
        Some(Pointer::To(Self { offset, bytes, checksum }))
    }

    /// Behind its last byte.
    pub(super) fn end(self) -> u64 {
        self.offset + self.bytes
    }
}

/// One of a checkpoint's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pointer {
    /// There is no such block.
    Nowhere,
    /// There is one.
    To(Address),
}

impl Pointer {
    /// The address, if there is one.
    pub(super) fn address(self) -> Option<Address> {
        match self {
            Self::Nowhere => None,
            Self::To(address) => Some(address),
        }
    }
}

/// An open data file.
#[derive(Debug)]
pub struct Blocks {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Blocks {
    /// Opens `path` without permission to write and looks at its description block.
    ///
    /// # Errors
    ///
    /// What the system answers, and a file that is no data file.
    pub fn open(path: &Path) -> Result<Self, DataFileError> {
        let failed = |kind| DataFileError { path: path.to_owned(), kind };
        let system = |source| failed(Fault::Io { offset: 0, source });
        let file = File::open(path).map_err(system)?;
        let metadata = file.metadata().map_err(system)?;
        let blocks = Self { file, path: path.to_owned(), length: metadata.len() };
        blocks.check_description().map_err(failed)?;
        Ok(blocks)
    }

    /// As it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the file when it was opened. A server may have made it longer since.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn failed(&self, kind: Fault) -> DataFileError {
        DataFileError { path: self.path.clone(), kind }
    }

    /// Source: `__wt_desc_write`, `src/block/block_open.c` at tag mongodb-8.0.0. The checksum covers one allocation
    /// unit, which only the configuration behind a checkpoint names; the unit's rest is zero, so each length that
    /// a unit may have is tried.
    fn check_description(&self) -> Read<()> {
        let mut head = vec![0; usize::try_from(self.length.min(64 << 10)).unwrap_or(UNIT_BYTES_MIN)];
        self.read_at(&mut head, 0)?;
        let found = u32_at(&head, 0);
        if head.len() >= 4 && found != MAGIC {
            return Err(Fault::NotWiredTiger { found });
        }
        if head.len() < UNIT_BYTES_MIN {
            return Err(Fault::NoDescription { length: self.length });
        }
        let version = u32_at(&head, 4).to_le_bytes();
        let [major, minor] = [[version[0], version[1]], [version[2], version[3]]].map(u16::from_le_bytes);
        if major != MAJOR {
            return Err(Fault::Version { major, minor });
        }
        let stored = u32_at(&head, 8);
        head[8..12].fill(0);
        let lengths = (0..).map(|power| UNIT_BYTES_MIN << power).take_while(|bytes| *bytes <= head.len());
        let mut computed: Vec<u32> = lengths.map(|bytes| crc32c::crc32c(&head[..bytes])).collect();
        if computed.contains(&stored) {
            return Ok(());
        }
        // Of the usual unit, where the file has one.
        let shown = computed.len().min(4) - 1;
        Err(Fault::Description { computed: computed.swap_remove(shown), stored })
    }

    /// Fills `bytes` from `offset`.
    #[cfg(unix)]
    pub(super) fn read_at(&self, bytes: &mut [u8], offset: u64) -> Read<()> {
        use std::os::unix::fs::FileExt;
        self.file.read_exact_at(bytes, offset).map_err(|source| Fault::Io { offset, source })
    }

    /// Fills `bytes` from `offset`.
    #[cfg(windows)]
    pub(super) fn read_at(&self, bytes: &mut [u8], offset: u64) -> Read<()> {
        use std::os::windows::fs::FileExt;
        let mut done = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            match self.file.seek_read(&mut bytes[done..], at) {
                Ok(0) => return Err(Fault::Io { offset, source: std::io::ErrorKind::UnexpectedEof.into() }),
                Ok(read) => done += read,
                Err(source) => return Err(Fault::Io { offset, source }),
            }
        }
        Ok(())
    }

    /// Replaces `block` by the bytes of the block at `address`, once they are known to be those that were written.
    ///
    /// # Errors
    ///
    /// An address outside the file or of more than [`IMAGE_BYTES_MAX`], and a checksum that is another one.
    pub fn read(&self, address: Address, block: &mut Vec<u8>) -> Read<()> {
        let Address { offset, bytes, checksum } = address;
        if bytes > IMAGE_BYTES_MAX {
            return Err(Fault::TooLarge { offset, bytes, limit: IMAGE_BYTES_MAX });
        }
        if address.end() > self.length {
            return Err(Fault::Outside { offset, bytes, limit: self.length, what: "file" });
        }
        // Within the file and the limit, so this is no claim of foreign bytes.
        block.resize(usize::try_from(bytes).unwrap_or(0), 0);
        self.read_at(block, offset)?;
        let computed = checksum_of(block);
        if computed != checksum {
            return Err(Fault::Checksum { offset, computed, expected: checksum });
        }
        if u32_at(block, CHECKSUM_AT) != checksum {
            return Err(Fault::Checksum { offset, computed: u32_at(block, CHECKSUM_AT), expected: checksum });
        }
        if u64::from(declared_bytes(block)) != bytes {
            let what = "its header has another length than its address";
            return Err(Fault::Damaged { offset, at: None, what });
        }
        Ok(())
    }
}

/// `disk_size` of a block's header.
pub(super) fn declared_bytes(block: &[u8]) -> u32 {
    u32_at(block, BLOCK_BYTES_AT)
}

/// The checksum field of a block's header.
pub(super) fn stored_checksum(block: &[u8]) -> u32 {
    u32_at(block, CHECKSUM_AT)
}

/// CRC32C of a block, its own field taken as zero: of all of it, or of the first 64 bytes where its flags say so.
///
/// Source: `__block_write_off`, `src/block/block_write.c` at tag mongodb-8.0.0.
pub(super) fn checksum_of(block: &[u8]) -> u32 {
    let skip = facts::COMPRESS_SKIP_BYTES as usize;
    let whole = block.get(BLOCK_FLAGS_AT).is_some_and(|flags| flags & FLAG_WHOLE_CHECKSUM != 0);
    let covered = if whole { block } else { &block[..block.len().min(skip)] };
    let (head, tail) = covered.split_at(covered.len().min(CHECKSUM_AT));
    let checksum = crc32c::crc32c_append(crc32c::crc32c(head), &[0; 4]);
    crc32c::crc32c_append(checksum, tail.get(4..).unwrap_or_default())
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at byte {}", Human(self.bytes), self.offset)
    }
}

//! A block unpacked: the page image, with what its header says.

use super::block::{Address, Blocks, IMAGE_BYTES_MAX};
use super::cursor::{u32_at, u64_at};
use super::error::{Fault, Read};
use crate::codec::{Codec, CodecKind, ZlibLevel, ZstdLevel};
use crate::geometry::wiredtiger::facts;

const MEM_SIZE_AT: usize = 16;
const ENTRIES_AT: usize = 20;
const TYPE_AT: usize = 24;
const FLAGS_AT: usize = 25;

/// Flags of a page header. Source: `WT_PAGE_COMPRESSED`, `WT_PAGE_ENCRYPTED`, `WT_PAGE_FT_UPDATE`,
/// src/include/btmem.h at tag mongodb-8.0.0.
const FLAG_COMPRESSED: u8 = 0x01;
const FLAG_ENCRYPTED: u8 = 0x08;
const FLAG_FAST_TRUNCATE: u8 = 0x20;

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// An extent list of the block manager.
    ExtentList,
    /// A key or value too large for its page.
    Overflow,
    /// Keys and addresses of children.
    Internal,
    /// Keys and values.
    Leaf,
}

/// What a page header says; readable even where the rest is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageHeader {
    /// Counts the table's pages as they are written.
    pub write_gen: u64,
    /// Bytes of the image, both headers included.
    pub image_bytes: u64,
    /// Cells, or data bytes of an overflow page.
    pub entries: u32,
    /// What it holds.
    pub kind: PageKind,
    flags: u8,
}

impl PageHeader {
    /// Of the block at `offset`.
    pub(super) fn of(block: &[u8], offset: u64) -> Read<Self> {
        let damaged = |what| Fault::Damaged { offset, at: None, what };
        if block.len() < facts::HEADER_BYTES as usize {
            return Err(damaged("a block shorter than its headers"));
        }
        // Source: WT_PAGE_BLOCK_MANAGER, WT_PAGE_OVFL, WT_PAGE_ROW_INT, WT_PAGE_ROW_LEAF, src/include/btmem.h
        // at tag mongodb-8.0.0. The other types are of column stores, which mongod does not use.
        let kind = match block[TYPE_AT] {
            1 => PageKind::ExtentList,
            5 => PageKind::Overflow,
            6 => PageKind::Internal,
            7 => PageKind::Leaf,
            _ => return Err(damaged("a page of a type that no row store has")),
        };
        let image_bytes = u64::from(u32_at(block, MEM_SIZE_AT));
        if image_bytes > IMAGE_BYTES_MAX {
            return Err(Fault::TooLarge { offset, bytes: image_bytes, limit: IMAGE_BYTES_MAX });
        }
        if image_bytes < u64::from(facts::HEADER_BYTES) {
            return Err(damaged("a page shorter than its headers"));
        }
        Ok(Self {
            write_gen: u64_at(block, 8),
            image_bytes,
            entries: u32_at(block, ENTRIES_AT),
            kind,
            flags: block[FLAGS_AT],
        })
    }

    /// Whether the block is packed.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.flags & FLAG_COMPRESSED != 0
    }

    /// Whether only the headers can be read.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.flags & FLAG_ENCRYPTED != 0
    }

    /// Whether addresses of truncated children carry who truncated them.
    pub(super) fn has_truncations(&self) -> bool {
        self.flags & FLAG_FAST_TRUNCATE != 0
    }
}

/// What unpacks a table's blocks: named by its configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockCodec {
    /// One that this build has; `None` where blocks are stored as they are.
    Known(CodecKind),
    /// Another one, by name.
    Unknown(String),
}

impl BlockCodec {
    /// From `block_compressor`; the level is not in the file, so it is a server's.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name {
            "" | "none" => Self::Known(CodecKind::None),
            "snappy" => Self::Known(CodecKind::Snappy),
            "zlib" => Self::Known(CodecKind::Zlib(ZlibLevel::SERVER)),
            "zstd" => Self::Known(CodecKind::Zstd(ZstdLevel::SERVER)),
            other => Self::Unknown(other.to_owned()),
        }
    }

    /// `block_compressor`'s own word.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Known(kind) => kind.name(),
            Self::Unknown(name) => name,
        }
    }
}

/// Reads pages one after the other into buffers of its own. One a thread.
pub struct PageReader<'f> {
    blocks: &'f Blocks,
    codec: BlockCodec,
    decoder: Option<Box<dyn Codec>>,
    block: Vec<u8>,
    body: Vec<u8>,
    image: Vec<u8>,
}

/// A page as read; borrows the reader's buffers.
#[derive(Clone, Copy, Debug)]
pub struct Page<'p> {
    /// Where it lies.
    pub address: Address,
    /// What its header says.
    pub header: PageHeader,
    /// Unpacked, headers as stored. Of an encrypted page the headers only.
    pub image: &'p [u8],
    /// Bytes in the block before padding, where it is packed.
    pub packed_bytes: Option<u64>,
}

impl Page<'_> {
    /// Bytes of the block that hold nothing.
    #[must_use]
    pub fn padding_bytes(&self) -> u64 {
        let used = self.packed_bytes.unwrap_or(self.header.image_bytes);
        self.address.bytes.saturating_sub(used)
    }
}

impl<'f> PageReader<'f> {
    /// Of a file whose table has this codec.
    #[must_use]
    pub fn new(blocks: &'f Blocks, codec: BlockCodec) -> Self {
        let decoder = match &codec {
            BlockCodec::Known(kind) => kind.encoder(),
            BlockCodec::Unknown(_) => None,
        };
        Self { blocks, codec, decoder, block: Vec::new(), body: Vec::new(), image: Vec::new() }
    }

    /// Reads, checks and unpacks the page at `address`.
    ///
    /// # Errors
    ///
    /// Those of [`Blocks::read`], a header that breaks the format, a packed form that does not give the page.
    pub fn read(&mut self, address: Address) -> Read<Page<'_>> {
        self.blocks.read(address, &mut self.block)?;
        let offset = address.offset;
        let header = PageHeader::of(&self.block, offset)?;
        let image_bytes = usize::try_from(header.image_bytes).unwrap_or(usize::MAX);
        if header.is_encrypted() {
            let image = &self.block[..facts::HEADER_BYTES as usize];
            return Ok(Page { address, header, image, packed_bytes: None });
        }
        if !header.is_packed() {
            let what = "an unpacked page that is longer than its block";
            let image = self.block.get(..image_bytes).ok_or(Fault::Damaged { offset, at: None, what })?;
            return Ok(Page { address, header, image, packed_bytes: None });
        }
        let packed_bytes = self.unpack(offset, image_bytes)?;
        Ok(Page { address, header, image: &self.image, packed_bytes: Some(packed_bytes) })
    }

    /// Fills `image` and returns the bytes before padding.
    fn unpack(&mut self, offset: u64, image_bytes: usize) -> Read<u64> {
        let skip = facts::COMPRESS_SKIP_BYTES as usize;
        let codec = self.codec.name().to_owned();
        let Some(decoder) = &mut self.decoder else { return Err(Fault::UnknownCodec { offset, codec }) };
        let failed = || Fault::Unpack { offset, codec: codec.clone(), bytes: image_bytes as u64 };
        let (head, output) = self.block.split_at_checked(skip).ok_or_else(failed)?;
        let body_bytes = image_bytes.checked_sub(skip).ok_or_else(failed)?;
        let packed_bytes = if matches!(self.codec, BlockCodec::Known(CodecKind::Zlib(_))) {
            let used = decoder.unpack_prefix(output, body_bytes, &mut self.body).ok_or_else(failed)?;
            skip + used
        } else {
            let prefix = facts::LENGTH_PREFIX_BYTES as usize;
            let length = usize::try_from(u64_at(output, 0)).map_err(|_| failed())?;
            let end = prefix.checked_add(length).ok_or_else(failed)?;
            let packed = output.get(prefix..end).ok_or_else(failed)?;
            if !decoder.unpack(packed, body_bytes, &mut self.body) {
                return Err(failed());
            }
            skip + end
        };
        self.image.clear();
        self.image.extend_from_slice(head);
        self.image.extend_from_slice(&self.body);
        Ok(packed_bytes as u64)
    }
}

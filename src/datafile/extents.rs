//! Extent lists: which parts of a file the block manager has given out, may give out, or has taken back.

use super::block::{Address, Blocks};
use super::cursor::Cursor;
use super::error::{Fault, Read};
use super::page::{PageHeader, PageKind};
use crate::geometry::wiredtiger::facts;

/// A run of bytes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Of its first byte.
    pub offset: u64,
    /// Its length.
    pub bytes: u64,
}

/// What begins every list: a pair of this magic number and 0.
///
/// Source: `WT_BLOCK_EXTLIST_MAGIC`, src/include/block.h at tag mongodb-8.0.0.
pub(super) const MAGIC_PAIR: [u8; 4] = [0xe2, 0xf5, 0x1a, 0x80];

/// How a list ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListEnd {
    /// Nothing follows.
    Plain,
    /// What is needed to find everything else follows. Source: `WT_BLOCK_EXTLIST_VERSION_CKPT`, as above.
    Recovery,
}

/// Walks over a list's pairs in a block, from its first byte behind the headers; `each` is told every extent.
/// Returns how it ends and where. `None` where the bytes are no list.
///
/// Source: `__wti_block_extlist_write` and `__wti_block_extlist_read`, `src/block/block_ext.c` at tag mongodb-8.0.0.
pub(super) fn read_list(block: &[u8], mut each: impl FnMut(Extent)) -> Option<(ListEnd, usize)> {
    let start = facts::HEADER_BYTES as usize;
    if !block.get(start..)?.starts_with(&MAGIC_PAIR) {
        return None;
    }
    let mut cursor = Cursor::at(block, start + MAGIC_PAIR.len());
    loop {
        let (offset, bytes) = (cursor.packed()?, cursor.packed()?);
        match (offset, bytes) {
            (0, 0) => return Some((ListEnd::Plain, cursor.position())),
            (0, 1) => return Some((ListEnd::Recovery, cursor.position())),
            (0, _) | (_, 0) => return None,
            _ => each(Extent { offset, bytes }),
        }
    }
}

/// The list in the block at `address`. No longer than the block: an extent takes two bytes at least.
pub(super) fn read(blocks: &Blocks, address: Address) -> Read<Vec<Extent>> {
    let mut block = Vec::new();
    blocks.read(address, &mut block)?;
    let offset = address.offset;
    let damaged = |what| Fault::Damaged { offset, at: None, what };
    let header = PageHeader::of(&block, offset)?;
    if header.kind != PageKind::ExtentList {
        return Err(damaged("not the extent list that its address promises"));
    }
    let mut extents = Vec::new();
    let end = read_list(&block, |extent| extents.push(extent));
    end.map(|_| extents).ok_or(damaged("an extent list that does not end"))
}

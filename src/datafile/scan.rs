//! Every block of a file, live or dead, from front to back: all that can be known of one whose tree is encrypted.

use super::block::{Address, IMAGE_BYTES_MAX, checksum_of, declared_bytes, stored_checksum};
use super::error::Read;
use super::page::PageHeader;
use super::{DataFile, Extent};

/// Visits blocks whose checksum holds, outside free space. Blocks that wait to be free are among them.
///
/// Source: `__wt_block_salvage_next`, `src/block/block_slvg.c` at tag mongodb-8.0.0.
pub struct Scan<'f> {
    file: &'f DataFile,
    /// In the order of the file.
    free: Vec<Extent>,
    at: u64,
    block: Vec<u8>,
    /// Bytes that blocks which turn out to be none may still cost: without a limit, a file made for it would have
    /// each of its units read as the beginning of a long block.
    budget_bytes: u64,
}

impl<'f> Scan<'f> {
    /// From the first block.
    #[must_use]
    pub fn new(file: &'f DataFile, mut free: Vec<Extent>) -> Self {
        free.sort_unstable_by_key(|extent| extent.offset);
        let (unit, length) = (file.checkpoint().config.unit.bytes(), file.blocks().length());
        Self { file, free, at: unit, block: Vec::new(), budget_bytes: length.saturating_mul(4) }
    }

    /// Where free space that holds `offset` ends.
    fn free_end(&self, offset: u64) -> Option<u64> {
        let after = self.free.partition_point(|extent| extent.offset <= offset);
        let extent = self.free.get(after.checked_sub(1)?)?;
        let end = extent.offset.saturating_add(extent.bytes);
        (offset < end).then_some(end)
    }

    fn block_at(&mut self, offset: u64) -> Read<Option<(Address, PageHeader)>> {
        let length = self.file.checkpoint().file_bytes.min(self.file.blocks().length());
        let unit = self.file.checkpoint().config.unit.bytes();
        self.block.resize(usize::try_from(unit.min(length - offset)).unwrap_or(0), 0);
        self.file.blocks().read_at(&mut self.block, offset)?;
        let bytes = u64::from(declared_bytes(&self.block));
        let is_plausible = bytes > 0
            && bytes.is_multiple_of(unit)
            && bytes <= IMAGE_BYTES_MAX.min(length - offset)
            && bytes <= self.budget_bytes;
        if !is_plausible {
            return Ok(None);
        }
        self.budget_bytes -= bytes;
        self.block.resize(usize::try_from(bytes).unwrap_or(0), 0);
        self.file.blocks().read_at(&mut self.block, offset)?;
        let checksum = stored_checksum(&self.block);
        if checksum_of(&self.block) != checksum {
            return Ok(None);
        }
        Ok(PageHeader::of(&self.block, offset)
            .ok()
            .map(|header| (Address { offset, bytes, checksum }, header)))
    }
}

impl Iterator for Scan<'_> {
    type Item = Read<(Address, PageHeader)>;

    fn next(&mut self) -> Option<Self::Item> {
        let length = self.file.checkpoint().file_bytes.min(self.file.blocks().length());
        let unit = self.file.checkpoint().config.unit.bytes();
        while self.at < length {
            if let Some(end) = self.free_end(self.at) {
                self.at = end.next_multiple_of(unit);
                continue;
            }
            match self.block_at(self.at) {
                Ok(Some(found)) => {
                    self.at = found.0.end();
                    return Some(Ok(found));
                }
                Ok(None) => self.at += unit,
                Err(fault) => {
                    self.at = length;
                    return Some(Err(fault));
                }
            }
        }
        None
    }
}

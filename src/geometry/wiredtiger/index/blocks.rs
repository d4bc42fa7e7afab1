//! Where blocks lie in the file, and which of its space is free.

use crate::geometry::wiredtiger::{cell, facts};
use crate::units::{AllocationUnit, DiskBytes};
use std::collections::{BTreeMap, BTreeSet};

/// A run of bytes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent {
    /// Of its first byte.
    pub offset: u64,
    /// How long.
    pub stored: DiskBytes,
}

/// Bytes of an extent list without extents: headers, a pair of magic and zero, a pair that ends it.
///
/// Source: `__wti_block_extlist_write`, `src/block/block_ext.c` at tag mongodb-8.0.0; pairs are packed integers.
const LIST_BYTES: u64 = facts::HEADER_BYTES as u64 + (3 + 1) + (1 + 1);

fn run_bytes(offset: u64, length: u64) -> u64 {
    u64::from(cell::packed_bytes(offset) + cell::packed_bytes(length))
}

/// A file before its first checkpoint: what is freed can be taken again at once.
///
/// Source: `__wti_block_alloc`, `__wti_block_off_free`, `__wti_block_extlist_truncate`, `src/block/block_ext.c` at
/// tag mongodb-8.0.0.
#[derive(Clone, Debug)]
pub struct Blocks {
    unit: AllocationUnit,
    end: u64,
    free_by_offset: BTreeMap<u64, u64>,
    /// Length first, so that the smallest that fits comes first, and of equals the lowest.
    free_by_length: BTreeSet<(u64, u64)>,
}

impl Blocks {
    /// A new file: its descriptor.
    #[must_use]
    pub fn new(unit: AllocationUnit) -> Self {
        let end = unit.bytes();
        Self { unit, end, free_by_offset: BTreeMap::new(), free_by_length: BTreeSet::new() }
    }

    /// Bytes up to the end of the file.
    #[must_use]
    pub fn end(&self) -> DiskBytes {
        DiskBytes(self.end)
    }

    /// Free bytes before the end.
    #[must_use]
    pub fn free_bytes(&self) -> DiskBytes {
        DiskBytes(self.free_by_offset.values().sum())
    }

    /// The unit of its blocks.
    #[must_use]
    pub fn unit(&self) -> AllocationUnit {
        self.unit
    }

    /// Image bytes of the list of free runs.
    #[must_use]
    pub fn free_list_bytes(&self) -> u64 {
        let runs = self.free_by_offset.iter();
        LIST_BYTES + runs.map(|(offset, length)| run_bytes(*offset, *length)).sum::<u64>()
    }

    /// Image bytes of the list of runs that are in use.
    #[must_use]
    pub fn used_list_bytes(&self) -> u64 {
        let mut bytes = LIST_BYTES;
        let mut start = self.unit.bytes();
        for (offset, length) in self.free_by_offset.iter().map(|(a, b)| (*a, *b)).chain([(self.end, 0)]) {
            if offset > start {
                bytes += run_bytes(start, offset - start);
            }
            start = offset + length;
        }
        bytes
    }

    /// Where [`Self::allocate`] would put that many bytes.
    #[must_use]
    pub fn next_offset(&self, bytes: u64) -> u64 {
        let length = self.unit.round_up(bytes).0;
        self.free_by_length.range((length, 0)..).next().map_or(self.end, |(_, offset)| *offset)
    }

    /// Takes the smallest free run that holds that many bytes, the lowest of equals, or grows the file.
    pub fn allocate(&mut self, bytes: u64) -> Extent {
        let length = self.unit.round_up(bytes).0;
        match self.free_by_length.range((length, 0)..).next().copied() {
            Some((free, offset)) => self.take(offset, free, length),
            None => self.append(length),
        }
    }

    /// Takes the lowest free run that holds that many bytes, as roots and extent lists do, or grows the file.
    ///
    /// Source: `__wti_block_configure_first_fit`, `src/block/block_open.c` at tag mongodb-8.0.0.
    pub fn allocate_first_fit(&mut self, bytes: u64) -> Extent {
        let length = self.unit.round_up(bytes).0;
        let fits = self.free_by_offset.iter().find(|(_, free)| **free >= length);
        match fits.map(|(offset, free)| (*offset, *free)) {
            Some((offset, free)) => self.take(offset, free, length),
            None => self.append(length),
        }
    }

    fn take(&mut self, offset: u64, free: u64, length: u64) -> Extent {
        self.remove(offset, free);
        if free > length {
            self.insert(offset + length, free - length);
        }
        Extent { offset, stored: DiskBytes(length) }
    }

    fn append(&mut self, length: u64) -> Extent {
        let offset = self.end;
        self.end += length;
        Extent { offset, stored: DiskBytes(length) }
    }

    /// Frees a block; neighbouring free runs become one.
    pub fn free(&mut self, block: Extent) {
        let (mut offset, mut length) = (block.offset, block.stored.0);
        if let Some((before, bytes)) = self.free_by_offset.range(..offset).next_back()
            && before + bytes == offset
        {
            let (before, bytes) = (*before, *bytes);
            self.remove(before, bytes);
            offset = before;
            length += bytes;
        }
        if let Some(bytes) = self.free_by_offset.get(&(offset + length)).copied() {
            self.remove(offset + length, bytes);
            length += bytes;
        }
        self.insert(offset, length);
    }

    /// Gives back free space at the end of the file.
    pub fn truncate(&mut self) {
        if let Some((offset, bytes)) = self.free_by_offset.last_key_value()
            && offset + bytes == self.end
        {
            let (offset, bytes) = (*offset, *bytes);
            self.remove(offset, bytes);
            self.end = offset;
        }
    }

    fn insert(&mut self, offset: u64, length: u64) {
        self.free_by_offset.insert(offset, length);
        self.free_by_length.insert((length, offset));
    }

    fn remove(&mut self, offset: u64, length: u64) {
        self.free_by_offset.remove(&offset);
        self.free_by_length.remove(&(length, offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_hole_that_fits_is_taken_and_neighbours_become_one() {
        let mut blocks = Blocks::new(AllocationUnit::DEFAULT);
        let taken: Vec<_> = [3, 1, 2, 1, 2].iter().map(|units| blocks.allocate(units * 4096)).collect();
        assert_eq!(blocks.end(), DiskBytes(10 * 4096));
        blocks.free(taken[0]);
        blocks.free(taken[2]);
        assert_eq!(blocks.next_offset(4097), taken[2].offset, "two units fit better than three");
        assert_eq!(blocks.allocate(5000), taken[2]);
        let one = blocks.allocate(1);
        assert_eq!(one.offset, taken[0].offset);
        blocks.free(taken[1]);
        assert_eq!((blocks.free_by_offset.len(), blocks.free_bytes()), (1, DiskBytes(3 * 4096)));
        assert_eq!(blocks.allocate(3 * 4096).offset, one.offset + 4096, "two units and one are three");
    }

    #[test]
    fn first_fit_takes_the_lowest_and_space_at_the_end_goes_back() {
        let mut blocks = Blocks::new(AllocationUnit::DEFAULT);
        let taken: Vec<_> = [2, 1, 1, 1].iter().map(|units| blocks.allocate(units * 4096)).collect();
        blocks.free(taken[0]);
        blocks.free(taken[2]);
        assert_eq!(blocks.allocate_first_fit(1).offset, taken[0].offset);
        blocks.free(taken[3]);
        blocks.truncate();
        assert_eq!(blocks.end().0, taken[2].offset);
        assert_eq!(blocks.free_bytes(), DiskBytes(4096));
    }
}

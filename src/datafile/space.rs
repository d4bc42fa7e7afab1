//! Which units of a file have an owner: a bit each, so that memory stays a 32768th of the file.

use super::error::{Fault, Read};
use crate::units::AllocationUnit;
use std::collections::BTreeMap;

/// Units that one chunk of bits covers.
const CHUNK_UNITS: u64 = 64 * WORDS as u64;
const WORDS: usize = 512;

/// Claims on a file's units. Nothing can be claimed twice, so no walk that claims what it visits can go in
/// circles.
#[derive(Debug)]
pub struct Space {
    unit: AllocationUnit,
    /// Chunks that hold a claim, so that a file that is mostly a hole costs nothing.
    chunks: BTreeMap<u64, Box<[u64; WORDS]>>,
    claimed_bytes: u64,
}

impl Space {
    /// Without any claim.
    pub(super) fn new(unit: AllocationUnit) -> Self {
        Self { unit, chunks: BTreeMap::new(), claimed_bytes: 0 }
    }

    /// Bytes with an owner.
    #[must_use]
    pub fn claimed_bytes(&self) -> u64 {
        self.claimed_bytes
    }

    /// Claims the units from `offset`; both are multiples of the unit, and inside the file.
    pub(super) fn claim(&mut self, offset: u64, bytes: u64) -> Read<()> {
        let unit_bytes = self.unit.bytes();
        let first = offset / unit_bytes;
        let end = first + bytes / unit_bytes;
        let mut at = first;
        while at < end {
            let chunk = at / CHUNK_UNITS;
            let chunk_end = end.min((chunk + 1) * CHUNK_UNITS);
            let words = self.chunks.entry(chunk).or_insert_with(|| Box::new([0; WORDS]));
            if !set_bits(words, at % CHUNK_UNITS, chunk_end - at) {
                return Err(Fault::OwnedTwice { offset, bytes });
            }
            at = chunk_end;
        }
        self.claimed_bytes += bytes;
        Ok(())
    }
}

/// Sets `count` bits from bit `first`; `false` at the first that is set already.
fn set_bits(words: &mut [u64; WORDS], first: u64, count: u64) -> bool {
    let (mut at, end) = (first, first + count);
    while at < end {
        let (word, bit) = (at / 64, at % 64);
        let bits = (end - at).min(64 - bit);
        let mask = (u64::MAX >> (64 - bits)) << bit;
        let Some(word) = usize::try_from(word).ok().and_then(|word| words.get_mut(word)) else {
            return false;
        };
        if *word & mask != 0 {
            return false;
        }
        *word |= mask;
        at += bits;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_unit_has_two_owners() {
        let mut space = Space::new(AllocationUnit::DEFAULT);
        space.claim(0, 4096).unwrap();
        space.claim(8192, 3 * 4096).unwrap();
        assert_eq!(space.claimed_bytes(), 4 * 4096);
        for offset in [0, 8192, 12_288, 16_384] {
            assert!(matches!(space.claim(offset, 4096), Err(Fault::OwnedTwice { .. })), "{offset}");
        }
        space.claim(4096, 4096).unwrap();
    }

    proptest! {
        /// Against a set of units.
        #[test]
        fn claims_agree_with_a_set(claims in prop::collection::vec((0_u64..200_000, 1_u64..70_000), 1..20)) {
            let unit = AllocationUnit::new(512).unwrap();
            let (mut space, mut owned) = (Space::new(unit), vec![false; 270_000]);
            for (first, units) in claims {
                let range = usize::try_from(first).unwrap()..usize::try_from(first + units).unwrap();
                let free = owned[range.clone()].iter().all(|owned| !owned);
                prop_assert_eq!(space.claim(first * 512, units * 512).is_ok(), free);
                if !free {
                    break; // a refused claim leaves part of its bits; the walk ends there
                }
                owned[range].fill(true);
            }
        }
    }
}

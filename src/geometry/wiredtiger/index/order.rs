//! An index's entries in key order.

use super::IndexEntries;
use std::borrow::Cow;

/// The entries of an index by their rank, and the rank of each: what every page of it is made from.
///
/// Keys lie in memory as they will on the pages, so that going through a page is going through memory.
#[derive(Debug)]
pub struct OrderedEntries<'e> {
    by_rank: Cow<'e, IndexEntries>,
    /// By the order of their coming; `None` where that is the order of the keys.
    ranks: Option<Vec<u32>>,
}

impl<'e> OrderedEntries<'e> {
    /// Sorts the entries, unless they came sorted. Equal keys stay in the order of their coming.
    #[must_use]
    pub fn of(entries: &'e IndexEntries) -> Self {
        if entries.is_ascending() {
            return Self { by_rank: Cow::Borrowed(entries), ranks: None };
        }
        let sorted = sorted(entries);
        let mut ranks = vec![0; sorted.len()];
        for (rank, (_, entry)) in (0..).zip(&sorted) {
            ranks[*entry as usize] = rank;
        }
        let by_rank = entries.in_order(sorted.iter().map(|(_, entry)| *entry as usize));
        Self { by_rank: Cow::Owned(by_rank), ranks: Some(ranks) }
    }

    /// In key order.
    pub(super) fn by_rank(&self) -> &IndexEntries {
        &self.by_rank
    }

    pub(super) fn len(&self) -> usize {
        self.by_rank.len()
    }

    /// Rank of the entry that came as number `entry`.
    pub(super) fn rank(&self, entry: u32) -> u32 {
        self.ranks.as_ref().map_or(entry, |ranks| ranks[entry as usize])
    }
}

/// Numbers of the entries in key order, each with the head of its key.
fn sorted(entries: &IndexEntries) -> Vec<(u64, u32)> {
    // Eight bytes behind what all keys share decide nearly all comparisons without a look at the keys.
    let skip = shared_bytes(entries);
    let mut sorted: Vec<(u64, u32)> =
        (0..entries.count()).map(|entry| (head(&entries.key(entry as usize)[skip..]), entry)).collect();
    sorted.sort_unstable();
    let mut rest = sorted.as_mut_slice();
    while let Some((first, _)) = rest.first().copied() {
        let equal = rest.iter().take_while(|(head, _)| *head == first).count();
        let (run, behind) = rest.split_at_mut(equal);
        if equal > 1 {
            run.sort_unstable_by(|(_, a), (_, b)| {
                entries.key(*a as usize).cmp(entries.key(*b as usize)).then(a.cmp(b))
            });
        }
        rest = behind;
    }
    sorted
}

fn shared_bytes(entries: &IndexEntries) -> usize {
    let first = entries.key(0);
    (1..entries.len()).fold(first.len(), |shared, entry| {
        let key = entries.key(entry);
        if key.get(..shared) == first.get(..shared) { shared } else { common_bytes(first, key).min(shared) }
    })
}

fn head(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let taken = key.len().min(8);
    bytes[..taken].copy_from_slice(&key[..taken]);
    u64::from_be_bytes(bytes)
}

/// Length of the longest common prefix.
pub(super) fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    let words = a.chunks_exact(8).zip(b.chunks_exact(8)).take_while(|(a, b)| a == b).count() * 8;
    words + a[words..].iter().zip(&b[words..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_by_whole_keys_and_equal_ones_by_their_coming() {
        let keys: [&[u8]; 6] =
            [b"shared-12345678b", b"shared-2", b"shared-12345678a", b"shared-", b"shared-2", b"shared-1"];
        let mut entries = IndexEntries::new();
        for (document, key) in (0..).zip(keys) {
            entries.push(key, 0, document);
        }
        let order = OrderedEntries::of(&entries);
        assert_eq!(documents(&order), [3, 5, 2, 0, 1, 4]);
        assert_eq!((0..6).map(|entry| order.rank(entry)).collect::<Vec<_>>(), [3, 4, 2, 0, 5, 1]);
        assert_eq!(order.by_rank().key(2), keys[2]);
    }

    fn documents(order: &OrderedEntries<'_>) -> Vec<u64> {
        (0..order.len()).map(|rank| order.by_rank().document(rank)).collect()
    }

    /// Zeros behind a short key must not make it equal to a key that holds them.
    #[test]
    fn a_key_that_ends_sorts_before_the_same_key_with_zeros_behind() {
        let mut entries = IndexEntries::new();
        for (document, key) in (0..).zip([&b"b"[..], b"a\0\0", b"a", b"a\0"]) {
            entries.push(key, 0, document);
        }
        assert_eq!(documents(&OrderedEntries::of(&entries)), [2, 3, 1, 0]);
    }
}

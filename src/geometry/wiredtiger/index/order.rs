//! An index's entries in key order.

use super::IndexEntries;

/// Entries by their rank.
#[derive(Debug)]
pub(super) struct Order<'a> {
    entries: &'a IndexEntries,
    by_rank: Vec<u32>,
}

impl<'a> Order<'a> {
    /// Sorts the entries, unless they came sorted. Equal keys stay in the order of their coming.
    pub(super) fn of(entries: &'a IndexEntries) -> Self {
        let count = entries.count();
        if entries.is_ascending() {
            return Self { entries, by_rank: (0..count).collect() };
        }
        // Eight bytes behind what all keys share decide nearly all comparisons without a look at the keys.
        let skip = shared_bytes(entries);
        let mut sorted: Vec<(u64, u32)> =
            (0..count).map(|entry| (head(&entries.key(entry as usize)[skip..]), entry)).collect();
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
        Self { entries, by_rank: sorted.into_iter().map(|(_, entry)| entry).collect() }
    }

    pub(super) fn entries(&self) -> &'a IndexEntries {
        self.entries
    }

    pub(super) fn len(&self) -> usize {
        self.by_rank.len()
    }

    pub(super) fn entry(&self, rank: u32) -> usize {
        self.by_rank[rank as usize] as usize
    }

    /// Rank of each entry.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.by_rank.len()];
        for (rank, entry) in (0..).zip(&self.by_rank) {
            ranks[*entry as usize] = rank;
        }
        ranks
    }
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
        assert_eq!(Order::of(&entries).by_rank, [3, 5, 2, 0, 1, 4]);
        assert_eq!(Order::of(&entries).ranks(), [3, 4, 2, 0, 5, 1]);
    }

    /// Zeros behind a short key must not make it equal to a key that holds them.
    #[test]
    fn a_key_that_ends_sorts_before_the_same_key_with_zeros_behind() {
        let mut entries = IndexEntries::new();
        for (document, key) in (0..).zip([&b"b"[..], b"a\0\0", b"a", b"a\0"]) {
            entries.push(key, 0, document);
        }
        assert_eq!(Order::of(&entries).by_rank, [2, 3, 1, 0]);
    }
}

//! How many records an in-memory leaf takes before it is cut.

use super::{TableConfig, cell, facts};
use crate::record::RecordId;

/// Where the in-memory leaf that a load appends to is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The page takes the record and goes on.
    Not,
    /// An insert split: the record moves to a new right page, the left one is final without it.
    Before,
    /// The page is too large with too few records to split: it is forced out with this record in it.
    After,
}

/// The memory that one growing leaf takes.
#[derive(Clone, Debug)]
pub struct MemoryPage {
    split_thirds: u64,
    forced_thirds: u64,
    bytes_thirds: u64,
    records: u32,
}

impl MemoryPage {
    /// An empty page.
    #[must_use]
    pub fn new(config: &TableConfig) -> Self {
        Self {
            split_thirds: 3 * config.memory_page_bytes_split(),
            forced_thirds: 3 * config.memory_page_bytes_forced(),
            bytes_thirds: EMPTY_THIRDS,
            records: 0,
        }
    }

    /// How many records an empty page takes, all like one that weighs `entry_thirds` (see [`entry_thirds`]).
    #[must_use]
    pub fn records_of(config: &TableConfig, entry_thirds: u64) -> u64 {
        let page = Self::new(config);
        let fit = |thirds: u64| thirds.saturating_sub(EMPTY_THIRDS).div_ceil(entry_thirds.max(1));
        // The record that reaches the bound is on the next page, unless the page is forced out.
        let split = fit(page.split_thirds).saturating_sub(1);
        let is_split = split + 1 >= u64::from(facts::SPLIT_MEMORY_RECORDS_MIN);
        if is_split { split.max(1) } else { fit(page.forced_thirds).max(1) }
    }

    /// Inserts a record and says whether the page is cut there. After a cut the page is the next one:
    /// empty, or with this record in it.
    ///
    /// Source: `__wt_leaf_page_can_split`, `src/include/btree_inline.h`; `__split_insert`,
    /// `src/btree/bt_split.c`; `__evict_force_check`, `src/btree/bt_read.c`; tag mongodb-8.0.0.
    pub fn insert<'r>(&mut self, record_id: impl Into<RecordId<'r>>, value_bytes: u64) -> Cut {
        let entry_thirds = entry_thirds(record_id.into(), value_bytes);
        self.bytes_thirds += entry_thirds;
        self.records += 1;
        if self.bytes_thirds >= self.split_thirds && self.records >= facts::SPLIT_MEMORY_RECORDS_MIN {
            self.bytes_thirds = EMPTY_THIRDS + entry_thirds;
            self.records = 1;
            Cut::Before
        } else if self.bytes_thirds >= self.forced_thirds {
            self.bytes_thirds = EMPTY_THIRDS;
            self.records = 0;
            Cut::After
        } else {
            Cut::Not
        }
    }
}

const EMPTY_THIRDS: u64 = 3 * facts::EMPTY_LEAF_MEMORY_BYTES;

/// Memory of an update with a value of so many bytes: what an insert, a saved update and the cache are charged.
///
/// Source: `WT_UPDATE_MEMSIZE`, `src/include/btmem.h` at tag mongodb-8.0.0.
#[must_use]
pub fn update_bytes(value_bytes: u64) -> u64 {
    (facts::UPDATE_MEMORY_BYTES + value_bytes).next_multiple_of(facts::UPDATE_MEMORY_ALIGN)
}

/// Expected memory of an inserted record, in thirds of a byte.
#[must_use]
pub fn entry_thirds(record_id: RecordId<'_>, value_bytes: u64) -> u64 {
    let update_bytes = update_bytes(value_bytes);
    facts::INSERT_MEMORY_BYTES_THIRDS + 3 * (cell::record_id_bytes(record_id) + update_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::wiredtiger::Release;

    /// 100 000 documents of 200 B. The real server cuts within 5 records of these places, which are those
    /// of the expected skiplist depth; depths are drawn at random.
    #[test]
    fn two_hundred_byte_documents_cut_where_the_server_cuts() {
        let mut page = MemoryPage::new(&TableConfig::collection(Release::NEWEST));
        let (mut segments, mut records) = (Vec::new(), 0);
        for record_id in 1..=100_000_u64 {
            if page.insert(record_id, 200) == Cut::Before {
                segments.push(records);
                records = 0;
            }
            records += 1;
        }
        segments.push(records);
        assert_eq!(segments, [29_393, 29_363, 29_313, 11_931]);
        // From the number of the middle record, as a sample has it.
        let like = |number: u64| entry_thirds(RecordId::Number(number), 200);
        let config = TableConfig::collection(Release::NEWEST);
        assert_eq!(
            [MemoryPage::records_of(&config, like(15_000)), MemoryPage::records_of(&config, like(45_000))],
            [29_363; 2]
        );
    }

    #[test]
    fn huge_documents_are_forced_out_before_five_are_there() {
        let mut page = MemoryPage::new(&TableConfig::collection(Release::NEWEST));
        let cuts: Vec<_> = (1..=4_u64).map(|record_id| page.insert(record_id, 6 << 20)).collect();
        assert_eq!(cuts, [Cut::Not, Cut::After, Cut::Not, Cut::After]);
        let huge = entry_thirds(RecordId::Number(1), 6 << 20);
        assert_eq!(MemoryPage::records_of(&TableConfig::collection(Release::NEWEST), huge), 2);
    }
}

//! Time windows: the timestamps and transaction ids that a load into a replica set leaves beside values.

use super::{Release, cell};

/// When and by which transaction a value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Seconds in the high half, an increment within the second in the low half.
    pub start_ts: u64,
    /// Of the inserting transaction.
    pub start_txn: u64,
}

/// Flags byte of a window with a start timestamp and a start transaction.
///
/// Source: `WT_CELL_TS_START` (0x08) and `WT_CELL_TXN_START` (0x20), src/include/cell.h at tag mongodb-8.0.0.
const FLAGS_START: u8 = 0x28;
/// Descriptor of a value cell with a second descriptor byte behind it.
const DESCRIPTOR_VALUE_SECOND: u8 = 0x8c;
/// A run length of zero, packed. Always there in a cell with a second descriptor.
const RUN_LENGTH_NONE: u8 = 0x80;

impl Window {
    /// Bytes in front of the data of a value cell with this window.
    #[must_use]
    pub fn value_header_bytes(self, value_bytes: u64) -> u32 {
        3 + cell::packed_bytes(self.start_ts)
            + cell::packed_bytes(self.start_txn)
            + cell::packed_bytes(value_bytes)
    }

    /// Appends what stands in front of the data of a value cell with this window.
    ///
    /// ```text
    ///  0x8c  flags  start_ts (9 B)  start_txn  0x80  length
    /// ```
    ///
    /// Source: `__cell_pack_value_validity` and `__wt_cell_pack_value`, `src/include/cell_inline.h` at tag
    /// mongodb-8.0.0. The length is not lessened by 64 here.
    pub fn push_value_header(self, value_bytes: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&[DESCRIPTOR_VALUE_SECOND, FLAGS_START]);
        cell::pack(self.start_ts, out);
        cell::pack(self.start_txn, out);
        out.push(RUN_LENGTH_NONE);
        cell::pack(value_bytes, out);
    }
}

/// What the address of a page says of the windows on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregate {
    oldest_start_ts: u64,
    newest_start_ts: u64,
    newest_txn: u64,
}

impl Aggregate {
    /// Of a single value.
    #[must_use]
    pub fn of(window: Window) -> Self {
        Self {
            oldest_start_ts: window.start_ts,
            newest_start_ts: window.start_ts,
            newest_txn: window.start_txn,
        }
    }

    /// Of two pages.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            oldest_start_ts: self.oldest_start_ts.min(other.oldest_start_ts),
            newest_start_ts: self.newest_start_ts.max(other.newest_start_ts),
            newest_txn: self.newest_txn.max(other.newest_txn),
        }
    }

    /// Bytes that it adds to an address cell; the flags byte is there without one.
    ///
    /// Source: `__cell_pack_addr_validity`, `src/include/cell_inline.h` at tag mongodb-8.0.0: oldest start, newest
    /// transaction, newest durable start as a difference to the oldest start.
    #[must_use]
    pub fn address_bytes(self) -> u32 {
        cell::packed_bytes(self.oldest_start_ts)
            + cell::packed_bytes(self.newest_txn)
            + cell::packed_bytes(self.newest_start_ts - self.oldest_start_ts)
    }
}

/// The windows of a load by one client: insert commands of a thousand documents, which the server cuts into
/// groups, a transaction each; every document has a timestamp of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadClock {
    group_documents: u64,
    first_txn: u64,
}

impl LoadClock {
    /// Documents of one insert command: what drivers and mongorestore send.
    pub const COMMAND_DOCUMENTS: u64 = 1000;
    /// Second in which the load begins: 2023-11-14T22:13:20Z.
    const START_SECOND: u64 = 1_700_000_000;
    /// Documents inserted a second. Only decides how often the seconds move on.
    const DOCUMENTS_PER_SECOND: u64 = 50_000;
    /// Documents that the server has inserted since it started, before this load: they decide how many bytes
    /// its transaction ids take. With 17 ids a thousand documents that is four bytes (up to a thousand million
    /// documents); a server just started writes two for its first half million and three up to four million.
    const DOCUMENTS_BEFORE: u64 = 6_000_000;

    /// On a server of this release.
    ///
    /// Documents a transaction: measured on 6.0.5 (500) and 6.0.27 (64); other lines are taken as 64.
    #[must_use]
    pub fn new(release: Release) -> Self {
        let group_documents = if release.saves_fresh_inserts() { 500 } else { 64 };
        let clock = Self { group_documents, first_txn: 0 };
        clock.starting_at(Self::DOCUMENTS_BEFORE / Self::COMMAND_DOCUMENTS * clock.command_transactions())
    }

    /// At another first transaction id.
    #[must_use]
    pub fn starting_at(self, first_txn: u64) -> Self {
        Self { first_txn, ..self }
    }

    /// Documents that one transaction inserts.
    #[must_use]
    pub fn group_documents(self) -> u64 {
        self.group_documents
    }

    /// Transactions that one insert command takes: one a group, and one of its own.
    fn command_transactions(self) -> u64 {
        Self::COMMAND_DOCUMENTS.div_ceil(self.group_documents) + 1
    }

    /// First document of the transaction that inserts the document with this ordinal.
    #[must_use]
    pub fn group_start(self, document: u64) -> u64 {
        let in_command = document % Self::COMMAND_DOCUMENTS;
        document - in_command % self.group_documents
    }

    /// The window of the document with this ordinal, counted from 0.
    #[must_use]
    pub fn window(self, document: u64) -> Window {
        let second = Self::START_SECOND + document / Self::DOCUMENTS_PER_SECOND;
        let increment = document % Self::DOCUMENTS_PER_SECOND + 1;
        let command = document / Self::COMMAND_DOCUMENTS;
        let group = document % Self::COMMAND_DOCUMENTS / self.group_documents;
        let start_txn = self.first_txn + command * self.command_transactions() + group;
        Window { start_ts: second << 32 | increment, start_txn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windowed_value_cells_match_bytes_seen_in_real_files() {
        let window = Window { start_ts: 1_700_000_000 << 32 | 1, start_txn: 179 };
        let mut out = Vec::new();
        window.push_value_header(218, &mut out);
        assert_eq!(out[..2], *b"\x8c\x28");
        assert_eq!(out[11..], *b"\xc0\x73\x80\xc0\x9a", "the length is not lessened by 64");
        assert_eq!(out.len(), window.value_header_bytes(218) as usize);
        assert_eq!(window.value_header_bytes(0), 15, "an empty value");
    }

    #[test]
    fn six_zero_twenty_seven_spends_seventeen_transactions_on_a_thousand_documents() {
        let release = |text| Release::parse(text).unwrap();
        for (server, want) in [("6.0.5", 3), ("6.0.27", 17), ("8.0", 17)] {
            let clock = LoadClock::new(release(server));
            assert_eq!(clock.window(1000).start_txn - clock.window(0).start_txn, want, "{server}");
        }
    }

    #[test]
    fn an_address_takes_fifteen_bytes_more_within_a_second() {
        let clock = LoadClock::new(Release::NEWEST);
        let page = Aggregate::of(clock.window(0)).with(Aggregate::of(clock.window(130)));
        assert_eq!(page.address_bytes(), 9 + 4 + 2);
    }
}

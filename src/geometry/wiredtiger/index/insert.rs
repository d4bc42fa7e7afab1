//! An index that is there while its documents are loaded.

use super::{
    IndexConfig, IndexPages,
    blocks::Blocks,
    leaf::{LeafWriter, Saved},
    order::OrderedEntries,
    pages::{Address, Assembly},
    pressure::{AGE_DOCUMENTS, Cache, Pressure, ROUND_DIVISOR},
    records::{LoadState, Place, Records},
    tree::{Page, PageId, Tree},
};
use crate::geometry::wiredtiger::{
    facts,
    reconcile::{self, Chunk},
    window::LoadClock,
};

/// A load of documents by one client, closed by one checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Which documents a transaction inserts, and when.
    pub clock: LoadClock,
    /// Whether time windows are written.
    pub state: LoadState,
    /// What else fills the cache; `None` if that is large enough for all of the load, and the file is exact.
    pub pressure: Option<Pressure>,
    /// Whether a unique index writes its ghosts, as a server does.
    pub ghosts: Ghosts,
}

/// The entries that an insert into a unique secondary index writes and deletes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ghosts {
    /// As a server does.
    Written,
    /// To see what they cost.
    LeftOut,
}

/// The file of an index that exists during the load.
///
/// The index begins as one leaf in memory. At four fifths of its limit the leaf moves its largest key to a new right
/// page, once: ascending keys go on there. At its limit it is written, as many small pages, by a thread that is in
/// the middle of its own transaction; what that has inserted stays in memory. The rest is written by the
/// checkpoint.
///
/// ```text
///             4 MiB: insert split           5 MiB: forced eviction               checkpoint
///  ┌──────┐ ─────────────────────► ┌──────┬─┐ ────────────► ┌──┬──┬──┬──┬─┐ ───────────────► file
///  │ leaf │  largest key moves     │ leaf │k│  images of    │  │* │  │  │k│  each changed
///  └──────┘                        └──────┴─┘  16 KiB       └──┴──┴──┴──┴─┘  page once
///                                                  * has keys that are not committed: no block yet
/// ```
///
/// Source: `__evict_force_check`, `src/btree/bt_read.c`; `__wt_leaf_page_can_split`, `src/include/btree_inline.h`;
/// `__split_insert` and `__split_multi_inmem`, `src/btree/bt_split.c`; tag mongodb-8.0.0. From 7.0 on the limit is
/// tested before the insert split, which changes nothing here: the split comes first in any case.
#[must_use]
pub fn insert_built(config: &IndexConfig, order: &OrderedEntries<'_>, load: &Load) -> IndexPages {
    let entries = order.by_rank();
    let mut index = Index::new(config, order, load);
    let mut group_start = 0;
    for entry in 0..entries.count() {
        let rank = order.rank(entry);
        let document = entries.document(rank as usize);
        if index.cache.is_some() && load.clock.group_start(document) != group_start {
            group_start = load.clock.group_start(document);
            index.evict_oldest(group_start);
        }
        if entries.has_ghosts() && load.ghosts == Ghosts::Written {
            index.insert(Place::ghost(rank), document);
        }
        index.insert(Place::entry(rank), document);
    }
    index.checkpoint()
}

struct Index<'a> {
    load: Load,
    split_thirds: u64,
    forced_thirds: u64,
    /// Whether a fresh insert counts as saved though it is written.
    saves_fresh: bool,
    records: Records<'a>,
    tree: Tree,
    blocks: Blocks,
    merged: Vec<Merged>,
    cache: Option<Cache>,
    /// Memory of all inserts that are not written yet, and of all that ever were made.
    held_thirds: u64,
    inserted_thirds: u64,
    /// Document at which pressure last took pages.
    last_round: u64,
}

/// A record of a page that is being reconciled.
#[derive(Clone, Copy, Debug)]
struct Merged {
    place: Place,
    is_fresh: bool,
}

/// A page image and what lies in its range.
struct Cut {
    merged: std::ops::Range<usize>,
    chunk: Chunk,
}

/// Whose records are not committed while a page is reconciled.
#[derive(Clone, Copy, Debug)]
enum Running {
    /// Those of documents from this one on.
    From(u64),
    Nothing,
}

impl<'a> Index<'a> {
    fn new(config: &IndexConfig, order: &'a OrderedEntries<'_>, load: &Load) -> Self {
        let windows = (load.state == LoadState::Bulk).then_some(load.clock);
        let table = config.table();
        Self {
            load: *load,
            split_thirds: 3 * table.memory_page_bytes_split(),
            forced_thirds: 3 * table.memory_page_bytes_forced(),
            saves_fresh: windows.is_some() && table.release.saves_fresh_inserts(),
            tree: Tree::new(order.len()),
            records: Records::new(config, order, windows),
            blocks: Blocks::new(table.allocation),
            merged: Vec::new(),
            cache: load.pressure.map(|pressure| Cache::new(pressure, table)),
            held_thirds: 0,
            inserted_thirds: 0,
            last_round: 0,
        }
    }

    fn insert(&mut self, place: Place, document: u64) {
        let mut at = self.tree.find(place);
        // Memory is looked at when a page is reached, before it takes the record.
        let page = self.tree.page(at);
        if page.memory_thirds >= self.split_thirds {
            if !page.has_split && page.tail_inserts >= facts::SPLIT_MEMORY_RECORDS_MIN {
                self.insert_split(at);
            } else if page.memory_thirds >= self.forced_thirds {
                self.evict(at, Running::From(self.load.clock.group_start(document)));
            }
            at = self.tree.find(place);
        }
        let memory_thirds = self.records.memory_thirds(place);
        self.held_thirds += memory_thirds;
        self.inserted_thirds += memory_thirds;
        let page = self.tree.page_mut(at);
        page.insert(place, memory_thirds);
        page.touched = document;
    }

    /// Between two groups: gives memory back if all tables together hold too much. Pages that are large come first,
    /// then those not touched for long; small pages that the last group touched are left alone. One round an insert
    /// command.
    ///
    /// Source: none; fitted on the index files of `groundtruth/indexes.json` (mongod 6.0.5 and 6.0.27).
    fn evict_oldest(&mut self, document: u64) {
        let Some(cache) = &mut self.cache else { return };
        let mut excess_thirds =
            3 * cache.excess_bytes(document, self.held_thirds / 3, self.inserted_thirds / 3);
        if excess_thirds == 0 || document < self.last_round + LoadClock::COMMAND_DOCUMENTS {
            return;
        }
        self.last_round = document;
        let mut candidates: Vec<_> = self
            .tree
            .pages()
            .filter(|(_, page)| {
                let is_in_use = page.touched + self.load.clock.group_documents() >= document;
                !page.inserts.is_empty() && (page.memory_thirds >= self.split_thirds || !is_in_use)
            })
            .map(|(at, page)| {
                let is_small = page.memory_thirds < self.split_thirds;
                (is_small, page.touched / AGE_DOCUMENTS, page.low, at)
            })
            .collect();
        candidates.sort_unstable_by_key(|(is_small, age, low, _)| (*is_small, *age, *low));
        let most = candidates.len().div_ceil(ROUND_DIVISOR);
        for (_, _, _, at) in candidates.into_iter().take(most) {
            let held = self.held_thirds;
            self.evict(at, Running::From(document));
            excess_thirds = excess_thirds.saturating_sub(held - self.held_thirds);
            if excess_thirds == 0 {
                break;
            }
        }
    }

    /// Moves the largest insert to a new right page. The left one never does this again.
    fn insert_split(&mut self, at: PageId) {
        let page = self.tree.page_mut(at);
        page.has_split = true;
        let largest = page.inserts.iter().enumerate().max_by_key(|(_, place)| **place);
        let Some((index, place)) = largest.map(|(index, place)| (index, *place)) else { return };
        page.inserts.remove(index);
        page.tail_inserts -= 1;
        let memory_thirds = self.records.memory_thirds(place);
        page.memory_thirds -= memory_thirds;
        let mut right = Page::starting_at(place, self.records.key(place).len() as u64);
        right.insert(place, memory_thirds);
        self.tree.insert_behind(at, right);
    }

    /// Writes a page and puts one page per image into its place.
    fn evict(&mut self, at: PageId, running: Running) {
        let cuts = self.reconcile(at, running);
        let merged = std::mem::take(&mut self.merged);
        let old_block = self.tree.page(at).written.map(|(_, block)| block);
        self.held_thirds -= self.tree.page(at).insert_thirds();
        let mut left = at;
        for (number, cut) in cuts.iter().enumerate() {
            let mut page = self.child(&merged, cut, running);
            self.held_thirds += page.insert_thirds();
            page.touched = self.tree.page(at).touched;
            if number == 0 {
                let old = self.tree.page(at);
                (page.low, page.key_bytes) = (old.low, old.key_bytes);
                self.tree.replace(at, page);
            } else {
                left = self.tree.insert_behind(left, page);
            }
        }
        if cuts.is_empty() {
            // Nothing but ghosts that are gone.
            let old = self.tree.page(at);
            self.tree.replace(at, Page::starting_at(old.low, old.key_bytes));
        }
        if let Some(block) = old_block {
            self.blocks.free(block);
        }
        self.merged = merged;
    }

    /// A page as its image and the updates held back make it. It has a block unless something was held back.
    fn child(&mut self, merged: &[Merged], cut: &Cut, running: Running) -> Page {
        let mut page = match cut.merged.start {
            0 => Page::starting_at(Place::FIRST, 0),
            start => {
                let (left, right) = (merged[start - 1].place, merged[start].place);
                let separator_bytes = self.records.separator_bytes(left, right);
                let low = self.records.first_behind(left, right, separator_bytes);
                Page::starting_at(low, separator_bytes as u64)
            }
        };
        let range = &merged[cut.merged.clone()];
        let held = |record: &&Merged| self.is_held_back(**record, running);
        page.image = range.iter().filter(|record| !held(record)).map(|record| record.place).collect();
        for record in range.iter().filter(held) {
            page.insert(record.place, self.records.memory_thirds(record.place));
        }
        if cut.chunk.held_back == 0 {
            let leaf = self.records.leaf(page.image.iter().copied(), &cut.chunk);
            page.written = Some((leaf, self.blocks.allocate(leaf.page.stored.0)));
        }
        page
    }

    fn is_held_back(&self, record: Merged, running: Running) -> bool {
        match running {
            Running::From(document) => record.is_fresh && self.records.document(record.place) >= document,
            Running::Nothing => false,
        }
    }

    /// What counts as saved of a record that is written.
    ///
    /// A checkpoint first counts one of a ghost's two updates: measured on mongod 6.0.5 (page lists of a unique
    /// index under an ascending load fit so to the key), cause unknown.
    fn saved(&self, record: Merged, running: Running) -> Saved {
        if !self.saves_fresh || !record.is_fresh {
            return Saved::default();
        }
        let list_bytes = self.records.saved_bytes(record.place);
        let at_checkpoint = matches!(running, Running::Nothing);
        let bytes =
            if at_checkpoint && record.place.is_ghost() { reconcile::saved_bytes(0) } else { list_bytes };
        Saved { bytes, list_bytes }
    }

    /// Cuts a page's records into images. They are in `self.merged` afterwards.
    fn reconcile(&mut self, at: PageId, running: Running) -> Vec<Cut> {
        self.merge(at, running);
        let mut writer = LeafWriter::reconciliation(&self.records.config);
        let mut cuts = Vec::new();
        let mut start = 0;
        let mut done = |chunk: Chunk| {
            let end = start + (chunk.records + chunk.held_back) as usize;
            cuts.push(Cut { merged: start..end, chunk });
            start = end;
        };
        for at in 0..self.merged.len() {
            let record = self.merged[at];
            let pushed = if self.is_held_back(record, running) {
                writer.hold_back(self.records.saved_bytes(record.place))
            } else {
                let saved = self.saved(record, running);
                self.records.write(record.place, saved, &mut writer, &mut self.blocks)
            };
            pushed.done.into_iter().for_each(&mut done);
        }
        writer.finish().into_iter().flatten().for_each(&mut done);
        cuts
    }

    /// Collects a page's records in key order. Without time windows nothing of a finished ghost is left.
    fn merge(&mut self, at: PageId, running: Running) {
        let page = self.tree.page_mut(at);
        page.inserts.sort_unstable();
        let page = self.tree.page(at);
        let mut merged = std::mem::take(&mut self.merged);
        merged.clear();
        let mut image = page.image.iter().copied().peekable();
        for place in &page.inserts {
            while let Some(place) = image.next_if(|other| other < place) {
                merged.push(Merged { place, is_fresh: false });
            }
            let record = Merged { place: *place, is_fresh: true };
            let is_gone = place.is_ghost()
                && self.load.state == LoadState::Settled
                && !self.is_held_back(record, running);
            if !is_gone {
                merged.push(record);
            }
        }
        merged.extend(image.map(|place| Merged { place, is_fresh: false }));
        self.merged = merged;
    }

    /// Writes every page that has changed, in key order, and closes the file.
    fn checkpoint(mut self) -> IndexPages {
        let mut assembly = Assembly::new(&self.records.config);
        let mut next = Some(Tree::FIRST);
        while let Some(at) = next {
            next = self.tree.next(at);
            let page = self.tree.page(at);
            let (key_bytes, written) = (page.key_bytes, page.written);
            let is_clean = page.inserts.is_empty();
            if let Some((leaf, block)) = written.filter(|_| is_clean) {
                let address = Address { key_bytes, offset: block.offset, windows: leaf.windows };
                assembly.push(leaf.page, address);
                continue;
            }
            for cut in self.reconcile(at, Running::Nothing) {
                let start = cut.merged.start;
                let separator_bytes = match start {
                    0 => key_bytes,
                    _ => self.records.separator_bytes(self.merged[start - 1].place, self.merged[start].place)
                        as u64,
                };
                let places = self.merged[cut.merged].iter().map(|record| record.place);
                let leaf = self.records.leaf(places, &cut.chunk);
                let block = self.blocks.allocate(leaf.page.stored.0);
                let address =
                    Address { key_bytes: separator_bytes, offset: block.offset, windows: leaf.windows };
                assembly.push(leaf.page, address);
            }
            if let Some((_, block)) = written {
                self.blocks.free(block);
            }
        }
        let overflow = self.records.overflow_blocks();
        assembly.finish(self.blocks, &overflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::wiredtiger::index::IndexEntries;
    use crate::geometry::wiredtiger::{Release, index::bulk_built};
    use crate::units::{DiskBytes, RawBytes};

    fn load(state: LoadState) -> Load {
        Load { clock: LoadClock::new(Release::NEWEST), state, pressure: None, ghosts: Ghosts::Written }
    }

    fn entries(count: u32, key: impl Fn(u32) -> u32) -> IndexEntries {
        let mut entries = IndexEntries::new();
        for document in 0..count {
            let id = document.to_be_bytes();
            entries.push(&[&key(document).to_be_bytes()[..], &[4], &id].concat(), 0, document);
        }
        entries
    }

    fn shuffled(document: u32) -> u32 {
        document.wrapping_mul(2_654_435_761)
    }

    #[test]
    fn an_index_without_entries_is_its_descriptor() {
        let config = IndexConfig::new(Release::NEWEST);
        let entries = IndexEntries::new();
        assert_eq!(
            insert_built(&config, &OrderedEntries::of(&entries), &load(LoadState::Bulk)).file,
            DiskBytes(4096)
        );
        assert_eq!(bulk_built(&config, &OrderedEntries::of(&entries)).file, DiskBytes(4096));
    }

    /// Below the memory limit keys are sorted once and written once, whatever their order.
    #[test]
    fn a_small_index_takes_what_a_built_one_takes() {
        let config = IndexConfig::new(Release::NEWEST);
        let entries = entries(20_000, shuffled);
        let inserted = insert_built(&config, &OrderedEntries::of(&entries), &load(LoadState::Settled));
        let built = bulk_built(&config, &OrderedEntries::of(&entries));
        assert_eq!((inserted.entries, inserted.free), (20_000, DiskBytes(0)));
        assert!(inserted.file.0.abs_diff(built.file.0) <= 4096);
    }

    /// Key of 3 B and its ghost, transaction ids of 3 bytes: `15 + k` for the ghost's value, `13 + k` for the
    /// other's. Without windows only the entry is left.
    #[test]
    fn ghosts_reach_the_disk_within_the_window_only() {
        let config = IndexConfig::new(Release::NEWEST);
        let mut entries = IndexEntries::new();
        entries.push_unique(b"\x2b\x02\x04\x00\x10", 2, 0, 0);
        let bulk = insert_built(&config, &OrderedEntries::of(&entries), &load(LoadState::Bulk));
        let [leaf] = bulk.leaves[..] else { panic!("one leaf") };
        assert_eq!(leaf.image, RawBytes(40 + (1 + 3) + (15 + 3) + (1 + 5) + (13 + 3)));
        assert_eq!((leaf.entries, leaf.cells), (2, 4));
        let settled = insert_built(&config, &OrderedEntries::of(&entries), &load(LoadState::Settled));
        let [leaf] = settled.leaves[..] else { panic!("one leaf") };
        assert_eq!((leaf.image, leaf.entries, leaf.cells), (RawBytes(40 + 6), 1, 1));
    }

    /// A cache so small that the limit is 20971 B of memory: 206 entries, of which the fourth group of 64 documents
    /// has the last. That group's stay in memory, and with them the page.
    #[test]
    fn a_page_with_keys_that_are_not_committed_gets_no_block_yet() {
        let config = IndexConfig::with_cache(Release::NEWEST, 1 << 20);
        let entries = entries(1000, shuffled);
        let order = OrderedEntries::of(&entries);
        let mut index = Index::new(&config, &order, &load(LoadState::Settled));
        let is_evicted = |index: &Index<'_>| index.tree.pages().any(|(_, page)| !page.image.is_empty());
        let mut rest = (0..1000).map(|entry| (u64::from(entry), order.rank(entry)));
        let evicted_by = rest.by_ref().find(|(document, rank)| {
            index.insert(Place::entry(*rank), *document);
            is_evicted(&index)
        });
        let (document, _) = evicted_by.unwrap();
        assert!((193..256).contains(&document), "{document}");
        let page = index.tree.page(Tree::FIRST);
        assert!(page.written.is_none());
        assert_eq!(index.blocks.end(), DiskBytes(4096));
        // The largest key went to the right page by an insert split.
        assert_eq!((page.image.len(), page.inserts.len() as u64), (191, document - 192 + 1));
        for (document, rank) in rest {
            index.insert(Place::entry(rank), document);
        }
        let pages = index.checkpoint();
        assert_eq!(pages.entries, 1000);
        pages.assert_complete();
    }

    /// Ascending keys make full pages and one odd pair a segment.
    #[test]
    fn ascending_keys_fill_their_pages() {
        let config = IndexConfig::new(Release::NEWEST);
        let ascending = insert_built(
            &config,
            &OrderedEntries::of(&entries(200_000, |document| document)),
            &load(LoadState::Settled),
        );
        let full = ascending.leaves.iter().filter(|leaf| leaf.image.0 > 14_700).count();
        assert!(full + 2 * 5 >= ascending.leaves.len(), "{full} of {} full", ascending.leaves.len());
        assert_eq!(ascending.free, DiskBytes(0));
    }

    /// Pages that are written early grow past their size later and are split one by one.
    #[test]
    fn pressure_writes_pages_early() {
        let config = IndexConfig::with_cache(Release::NEWEST, 256 << 20);
        let entries = entries(100_000, shuffled);
        let plain = load(LoadState::Settled);
        let pressure = Pressure { appended_bytes_per_document: 500, index_bytes_per_document: 300 };
        let calm = insert_built(&config, &OrderedEntries::of(&entries), &plain);
        let pressed =
            insert_built(&config, &OrderedEntries::of(&entries), &Load { pressure: Some(pressure), ..plain });
        assert_ne!(calm.file, pressed.file);
        assert!(pressed.file.0.abs_diff(calm.file.0) < calm.file.0 / 5);
        pressed.assert_complete();
    }
}

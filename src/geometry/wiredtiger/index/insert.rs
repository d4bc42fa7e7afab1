//! An index that is there while its documents are loaded.

use super::{
    IndexConfig, IndexEntries, IndexPages,
    blocks::Blocks,
    leaf::{LeafWriter, Saved},
    order::Order,
    pages::{Address, Assembly},
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
pub fn insert_built(config: &IndexConfig, entries: &IndexEntries, load: &Load) -> IndexPages {
    let order = Order::of(entries);
    let ranks = order.ranks();
    let mut index = Index::new(config, order, load);
    for (entry, rank) in ranks.into_iter().enumerate() {
        let document = entries.document(entry);
        if entries.has_ghosts() {
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
    fn new(config: &IndexConfig, order: Order<'a>, load: &Load) -> Self {
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
        self.tree.page_mut(at).insert(place, memory_thirds);
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
        let mut left = at;
        for (number, cut) in cuts.iter().enumerate() {
            let mut page = self.child(&merged, cut, running);
            if number == 0 {
                let old = self.tree.page(at);
                (page.low, page.key_bytes) = (old.low, old.key_bytes);
                self.tree.replace(at, page);
            } else {
                left = self.tree.insert_behind(left, page);
            }
        }
        if let Some(block) = old_block.filter(|_| !cuts.is_empty()) {
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

//! The in-memory leaves of an index under load, in key order.

use super::{
    blocks::Extent,
    records::{Leaf, Place},
};
use crate::geometry::wiredtiger::facts;

/// Number of a page in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageId(u32);

impl PageId {
    const NONE: Self = Self(u32::MAX);
}

/// A leaf in memory: what it was read with, and what was inserted since.
#[derive(Clone, Debug)]
pub(super) struct Page {
    /// The first place that belongs to it.
    pub(super) low: Place,
    /// Bytes of the key that its parent holds for it.
    pub(super) key_bytes: u64,
    /// Sorted.
    pub(super) image: Vec<Place>,
    /// In the order of their coming.
    pub(super) inserts: Vec<Place>,
    /// Inserts behind the last record of the image.
    pub(super) tail_inserts: u32,
    /// Of its inserts.
    pub(super) memory_thirds: u64,
    /// Whether an insert split made it or left it behind.
    pub(super) has_split: bool,
    /// Where its image lies, if it has been written.
    pub(super) written: Option<(Leaf, Extent)>,
    next: PageId,
}

impl Page {
    /// Without records, from this place on.
    pub(super) fn starting_at(low: Place, key_bytes: u64) -> Self {
        Self {
            low,
            key_bytes,
            image: Vec::new(),
            inserts: Vec::new(),
            tail_inserts: 0,
            memory_thirds: 3 * facts::EMPTY_LEAF_MEMORY_BYTES,
            has_split: false,
            written: None,
            next: PageId::NONE,
        }
    }

    pub(super) fn insert(&mut self, place: Place, memory_thirds: u64) {
        self.tail_inserts += u32::from(self.image.last().is_none_or(|last| place > *last));
        self.inserts.push(place);
        self.memory_thirds += memory_thirds;
    }
}

/// Finds pages by place. A directory names the page of every 128th place; from there it is a few steps.
#[derive(Debug)]
pub(super) struct Tree {
    pages: Vec<Page>,
    directory: Vec<PageId>,
    places_end: u32,
}

const DIRECTORY_SHIFT: u32 = 7;

impl Tree {
    /// One empty page for all places of that many entries.
    pub(super) fn new(entries: usize) -> Self {
        let places_end = u32::try_from(2 * entries).expect("entries are counted in 31 bits");
        Self {
            pages: vec![Page::starting_at(Place::FIRST, 0)],
            directory: vec![PageId(0); (places_end >> DIRECTORY_SHIFT) as usize + 1],
            places_end,
        }
    }

    pub(super) fn page(&self, id: PageId) -> &Page {
        &self.pages[id.0 as usize]
    }

    pub(super) fn page_mut(&mut self, id: PageId) -> &mut Page {
        &mut self.pages[id.0 as usize]
    }

    /// The page that a place belongs to.
    pub(super) fn find(&self, place: Place) -> PageId {
        let mut at = self.directory[(place.0 >> DIRECTORY_SHIFT) as usize];
        loop {
            let next = self.page(at).next;
            if next == PageId::NONE || self.page(next).low > place {
                return at;
            }
            at = next;
        }
    }

    /// The page with the lowest places.
    pub(super) const FIRST: PageId = PageId(0);

    pub(super) fn next(&self, id: PageId) -> Option<PageId> {
        let next = self.page(id).next;
        (next != PageId::NONE).then_some(next)
    }

    /// Puts a page behind another one, of whose places it takes the upper part.
    pub(super) fn insert_behind(&mut self, left: PageId, page: Page) -> PageId {
        let id = PageId(u32::try_from(self.pages.len()).expect("fewer pages than entries"));
        let next = self.page(left).next;
        let end = if next == PageId::NONE { self.places_end } else { self.page(next).low.0 };
        let first_slot = page.low.0.div_ceil(1 << DIRECTORY_SHIFT) as usize;
        let end_slot = end.div_ceil(1 << DIRECTORY_SHIFT) as usize;
        let end_slot = end_slot.min(self.directory.len());
        if first_slot < end_slot {
            self.directory[first_slot..end_slot].fill(id);
        }
        self.pages.push(Page { next, ..page });
        self.page_mut(left).next = id;
        id
    }

    /// Puts a page's successor into its place.
    pub(super) fn replace(&mut self, id: PageId, page: Page) {
        let next = self.page(id).next;
        *self.page_mut(id) = Page { next, ..page };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_found_on_the_last_page_that_begins_before_it() {
        let mut tree = Tree::new(1000);
        let mut lows = vec![0];
        for (left, low) in [(0, 1024), (0, 300), (1024, 1500), (300, 301), (1500, 1999), (0, 1)] {
            let left = tree.find(Place(left));
            tree.insert_behind(left, Page::starting_at(Place(low), 0));
            lows.push(low);
        }
        for place in 0..2000 {
            let want = lows.iter().copied().filter(|low| *low <= place).max();
            assert_eq!(Some(tree.page(tree.find(Place(place))).low.0), want, "{place}");
        }
    }
}

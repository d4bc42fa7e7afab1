//! A table's file: which page each allocation gets, and how far the file grows ahead of its use.
//!
//! Source: fsp/fsp0fsp.cc of `MariaDB` 10.11 (`fseg_alloc_free_page_low`, `fsp_reserve_free_extents`,
//! `fsp_fill_free_list`, `fsp_try_extend_data_file`); file sizes measured on 42 tables.

use super::facts::{EXTENT_PAGES, FRAGMENT_PAGES};
use std::collections::{BTreeMap, BTreeSet};

/// Extents that a free list gets at once. Source: `FSP_FREE_ADD`, include/fsp0fsp.h.
const FREE_ADD_EXTENTS: usize = 4;
/// A segment opens a new extent while fewer than this share, and fewer than so many, of its pages are free.
///
/// Source: `FSEG_FILLFACTOR`, include/fsp0fsp.h; the second measured.
const FILL_FACTOR: u64 = 8;
const FREE_PAGES_ENOUGH: u64 = 256;
/// Pages of a new file: space header, change-buffer bitmap, inodes, root.
const FIRST_PAGES: u64 = 4;
const ALL_PAGES: u64 = u64::MAX;

/// Why a page is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Keys go up: the page after the one that was split.
    LeafSplit,
    /// Part of a document.
    Lob,
}

/// The file of one table: its leaves and documents' pages share a segment.
#[derive(Clone, Debug)]
pub struct Space {
    page_bytes: u64,
    size_pages: u64,
    /// Extents below are on a list or in use.
    limit_pages: u64,
    /// Extents that belong to nobody.
    free: BTreeSet<u64>,
    /// Single pages: those used in each extent that is handed out page by page.
    fragments: BTreeMap<u64, u64>,
    segment: Segment,
}

#[derive(Clone, Debug, Default)]
struct Segment {
    used_pages: u64,
    fragment_pages: u64,
    full_extents: u64,
    /// Extents that are not full, as bits of the pages used.
    open: BTreeMap<u64, u64>,
}

impl Segment {
    fn reserved_pages(&self) -> u64 {
        self.fragment_pages + (self.full_extents + self.open.len() as u64) * EXTENT_PAGES
    }

    fn wants_extent(&self) -> bool {
        let reserved = self.reserved_pages();
        let free = reserved - self.used_pages;
        self.used_pages >= FRAGMENT_PAGES && free < reserved / FILL_FACTOR && free < FREE_PAGES_ENOUGH
    }

    fn take(&mut self, page: u64) -> u64 {
        let extent = page / EXTENT_PAGES;
        let pages = self.open.entry(extent).or_default();
        *pages |= bit(page);
        if *pages == ALL_PAGES {
            self.open.remove(&extent);
            self.full_extents += 1;
        }
        self.used_pages += 1;
        page
    }

    fn is_free(&self, page: u64) -> bool {
        self.open.get(&(page / EXTENT_PAGES)).is_some_and(|pages| pages & bit(page) == 0)
    }
}

fn bit(page: u64) -> u64 {
    1 << (page % EXTENT_PAGES)
}

/// The first free page of an extent, from `hint` upwards and then from its start.
fn first_free(extent: u64, pages: u64, hint: u64) -> u64 {
    let start = hint % EXTENT_PAGES;
    let from_hint = !pages >> start;
    let place = if from_hint == 0 { (!pages).trailing_zeros() } else { from_hint.trailing_zeros() };
    let base = if from_hint == 0 { 0 } else { start };
    extent * EXTENT_PAGES + base + u64::from(place)
}

impl Space {
    /// A new table's, whose pages take `page_bytes` in the file.
    #[must_use]
    pub fn new(page_bytes: u64) -> Self {
        let first_extent = (1 << FIRST_PAGES) - 1;
        Self {
            page_bytes,
            size_pages: FIRST_PAGES,
            limit_pages: EXTENT_PAGES,
            free: BTreeSet::new(),
            fragments: BTreeMap::from([(0, first_extent)]),
            segment: Segment::default(),
        }
    }

    /// Bytes of the file.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.size_pages * self.page_bytes
    }

    /// Bytes of a page in the file.
    #[must_use]
    pub fn page_bytes(&self) -> u64 {
        self.page_bytes
    }

    /// A page for a leaf or a part of a document, if possible `hint`.
    pub fn allocate(&mut self, used_for: Use, hint: u64) -> u64 {
        self.reserve(used_for);
        self.segment_page(used_for, hint)
    }

    /// A page for the levels above the leaves, which have a segment of their own and few pages.
    pub fn allocate_node(&mut self) -> u64 {
        self.fragment(0)
    }

    fn segment_page(&mut self, used_for: Use, hint: u64) -> u64 {
        let hint = if hint < self.limit_pages.max(self.size_pages.min(EXTENT_PAGES)) { hint } else { 0 };
        let extent = hint / EXTENT_PAGES;
        if self.segment.is_free(hint) {
            return self.segment.take(hint);
        }
        if let Some(pages) = self.segment.open.get(&extent) {
            let page = first_free(extent, *pages, hint);
            return self.segment.take(page);
        }
        if self.segment.wants_extent() && self.free.remove(&extent) {
            self.segment.open.insert(extent, 0);
            return self.segment.take(hint);
        }
        if used_for == Use::LeafSplit && self.segment.wants_extent() {
            return self.page_of_new_extent();
        }
        if let Some((extent, pages)) = self.first_open() {
            return self.segment.take(first_free(extent, pages, 0));
        }
        if self.segment.used_pages < FRAGMENT_PAGES {
            self.segment.used_pages += 1;
            self.segment.fragment_pages += 1;
            return self.fragment(hint);
        }
        self.page_of_new_extent()
    }

    /// Extents that are begun come before those that are not.
    fn first_open(&self) -> Option<(u64, u64)> {
        let open = &self.segment.open;
        let begun = open.iter().find(|(_, pages)| **pages != 0).or_else(|| open.iter().next());
        begun.map(|(extent, pages)| (*extent, *pages))
    }

    fn page_of_new_extent(&mut self) -> u64 {
        let unused = self.segment.open.iter().find(|(_, pages)| **pages == 0).map(|(extent, _)| *extent);
        let extent = unused.unwrap_or_else(|| {
            let extent = self.free_extent();
            self.segment.open.insert(extent, 0);
            extent
        });
        self.segment.take(extent * EXTENT_PAGES)
    }

    fn free_extent(&mut self) -> u64 {
        if self.free.is_empty() {
            self.fill_free_list();
        }
        self.free.pop_first().expect("a reservation left extents free")
    }

    /// A single page, near `hint`.
    fn fragment(&mut self, hint: u64) -> u64 {
        let extent = hint / EXTENT_PAGES;
        let near = self.fragments.contains_key(&extent).then_some(extent);
        let extent = near.or_else(|| self.fragments.keys().next().copied()).unwrap_or_else(|| {
            self.reserve(Use::Lob);
            let extent = self.free_extent();
            self.fragments.insert(extent, 0);
            extent
        });
        let pages = self.fragments.get_mut(&extent).expect("just found");
        let page = first_free(extent, *pages, hint % EXTENT_PAGES);
        *pages |= bit(page);
        if *pages == ALL_PAGES {
            self.fragments.remove(&extent);
        }
        self.size_pages = self.size_pages.max(page + 1);
        page
    }

    /// Before a change: enough extents that nobody owns, or the file grows.
    fn reserve(&mut self, used_for: Use) {
        if self.size_pages < EXTENT_PAGES {
            // Small files grow by pages.
            let used = u64::from(self.fragments.get(&0).map_or(64, |pages| pages.count_ones()));
            let wanted = used + if used_for == Use::LeafSplit { 2 } else { 1 };
            self.size_pages = self.size_pages.max(wanted);
            return;
        }
        loop {
            let extents = self.size_pages / EXTENT_PAGES;
            let wanted = match used_for {
                Use::LeafSplit => 2 + extents * 2 / 200 + 3,
                Use::Lob => 1,
            };
            if self.free_extents() > wanted {
                return;
            }
            self.extend();
        }
    }

    fn free_extents(&self) -> u64 {
        let above = (self.size_pages.saturating_sub(self.limit_pages) / EXTENT_PAGES).saturating_sub(1);
        let described = self.page_bytes / EXTENT_PAGES;
        self.free.len() as u64 + above - above / described
    }

    /// By a megabyte, later by four.
    fn extend(&mut self) {
        let megabyte = (1 << 20) / self.page_bytes;
        let size = self.size_pages.max(megabyte);
        let is_large = size >= (32 * megabyte).min(self.page_bytes);
        let step = if is_large { 4 * megabyte } else { megabyte };
        self.size_pages = (size + step) / megabyte * megabyte;
    }

    fn fill_free_list(&mut self) {
        if self.size_pages < self.limit_pages + EXTENT_PAGES * FREE_ADD_EXTENTS as u64 {
            self.extend();
        }
        while self.limit_pages + EXTENT_PAGES <= self.size_pages && self.free.len() < FREE_ADD_EXTENTS {
            let extent = self.limit_pages / EXTENT_PAGES;
            if self.limit_pages.is_multiple_of(self.page_bytes) {
                // Its first two pages describe the extents that follow.
                self.fragments.insert(extent, 0b11);
            } else {
                self.free.insert(extent);
            }
            self.limit_pages += EXTENT_PAGES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leaves in order, without documents off the page: file sizes that were measured.
    #[test]
    fn files_of_leaves_in_order_have_the_measured_sizes() {
        for (leaves, want_bytes) in
            [(1428, 31_457_280), (2431, 50_331_648), (2418, 50_331_648), (1668, 37_748_736)]
        {
            let mut space = Space::new(16_384);
            let mut page = 0;
            for _ in 0..leaves {
                page = space.allocate(Use::LeafSplit, page + 1);
            }
            assert_eq!(space.file_bytes(), want_bytes, "{leaves}");
        }
    }

    #[test]
    fn small_files_grow_by_pages() {
        let mut space = Space::new(16_384);
        space.allocate(Use::LeafSplit, 4);
        let page = space.allocate(Use::LeafSplit, 5);
        assert_eq!((page, space.file_bytes()), (5, 7 * 16_384));
    }

    #[test]
    fn no_page_is_given_twice() {
        for page_bytes in [1024, 4096, 16_384] {
            let mut space = Space::new(page_bytes);
            let (mut seen, mut leaf) = (BTreeSet::new(), 4);
            for round in 0..6000_u64 {
                leaf = space.allocate(Use::LeafSplit, leaf + 1);
                assert!(seen.insert(leaf), "leaf {leaf}");
                let mut lob = leaf;
                for _ in 0..round % 4 {
                    lob = space.allocate(Use::Lob, lob + 1);
                    assert!(seen.insert(lob), "part {lob}");
                }
                if round % 900 == 0 {
                    assert!(seen.insert(space.allocate_node()));
                }
            }
            assert!(seen.iter().all(|page| (4..space.size_pages).contains(page)));
        }
    }
}

//! The image size from page to page, in bounded memory.

/// Points that a walk keeps at most.
pub const IMAGE_WALK_POINTS_MAX: usize = 10_000;

/// The size before compression that a table aims at, after each page or after every so many.
///
/// Once there are too many points every second one goes, so that a walk of any length fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageWalk {
    bytes: Vec<u32>,
    pages_per_point: u64,
    pages: u64,
}

impl Default for ImageWalk {
    fn default() -> Self {
        Self { bytes: Vec::new(), pages_per_point: 1, pages: 0 }
    }
}

impl ImageWalk {
    /// A page was written, and the size is now `bytes`.
    pub fn push(&mut self, bytes: u32) {
        if self.pages.is_multiple_of(self.pages_per_point) {
            if self.bytes.len() == IMAGE_WALK_POINTS_MAX {
                let mut number = 0_usize;
                self.bytes.retain(|_| {
                    number += 1;
                    number % 2 == 1
                });
                self.pages_per_point *= 2;
            }
            // The point that would have been next may not be one any more.
            if self.pages.is_multiple_of(self.pages_per_point) {
                self.bytes.push(bytes);
            }
        }
        self.pages += 1;
    }

    /// Sizes in bytes, [`IMAGE_WALK_POINTS_MAX`] at most; the first is that after the first page.
    #[must_use]
    pub fn bytes(&self) -> &[u32] {
        &self.bytes
    }

    /// Pages from one point to the next.
    #[must_use]
    pub fn pages_per_point(&self) -> u64 {
        self.pages_per_point
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_of_any_length_keeps_even_points_and_bounded_memory() {
        for (pages, points, step) in [
            (0, 0, 1),
            (1, 1, 1),
            (10_000, 10_000, 1),
            (10_001, 5001, 2),
            (20_000, 10_000, 2),
            (45_000, 5625, 8),
        ] {
            let mut walk = ImageWalk::default();
            (0..pages).for_each(|page| walk.push(page));
            assert_eq!((walk.bytes().len(), walk.pages_per_point()), (points, step), "{pages} pages");
            let even =
                walk.bytes().iter().enumerate().all(|(at, bytes)| u64::from(*bytes) == at as u64 * step);
            assert!(even, "{pages} pages");
        }
    }
}

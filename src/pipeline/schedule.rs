//! In which order segments see each other's feedback, and what another order would have stored.
//!
//! A server's threads share one image size per table. A reconciliation reads it once, at its start, and
//! moves it with every block it writes; so what a segment becomes depends on how far the ones before it
//! have got. The run itself follows the *sequential* order, exactly. Here the same segments are followed
//! through other orders, on page outcomes that are exact where the run has met them and estimated from a
//! few packed pages elsewhere.

use super::outcome::{PageOutcome, Pages};
use crate::geometry::wiredtiger::feedback::ImageSize;
use std::sync::Arc;

/// Reconciliations per fill time, in tenths: how long packing a segment takes, measured in the time that
/// filling the next one takes. A segment starts to be packed when it is full, whatever the others do.
///
/// 1.0 and less is the sequential order. Measured loads lie between; see docs/METHOD.md.
const OVERLAPS_TENTHS: [u64; 3] = [12, 16, 22];

/// One order of reconciliations, followed along the run.
#[derive(Clone, Debug)]
pub struct Lane {
    kind: LaneKind,
    size: ImageSize,
    /// Image bytes filled so far: the clock.
    filled: u64,
    running: Vec<Running>,
    stored: u64,
    leaves: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaneKind {
    /// Each segment starts when it is full and takes so many tenths of its fill time.
    Overlapping { tenths: u64 },
    /// One after the other, but a checkpoint came when the first segment was half full, and its blocks
    /// had moved the image size before the first segment was written for good.
    EarlyCheckpoint,
}

#[derive(Clone, Debug)]
struct Running {
    pages: Arc<Pages>,
    next: usize,
    next_at: u64,
}

impl Lane {
    /// The lanes that a band is made of.
    #[must_use]
    pub fn ensemble(size: ImageSize) -> Vec<Self> {
        let overlapping = OVERLAPS_TENTHS.map(|tenths| LaneKind::Overlapping { tenths });
        overlapping
            .into_iter()
            .chain([LaneKind::EarlyCheckpoint])
            .map(|kind| Self { kind, size, filled: 0, running: Vec::new(), stored: 0, leaves: 0 })
            .collect()
    }

    /// A segment of `image_bytes` has been filled. Returns the image size at which it is cut.
    ///
    /// `main` is what the sequential order made of the same segment.
    pub fn segment_filled(&mut self, image_bytes: u64, main: &Pages) -> ImageSize {
        match self.kind {
            LaneKind::Overlapping { .. } => {
                self.filled += image_bytes;
                self.run_until(self.filled);
            }
            LaneKind::EarlyCheckpoint => {
                self.run_until(u64::MAX);
                if self.leaves == 0 {
                    let half = &main.pages()[..main.pages().len() / 2];
                    self.size = half.iter().fold(self.size, |size, page| page.moves(size));
                }
            }
        }
        self.size
    }

    /// Starts to write the segment that was filled last.
    pub fn start(&mut self, pages: Arc<Pages>) {
        let Some(first) = pages.pages().first() else { return };
        let next_at = self.filled + self.duration(first);
        self.running.push(Running { pages, next: 0, next_at });
    }

    fn duration(&self, page: &PageOutcome) -> u64 {
        match self.kind {
            LaneKind::Overlapping { tenths } => page.image_bytes * tenths / 10,
            LaneKind::EarlyCheckpoint => page.image_bytes,
        }
    }

    fn run_until(&mut self, clock: u64) {
        loop {
            // The first of equals: the one that was filled first.
            let next = self.running.iter().enumerate().min_by_key(|(_, running)| running.next_at);
            let Some((index, next_at)) = next.map(|(index, running)| (index, running.next_at)) else {
                return;
            };
            if next_at > clock {
                return;
            }
            let running = &mut self.running[index];
            let page = running.pages.pages()[running.next];
            self.size = page.moves(self.size);
            self.stored += page.stored_bytes;
            self.leaves += 1;
            running.next += 1;
            match running.pages.pages().get(running.next).copied() {
                Some(following) => {
                    let duration = self.duration(&following);
                    self.running[index].next_at += duration;
                }
                None => drop(self.running.remove(index)),
            }
        }
    }

    /// Leaf block bytes and leaf pages once everything is written.
    #[must_use]
    pub fn finish(mut self) -> (u64, u64) {
        self.run_until(u64::MAX);
        (self.stored, self.leaves)
    }
}

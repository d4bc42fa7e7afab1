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

#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// The same in the midst of a run, where nothing is known of it but its image size.
    #[must_use]
    pub fn ensemble_within(size: ImageSize) -> Vec<Self> {
        let mut lanes = Self::ensemble(size);
        for lane in &mut lanes {
            lane.leaves = 1; // the first segment is written
        }
        lanes
    }

    /// Whether both go on alike, whatever they stored so far.
    #[must_use]
    pub fn goes_on_as(&self, other: &Self) -> bool {
        let begun = |lane: &Self| lane.leaves > 0;
        (self.kind, self.size, self.filled, begun(self))
            == (other.kind, other.size, other.filled, begun(other))
            && self.running == other.running
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::wiredtiger::{Release, TableConfig};

    const START_BYTES: u32 = 131_072;
    const STEP_BYTES: u32 = 3276;

    fn start() -> ImageSize {
        ImageSize::new(&TableConfig::collection(Release::NEWEST), true)
    }

    fn lane(kind: LaneKind) -> Lane {
        Lane { kind, size: start(), filled: 0, running: Vec::new(), stored: 0, leaves: 0 }
    }

    /// A segment of `count` pages of 100 kB, each of which moves the image size down by one step.
    fn large(count: usize) -> Arc<Pages> {
        let page = |index| PageOutcome {
            image_bytes: 100_000,
            packed_bytes: Some(40_000),
            stored_bytes: 40_960,
            last: index + 1 == count,
        };
        Arc::new(Pages::new((0..count).map(page).collect()))
    }

    /// Image sizes at which a lane cuts `segments` equal segments of `pages` pages, and what it stored.
    fn sizes(mut lane: Lane, segments: usize, pages: usize) -> (Vec<u32>, (u64, u64)) {
        let made = large(pages);
        let sizes = (0..segments)
            .map(|_| {
                let size = lane.segment_filled(100_000 * pages as u64, &made).bytes();
                lane.start(Arc::clone(&made));
                size
            })
            .collect();
        (sizes, lane.finish())
    }

    fn after(steps: u32) -> u32 {
        START_BYTES - steps * STEP_BYTES
    }

    /// Ten tenths: a segment is written while the next one is filled and is done when that one is full.
    #[test]
    fn a_lane_without_overlap_is_the_sequential_order() {
        let (sizes, written) = sizes(lane(LaneKind::Overlapping { tenths: 10 }), 4, 5);
        assert_eq!(sizes, [after(0), after(5), after(10), after(15)]);
        assert_eq!(written, (20 * 40_960, 20));
    }

    /// Twenty tenths: half of the segment before is written when the next one is cut, and then two at a time.
    #[test]
    fn an_overlapping_start_reads_the_size_before_earlier_segments_have_moved_it() {
        let (overlapping, written) = sizes(lane(LaneKind::Overlapping { tenths: 20 }), 4, 4);
        assert_eq!(overlapping, [after(0), after(2), after(6), after(10)]);
        assert_eq!(written, (16 * 40_960, 16), "everything is written in the end");
        let (sequential, _) = sizes(lane(LaneKind::Overlapping { tenths: 10 }), 4, 4);
        assert!(overlapping[1..].iter().zip(&sequential[1..]).all(|(late, early)| late > early));
    }

    /// Equal moments are settled by the order of filling, so that a run is the same each time.
    #[test]
    fn pages_that_end_at_the_same_moment_are_written_in_the_order_of_filling() {
        let mut lane = lane(LaneKind::Overlapping { tenths: 20 });
        let page = |packed_bytes| PageOutcome {
            image_bytes: 100_000,
            packed_bytes: Some(packed_bytes),
            stored_bytes: 40_960,
            last: false,
        };
        // At the largest size a small block moves nothing and a large one leads down by one step; in the
        // other order the small one would take that step back.
        lane.start(Arc::new(Pages::new(vec![page(1000)])));
        lane.start(Arc::new(Pages::new(vec![page(40_000)])));
        assert_eq!(lane.segment_filled(200_000, &Pages::default()).bytes(), after(1));
        assert!(lane.running.is_empty());
    }

    #[test]
    fn an_early_checkpoint_makes_the_first_segment_start_lower_and_the_rest_follow() {
        let (sizes, written) = sizes(lane(LaneKind::EarlyCheckpoint), 3, 5);
        assert_eq!(sizes, [after(2), after(7), after(12)], "two of five pages are half of the segment");
        assert_eq!(written, (15 * 40_960, 15), "the checkpoint's blocks are freed, not stored twice");
    }

    /// The slowest lane takes 2.2 fill times a segment, so it holds the pages of three, however long the load is.
    #[test]
    fn a_lane_holds_three_segments_at_most() {
        for kind in OVERLAPS_TENTHS.map(|tenths| LaneKind::Overlapping { tenths }) {
            let (mut lane, made) = (lane(kind), large(20));
            for _ in 0..1000 {
                lane.segment_filled(2_000_000, &made);
                lane.start(Arc::clone(&made));
                assert!(lane.running.len() <= 3, "{kind:?}: {} segments", lane.running.len());
            }
        }
    }

    #[test]
    fn a_segment_without_pages_starts_nothing() {
        let mut lane = lane(LaneKind::EarlyCheckpoint);
        assert_eq!(lane.segment_filled(0, &Pages::default()), start());
        lane.start(Arc::new(Pages::default()));
        assert_eq!(lane.finish(), (0, 0));
    }

    #[test]
    fn a_band_is_made_of_three_overlaps_and_a_checkpoint() {
        let kinds: Vec<LaneKind> = Lane::ensemble(start()).iter().map(|lane| lane.kind).collect();
        let overlapping = |tenths| LaneKind::Overlapping { tenths };
        assert_eq!(kinds, [overlapping(12), overlapping(16), overlapping(22), LaneKind::EarlyCheckpoint]);
    }
}

//! The collection that a sample stands for: its segments, as pieces of stretches.

use super::runs::Sample;
use crate::geometry::wiredtiger::{
    TableConfig,
    segment::{MemoryPage, entry_thirds},
};
use crate::units::scaled;

/// Segments that are followed one by one; a collection of more is followed in so many, each of which stands for
/// several. Some 250 GB of documents.
const SEGMENTS_MAX: u64 = 1 << 15;

/// Neighbouring records of one stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Position of the stretch.
    pub stretch: usize,
    /// Its first record, counted from the stretch's first.
    pub first: u64,
    /// Records in it.
    pub records: u64,
}

/// What of the collection is given, apart from its sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// The bytes of the input.
    ToBytes,
    /// A number of documents.
    ToDocuments,
}

/// The segments of a collection, of which each stands for `times`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretched {
    /// In key order.
    pub segments: Vec<Vec<Piece>>,
    /// How many each stands for.
    pub times: u64,
    /// Documents of the whole collection.
    pub documents: u64,
    /// BSON bytes and documents of each stretch, for another run that stands for it; empty where their numbers, not
    /// their bytes, are given.
    lengths: Vec<(u64, u64)>,
}

impl Stretched {
    /// The collection behind `sample`, with `documents` documents.
    pub fn new(sample: &Sample, documents: u64, scaling: Scaling, table: &TableConfig) -> Self {
        let known = u128::from(sample.documents().max(1));
        let mut carried = 0;
        let counts: Vec<u64> = sample
            .stretches
            .iter()
            .map(|stretch| {
                // What is rounded off goes to the next stretch, so that the sum is right.
                let share = u128::from(stretch.documents) * u128::from(documents) + carried;
                carried = share % known;
                u64::try_from(share / known).unwrap_or(u64::MAX)
            })
            .collect();
        let room: Vec<u64> =
            sample.stretches.iter().map(|stretch| records_of_a_segment(sample, stretch.run, table)).collect();
        let segments: u64 = counts.iter().zip(&room).map(|(records, room)| records / room).sum();
        let times = segments.div_ceil(SEGMENTS_MAX).max(1);
        let counts: Vec<u64> = counts.iter().map(|records| records.div_ceil(times)).collect();
        let lengths = match scaling {
            Scaling::ToBytes => {
                sample.stretches.iter().map(|stretch| (stretch.bson_bytes, stretch.documents)).collect()
            }
            Scaling::ToDocuments => Vec::new(),
        };
        Self { segments: cut(&counts, &room), times, documents, lengths }
    }

    /// Records of a piece, were its bytes made of the documents of `stretch`.
    pub fn records_of(&self, piece: &Piece, stretch: usize) -> u64 {
        let lengths = self.lengths.get(piece.stretch).zip(self.lengths.get(stretch));
        let Some(((own_bytes, own), (other_bytes, other))) = lengths else { return piece.records };
        let records = u128::from(piece.records) * u128::from(*own_bytes) * u128::from(*other)
            / (u128::from(*own).max(1) * u128::from(*other_bytes).max(1));
        u64::try_from(records).unwrap_or(u64::MAX).max(1)
    }
}

fn records_of_a_segment(sample: &Sample, run: usize, table: &TableConfig) -> u64 {
    let segment = &sample.runs[run].segment;
    let records = segment.records();
    let thirds: u64 = (0..records)
        .map(|index| entry_thirds(segment.record_id(index), segment.document(index).len() as u64))
        .sum();
    MemoryPage::records_of(table, thirds.div_ceil(records.max(1) as u64))
}

/// Segments of stretches of so many records each, where a segment takes `room` records of a stretch.
fn cut(counts: &[u64], room: &[u64]) -> Vec<Vec<Piece>> {
    /// A whole segment.
    const WHOLE: u64 = 1 << 32;
    let mut segments = Vec::new();
    let (mut segment, mut free) = (Vec::new(), WHOLE);
    for (stretch, (records, room)) in counts.iter().zip(room).enumerate() {
        let share = |records: u64| scaled(records, WHOLE, *room);
        let mut first = 0;
        while first < *records {
            let fit = scaled(free, *room, WHOLE);
            let taken = fit.clamp(1, records - first);
            segment.push(Piece { stretch, first, records: taken });
            first += taken;
            free = free.saturating_sub(share(taken));
            if taken >= fit {
                segments.push(std::mem::take(&mut segment));
                free = WHOLE;
            }
        }
    }
    if !segment.is_empty() {
        segments.push(segment);
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(counts: &[u64], room: &[u64]) -> Vec<Vec<(usize, u64, u64)>> {
        let whole = |piece: &Piece| (piece.stretch, piece.first, piece.records);
        cut(counts, room).iter().map(|segment| segment.iter().map(whole).collect()).collect()
    }

    #[test]
    fn segments_run_across_stretches_and_a_stretch_across_segments() {
        assert_eq!(
            pieces(&[50, 250, 10], &[100, 100, 100]),
            [vec![(0, 0, 50), (1, 0, 50)], vec![(1, 50, 100)], vec![(1, 150, 100),], vec![(2, 0, 10)]]
        );
        // Half a segment of small records leaves room for half as many large ones as a segment has.
        assert_eq!(pieces(&[50, 7], &[100, 10]), [vec![(0, 0, 50), (1, 0, 5)], vec![(1, 5, 2)]]);
        assert_eq!(pieces(&[3], &[1]), [vec![(0, 0, 1)], vec![(0, 1, 1)], vec![(0, 2, 1)]]);
        assert!(pieces(&[0], &[1]).is_empty());
    }
}

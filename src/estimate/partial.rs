//! What one part of a collection says, so that all parts together give the figures of a run over the whole.

use super::{CodecName, IndexNotPredicted, LoadState, ModelFacts, Speed, Timing};
use crate::units::BsonBytes;
use std::ops::Range;

/// Which part of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    number: u32,
    of: u32,
}

impl Part {
    /// Parts at most: more than machines.
    pub const OF_MAX: u32 = 100_000;

    /// Part `number`, counted from 1, of `of`; `None` where there is no such part.
    #[must_use]
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (1 <= number && number <= of && of <= Self::OF_MAX).then_some(Self { number, of })
    }

    /// From 1.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many there are.
    #[must_use]
    pub fn of(self) -> u32 {
        self.of
    }

    /// Its bytes of an input of `bytes`: what begins there is its own.
    #[must_use]
    pub fn range(self, bytes: u64) -> Range<u64> {
        let end = |number: u32| {
            let end = u128::from(bytes) * u128::from(number) / u128::from(self.of);
            u64::try_from(end).unwrap_or(bytes)
        };
        // What begins at the very end belongs to nobody.
        end(self.number - 1)..end(self.number)
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// Whether the image size was recorded from page to page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkWanted {
    /// As with `--walk`.
    Yes,
    /// As without.
    No,
}

/// One part's report.
#[derive(Clone, Debug)]
pub struct Partial {
    /// Rules and encoders.
    pub model: ModelFacts,
    /// Which part it is.
    pub part: Part,
    /// States, in the order of the report.
    pub loads: Vec<LoadState>,
    /// Codecs, in the order of the report.
    pub codecs: Vec<CodecName>,
    /// Whether the merged report has the image size from page to page.
    pub walk: WalkWanted,
    /// Memory for entries of all indexes.
    pub index_memory_bytes: u64,
    /// What it holds.
    pub collection: PartialCollection,
    /// What it took.
    pub timing: Timing,
}

/// A collection's part.
#[derive(Clone, Debug)]
pub struct PartialCollection {
    /// Name of the collection.
    pub name: String,
    /// The input, as it was given.
    pub source: String,
    /// What tells the input from another.
    pub input: InputMark,
    /// Documents in front of the part.
    pub documents_before: u64,
    /// Documents of the part's own segments.
    pub documents: u64,
    /// Their BSON bytes, added `_id`s included.
    pub bson: BsonBytes,
    /// Segments: what the server holds in one in-memory leaf.
    pub segments: u64,
    /// What the input showed from its first byte to the end of the part.
    pub seen: Seen,
    /// Encoder speed, by state and codec, states first.
    pub speeds: Vec<Option<Speed>>,
    /// Indexes, in the order of the report.
    pub indexes: Vec<PartialIndex>,
    /// Indexes that the input names and the model does not know.
    pub indexes_not_predicted: Vec<IndexNotPredicted>,
    /// Outcomes of the part's segments; docs/DISTRIBUTED.md has the layout.
    pub frames: Vec<Vec<u8>>,
}

/// What tells an input from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputMark {
    /// Bytes of the file.
    pub bytes: u64,
    /// Of its first and last bytes, in hexadecimal.
    pub digest: String,
}

/// What was passed on the way to the end of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Documents that were given an `_id`.
    pub ids_added: u64,
    /// Documents left out.
    pub documents_skipped: u64,
    /// Why, the first few.
    pub skip_reasons: Vec<String>,
}

/// An index of a partial report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialIndex {
    /// Its name.
    pub name: String,
    /// Its pattern, as BSON.
    pub pattern: Vec<u8>,
    /// Whether it lets a key in once.
    pub uniqueness: Uniqueness,
    /// Why a document of this part would be refused, the first one's.
    pub refused_reason: Option<String>,
}

/// Whether an index lets a key in once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniqueness {
    /// Once.
    Unique,
    /// As often as there are documents with it.
    Repeated,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_every_byte_of_an_input_out() {
        for (bytes, of) in [(10, 3), (1, 8), (0, 2), (u64::MAX, 7)] {
            let mut at = 0;
            for number in 1..=of {
                let range = Part::new(number, of).unwrap().range(bytes);
                assert_eq!(range.start, at);
                at = range.end;
            }
            assert_eq!(at, bytes);
        }
        let refused = [(0, 1), (2, 1), (1, 0), (1, Part::OF_MAX + 1)];
        assert!(refused.into_iter().all(|(number, of)| Part::new(number, of).is_none()));
    }
}

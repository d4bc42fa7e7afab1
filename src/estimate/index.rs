//! Figures of indexes.

use super::{Band, Basis, LoadState};
use crate::units::DiskBytes;

/// When an index came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IndexBuild {
    /// It was there while the documents were inserted.
    BeforeLoad,
    /// It was built on the documents, in one go.
    AfterLoad,
}

impl IndexBuild {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BeforeLoad => "before-load",
            Self::AfterLoad => "after-load",
        }
    }
}

/// One field of an index's pattern: `1`, `-1`, `"hashed"`.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternValue {
    /// A direction, as nearly all are written.
    Whole(i64),
    /// A direction with a fraction, or beyond a whole number's range.
    Number(f64),
    /// A kind.
    Text(String),
}

impl From<f64> for PatternValue {
    #[expect(clippy::cast_possible_truncation, reason = "only whole numbers within a million")]
    fn from(number: f64) -> Self {
        if number.fract().abs() < f64::EPSILON && number.abs() <= 1e6 {
            Self::Whole(number as i64)
        } else {
            Self::Number(number)
        }
    }
}

/// An index of a collection that is not in the figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexNotPredicted {
    /// `location_2dsphere`.
    pub name: String,
    /// Why not.
    pub reason: String,
}

/// One index in one state and build.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexEstimate {
    /// `user_1_ts_-1`.
    pub name: String,
    /// Fields in order, each with its direction or kind.
    pub pattern: Vec<(String, PatternValue)>,
    /// Which state.
    pub load: LoadState,
    /// When it came to be.
    pub build: IndexBuild,
    /// Keys, without those that a unique index writes and deletes again.
    pub entries: u64,
    /// Keys that the figures are modelled on: the first ones, where memory does not hold all.
    pub entries_modelled: u64,
    /// File size after the load and one checkpoint, or after the build; `None` where it is not known.
    pub storage: Option<DiskBytes>,
    /// What a sample leaves open about `storage`; `None` where all entries were modelled.
    pub band: Option<Band>,
    /// Leaf pages; `None` where `storage` is.
    pub leaf_pages: Option<u64>,
    /// What the file would lack without the deleted twin that each entry of a unique index has until its page is
    /// written anew; `None` where there are none.
    pub twins: Option<DiskBytes>,
    /// Documents that a server would refuse because of this index.
    pub documents_refused: u64,
    /// Why, the first one's.
    pub refused_reason: Option<String>,
    /// How `storage` is known.
    pub basis: Basis,
}

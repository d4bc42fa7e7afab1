//! What became of one segment, at every image size that its table may have had.

use crate::geometry::wiredtiger::reconcile::Chunk;
use crate::pipeline::indexes::IndexSegment;
use crate::units::PackedBytes;

/// One segment of a part.
#[derive(Clone, Debug, Default)]
pub struct SegmentOutcomes {
    /// Records in it.
    pub records: u64,
    /// Bytes of its documents.
    pub bson_bytes: u64,
    /// Where it is cut, by state.
    pub states: Vec<Cuts>,
    /// What its pages pack to, by table and by cut of the table's state.
    pub tables: Vec<Vec<CutPacked>>,
    /// Its entries, by index.
    pub indexes: Vec<IndexSegment>,
}

/// Where a segment is cut at the image sizes that were looked at; many are cut alike.
#[derive(Clone, Debug, Default)]
pub struct Cuts {
    /// The different ones.
    pub cuts: Vec<Vec<Chunk>>,
    /// Image size in bytes and its position in `cuts`, ascending.
    pub at: Vec<(u32, usize)>,
}

impl Cuts {
    /// The cut at an image size.
    pub fn position(&self, bytes: u32) -> Option<usize> {
        let place = self.at.binary_search_by_key(&bytes, |(bytes, _)| *bytes).ok()?;
        Some(self.at[place].1)
    }

    /// The cut at the size that is nearest.
    pub fn nearest(&self, bytes: u32) -> Option<usize> {
        self.at.iter().min_by_key(|(known, _)| known.abs_diff(bytes)).map(|(_, cut)| *cut)
    }
}

/// Pages of one cut, in key order; empty where none was packed.
pub type CutPacked = Vec<PagePacked>;

/// What is known of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PagePacked {
    /// It was not packed.
    #[default]
    Unknown,
    /// It was not tried, or the encoder gave up.
    Raw,
    /// So many bytes, whether that pays or not.
    Packed(PackedBytes),
}

impl PagePacked {
    /// From what a worker made of it.
    pub fn of(packed: Option<PackedBytes>) -> Self {
        packed.map_or(Self::Raw, Self::Packed)
    }

    /// As the worker had it.
    ///
    /// # Errors
    ///
    /// It is not known.
    pub fn known(self) -> Result<Option<PackedBytes>, NotPacked> {
        match self {
            Self::Unknown => Err(NotPacked),
            Self::Raw => Ok(None),
            Self::Packed(bytes) => Ok(Some(bytes)),
        }
    }
}

/// A page that was not packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPacked;

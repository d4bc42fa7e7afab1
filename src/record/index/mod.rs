//! From a document to the entries of an index.
//!
//! [`IndexSpec::parse`] reads what `createIndexes` is given and refuses what a server refuses, or what this model
//! cannot make exactly, each with its own message. [`IndexSpec::entries`] then makes the keys and values that
//! the index's table holds for a document:
//!
//! ```text
//!                 key                                    value
//!  _id_           KeyString 04                           RecordId, type bits
//!  all others     KeyString 04 RecordId                  type bits            (nothing when all are 0)
//! ```
//!
//! | kind | what a document has in it |
//! | --- | --- |
//! | single, compound, descending, dotted | a key for each combination, arrays expanded; missing is null, `[]` undefined |
//! | sparse | as these, but nothing when every field is missing |
//! | partial | as these, for documents that match the filter |
//! | unique | as these. The server first writes each key without its `RecordId` and deletes it; in a replica set that twin reaches the pages, which is the caller's matter |
//! | wildcard | (path, value) for each leaf |
//! | hashed | a hash in place of one field |
//!
//! Not made: text, 2dsphere and 2d (stemmers, S2 cells and geohashes are not modelled), collations other than
//! `simple` (ICU sort keys), compound wildcards, clustered indexes (they have no table).
//!
//! # Source
//!
//! MongoDB 6.0, cited where each rule stands; entry layout: `src/mongo/db/storage/wiredtiger/wiredtiger_index.cpp`.

mod entries;
mod error;
mod fields;
mod filter;
mod hashed;
mod path;
mod pattern;
mod projection;
mod spec;
#[cfg(test)]
mod tests;
mod wildcard;

pub use entries::{Entries, Entry};
pub use error::IndexError;

use crate::document::{DocumentErrorKind, Elements};
use crate::record::keystring::{
    Direction, KeyError, KeyWriter, RecordId, TypeBits, Value, Version, bson_type,
};
use entries::{Header, Layout};
use filter::Filter;

/// The `RecordId` of wildcard metadata entries.
///
/// Source: `record_id_helpers::reservedIdFor(kWildcardMultikeyMetadataId)`, `src/mongo/db/record_id_helpers.cpp`.
const WILDCARD_METADATA_RECORD_ID: u64 = 9_223_372_036_853_727_231;

/// An index as `createIndexes` describes it, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSpec {
    name: String,
    pattern: Vec<u8>,
    fields: Vec<Field>,
    keys: Keys,
    version: Version,
    unique: bool,
    sparse: bool,
    filter: Option<Filter>,
}

/// One field of a key pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    path: Vec<u8>,
    direction: Direction,
    hashed: bool,
}

/// How keys are made.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Keys {
    Id,
    Fields,
    Hashed,
    Wildcard(wildcard::Scope),
}

/// Which kind of index it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// `_id_`: never has array keys, and its values hold the `RecordId`.
    Id,
    /// Values of fields.
    Fields,
    /// One field as a hash.
    Hashed,
    /// All paths.
    Wildcard,
}

/// What a document has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This many entries were added; 0 for documents that the index leaves out.
    Added(usize),
    /// A server would not take the document while this index exists.
    Refused(Refusal),
}

/// Why a server would not take a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Two fields of the index are arrays, and not the same one.
    #[error("cannot index parallel arrays")]
    ParallelArrays,
    /// `a.0` names both a position and a field of the elements.
    #[error("a position in an array is also the name of a field in its elements")]
    AmbiguousPosition,
    /// A hash is of one value.
    #[error("hashed indexes do not support array values")]
    ArrayInHashedIndex,
    /// `_id` may be none of these.
    #[error("`_id` cannot be an array, a regex or undefined")]
    TypeOfId,
    /// `v: 1` has no form for them.
    #[error("an index with v: 1 does not support decimals")]
    DecimalInV0,
}

/// Why making keys stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    Refused(Refusal),
    Failed(KeyError),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<KeyError> for Stop {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::DecimalInV0 { .. } => Self::Refused(Refusal::DecimalInV0),
            error => Self::Failed(error),
        }
    }
}

impl From<DocumentErrorKind> for Stop {
    fn from(error: DocumentErrorKind) -> Self {
        Self::Failed(error.into())
    }
}

impl IndexSpec {
    /// The index that every collection has.
    #[must_use]
    pub fn id() -> Self {
        Self {
            name: "_id_".to_owned(),
            pattern: b"\x0e\0\0\0\x10_id\0\x01\0\0\0\0".to_vec(),
            fields: vec![Field { path: b"_id".to_vec(), direction: Direction::Ascending, hashed: false }],
            keys: Keys::Id,
            version: Version::V1,
            unique: true,
            sparse: false,
            filter: None,
        }
    }

    /// The index that every driver makes on a GridFS bucket's chunks.
    ///
    /// Source: GridFS specification, "Indexes": `{files_id: 1, n: 1}`, unique.
    #[must_use]
    pub fn gridfs_chunks() -> Self {
        let field =
            |path: &[u8]| Field { path: path.to_vec(), direction: Direction::Ascending, hashed: false };
        Self {
            name: "files_id_1_n_1".to_owned(),
            pattern: b"\x1a\0\0\0\x10files_id\0\x01\0\0\0\x10n\0\x01\0\0\0\0".to_vec(),
            fields: vec![field(b"files_id"), field(b"n")],
            keys: Keys::Fields,
            ..Self::id()
        }
    }

    /// From the BSON of one of `createIndexes`' documents, `{key: {..}, name: .., ..}`, or of a bare key pattern,
    /// `{a: 1}`. Without a name it gets the one that drivers give, `a_1`.
    ///
    /// # Errors
    ///
    /// Names the rule of the server that it breaks, or what this model cannot make.
    pub fn parse(specification: &[u8]) -> Result<Self, IndexError> {
        spec::parse_specification(specification)
    }

    /// `_id_`, `a_1_b_-1`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key pattern as it was given, a BSON document.
    #[must_use]
    pub fn pattern(&self) -> &[u8] {
        &self.pattern
    }

    /// Which kind it is.
    #[must_use]
    pub fn kind(&self) -> IndexKind {
        match self.keys {
            Keys::Id => IndexKind::Id,
            Keys::Fields => IndexKind::Fields,
            Keys::Hashed => IndexKind::Hashed,
            Keys::Wildcard(_) => IndexKind::Wildcard,
        }
    }

    /// Whether a value can be there only once. `_id_` is, but is not written as a unique secondary index is.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.unique
    }

    /// `formatVersion` in the table's metadata.
    ///
    /// Source: `kDataFormatV1KeyStringV0IndexVersionV1` and its neighbours, `wiredtiger_index.cpp` of MongoDB 6.0.
    #[must_use]
    pub fn format_version(&self) -> u32 {
        match (self.version, self.unique && self.keys != Keys::Id) {
            (Version::V0, false) => 6,
            (Version::V1, false) => 8,
            (Version::V0, true) => 13,
            (Version::V1, true) => 14,
        }
    }

    /// Adds the entries of a document to `out`, in key order, each key once. `document` is as the collection
    /// stores it, with its `_id`.
    ///
    /// # Errors
    ///
    /// A document that is damaged where it had to be read, or nests deeper than a server stores. `out` is then as
    /// it was, as it is when the document is refused.
    pub fn entries<'r>(
        &self,
        document: &[u8],
        record_id: impl Into<RecordId<'r>>,
        out: &mut Entries,
    ) -> Result<Outcome, KeyError> {
        let mark = out.mark();
        let layout = if self.keys == Keys::Id { Layout::Id } else { Layout::Secondary };
        let header = Header { version: self.version, layout, record_id: record_id.into(), mark };
        match self.add_entries(document, &header, out) {
            Ok(()) => Ok(Outcome::Added(out.settle(mark))),
            Err(stop) => {
                out.rewind(mark);
                match stop {
                    Stop::Refused(refusal) => Ok(Outcome::Refused(refusal)),
                    Stop::Failed(error) => Err(error),
                }
            }
        }
    }

    /// What [`entries`](Self::entries) says of a document, for whoever needs no entries: `scratch` is used where it
    /// takes them to know, and holds nothing of use afterwards.
    ///
    /// # Errors
    ///
    /// As [`entries`](Self::entries).
    pub fn count<'r>(
        &self,
        document: &[u8],
        record_id: impl Into<RecordId<'r>>,
        scratch: &mut Entries,
    ) -> Result<Outcome, KeyError> {
        if self.filter.is_none()
            && matches!(self.keys, Keys::Id | Keys::Fields)
            && let Some(count) = fields::count_plain(&self.fields, self.sparse, document)
        {
            return Ok(Outcome::Added(count));
        }
        scratch.clear();
        self.entries(document, record_id, scratch)
    }

    fn add_entries(&self, document: &[u8], header: &Header<'_>, out: &mut Entries) -> Result<(), Stop> {
        if let Some(filter) = &self.filter
            && !filter.matches(document, &mut out.scratch)?
        {
            return Ok(());
        }
        match &self.keys {
            Keys::Id => add_id(document, header, out),
            Keys::Fields => fields::add_entries(&self.fields, self.sparse, document, header, out),
            Keys::Hashed => hashed::add_entry(&self.fields, self.sparse, document, header, out),
            Keys::Wildcard(scope) => wildcard::add_entries(scope, document, header, out),
        }
    }

    /// Adds a wildcard index's metadata entries: (1, path) for each path at which any document had an array, as
    /// [`Entries::array_paths`] has gathered them. Once for a whole index; other kinds have none.
    pub fn metadata_entries<'p>(&self, paths: impl IntoIterator<Item = &'p [u8]>, out: &mut Entries) {
        let header = Header::metadata(self.version, WILDCARD_METADATA_RECORD_ID, out.mark());
        for path in paths {
            let one = Value { kind: bson_type::INT32, bytes: &1_i32.to_le_bytes(), at: 0 };
            let added = out.add(&header, |writer| {
                writer.field(one, Direction::Ascending)?;
                writer.string(path);
                Ok(())
            });
            debug_assert!(added.is_ok(), "a number and a path always make a key");
        }
    }
}

/// `_id` is never an array, so there is always one entry.
fn add_id(document: &[u8], header: &Header<'_>, out: &mut Entries) -> Result<(), Stop> {
    let value = Elements::new(document)?.find_name(b"_id")?.map_or(Value::NULL, Value::from);
    if cannot_be_id(value) {
        return Err(Refusal::TypeOfId.into());
    }
    out.add(header, |writer| writer.field(value, Direction::Ascending))
}

/// Appends the `RecordId` that a clustered collection gives a document to `out`: the KeyString of its `_id` without
/// the end byte.
///
/// # Errors
///
/// A damaged document, or one that nests too deep; `out` may then hold a part.
pub fn clustered_record_id(document: &[u8], out: &mut Vec<u8>) -> Result<Outcome, KeyError> {
    let value = Elements::new(document)?.find_name(b"_id")?.map_or(Value::NULL, Value::from);
    if cannot_be_id(value) {
        return Ok(Outcome::Refused(Refusal::TypeOfId));
    }
    KeyWriter::new(Version::V1, out, &mut TypeBits::default()).field(value, Direction::Ascending)?;
    Ok(Outcome::Added(1))
}

/// Source: `BSONObj::storageValidEmbedded` and its callers for `_id`, mongod 6.0.
fn cannot_be_id(value: Value<'_>) -> bool {
    matches!(value.kind, bson_type::ARRAY | bson_type::REGEX | bson_type::UNDEFINED)
}

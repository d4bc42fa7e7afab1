//! What can be wrong with an index specification, and what this model does not know.

use super::pattern::FIELDS_MAX;
use super::pattern::PATTERN_BYTES_MAX;
use crate::document::DocumentErrorKind;
use crate::record::keystring::{KeyError, bson_type};

/// An index that no server would build, or whose keys cannot be made exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The specification's bytes are no document.
    #[error("index specification is damaged: {0}")]
    Damaged(#[from] DocumentErrorKind),
    /// `{}`.
    #[error("index keys cannot be empty")]
    EmptyPattern,
    /// A pattern longer than the server takes.
    #[error("index key pattern of {bytes} bytes exceeds the limit of {PATTERN_BYTES_MAX} bytes")]
    PatternTooLong {
        /// BSON bytes of the pattern.
        bytes: usize,
    },
    /// More fields than a server can order.
    #[error("{count} fields in an index key pattern exceed the limit of {FIELDS_MAX}")]
    TooManyFields {
        /// Fields of the pattern.
        count: usize,
    },
    /// A field that is there twice.
    #[error("field `{field}` appears more than once in the index key pattern")]
    DuplicateField {
        /// Its path.
        field: String,
    },
    /// A direction of 0 or NaN. All other numbers are allowed: above 0 ascending, below 0 descending.
    #[error(
        "direction of field `{field}` cannot be {found}; only numbers above 0, numbers below 0 and index types are allowed"
    )]
    BadDirection {
        /// Its path.
        field: String,
        /// `0` or `NaN`.
        found: &'static str,
    },
    /// A direction that is neither number nor string.
    #[error(
        "direction of field `{field}` cannot be of type {found}; only numbers above 0, numbers below 0 and index types are allowed"
    )]
    BadDirectionType {
        /// Its path.
        field: String,
        /// Name of the BSON type.
        found: &'static str,
    },
    /// A string that names no index type.
    #[error("unknown index type `{name}`")]
    UnknownType {
        /// As given.
        name: String,
    },
    /// `{a: "hashed", b: "text"}`.
    #[error("index types `{first}` and `{second}` cannot be in one index")]
    SeveralTypes {
        /// The first string.
        first: String,
        /// The one that differs.
        second: String,
    },
    /// An empty name, `a..b`, `a.`.
    #[error("index key `{field}` has an empty name in it")]
    EmptyName {
        /// The path.
        field: String,
    },
    /// `$a`, `a.$b`.
    #[error("index key `{field}` has a name that begins with `$`")]
    DollarName {
        /// The path.
        field: String,
    },
    /// `_fts` outside of a text index.
    #[error("index key `_fts` is kept for text indexes")]
    ReservedName,
    /// `{a: "hashed", b: "hashed"}`.
    #[error("{count} fields are hashed; an index can have one")]
    SeveralHashed {
        /// How many.
        count: usize,
    },
    /// A kind or option of index whose keys this model does not know.
    #[error("{what} is not supported: {why}")]
    Unsupported {
        /// The kind or the option.
        what: String,
        /// What is missing.
        why: &'static str,
    },
    /// An option that no index has.
    #[error("field `{option}` is not valid for an index specification")]
    UnknownOption {
        /// As given.
        option: String,
    },
    /// An option of the wrong type.
    #[error("option `{option}` must be {expected}, but is of type {found}")]
    OptionType {
        /// Its name.
        option: &'static str,
        /// What it may be.
        expected: &'static str,
        /// Name of the BSON type.
        found: &'static str,
    },
    /// An option outside of its range.
    #[error("option `{option}` must be {expected}")]
    OptionValue {
        /// Its name.
        option: &'static str,
        /// What it may be.
        expected: &'static str,
    },
    /// An option that this kind of index cannot have.
    #[error("{kind} index does not support the option `{option}`")]
    OptionNotForKind {
        /// Its name.
        option: &'static str,
        /// The kind.
        kind: &'static str,
    },
    /// `sparse` and `partialFilterExpression` together.
    #[error("options `partialFilterExpression` and `sparse` cannot be mixed")]
    SparseAndPartial,
    /// A filter operator that no partial index takes.
    #[error("expression `{operator}` is not supported in a partial index")]
    FilterOperator {
        /// With its `$`.
        operator: String,
    },
    /// An operand that its operator does not take.
    #[error("operand of `{operator}` in a partial filter must be {expected}")]
    FilterOperand {
        /// With its `$`.
        operator: String,
        /// What it may be.
        expected: &'static str,
    },
    /// `$and` and `$or` nested too deep.
    #[error("partial filter nests deeper than {levels_max} levels")]
    FilterTooDeep {
        /// The limit.
        levels_max: usize,
    },
    /// A constant that cannot be compared.
    #[error("partial filter: {0}")]
    FilterConstant(KeyError),
    /// `wildcardProjection: {}`.
    #[error("option `wildcardProjection` cannot be an empty object")]
    EmptyProjection,
    /// `{a: 1, b: 0}`.
    #[error("option `wildcardProjection` cannot include some fields and exclude others")]
    MixedProjection,
    /// `{a: 1, "a.b": 1}`.
    #[error("option `wildcardProjection` has paths that collide at `{path}`")]
    CollidingProjection {
        /// The second path.
        path: String,
    },
    /// A path or value that a projection cannot have.
    #[error("option `wildcardProjection`: `{path}` is neither included (1) nor excluded (0)")]
    BadProjection {
        /// The path.
        path: String,
    },
}

/// What the server calls a BSON type, in `$type` and in its messages.
pub(super) fn type_name(kind: u8) -> &'static str {
    TYPE_NAMES.iter().find(|(known, _)| *known == kind).map_or("unknown", |(_, name)| name)
}

/// Source: `typeName` and `findBSONTypeAlias`, `src/mongo/bson/bsontypes.cpp` of MongoDB 6.0.
pub(super) const TYPE_NAMES: [(u8, &str); 21] = [
    (bson_type::DOUBLE, "double"),
    (bson_type::STRING, "string"),
    (bson_type::OBJECT, "object"),
    (bson_type::ARRAY, "array"),
    (bson_type::BINARY, "binData"),
    (bson_type::UNDEFINED, "undefined"),
    (bson_type::OBJECT_ID, "objectId"),
    (bson_type::BOOL, "bool"),
    (bson_type::DATE, "date"),
    (bson_type::NULL, "null"),
    (bson_type::REGEX, "regex"),
    (bson_type::DB_POINTER, "dbPointer"),
    (bson_type::CODE, "javascript"),
    (bson_type::SYMBOL, "symbol"),
    (bson_type::CODE_WITH_SCOPE, "javascriptWithScope"),
    (bson_type::INT32, "int"),
    (bson_type::TIMESTAMP, "timestamp"),
    (bson_type::INT64, "long"),
    (bson_type::DECIMAL, "decimal"),
    (bson_type::MIN_KEY, "minKey"),
    (bson_type::MAX_KEY, "maxKey"),
];

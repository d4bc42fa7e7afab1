//! A saved report as plots read it: schema 1 of `estimate` and `sweep`, of which only the figures that are drawn.
//!
//! Reads what [`crate::report`] writes and knows nothing else of it: a report may come from another release, another
//! machine or a hand. Fields may be more than these; none of these may be missing or of another kind.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The schema that is read.
pub const SCHEMA: u64 = 1;
/// Bytes that a report may have: a thousand times what a sweep of one collection takes.
pub const REPORT_BYTES_MAX: u64 = 256 << 20;

/// Why a file is no report to draw.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedError {
    /// Not JSON at all.
    #[error("{place}: is no JSON: {reason}")]
    NotJson {
        /// The file.
        place: String,
        /// The parser's answer, with line and column.
        reason: String,
    },
    /// JSON that says nothing of this program.
    #[error("{place}: is no report of pagepress: {found}")]
    NotOurs {
        /// The file.
        place: String,
        /// What stands where the program names itself.
        found: String,
    },
    /// Written by another generation of this program.
    #[error("{place}: has schema {found}; this pagepress reads schema {SCHEMA}")]
    Schema {
        /// The file.
        place: String,
        /// Its schema.
        found: u64,
    },
    /// Of a command whose report has no plots.
    #[error("{place}: is a report of `{command}`; plots are drawn of estimate, sweep and plan")]
    Command {
        /// The file.
        place: String,
        /// As the report names it.
        command: String,
    },
    /// Ours by its head, but a field is missing or of another kind.
    #[error("{place}: is damaged: {reason}")]
    Damaged {
        /// The file.
        place: String,
        /// The parser's answer, with line and column.
        reason: String,
    },
    /// A report of nothing.
    #[error("{place}: has no row to draw")]
    Empty {
        /// The file.
        place: String,
    },
    /// Larger than any report.
    #[error("{place}: is longer than any report: more than {REPORT_BYTES_MAX} bytes (256 MiB)")]
    TooLarge {
        /// The file.
        place: String,
    },
}

impl SavedError {
    /// What the user can do next.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        let make = "to make a report, run `pagepress estimate --output json --out report.json INPUT`";
        match self {
            Self::NotJson { .. } | Self::NotOurs { .. } | Self::TooLarge { .. } | Self::Command { .. } => {
                vec![make.to_owned()]
            }
            Self::Schema { found, .. } if *found > SCHEMA => {
                vec!["a newer pagepress wrote it; draw it with that one".to_owned()]
            }
            Self::Schema { .. } | Self::Damaged { .. } => {
                vec!["run the command that made it again, with this pagepress".to_owned()]
            }
            Self::Empty { .. } => Vec::new(),
        }
    }
}

/// A whole report.
#[derive(Clone, Debug, Deserialize)]
pub struct Saved {
    /// Who wrote it.
    pub tool: Tool,
    /// `estimate`, `sweep` or `plan`.
    pub command: String,
    /// Rules that it follows.
    pub model: Model,
    /// One entry for each collection.
    pub collections: Vec<Collection>,
}

/// The program that wrote a report.
#[derive(Clone, Debug, Deserialize)]
pub struct Tool {
    /// Its version.
    pub version: String,
}

/// The rules that a report follows.
#[derive(Clone, Debug, Deserialize)]
pub struct Model {
    /// Release.
    pub server: String,
    /// `leaf_page_max` where a row does not name its own.
    pub leaf_page_bytes_max: u64,
    /// `allocation_size`.
    pub allocation_bytes: u64,
    /// Said of a release whose rules are not known.
    pub server_note: Option<String>,
    /// Encoders and their versions.
    #[serde(default)]
    pub codecs: BTreeMap<String, String>,
}

/// One collection.
#[derive(Clone, Debug, Deserialize)]
pub struct Collection {
    /// Its name: any text.
    pub name: String,
    /// Inputs that it was read from.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Documents that the figures stand on.
    pub documents: u64,
    /// Their BSON bytes.
    pub bson_bytes: u64,
    /// Rows of `estimate`.
    #[serde(default)]
    pub storage: Vec<Row>,
    /// Rows of `sweep`.
    #[serde(default)]
    pub points: Vec<Row>,
    /// Rows of indexes.
    #[serde(default)]
    pub indexes: Vec<IndexRow>,
    /// Choices of `sweep`.
    #[serde(default)]
    pub recommendations: Vec<Recommendation>,
    /// Times of a cold scan, where a report has them.
    #[serde(default)]
    pub scan: Vec<ScanRow>,
}

/// A state of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Load {
    /// Without time windows.
    Settled,
    /// With them.
    Bulk,
}

impl Load {
    /// As reports name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Bulk => "bulk",
        }
    }
}

/// One collection under one codec in one state, at one leaf page size.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// State.
    pub load: Load,
    /// Name without level.
    pub codec: String,
    /// Where the codec has levels.
    pub level: Option<i64>,
    /// In a sweep; else the model's.
    pub leaf_page_bytes_max: Option<u64>,
    /// File size.
    pub storage_bytes: u64,
    /// Smallest file expected.
    pub storage_bytes_low: u64,
    /// Largest file expected.
    pub storage_bytes_high: u64,
    /// File size over BSON bytes.
    pub ratio_storage_to_bson: Option<f64>,
    /// How it is known.
    pub basis: String,
    /// Leaf pages before packing.
    pub leaf_image_bytes: u64,
    /// Leaf pages.
    pub leaf_pages: u64,
    /// Part of the leaf blocks that holds no data.
    pub padding_bytes: u64,
    /// Pages stored as they are.
    pub pages_kept_raw: u64,
    /// Leaf blocks by size.
    #[serde(default)]
    pub block_histogram: Vec<Blocks>,
    /// One thread.
    pub compress_mb_per_s: Option<f64>,
    /// One thread.
    pub decompress_mb_per_s: Option<f64>,
    /// Of a sweep.
    pub on_pareto_front: Option<bool>,
    /// Image size after each point's pages, where it was recorded.
    pub image_size_walk_bytes: Option<Vec<u64>>,
    /// Pages from one point to the next.
    pub image_size_walk_pages: Option<u64>,
}

impl Row {
    /// `zstd:6`.
    #[must_use]
    pub fn codec_name(&self) -> String {
        match self.level {
            Some(level) => format!("{}:{level}", self.codec),
            None => self.codec.clone(),
        }
    }
}

/// Leaf blocks of one size.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Blocks {
    /// In allocation units.
    pub block_units: u64,
    /// How many.
    pub blocks: u64,
}

/// One index in one state.
#[derive(Clone, Debug, Deserialize)]
pub struct IndexRow {
    /// Its name: any text.
    pub name: String,
    /// State.
    pub load: Load,
    /// Before or after the load.
    pub build: String,
    /// Keys.
    pub entries: u64,
    /// File size.
    pub storage_bytes: Option<u64>,
    /// How it is known.
    pub basis: String,
}

/// A choice of `sweep`.
#[derive(Clone, Debug, Deserialize)]
pub struct Recommendation {
    /// For whom.
    #[serde(rename = "use")]
    pub purpose: String,
    /// State.
    pub load: Load,
    /// Leaf page size.
    pub leaf_page_bytes_max: u64,
    /// Codec.
    pub codec: String,
    /// Level.
    pub level: Option<i64>,
    /// File size.
    pub storage_bytes: u64,
    /// Why, best first.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// Lines that bring it about on a server.
    #[serde(default)]
    pub apply: Vec<String>,
}

/// Time of one cold scan.
#[derive(Clone, Debug, Deserialize)]
pub struct ScanRow {
    /// State.
    pub load: Load,
    /// Codec.
    pub codec: String,
    /// Level.
    pub level: Option<i64>,
    /// Disk bandwidth.
    pub disk_mb_per_s: f64,
    /// Seconds, where they are known.
    pub scan_s: Option<f64>,
}

impl Saved {
    /// Reads the bytes of a report; `place` names it in messages.
    ///
    /// # Errors
    ///
    /// Bytes that are no JSON, no report of this program, of another schema or command, damaged, or of nothing.
    pub fn read(place: &str, bytes: &[u8]) -> Result<Self, SavedError> {
        let saved = Self::read_any(place, bytes)?;
        if saved.collections.iter().all(|collection| collection.rows().next().is_none()) {
            return Err(SavedError::Empty { place: place.to_owned() });
        }
        Ok(saved)
    }

    /// The same for whoever has something to say of a report without rows.
    ///
    /// # Errors
    ///
    /// Those of [`Saved::read`] but the last.
    pub fn read_any(place: &str, bytes: &[u8]) -> Result<Self, SavedError> {
        let place = || place.to_owned();
        let head: serde_json::Value = serde_json::from_slice(bytes)
            .map_err(|error| SavedError::NotJson { place: place(), reason: error.to_string() })?;
        let Some("pagepress") = head["tool"]["name"].as_str() else {
            let found = match &head["tool"]["name"] {
                serde_json::Value::Null => "`tool.name` is missing".to_owned(),
                other => format!("`tool.name` is {}", shortened(&other.to_string())),
            };
            return Err(SavedError::NotOurs { place: place(), found });
        };
        match head["schema"].as_u64() {
            Some(SCHEMA) => {}
            Some(found) => return Err(SavedError::Schema { place: place(), found }),
            None => {
                let found = "`schema` is missing or no number".to_owned();
                return Err(SavedError::NotOurs { place: place(), found });
            }
        }
        match head["command"].as_str() {
            Some("estimate" | "sweep" | "plan") => {}
            command => {
                let command = shortened(command.unwrap_or("nothing"));
                return Err(SavedError::Command { place: place(), command });
            }
        }
        // From the bytes again: a message then has line and column.
        let mut saved: Self = serde_json::from_slice(bytes)
            .map_err(|error| SavedError::Damaged { place: place(), reason: error.to_string() })?;
        let leaf = saved.model.leaf_page_bytes_max;
        for collection in &mut saved.collections {
            for row in &mut collection.storage {
                row.leaf_page_bytes_max.get_or_insert(leaf);
            }
        }
        Ok(saved)
    }
}

/// Foreign text as a message can hold it.
fn shortened(text: &str) -> String {
    const LETTERS_MAX: usize = 40;
    if text.chars().count() <= LETTERS_MAX {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LETTERS_MAX).collect();
    short.push('…');
    short
}

impl Collection {
    /// Rows of either command, in the order of the report.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.storage.iter().chain(&self.points)
    }

    /// States that have rows, settled first.
    #[must_use]
    pub fn loads(&self) -> Vec<Load> {
        [Load::Settled, Load::Bulk]
            .into_iter()
            .filter(|load| self.rows().any(|row| row.load == *load))
            .collect()
    }

    /// Rows at one leaf page size: the model's, or where the report has none of it, the smallest.
    #[must_use]
    pub fn rows_of_one_leaf_size(&self, model: &Model) -> Vec<&Row> {
        let sizes = || self.rows().filter_map(|row| row.leaf_page_bytes_max);
        let has_models = sizes().any(|bytes| bytes == model.leaf_page_bytes_max);
        let wanted = if has_models { Some(model.leaf_page_bytes_max) } else { sizes().min() };
        self.rows().filter(|row| row.leaf_page_bytes_max == wanted).collect()
    }
}

//! Saved reports read back: whole ones of `estimate`, and partial ones.
//!
//! A report may come from another release, another machine or a hand: its fields may be more than these, and none of
//! these may be missing, of another kind, or in contradiction to others.

mod whole;

pub(super) use whole::{LoadIn, ModelIn, NotPredictedIn, TimingIn, codec_of};

use super::partial::{COMMAND as PARTIAL, partial};
use super::wire::SCHEMA;
use crate::estimate::Estimate;
use crate::estimate::partial::Partial;
use serde::Deserialize;
use serde_json::Value;

/// Bytes that a report may have: a partial one holds the entries of its indexes.
pub const REPORT_BYTES_MAX: u64 = 4 << 30;

/// Why a file is no report that can be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Ends early: the rest of it is missing.
    #[error("{place}: ends early: {reason}")]
    Truncated {
        /// The file.
        place: String,
        /// The parser's answer, with line and column.
        reason: String,
    },
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
    /// Of a command whose reports are not merged.
    #[error("{place}: is a report of `{command}`; reports of estimate are merged, whole or partial")]
    Command {
        /// The file.
        place: String,
        /// As the report names it.
        command: String,
    },
    /// Ours by its head, but a field is missing, of another kind or in contradiction to others.
    #[error("{place}: is damaged: {reason}")]
    Damaged {
        /// The file.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// Larger than any report.
    #[error("{place}: is longer than any report: more than {REPORT_BYTES_MAX} bytes (4 GiB)")]
    TooLarge {
        /// The file.
        place: String,
    },
}

impl ReadError {
    /// What the user can do next.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Truncated { .. } => vec![
                "is it being written, or was its copy cut off? `--out` makes files that appear whole"
                    .to_owned(),
            ],
            Self::Schema { found, .. } if *found > u64::from(SCHEMA) => {
                vec!["a newer pagepress wrote it; merge with that one".to_owned()]
            }
            Self::Schema { .. } | Self::Damaged { .. } => {
                vec!["run the command that made it again, with this pagepress".to_owned()]
            }
            Self::NotJson { .. } | Self::NotOurs { .. } | Self::Command { .. } | Self::TooLarge { .. } => {
                vec![
                    "to make a report, run `pagepress estimate --output json --out report.json INPUT`"
                        .to_owned(),
                ]
            }
        }
    }
}

/// A report that was read back.
#[derive(Clone, Debug)]
pub enum SavedReport {
    /// Of whole inputs.
    Whole(Box<Estimate>),
    /// Of a part of one.
    Part(Box<Partial>),
}

/// Reads the bytes of a report; `place` names it in messages.
///
/// # Errors
///
/// Bytes that are no JSON, no report of this program, of another schema or command, or damaged.
pub fn read(place: &str, bytes: &[u8]) -> Result<SavedReport, ReadError> {
    let place = || place.to_owned();
    // Only what the head says; the rest is passed over without being kept.
    let head: Head = serde_json::from_slice(bytes).map_err(|error| {
        let reason = error.to_string();
        if error.is_eof() {
            ReadError::Truncated { place: place(), reason }
        } else if error.is_data() {
            ReadError::NotOurs { place: place(), found: reason }
        } else {
            ReadError::NotJson { place: place(), reason }
        }
    })?;
    match &head.tool.name {
        Value::String(name) if name == "pagepress" => {}
        Value::Null => {
            let found = "`tool.name` is missing".to_owned();
            return Err(ReadError::NotOurs { place: place(), found });
        }
        other => {
            let found = format!("`tool.name` is {}", shortened(&other.to_string()));
            return Err(ReadError::NotOurs { place: place(), found });
        }
    }
    match head.schema.as_u64() {
        Some(schema) if schema == u64::from(SCHEMA) => {}
        Some(found) => return Err(ReadError::Schema { place: place(), found }),
        None => {
            let found = "`schema` is missing or no number".to_owned();
            return Err(ReadError::NotOurs { place: place(), found });
        }
    }
    let damaged = |reason| ReadError::Damaged { place: place(), reason };
    match head.command.as_str() {
        Some("estimate") if head.model.geometry.as_str().is_none_or(|name| name == "wiredtiger") => {
            Ok(SavedReport::Whole(Box::new(whole::estimate(bytes).map_err(damaged)?)))
        }
        Some(PARTIAL) => Ok(SavedReport::Part(Box::new(partial(bytes).map_err(damaged)?))),
        command => {
            let command = shortened(command.unwrap_or("nothing"));
            Err(ReadError::Command { place: place(), command })
        }
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

#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    schema: Value,
    tool: HeadTool,
    command: Value,
    model: HeadModel,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HeadTool {
    name: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HeadModel {
    geometry: Value,
}

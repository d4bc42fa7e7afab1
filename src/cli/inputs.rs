//! What was typed as an input: a file, or a collection on a server.

use super::args::LiveArgs;
use super::plan::EstimatePlan;
use super::{CliError, UsageError};
use crate::estimate::OnServer;
use crate::geometry::wiredtiger::TableConfig;
use crate::mongod::{Address, ReadFrom, is_uri};
#[cfg(feature = "live")]
use crate::record::collection::Keys;
use crate::record::collection::Shape;
use crate::record::index::IndexSpec;
use crate::source::{self, OpenOptions, Source};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

#[cfg(feature = "live")]
mod live;

/// Where documents are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputPlace {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// A collection.
    Collection(Address),
}

impl InputPlace {
    /// From what was typed.
    pub(super) fn new(typed: &Path) -> Result<Self, UsageError> {
        match typed.to_str().filter(|text| is_uri(text)) {
            None => Ok(Self::File(typed.to_owned())),
            Some(uri) => {
                let address = Address::parse(uri).map_err(|error| UsageError::address(&error))?;
                if address.namespace().is_none() {
                    let missing = crate::mongod::MongodErrorKind::NoCollectionNamed;
                    return Err(UsageError::address(&missing.at(&address.to_string())));
                }
                Ok(Self::Collection(address))
            }
        }
    }

    /// The file, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Collection(_) => None,
        }
    }

    /// Whether it could be opened, as far as that can be told beforehand: a pipe cannot be opened twice.
    #[cfg(feature = "live")]
    pub(super) fn probe(&self, options: &OpenOptions) -> Result<(), CliError> {
        match self.file().filter(|path| path.is_file()) {
            Some(path) => Ok(source::open(path, options).map(drop)?),
            None => Ok(()),
        }
    }
}

/// How collections on servers are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Which member of a replica set.
    pub from: Option<ReadFrom>,
    /// BSON bytes a second at most.
    pub bytes_per_s: Option<NonZeroU64>,
}

impl Reading {
    pub(super) fn new(args: &LiveArgs) -> Result<Self, UsageError> {
        let bytes_per_s = match &args.read_mb_per_s {
            None => None,
            Some(text) => Some(parse_mb(text).ok_or_else(|| UsageError::ReadRate { text: text.clone() })?),
        };
        Ok(Self { from: args.read_preference.map(Into::into), bytes_per_s })
    }
}

/// Decimal megabytes, with a fraction if need be, as bytes.
fn parse_mb(text: &str) -> Option<NonZeroU64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let mb: f64 = text.parse().ok().filter(|mb| is_number && *mb <= 1e9)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10^15")]
    NonZeroU64::new((mb * 1e6) as u64)
}

/// An input that can be opened again and again.
pub(super) struct Input {
    kind: Kind,
    options: OpenOptions,
}

enum Kind {
    File(PathBuf),
    #[cfg(feature = "live")]
    Collection(Box<source::live::LiveCollection>),
}

impl Input {
    /// Connects to a server where that is needed.
    pub(super) fn connect(place: &InputPlace, plan: &EstimatePlan) -> Result<Self, CliError> {
        let kind = match place {
            InputPlace::File(path) => Kind::File(path.clone()),
            InputPlace::Collection(address) => live_kind(address, plan.live)?,
        };
        Ok(Self { kind, options: plan.reading.clone() })
    }

    /// Its documents, from the first.
    pub(super) fn open(&self) -> Result<Box<dyn Source>, CliError> {
        Ok(match &self.kind {
            Kind::File(path) => source::open(path, &self.options)?,
            #[cfg(feature = "live")]
            Kind::Collection(collection) => collection.open()?,
        })
    }

    /// Name of the collection that it holds.
    pub(super) fn collection(&self) -> &str {
        match &self.kind {
            Kind::File(path) => path.to_str().map_or("input", source::name_of_file),
            #[cfg(feature = "live")]
            Kind::Collection(collection) => &collection.namespace().collection,
        }
    }

    /// What the typed options leave open, as the server has it.
    pub(super) fn table(&self, plan: &EstimatePlan) -> Result<TableConfig, UsageError> {
        match &self.kind {
            Kind::File(_) => Ok(plan.model.table),
            #[cfg(feature = "live")]
            Kind::Collection(collection) => live::table(collection, plan),
        }
    }

    /// The typed shape, or the server's.
    pub(super) fn shape(&self, typed: Shape) -> Shape {
        match &self.kind {
            Kind::File(_) => typed,
            #[cfg(feature = "live")]
            Kind::Collection(collection) if collection.facts().clustered => {
                Shape { keys: Keys::Clustered, ..typed }
            }
            #[cfg(feature = "live")]
            Kind::Collection(_) => typed,
        }
    }

    /// The typed indexes and those of the server; and what is said of those that cannot be predicted.
    pub(super) fn indexes(&self, typed: &[IndexSpec]) -> (Vec<IndexSpec>, Vec<String>) {
        match &self.kind {
            Kind::File(_) => (typed.to_vec(), Vec::new()),
            #[cfg(feature = "live")]
            Kind::Collection(collection) => live::indexes(collection, typed),
        }
    }

    /// Definitions of the server's indexes that can be predicted, name first, for createIndexes.
    #[cfg(feature = "live")]
    pub(super) fn index_definitions(&self) -> Vec<(String, Vec<u8>)> {
        match &self.kind {
            Kind::File(_) => Vec::new(),
            Kind::Collection(collection) => live::definitions(collection),
        }
    }

    /// How it is stored on its server.
    pub(super) fn on_server(&self) -> Option<OnServer> {
        match &self.kind {
            Kind::File(_) => None,
            #[cfg(feature = "live")]
            Kind::Collection(collection) => Some(live::on_server(collection)),
        }
    }
}

#[cfg(feature = "live")]
fn live_kind(address: &Address, reading: Reading) -> Result<Kind, CliError> {
    let options = source::live::LiveOptions { read_from: reading.from, bytes_per_s: reading.bytes_per_s };
    Ok(Kind::Collection(Box::new(source::live::LiveCollection::connect(address, options)?)))
}

#[cfg(not(feature = "live"))]
fn live_kind(address: &Address, _reading: Reading) -> Result<Kind, CliError> {
    Err(crate::mongod::MongodErrorKind::NotBuilt.at(&address.to_string()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_of_megabytes_above_nothing() {
        for (text, want) in [
            ("20", Some(20_000_000)),
            ("0.5", Some(500_000)),
            ("0", None),
            ("-1", None),
            ("1e3", None),
            ("inf", None),
            ("x", None),
            ("", None),
            ("99999999999", None),
        ] {
            assert_eq!(parse_mb(text).map(NonZeroU64::get), want, "{text}");
        }
    }
}

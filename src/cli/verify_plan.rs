//! What was typed behind `verify`, checked.

use super::args::VerifyArgs;
use super::inputs::InputPlace;
use super::plan::EstimatePlan;
use super::{UsageError, VerifyUsageError, index};
use crate::codec::{CodecKind, ZlibLevel};
use crate::mongod::Address;
use crate::report::OutputKind;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Per cent that a prediction may be off unless `--tolerance` says otherwise.
const TOLERANCE_PERCENT: f64 = 2.0;
const REPEAT_MAX: usize = 100;

/// What `verify` is to do.
#[derive(Clone, Debug)]
pub struct VerifyPlan {
    /// What is predicted, of what, and where the result goes.
    pub shared: EstimatePlan,
    /// Whether `--load` was typed: then every state of it has to be measured.
    pub loads: Loads,
    /// Typed indexes: name, and definition for createIndexes.
    pub indexes: Vec<(String, Vec<u8>)>,
    /// Where to measure.
    pub target: Target,
    /// Loads of each input under each codec and in each state.
    pub repeat: NonZeroUsize,
    /// Whether scans are measured.
    pub scan: Scan,
    /// Per cent.
    pub tolerance_percent: f64,
}

/// Who chose the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loads {
    /// The user.
    Typed,
    /// Nobody: those that the server makes.
    AsServer,
}

/// Where to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A server that is started with this program.
    Spawn(PathBuf),
    /// A server that runs.
    Running(Address, LeftOver),
}

/// What happens to databases that killed runs left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOver {
    /// They are named.
    Name,
    /// They are dropped.
    Drop,
}

/// Whether scans are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// No.
    Skip,
    /// Yes.
    Measure,
}

impl VerifyPlan {
    /// Checks `args`.
    pub(super) fn new(args: &VerifyArgs) -> Result<Self, UsageError> {
        let target = target(args)?;
        let shared = EstimatePlan::shared(&args.inputs, &args.shared)?;
        if shared.model.sampling.is_some() {
            return Err(UsageError::Grammar {
                what: "--sample, --target-error, --scale-to: a server is loaded with all documents, so all are modelled"
                    .to_owned(),
                hints: vec!["leave it out; to see how good a sample is, run `estimate` with and without it".to_owned()],
            });
        }
        if shared.output == OutputKind::Html {
            return Err(UsageError::Grammar {
                what: "--output: a page is made of estimates, not of comparisons with a server".to_owned(),
                hints: vec!["take `--output markdown` or `--output table`".to_owned()],
            });
        }
        shared.inputs.iter().try_for_each(can_be_read_again)?;
        for codec in &shared.model.codecs {
            if matches!(codec, CodecKind::Zlib(level) if *level != ZlibLevel::SERVER) {
                return Err(VerifyUsageError::ZlibLevel { codec: codec.to_string() }.into());
            }
        }
        if shared.model.shape.capped.is_some() {
            return Err(VerifyUsageError::Capped.into());
        }
        if args.scan && matches!(target, Target::Running(..)) {
            return Err(VerifyUsageError::ScanOfRunning.into());
        }
        Ok(Self {
            shared,
            loads: if args.shared.model.load.is_some() { Loads::Typed } else { Loads::AsServer },
            indexes: index::definitions(&args.shared.model.index)?,
            target,
            repeat: args.repeat.as_deref().map_or(Ok(NonZeroUsize::MIN), parse_repeat)?,
            scan: if args.scan { Scan::Measure } else { Scan::Skip },
            tolerance_percent: args.tolerance.as_deref().map_or(Ok(TOLERANCE_PERCENT), parse_tolerance)?,
        })
    }
}

fn target(args: &VerifyArgs) -> Result<Target, UsageError> {
    let refused = |error: VerifyUsageError| Err(error.into());
    match (&args.spawn, &args.uri) {
        (Some(_), _) if args.drop_left_over => refused(VerifyUsageError::NothingLeftOver),
        (Some(mongod), _) => Ok(Target::Spawn(mongod.clone())),
        (None, Some(_)) if !args.allow_writes => refused(VerifyUsageError::NoAllowWrites),
        (None, Some(uri)) => {
            let address = Address::parse(uri).map_err(|error| UsageError::address(&error))?;
            if address.namespace().is_some() {
                return refused(VerifyUsageError::CollectionNamed { address: address.to_string() });
            }
            let left_over = if args.drop_left_over { LeftOver::Drop } else { LeftOver::Name };
            Ok(Target::Running(address, left_over))
        }
        (None, None) => refused(VerifyUsageError::NoServer),
    }
}

/// A file that is not there is told when it is opened.
fn can_be_read_again(input: &InputPlace) -> Result<(), UsageError> {
    let Some(path) = input.file() else { return Ok(()) };
    let is_stream = path.as_os_str() == "-"
        || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if is_stream {
        let input = path.display().to_string();
        return Err(VerifyUsageError::NotRepeatable { input }.into());
    }
    Ok(())
}

fn parse_repeat(text: &str) -> Result<NonZeroUsize, UsageError> {
    let repeat = text.parse().ok().filter(|repeat: &NonZeroUsize| repeat.get() <= REPEAT_MAX);
    repeat.ok_or_else(|| VerifyUsageError::Repeat { text: text.to_owned() }.into())
}

/// `2%`, `2 %`, `0.5`.
fn parse_tolerance(text: &str) -> Result<f64, UsageError> {
    let number = text.trim().trim_end_matches('%').trim_end();
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let percent = number.parse().ok().filter(|percent: &f64| is_number && (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| VerifyUsageError::Tolerance { text: text.to_owned() }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_a_number_of_per_cent() {
        for (text, want) in [
            ("2%", Some(2.0)),
            ("0.5 %", Some(0.5)),
            ("1.5", Some(1.5)),
            ("0", Some(0.0)),
            ("100%", Some(100.0)),
            ("101%", None),
            ("-1%", None),
            ("%", None),
            ("nan", None),
            ("1e1", None),
        ] {
            assert_eq!(parse_tolerance(text).ok(), want, "{text}");
        }
    }

    #[test]
    fn loads_are_counted_from_one_to_a_hundred() {
        for (text, want) in [("1", Some(1)), ("100", Some(100)), ("0", None), ("101", None), ("x", None)] {
            assert_eq!(parse_repeat(text).ok().map(NonZeroUsize::get), want, "{text}");
        }
    }
}

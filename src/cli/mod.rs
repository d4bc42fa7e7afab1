//! The command line: what was typed, what it means, and one short file for each command.
//!
//! Strings stop here: below this module there are only types that cannot be wrong.

mod args;
mod capacity;
mod capacity_plan;
mod clock;
mod described;
mod destination;
mod estimate;
mod facts;
mod generate;
mod help;
mod index;
mod inputs;
mod inspect;
mod manual;
mod merge;
mod partial;
mod plan;
mod plot;
mod progress;
mod sampling;
mod sizes;
mod store;
mod store_plan;
mod sweep;
mod usage;
#[cfg(feature = "live")]
mod verify;
#[cfg(feature = "live")]
mod verify_plan;
mod verify_usage;

pub use estimate::run_estimate;
pub use inputs::{InputPlace, Reading};
pub use plan::{EstimatePlan, Scrutiny, Tables, TypedTable};
pub use progress::{Progress, Silent, Verbosity};
pub use sizes::SizeError;
pub use usage::UsageError;
#[cfg(feature = "live")]
pub use verify::run_verify;
#[cfg(feature = "live")]
pub use verify_plan::{LeftOver, Loads, Scan, Target, VerifyPlan};
pub use verify_usage::VerifyUsageError;

use crate::datafile::DataFileError;
use crate::estimate::merging::MergeError;
use crate::mongod::MongodError;
use crate::pipeline::PipelineError;
use crate::plot::{PublishedError, SavedError};
use crate::report::saved::ReadError;
use crate::source::SourceError;
use crate::units::BsonBytes;
use args::{Args, Command, Parsed};
use std::ffi::OsString;
use std::io::{self, Write};

/// What a run that printed its result has to say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was taken into account.
    Complete,
    /// The result is printed, but input was skipped.
    Incomplete,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// What was typed makes no sense.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// An input cannot be opened, read or understood.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// No estimate came of an input that could be opened.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// A data file cannot be read.
    #[error(transparent)]
    DataFile(#[from] DataFileError),
    /// A server does not do what it is asked.
    #[error(transparent)]
    Mongod(#[from] MongodError),
    /// A run that failed and could not clean up after itself either.
    #[error("{error}")]
    LeftBehind {
        /// Why it failed.
        error: Box<CliError>,
        /// What to do about what is left.
        hint: String,
    },
    /// What was loaded is not what was predicted.
    #[error(
        "{input}: {} documents of {} bytes were predicted, and the server counts {} of {} bytes",
        predicted.0, predicted.1.0, measured.0, measured.1.0
    )]
    OtherDocuments {
        /// Name of the input.
        input: String,
        /// Documents and their BSON bytes.
        predicted: (u64, BsonBytes),
        /// The same as the server counts them.
        measured: (u64, BsonBytes),
    },
    /// One input among several holds no document.
    #[error(transparent)]
    OneOfMany(Box<CliError>),
    /// A report that is to be drawn is none.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// A report that is to be merged is none.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Reports that do not make one.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// A table of published figures is none.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// A report, or a table of published figures, cannot be read.
    #[error("{place}: cannot read")]
    Report {
        /// The file's name, or standard input.
        place: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The folder of plots cannot be written.
    #[error("{place}: cannot write plots there")]
    PlotFolder {
        /// The folder.
        place: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The result cannot be written.
    #[error("{place}: cannot write")]
    Output {
        /// The file's name, or standard output.
        place: String,
        /// The system's answer.
        source: io::Error,
    },
}

impl CliError {
    /// What the user can do next, one line each, best first.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Usage(error) => error.hints(),
            Self::Source(error) | Self::Pipeline(PipelineError::Source(error)) => error.hints(),
            Self::DataFile(error) | Self::Pipeline(PipelineError::DataFile(error)) => inspect::hints(error),
            Self::Mongod(error) => error.hints(),
            Self::LeftBehind { error, hint } => {
                let mut hints = error.hints();
                hints.push(hint.clone());
                hints
            }
            Self::OtherDocuments { .. } => {
                vec!["is the input being written? A dump of it stays as it is".to_owned()]
            }
            Self::Pipeline(PipelineError::NoDocuments { skipped: 0, .. }) => {
                vec!["an empty collection takes 4096 bytes on disk; there is nothing to estimate".to_owned()]
            }
            Self::Pipeline(PipelineError::NoDocuments { .. }) => {
                vec!["if its format is another one, name it: `--format bson|json|csv|tsv`".to_owned()]
            }
            Self::Pipeline(PipelineError::Threads { .. }) => {
                vec!["ask for fewer: `--threads 1`; the result does not depend on it".to_owned()]
            }
            Self::Pipeline(PipelineError::NotInParts { .. }) => {
                vec!["leave `--partial` out, or unpack the input into a file of its own".to_owned()]
            }
            Self::OneOfMany(error) => {
                let mut hints = error.hints();
                hints.push("to go on with the other inputs, pass `--on-bad-document skip`".to_owned());
                hints
            }
            Self::Saved(error) => error.hints(),
            Self::Read(error) => error.hints(),
            Self::Merge(error) => error.hints(),
            Self::Published(_) => vec!["data/reference has tables of that kind".to_owned()],
            Self::Report { .. } => Vec::new(),
            Self::PlotFolder { source, .. } => match source.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    vec!["a file has that name; name a folder, or one that is to be made".to_owned()]
                }
                _ => vec!["name a folder that you may write to".to_owned()],
            },
            Self::Output { place, source } => match source.kind() {
                io::ErrorKind::NotFound => vec!["the folder of `--out` must exist".to_owned()],
                io::ErrorKind::IsADirectory => {
                    vec![format!(
                        "name the file too, as in `--out {}/report.txt`",
                        place.trim_end_matches('/')
                    )]
                }
                io::ErrorKind::StorageFull => vec!["nothing was kept; make room and run it again".to_owned()],
                _ => Vec::new(),
            },
        }
    }

    /// Whether nobody reads the result any more, as in `pagepress … | head -1`.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Whether the input could be read and nothing in it is a document.
    fn holds_no_document(&self) -> bool {
        match self {
            Self::Source(error) => !error.is_about_the_system(),
            Self::Pipeline(error) => matches!(error, PipelineError::NoDocuments { .. }),
            _ => false,
        }
    }

    fn stdout(source: io::Error) -> Self {
        Self::Output { place: "standard output".to_owned(), source }
    }
}

/// Runs the command that `argv` (program name first) asks for; the result goes to standard output.
///
/// # Errors
///
/// No result: usage, input or output. See [`CliError`].
pub fn run(argv: impl IntoIterator<Item = OsString>) -> Result<Outcome, CliError> {
    let typed = match args::parse(argv)? {
        Parsed::Help(text) => return print(|out| out.write_all(text.as_bytes())),
        Parsed::Run(typed) => *typed,
    };
    match typed {
        Args { version: true, verbose: true, .. } => print(facts::write_versions),
        Args { version: true, .. } => print(facts::write_version),
        Args { command: None, .. } => Err(UsageError::NoCommand.into()),
        Args { command: Some(command), .. } => run_command(command),
    }
}

fn run_command(command: Command) -> Result<Outcome, CliError> {
    match command {
        Command::Estimate(typed) if typed.store.is_another_store() => store::run(&typed),
        Command::Estimate(typed) => match &typed.partial.partial {
            Some(part) => partial::run(&typed, part),
            None => estimate::run(&typed),
        },
        Command::Sweep(typed) => sweep::run(&typed),
        Command::Plan(typed) => capacity::run(&typed),
        Command::Inspect(typed) => inspect::run(&typed),
        #[cfg(feature = "live")]
        Command::Verify(typed) => verify::run(&typed),
        Command::Generate(typed) => generate::run(&typed),
        Command::Plot(typed) => plot::run(&typed),
        Command::Merge(typed) => merge::run(&typed),
        Command::Facts => print(facts::write_facts),
        Command::Completions { shell } => print(|out| manual::write_completions(shell, out)),
        Command::Man { command } => {
            let page = manual::page(command.as_deref())?;
            print(|out| out.write_all(&page))
        }
    }
}

fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Outcome, CliError> {
    let mut out = io::stdout().lock();
    write(&mut out).and_then(|()| out.flush()).map_err(CliError::stdout)?;
    Ok(Outcome::Complete)
}

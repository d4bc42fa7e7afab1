//! The grammar of the command line: what can be typed, and nothing about what it means.

mod capacity;
mod inspect;
mod merge;
mod plot;
mod shared;
mod stores;
mod sweep;
#[cfg(feature = "live")]
mod verify;

pub(super) use capacity::PlanArgs;
pub(super) use inspect::InspectArgs;
pub(super) use merge::{MergeArgs, PartialArgs};
pub(super) use plot::{PlotArgs, PlotFormatArg, PlotsArgs};
pub(super) use shared::{LiveArgs, ModelArgs, SharedArgs};
pub(super) use stores::{GeometryArg, StoreArgs};
pub(super) use sweep::SweepArgs;
#[cfg(feature = "live")]
pub(super) use verify::VerifyArgs;

use super::UsageError;
use super::help;
use crate::estimate::LoadState;
use crate::mongod::{ReadFrom, without_secrets};
use crate::report::OutputKind;
use crate::source::{Format, OnBadDocument};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, CommandFactory, Parser, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Columns of help: what a terminal of 80 shows without a break.
const HELP_COLUMNS: usize = 79;

#[cfg(feature = "live")]
const SERVER: &str = "Server";
const INPUT: &str = "Input";
const MODEL: &str = "Model";
const OUTPUT: &str = "Output";
const RUN: &str = "Run";

mod generate;
mod reading;
mod sampling;

pub(super) use generate::{GenerateArgs, NotationArg};
pub(super) use reading::ReadingArgs;
pub(super) use sampling::SamplingArgs;

/// All of a command line.
#[derive(Clone, Debug, Parser)]
#[command(name = "pagepress", about = help::ABOUT, long_about = help::ABOUT_LONG, after_long_help = help::EXAMPLES)]
#[command(version, disable_version_flag = true, disable_help_subcommand = true, max_term_width = HELP_COLUMNS)]
pub(super) struct Args {
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::SetTrue)]
    pub version: bool,
    /// With --version: print the encoders' versions too
    #[arg(long, requires = "version")]
    pub verbose: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Clone, Debug, clap::Subcommand)]
pub(super) enum Command {
    #[command(about = help::ESTIMATE, long_about = help::ESTIMATE_LONG, after_long_help = help::ESTIMATE_EXAMPLES)]
    Estimate(Box<EstimateArgs>),
    #[command(about = help::sweep::ABOUT, long_about = help::sweep::ABOUT_LONG, after_long_help = help::sweep::EXAMPLES)]
    Sweep(Box<SweepArgs>),
    #[command(about = help::capacity::ABOUT, long_about = help::capacity::ABOUT_LONG)]
    #[command(after_long_help = help::capacity::EXAMPLES)]
    Plan(Box<PlanArgs>),
    #[command(about = help::inspect::ABOUT, long_about = help::inspect::ABOUT_LONG)]
    #[command(after_long_help = help::inspect::EXAMPLES)]
    Inspect(Box<InspectArgs>),
    #[cfg(feature = "live")]
    #[command(about = help::verify::ABOUT, long_about = help::verify::ABOUT_LONG, after_long_help = help::verify::EXAMPLES)]
    Verify(Box<VerifyArgs>),
    #[command(about = help::generate::GENERATE, long_about = help::generate::GENERATE_LONG)]
    #[command(after_long_help = help::generate::GENERATE_EXAMPLES)]
    Generate(GenerateArgs),
    #[command(about = help::plot::PLOT, long_about = help::plot::PLOT_LONG, after_long_help = help::plot::PLOT_EXAMPLES)]
    Plot(PlotArgs),
    #[command(about = help::merge::ABOUT, long_about = help::merge::ABOUT_LONG, after_long_help = help::merge::EXAMPLES)]
    Merge(MergeArgs),
    #[command(about = help::FACTS, long_about = help::FACTS_LONG, after_long_help = help::FACTS_EXAMPLES)]
    Facts,
    #[command(about = help::COMPLETIONS, after_long_help = help::COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell to write them for
        shell: clap_complete::Shell,
    },
    #[command(about = help::MAN, after_long_help = help::MAN_EXAMPLES)]
    Man {
        /// The command that the page is about [default: pagepress itself]
        command: Option<String>,
    },
}

/// What was typed behind `estimate`.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct EstimateArgs {
    #[arg(required = true, value_name = "INPUT", display_order = 0, help_heading = INPUT, help = help::INPUTS, long_help = help::INPUTS_LONG)]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub partial: PartialArgs,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub shared: SharedArgs,
    #[command(flatten)]
    pub plots: PlotsArgs,
    #[arg(long, help_heading = OUTPUT, help = help::plot::WALK, long_help = help::plot::WALK_LONG)]
    pub walk: bool,
}

/// `--format`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FormatArg {
    Bson,
    Json,
    Csv,
    Tsv,
}

impl From<FormatArg> for Format {
    fn from(typed: FormatArg) -> Self {
        match typed {
            FormatArg::Bson => Self::Bson,
            FormatArg::Json => Self::Json,
            FormatArg::Csv => Self::Csv,
            FormatArg::Tsv => Self::Tsv,
        }
    }
}

/// `--on-bad-document`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum OnBadArg {
    Stop,
    Skip,
}

impl From<OnBadArg> for OnBadDocument {
    fn from(typed: OnBadArg) -> Self {
        match typed {
            OnBadArg::Stop => Self::Stop,
            OnBadArg::Skip => Self::Skip,
        }
    }
}

/// `--load`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum LoadArg {
    Settled,
    Bulk,
    Both,
}

impl LoadArg {
    /// The states, in the order of the report.
    pub(super) fn loads(self) -> Vec<LoadState> {
        match self {
            Self::Settled => vec![LoadState::Settled],
            Self::Bulk => vec![LoadState::Bulk],
            Self::Both => vec![LoadState::Settled, LoadState::Bulk],
        }
    }
}

/// `--read-preference`.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "camelCase")]
pub(super) enum ReadPreferenceArg {
    Primary,
    PrimaryPreferred,
    Secondary,
    SecondaryPreferred,
    Nearest,
}

impl From<ReadPreferenceArg> for ReadFrom {
    fn from(typed: ReadPreferenceArg) -> Self {
        match typed {
            ReadPreferenceArg::Primary => Self::Primary,
            ReadPreferenceArg::PrimaryPreferred => Self::PrimaryPreferred,
            ReadPreferenceArg::Secondary => Self::Secondary,
            ReadPreferenceArg::SecondaryPreferred => Self::SecondaryPreferred,
            ReadPreferenceArg::Nearest => Self::Nearest,
        }
    }
}

/// `--output`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum OutputArg {
    Table,
    Json,
    Csv,
    Markdown,
    Html,
}

impl From<OutputArg> for OutputKind {
    fn from(typed: OutputArg) -> Self {
        match typed {
            OutputArg::Table => Self::Table,
            OutputArg::Json => Self::Json,
            OutputArg::Csv => Self::Csv,
            OutputArg::Markdown => Self::Markdown,
            OutputArg::Html => Self::Html,
        }
    }
}

/// A command line that keeps to the grammar.
#[derive(Debug)]
pub(super) enum Parsed {
    /// Help was asked for; this is it.
    Help(String),
    /// Something to run.
    Run(Box<Args>),
}

/// Reads `argv`, program name first.
pub(super) fn parse(argv: impl IntoIterator<Item = OsString>) -> Result<Parsed, UsageError> {
    let argv: Vec<OsString> = argv.into_iter().collect();
    match Args::try_parse_from(&argv) {
        Ok(typed) => Ok(Parsed::Run(Box::new(typed))),
        Err(error) if error.kind() == ErrorKind::DisplayHelp => Ok(Parsed::Help(trimmed(&error))),
        Err(error) => Err(grammar(&error, &command_of(&argv))),
    }
}

/// Help without blanks at the ends of lines.
fn trimmed(help: &clap::Error) -> String {
    let rendered = help.render().to_string();
    let mut lines: Vec<&str> = rendered.lines().map(str::trim_end).collect();
    lines.push("");
    lines.join("\n")
}

/// `pagepress estimate` where that command was typed, else `pagepress`.
fn command_of(argv: &[OsString]) -> String {
    let program = Args::command();
    let typed = argv.iter().skip(1).find_map(|arg| program.find_subcommand(arg));
    match typed {
        Some(command) => format!("{} {}", program.get_name(), command.get_name()),
        None => program.get_name().to_owned(),
    }
}

/// The parser's complaint in our own shape.
fn grammar(error: &clap::Error, command: &str) -> UsageError {
    let named = |kind| text(error.get(kind)).unwrap_or_default();
    let arg = flag(&named(ContextKind::InvalidArg));
    let value = named(ContextKind::InvalidValue);
    let mut hints = Vec::new();
    let what = match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => {
            hints.extend(allowed(error).map(|values| format!("it takes one of {values}")));
            format!("{arg}: the value is missing")
        }
        ErrorKind::InvalidValue => {
            hints.extend(suggestion(error, ContextKind::SuggestedValue));
            match allowed(error) {
                Some(values) if values.contains(',') => format!("{arg}: `{value}` is none of {values}"),
                Some(only) => format!("{arg}: `{value}` is not `{only}`, the only value that is known"),
                None => format!("{arg}: `{value}` cannot be read"),
            }
        }
        ErrorKind::UnknownArgument if arg.starts_with('-') => {
            hints.extend(suggestion(error, ContextKind::SuggestedArg));
            format!("`{arg}` is no option of `{command}`")
        }
        ErrorKind::UnknownArgument => format!("`{arg}` is one argument too many for `{command}`"),
        ErrorKind::InvalidSubcommand => {
            let name = named(ContextKind::InvalidSubcommand);
            hints.extend(suggestion(error, ContextKind::SuggestedSubcommand));
            if hints.is_empty() {
                hints.push(format!("to estimate from a file, run `pagepress estimate {name}`"));
            }
            format!("`{name}` is no command")
        }
        ErrorKind::MissingRequiredArgument if arg.starts_with('-') => {
            format!("an option that was given needs {arg} as well")
        }
        ErrorKind::MissingRequiredArgument => format!("`{command}` needs {arg}"),
        ErrorKind::ArgumentConflict => match flag(&named(ContextKind::PriorArg)) {
            prior if prior == arg => format!("{arg} is given twice"),
            prior => format!("{arg} does not go with {prior}"),
        },
        _ => {
            let rendered = error.render().to_string();
            let first = rendered.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        }
    };
    hints.push(format!("`{command} --help` says what can be given"));
    // An address may stand where it does not belong.
    let hints = hints.iter().map(|hint| without_secrets(hint)).collect();
    UsageError::Grammar { what: without_secrets(&what), hints }
}

/// `--codec` of `--codec <LIST>`, `INPUT` of `<INPUT>...`.
fn flag(arg: &str) -> String {
    match arg.split_once(' ') {
        Some((flag, _)) if flag.starts_with('-') => flag.to_owned(),
        _ => arg.trim_end_matches("...").trim_matches(['<', '>', '[', ']']).to_owned(),
    }
}

fn allowed(error: &clap::Error) -> Option<String> {
    text(error.get(ContextKind::ValidValue)).filter(|values| !values.is_empty())
}

fn suggestion(error: &clap::Error, kind: ContextKind) -> Option<String> {
    let suggested = text(error.get(kind)).filter(|text| !text.is_empty())?;
    Some(format!("did you mean `{suggested}`?"))
}

fn text(value: Option<&ContextValue>) -> Option<String> {
    match value? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => Some(texts.join(", ")),
        ContextValue::StyledStr(text) => Some(text.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_sound() {
        Args::command().debug_assert();
    }

    /// Rules over all options: each stands under a question, names its value and explains itself.
    #[test]
    fn every_option_has_a_heading_a_line_and_a_long_text() {
        let command = Args::command();
        for name in ["estimate", "inspect", "merge", "plan", "sweep", "verify"] {
            let Some(command) = command.find_subcommand(name) else { continue };
            for arg in command.get_arguments() {
                let id = arg.get_id();
                assert!(arg.get_help_heading().is_some(), "{name}: {id} has no heading");
                let line = arg.get_help().map(ToString::to_string).unwrap_or_default();
                let is_line = !line.is_empty() && !line.contains('\n') && !line.ends_with('.');
                assert!(is_line, "{name}: {id}: {line}");
                if id != "help" {
                    let long = arg.get_long_help().map(ToString::to_string).unwrap_or_default();
                    assert!(long.len() > line.len(), "{name}: {id} has no long text");
                }
            }
        }
    }
}

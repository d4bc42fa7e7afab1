//! The grammar of the command line: what can be typed, and nothing about what it means.

mod inspect;
mod plot;

pub(super) use inspect::InspectArgs;
pub(super) use plot::{PlotArgs, PlotFormatArg};

use super::UsageError;
use super::help;
use crate::estimate::LoadState;
use crate::report::OutputKind;
use crate::source::{Format, OnBadDocument};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, CommandFactory, Parser, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Columns of help: what a terminal of 80 shows without a break.
const HELP_COLUMNS: usize = 79;

const INPUT: &str = "Input";
const MODEL: &str = "Model";
const OUTPUT: &str = "Output";
const RUN: &str = "Run";

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
    #[command(about = help::inspect::ABOUT, long_about = help::inspect::ABOUT_LONG)]
    #[command(after_long_help = help::inspect::EXAMPLES)]
    Inspect(Box<InspectArgs>),
    #[command(about = help::plot::PLOT, long_about = help::plot::PLOT_LONG, after_long_help = help::plot::PLOT_EXAMPLES)]
    Plot(PlotArgs),
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
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch that was typed; the plan has their meanings"
)]
pub(super) struct EstimateArgs {
    #[arg(required = true, value_name = "INPUT", display_order = 0, help_heading = INPUT, help = help::INPUTS, long_help = help::INPUTS_LONG)]
    pub inputs: Vec<PathBuf>,
    #[arg(short, long, value_name = "FORMAT", display_order = 1, hide_possible_values = true, help_heading = INPUT)]
    #[arg(help = help::FORMAT, long_help = help::FORMAT_LONG)]
    pub format: Option<FormatArg>,
    #[arg(long, value_name = "ACTION", display_order = 2, hide_possible_values = true, help_heading = INPUT)]
    #[arg(help = help::ON_BAD, long_help = help::ON_BAD_LONG)]
    pub on_bad_document: Option<OnBadArg>,

    #[arg(short, long, value_name = "LIST", help_heading = MODEL, help = help::CODEC, long_help = help::codec_long())]
    pub codec: Vec<String>,
    #[arg(long, value_name = "RELEASE", help_heading = MODEL, help = help::server(), long_help = help::server_long())]
    pub server: Option<String>,
    #[arg(long, value_name = "STATE", hide_possible_values = true, help_heading = MODEL)]
    #[arg(help = help::LOAD, long_help = help::LOAD_LONG)]
    pub load: Option<LoadArg>,
    #[arg(long, value_name = "JSON", help_heading = MODEL, help = help::INDEX, long_help = help::INDEX_LONG)]
    pub index: Vec<String>,
    #[arg(long, help_heading = MODEL, help = help::CLUSTERED, long_help = help::CLUSTERED_LONG)]
    pub clustered: bool,
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, conflicts_with = "clustered", help_heading = MODEL)]
    #[arg(help = help::CAPPED, long_help = help::capped_long())]
    pub capped: Option<String>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "capped", help_heading = MODEL)]
    #[arg(help = help::CAPPED_MAX, long_help = help::CAPPED_MAX_LONG)]
    pub capped_max: Option<String>,
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = MODEL)]
    #[arg(help = help::leaf_page_max(), long_help = help::leaf_page_max_long())]
    pub leaf_page_max: Option<String>,
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = MODEL)]
    #[arg(help = help::allocation_size(), long_help = help::allocation_size_long())]
    pub allocation_size: Option<String>,
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = MODEL)]
    #[arg(help = help::memory_page_max(), long_help = help::memory_page_max_long())]
    pub memory_page_max: Option<String>,
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = MODEL)]
    #[arg(help = help::cache_size(), long_help = help::cache_size_long())]
    pub cache_size: Option<String>,

    #[arg(short, long, value_name = "KIND", hide_possible_values = true, help_heading = OUTPUT)]
    #[arg(help = help::plot::OUTPUT, long_help = help::plot::OUTPUT_LONG)]
    pub output: Option<OutputArg>,
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, help = help::OUT, long_help = help::OUT_LONG)]
    pub out: Option<PathBuf>,
    #[arg(long, help_heading = OUTPUT, help = help::EXPLAIN, long_help = help::EXPLAIN_LONG)]
    pub explain: bool,
    #[arg(long, value_name = "DIR", help_heading = OUTPUT, help = help::plot::PLOTS, long_help = help::plot::PLOTS_LONG)]
    pub plots: Option<PathBuf>,
    #[arg(long, help_heading = OUTPUT, help = help::plot::WALK, long_help = help::plot::WALK_LONG)]
    pub walk: bool,

    #[arg(long, help_heading = RUN, help = help::NO_TIMING, long_help = help::NO_TIMING_LONG)]
    pub no_timing: bool,
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = RUN)]
    #[arg(help = help::index_memory(), long_help = help::index_memory_long())]
    pub index_memory: Option<String>,
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, help_heading = RUN)]
    #[arg(help = help::THREADS, long_help = help::threads_long())]
    pub threads: Option<String>,
    #[arg(short, long, help_heading = RUN, help = help::QUIET, long_help = help::QUIET_LONG)]
    pub quiet: bool,
    /// Print help (-h: one line a flag, --help: all of it)
    #[arg(short, long, action = ArgAction::Help, help_heading = RUN)]
    help: Option<bool>,
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
    UsageError::Grammar { what, hints }
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
        let commands = ["estimate", "inspect"].map(|name| command.find_subcommand(name).unwrap());
        for arg in commands.into_iter().flat_map(clap::Command::get_arguments) {
            let id = arg.get_id();
            assert!(arg.get_help_heading().is_some(), "{id} has no heading");
            let line = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!line.is_empty() && !line.contains('\n') && !line.ends_with('.'), "{id}: {line}");
            if id != "help" {
                let long = arg.get_long_help().map(ToString::to_string).unwrap_or_default();
                assert!(long.len() > line.len(), "{id} has no long text");
            }
        }
    }
}

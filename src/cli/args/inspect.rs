//! What can be typed behind `inspect`.

use super::{INPUT, LoadArg, MODEL, OUTPUT, OutputArg, RUN};
use crate::cli::help::{self, inspect};
use clap::ArgAction;
use std::path::PathBuf;

/// What was typed behind `inspect`.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(in crate::cli) struct InspectArgs {
    #[arg(value_name = "FILE.wt|DBPATH", display_order = 0, help_heading = INPUT, help = inspect::PATH, long_help = inspect::PATH_LONG)]
    pub path: PathBuf,
    #[arg(long, value_name = "NAMESPACE", display_order = 1, help_heading = INPUT, help = inspect::NS, long_help = inspect::NS_LONG)]
    pub ns: Vec<String>,

    #[arg(long, value_name = "LIST", help_heading = MODEL, help = inspect::WHAT_IF, long_help = inspect::WHAT_IF_LONG)]
    pub what_if: Vec<String>,
    #[arg(long, value_name = "STATE", hide_possible_values = true, help_heading = MODEL)]
    #[arg(help = inspect::LOAD, long_help = inspect::LOAD_LONG)]
    pub load: Option<LoadArg>,
    #[arg(long, value_name = "RELEASE", help_heading = MODEL, help = help::server(), long_help = help::server_long())]
    pub server: Option<String>,

    #[arg(short, long, value_name = "KIND", hide_possible_values = true, help_heading = OUTPUT)]
    #[arg(help = help::OUTPUT, long_help = help::OUTPUT_LONG)]
    pub output: Option<OutputArg>,
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, help = help::OUT, long_help = help::OUT_LONG)]
    pub out: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, help = inspect::EXPORT, long_help = inspect::EXPORT_LONG)]
    pub export: Option<PathBuf>,
    #[arg(long, help_heading = OUTPUT, help = help::EXPLAIN, long_help = help::EXPLAIN_LONG)]
    pub explain: bool,

    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, help_heading = RUN)]
    #[arg(help = help::THREADS, long_help = help::threads_long())]
    pub threads: Option<String>,
    #[arg(short, long, help_heading = RUN, help = help::QUIET, long_help = help::QUIET_LONG)]
    pub quiet: bool,
    /// Print help (--help: all of it)
    #[arg(short, long, action = ArgAction::Help, help_heading = RUN)]
    help: Option<bool>,
}

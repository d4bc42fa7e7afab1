//! The grammar of `pagepress merge`, and of the option that makes what it merges.

use super::{INPUT, OUTPUT, OutputArg, RUN};
use crate::cli::help;
use clap::ArgAction;
use std::path::PathBuf;

/// What was typed behind `merge`.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(in crate::cli) struct MergeArgs {
    #[arg(required = true, value_name = "REPORT", help_heading = INPUT)]
    #[arg(help = help::merge::REPORTS, long_help = help::merge::REPORTS_LONG)]
    pub reports: Vec<PathBuf>,
    #[arg(short, long, value_name = "KIND", hide_possible_values = true, help_heading = OUTPUT)]
    #[arg(help = help::plot::OUTPUT, long_help = help::plot::OUTPUT_LONG)]
    pub output: Option<OutputArg>,
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, help = help::OUT, long_help = help::OUT_LONG)]
    pub out: Option<PathBuf>,
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

/// One part of an input.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct PartialArgs {
    #[arg(long, value_name = "K/N", allow_hyphen_values = true, display_order = 12, help_heading = INPUT)]
    #[arg(conflicts_with_all = ["sample", "target_error", "scale_to", "strict", "clustered", "capped"])]
    #[arg(conflicts_with_all = ["geometry", "on", "plots", "explain"])]
    #[arg(help = help::merge::PARTIAL, long_help = help::merge::PARTIAL_LONG)]
    pub partial: Option<String>,
}

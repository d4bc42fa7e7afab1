//! The grammar of `pagepress plot`.

use super::{INPUT, OUTPUT, RUN};
use crate::cli::help::plot as help;
use crate::plot::PlotFormat;
use clap::{ArgAction, ValueEnum};
use std::path::PathBuf;

/// What was typed behind `plot`.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(in crate::cli) struct PlotArgs {
    #[arg(required = true, value_name = "REPORT", help_heading = INPUT, help = help::REPORTS, long_help = help::REPORTS_LONG)]
    pub reports: Vec<PathBuf>,
    #[arg(long, value_name = "FILE", help_heading = INPUT, help = help::REFERENCE, long_help = help::REFERENCE_LONG)]
    pub reference: Option<PathBuf>,
    #[arg(long, required = true, value_name = "DIR", help_heading = OUTPUT, help = help::OUT, long_help = help::OUT_LONG)]
    pub out: PathBuf,
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true, help_heading = OUTPUT)]
    #[arg(help = help::FORMAT, long_help = help::FORMAT_LONG)]
    pub format: Vec<PlotFormatArg>,
    /// Print help (--help: all of it)
    #[arg(short, long, action = ArgAction::Help, help_heading = RUN)]
    help: Option<bool>,
}

/// Where a report's plots go.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct PlotsArgs {
    #[arg(long, value_name = "DIR", help_heading = OUTPUT, help = help::PLOTS, long_help = help::PLOTS_LONG)]
    pub plots: Option<PathBuf>,
}

/// One of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum PlotFormatArg {
    Svg,
    Png,
}

impl From<PlotFormatArg> for PlotFormat {
    fn from(typed: PlotFormatArg) -> Self {
        match typed {
            PlotFormatArg::Svg => Self::Svg,
            PlotFormatArg::Png => Self::Png,
        }
    }
}

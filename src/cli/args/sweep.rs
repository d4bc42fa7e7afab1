//! What can be typed behind `sweep`.

use super::{INPUT, PlotsArgs, RUN, SharedArgs};
use crate::cli::help;
use std::path::PathBuf;

/// What is swept, and how thoroughly.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(in crate::cli) struct SweepArgs {
    #[arg(required = true, value_name = "INPUT", display_order = 0, help_heading = INPUT)]
    #[arg(help = help::INPUTS, long_help = help::INPUTS_LONG)]
    pub inputs: Vec<PathBuf>,
    #[arg(long, help_heading = RUN, help = help::sweep::FULL, long_help = help::sweep::FULL_LONG)]
    pub full: bool,
    #[command(flatten)]
    pub shared: SharedArgs,
    #[command(flatten)]
    pub plots: PlotsArgs,
}

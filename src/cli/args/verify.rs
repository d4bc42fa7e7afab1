//! What can be typed behind `verify`.

use super::{INPUT, SERVER, SharedArgs};
use crate::cli::help;
use std::path::PathBuf;

/// The server that measures, and what is predicted.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(in crate::cli) struct VerifyArgs {
    #[arg(required_unless_present = "drop_left_over", value_name = "INPUT", display_order = 0, help_heading = INPUT)]
    #[arg(help = help::INPUTS_SEEKABLE, long_help = help::INPUTS_SEEKABLE_LONG)]
    pub inputs: Vec<PathBuf>,

    #[arg(long, value_name = "MONGOD", help_heading = SERVER, conflicts_with = "uri")]
    #[arg(help = help::verify::SPAWN, long_help = help::verify::SPAWN_LONG)]
    pub spawn: Option<PathBuf>,
    #[arg(long, value_name = "URI", help_heading = SERVER, help = help::verify::URI, long_help = help::verify::URI_LONG)]
    pub uri: Option<String>,
    #[arg(long, help_heading = SERVER, help = help::verify::ALLOW_WRITES, long_help = help::verify::ALLOW_WRITES_LONG)]
    pub allow_writes: bool,
    #[arg(long, help_heading = SERVER, help = help::verify::DROP_LEFT_OVER, long_help = help::verify::DROP_LEFT_OVER_LONG)]
    pub drop_left_over: bool,
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = SERVER)]
    #[arg(help = help::verify::REPEAT, long_help = help::verify::REPEAT_LONG)]
    pub repeat: Option<String>,
    #[arg(long, help_heading = SERVER, help = help::verify::SCAN, long_help = help::verify::SCAN_LONG)]
    pub scan: bool,
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, help_heading = SERVER)]
    #[arg(help = help::verify::TOLERANCE, long_help = help::verify::TOLERANCE_LONG)]
    pub tolerance: Option<String>,

    #[command(flatten)]
    pub shared: SharedArgs,
}

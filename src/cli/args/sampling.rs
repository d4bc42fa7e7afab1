//! What can be typed about how much of an input is modelled.

use super::INPUT;
use crate::cli::help::sampling as help;

/// Options about a sample.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct SamplingArgs {
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, display_order = 8, help_heading = INPUT)]
    #[arg(conflicts_with = "target_error", help = help::SAMPLE, long_help = help::SAMPLE_LONG)]
    pub sample: Option<String>,
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, display_order = 9, help_heading = INPUT)]
    #[arg(help = help::TARGET_ERROR, long_help = help::TARGET_ERROR_LONG)]
    pub target_error: Option<String>,
    #[arg(long, value_name = "DOCUMENTS", allow_negative_numbers = true, display_order = 10, help_heading = INPUT)]
    #[arg(help = help::SCALE_TO, long_help = help::SCALE_TO_LONG)]
    pub scale_to: Option<String>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, display_order = 11, help_heading = INPUT)]
    #[arg(help = help::SAMPLE_SEED, long_help = help::SAMPLE_SEED_LONG)]
    pub sample_seed: Option<String>,
}

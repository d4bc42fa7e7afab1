//! What can be typed behind `plan`.

use super::{INPUT, MODEL, PlotsArgs, SharedArgs};
use crate::cli::help;
use std::path::PathBuf;

const NEEDS: &str = "Needs";

/// What is planned for, and the documents that it stands on.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(in crate::cli) struct PlanArgs {
    #[arg(required = true, value_name = "INPUT", display_order = 0, help_heading = INPUT)]
    #[arg(help = help::INPUTS, long_help = help::INPUTS_LONG)]
    pub inputs: Vec<PathBuf>,

    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::DOCUMENTS, long_help = help::capacity::DOCUMENTS_LONG)]
    pub documents: Option<String>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::REPLICAS, long_help = help::capacity::REPLICAS_LONG)]
    pub replicas: Option<String>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::SHARDS, long_help = help::capacity::SHARDS_LONG)]
    pub shards: Option<String>,
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, conflicts_with = "cache_size", help_heading = NEEDS)]
    #[arg(help = help::capacity::CACHE, long_help = help::capacity::CACHE_LONG)]
    pub cache: Option<String>,
    #[arg(long, value_name = "SIZE|%", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::WORKING_SET, long_help = help::capacity::WORKING_SET_LONG)]
    pub working_set: Option<String>,
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::HIT_RATE, long_help = help::capacity::HIT_RATE_LONG)]
    pub hit_rate: Option<String>,
    #[arg(long, value_name = "LIST", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::DISK, long_help = help::capacity::disk_long())]
    pub disk_mb_per_s: Option<String>,
    #[arg(long, value_name = "LIST", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::SAVING, long_help = help::capacity::SAVING_LONG)]
    pub scan_saving: Option<String>,
    #[arg(long, value_name = "MB", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::NETWORK, long_help = help::capacity::NETWORK_LONG)]
    pub network_mb_per_s: Option<String>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::WRITES, long_help = help::capacity::WRITES_LONG)]
    pub writes_per_s: Option<String>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::UPDATES, long_help = help::capacity::UPDATES_LONG)]
    pub updates_per_s: Option<String>,
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::OPLOG_HOURS, long_help = help::capacity::OPLOG_HOURS_LONG)]
    pub oplog_hours: Option<String>,
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::HEADROOM, long_help = help::capacity::HEADROOM_LONG)]
    pub headroom: Option<String>,
    #[arg(long, value_name = "PRICE", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::PRICE, long_help = help::capacity::PRICE_LONG)]
    pub price_per_gb_month: Option<String>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = NEEDS)]
    #[arg(help = help::capacity::BATCH, long_help = help::capacity::BATCH_LONG)]
    pub batch: Option<String>,

    #[arg(long, value_name = "LIST", help_heading = MODEL)]
    #[arg(help = help::capacity::DUMP_CODEC, long_help = help::capacity::DUMP_CODEC_LONG)]
    pub dump_codec: Vec<String>,
    #[command(flatten)]
    pub shared: SharedArgs,
    #[command(flatten)]
    pub plots: PlotsArgs,
}

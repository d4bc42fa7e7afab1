//! Options that more than one command takes.

use super::{
    FormatArg, INPUT, LoadArg, MODEL, OUTPUT, OnBadArg, OutputArg, RUN, ReadPreferenceArg, ReadingArgs,
    SamplingArgs,
};
use crate::cli::help;
use clap::ArgAction;
use std::path::PathBuf;

/// How inputs are read, what is modelled, and where the result goes.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct SharedArgs {
    #[arg(short, long, value_name = "FORMAT", display_order = 1, hide_possible_values = true, help_heading = INPUT)]
    #[arg(help = help::FORMAT, long_help = help::FORMAT_LONG)]
    pub format: Option<FormatArg>,
    #[arg(long, value_name = "ACTION", display_order = 2, hide_possible_values = true, help_heading = INPUT)]
    #[arg(help = help::ON_BAD, long_help = help::ON_BAD_LONG)]
    pub on_bad_document: Option<OnBadArg>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    #[command(flatten)]
    pub live: LiveArgs,

    #[command(flatten)]
    pub model: ModelArgs,

    #[arg(short, long, value_name = "KIND", hide_possible_values = true, help_heading = OUTPUT)]
    #[arg(help = help::plot::OUTPUT, long_help = help::plot::OUTPUT_LONG)]
    pub output: Option<OutputArg>,
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, help = help::OUT, long_help = help::OUT_LONG)]
    pub out: Option<PathBuf>,
    #[arg(long, help_heading = OUTPUT, help = help::EXPLAIN, long_help = help::EXPLAIN_LONG)]
    pub explain: bool,

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
    /// Print help (--help: all of it)
    #[arg(short, long, action = ArgAction::Help, help_heading = RUN)]
    help: Option<bool>,
}

/// How a collection on a server is read.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct LiveArgs {
    #[arg(long, value_name = "MODE", display_order = 3, hide_possible_values = true, help_heading = INPUT)]
    #[arg(help = help::READ_PREFERENCE, long_help = help::READ_PREFERENCE_LONG)]
    pub read_preference: Option<ReadPreferenceArg>,
    #[arg(long, value_name = "MB", display_order = 4, allow_negative_numbers = true, help_heading = INPUT)]
    #[arg(help = help::READ_MB_PER_S, long_help = help::READ_MB_PER_S_LONG)]
    pub read_mb_per_s: Option<String>,
}

/// What is modelled.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct ModelArgs {
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
}

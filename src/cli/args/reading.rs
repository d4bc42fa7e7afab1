//! What can be typed about how inputs are read.

use super::INPUT;
use crate::cli::help::reading as help;
use crate::source::json::JsonDialect;
use clap::ValueEnum;

/// Options about inputs beyond their format.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct ReadingArgs {
    #[arg(long, value_name = "PATTERN", display_order = 3, help_heading = INPUT, help = help::NS, long_help = help::NS_LONG)]
    pub ns: Vec<String>,
    #[arg(long, value_name = "DIALECT", display_order = 4, hide_possible_values = true, help_heading = INPUT)]
    #[arg(help = help::DIALECT, long_help = help::DIALECT_LONG)]
    pub json_dialect: Option<DialectArg>,
    #[arg(long, value_name = "LIST", display_order = 5, help_heading = INPUT, help = help::TYPES, long_help = help::TYPES_LONG)]
    pub types: Vec<String>,
    #[arg(long, display_order = 6, conflicts_with = "types", help_heading = INPUT)]
    #[arg(help = help::COLUMNS_HAVE_TYPES, long_help = help::COLUMNS_HAVE_TYPES_LONG)]
    pub columns_have_types: bool,
    #[arg(long, display_order = 7, help_heading = INPUT, help = help::STRICT, long_help = help::STRICT_LONG)]
    pub strict: bool,
}

/// `--json-dialect`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum DialectArg {
    Auto,
    V1,
    V2,
    Plain,
}

impl From<DialectArg> for JsonDialect {
    fn from(typed: DialectArg) -> Self {
        match typed {
            DialectArg::Auto => Self::Auto,
            DialectArg::V1 => Self::V1,
            DialectArg::V2 => Self::V2,
            DialectArg::Plain => Self::Plain,
        }
    }
}

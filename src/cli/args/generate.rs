//! What can be typed behind `generate`.

use super::{INPUT, OUTPUT, RUN};
use crate::cli::help::generate as help;
use crate::source::generate::{FieldNames, Shape};
use clap::builder::PossibleValue;
use clap::{ArgAction, ValueEnum};
use std::path::PathBuf;

const SHAPE: &str = INPUT;

/// What was typed behind `generate`.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(in crate::cli) struct GenerateArgs {
    #[arg(value_name = "SHAPE", display_order = 0, hide_possible_values = true, help_heading = SHAPE)]
    #[arg(help = help::SHAPE, long_help = help::SHAPE_LONG)]
    pub shape: ShapeArg,
    #[arg(short = 'n', long, display_order = 1, value_name = "N", allow_negative_numbers = true, help_heading = SHAPE)]
    #[arg(help = help::DOCUMENTS, long_help = help::DOCUMENTS_LONG)]
    pub documents: Option<String>,
    #[arg(long, display_order = 2, value_name = "N", allow_negative_numbers = true, help_heading = SHAPE)]
    #[arg(help = help::SEED, long_help = help::SEED_LONG)]
    pub seed: Option<String>,
    #[arg(long, display_order = 3, value_name = "LENGTH", hide_possible_values = true, help_heading = SHAPE)]
    #[arg(help = help::FIELD_NAMES, long_help = help::FIELD_NAMES_LONG)]
    pub field_names: Option<FieldNamesArg>,
    #[arg(short, long, value_name = "FORMAT", hide_possible_values = true, help_heading = OUTPUT)]
    #[arg(help = help::FORMAT, long_help = help::FORMAT_LONG)]
    pub format: Option<NotationArg>,
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, help = help::OUT, long_help = help::OUT_LONG)]
    pub out: Option<PathBuf>,
    /// Print help (--help: all of it)
    #[arg(short, long, action = ArgAction::Help, help_heading = RUN)]
    help: Option<bool>,
}

/// `SHAPE`.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct ShapeArg(pub Shape);

impl ValueEnum for ShapeArg {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: [ShapeArg; Shape::ALL.len()] = {
            let mut all = [ShapeArg(Shape::Logs); Shape::ALL.len()];
            let mut index = 0;
            while index < all.len() {
                all[index] = ShapeArg(Shape::ALL[index]);
                index += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

/// `--field-names`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum FieldNamesArg {
    Long,
    Short,
}

impl From<FieldNamesArg> for FieldNames {
    fn from(typed: FieldNamesArg) -> Self {
        match typed {
            FieldNamesArg::Long => Self::Long,
            FieldNamesArg::Short => Self::Short,
        }
    }
}

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum NotationArg {
    Bson,
    Ndjson,
}

//! What can be typed about other stores.

use super::MODEL;
use crate::cli::help;
use crate::geometry::btrfs::Mount;
use clap::ValueEnum;

/// Which store, and on what it lies.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct StoreArgs {
    #[arg(short, long, value_name = "NAME", hide_possible_values = true, help_heading = MODEL)]
    #[arg(help = help::GEOMETRY, long_help = help::GEOMETRY_LONG)]
    pub geometry: Option<GeometryArg>,
    #[arg(long, value_name = "STORE", help_heading = MODEL, help = help::ON, long_help = help::ON_LONG)]
    pub on: Vec<String>,
    #[arg(long, value_name = "OPTION", hide_possible_values = true, help_heading = MODEL)]
    #[arg(help = help::MOUNT, long_help = help::MOUNT_LONG)]
    pub mount: Option<MountArg>,
}

impl StoreArgs {
    /// Whether a collection of `WiredTiger` by itself is not what is asked for.
    pub(in crate::cli) fn is_another_store(&self) -> bool {
        self.geometry.is_some_and(|geometry| geometry != GeometryArg::Wiredtiger)
            || !self.on.is_empty()
            || self.mount.is_some()
    }
}

/// `--geometry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum GeometryArg {
    Wiredtiger,
    Btrfs,
    Innodb,
}

/// `--mount`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum MountArg {
    CompressForce,
    Compress,
}

impl From<MountArg> for Mount {
    fn from(typed: MountArg) -> Self {
        match typed {
            MountArg::CompressForce => Self::Force,
            MountArg::Compress => Self::Allow,
        }
    }
}

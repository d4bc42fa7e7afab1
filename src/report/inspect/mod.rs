//! Inspections of real data files as text, in the formats of estimates.

mod columns;
mod definitions;
mod details;
mod human;
mod wire;

use super::{OutputKind, ReportOptions};
use crate::estimate::Inspection;
use std::io::{self, Write};

pub use definitions::DEFINITIONS;

/// Writes the whole of `inspection`, last line ended.
///
/// # Errors
///
/// What `out` answers; [`OutputKind::Html`], which is made of estimates and sweeps only, is unsupported.
pub fn write_inspection(
    kind: OutputKind,
    inspection: &Inspection,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match kind {
        OutputKind::Table => human::write_table(inspection, options.detail, out),
        OutputKind::Markdown => human::write_markdown(inspection, options.detail, out),
        OutputKind::Csv => columns::write_csv(inspection, out),
        OutputKind::Html => Err(io::Error::new(io::ErrorKind::Unsupported, "inspections have no page")),
        OutputKind::Json => {
            serde_json::to_writer_pretty(&mut *out, &wire::inspection(inspection))
                .map_err(io::Error::from)?;
            writeln!(out)
        }
    }
}

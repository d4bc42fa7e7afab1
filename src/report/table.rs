//! For people on a terminal: plain text without colour, as wide as its figures.

use super::grid::{Align, Grid};
use super::{Detail, Report, ReportOptions, columns, definitions, heading};
use crate::estimate::{Estimate, remarks};
use crate::units::Printable;
use comfy_table::{Cell, CellAlignment, presets};
use std::io::{self, Write};

pub(super) struct Table;

impl Report for Table {
    fn write(&self, estimate: &Estimate, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
        for (at, collection) in estimate.collections.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            let documents = heading::documents(collection).join("  ");
            writeln!(out, "{}  {documents}", Printable(&collection.name))?;
            writeln!(out, "{}\n", heading::rules(&estimate.model).join("  "))?;
            writeln!(out, "{}", aligned(&columns::human(&estimate.model, collection)))?;
            if let Some(indexes) = columns::indexes(collection) {
                writeln!(out, "\n{}", aligned(&indexes))?;
            }
            let remarks = remarks(&estimate.model, collection);
            if !remarks.is_empty() {
                writeln!(out)?;
            }
            for remark in remarks {
                writeln!(out, "{}", Printable(&remark.to_string()))?;
            }
        }
        if options.detail == Detail::Definitions {
            write_definitions(&definitions::shown().collect::<Vec<_>>(), out)?;
        }
        Ok(())
    }
}

/// A line for each figure, its sentence behind the longest title.
pub(super) fn write_definitions<T: AsRef<str>>(shown: &[(T, &str)], out: &mut dyn Write) -> io::Result<()> {
    let width = shown.iter().map(|(title, _)| title.as_ref().len()).max().unwrap_or(0);
    writeln!(out)?;
    shown.iter().try_for_each(|(title, sentence)| writeln!(out, "{:width$}  {sentence}", title.as_ref()))
}

pub(super) fn aligned(grid: &Grid) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(presets::NOTHING);
    let side = |align| match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    };
    table.set_header(grid.heads.iter().map(|head| {
        let lines = if head.unit.is_empty() {
            head.label.to_owned()
        } else {
            format!("{}\n{}", head.label, head.unit)
        };
        Cell::new(lines).set_alignment(side(head.align))
    }));
    table.add_rows(&grid.rows);
    for (column, head) in table.column_iter_mut().zip(&grid.heads) {
        column.set_padding((0, 2)).set_cell_alignment(side(head.align));
    }
    table.trim_fmt()
}

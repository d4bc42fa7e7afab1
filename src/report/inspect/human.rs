//! For people: on a terminal, and in issues and wikis.

use super::{columns, definitions, details};
use crate::estimate::Inspection;
use crate::report::grid::Grid;
use crate::report::{Detail, markdown, table};
use crate::units::Printable;
use std::io::{self, Write};

/// Above so many tables their details would hide the overview.
const DETAILED_TABLES_MAX: usize = 1;

/// Every grid, in order.
fn grids(inspection: &Inspection) -> Vec<Grid> {
    let mut grids = columns::tables(inspection);
    if inspection.tables.len() <= DETAILED_TABLES_MAX {
        for table in &inspection.tables {
            grids.extend([details::owners(table), details::images(table), details::blocks(table)]);
        }
    }
    grids.extend(columns::what_ifs(inspection));
    grids.retain(|grid| !grid.rows.is_empty());
    grids
}

fn remarks(inspection: &Inspection) -> Vec<String> {
    let mut remarks: Vec<String> = inspection.tables.iter().flat_map(details::remarks).collect();
    for table in &inspection.unreadable {
        let name = table.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
        remarks.push(format!("{name}{}", table.reason));
    }
    remarks.extend(inspection.behind.iter().cloned());
    remarks
}

pub(super) fn write_table(inspection: &Inspection, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", Printable(&inspection.path))?;
    for grid in grids(inspection) {
        writeln!(out, "\n{}", table::aligned(&grid))?;
    }
    let remarks = remarks(inspection);
    if !remarks.is_empty() {
        writeln!(out)?;
    }
    remarks.iter().try_for_each(|remark| writeln!(out, "{}", Printable(remark)))?;
    if detail == Detail::Definitions {
        table::write_definitions(&definitions::shown().collect::<Vec<_>>(), out)?;
    }
    Ok(())
}

pub(super) fn write_markdown(inspection: &Inspection, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## {}", markdown::escaped(&inspection.path))?;
    for grid in grids(inspection) {
        writeln!(out)?;
        markdown::write_grid(&grid, out)?;
    }
    let remarks = remarks(inspection);
    if !remarks.is_empty() {
        writeln!(out)?;
    }
    remarks.iter().try_for_each(|remark| writeln!(out, "- {}", markdown::escaped(remark.trim_start())))?;
    if detail == Detail::Definitions {
        writeln!(out, "\n| figure | meaning |\n| --- | --- |")?;
        for (title, sentence) in definitions::shown() {
            markdown::write_row([title.as_str(), sentence].into_iter(), out)?;
        }
    }
    Ok(())
}

//! Reports of stores other than `WiredTiger`'s collections, in the same formats.

mod columns;
mod wire;

use super::grid::Grid;
use super::{Detail, OutputKind, ReportOptions, markdown, table};
use crate::estimate::store::{StoreEstimate, StoredInput};
use crate::units::{Grouped, Human, Printable};
use std::io::{self, Write};

/// Writes the whole of `estimate`, last line ended.
///
/// # Errors
///
/// What `out` answers; [`OutputKind::Html`], which is made of estimates and sweeps only, is unsupported.
pub fn write_store(
    output: OutputKind,
    estimate: &StoreEstimate,
    options: ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match output {
        OutputKind::Json => {
            serde_json::to_writer_pretty(&mut *out, &wire::estimate(estimate)).map_err(io::Error::from)?;
            writeln!(out)
        }
        OutputKind::Csv => write_csv(estimate, out),
        OutputKind::Html => Err(io::Error::new(io::ErrorKind::Unsupported, "other stores have no page")),
        OutputKind::Table => write_prose(&TERMINAL, estimate, options, out),
        OutputKind::Markdown => write_prose(&MARKDOWN, estimate, options, out),
    }
}

/// What differs between the formats for people.
struct Punctuation {
    title: fn(&str) -> String,
    grid: fn(&Grid, &mut dyn Write) -> io::Result<()>,
    item: &'static str,
}

const TERMINAL: Punctuation = Punctuation {
    title: |name| Printable(name).to_string(),
    grid: |grid, out| writeln!(out, "{}", table::aligned(grid)),
    item: "",
};

const MARKDOWN: Punctuation = Punctuation {
    title: |name| format!("## {}\n", markdown::escaped(name)),
    grid: markdown::write_grid,
    item: "- ",
};

fn write_prose(
    style: &Punctuation,
    estimate: &StoreEstimate,
    options: ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (at, input) in estimate.inputs.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", (style.title)(&input.name))?;
        writeln!(out, "{}", heading(input))?;
        writeln!(out, "rules of {}; {}\n", estimate.model.measured_on, estimate.model.write)?;
        (style.grid)(&columns::human(&estimate.model, input), out)?;
        writeln!(out)?;
        for remark in remarks(estimate.model.geometry, input) {
            writeln!(out, "{}{remark}", style.item)?;
        }
    }
    if options.detail == Detail::Definitions {
        writeln!(out)?;
        for (title, sentence) in columns::definitions() {
            writeln!(out, "{}{title}: {sentence}", style.item)?;
        }
    }
    Ok(())
}

fn heading(input: &StoredInput) -> String {
    let from = Printable(&input.source);
    match (input.documents, input.bson) {
        (Some(documents), Some(bson)) => {
            format!("{} documents  {} BSON  counted from {from}", Grouped(documents), Human(bson.0))
        }
        _ => format!("{}  counted from {from}", Human(input.input_bytes)),
    }
}

/// What a reader must know about the figures.
fn remarks(geometry: &str, input: &StoredInput) -> Vec<String> {
    let mut remarks = Vec::new();
    if geometry == "innodb" {
        remarks.push(
            "storage is the file after a clean shutdown; the part that was never used is there for growth, is \
             about as large whatever the data, and must not be scaled"
                .to_owned(),
        );
        remarks.push("the primary key is the table itself; secondary indexes are not modelled".to_owned());
    } else {
        remarks.push(
            "metadata comes on top of storage, is a mean and no rule, and is kept twice by default"
                .to_owned(),
        );
        remarks.push("a file system has no indexes".to_owned());
    }
    if geometry == "wiredtiger-on-btrfs" {
        remarks.push(
            "only the file that a load leaves is counted: blocks that a server rewrites in place of their sectors \
             keep their old extents until nothing refers to them"
                .to_owned(),
        );
    }
    if input.rows.iter().any(|row| row.codec.name.starts_with("mysql-")) {
        remarks.push("MySQL's page compression follows its source; it was not measured".to_owned());
    }
    remarks
}

fn write_csv(estimate: &StoreEstimate, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = ::csv::Writer::from_writer(out);
    lines.write_record(columns::names()).map_err(super::csv::io_error)?;
    for row in columns::plain(estimate) {
        lines.write_record(&row).map_err(super::csv::io_error)?;
    }
    lines.flush()
}

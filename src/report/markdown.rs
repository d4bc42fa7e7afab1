//! For issues and wikis: the table of the terminal with Markdown's punctuation.

use super::columns::{self, one_line};
use super::grid::{Align, Grid};
use super::{Detail, Report, ReportOptions, definitions, heading};
use crate::estimate::{Estimate, remarks};
use crate::units::Printable;
use std::io::{self, Write};

pub(super) struct Markdown;

impl Report for Markdown {
    fn write(&self, estimate: &Estimate, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
        for (at, collection) in estimate.collections.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            writeln!(out, "## {}\n", escaped(&collection.name))?;
            writeln!(out, "{}; {}\n", escaped(&heading::documents(collection).join(", ")), {
                escaped(&heading::rules(&estimate.model).join(", "))
            })?;
            write_grid(&columns::human(&estimate.model, collection), out)?;
            if let Some(indexes) = columns::indexes(collection) {
                writeln!(out)?;
                write_grid(&indexes, out)?;
            }
            let remarks = remarks(&estimate.model, collection);
            if !remarks.is_empty() {
                writeln!(out)?;
            }
            for remark in remarks {
                writeln!(out, "- {}", Printable(&remark.to_string()))?;
            }
        }
        if options.detail == Detail::Definitions {
            writeln!(out, "\n| figure | meaning |\n| --- | --- |")?;
            for (title, sentence) in definitions::shown() {
                write_row([title.as_str(), sentence].into_iter(), out)?;
            }
        }
        Ok(())
    }
}

pub(super) fn write_grid(grid: &Grid, out: &mut dyn Write) -> io::Result<()> {
    let heads: Vec<_> = grid.heads.iter().map(|head| one_line(head.label, &head.unit)).collect();
    write_row(heads.iter().map(String::as_str), out)?;
    let rules = grid.heads.iter().map(|head| match head.align {
        Align::Left => "---",
        Align::Right => "---:",
    });
    write_row(rules, out)?;
    grid.rows.iter().try_for_each(|row| write_row(row.iter().map(String::as_str), out))
}

pub(super) fn write_row<'a>(cells: impl Iterator<Item = &'a str>, out: &mut dyn Write) -> io::Result<()> {
    for cell in cells {
        write!(out, "| {} ", cell.replace('|', "\\|"))?;
    }
    writeln!(out, "|")
}

/// Text that Markdown must not read as markup.
pub(super) fn escaped(text: &str) -> String {
    Printable(text).to_string().chars().fold(String::new(), |mut shown, char| {
        if matches!(char, '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '|' | '#') {
            shown.push('\\');
        }
        shown.push(char);
        shown
    })
}

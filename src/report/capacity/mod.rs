//! A plan: its sections as tables, lists and pages, each figure with its basis.

pub(in crate::report) mod definitions;
mod rows;
mod wire;

use super::columns::one_line;
use super::grid::{Align, Grid, Head};
use super::number::{Cell, Scale};
use super::{Detail, OutputKind, ReportOptions, heading, html, markdown, table};
use crate::capacity::Capacity;
use crate::units::{Grouped, Human, Printable};
use rows::{Field, Role, Row, Section};
use std::io::{self, Write};

/// Writes a whole plan, last line ended.
///
/// # Errors
///
/// What `out` answers.
pub fn write_plan(
    plan: &Capacity,
    kind: OutputKind,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match kind {
        OutputKind::Json => {
            serde_json::to_writer_pretty(&mut *out, &wire::plan_v1(plan)).map_err(io::Error::from)?;
            writeln!(out)
        }
        OutputKind::Csv => write_csv(plan, out),
        OutputKind::Table => write_people(plan, *options, &Punctuation::TABLE, out),
        OutputKind::Markdown => write_people(plan, *options, &Punctuation::MARKDOWN, out),
        OutputKind::Html => {
            let page = html::page_with(&plan_json(plan), &[], &pages(plan)).map_err(io::Error::other)?;
            out.write_all(page.as_bytes())
        }
    }
}

/// A plan as JSON in memory, for what is drawn of it.
///
/// # Panics
///
/// Never: no field of a plan fails to be written to memory.
#[must_use]
pub fn plan_json(plan: &Capacity) -> Vec<u8> {
    serde_json::to_vec(&wire::plan_v1(plan)).expect("names and numbers are written to memory")
}

// ---- For programs ---------------------------------------------------------------------------------------

/// A line a figure: what it is about, its name, its value, its basis.
fn write_csv(plan: &Capacity, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(out);
    let head = ["collection", "section", "load", "codec", "level", "subject", "name", "value", "basis"];
    lines.write_record(head).map_err(io::Error::other)?;
    let mut write = |collection: &str, section: &Section| -> io::Result<()> {
        for row in &section.rows {
            let about = About::of(row);
            for field in row.iter().filter(|field| field.role == Role::Figure) {
                let value = field.cell.plain();
                let About { load, codec, level, subject, basis } = &about;
                lines
                    .write_record([
                        collection,
                        section.name,
                        load,
                        codec,
                        level,
                        subject,
                        field.name,
                        &value,
                        basis,
                    ])
                    .map_err(io::Error::other)?;
            }
        }
        Ok(())
    };
    for section in &rows::of_plan(plan) {
        write("", section)?;
    }
    for (collection, capacity) in plan.estimate.collections.iter().zip(&plan.collections) {
        for section in &rows::of_collection(capacity) {
            write(&collection.name, section)?;
        }
    }
    lines.flush()
}

/// What a line of CSV says besides its figure.
#[derive(Default)]
struct About {
    load: String,
    codec: String,
    level: String,
    /// All other keys: `disk_mb_per_s=100`.
    subject: String,
    basis: String,
}

impl About {
    fn of(row: &Row) -> Self {
        let mut about = Self::default();
        let mut subjects = Vec::new();
        for field in row {
            match (field.role, &field.cell) {
                (Role::Basis, cell) => about.basis = cell.plain(),
                (Role::Key, Cell::Codec(codec)) if field.name.is_empty() => {
                    codec.name.clone_into(&mut about.codec);
                    about.level = codec.level.map_or(String::new(), |level| level.to_string());
                }
                (Role::Key, Cell::Codec(codec)) => subjects.push(format!("{}={codec}", field.name)),
                (Role::Key, cell) if field.name == "load" => about.load = cell.plain(),
                (Role::Key, cell) => subjects.push(format!("{}={}", field.name, cell.plain())),
                (Role::Figure, _) => {}
            }
        }
        about.subject = subjects.join(" ");
        about
    }
}

// ---- For people -----------------------------------------------------------------------------------------

/// What differs between the terminal and Markdown.
struct Punctuation {
    heading: &'static str,
    section: &'static str,
    item: &'static str,
    name: fn(&str) -> String,
    grid: fn(&Grid, &mut dyn Write) -> io::Result<()>,
}

impl Punctuation {
    const TABLE: Self = Self {
        heading: "",
        section: "",
        item: "",
        name: |text| Printable(text).to_string(),
        grid: |grid, out| writeln!(out, "{}", table::aligned(grid)),
    };
    const MARKDOWN: Self = Self {
        heading: "## ",
        section: "### ",
        item: "- ",
        name: markdown::escaped,
        grid: |grid, out| markdown::write_grid(grid, out),
    };
}

fn write_people(
    plan: &Capacity,
    options: ReportOptions,
    with: &Punctuation,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}Plan  {}", with.heading, heading::rules(&plan.estimate.model).join("  "))?;
    write_sections(&rows::of_plan(plan), with, out)?;
    write_remarks(&remarks(plan), with, out)?;
    for (collection, capacity) in plan.estimate.collections.iter().zip(&plan.collections) {
        let documents = (with.name)(&heading::documents(collection).join("  "));
        writeln!(out, "\n{}{}  {documents}", with.heading, (with.name)(&collection.name))?;
        write_sections(&rows::of_collection(capacity), with, out)?;
        let (documents, bson_bytes) = capacity.sample;
        let sample = format!(
            "Dump, oplog, journal and messages were made of the first {} documents, {} of BSON.",
            Grouped(documents),
            Human(bson_bytes)
        );
        write_remarks(&[sample], with, out)?;
    }
    if options.detail == Detail::Definitions {
        writeln!(out)?;
        for (name, sentence) in definitions::DEFINITIONS {
            writeln!(out, "{}{name}: {sentence}", with.item)?;
        }
    }
    Ok(())
}

fn write_sections(sections: &[Section], with: &Punctuation, out: &mut dyn Write) -> io::Result<()> {
    for section in sections.iter().filter(|section| !section.rows.is_empty()) {
        writeln!(out, "\n{}{}\n", with.section, section.title)?;
        (with.grid)(&grid(section), out)?;
    }
    Ok(())
}

fn write_remarks(remarks: &[String], with: &Punctuation, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    remarks.iter().try_for_each(|remark| writeln!(out, "{}{remark}", with.item))
}

/// What the sections leave open, and whose rules they follow.
fn remarks(plan: &Capacity) -> Vec<String> {
    let needs = &plan.needs;
    let mut remarks = Vec::new();
    if needs.members.value() == 1 {
        remarks.push(
            "One member: a standalone, without an oplog. Its journal holds its tables' writes.".to_owned(),
        );
    } else if plan.members.iter().all(|row| row.oplog_bytes.is_none()) {
        remarks.push(
            "The oplog is left out: its size needs --oplog-hours and --writes-per-s or --updates-per-s. \
             By itself a server takes 5 % of the free disk, 990 MB at least and 50 GB at most."
                .to_owned(),
        );
    }
    if needs.updates_per_s.is_none() {
        remarks.push("Space that checkpoints leave free is left out: it needs --updates-per-s.".to_owned());
    }
    if needs.documents.is_some() {
        remarks.push("Figures for --documents grow with the documents: `extrapolated`.".to_owned());
    }
    remarks
}

fn grid(section: &Section) -> Grid {
    let largest = section.rows.iter().flatten().filter_map(|field| match field.cell {
        Cell::Bytes(bytes) => Some(bytes),
        _ => None,
    });
    let scale = Scale::fitting(largest.max().unwrap_or(0));
    // A column of bytes may be unknown in its first row.
    let column = |at: usize| section.rows.iter().map(move |row: &Row| &row[at].cell);
    let heads = section.rows.first().into_iter().flatten().enumerate().map(|(at, field)| Head {
        label: field.label,
        unit: match column(at).find(|cell| **cell != Cell::Unknown) {
            Some(Cell::Bytes(_)) => format!("[{}]", scale.name()),
            _ => field.unit.to_owned(),
        },
        align: match column(at).find(|cell| **cell != Cell::Unknown) {
            Some(Cell::Text(_) | Cell::Codec(_)) => Align::Left,
            _ => Align::Right,
        },
    });
    let cells = |row: &Row| row.iter().map(|field: &Field| field.cell.human(scale)).collect();
    Grid { heads: heads.collect(), rows: section.rows.iter().map(cells).collect() }
}

/// Sections as parts of a page: those of all collections first, then one part a collection.
fn pages(plan: &Capacity) -> Vec<String> {
    let part = |sections: &[Section]| {
        let filled = sections.iter().filter(|section| !section.rows.is_empty());
        filled.map(|section| page_table(section.title, &grid(section))).collect::<String>()
    };
    let collections = plan.collections.iter().map(|capacity| part(&rows::of_collection(capacity)));
    std::iter::once(part(&rows::of_plan(plan))).chain(collections).collect()
}

fn page_table(title: &str, grid: &Grid) -> String {
    use crate::plot::escaped;
    let heads: String = grid
        .heads
        .iter()
        .map(|head| match head.align {
            Align::Left => format!("<th scope=\"col\">{}</th>", escaped(&one_line(head.label, &head.unit))),
            Align::Right => {
                format!(
                    "<th scope=\"col\" class=\"number\">{}</th>",
                    escaped(&one_line(head.label, &head.unit))
                )
            }
        })
        .collect();
    let row = |row: &Vec<String>| {
        let cells = row.iter().zip(&grid.heads).map(|(cell, head)| match head.align {
            Align::Left => format!("<td>{}</td>", escaped(cell)),
            Align::Right => format!("<td class=\"number\">{}</td>", escaped(cell)),
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let rows: String = grid.rows.iter().map(row).collect();
    format!(
        "<h3>{title}</h3>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{title}\">\n<table>\n\
         <thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

#[cfg(test)]
mod tests;

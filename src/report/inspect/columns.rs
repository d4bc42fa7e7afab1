//! What one row of an inspection says, for CSV and for tables.

use crate::estimate::{Inspection, Readable, TableInspection, TableRole, WhatIf};
use crate::report::grid::{Align, Grid, Head};
use crate::report::number::{Cell, Scale};
use std::io::{self, Write};

/// A table as it is, or as it would be.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    table: &'a TableInspection,
    what_if: Option<&'a WhatIf>,
}

impl Row<'_> {
    /// A figure of the file as it is; not known of another.
    fn as_is(&self, cell: impl FnOnce(&TableInspection) -> Cell) -> Cell {
        if self.what_if.is_some() { Cell::Unknown } else { cell(self.table) }
    }

    /// As above, where pages could be read.
    fn of_pages(&self, cell: impl FnOnce(&TableInspection) -> Cell) -> Cell {
        let readable = self.table.readable == Readable::Pages;
        self.as_is(|table| if readable { cell(table) } else { Cell::Unknown })
    }
}

type Column = (&'static str, fn(&Row<'_>) -> Cell);

fn text(value: Option<&String>) -> Cell {
    value.map_or(Cell::Unknown, |text| Cell::Text(text.clone()))
}

fn image_bytes(table: &TableInspection, percent: u64) -> Cell {
    table.leaves.image_bytes_at(percent).map_or(Cell::Unknown, Cell::Bytes)
}

/// Every column of CSV, in its order. Names are JSON's.
pub(super) const COLUMNS: &[Column] = &[
    ("file", |row| Cell::Text(row.table.file.clone())),
    ("namespace", |row| text(row.table.namespace.as_ref())),
    ("index", |row| text(row.table.index.as_ref())),
    ("role", |row| Cell::Text(row.table.role.name().to_owned())),
    ("way", |row| Cell::Text(row.what_if.map_or("as-is", |row| row.way.name()).to_owned())),
    ("load", |row| match row.what_if.and_then(|row| row.way.load()) {
        Some(load) => Cell::Text(load.name().to_owned()),
        None => Cell::Unknown,
    }),
    ("codec", |row| match row.what_if {
        Some(row) => Cell::Codec(row.codec.clone()),
        None => text(row.table.codec.as_ref()),
    }),
    ("level", |row| match row.what_if.and_then(|row| row.codec.level) {
        Some(level) => Cell::Text(level.to_string()),
        None => Cell::Unknown,
    }),
    ("storage_bytes", |row| Cell::Bytes(row.what_if.map_or(row.table.layout.file, |row| row.storage).0)),
    ("storage_bytes_low", |row| match row.what_if.and_then(|row| row.band) {
        Some(band) => Cell::Bytes(band.low.0),
        None => Cell::Unknown,
    }),
    ("storage_bytes_high", |row| match row.what_if.and_then(|row| row.band) {
        Some(band) => Cell::Bytes(band.high.0),
        None => Cell::Unknown,
    }),
    ("bson_bytes", |row| {
        row.of_pages(|table| table.leaves.bson.map_or(Cell::Unknown, |bson| Cell::Bytes(bson.0)))
    }),
    ("ratio_storage_to_bson", |row| {
        row.of_pages(|table| table.ratio().map_or(Cell::Unknown, |ratio| Cell::Ratio(ratio.value())))
    }),
    ("entries", |row| row.of_pages(|table| Cell::Count(table.leaves.entries))),
    ("entries_dead", |row| row.of_pages(|table| Cell::Count(table.leaves.entries_dead))),
    ("leaf_pages", |row| Cell::Count(row.what_if.map_or(row.table.leaves.pages, |row| row.leaf_pages))),
    ("pages_kept_raw", |row| {
        Cell::Count(row.what_if.map_or(row.table.leaves.pages_kept_raw, |row| row.pages_kept_raw))
    }),
    ("leaf_image_bytes", |row| row.as_is(|table| Cell::Bytes(table.leaves.image.0))),
    ("leaf_block_bytes", |row| {
        Cell::Bytes(row.what_if.map_or(row.table.layout.leaves, |row| row.leaf_blocks).0)
    }),
    ("padding_bytes", |row| match row.what_if {
        Some(row) => Cell::Bytes(row.padding.0),
        None => row.of_pages(|table| Cell::Bytes(table.leaves.padding.0)),
    }),
    ("image_bytes_p05", |row| row.as_is(|table| image_bytes(table, 5))),
    ("image_bytes_p50", |row| row.as_is(|table| image_bytes(table, 50))),
    ("image_bytes_p95", |row| row.as_is(|table| image_bytes(table, 95))),
    ("window_bytes", |row| row.of_pages(|table| Cell::Bytes(table.leaves.window_bytes))),
    ("description_bytes", |row| row.as_is(|table| Cell::Bytes(table.layout.description.0))),
    ("overflow_block_bytes", |row| row.as_is(|table| Cell::Bytes(table.layout.overflow.0))),
    ("internal_block_bytes", |row| row.as_is(|table| Cell::Bytes(table.layout.internal.0))),
    ("root_block_bytes", |row| row.as_is(|table| Cell::Bytes(table.layout.root.0))),
    ("extent_list_bytes", |row| row.as_is(|table| Cell::Bytes(table.layout.extent_lists.0))),
    ("free_bytes", |row| row.as_is(|table| Cell::Bytes(table.layout.free.0))),
    ("pending_bytes", |row| row.as_is(|table| Cell::Bytes(table.layout.pending.0))),
    ("damaged_block_bytes", |row| row.as_is(|table| Cell::Bytes(table.layout.damaged.0))),
    ("after_checkpoint_bytes", |row| row.as_is(|table| Cell::Bytes(table.layout.after_checkpoint.0))),
    ("faults", |row| row.as_is(|table| Cell::Count(table.faults.count))),
    ("checksum_faults", |row| row.as_is(|table| Cell::Count(table.faults.checksums))),
];

fn rows(inspection: &Inspection) -> impl Iterator<Item = Row<'_>> {
    inspection.tables.iter().flat_map(|table| {
        let what_ifs = table.what_if.iter().map(Some);
        std::iter::once(None).chain(what_ifs).map(move |what_if| Row { table, what_if })
    })
}

/// A line for each table, and one for each way and codec that was tried on it.
pub(super) fn write_csv(inspection: &Inspection, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = ::csv::Writer::from_writer(out);
    lines.write_record(COLUMNS.iter().map(|(name, _)| name)).map_err(crate::report::csv::io_error)?;
    for row in rows(inspection) {
        let cells = COLUMNS.iter().map(|(_, cell)| cell(&row).plain());
        lines.write_record(cells).map_err(crate::report::csv::io_error)?;
    }
    lines.flush()
}

/// A column of a table for people: label, second line, and the CSV column that it shows.
type Shown = (&'static str, &'static str, &'static str);

/// Stands for the unit of the table's sizes.
const SCALE: &str = "";

const COLLECTIONS: &[Shown] = &[
    ("codec", "-", "codec"),
    ("storage", SCALE, "storage_bytes"),
    ("bson", SCALE, "bson_bytes"),
    ("storage/", "bson", "ratio_storage_to_bson"),
    ("image", SCALE, "image_bytes_p50"),
    ("documents", "-", "entries"),
    ("leaf", "pages", "leaf_pages"),
    ("kept", "raw", "pages_kept_raw"),
    ("padding", SCALE, "padding_bytes"),
    ("free", SCALE, "free_bytes"),
    ("pending", SCALE, "pending_bytes"),
    ("windows", SCALE, "window_bytes"),
    ("faults", "-", "faults"),
];

const INDEXES: &[Shown] = &[
    ("storage", SCALE, "storage_bytes"),
    ("entries", "-", "entries"),
    ("leaf", "pages", "leaf_pages"),
    ("padding", SCALE, "padding_bytes"),
    ("free", SCALE, "free_bytes"),
    ("pending", SCALE, "pending_bytes"),
    ("windows", SCALE, "window_bytes"),
    ("faults", "-", "faults"),
];

const WHAT_IFS: &[Shown] = &[
    ("way", "-", "way"),
    ("load", "-", "load"),
    ("codec", "-", "codec"),
    ("storage", SCALE, "storage_bytes"),
    ("low", SCALE, "storage_bytes_low"),
    ("high", SCALE, "storage_bytes_high"),
    ("leaf", "pages", "leaf_pages"),
    ("kept", "raw", "pages_kept_raw"),
    ("padding", SCALE, "padding_bytes"),
];

fn grid<'a>(
    title: &'static str,
    shown: &[Shown],
    rows: impl Iterator<Item = Row<'a>> + Clone,
) -> Option<Grid> {
    let largest =
        rows.clone().map(|row| row.what_if.map_or(row.table.layout.file, |row| row.storage).0).max()?;
    let scale = Scale::fitting(largest);
    let cell_of = |name: &str| COLUMNS.iter().find(|(known, _)| *known == name).map(|(_, cell)| *cell);
    let head = |(label, unit, name): &Shown| Head {
        label,
        unit: match *unit {
            SCALE => format!("[{}]", scale.name()),
            "-" => String::new(),
            unit => unit.to_owned(),
        },
        align: if matches!(*name, "codec" | "way" | "load") { Align::Left } else { Align::Right },
    };
    let first = Head { label: title, unit: String::new(), align: Align::Left };
    let heads = std::iter::once(first).chain(shown.iter().map(head)).collect();
    let cells = |row: Row<'a>| {
        let name = Cell::Text(row.table.name()).human(scale);
        let others =
            shown.iter().filter_map(|(_, _, name)| cell_of(name)).map(|cell| cell(&row).human(scale));
        std::iter::once(name).chain(others).collect()
    };
    Some(Grid { heads, rows: rows.map(cells).collect() })
}

/// The tables that hold documents, those that hold keys, the engine's own; without those that there are none of.
pub(super) fn tables(inspection: &Inspection) -> Vec<Grid> {
    let of = |title, shown, role| {
        let rows = inspection.tables.iter().filter(move |table| table.role == role);
        grid(title, shown, rows.map(|table| Row { table, what_if: None }))
    };
    [
        of("collection", COLLECTIONS, TableRole::Collection),
        of("index", INDEXES, TableRole::Index),
        of("table", INDEXES, TableRole::Other),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What collections would be; the first row of each is what it is without free space.
pub(super) fn what_ifs(inspection: &Inspection) -> Option<Grid> {
    let rows = rows(inspection).filter(|row| row.what_if.is_some());
    let rows: Vec<Row<'_>> = rows.collect();
    grid("what if", WHAT_IFS, rows.iter().copied())
}

/// Head and CSV name of what people see.
pub(super) fn shown() -> impl Iterator<Item = (String, &'static str)> {
    let mut seen = std::collections::BTreeSet::new();
    let all = COLLECTIONS.iter().chain(INDEXES).chain(WHAT_IFS);
    all.filter(move |(_, _, name)| seen.insert(*name)).map(|(label, unit, name)| {
        let unit = if *unit == "-" { "" } else { unit };
        (crate::report::columns::one_line(label, unit), *name)
    })
}

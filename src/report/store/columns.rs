//! What one row says, as in [`super::super::columns`]; columns that no row has are left out for people.

use crate::estimate::store::{Parts, StoreEstimate, StoreModel, StoredInput, StoredRow};
use crate::report::grid::{Align, Grid, Head};
use crate::report::number::{Cell, Scale};

/// What a cell may draw on.
struct Row<'a> {
    model: &'a StoreModel,
    input: &'a StoredInput,
    stored: &'a StoredRow,
}

/// One figure of a row.
struct Column {
    /// As JSON and CSV name it.
    name: &'static str,
    /// As tables head it, in two lines; `None` where people would not miss it.
    label: Option<(&'static str, Below)>,
    /// The sentence that defines it.
    meaning: &'static str,
    cell: fn(&Row<'_>) -> Cell,
}

/// Under a head.
#[derive(Clone, Copy)]
enum Below {
    Nothing,
    Word(&'static str),
    /// The unit of the table's sizes.
    Scale,
}

const fn column(
    name: &'static str,
    label: Option<(&'static str, Below)>,
    meaning: &'static str,
    cell: fn(&Row<'_>) -> Cell,
) -> Column {
    Column { name, label, meaning, cell }
}

fn known<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell) -> Cell {
    value.map_or(Cell::Unknown, cell)
}

const COLUMNS: &[Column] = &[
    column("collection", None, "name of the input", |row| Cell::Text(row.input.name.clone())),
    column("geometry", None, "the store", |row| Cell::Text(row.model.geometry.to_owned())),
    column("documents", None, "documents stored", |row| known(row.input.documents, Cell::Count)),
    column("bson_bytes", None, "their BSON bytes", |row| known(row.input.bson, |bson| Cell::Bytes(bson.0))),
    column("input_bytes", None, "bytes that the store was given", |row| Cell::Bytes(row.input.input_bytes)),
    column("load", Some(("load", Below::Nothing)), "state of the collection whose file this is", |row| {
        known(row.stored.load, |load| Cell::Text(load.name().to_owned()))
    }),
    column(
        "table_codec",
        Some(("table's", Below::Word("codec"))),
        "WiredTiger's codec of that file",
        |row| known(row.stored.table_codec.clone(), Cell::Codec),
    ),
    column("table_level", None, "its level", |row| {
        let level = row.stored.table_codec.as_ref().and_then(|codec| codec.level);
        known(level, |level| Cell::Text(level.to_string()))
    }),
    column(
        "table_bytes",
        Some(("table", Below::Scale)),
        "length of that file: what collStats calls storageSize",
        |row| known(row.stored.table, |table| Cell::Bytes(table.0)),
    ),
    column("codec", Some(("codec", Below::Nothing)), "what the store packs with", |row| {
        Cell::Codec(row.stored.codec.clone())
    }),
    column("level", None, "its level, or KEY_BLOCK_SIZE", |row| {
        known(row.stored.codec.level, |level| Cell::Text(level.to_string()))
    }),
    column("storage_bytes", Some(("storage", Below::Scale)), "bytes on disk", |row| {
        Cell::Bytes(row.stored.storage.0)
    }),
    column(
        "ratio_storage_to_bson",
        Some(("storage/", Below::Word("bson"))),
        "storage divided by BSON bytes",
        |row| known(row.input.ratio_to_bson(row.stored), |ratio| Cell::Ratio(ratio.value())),
    ),
    column(
        "ratio_storage_to_input",
        Some(("storage/", Below::Word("input"))),
        "storage divided by the bytes given",
        |row| known(row.input.ratio_to_input(row.stored), |ratio| Cell::Ratio(ratio.value())),
    ),
    column(
        "ratio_storage_to_table",
        Some(("storage/", Below::Word("table"))),
        "storage divided by the table's file",
        |row| known(row.stored.ratio_to_table(), |ratio| Cell::Ratio(ratio.value())),
    ),
    column("basis", Some(("basis", Below::Nothing)), "how the figure is known", |row| {
        Cell::Text(row.stored.basis.name().to_owned())
    }),
    column(
        "extents",
        Some(("extents", Below::Nothing)),
        "pieces that the file is stored in",
        |row| match row.stored.parts {
            Parts::Extents { extents, .. } => Cell::Count(extents),
            Parts::Pages { .. } => Cell::Unknown,
        },
    ),
    column(
        "extents_kept_raw",
        Some(("kept", Below::Word("raw"))),
        "extents that are stored as they are",
        |row| match row.stored.parts {
            Parts::Extents { kept_raw, .. } => Cell::Count(kept_raw),
            Parts::Pages { .. } => Cell::Unknown,
        },
    ),
    column("page_bytes", None, "bytes of a page in the file", |row| {
        page(row, |pages| Some(pages.0), Cell::Bytes)
    }),
    column("leaf_pages", Some(("leaf", Below::Word("pages"))), "pages of rows", |row| {
        page(row, |pages| Some(pages.1), Cell::Count)
    }),
    column(
        "lob_pages",
        Some(("document", Below::Word("pages"))),
        "pages of documents too long for a row",
        |row| page(row, |pages| Some(pages.2), Cell::Count),
    ),
    column("other_pages", None, "pages above the leaves, and the file's own", |row| {
        page(row, |pages| Some(pages.3), Cell::Count)
    }),
    column(
        "pages_kept_raw",
        Some(("pages", Below::Word("raw"))),
        "pages that page compression left as they are",
        |row| page(row, |pages| pages.4, Cell::Count),
    ),
    column("packed_bytes", None, "what the encoder made of what is stored packed", |row| {
        known(row.stored.packed, |packed| Cell::Bytes(packed.0))
    }),
    column("kept_raw_bytes", None, "bytes that are stored as they are", |row| {
        known(row.stored.kept_raw, |raw| Cell::Bytes(raw.0))
    }),
    column(
        "padding_bytes",
        Some(("padding", Below::Scale)),
        "part of storage that fills up units, headers of packed pages included",
        |row| known(row.stored.padding, |padding| Cell::Bytes(padding.0)),
    ),
    column(
        "never_used_bytes",
        Some(("never used", Below::Scale)),
        "part of storage that is there for growth",
        |row| known(row.stored.never_used, |bytes| Cell::Bytes(bytes.0)),
    ),
    column(
        "metadata_bytes",
        Some(("metadata", Below::Scale)),
        "beside storage: a mean of measured files",
        |row| known(row.stored.metadata, |bytes| Cell::Bytes(bytes.0)),
    ),
];

/// Page size, leaves, pages of documents, others, kept raw.
type Pages = (u64, u64, u64, u64, Option<u64>);

fn page(row: &Row<'_>, of: impl FnOnce(Pages) -> Option<u64>, cell: impl FnOnce(u64) -> Cell) -> Cell {
    match row.stored.parts {
        Parts::Extents { .. } => Cell::Unknown,
        Parts::Pages { page_bytes, leaves, lobs, others, kept_raw } => {
            known(of((page_bytes, leaves, lobs, others, kept_raw)), cell)
        }
    }
}

/// As CSV heads them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|column| column.name)
}

/// Every column of every row, for programs.
pub(super) fn plain(estimate: &StoreEstimate) -> impl Iterator<Item = Vec<String>> {
    estimate.inputs.iter().flat_map(|input| {
        input.rows.iter().map(|stored| {
            let row = Row { model: &estimate.model, input, stored };
            COLUMNS.iter().map(|column| (column.cell)(&row).plain()).collect()
        })
    })
}

/// The columns that people read, as far as any row has them.
pub(super) fn human(model: &StoreModel, input: &StoredInput) -> Grid {
    let sizes = input.rows.iter().map(|row| row.storage.0.max(row.table.map_or(0, |table| table.0)));
    let scale = Scale::fitting(sizes.max().unwrap_or(0));
    // Where the input is documents, both ratios would say the same.
    let is_file = input.bson.is_none();
    let shown: Vec<&Column> = COLUMNS
        .iter()
        .filter(|column| column.label.is_some() && (is_file || column.name != "ratio_storage_to_input"))
        .filter(|column| {
            input.rows.iter().any(|stored| (column.cell)(&Row { model, input, stored }) != Cell::Unknown)
        })
        .collect();
    let heads = shown.iter().map(|column| head(column, scale)).collect();
    let cells = |stored| {
        shown.iter().map(|column| (column.cell)(&Row { model, input, stored }).human(scale)).collect()
    };
    Grid { heads, rows: input.rows.iter().map(cells).collect() }
}

fn head(column: &Column, scale: Scale) -> Head {
    let (label, below) = column.label.unwrap_or((column.name, Below::Nothing));
    let unit = match below {
        Below::Nothing => String::new(),
        Below::Word(word) => word.to_owned(),
        Below::Scale => format!("[{}]", scale.name()),
    };
    let is_word = matches!(column.name, "load" | "table_codec" | "codec" | "basis");
    Head { label, unit, align: if is_word { Align::Left } else { Align::Right } }
}

/// Each head on one line, and what it means.
pub(super) fn definitions() -> impl Iterator<Item = (String, &'static str)> {
    COLUMNS.iter().filter_map(|column| {
        let (label, below) = column.label?;
        let title = match below {
            Below::Word(word) if label.ends_with('/') => format!("{label}{word}"),
            Below::Word(word) => format!("{label} {word}"),
            Below::Nothing | Below::Scale => label.to_owned(),
        };
        Some((title, column.meaning))
    })
}

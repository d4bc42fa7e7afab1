//! What one row says: a column each, its name for programs, its head for people, and its cell.

use super::grid::{Align, Grid, Head};
use super::number::{self, Cell, Scale};
use crate::estimate::{
    Band, Basis, CollectionEstimate, Estimate, IndexEstimate, LoadState, ModelFacts, Speed, StorageEstimate,
};
use crate::units::DiskBytes;

/// What a cell may draw on.
pub(super) struct Row<'a> {
    model: &'a ModelFacts,
    collection: &'a CollectionEstimate,
    table: Table<'a>,
}

/// The table that a row is about.
enum Table<'a> {
    Collection(&'a StorageEstimate),
    Index(&'a IndexEstimate),
}

impl Row<'_> {
    /// What only a collection's table has.
    fn storage(&self, of: impl FnOnce(&StorageEstimate) -> Cell) -> Cell {
        self.either(of, |_| Cell::Unknown)
    }

    /// What only an index's table has.
    fn index(&self, of: impl FnOnce(&IndexEstimate) -> Cell) -> Cell {
        self.either(|_| Cell::Unknown, of)
    }

    fn either(
        &self,
        collection: impl FnOnce(&StorageEstimate) -> Cell,
        index: impl FnOnce(&IndexEstimate) -> Cell,
    ) -> Cell {
        match self.table {
            Table::Collection(storage) => collection(storage),
            Table::Index(row) => index(row),
        }
    }

    fn speed(&self, of: impl FnOnce(Speed) -> Option<f64>) -> Cell {
        self.storage(|storage| storage.speed.and_then(of).map_or(Cell::Unknown, Cell::Speed))
    }
}

/// One figure of a row.
pub(super) struct Column {
    /// As CSV names it: JSON's name, ending in its unit.
    pub name: &'static str,
    /// As tables head it; `None` where people would not miss it.
    pub label: Option<&'static str>,
    unit: Unit,
    align: Align,
    cell: fn(&Row<'_>) -> Cell,
}

/// The unit under a head.
#[derive(Clone, Copy)]
enum Unit {
    None,
    /// That of the table's sizes.
    Scale,
    Fixed(&'static str),
}

const fn text(name: &'static str, label: Option<&'static str>, cell: fn(&Row<'_>) -> Cell) -> Column {
    Column { name, label, unit: Unit::None, align: Align::Left, cell }
}

const fn number(
    name: &'static str,
    label: Option<&'static str>,
    unit: Unit,
    cell: fn(&Row<'_>) -> Cell,
) -> Column {
    Column { name, label, unit, align: Align::Right, cell }
}

/// Every column, in the order of every format.
pub(super) const COLUMNS: &[Column] = &[
    text("collection", None, |row| Cell::Text(row.collection.name.clone())),
    number("documents", None, Unit::None, |row| Cell::Count(row.collection.documents)),
    number("bson_bytes", None, Unit::None, |row| Cell::Bytes(row.collection.bson.0)),
    number("ids_added", None, Unit::None, |row| Cell::Count(row.collection.ids_added)),
    number("documents_skipped", None, Unit::None, |row| Cell::Count(row.collection.documents_skipped)),
    number("sampled_fraction", None, Unit::None, |row| Cell::Ratio(row.collection.sampled_fraction)),
    text("server", None, |row| Cell::Text(row.model.server.clone())),
    number("leaf_page_bytes_max", None, Unit::None, |row| Cell::Bytes(row.model.leaf_page_bytes_max)),
    number("allocation_bytes", None, Unit::None, |row| Cell::Bytes(row.model.allocation_bytes)),
    text("index", None, |row| row.index(|index| Cell::Text(index.name.clone()))),
    text("build", None, |row| row.index(|index| Cell::Text(index.build.name().to_owned()))),
    number("entries", None, Unit::None, |row| row.index(|index| Cell::Count(index.entries))),
    text("load", Some("load"), |row| {
        let name = |load: LoadState| Cell::Text(load.name().to_owned());
        row.either(|storage| name(storage.load), |index| name(index.load))
    }),
    text("codec", Some("codec"), |row| row.storage(|storage| Cell::Codec(storage.codec.clone()))),
    text("level", None, |row| {
        let text = |level: i32| Cell::Text(level.to_string());
        row.storage(|storage| storage.codec.level.map_or(Cell::Unknown, text))
    }),
    number("storage_bytes", Some("storage"), Unit::Scale, |row| {
        let known = |bytes: DiskBytes| Cell::Bytes(bytes.0);
        row.either(|storage| known(storage.storage), |index| index.storage.map_or(Cell::Unknown, known))
    }),
    number("storage_bytes_low", Some("low"), Unit::Scale, |row| {
        let low = |band: Band| Cell::Bytes(band.low.0);
        row.either(|storage| low(storage.band), |index| index.band.map_or(Cell::Unknown, low))
    }),
    number("storage_bytes_high", Some("high"), Unit::Scale, |row| {
        let high = |band: Band| Cell::Bytes(band.high.0);
        row.either(|storage| high(storage.band), |index| index.band.map_or(Cell::Unknown, high))
    }),
    number("ratio_storage_to_bson", Some("storage/"), Unit::Fixed("bson"), |row| {
        row.storage(|storage| {
            row.collection.ratio(storage).map_or(Cell::Unknown, |ratio| Cell::Ratio(ratio.value()))
        })
    }),
    text("basis", Some("basis"), |row| {
        let name = |basis: Basis| Cell::Text(basis.name().to_owned());
        row.either(|storage| name(storage.basis), |index| name(index.basis))
    }),
    number("sampling_error_fraction", None, Unit::None, |row| {
        row.storage(|storage| {
            storage
                .sampling_error_millionths
                .map_or(Cell::Unknown, |error| Cell::Ratio(number::millionths(error)))
        })
    }),
    number("compress_mb_per_s", Some("compress"), Unit::Fixed("[MB/s]"), |row| {
        row.speed(|speed| Some(speed.compress_mb_per_s))
    }),
    number("decompress_mb_per_s", Some("decompress"), Unit::Fixed("[MB/s]"), |row| {
        row.speed(|speed| speed.decompress_mb_per_s)
    }),
    number("image_bytes_timed", None, Unit::None, |row| {
        row.storage(|storage| {
            storage.speed.map_or(Cell::Unknown, |speed| Cell::Bytes(speed.image_bytes_timed))
        })
    }),
    number("leaf_pages", Some("leaf"), Unit::Fixed("pages"), |row| {
        row.either(
            |storage| Cell::Count(storage.tally.leaf_pages),
            |index| index.leaf_pages.map_or(Cell::Unknown, Cell::Count),
        )
    }),
    number("pages_kept_raw", Some("kept"), Unit::Fixed("raw"), |row| {
        row.storage(|storage| Cell::Count(storage.tally.pages_kept_raw))
    }),
    number("pages_packed", None, Unit::None, |row| row.storage(|storage| Cell::Count(storage.pages_packed))),
    number("leaf_image_bytes", None, Unit::None, |row| {
        row.storage(|storage| Cell::Bytes(storage.tally.leaf_image.0))
    }),
    number("leaf_packed_bytes", None, Unit::None, |row| {
        row.storage(|storage| Cell::Bytes(storage.tally.leaf_packed.0))
    }),
    number("leaf_kept_raw_bytes", None, Unit::None, |row| {
        row.storage(|storage| Cell::Bytes(storage.tally.leaf_kept_raw.0))
    }),
    number("image_bytes_tuned", None, Unit::None, |row| {
        row.storage(|storage| Cell::Bytes(storage.image_tuned.0))
    }),
    number("padding_bytes", Some("padding"), Unit::Scale, |row| {
        row.storage(|storage| Cell::Bytes(storage.tally.leaf_padding.0))
    }),
    number("leaf_block_bytes", None, Unit::None, |row| {
        row.storage(|storage| Cell::Bytes(storage.tally.leaf_blocks.0))
    }),
    number("internal_pages", None, Unit::None, |row| {
        row.storage(|storage| Cell::Count(storage.tally.internal_pages))
    }),
    number("internal_block_bytes", None, Unit::None, |row| {
        row.storage(|storage| Cell::Bytes(storage.tally.internal_blocks.0))
    }),
    number("overhead_bytes", None, Unit::None, |row| {
        row.storage(|storage| Cell::Bytes(storage.tally.overhead.0))
    }),
];

/// Every column of every row, for programs.
pub(super) fn plain(estimate: &Estimate) -> impl Iterator<Item = Vec<String>> {
    estimate.collections.iter().flat_map(move |collection| {
        rows(&estimate.model, collection)
            .chain(index_rows(&estimate.model, collection))
            .map(|row| COLUMNS.iter().map(|column| (column.cell)(&row).plain()).collect())
    })
}

/// The columns that people read, for one collection.
pub(super) fn human(model: &ModelFacts, collection: &CollectionEstimate) -> Grid {
    let largest = collection.storage.iter().map(|row| row.storage.0.max(row.band.high.0)).max();
    let scale = Scale::fitting(largest.unwrap_or(0));
    let heads = shown().map(|(column, label)| Head {
        label,
        unit: match column.unit {
            Unit::None => String::new(),
            Unit::Scale => format!("[{}]", scale.name()),
            Unit::Fixed(unit) => unit.to_owned(),
        },
        align: column.align,
    });
    let body = rows(model, collection)
        .map(|row| shown().map(|(column, _)| (column.cell)(&row).human(scale)).collect());
    Grid { heads: heads.collect(), rows: body.collect() }
}

/// The indexes of one collection; `None` without any.
pub(super) fn indexes(collection: &CollectionEstimate) -> Option<Grid> {
    let largest = collection.indexes.iter().filter_map(|row| row.storage).max()?;
    let scale = Scale::fitting(largest.0);
    let head = |label, unit: &str, align| Head { label, unit: unit.to_owned(), align };
    let heads = vec![
        head("index", "", Align::Left),
        head("load", "", Align::Left),
        head("build", "", Align::Left),
        head("storage", &format!("[{}]", scale.name()), Align::Right),
        head("bytes/", "entry", Align::Right),
        head("entries", "", Align::Right),
        head("basis", "", Align::Left),
    ];
    let cells = |row: &IndexEstimate| {
        // Tenths of a byte, rounded down.
        let per_entry = row.storage.and_then(|storage| (storage.0 * 10).checked_div(row.entries));
        [
            Cell::Text(row.name.clone()),
            Cell::Text(row.load.name().to_owned()),
            Cell::Text(row.build.name().to_owned()),
            row.storage.map_or(Cell::Unknown, |storage| Cell::Bytes(storage.0)),
            per_entry.map_or(Cell::Unknown, |tenths| Cell::Text(format!("{}.{}", tenths / 10, tenths % 10))),
            Cell::Count(row.entries),
            Cell::Text(row.basis.name().to_owned()),
        ]
        .map(|cell| cell.human(scale))
        .to_vec()
    };
    Some(Grid { heads, rows: collection.indexes.iter().map(cells).collect() })
}

/// The columns with a head, each with its label.
pub(super) fn shown() -> impl Iterator<Item = (&'static Column, &'static str)> {
    COLUMNS.iter().filter_map(|column| column.label.map(|label| (column, label)))
}

impl Column {
    /// The head on one line, without the unit of sizes, which is not the same in each table.
    pub(super) fn title(&self) -> String {
        match (self.label, self.unit) {
            (Some(label), Unit::Fixed(unit)) if !unit.starts_with('[') => one_line(label, unit),
            (label, _) => label.unwrap_or(self.name).to_owned(),
        }
    }
}

/// `storage/` and `bson` make one word, `leaf` and `pages` two.
pub(super) fn one_line(label: &str, unit: &str) -> String {
    let space = if unit.is_empty() || label.ends_with('/') { "" } else { " " };
    format!("{label}{space}{unit}")
}

fn rows<'a>(model: &'a ModelFacts, collection: &'a CollectionEstimate) -> impl Iterator<Item = Row<'a>> {
    collection.storage.iter().map(move |row| Row { model, collection, table: Table::Collection(row) })
}

fn index_rows<'a>(
    model: &'a ModelFacts,
    collection: &'a CollectionEstimate,
) -> impl Iterator<Item = Row<'a>> {
    collection.indexes.iter().map(move |row| Row { model, collection, table: Table::Index(row) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_columns_share_a_name_or_a_title() {
        let names: BTreeSet<_> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(names.len(), COLUMNS.len());
        let titles: BTreeSet<_> = shown().map(|(column, _)| column.title()).collect();
        assert_eq!(titles.len(), shown().count());
    }
}

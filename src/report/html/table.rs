//! Tables of a page: figures that a reader can sort.

use super::{clip, put};
use crate::plot::escaped;
use crate::plot::saved::{Collection, IndexRow, Recommendation, Row};
use crate::report::number;
use crate::units::{Exact, Grouped, Human};

/// Rows that a table shows.
const ROWS_MAX: usize = 250;

/// What stands in a cell: its text, and what it is sorted by.
enum Cell {
    Text(String),
    /// Shown, and sorted by the number.
    Number(String, f64),
    /// Not known: shown as a dash, sorted last.
    Unknown,
}

impl Cell {
    #[expect(
        clippy::cast_precision_loss,
        reason = "for sorting: sizes that differ only below 2^53 are equal"
    )]
    fn count(count: u64) -> Self {
        Self::Number(Grouped(count).to_string(), count as f64)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "for sorting: sizes that differ only below 2^53 are equal"
    )]
    fn bytes(bytes: u64) -> Self {
        Self::Number(Human(bytes).to_string(), bytes as f64)
    }

    fn speed(speed: Option<f64>) -> Self {
        speed.map_or(Self::Unknown, |speed| {
            Self::Number(number::Cell::Speed(speed).human(number::Scale::Kib), speed)
        })
    }
}

/// A column: head, and cells from a row.
struct Column<'a, T> {
    head: &'static str,
    cell: fn(&'a T) -> Cell,
}

/// The table of sizes; empty without rows.
pub(super) fn storage(collection: &Collection) -> String {
    let rows: Vec<&Row> = collection.rows().collect();
    let mut columns: Vec<Column<'_, Row>> = vec![
        Column { head: "load", cell: |row| Cell::Text(row.load.name().to_owned()) },
        Column { head: "codec", cell: |row| Cell::Text(row.codec_name()) },
        Column { head: "storage", cell: |row| Cell::bytes(row.storage_bytes) },
        Column { head: "low", cell: |row| Cell::bytes(row.storage_bytes_low) },
        Column { head: "high", cell: |row| Cell::bytes(row.storage_bytes_high) },
        Column {
            head: "storage/bson",
            cell: |row| {
                let shown = |ratio: f64| Cell::Number(format!("{ratio:.4}"), ratio);
                row.ratio_storage_to_bson.map_or(Cell::Unknown, shown)
            },
        },
        Column { head: "basis", cell: |row| Cell::Text(row.basis.clone()) },
        Column { head: "compress [MB/s]", cell: |row| Cell::speed(row.compress_mb_per_s) },
        Column { head: "decompress [MB/s]", cell: |row| Cell::speed(row.decompress_mb_per_s) },
        Column { head: "leaf pages", cell: |row| Cell::count(row.leaf_pages) },
        Column { head: "kept raw", cell: |row| Cell::count(row.pages_kept_raw) },
        Column { head: "padding", cell: |row| Cell::bytes(row.padding_bytes) },
    ];
    if !collection.points.is_empty() {
        let leaf = |row: &Row| row.leaf_page_bytes_max.map_or(Cell::Unknown, Cell::bytes);
        columns.insert(2, Column { head: "leaf page", cell: leaf });
    }
    let least = rows.iter().map(|row| row.storage_bytes).min();
    table("Sizes by codec. Press a head to sort.", &columns, &rows, |row| Some(row.storage_bytes) == least)
}

/// The table of indexes; empty without any.
pub(super) fn indexes(collection: &Collection) -> String {
    let rows: Vec<&IndexRow> = collection.indexes.iter().collect();
    let columns: [Column<'_, IndexRow>; 6] = [
        Column { head: "index", cell: |row| Cell::Text(clip(&row.name)) },
        Column { head: "load", cell: |row| Cell::Text(row.load.name().to_owned()) },
        Column { head: "build", cell: |row| Cell::Text(clip(&row.build)) },
        Column { head: "storage", cell: |row| row.storage_bytes.map_or(Cell::Unknown, Cell::bytes) },
        Column { head: "entries", cell: |row| Cell::count(row.entries) },
        Column { head: "basis", cell: |row| Cell::Text(clip(&row.basis)) },
    ];
    table("Indexes. Press a head to sort.", &columns, &rows, |_| false)
}

/// What a sweep advises; empty without any.
pub(super) fn recommendations(collection: &Collection) -> String {
    let rows = &collection.recommendations;
    if rows.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<h3>Recommendations</h3>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Recommendations\">\n\
         <table>\n<thead><tr><th scope=\"col\">for</th><th scope=\"col\">load</th><th scope=\"col\">choice</th>\
         <th scope=\"col\" class=\"number\">storage</th><th scope=\"col\">because</th><th scope=\"col\">to have it</th></tr></thead>\n<tbody>\n",
    );
    for row in rows.iter().take(ROWS_MAX) {
        let Recommendation {
            purpose,
            load,
            leaf_page_bytes_max,
            codec,
            level,
            storage_bytes,
            reasons,
            apply,
        } = row;
        let level = level.map_or(String::new(), |level| format!(":{level}"));
        let apply: Vec<String> =
            apply.iter().map(|line| format!("<code>{}</code>", escaped(&clip(line)))).collect();
        let reasons: Vec<String> = reasons.iter().map(|reason| escaped(&clip(reason))).collect();
        put(
            &mut out,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td>{}{level}, leaf page {}</td><td class=\"number\">{}</td>\
             <td class=\"wrap\">{}</td><td class=\"wrap\">{}</td></tr>\n",
                escaped(&clip(purpose)),
                load.name(),
                escaped(&clip(codec)),
                Exact(*leaf_page_bytes_max),
                Human(*storage_bytes),
                reasons.join("<br>"),
                apply.join("<br>")
            ),
        );
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    out
}

fn table<'a, T>(
    caption: &str,
    columns: &[Column<'a, T>],
    rows: &[&'a T],
    is_least: impl Fn(&T) -> bool,
) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let more = rows.len().saturating_sub(ROWS_MAX);
    let caption =
        if more > 0 { format!("{caption} {more} more rows are in the JSON.") } else { caption.to_owned() };
    let mut out = format!(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n<table>\n\
         <caption>{caption}</caption>\n<thead><tr>"
    );
    for column in columns {
        let numbers = rows.iter().any(|row| !matches!((column.cell)(row), Cell::Text(_)));
        let class = if numbers { " class=\"number\"" } else { "" };
        put(
            &mut out,
            format_args!(
                "<th scope=\"col\"{class}><button type=\"button\">{}</button></th>",
                escaped(column.head)
            ),
        );
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows.iter().take(ROWS_MAX) {
        out.push_str(if is_least(row) { "<tr class=\"least\">" } else { "<tr>" });
        for column in columns {
            match (column.cell)(row) {
                Cell::Text(text) => put(&mut out, format_args!("<td>{}</td>", escaped(&clip(&text)))),
                Cell::Number(shown, value) => {
                    put(&mut out, format_args!("<td class=\"number\" data-v=\"{value}\">{shown}</td>"));
                }
                Cell::Unknown => out.push_str("<td class=\"number\" data-v=\"\">-</td>"),
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    out
}

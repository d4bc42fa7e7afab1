//! The plots: from a collection's rows to a scene, one file a question. A plot whose figures a report does not have
//! is left out.

mod blocks;
mod leaf_sizes;
mod levels;
mod published;
mod scan;
mod speed;
mod storage;
mod walk;

use super::axis::short;
use super::published::Published;
use super::saved::{Collection, Load, Model, Row};
use super::scene::Scene;
use crate::units::{Grouped, Human, Printable};

/// What every plot of a collection may draw on.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Rules.
    pub model: &'a Model,
    /// Figures.
    pub collection: &'a Collection,
    /// Figures that others published, to stand beside.
    pub published: &'a [Published],
}

/// Draws one plot, where the figures are there.
type Draw = fn(&Source<'_>) -> Option<Scene>;

/// Each with the word that ends its file's name, in the order of a page.
pub const ALL: [(&str, Draw); 8] = [
    ("storage", storage::draw),
    ("speed", speed::draw),
    ("levels", levels::draw),
    ("leaf-sizes", leaf_sizes::draw),
    ("blocks", blocks::draw),
    ("image-size", walk::draw),
    ("cold-scan", scan::draw),
    ("published", published::draw),
];

impl<'a> Source<'a> {
    /// Collection, documents and rules, in one line.
    fn subtitle(&self, more: &str) -> String {
        let Collection { name, documents, bson_bytes, .. } = self.collection;
        let comma = if more.is_empty() { "" } else { ", " };
        format!(
            "{}: {} documents, {} BSON, rules of server {}{comma}{more}",
            Printable(name),
            Grouped(*documents),
            Human(*bson_bytes),
            Printable(&self.model.server)
        )
    }

    /// The state that plots of one state show: settled where it is there.
    fn load(&self) -> Option<Load> {
        self.collection.loads().first().copied()
    }

    /// Rows of one state at one leaf page size.
    fn rows(&self) -> Option<(Load, Vec<&'a Row>)> {
        let load = self.load()?;
        let rows = self.collection.rows_of_one_leaf_size(self.model);
        let rows: Vec<&Row> = rows.into_iter().filter(|row| row.load == load).collect();
        (!rows.is_empty()).then_some((load, rows))
    }
}

/// Storage of a row in words.
fn told(row: &Row) -> String {
    let ratio =
        row.ratio_storage_to_bson.map_or(String::new(), |ratio| format!(", {} of BSON", percent(ratio)));
    let leaf = row.leaf_page_bytes_max.map_or(String::new(), |bytes| format!(", leaf page {}", short(bytes)));
    format!(
        "{} {}{leaf}: {}{ratio}; low {}, high {}; {}",
        Printable(&row.codec_name()),
        row.load.name(),
        Human(row.storage_bytes),
        Human(row.storage_bytes_low),
        Human(row.storage_bytes_high),
        Printable(&row.basis)
    )
}

/// `14.9 %`.
fn percent(ratio: f64) -> String {
    format!("{:.1} %", ratio * 100.0)
}

/// A codec's rows, by name, in the order in which codecs first come.
fn by_codec<'a>(rows: &[&'a Row], name: fn(&Row) -> String) -> Vec<(String, Vec<&'a Row>)> {
    let mut groups: Vec<(String, Vec<&Row>)> = Vec::new();
    for row in rows {
        let name = name(row);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, group)) => group.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    groups
}

/// Lines that one picture holds.
const LINES_MAX: usize = 6;
/// Shown before others: what a server offers unless it is told otherwise.
const FIRST: [&str; 4] = ["none", "snappy", "zlib:6", "zstd:6"];

/// As many as a picture holds, what a server offers first, in the order of the report; and how many are left.
fn chosen<T>(lines: Vec<T>, name: impl Fn(&T) -> String) -> (Vec<T>, usize) {
    let more = lines.len().saturating_sub(LINES_MAX);
    let mut lines: Vec<(usize, T)> = lines.into_iter().enumerate().collect();
    let place = |line: &T| FIRST.iter().position(|first| *first == name(line)).unwrap_or(FIRST.len());
    lines.sort_by_key(|(_, line)| place(line));
    lines.truncate(LINES_MAX);
    lines.sort_by_key(|(at, _)| *at);
    (lines.into_iter().map(|(_, line)| line).collect(), more)
}

/// What is said of those that a picture has no room for.
fn and_more(more: usize) -> String {
    if more > 0 { format!("; {more} more codecs are in the report") } else { String::new() }
}

//! One table in full: the owner of each of its bytes, and its pages by size.

use crate::estimate::{LeafFigures, Readable, TableInspection};
use crate::report::grid::{Align, Grid, Head};
use crate::units::{DiskBytes, Exact, Grouped};

fn head(label: &'static str, align: Align) -> Head {
    Head { label, unit: String::new(), align }
}

/// The owners, largest file first down to nothing left over.
pub(super) fn owners(table: &TableInspection) -> Grid {
    let layout = &table.layout;
    let rows: [(&str, DiskBytes); 11] = [
        ("description", layout.description),
        ("leaf pages", layout.leaves),
        ("overflow items", layout.overflow),
        ("internal pages", layout.internal),
        ("root page", layout.root),
        ("damaged blocks", layout.damaged),
        ("extent lists", layout.extent_lists),
        ("free", layout.free),
        ("pending", layout.pending),
        ("after the checkpoint", layout.after_checkpoint),
        ("file", layout.file),
    ];
    let shown = rows.iter().filter(|(name, bytes)| bytes.0 > 0 || *name == "file");
    Grid {
        heads: vec![head("owner", Align::Left), head("bytes", Align::Right)],
        rows: shown.map(|(name, bytes)| vec![(*name).to_owned(), Grouped(bytes.0).to_string()]).collect(),
    }
}

/// Leaves by the size of their images.
pub(super) fn images(table: &TableInspection) -> Grid {
    let histogram = &table.leaves.image_histogram;
    let rows =
        by_octave(histogram.iter().map(|(bytes, pages)| (*bytes, *pages)), LeafFigures::IMAGE_STEP_BYTES);
    Grid { heads: vec![head("leaf image", Align::Right), head("pages", Align::Right)], rows }
}

/// Leaves by the size of their blocks.
pub(super) fn blocks(table: &TableInspection) -> Grid {
    let unit = table.allocation_bytes;
    let histogram = &table.leaves.block_histogram.0;
    let rows = by_octave(histogram.iter().map(|(units, blocks)| (units * unit, *blocks)), unit);
    Grid { heads: vec![head("leaf block", Align::Right), head("pages", Align::Right)], rows }
}

/// So many sizes are shown one by one; more are brought together.
const ROWS_MAX: usize = 24;

/// As they are if they are few; else all up to each power of two together.
fn by_octave(sizes: impl Iterator<Item = (u64, u64)> + Clone, unit: u64) -> Vec<Vec<String>> {
    let row = |(bytes, pages): (u64, u64)| vec![format!("≤ {}", Exact(bytes)), Grouped(pages).to_string()];
    if sizes.clone().count() <= ROWS_MAX {
        return sizes.map(row).collect();
    }
    let mut octaves: Vec<(u64, u64)> = Vec::new();
    for (bytes, pages) in sizes {
        let end = bytes.max(unit).next_power_of_two();
        match octaves.last_mut() {
            Some((last, count)) if *last == end => *count += pages,
            _ => octaves.push((end, pages)),
        }
    }
    octaves.into_iter().map(row).collect()
}

/// What stands out, a sentence each.
pub(super) fn remarks(table: &TableInspection) -> Vec<String> {
    let mut remarks = Vec::new();
    let name = table.name();
    if table.readable == Readable::HeadersOnly {
        remarks.push(format!(
            "{name}: encrypted: without the key only block sizes can be told, and blocks that wait to be free are \
             counted among the others; its checkpoint has {} bytes of live pages",
            Grouped(table.checkpoint_live.0)
        ));
    }
    if let (Some((documents, bson)), Readable::Pages) = (table.counts_stored, table.readable) {
        let found = (table.leaves.entries, table.leaves.bson.unwrap_or_default());
        if table.faults.count == 0 && found != (documents, bson) {
            remarks.push(format!(
                "{name}: the server's own count, {} documents of {} bytes, is not that of the checkpoint, {} of {}",
                Grouped(documents),
                Grouped(bson.0),
                Grouped(found.0),
                Grouped(found.1.0)
            ));
        }
    }
    if table.layout.after_checkpoint.0 > 0 {
        remarks.push(format!(
            "{name}: {} bytes were written behind the end that the checkpoint knows: it is behind",
            Grouped(table.layout.after_checkpoint.0)
        ));
    }
    if table.faults.count > 0 {
        remarks.push(format!("{name}: {} cannot be read:", plural(table.faults.count, "place")));
        remarks.extend(table.faults.messages.iter().map(|message| format!("  {message}")));
    }
    remarks
}

fn plural(count: u64, word: &str) -> String {
    format!("{} {word}{}", Grouped(count), if count == 1 { "" } else { "s" })
}

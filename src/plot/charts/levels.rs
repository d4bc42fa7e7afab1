//! Storage against level: where a higher one ends on the same blocks.

use super::{Source, by_codec, told};
use crate::plot::axis::{Axis, ByteUnit, From, Tick, float};
use crate::plot::chart::{Chart, Datum, Join, Series};
use crate::plot::palette::Look;
use crate::plot::saved::Row;
use crate::plot::scene::{Fill, Scene};
use crate::units::Printable;

pub(super) fn draw(source: &Source<'_>) -> Option<Scene> {
    let rows = source.collection.rows_of_one_leaf_size(source.model);
    let levelled: Vec<&Row> = rows.into_iter().filter(|row| row.level.is_some()).collect();
    let groups = by_codec(&levelled, |row| format!("{} {}", row.codec, row.load.name()));
    let groups: Vec<_> = groups.into_iter().filter(|(_, rows)| rows.len() > 2).collect();
    let drawn = || groups.iter().flat_map(|(_, rows)| rows);
    let unit = ByteUnit::fitting(drawn().map(|row| row.storage_bytes_high).max()?);
    let series = groups.iter().enumerate().map(|(number, (name, rows))| Series {
        name: Printable(name).to_string(),
        look: Look::nth(number),
        join: Join::LineAndMarks,
        data: points(rows, unit),
    });
    let series: Vec<Series> = series.collect();
    let reach =
        drawn().flat_map(|row| [row.storage_bytes_low, row.storage_bytes_high]).map(|bytes| unit.of(bytes));
    let chart = Chart {
        title: "Storage against compression level".to_owned(),
        subtitle: source.subtitle(""),
        x: level_axis(drawn().filter_map(|row| row.level)),
        y: Axis::linear(&format!("storage [{}]", unit.name), reach, From::Smallest),
        series,
        note: Some(
            "The upright axis does not begin at 0. Band: what the order of the server's threads can make \
                    of it"
                .to_owned(),
        ),
    };
    Some(chart.scene())
}

fn points(rows: &[&Row], unit: ByteUnit) -> Vec<Datum> {
    let mut rows: Vec<&Row> = rows.to_vec();
    rows.sort_by_key(|row| row.level);
    let point = |row: &&Row| Datum {
        x: level(row.level.unwrap_or_default()),
        y: unit.of(row.storage_bytes),
        band: Some((unit.of(row.storage_bytes_low), unit.of(row.storage_bytes_high))),
        hover: told(row),
        fill: Fill::Solid,
        label: None,
    };
    rows.iter().map(point).collect()
}

/// Levels are small; one that is not, from a damaged file, is far off the picture wherever it is.
fn level(level: i64) -> f64 {
    let size = float(level.unsigned_abs());
    if level < 0 { -size } else { size }
}

/// Each level that is there has its tick.
fn level_axis(levels: impl Iterator<Item = i64>) -> Axis {
    let mut levels: Vec<i64> = levels.collect();
    levels.sort_unstable();
    levels.dedup();
    let values = levels.iter().map(|number| level(*number));
    let mut axis = Axis::linear("compression level [1]", values, From::Smallest);
    axis.ticks =
        levels.iter().map(|number| Tick { value: level(*number), label: number.to_string() }).collect();
    axis
}

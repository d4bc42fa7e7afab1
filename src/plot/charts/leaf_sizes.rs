//! Storage against the largest leaf page.

use super::{Source, and_more, by_codec, chosen, told};
use crate::plot::axis::{Axis, ByteUnit, From, Tick, float, short};
use crate::plot::chart::{Chart, Datum, Join, Series};
use crate::plot::palette::Look;
use crate::plot::saved::Row;
use crate::plot::scene::{Fill, Scene};
use crate::units::Printable;

pub(super) fn draw(source: &Source<'_>) -> Option<Scene> {
    let load = source.load()?;
    let rows: Vec<&Row> = source.collection.rows().filter(|row| row.load == load).collect();
    let groups = by_codec(&rows, Row::codec_name);
    let groups = groups.into_iter().filter(|(_, rows)| rows.len() > 1).collect();
    let (groups, more) = chosen(groups, |(name, _)| name.clone());
    let codecs: Vec<&str> = groups.iter().map(|(_, rows)| rows[0].codec.as_str()).collect();
    let looks = Look::of_lines(&codecs);
    let drawn = || groups.iter().flat_map(|(_, rows)| rows);
    let unit = ByteUnit::fitting(drawn().map(|row| row.storage_bytes_high).max()?);
    let series = groups.iter().zip(looks).map(|((name, rows), look)| Series {
        name: Printable(name).to_string(),
        look,
        join: Join::LineAndMarks,
        data: points(rows, unit),
    });
    let series: Vec<Series> = series.collect();
    let reach =
        drawn().flat_map(|row| [row.storage_bytes_low, row.storage_bytes_high]).map(|bytes| unit.of(bytes));
    let mut sizes: Vec<u64> = drawn().filter_map(|row| row.leaf_page_bytes_max).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let tick = |bytes: &u64| Tick { value: float(*bytes), label: short(*bytes) };
    let chart = Chart {
        title: "Storage against leaf page size".to_owned(),
        subtitle: source.subtitle(load.name()),
        x: Axis::log_at("leaf_page_max [bytes, log]", sizes.iter().map(tick).collect()),
        y: Axis::linear(&format!("storage [{}]", unit.name), reach, From::Zero),
        series,
        note: Some(format!("Band: what the order of the server's threads can make of it{}", and_more(more))),
    };
    Some(chart.scene())
}

fn points(rows: &[&Row], unit: ByteUnit) -> Vec<Datum> {
    let mut rows: Vec<&Row> = rows.to_vec();
    rows.sort_by_key(|row| row.leaf_page_bytes_max);
    let point = |row: &&Row| {
        Some(Datum {
            x: float(row.leaf_page_bytes_max?),
            y: unit.of(row.storage_bytes),
            band: Some((unit.of(row.storage_bytes_low), unit.of(row.storage_bytes_high))),
            hover: told(row),
            fill: Fill::Solid,
            label: None,
        })
    };
    rows.iter().filter_map(point).collect()
}

//! Time of a cold scan against disk bandwidth: where a codec begins to pay.

use super::{Source, chosen};
use crate::plot::axis::{Axis, float, grouped};
use crate::plot::chart::{Chart, Datum, Join, Series};
use crate::plot::palette::Look;
use crate::plot::saved::{Load, Row, ScanRow};
use crate::plot::scene::{Fill, Scene};
use crate::units::Printable;

/// Disks drawn where the report has no scans: from a slow USB disk to a fast flash drive.
const DISKS_MB_PER_S: (f64, f64) = (10.0, 10_000.0);
/// Points of a line.
const POINTS: u32 = 61;
const BYTES_PER_MB: f64 = 1e6;

pub(super) fn draw(source: &Source<'_>) -> Option<Scene> {
    let (load, rows) = source.rows()?;
    let reported = reported(source, load);
    let (series, note) = if reported.is_empty() {
        let series = modelled(&rows);
        let note = "Model: the larger of storage / bandwidth and page images / decompression speed, one thread each; \
                    no cache is warm";
        (series, note)
    } else {
        (reported, "Times as the report has them")
    };
    let data = || series.iter().flat_map(|series| &series.data);
    if series.len() < 2 {
        return None;
    }
    let chart = Chart {
        title: "Cold scan against disk bandwidth".to_owned(),
        subtitle: source.subtitle(load.name()),
        x: Axis::log("disk bandwidth [MB/s, log]", data().map(|datum| datum.x)),
        y: Axis::log("time to read the collection once [s, log]", data().map(|datum| datum.y)),
        series: series.clone(),
        note: Some(note.to_owned()),
    };
    Some(chart.scene())
}

/// Of codecs whose unpacking was timed, and of `none`, which has none.
fn modelled(rows: &[&Row]) -> Vec<Series> {
    let known = rows.iter().filter_map(|row| match row.decompress_mb_per_s {
        Some(speed) if speed > 0.0 => Some((*row, float(row.leaf_image_bytes) / BYTES_PER_MB / speed)),
        None if row.codec == "none" => Some((*row, 0.0)),
        _ => None,
    });
    let timed: Vec<_> = known.collect();
    if timed.iter().all(|(_, unpack_s)| *unpack_s == 0.0) {
        return Vec::new();
    }
    let (timed, _) = chosen(timed, |(row, _)| row.codec_name());
    let codecs: Vec<&str> = timed.iter().map(|(row, _)| row.codec.as_str()).collect();
    let line = |((row, unpack_s), look): (&(&Row, f64), Look)| {
        let read_s = |disk: f64| float(row.storage_bytes) / BYTES_PER_MB / disk;
        Series {
            name: Printable(&row.codec_name()).to_string(),
            look,
            join: Join::Line,
            data: disks().map(|disk| datum(disk, read_s(disk).max(*unpack_s))).collect(),
        }
    };
    timed.iter().zip(Look::of_lines(&codecs)).map(line).collect()
}

fn disks() -> impl Iterator<Item = f64> {
    let (low, high) = DISKS_MB_PER_S;
    (0..POINTS).map(move |at| low * (high / low).powf(f64::from(at) / f64::from(POINTS - 1)))
}

fn datum(disk_mb_per_s: f64, scan_s: f64) -> Datum {
    let hover = format!("{} MB/s: {} s", grouped(disk_mb_per_s, 0), grouped(scan_s, 3));
    Datum { x: disk_mb_per_s, y: scan_s, band: None, hover, fill: Fill::Solid, label: None }
}

fn reported(source: &Source<'_>, load: Load) -> Vec<Series> {
    let rows: Vec<&ScanRow> =
        source.collection.scan.iter().filter(|row| row.load == load && row.scan_s.is_some()).collect();
    let mut names: Vec<String> = Vec::new();
    let name = |row: &ScanRow| match row.level {
        Some(level) => format!("{}:{level}", row.codec),
        None => row.codec.clone(),
    };
    for row in &rows {
        if !names.contains(&name(row)) {
            names.push(name(row));
        }
    }
    let (names, _) = chosen(names, Clone::clone);
    let codecs: Vec<&str> = names.iter().map(|name| name.split(':').next().unwrap_or(name)).collect();
    let line = |(codec, look): (&String, Look)| {
        let mut of_codec: Vec<&&ScanRow> = rows.iter().filter(|row| name(row) == *codec).collect();
        of_codec.sort_by(|one, other| one.disk_mb_per_s.total_cmp(&other.disk_mb_per_s));
        Series {
            name: Printable(codec).to_string(),
            look,
            join: Join::LineAndMarks,
            data: of_codec.iter().filter_map(|row| Some(datum(row.disk_mb_per_s, row.scan_s?))).collect(),
        }
    };
    names.iter().zip(Look::of_lines(&codecs)).map(line).collect()
}

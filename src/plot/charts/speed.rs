//! Ratio against compression speed: what a level costs, and which codecs no other one beats in both.

use super::{Source, percent, told};
use crate::plot::axis::{Axis, From};
use crate::plot::chart::{Chart, Datum, Join, Series};
use crate::plot::palette::{Dash, Look, Marker, Paint};
use crate::plot::saved::Row;
use crate::plot::scene::{Fill, Scene};
use crate::units::Printable;

pub(super) fn draw(source: &Source<'_>) -> Option<Scene> {
    let (load, rows) = source.rows()?;
    let timed: Vec<(&Row, f64, f64)> = rows
        .iter()
        .filter_map(|row| Some((*row, row.compress_mb_per_s?, row.ratio_storage_to_bson?)))
        .filter(|(_, speed, ratio)| *speed > 0.0 && speed.is_finite() && ratio.is_finite())
        .collect();
    if timed.len() < 2 {
        return None;
    }
    let front = front(&timed);
    let mut series = vec![Series {
        name: "none smaller is faster (Pareto front)".to_owned(),
        look: Look { paint: Paint::Soft, dash: Dash::Short, marker: Marker::Circle },
        join: Join::Steps,
        data: front
            .iter()
            .map(|at| datum(timed[*at], Fill::Solid))
            .map(|datum| Datum { label: None, ..datum })
            .collect(),
    }];
    let mut names: Vec<&str> = timed.iter().map(|(row, ..)| row.codec.as_str()).collect();
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(*name);
            true
        }
    });
    for codec in names {
        let of_codec = timed.iter().enumerate().filter(|(_, (row, ..))| row.codec == codec);
        let data = of_codec
            .map(|(at, point)| datum(*point, if front.contains(&at) { Fill::Solid } else { Fill::Hollow }));
        series.push(Series {
            name: Printable(codec).to_string(),
            look: Look::of_codec(codec),
            join: Join::Marks,
            data: data.collect(),
        });
    }
    let published = published(source);
    if !published.is_empty() {
        series.push(Series {
            name: "published, other data and machine".to_owned(),
            look: Look { paint: Paint::Soft, dash: Dash::Dotted, marker: Marker::Diamond },
            join: Join::Marks,
            data: published,
        });
    }
    let data = || series.iter().flat_map(|series| &series.data);
    let x = Axis::log("compression speed, one thread [MB/s of page image, log]", data().map(|datum| datum.x));
    let y = Axis::linear("storage / BSON [1]", data().map(|datum| datum.y), From::Smallest);
    let chart = Chart {
        title: "Ratio against compression speed".to_owned(),
        subtitle: source.subtitle(load.name()),
        x,
        y,
        series,
        note: Some(
            "Down is smaller, right is faster. Hollow: another one is at least as good in both. Speeds of the machine \
                 that made the report"
                .to_owned(),
        ),
    };
    Some(chart.scene())
}

fn datum((row, speed, ratio): (&Row, f64, f64), fill: Fill) -> Datum {
    let unpack =
        row.decompress_mb_per_s.map_or(String::new(), |speed| format!(", decompresses {speed:.0} MB/s"));
    Datum {
        x: speed,
        y: ratio,
        band: None,
        hover: format!("{}; compresses {speed:.0} MB/s{unpack}", told(row)),
        fill,
        label: Some(Printable(&row.codec_name()).to_string()),
    }
}

/// Positions that no other one beats, by rising speed.
fn front(points: &[(&Row, f64, f64)]) -> Vec<usize> {
    let beaten = |at: usize| {
        let (_, speed, ratio) = points[at];
        let beats = |(_, other_speed, other_ratio): &(&Row, f64, f64)| {
            *other_speed >= speed && *other_ratio <= ratio && (*other_speed > speed || *other_ratio < ratio)
        };
        points.iter().any(beats)
    };
    let mut front: Vec<usize> = (0..points.len()).filter(|at| !beaten(*at)).collect();
    front.sort_by(|one, other| points[*one].1.total_cmp(&points[*other].1));
    front
}

fn published(source: &Source<'_>) -> Vec<Datum> {
    let with_speed = source.published.iter().filter_map(|row| {
        Some(Datum {
            x: row.compress_mb_per_s.filter(|speed| *speed > 0.0)?,
            y: row.ratio?,
            band: None,
            hover: format!(
                "{}: {} of the data, compresses {:.0} MB/s; {}",
                Printable(&row.codec),
                percent(row.ratio?),
                row.compress_mb_per_s?,
                Printable(&row.origin)
            ),
            fill: Fill::Hollow,
            label: Some(Printable(&row.codec).to_string()),
        })
    });
    with_speed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::saved::Load;

    fn row() -> Row {
        let json = r#"{"load":"settled","codec":"zstd","level":1,"storage_bytes":1,"storage_bytes_low":1,
            "storage_bytes_high":1,"ratio_storage_to_bson":0.1,"basis":"modelled","leaf_image_bytes":1,"leaf_pages":1,
            "padding_bytes":0,"pages_kept_raw":0}"#;
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_front_holds_what_nothing_beats_in_both_and_equals_too() {
        let row = row();
        assert_eq!(row.load, Load::Settled);
        let points = [(300.0, 0.5), (100.0, 0.3), (90.0, 0.3), (100.0, 0.3), (50.0, 0.2), (40.0, 0.25)];
        let points: Vec<_> = points.map(|(speed, ratio)| (&row, speed, ratio)).into();
        assert_eq!(front(&points), [4, 1, 3, 0]);
    }
}

//! The image size as it walks from page to page: what makes two loads of the same documents differ.

use super::{Source, chosen};
use crate::plot::axis::{Axis, ByteUnit, From, Tick, float};
use crate::plot::chart::{Chart, Datum, Join, Series};
use crate::plot::palette::Look;
use crate::plot::scene::{Fill, Scene};
use crate::units::Printable;

/// Points of one line; more do not show at this width.
const POINTS_MAX: usize = 700;

pub(super) fn draw(source: &Source<'_>) -> Option<Scene> {
    let (load, rows) = source.rows()?;
    let walked = rows.iter().filter_map(|row| {
        let walk = row.image_size_walk_bytes.as_ref().filter(|walk| walk.len() > 1)?;
        Some((*row, walk, row.image_size_walk_pages.unwrap_or(1)))
    });
    let (walked, _) = chosen(walked.collect(), |(row, ..)| row.codec_name());
    let codecs: Vec<&str> = walked.iter().map(|(row, ..)| row.codec.as_str()).collect();
    let series: Vec<Series> = walked
        .iter()
        .zip(Look::of_lines(&codecs))
        .map(|((row, walk, pages), look)| Series {
            name: Printable(&row.codec_name()).to_string(),
            look,
            join: Join::Line,
            data: thinned(walk).into_iter().map(|(at, bytes)| datum(at, bytes, *pages)).collect(),
        })
        .collect();
    let largest = walked.iter().flat_map(|(_, walk, _)| walk.iter()).max()?;
    let pages = series.iter().flat_map(|series| &series.data).map(|datum| datum.x);
    let mut y = Axis::linear("image size [KiB]", [ByteUnit::KIB.of(*largest)], From::Zero);
    let leaf = ByteUnit::KIB.of(source.model.leaf_page_bytes_max);
    y.ticks =
        (0..=4).map(|times| leaf * f64::from(times)).filter(|value| *value <= y.high).map(tick).collect();
    let chart = Chart {
        title: "Image size, page by page".to_owned(),
        subtitle: source.subtitle(load.name()),
        x: Axis::linear("leaf pages written [1]", pages.chain([0.0]), From::Zero),
        y,
        series,
        note: Some(
            "WiredTiger moves the size before compression with what each block took. Here: pages one behind \
                    the other"
                .to_owned(),
        ),
    };
    Some(chart.scene())
}

fn tick(value: f64) -> Tick {
    Tick { value, label: format!("{value:.0}") }
}

fn datum(at: usize, bytes: u64, pages: u64) -> Datum {
    let page = (at as u64).saturating_mul(pages);
    Datum {
        x: float(page),
        y: ByteUnit::KIB.of(bytes),
        band: None,
        hover: String::new(),
        fill: Fill::Solid,
        label: None,
    }
}

/// Of each stretch its smallest and its largest, in their order, so that no peak is lost.
fn thinned(walk: &[u64]) -> Vec<(usize, u64)> {
    if walk.len() <= POINTS_MAX {
        return walk.iter().copied().enumerate().collect();
    }
    let stretch = walk.len().div_ceil(POINTS_MAX / 2);
    let ends = |(number, bytes): (usize, &[u64])| {
        let at = |nth: Option<usize>| nth.map(|nth| (number * stretch + nth, bytes[nth]));
        let low = at((0..bytes.len()).min_by_key(|nth| bytes[*nth]));
        let high = at((0..bytes.len()).max_by_key(|nth| bytes[*nth]));
        let mut ends: Vec<(usize, u64)> = low.into_iter().chain(high).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    };
    walk.chunks(stretch).enumerate().flat_map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_walk_keeps_its_peaks_and_its_order() {
        let mut walk = vec![65_536; 10_000];
        (walk[1234], walk[9876]) = (131_072, 32_768);
        let thin = thinned(&walk);
        assert!(thin.len() <= POINTS_MAX);
        assert!(thin.contains(&(1234, 131_072)) && thin.contains(&(9876, 32_768)));
        assert!(thin.is_sorted());
        assert_eq!(thinned(&[3, 2, 1]), [(0, 3), (1, 2), (2, 1)]);
    }
}

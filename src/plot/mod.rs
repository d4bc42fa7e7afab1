//! Plots of saved reports: SVG and PNG, from the JSON alone.
//!
//! ```text
//!  bytes of a report ──► saved ──► charts ──► scene ──► svg   a file, or a part of a page
//!   schema 1              rows     a file a    shapes    raster ──► png
//!                                  question    by role
//! ```
//!
//! The same report gives the same bytes, on every machine: numbers are rounded before they are written, the font is
//! bundled, and pixels are painted without instructions that differ between processors. Nothing is written here;
//! whoever asks gets bytes.

mod axis;
mod chart;
mod charts;
mod font;
mod marks;
mod palette;
mod png;
mod published;
mod raster;
pub mod saved;
mod scene;
mod svg;

pub use published::{Published, PublishedError};
pub use saved::{REPORT_BYTES_MAX, Saved, SavedError};
pub use svg::{escaped, style_sheet};

use charts::Source;
use scene::Scene;

/// One plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// File name without its ending: letters, digits, `-`, `_` and `.` only.
    pub name: String,
    scene: Scene,
}

/// File formats of plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotFormat {
    /// Scales, follows light and dark, tells its figures when pointed at.
    Svg,
    /// In light colours, twice as many pixels as the SVG's px.
    Png,
}

impl PlotFormat {
    /// The ending of its files.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

impl Plot {
    /// The bytes of a file.
    #[must_use]
    pub fn bytes(&self, format: PlotFormat) -> Vec<u8> {
        match format {
            PlotFormat::Svg => svg::file(&self.scene).into_bytes(),
            PlotFormat::Png => {
                let raster::Raster { width, height, rgb } = raster::paint(&self.scene);
                png::encode(width, height, &rgb)
            }
        }
    }

    /// An SVG element for a page that has [`style_sheet`]; its marks tell their figures in `aria-label`.
    #[must_use]
    pub fn inline_svg(&self) -> String {
        svg::inline(&self.scene)
    }

    /// What it shows, in one line.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.scene.title
    }
}

/// Every plot that reports have figures for, collection by collection; no two of one name.
#[must_use]
pub fn draw(reports: &[Saved], published: &[Published]) -> Vec<Plot> {
    let collections = || {
        reports
            .iter()
            .flat_map(|saved| saved.collections.iter().map(move |collection| (&saved.model, collection)))
    };
    let stems = stems(collections().map(|(_, collection)| collection.name.as_str()));
    let of_one = |((model, collection), stem): ((_, _), &String)| {
        let source = Source { model, collection, published };
        let stem = stem.clone();
        let plots = charts::ALL.iter().filter_map(move |(name, draw)| {
            Some(Plot { name: format!("{stem}-{name}"), scene: draw(&source)? })
        });
        plots.collect::<Vec<_>>()
    };
    collections().zip(&stems).flat_map(of_one).collect()
}

/// The plots of one collection, by its position.
#[must_use]
pub fn draw_collection(saved: &Saved, position: usize) -> Vec<Plot> {
    let Some(collection) = saved.collections.get(position) else { return Vec::new() };
    let source = Source { model: &saved.model, collection, published: &[] };
    let plot = |(name, draw): &(&str, fn(&Source<'_>) -> Option<Scene>)| {
        Some(Plot { name: (*name).to_owned(), scene: draw(&source)? })
    };
    charts::ALL.iter().filter_map(plot).collect()
}

/// Letters of a collection's name that its files may have.
const STEM_MAX: usize = 80;

/// File names of collections: no letter that a file system or a shell takes for something else, none twice.
fn stems<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for name in names {
        let kept = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let stem: String =
            name.chars().take(STEM_MAX).map(|letter| if kept(letter) { letter } else { '_' }).collect();
        let stem = stem.trim_start_matches(['.', '-']);
        let stem = if stem.is_empty() { "collection" } else { stem };
        let mut free = stem.to_owned();
        let mut number = 1_u32;
        while stems.iter().any(|taken| taken.eq_ignore_ascii_case(&free)) {
            number += 1;
            free = format!("{stem}-{number}");
        }
        stems.push(free);
    }
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_hold_no_letter_that_means_something_and_none_comes_twice() {
        let names = ["orders", "a/b", "../x", "", "<i>é", "Orders", "orders", "-rf"];
        let want = ["orders", "a_b", "_x", "collection", "_i__", "Orders-2", "orders-3", "rf"];
        assert_eq!(stems(names.into_iter()), want);
    }
}

//! Ratios that others published, each beside the prediction for the same codec.

use super::{Source, percent, told};
use crate::plot::axis::{Axis, From, float};
use crate::plot::chart::{self, Frame, HEAD, MARGIN, WIDTH};
use crate::plot::font;
use crate::plot::palette::{Dash, Look, Marker, Paint};
use crate::plot::published::Published;
use crate::plot::saved::Row;
use crate::plot::scene::{Anchor, Fill, Point, Scene, Shape, TextStyle};
use crate::units::Printable;

const LINE: f64 = 34.0;
const NAME_MAX: f64 = 160.0;

pub(super) fn draw(source: &Source<'_>) -> Option<Scene> {
    let (load, rows) = source.rows()?;
    let pairs: Vec<(&Published, Option<&Row>, f64)> = source
        .published
        .iter()
        .filter_map(|published| {
            let ours = rows.iter().find(|row| published.is_codec(&row.codec, row.level)).copied();
            Some((published, ours, published.ratio?))
        })
        .collect();
    let matched = pairs.iter().filter_map(|(_, ours, _)| ours.and_then(|row| row.ratio_storage_to_bson));
    let ratios = pairs.iter().map(|(_, _, ratio)| *ratio).chain(matched.clone());
    matched.clone().next()?;
    let x = Axis::linear("storage / data [1]", ratios, From::Zero);
    let names =
        pairs.iter().map(|(row, ..)| font::width(&row.codec, TextStyle::LABEL.weight, TextStyle::LABEL.size));
    let left = MARGIN + names.fold(40.0, f64::max).min(NAME_MAX) + 12.0;
    let height = float(pairs.len() as u64) * LINE;
    let frame = Frame { left, top: HEAD + 30.0, width: WIDTH - left - 60.0, height };
    let title = "Published figures beside the prediction";
    let mut scene = Scene::new(WIDTH, frame.top + height + 84.0, title, "dots: storage over data, by codec");
    chart::head(&mut scene, title, &source.subtitle(load.name()));
    legend(&mut scene);
    frame.across(&mut scene, &x);
    for (at, (published, ours, ratio)) in pairs.iter().enumerate() {
        let y = frame.top + (float(at as u64) + 0.5) * LINE;
        let name = chart::clipped_to(&Printable(&published.codec).to_string(), TextStyle::LABEL, NAME_MAX);
        scene.text(Point { x: left - 10.0, y: y + 4.0 }, name, TextStyle::LABEL.at(Anchor::End));
        let place = |ratio: f64| Point { y, ..frame.place(x.share(ratio), 0.0) };
        let theirs = place(*ratio);
        let ours = ours.and_then(|row| Some((row, row.ratio_storage_to_bson?)));
        if let Some((_, ratio)) = ours {
            scene.rule(theirs, place(ratio), Paint::Grid, 3.0, Dash::Solid);
        }
        let told_theirs = format!(
            "{}: {} published; {}",
            Printable(&published.codec),
            percent(*ratio),
            Printable(&published.origin)
        );
        scene.add_telling(mark(theirs, &Theirs), told_theirs);
        if let Some((row, ratio)) = ours {
            scene.add_telling(mark(place(ratio), &Ours(row)), told(row));
        }
    }
    let origins = pairs.iter().map(|(row, ..)| row.origin.as_str());
    chart::foot(&mut scene, &format!("Published: {}", Printable(&origins_of(origins))));
    Some(scene)
}

use Who::{Ours, Theirs};

enum Who<'a> {
    Ours(&'a Row),
    Theirs,
}

fn mark(at: Point, who: &Who<'_>) -> Shape {
    match who {
        Ours(row) => {
            let Look { paint, .. } = Look::of_codec(&row.codec);
            Shape::Mark { at, marker: Marker::Circle, paint, fill: Fill::Solid }
        }
        Theirs => Shape::Mark { at, marker: Marker::Diamond, paint: Paint::Soft, fill: Fill::Hollow },
    }
}

fn legend(scene: &mut Scene) {
    let y = HEAD + 8.0;
    let marks =
        [(Marker::Diamond, Fill::Hollow, "published"), (Marker::Circle, Fill::Solid, "predicted here")];
    for ((marker, fill, text), x) in marks.into_iter().zip([MARGIN + 6.0, MARGIN + 106.0]) {
        scene.add(Shape::Mark { at: Point { x, y }, marker, paint: Paint::Soft, fill });
        scene.text(Point { x: x + 12.0, y: y + 4.0 }, text, TextStyle::LABEL);
    }
}

/// Each once.
fn origins_of<'a>(origins: impl Iterator<Item = &'a str>) -> String {
    let mut once: Vec<&str> = Vec::new();
    for origin in origins {
        if !once.contains(&origin) {
            once.push(origin);
        }
    }
    once.join("; ")
}

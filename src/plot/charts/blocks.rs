//! Sizes of leaf blocks: how many units pages take, a panel for each codec over one axis.

use super::{Source, and_more, chosen, percent};
use crate::plot::axis::{Axis, ByteUnit, From, float, grouped, short};
use crate::plot::chart::{self, Frame, HEAD, MARGIN, WIDTH};
use crate::plot::palette::{Dash, Look, Paint};
use crate::plot::saved::Row;
use crate::plot::scene::{Anchor, Direction, Fill, Point, Scene, Shape, TextStyle, Weight};
use crate::units::{Grouped, Printable};

const PANEL: f64 = 74.0;
const PANEL_GAP: f64 = 34.0;
const LEFT: f64 = 76.0;
/// Blocks of one size that are drawn, of the smallest sizes: the picture has no room for more.
const BARS_MAX: usize = 300;

pub(super) fn draw(source: &Source<'_>) -> Option<Scene> {
    let (load, rows) = source.rows()?;
    let with_blocks: Vec<&Row> = rows.into_iter().filter(|row| !row.block_histogram.is_empty()).collect();
    let (panels, more) = chosen(with_blocks, |row| row.codec_name());
    let unit = source.model.allocation_bytes;
    let sizes = || {
        let blocks = panels.iter().flat_map(|row| &row.block_histogram);
        blocks.map(|blocks| ByteUnit::KIB.of(blocks.block_units.saturating_mul(unit)))
    };
    let step = ByteUnit::KIB.of(unit);
    let x = Axis::linear("size of a leaf block [KiB]", sizes().map(|size| size + step), From::Zero);
    panels.first()?;
    let height = float(panels.len() as u64) * (PANEL + PANEL_GAP);
    let title = "Sizes of leaf blocks";
    let description = "bars: share of leaf pages stored in blocks of each size, a panel for each codec";
    let top = HEAD + 20.0;
    let mut scene = Scene::new(WIDTH, top + height + 56.0, title, description);
    chart::head(&mut scene, title, &source.subtitle(load.name()));
    for (at, row) in panels.iter().enumerate() {
        let top = top + float(at as u64) * (PANEL + PANEL_GAP);
        let frame = Frame { left: LEFT, top, width: WIDTH - LEFT - MARGIN, height: PANEL };
        panel(&mut scene, &frame, &x, row, unit);
    }
    let whole =
        Frame { left: LEFT, top: top + height - PANEL_GAP, width: WIDTH - LEFT - MARGIN, height: 0.0 };
    whole.across(&mut scene, &x);
    let upright = TextStyle { direction: Direction::Upwards, ..TextStyle::LABEL.at(Anchor::Middle) };
    scene.text(
        Point { x: 18.0, y: top + height / 2.0 - PANEL_GAP / 2.0 },
        "share of leaf pages [%]",
        upright,
    );
    chart::foot(&mut scene, &format!("Disk comes in units of {}{}", short(unit), and_more(more)));
    Some(scene)
}

fn panel(scene: &mut Scene, frame: &Frame, x: &Axis, row: &Row, unit: u64) {
    let blocks: u64 = row.block_histogram.iter().map(|blocks| blocks.blocks).fold(0, u64::saturating_add);
    let share = |count: u64| float(count) / float(blocks.max(1));
    let highest = row.block_histogram.iter().map(|blocks| share(blocks.blocks)).fold(0.0, f64::max);
    let y = Axis::linear("", [highest * 100.0], From::Zero);
    let name = Printable(&row.codec_name()).to_string();
    let strong = TextStyle { weight: Weight::Semibold, ..TextStyle::LABEL };
    let at = Point { x: frame.left, y: frame.top - 6.0 };
    scene.text(at, name.clone(), strong);
    let raw = format!("{} pages, {} kept raw", Grouped(row.leaf_pages), Grouped(row.pages_kept_raw));
    scene.text(Point { x: frame.left + frame.width, ..at }, raw, TextStyle::SOFT.at(Anchor::End));
    let ends = [0.0, highest * 100.0];
    for value in ends {
        let from = frame.place(0.0, y.share(value));
        scene.rule(from, Point { x: from.x + frame.width, ..from }, Paint::Grid, 1.0, Dash::Solid);
        let at = Point { x: from.x - 8.0, y: from.y + 4.0 };
        scene.text(at, grouped(value, 0), TextStyle::SOFT.at(Anchor::End));
    }
    let step = ByteUnit::KIB.of(unit);
    let width = ((x.share(step) - x.share(0.0)) * frame.width * 0.72).clamp(1.0, 40.0);
    for bar in row.block_histogram.iter().take(BARS_MAX) {
        let size = bar.block_units.saturating_mul(unit);
        let middle = frame.place(x.share(ByteUnit::KIB.of(size)), y.share(share(bar.blocks) * 100.0));
        let foot = frame.place(0.0, 0.0).y;
        let drawn = Shape::Bar {
            at: Point { x: middle.x - width / 2.0, y: middle.y },
            width,
            height: (foot - middle.y).max(1.0),
            paint: Look::of_codec(&row.codec).paint,
            fill: Fill::Solid,
        };
        let told = format!(
            "{name}: {} of {} leaf pages ({}) in blocks of {}",
            Grouped(bar.blocks),
            Grouped(blocks),
            percent(share(bar.blocks)),
            short(size)
        );
        scene.add_telling(drawn, told);
    }
}

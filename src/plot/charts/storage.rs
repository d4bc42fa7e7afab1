//! Storage by codec: a bar for each state, with what scheduling can make of it.

use super::{Source, and_more, by_codec, percent, told};
use crate::plot::axis::{Axis, ByteUnit, From, float};
use crate::plot::chart::{self, Frame, HEAD, MARGIN, WIDTH};
use crate::plot::font;
use crate::plot::palette::{Dash, Look, Paint};
use crate::plot::saved::{Load, Row};
use crate::plot::scene::{Anchor, Fill, Point, Scene, Shape, TextStyle};
use crate::units::Printable;

const BAR: f64 = 18.0;
const BAR_GAP: f64 = 4.0;
const GROUP_GAP: f64 = 14.0;
const WHISKER: f64 = 4.0;
const LEFT_MAX: f64 = 160.0;
/// Room for the figure behind the longest bar.
const RIGHT: f64 = 150.0;
/// Codecs that one picture holds.
const GROUPS_MAX: usize = 48;

pub(super) fn draw(source: &Source<'_>) -> Option<Scene> {
    let rows = source.collection.rows_of_one_leaf_size(source.model);
    let groups = by_codec(&rows, Row::codec_name);
    let largest = rows.iter().map(|row| row.storage_bytes_high.max(row.storage_bytes)).max()?;
    let unit = ByteUnit::fitting(largest.max(source.collection.bson_bytes));
    let reach = [unit.of(largest), unit.of(source.collection.bson_bytes)];
    let x = Axis::linear(&format!("storage [{}]", unit.name), reach, From::Zero);
    let shown = &groups[..groups.len().min(GROUPS_MAX)];
    let loads = source.collection.loads();
    let height = f64::from(u32::try_from(shown.iter().map(|(_, rows)| rows.len()).sum::<usize>()).ok()?)
        * (BAR + BAR_GAP)
        + f64::from(u32::try_from(shown.len()).ok()?) * GROUP_GAP;
    let names =
        shown.iter().map(|(name, _)| font::width(name, TextStyle::LABEL.weight, TextStyle::LABEL.size));
    let left = MARGIN + names.fold(40.0, f64::max).min(LEFT_MAX) + 12.0;
    let frame = Frame { left, top: HEAD + 40.0, width: WIDTH - left - RIGHT, height };
    let below = 84.0;
    let title = "Storage by codec";
    let description = "bars: expected file size by codec and state, whiskers: low to high";
    let mut scene = Scene::new(WIDTH, frame.top + height + below, title, description);
    chart::head(&mut scene, title, &source.subtitle(""));
    legend(&mut scene, &loads);
    frame.across(&mut scene, &x);
    bson_line(&mut scene, &frame, &x, unit.of(source.collection.bson_bytes));
    let mut y = frame.top + GROUP_GAP / 2.0;
    for (name, rows) in shown {
        let group = BAR.mul_add(float(rows.len() as u64), BAR_GAP * (float(rows.len() as u64) - 1.0));
        let shown = chart::clipped_to(&Printable(name).to_string(), TextStyle::LABEL, LEFT_MAX);
        let at = Point { x: left - 10.0, y: y + group / 2.0 + 4.0 };
        scene.text(at, shown, TextStyle::LABEL.at(Anchor::End));
        for row in rows {
            bar(&mut scene, &frame, &x, unit, y, row);
            y += BAR + BAR_GAP;
        }
        y += GROUP_GAP;
    }
    let more = groups.len() - shown.len();
    let note = format!(
        "Whiskers: what the order of the server's threads can make of the same load{}",
        and_more(more)
    );
    chart::foot(&mut scene, &note);
    Some(scene)
}

fn bar(scene: &mut Scene, frame: &Frame, x: &Axis, unit: ByteUnit, y: f64, row: &Row) {
    let place = |bytes: u64| frame.place(x.share(unit.of(bytes)), 0.0).x;
    let paint = Look::of_codec(&row.codec).paint;
    let end = place(row.storage_bytes);
    let shape = Shape::Bar {
        at: Point { x: frame.left, y },
        width: (end - frame.left).max(1.0),
        height: BAR,
        paint,
        fill: fill(row.load),
    };
    scene.add_telling(shape, told(row));
    let (low, high) = (place(row.storage_bytes_low), place(row.storage_bytes_high));
    let middle = y + BAR / 2.0;
    let mut ink = |from: Point, to: Point| scene.rule(from, to, Paint::Ink, 1.5, Dash::Solid);
    ink(Point { x: low, y: middle }, Point { x: high, y: middle });
    for x in [low, high] {
        ink(Point { x, y: middle - WHISKER }, Point { x, y: middle + WHISKER });
    }
    let ratio = row.ratio_storage_to_bson.map_or(String::new(), |ratio| format!(" · {}", percent(ratio)));
    let at = Point { x: high.max(end) + 8.0, y: middle + 4.0 };
    scene.text(at, format!("{}{ratio}", unit.show(row.storage_bytes)), TextStyle::SOFT);
}

fn fill(load: Load) -> Fill {
    match load {
        Load::Settled => Fill::Solid,
        Load::Bulk => Fill::Faint,
    }
}

fn legend(scene: &mut Scene, loads: &[Load]) {
    let mut x = MARGIN;
    let y = HEAD + 4.0;
    for load in loads {
        let at = Point { x, y };
        scene.add(Shape::Bar { at, width: 22.0, height: 12.0, paint: Paint::Series(6), fill: fill(*load) });
        let text = match load {
            Load::Settled => "settled: no time windows on the pages",
            Load::Bulk => "bulk: fresh load into a replica set",
        };
        scene.text(Point { x: x + 30.0, y: y + 10.0 }, text, TextStyle::LABEL);
        x += 30.0 + font::width(text, TextStyle::LABEL.weight, TextStyle::LABEL.size) + 24.0;
    }
}

/// The documents' own size, to compare with.
fn bson_line(scene: &mut Scene, frame: &Frame, x: &Axis, bson: f64) {
    let foot = frame.place(x.share(bson), 0.0);
    let head = Point { y: frame.top - 4.0, ..foot };
    scene.rule(head, foot, Paint::Soft, 1.5, Dash::Short);
    scene.text(Point { y: head.y - 4.0, ..head }, "BSON", TextStyle::SOFT.at(Anchor::Middle));
}

//! Series over two axes: lines, bands, steps and marks, with their legend.

use super::axis::Axis;
use super::font;
use super::palette::{Dash, Look, Paint};
use super::scene::{Anchor, Direction, Fill, Point, Scene, Shape, TextStyle, Weight};

/// Width of every plot in px.
pub const WIDTH: f64 = 760.0;
const PLOT_HEIGHT: f64 = 340.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const BELOW: f64 = 58.0;
const LEGEND_LINE: f64 = 20.0;
const LINE_WIDTH: f64 = 2.0;
/// A legend's line and the gap behind it: long enough to show a dash beside the mark.
const SAMPLE: f64 = 46.0;
/// Letters of a title that may not run out of the picture.
const TITLE_WIDTH: f64 = WIDTH - 2.0 * MARGIN;
/// From the edge to the title.
pub const MARGIN: f64 = 20.0;

/// How a series' points are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Not at all.
    Marks,
    /// By straight lines, a mark at each point.
    LineAndMarks,
    /// By straight lines alone.
    Line,
    /// By steps, to the right and then up or down: what can be had between two points.
    Steps,
}

/// One point of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Datum {
    /// Figure on the axis across.
    pub x: f64,
    /// Figure on the upright axis.
    pub y: f64,
    /// What it may lie between.
    pub band: Option<(f64, f64)>,
    /// Its figures in words.
    pub hover: String,
    /// Solid or hollow.
    pub fill: Fill,
    /// What stands beside it.
    pub label: Option<String>,
}

/// Points of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// As the legend names it.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// How its points are joined.
    pub join: Join,
    /// In the order in which they are joined.
    pub data: Vec<Datum>,
}

/// A plot of series over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// Of what, under which rules.
    pub subtitle: String,
    /// Across.
    pub x: Axis,
    /// Upright.
    pub y: Axis,
    /// From the back to the front.
    pub series: Vec<Series>,
    /// What a reader must know, below.
    pub note: Option<String>,
}

impl Chart {
    /// Lays it out.
    #[must_use]
    pub fn scene(&self) -> Scene {
        let legend = legend_lines(&self.series);
        let top = HEAD + legend_height(&legend) + 8.0;
        let note = if self.note.is_some() { 18.0 } else { 0.0 };
        let description = format!("{} against {}", self.y.label, self.x.label);
        let mut scene = Scene::new(WIDTH, top + PLOT_HEIGHT + BELOW + note, &self.title, &description);
        head(&mut scene, &self.title, &self.subtitle);
        draw_legend(&mut scene, &legend);
        let frame = Frame { left: LEFT, top, width: WIDTH - LEFT - RIGHT, height: PLOT_HEIGHT };
        frame.grid(&mut scene, &self.x, &self.y);
        for series in &self.series {
            self.bands(&mut scene, &frame, series);
        }
        for series in &self.series {
            self.lines(&mut scene, &frame, series);
        }
        for series in &self.series {
            self.marks(&mut scene, &frame, series);
        }
        self.labels(&mut scene, &frame);
        if let Some(note) = &self.note {
            foot(&mut scene, note);
        }
        scene
    }

    fn place(&self, frame: &Frame, x: f64, y: f64) -> Point {
        frame.place(self.x.share(x), self.y.share(y))
    }

    fn bands(&self, scene: &mut Scene, frame: &Frame, series: &Series) {
        let banded = || series.data.iter().filter_map(|datum| datum.band.map(|band| (datum.x, band)));
        if series.join == Join::LineAndMarks && banded().count() > 1 {
            let low = banded().map(|(x, (low, _))| self.place(frame, x, low));
            let mut points: Vec<Point> = banded().map(|(x, (_, high))| self.place(frame, x, high)).collect();
            points.extend(low.collect::<Vec<_>>().into_iter().rev());
            scene.add(Shape::Area { points, paint: series.look.paint });
        }
    }

    fn lines(&self, scene: &mut Scene, frame: &Frame, series: &Series) {
        let points = self.path(frame, series);
        if points.len() > 1 {
            let Look { paint, dash, .. } = series.look;
            scene.add(Shape::Line { points, paint, width: LINE_WIDTH, dash });
        }
    }

    /// Corners of a series' line; none where its points are not joined.
    fn path(&self, frame: &Frame, series: &Series) -> Vec<Point> {
        let at: Vec<Point> = series.data.iter().map(|datum| self.place(frame, datum.x, datum.y)).collect();
        match series.join {
            Join::Marks => Vec::new(),
            Join::LineAndMarks | Join::Line => at,
            Join::Steps => {
                let corner = |pair: &[Point]| [pair[0], Point { x: pair[1].x, y: pair[0].y }];
                let mut points: Vec<Point> = at.windows(2).flat_map(corner).collect();
                points.extend(at.last());
                points
            }
        }
    }

    fn marks(&self, scene: &mut Scene, frame: &Frame, series: &Series) {
        let Look { paint, marker, .. } = series.look;
        if matches!(series.join, Join::Marks | Join::LineAndMarks) {
            for datum in &series.data {
                let at = self.place(frame, datum.x, datum.y);
                let mark = Shape::Mark { at, marker, paint, fill: datum.fill };
                scene.add_telling(mark, datum.hover.clone());
            }
        }
    }

    /// Beside their points, those first that stand first, none over another.
    fn labels(&self, scene: &mut Scene, frame: &Frame) {
        const HEIGHT: f64 = 12.0;
        let style = TextStyle { size: 11.0, ..TextStyle::LABEL };
        let marks: Vec<Area> = self
            .series
            .iter()
            .filter(|series| series.join == Join::Marks)
            .flat_map(|series| &series.data)
            .map(|datum| Area::around(self.place(frame, datum.x, datum.y), 4.0))
            .collect();
        let mut taken = marks;
        for series in self.series.iter().filter(|series| series.join == Join::Steps) {
            taken.extend(self.path(frame, series).windows(2).map(|pair| Area::between(pair[0], pair[1])));
        }
        for datum in self.series.iter().flat_map(|series| &series.data) {
            let Some(label) = &datum.label else { continue };
            let at = self.place(frame, datum.x, datum.y);
            let width = font::width(label, style.weight, style.size);
            let places = [
                (0.0, -9.0, Anchor::Middle),
                (0.0, 18.0, Anchor::Middle),
                (9.0, -8.0, Anchor::Start),
                (-9.0, -8.0, Anchor::End),
                (9.0, 4.0, Anchor::Start),
                (-9.0, 4.0, Anchor::End),
                (9.0, 16.0, Anchor::Start),
                (-9.0, 16.0, Anchor::End),
            ];
            let free = places.into_iter().find_map(|(x, y, anchor)| {
                let base = Point { x: at.x + x, y: at.y + y };
                let left = match anchor {
                    Anchor::Start => base.x,
                    Anchor::Middle => base.x - width / 2.0,
                    Anchor::End => base.x - width,
                };
                let area =
                    Area { left, right: left + width, top: base.y - HEIGHT + 2.0, below: base.y + 2.0 };
                let inside = area.left >= frame.left && area.right <= WIDTH - 2.0;
                (inside && !taken.iter().any(|other| other.meets(&area))).then_some((base, anchor, area))
            });
            // A label that has no room is left out: its mark tells it when pointed at.
            if let Some((base, anchor, area)) = free {
                scene.text(base, label.clone(), style.at(anchor));
                taken.push(area);
            }
        }
    }
}

/// A rectangle that texts may not share.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    below: f64,
}

impl Area {
    fn around(at: Point, radius: f64) -> Self {
        Self { left: at.x - radius, right: at.x + radius, top: at.y - radius, below: at.y + radius }
    }

    /// Of a step, which is level or upright.
    fn between(one: Point, other: Point) -> Self {
        Self {
            left: one.x.min(other.x) - 1.0,
            right: one.x.max(other.x) + 1.0,
            top: one.y.min(other.y) - 1.0,
            below: one.y.max(other.y) + 1.0,
        }
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.below && other.top < self.below
    }
}

/// The part of a plot that figures lie in.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// px from the left.
    pub left: f64,
    /// px from above.
    pub top: f64,
    /// px.
    pub width: f64,
    /// px.
    pub height: f64,
}

impl Frame {
    /// The place of two shares of the axes.
    #[must_use]
    pub fn place(&self, x: f64, y: f64) -> Point {
        let (x, y) = (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0));
        Point { x: self.left + x * self.width, y: self.top + (1.0 - y) * self.height }
    }

    fn grid(&self, scene: &mut Scene, x: &Axis, y: &Axis) {
        for tick in &y.ticks {
            let from = self.place(0.0, y.share(tick.value));
            scene.rule(from, Point { x: from.x + self.width, ..from }, Paint::Grid, 1.0, Dash::Solid);
            let at = Point { x: from.x - 8.0, y: from.y + 4.0 };
            scene.text(at, tick.label.clone(), TextStyle::SOFT.at(Anchor::End));
        }
        self.across(scene, x);
        let at = Point { x: 18.0, y: self.top + self.height / 2.0 };
        let upright = TextStyle { direction: Direction::Upwards, ..TextStyle::LABEL.at(Anchor::Middle) };
        scene.text(at, y.label.clone(), upright);
    }

    /// The axis below, its ticks and its label.
    pub fn across(&self, scene: &mut Scene, x: &Axis) {
        let mut free_from = f64::MIN;
        for tick in &x.ticks {
            let foot = self.place(x.share(tick.value), 0.0);
            scene.rule(Point { y: self.top, ..foot }, foot, Paint::Grid, 1.0, Dash::Solid);
            let half = font::width(&tick.label, Weight::Regular, TextStyle::SOFT.size) / 2.0;
            if foot.x - half >= free_from {
                let at = Point { x: foot.x, y: foot.y + 18.0 };
                scene.text(at, tick.label.clone(), TextStyle::SOFT.at(Anchor::Middle));
                free_from = foot.x + half + 6.0;
            }
        }
        let (from, to) = (self.place(0.0, 0.0), self.place(1.0, 0.0));
        scene.rule(from, to, Paint::Soft, 1.0, Dash::Solid);
        let at = Point { x: self.left + self.width / 2.0, y: to.y + 42.0 };
        scene.text(at, x.label.clone(), TextStyle::LABEL.at(Anchor::Middle));
    }
}

/// Height of title and subtitle in px.
pub const HEAD: f64 = 62.0;

/// Title and subtitle.
pub fn head(scene: &mut Scene, title: &str, subtitle: &str) {
    scene.text(Point { x: MARGIN, y: 28.0 }, clipped(title, TextStyle::TITLE), TextStyle::TITLE);
    scene.text(Point { x: MARGIN, y: 48.0 }, clipped(subtitle, TextStyle::SOFT), TextStyle::SOFT);
}

/// A line at the foot.
pub fn foot(scene: &mut Scene, note: &str) {
    let at = Point { x: MARGIN, y: scene.height - 12.0 };
    let style = TextStyle { size: 11.0, ..TextStyle::SOFT };
    scene.text(at, clipped(note, style), style);
}

/// As much of a text as fits the picture.
#[must_use]
pub fn clipped(text: &str, style: TextStyle) -> String {
    clipped_to(text, style, TITLE_WIDTH)
}

/// As much of a text as fits `width` px.
#[must_use]
pub fn clipped_to(text: &str, style: TextStyle, width: f64) -> String {
    let font = font::Font::new(style.weight);
    if font.width(text, style.size) <= width {
        return text.to_owned();
    }
    let (mut kept, mut used) = (String::new(), font.width("…", style.size));
    for letter in text.chars() {
        used += font.width(letter.encode_utf8(&mut [0; 4]), style.size);
        if used > width {
            break;
        }
        kept.push(letter);
    }
    kept.push('…');
    kept
}

/// Entries of the legend in lines that fit, each with its distance from the left.
fn legend_lines(series: &[Series]) -> Vec<Vec<(f64, &Series)>> {
    let mut lines: Vec<Vec<(f64, &Series)>> = Vec::new();
    let mut x = f64::INFINITY;
    for series in series.iter().filter(|series| !series.name.is_empty()) {
        let width = SAMPLE + font::width(&series.name, Weight::Regular, TextStyle::LABEL.size) + 22.0;
        if x + width > WIDTH - MARGIN {
            lines.push(Vec::new());
            x = MARGIN;
        }
        if let Some(line) = lines.last_mut() {
            line.push((x, series));
        }
        x += width;
    }
    lines
}

fn legend_height(lines: &[Vec<(f64, &Series)>]) -> f64 {
    lines.iter().map(|_| LEGEND_LINE).sum()
}

fn draw_legend(scene: &mut Scene, lines: &[Vec<(f64, &Series)>]) {
    let mut y = HEAD + 10.0;
    for line in lines {
        for (x, series) in line {
            let Look { paint, dash, marker } = series.look;
            if series.join != Join::Marks {
                let (from, to) = (Point { x: *x, y }, Point { x: x + SAMPLE - 8.0, y });
                scene.rule(from, to, paint, LINE_WIDTH, dash);
            }
            if matches!(series.join, Join::Marks | Join::LineAndMarks) {
                let fill = series.data.first().map_or(Fill::Solid, |datum| datum.fill);
                scene.add(Shape::Mark { at: Point { x: x + (SAMPLE - 8.0) / 2.0, y }, marker, paint, fill });
            }
            scene.text(Point { x: x + SAMPLE, y: y + 4.0 }, series.name.clone(), TextStyle::LABEL);
        }
        y += LEGEND_LINE;
    }
}

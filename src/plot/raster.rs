//! A scene as pixels, in the colours of light mode: what a PNG holds, which cannot know its reader's mode.

use super::font::{Font, Placed};
use super::marks;
use super::palette::{Dash, Paint};
use super::scene::{Anchor, Direction, Fill, Point, Scene, Shape, TextStyle, Weight};
use super::svg::{AREA_OPACITY, FAINT_OPACITY, MARK_STROKE};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint as Brush, Path, PathBuilder, Pixmap, Stroke, StrokeDash,
    Transform,
};
use ttf_parser::OutlineBuilder;

/// Pixels for each px of the scene, each way: sharp on dense screens and in print.
const SCALE: f64 = 2.0;
/// Pixels that a picture may have each way.
const PIXELS_MAX: u32 = 8192;

/// Rows of red, green and blue.
pub struct Raster {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Three bytes a pixel.
    pub rgb: Vec<u8>,
}

/// Paints a scene.
///
/// # Panics
///
/// If the system has no memory for the picture, 256 MiB at most.
#[must_use]
pub fn paint(scene: &Scene) -> Raster {
    let (width, height) = (pixels(scene.width), pixels(scene.height));
    let mut canvas = Canvas {
        pixmap: Pixmap::new(width, height).expect("a size above 0 and below the limit"),
        regular: Font::new(Weight::Regular),
        semibold: Font::new(Weight::Semibold),
    };
    canvas.pixmap.fill(colour(Paint::Paper, 1.0));
    scene.items.iter().for_each(|item| canvas.draw(&item.shape));
    // Opaque everywhere, so premultiplied is plain.
    let rgb = canvas.pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    Raster { width, height, rgb }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range before")]
fn pixels(px: f64) -> u32 {
    (px * SCALE).ceil().clamp(1.0, f64::from(PIXELS_MAX)) as u32
}

#[expect(clippy::cast_possible_truncation, reason = "a thousandth of a pixel is far below what shows")]
fn pixel(px: f64) -> f32 {
    (px * SCALE) as f32
}

fn colour(paint: Paint, opacity: f32) -> Color {
    let [red, green, blue] = paint.light();
    let mut colour = Color::from_rgba8(red, green, blue, 255);
    colour.set_alpha(opacity);
    colour
}

struct Canvas {
    pixmap: Pixmap,
    regular: Font,
    semibold: Font,
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, paint, width, dash } => {
                self.stroke(polyline(points, Ends::Open), *paint, *width, *dash);
            }
            Shape::Area { points, paint } => self.fill(polyline(points, Ends::Closed), *paint, AREA_OPACITY),
            Shape::Bar { at, width, height, paint, fill } => {
                let corners = marks::rectangle(*at, *width, *height);
                self.filled(&corners, *paint, *fill);
            }
            Shape::Mark { at, marker, paint, fill } => {
                self.filled(&marks::outline(*marker, *at), *paint, *fill);
            }
            Shape::Text { at, text, style } => self.text(*at, text, *style),
        }
    }

    fn filled(&mut self, outline: &[Point], paint: Paint, fill: Fill) {
        let path = || polyline(outline, Ends::Closed);
        match fill {
            Fill::Solid => self.fill(path(), paint, 1.0),
            Fill::Faint => {
                self.fill(path(), paint, FAINT_OPACITY);
                self.stroke(path(), paint, 1.0, Dash::Solid);
            }
            Fill::Hollow => {
                self.fill(path(), Paint::Paper, 1.0);
                self.stroke(path(), paint, MARK_STROKE, Dash::Solid);
            }
        }
    }

    fn fill(&mut self, path: Option<Path>, paint: Paint, opacity: f32) {
        let Some(path) = path else { return };
        let mut brush = Brush::default();
        brush.set_color(colour(paint, opacity));
        self.pixmap.fill_path(&path, &brush, FillRule::Winding, Transform::identity(), None);
    }

    fn stroke(&mut self, path: Option<Path>, paint: Paint, width: f64, dash: Dash) {
        let Some(path) = path else { return };
        let mut brush = Brush::default();
        brush.set_color(colour(paint, 1.0));
        let stroke = Stroke {
            width: pixel(width),
            line_cap: LineCap::Butt,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(dash.lengths().iter().map(|length| pixel(*length)).collect(), 0.0),
            ..Stroke::default()
        };
        self.pixmap.stroke_path(&path, &brush, &stroke, Transform::identity(), None);
    }

    fn text(&mut self, at: Point, text: &str, style: TextStyle) {
        let font = match style.weight {
            Weight::Regular => &self.regular,
            Weight::Semibold => &self.semibold,
        };
        let width = font.width(text, style.size);
        let back = match style.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let mut letters =
            Letters { path: PathBuilder::new(), at, back, direction: style.direction, x: 0.0, scale: 0.0 };
        font.outlines(text, style.size, &mut letters);
        self.fill(letters.path.finish(), style.paint, 1.0);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Open,
    Closed,
}

fn polyline(points: &[Point], ends: Ends) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (first, others) = points.split_first()?;
    path.move_to(pixel(first.x), pixel(first.y));
    for point in others {
        path.line_to(pixel(point.x), pixel(point.y));
    }
    if ends == Ends::Closed {
        path.close();
    }
    path.finish()
}

/// Letters of one text, put where it stands.
struct Letters {
    path: PathBuilder,
    at: Point,
    back: f64,
    direction: Direction,
    x: f64,
    scale: f64,
}

impl Letters {
    fn pixel(&self, x: f32, y: f32) -> (f32, f32) {
        let along = self.x + f64::from(x) * self.scale - self.back;
        let up = f64::from(y) * self.scale;
        let (x, y) = match self.direction {
            Direction::Level => (self.at.x + along, self.at.y - up),
            Direction::Upwards => (self.at.x - up, self.at.y - along),
        };
        (pixel(x), pixel(y))
    }
}

impl Placed for Letters {
    fn place(&mut self, x: f64, scale: f64) {
        (self.x, self.scale) = (x, scale);
    }

    fn builder(&mut self) -> &mut dyn OutlineBuilder {
        self
    }
}

impl OutlineBuilder for Letters {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.pixel(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.pixel(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.pixel(x1, y1), self.pixel(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.pixel(x1, y1), self.pixel(x2, y2), self.pixel(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

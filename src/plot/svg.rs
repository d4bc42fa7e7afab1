//! A scene as SVG: a file of its own, or a part of a page that has the style sheet already.
//!
//! Every shape carries its light colour as an attribute, for readers without style sheets, and a class that a style
//! sheet moves to dark colours.

use super::marks;
use super::palette::{Dash, Paint, hex};
use super::scene::{Anchor, Direction, Fill, Item, Point, Scene, Shape, TextStyle, Weight};
use std::fmt::Write;

/// Of areas between low and high.
pub const AREA_OPACITY: f32 = 0.16;
/// Of bars that stand behind others.
pub const FAINT_OPACITY: f32 = 0.30;
/// Width of the edge of hollow marks, px.
pub const MARK_STROKE: f64 = 1.8;

/// Letters that are there on most systems; widths are those of the bundled font, which is close.
const FAMILY: &str = "Inter,system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/// Where the SVG goes, which decides who has the style sheet and how a mark tells its figure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A file: browsers show `title` elements of their own accord.
    File,
    /// A page whose script shows `data-tip`.
    Page,
}

/// A whole file.
#[must_use]
pub fn file(scene: &Scene) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    write_scene(&mut out, scene, Place::File);
    out
}

/// An element of a page that has [`style_sheet`].
#[must_use]
pub fn inline(scene: &Scene) -> String {
    let mut out = String::new();
    write_scene(&mut out, scene, Place::Page);
    out
}

/// Colours by class, for light and dark.
#[must_use]
pub fn style_sheet() -> String {
    let rules = |colour: fn(Paint) -> [u8; 3]| {
        Paint::all().fold(String::new(), |mut rules, paint| {
            let (class, colour) = (paint.class(), hex(colour(paint)));
            put(&mut rules, format_args!(".pp .f-{class}{{fill:{colour}}}.pp .l-{class}{{stroke:{colour}}}"));
            rules
        })
    };
    format!("{}\n@media (prefers-color-scheme:dark){{{}}}", rules(Paint::light), rules(Paint::dark))
}

fn write_scene(out: &mut String, scene: &Scene, place: Place) {
    let (width, height) = (number(scene.width), number(scene.height));
    let (title, description) = (escaped(&scene.title), escaped(&scene.description));
    match place {
        Place::File => put(
            out,
            format_args!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pp\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title description\" \
             font-family=\"{FAMILY}\">\n<title id=\"title\">{title}</title>\n\
             <desc id=\"description\">{description}</desc>\n<style>{}</style>\n",
                style_sheet()
            ),
        ),
        Place::Page => put(
            out,
            format_args!(
                "<svg class=\"pp\" viewBox=\"0 0 {width} {height}\" role=\"group\" tabindex=\"0\" \
             aria-label=\"{title}. {description}\" font-family=\"{FAMILY}\">\n"
            ),
        ),
    }
    put(out, format_args!("<rect width=\"{width}\" height=\"{height}\" {}/>\n", fill(Paint::Paper)));
    scene.items.iter().for_each(|item| write_item(out, item, place));
    out.push_str("</svg>\n");
}

fn write_item(out: &mut String, item: &Item, place: Place) {
    let Some(hover) = item.hover.as_deref().map(escaped) else {
        out.push_str(&shape(&item.shape));
        out.push('\n');
        return;
    };
    let shape = shape(&item.shape);
    match place {
        Place::File => put(out, format_args!("<g><title>{hover}</title>{shape}</g>\n")),
        Place::Page => {
            put(out, format_args!("<g class=\"tip\" role=\"img\" aria-label=\"{hover}\">{shape}</g>\n"));
        }
    }
}

fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Line { points, paint, width, dash } => format!(
            "<polyline points=\"{}\" fill=\"none\" {} stroke-width=\"{}\" stroke-linejoin=\"round\"{}/>",
            path(points),
            stroke(*paint),
            number(*width),
            dashes(*dash)
        ),
        Shape::Area { points, paint } => {
            format!("<polygon points=\"{}\" {} fill-opacity=\"{AREA_OPACITY}\"/>", path(points), fill(*paint))
        }
        Shape::Bar { at, width, height, paint, fill } => {
            let (x, y) = (number(at.x), number(at.y));
            let (width, height) = (number(*width), number(*height));
            let look = filled(*paint, *fill, 1.0);
            format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {look}/>")
        }
        Shape::Mark { at, marker, paint, fill } => {
            let corners = path(&marks::outline(*marker, *at));
            format!("<polygon points=\"{corners}\" {}/>", filled(*paint, *fill, MARK_STROKE))
        }
        Shape::Text { at, text, style } => letters(*at, text, *style),
    }
}

fn letters(at: Point, text: &str, style: TextStyle) -> String {
    let (x, y, size) = (number(at.x), number(at.y), number(style.size));
    let anchor = match style.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let weight = match style.weight {
        Weight::Regular => "",
        Weight::Semibold => " font-weight=\"600\"",
    };
    let turn = match style.direction {
        Direction::Level => String::new(),
        Direction::Upwards => format!(" transform=\"rotate(-90 {x} {y})\""),
    };
    let (look, text) = (fill(style.paint), escaped(text));
    format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{weight}{anchor}{turn} {look}>{text}</text>")
}

fn filled(paint: Paint, how: Fill, edge: f64) -> String {
    match how {
        Fill::Solid => fill(paint),
        Fill::Faint => format!("{} fill-opacity=\"{FAINT_OPACITY}\"", painted(Some(paint), Some(paint))),
        Fill::Hollow => {
            format!("{} stroke-width=\"{}\"", painted(Some(Paint::Paper), Some(paint)), number(edge))
        }
    }
}

fn fill(paint: Paint) -> String {
    painted(Some(paint), None)
}

fn stroke(paint: Paint) -> String {
    painted(None, Some(paint))
}

/// Light colours as attributes, and the classes that a style sheet overrides them by.
fn painted(fill: Option<Paint>, stroke: Option<Paint>) -> String {
    let (mut attributes, mut classes) = (String::new(), Vec::new());
    for (name, letter, paint) in [("fill", 'f', fill), ("stroke", 'l', stroke)] {
        if let Some(paint) = paint {
            put(&mut attributes, format_args!("{name}=\"{}\" ", hex(paint.light())));
            classes.push(format!("{letter}-{}", paint.class()));
        }
    }
    format!("{attributes}class=\"{}\"", classes.join(" "))
}

fn dashes(dash: Dash) -> String {
    match dash.lengths() {
        [] => String::new(),
        lengths => {
            let lengths: Vec<_> = lengths.iter().map(|length| number(*length)).collect();
            format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
        }
    }
}

fn path(points: &[Point]) -> String {
    let places: Vec<_> =
        points.iter().map(|point| format!("{},{}", number(point.x), number(point.y))).collect();
    places.join(" ")
}

/// A hundredth of a px is more than shows; no trailing zeros, no `-0`.
fn number(px: f64) -> String {
    let text = format!("{px:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text that XML and HTML take as text, in elements and in attributes. Characters that XML cannot hold at all are
/// shown as U+FFFD.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            letter if letter.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes what is written");
}

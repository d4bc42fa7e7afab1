//! A drawing before it has a format: shapes in px from the upper left corner, each painted by role, not by colour.

use super::palette::{Dash, Marker, Paint};

/// A place in px, from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// Where a text stands against its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// Ends there.
    End,
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Height of the em in px.
    pub size: f64,
    /// Regular or semibold.
    pub weight: Weight,
    /// Colour by role.
    pub paint: Paint,
    /// Where it stands against its point.
    pub anchor: Anchor,
    /// Level, or turned for a vertical axis.
    pub direction: Direction,
}

/// Of two bundled weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Labels.
    Regular,
    /// Titles.
    Semibold,
}

/// Which way a text runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    Level,
    /// From below upwards.
    Upwards,
}

/// Whether a mark or a bar is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Painted.
    Solid,
    /// Painted faintly, its edge in full.
    Faint,
    /// Its edge only, on paper.
    Hollow,
}

/// One shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A path through all points.
    Line {
        /// Two or more.
        points: Vec<Point>,
        /// Colour by role.
        paint: Paint,
        /// Its width in px.
        width: f64,
        /// Its pattern.
        dash: Dash,
    },
    /// A faint area inside all points.
    Area {
        /// Three or more.
        points: Vec<Point>,
        /// Colour by role.
        paint: Paint,
    },
    /// A rectangle.
    Bar {
        /// Its upper left corner.
        at: Point,
        /// Width in px.
        width: f64,
        /// Height in px.
        height: f64,
        /// Colour by role.
        paint: Paint,
        /// Solid or faint.
        fill: Fill,
    },
    /// A symbol of a series.
    Mark {
        /// Its middle.
        at: Point,
        /// Its form.
        marker: Marker,
        /// Colour by role.
        paint: Paint,
        /// Solid or hollow.
        fill: Fill,
    },
    /// A line of text.
    Text {
        /// On its base line.
        at: Point,
        /// What it says; any characters.
        text: String,
        /// How.
        style: TextStyle,
    },
}

/// A shape, and what a reader who points at it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What is drawn.
    pub shape: Shape,
    /// The figure behind it, for marks and bars.
    pub hover: Option<String>,
}

/// A whole drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Width in px.
    pub width: f64,
    /// Height in px.
    pub height: f64,
    /// What it shows, in one line.
    pub title: String,
    /// The same for whoever cannot see it: what is drawn against what.
    pub description: String,
    /// From the back to the front.
    pub items: Vec<Item>,
}

impl Scene {
    /// An empty one.
    #[must_use]
    pub fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        Self {
            width,
            height,
            title: title.to_owned(),
            description: description.to_owned(),
            items: Vec::new(),
        }
    }

    /// Adds a shape in front.
    pub fn add(&mut self, shape: Shape) {
        self.items.push(Item { shape, hover: None });
    }

    /// Adds a shape that tells its figure.
    pub fn add_telling(&mut self, shape: Shape, hover: String) {
        self.items.push(Item { shape, hover: Some(hover) });
    }

    /// Adds a straight line.
    pub fn rule(&mut self, from: Point, to: Point, paint: Paint, width: f64, dash: Dash) {
        self.add(Shape::Line { points: vec![from, to], paint, width, dash });
    }

    /// Adds a text.
    pub fn text(&mut self, at: Point, text: impl Into<String>, style: TextStyle) {
        self.add(Shape::Text { at, text: text.into(), style });
    }
}

impl TextStyle {
    /// A label of an axis or a legend, beginning at its point.
    pub const LABEL: Self = Self {
        size: 12.0,
        weight: Weight::Regular,
        paint: Paint::Ink,
        anchor: Anchor::Start,
        direction: Direction::Level,
    };
    /// What is said in passing.
    pub const SOFT: Self = Self { paint: Paint::Soft, ..Self::LABEL };
    /// A title.
    pub const TITLE: Self = Self { size: 16.0, weight: Weight::Semibold, ..Self::LABEL };

    /// The same at another anchor.
    #[must_use]
    pub const fn at(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

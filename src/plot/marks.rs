//! Outlines of marks and bars, shared by all formats so that they look the same.

use super::palette::Marker;
use super::scene::Point;

/// Half a mark's width in px.
const RADIUS: f64 = 4.5;
/// Corners of what passes for a circle at this size.
const CIRCLE_CORNERS: u8 = 24;

/// Corners of a mark around its middle.
#[must_use]
pub fn outline(marker: Marker, at: Point) -> Vec<Point> {
    let around = |corners: &[(f64, f64)]| {
        let place = |(x, y): &(f64, f64)| Point { x: at.x + x * RADIUS, y: at.y + y * RADIUS };
        corners.iter().map(place).collect()
    };
    match marker {
        Marker::Circle => {
            let corner = |number: u8| {
                let angle = f64::from(number) / f64::from(CIRCLE_CORNERS) * std::f64::consts::TAU;
                (angle.cos(), angle.sin())
            };
            around(&(0..CIRCLE_CORNERS).map(corner).collect::<Vec<_>>())
        }
        Marker::Square => around(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        Marker::Triangle => around(&[(0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)]),
        Marker::Diamond => around(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
        Marker::Pentagon => around(&[(0.0, -1.2), (1.15, -0.35), (0.7, 1.0), (-0.7, 1.0), (-1.15, -0.35)]),
        Marker::Cross => around(&[
            (-0.45, -1.15),
            (0.45, -1.15),
            (0.45, -0.45),
            (1.15, -0.45),
            (1.15, 0.45),
            (0.45, 0.45),
            (0.45, 1.15),
            (-0.45, 1.15),
            (-0.45, 0.45),
            (-1.15, 0.45),
            (-1.15, -0.45),
            (-0.45, -0.45),
        ]),
        Marker::Wedge => around(&[(0.0, 1.15), (1.1, -0.85), (-1.1, -0.85)]),
    }
}

/// Corners of a rectangle.
#[must_use]
pub fn rectangle(at: Point, width: f64, height: f64) -> [Point; 4] {
    let (right, below) = (at.x + width, at.y + height);
    [at, Point { x: right, y: at.y }, Point { x: right, y: below }, Point { x: at.x, y: below }]
}

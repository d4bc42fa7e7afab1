//! Colours, dashes and markers: each series differs from the next in all three, so that it is told apart in dark
//! mode, in greyscale and by colour-blind readers.
//!
//! Colours are those of Okabe and Ito, "Color Universal Design" (2008, jfly.uni-koeln.de/color), darkened where they
//! vanish on white (yellow is left out) and lightened where they vanish on black.

/// What a shape is painted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Text and axes.
    Ink,
    /// Text in passing.
    Soft,
    /// Lines behind the figures.
    Grid,
    /// The ground.
    Paper,
    /// A series by its number; any number is taken.
    Series(usize),
}

/// 8 bits each of red, green and blue.
pub type Rgb = [u8; 3];

/// Light and dark of each series.
const SERIES: [(Rgb, Rgb); 7] = [
    ([0x00, 0x72, 0xb2], [0x56, 0xb4, 0xe9]), // blue, sky blue
    ([0xd5, 0x5e, 0x00], [0xff, 0x8c, 0x42]), // vermilion
    ([0x00, 0x7d, 0x5c], [0x2b, 0xc9, 0x9a]), // bluish green
    ([0xa8, 0x4f, 0x85], [0xe3, 0x9c, 0xc6]), // reddish purple
    ([0xb0, 0x78, 0x00], [0xf0, 0xb4, 0x2c]), // orange
    ([0x2f, 0x7f, 0xb0], [0x9c, 0xd0, 0xf5]), // sky blue
    ([0x55, 0x5b, 0x61], [0xa8, 0xb0, 0xb8]), // grey
];

impl Paint {
    /// Every paint that can be told apart.
    pub fn all() -> impl Iterator<Item = Self> {
        let series = (0..SERIES.len()).map(Self::Series);
        [Self::Ink, Self::Soft, Self::Grid, Self::Paper].into_iter().chain(series)
    }

    /// On white.
    #[must_use]
    pub fn light(self) -> Rgb {
        match self {
            Self::Ink => [0x1b, 0x1f, 0x24],
            Self::Soft => [0x57, 0x60, 0x6a],
            Self::Grid => [0xd8, 0xde, 0xe4],
            Self::Paper => [0xff, 0xff, 0xff],
            Self::Series(number) => SERIES[number % SERIES.len()].0,
        }
    }

    /// On a dark ground.
    #[must_use]
    pub fn dark(self) -> Rgb {
        match self {
            Self::Ink => [0xe6, 0xed, 0xf3],
            Self::Soft => [0x9d, 0xa7, 0xb1],
            Self::Grid => [0x30, 0x36, 0x3d],
            Self::Paper => [0x0d, 0x11, 0x17],
            Self::Series(number) => SERIES[number % SERIES.len()].1,
        }
    }

    /// The name of its class in style sheets.
    #[must_use]
    pub fn class(self) -> String {
        match self {
            Self::Ink => "ink".to_owned(),
            Self::Soft => "soft".to_owned(),
            Self::Grid => "grid".to_owned(),
            Self::Paper => "paper".to_owned(),
            Self::Series(number) => format!("s{}", number % SERIES.len()),
        }
    }
}

/// `#0072b2`.
#[must_use]
pub fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A line's pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dash {
    /// Whole.
    Solid,
    /// Long strokes.
    Long,
    /// Short strokes.
    Short,
    /// Dots.
    Dotted,
    /// A stroke and a dot.
    Mixed,
}

impl Dash {
    /// Lengths of stroke and gap in turn, in px; empty for a whole line.
    #[must_use]
    pub fn lengths(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Long => &[10.0, 4.0],
            Self::Short => &[5.0, 4.0],
            Self::Dotted => &[2.0, 3.0],
            Self::Mixed => &[9.0, 3.0, 2.0, 3.0],
        }
    }
}

/// A symbol's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points upwards.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A triangle that points downwards.
    Wedge,
}

/// How one series looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Colour by role.
    pub paint: Paint,
    /// Pattern of its line.
    pub dash: Dash,
    /// Form of its marks.
    pub marker: Marker,
}

const DASHES: [Dash; 5] = [Dash::Solid, Dash::Long, Dash::Short, Dash::Mixed, Dash::Dotted];
const MARKERS: [Marker; 5] =
    [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Wedge];
/// Series that the server's codecs have in every plot.
const CODECS: [(&str, usize); 4] = [("zstd", 0), ("snappy", 1), ("zlib", 2), ("none", 6)];

impl Look {
    /// The look of the n-th series of a plot.
    #[must_use]
    pub fn nth(number: usize) -> Self {
        Self {
            paint: Paint::Series(number),
            dash: DASHES[number % DASHES.len()],
            marker: MARKERS[number % MARKERS.len()],
        }
    }

    /// The look that a codec has in every plot.
    #[must_use]
    pub fn of_codec(name: &str) -> Self {
        Self::nth(CODECS.iter().find(|(known, _)| *known == name).map_or(3, |(_, number)| *number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance after WCAG 2.1.
    fn luminance(colour: Rgb) -> f64 {
        let [red, green, blue] = colour.map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(one: Rgb, other: Rgb) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// WCAG 2.1: 3 for graphics, 4.5 for text.
    #[test]
    fn every_paint_stands_out_from_its_ground_in_light_and_dark() {
        for paint in Paint::all() {
            let wanted = match paint {
                Paint::Ink | Paint::Soft => 4.5,
                Paint::Series(_) => 3.0,
                Paint::Grid | Paint::Paper => continue,
            };
            assert!(contrast(paint.light(), Paint::Paper.light()) >= wanted, "{paint:?} on white");
            assert!(contrast(paint.dark(), Paint::Paper.dark()) >= wanted, "{paint:?} on black");
        }
    }

    #[test]
    fn the_codecs_of_a_server_differ_in_colour_dash_and_marker() {
        let looks = ["zstd", "snappy", "zlib", "none"].map(Look::of_codec);
        for (at, one) in looks.iter().enumerate() {
            for other in &looks[at + 1..] {
                assert_ne!(one.paint, other.paint);
                assert_ne!((one.dash, one.marker), (other.dash, other.marker));
            }
        }
    }
}

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
    /// Longer strokes.
    Wide,
    /// A stroke and two dots.
    Double,
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
            Self::Wide => &[18.0, 5.0],
            Self::Double => &[9.0, 3.0, 2.0, 3.0, 2.0, 3.0],
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
    /// Five corners.
    Pentagon,
    /// Two bars that cross.
    Cross,
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

/// Dash and marker of each series; no two share one.
const FORMS: [(Dash, Marker); 7] = [
    (Dash::Solid, Marker::Circle),
    (Dash::Long, Marker::Square),
    (Dash::Short, Marker::Triangle),
    (Dash::Mixed, Marker::Diamond),
    (Dash::Dotted, Marker::Wedge),
    (Dash::Wide, Marker::Pentagon),
    (Dash::Double, Marker::Cross),
];
/// Series that the server's codecs have in every plot.
const CODECS: [(&str, usize); 4] = [("zstd", 0), ("snappy", 1), ("zlib", 2), ("none", 6)];

impl Look {
    /// The look of the n-th series of a plot; any number is taken.
    #[must_use]
    pub fn nth(number: usize) -> Self {
        let (dash, marker) = FORMS[number % FORMS.len()];
        Self { paint: Paint::Series(number), dash, marker }
    }

    /// The look that a codec has in every plot.
    #[must_use]
    pub fn of_codec(name: &str) -> Self {
        Self::nth(CODECS.iter().find(|(known, _)| *known == name).map_or(3, |(_, number)| *number))
    }

    /// Looks of the lines of one plot, given the codec of each: the first of a codec looks as that codec does in every
    /// plot, further ones take what is free.
    #[must_use]
    pub fn of_lines(codecs: &[&str]) -> Vec<Self> {
        let own = |name: &str| CODECS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        let firsts: Vec<Option<usize>> = codecs
            .iter()
            .enumerate()
            .map(|(at, name)| own(name).filter(|_| !codecs[..at].contains(name)))
            .collect();
        let mut free = (0..FORMS.len()).filter(|number| !firsts.contains(&Some(*number))).cycle();
        firsts.iter().map(|first| Self::nth(first.or_else(|| free.next()).unwrap_or(0))).collect()
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
    fn lines_of_one_codec_at_several_levels_take_what_is_free() {
        let looks = Look::of_lines(&["zstd", "zstd", "snappy", "lz4"]);
        assert_eq!(looks, [Look::of_codec("zstd"), Look::nth(2), Look::of_codec("snappy"), Look::nth(3)]);
        assert_eq!(Look::of_lines(&["none"; 30]).len(), 30);
    }

    #[test]
    fn the_codecs_of_a_server_differ_in_colour_dash_and_marker() {
        let looks = ["zstd", "snappy", "zlib", "none"].map(Look::of_codec);
        for (at, one) in looks.iter().enumerate() {
            for other in &looks[at + 1..] {
                assert_ne!(one.paint, other.paint);
                assert_ne!(one.dash, other.dash);
                assert_ne!(one.marker, other.marker);
            }
        }
    }
}

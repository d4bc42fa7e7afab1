//! The bundled font: how wide a text is, and the outlines of its letters. No font of the machine is asked, so that a
//! plot is the same everywhere.

use super::scene::Weight;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Inter 4.1, cut down to Latin-1 letters of plots; assets/fonts/OFL.txt is its licence.
const REGULAR: &[u8] = include_bytes!("../../assets/fonts/Inter-regular.ttf");
const SEMIBOLD: &[u8] = include_bytes!("../../assets/fonts/Inter-semibold.ttf");

/// One weight, ready to be asked.
pub struct Font {
    face: Face<'static>,
}

impl Font {
    /// Opens a bundled weight.
    ///
    /// # Panics
    ///
    /// If a bundled file is no font, which a test excludes.
    #[must_use]
    pub fn new(weight: Weight) -> Self {
        let bytes = match weight {
            Weight::Regular => REGULAR,
            Weight::Semibold => SEMIBOLD,
        };
        Self { face: Face::parse(bytes, 0).expect("a bundled file is a font") }
    }

    /// px of one font unit at an em of `size` px.
    fn scale(&self, size: f64) -> f64 {
        size / f64::from(self.face.units_per_em())
    }

    /// Glyph of a letter; that of `?` where the font has none.
    fn glyph(&self, letter: char) -> GlyphId {
        self.face.glyph_index(letter).or_else(|| self.face.glyph_index('?')).unwrap_or(GlyphId(0))
    }

    fn advance(&self, glyph: GlyphId) -> f64 {
        f64::from(self.face.glyph_hor_advance(glyph).unwrap_or(0))
    }

    /// Width of `text` in px at an em of `size` px.
    #[must_use]
    pub fn width(&self, text: &str, size: f64) -> f64 {
        text.chars().map(|letter| self.advance(self.glyph(letter))).sum::<f64>() * self.scale(size)
    }

    /// Hands each letter's outline to `outline` with its distance from the beginning and the scale, both in px.
    /// Outlines are in font units, upwards.
    pub fn outlines(&self, text: &str, size: f64, outline: &mut dyn Placed) {
        let scale = self.scale(size);
        let mut x = 0.0;
        for letter in text.chars() {
            let glyph = self.glyph(letter);
            outline.place(x, scale);
            self.face.outline_glyph(glyph, outline.builder());
            x += self.advance(glyph) * scale;
        }
    }
}

/// Something that outlines are drawn into, one letter behind the other.
pub trait Placed {
    /// The next letter begins `x` px from the text's beginning; a font unit is `scale` px.
    fn place(&mut self, x: f64, scale: f64);
    /// Takes the letter.
    fn builder(&mut self) -> &mut dyn OutlineBuilder;
}

/// Width in px of a text in a weight and size.
#[must_use]
pub fn width(text: &str, weight: Weight, size: f64) -> f64 {
    Font::new(weight).width(text, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundled_fonts_have_every_letter_that_plots_write_themselves() {
        for weight in [Weight::Regular, Weight::Semibold] {
            let font = Font::new(weight);
            for letter in (' '..='~').chain("·×–…µ".chars()) {
                assert!(font.face.glyph_index(letter).is_some(), "{letter} in {weight:?}");
            }
        }
    }

    #[test]
    fn texts_are_as_wide_as_their_letters_and_foreign_letters_have_a_width_too() {
        let one = width("m", Weight::Regular, 12.0);
        assert!((width("mmm", Weight::Regular, 12.0) - 3.0 * one).abs() < 1e-9 && one > 6.0);
        assert!(width("日本", Weight::Regular, 12.0) > 0.0);
        assert!(width("", Weight::Regular, 12.0).abs() < 1e-9);
    }
}

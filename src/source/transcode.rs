//! Text in UTF-16 or UTF-32, as UTF-8 on the fly.

use super::input::read_retrying;
use super::unpack::Stream;
use std::io::{self, Read};

/// How many bytes a code unit has, and which comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WideText {
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// UTF-32, low byte first.
    Utf32Le,
    /// UTF-32, high byte first.
    Utf32Be,
}

impl WideText {
    /// The word for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Utf32Le => "UTF-32LE",
            Self::Utf32Be => "UTF-32BE",
        }
    }

    fn unit_bytes(self) -> usize {
        match self {
            Self::Utf16Le | Self::Utf16Be => 2,
            Self::Utf32Le | Self::Utf32Be => 4,
        }
    }

    fn unit(self, bytes: &[u8]) -> u32 {
        match (self, bytes) {
            (Self::Utf16Le, [a, b, ..]) => u16::from_le_bytes([*a, *b]).into(),
            (Self::Utf16Be, [a, b, ..]) => u16::from_be_bytes([*a, *b]).into(),
            (Self::Utf32Le, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]),
            (Self::Utf32Be, [a, b, c, d, ..]) => u32::from_be_bytes([*a, *b, *c, *d]),
            _ => REPLACEMENT,
        }
    }
}

/// Code units that are no character become this, as every decoder has it.
const REPLACEMENT: u32 = 0xfffd;
const BUFFER_BYTES: usize = 1 << 16;

/// UTF-8 out of wide text. A byte order mark becomes that of UTF-8.
pub(super) struct Transcoder {
    wide: Stream,
    encoding: WideText,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// A first half of a pair, waiting for the second.
    high: Option<u32>,
    utf8: Vec<u8>,
    given: usize,
    drained: bool,
}

impl Transcoder {
    pub fn new(wide: Stream, encoding: WideText) -> Self {
        Self {
            wide,
            encoding,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            high: None,
            utf8: Vec::new(),
            given: 0,
            drained: false,
        }
    }

    fn push(&mut self, code: u32) {
        let char = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        let mut utf8 = [0; 4];
        self.utf8.extend_from_slice(char.encode_utf8(&mut utf8).as_bytes());
    }

    fn take_unit(&mut self, unit: u32) {
        if let Some(high) = self.high.take() {
            if (0xdc00..0xe000).contains(&unit) {
                return self.push(0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
            }
            self.push(REPLACEMENT);
        }
        match unit {
            0xd800..0xdc00 if self.encoding.unit_bytes() == 2 => self.high = Some(unit),
            unit => self.push(unit),
        }
    }

    /// Decodes the next buffer.
    fn refill(&mut self) -> io::Result<()> {
        self.utf8.clear();
        self.given = 0;
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let bytes = read_retrying(&mut self.wide, &mut self.buffer[self.end..])?;
        self.end += bytes;
        let unit_bytes = self.encoding.unit_bytes();
        while self.end - self.start >= unit_bytes {
            let unit = self.encoding.unit(&self.buffer[self.start..self.end]);
            self.start += unit_bytes;
            self.take_unit(unit);
        }
        if bytes == 0 {
            self.drained = true;
            if self.high.take().is_some() || self.start < self.end {
                self.push(REPLACEMENT);
            }
        }
        Ok(())
    }
}

impl Read for Transcoder {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.utf8.len() {
            if self.drained {
                return Ok(0);
            }
            self.refill()?;
        }
        let rest = &self.utf8[self.given..];
        let bytes = rest.len().min(out.len());
        out[..bytes].copy_from_slice(&rest[..bytes]);
        self.given += bytes;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::input::tests::OneByte;

    fn transcoded(bytes: Vec<u8>, encoding: WideText) -> String {
        let bytes: &'static [u8] = Box::leak(bytes.into_boxed_slice());
        let mut text = Vec::new();
        Transcoder::new(Box::new(OneByte(bytes, 0)), encoding).read_to_end(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn text_comes_out_of_every_encoding_as_it_went_in() {
        let text = "\u{feff}{\"a\":\"\u{e9}\u{20ac}\u{1f600}\"}\n";
        let units = || text.encode_utf16();
        let chars = || text.chars().map(u32::from);
        for (bytes, encoding) in [
            (units().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(), WideText::Utf16Le),
            (units().flat_map(u16::to_be_bytes).collect(), WideText::Utf16Be),
            (chars().flat_map(u32::to_le_bytes).collect(), WideText::Utf32Le),
            (chars().flat_map(u32::to_be_bytes).collect(), WideText::Utf32Be),
        ] {
            assert_eq!(transcoded(bytes, encoding), text, "{encoding:?}");
        }
    }

    #[test]
    fn what_is_no_character_becomes_one_replacement() {
        let units = |units: &[u16]| units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>();
        assert_eq!(transcoded(units(&[0xd83d, 0x61]), WideText::Utf16Le), "\u{fffd}a");
        assert_eq!(transcoded(units(&[0xde00, 0x61]), WideText::Utf16Le), "\u{fffd}a");
        assert_eq!(transcoded(units(&[0x61, 0xd83d]), WideText::Utf16Le), "a\u{fffd}");
        assert_eq!(transcoded(vec![0x61, 0, 0x62], WideText::Utf16Le), "a\u{fffd}");
        assert_eq!(transcoded(0xffff_ffff_u32.to_le_bytes().to_vec(), WideText::Utf32Le), "\u{fffd}");
    }
}

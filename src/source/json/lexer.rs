//! Tokens of JSON text, across the borders of the buffer: white space, strings, bare words.

use crate::document;
use crate::source::{
    fault::{After, Fault, Parsed, quoted, shown},
    input::{Controls, Input, Mark, plain_bytes},
};
use std::{io::Read, mem};

/// U+FFFD, for a surrogate that stands alone.
const REPLACEMENT: char = '\u{fffd}';

/// Longest text of one string before it is decoded: base64 of the longest document.
pub(super) const TEXT_BYTES_MAX: usize = 2 * document::DOCUMENT_BYTES_MAX;

/// JSON text as tokens.
pub(super) struct Lexer<R> {
    pub input: Input<R>,
    /// Brackets opened and not closed in the value that is being read.
    pub depth: usize,
    /// Whether a newline was passed since this was last cleared.
    pub newline_seen: bool,
    /// A token that must be in one piece.
    token: Vec<u8>,
    pub tabs: Tabs,
    /// Bare tabs inside strings that were taken.
    pub tabs_seen: u64,
    /// Whether a fault left the input in the middle of a string.
    inside_string: bool,
}

/// Whether a string is a key, which ends at its first NUL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nul {
    Allowed,
    Refused,
}

/// Whether a string may hold a bare tab, which JSON asks to be escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tabs {
    Taken,
    Refused,
}

impl<R: Read> Lexer<R> {
    pub fn new(input: Input<R>) -> Self {
        Self {
            input,
            depth: 0,
            newline_seen: false,
            token: Vec::new(),
            tabs: Tabs::Taken,
            tabs_seen: 0,
            inside_string: false,
        }
    }

    /// The next byte that is not white space, not consumed; `None` at the end.
    #[inline]
    pub fn significant(&mut self) -> Parsed<Option<u8>> {
        match self.input.rest().first() {
            Some(byte) if *byte > b' ' => Ok(Some(*byte)),
            _ => self.significant_behind_blanks(),
        }
    }

    fn significant_behind_blanks(&mut self) -> Parsed<Option<u8>> {
        loop {
            let rest = self.input.rest();
            let mut newline_seen = false;
            let blanks = rest
                .iter()
                .position(|byte| {
                    newline_seen |= *byte == b'\n';
                    !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
                })
                .unwrap_or(rest.len());
            let found = rest.get(blanks).copied();
            self.newline_seen |= newline_seen;
            self.input.advance(blanks);
            if found.is_some() || !self.input.refill()? {
                return Ok(found);
            }
        }
    }

    /// Consumes `wanted` behind white space. `place` tells where it belongs: `behind a key`.
    #[inline]
    pub fn expect(&mut self, wanted: u8, place: &str) -> Parsed<()> {
        let found = self.significant()?;
        if found != Some(wanted) {
            return Err(self.unexpected(found, &format!("`{}` {place}", char::from(wanted))));
        }
        self.input.advance(1);
        Ok(())
    }

    /// The error for `found` where `wanted` belongs.
    #[cold]
    pub fn unexpected(&self, found: Option<u8>, wanted: &str) -> Fault {
        let place = self.input.place();
        match found {
            None => Fault::truncated(place, format!("the input ends where {wanted} belongs")),
            Some(_) => Fault::syntax(place, format!("found {} where {wanted} belongs", shown(found))),
        }
    }

    /// Appends the text of a string whose opening quote is next. `bytes_max` bounds `out`.
    #[inline]
    pub fn string(&mut self, out: &mut Vec<u8>, nul: Nul, bytes_max: usize) -> Parsed<()> {
        self.input.advance(1);
        let rest = self.input.rest();
        let plain = plain_bytes(rest, [b'"', b'\\'], Controls::Stop);
        if rest.get(plain) == Some(&b'"') {
            out.extend_from_slice(&rest[..plain]);
            self.input.advance(plain + 1);
            return Ok(());
        }
        self.string_in_pieces(out, nul, bytes_max)
    }

    fn string_in_pieces(&mut self, out: &mut Vec<u8>, nul: Nul, bytes_max: usize) -> Parsed<()> {
        let start = out.len();
        loop {
            let rest = self.input.rest();
            let plain = plain_bytes(rest, [b'"', b'\\'], Controls::Stop);
            out.extend_from_slice(&rest[..plain]);
            let stop = rest.get(plain).copied();
            self.input.advance(plain);
            if out.len() > bytes_max {
                self.inside_string = true;
                return Err(Fault::too_long(out.len(), After::Document));
            }
            match stop {
                Some(b'"') => {
                    self.input.advance(1);
                    break;
                }
                Some(b'\\') => {
                    self.input.advance(1);
                    self.escape(out)?;
                }
                // Hand-written text has them; what is meant is plain.
                Some(b'\t') if self.tabs == Tabs::Taken => {
                    out.push(b'\t');
                    self.input.advance(1);
                    self.tabs_seen += 1;
                }
                Some(_) => {
                    return Err(Fault::syntax(
                        self.input.place(),
                        format!(
                            "found {} inside a string, where control characters must be escaped",
                            shown(stop)
                        ),
                    ));
                }
                None if self.input.refill()? => {}
                None => return Err(self.unexpected(None, "the `\"` that closes a string")),
            }
        }
        if nul == Nul::Refused && out[start..].contains(&0) {
            let what = format!("key {} holds a NUL, which BSON keys cannot", quoted(&out[start..]));
            return Err(Fault::value(self.input.marked_place(Mark::Token), what));
        }
        Ok(())
    }

    /// Appends what an escape stands for; its backslash is consumed.
    ///
    /// A surrogate takes the `\\uXXXX` behind it for its partner, whatever that is. If the two are no pair
    /// the first becomes U+FFFD and so does the second unless it is a character: a high surrogate in front
    /// of a good pair breaks it. Source: `scanString`, `bson/bsonrw/json_scanner.go` of the Go driver.
    pub(super) fn escape(&mut self, out: &mut Vec<u8>) -> Parsed<()> {
        const SURROGATES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;
        let mut single: Option<u32> = None;
        loop {
            let found = self.input.peek()?;
            let simple = match found {
                Some(b'u') => None,
                Some(byte @ (b'"' | b'\\' | b'/')) => Some(byte),
                Some(b'b') => Some(0x08),
                Some(b'f') => Some(0x0c),
                Some(b'n') => Some(b'\n'),
                Some(b'r') => Some(b'\r'),
                Some(b't') => Some(b'\t'),
                _ => return Err(self.unexpected(found, "one of `\"\\/bfnrtu` behind a backslash")),
            };
            self.input.advance(1);
            if let Some(byte) = simple {
                if single.is_some() {
                    push_char(out, REPLACEMENT);
                }
                out.push(byte);
                return Ok(());
            }
            let unit = self.four_hex_digits()?;
            match (single, unit) {
                (Some(high @ 0xd800..=0xdbff), 0xdc00..=0xdfff) => {
                    let code = 0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
                    push_char(out, char::from_u32(code).unwrap_or(REPLACEMENT));
                    return Ok(());
                }
                (Some(_), _) => {
                    push_char(out, REPLACEMENT);
                    push_char(out, char::from_u32(unit).unwrap_or(REPLACEMENT));
                    return Ok(());
                }
                (None, unit) if SURROGATES.contains(&unit) && self.input.peek()? == Some(b'\\') => {
                    self.input.advance(1);
                    single = Some(unit);
                }
                (None, unit) => {
                    push_char(out, char::from_u32(unit).unwrap_or(REPLACEMENT));
                    return Ok(());
                }
            }
        }
    }

    fn four_hex_digits(&mut self) -> Parsed<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            let found = self.input.peek()?;
            let Some(digit) = found.and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(self.unexpected(found, "a hexadecimal digit of `\\uXXXX`"));
            };
            self.input.advance(1);
            unit = unit << 4 | digit;
        }
        Ok(unit)
    }

    /// Consumes a bare word or number and lends it to `take`: letters, digits and `+-._$`.
    #[inline]
    pub fn word<T>(&mut self, take: impl FnOnce(&[u8]) -> T) -> Parsed<T> {
        let rest = self.input.rest();
        let bytes = word_bytes(rest);
        if bytes < rest.len() {
            let taken = take(&rest[..bytes]);
            self.input.advance(bytes);
            return Ok(taken);
        }
        self.token.clear();
        loop {
            let rest = self.input.rest();
            let bytes = word_bytes(rest);
            let ends_here = bytes < rest.len();
            self.token.extend_from_slice(&rest[..bytes]);
            self.input.advance(bytes);
            if self.token.len() > TEXT_BYTES_MAX {
                return Err(Fault::too_long(self.token.len(), After::Document));
            }
            if ends_here || !self.input.refill()? {
                return Ok(take(&self.token));
            }
        }
    }

    /// Steps over what is left of a value whose brackets are open, without a look at its values.
    /// Whether the input had its end.
    pub fn step_out(&mut self) -> Parsed<bool> {
        if mem::take(&mut self.inside_string) && !self.step_over_string_tail()? {
            return Ok(false);
        }
        while self.depth > 0 {
            let rest = self.input.rest();
            let plain = rest
                .iter()
                .position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))
                .unwrap_or(rest.len());
            let stop = rest.get(plain).copied();
            self.input.advance(plain);
            match stop {
                Some(b'"') => {
                    if !self.step_over_string()? {
                        return Ok(false);
                    }
                    continue;
                }
                Some(b'{' | b'[') => self.depth += 1,
                Some(_) => self.depth -= 1,
                None if self.input.refill()? => continue,
                None => return Ok(false),
            }
            self.input.advance(1);
        }
        Ok(true)
    }

    /// Steps over a string whose opening quote is next. Whether the input had its end.
    pub fn step_over_string(&mut self) -> Parsed<bool> {
        self.input.advance(1);
        self.step_over_string_tail()
    }

    fn step_over_string_tail(&mut self) -> Parsed<bool> {
        let mut escaped = false;
        loop {
            match self.input.peek()? {
                None => return Ok(false),
                Some(_) if escaped => escaped = false,
                Some(b'\\') => escaped = true,
                Some(b'"') => {
                    self.input.advance(1);
                    return Ok(true);
                }
                Some(_) => {}
            }
            self.input.advance(1);
        }
    }

    /// Goes to the next line that begins with `{`, searching from byte `from` if that is still buffered,
    /// else from here. Whether there is one.
    pub fn step_to_line(&mut self, from: u64) -> Parsed<bool> {
        self.input.rewind(from);
        loop {
            let rest = self.input.rest();
            let newline = rest.iter().position(|byte| *byte == b'\n');
            let bytes = newline.map_or(rest.len(), |at| at + 1);
            self.input.advance(bytes);
            if newline.is_some() {
                if self.input.peek()? == Some(b'{') {
                    return Ok(true);
                }
            } else if !self.input.refill()? {
                return Ok(false);
            }
        }
    }

    /// Goes to the end of the input.
    pub fn step_to_end(&mut self) -> Parsed<()> {
        loop {
            let bytes = self.input.rest().len();
            self.input.advance(bytes);
            if !self.input.refill()? {
                return Ok(());
            }
        }
    }
}

#[inline]
fn word_bytes(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_' | b'$')))
        .unwrap_or(bytes.len())
}

fn push_char(out: &mut Vec<u8>, char: char) {
    let mut utf8 = [0; 4];
    out.extend_from_slice(char.encode_utf8(&mut utf8).as_bytes());
}

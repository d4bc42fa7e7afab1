//! One JSON object to one BSON document, written as it is read.
//!
//! Lengths are patched when a bracket closes. Open brackets stand on a stack of our own, twelve bytes
//! each, so that depth costs memory in proportion to the document and never overflows the thread's stack.

use super::{
    dialect::{Evidence, JsonDialect},
    extended::{Wrapped, wrapper},
    legacy,
    lexer::{Lexer, Nul},
    number::{self, BadNumber, Number},
    shell,
};
use crate::document::DOCUMENT_BYTES_MAX;
use crate::source::{
    fault::{After, Fault, Parsed, quoted},
    input::Mark,
};
use std::io::Read;

/// Reads documents; owns what it needs again for the next.
pub(super) struct Parser<R> {
    pub lexer: Lexer<R>,
    pub dialect: JsonDialect,
    pub evidence: Evidence,
    frames: Vec<Frame>,
    /// Texts of a wrapper under construction, reused.
    pub(super) text: Vec<u8>,
    pub(super) key: Vec<u8>,
    pub(super) first: Vec<u8>,
    pub(super) second: Vec<u8>,
}

/// A bracket that is open. Offsets count from the start of the top-level document, so 32 bits hold them.
#[derive(Clone, Copy, Debug)]
enum Frame {
    /// `owner_at` is where its type byte stands; its own start, if it has none or must stay what it is.
    Document {
        start: u32,
        owner_at: u32,
    },
    Array {
        start: u32,
        next_index: u32,
    },
    Scope {
        start: u32,
        total_at: u32,
    },
}

/// What the grammar asks for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    FirstKey { wrappers: Wrappers },
    Key,
    FirstElement,
    Element,
    Separator,
}

/// Whether `$`-keys may make a value of a document: not at the top level, nor of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrappers {
    Taken,
    Literal,
}

impl<R: Read> Parser<R> {
    pub fn new(lexer: Lexer<R>) -> Self {
        Self {
            lexer,
            dialect: JsonDialect::default(),
            evidence: Evidence::default(),
            frames: Vec::new(),
            text: Vec::new(),
            key: Vec::new(),
            first: Vec::new(),
            second: Vec::new(),
        }
    }

    /// Appends the document whose opening bracket is next to `out`.
    ///
    /// # Errors
    ///
    /// A fault, with `out` longer than it was; `lexer.depth` tells how many brackets are open.
    pub fn document(&mut self, out: &mut Vec<u8>) -> Parsed<()> {
        let before = out.len();
        let limit = before + DOCUMENT_BYTES_MAX;
        self.frames.clear();
        self.lexer.depth = 0;
        let start = self.open_bracket(out, before);
        self.frames.push(Frame::Document { start, owner_at: start });
        let mut next = Next::FirstKey { wrappers: Wrappers::Literal };
        // Of the element whose value is a document that has just begun.
        let mut owner_at = before;
        loop {
            if out.len() > limit {
                return Err(too_long(out.len() - before));
            }
            let found = self.lexer.significant()?;
            let type_at = out.len();
            match next {
                Next::FirstKey { .. } if found == Some(b'}') => {
                    self.close_bracket(out, before)?;
                    next = Next::Separator;
                }
                Next::FirstKey { .. } | Next::Key => {
                    if found != Some(b'"') {
                        if let Some(byte) = found.filter(|byte| self.begins_shell_key(*byte)) {
                            owner_at = type_at;
                            next = self.shell_member(byte, out, before)?;
                            continue;
                        }
                        let wanted = if next == Next::Key { "a key" } else { "a key or `}`" };
                        return Err(self.unexpected_key(found, wanted));
                    }
                    if next == Next::Key {
                        self.lexer.input.mark(Mark::Token);
                    }
                    out.push(0);
                    self.lexer.string(out, Nul::Refused, limit)?;
                    out.push(0);
                    if next == (Next::FirstKey { wrappers: Wrappers::Taken })
                        && out[type_at + 1] == b'$'
                        && self.dialect.has_wrappers()
                        && let Some(wrapper) = wrapper(&out[type_at + 1..out.len() - 1])
                    {
                        self.frames.pop();
                        out.truncate(type_at - 4);
                        match self.wrapped(out, owner_at, wrapper)? {
                            Wrapped::Done => next = Next::Separator,
                            Wrapped::Scope { total_at } => {
                                let total_at = relative(total_at, before);
                                let start = self.open_bracket(out, before);
                                self.frames.push(Frame::Scope { start, total_at });
                                next = Next::FirstKey { wrappers: Wrappers::Literal };
                            }
                        }
                        continue;
                    }
                    self.lexer.expect(b':', "behind a key")?;
                    owner_at = type_at;
                    let found = self.lexer.significant()?;
                    next = self.value(found, out, type_at, before)?;
                }
                Next::FirstElement if found == Some(b']') => {
                    self.close_bracket(out, before)?;
                    next = Next::Separator;
                }
                Next::FirstElement | Next::Element => {
                    out.push(0);
                    if let Some(Frame::Array { next_index, .. }) = self.frames.last_mut() {
                        push_index(out, *next_index);
                        *next_index += 1;
                    }
                    out.push(0);
                    owner_at = type_at;
                    next = self.value(found, out, type_at, before)?;
                }
                Next::Separator => {
                    let Some(frame) = self.frames.last() else { return Ok(()) };
                    let is_array = matches!(frame, Frame::Array { .. });
                    next = match found {
                        Some(b',') => {
                            self.lexer.input.advance(1);
                            if is_array { Next::Element } else { Next::Key }
                        }
                        Some(b'}') if !is_array => {
                            self.close_bracket(out, before)?;
                            Next::Separator
                        }
                        Some(b']') if is_array => {
                            self.close_bracket(out, before)?;
                            Next::Separator
                        }
                        _ => {
                            let wanted = if is_array { "`,` or `]`" } else { "`,` or `}`" };
                            return Err(self.lexer.unexpected(found, wanted));
                        }
                    };
                }
            }
            if self.frames.is_empty() {
                let bytes = out.len() - before;
                return if bytes > DOCUMENT_BYTES_MAX { Err(too_long(bytes)) } else { Ok(()) };
            }
        }
    }

    /// Writes a value whose first byte is `found`; what follows it, or what it begins.
    fn value(&mut self, found: Option<u8>, out: &mut Vec<u8>, type_at: usize, before: usize) -> Parsed<Next> {
        match found {
            Some(b'"') => {
                out[type_at] = 0x02;
                let length_at = out.len();
                out.extend_from_slice(&[0; 4]);
                self.lexer.string(out, Nul::Allowed, before + DOCUMENT_BYTES_MAX)?;
                out.push(0);
                patch_length(out, length_at, length_at + 4);
            }
            Some(b'-' | b'0'..=b'9') => self.number(out, type_at)?,
            Some(b'{') => {
                out[type_at] = 0x03;
                self.lexer.input.mark(Mark::Token);
                let start = self.open_bracket(out, before);
                self.frames.push(Frame::Document { start, owner_at: relative(type_at, before) });
                return Ok(Next::FirstKey { wrappers: Wrappers::Taken });
            }
            Some(b'[') => {
                out[type_at] = 0x04;
                let start = self.open_bracket(out, before);
                self.frames.push(Frame::Array { start, next_index: 0 });
                return Ok(Next::FirstElement);
            }
            Some(b't' | b'f' | b'n') => self.literal(out, type_at)?,
            Some(byte) if self.dialect.has_shell() && begins_shell_value(byte) => {
                self.shell_value(byte, out, type_at)?;
            }
            _ => return Err(self.unexpected_value(found)),
        }
        Ok(Next::Separator)
    }

    fn number(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        let number = if let Some((number, bytes)) = number::short(self.lexer.input.rest()) {
            self.lexer.input.advance(bytes);
            number
        } else {
            self.lexer.input.mark(Mark::Token);
            match self.lexer.word(|word| Number::parse(word).map_err(|bad| (bad, word.to_vec())))? {
                Ok(number) => number,
                Err((BadNumber::Grammar, word)) if self.dialect.has_shell() => self.shell_number(&word)?,
                Err((bad, word)) => {
                    let word = quoted(&word);
                    let place = self.lexer.input.marked_place(Mark::Token);
                    return Err(match bad {
                        BadNumber::Range => {
                            Fault::value(place, format!("{word} is beyond the largest double"))
                        }
                        BadNumber::Grammar => {
                            with_shell_hint(Fault::value(place, format!("{word} is not a JSON number")))
                        }
                    });
                }
            }
        };
        match number {
            Number::Int32(value) => push_value(out, type_at, 0x10, &value.to_le_bytes()),
            Number::Int64(value) => push_value(out, type_at, 0x12, &value.to_le_bytes()),
            Number::Double(value) => push_value(out, type_at, 0x01, &value.to_le_bytes()),
        }
        Ok(())
    }

    fn literal(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        self.lexer.input.mark(Mark::Token);
        let literal = self.lexer.word(|word| match word {
            b"true" => Ok((0x08, &b"\x01"[..])),
            b"false" => Ok((0x08, &b"\x00"[..])),
            b"null" => Ok((0x0a, &b""[..])),
            _ => Err(word.to_vec()),
        })?;
        match literal {
            Ok((element_type, value)) => {
                push_value(out, type_at, element_type, value);
                Ok(())
            }
            Err(word) if self.dialect.has_shell() && word == b"new" => {
                self.lexer.significant()?;
                self.shell_value(b'n', out, type_at)
            }
            Err(word) => {
                let what = format!("found {} where a value belongs", quoted(&word));
                Err(with_shell_hint(Fault::syntax(self.lexer.input.marked_place(Mark::Token), what)))
            }
        }
    }

    #[cold]
    fn unexpected_value(&mut self, found: Option<u8>) -> Fault {
        let fault = self.lexer.unexpected(found, "a value");
        match found {
            Some(b'\'' | b'/') => with_shell_hint(fault),
            Some(byte) if byte.is_ascii_alphabetic() => with_shell_hint(fault),
            _ => fault,
        }
    }

    #[cold]
    fn unexpected_key(&mut self, found: Option<u8>, wanted: &str) -> Fault {
        let fault = self.lexer.unexpected(found, wanted);
        match found {
            Some(b'\'' | b'$' | b'_') => with_shell_hint(fault),
            Some(byte) if byte.is_ascii_alphabetic() => with_shell_hint(fault),
            _ => fault,
        }
    }

    /// Consumes `{` or `[` and leaves room for the length; where that is.
    fn open_bracket(&mut self, out: &mut Vec<u8>, before: usize) -> u32 {
        self.lexer.input.advance(1);
        self.lexer.depth += 1;
        let start = relative(out.len(), before);
        out.extend_from_slice(&[0; 4]);
        start
    }

    /// Consumes `}` or `]` and patches the length.
    fn close_bracket(&mut self, out: &mut Vec<u8>, before: usize) -> Parsed<()> {
        self.lexer.input.advance(1);
        self.lexer.depth -= 1;
        out.push(0);
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let (Frame::Document { start, .. } | Frame::Array { start, .. } | Frame::Scope { start, .. }) = frame;
        let start = before + start as usize;
        patch_length(out, start, start);
        if let Frame::Document { owner_at, .. } = frame
            && out.get(start + 5) == Some(&b'$')
            && self.dialect.has_shell()
        {
            self.stand_for_value(out, start, before + owner_at as usize)?;
        }
        if let Frame::Scope { total_at, .. } = frame {
            let total_at = before + total_at as usize;
            patch_length(out, total_at, total_at);
            self.close_wrapper("$scope")?;
        }
        Ok(())
    }
}

impl<R: Read> Parser<R> {
    /// Puts the value of version 1 in the place of the whole document at `start`, if it stands for one.
    #[cold]
    fn stand_for_value(&mut self, out: &mut Vec<u8>, start: usize, owner_at: usize) -> Parsed<()> {
        if owner_at == start {
            return Ok(());
        }
        let mut value = Vec::new();
        match legacy::value(&out[start..], self.dialect, &mut self.evidence, &mut value) {
            Ok(None) => Ok(()),
            Ok(Some(kind)) => {
                out.truncate(start);
                push_value(out, owner_at, kind, &value);
                Ok(())
            }
            Err(what) => Err(Fault::value(self.lexer.input.marked_place(Mark::Token), what)),
        }
    }

    fn begins_shell_key(&self, byte: u8) -> bool {
        self.dialect.has_shell() && (byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\''))
    }

    /// Reads a bare or single-quoted key and its value.
    #[cold]
    fn shell_member(&mut self, found: u8, out: &mut Vec<u8>, before: usize) -> Parsed<Next> {
        self.lexer.input.mark(Mark::Token);
        let type_at = out.len();
        out.push(0);
        if found == b'\'' {
            self.single_quoted(out)?;
        } else {
            self.lexer.word(|word| out.extend_from_slice(word))?;
        }
        if out[type_at + 1..].contains(&0) {
            let what = format!("key {} holds a NUL, which BSON keys cannot", quoted(&out[type_at + 1..]));
            return Err(Fault::value(self.lexer.input.marked_place(Mark::Token), what));
        }
        out.push(0);
        self.lexer.expect(b':', "behind a key")?;
        self.evidence.shell += 1;
        let found = self.lexer.significant()?;
        self.value(found, out, type_at, before)
    }

    #[cold]
    fn shell_number(&mut self, word: &[u8]) -> Parsed<Number> {
        match shell::number(word) {
            Some(number) => {
                self.evidence.shell += 1;
                Ok(number)
            }
            None if word == b"-Infinity" => {
                self.evidence.version_1 += 1;
                Ok(Number::Double(f64::NEG_INFINITY))
            }
            None => {
                let place = self.lexer.input.marked_place(Mark::Token);
                let what = format!("{} is not a JSON number", quoted(word));
                Err(with_shell_hint(Fault::value(place, what)))
            }
        }
    }
}

/// Whether a value of the shell's, and none of JSON's, begins with `byte`.
fn begins_shell_value(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'/' | b'+' | b'.')
}

#[cold]
fn too_long(bytes: usize) -> Fault {
    Fault::too_long(bytes, After::Document)
}

/// Mongo shell text is often saved as JSON; the error alone would not tell what to do.
pub(super) fn with_shell_hint(fault: Fault) -> Fault {
    fault.with_hint(
        "is this text of the mongo shell or of an old mongoexport? `mongoexport --jsonFormat canonical` writes JSON that is read here",
    )
}

/// Writes the type byte of the element at `type_at` and its value.
#[inline]
pub(super) fn push_value(out: &mut Vec<u8>, type_at: usize, element_type: u8, value: &[u8]) {
    out[type_at] = element_type;
    out.extend_from_slice(value);
}

/// `at` counted from `before`. Documents are refused far below 4 GiB.
fn relative(at: usize, before: usize) -> u32 {
    u32::try_from(at - before)
        .expect("a document under construction is shorter than its limit and one buffer")
}

/// Writes at `at` how many bytes there are from `from` to the end.
#[inline]
pub(super) fn patch_length(out: &mut [u8], at: usize, from: usize) {
    let bytes = relative(out.len(), from);
    out[at..at + 4].copy_from_slice(&bytes.to_le_bytes());
}

/// Appends the decimal digits of an array index.
fn push_index(out: &mut Vec<u8>, index: u32) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    let mut left = index;
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(left % 10).unwrap_or(0);
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

//! JSON, Extended JSON of both versions and the mongo shell's text, to the BSON that mongoimport would store.
//!
//! An input is a sequence of objects, arrays of objects, or both: on lines of their own, spread over
//! lines, or without anything between them. Numbers become the smallest type that their spelling allows;
//! sub-documents such as `{"$oid": ..}` become the value that they stand for. Duplicate and empty keys are
//! kept, strings are kept byte for byte, `_id` stays where it is and none is added.
//!
//! Taken although mongoimport refuses it, because nothing is lost: commas behind the documents of a
//! sequence, missing and trailing commas in an array, an array without `--jsonArray`, byte order marks
//! between documents. [`Source::notes`] says so.
//!
//! Memory: one buffer of 256 KiB, the document under construction, and its strings while they
//! are decoded.

mod binary;
mod date;
mod decimal;
mod dialect;
mod document;
mod extended;
mod legacy;
mod lexer;
mod number;
mod shell;

pub(super) use binary::base64;
pub(super) use date::{days_since_1970, lenient_milliseconds as iso_date};
pub(super) use decimal::decimal128;
pub use dialect::JsonDialect;

use self::{
    document::Parser,
    lexer::{Lexer, Tabs},
    number::Number,
};
use super::{
    OnBadDocument, Skipped, Source, SourceError,
    fault::{After, Fault, Parsed, quoted},
    input::Input,
};
use std::{io::Read, mem};

/// Read-ahead. Larger than an L2 cache gains nothing.
const BUFFER_BYTES: usize = 1 << 18;

/// U+00A0 in UTF-8, which text that was copied from a page has between its lines.
const NO_BREAK_SPACE: &[u8] = b"\xc2\xa0";

/// Byte order mark of UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads documents from JSON text.
pub struct JsonSource<R> {
    name: String,
    parser: Parser<R>,
    bytes_total: Option<u64>,
    on_bad: OnBadDocument,
    ordinal: u64,
    /// Where the value that is being read begins.
    begins: u64,
    level: Level,
    separator: Separator,
    lines: Lines,
    seen: Seen,
    state: State,
    skipped: Skipped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Fresh,
    Reading,
    Ended,
}

/// What the next bracket means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Sequence,
    Array,
}

/// What stood between the last value and here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    /// No value yet, at this level.
    First,
    None,
    Comma,
}

/// Whether each value so far began on a line of its own and ended on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    OnePerValue,
    Mixed,
}

/// What was met, for the notes.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    documents: u64,
    arrays: u64,
    commas_between: u64,
    commas_missing: u64,
    commas_trailing: u64,
    marks_between: u64,
    blanks_between: u64,
}

/// What stands where a value belongs.
enum Step {
    Document,
    End,
}

impl<R: Read + Send> JsonSource<R> {
    /// `name` is the name for messages; `bytes_total` what the whole stream holds, if known.
    pub fn new(name: String, reader: R, bytes_total: Option<u64>, on_bad: OnBadDocument) -> Self {
        Self {
            name,
            parser: Parser::new(Lexer::new(Input::new(reader, BUFFER_BYTES))),
            bytes_total,
            on_bad,
            ordinal: 0,
            begins: 0,
            level: Level::Sequence,
            separator: Separator::First,
            lines: Lines::OnePerValue,
            seen: Seen::default(),
            state: State::Fresh,
            skipped: Skipped::default(),
        }
    }

    /// The same source, read in `dialect`.
    #[must_use]
    pub fn with_dialect(mut self, dialect: JsonDialect) -> Self {
        self.parser.dialect = dialect;
        self.parser.lexer.tabs = if dialect == JsonDialect::Auto { Tabs::Taken } else { Tabs::Refused };
        self
    }

    fn next(&mut self, out: &mut Vec<u8>) -> Parsed<Step> {
        if self.state == State::Fresh {
            self.state = State::Reading;
            self.parser.lexer.input.take_prefix(BOM)?;
            self.parser.lexer.newline_seen = true;
        }
        if let Step::End = self.separate()? {
            return Ok(Step::End);
        }
        if !mem::take(&mut self.parser.lexer.newline_seen) {
            self.lines = Lines::Mixed;
        }
        self.parser.document(out)?;
        self.value_ended();
        Ok(Step::Document)
    }

    fn value_ended(&mut self) {
        if mem::take(&mut self.parser.lexer.newline_seen) {
            self.lines = Lines::Mixed;
        }
        self.separator = Separator::None;
        self.ordinal += 1;
    }

    /// Goes to the next document's opening bracket.
    fn separate(&mut self) -> Parsed<Step> {
        loop {
            let found = self.parser.lexer.significant()?;
            self.begins = self.parser.lexer.input.offset();
            match (found, self.level) {
                (Some(b'{'), level) => {
                    if level == Level::Array && self.separator == Separator::None {
                        self.seen.commas_missing += 1;
                    }
                    return Ok(Step::Document);
                }
                (None, Level::Sequence) => return Ok(Step::End),
                (None, Level::Array) => {
                    return Err(Fault::truncated(
                        self.parser.lexer.input.place(),
                        "the input ends inside its array, where `]` belongs".to_owned(),
                    ));
                }
                (Some(b','), level) if self.separator == Separator::None => {
                    self.separator = Separator::Comma;
                    self.seen.commas_between += u64::from(level == Level::Sequence);
                    self.parser.lexer.input.advance(1);
                }
                (Some(b']'), Level::Array) => {
                    self.seen.commas_trailing += u64::from(self.separator == Separator::Comma);
                    self.level = Level::Sequence;
                    self.separator = Separator::None;
                    self.parser.lexer.input.advance(1);
                }
                (Some(b'['), Level::Sequence) => {
                    self.seen.arrays += 1;
                    self.level = Level::Array;
                    self.separator = Separator::First;
                    self.parser.lexer.input.advance(1);
                }
                (Some(0xef), _) if self.parser.lexer.input.take_prefix(BOM)? => self.seen.marks_between += 1,
                (Some(0xc2), _) if self.parser.lexer.input.take_prefix(NO_BREAK_SPACE)? => {
                    self.seen.blanks_between += 1;
                }
                (found, _) => self.other_value(found)?,
            }
        }
    }

    /// A value that is no document. Never stepped over without a fault.
    fn other_value(&mut self, found: Option<u8>) -> Parsed<()> {
        let lexer = &mut self.parser.lexer;
        lexer.newline_seen = false;
        lexer.depth = 0;
        let place = lexer.input.place();
        let what = match found {
            Some(b'[') => {
                lexer.input.advance(1);
                lexer.depth = 1;
                "an array".to_owned()
            }
            Some(b'"') => {
                if !lexer.step_over_string()? {
                    return Err(lexer.unexpected(None, "the `\"` that closes a string"));
                }
                "a string".to_owned()
            }
            Some(byte) if byte == b'-' || byte.is_ascii_alphanumeric() => {
                let word = lexer.word(|word| match word {
                    b"true" | b"false" | b"null" => Ok(quoted(word)),
                    word if Number::parse(word).is_ok() => Ok(format!("the number {}", quoted(word))),
                    word => Err(quoted(word)),
                })?;
                match word {
                    Ok(word) => word,
                    Err(word) => {
                        return Err(Fault::syntax(place, format!("found {word} where a document belongs")));
                    }
                }
            }
            found => return Err(lexer.unexpected(found, "a document")),
        };
        Err(Fault::value(place, format!("found {what} where a document belongs")))
    }

    /// Stops with the error of `fault`, or counts what it costs and goes where reading can go on.
    fn recover(&mut self, fault: Fault) -> Result<(), SourceError> {
        let after = fault.after().map(|after| match after {
            After::Line if self.lines == Lines::Mixed => After::Nothing,
            after => after,
        });
        let here = self.parser.lexer.input.offset();
        let error = fault.into_error(&self.name, self.ordinal, self.begins, here, after);
        let Some(after) = after.filter(|_| self.on_bad == OnBadDocument::Skip) else {
            self.state = State::Ended;
            return Err(error);
        };
        let went_on = match after {
            After::Document => {
                self.parser.lexer.step_out().map(|closed| if closed { Some("") } else { None })
            }
            After::Line => self
                .parser
                .lexer
                .step_to_line(self.begins)
                .map(|found| found.then_some("; reading went on at the next line that begins with `{`")),
            After::Nothing => self.parser.lexer.step_to_end().map(|()| None),
        };
        let here = self.parser.lexer.input.offset();
        let went_on =
            went_on.map_err(|fault| fault.into_error(&self.name, self.ordinal, self.begins, here, None))?;
        let skipped_bytes = here - self.begins;
        let how = went_on.unwrap_or("; nothing was read behind it");
        if error.is_broken_packing() {
            self.skipped.damage(skipped_bytes, &error);
        } else {
            self.skipped.count(skipped_bytes, &format_args!("{error}{how}"));
        }
        self.value_ended();
        if went_on.is_none() {
            self.state = State::Ended;
        } else if after == After::Line {
            // It stands where its line begins, and whatever stood before it is behind us.
            self.parser.lexer.newline_seen = true;
            self.lines = Lines::OnePerValue;
            self.separator = Separator::Comma;
        }
        Ok(())
    }
}

impl<R: Read + Send> Source for JsonSource<R> {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let before = out.len();
        while self.state != State::Ended {
            match self.next(out) {
                Ok(Step::Document) => {
                    self.seen.documents += 1;
                    return Ok(Some(out.len() - before));
                }
                Ok(Step::End) => self.state = State::Ended,
                Err(fault) => {
                    out.truncate(before);
                    self.recover(fault)?;
                }
            }
        }
        Ok(None)
    }

    fn document_offset(&self) -> u64 {
        self.begins
    }

    fn position(&self) -> u64 {
        self.parser.lexer.input.offset()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    fn notes(&self) -> Vec<String> {
        let Self { name, seen, .. } = self;
        let evidence = self.parser.evidence;
        let mut notes = vec![format!("{name}: JSON documents, {}", self.parser.dialect.name())];
        if seen.arrays > 0 {
            notes.push(format!("{name}: they stand in an array, which mongoimport reads with `--jsonArray`"));
        }
        for (count, what) in [
            (seen.commas_between, "commas between documents, which mongoimport refuses, were passed over"),
            (seen.commas_missing, "commas missing in an array, which mongoimport refuses, were not needed"),
            (seen.commas_trailing, "a comma in front of `]`, which mongoimport refuses, was passed over"),
            (
                seen.marks_between,
                "byte order marks between documents, which mongoimport refuses, were passed over",
            ),
            (
                seen.blanks_between,
                "no-break spaces between documents, which mongoimport refuses, were passed over",
            ),
            (self.parser.lexer.tabs_seen, "bare tabs in strings, which mongoimport refuses, were taken"),
            (
                evidence.shell,
                "keys or values of the mongo shell, which mongoimport takes with `--legacy`, were read",
            ),
            (
                evidence.regexes,
                "`$regex` with `$options` was read as a regular expression, as version 1 has it; `--json-dialect v2` keeps the documents",
            ),
        ] {
            if count > 0 {
                notes.push(format!("{name}: {what} ({count})"));
            }
        }
        notes
    }
}

#[cfg(test)]
mod tests;

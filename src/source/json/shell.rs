//! The mongo shell's text: constructors, regular expressions, bare and single-quoted keys.
//!
//! What `mongoimport --legacy` takes, and what mongosh prints beside it: `NumberDecimal`, `UUID`, `HexData`, `MD5`,
//! `Code`, `Symbol`, `DBRef` and the constructors named after BSON types.
//!
//! Source: common/json/*.go, mongo-tools 100.18; measured.

use super::{
    binary, date,
    decimal::decimal128,
    document::{Parser, with_shell_hint},
    extended::{push_binary, push_string},
    legacy::push_regex,
    lexer::TEXT_BYTES_MAX,
    number::{Number, saturating_i64},
};
use crate::source::{
    fault::{After, Fault, Parsed, quoted},
    input::Mark,
};
use std::io::Read;

/// An argument of a constructor.
#[derive(Clone, Debug)]
enum Arg {
    Text(Vec<u8>),
    Number(Number),
    ObjectId([u8; 12]),
    Truth(u8),
    Null,
}

/// Arguments that any constructor takes.
const ARGS_MAX: usize = 3;

impl<R: Read> Parser<R> {
    /// Writes the value that a bare word, a slash, a quote or a sign begins.
    pub(super) fn shell_value(&mut self, found: u8, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        self.lexer.input.mark(Mark::Token);
        match found {
            b'\'' => {
                let mut text = std::mem::take(&mut self.text);
                text.clear();
                self.single_quoted(&mut text)?;
                out[type_at] = 0x02;
                push_string(out, &text);
                self.text = text;
            }
            b'/' => self.regex_literal(out, type_at)?,
            _ => {
                let mut word = self.lexer.word(<[u8]>::to_vec)?;
                if word == b"new" {
                    self.lexer.significant()?;
                    word = self.lexer.word(<[u8]>::to_vec)?;
                }
                self.word_value(&word, out, type_at)?;
            }
        }
        self.evidence.shell += 1;
        Ok(())
    }

    fn word_value(&mut self, word: &[u8], out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        let mut double = |value: f64| {
            out[type_at] = 0x01;
            out.extend_from_slice(&value.to_le_bytes());
        };
        match word {
            b"NaN" => double(f64::NAN),
            b"Infinity" | b"+Infinity" => double(f64::INFINITY),
            b"-Infinity" => double(f64::NEG_INFINITY),
            b"undefined" => out[type_at] = 0x06,
            b"MinKey" | b"MaxKey" => {
                out[type_at] = if word == b"MinKey" { 0xff } else { 0x7f };
                if self.lexer.significant()? == Some(b'(') {
                    self.args()?;
                }
            }
            _ => {
                if let Some(number) = number(word) {
                    push_number(out, type_at, number);
                    return Ok(());
                }
                if self.lexer.significant()? != Some(b'(') {
                    return Err(self.no_value(word));
                }
                let args = self.args()?;
                let before = out.len();
                if let Some(kind) = constructed(word, &args, out) {
                    out[type_at] = kind;
                } else {
                    out.truncate(before);
                    return Err(self.no_value(word));
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn no_value(&self, word: &[u8]) -> Fault {
        let place = self.lexer.input.marked_place(Mark::Token);
        with_shell_hint(Fault::syntax(place, format!("found {} where a value belongs", quoted(word))))
    }

    /// Reads `(a, b)`, whose bracket is next.
    fn args(&mut self) -> Parsed<Vec<Arg>> {
        let mut args = Vec::new();
        self.lexer.input.advance(1);
        loop {
            let found = self.lexer.significant()?;
            match found {
                Some(b')') => {
                    self.lexer.input.advance(1);
                    return Ok(args);
                }
                Some(b',') if !args.is_empty() => self.lexer.input.advance(1),
                Some(_) if args.len() == ARGS_MAX => {
                    return Err(self.lexer.unexpected(found, "the `)` of a constructor"));
                }
                _ => {
                    let arg = self.arg(found)?;
                    args.push(arg);
                }
            }
        }
    }

    fn arg(&mut self, found: Option<u8>) -> Parsed<Arg> {
        let mut text = Vec::new();
        match found {
            Some(b'"') => {
                self.lexer.string(&mut text, super::lexer::Nul::Allowed, TEXT_BYTES_MAX)?;
                return Ok(Arg::Text(text));
            }
            Some(b'\'') => {
                self.single_quoted(&mut text)?;
                return Ok(Arg::Text(text));
            }
            _ => {}
        }
        let mut word = self.lexer.word(<[u8]>::to_vec)?;
        if word == b"new" {
            self.lexer.significant()?;
            word = self.lexer.word(<[u8]>::to_vec)?;
        }
        match &word[..] {
            b"true" => return Ok(Arg::Truth(1)),
            b"false" => return Ok(Arg::Truth(0)),
            b"null" | b"undefined" => return Ok(Arg::Null),
            b"ObjectId" if self.lexer.significant()? == Some(b'(') => {
                self.lexer.input.advance(1);
                let found = self.lexer.significant()?;
                let (Some(b'"'), mut text) = (found, Vec::new()) else {
                    return Err(self.lexer.unexpected(found, "the text of an ObjectId"));
                };
                self.lexer.string(&mut text, super::lexer::Nul::Allowed, TEXT_BYTES_MAX)?;
                self.lexer.expect(b')', "behind the text of an ObjectId")?;
                return binary::hexadecimal(&text).map(Arg::ObjectId).ok_or_else(|| self.no_value(&text));
            }
            _ => {}
        }
        match Number::parse(&word).ok().or_else(|| number(&word)) {
            Some(number) => Ok(Arg::Number(number)),
            None if word.is_empty() => Err(self.lexer.unexpected(found, "an argument of a constructor")),
            None => Err(self.no_value(&word)),
        }
    }

    /// Appends the text of `'...'`, whose quote is next.
    pub(super) fn single_quoted(&mut self, out: &mut Vec<u8>) -> Parsed<()> {
        self.delimited(b'\'', out, |parser, out| match parser.lexer.input.peek()? {
            Some(b'\'') => {
                out.push(b'\'');
                parser.lexer.input.advance(1);
                Ok(())
            }
            _ => parser.lexer.escape(out),
        })
    }

    /// Appends what stands between two of `mark`, the first of which is next. `escaped` reads on behind a backslash.
    fn delimited(
        &mut self,
        mark: u8,
        out: &mut Vec<u8>,
        mut escaped: impl FnMut(&mut Self, &mut Vec<u8>) -> Parsed<()>,
    ) -> Parsed<()> {
        self.lexer.input.advance(1);
        loop {
            let found = self.lexer.input.peek()?;
            let Some(byte) = found.filter(|byte| *byte != b'\n') else {
                let wanted = format!("the `{}` that closes what begins here", char::from(mark));
                return Err(self.lexer.unexpected(found, &wanted));
            };
            self.lexer.input.advance(1);
            if out.len() > TEXT_BYTES_MAX {
                return Err(Fault::too_long(out.len(), After::Line));
            }
            match byte {
                byte if byte == mark => return Ok(()),
                b'\\' => escaped(self, out)?,
                byte => out.push(byte),
            }
        }
    }

    fn regex_literal(&mut self, out: &mut Vec<u8>, type_at: usize) -> Parsed<()> {
        let mut pattern = Vec::new();
        self.delimited(b'/', &mut pattern, |parser, out| {
            if parser.lexer.input.peek()? == Some(b'/') {
                out.push(b'/');
                parser.lexer.input.advance(1);
            } else {
                out.push(b'\\');
                // A backslash behind a backslash begins nothing.
                if parser.lexer.input.peek()? == Some(b'\\') {
                    out.push(b'\\');
                    parser.lexer.input.advance(1);
                }
            }
            Ok(())
        })?;
        let options = self.lexer.word(<[u8]>::to_vec)?;
        if !options.iter().all(|byte| b"gimsux".contains(byte)) || pattern.contains(&0) || pattern.is_empty()
        {
            return Err(self.no_value(&[b"/", &pattern[..], b"/", &options[..]].concat()));
        }
        out[type_at] = 0x0b;
        push_regex(out, &pattern, &options);
        Ok(())
    }
}

fn push_number(out: &mut Vec<u8>, type_at: usize, number: Number) {
    match number {
        Number::Int32(value) => super::document::push_value(out, type_at, 0x10, &value.to_le_bytes()),
        Number::Int64(value) => super::document::push_value(out, type_at, 0x12, &value.to_le_bytes()),
        Number::Double(value) => super::document::push_value(out, type_at, 0x01, &value.to_le_bytes()),
    }
}

/// Numbers that JSON has not: `0x10`, `-0x10`, `+1`, `.5`.
pub(super) fn number(word: &[u8]) -> Option<Number> {
    let text = std::str::from_utf8(word).ok()?;
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value =
            i64::from_str_radix(hexadecimal, 16).ok().filter(|_| !hexadecimal.starts_with(['+', '-']))?;
        return Some(Number::integer(if is_negative { -value } else { value }));
    }
    let fraction = digits.strip_prefix('.').map(|_| format!("0{digits}"));
    let plain = fraction.as_deref().unwrap_or(digits);
    let is_json = plain.starts_with(|char: char| char.is_ascii_digit());
    let signed = if is_negative { format!("-{plain}") } else { plain.to_owned() };
    is_json.then(|| Number::parse(signed.as_bytes()).ok()).flatten()
}

/// Appends the value of a constructor and returns its type; `None` if it takes no such arguments.
fn constructed(name: &[u8], args: &[Arg], out: &mut Vec<u8>) -> Option<u8> {
    let mut put = |kind: u8, bytes: &[u8]| {
        out.extend_from_slice(bytes);
        Some(kind)
    };
    match (name, args) {
        (b"ObjectId", [Arg::Text(text)]) => put(0x07, &binary::hexadecimal::<12>(text)?),
        (b"ISODate" | b"Date", [Arg::Text(text)]) => {
            put(0x09, &date::lenient_milliseconds(text)?.to_le_bytes())
        }
        (b"ISODate" | b"Date", [Arg::Number(number)]) => put(0x09, &whole(*number).to_le_bytes()),
        (b"NumberLong" | b"Long", [arg]) => put(0x12, &integer(arg)?.to_le_bytes()),
        (b"NumberInt" | b"Int32", [arg]) => put(0x10, &i32::try_from(integer(arg)?).ok()?.to_le_bytes()),
        (b"Double", [Arg::Number(number)]) => put(0x01, &double(*number).to_le_bytes()),
        (b"Double", [Arg::Text(text)]) => {
            put(0x01, &std::str::from_utf8(text).ok()?.parse::<f64>().ok()?.to_le_bytes())
        }
        (b"NumberDecimal" | b"Decimal128", [Arg::Text(text)]) => put(0x13, &decimal128(text)?),
        (b"NumberDecimal" | b"Decimal128", [Arg::Number(Number::Int32(value))]) => {
            put(0x13, &decimal128(value.to_string().as_bytes())?)
        }
        (b"Boolean", [arg]) => put(0x08, &[truth(arg)]),
        (b"Timestamp", [Arg::Number(seconds), Arg::Number(increment)]) => {
            let part = |number: Number| u32::try_from(whole(number)).ok();
            let (seconds, increment) = (part(*seconds)?, part(*increment)?);
            put(0x11, &[increment.to_le_bytes(), seconds.to_le_bytes()].concat())
        }
        (b"BinData", [Arg::Number(Number::Int32(subtype)), Arg::Text(text)]) => {
            let mut bytes = Vec::new();
            let subtype = u8::try_from(*subtype).ok().filter(|_| binary::base64(text, &mut bytes))?;
            push_binary(out, subtype, &bytes);
            Some(0x05)
        }
        (b"HexData", [Arg::Number(Number::Int32(subtype)), Arg::Text(text)]) => {
            push_binary(out, u8::try_from(*subtype).ok()?, &hexadecimal(text)?);
            Some(0x05)
        }
        (b"UUID", [Arg::Text(text)]) => {
            push_binary(out, 4, &binary::uuid(text)?);
            Some(0x05)
        }
        (b"MD5", [Arg::Text(text)]) => {
            push_binary(out, 5, &binary::hexadecimal::<16>(text)?);
            Some(0x05)
        }
        (b"RegExp", [Arg::Text(pattern)]) if !pattern.contains(&0) => {
            push_regex(out, pattern, b"");
            Some(0x0b)
        }
        (b"RegExp", [Arg::Text(pattern), Arg::Text(options)])
            if !pattern.contains(&0) && options.iter().all(|byte| b"gimsux".contains(byte)) =>
        {
            push_regex(out, pattern, options);
            Some(0x0b)
        }
        (b"Code" | b"Symbol", [Arg::Text(text)]) => {
            push_string(out, text);
            Some(if name == b"Code" { 0x0d } else { 0x0e })
        }
        (b"DBPointer", [Arg::Text(namespace), Arg::ObjectId(id)]) => {
            push_string(out, namespace);
            out.extend_from_slice(id);
            Some(0x0c)
        }
        (b"DBRef" | b"Dbref", [Arg::Text(collection), id, db @ ..]) => db_ref(collection, id, db, out),
        _ => None,
    }
}

/// `{$ref, $id, $db}`, an ordinary document.
fn db_ref(collection: &[u8], id: &Arg, db: &[Arg], out: &mut Vec<u8>) -> Option<u8> {
    let start = out.len();
    out.extend_from_slice(b"\0\0\0\0\x02$ref\0");
    push_string(out, collection);
    let type_at = out.len();
    out.extend_from_slice(b"\0$id\0");
    match id {
        Arg::ObjectId(bytes) => super::document::push_value(out, type_at, 0x07, bytes),
        Arg::Number(number) => push_number(out, type_at, *number),
        Arg::Text(text) => {
            out[type_at] = 0x02;
            push_string(out, text);
        }
        Arg::Truth(_) | Arg::Null => return None,
    }
    match db {
        [] => {}
        [Arg::Text(db)] => {
            out.extend_from_slice(b"\x02$db\0");
            push_string(out, db);
        }
        _ => return None,
    }
    out.push(0);
    super::document::patch_length(out, start, start);
    Some(0x03)
}

fn whole(number: Number) -> i64 {
    match number {
        Number::Int32(value) => value.into(),
        Number::Int64(value) => value,
        Number::Double(value) => saturating_i64(value),
    }
}

fn double(number: Number) -> f64 {
    match number {
        Number::Int32(value) => value.into(),
        #[expect(clippy::cast_precision_loss, reason = "a double of it is what was asked for")]
        Number::Int64(value) => value as f64,
        Number::Double(value) => value,
    }
}

fn integer(arg: &Arg) -> Option<i64> {
    match arg {
        Arg::Number(number) => Some(whole(*number)),
        Arg::Text(text) => std::str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}

fn truth(arg: &Arg) -> u8 {
    match arg {
        Arg::Truth(truth) => *truth,
        Arg::Number(number) => u8::from(double(*number) != 0.0),
        Arg::Text(text) => u8::from(!text.is_empty()),
        Arg::ObjectId(_) => 1,
        Arg::Null => 0,
    }
}

fn hexadecimal(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    if rest.is_empty() { bytes.collect() } else { None }
}

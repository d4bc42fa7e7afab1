//! What a JSON number is stored as: the smallest of int32, int64 and double that holds it.

use crate::source::float_text::Digits;

/// A JSON number as BSON stores it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int32(i32),
    Int64(i64),
    Double(f64),
}

/// Why a word is no number that can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadNumber {
    /// Not JSON's number grammar.
    Grammar,
    /// Beyond the largest double.
    Range,
}

impl Number {
    /// The smallest type that holds `value`.
    #[inline]
    pub fn integer(value: i64) -> Self {
        match i32::try_from(value) {
            Ok(value) => Self::Int32(value),
            Err(_) => Self::Int64(value),
        }
    }

    /// Reads a whole word. A fraction or an exponent makes a double, always; so does an integer that
    /// int64 cannot hold. `-0` is int32 0.
    pub fn parse(word: &[u8]) -> Result<Self, BadNumber> {
        let has_fraction = check_grammar(word)?;
        // The grammar leaves nothing but ASCII.
        let text = std::str::from_utf8(word).map_err(|_| BadNumber::Grammar)?;
        if !has_fraction && let Ok(value) = text.parse() {
            return Ok(Self::integer(value));
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Self::Double(value)),
            _ => Err(BadNumber::Range),
        }
    }
}

/// A double without its fraction; beyond int64, the nearest that it holds.
#[expect(clippy::cast_possible_truncation, reason = "cut off and clamped is what is asked for")]
pub(super) fn saturating_i64(value: f64) -> i64 {
    value as i64
}

/// A JSON number of few digits and without an exponent at the head of `bytes`, and its length, if the byte behind it is
/// there and ends it: the common case, in one pass.
#[inline]
pub(super) fn short(bytes: &[u8]) -> Option<(Number, usize)> {
    let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let digits = Digits::at_head_of(unsigned)?;
    let is_number =
        digits.whole > 0 && (digits.whole == 1 || unsigned[0] != b'0') && digits.fraction != Some(0);
    let ends = matches!(unsigned.get(digits.bytes())?, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n');
    if !is_number || !ends {
        return None;
    }
    let is_negative = unsigned.len() < bytes.len();
    let number = if digits.fraction.is_some() {
        let value = digits.double()?;
        Number::Double(if is_negative { -value } else { value })
    } else {
        let value = i64::try_from(digits.mantissa).ok()?;
        Number::integer(if is_negative { -value } else { value })
    };
    Some((number, bytes.len() - unsigned.len() + digits.bytes()))
}

/// Checks `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`; whether one of the last two is there.
fn check_grammar(word: &[u8]) -> Result<bool, BadNumber> {
    fn digits(word: &[u8]) -> usize {
        word.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(word.len())
    }
    let word = word.strip_prefix(b"-").unwrap_or(word);
    let whole = digits(word);
    if whole == 0 || (whole > 1 && word[0] == b'0') {
        return Err(BadNumber::Grammar);
    }
    let mut rest = &word[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let bytes = digits(fraction);
        if bytes == 0 {
            return Err(BadNumber::Grammar);
        }
        rest = &fraction[bytes..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let unsigned = match exponent {
            [b'+' | b'-', unsigned @ ..] | unsigned => unsigned,
        };
        let bytes = digits(unsigned);
        if bytes == 0 {
            return Err(BadNumber::Grammar);
        }
        rest = &unsigned[bytes..];
    }
    if rest.is_empty() { Ok(whole < word.len()) } else { Err(BadNumber::Grammar) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types as mongoimport stores them; a wrong one costs four bytes a value.
    #[test]
    fn a_number_is_stored_as_the_smallest_type_that_its_spelling_allows() {
        for (word, want, why) in [
            ("0", Number::Int32(0), "zero"),
            ("-0", Number::Int32(0), "an integer has no negative zero"),
            ("2147483647", Number::Int32(i32::MAX), "largest int32"),
            ("2147483648", Number::Int64(2_147_483_648), "one more"),
            ("-2147483648", Number::Int32(i32::MIN), "smallest int32"),
            ("-2147483649", Number::Int64(-2_147_483_649), "one less"),
            ("999999999999999999", Number::Int64(999_999_999_999_999_999), "18 digits, the short path"),
            ("1000000000000000000", Number::Int64(1_000_000_000_000_000_000), "19 digits, the long path"),
            ("9223372036854775807", Number::Int64(i64::MAX), "largest int64"),
            ("9223372036854775808", Number::Double(9_223_372_036_854_775_808.0), "one more"),
            ("-9223372036854775808", Number::Int64(i64::MIN), "smallest int64"),
            ("-9223372036854775809", Number::Double(-9_223_372_036_854_775_809.0), "one less"),
            ("1.0", Number::Double(1.0), "a fraction, though it is zero"),
            ("-0.0", Number::Double(-0.0), "a double has a negative zero"),
            ("1e3", Number::Double(1000.0), "an exponent"),
            ("1E+3", Number::Double(1000.0), "an exponent with its sign"),
            ("5e-324", Number::Double(5e-324), "smallest double"),
            ("2.4703282292062328e-324", Number::Double(5e-324), "just above half of it: rounds up"),
            ("2.4703282292062327e-324", Number::Double(0.0), "just below half of it: rounds down"),
            ("1e-400", Number::Double(0.0), "underflow is zero"),
            ("9007199254740993.0", Number::Double(9_007_199_254_740_992.0), "a tie rounds to even"),
        ] {
            let got = Number::parse(word.as_bytes());
            assert_eq!(got, Ok(want), "{word}: {why}");
            if let (Ok(Number::Double(got)), Number::Double(want)) = (got, want) {
                assert_eq!(got.to_bits(), want.to_bits(), "{word}: {why}");
            }
            if let Some(short) = short(format!("{word},").as_bytes()) {
                assert_eq!(short, (want, word.len()), "{word}: {why}");
            }
        }
    }

    #[test]
    fn what_is_not_json_is_not_a_number() {
        for (word, want) in [
            ("1e400", BadNumber::Range),
            ("-1e400", BadNumber::Range),
            ("", BadNumber::Grammar),
            ("-", BadNumber::Grammar),
            ("01", BadNumber::Grammar),
            ("-01", BadNumber::Grammar),
            ("+1", BadNumber::Grammar),
            (".5", BadNumber::Grammar),
            ("1.", BadNumber::Grammar),
            ("1.e5", BadNumber::Grammar),
            ("1e", BadNumber::Grammar),
            ("1e+", BadNumber::Grammar),
            ("0x10", BadNumber::Grammar),
            ("NaN", BadNumber::Grammar),
            ("-Infinity", BadNumber::Grammar),
            ("1_000", BadNumber::Grammar),
            ("--1", BadNumber::Grammar),
            ("1e5.5", BadNumber::Grammar),
        ] {
            assert_eq!(Number::parse(word.as_bytes()), Err(want), "{word}");
            assert_eq!(short(format!("{word} ").as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn the_short_path_takes_no_number_that_might_go_on() {
        for (bytes, why) in [
            (&b"12"[..], "the buffer ends"),
            (b"-", "no digit yet"),
            (b"12.5", "the buffer ends in a fraction"),
            (b"12.,", "no fraction"),
            (b"1.2.3,", "two points"),
            (b"9007199254740993.0,", "more than a double holds exactly"),
            (b"12e5,", "an exponent"),
            (b"12x,", "not a number"),
            (b"1234567890123456789,", "19 digits"),
        ] {
            assert_eq!(short(bytes), None, "{why}");
        }
        assert_eq!(short(b"-12}"), Some((Number::Int32(-12), 3)));
        assert_eq!(short(b"-12.50}"), Some((Number::Double(-12.5), 6)));
    }
}

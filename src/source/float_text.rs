//! Floating-point text as mongoimport's language reads it, which is more than JSON's grammar.
//!
//! `$numberDouble` and CSV cells are read so. Rust's own parser is exact and knows most of it; hexadecimal
//! text, underscores and the refusal of what overflows are added here.
//!
//! Source: `strconv.ParseFloat` of Go 1.22, documented grammar.

/// Why text is no double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotFloat {
    /// Not a floating-point literal.
    Grammar,
    /// Beyond the largest double.
    Range,
}

/// Digits with at most one point among them, few enough to be held exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digits {
    /// The number that they spell without the point: below 10^18.
    pub mantissa: u64,
    /// How many stand before the point.
    pub whole: usize,
    /// How many stand behind it; `None` without a point.
    pub fraction: Option<usize>,
}

impl Digits {
    /// As many as can be held: 18 of them are below 2^63.
    const DIGITS_MAX: usize = 18;

    /// Those at the head of `bytes`, in one pass; `None` if there are too many.
    #[inline]
    pub fn at_head_of(bytes: &[u8]) -> Option<Self> {
        let (mut mantissa, mut digits, mut whole) = (0_u64, 0, None);
        for byte in bytes {
            match byte {
                b'0'..=b'9' if digits == Self::DIGITS_MAX => return None,
                b'0'..=b'9' => {
                    mantissa = mantissa * 10 + u64::from(byte - b'0');
                    digits += 1;
                }
                b'.' if whole.is_none() => whole = Some(digits),
                _ => break,
            }
        }
        Some(match whole {
            Some(whole) => Self { mantissa, whole, fraction: Some(digits - whole) },
            None => Self { mantissa, whole: digits, fraction: None },
        })
    }

    /// Bytes that they and their point take.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.whole + self.fraction.map_or(0, |digits| digits + 1)
    }

    /// The nearest double, where one division of two exact ones gives it.
    ///
    /// Source: W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990, the case of few digits.
    #[inline]
    pub fn double(&self) -> Option<f64> {
        /// Integers up to here are doubles.
        const EXACT_MAX: u64 = 1 << 53;
        /// Powers of ten that are doubles, as far as there are digits.
        const POWERS: [f64; Digits::DIGITS_MAX + 1] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
            1e18,
        ];
        #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
        let exact = |mantissa| mantissa as f64;
        (self.mantissa <= EXACT_MAX).then(|| exact(self.mantissa) / POWERS[self.fraction.unwrap_or(0)])
    }
}

/// What is nearly always there: a sign, digits and a point, and nothing behind.
fn short(text: &[u8], unsigned: &[u8]) -> Option<f64> {
    let digits = Digits::at_head_of(unsigned)?;
    if digits.bytes() < unsigned.len() || digits.whole + digits.fraction.unwrap_or(0) == 0 {
        return None;
    }
    let value = digits.double()?;
    Some(if text.first() == Some(&b'-') { -value } else { value })
}

/// The double nearest to `text`: digits with a point or exponent, `0x1p4`, `1_000`, and in any letter
/// case `inf`, `infinity` (both with an optional sign) and `nan` (without one).
///
/// # Errors
///
/// [`NotFloat`]: other text, and what would round to an infinity.
pub(super) fn parse(text: &[u8]) -> Result<f64, NotFloat> {
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    if let Some(value) = short(text, unsigned) {
        return Ok(value);
    }
    if text.eq_ignore_ascii_case(b"nan") {
        return Ok(f64::NAN);
    }
    if unsigned.eq_ignore_ascii_case(b"inf") || unsigned.eq_ignore_ascii_case(b"infinity") {
        return Ok(if text[0] == b'-' { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if let [b'0', b'x' | b'X', digits @ ..] = unsigned {
        let value = hexadecimal(digits)?;
        return Ok(if text[0] == b'-' { -value } else { value });
    }
    if !unsigned.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
        return Err(NotFloat::Grammar);
    }
    let text = std::str::from_utf8(text).map_err(|_| NotFloat::Grammar)?;
    let parsed = if text.contains('_') {
        if !underscores_stand_between_digits(text.as_bytes()) {
            return Err(NotFloat::Grammar);
        }
        text.replace('_', "").parse()
    } else {
        text.parse()
    };
    match parsed {
        Ok(value) if f64::is_finite(value) => Ok(value),
        Ok(_) => Err(NotFloat::Range),
        Err(_) => Err(NotFloat::Grammar),
    }
}

fn underscores_stand_between_digits(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'_').collect::<Vec<_>>().windows(2).all(|pair| {
        pair[0].last().is_some_and(u8::is_ascii_hexdigit)
            && pair[1].first().is_some_and(u8::is_ascii_hexdigit)
    })
}

/// What follows `0x`: hexadecimal digits with a point, and a binary exponent, which is required.
fn hexadecimal(text: &[u8]) -> Result<f64, NotFloat> {
    /// Room for one more digit below bit 64.
    const MANTISSA_FULL: u64 = 1 << 60;
    /// So small or large that any mantissa in reach has rounded to nothing or overflowed.
    const EXPONENT_LIMIT: i64 = 1 << 40;
    let at = text.iter().position(|byte| matches!(byte, b'p' | b'P')).ok_or(NotFloat::Grammar)?;
    let exponent = std::str::from_utf8(&text[at + 1..]).map_err(|_| NotFloat::Grammar)?;
    let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NotFloat::Grammar);
    }
    let limit = if exponent.starts_with('-') { -EXPONENT_LIMIT } else { EXPONENT_LIMIT };
    let mut exponent: i64 = exponent.parse().unwrap_or(limit).clamp(-EXPONENT_LIMIT, EXPONENT_LIMIT);
    let mantissa_text = text[..at].strip_prefix(b"_").unwrap_or(&text[..at]);
    if !underscores_stand_between_digits(mantissa_text) {
        return Err(NotFloat::Grammar);
    }
    let (mut mantissa, mut digits, mut point_seen) = (0_u64, 0_usize, false);
    for byte in mantissa_text {
        match (byte, char::from(*byte).to_digit(16)) {
            (b'_', _) => {}
            (b'.', _) if !point_seen => point_seen = true,
            (_, Some(digit)) => {
                digits += 1;
                if mantissa < MANTISSA_FULL {
                    mantissa = mantissa << 4 | u64::from(digit);
                    exponent -= if point_seen { 4 } else { 0 };
                } else {
                    // Only whether anything follows matters for rounding.
                    mantissa |= u64::from(digit != 0);
                    exponent += if point_seen { 0 } else { 4 };
                }
            }
            _ => return Err(NotFloat::Grammar),
        }
    }
    if digits == 0 {
        return Err(NotFloat::Grammar);
    }
    let value = scaled(mantissa, exponent);
    if value.is_finite() { Ok(value) } else { Err(NotFloat::Range) }
}

/// `mantissa` × 2^`exponent`. Subnormal results round twice, so their last bit may be off.
fn scaled(mantissa: u64, exponent: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "rounding to the nearest double is what is asked for")]
    let mut value = mantissa as f64;
    let mut left = exponent.clamp(-2200, 2200);
    while left != 0 {
        // Powers of two in this range are doubles, so each step is exact until the result is subnormal.
        let step = left.clamp(-1000, 1000);
        value *= 2_f64.powi(i32::try_from(step).unwrap_or(0));
        left -= step;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_text_is_what_mongoimport_takes_for_it() {
        for (text, want, why) in [
            ("1.5", Ok(1.5), "plain"),
            ("1.", Ok(1.0), "no digit behind the point"),
            (".5", Ok(0.5), "none before it"),
            ("+5e1", Ok(50.0), "signs"),
            ("1e-400", Ok(0.0), "underflow is zero"),
            ("1e400", Err(NotFloat::Range), "overflow is none"),
            ("inf", Ok(f64::INFINITY), "short"),
            ("-Infinity", Ok(f64::NEG_INFINITY), "long"),
            ("+INF", Ok(f64::INFINITY), "any letter case"),
            ("infinit", Err(NotFloat::Grammar), "neither"),
            ("0x1p4", Ok(16.0), "hexadecimal"),
            ("-0x1.8p+1", Ok(-3.0), "with a fraction"),
            ("0x1P-1074", Ok(5e-324), "the smallest"),
            ("0x1.fffffffffffff8p0", Ok(2.0), "a tie rounds to even"),
            ("0x1.fffffffffffff7fffp0", Ok(1.999_999_999_999_999_8), "below the tie"),
            ("0x1p1024", Err(NotFloat::Range), "hexadecimal overflow"),
            ("0x1p99999999999999999999", Err(NotFloat::Range), "far out"),
            ("0x1p-99999999999999999999", Ok(0.0), "far in"),
            ("0x10", Err(NotFloat::Grammar), "its exponent is required"),
            ("0xp1", Err(NotFloat::Grammar), "no digit"),
            ("0x1p", Err(NotFloat::Grammar), "no exponent"),
            ("1_000", Ok(1000.0), "underscores between digits"),
            ("1__0", Err(NotFloat::Grammar), "not two"),
            ("_1", Err(NotFloat::Grammar), "not in front"),
            ("1_", Err(NotFloat::Grammar), "not behind"),
            ("1_.5", Err(NotFloat::Grammar), "not at the point"),
            ("-NaN", Err(NotFloat::Grammar), "NaN has no sign"),
            ("", Err(NotFloat::Grammar), "nothing"),
            (".", Err(NotFloat::Grammar), "no digit"),
            ("1e", Err(NotFloat::Grammar), "no exponent"),
            ("--1", Err(NotFloat::Grammar), "two signs"),
            ("0b1", Err(NotFloat::Grammar), "binary"),
            ("1f", Err(NotFloat::Grammar), "a suffix"),
            (" 1", Err(NotFloat::Grammar), "a blank"),
            ("1,5", Err(NotFloat::Grammar), "a comma"),
        ] {
            assert_eq!(parse(text.as_bytes()), want, "{text}: {why}");
        }
        for nan in ["NaN", "nan", "NAN"] {
            assert!(parse(nan.as_bytes()).is_ok_and(f64::is_nan), "{nan}");
        }
    }
    /// Whatever is read in one pass is what the exact parser reads.
    #[test]
    fn few_digits_are_read_as_many_are() {
        let mut state = 1_u64;
        let mut short_ones = 0;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let number = (state >> 20).to_string();
            let (kept, point) = (1 + (state >> 8) as usize % number.len(), (state >> 13) as usize % 24);
            let mut text = number[..kept].to_owned();
            if point <= text.len() {
                text.insert(point, '.');
            }
            if state & 128 == 0 {
                text.insert(0, '-');
            }
            let bytes = text.as_bytes();
            let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
            short_ones += u32::from(short(bytes, unsigned).is_some());
            let want = text.parse::<f64>().map(f64::to_bits).map_err(|_| NotFloat::Grammar);
            assert_eq!(parse(bytes).map(f64::to_bits), want, "{text}");
        }
        assert!(short_ones > 150_000, "{short_ones}");
        assert_eq!(Digits::at_head_of(b"1234567890123456789"), None, "19 digits");
        let digits = Digits::at_head_of(b"9007199254740993").unwrap();
        assert_eq!((digits.bytes(), digits.double()), (16, None), "above 2^53");
    }
}

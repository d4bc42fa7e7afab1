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

/// The double nearest to `text`: digits with a point or exponent, `0x1p4`, `1_000`, and in any letter
/// case `inf`, `infinity` (both with an optional sign) and `nan` (without one).
///
/// # Errors
///
/// [`NotFloat`]: other text, and what would round to an infinity.
pub(super) fn parse(text: &[u8]) -> Result<f64, NotFloat> {
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
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
}

//! Decimal text to the sixteen bytes of a BSON decimal128, exactly or not at all.

/// Most digits of a coefficient.
const DIGITS_MAX: u32 = 34;
const EXPONENT_MIN: i64 = -6176;
const EXPONENT_MAX: i64 = 6111;
/// Largest coefficient: 34 nines. It leaves the three bits above the exponent free, so that one of the
/// format's two layouts is enough.
const COEFFICIENT_MAX: u128 = 10_u128.pow(DIGITS_MAX) - 1;
const _: () = assert!(COEFFICIENT_MAX < 1 << 113);

/// Leading bits of a NaN and of an infinity.
const NAN: u128 = 0x7c << 120;
const INFINITY: u128 = 0x78 << 120;
const SIGN: u128 = 1 << 127;

/// The value of `text`, little-endian.
///
/// `[+-]? digits [. digits] [e [+-] digits]` with a digit before or behind the point, `Infinity`, `inf`
/// and `NaN` in any letter case. Digits beyond 34 and exponents beyond the range are taken if zeros can
/// be dropped or added without changing the value; nothing is rounded.
///
/// `None` for any other text.
///
/// Source: IEEE 754-2008 decimal128 in its binary integer encoding, as BSON stores it; which texts are
/// taken: `ParseDecimal128` of the Go driver 2.7.0, which mongoimport uses.
pub(in crate::source) fn decimal128(text: &[u8]) -> Option<[u8; 16]> {
    let (is_negative, unsigned) = match text {
        [b'-', unsigned @ ..] => (true, unsigned),
        [b'+', unsigned @ ..] | unsigned => (false, unsigned),
    };
    let sign = if is_negative { SIGN } else { 0 };
    if unsigned.eq_ignore_ascii_case(b"nan") {
        return Some(NAN.to_le_bytes());
    }
    if unsigned.eq_ignore_ascii_case(b"infinity") || unsigned.eq_ignore_ascii_case(b"inf") {
        return Some((sign | INFINITY).to_le_bytes());
    }
    let (coefficient, exponent) = fit(scan(unsigned)?)?;
    let biased = u128::try_from(exponent - EXPONENT_MIN).ok()?;
    Some((sign | biased << 113 | coefficient).to_le_bytes())
}

/// A value as written: coefficient × 10^exponent.
struct Scanned {
    coefficient: u128,
    exponent: i64,
}

fn scan(text: &[u8]) -> Option<Scanned> {
    let (mantissa, written_exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        None => (text, 0),
        Some(at) => (&text[..at], exponent_text(&text[at + 1..])?),
    };
    let mut coefficient = 0_u128;
    let mut exponent = written_exponent;
    let mut digits = 0_usize;
    let mut point_seen = false;
    for byte in mantissa {
        match byte {
            b'.' if !point_seen => point_seen = true,
            b'0'..=b'9' => {
                digits += 1;
                let wider = coefficient * 10 + u128::from(byte - b'0');
                if wider <= COEFFICIENT_MAX {
                    coefficient = wider;
                    exponent -= i64::from(point_seen);
                } else if *byte == b'0' {
                    // A zero that does not fit is dropped, and the exponent keeps the value.
                    exponent += i64::from(!point_seen);
                } else {
                    return None;
                }
            }
            _ => return None,
        }
    }
    (digits > 0).then_some(Scanned { coefficient, exponent })
}

fn exponent_text(text: &[u8]) -> Option<i64> {
    let exponent: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    // Far outside the range, and safe to add digit counts to.
    (exponent.abs() <= 1 << 40).then_some(exponent)
}

/// Moves zeros between coefficient and exponent until both are in range.
fn fit(Scanned { mut coefficient, mut exponent }: Scanned) -> Option<(u128, i64)> {
    if coefficient == 0 {
        return Some((0, exponent.clamp(EXPONENT_MIN, EXPONENT_MAX)));
    }
    while exponent < EXPONENT_MIN {
        if coefficient % 10 != 0 {
            return None;
        }
        coefficient /= 10;
        exponent += 1;
    }
    while exponent > EXPONENT_MAX {
        coefficient *= 10;
        if coefficient > COEFFICIENT_MAX {
            return None;
        }
        exponent -= 1;
    }
    Some((coefficient, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_encoded_exactly_or_refused() {
        let nines = "9".repeat(34);
        let nines_and_zeros = format!("{nines}000");
        let too_many = format!("{nines}1");
        let long_zero = format!("0.{}", "0".repeat(7000));
        for (text, want, why) in [
            ("0", Some(0x3040 << 112), "exponent 0 is biased by 6176"),
            ("-0", Some(0xb040 << 112), "zero has a sign"),
            ("1", Some((0x3040 << 112) + 1), "one"),
            ("1.5", Some((0x303e << 112) + 15), "15e-1"),
            ("1.50", Some((0x303c << 112) + 150), "trailing zeros are part of the value"),
            ("-1.5E+3", Some((0xb044 << 112) + 15), "15e2, negative"),
            ("1.", Some((0x3040 << 112) + 1), "no digit behind the point"),
            (".5", Some((0x303e << 112) + 5), "none before it"),
            ("1E6144", Some((0x5ffe << 112) + 10_u128.pow(33)), "33 zeros added to reach the exponent"),
            ("1E6145", None, "35 digits would be needed"),
            ("1E-6176", Some(1), "smallest exponent"),
            ("10E-6177", Some(1), "a zero dropped to reach the exponent"),
            ("1E-6177", None, "no zero to drop"),
            ("0E9999", Some(0x5ffe << 112), "zero takes the nearest exponent"),
            (long_zero.as_str(), Some(0), "and at the other end"),
            (nines.as_str(), Some((0x3040 << 112) + COEFFICIENT_MAX), "34 digits"),
            (
                nines_and_zeros.as_str(),
                Some((0x3046 << 112) + COEFFICIENT_MAX),
                "zeros beyond 34 digits drop",
            ),
            (too_many.as_str(), None, "35 digits"),
            ("NaN", Some(0x7c00 << 112), "not a number"),
            ("-nan", Some(0x7c00 << 112), "its sign is dropped"),
            ("Infinity", Some(0x7800 << 112), "infinity"),
            ("-INF", Some(0xf800 << 112), "negative infinity"),
            ("", None, "empty"),
            (".", None, "no digit"),
            ("1e", None, "no exponent"),
            ("1e99999999999999999999", None, "no exponent that fits"),
            ("1.2.3", None, "two points"),
            ("0x1", None, "hexadecimal"),
            ("1 ", None, "a blank"),
        ] {
            assert_eq!(decimal128(text.as_bytes()).map(u128::from_le_bytes), want, "{text}: {why}");
        }
    }

    /// The other crate's own encoder; where it rounds, ours refuses.
    #[test]
    fn decimals_agree_with_an_independent_encoder() {
        for coefficient in ["0", "1", "7", "123456789", "1000000", "9999999999999999999999999999999999"] {
            for exponent in [-6176_i32, -6170, -40, -1, 0, 1, 40, 6078, 6111] {
                let text = format!("-{coefficient}E{exponent}");
                let theirs: bson::Decimal128 = text.parse().unwrap();
                assert_eq!(decimal128(text.as_bytes()), Some(theirs.bytes()), "{text}");
            }
        }
    }
}

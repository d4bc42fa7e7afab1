//! decimal128 as bytes that sort among integers and doubles by value.
//!
//! A decimal that is a double takes the double's bytes. Any other is cut to the double below it (in magnitude);
//! two spare bits of the double, the marker, say whether that double rounded up to 15 digits *is* the decimal.
//! If not, 8 more bytes hold the distance from the double to it, in units of the double's 34th digit.
//!
//! ```text
//!  |v| as a double                   bytes
//!  is one                            the double's
//!  0, the decimal is not             2a | 16 bytes of the decimal, 34 digits
//!  below 2.2e-308                    2a | scaled by 2^256, bit 1 | continuation
//!  below 2^-255, from 2^63 on        2a or 33 | double, bit 1 | continuation
//!  2^53 .. 2^63                      integer part | 03 if below 2^55 | continuation, if it has a fraction
//!  else                              double, marker 2; or marker 1 or 3 | continuation
//!  above every double                33 | 16 bytes of the decimal, 34 digits, top bit set
//! ```
//!
//! # Source
//!
//! `BuilderBase::_appendNumberDecimal`, `_appendTinyDecimalWithoutTypeBits`, `_appendHugeDecimalWithoutTypeBits`,
//! `src/mongo/db/storage/key_string.cpp` of MongoDB 6.0; all cases seen in real index files.

use super::exact::{
    DECIMAL_DIGITS_MAX, EXPONENT_MIN, POWERS_OF_TEN, Tens, product_rounded_down, rounded_down, rounded_up,
};
use super::number::{
    LARGE, LARGE_MIN, Marker, NAN, SMALL, TWO_SPARE_BITS_FROM, ZERO, append_magnitude, append_whole, negate,
    tiny_bits,
};
use super::type_bits::TypeBits;
use std::cmp::Ordering;

/// Biased exponents end here; a negative zero's type bits continue above it.
const BIASED_EXPONENT_MAX: u32 = 12_287;

/// 2^256 cut to 34 digits: `kTinyDoubleExponentUpshiftFactorAsDecimal`.
const SCALE_UP: Tens = Tens { coefficient: 1_157_920_892_373_161_954_235_709_850_086_879, exponent: 44 };
/// 2^-256 cut to 34 digits: `kTinyDoubleExponentDownshiftFactorAsDecimal`.
const SCALE_DOWN: Tens = Tens { coefficient: 8_636_168_555_094_444_625_386_351_862_800_399, exponent: -111 };

/// What a decimal128's 16 bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::record) enum Decimal {
    /// Any NaN, signalling or not.
    Nan,
    /// Positive or negative.
    Infinity { negative: bool },
    /// A coefficient of more than 34 digits counts as 0.
    Finite { negative: bool, biased_exponent: u32, coefficient: u128 },
}

impl Decimal {
    /// Reads the binary integer (BID) form, little-endian.
    pub(in crate::record) fn read(bytes: [u8; 16]) -> Self {
        const COEFFICIENT_BITS: u32 = 113;
        let bits = u128::from_le_bytes(bytes);
        let negative = bits >> 127 == 1;
        let exponent_at = |shift: u32| u32::try_from(bits >> shift & 0x3fff).unwrap_or(0);
        match bits >> 122 & 0x1f {
            0x1f => Self::Nan,
            0x1e => Self::Infinity { negative },
            // Two set bits in front announce a coefficient of more than 113 bits: too long, so zero.
            0x18.. => {
                Self::Finite { negative, biased_exponent: exponent_at(COEFFICIENT_BITS - 2), coefficient: 0 }
            }
            _ => {
                let coefficient = bits & ((1 << COEFFICIENT_BITS) - 1);
                let canonical = coefficient < POWERS_OF_TEN[DECIMAL_DIGITS_MAX];
                Self::Finite {
                    negative,
                    biased_exponent: exponent_at(COEFFICIENT_BITS),
                    coefficient: if canonical { coefficient } else { 0 },
                }
            }
        }
    }
}

impl Decimal {
    /// The double below it in magnitude.
    pub(in crate::record) fn to_f64(self) -> f64 {
        let (negative, magnitude) = match self {
            Self::Nan => return f64::NAN,
            Self::Infinity { negative } => (negative, f64::INFINITY),
            Self::Finite { negative, coefficient: 0, .. } => (negative, 0.0),
            Self::Finite { negative, biased_exponent, coefficient } => {
                let exponent = biased_exponent.cast_signed() + EXPONENT_MIN;
                (negative, Tens { coefficient, exponent }.toward_zero().0)
            }
        };
        if negative { -magnitude } else { magnitude }
    }

    /// The nearest int64, halves to the even one; NaN is 0.
    pub(in crate::record) fn to_i64_rounded(self) -> i64 {
        let (negative, magnitude) = match self {
            Self::Nan => return 0,
            Self::Infinity { negative } => (negative, u128::MAX),
            Self::Finite { negative, biased_exponent, coefficient } => {
                let exponent = biased_exponent.cast_signed() + EXPONENT_MIN;
                let power = POWERS_OF_TEN.get(exponent.unsigned_abs() as usize).copied();
                let magnitude = match (power, exponent < 0) {
                    (Some(power), true) => {
                        let (whole, rest) = (coefficient / power, coefficient % power);
                        let up = match (rest * 2).cmp(&power) {
                            Ordering::Less => 0,
                            Ordering::Equal => whole % 2,
                            Ordering::Greater => 1,
                        };
                        whole + up
                    }
                    (None, true) => 0,
                    (Some(power), false) => coefficient.saturating_mul(power),
                    (None, false) => {
                        if coefficient == 0 {
                            0
                        } else {
                            u128::MAX
                        }
                    }
                };
                (negative, magnitude)
            }
        };
        match i64::try_from(magnitude) {
            Ok(number) if negative => -number,
            Ok(number) => number,
            Err(_) if negative => i64::MIN,
            Err(_) => i64::MAX,
        }
    }
}

/// Appends a decimal and its type bits.
pub(super) fn append_decimal(bytes: [u8; 16], out: &mut Vec<u8>, type_bits: &mut TypeBits) {
    const DECIMAL: (u32, u32) = (0b11, 2);
    const ZERO_PREFIX: u32 = 0b11010;
    let start = out.len();
    let negative = match Decimal::read(bytes) {
        Decimal::Nan => {
            out.push(NAN);
            type_bits.push(DECIMAL.0, DECIMAL.1);
            false
        }
        Decimal::Infinity { negative } => {
            append_magnitude(f64::INFINITY, Marker::Equal, out);
            type_bits.push(DECIMAL.0, DECIMAL.1);
            negative
        }
        Decimal::Finite { negative, biased_exponent, coefficient: 0 } => {
            out.push(ZERO);
            let which = biased_exponent + if negative { BIASED_EXPONENT_MAX + 1 } else { 0 };
            type_bits.push(ZERO_PREFIX + (which >> 12), 5);
            type_bits.push(which & 0xfff, 12);
            false
        }
        Decimal::Finite { negative, biased_exponent, coefficient } => {
            type_bits.push(DECIMAL.0, DECIMAL.1);
            type_bits.push(biased_exponent & 0x3f, 6);
            let exponent = biased_exponent.cast_signed() + EXPONENT_MIN;
            append_positive(Tens { coefficient, exponent }, out);
            negative
        }
    };
    if negative {
        negate(&mut out[start..]);
    }
}

fn append_positive(decimal: Tens, out: &mut Vec<u8>) {
    const ALL_WHOLE_UP_TO: f64 = 9_007_199_254_740_992.0; // 2^53
    const SHORT_DIGITS: usize = 15;
    let (double, exact) = decimal.toward_zero();
    if exact {
        append_magnitude(double, Marker::Equal, out);
    } else if double < f64::MIN_POSITIVE {
        append_tiny(decimal, double, out);
    } else if double >= f64::MAX {
        append_digits(LARGE, 1 << 127, decimal, out);
    } else if !(TWO_SPARE_BITS_FROM..LARGE_MIN).contains(&double) {
        append_magnitude(double, Marker::Greater, out);
        append_continuation(decimal, rounded_up(double, DECIMAL_DIGITS_MAX), out);
    } else if double >= ALL_WHOLE_UP_TO {
        append_integer_part(decimal, out);
    } else if decimal.coefficient < POWERS_OF_TEN[SHORT_DIGITS] {
        append_magnitude(double, Marker::RoundedUp, out);
    } else {
        let marker = match decimal.compare(rounded_up(double, SHORT_DIGITS)) {
            Ordering::Equal => Marker::RoundedUp,
            Ordering::Less => Marker::Less,
            Ordering::Greater => Marker::Greater,
        };
        append_magnitude(double, marker, out);
        if marker != Marker::RoundedUp {
            append_continuation(decimal, rounded_up(double, DECIMAL_DIGITS_MAX), out);
        }
    }
}

/// Between 2^53 and 2^63, where a double would lose whole units and sort wrong among integers.
fn append_integer_part(decimal: Tens, out: &mut Vec<u8>) {
    const EIGHT_BYTES_FROM: u64 = 1 << 55;
    // Of 34 digits at least 16 stand before the point and at most 19, so the exponent is between -18 and 18.
    let power = |exponent: u32| POWERS_OF_TEN.get(exponent as usize).copied();
    let (integer, has_fraction) = match power(decimal.exponent.unsigned_abs()) {
        Some(power) if decimal.exponent < 0 => {
            (decimal.coefficient / power, !decimal.coefficient.is_multiple_of(power))
        }
        Some(power) => (decimal.coefficient.saturating_mul(power), false),
        None => (0, false),
    };
    let whole = u64::try_from(integer).unwrap_or(u64::MAX >> 1);
    append_whole(whole << 1 | u64::from(has_fraction), false, out);
    if has_fraction {
        if whole < EIGHT_BYTES_FROM {
            out.push(Marker::Greater as u8);
        }
        append_continuation(decimal, Tens { coefficient: integer, exponent: 0 }, out);
    }
}

/// Below the smallest normal double, where no double would give 15 digits.
fn append_tiny(decimal: Tens, double: f64, out: &mut Vec<u8>) {
    if double == 0.0 {
        append_digits(SMALL, 0, decimal, out);
        return;
    }
    let (scaled, _) = product_rounded_down(decimal, SCALE_UP).toward_zero();
    let scaled = scaled.max(double * 2f64.powi(256));
    out.push(SMALL);
    out.extend_from_slice(&tiny_bits(scaled, Marker::Greater).to_be_bytes());
    let stored = product_rounded_down(rounded_down(scaled, DECIMAL_DIGITS_MAX), SCALE_DOWN);
    append_continuation(decimal, stored, out);
}

/// The decimal itself, its coefficient filled up to 34 digits.
fn append_digits(type_byte: u8, flag: u128, decimal: Tens, out: &mut Vec<u8>) {
    const COEFFICIENT_BITS: u32 = 113;
    let Tens { coefficient, exponent } = decimal.with_34_digits();
    let biased = u128::from((exponent - EXPONENT_MIN).unsigned_abs());
    out.push(type_byte);
    out.extend_from_slice(&(flag | biased << COEFFICIENT_BITS | coefficient).to_be_bytes());
}

/// The distance from `stored` up to the decimal, in units of the 34th digit of `stored`.
fn append_continuation(decimal: Tens, stored: Tens, out: &mut Vec<u8>) {
    let stored = stored.with_34_digits();
    // The decimal is not below `stored` and has at most 34 digits, so its last digit is no finer.
    let power = usize::try_from(decimal.exponent - stored.exponent)
        .ok()
        .and_then(|more| POWERS_OF_TEN.get(more))
        .copied()
        .unwrap_or(1);
    let distance = decimal.coefficient.saturating_mul(power).saturating_sub(stored.coefficient);
    out.extend_from_slice(&u64::try_from(distance).unwrap_or(u64::MAX).to_be_bytes());
}

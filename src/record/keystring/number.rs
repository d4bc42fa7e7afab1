//! Integers and doubles as bytes that sort by value, whichever type they have.
//!
//! ```text
//!  type byte                    then (inverted if the number is negative)
//!  1e         NaN
//!  1f   33    |v| >= 2^63       IEEE bits << 1, top bit cleared, continuation bit; infinity: ff * 8
//!  20   32    8 bytes  }        integer part * 2, + 1 if a fraction follows, in as few bytes as hold it;
//!  ..   ..             }        the fraction fills it up to 8 bytes, its last two bits are the marker
//!  27   2b    1 byte   }
//!  28   2a    0 < |v| < 1       IEEE bits << 2, marker; below 2^-255 scaled by 2^256 and one bit only
//!     29      zero
//! ```
//!
//! # Source
//!
//! `BuilderBase::_appendDoubleWithoutTypeBits`, `_appendSmallDouble`, `_appendLargeDouble`, `_appendInteger`,
//! `_appendPreshiftedIntegerPortion`, `src/mongo/db/storage/key_string.cpp` of MongoDB 6.0.

use super::Version;

/// Type byte of NaN.
pub(super) const NAN: u8 = 0x1e;
/// Type byte of every zero.
pub(super) const ZERO: u8 = 0x29;
/// Type byte of numbers between 0 and 1.
pub(super) const SMALL: u8 = 0x2a;
/// Type byte of whole parts of one byte; each byte more adds one.
const ONE_BYTE: u8 = 0x2b;
/// Type byte of numbers from 2^63 on.
pub(super) const LARGE: u8 = 0x33;

/// 2^63, the first double that is no int64.
pub(super) const LARGE_MIN: f64 = 9_223_372_036_854_775_808.0;

/// 2^-255: from here on a double below 1 has two bits to spare.
pub(super) const TWO_SPARE_BITS_FROM: f64 = f64::from_bits((1023 - 255) << 52);

/// How a decimal relates to the double that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// Is the double.
    Equal = 0,
    /// A continuation follows; below the double rounded up to 15 digits.
    Less = 1,
    /// Is the double rounded up to 15 digits.
    RoundedUp = 2,
    /// A continuation follows; above the double rounded up to 15 digits.
    Greater = 3,
}

/// Turns the positive number that begins at `start` into its negative.
pub(super) fn negate(out: &mut [u8]) {
    if let Some((type_byte, payload)) = out.split_first_mut() {
        *type_byte = 2 * ZERO - *type_byte;
        for byte in payload {
            *byte = !*byte;
        }
    }
}

/// Appends an int32 or int64.
pub(super) fn append_integer(value: i64, version: Version, out: &mut Vec<u8>) {
    match value {
        0 => out.push(ZERO),
        i64::MIN => append_double(-LARGE_MIN, version, out),
        _ => append_whole(value.unsigned_abs() << 1, value < 0, out),
    }
}

/// Appends twice an integer part, plus one if a fraction follows.
pub(super) fn append_whole(doubled: u64, negative: bool, out: &mut Vec<u8>) {
    let skipped = doubled.leading_zeros() / 8;
    let type_byte = ONE_BYTE + 7 - u8::try_from(skipped).unwrap_or(7);
    let (type_byte, payload) = if negative { (2 * ZERO - type_byte, !doubled) } else { (type_byte, doubled) };
    out.push(type_byte);
    out.extend_from_slice(&payload.to_be_bytes()[skipped as usize..]);
}

/// Appends a double.
pub(super) fn append_double(value: f64, version: Version, out: &mut Vec<u8>) {
    if value.is_nan() {
        out.push(NAN);
        return;
    }
    let start = out.len();
    match version {
        Version::V0 => append_magnitude_v0(value, out),
        Version::V1 => append_magnitude(value.abs(), Marker::Equal, out),
    }
    if value < 0.0 {
        negate(&mut out[start..]);
    }
}

/// Appends a number that is not negative and not NaN.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the server's own conversions; the value is in range on each path"
)]
pub(super) fn append_magnitude(value: f64, marker: Marker, out: &mut Vec<u8>) {
    if value == 0.0 {
        out.push(ZERO);
    } else if value < 1.0 {
        append_small(value, marker, out);
    } else if value < LARGE_MIN {
        let integer = value as u64;
        if value.fract() == 0.0 && marker == Marker::Equal {
            append_whole(integer << 1, false, out);
            return;
        }
        let fraction_bytes = (integer << 1).leading_zeros() / 8;
        out.push(LARGE - 1 - u8::try_from(fraction_bytes).unwrap_or(0));
        let shift = fraction_bytes * 8;
        let shifted = (value * (1_u64 << shift) as f64) as u64;
        let encoded = shifted.wrapping_add((integer + 1) << shift) | marker as u64;
        out.extend_from_slice(&encoded.to_be_bytes());
    } else {
        let encoded = if value.is_infinite() {
            u64::MAX
        } else {
            value.to_bits() << 1 & !(1 << 63) | u64::from(marker != Marker::Equal)
        };
        out.push(LARGE);
        out.extend_from_slice(&encoded.to_be_bytes());
    }
}

/// Appends a number between 0 and 1, both excluded.
fn append_small(value: f64, marker: Marker, out: &mut Vec<u8>) {
    let encoded = if value >= TWO_SPARE_BITS_FROM {
        value.to_bits() << 2 | marker as u64
    } else {
        tiny_bits(value * 2f64.powi(256), marker)
    };
    out.push(SMALL);
    out.extend_from_slice(&encoded.to_be_bytes());
}

/// A double below 2^-255, scaled by 2^256: its prefix is 01 or 10, above 00 for still smaller decimals.
pub(super) fn tiny_bits(scaled: f64, marker: Marker) -> u64 {
    (scaled.to_bits() << 1 | u64::from(marker != Marker::Equal)) + (1 << 62)
}

/// Appends a number's magnitude in the form of indexes of version 1; those keep the IEEE sign in the bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the server's own conversions; the value is in range on each path"
)]
fn append_magnitude_v0(value: f64, out: &mut Vec<u8>) {
    const MANTISSA_BITS: u32 = 53;
    let magnitude = value.abs();
    if magnitude == 0.0 {
        out.push(ZERO);
    } else if (1.0..LARGE_MIN).contains(&magnitude) {
        let integer = magnitude as u64;
        if magnitude.fract() == 0.0 {
            append_whole(integer << 1, false, out);
            return;
        }
        append_whole(integer << 1 | 1, false, out);
        let fraction_bits = MANTISSA_BITS - (u64::BITS - integer.leading_zeros());
        let fraction = value.to_bits() & ((1 << fraction_bits) - 1);
        out.extend_from_slice(&fraction.to_be_bytes()[8 - fraction_bits.div_ceil(8) as usize..]);
    } else {
        out.push(if magnitude < 1.0 { SMALL } else { LARGE });
        out.extend_from_slice(&value.to_bits().to_be_bytes());
    }
}

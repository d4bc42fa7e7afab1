//! Exact comparison of decimal and binary numbers, and rounding of one to the other in a said direction.
//!
//! A KeyString holds a decimal as a double and what is left of it, so each step has to be exact: whole numbers
//! of any length are compared after all negative powers have been moved to the other side.

use std::cmp::Ordering;

/// Powers of ten that fit.
pub(super) const POWERS_OF_TEN: [u128; 39] = {
    let mut powers = [1_u128; 39];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// A positive number: `coefficient` * 10 ^ `exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tens {
    pub(super) coefficient: u128,
    pub(super) exponent: i32,
}

/// Digits of the longest decimal128 coefficient.
pub(super) const DECIMAL_DIGITS_MAX: usize = 34;

impl Tens {
    /// Digits of the coefficient; 0 has one.
    pub(super) fn digits(self) -> usize {
        POWERS_OF_TEN.iter().take_while(|power| **power <= self.coefficient).count().max(1)
    }

    /// Compares with a finite positive double.
    pub(super) fn compare_double(self, double: f64) -> Ordering {
        let (mantissa, twos) = mantissa_and_exponent(double);
        let (mut left, mut right) = (Whole::from(self.coefficient), Whole::from(u128::from(mantissa)));
        if self.exponent >= 0 { &mut left } else { &mut right }
            .times_power_of_ten(self.exponent.unsigned_abs());
        if twos >= 0 { &mut right } else { &mut left }.shift_left(twos.unsigned_abs());
        left.compare(&right)
    }

    /// Compares the values, whatever their exponents.
    pub(super) fn compare(self, other: Tens) -> Ordering {
        let (mut left, mut right) = (Whole::from(self.coefficient), Whole::from(other.coefficient));
        let more = self.exponent - other.exponent;
        if more >= 0 { &mut left } else { &mut right }.times_power_of_ten(more.unsigned_abs());
        left.compare(&right)
    }

    /// The same value with 34 digits, or as many as the smallest exponent allows.
    pub(super) fn with_34_digits(self) -> Tens {
        let Tens { mut coefficient, mut exponent } = self;
        while coefficient >= POWERS_OF_TEN[DECIMAL_DIGITS_MAX] {
            coefficient /= 10; // only ever 10^34 itself, so nothing is lost
            exponent += 1;
        }
        while coefficient < POWERS_OF_TEN[DECIMAL_DIGITS_MAX - 1] && exponent > EXPONENT_MIN {
            coefficient *= 10;
            exponent -= 1;
        }
        Tens { coefficient, exponent }
    }

    /// The largest double that is not above the value, and whether it equals it. Values above every finite double
    /// give the largest one.
    pub(super) fn toward_zero(self) -> (f64, bool) {
        if let Some(answer) = self.toward_zero_in_128_bits() {
            return answer;
        }
        let magnitude = self.exponent + i32::try_from(self.digits()).unwrap_or(0) - 1;
        if magnitude > 308 {
            return (f64::MAX, false);
        }
        if magnitude < -324 {
            return (0.0, false);
        }
        // The standard library rounds to the nearest double, exactly; at most one step off.
        let nearest: f64 = format!("{}e{}", self.coefficient, self.exponent).parse().unwrap_or(f64::INFINITY);
        if nearest.is_infinite() {
            return (f64::MAX, false);
        }
        match self.compare_double(nearest) {
            Ordering::Equal => (nearest, true),
            Ordering::Greater => (nearest, false),
            Ordering::Less => (nearest.next_down(), false),
        }
    }

    /// The usual case: an amount of money, a measurement. `None` where 128 bits do not hold what is needed.
    fn toward_zero_in_128_bits(self) -> Option<(f64, bool)> {
        const DIVISOR_EXPONENT_MAX: usize = 22; // 10^22 < 2^74, so the quotient keeps 54 bits
        if self.exponent >= 0 {
            let power = POWERS_OF_TEN.get(usize::try_from(self.exponent).ok()?)?;
            return Some(truncated(self.coefficient.checked_mul(*power)?, 0, true));
        }
        let down = usize::try_from(self.exponent.unsigned_abs()).ok()?;
        let shift = self.coefficient.leading_zeros();
        if down > DIVISOR_EXPONENT_MAX || self.coefficient == 0 {
            return None;
        }
        let (numerator, power) = (self.coefficient << shift, POWERS_OF_TEN[down]);
        let quotient = numerator / power;
        Some(truncated(quotient, shift, quotient * power == numerator))
    }
}

/// Smallest exponent of a decimal128.
pub(super) const EXPONENT_MIN: i32 = -6176;

/// `whole` / 2 ^ `shift` cut to 53 bits; exact if nothing was cut and `complete`.
fn truncated(whole: u128, shift: u32, complete: bool) -> (f64, bool) {
    const MANTISSA_BITS: u32 = 53;
    let excess = (u128::BITS - whole.leading_zeros()).saturating_sub(MANTISSA_BITS);
    let mantissa = whole >> excess;
    let exact = complete && mantissa << excess == whole;
    // Both conversions are exact: 53 bits, and a power of two between 2^-127 and 2^75.
    #[expect(clippy::cast_precision_loss, reason = "at most 53 bits are left")]
    let double = mantissa as f64 * 2f64.powi(excess.cast_signed() - shift.cast_signed());
    (double, exact)
}

/// A positive double to `digits` digits.
fn to_nearest(double: f64, digits: usize) -> Tens {
    let text = format!("{double:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let coefficient = mantissa
        .bytes()
        .filter(u8::is_ascii_digit)
        .fold(0_u128, |sum, digit| sum * 10 + u128::from(digit - b'0'));
    let point = i32::try_from(digits).unwrap_or(0) - 1;
    Tens { coefficient, exponent: exponent.parse::<i32>().unwrap_or(0) - point }
}

/// A positive double to `digits` digits, never below it.
pub(super) fn rounded_up(double: f64, digits: usize) -> Tens {
    let mut tens = to_nearest(double, digits);
    if tens.compare_double(double) == Ordering::Less {
        tens.coefficient += 1;
    }
    tens
}

/// A positive double to `digits` digits, never above it.
pub(super) fn rounded_down(double: f64, digits: usize) -> Tens {
    let mut tens = to_nearest(double, digits);
    if tens.compare_double(double) == Ordering::Greater {
        tens.coefficient -= 1;
    }
    tens
}

/// A product cut to 34 digits.
pub(super) fn product_rounded_down(left: Tens, right: Tens) -> Tens {
    let mut product = Whole::from(left.coefficient);
    product.times(right.coefficient);
    let mut exponent = left.exponent + right.exponent;
    loop {
        if let Some(coefficient) = product.as_u128()
            && coefficient < POWERS_OF_TEN[DECIMAL_DIGITS_MAX]
        {
            return Tens { coefficient, exponent };
        }
        product.divide_by_ten();
        exponent += 1;
    }
}

/// A finite double as mantissa * 2 ^ exponent.
fn mantissa_and_exponent(double: f64) -> (u64, i32) {
    const FRACTION_BITS: u32 = 52;
    let bits = double.to_bits();
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let biased = i32::try_from(bits >> FRACTION_BITS & 0x7ff).unwrap_or(0);
    if biased == 0 { (fraction, -1074) } else { (fraction | 1 << FRACTION_BITS, biased - 1075) }
}

/// A whole number of any length; the lowest limb first.
struct Whole(Vec<u64>);

impl From<u128> for Whole {
    fn from(value: u128) -> Self {
        let mut whole = Self(vec![low(value), low(value >> 64)]);
        whole.trim();
        whole
    }
}

fn low(value: u128) -> u64 {
    u64::try_from(value & u128::from(u64::MAX)).unwrap_or(0)
}

impl Whole {
    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn times_limb(&mut self, factor: u64) {
        let mut carry = 0;
        for limb in &mut self.0 {
            let product = u128::from(*limb) * u128::from(factor) + u128::from(carry);
            *limb = low(product);
            carry = low(product >> 64);
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    fn times(&mut self, factor: u128) {
        let mut high = Self(self.0.clone());
        high.times_limb(low(factor >> 64));
        high.0.insert(0, 0);
        self.times_limb(low(factor));
        self.0.resize(self.0.len().max(high.0.len()) + 1, 0);
        let mut carry = false;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let (sum, first) = limb.overflowing_add(high.0.get(index).copied().unwrap_or(0));
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, first || second);
        }
        self.trim();
    }

    fn times_power_of_ten(&mut self, exponent: u32) {
        const EXPONENT_MAX: u32 = 19;
        let mut rest = exponent;
        while rest > 0 {
            let step = rest.min(EXPONENT_MAX);
            self.times_limb(10_u64.pow(step));
            rest -= step;
        }
    }

    fn shift_left(&mut self, bits: u32) {
        self.times_limb(1 << (bits % 64));
        let limbs = usize::try_from(bits / 64).unwrap_or(0);
        self.0.splice(0..0, std::iter::repeat_n(0, limbs));
        self.trim();
    }

    fn divide_by_ten(&mut self) {
        let mut remainder = 0;
        for limb in self.0.iter_mut().rev() {
            let dividend = remainder << 64 | u128::from(*limb);
            *limb = low(dividend / 10);
            remainder = dividend % 10;
        }
        self.trim();
    }

    fn as_u128(&self) -> Option<u128> {
        match self.0[..] {
            [] => Some(0),
            [low] => Some(u128::from(low)),
            [low, high] => Some(u128::from(high) << 64 | u128::from(low)),
            _ => None,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tens(coefficient: u128, exponent: i32) -> Tens {
        Tens { coefficient, exponent }
    }

    #[test]
    fn decimals_are_cut_to_the_double_below_them() {
        for (coefficient, exponent, want) in [
            (15, -1, (1.5, true)),
            (1, -1, (0.1_f64.next_down(), false)), // the nearest double lies above 0.1
            (3, -1, (0.3, false)),                 // and below 0.3
            (1, 22, (1e22, true)),
            (1, 23, (1e23, false)),
            (1, -23, (1e-23_f64, false)),
            (5, -324, (5e-324, false)),
            (4, -324, (0.0, false)),
            (1, 400, (f64::MAX, false)),
            (1, -400, (0.0, false)),
            (18_446_744_073_709_551_616, 0, (18_446_744_073_709_551_616.0, true)),
        ] {
            let (double, exact) = tens(coefficient, exponent).toward_zero();
            assert_eq!((double, exact), want, "{coefficient}e{exponent}");
        }
    }

    /// Both ways to the answer agree where both can be taken.
    #[test]
    fn short_and_long_way_agree() {
        for coefficient in [1, 7, 99, 123_456_789, 999_999_999_999_999, (1 << 112) - 1] {
            for exponent in -22..=3 {
                let value = tens(coefficient, exponent);
                let Some(short) = value.toward_zero_in_128_bits() else { continue };
                let nearest: f64 = format!("{coefficient}e{exponent}").parse().unwrap();
                let long = match value.compare_double(nearest) {
                    Ordering::Less => nearest.next_down(),
                    _ => nearest,
                };
                assert_eq!(short, (long, value.compare_double(long) == Ordering::Equal), "{value:?}");
            }
        }
    }

    #[test]
    fn rounding_keeps_its_direction() {
        assert_eq!(rounded_up(1.5, 15), tens(150_000_000_000_000, -14));
        assert_eq!(rounded_up(0.1, 15), tens(100_000_000_000_001, -15));
        assert_eq!(rounded_down(0.1, 15), tens(100_000_000_000_000, -15));
        assert_eq!(rounded_up(5e-324, 3), tens(495, -326));
        assert_eq!(rounded_down(5e-324, 3), tens(494, -326));
    }

    #[test]
    fn long_numbers_multiply_divide_and_compare() {
        let nines = tens(POWERS_OF_TEN[34] - 1, 0);
        let square = product_rounded_down(nines, nines); // 99..98 00..01
        assert_eq!(square, tens(POWERS_OF_TEN[34] - 2, 34));
        assert_eq!(tens(1, 40).compare(tens(POWERS_OF_TEN[38], 2)), Ordering::Equal);
        assert_eq!(tens(1, -40).compare(tens(2, -40)), Ordering::Less);
        assert_eq!(tens(3, 0).with_34_digits(), tens(3 * POWERS_OF_TEN[33], -33));
        assert_eq!(tens(POWERS_OF_TEN[34], 0).with_34_digits(), tens(POWERS_OF_TEN[33], 1));
    }
}

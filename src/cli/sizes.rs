//! Sizes as people type them: `4096`, `32K`, `10MiB`.

use std::fmt;

/// What a size may look like; help and errors say it in the same words.
pub(super) const GRAMMAR: &str = "a whole number of bytes, or one followed by K, M, G or T (powers of 1024)";

/// Text that is no size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SizeError {
    /// Not a number, or an unknown unit.
    #[error("`{text}` is not a size: write {GRAMMAR}")]
    Grammar {
        /// As typed.
        text: String,
    },
    /// More bytes than 64 bits count.
    #[error("`{text}` is more than {max} bytes", max = u64::MAX)]
    Overflow {
        /// As typed.
        text: String,
    },
}

/// Bytes of `text`: digits, then nothing, `B`, or one of `K M G T` with or without `B` or `iB`, in either case.
///
/// # Errors
///
/// Any other text, a fraction or sign included, and what does not fit 64 bits.
pub(super) fn parse_size(text: &str) -> Result<u64, SizeError> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let grammar = || SizeError::Grammar { text: text.to_owned() };
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(grammar()),
    };
    if number.is_empty() {
        return Err(grammar());
    }
    let overflow = || SizeError::Overflow { text: text.to_owned() };
    let number: u64 = number.parse().map_err(|_| overflow())?;
    number.checked_mul(1 << shift).ok_or_else(overflow)
}

/// A size as it can be typed: `32K`, `10M`, `1000`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Typed(pub u64);

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut value = self.0;
        let mut units = ["", "K", "M", "G", "T"].into_iter();
        let mut unit = units.next();
        while value >= 1024 && value.is_multiple_of(1024) {
            let Some(next) = units.next() else { break };
            value /= 1024;
            unit = Some(next);
        }
        write!(f, "{value}{}", unit.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024_with_or_without_bytes_spelled_out() {
        for (text, want) in [
            ("0", 0),
            ("4096", 4096),
            ("4096B", 4096),
            ("32K", 32 << 10),
            ("32k", 32 << 10),
            ("32KB", 32 << 10),
            ("32KiB", 32 << 10),
            ("10MiB", 10 << 20),
            ("1g", 1 << 30),
            ("10T", 10 << 40),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_size(text), Ok(want), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_said_with_the_grammar() {
        for text in ["", "K", "-1", "+1", "1.5G", "1e6", "32Q", "32 K", " 1", "1_000", "0x10", "32KK", "３"]
        {
            assert_eq!(parse_size(text), Err(SizeError::Grammar { text: text.to_owned() }), "{text}");
        }
        assert_eq!(
            parse_size("32Q").unwrap_err().to_string(),
            "`32Q` is not a size: write a whole number of bytes, or one followed by K, M, G or T (powers of 1024)"
        );
    }

    #[test]
    fn what_does_not_fit_is_said_with_the_limit() {
        for text in ["18446744073709551616", "16777216T", "99999999999999999999999999"] {
            assert_eq!(
                parse_size(text).unwrap_err().to_string(),
                format!("`{text}` is more than 18446744073709551615 bytes")
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn a_size_that_is_shown_is_read_back(bytes: u64, shift in 0_u32..64) {
            let bytes = bytes >> shift << (shift / 2);
            proptest::prop_assert_eq!(parse_size(&Typed(bytes).to_string()), Ok(bytes));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC*") {
            let _ = parse_size(&text);
        }
    }
}

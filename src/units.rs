//! Bytes with types: what a page holds, what an encoder made of it, what the file pays.
//!
//! No arithmetic across kinds. Where two kinds must meet in one sum the `.0` shows it in review.

use std::{fmt, num::NonZeroU64};

macro_rules! byte_kind {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl std::ops::Add for $name {
            type Output = Self;
            fn add(self, rhs: Self) -> Self {
                Self(self.0 + rhs.0)
            }
        }

        impl std::ops::AddAssign for $name {
            fn add_assign(&mut self, rhs: Self) {
                self.0 += rhs.0;
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
                Self(items.map(|item| item.0).sum())
            }
        }
    };
}

byte_kind! {
    /// Bytes of documents as MongoDB counts them: the sum of BSON lengths, `_id` included.
    BsonBytes
}
byte_kind! {
    /// Bytes of page images before block compression, headers included, padding excluded.
    RawBytes
}
byte_kind! {
    /// Bytes after block compression, before padding to whole allocation units.
    PackedBytes
}
byte_kind! {
    /// Bytes the data file grows by: packed or raw, padded to whole allocation units.
    DiskBytes
}

/// The unit a data file is allocated in (`allocation_size`): a power of two, 512 B to 128 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocationUnit(NonZeroU64);

impl AllocationUnit {
    /// The unit of every table that mongod creates.
    pub const DEFAULT: Self = Self(NonZeroU64::new(4096).expect("4096 is not zero"));

    /// `None` unless `bytes` is a power of two from 512 to 128 MiB, WiredTiger's own range
    /// (`allocation_size`, `dist/api_data.py` at tag mongodb-8.0.0).
    #[must_use]
    pub fn new(bytes: u64) -> Option<Self> {
        let in_range = (512..=128 << 20).contains(&bytes) && bytes.is_power_of_two();
        NonZeroU64::new(bytes).filter(|_| in_range).map(Self)
    }

    /// The unit in bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.0.get()
    }

    /// Bytes of the whole units that `bytes` fills; the last unit is padded.
    #[must_use]
    pub fn round_up(self, bytes: u64) -> DiskBytes {
        DiskBytes(bytes.next_multiple_of(self.0.get()))
    }

    /// Units that `bytes` covers completely; the tail is ignored.
    ///
    /// WiredTiger's "did packing pay?" test compares these, not the units filled.
    #[must_use]
    pub fn units_covered(self, bytes: u64) -> u64 {
        bytes / self.0
    }
}

/// `of` × `part` ÷ `whole`, rounded down; what 64 bits do not hold is their largest number, and a `whole` of 0 counts as 1.
///
/// In 128 bits: bytes, documents and pages all grow with the input, so their products with its square.
#[must_use]
pub fn scaled(of: u64, part: u64, whole: u64) -> u64 {
    u64::try_from(u128::from(of) * u128::from(part) / u128::from(whole.max(1))).unwrap_or(u64::MAX)
}

/// storage ÷ BSON: 0.31 means that the documents take 31 % of their BSON bytes on disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio(f64);

impl Ratio {
    /// `None` when there are no BSON bytes to divide by.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "byte counts stay below 2^53")]
    pub fn of(storage: DiskBytes, bson: BsonBytes) -> Option<Self> {
        (bson.0 > 0).then(|| Self(storage.0 as f64 / bson.0 as f64))
    }

    /// The plain quotient.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

/// A byte count for people: `9.61 MiB`, `4.00 KiB`, `312 B`. Powers of 1024.
#[derive(Clone, Copy, Debug)]
pub struct Human(pub u64);

impl fmt::Display for Human {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
        if self.0 < 1024 {
            return write!(f, "{} B", self.0);
        }
        let mut value = self.0 as f64 / 1024.0;
        let mut unit = 0;
        while value >= 1023.995 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
        write!(f, "{value:.digits$} {}", UNITS[unit])
    }
}

/// A size that was chosen, not measured, in the largest unit that divides it: `32 KiB`, `1 GiB`, `1000 B`.
#[derive(Clone, Copy, Debug)]
pub struct Exact(pub u64);

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
        let mut value = self.0;
        let mut unit = 0;
        while value >= 1024 && value.is_multiple_of(1024) && unit + 1 < UNITS.len() {
            value /= 1024;
            unit += 1;
        }
        write!(f, "{value} {}", UNITS[unit])
    }
}

/// A count for people, digits in groups of three: `1,234,567`.
#[derive(Clone, Copy, Debug)]
pub struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (at, digit) in digits.char_indices() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        f.pad(&grouped)
    }
}

/// Text on one line that only shows: what could command a terminal, break the line or turn its direction is
/// escaped. Names of files and columns may hold anything.
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a>(pub &'a str);

impl Printable<'_> {
    /// Whether `char` does something instead of showing something.
    #[must_use]
    pub fn is_command(char: char) -> bool {
        let turns =
            matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let breaks = matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}');
        char.is_control() || turns || breaks
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        self.0.chars().try_for_each(|char| match char {
            char if Self::is_command(char) => write!(f, "{}", char.escape_default()),
            char => f.write_char(char),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_whole_is_taken_without_overflow_and_of_nothing_as_of_one() {
        assert_eq!([scaled(10, 2, 3), scaled(10, 0, 3), scaled(10, 3, 0)], [6, 0, 30]);
        assert_eq!(scaled(u64::MAX, u64::MAX - 1, u64::MAX), u64::MAX - 1);
        assert_eq!(scaled(u64::MAX, 2, 1), u64::MAX);
    }

    #[test]
    fn allocation_unit_takes_powers_of_two_in_the_engines_range_only() {
        for (bytes, ok) in
            [(511, false), (512, true), (4096, true), (4097, false), (128 << 20, true), (256 << 20, false)]
        {
            assert_eq!(AllocationUnit::new(bytes).is_some(), ok, "{bytes}");
        }
    }

    #[test]
    fn units_are_rounded_up_for_the_file_and_down_for_the_did_it_pay_test() {
        let unit = AllocationUnit::DEFAULT;
        for (bytes, up, covered) in
            [(0, 0, 0), (1, 4096, 0), (4096, 4096, 1), (8191, 8192, 1), (8193, 12_288, 2)]
        {
            assert_eq!(unit.round_up(bytes), DiskBytes(up), "{bytes}");
            assert_eq!(unit.units_covered(bytes), covered, "{bytes}");
        }
    }

    #[test]
    fn human_sizes_keep_three_digits_and_carry_to_the_next_unit() {
        for (bytes, want) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (4096, "4.00 KiB"),
            (10 * 1024, "10.0 KiB"),
            (1024 * 1024 - 1, "1.00 MiB"),
            (10_076_160, "9.61 MiB"),
            (150 << 20, "150 MiB"),
        ] {
            assert_eq!(Human(bytes).to_string(), want);
        }
    }

    #[test]
    fn grouped_digits_start_from_the_right() {
        for (count, want) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(Grouped(count).to_string(), want);
        }
    }

    #[test]
    fn printable_text_stays_on_its_line_and_in_its_direction() {
        for (text, want) in [
            ("caf\u{e9} e\u{301} \u{65e5} 'a' \"b\" C:\\d", "caf\u{e9} e\u{301} \u{65e5} 'a' \"b\" C:\\d"),
            ("a\nb\tc\r", r"a\nb\tc\r"),
            ("\u{1b}[31mred\u{9b}0m\u{7f}", r"\u{1b}[31mred\u{9b}0m\u{7f}"),
            ("gpj.\u{202e}bson\u{2028}\u{feff}", r"gpj.\u{202e}bson\u{2028}\u{feff}"),
        ] {
            assert_eq!(Printable(text).to_string(), want);
        }
    }

    #[test]
    fn exact_sizes_lose_no_byte() {
        for (bytes, want) in [
            (0, "0 B"),
            (1000, "1000 B"),
            (32 << 10, "32 KiB"),
            (1025, "1025 B"),
            (1536 << 10, "1536 KiB"),
            (10 << 40, "10 TiB"),
            (1 << 60, "1048576 TiB"),
        ] {
            assert_eq!(Exact(bytes).to_string(), want);
        }
    }
}

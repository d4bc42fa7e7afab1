//! Numbers to text: grouped and scaled for people, plain for programs.

use crate::estimate::CodecName;
use crate::units::{Grouped, Printable};

/// Decimals of ratios and fractions for programs; people get [`RATIO_DECIMALS_SHOWN`].
const RATIO_DECIMALS: i32 = 6;
const RATIO_DECIMALS_SHOWN: usize = 4;

/// Decimals of speeds and seconds for programs; people get three digits.
const MEASURED_DECIMALS: i32 = 3;

/// What one cell holds, before anybody decides how it looks.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// A word or name.
    Text(String),
    /// Things.
    Count(u64),
    /// Bytes; for people in the unit of the whole column.
    Bytes(u64),
    /// One size over another, or a part of a whole.
    Ratio(f64),
    /// MB/s.
    Speed(f64),
    /// People read the level beside the name, programs in its own column.
    Codec(CodecName),
    /// Not known; never 0.
    Unknown,
}

impl Cell {
    /// For programs: no groups, no unit, nothing where nothing is known.
    pub(super) fn plain(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) | Self::Bytes(count) => count.to_string(),
            Self::Ratio(value) => ratio(*value).to_string(),
            Self::Speed(value) => measured(*value).to_string(),
            Self::Codec(codec) => codec.name.to_owned(),
            Self::Unknown => String::new(),
        }
    }

    /// For people.
    pub(super) fn human(&self, scale: Scale) -> String {
        match self {
            Self::Text(text) => Printable(text).to_string(),
            Self::Count(count) => Grouped(*count).to_string(),
            Self::Bytes(bytes) => scale.show(*bytes),
            Self::Ratio(value) => grouped_decimal(*value, RATIO_DECIMALS_SHOWN),
            Self::Speed(value) => grouped_decimal(*value, usize::from(*value < 99.95)),
            Self::Codec(codec) => codec.to_string(),
            Self::Unknown => "-".to_owned(),
        }
    }
}

/// Millionths as a share.
#[expect(clippy::cast_precision_loss, reason = "errors of 2^53 millionths are no errors")]
pub(super) fn millionths(count: u64) -> f64 {
    count as f64 / 1e6
}

/// A ratio as programs get it.
pub(super) fn ratio(value: f64) -> f64 {
    rounded(value, RATIO_DECIMALS)
}

/// A speed or a time as programs get it.
pub(super) fn measured(value: f64) -> f64 {
    rounded(value, MEASURED_DECIMALS)
}

fn rounded(value: f64, decimals: i32) -> f64 {
    let factor = 10_f64.powi(decimals);
    (value * factor).round() / factor
}

/// The unit that all sizes of one table share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    Kib,
    Mib,
    Gib,
    Tib,
}

impl Scale {
    /// The unit that leaves four digits or so of the table's largest size.
    pub(super) fn fitting(bytes_max: u64) -> Self {
        match bytes_max {
            0..0x40_0000 => Self::Kib,
            0x40_0000..0x4_0000_0000 => Self::Mib,
            0x4_0000_0000..0x1000_0000_0000 => Self::Gib,
            _ => Self::Tib,
        }
    }

    /// As heads print it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kib => "KiB",
            Self::Mib => "MiB",
            Self::Gib => "GiB",
            Self::Tib => "TiB",
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "two decimals are shown")]
    pub(super) fn show(self, bytes: u64) -> String {
        let (unit_bytes, decimals) = match self {
            Self::Kib => (1_u64 << 10, 0),
            Self::Mib => (1 << 20, 2),
            Self::Gib => (1 << 30, 2),
            Self::Tib => (1 << 40, 2),
        };
        grouped_decimal(bytes as f64 / unit_bytes as f64, decimals)
    }
}

fn grouped_decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    match whole.parse() {
        Ok(whole) => format!("{}{fraction}", Grouped(whole)),
        Err(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_grouped_for_people_and_plain_for_programs() {
        for (cell, plain, human) in [
            (Cell::Text("a\u{7}b".to_owned()), "a\u{7}b", "a\\u{7}b"),
            (Cell::Count(1_234_567), "1234567", "1,234,567"),
            (Cell::Bytes(10_076_160), "10076160", "9.61"),
            (Cell::Ratio(0.540_941_61), "0.540942", "0.5409"),
            (Cell::Ratio(1.0), "1", "1.0000"),
            (Cell::Speed(1_234.567_8), "1234.568", "1,235"),
            (Cell::Speed(90.12), "90.12", "90.1"),
            (Cell::Codec(CodecName { name: "zstd", level: Some(6) }), "zstd", "zstd:6"),
            (Cell::Unknown, "", "-"),
        ] {
            assert_eq!(cell.plain(), plain);
            assert_eq!(cell.human(Scale::Mib), human);
        }
    }

    #[test]
    fn scale_changes_before_digits_run_out() {
        for (bytes, unit, shown) in [
            (0, "KiB", "0"),
            ((4 << 20) - 1, "KiB", "4,096"),
            (4 << 20, "MiB", "4.00"),
            ((16 << 30) - 1, "MiB", "16,384.00"),
            (16 << 30, "GiB", "16.00"),
            (16 << 40, "TiB", "16.00"),
        ] {
            let scale = Scale::fitting(bytes);
            assert_eq!((scale.name(), scale.show(bytes).as_str()), (unit, shown), "{bytes}");
        }
    }
}

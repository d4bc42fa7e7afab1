//! Dates in cells by a layout: Go's reference date, SQL Server's letters or Oracle's.
//!
//! Source: `NewFieldParser`, `mongoimport/typed_fields.go`, mongo-tools 100.18; package time of Go.

use crate::source::json::days_since_1970;

/// One piece of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Year4,
    Year2,
    /// Digits of the month: exactly two, or one or two.
    Month(Digits),
    MonthName,
    Day(Digits),
    Hour24(Digits),
    Hour12(Digits),
    Minute(Digits),
    Second(Digits),
    Fraction,
    HalfDay,
    Weekday,
    /// `+01:00`, `+0100`, `+01` or `Z`.
    Zone,
    Literal(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    Two,
    OneOrTwo,
}

/// A layout that texts are read by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout(Vec<Part>);

use Digits::{OneOrTwo, Two};
use Part::{
    Day, Fraction, HalfDay, Hour12, Hour24, Literal, Minute, Month, MonthName, Second, Weekday, Year2, Year4,
    Zone,
};

/// The longer of two words that begin alike stands first.
const GO: [(&str, Part); 32] = [
    ("2006", Year4),
    ("06", Year2),
    ("01", Month(Two)),
    ("January", MonthName),
    ("Jan", MonthName),
    ("Monday", Weekday),
    ("Mon", Weekday),
    ("02", Day(Two)),
    ("_2", Day(OneOrTwo)),
    ("15", Hour24(Two)),
    ("03", Hour12(Two)),
    ("04", Minute(Two)),
    ("05", Second(Two)),
    ("PM", HalfDay),
    ("pm", HalfDay),
    ("Z07:00", Zone),
    ("-07:00", Zone),
    ("Z0700", Zone),
    ("-0700", Zone),
    ("Z07", Zone),
    ("-07", Zone),
    ("MST", Zone),
    (".000000000", Fraction),
    (".000000", Fraction),
    (".000", Fraction),
    (".999999999", Fraction),
    (".999", Fraction),
    ("1", Month(OneOrTwo)),
    ("2", Day(OneOrTwo)),
    ("3", Hour12(OneOrTwo)),
    ("4", Minute(OneOrTwo)),
    ("5", Second(OneOrTwo)),
];

const SQL_SERVER: [(&str, Part); 22] = [
    ("yyyy", Year4),
    ("yy", Year2),
    ("MMMM", MonthName),
    ("MMM", MonthName),
    ("MM", Month(Two)),
    ("M", Month(OneOrTwo)),
    ("dddd", Weekday),
    ("ddd", Weekday),
    ("dd", Day(Two)),
    ("d", Day(OneOrTwo)),
    ("HH", Hour24(Two)),
    ("H", Hour24(OneOrTwo)),
    ("hh", Hour12(Two)),
    ("h", Hour12(OneOrTwo)),
    ("mm", Minute(Two)),
    ("m", Minute(OneOrTwo)),
    ("ss", Second(Two)),
    ("s", Second(OneOrTwo)),
    (".fff", Fraction),
    ("tt", HalfDay),
    ("zzz", Zone),
    ("K", Zone),
];

const ORACLE: [(&str, Part); 18] = [
    ("YYYY", Year4),
    ("YY", Year2),
    ("MONTH", MonthName),
    ("Month", MonthName),
    ("MON", MonthName),
    ("Mon", MonthName),
    ("MM", Month(Two)),
    ("DAY", Weekday),
    ("DY", Weekday),
    ("DD", Day(Two)),
    ("HH24", Hour24(Two)),
    ("HH12", Hour12(Two)),
    ("HH", Hour12(Two)),
    ("MI", Minute(Two)),
    ("SS", Second(Two)),
    (".FF", Fraction),
    ("AM", HalfDay),
    ("TZH:TZM", Zone),
];

impl Layout {
    /// Of Go's reference date, `2006-01-02 15:04:05`.
    pub fn go(text: &[u8]) -> Self {
        Self::of(text, &GO)
    }

    /// `yyyy-MM-dd HH:mm:ss`.
    pub fn sql_server(text: &[u8]) -> Self {
        Self::of(text, &SQL_SERVER)
    }

    /// `YYYY-MM-DD HH24:MI:SS`.
    pub fn oracle(text: &[u8]) -> Self {
        Self::of(text, &ORACLE)
    }

    fn of(mut text: &[u8], words: &[(&str, Part)]) -> Self {
        let mut parts = Vec::new();
        while let Some((first, rest)) = text.split_first() {
            if let Some((word, part)) = words.iter().find(|(word, _)| text.starts_with(word.as_bytes())) {
                parts.push(*part);
                text = &text[word.len()..];
            } else {
                parts.push(Literal(*first));
                text = rest;
            }
        }
        Self(parts)
    }

    /// Milliseconds since 1970; `None` for text that does not keep to the layout.
    pub fn milliseconds(&self, text: &[u8]) -> Option<i64> {
        let mut reading = Reading { text, ..Reading::default() };
        for part in &self.0 {
            reading.take(*part)?;
        }
        if reading.text.is_empty() { reading.milliseconds() } else { None }
    }
}

#[derive(Default)]
struct Reading<'a> {
    text: &'a [u8],
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    fraction_ms: i64,
    half_day: Option<i64>,
    zone_minutes: i64,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

impl Reading<'_> {
    fn take(&mut self, part: Part) -> Option<()> {
        match part {
            Year4 => self.year = Some(self.number(4, 4)?),
            Year2 => {
                let year = self.number(2, 2)?;
                self.year = Some(year + if year >= 69 { 1900 } else { 2000 });
            }
            Month(digits) => self.month = Some(self.digits(digits).filter(|month| (1..=12).contains(month))?),
            MonthName => self.month = Some(i64::try_from(self.word(&MONTHS)?).ok()? + 1),
            Day(digits) => {
                if self.text.first() == Some(&b' ') && digits == OneOrTwo {
                    self.text = &self.text[1..];
                }
                self.day = Some(self.digits(digits)?);
            }
            Hour24(digits) => self.hour = self.digits(digits).filter(|hour| *hour < 24)?,
            Hour12(digits) => self.hour = self.digits(digits).filter(|hour| *hour <= 12)?,
            Minute(digits) => self.minute = self.digits(digits).filter(|minute| *minute < 60)?,
            Second(digits) => {
                self.second = self.digits(digits).filter(|second| *second < 60)?;
                self.fraction();
            }
            Fraction => self.fraction(),
            HalfDay => {
                let (word, rest) = self.text.split_at_checked(2)?;
                self.half_day = Some(match &word.to_ascii_lowercase()[..] {
                    b"am" => 0,
                    b"pm" => 12,
                    _ => return None,
                });
                self.text = rest;
            }
            Weekday => drop(self.word(&WEEKDAYS)?),
            Zone => self.zone()?,
            Literal(byte) => self.text = self.text.strip_prefix(&[byte])?,
        }
        Some(())
    }

    fn digits(&mut self, digits: Digits) -> Option<i64> {
        self.number(if digits == Two { 2 } else { 1 }, 2)
    }

    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let bytes = self.text.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.text.split_at(bytes);
        self.text = rest;
        let number = std::str::from_utf8(digits).ok()?.parse().ok();
        number.filter(|_| bytes >= least)
    }

    /// Index of the name that the text begins with, whole or its first three letters.
    fn word(&mut self, names: &[&str]) -> Option<usize> {
        let begins = |name: &str| {
            let begin = self.text.get(..name.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(name.as_bytes())).then_some(name.len())
        };
        let found = names.iter().enumerate().find_map(|(index, name)| {
            begins(name).or_else(|| begins(&name[..3])).map(|bytes| (index, bytes))
        });
        let (index, bytes) = found?;
        self.text = &self.text[bytes..];
        Some(index)
    }

    /// `.123`, if it is there; digits beyond the millisecond are cut off.
    fn fraction(&mut self) {
        let Some(digits) = self.text.strip_prefix(b".") else { return };
        let bytes = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if bytes > 0 {
            let padded = digits[..bytes].iter().copied().chain([b'0'; 2]).take(3);
            self.fraction_ms = padded.fold(0, |sum, byte| sum * 10 + i64::from(byte - b'0'));
            self.text = &digits[bytes..];
        }
    }

    fn zone(&mut self) -> Option<()> {
        for name in [&b"Z"[..], b"UTC", b"GMT"] {
            if let Some(rest) = self.text.strip_prefix(name) {
                self.text = rest;
                return Some(());
            }
        }
        let sign = match self.text.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.text = &self.text[1..];
        let hours = self.number(2, 2)?;
        self.text = self.text.strip_prefix(b":").unwrap_or(self.text);
        let minutes = if self.text.first().is_some_and(u8::is_ascii_digit) { self.number(2, 2)? } else { 0 };
        self.zone_minutes = sign * (hours * 60 + minutes);
        Some(())
    }

    fn milliseconds(&self) -> Option<i64> {
        let hour = match self.half_day {
            Some(half) => self.hour % 12 + half,
            None => self.hour,
        };
        // A layout without a part of the date means the first of it, as in Go.
        let days = days_since_1970(self.year.unwrap_or(0), self.month.unwrap_or(1), self.day.unwrap_or(1))?;
        let minutes = (days * 24 + hour) * 60 + self.minute - self.zone_minutes;
        Some((minutes * 60 + self.second) * 1000 + self.fraction_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_ways_to_write_a_layout_read_the_same_dates() {
        const WANT: i64 = 1_577_934_240_000;
        for (layout, text) in [
            (Layout::go(b"2006-01-02 15:04"), "2020-01-02 03:04"),
            (Layout::go(b"Jan 2, 2006 3:04PM"), "Jan 2, 2020 3:04AM"),
            (Layout::go(b"Mon, 02 Jan 2006 15:04:05 -0700"), "Thu, 02 Jan 2020 04:04:00 +0100"),
            (Layout::sql_server(b"yyyy-MM-dd HH:mm"), "2020-01-02 03:04"),
            (Layout::sql_server(b"d/M/yy h:m tt"), "2/1/20 3:4 am"),
            (Layout::oracle(b"YYYY-MM-DD HH24:MI"), "2020-01-02 03:04"),
            (Layout::oracle(b"DD-MON-YY HH:MI:SS AM"), "02-JAN-20 03:04:00 AM"),
            (Layout::go(b"2006-01-02T15:04:05Z07:00"), "2020-01-02T02:04:00-01:00"),
        ] {
            assert_eq!(layout.milliseconds(text.as_bytes()), Some(WANT), "{text}");
        }
    }

    #[test]
    fn what_does_not_keep_to_the_layout_is_no_date() {
        let layout = Layout::go(b"2006-01-02");
        for text in ["", "2020", "2020-13-01", "2020-02-30", "2020-1-1", "2020-01-02 ", "20200102", "x"] {
            assert_eq!(layout.milliseconds(text.as_bytes()), None, "{text}");
        }
    }
}

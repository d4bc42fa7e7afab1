//! ISO 8601 text to milliseconds since 1970, in the forms that mongoimport takes.

/// Milliseconds since 1970-01-01T00:00:00Z.
///
/// `YYYY-MM-DDTHH:MM:SS[.digits](Z|+HH:MM|+HHMM)`: years 0000 to 9999, upper-case `T` and `Z`, seconds
/// and zone required, no leap second. Digits beyond the millisecond are cut off. `None` for other text.
pub(super) fn milliseconds(text: &[u8]) -> Option<i64> {
    let (date_and_time, rest) = text.split_first_chunk::<19>()?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', n1, n2, b':', s1, s2] =
        *date_and_time
    else {
        return None;
    };
    let year = number(&[y1, y2, y3, y4])?;
    let month = number(&[m1, m2]).filter(|month| (1..=12).contains(month))?;
    let day = number(&[d1, d2])?;
    let hour = number(&[h1, h2]).filter(|hour| *hour < 24)?;
    let minute = number(&[n1, n2]).filter(|minute| *minute < 60)?;
    let second = number(&[s1, s2]).filter(|second| *second < 60)?;
    let (fraction_ms, zone) = match rest {
        [b'.', fraction @ ..] => {
            let digits = fraction.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(fraction.len());
            let padded: Vec<u8> = fraction[..digits].iter().copied().chain([b'0'; 2]).take(3).collect();
            (if digits > 0 { number(&padded)? } else { return None }, &fraction[digits..])
        }
        zone => (0, zone),
    };
    let offset_minutes = match *zone {
        [b'Z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] | [sign @ (b'+' | b'-'), h1, h2, m1, m2] => {
            let hours = number(&[h1, h2]).filter(|hours| *hours < 24)?;
            let minutes = number(&[m1, m2]).filter(|minutes| *minutes < 60)?;
            (hours * 60 + minutes) * if sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    let minutes = (days_since_1970(year, month, day)? * 24 + hour) * 60 + minute - offset_minutes;
    Some((minutes * 60 + second) * 1000 + fraction_ms)
}

/// As [`milliseconds`], and what other programs write: no seconds, and years of a sign and six digits.
///
/// Source: `FormatDate`, `common/util/format_date.go`, mongo-tools 100.18; ECMA-262, expanded years.
pub(in crate::source) fn lenient_milliseconds(text: &[u8]) -> Option<i64> {
    const MINUTES_BYTES: usize = 16;
    milliseconds(text).or_else(|| {
        if let [sign @ (b'+' | b'-'), y1, y2, rest @ ..] = text {
            // Four hundred years have the same days wherever they stand.
            const CYCLE_YEARS: i64 = 400;
            const CYCLE_MS: i64 = 146_097 * 86_400_000;
            let (last, rest) = rest.split_first_chunk::<4>()?;
            let year = number(&[&[*y1, *y2], &last[..]].concat())? * if *sign == b'-' { -1 } else { 1 };
            let near = 2000 + year.rem_euclid(CYCLE_YEARS);
            let same_days = milliseconds(&[near.to_string().as_bytes(), rest].concat())?;
            return Some(same_days + (year - near) / CYCLE_YEARS * CYCLE_MS);
        }
        let (minutes, zone) = text.split_at_checked(MINUTES_BYTES)?;
        let with_seconds = [minutes, b":00", zone].concat();
        milliseconds(&with_seconds).filter(|_| !zone.starts_with(b":") && !zone.starts_with(b"."))
    })
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// In the proleptic Gregorian calendar, whose years are counted from March here, so that a leap day comes
/// last in its year. `None` for a day that no month has.
pub(in crate::source) fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    /// From 0000-03-01 to 1970-01-01.
    const DAYS_TO_1970: i64 = 719_468;
    if !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    let (march_year, march_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = march_year.div_euclid(4) - march_year.div_euclid(100) + march_year.div_euclid(400);
    Some(march_year * 365 + leap_days + (march_month * 153 + 2) / 5 + day - 1 - DAYS_TO_1970)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_taken_in_the_forms_of_mongoimport_only() {
        for (text, want, why) in [
            ("1970-01-01T00:00:00Z", Some(0), "the epoch"),
            ("2023-11-14T22:13:20Z", Some(1_700_000_000_000), "no fraction"),
            ("2023-11-14T22:13:20.1Z", Some(1_700_000_000_100), "one digit is tenths"),
            ("2023-11-14T22:13:20.12Z", Some(1_700_000_000_120), "two are hundredths"),
            ("2023-11-14T22:13:20.123456Z", Some(1_700_000_000_123), "more are cut off"),
            ("2023-11-14T22:13:20+01:00", Some(1_699_996_400_000), "a zone with its colon"),
            ("2023-11-14T22:13:20.123+0100", Some(1_699_996_400_123), "and without"),
            ("2023-11-14T22:13:20.123-00:00", Some(1_700_000_000_123), "minus nothing"),
            ("2023-11-14T22:13:20-05:30", Some(1_700_019_800_000), "west"),
            ("0000-01-01T00:00:00Z", Some(-62_167_219_200_000), "first year"),
            ("0001-01-01T00:00:00Z", Some(-62_135_596_800_000), "second year"),
            ("9999-12-31T23:59:59.999Z", Some(253_402_300_799_999), "last millisecond"),
            ("1969-12-31T23:59:59.999Z", Some(-1), "the fraction counts upwards before 1970 too"),
            ("2000-02-29T00:00:00Z", Some(951_782_400_000), "a leap day of a 400th year"),
            ("1900-02-29T00:00:00Z", None, "a 100th year has none"),
            ("2023-02-30T00:00:00Z", None, "no such day"),
            ("2023-13-01T00:00:00Z", None, "no such month"),
            ("2023-00-01T00:00:00Z", None, "nor this"),
            ("2023-11-14T22:13Z", None, "no seconds"),
            ("2023-11-14", None, "no time"),
            ("2023-11-14T22:13:20", None, "no zone"),
            ("2023-11-14T22:13:20.Z", None, "a point without digits"),
            ("2023-11-14t22:13:20Z", None, "lower-case t"),
            ("2023-11-14T22:13:20z", None, "lower-case z"),
            ("2023-11-14 22:13:20Z", None, "a blank for the T"),
            ("2016-12-31T23:59:60Z", None, "a leap second"),
            ("2023-11-14T24:00:00Z", None, "hour 24"),
            ("+275760-09-13T00:00:00.000Z", None, "six digits and a sign"),
            ("10000-01-01T00:00:00Z", None, "five digits"),
            ("1700000000123", None, "digits only"),
            ("", None, "nothing"),
        ] {
            assert_eq!(milliseconds(text.as_bytes()), want, "{text}: {why}");
        }
    }

    /// The calendar rule against counting one day at a time.
    #[test]
    fn every_day_of_ten_thousand_years_follows_the_one_before() {
        let mut expected = days_since_1970(0, 1, 1).unwrap();
        for year in 0..10_000 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days_since_1970(year, month, day), Some(expected), "{year}-{month}-{day}");
                    expected += 1;
                }
            }
        }
    }
}

//! Axes: from figures to px, and the ticks between.

/// How figures are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Evenly.
    Linear,
    /// Each factor as far as the next.
    Log,
}

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// What stands there.
    pub label: String,
}

/// One axis: what it measures, in which unit, from where to where.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it measures and its unit, as in `storage [KiB]`.
    pub label: String,
    /// How figures are spread.
    pub spread: Spread,
    /// First figure shown.
    pub low: f64,
    /// Last figure shown.
    pub high: f64,
    /// From low to high.
    pub ticks: Vec<Tick>,
}

/// Ticks of a linear axis, about.
const TICKS: f64 = 6.0;
/// Room left before and behind the figures, as a share of their span.
const MARGIN: f64 = 0.06;

/// Where a linear axis begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// At 0, so that lengths can be compared.
    Zero,
    /// Near the smallest figure, so that differences show.
    Smallest,
}

impl Axis {
    /// A linear axis over `values`.
    #[must_use]
    pub fn linear(label: &str, values: impl IntoIterator<Item = f64>, from: From) -> Self {
        let (mut low, mut high) = range(values).unwrap_or((0.0, 1.0));
        if from == From::Zero {
            low = 0.0;
        }
        let span = if high > low { high - low } else { high.abs().max(1.0) };
        high += span * MARGIN;
        if from == From::Smallest {
            low = if low >= 0.0 { (low - span * MARGIN).max(0.0) } else { low - span * MARGIN };
        }
        let step = round_step((high - low) / TICKS);
        let decimals = decimals_of(step);
        let mut ticks = Vec::new();
        let mut value = (low / step).ceil() * step;
        while value <= high + step * 1e-9 && ticks.len() < 100 {
            ticks.push(Tick { value, label: grouped(value, decimals) });
            value += step;
        }
        Self { label: label.to_owned(), spread: Spread::Linear, low, high, ticks }
    }

    /// A logarithmic axis over those of `values` that are above 0, with ticks at 1, 2 and 5 of each power of ten, or
    /// at the powers alone where those are many.
    #[must_use]
    pub fn log(label: &str, values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values.into_iter().filter(|value| *value > 0.0)).unwrap_or((1.0, 10.0));
        let room = (high / low).powf(MARGIN).max(1.15);
        let (low, high) = (low / room, high * room);
        let mut ticks = Vec::new();
        let many = (high / low).log10() > 2.5;
        let mut power = 10_f64.powf(low.log10().floor());
        while power <= high && ticks.len() < 100 {
            for step in if many { &[1.0][..] } else { &[1.0, 2.0, 5.0] } {
                let value: f64 = power * step;
                if (low..=high).contains(&value) {
                    ticks.push(Tick { value, label: grouped(value, decimals_of(value)) });
                }
            }
            power *= 10.0;
        }
        Self { label: label.to_owned(), spread: Spread::Log, low, high, ticks }
    }

    /// A logarithmic axis with these ticks alone, as for sizes that are powers of two.
    #[must_use]
    pub fn log_at(label: &str, ticks: Vec<Tick>) -> Self {
        let (low, high) = range(ticks.iter().map(|tick| tick.value)).unwrap_or((1.0, 2.0));
        let room = (high / low).powf(MARGIN).max(1.1);
        Self { label: label.to_owned(), spread: Spread::Log, low: low / room, high: high * room, ticks }
    }

    /// Where a figure lies: 0 at the beginning, 1 at the end.
    #[must_use]
    pub fn share(&self, value: f64) -> f64 {
        let share = match self.spread {
            Spread::Linear => (value - self.low) / (self.high - self.low),
            Spread::Log => (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln(),
        };
        if share.is_finite() { share.clamp(-0.5, 1.5) } else { 0.0 }
    }
}

/// Smallest and largest of those that are numbers.
fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

/// 1, 2 or 5 times a power of ten, `step` or the next above.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let factor =
        [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

/// Decimals that tell steps of this size apart, 6 at most.
fn decimals_of(step: f64) -> usize {
    (0..6)
        .find(|decimals| step * 10_f64.powi(*decimals) >= 1.0 - 1e-9)
        .map_or(6, |decimals| usize::try_from(decimals).unwrap_or(0))
}

/// A number with its thousands apart.
#[must_use]
pub fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    let is_zero = text.chars().all(|letter| matches!(letter, '0' | '.'));
    format!("{}{out}{fraction}", if value < 0.0 && !is_zero { "-" } else { "" })
}

/// The unit that all sizes of one axis share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByteUnit {
    /// As labels print it.
    pub name: &'static str,
    bytes: f64,
}

impl ByteUnit {
    /// KiB.
    pub const KIB: Self = Self { name: "KiB", bytes: 1024.0 };

    /// The unit that leaves the largest size four digits before the point, at most.
    #[must_use]
    pub fn fitting(bytes_max: u64) -> Self {
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let mut unit = Self::KIB;
        for name in &units[1..] {
            if unit.of(bytes_max) < 4096.0 {
                break;
            }
            unit = Self { name, bytes: unit.bytes * 1024.0 };
        }
        unit
    }

    /// A size in this unit.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a picture shows four digits")]
    pub fn of(self, bytes: u64) -> f64 {
        bytes as f64 / self.bytes
    }

    /// A size with its unit, as in `1.50 MiB`.
    #[must_use]
    pub fn show(self, bytes: u64) -> String {
        let value = self.of(bytes);
        let decimals = if self == Self::KIB && value >= 10.0 || value >= 1000.0 { 0 } else { 2 };
        format!("{} {}", grouped(value, decimals), self.name)
    }
}

/// A size that is a power of two or nearly, as short as it goes: `32 KiB`, `1 MiB`.
#[must_use]
pub fn short(bytes: u64) -> String {
    for (name, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if bytes >= 1 << shift && bytes.is_multiple_of(1 << shift) {
            return format!("{} {name}", bytes >> shift);
        }
    }
    format!("{bytes} B")
}

/// A count for arithmetic on a picture.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a picture shows four digits")]
pub fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_about_six() {
        let zero = Axis::linear("a", [228.0, 1592.0], From::Zero);
        assert_eq!(labels(&zero), ["0", "500", "1,000", "1,500"]);
        let near = Axis::linear("a", [0.1483, 0.1566], From::Smallest);
        assert_eq!(labels(&near), ["0.148", "0.150", "0.152", "0.154", "0.156"]);
        assert_eq!(labels(&Axis::linear("a", [5.0, 5.0], From::Zero)), ["0", "1", "2", "3", "4", "5"]);
    }

    #[test]
    fn log_ticks_are_powers_of_ten_where_they_are_many() {
        assert_eq!(labels(&Axis::log("a", [39.5, 657.0])), ["50", "100", "200", "500"]);
        assert_eq!(labels(&Axis::log("a", [0.5, 2000.0])), ["1", "10", "100", "1,000"]);
    }

    #[test]
    fn figures_that_are_no_numbers_break_no_axis() {
        for values in
            [vec![], vec![f64::NAN], vec![f64::INFINITY, 3.0], vec![0.0], vec![-1.0], vec![1e300, 1e-300]]
        {
            for axis in [Axis::linear("a", values.clone(), From::Smallest), Axis::log("a", values.clone())] {
                assert!(axis.ticks.len() <= 100);
                for value in [f64::NAN, 0.0, -1.0, 1e300, 3.0] {
                    assert!(axis.share(value).is_finite(), "{values:?} {value}");
                }
            }
        }
    }

    #[test]
    fn sizes_are_shown_in_the_unit_that_fits() {
        for (bytes, want) in
            [(233_472, "228 KiB"), (512, "0.50 KiB"), (18_627_231, "17.76 MiB"), (u64::MAX, "16.00 EiB")]
        {
            assert_eq!(ByteUnit::fitting(bytes).show(bytes), want);
        }
        assert_eq!([short(32 << 10), short(1 << 20), short(1000)], ["32 KiB", "1 MiB", "1000 B"]);
    }
}

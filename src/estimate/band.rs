//! Low and high around an expected size.

use super::Band;
use crate::units::{AllocationUnit, DiskBytes};

/// What two loads in the *same* order still differ by. Skiplist depths are drawn at random, so a segment ends a
/// few records earlier or later and its last pages round differently; a block that a checkpoint freed may be left
/// at the end. Thousandths of the size, where the image size stays where it is and where it moves: there one block
/// more or less on one side of a threshold shifts the whole walk.
///
/// Calibrated on the spread of measured runs; see docs/METHOD.md.
const NOISE_STEADY_THOUSANDTHS: u64 = 3;
/// See [`NOISE_STEADY_THOUSANDTHS`].
const NOISE_MOVING_THOUSANDTHS: u64 = 5;
/// Added to both, in units.
const NOISE_UNITS: u64 = 1;

/// Whether a table's image size moved while it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// It stayed where it began.
    Steady,
    /// Some block moved it.
    Moving,
}

/// The band of an expected size and of what other orders of the same work store.
///
/// `doubt` is what else may be off on either side: a transaction id of one byte more or less, as how long ids are
/// depends on how long the server has been up, and the error of a sample.
#[must_use]
pub fn around(
    expected: DiskBytes,
    others: impl IntoIterator<Item = DiskBytes>,
    walk: Walk,
    doubt: DiskBytes,
    unit: AllocationUnit,
) -> Band {
    let thousandths = match walk {
        Walk::Steady => NOISE_STEADY_THOUSANDTHS,
        Walk::Moving => NOISE_MOVING_THOUSANDTHS,
    };
    let (mut low, mut high) = (expected.0, expected.0);
    for other in others {
        low = low.min(other.0);
        high = high.max(other.0);
    }
    // Whole units, of which the share is counted downwards: a small file is not given a wider band by rounding.
    let noise =
        |bytes: u64| (unit.units_covered(bytes * thousandths / 1000 + doubt.0) + NOISE_UNITS) * unit.bytes();
    Band {
        low: DiskBytes(low.saturating_sub(noise(low)).max(unit.bytes())),
        high: DiskBytes(high + noise(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(expected: u64, others: &[u64], walk: Walk) -> (u64, u64) {
        let others = others.iter().map(|units| DiskBytes(units * 4096));
        let Band { low, high } =
            around(DiskBytes(expected * 4096), others, walk, DiskBytes(0), AllocationUnit::DEFAULT);
        (low.0 / 4096, high.0 / 4096)
    }

    #[test]
    fn band_spans_all_orders_and_the_noise_of_one() {
        for (expected, others, walk, want, why) in [
            (50, &[][..], Walk::Steady, (49, 51), "a small file: one unit"),
            (1000, &[], Walk::Steady, (996, 1004), "0.3 % and a unit"),
            (1000, &[], Walk::Moving, (994, 1006), "0.5 % and a unit"),
            (1000, &[950, 1020], Walk::Moving, (945, 1026), "other orders on both sides"),
            (1, &[], Walk::Steady, (1, 2), "never below one unit"),
        ] {
            assert_eq!(band(expected, others, walk), want, "{why}");
        }
    }
}

//! Low and high around an expected size.

use super::Band;
use crate::units::{AllocationUnit, DiskBytes};

/// What two loads in the *same* order still differ by. Skiplist depths are drawn at random, so a segment ends a
/// few records earlier or later and its last pages round differently; a block that a checkpoint freed may be left
/// at the end. Thousandths of the size, where the image size stays where it is and where it moves: there one block
/// more or less on one side of a threshold shifts the whole walk.
///
/// Calibrated on the spread of measured runs; see docs/METHOD.md.
const NOISE_STEADY_THOUSANDTHS: u64 = 2;
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
#[must_use]
pub fn around(
    expected: DiskBytes,
    others: impl IntoIterator<Item = DiskBytes>,
    walk: Walk,
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
    let noise = |bytes: u64| unit.round_up(bytes * thousandths / 1000).0 + NOISE_UNITS * unit.bytes();
    Band {
        low: DiskBytes(low.saturating_sub(noise(low)).max(unit.bytes())),
        high: DiskBytes(high + noise(high)),
    }
}

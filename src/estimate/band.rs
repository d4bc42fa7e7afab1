//! Low and high around an expected size.

use super::Band;
use crate::units::{AllocationUnit, DiskBytes};

/// What two loads in the *same* order still differ by: skiplist depths are drawn at random, so a segment
/// ends a few records earlier or later and its last pages round differently; a block that a checkpoint
/// freed may be left at the end. In thousandths of the size, and in units.
///
/// Calibrated on the measured runs of collections whose image size never moves; see docs/METHOD.md.
const NOISE_THOUSANDTHS: u64 = 2;
/// See [`NOISE_THOUSANDTHS`].
const NOISE_UNITS: u64 = 1;

/// The band of an expected size and of what other orders of the same work store.
#[must_use]
pub fn around(
    expected: DiskBytes,
    others: impl IntoIterator<Item = DiskBytes>,
    unit: AllocationUnit,
) -> Band {
    let (mut low, mut high) = (expected.0, expected.0);
    for other in others {
        low = low.min(other.0);
        high = high.max(other.0);
    }
    let noise = |bytes: u64| unit.round_up(bytes * NOISE_THOUSANDTHS / 1000).0 + NOISE_UNITS * unit.bytes();
    Band {
        low: DiskBytes(low.saturating_sub(noise(low)).max(unit.bytes())),
        high: DiskBytes(high + noise(high)),
    }
}

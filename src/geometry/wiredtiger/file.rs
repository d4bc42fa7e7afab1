//! What a file holds besides pages.

use super::TableConfig;
use crate::units::DiskBytes;

/// Bytes of a checkpoint's avail list with the table's configuration behind it. Decides only how many
/// units that block takes where the unit is below 4 KiB.
///
/// Source: measured on mongod 6.0.5, three units of 512 B; layout `__wt_block_checkpoint_final`, `src/block/block_ckpt_scan.c` at
/// tag mongodb-8.0.0.
pub(super) const AVAIL_LIST_BYTES: u64 = 1536;

/// Descriptor, and the two extent lists of a first checkpoint: what was allocated, what is available.
///
/// Source: `__wti_desc_write`, `src/block/block_open.c`; `__ckpt_process`, `src/block/block_ckpt.c`; tag
/// mongodb-8.0.0. There is no discard list: nothing of an earlier checkpoint was freed.
#[must_use]
pub fn skeleton(config: &TableConfig) -> DiskBytes {
    let unit = config.allocation;
    let descriptor = unit.round_up(1);
    let allocated_list = unit.round_up(1);
    descriptor + allocated_list + unit.round_up(AVAIL_LIST_BYTES)
}

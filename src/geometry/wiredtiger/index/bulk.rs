//! An index that is built on documents already there.

use super::{
    IndexConfig, IndexPages,
    blocks::Blocks,
    leaf::{LeafWriter, Saved},
    order::OrderedEntries,
    pages::{Address, Assembly},
    records::{Place, Records},
};
use crate::geometry::wiredtiger::reconcile::Chunk;

/// The file of an index that is built by `createIndex`, a restore that builds indexes last, or an initial sync.
///
/// Keys are sorted and written through a bulk cursor: full pages one behind the other, no time windows, no ghosts,
/// no free space.
///
/// Source: `__wt_bulk_insert_row`, `src/reconcile/rec_row.c`, and `__wt_bulk_wrapup`, `src/reconcile/rec_write.c`, at tag
/// mongodb-8.0.0.
#[must_use]
pub fn bulk_built(config: &IndexConfig, order: &OrderedEntries<'_>) -> IndexPages {
    let mut build = Build {
        records: Records::new(config, order, None),
        blocks: Blocks::new(config.table().allocation),
        assembly: Assembly::new(config),
        first: 0,
    };
    let mut writer = LeafWriter::bulk_load(config);
    for rank in 0..order.by_rank().count() {
        let pushed =
            build.records.write(Place::entry(rank), Saved::default(), &mut writer, &mut build.blocks);
        if let Some(chunk) = pushed.done {
            build.finish_leaf(&chunk);
        }
    }
    for chunk in writer.finish().into_iter().flatten() {
        build.finish_leaf(&chunk);
    }
    let overflow = build.records.overflow_blocks();
    build.assembly.finish(build.blocks, &overflow)
}

struct Build<'a> {
    records: Records<'a>,
    blocks: Blocks,
    assembly: Assembly,
    /// Rank of the first entry that is on no page yet.
    first: u32,
}

impl Build<'_> {
    fn finish_leaf(&mut self, chunk: &Chunk) {
        let ranks = self.first..self.first + chunk.records;
        let key_bytes = match self.first {
            0 => 0,
            first => self.records.separator_bytes(Place::entry(first - 1), Place::entry(first)),
        };
        self.first = ranks.end;
        let leaf = self.records.leaf(ranks.map(Place::entry), chunk);
        let block = self.blocks.allocate(leaf.page.stored.0);
        let address = Address { key_bytes: key_bytes as u64, offset: block.offset, windows: leaf.windows };
        self.assembly.push(leaf.page, address);
    }
}

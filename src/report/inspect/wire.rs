//! What other programs read of an inspection: schema 1. Names end in their unit; what is not known is `null`.

use crate::estimate::{Inspection, LeafFigures, Readable, TableInspection, Unreadable, WhatIf};
use crate::report::number;
use crate::report::wire::{BlocksV1, SCHEMA, TimingV1, ToolV1, as_map, timing_v1, tool_v1};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct InspectionV1<'a> {
    schema: u32,
    tool: ToolV1,
    command: &'static str,
    path: &'a str,
    server: &'a str,
    #[serde(serialize_with = "as_map")]
    codecs: &'a [(&'static str, String)],
    tables: Vec<TableV1<'a>>,
    unreadable: Vec<UnreadableV1<'a>>,
    behind: &'a [String],
    timing: TimingV1,
}

#[derive(Serialize)]
struct TableV1<'a> {
    file: &'a str,
    name: String,
    namespace: Option<&'a str>,
    index: Option<&'a str>,
    role: &'static str,
    codec: Option<&'a str>,
    encrypted: bool,
    allocation_bytes: u64,
    leaf_page_bytes_max: u64,
    storage_bytes: u64,
    bson_bytes: Option<u64>,
    ratio_storage_to_bson: Option<f64>,
    entries: Option<u64>,
    entries_dead: Option<u64>,
    entries_stored: Option<u64>,
    bson_bytes_stored: Option<u64>,
    description_bytes: u64,
    leaf_block_bytes: u64,
    overflow_block_bytes: u64,
    internal_block_bytes: u64,
    root_block_bytes: u64,
    damaged_block_bytes: u64,
    extent_list_bytes: u64,
    free_bytes: u64,
    pending_bytes: u64,
    after_checkpoint_bytes: u64,
    live_bytes: u64,
    checkpoint_live_bytes: u64,
    leaf_pages: u64,
    internal_pages: u64,
    overflow_pages: u64,
    leaf_image_bytes: u64,
    leaf_packed_bytes: Option<u64>,
    leaf_kept_raw_bytes: Option<u64>,
    pages_kept_raw: u64,
    padding_bytes: Option<u64>,
    windows: Option<u64>,
    window_bytes: Option<u64>,
    image_bytes_p05: Option<u64>,
    image_bytes_p50: Option<u64>,
    image_bytes_p95: Option<u64>,
    image_histogram: Vec<ImagesV1>,
    block_histogram: Vec<BlocksV1>,
    faults: u64,
    checksum_faults: u64,
    fault_messages: &'a [String],
    what_if: Vec<WhatIfV1>,
}

#[derive(Serialize)]
struct ImagesV1 {
    image_bytes_max: u64,
    pages: u64,
}

#[derive(Serialize)]
struct WhatIfV1 {
    way: &'static str,
    load: Option<&'static str>,
    codec: &'static str,
    level: Option<i32>,
    storage_bytes: u64,
    storage_bytes_low: Option<u64>,
    storage_bytes_high: Option<u64>,
    leaf_pages: u64,
    pages_kept_raw: u64,
    leaf_block_bytes: u64,
    padding_bytes: u64,
}

#[derive(Serialize)]
struct UnreadableV1<'a> {
    file: &'a str,
    name: Option<&'a str>,
    storage_bytes: Option<u64>,
    reason: &'a str,
}

/// `inspection` as it goes out.
pub(super) fn inspection(inspection: &Inspection) -> InspectionV1<'_> {
    let Inspection { path, tables, unreadable, behind, server, codec_versions, timing } = inspection;
    InspectionV1 {
        schema: SCHEMA,
        tool: tool_v1(),
        command: "inspect",
        path,
        server,
        codecs: codec_versions,
        tables: tables.iter().map(table_v1).collect(),
        unreadable: unreadable.iter().map(unreadable_v1).collect(),
        behind,
        timing: timing_v1(*timing),
    }
}

fn table_v1(table: &TableInspection) -> TableV1<'_> {
    let (layout, leaves) = (&table.layout, &table.leaves);
    // Of an encrypted table only what stands in its headers is known.
    let of_pages = |value| (table.readable == Readable::Pages).then_some(value);
    TableV1 {
        file: &table.file,
        name: table.name(),
        namespace: table.namespace.as_deref(),
        index: table.index.as_deref(),
        role: table.role.name(),
        codec: table.codec.as_deref(),
        encrypted: table.readable == Readable::HeadersOnly,
        allocation_bytes: table.allocation_bytes,
        leaf_page_bytes_max: table.leaf_page_bytes_max,
        storage_bytes: layout.file.0,
        bson_bytes: leaves.bson.map(|bson| bson.0).and_then(of_pages),
        ratio_storage_to_bson: table.ratio().map(|ratio| number::ratio(ratio.value())),
        entries: of_pages(leaves.entries),
        entries_dead: of_pages(leaves.entries_dead),
        entries_stored: table.counts_stored.map(|(entries, _)| entries),
        bson_bytes_stored: table.counts_stored.map(|(_, bson)| bson.0),
        description_bytes: layout.description.0,
        leaf_block_bytes: layout.leaves.0,
        overflow_block_bytes: layout.overflow.0,
        internal_block_bytes: layout.internal.0,
        root_block_bytes: layout.root.0,
        damaged_block_bytes: layout.damaged.0,
        extent_list_bytes: layout.extent_lists.0,
        free_bytes: layout.free.0,
        pending_bytes: layout.pending.0,
        after_checkpoint_bytes: layout.after_checkpoint.0,
        live_bytes: layout.live().0,
        checkpoint_live_bytes: table.checkpoint_live.0,
        leaf_pages: leaves.pages,
        internal_pages: leaves.internal_pages,
        overflow_pages: leaves.overflow_pages,
        leaf_image_bytes: leaves.image.0,
        leaf_packed_bytes: of_pages(leaves.packed.0),
        leaf_kept_raw_bytes: of_pages(leaves.kept_raw.0),
        pages_kept_raw: leaves.pages_kept_raw,
        padding_bytes: of_pages(leaves.padding.0),
        windows: of_pages(leaves.windows),
        window_bytes: of_pages(leaves.window_bytes),
        image_bytes_p05: leaves.image_bytes_at(5),
        image_bytes_p50: leaves.image_bytes_at(50),
        image_bytes_p95: leaves.image_bytes_at(95),
        image_histogram: images_v1(leaves),
        block_histogram: blocks_v1(leaves),
        faults: table.faults.count,
        checksum_faults: table.faults.checksums,
        fault_messages: &table.faults.messages,
        what_if: table.what_if.iter().map(what_if_v1).collect(),
    }
}

fn images_v1(leaves: &LeafFigures) -> Vec<ImagesV1> {
    let row = |(bytes, pages): (&u64, &u64)| ImagesV1 { image_bytes_max: *bytes, pages: *pages };
    leaves.image_histogram.iter().map(row).collect()
}

fn blocks_v1(leaves: &LeafFigures) -> Vec<BlocksV1> {
    let row = |(units, blocks): (&u64, &u64)| BlocksV1 { block_units: *units, blocks: *blocks };
    leaves.block_histogram.0.iter().map(row).collect()
}

fn what_if_v1(row: &WhatIf) -> WhatIfV1 {
    let WhatIf { way, codec, storage, band, leaf_pages, pages_kept_raw, leaf_blocks, padding } = row;
    WhatIfV1 {
        way: way.name(),
        load: way.load().map(crate::estimate::LoadState::name),
        codec: codec.name,
        level: codec.level,
        storage_bytes: storage.0,
        storage_bytes_low: band.map(|band| band.low.0),
        storage_bytes_high: band.map(|band| band.high.0),
        leaf_pages: *leaf_pages,
        pages_kept_raw: *pages_kept_raw,
        leaf_block_bytes: leaf_blocks.0,
        padding_bytes: padding.0,
    }
}

fn unreadable_v1(table: &Unreadable) -> UnreadableV1<'_> {
    let Unreadable { file, name, file_bytes, reason } = table;
    UnreadableV1 { file, name: name.as_deref(), storage_bytes: file_bytes.map(|bytes| bytes.0), reason }
}

//! Sections of a plan and their rows: each figure once, with its name for programs and its head for people.

use crate::capacity::{
    Advice, CachePoint, CacheRow, Capacity, CollectionCapacity, CrossoverRow, DiskRow, DumpRow, Given,
    JournalRow, MemberRow, Needs, OplogRow, PagesPerRead, SavingRow, ScanRow, WireRow, WorkingSet,
    cache::memory_for,
};
use crate::estimate::{Basis, CodecName};
use crate::report::number::Cell;
use crate::units::{Exact, Grouped};

/// What a field is in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Says what the row is about.
    Key,
    /// A figure.
    Figure,
    /// How the figures are known.
    Basis,
}

/// One field of a row.
pub(super) struct Field {
    /// JSON's name, ending in its unit; of a codec what stands in front of `codec` and `level`.
    pub name: &'static str,
    /// As tables head it.
    pub label: &'static str,
    /// Below the label, where the cell itself does not say it.
    pub unit: &'static str,
    pub role: Role,
    pub cell: Cell,
}

pub(super) type Row = Vec<Field>;

/// Rows of one kind.
pub(super) struct Section {
    /// JSON's name.
    pub name: &'static str,
    /// As people read it.
    pub title: &'static str,
    pub rows: Vec<Row>,
}

fn key(name: &'static str, label: &'static str, cell: Cell) -> Field {
    Field { name, label, unit: "", role: Role::Key, cell }
}

fn figure(name: &'static str, label: &'static str, unit: &'static str, cell: Cell) -> Field {
    Field { name, label, unit, role: Role::Figure, cell }
}

fn load(name: &'static str) -> Field {
    key("load", "load", Cell::Text(name.to_owned()))
}

fn codec(codec: &CodecName) -> Field {
    key("", "codec", Cell::Codec(codec.clone()))
}

fn basis(basis: Basis) -> Field {
    Field {
        name: "basis",
        label: "basis",
        unit: "",
        role: Role::Basis,
        cell: Cell::Text(basis.name().to_owned()),
    }
}

fn bytes(name: &'static str, label: &'static str, bytes: impl Into<Option<u64>>) -> Field {
    figure(name, label, "", bytes.into().map_or(Cell::Unknown, Cell::Bytes))
}

fn seconds(name: &'static str, label: &'static str, seconds: impl Into<Option<f64>>) -> Field {
    figure(name, label, "[s]", seconds.into().map_or(Cell::Unknown, Cell::Ratio))
}

fn ratio(
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    value: impl Into<Option<f64>>,
) -> Field {
    figure(name, label, unit, value.into().map_or(Cell::Unknown, Cell::Ratio))
}

fn speed(value: Option<f64>) -> Cell {
    value.map_or(Cell::Unknown, Cell::Speed)
}

/// Sections about all collections together.
pub(super) fn of_plan(plan: &Capacity) -> Vec<Section> {
    vec![
        Section { name: "given", title: "What the plan was given", rows: given(&plan.needs) },
        Section {
            name: "members",
            title: "Disk of each member, and of all",
            rows: plan.members.iter().map(member).collect(),
        },
        Section {
            name: "cache",
            title: "Cache of each member",
            rows: plan.cache.iter().map(|row| cache(row, &plan.needs)).collect(),
        },
        Section {
            name: "cache_curve",
            title: "Pages read for a random read, by cache",
            rows: plan.cache_curve.iter().map(cache_point).collect(),
        },
    ]
}

/// Sections about one collection.
pub(super) fn of_collection(collection: &CollectionCapacity) -> Vec<Section> {
    let section = |name, title, rows| Section { name, title, rows };
    vec![
        section("disk", "Files", collection.disk.iter().map(disk).collect()),
        section("scan", "Full scan with a cold cache", collection.scan.iter().map(scan).collect()),
        section(
            "scan_crossovers",
            "Disk up to which the smaller file scans faster",
            collection.crossovers.iter().map(crossover).collect(),
        ),
        section(
            "scan_savings",
            "Fastest disk on which a scan saves so much against none",
            collection.savings.iter().map(saving).collect(),
        ),
        section("dump", "Dump as one stream", collection.dump.iter().map(dump).collect()),
        section("oplog", "Oplog and replication", collection.oplog.iter().map(oplog).collect()),
        section("journal", "Journal", collection.journal.iter().map(journal).collect()),
        section("wire", "Messages", collection.wire.iter().map(wire).collect()),
        section("advice", "Codec and level for each use", collection.advice.iter().map(advice).collect()),
    ]
}

fn member(row: &MemberRow) -> Row {
    vec![
        load(row.load.name()),
        codec(&row.codec),
        bytes("data_bytes", "data", row.data_bytes),
        bytes("index_bytes", "indexes", row.index_bytes),
        bytes("oplog_bytes", "oplog", row.oplog_bytes),
        bytes("journal_bytes", "journal", row.journal_bytes),
        bytes("checkpoint_free_bytes", "free", row.checkpoint_free_bytes),
        bytes("headroom_bytes", "headroom", row.headroom_bytes),
        bytes("member_bytes", "member", row.member_bytes),
        bytes("cluster_bytes", "cluster", row.cluster_bytes),
        figure("price_per_month", "price", "/month", speed(row.price_per_month)),
        basis(row.basis),
    ]
}

fn disk(row: &DiskRow) -> Row {
    vec![
        load(row.load.name()),
        codec(&row.codec),
        bytes("data_bytes", "data", row.data_bytes),
        bytes("index_bytes", "indexes", row.index_bytes),
        bytes("checkpoint_free_bytes", "free", row.checkpoint_free_bytes),
        basis(row.basis),
    ]
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from f64 saturates")]
fn rounded(bytes: f64) -> u64 {
    bytes.round() as u64
}

fn cache(row: &CacheRow, needs: &Needs) -> Row {
    let parts = row.in_cache;
    let mut fields = vec![
        load(row.load.name()),
        codec(&row.codec),
        bytes("in_cache_bytes", "in cache", rounded(parts.total())),
        bytes("in_cache_leaf_bytes", "leaves", rounded(parts.leaves)),
        bytes("in_cache_internal_bytes", "internal", rounded(parts.internal)),
        bytes("in_cache_id_index_bytes", "_id_", rounded(parts.id_index)),
        bytes("in_cache_index_bytes", "indexes", rounded(parts.other_indexes)),
        bytes("working_set_bytes", "working set", row.working_set_bytes),
        bytes("working_set_scattered_bytes", "scattered", row.working_set_scattered_bytes),
        bytes("cache_bytes", "cache", needs.cache_bytes.value()),
    ];
    fields.push(bytes("machine_memory_bytes", "machine", memory_for(needs.cache_bytes.value())));
    fields.extend(per_read(row.pages_per_read));
    fields.push(bytes("cache_for_hit_share_bytes", "cache for hits", row.cache_for_hit_share_bytes));
    fields.push(basis(row.basis));
    fields
}

fn per_read(pages: PagesPerRead) -> [Field; 3] {
    [
        ratio("pages_per_read", "pages/", "read", pages.expected),
        ratio("pages_per_read_low", "low", "", pages.low),
        ratio("pages_per_read_high", "high", "", pages.high),
    ]
}

fn cache_point(point: &CachePoint) -> Row {
    let mut fields = vec![
        load(point.load.name()),
        codec(&point.codec),
        key("cache_bytes", "cache", Cell::Bytes(point.cache_bytes)),
    ];
    fields.extend(per_read(point.pages_per_read));
    fields.push(basis(point.basis));
    fields
}

fn scan(row: &ScanRow) -> Row {
    vec![
        load(row.load.name()),
        codec(&row.codec),
        Field { unit: "[MB/s]", ..key("disk_mb_per_s", "disk", Cell::Speed(row.disk_mb_per_s)) },
        seconds("disk_s", "read", row.disk_s),
        seconds("unpack_s", "unpack", row.unpack_s),
        seconds("other_s", "other", row.other_s),
        seconds("scan_s", "scan", row.scan_s),
        seconds("scan_without_read_ahead_s", "no read-ahead", row.scan_alone_s),
        ratio("saved_share", "against", "none", row.saved_share),
        basis(row.basis),
    ]
}

fn crossover(row: &CrossoverRow) -> Row {
    vec![
        load(row.load.name()),
        key("below", "smaller", Cell::Codec(row.below.clone())),
        key("above", "larger", Cell::Codec(row.above.clone())),
        figure("crossover_mb_per_s", "up to", "[MB/s]", speed(row.disk_mb_per_s)),
        basis(row.basis),
    ]
}

fn saving(row: &SavingRow) -> Row {
    vec![
        load(row.load.name()),
        codec(&row.codec),
        Field { unit: "[%]", ..key("saving_pct", "saves", Cell::Speed(row.saving_pct)) },
        figure("saving_up_to_mb_per_s", "up to", "[MB/s]", speed(row.disk_mb_per_s)),
        basis(row.basis),
    ]
}

fn dump(row: &DumpRow) -> Row {
    vec![
        codec(&row.codec),
        bytes("dump_bytes", "dump", row.dump_bytes),
        ratio("ratio_dump_to_bson", "dump/", "bson", row.ratio_dump_to_bson),
        seconds("pack_s", "pack", row.pack_s),
        seconds("unpack_s", "unpack", row.unpack_s),
        seconds("transfer_s", "transfer", row.transfer_s),
        seconds("dump_s", "dump", row.dump_s),
        seconds("restore_s_low", "restore from", row.restore_s_low),
        basis(row.basis),
    ]
}

fn oplog(row: &OplogRow) -> Row {
    vec![
        figure("entry_bytes", "entry", "[B]", Cell::Ratio(row.entry_bytes)),
        figure("entry_overhead_bytes", "overhead", "[B]", Cell::Ratio(row.entry_overhead_bytes)),
        ratio("entry_storage_bytes", "on disk", "[B]", row.storage_bytes_per_entry),
        bytes("oplog_bytes_per_day", "a day", row.oplog_bytes_per_day),
        bytes("oplog_storage_bytes_per_day", "a day, disk", row.oplog_storage_bytes_per_day),
        bytes("replication_bytes_per_day", "replication a day", row.replication_bytes_per_day),
        basis(row.basis),
    ]
}

fn journal(row: &JournalRow) -> Row {
    vec![
        codec(&row.codec),
        figure("journal_records", "records", "", Cell::Count(row.records)),
        bytes("record_bytes", "records hold", row.record_bytes),
        bytes("written_bytes", "written", row.written_bytes),
        figure(
            "journal_bytes_per_document",
            "a document",
            "[B]",
            Cell::Ratio(row.journal_bytes_per_document),
        ),
        bytes("journal_bytes_per_day", "a day", row.journal_bytes_per_day),
        basis(row.basis),
    ]
}

fn wire(row: &WireRow) -> Row {
    vec![
        key("direction", "direction", Cell::Text(row.direction.name().to_owned())),
        codec(&row.codec),
        figure("messages", "messages", "", Cell::Count(row.messages)),
        bytes("message_bytes", "plain", row.message_bytes),
        bytes("sent_bytes", "sent", row.sent_bytes),
        figure("sent_bytes_per_document", "a document", "[B]", Cell::Ratio(row.sent_bytes_per_document)),
        bytes("sent_bytes_per_day", "a day", row.sent_bytes_per_day),
        basis(row.basis),
    ]
}

fn advice(row: &Advice) -> Row {
    vec![
        key("use", "for", Cell::Text(row.use_for.name().to_owned())),
        codec(&row.codec),
        figure("reason", "because", "", Cell::Text(row.reason.clone())),
        basis(row.basis),
    ]
}

/// What the plan was given, each with who chose it.
fn given(needs: &Needs) -> Vec<Row> {
    let (typed, default) = ("given", "default");
    let row = |option: &'static str, value: String, chooser: &'static str| {
        let role = Role::Basis;
        vec![
            key("option", "option", Cell::Text(option.to_owned())),
            figure("value", "value", "", Cell::Text(value)),
            Field { name: "basis", label: "basis", unit: "", role, cell: Cell::Text(chooser.to_owned()) },
        ]
    };
    let count = |option, count: Given<u64>| row(option, Grouped(count.value()).to_string(), count.chooser());
    let list = |option, values: &[f64], is_typed| {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        row(option, values.join(", "), if is_typed { typed } else { default })
    };
    let optional = |option, value: Option<String>| value.map(|value| row(option, value, typed));
    let number = |option, value: Option<f64>| optional(option, value.map(|value| value.to_string()));
    let working_set = match needs.working_set.value() {
        WorkingSet::Bytes(bytes) => Exact(bytes).to_string(),
        WorkingSet::Share(share) => format!("{} % of the data", share * 100.0),
    };
    let codecs: Vec<String> = needs.dump_codecs.iter().map(ToString::to_string).collect();
    let rows = [
        optional("--documents", needs.documents.map(|documents| Grouped(documents).to_string())),
        Some(count("--replicas", needs.members)),
        Some(count("--shards", needs.shards)),
        Some(row("--cache", Exact(needs.cache_bytes.value()).to_string(), needs.cache_bytes.chooser())),
        Some(row("--working-set", working_set, needs.working_set.chooser())),
        Some(row("--hit-rate", format!("{} %", needs.hit_share.value() * 100.0), needs.hit_share.chooser())),
        Some(row("--headroom", format!("{} %", needs.headroom_pct.value()), needs.headroom_pct.chooser())),
        Some(list("--disk-mb-per-s", needs.disks(), !needs.disks_typed.is_empty())),
        Some(list("--scan-saving", needs.scan_savings(), !needs.scan_savings_typed.is_empty())),
        Some(count("--batch", needs.batch_documents)),
        Some(row("--dump-codec", codecs.join(", "), needs.dump_codecs_chosen.chooser())),
        number("--network-mb-per-s", needs.network_mb_per_s),
        number("--writes-per-s", needs.writes_per_s),
        number("--updates-per-s", needs.updates_per_s),
        number("--oplog-hours", needs.oplog_hours),
        number("--price-per-gb-month", needs.price_per_gb_month),
    ];
    rows.into_iter().flatten().collect()
}

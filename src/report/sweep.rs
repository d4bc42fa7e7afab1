//! A sweep: its points as one table or list, and what they say together.

use super::columns::one_line;
use super::grid::{Align, Grid, Head};
use super::number::{self, Cell, Scale};
use super::wire::{self, HeadV1, ModelV1, SCHEMA, StorageV1, TimingV1, ToolV1};
use super::{Detail, OutputKind, ReportOptions, definitions, heading, html, markdown, table};
use crate::estimate::sweep::{Findings, Place, Point, Sweep};
use crate::estimate::{CollectionEstimate, Estimate, apply};
use crate::units::{Exact, Grouped, Human, Printable};
use serde::Serialize;
use std::io::{self, Write};

/// Writes a whole sweep, last line ended.
///
/// # Errors
///
/// What `out` answers.
pub fn write_sweep(
    sweep: &Sweep,
    kind: OutputKind,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match kind {
        OutputKind::Json => {
            serde_json::to_writer_pretty(&mut *out, &sweep_v1(sweep)).map_err(io::Error::from)?;
            writeln!(out)
        }
        OutputKind::Html => {
            let page = html::page(&sweep_json(sweep), &[]).map_err(io::Error::other)?;
            out.write_all(page.as_bytes())
        }
        OutputKind::Csv => write_csv(sweep, out),
        OutputKind::Table => write_people(sweep, *options, &Punctuation::TABLE, out),
        OutputKind::Markdown => write_people(sweep, *options, &Punctuation::MARKDOWN, out),
    }
}

/// A sweep as JSON in memory, for what is drawn of it.
///
/// # Panics
///
/// Never: no field of a sweep fails to be written to memory.
#[must_use]
pub fn sweep_json(sweep: &Sweep) -> Vec<u8> {
    serde_json::to_vec(&sweep_v1(sweep)).expect("names and numbers are written to memory")
}

// ---- For programs ---------------------------------------------------------------------------------------

#[derive(Serialize)]
struct SweepV1<'a> {
    schema: u32,
    tool: ToolV1,
    command: &'static str,
    model: ModelV1<'a>,
    collections: Vec<SweptV1<'a>>,
    inputs_skipped: &'a [String],
    timing: TimingV1,
}

#[derive(Serialize)]
struct SweptV1<'a> {
    #[serde(flatten)]
    head: HeadV1<'a>,
    points: Vec<PointV1>,
    plateaus: Vec<PlateauV1>,
    cliffs: Vec<CliffV1>,
    recommendations: Vec<RecommendationV1<'a>>,
    unchanged: [&'static str; 4],
}

#[derive(Serialize)]
struct PlaceV1 {
    load: &'static str,
    leaf_page_bytes_max: u64,
    codec: &'static str,
    level: Option<i32>,
}

#[derive(Serialize)]
struct PointV1 {
    leaf_page_bytes_max: u64,
    #[serde(flatten)]
    row: StorageV1,
    blocks_per_page: Option<f64>,
    write_cpu_s: Option<f64>,
    read_cpu_s: Option<f64>,
    on_pareto_front: Option<bool>,
}

#[derive(Serialize)]
struct PlateauV1 {
    #[serde(flatten)]
    from: PlaceV1,
    level_to: Option<i32>,
    storage_bytes: u64,
}

#[derive(Serialize)]
struct CliffV1 {
    #[serde(flatten)]
    at: PlaceV1,
    blocks_just_over: u64,
    blocks: u64,
}

#[derive(Serialize)]
struct RecommendationV1<'a> {
    #[serde(rename = "use")]
    use_for: &'static str,
    #[serde(flatten)]
    at: PlaceV1,
    storage_bytes: u64,
    reasons: &'a [String],
    apply: Vec<String>,
}

fn place_v1(place: &Place) -> PlaceV1 {
    let Place { load, leaf_page_bytes_max, codec } = place;
    PlaceV1 {
        load: load.name(),
        leaf_page_bytes_max: *leaf_page_bytes_max,
        codec: codec.name,
        level: codec.level,
    }
}

fn sweep_v1(sweep: &Sweep) -> SweepV1<'_> {
    let first = &sweep.runs[0];
    let collections = first.collections.iter().zip(&sweep.findings).enumerate();
    SweepV1 {
        schema: SCHEMA,
        tool: wire::tool_v1(),
        command: "sweep",
        model: wire::model_v1(&first.model),
        collections: collections
            .map(|(at, (collection, findings))| swept_v1(sweep, at, collection, findings))
            .collect(),
        inputs_skipped: &first.inputs_skipped,
        timing: wire::timing_v1(sweep.timing()),
    }
}

fn swept_v1<'a>(
    sweep: &'a Sweep,
    at: usize,
    collection: &'a CollectionEstimate,
    findings: &'a Findings,
) -> SweptV1<'a> {
    let Findings { front: _, plateaus, cliffs, recommendations } = findings;
    let allocation_bytes = sweep.runs[0].model.allocation_bytes;
    let point = |point: Point<'_>| PointV1 {
        leaf_page_bytes_max: point.leaf_page_bytes_max,
        row: wire::storage_v1(collection, point.row),
        blocks_per_page: point.blocks_per_page(allocation_bytes).map(number::measured),
        write_cpu_s: point.write_s().map(number::measured),
        read_cpu_s: point.read_s().map(number::measured),
        on_pareto_front: findings.is_on_front(&point.place()),
    };
    SweptV1 {
        head: wire::head_v1(collection),
        points: sweep.points(at).into_iter().map(point).collect(),
        plateaus: plateaus
            .iter()
            .map(|plateau| PlateauV1 {
                from: place_v1(&plateau.from),
                level_to: plateau.to.level,
                storage_bytes: plateau.storage.0,
            })
            .collect(),
        cliffs: cliffs
            .iter()
            .map(|cliff| CliffV1 {
                at: place_v1(&cliff.at),
                blocks_just_over: cliff.blocks,
                blocks: cliff.of,
            })
            .collect(),
        recommendations: recommendations
            .iter()
            .map(|found| RecommendationV1 {
                use_for: found.use_for.name(),
                at: place_v1(&found.at),
                storage_bytes: found.storage.0,
                reasons: &found.reasons,
                apply: apply::lines(&found.at, &collection.name),
            })
            .collect(),
        unchanged: apply::UNCHANGED,
    }
}

/// One run behind the other: each has its leaf page size in every row.
fn write_csv(sweep: &Sweep, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = super::csv::Lines::new(out)?;
    sweep.runs.iter().try_for_each(|run: &Estimate| lines.write(run))?;
    lines.finish()
}

// ---- For people -----------------------------------------------------------------------------------------

/// What differs between the terminal and Markdown.
struct Punctuation {
    heading: &'static str,
    item: &'static str,
    code: &'static str,
    grid: fn(&Grid, &mut dyn Write) -> io::Result<()>,
}

impl Punctuation {
    const TABLE: Self = Self {
        heading: "",
        item: "",
        code: "    ",
        grid: |grid, out| writeln!(out, "{}", table::aligned(grid)),
    };
    const MARKDOWN: Self =
        Self { heading: "## ", item: "- ", code: "    ", grid: |grid, out| markdown::write_grid(grid, out) };
}

fn write_people(
    sweep: &Sweep,
    options: ReportOptions,
    with: &Punctuation,
    out: &mut dyn Write,
) -> io::Result<()> {
    let first = &sweep.runs[0];
    for (at, (collection, findings)) in first.collections.iter().zip(&sweep.findings).enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let documents = heading::documents(collection).join("  ");
        writeln!(out, "{}{}  {documents}", with.heading, Printable(&collection.name))?;
        writeln!(out, "{}\n", heading::rules_without_leaf(&first.model).join("  "))?;
        let points = sweep.points(at);
        (with.grid)(&grid(&points, findings, collection, first.model.allocation_bytes), out)?;
        writeln!(out)?;
        for line in lines(findings) {
            writeln!(out, "{}{line}", with.item)?;
        }
        write_recommendations(findings, &collection.name, with, out)?;
    }
    if options.detail == Detail::Definitions {
        writeln!(out)?;
        for name in SHOWN {
            writeln!(out, "{}{name}: {}", with.item, definitions::definition(name).unwrap_or_default())?;
        }
    }
    Ok(())
}

/// What `--explain` explains.
const SHOWN: [&str; 10] = [
    "load",
    "leaf_page_bytes_max",
    "codec",
    "storage_bytes",
    "ratio_storage_to_bson",
    "compress_mb_per_s",
    "decompress_mb_per_s",
    "blocks_per_page",
    "on_pareto_front",
    "basis",
];

fn grid(points: &[Point<'_>], findings: &Findings, collection: &CollectionEstimate, unit_bytes: u64) -> Grid {
    let largest = points.iter().map(|point| point.row.storage.0.max(point.row.band.high.0)).max();
    let scale = Scale::fitting(largest.unwrap_or(0));
    let head = |label, unit: &str, align| Head { label, unit: unit.to_owned(), align };
    let size = format!("[{}]", scale.name());
    let heads = vec![
        head("load", "", Align::Left),
        head("leaf", "page", Align::Right),
        head("codec", "", Align::Left),
        head("storage", &size, Align::Right),
        head("low", &size, Align::Right),
        head("high", &size, Align::Right),
        head("storage/", "bson", Align::Right),
        head("compress", "[MB/s]", Align::Right),
        head("decompress", "[MB/s]", Align::Right),
        head("blocks/", "page", Align::Right),
        head("padding", &size, Align::Right),
        head("kept", "raw", Align::Right),
        head("front", "", Align::Left),
        head("basis", "", Align::Left),
    ];
    let row = |point: &Point<'_>| {
        let tally = &point.row.tally;
        let speed = |of: Option<f64>| of.map_or(Cell::Unknown, Cell::Speed);
        let blocks = point.blocks_per_page(unit_bytes);
        [
            Cell::Text(point.row.load.name().to_owned()),
            Cell::Text(Exact(point.leaf_page_bytes_max).to_string()),
            Cell::Codec(point.row.codec.clone()),
            Cell::Bytes(point.row.storage.0),
            Cell::Bytes(point.row.band.low.0),
            Cell::Bytes(point.row.band.high.0),
            collection.ratio(point.row).map_or(Cell::Unknown, |ratio| Cell::Ratio(ratio.value())),
            speed(point.row.speed.map(|speed| speed.compress_mb_per_s)),
            speed(point.row.speed.and_then(|speed| speed.decompress_mb_per_s)),
            blocks.map_or(Cell::Unknown, |blocks| Cell::Text(format!("{blocks:.2}"))),
            Cell::Bytes(tally.leaf_padding.0),
            Cell::Count(tally.pages_kept_raw),
            match findings.is_on_front(&point.place()) {
                None => Cell::Unknown,
                Some(true) => Cell::Text("front".to_owned()),
                Some(false) => Cell::Text(String::new()),
            },
            Cell::Text(point.row.basis.name().to_owned()),
        ]
        .map(|cell| cell.human(scale))
        .to_vec()
    };
    Grid { heads, rows: points.iter().map(row).collect() }
}

fn shown(place: &Place) -> String {
    format!("{}, leaf page {}, {}", place.load.name(), Exact(place.leaf_page_bytes_max), place.codec)
}

fn lines(findings: &Findings) -> Vec<String> {
    let plateaus = findings.plateaus.iter().map(|plateau| {
        format!(
            "plateau: {} to {} end on the same file, {} (within 0.1 % or a unit)",
            shown(&plateau.from),
            plateau.to,
            Human(plateau.storage.0)
        )
    });
    let cliffs = findings.cliffs.iter().map(|cliff| {
        format!(
            "cliff: {}: pages 2 % smaller would save a unit in {} of {} blocks",
            shown(&cliff.at),
            Grouped(cliff.blocks),
            Grouped(cliff.of)
        )
    });
    plateaus.chain(cliffs).collect()
}

fn write_recommendations(
    findings: &Findings,
    collection: &str,
    with: &Punctuation,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out)?;
    for found in &findings.recommendations {
        let reasons = found.reasons.join("; ");
        writeln!(
            out,
            "{}{}: {}, {}: {reasons}",
            with.item,
            one_line(found.use_for.name(), ""),
            shown(&found.at),
            Human(found.storage.0)
        )?;
    }
    let mut told: Vec<Vec<String>> = Vec::new();
    for found in &findings.recommendations {
        let lines = apply::lines(&found.at, collection);
        if !told.contains(&lines) {
            told.push(lines);
        }
    }
    writeln!(out, "\nTo apply one of them:\n")?;
    for line in told.iter().flatten() {
        writeln!(out, "{}{}", with.code, Printable(line))?;
    }
    writeln!(out, "\nWhat that does not change:\n")?;
    apply::UNCHANGED.iter().try_for_each(|line| writeln!(out, "- {line}"))
}

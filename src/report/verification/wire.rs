//! Comparisons as other programs read them: schema 1, as [`crate::report`]'s other wire types.

use super::rows;
use crate::report::wire::{ModelV1, SCHEMA, TimingV1, ToolV1, model_v1, timing_v1, tool_v1};
use crate::verify::{Check, ScanCheck, ServerRun, Subject, Tolerance, Verification, VerifiedCollection};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct VerificationV1<'a> {
    schema: u32,
    tool: ToolV1,
    command: &'static str,
    model: ModelV1<'a>,
    servers: Vec<ServerV1<'a>>,
    tolerance_pct: f64,
    tolerance_bytes: u64,
    collections: Vec<CollectionV1<'a>>,
    timing: TimingV1,
}

#[derive(Serialize)]
struct ServerV1<'a> {
    version: &'a str,
    place: &'a str,
    load: &'static str,
    cache_bytes: Option<u64>,
}

#[derive(Serialize)]
struct CollectionV1<'a> {
    name: &'a str,
    sources: &'a [String],
    documents: u64,
    bson_bytes: u64,
    documents_skipped: u64,
    checks: Vec<CheckV1<'a>>,
    scans: Vec<ScanV1>,
}

#[derive(Serialize)]
struct CheckV1<'a> {
    subject: &'static str,
    load: &'static str,
    codec: Option<&'static str>,
    level: Option<i32>,
    index: Option<&'a str>,
    build: Option<&'static str>,
    predicted_bytes: Option<u64>,
    predicted_bytes_low: Option<u64>,
    predicted_bytes_high: Option<u64>,
    measured_bytes: u64,
    measured_bytes_min: u64,
    measured_bytes_max: u64,
    measured_bytes_runs: Vec<u64>,
    difference_bytes: Option<i64>,
    difference_pct: Option<f64>,
    inside_band: Option<bool>,
    verdict: &'static str,
    free_bytes: Option<u64>,
    pages_predicted: Option<u64>,
    pages_written: Option<u64>,
    image_bytes_tuned_predicted: Option<u64>,
    image_bytes_tuned_measured: Option<u64>,
}

#[derive(Serialize)]
struct ScanV1 {
    load: &'static str,
    codec: &'static str,
    level: Option<i32>,
    scan_s: f64,
    scan_s_runs: Vec<f64>,
    decompression_s: Option<f64>,
}

/// `verification` as it goes out.
pub(super) fn verification(verification: &Verification) -> VerificationV1<'_> {
    let Verification { model, servers, tolerance, collections, timing } = verification;
    VerificationV1 {
        schema: SCHEMA,
        tool: tool_v1(),
        command: "verify",
        model: model_v1(model),
        servers: servers.iter().map(server_v1).collect(),
        tolerance_pct: rows::percent(tolerance.percent),
        tolerance_bytes: tolerance.bytes.0,
        collections: collections.iter().map(|collection| collection_v1(collection, *tolerance)).collect(),
        timing: timing_v1(*timing),
    }
}

fn server_v1(server: &ServerRun) -> ServerV1<'_> {
    let ServerRun { version, place, load, cache_bytes } = server;
    ServerV1 { version, place, load: load.name(), cache_bytes: *cache_bytes }
}

fn collection_v1(collection: &VerifiedCollection, tolerance: Tolerance) -> CollectionV1<'_> {
    let VerifiedCollection { name, sources, documents, bson, documents_skipped, checks, scans } = collection;
    CollectionV1 {
        name,
        sources,
        documents: *documents,
        bson_bytes: bson.0,
        documents_skipped: *documents_skipped,
        checks: checks.iter().map(|check| check_v1(check, tolerance)).collect(),
        scans: scans.iter().map(scan_v1).collect(),
    }
}

fn check_v1(check: &Check, tolerance: Tolerance) -> CheckV1<'_> {
    // A new figure will not compile until it is written.
    let Check { subject, load, predicted, band, runs, free, pages, image_tuned } = check;
    let (kind, codec, level, index, build) = match subject {
        Subject::Data(codec) => ("data", Some(codec.name), codec.level, None, None),
        Subject::Index { name, build } => ("index", None, None, Some(name.as_str()), Some(build.name())),
    };
    let (least, most) = check.spread();
    CheckV1 {
        subject: kind,
        load: load.name(),
        codec,
        level,
        index,
        build,
        predicted_bytes: predicted.map(|bytes| bytes.0),
        predicted_bytes_low: band.map(|band| band.low.0),
        predicted_bytes_high: band.map(|band| band.high.0),
        measured_bytes: check.measured().0,
        measured_bytes_min: least.0,
        measured_bytes_max: most.0,
        measured_bytes_runs: runs.iter().map(|bytes| bytes.0).collect(),
        difference_bytes: rows::difference(check),
        difference_pct: check.difference_pct().map(rows::percent),
        inside_band: check.is_inside_band(),
        verdict: check.verdict(tolerance).name(),
        free_bytes: free.map(|bytes| bytes.0),
        pages_predicted: pages.map(|pages| pages.predicted),
        pages_written: pages.map(|pages| pages.measured),
        image_bytes_tuned_predicted: image_tuned.map(|image| image.predicted),
        image_bytes_tuned_measured: image_tuned.map(|image| image.measured),
    }
}

fn scan_v1(scan: &ScanCheck) -> ScanV1 {
    let ScanCheck { codec, load, runs_s, decompression_s } = scan;
    ScanV1 {
        load: load.name(),
        codec: codec.name,
        level: codec.level,
        scan_s: rows::seconds(scan.measured_s()),
        scan_s_runs: runs_s.iter().copied().map(rows::seconds).collect(),
        decompression_s: decompression_s.map(rows::seconds),
    }
}

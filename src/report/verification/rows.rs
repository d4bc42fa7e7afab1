//! What one row says, for people and for programs.

use crate::report::grid::{Align, Grid, Head};
use crate::report::number::{Scale, measured, ratio};
use crate::units::Grouped;
use crate::verify::{Check, Pair, Subject, Tolerance, Verification, VerifiedCollection};

const UNKNOWN: &str = "-";

fn head(label: &'static str, unit: &str, align: Align) -> Head {
    Head { label, unit: unit.to_owned(), align }
}

/// The comparisons of one collection.
pub(super) fn checks(collection: &VerifiedCollection, tolerance: Tolerance) -> Grid {
    let largest = collection.checks.iter().map(|check| {
        let predicted = check.predicted.map_or(0, |bytes| bytes.0);
        predicted.max(check.spread().1.0)
    });
    let scale = Scale::fitting(largest.max().unwrap_or(0));
    let unit = format!("[{}]", scale.name());
    let heads = vec![
        head("load", "", Align::Left),
        head("file", "", Align::Left),
        head("predicted", &unit, Align::Right),
        head("measured", &unit, Align::Right),
        head("runs", "min..max", Align::Right),
        head("difference", "[%]", Align::Right),
        head("band", "", Align::Left),
        head("verdict", "", Align::Left),
        head("pages", "model/server", Align::Right),
        head("image", "[KiB]", Align::Right),
    ];
    let row = |check: &Check| {
        let (least, most) = check.spread();
        vec![
            check.load.name().to_owned(),
            file(&check.subject),
            check.predicted.map_or_else(|| UNKNOWN.to_owned(), |bytes| scale.show(bytes.0)),
            scale.show(check.measured().0),
            match check.runs.len() {
                1 => UNKNOWN.to_owned(),
                _ => format!("{}..{}", scale.show(least.0), scale.show(most.0)),
            },
            check.difference_pct().map_or_else(|| UNKNOWN.to_owned(), |percent| format!("{percent:+.2}")),
            match check.is_inside_band() {
                None => UNKNOWN,
                Some(true) => "inside",
                Some(false) => "outside",
            }
            .to_owned(),
            check.verdict(tolerance).name().to_owned(),
            pair(check.pages, |pages| Grouped(pages).to_string()),
            pair(check.image_tuned, |bytes| format!("{}", bytes / 1024)),
        ]
    };
    Grid { heads, rows: collection.checks.iter().map(row).collect() }
}

fn pair(pair: Option<Pair>, shown: impl Fn(u64) -> String) -> String {
    pair.map_or_else(
        || UNKNOWN.to_owned(),
        |Pair { predicted, measured }| format!("{}/{}", shown(predicted), shown(measured)),
    )
}

fn file(subject: &Subject) -> String {
    match subject {
        Subject::Data(codec) => codec.to_string(),
        Subject::Index { name, build } => {
            format!("{} {}", crate::units::Printable(name), build.name())
        }
    }
}

/// The scans of one collection; `None` without any.
pub(super) fn scans(collection: &VerifiedCollection) -> Option<Grid> {
    let heads = vec![
        head("load", "", Align::Left),
        head("cold scan", "", Align::Left),
        head("measured", "[s]", Align::Right),
        head("runs", "min..max", Align::Right),
        head("decompression", "[s]", Align::Right),
    ];
    let seconds = |value: f64| format!("{value:.3}");
    let row = |scan: &crate::verify::ScanCheck| {
        vec![
            scan.load.name().to_owned(),
            scan.codec.to_string(),
            seconds(scan.measured_s()),
            match scan.runs_s.as_slice() {
                [least, .., most] => format!("{}..{}", seconds(*least), seconds(*most)),
                _ => UNKNOWN.to_owned(),
            },
            scan.decompression_s.map_or_else(|| UNKNOWN.to_owned(), seconds),
        ]
    };
    let rows: Vec<_> = collection.scans.iter().map(row).collect();
    (!rows.is_empty()).then_some(Grid { heads, rows })
}

/// Columns of CSV.
pub(super) const CSV_NAMES: [&str; 25] = [
    "collection",
    "documents",
    "bson_bytes",
    "server_measured",
    "load",
    "subject",
    "codec",
    "level",
    "index",
    "build",
    "predicted_bytes",
    "predicted_bytes_low",
    "predicted_bytes_high",
    "measured_bytes",
    "measured_bytes_min",
    "measured_bytes_max",
    "runs",
    "difference_bytes",
    "difference_pct",
    "inside_band",
    "verdict",
    "pages_predicted",
    "pages_written",
    "image_bytes_tuned_predicted",
    "image_bytes_tuned_measured",
];

/// Every row, for programs: nothing where nothing is known.
pub(super) fn plain(verification: &Verification) -> impl Iterator<Item = Vec<String>> {
    verification
        .collections
        .iter()
        .flat_map(|collection| collection.checks.iter().map(move |check| (collection, check)))
        .map(|(collection, check)| plain_row(verification, collection, check))
}

fn plain_row(verification: &Verification, collection: &VerifiedCollection, check: &Check) -> Vec<String> {
    let known = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
    let server = verification.servers.iter().find(|server| server.load == check.load);
    let (least, most) = check.spread();
    let (kind, codec, level, index, build) = match &check.subject {
        Subject::Data(codec) => {
            let level = codec.level.map_or_else(String::new, |level| level.to_string());
            ("data", codec.name, level, String::new(), "")
        }
        Subject::Index { name, build } => ("index", "", String::new(), name.clone(), build.name()),
    };
    vec![
        collection.name.clone(),
        collection.documents.to_string(),
        collection.bson.0.to_string(),
        server.map_or_else(String::new, |server| server.version.clone()),
        check.load.name().to_owned(),
        kind.to_owned(),
        codec.to_owned(),
        level,
        index,
        build.to_owned(),
        known(check.predicted.map(|bytes| bytes.0)),
        known(check.band.map(|band| band.low.0)),
        known(check.band.map(|band| band.high.0)),
        check.measured().0.to_string(),
        least.0.to_string(),
        most.0.to_string(),
        check.runs.len().to_string(),
        difference(check).map_or_else(String::new, |bytes| bytes.to_string()),
        check.difference_pct().map_or_else(String::new, |percent| measured(percent).to_string()),
        check.is_inside_band().map_or_else(String::new, |inside| inside.to_string()),
        check.verdict(verification.tolerance).name().to_owned(),
        known(check.pages.map(|pages| pages.predicted)),
        known(check.pages.map(|pages| pages.measured)),
        known(check.image_tuned.map(|image| image.predicted)),
        known(check.image_tuned.map(|image| image.measured)),
    ]
}

/// Predicted less measured.
pub(super) fn difference(check: &Check) -> Option<i64> {
    let bytes = |bytes: u64| i64::try_from(bytes).ok();
    bytes(check.predicted?.0)?.checked_sub(bytes(check.measured().0)?)
}

/// A share in per cent as programs get it.
pub(super) fn percent(value: f64) -> f64 {
    measured(value)
}

/// Seconds as programs get them.
pub(super) fn seconds(value: f64) -> f64 {
    ratio(value)
}

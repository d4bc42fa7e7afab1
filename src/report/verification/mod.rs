//! Predictions beside measurements, in every format.

mod definitions;
mod rows;
mod wire;

pub(super) use definitions::DEFINITIONS;

use super::csv::io_error;
use super::markdown::{escaped, write_grid};
use super::table::{aligned, write_definitions};
use super::{Detail, OutputKind, ReportOptions, heading};
use crate::units::{Exact, Grouped, Human, Printable};
use crate::verify::{ServerRun, Verification, VerifiedCollection, remarks};
use std::io::{self, Write};

/// Writes the whole of a comparison, last line ended.
///
/// # Errors
///
/// What `out` answers; [`OutputKind::Html`], which is made of estimates and sweeps only, is unsupported.
pub fn write_verification(
    kind: OutputKind,
    verification: &Verification,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match kind {
        OutputKind::Table => write_table(verification, options.detail, out),
        OutputKind::Markdown => write_markdown(verification, options.detail, out),
        OutputKind::Csv => write_csv(verification, out),
        OutputKind::Html => Err(io::Error::new(io::ErrorKind::Unsupported, "verifications have no page")),
        OutputKind::Json => {
            serde_json::to_writer_pretty(&mut *out, &wire::verification(verification))
                .map_err(io::Error::from)?;
            writeln!(out)
        }
    }
}

fn write_table(verification: &Verification, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    for (at, collection) in verification.collections.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}  {}", Printable(&collection.name), documents(collection).join("  "))?;
        writeln!(out, "{}", heading::rules(&verification.model).join("  "))?;
        writeln!(out, "{}\n", encoders(verification).join("  "))?;
        for server in &verification.servers {
            writeln!(out, "{}", Printable(&measured_by(server)))?;
        }
        writeln!(out, "\n{}", aligned(&rows::checks(collection, verification.tolerance)))?;
        if let Some(scans) = rows::scans(collection) {
            writeln!(out, "\n{}", aligned(&scans))?;
        }
        writeln!(out)?;
        for remark in remarks(collection, verification.tolerance) {
            writeln!(out, "{}", Printable(&remark))?;
        }
    }
    if detail == Detail::Definitions {
        write_definitions(definitions::SHOWN, out)?;
    }
    Ok(())
}

fn write_markdown(verification: &Verification, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    for (at, collection) in verification.collections.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "## {}\n", escaped(&collection.name))?;
        let parts = [documents(collection), heading::rules(&verification.model), encoders(verification)];
        writeln!(out, "{}\n", escaped(&parts.map(|part| part.join(", ")).join("; ")))?;
        for server in &verification.servers {
            writeln!(out, "- {}", escaped(&measured_by(server)))?;
        }
        writeln!(out)?;
        write_grid(&rows::checks(collection, verification.tolerance), out)?;
        if let Some(scans) = rows::scans(collection) {
            writeln!(out)?;
            write_grid(&scans, out)?;
        }
        writeln!(out)?;
        for remark in remarks(collection, verification.tolerance) {
            writeln!(out, "- {}", escaped(&remark))?;
        }
    }
    if detail == Detail::Definitions {
        writeln!(out, "\n| figure | meaning |\n| --- | --- |")?;
        for (title, sentence) in definitions::SHOWN {
            writeln!(out, "| {title} | {sentence} |")?;
        }
    }
    Ok(())
}

fn write_csv(verification: &Verification, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = ::csv::Writer::from_writer(out);
    lines.write_record(rows::CSV_NAMES).map_err(io_error)?;
    for row in rows::plain(verification) {
        lines.write_record(&row).map_err(io_error)?;
    }
    lines.flush()
}

/// Which documents.
fn documents(collection: &VerifiedCollection) -> Vec<String> {
    let from = collection.sources.iter().map(|source| Printable(source).to_string()).collect::<Vec<_>>();
    let mut parts = vec![
        format!("{} documents", Grouped(collection.documents)),
        format!("{} BSON", Human(collection.bson.0)),
        format!("loaded from {}", from.join(", ")),
    ];
    if collection.documents_skipped > 0 {
        parts.push(format!("{} skipped", Grouped(collection.documents_skipped)));
    }
    parts
}

fn encoders(verification: &Verification) -> Vec<String> {
    let versions = verification.model.codec_versions.iter();
    let mut parts = vec!["predicted with".to_owned()];
    parts.extend(versions.map(|(name, version)| format!("{name} {version}")));
    parts
}

/// Where one state was measured.
fn measured_by(server: &ServerRun) -> String {
    let cache = server.cache_bytes.map_or_else(String::new, |bytes| format!(", cache {}", Exact(bytes)));
    format!("{}: measured on server {}{cache} ({})", server.load.name(), server.version, server.place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture;
    use serde_json::Value;

    fn written(kind: OutputKind, detail: Detail) -> String {
        let mut out = Vec::new();
        write_verification(kind, &fixture::flights(), &ReportOptions { detail }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_format_of_one_fixed_comparison_is_as_it_was() {
        for kind in OutputKind::ALL.into_iter().filter(|kind| *kind != OutputKind::Html) {
            let text = written(kind, Detail::Figures);
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{}", kind.name());
            assert!(kind == OutputKind::Csv || !text.contains('\u{1b}'), "{}", kind.name());
            insta::assert_snapshot!(kind.name(), text);
            if kind.has_prose() {
                let explained = written(kind, Detail::Definitions);
                insta::assert_snapshot!(format!("{}_explained", kind.name()), explained);
            }
        }
    }

    fn keys_of(value: &Value, keys: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    keys.push(key.clone());
                    // Below `codecs` the keys are libraries.
                    if key != "codecs" {
                        keys_of(value, keys);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| keys_of(item, keys)),
            _ => {}
        }
    }

    #[test]
    fn every_field_and_column_has_a_definition_and_every_definition_a_use() {
        let json: Value = serde_json::from_str(&written(OutputKind::Json, Detail::Figures)).unwrap();
        let mut names = Vec::new();
        keys_of(&json, &mut names);
        names.extend(rows::CSV_NAMES.iter().map(|name| (*name).to_owned()));
        for name in &names {
            assert!(crate::report::definitions::definition(name).is_some(), "{name} has no definition");
        }
        for (name, _) in DEFINITIONS {
            assert!(names.iter().any(|known| known == name), "{name} is defined but never written");
        }
    }

    #[test]
    fn csv_has_a_cell_for_each_name_and_the_figures_of_json() {
        let json: Value = serde_json::from_str(&written(OutputKind::Json, Detail::Figures)).unwrap();
        let csv = written(OutputKind::Csv, Detail::Figures);
        let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
        let heads = reader.headers().unwrap().clone();
        let checks = json["collections"][0]["checks"].as_array().unwrap();
        let mut rows = 0;
        for (record, check) in reader.records().zip(checks) {
            let record = record.unwrap();
            for (name, cell) in heads.iter().zip(&record) {
                match check.get(name) {
                    Some(Value::Null) => assert_eq!(cell, "", "{name}"),
                    Some(Value::String(text)) => assert_eq!(cell, text, "{name}"),
                    Some(Value::Bool(truth)) => assert_eq!(cell, truth.to_string(), "{name}"),
                    Some(Value::Number(number)) => {
                        assert_eq!(cell.parse::<f64>().ok(), number.as_f64(), "{name}");
                    }
                    _ => {}
                }
            }
            rows += 1;
        }
        assert_eq!(rows, checks.len());
    }
}

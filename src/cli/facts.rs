//! `pagepress facts` and `pagepress --version`: what this build believes, and which encoders it runs.

use crate::codec;
use crate::geometry::wiredtiger::facts;
use std::io::{self, Write};
use std::iter;

/// Constants of the page model in the order of their rules, then the encoders.
pub(super) fn write_facts(out: &mut dyn Write) -> io::Result<()> {
    let constants = facts::all();
    let rows = constants.iter().map(|fact| {
        [fact.name.to_owned(), fact.value.to_string(), fact.unit.to_owned(), fact.source.to_owned()]
    });
    let head = ["fact", "value", "unit", "source"].map(str::to_owned);
    let rows: Vec<[String; 4]> = iter::once(head).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (names, values, units) = (width(0), width(1), width(2));
    for [name, value, unit, source] in &rows {
        writeln!(out, "{name:names$}  {value:>values$}  {unit:units$}  {source}")?;
    }
    writeln!(out, "\nencoder  version")?;
    codec::library_versions().iter().try_for_each(|(name, version)| writeln!(out, "{name:7}  {version}"))
}

/// The version.
pub(super) fn write_version(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
}

/// The version, and those of the encoders that the figures depend on.
pub(super) fn write_versions(out: &mut dyn Write) -> io::Result<()> {
    write_version(out)?;
    codec::library_versions().iter().try_for_each(|(name, version)| writeln!(out, "{name} {version}"))
}

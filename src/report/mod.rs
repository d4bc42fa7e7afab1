//! Figures to text, one file a format. Nothing is computed here: a figure that is missing is added to
//! [`crate::estimate`] and so appears in every format at once.
//!
//! What a row shows is described once, in `columns`; formats for people and CSV supply the punctuation.
//! The same estimate gives the same bytes, whatever the terminal.

pub mod capacity;
mod columns;
mod csv;
pub mod definitions;
mod grid;
mod heading;
mod html;
pub mod inspect;
mod json;
mod markdown;
mod number;
mod partial;
pub mod saved;
mod sink;
mod store;
pub mod sweep;
mod table;
mod verification;
mod wire;

pub use html::{PAGE_BYTES_MAX, page as html_page};
pub use partial::write_partial;
pub use sink::{FileSink, Sink};
pub use store::write_store;
pub use verification::write_verification;

use crate::estimate::Estimate;
use std::io::{self, Write};

/// One output format.
pub trait Report {
    /// Writes the whole of `estimate`, last line ended.
    ///
    /// # Errors
    ///
    /// What `out` answers.
    fn write(&self, estimate: &Estimate, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()>;
}

/// What a reader wants to see besides the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportOptions {
    /// How much is said about each figure.
    pub detail: Detail,
}

/// How much is said about each figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Figures and remarks.
    #[default]
    Figures,
    /// A sentence for each figure too. Formats for programs have no room for it.
    Definitions,
}

/// The output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// For people, on a terminal.
    Table,
    /// For programs: schema 1.
    Json,
    /// For spreadsheets: a line for each collection, state and codec.
    Csv,
    /// For issues and wikis.
    Markdown,
    /// To be forwarded: one page with plots, that needs nothing else.
    Html,
}

impl OutputKind {
    /// All of them, in the order in which help lists them.
    pub const ALL: [Self; 5] = [Self::Table, Self::Json, Self::Csv, Self::Markdown, Self::Html];

    /// The word that chooses it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }

    /// Whether [`Detail::Definitions`] makes a difference.
    #[must_use]
    pub fn has_prose(self) -> bool {
        matches!(self, Self::Table | Self::Markdown)
    }

    /// Its writer.
    #[must_use]
    pub fn report(self) -> &'static dyn Report {
        match self {
            Self::Table => &table::Table,
            Self::Json => &json::Json,
            Self::Csv => &csv::Csv,
            Self::Markdown => &markdown::Markdown,
            Self::Html => &html::Html,
        }
    }

    /// All of a report, in memory.
    ///
    /// # Panics
    ///
    /// Never: memory takes what is written.
    #[must_use]
    pub fn to_bytes(self, estimate: &Estimate) -> Vec<u8> {
        let mut out = Vec::new();
        let written = self.report().write(estimate, &ReportOptions::default(), &mut out);
        written.expect("memory takes what is written");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::fixture;

    fn written(kind: OutputKind, estimate: &Estimate, detail: Detail) -> String {
        let mut out = Vec::new();
        kind.report().write(estimate, &ReportOptions { detail }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_format_of_one_fixed_estimate_is_as_it_was() {
        for kind in OutputKind::ALL {
            let name = kind.name();
            insta::assert_snapshot!(name, written(kind, &fixture::logs(), Detail::Figures));
            let awkward = format!("{name}_awkward");
            insta::assert_snapshot!(awkward, written(kind, &fixture::awkward(), Detail::Figures));
            if kind.has_prose() {
                let explained = format!("{name}_explained");
                insta::assert_snapshot!(explained, written(kind, &fixture::logs(), Detail::Definitions));
            }
        }
    }

    #[test]
    fn the_same_estimate_gives_the_same_bytes_and_a_whole_last_line() {
        for kind in OutputKind::ALL {
            for estimate in [fixture::logs(), fixture::awkward()] {
                let first = written(kind, &estimate, Detail::Figures);
                assert_eq!(first, written(kind, &estimate.clone(), Detail::Figures), "{}", kind.name());
                assert!(first.ends_with('\n') && !first.ends_with("\n\n"), "{}", kind.name());
            }
        }
    }

    #[test]
    fn definitions_leave_formats_for_programs_as_they_are() {
        for kind in OutputKind::ALL {
            let plain = written(kind, &fixture::logs(), Detail::Figures);
            let explained = written(kind, &fixture::logs(), Detail::Definitions);
            assert_eq!(plain != explained, kind.has_prose(), "{}", kind.name());
        }
    }

    #[test]
    fn no_format_lets_a_name_reach_the_terminal_as_commands() {
        for kind in [OutputKind::Table, OutputKind::Markdown, OutputKind::Json] {
            let text = written(kind, &fixture::awkward(), Detail::Figures);
            assert!(!text.contains('\u{1b}'), "{}", kind.name());
        }
    }

    /// An empty run must still be something that a program can read.
    #[test]
    fn an_estimate_without_rows_is_written_too() {
        let mut estimate = fixture::logs();
        estimate.collections[0].storage.clear();
        for kind in OutputKind::ALL {
            assert!(!written(kind, &estimate, Detail::Figures).is_empty(), "{}", kind.name());
        }
    }
}

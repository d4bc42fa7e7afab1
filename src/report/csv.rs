//! For spreadsheets: every figure of a row, its unit in the column's name, nothing where nothing is known.

use super::{Report, ReportOptions, columns};
use crate::estimate::Estimate;
use std::io::{self, Write};

pub(super) struct Csv;

impl Report for Csv {
    fn write(&self, estimate: &Estimate, _options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = Lines::new(out)?;
        lines.write(estimate)?;
        lines.finish()
    }
}

/// The heads, and then the rows of any number of estimates.
pub(super) struct Lines<'o> {
    lines: ::csv::Writer<&'o mut dyn Write>,
}

impl<'o> Lines<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> io::Result<Self> {
        let mut lines = ::csv::Writer::from_writer(out);
        lines.write_record(columns::COLUMNS.iter().map(|column| column.name)).map_err(io_error)?;
        Ok(Self { lines })
    }

    pub(super) fn write(&mut self, estimate: &Estimate) -> io::Result<()> {
        columns::plain(estimate).try_for_each(|row| self.lines.write_record(&row).map_err(io_error))
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.lines.flush()
    }
}

/// The sink's own error, so that a closed pipe is still recognised.
pub(super) fn io_error(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

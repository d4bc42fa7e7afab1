//! For programs: the wire types as JSON.

use super::{Report, ReportOptions, wire};
use crate::estimate::Estimate;
use std::io::{self, Write};

pub(super) struct Json;

impl Report for Json {
    fn write(&self, estimate: &Estimate, _options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, &wire::estimate(estimate)).map_err(io::Error::from)?;
        writeln!(out)
    }
}

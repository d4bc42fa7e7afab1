//! Where a command's result goes: opened before the work, since a place that cannot be written is better known then.

use super::CliError;
use crate::report::{FileSink, Sink};
use std::io::{self, Write};
use std::path::Path;

/// A file that appears whole, or standard output.
pub(super) struct Destination {
    file: Option<FileSink>,
    place: String,
}

impl Destination {
    /// A file of this name; `None` for standard output.
    pub(super) fn open(out: Option<&Path>) -> Result<Self, CliError> {
        let place = out.map_or("standard output".to_owned(), |path| path.display().to_string());
        match out.map(FileSink::create).transpose() {
            Ok(file) => Ok(Self { file, place }),
            Err(source) => Err(CliError::Output { place, source }),
        }
    }

    /// Hands the writer to `write`, then makes sure that everything has arrived.
    pub(super) fn write(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
        let Self { file, place } = self;
        let mut stdout = io::stdout();
        let sink = file.map_or(Sink::Stream(&mut stdout), Sink::File);
        sink.write_whole(write).map_err(|source| CliError::Output { place, source })
    }
}

//! An input as it lies on disk: its bytes, not its documents.

use super::{
    SourceError, SourceErrorKind,
    layers::{cannot_open, metadata_of_file},
};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// The bytes of a file or of standard input, front to back.
pub struct RawSource {
    name: String,
    reader: Box<dyn Read + Send>,
    bytes_read: u64,
    bytes_total: Option<u64>,
}

impl RawSource {
    /// Opens `path`; `-` is standard input.
    ///
    /// # Errors
    ///
    /// A path that cannot be opened, or a directory.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        let name = path.display().to_string();
        if name == "-" {
            return Ok(Self::new(name, Box::new(io::stdin()), None));
        }
        // Before opening: not every system opens directories.
        let metadata = metadata_of_file(path)?;
        let file = File::open(path).map_err(|source| cannot_open(path, source))?;
        let bytes_total = metadata.is_file().then_some(metadata.len());
        Ok(Self::new(name, Box::new(file), bytes_total))
    }

    /// Over any reader.
    #[must_use]
    pub fn new(name: String, reader: Box<dyn Read + Send>, bytes_total: Option<u64>) -> Self {
        Self { name, reader, bytes_read: 0, bytes_total }
    }

    /// Name of the input as the user gave it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its bytes in all, where that is known.
    #[must_use]
    pub fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    /// Bytes read so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Appends up to `bytes_max` bytes to `out` and returns how many; 0 at the end only.
    ///
    /// # Errors
    ///
    /// The system's, with the place.
    pub fn read(&mut self, bytes_max: u64, out: &mut Vec<u8>) -> Result<usize, SourceError> {
        let read = self.reader.by_ref().take(bytes_max).read_to_end(out).map_err(|source| {
            let doing = format!("cannot read at byte {}", self.bytes_read);
            SourceErrorKind::Io { input: self.name.clone(), doing, source }
        })?;
        self.bytes_read += read as u64;
        Ok(read)
    }
}

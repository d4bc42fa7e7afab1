//! What lies round an input's documents, undone until a format is left: gzip, Zstandard, UTF-16, UTF-32.

use super::{
    Format, SourceError, SourceErrorKind,
    recognise::{HEAD_BYTES_MAX, Head, Recognised, recognise, wrapped},
    transcode::Transcoder,
    unpack::{FailOnce, Meter, Metered, PackingFault, Stream},
};
use std::fs::{File, Metadata};
use std::io::{self, Cursor, Read};
use std::path::Path;

/// Layers that are undone, gzip in gzip included. More are no accident.
const LAYERS_MAX: usize = 4;

/// An input whose layers are undone.
pub(super) struct Layers {
    /// As the user gave it.
    pub input: String,
    /// What is inside.
    pub inside: Recognised,
    /// The beginning of it.
    head: Vec<u8>,
    rest: Stream,
    /// Names of what was undone, outermost first.
    undone: Vec<&'static str>,
    /// Stored bytes that were read.
    pub meter: Meter,
    /// Stored bytes in all, if known.
    pub bytes_total: Option<u64>,
}

impl Layers {
    /// Of the file at `path`, or of standard input for `-`.
    ///
    /// # Errors
    ///
    /// Missing, unreadable, a directory, empty; a layer that cannot be begun.
    pub fn of_path(path: &Path, named: Option<Format>) -> Result<Self, SourceError> {
        let input = path.display().to_string();
        if input == "-" {
            return Self::of_stream(input, Box::new(io::stdin()), None, named);
        }
        // Before opening: not every system opens directories.
        let metadata = metadata_of_file(path)?;
        let file = File::open(path).map_err(|source| cannot_open(path, source))?;
        let bytes_total = metadata.is_file().then_some(metadata.len());
        Self::of_stream(input, Box::new(file), bytes_total, named)
    }

    fn of_stream(
        input: String,
        stream: Stream,
        bytes_total: Option<u64>,
        named: Option<Format>,
    ) -> Result<Self, SourceError> {
        let meter = Meter::default();
        let mut rest: Stream = Box::new(Metered::new(stream, meter.clone()));
        let mut name = input.to_lowercase();
        let mut undone = Vec::new();
        loop {
            let (head, behind) = read_head(&input, rest)?;
            if head.is_empty() {
                return Err(SourceErrorKind::Empty { input }.into());
            }
            let shown = Head { bytes: &head, whole: head.len() < HEAD_BYTES_MAX, name: &name };
            let inside = match named {
                None => recognise(shown),
                Some(format) => wrapped(shown).unwrap_or(Recognised::Format(format)),
            };
            if undone.len() == LAYERS_MAX || !matches!(inside, Recognised::Packed(_) | Recognised::Wide(_)) {
                return Ok(Self { input, inside, head, rest: behind, undone, meter, bytes_total });
            }
            let whole: Stream = Box::new(Cursor::new(head).chain(behind));
            rest = match inside {
                Recognised::Packed(packing) => {
                    undone.push(packing.name());
                    packing.unpack(whole).map_err(|source| SourceErrorKind::reading(&input, 0, source))?
                }
                Recognised::Wide(encoding) => {
                    undone.push(encoding.name());
                    Box::new(Transcoder::new(whole, encoding))
                }
                _ => whole,
            };
            name = without_packing(&name).to_owned();
        }
    }

    /// First bytes, for a message.
    pub fn shown_head(&self) -> String {
        /// What an unknown format is shown by.
        const SHOWN_BYTES: usize = 16;
        let shown = &self.head[..self.head.len().min(SHOWN_BYTES)];
        let hexadecimal: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{} (`{}`)", hexadecimal.join(" "), shown.escape_ascii())
    }

    /// `unpacked from gzip`, if anything was undone.
    pub fn description(&self) -> Option<String> {
        (!self.undone.is_empty()).then(|| format!("unpacked from {}", self.undone.join(" and ")))
    }

    /// The beginning that was looked at.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// All bytes of what is inside.
    pub fn into_stream(self) -> Stream {
        Box::new(Cursor::new(self.head).chain(self.rest))
    }
}

/// The beginning of a stream, and what is left of it. A compressed stream that breaks there breaks again behind it.
fn read_head(input: &str, mut stream: Stream) -> Result<(Vec<u8>, Stream), SourceError> {
    let mut head = Vec::new();
    match (&mut stream).take(HEAD_BYTES_MAX as u64).read_to_end(&mut head) {
        Ok(_) => Ok((head, stream)),
        Err(error) if !head.is_empty() && PackingFault::of(&error).is_some() => {
            Ok((head, Box::new(FailOnce(Some(error)))))
        }
        Err(error) => Err(SourceErrorKind::reading(input, head.len() as u64, error).into()),
    }
}

/// `name` without the ending that stood for a layer.
fn without_packing(name: &str) -> &str {
    const ENDINGS: [&str; 5] = [".gz", ".gzip", ".zst", ".zstd", ".z"];
    ENDINGS.into_iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

pub(super) fn metadata_of_file(path: &Path) -> Result<Metadata, SourceError> {
    let metadata = path.metadata().map_err(|source| cannot_open(path, source))?;
    if metadata.is_dir() {
        return Err(SourceErrorKind::Directory { path: path.to_owned() }.into());
    }
    Ok(metadata)
}

pub(super) fn cannot_open(path: &Path, source: io::Error) -> SourceError {
    let (input, doing) = (path.display().to_string(), "cannot open".to_owned());
    SourceErrorKind::Io { input, doing, source }.into()
}

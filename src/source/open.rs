//! From one file or stream to its source: what is it, by content first and by name second?

use super::{
    OnBadDocument, Skipped, Source, SourceError, SourceErrorKind,
    bson::BsonSource,
    csv::{Columns, CsvSource, Dialect},
    find::find,
    json::{JsonDialect, JsonSource},
    jump::Jumps,
    layers::Layers,
    namespace::Namespaces,
    recognise::Recognised,
    unpack::{Meter, Stream},
};
use std::{io::Read, path::Path};

/// An input format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Concatenated BSON documents.
    Bson,
    /// JSON or Extended JSON: an array, or values one behind the other.
    Json,
    /// Comma-separated values with a header.
    Csv,
    /// Tab-separated values with a header.
    Tsv,
}

/// How to open an input.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The format, if the user named it; else it is recognised.
    pub format: Option<Format>,
    /// What to do with bad documents.
    pub on_bad: OnBadDocument,
    /// How `$`-keys of JSON are read.
    pub json: JsonDialect,
    /// Where the types of CSV columns come from.
    pub columns: Columns,
}

impl OpenOptions {
    /// Everything recognised.
    #[must_use]
    pub fn new(on_bad: OnBadDocument) -> Self {
        Self { format: None, on_bad, json: JsonDialect::default(), columns: Columns::default() }
    }
}

/// Opens `path` (`-` is standard input), which holds one collection, and recognises its format.
///
/// # Errors
///
/// Missing, unreadable, empty, not recognised, recognised as something that holds no documents (whatever
/// `options.format` says, if it is compressed), a CSV header that makes no document; a dump of several collections.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Source>, SourceError> {
    let mut found = find(path, options, &Namespaces::default())?;
    match (found.collections.pop(), found.collections.len()) {
        (Some(collection), 0) => collection.open(options),
        (_, more) => {
            let (input, collections) = (path.display().to_string(), more + 1);
            Err(SourceErrorKind::SeveralCollections { input, collections }.into())
        }
    }
}

/// A source over what the layers have inside.
pub(super) fn over_layers(layers: Layers, options: &OpenOptions) -> Result<Box<dyn Source>, SourceError> {
    let input = layers.input.clone();
    let format = match layers.inside {
        Recognised::Format(format) => format,
        Recognised::Foreign(what) => return Err(SourceErrorKind::Foreign { input, what }.into()),
        Recognised::Packed(_) | Recognised::Wide(_) | Recognised::Archive | Recognised::Unknown => {
            return Err(SourceErrorKind::UnknownFormat { input, head: layers.shown_head() }.into());
        }
    };
    let (meter, bytes_total, undone) = (layers.meter.clone(), layers.bytes_total, layers.description());
    let jumps = bytes_total
        .filter(|_| undone.is_none())
        .and_then(|bytes| Jumps::new(&input, bytes, layers.head(), format, options.json, options.on_bad));
    let source = over_stream(input, layers.into_stream(), format, bytes_total, options)?;
    let beneath = match undone {
        Some(undone) => Some(Beneath::Layers { meter, undone }),
        None => jumps.map(Beneath::File),
    };
    Ok(match beneath {
        None => source,
        Some(beneath) => Box::new(Opened { source, beneath }),
    })
}

fn over_stream(
    input: String,
    stream: Stream,
    format: Format,
    bytes_total: Option<u64>,
    options: &OpenOptions,
) -> Result<Box<dyn Source>, SourceError> {
    let on_bad = options.on_bad;
    let csv = |input, stream, dialect| {
        let source = CsvSource::new(input, stream, dialect, bytes_total, on_bad);
        opened_csv(source.with_columns(options.columns.clone()))
    };
    match format {
        Format::Bson => Ok(Box::new(BsonSource::new(input, stream, bytes_total, on_bad))),
        Format::Json => {
            let source = JsonSource::new(input, stream, bytes_total, on_bad);
            Ok(Box::new(source.with_dialect(options.json)))
        }
        Format::Csv => csv(input, stream, Dialect::Csv),
        Format::Tsv => csv(input, stream, Dialect::Tsv),
    }
}

/// A header that makes no document is told at once, and the notes know the columns.
fn opened_csv<R: Read + Send + 'static>(mut source: CsvSource<R>) -> Result<Box<dyn Source>, SourceError> {
    source.read_header()?;
    Ok(Box::new(source))
}

/// A source, and what is known of the file or the layers beneath it.
struct Opened {
    source: Box<dyn Source>,
    beneath: Beneath,
}

/// What a source reads.
enum Beneath {
    /// A file that can be entered anywhere.
    File(Jumps),
    /// Layers: progress is counted in stored bytes.
    Layers { meter: Meter, undone: String },
}

impl Source for Opened {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        self.source.next_document(out)
    }

    fn document_offset(&self) -> u64 {
        self.source.document_offset()
    }

    fn position(&self) -> u64 {
        self.source.position()
    }

    fn bytes_read(&self) -> u64 {
        match &self.beneath {
            Beneath::File(_) => self.source.bytes_read(),
            Beneath::Layers { meter, .. } => meter.bytes(),
        }
    }

    fn bytes_total(&self) -> Option<u64> {
        self.source.bytes_total()
    }

    fn skipped(&self) -> &Skipped {
        self.source.skipped()
    }

    fn jumps(&self) -> Option<Jumps> {
        match &self.beneath {
            Beneath::File(jumps) => Some(jumps.clone()),
            Beneath::Layers { .. } => None,
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.source.notes();
        let prefix = format!("{}: ", self.source.name());
        if let (Beneath::Layers { undone, .. }, Some(first)) = (&self.beneath, notes.first_mut()) {
            let what = first.strip_prefix(&prefix).unwrap_or(first).to_owned();
            *first = format!("{prefix}{undone}: {what}");
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::recognise::HEAD_BYTES_MAX;

    fn stop() -> OpenOptions {
        OpenOptions::new(OnBadDocument::Stop)
    }

    /// Opens a file of these bytes, whose folder is left out of messages.
    fn opened(
        name: &str,
        bytes: &[u8],
        options: &OpenOptions,
    ) -> Result<Box<dyn Source>, (String, Vec<String>)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let prefix = format!("{}/", folder.path().display());
        open(&path, options).map_err(|error| {
            let hints = error.hints().iter().map(|hint| hint.replace(&prefix, "")).collect();
            (error.to_string().replace(&prefix, ""), hints)
        })
    }

    #[test]
    fn what_cannot_be_opened_says_what_it_is_and_what_to_do() {
        for (name, bytes, want, hint) in [
            (
                "a.bson",
                &b""[..],
                "a.bson: is empty (0 bytes)",
                "an empty collection takes 4096 bytes on disk; there is nothing to estimate",
            ),
            (
                "a.bson",
                b"\x1f\x8b\x08\x00\0\0\0\0\0\xff",
                "a.bson: its gzip stream ends early, after 0 unpacked bytes",
                "it was cut off while it was written or copied: fetch it again",
            ),
            (
                "a.bson.zst",
                b"\x28\xb5\x2f\xfd\x24\x00",
                "a.bson.zst: its zstd stream ends early, after 0 unpacked bytes",
                "it was cut off while it was written or copied: fetch it again",
            ),
            (
                "dump.archive",
                b"\x6d\xe2\x99\x81\x83\0\0\0",
                "dump.archive: at byte 8: the archive ends inside its list of collections",
                "it was cut off while it was written or copied: fetch it again, or dump again",
            ),
            (
                "a.bson",
                b"<!DOCTYPE html><html>",
                "a.bson: is HTML or XML, not documents",
                "is it the error page of a download that failed? Look at it and fetch it again",
            ),
            (
                "a.png",
                b"\x89PNG\r\n\x1a\n",
                "a.png: its format is not recognised: it begins with 89 50 4e 47 0d 0a 1a 0a (`\\x89PNG\\r\\n\\x1a\\n`)",
                "name the format with `--format bson|json|csv|tsv`",
            ),
            (
                "a.csv",
                b"a,a\n1,2\n",
                "a.csv: document 0 at byte 0 (line 1, column 1): in the header, two columns are named `a`",
                "the first line must name the columns; add it if it is missing",
            ),
        ] {
            let Err((message, hints)) = opened(name, bytes, &stop()) else { panic!("{name} was opened") };
            assert_eq!(message, want);
            assert_eq!(hints, [hint]);
        }
    }

    #[test]
    fn missing_files_and_directories_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let shown = folder.path().display();
        let Err(error) = open(folder.path(), &stop()) else { panic!("a directory was opened") };
        assert_eq!(error.to_string(), format!("{shown}: is a directory"));
        assert_eq!(error.hints(), [format!("pass the files in it: `pagepress estimate {shown}/*.bson`")]);
        let Err(error) = open(&folder.path().join("missing.bson"), &stop()) else {
            panic!("nothing was opened")
        };
        let message = error.to_string();
        assert!(message.starts_with(&format!("{shown}/missing.bson: cannot open: ")), "{message}");
        assert_eq!(error.hints(), ["check the path; `-` reads standard input"]);
    }

    /// A damaged length must not be answered by "unknown format": the file's name says BSON.
    #[test]
    fn a_bson_file_with_a_bad_first_length_is_told_by_the_bson_reader() {
        let mut source = opened("a.bson", b"\xff\xff\xff\x7f\x02a\0", &stop()).ok().unwrap();
        let error = source.next_document(&mut Vec::new()).unwrap_err();
        assert!(
            error.to_string().ends_with(
                "a.bson: document 0 at byte 0: declared length 2147483647 exceeds MongoDB's document limit of 16793600 bytes (16 MiB and 16 KiB)"
            ),
            "{error}"
        );
    }

    #[test]
    fn every_format_is_opened_and_its_whole_input_read() {
        let rows = "1,x\n".repeat(HEAD_BYTES_MAX);
        let tabs = rows.replace(',', "\t");
        let objects = "{\"n\":1}\n".repeat(HEAD_BYTES_MAX);
        let documents = b"\x05\0\0\0\0".repeat(HEAD_BYTES_MAX);
        let repeats = HEAD_BYTES_MAX as u64;
        for (name, text, bytes_each) in [
            ("a.csv", format!("n,t\n{rows}").into_bytes(), 21),
            ("a.tsv", format!("n\tt\n{tabs}").into_bytes(), 21),
            ("a.json", objects.into_bytes(), 12),
            ("a.bson", documents, 5),
        ] {
            let mut source = opened(name, &text, &stop()).ok().unwrap();
            assert_eq!(source.bytes_total(), Some(text.len() as u64), "{name}");
            let (mut out, mut documents) = (Vec::new(), 0);
            while source.next_document(&mut out).unwrap().is_some() {
                documents += 1;
            }
            assert_eq!((documents, out.len() as u64), (repeats, repeats * bytes_each), "{name}");
            assert_eq!(source.bytes_read(), text.len() as u64, "{name}");
        }
    }

    #[test]
    fn a_named_format_is_believed_unless_the_input_is_compressed() {
        let json = &OpenOptions { format: Some(Format::Json), ..stop() };
        assert_eq!(opened("a.csv", b"a,b\n", json).ok().unwrap().notes().len(), 1);
        let Err((message, _)) = opened("a.json", b"\x28\xb5\x2f\xfd\x24", json) else { panic!("opened") };
        assert_eq!(message, "a.json: its zstd stream ends early, after 0 unpacked bytes");
    }
}

//! From a path to a source: what is it, by content first and by name second?

use super::{
    OnBadDocument, Source, SourceError, SourceErrorKind,
    bson::BsonSource,
    csv::{CsvSource, Dialect},
    json::JsonSource,
    recognise::{HEAD_BYTES_MAX, Head, Recognised, foreign_to_every_reader, recognise},
};
use std::{
    fs::{File, Metadata},
    io::{self, Cursor, Read},
    path::Path,
};

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
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// The format, if the user named it; else it is recognised.
    pub format: Option<Format>,
    /// What to do with bad documents.
    pub on_bad: OnBadDocument,
}

/// Opens `path` (`-` is standard input) and recognises its format.
///
/// # Errors
///
/// Missing, unreadable, a directory, empty, not recognised, recognised as something that holds no
/// documents (whatever `options.format` says, if it is compressed), a CSV header that makes no document.
pub fn open(path: &Path, options: OpenOptions) -> Result<Box<dyn Source>, SourceError> {
    let input = path.display().to_string();
    if input == "-" {
        return over_reader(input, io::stdin(), None, options);
    }
    // Before opening: not every system opens directories.
    let metadata = metadata_of_file(path)?;
    let file = File::open(path).map_err(|source| cannot_open(path, source))?;
    over_reader(input, file, metadata.is_file().then_some(metadata.len()), options)
}

/// Whether `path` can be opened and is recognised, as far as that is known without using it up: of a pipe or
/// standard input only that it is there.
///
/// # Errors
///
/// Those of [`open`].
pub fn probe(path: &Path, options: OpenOptions) -> Result<(), SourceError> {
    if path == Path::new("-") || !metadata_of_file(path)?.is_file() {
        return Ok(());
    }
    open(path, options).map(drop)
}

fn metadata_of_file(path: &Path) -> Result<Metadata, SourceError> {
    let metadata = path.metadata().map_err(|source| cannot_open(path, source))?;
    if metadata.is_dir() {
        return Err(SourceErrorKind::Directory { path: path.to_owned() }.into());
    }
    Ok(metadata)
}

fn cannot_open(path: &Path, source: io::Error) -> SourceError {
    let (input, doing) = (path.display().to_string(), "cannot open".to_owned());
    SourceErrorKind::Io { input, doing, source }.into()
}

/// A source over any byte stream; what would unpack a compressed one belongs between here and `reader`.
fn over_reader(
    input: String,
    mut reader: impl Read + Send + 'static,
    bytes_total: Option<u64>,
    options: OpenOptions,
) -> Result<Box<dyn Source>, SourceError> {
    let mut bytes = Vec::new();
    let read = (&mut reader).take(HEAD_BYTES_MAX as u64).read_to_end(&mut bytes);
    if let Err(source) = read {
        let doing = format!("cannot read on from byte {}", bytes.len());
        return Err(SourceErrorKind::Io { input, doing, source }.into());
    }
    let name = input.to_lowercase();
    let head = Head { bytes: &bytes, whole: bytes.len() < HEAD_BYTES_MAX, name: &name };
    let format = format_of(head, &input, options.format)?;
    let reader = Cursor::new(bytes).chain(reader);
    let on_bad = options.on_bad;
    Ok(match format {
        Format::Bson => Box::new(BsonSource::new(input, reader, bytes_total, on_bad)),
        Format::Json => Box::new(JsonSource::new(input, reader, bytes_total, on_bad)),
        Format::Csv => opened_csv(CsvSource::new(input, reader, Dialect::Csv, bytes_total, on_bad))?,
        Format::Tsv => opened_csv(CsvSource::new(input, reader, Dialect::Tsv, bytes_total, on_bad))?,
    })
}

/// A header that makes no document is told at once, and the notes know the columns.
fn opened_csv<R: Read + Send + 'static>(mut source: CsvSource<R>) -> Result<Box<dyn Source>, SourceError> {
    source.read_header()?;
    Ok(Box::new(source))
}

fn format_of(head: Head<'_>, input: &str, named: Option<Format>) -> Result<Format, SourceError> {
    /// What an unknown format is shown by.
    const SHOWN_BYTES: usize = 16;
    let input = input.to_owned();
    if head.bytes.is_empty() {
        return Err(SourceErrorKind::Empty { input }.into());
    }
    let recognised = match named {
        None => recognise(head),
        Some(format) => foreign_to_every_reader(head).map_or(Recognised::Format(format), Recognised::Foreign),
    };
    match recognised {
        Recognised::Format(format) => Ok(format),
        Recognised::Foreign(what) => Err(SourceErrorKind::Foreign { input, what }.into()),
        Recognised::Unknown => {
            let shown = &head.bytes[..head.bytes.len().min(SHOWN_BYTES)];
            let hexadecimal: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
            let head = format!("{} (`{}`)", hexadecimal.join(" "), shown.escape_ascii());
            Err(SourceErrorKind::UnknownFormat { input, head }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOP: OpenOptions = OpenOptions { format: None, on_bad: OnBadDocument::Stop };

    /// Opens a file of these bytes, whose folder is left out of messages.
    fn opened(
        name: &str,
        bytes: &[u8],
        options: OpenOptions,
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
                "a.bson: is compressed with gzip",
                "unpack it on the way: `gzip -dc a.bson | pagepress estimate -`",
            ),
            (
                "a.bson.zst",
                b"\x28\xb5\x2f\xfd\x24\x00",
                "a.bson.zst: is compressed with zstd",
                "unpack it on the way: `zstd -dc a.bson.zst | pagepress estimate -`",
            ),
            (
                "dump.archive",
                b"\x6d\xe2\x99\x81\x83\0\0\0",
                "dump.archive: is a mongodump archive, which is not read yet",
                "dump to a directory with `mongodump --out DIR` and pass `DIR/DB/*.bson`",
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
            let Err((message, hints)) = opened(name, bytes, STOP) else { panic!("{name} was opened") };
            assert_eq!(message, want);
            assert_eq!(hints, [hint]);
        }
    }

    #[test]
    fn missing_files_and_directories_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let shown = folder.path().display();
        let Err(error) = open(folder.path(), STOP) else { panic!("a directory was opened") };
        assert_eq!(error.to_string(), format!("{shown}: is a directory"));
        assert_eq!(error.hints(), [format!("pass the files in it: `pagepress estimate {shown}/*.bson`")]);
        let Err(error) = open(&folder.path().join("missing.bson"), STOP) else {
            panic!("nothing was opened")
        };
        let message = error.to_string();
        assert!(message.starts_with(&format!("{shown}/missing.bson: cannot open: ")), "{message}");
        assert_eq!(error.hints(), ["check the path; `-` reads standard input"]);
    }

    /// A damaged length must not be answered by "unknown format": the file's name says BSON.
    #[test]
    fn a_bson_file_with_a_bad_first_length_is_told_by_the_bson_reader() {
        let mut source = opened("a.bson", b"\xff\xff\xff\x7f\x02a\0", STOP).ok().unwrap();
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
            let mut source = opened(name, &text, STOP).ok().unwrap();
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
        let json = OpenOptions { format: Some(Format::Json), on_bad: OnBadDocument::Stop };
        assert_eq!(opened("a.csv", b"a,b\n", json).ok().unwrap().notes().len(), 1);
        let Err((message, _)) = opened("a.json", b"\x28\xb5\x2f\xfd\x24", json) else { panic!("opened") };
        assert_eq!(message, "a.json: is compressed with zstd");
    }
}

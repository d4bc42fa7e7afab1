//! Documents from the middle of a file, for a sample: where the first one at or behind a byte begins.
//!
//! A stream of BSON has no marks between documents, so one is looked for that is sound all the way down and has
//! others, as sound, behind it. What lies inside a document passes for one too, but what follows it does not. In lines
//! of JSON a document begins behind a newline.

use super::{
    Format, Hops, OnBadDocument, Source, SourceError, SourceErrorKind,
    bson::BsonSource,
    json::{JsonDialect, JsonSource},
    layers::cannot_open,
};
use crate::document::{self, DOCUMENT_BYTES_MAX, Walker};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

/// Documents that must follow one another before the first of them is believed.
const CHAIN_DOCUMENTS: usize = 4;
/// Or bytes that they cover.
const CHAIN_BYTES: usize = 64 << 10;
/// What is looked at first; more where documents are larger.
const WINDOW_BYTES: usize = 128 << 10;
/// No more: a document that began behind the byte, and those that must follow it.
const WINDOW_BYTES_MAX: usize = (CHAIN_DOCUMENTS + 1) * DOCUMENT_BYTES_MAX;

/// A file that can be read from any byte on.
#[derive(Clone, Debug)]
pub struct Jumps {
    input: String,
    path: PathBuf,
    bytes: u64,
    boundaries: Boundaries,
    on_bad: OnBadDocument,
}

/// What lies between documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Boundaries {
    /// Nothing: BSON.
    None,
    /// A newline, and none inside: JSON in lines.
    Lines(JsonDialect),
}

/// A file that was entered at one of its documents.
pub struct Entered {
    /// Byte of the file at which the document begins.
    pub begins: u64,
    /// The documents from there on.
    pub source: Box<dyn Source>,
}

impl Jumps {
    /// Of the file `input`, which begins with `head`; `None` where only reading it through tells where documents begin.
    pub(super) fn new(
        input: &str,
        bytes: u64,
        head: &[u8],
        format: Format,
        json: JsonDialect,
        on_bad: OnBadDocument,
    ) -> Option<Self> {
        let boundaries = match format {
            Format::Bson => Boundaries::None,
            Format::Json if is_one_a_line(head) => Boundaries::Lines(json),
            Format::Json | Format::Csv | Format::Tsv => return None,
        };
        let path = PathBuf::from(input);
        path.is_file().then(|| Self { input: input.to_owned(), path, bytes, boundaries, on_bad })
    }

    /// Bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The documents from the first one on that begins at or behind byte `at`, and where that is; `None` if there is
    /// none.
    ///
    /// # Errors
    ///
    /// The system's; a stretch of BSON in which no document can be told.
    pub fn open_at(&self, at: u64) -> Result<Option<Entered>, SourceError> {
        let mut file = File::open(&self.path).map_err(|source| cannot_open(&self.path, source))?;
        let begins = match self.boundaries {
            Boundaries::None => self.document_behind(&mut file, at)?,
            Boundaries::Lines(_) => {
                line_behind(&mut file, at).map_err(|source| self.cannot_read(at, source))?
            }
        };
        let Some(begins) = begins.filter(|begins| *begins < self.bytes) else { return Ok(None) };
        file.seek(SeekFrom::Start(begins)).map_err(|source| self.cannot_read(begins, source))?;
        let input =
            if begins == 0 { self.input.clone() } else { format!("{}, from byte {begins}", self.input) };
        let left = Some(self.bytes - begins);
        let source: Box<dyn Source> = match self.boundaries {
            Boundaries::None => Box::new(BsonSource::new(input, file, left, self.on_bad)),
            Boundaries::Lines(dialect) => {
                Box::new(JsonSource::new(input, file, left, self.on_bad).with_dialect(dialect))
            }
        };
        Ok(Some(Entered { begins, source }))
    }

    /// What documents there are, one behind the other from the first on, without reading them; `None` where only
    /// reading tells.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn hops(&self) -> Result<Option<Hops>, SourceError> {
        if self.boundaries != Boundaries::None {
            return Ok(None);
        }
        let file = File::open(&self.path).map_err(|source| cannot_open(&self.path, source))?;
        Ok(Some(Hops::new(self.input.clone(), file)))
    }

    /// The documents from byte `begins` on, where one of BSON is known to begin, behind `documents` others. Messages
    /// name places in the whole file.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn open_behind(&self, begins: u64, documents: u64) -> Result<Box<dyn Source>, SourceError> {
        let mut file = File::open(&self.path).map_err(|source| cannot_open(&self.path, source))?;
        file.seek(SeekFrom::Start(begins)).map_err(|source| self.cannot_read(begins, source))?;
        let source = BsonSource::new(self.input.clone(), file, Some(self.bytes), self.on_bad);
        Ok(Box::new(source.behind(begins, documents)))
    }

    /// Bytes from the beginning and from the end of the file, `bytes_max` each: enough to tell it from another.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn ends(&self, bytes_max: u64) -> Result<[Vec<u8>; 2], SourceError> {
        let mut file = File::open(&self.path).map_err(|source| cannot_open(&self.path, source))?;
        let mut read = |at| {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(at))?;
            (&mut file).take(bytes_max).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let last = self.bytes.saturating_sub(bytes_max);
        let mut read = |at| read(at).map_err(|source| self.cannot_read(at, source));
        Ok([read(0)?, read(last)?])
    }

    fn document_behind(&self, file: &mut File, at: u64) -> Result<Option<u64>, SourceError> {
        if at == 0 {
            return Ok(Some(0));
        }
        let mut window = Vec::new();
        let mut wanted = WINDOW_BYTES;
        file.seek(SeekFrom::Start(at)).map_err(|source| self.cannot_read(at, source))?;
        loop {
            let missing = (wanted - window.len()) as u64;
            file.take(missing).read_to_end(&mut window).map_err(|source| self.cannot_read(at, source))?;
            let reach = if window.len() < wanted { Reach::End } else { Reach::Window };
            match first_document(&window, reach) {
                Some(place) => return Ok(Some(at + place as u64)),
                None if reach == Reach::End => return Ok(None),
                None if wanted == WINDOW_BYTES_MAX => {
                    let input = self.input.clone();
                    return Err(SourceErrorKind::NoDocumentBehind { input, at, bytes: wanted as u64 }.into());
                }
                None => wanted = (wanted * 8).min(WINDOW_BYTES_MAX),
            }
        }
    }

    fn cannot_read(&self, at: u64, source: io::Error) -> SourceError {
        SourceErrorKind::reading(&self.input, at, source).into()
    }
}

/// What the end of a window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// The file goes on.
    Window,
    /// The file ends there.
    End,
}

/// Where the first document of `window` begins that others follow.
fn first_document(window: &[u8], reach: Reach) -> Option<usize> {
    let mut walker = Walker::new();
    // What is nested deep looks like a document at every level.
    let mut walks_left = window.len().saturating_mul(WALKS_MAX);
    (0..window.len()).find(|place| {
        let chain = chain(&window[*place..], reach).filter(|chain| chain.len() <= walks_left);
        chain.is_some_and(|chain| {
            walks_left -= chain.len();
            is_sound(chain, &mut walker)
        })
    })
}

/// How often each byte of a window may be walked over, on average.
const WALKS_MAX: usize = 16;

/// The documents that begin `bytes`, by their lengths and ends.
fn chain(bytes: &[u8], reach: Reach) -> Option<&[u8]> {
    let (mut at, mut documents) = (0, 0);
    while documents < CHAIN_DOCUMENTS && at < CHAIN_BYTES {
        let rest = &bytes[at..];
        if rest.is_empty() && documents > 0 && reach == Reach::End {
            break;
        }
        let length = document::declared_bytes(*rest.first_chunk()?).ok()?;
        document::check(rest.get(..length)?).ok()?;
        at += length;
        documents += 1;
    }
    Some(&bytes[..at])
}

fn is_sound(mut chain: &[u8], walker: &mut Walker) -> bool {
    while let Some(length) = chain.first_chunk().and_then(|head| document::declared_bytes(*head).ok()) {
        let (document, behind) = chain.split_at(length);
        if walker.walk(document).is_err() {
            return false;
        }
        chain = behind;
    }
    true
}

/// Behind the newline that ends the line before `at`.
fn line_behind(file: &mut File, at: u64) -> io::Result<Option<u64>> {
    let Some(before) = at.checked_sub(1) else { return Ok(Some(0)) };
    file.seek(SeekFrom::Start(before))?;
    let passed = BufReader::new(file).skip_until(b'\n')?;
    Ok(Some(before + passed as u64))
}

/// Whether each whole line of `head` is a document, and there are two at least.
fn is_one_a_line(head: &[u8]) -> bool {
    let mut lines: Vec<&[u8]> = head.split(|byte| *byte == b'\n').collect();
    lines.pop(); // may be cut
    lines.len() > 1
        && lines.iter().all(|line| {
            let line = line.trim_ascii();
            line.is_empty() || (line.starts_with(b"{") && line.ends_with(b"}"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// `{_id: n, inner: {a: [{}, {}]}, text: ".."}`: documents inside, and zeros where lengths are looked for.
    fn document(number: i32, text_bytes: usize) -> Vec<u8> {
        let array = b"\x15\0\0\0\x030\0\x05\0\0\0\0\x031\0\x05\0\0\0\0\0";
        let mut inner = b"\x1d\0\0\0\x04a\0".to_vec();
        inner.extend_from_slice(array);
        inner.push(0);
        let mut bytes = vec![0; 4];
        bytes.extend_from_slice(b"\x10_id\0");
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.extend_from_slice(b"\x03inner\0");
        bytes.extend_from_slice(&inner);
        bytes.extend_from_slice(b"\x02text\0");
        bytes.extend_from_slice(&u32::try_from(text_bytes + 1).unwrap().to_le_bytes());
        bytes.resize(bytes.len() + text_bytes, b'x');
        bytes.extend_from_slice(b"\0\0");
        let length = u32::try_from(bytes.len()).unwrap();
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        document::check(&bytes).unwrap();
        Walker::new().walk(&bytes).unwrap();
        bytes
    }

    fn jumps(bytes: &[u8], format: Format) -> (tempfile::NamedTempFile, Option<Jumps>) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let input = file.path().display().to_string();
        let length = bytes.len() as u64;
        let jumps = Jumps::new(&input, length, bytes, format, JsonDialect::Auto, OnBadDocument::Stop);
        (file, jumps)
    }

    #[test]
    fn every_byte_of_a_bson_file_leads_to_the_next_document() {
        let documents: Vec<Vec<u8>> =
            (0_usize..40).map(|number| document(i32::try_from(number).unwrap(), number * 7 % 50)).collect();
        let mut begins = vec![0];
        for document in &documents {
            begins.push(begins.last().unwrap() + document.len() as u64);
        }
        let bytes = documents.concat();
        let (_file, jumps) = jumps(&bytes, Format::Bson);
        let jumps = jumps.unwrap();
        for at in 0..bytes.len() as u64 {
            let want = begins.iter().find(|begin| **begin >= at).filter(|begin| **begin < jumps.bytes());
            let got = jumps.open_at(at).unwrap().map(|entered| entered.begins);
            assert_eq!(got.as_ref(), want, "from byte {at}");
        }
    }

    /// Larger than the first window, so that it has to grow.
    #[test]
    fn large_documents_are_found_too_and_an_error_names_where_reading_began() {
        let mut bytes: Vec<u8> = (0..6).flat_map(|number| document(number, 300_000)).collect();
        let length = bytes.len() as u64 / 6;
        let end = bytes.len() - 1;
        bytes[end] = 7;
        let (file, jumps) = jumps(&bytes, Format::Bson);
        let Entered { begins, mut source } = jumps.unwrap().open_at(length / 2).unwrap().unwrap();
        assert_eq!(begins, length);
        let mut out = Vec::new();
        for _ in 0..4 {
            assert_eq!(source.next_document(&mut out).unwrap().map(|bytes| bytes as u64), Some(length));
        }
        assert_eq!(
            source.next_document(&mut out).unwrap_err().to_string(),
            format!(
                "{}, from byte {length}: document 4 at byte {}: byte {} of the document is 0x07 where its terminator 0x00 belongs",
                file.path().display(),
                4 * length,
                length - 1
            )
        );
    }

    #[test]
    fn lines_of_json_are_entered_behind_a_newline_and_other_json_is_not() {
        let text = b"{\"a\":1}\n{\"a\":22}\r\n\n{\"a\":333}\n";
        let (_file, lines) = jumps(text, Format::Json);
        let lines = lines.unwrap();
        for (at, want) in [(0, Some(0)), (1, Some(8)), (8, Some(8)), (9, Some(18)), (20, None), (30, None)] {
            assert_eq!(lines.open_at(at).unwrap().map(|entered| entered.begins), want, "from byte {at}");
        }
        for text in [&b"[{\"a\":1},\n{\"a\":2}]\n"[..], b"{\n\"a\":1\n}\n", b"{\"a\":1}"] {
            assert!(jumps(text, Format::Json).1.is_none(), "{}", text.escape_ascii());
        }
        assert!(jumps(b"a,b\n1,2\n", Format::Csv).1.is_none());
    }

    #[test]
    fn a_stretch_without_documents_is_told() {
        let bytes = vec![0xff; WINDOW_BYTES_MAX + 100];
        let (file, jumps) = jumps(&bytes, Format::Bson);
        let Err(error) = jumps.unwrap().open_at(50) else { panic!("found") };
        assert_eq!(
            error.to_string(),
            format!("{}: no document begins in the 83968000 bytes behind byte 50", file.path().display())
        );
        assert_eq!(
            error.hints(),
            ["without `--sample` the file is read from its first byte and the damage is named"]
        );
    }
}

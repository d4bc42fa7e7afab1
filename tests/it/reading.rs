//! What holds of any bytes, whatever they are: each function reads them as one format, through the library's public
//! interface, and panics where it does not hold.
//!
//! `mutated_inputs` runs it over seeded mutations, `fuzz_corpus` over the corpora of the fuzzers, and the fuzzers
//! themselves (fuzz/) over what they make up, so this file knows no test harness.

use bson::{Bson, Document};
use pagepress::{
    document::{self, Walker},
    source::{
        self, Collection, Format, Namespaces, OnBadDocument, OpenOptions, Source, SourceError,
        SourceErrorKind,
        bson::BsonSource,
        csv::{Columns, CsvSource, Dialect},
        json::{JsonDialect, JsonSource},
    },
};
use std::{cell::RefCell, fs, io::Read, path::PathBuf};

/// One reading of an input from its beginning to its end or its error.
#[derive(Default)]
struct Reading {
    /// One behind the other.
    documents: Vec<u8>,
    /// Where each began in the input, and where it ends in `documents`.
    places: Vec<(u64, usize)>,
    error: Option<SourceError>,
    /// Documents that were left out, or messages about what is missing.
    faults: u64,
}

impl Reading {
    fn of(source: &mut dyn Source, input_bytes: usize) -> Self {
        let mut reading = Self::default();
        let mut walker = Walker::new();
        loop {
            let before = reading.documents.len();
            match source.next_document(&mut reading.documents) {
                Ok(Some(bytes)) => {
                    let document = &reading.documents[before..];
                    assert_eq!(document.len(), bytes, "grew by another length than it says");
                    assert_eq!(document::check(document), Ok(()), "{}", document.escape_ascii());
                    assert_eq!(walker.walk(document), Ok(()), "{}", document.escape_ascii());
                    reading.places.push((source.document_offset(), reading.documents.len()));
                }
                Ok(None) => break,
                Err(error) => {
                    check_error(&error);
                    reading.error = Some(error);
                    break;
                }
            }
            // The shortest document takes five bytes of BSON, two of JSON, one line of text.
            assert!(reading.places.len() <= input_bytes, "more documents than bytes");
        }
        let ended = reading.documents.len();
        if reading.error.is_none() {
            assert!(matches!(source.next_document(&mut reading.documents), Ok(None)), "there is no end");
        }
        assert_eq!(reading.documents.len(), ended, "what was no document stayed in the buffer");
        // The shortest text of an element is `[`, or a comma of CSV for a column that its header names once.
        let bytes_max = 16 * (input_bytes + 16) + input_bytes * input_bytes / 16;
        assert!(ended <= bytes_max, "{ended} bytes of BSON from {input_bytes} of input");
        let skipped = source.skipped();
        assert!(skipped.documents == 0 || !skipped.reasons.is_empty(), "skipped without a reason");
        reading.faults = skipped.documents.max(skipped.reasons.len() as u64);
        source.notes();
        reading
    }

    fn refused(error: SourceError) -> Self {
        check_error(&error);
        Self { error: Some(error), ..Self::default() }
    }

    fn shown(&self) -> String {
        let error = self.error.as_ref().map(ToString::to_string);
        format!("{} documents, {} faults, {error:?}", self.places.len(), self.faults)
    }

    fn is_clean(&self) -> bool {
        self.error.is_none() && self.faults == 0
    }
}

/// The name of every input here.
const NAME: &str = "input";

/// An error says which input, and where in it unless it is about its beginning or its whole.
fn check_error(error: &SourceError) {
    let message = error.to_string();
    assert!(message.contains(NAME), "{message}");
    assert!(!message.contains('\n') && message.len() < 1000, "{message}");
    assert!(error.hints().iter().all(|hint| !hint.is_empty() && !hint.contains('\n')), "{:?}", error.hints());
    let has_a_place = match error.kind() {
        SourceErrorKind::Document(_) | SourceErrorKind::Syntax { .. } | SourceErrorKind::Archive { .. } => {
            message.contains(" at byte ")
        }
        SourceErrorKind::Packed { .. } => message.contains(" unpacked bytes"),
        SourceErrorKind::Empty { .. }
        | SourceErrorKind::UnknownFormat { .. }
        | SourceErrorKind::Foreign { .. }
        | SourceErrorKind::NoCollection { .. }
        | SourceErrorKind::SeveralCollections { .. }
        | SourceErrorKind::Directory { .. } => true,
        _ => false,
    };
    assert!(has_a_place, "{message}");
}

/// Reads twice, stopping at what is bad and leaving it out. Up to the first fault both are the same.
fn both(input_bytes: usize, read: impl Fn(OnBadDocument) -> Reading) -> (Reading, Reading) {
    let (stop, skip) = (read(OnBadDocument::Stop), read(OnBadDocument::Skip));
    let shown = || format!("{} stopping; {} skipping", stop.shown(), skip.shown());
    assert!(skip.documents.starts_with(&stop.documents), "{}", shown());
    assert!(skip.places.starts_with(&stop.places), "{}", shown());
    if stop.error.is_none() {
        assert!(stop.faults == 0 && skip.is_clean() && stop.places == skip.places, "{}", shown());
    } else {
        assert!(!skip.is_clean(), "a fault is forgotten: {}", shown());
    }
    assert!(skip.places.len() <= input_bytes);
    (stop, skip)
}

/// Documents are bytes of the input, each at its offset.
fn check_slices(input: &[u8], reading: &Reading) {
    let mut start = 0;
    for &(offset, end) in &reading.places {
        let document = &reading.documents[start..end];
        let at = usize::try_from(offset).unwrap();
        assert!(input[at..].starts_with(document), "other bytes at {at}");
        start = end;
    }
}

/// A BSON stream. Without a fault its documents are the input, all of it.
pub fn bson(input: &[u8]) {
    let (stop, skip) = both(input.len(), |on_bad| {
        Reading::of(&mut BsonSource::new(NAME.to_owned(), input, None, on_bad), input.len())
    });
    check_slices(input, &skip);
    if stop.error.is_none() {
        assert_eq!(stop.documents, input);
    }
}

fn read_json(input: &[u8], dialect: JsonDialect, on_bad: OnBadDocument) -> Reading {
    let source = JsonSource::new(NAME.to_owned(), input, None, on_bad);
    Reading::of(&mut source.with_dialect(dialect), input.len())
}

/// JSON in all dialects. Documents that another library understands come back from the canonical text of what it
/// understood.
pub fn json(input: &[u8]) {
    for dialect in JSON_DIALECTS {
        json_as(input, dialect);
    }
}

/// In one of its dialects, by its length: a fuzzer comes further.
pub fn json_once(input: &[u8]) {
    json_as(input, JSON_DIALECTS[input.len() % JSON_DIALECTS.len()]);
}

const JSON_DIALECTS: [JsonDialect; 3] = [JsonDialect::Auto, JsonDialect::V1, JsonDialect::V2];

fn json_as(input: &[u8], dialect: JsonDialect) {
    let (_, skip) = both(input.len(), |on_bad| read_json(input, dialect, on_bad));
    let (mut start, mut text, mut want) = (0, String::new(), Vec::new());
    for &(_, end) in &skip.places {
        let document = &skip.documents[start..end];
        if let Some(canonical) = canonical(document) {
            text.push_str(&canonical);
            want.extend_from_slice(document);
        }
        start = end;
    }
    // One reading of all, since a reader's buffers cost more than a document.
    let again = read_json(text.as_bytes(), JsonDialect::V2, OnBadDocument::Stop);
    assert!(again.documents == want, "{dialect:?} {text}: {}", again.shown());
}

/// The canonical text of a document that another library reads and writes back as it was, and whose text can mean
/// nothing else.
fn canonical(document: &[u8]) -> Option<String> {
    let parsed = Document::from_reader(document).ok()?;
    if parsed.to_vec().ok()? != document {
        return None;
    }
    canonical_document(&parsed)
}

fn canonical_document(document: &Document) -> Option<String> {
    let members = document.iter().map(|(key, value)| {
        let key_text = serde_json::to_string(key).ok().filter(|_| !key.starts_with('$'))?;
        Some(format!("{key_text}:{}", canonical_value(value)?))
    });
    Some(format!("{{{}}}", members.collect::<Option<Vec<_>>>()?.join(",")))
}

fn canonical_value(value: &Bson) -> Option<String> {
    let quoted = |text: &str| serde_json::to_string(text).ok();
    Some(match value {
        Bson::Double(number) if number.is_finite() => format!("{{\"$numberDouble\":\"{number:?}\"}}"),
        Bson::String(text) => quoted(text)?,
        Bson::Array(values) => {
            let values: Option<Vec<_>> = values.iter().map(canonical_value).collect();
            format!("[{}]", values?.join(", "))
        }
        Bson::Document(document) => canonical_document(document)?,
        Bson::Boolean(truth) => truth.to_string(),
        Bson::Null => "null".to_owned(),
        Bson::JavaScriptCode(code) => format!("{{\"$code\":{}}}", quoted(code)?),
        Bson::JavaScriptCodeWithScope(code) => {
            let scope = canonical_document(&code.scope)?;
            format!("{{\"$code\":{},\"$scope\":{scope}}}", quoted(&code.code)?)
        }
        Bson::Int32(number) => format!("{{\"$numberInt\":\"{number}\"}}"),
        Bson::Int64(number) => format!("{{\"$numberLong\":\"{number}\"}}"),
        Bson::Timestamp(stamp) => {
            format!("{{\"$timestamp\":{{\"t\":{},\"i\":{}}}}}", stamp.time, stamp.increment)
        }
        Bson::ObjectId(id) => format!("{{\"$oid\":\"{}\"}}", id.to_hex()),
        Bson::DateTime(date) => {
            format!("{{\"$date\":{{\"$numberLong\":\"{}\"}}}}", date.timestamp_millis())
        }
        Bson::Symbol(symbol) => format!("{{\"$symbol\":{}}}", quoted(symbol)?),
        Bson::Undefined => "{\"$undefined\":true}".to_owned(),
        Bson::MaxKey => "{\"$maxKey\":1}".to_owned(),
        Bson::MinKey => "{\"$minKey\":1}".to_owned(),
        // Their texts have more than one form.
        _ => return None,
    })
}

/// CSV and TSV, with types from each place that they can come from.
pub fn csv(input: &[u8]) {
    (0..CSV_WAYS).for_each(|way| csv_as(input, way));
}

/// In one of the ways, by its length: a fuzzer comes further.
pub fn csv_once(input: &[u8]) {
    csv_as(input, input.len() % CSV_WAYS);
}

const CSV_WAYS: usize = 6;

fn csv_as(input: &[u8], way: usize) {
    let dialect = [Dialect::Csv, Dialect::Tsv][way % 2];
    let columns = [Columns::Inferred, Columns::EachCell, Columns::Header][way / 2].clone();
    both(input.len(), |on_bad| {
        let source = CsvSource::new(NAME.to_owned(), input, dialect, None, on_bad);
        Reading::of(&mut source.with_columns(columns.clone()), input.len())
    });
}

/// Whatever the content says it is, through every layer.
pub fn recognised(input: &[u8]) {
    let path = scratch(NAME, input);
    both(unpacked_bytes_max(input), |on_bad| match source::open(&path, &OpenOptions::new(on_bad)) {
        Ok(mut source) => Reading::of(&mut *source, unpacked_bytes_max(input)),
        Err(error) => Reading::refused(error),
    });
}

/// A packed BSON stream. Without a fault its documents are what another decoder makes of it.
pub fn packed(input: &[u8]) {
    let path = scratch(NAME, input);
    let bytes_max = unpacked_bytes_max(input);
    let (stop, _) = both(bytes_max, |on_bad| {
        let options = OpenOptions { format: Some(Format::Bson), ..OpenOptions::new(on_bad) };
        match source::open(&path, &options) {
            Ok(mut source) => Reading::of(&mut *source, bytes_max),
            Err(error) => Reading::refused(error),
        }
    });
    if stop.error.is_none() {
        let mut unpacked = Vec::new();
        // Zeros behind a gzip member are padding, which the other decoder refuses at its end.
        let _ = match input {
            [0x1f, 0x8b, ..] => flate2::read::MultiGzDecoder::new(input).read_to_end(&mut unpacked),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                zstd::stream::copy_decode(input, &mut unpacked).map(|()| unpacked.len())
            }
            plain => plain.take(u64::MAX).read_to_end(&mut unpacked),
        };
        assert_eq!(stop.documents, unpacked);
    }
}

/// Deflate makes a byte from no less than a thousandth of one, zstd a block of 128 KiB from four.
fn unpacked_bytes_max(input: &[u8]) -> usize {
    (input.len() + 1) << 15
}

/// Text in two bytes a letter. What is text in one means the same in the other.
pub fn wide(input: &[u8]) {
    recognised(input);
    let Ok(text) = std::str::from_utf8(input) else { return };
    if text.contains('\u{feff}') {
        return;
    }
    let options = OpenOptions { format: Some(Format::Json), ..OpenOptions::new(OnBadDocument::Skip) };
    let read = |bytes: &[u8]| match source::open(&scratch(NAME, bytes), &options) {
        Ok(mut source) => Reading::of(&mut *source, bytes.len()),
        Err(error) => Reading::refused(error),
    };
    let narrow = read(input);
    for (mark, to_bytes) in [(0xfeff_u16, u16::to_le_bytes as fn(u16) -> [u8; 2]), (0xfeff, u16::to_be_bytes)]
    {
        let units = std::iter::once(mark).chain(text.encode_utf16());
        let wide = read(&units.flat_map(to_bytes).collect::<Vec<u8>>());
        // An input that is only a mark is empty behind it.
        if !text.is_empty() && !looks_packed(input) {
            assert_eq!(wide.documents, narrow.documents, "{}; {}", narrow.shown(), wide.shown());
            assert_eq!(wide.is_clean(), narrow.is_clean(), "{}; {}", narrow.shown(), wide.shown());
        }
    }
}

/// What a format that was named does not overrule.
fn looks_packed(input: &[u8]) -> bool {
    input.starts_with(b"\x1f\x8b") || input.contains(&0)
}

/// A mongodump archive. Documents are bytes of it, each at its offset.
pub fn archive(input: &[u8]) {
    let path = scratch(NAME, input);
    let find = |on_bad| source::find(&path, &OpenOptions::new(on_bad), &every_namespace());
    let read = |collection: Collection, on_bad| match collection.open(&OpenOptions::new(on_bad)) {
        Ok(mut source) => Reading::of(&mut *source, unpacked_bytes_max(input)),
        Err(error) => Reading::refused(error),
    };
    let is_archive = input.starts_with(b"\x6d\xe2\x99\x81");
    let skipping = match find(OnBadDocument::Skip) {
        Ok(found) => found,
        Err(error) => return check_error(&error),
    };
    let skipped: Vec<_> = skipping
        .collections
        .into_iter()
        .map(|collection| {
            check_indexes(&collection);
            let reading = read(collection, OnBadDocument::Skip);
            if is_archive {
                check_slices(input, &reading);
            }
            reading
        })
        .collect();
    match find(OnBadDocument::Stop) {
        Err(error) => check_error(&error),
        Ok(found) => {
            assert_eq!(found.collections.len(), skipped.len());
            for (collection, skip) in found.collections.into_iter().zip(&skipped) {
                let stop = read(collection, OnBadDocument::Stop);
                assert!(skip.documents.starts_with(&stop.documents), "{}; {}", stop.shown(), skip.shown());
                assert_eq!(stop.error.is_some(), !skip.is_clean(), "{}; {}", stop.shown(), skip.shown());
            }
        }
    }
}

fn every_namespace() -> Namespaces {
    Namespaces::new(&["*".to_owned()])
}

fn check_indexes(collection: &Collection) {
    for index in collection.indexes.iter().flatten() {
        assert_eq!(document::check(&index.bson), Ok(()), "{index:?}");
        assert_eq!(Walker::new().walk(&index.bson), Ok(()), "{index:?}");
    }
}

/// The metadata of a collection in a dump's folder. Its documents are read whatever the metadata says, unless it says
/// that the collection is a view.
pub fn metadata(input: &[u8]) {
    const DOCUMENTS: &[u8] = b"\x0e\0\0\0\x10_id\0\x01\0\0\0\0\x0e\0\0\0\x10_id\0\x02\0\0\0\0";
    scratch("input.dump/c.bson", DOCUMENTS);
    let path = scratch("input.dump/c.metadata.json", input);
    let folder = path.parent().unwrap();
    let options = OpenOptions::new(OnBadDocument::Stop);
    let found = match source::find(folder, &options, &every_namespace()) {
        Ok(found) => found,
        Err(error) => return check_error(&error),
    };
    assert_eq!(found.collections.len(), 1);
    for collection in found.collections {
        check_indexes(&collection);
        let mut source = collection.open(&options).unwrap();
        assert_eq!(Reading::of(&mut *source, DOCUMENTS.len()).documents, DOCUMENTS);
    }
    assert!(found.notes.iter().all(|note| !note.contains('\n') && note.len() < 1000), "{:?}", found.notes);
}

thread_local! {
    static SCRATCH: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// A file of this thread's own with these bytes.
fn scratch(name: &str, bytes: &[u8]) -> PathBuf {
    SCRATCH.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("input.dump")).unwrap();
            folder
        });
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    })
}

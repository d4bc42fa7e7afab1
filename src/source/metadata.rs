//! metadata.json of a dump: a collection's real name, its indexes, and what it was created as.
//!
//! Numbers come in every shape that tools wrote since 2.2: plain, `$numberInt`, `$numberLong`, `$numberDouble`.
//!
//! Source: `Metadata`, `mongodump/metadata_dump.go`; `MetadataFromJSON`, mongorestore/metadata.go; mongo-tools 100.18.

use super::{OnBadDocument, Source, SourceError, json::JsonSource};
use crate::document::{Element, Elements};

/// What the metadata of one collection says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CollectionMetadata {
    /// Its real name, where a file's name is a shortened one.
    pub name: Option<String>,
    /// `listIndexes` documents, as BSON; `None` if the metadata does not say.
    pub indexes: Option<Vec<IndexDocument>>,
    pub options: CollectionOptions,
    /// Whether it is a view, which stores nothing.
    pub view: View,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum View {
    #[default]
    No,
    Yes,
}

/// An index as a dump lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDocument {
    /// The `listIndexes` document, as BSON.
    pub bson: Vec<u8>,
    /// Its name, or nothing.
    pub name: String,
    /// Whether it is an index of its own, or the collection itself.
    pub table: IndexTable,
}

/// Where an index is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexTable {
    /// In a table of its own.
    Own,
    /// In the collection's: the collection is clustered by it.
    Collection,
}

impl IndexDocument {
    pub(super) fn new(bson: Vec<u8>) -> Self {
        let (mut name, mut table) = (String::new(), IndexTable::Own);
        for element in elements(Elements::new(&bson)) {
            match element.name {
                b"name" => name = text(&element).unwrap_or_default(),
                b"clustered" if number(&element).is_some_and(|value| value != 0.0) => {
                    table = IndexTable::Collection;
                }
                _ => {}
            }
        }
        Self { bson, name, table }
    }
}

/// What a collection was created as, as far as its size depends on that.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CollectionOptions {
    /// Set for a clustered collection: the key pattern of its clustered index, as BSON.
    pub clustered_key: Option<Vec<u8>>,
    /// Set for a capped collection: BSON bytes at most.
    pub capped_bytes: Option<u64>,
    /// Documents of a capped collection at most, if there is such a limit.
    pub capped_documents: Option<u64>,
    /// Set for a time series; its documents are buckets.
    pub time_series: Option<TimeSeries>,
    /// The collation that indexes have unless they name another, as BSON.
    pub collation: Option<Vec<u8>>,
    /// `storageEngine.wiredTiger.configString`, in order: `("block_compressor", "zstd")`.
    pub table_config: Vec<(String, String)>,
}

impl CollectionOptions {
    /// A setting of the table's configuration; the last one counts, as in WiredTiger.
    #[must_use]
    pub fn table_config(&self, key: &str) -> Option<&str> {
        self.table_config.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

/// How a time series packs measurements into buckets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeSeries {
    /// The field that holds the time.
    pub time_field: String,
    /// The field that tells series apart.
    pub meta_field: Option<String>,
    /// `seconds`, `minutes` or `hours`.
    pub granularity: Option<String>,
    /// Seconds that one bucket spans at most.
    pub bucket_max_span_seconds: Option<u64>,
}

impl CollectionMetadata {
    /// Of the text of a metadata.json. An empty one says nothing.
    ///
    /// # Errors
    ///
    /// Text that is not one JSON document.
    pub fn parse(input: &str, text: &[u8]) -> Result<Self, SourceError> {
        let mut bson = Vec::new();
        let mut source = JsonSource::new(input.to_owned(), text, None, OnBadDocument::Stop);
        if source.next_document(&mut bson)?.is_none() {
            return Ok(Self::default());
        }
        Ok(Self::of_document(&bson))
    }

    fn of_document(bson: &[u8]) -> Self {
        let mut metadata = Self::default();
        for element in elements(Elements::new(bson)) {
            match element.name {
                b"collectionName" => metadata.name = text(&element),
                b"indexes" if element.kind == ARRAY => {
                    let documents = elements(element.elements()).filter(|element| element.kind == DOCUMENT);
                    metadata.indexes =
                        Some(documents.map(|element| IndexDocument::new(element.value.to_vec())).collect());
                }
                b"options" => metadata.options.read(&element, &mut metadata.view),
                b"type" if text(&element).as_deref() == Some("view") => metadata.view = View::Yes,
                _ => {}
            }
        }
        metadata
    }
}

impl CollectionOptions {
    fn read(&mut self, options: &Element<'_>, view: &mut View) {
        let mut is_capped = false;
        let mut size = None;
        for element in elements(options.elements()) {
            match element.name {
                b"capped" => is_capped = number(&element).is_some_and(|value| value != 0.0),
                b"size" => size = number(&element).and_then(whole),
                b"max" => self.capped_documents = number(&element).and_then(whole).filter(|max| *max > 0),
                b"viewOn" => *view = View::Yes,
                b"collation" if element.kind == DOCUMENT => self.collation = Some(element.value.to_vec()),
                b"clusteredIndex" => self.clustered_key = clustered_key(&element),
                b"timeseries" => self.time_series = Some(TimeSeries::read(&element)),
                b"storageEngine" => self.table_config = table_config(&element),
                _ => {}
            }
        }
        self.capped_bytes = size.filter(|_| is_capped);
        self.capped_documents = self.capped_documents.filter(|_| is_capped);
    }
}

impl TimeSeries {
    fn read(options: &Element<'_>) -> Self {
        let mut series = Self::default();
        for element in elements(options.elements()) {
            match element.name {
                b"timeField" => series.time_field = text(&element).unwrap_or_default(),
                b"metaField" => series.meta_field = text(&element),
                b"granularity" => series.granularity = text(&element),
                b"bucketMaxSpanSeconds" => {
                    series.bucket_max_span_seconds = number(&element).and_then(whole);
                }
                _ => {}
            }
        }
        series
    }
}

/// `clusteredIndex: {key: {_id: 1}, unique: true}`, or `true` in the metadata of buckets.
fn clustered_key(element: &Element<'_>) -> Option<Vec<u8>> {
    /// `{_id: 1}`
    const ID: &[u8] = b"\x0e\0\0\0\x10_id\0\x01\0\0\0\0";
    let mut keys =
        elements(element.elements()).filter(|inner| inner.name == b"key" && inner.kind == DOCUMENT);
    match keys.next() {
        Some(key) => Some(key.value.to_vec()),
        None => number(element).is_some_and(|value| value != 0.0).then(|| ID.to_vec()),
    }
}

fn table_config(storage_engine: &Element<'_>) -> Vec<(String, String)> {
    let inside = |element: &Element<'_>, name: &[u8]| {
        elements(element.elements())
            .find(|inner| inner.name == name)
            .map(|inner| (inner.kind, inner.value.to_vec()))
    };
    let Some((DOCUMENT, wired_tiger)) = inside(storage_engine, b"wiredTiger") else { return Vec::new() };
    let config = elements(Elements::new(&wired_tiger)).find(|inner| inner.name == b"configString");
    config.and_then(|element| text(&element)).map(|config| settings(&config)).unwrap_or_default()
}

/// `key=value` pairs of a WiredTiger configuration string; commas inside brackets do not part them.
fn settings(config: &str) -> Vec<(String, String)> {
    let mut depth = 0_u32;
    let parts = config.split(|char| {
        match char {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        char == ',' && depth == 0
    });
    let pairs = parts.filter_map(|part| part.split_once('='));
    pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().trim_matches('"').to_owned())).collect()
}

const DOCUMENT: u8 = 0x03;
const ARRAY: u8 = 0x04;

/// The elements of a document; none of what is not one.
fn elements<E>(document: Result<Elements<'_>, E>) -> impl Iterator<Item = Element<'_>> {
    document.unwrap_or_else(|_| Elements::none()).filter_map(Result::ok)
}

/// A string's text.
pub(super) fn text(element: &Element<'_>) -> Option<String> {
    const STRING: u8 = 0x02;
    let bytes = element.value.get(4..)?;
    (element.kind == STRING).then(|| String::from_utf8_lossy(&bytes[..bytes.len().max(1) - 1]).into_owned())
}

/// A number or a truth, whatever its type.
pub(super) fn number(element: &Element<'_>) -> Option<f64> {
    match (element.kind, element.value) {
        (0x01, value) => Some(f64::from_le_bytes(*value.first_chunk()?)),
        (0x08, value) => Some(f64::from(*value.first()?)),
        (0x10, value) => Some(i32::from_le_bytes(*value.first_chunk()?).into()),
        #[expect(clippy::cast_precision_loss, reason = "sizes and limits; 2^53 is beyond them all")]
        (0x12, value) => Some(i64::from_le_bytes(*value.first_chunk()?) as f64),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range that is exact")]
fn whole(number: f64) -> Option<u64> {
    (0.0..9e15).contains(&number).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> CollectionMetadata {
        CollectionMetadata::parse("a.metadata.json", text.as_bytes()).unwrap()
    }

    #[test]
    fn what_a_collection_was_created_as_is_read_from_every_shape_of_number() {
        for (size, flag) in [
            ("4096", "true"),
            ("{\"$numberInt\":\"4096\"}", "1"),
            ("{\"$numberLong\":\"4096\"}", "{\"$numberDouble\":\"1.0\"}"),
            ("4096.0", "{\"$numberLong\":\"1\"}"),
        ] {
            let options = parsed(&format!(
                "{{\"options\":{{\"create\":\"x\",\"capped\":{flag},\"size\":{size},\"max\":7}},\"indexes\":[]}}"
            ))
            .options;
            assert_eq!((options.capped_bytes, options.capped_documents), (Some(4096), Some(7)));
        }
        assert_eq!(parsed("{\"options\":{\"size\":4096}}").options, CollectionOptions::default());
    }

    #[test]
    fn clustered_collections_time_series_and_table_settings_are_handed_over() {
        let clustered = parsed(
            "{\"options\":{\"clusteredIndex\":{\"v\":2,\"key\":{\"_id\":{\"$numberInt\":\"1\"}},\"unique\":true}}}",
        );
        let id = clustered.options.clustered_key.unwrap();
        assert_eq!(Some(id), parsed("{\"options\":{\"clusteredIndex\":true}}").options.clustered_key);
        let series = parsed(
            "{\"options\":{\"timeseries\":{\"timeField\":\"t\",\"metaField\":\"m\",\"granularity\":\"seconds\",\"bucketMaxSpanSeconds\":{\"$numberInt\":\"3600\"}}}}",
        );
        let want = TimeSeries {
            time_field: "t".to_owned(),
            meta_field: Some("m".to_owned()),
            granularity: Some("seconds".to_owned()),
            bucket_max_span_seconds: Some(3600),
        };
        assert_eq!(series.options.time_series, Some(want));
        let options = parsed(
            "{\"options\":{\"storageEngine\":{\"wiredTiger\":{\"configString\":\"access_pattern_hint=none,log=(enabled=true,x=1),block_compressor=\\\"zstd\\\", leaf_page_max=64KB,block_compressor=zlib\"}}}}",
        )
        .options;
        assert_eq!(options.table_config("block_compressor"), Some("zlib"), "the last one counts");
        assert_eq!(options.table_config("leaf_page_max"), Some("64KB"));
        assert_eq!(options.table_config("log"), Some("(enabled=true,x=1)"));
    }

    #[test]
    fn views_names_and_indexes_are_told() {
        assert_eq!(parsed("{\"options\":{\"viewOn\":\"a\"},\"indexes\":[]}").view, View::Yes);
        assert_eq!(parsed("{\"type\":\"view\"}").view, View::Yes);
        let metadata = parsed(
            "{\"indexes\":[{\"v\":2,\"key\":{\"_id\":1},\"name\":\"_id_\"},{\"key\":{\"a\":1}}],\"collectionName\":\"a/b\",\"type\":\"collection\"}",
        );
        assert_eq!(metadata.name.as_deref(), Some("a/b"));
        assert_eq!(metadata.indexes.map(|indexes| indexes.len()), Some(2));
        assert_eq!(parsed(""), CollectionMetadata::default());
        assert!(CollectionMetadata::parse("a", b"{").is_err());
    }
}

//! What an input is, told from its first bytes and, where they leave a choice, from its name.
//!
//! The fourth byte alone separates BSON from text: a document's length below 16 MiB and 16 KiB has 0 or 1
//! there, which no 8-bit text has. All else follows from magic numbers and first characters.

use super::{Format, OnBadDocument, Source, json::JsonSource, shell};
use crate::document;

/// How many bytes of an input are looked at.
pub(super) const HEAD_BYTES_MAX: usize = 64 << 10;

/// The beginning of an input, as far as it was looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head<'a> {
    pub bytes: &'a [u8],
    /// Whether these are all.
    pub whole: bool,
    /// In lower case.
    pub name: &'a str,
}

/// What an input was recognised as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recognised {
    Format(Format),
    Foreign(Foreign),
    Unknown,
}

/// Something that holds no documents as it is, but can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Foreign {
    /// gzip stream.
    Gzip,
    /// Zstandard frame.
    Zstd,
    /// xz stream.
    Xz,
    /// bzip2 stream.
    Bzip2,
    /// LZ4 frame.
    Lz4,
    /// Framed snappy stream.
    Snappy,
    /// zip archive.
    Zip,
    /// tar archive.
    Tar,
    /// `mongodump --archive`.
    MongodumpArchive,
    /// metadata.json or prelude.json of a mongodump directory.
    MongodumpMetadata,
    /// A data file of WiredTiger.
    WiredTiger,
    /// Text in UTF-16.
    Utf16,
    /// Text in UTF-32.
    Utf32,
    /// HTML or XML, such as the error page of a download.
    Markup,
    /// A script of SQL statements.
    Sql,
    /// Stands for a file that Git LFS has not fetched.
    GitLfsPointer,
}

impl Foreign {
    /// What it is, for a message: `is ...`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "compressed with gzip",
            Self::Zstd => "compressed with zstd",
            Self::Xz => "compressed with xz",
            Self::Bzip2 => "compressed with bzip2",
            Self::Lz4 => "compressed with lz4",
            Self::Snappy => "compressed with snappy",
            Self::Zip => "a zip archive",
            Self::Tar => "a tar archive",
            Self::MongodumpArchive => "a mongodump archive, which is not read yet",
            Self::MongodumpMetadata => "metadata of a mongodump directory, not documents",
            Self::WiredTiger => "a WiredTiger data file, not documents",
            Self::Utf16 => "text in UTF-16, which is not read yet",
            Self::Utf32 => "text in UTF-32, which is not read yet",
            Self::Markup => "HTML or XML, not documents",
            Self::Sql => "an SQL script, not documents",
            Self::GitLfsPointer => "a Git LFS pointer, not the file it stands for",
        }
    }

    /// What makes documents of `input`; the command reads it as `{input}`.
    pub(super) fn hint(self, input: &str) -> String {
        let piped = |command: &str| {
            if input == "-" {
                format!("put `{command}` between, as in `... | {command} | pagepress estimate -`")
            } else {
                format!("unpack it on the way: `{command} {} | pagepress estimate -`", shell::word(input))
            }
        };
        let file = shell::word(input);
        match self {
            Self::Gzip => piped("gzip -dc"),
            Self::Zstd => piped("zstd -dc"),
            Self::Xz => piped("xz -dc"),
            Self::Bzip2 => piped("bzip2 -dc"),
            Self::Lz4 => piped("lz4 -dc"),
            Self::Snappy => piped("snzip -dc"),
            Self::Zip => format!("unpack it and pass the files in it: `unzip {file}`"),
            Self::Tar => format!("unpack it and pass the files in it: `tar -xf {file}`"),
            Self::MongodumpArchive => {
                "dump to a directory with `mongodump --out DIR` and pass `DIR/DB/*.bson`".to_owned()
            }
            Self::MongodumpMetadata => "pass the `.bson` files beside it".to_owned(),
            Self::WiredTiger if input == "-" => "name the file: `pagepress inspect FILE.wt`".to_owned(),
            Self::WiredTiger => format!("to see what it holds, run `pagepress inspect {file}`"),
            Self::Utf16 => piped("iconv -f UTF-16 -t UTF-8"),
            Self::Utf32 => piped("iconv -f UTF-32 -t UTF-8"),
            Self::Markup => {
                "is it the error page of a download that failed? Look at it and fetch it again".to_owned()
            }
            Self::Sql => "export the rows as CSV or JSON".to_owned(),
            Self::GitLfsPointer => "fetch the file itself with `git lfs pull`".to_owned(),
        }
    }
}

/// The order matters: a BSON length may begin with the bytes of another magic number, so what walks as a
/// document is one; and a name decides only what content leaves open.
pub(super) fn recognise(head: Head<'_>) -> Recognised {
    if let Some(foreign) = unmistakable(head.bytes) {
        return Recognised::Foreign(foreign);
    }
    if begins_with_document(head) {
        return Recognised::Format(Format::Bson);
    }
    if let Some(foreign) = magic(head.bytes).or_else(|| text_in_wide_units(head.bytes)) {
        return Recognised::Foreign(foreign);
    }
    let named = NamedFormat::of(head.name);
    match of_text(head, named) {
        Recognised::Unknown => match named {
            // A damaged length is told best by the reader that knows what it should be.
            Some(NamedFormat::Bson) => Recognised::Format(Format::Bson),
            Some(NamedFormat::Json) => Recognised::Format(Format::Json),
            Some(NamedFormat::Csv) => Recognised::Format(Format::Csv),
            Some(NamedFormat::Tsv) => Recognised::Format(Format::Tsv),
            None => Recognised::Unknown,
        },
        recognised => recognised,
    }
}

/// What must be unpacked or converted before any reader can have it, whatever format the user named.
pub(super) fn foreign_to_every_reader(head: Head<'_>) -> Option<Foreign> {
    unmistakable(head.bytes).or_else(|| {
        let packed = magic(head.bytes).or_else(|| text_in_wide_units(head.bytes));
        packed.filter(|_| !begins_with_document(head))
    })
}

/// The format that a name's ending stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamedFormat {
    Bson,
    Json,
    Csv,
    Tsv,
}

impl NamedFormat {
    fn of(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending {
            "bson" | "bin" => Some(Self::Bson),
            "json" | "jsonl" | "ndjson" | "ldjson" | "geojson" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            _ => None,
        }
    }
}

/// Magic numbers that, as a length, lie beyond every document's.
fn unmistakable(bytes: &[u8]) -> Option<Foreign> {
    const MAGIC: [(&[u8], Foreign); 6] = [
        (b"\x6d\xe2\x99\x81", Foreign::MongodumpArchive),
        (b"\x28\xb5\x2f\xfd", Foreign::Zstd),
        (b"\xfd7zXZ\0", Foreign::Xz),
        (b"BZh", Foreign::Bzip2),
        (b"\x04\x22\x4d\x18", Foreign::Lz4),
        (b"PK\x03\x04", Foreign::Zip),
    ];
    MAGIC.into_iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, foreign)| foreign)
}

/// Magic numbers that a document's length may equal.
fn magic(bytes: &[u8]) -> Option<Foreign> {
    const TAR_AT: usize = 257;
    /// Deflate, and no flag that is not assigned.
    const GZIP_FLAGS_MAX: u8 = 0x1f;
    match bytes {
        [0x1f, 0x8b, 0x08, flags, ..] if *flags <= GZIP_FLAGS_MAX => Some(Foreign::Gzip),
        [0xff, 0x06, 0x00, 0x00, b's', b'N', b'a', b'P', b'p', b'Y', ..] => Some(Foreign::Snappy),
        [0x41, 0xd8, 0x01, 0x00, ..] => Some(Foreign::WiredTiger),
        [0xff, 0xfe, 0x00, 0x00, ..] | [0x00, 0x00, 0xfe, 0xff, ..] => Some(Foreign::Utf32),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(Foreign::Utf16),
        _ if bytes.get(TAR_AT..).is_some_and(|tail| tail.starts_with(b"ustar")) => Some(Foreign::Tar),
        _ => None,
    }
}

/// UTF-16 without a byte order mark: text that has a zero in nearly every second byte.
fn text_in_wide_units(bytes: &[u8]) -> Option<Foreign> {
    const LOOKED_AT_BYTES: usize = 512;
    let (units, _) = bytes[..bytes.len().min(LOOKED_AT_BYTES)].as_chunks::<2>();
    let first = units.first()?;
    let zeros = |index: usize| units.iter().filter(|unit| unit[index] == 0).count();
    let begins_as_text = |byte: u8| byte.is_ascii_alphabetic() || b"{[\"".contains(&byte);
    let mostly = |zeros: usize| zeros * 10 > units.len() * 9;
    let little = begins_as_text(first[0]) && mostly(zeros(1));
    let big = begins_as_text(first[1]) && mostly(zeros(0));
    (units.len() > 1 && (little || big)).then_some(Foreign::Utf16)
}

/// Whether the first document's elements can be stepped over up to its end, or the end of what is seen.
fn begins_with_document(head: Head<'_>) -> bool {
    let Some(length) = head.bytes.first_chunk::<4>() else { return false };
    let Ok(declared) = document::declared_bytes(*length) else { return false };
    let seen = &head.bytes[..declared.min(head.bytes.len())];
    if seen.len() == declared {
        return seen[declared - 1] == 0 && walks(&seen[..declared - 1], declared);
    }
    // Text in wide units, data files and gzip have plausible lengths too, but not behind whole elements.
    !head.whole && walks(seen, declared)
}

/// Whether `seen`, the beginning of a document of `declared` bytes, is made of elements. The last may go
/// on behind it.
fn walks(seen: &[u8], declared: usize) -> bool {
    let mut at = 4;
    while at < seen.len() {
        match document::element_bytes(&seen[at..]) {
            Ok(bytes) => at += bytes,
            Err(_) => return seen.len() + 1 < declared && may_go_on(&seen[at..], declared - at),
        }
    }
    true
}

/// Whether an element that ends behind `seen` can end within `left_bytes`.
fn may_go_on(seen: &[u8], left_bytes: usize) -> bool {
    if !matches!(seen[0], 0x01..=0x13 | 0x7f | 0xff) {
        return false;
    }
    let Some(name_bytes) = seen[1..].iter().position(|byte| *byte == 0) else { return false };
    let value = &seen[name_bytes + 2..];
    match (seen[0], value.first_chunk::<4>()) {
        (0x02..=0x05 | 0x0c..=0x0f, Some(length)) => {
            usize::try_from(i32::from_le_bytes(*length)).is_ok_and(|bytes| bytes > 0 && bytes < left_bytes)
        }
        // A fixed number of bytes, or a text: what was seen before it must do.
        _ => true,
    }
}

fn of_text(head: Head<'_>, named: Option<NamedFormat>) -> Recognised {
    let bytes = head.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head.bytes);
    let text = bytes.trim_ascii_start();
    let begins_with =
        |word: &str| text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()));
    if begins_with("version https://git-lfs") {
        return Recognised::Foreign(Foreign::GitLfsPointer);
    }
    if begins_with("<") {
        return Recognised::Foreign(Foreign::Markup);
    }
    if ["--", "CREATE ", "INSERT ", "DROP ", "/*"].into_iter().any(begins_with) {
        return Recognised::Foreign(Foreign::Sql);
    }
    if let Some(recognised) = of_json(head, text, named) {
        return recognised;
    }
    if named == Some(NamedFormat::Bson) || !is_text(bytes) {
        return Recognised::Unknown;
    }
    let (tabs, commas) = delimiters(bytes.split(|byte| *byte == b'\n').next().unwrap_or_default());
    let format = match (tabs, commas, named) {
        (0, 0, _) => return Recognised::Unknown,
        (_, _, Some(NamedFormat::Json)) => Format::Json,
        (0, _, _) => Format::Csv,
        (_, 0, _) => Format::Tsv,
        (_, _, Some(NamedFormat::Csv)) => Format::Csv,
        _ => Format::Tsv,
    };
    Recognised::Format(format)
}

fn of_json(head: Head<'_>, text: &[u8], named: Option<NamedFormat>) -> Option<Recognised> {
    let first = *text.first()?;
    let second = text[1..].trim_ascii_start().first().copied();
    let looks_like_json = match (first, second) {
        (b'{', Some(b'"' | b'}')) | (b'[', Some(b'{' | b']')) => true,
        (b'{' | b'[', None) => !head.whole,
        (b'{' | b'[', _) => named == Some(NamedFormat::Json),
        _ => false,
    };
    if !looks_like_json {
        return None;
    }
    if is_mongodump_metadata(head) {
        return Some(Recognised::Foreign(Foreign::MongodumpMetadata));
    }
    // A table may begin with a bracket. Its name is believed if no document can be read.
    if matches!(named, Some(NamedFormat::Csv | NamedFormat::Tsv)) && !first_document_reads(head) {
        return None;
    }
    Some(Recognised::Format(Format::Json))
}

fn is_mongodump_metadata(head: Head<'_>) -> bool {
    const METADATA: [&[u8]; 3] = [b"\"indexes\"", b"\"uuid\"", b"\"collectionName\""];
    const PRELUDE: [&[u8]; 2] = [b"\"ServerVersion\"", b"\"ToolVersion\""];
    let holds = |key: &[u8]| head.bytes.windows(key.len()).any(|window| window == key);
    let base = head.name.rsplit(['/', '\\']).next().unwrap_or_default();
    (base.ends_with(".metadata.json") && METADATA.into_iter().any(holds))
        || (base == "prelude.json" && PRELUDE.into_iter().all(holds))
}

fn first_document_reads(head: Head<'_>) -> bool {
    let mut source = JsonSource::new(String::new(), head.bytes, None, OnBadDocument::Stop);
    match source.next_document(&mut Vec::new()) {
        Ok(document) => document.is_some(),
        // It may go on behind what is seen.
        Err(_) => !head.whole && source.bytes_read() == head.bytes.len() as u64,
    }
}

/// UTF-8 or another 8-bit encoding: no control characters but blanks.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && !bytes.iter().any(|byte| *byte < 0x20 && !byte.is_ascii_whitespace() && *byte != 0x0b)
}

/// Tabs and commas of a line, outside of quotes.
fn delimiters(line: &[u8]) -> (usize, usize) {
    let (mut tabs, mut commas) = (0, 0);
    let mut quoted = false;
    for byte in line {
        match byte {
            b'"' => quoted = !quoted,
            b'\t' if !quoted => tabs += 1,
            b',' if !quoted => commas += 1,
            _ => {}
        }
    }
    (tabs, commas)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8], name: &str) -> Recognised {
        recognise(Head { bytes, whole: true, name })
    }

    /// A document with one string, so that its length can begin with any byte.
    fn document(bytes: usize) -> Vec<u8> {
        let text_bytes = bytes - 4 - 3 - 4 - 1;
        let mut document = u32::try_from(bytes).unwrap().to_le_bytes().to_vec();
        document.extend(b"\x02v\0");
        document.extend(u32::try_from(text_bytes).unwrap().to_le_bytes());
        document.extend(vec![b'y'; text_bytes - 1]);
        document.extend([0, 0]);
        assert_eq!(document.len(), bytes);
        document
    }

    #[test]
    fn content_decides_and_a_name_only_where_content_leaves_a_choice() {
        use Format::{Bson, Csv, Json, Tsv};
        use Recognised::{Foreign as F, Format as Is, Unknown};
        let mut tar = b"dump/a.bson".to_vec();
        tar.resize(257, 0);
        tar.extend(b"ustar\x0000");
        let brace = document(0x7b);
        let bracket = document(0x5b);
        let bom = document(0xbbef);
        let gzip_magic = document(0x8b1f);
        let two = [document(20), document(30)].concat();
        for (bytes, name, want, why) in [
            (&b"\x05\0\0\0\0"[..], "-", Is(Bson), "the shortest document"),
            (&two, "a.gz", Is(Bson), "documents under another name"),
            (&brace, "-", Is(Bson), "length 123 is `{`"),
            (&bracket, "-", Is(Bson), "length 91 is `[`"),
            (&bom, "a.json", Is(Bson), "a length that begins like a byte order mark"),
            (&gzip_magic, "-", Is(Bson), "a length that begins like gzip"),
            (b"\x04\0\0\0", "a.bson", Is(Bson), "a bad length is the BSON reader's to tell"),
            (b"\xff\xff\xff\x7f\x02", "a.bson", Is(Bson), "a bad length is the BSON reader's to tell"),
            (b"\xff\xff\xff\x7f\x02", "-", Unknown, "but not without a name"),
            (b"\x30\0\0\0\x10_id\0", "a.bson", Is(Bson), "cut off"),
            (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "a.bson", F(Foreign::Gzip), "gzip under another name"),
            (b"\x28\xb5\x2f\xfd\x24", "a.bson", F(Foreign::Zstd), "zstd"),
            (b"\xfd7zXZ\0\0", "a", F(Foreign::Xz), "xz"),
            (b"BZh91AY", "a", F(Foreign::Bzip2), "bzip2"),
            (b"\x04\x22\x4d\x18", "a", F(Foreign::Lz4), "lz4"),
            (b"\xff\x06\0\0sNaPpY", "a", F(Foreign::Snappy), "snappy"),
            (b"PK\x03\x04", "a", F(Foreign::Zip), "zip"),
            (&tar, "a", F(Foreign::Tar), "tar"),
            (b"\x6d\xe2\x99\x81\x83\0\0\0", "a.bson", F(Foreign::MongodumpArchive), "an archive"),
            (b"\x41\xd8\x01\0\x01\0\0\0", "a.wt", F(Foreign::WiredTiger), "a data file"),
            (b"\xff\xfe{\0", "a.json", F(Foreign::Utf16), "UTF-16 with its mark"),
            (b"{\0\n\0\t\0\"\0a\0\"\0", "a.json", F(Foreign::Utf16), "and without"),
            (b"\xff\xfe\0\0{\0\0\0", "a.json", F(Foreign::Utf32), "UTF-32"),
            (b"<!DOCTYPE html><html>", "a.bson", F(Foreign::Markup), "a failed download"),
            (b"-- dump\nINSERT INTO t", "a.sql", F(Foreign::Sql), "SQL"),
            (b"version https://git-lfs.github.com/spec/v1\n", "a.bson", F(Foreign::GitLfsPointer), "Git LFS"),
            (
                b"{\"options\":{},\"indexes\":[]}",
                "d/a.metadata.json",
                F(Foreign::MongodumpMetadata),
                "metadata",
            ),
            (b"{\"indexes\":[]}", "a.json", Is(Json), "its name is part of it"),
            (b"{\"a\":1}\n", "-", Is(Json), "an object"),
            (b"\xef\xbb\xbf\n {\n\"a\":1}", "a.txt", Is(Json), "behind a mark and blanks"),
            (b"{}", "a.bson", Is(Json), "text is never BSON"),
            (b"[ {\"a\":1}]", "-", Is(Json), "an array"),
            (b"[]", "-", Is(Json), "an empty array"),
            (b"[1,2]", "a.json", Is(Json), "the JSON reader tells best what is wrong"),
            (b"{a:1}", "a.json", Is(Json), "the JSON reader tells best what is wrong"),
            (b"1,2", "a.json", Is(Json), "the JSON reader tells best what is wrong"),
            (b" \n", "a.json", Is(Json), "blanks are no documents"),
            (b"{a},b\n1,2\n", "a.csv", Is(Csv), "a table that begins with a bracket"),
            (b"{\"a\"},b\n1,2\n", "a.csv", Is(Csv), "a table that looks like an object"),
            (b"{\"a\":1}\n", "a.csv", Is(Json), "an object under another name"),
            (b"a,b\n1,2\n", "-", Is(Csv), "commas"),
            (b"a\tb\n1\t2\n", "-", Is(Tsv), "tabs"),
            (b"a\tb\n1\t2\n", "a.csv", Is(Tsv), "tabs under another name"),
            (b"a,b\tc\n", "a.csv", Is(Csv), "both: the name decides"),
            (b"a,b\tc\n", "-", Is(Tsv), "both, and no name"),
            (b"\"a\tb\",c\n", "-", Is(Csv), "a tab in quotes"),
            (b"a\n1\n", "a.csv", Is(Csv), "one column, by its name"),
            (b"a\n1\n", "-", Unknown, "one column without a name"),
            (b"caf\xe9,b\n", "-", Is(Csv), "Latin-1 is text"),
            (b"a,\0b\n", "-", Unknown, "NUL is not"),
            (b"\x89PNG\r\n\x1a\n", "a.png", Unknown, "a picture"),
        ] {
            assert_eq!(of(bytes, name), want, "{name}: {why}");
        }
    }

    /// Only the first bytes are seen of a large input, and its first document may be larger.
    #[test]
    fn a_document_longer_than_what_is_seen_is_recognised_by_its_elements() {
        let long = document(100_000);
        let cut = |bytes| recognise(Head { bytes, whole: false, name: "-" });
        assert_eq!(cut(&long[..4096]), Recognised::Format(Format::Bson));
        let gzip = [&b"\x1f\x8b\x08\0\x02noise\0\x99\x99\x99\x66"[..], &[0x5a; 4096]].concat();
        assert_eq!(cut(&gzip), Recognised::Foreign(Foreign::Gzip), "a type, a name, and a length too long");
        let zeros = [&[0x00, 0x80, 0x00, 0x00][..], &[0; 4096]].concat();
        assert_eq!(cut(&zeros), Recognised::Unknown, "a length and no element");
        let wide: Vec<u8> = "{\n\t\"key\": 1}".repeat(400).bytes().flat_map(|byte| [byte, 0]).collect();
        assert_eq!(cut(&wide), Recognised::Foreign(Foreign::Utf16), "a length, a type and an empty key");
    }

    #[test]
    fn hints_are_commands_that_can_be_pasted() {
        assert_eq!(
            Foreign::Zstd.hint("my dump's.bson.zst"),
            r"unpack it on the way: `zstd -dc 'my dump'\''s.bson.zst' | pagepress estimate -`"
        );
        assert_eq!(
            Foreign::Gzip.hint("-"),
            "put `gzip -dc` between, as in `... | gzip -dc | pagepress estimate -`"
        );
    }
}

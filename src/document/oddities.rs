//! What is unusual about documents and yet stored: counted by path, nothing decoded, whatever the depth.
//!
//! A document is walked with a stack of our own. A path is kept to its first levels and bytes, and after so many
//! paths the rest are counted together, so that memory is bounded whatever the documents hold.

use super::Elements;
use std::collections::BTreeMap;
use std::fmt;

/// Levels of documents and arrays that a server stores, the outermost one counted.
///
/// Source: `BSONDepth::kDefaultMaxAllowableDepth` less 20, `bson/bson_depth.h`; `validateDepth`, db/ops/insert.cpp,
/// mongod 6.0; measured on 6.0.27.
pub const DEPTH_MAX: usize = 180;

/// User documents that a server stores. Source: `BSONObjMaxUserSize`, bson/util/builder.h.
const USER_BYTES_MAX: usize = 16 << 20;

/// Levels that are walked: far more than any server stores, and bounded memory.
const LEVELS_MAX: usize = 4096;

const PATHS_MAX: usize = 1000;
const PATH_LEVELS_MAX: usize = 20;
const PATH_BYTES_MAX: usize = 200;

/// Something unusual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Oddity {
    /// A key that its document has already.
    DuplicateKey,
    /// `""`.
    EmptyKey,
    /// A key with a dot in it, which paths in queries cannot name.
    DottedKey,
    /// A key that begins with `$`.
    DollarKey,
    /// A key that is not UTF-8.
    KeyNotUtf8,
    /// An array whose keys are not 0, 1, 2.
    ArrayKeys,
    /// A string that is not UTF-8.
    StringNotUtf8,
    /// A NUL inside a string.
    NulInString,
    /// Binary subtype 2, with its length twice.
    BinaryOld,
    /// Binary subtype 3, a UUID in a driver's own byte order.
    UuidOld,
    /// Deprecated type 0x06.
    Undefined,
    /// Deprecated type 0x0c.
    DbPointer,
    /// Deprecated type 0x0e.
    Symbol,
    /// Deprecated type 0x0f.
    CodeWithScope,
    /// A date outside of the years 1970 to 9999, which relaxed JSON cannot write as text.
    ExtremeDate,
    /// A truth that is neither 0 nor 1, which a server refuses.
    BadTruth,
    /// More levels than a server stores.
    TooDeep,
    /// More bytes than a server stores for users.
    TooLong,
    /// An embedded document that is damaged, which a server refuses.
    Damaged,
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DuplicateKey => "duplicate key",
            Self::EmptyKey => "empty key",
            Self::DottedKey => "key with a dot",
            Self::DollarKey => "key that begins with $",
            Self::KeyNotUtf8 => "key that is not UTF-8",
            Self::ArrayKeys => "array whose keys are not 0, 1, 2",
            Self::StringNotUtf8 => "string that is not UTF-8",
            Self::NulInString => "string with a NUL",
            Self::BinaryOld => "binary of old subtype 2",
            Self::UuidOld => "UUID of old subtype 3",
            Self::Undefined => "deprecated type undefined",
            Self::DbPointer => "deprecated type dbPointer",
            Self::Symbol => "deprecated type symbol",
            Self::CodeWithScope => "deprecated type code with scope",
            Self::ExtremeDate => "date outside of 1970 to 9999",
            Self::BadTruth => "bool that is neither 0 nor 1",
            Self::TooDeep => "nesting deeper than 180 levels, which a server refuses",
            Self::TooLong => "document longer than 16 MiB, which a server refuses",
            Self::Damaged => "damaged embedded document, which a server refuses",
        })
    }
}

/// Oddities by the path that they were met at.
#[derive(Clone, Debug, Default)]
pub struct Oddities {
    counts: BTreeMap<(String, Oddity), u64>,
    stack: Vec<Level>,
    path: String,
}

/// An open document or array of the one that is walked.
#[derive(Clone, Debug)]
struct Level {
    /// Range of what is not walked yet, its terminator not included.
    at: usize,
    end: usize,
    /// Bytes of the path that lead here.
    path_bytes: usize,
    /// The next index of an array.
    next_index: Option<u64>,
}

impl Oddities {
    /// Of no document.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Walks one document.
    pub fn count(&mut self, document: &[u8]) {
        self.path.clear();
        if document.len() > USER_BYTES_MAX {
            self.meet(Oddity::TooLong);
        }
        self.stack.clear();
        self.open(document, 0, document.len(), None);
        while let Some(level) = self.stack.last_mut() {
            self.path.truncate(level.path_bytes);
            if level.at >= level.end {
                self.stack.pop();
                continue;
            }
            let Ok(bytes) = super::element_bytes(&document[level.at..level.end]) else {
                level.at = level.end;
                self.meet(Oddity::Damaged);
                continue;
            };
            let at = level.at;
            level.at += bytes;
            self.element(document, at, bytes);
        }
    }

    /// What was met, by path and then by kind.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Oddity, u64)> {
        self.counts.iter().map(|((path, oddity), count)| (path.as_str(), *oddity, *count))
    }

    fn open(&mut self, document: &[u8], at: usize, end: usize, next_index: Option<u64>) {
        if self.stack.len() == LEVELS_MAX {
            return;
        }
        let inner = &document[at..end];
        let Ok(elements) = Elements::new(inner) else { return self.meet(Oddity::Damaged) };
        if next_index.is_none() {
            self.duplicates(elements);
        }
        let level = Level { at: at + 4, end: end - 1, path_bytes: self.path.len(), next_index };
        self.stack.push(level);
        if self.stack.len() == DEPTH_MAX + 1 {
            self.meet(Oddity::TooDeep);
        }
    }

    fn duplicates(&mut self, elements: Elements<'_>) {
        let mut names: Vec<&[u8]> = elements.filter_map(Result::ok).map(|element| element.name).collect();
        names.sort_unstable();
        for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
            let path_bytes = self.path.len();
            self.step(pair[0], None);
            self.meet(Oddity::DuplicateKey);
            self.path.truncate(path_bytes);
        }
    }

    fn element(&mut self, document: &[u8], at: usize, bytes: usize) {
        let element = &document[at..at + bytes];
        let name_bytes = element[1..].iter().position(|byte| *byte == 0).unwrap_or(0);
        let (name, value) = (&element[1..=name_bytes], &element[name_bytes + 2..]);
        let value_at = at + name_bytes + 2;
        let index = self.stack.last_mut().and_then(|level| level.next_index.as_mut()).map(|next| {
            *next += 1;
            *next - 1
        });
        let odd_index = index.is_some_and(|index| name != index.to_string().as_bytes());
        if odd_index {
            self.meet(Oddity::ArrayKeys);
        }
        self.step(name, index);
        if index.is_none() {
            self.key(name);
        }
        match element[0] {
            0x03 => self.open(document, value_at, value_at + value.len(), None),
            0x04 => self.open(document, value_at, value_at + value.len(), Some(0)),
            0x0f => self.code_with_scope(document, value_at, value),
            kind => self.value(kind, value),
        }
    }

    /// Adds a key to the path: `.name`, or `[]` for any element of an array.
    fn step(&mut self, name: &[u8], index: Option<u64>) {
        const CUT: &str = "...";
        if self.stack.len() > PATH_LEVELS_MAX || self.path.len() > PATH_BYTES_MAX {
            if !self.path.ends_with(CUT) {
                self.path.push_str(CUT);
            }
            return;
        }
        if index.is_some() {
            self.path.push_str("[]");
            return;
        }
        if !self.path.is_empty() {
            self.path.push('.');
        }
        let shown = &name[..name.len().min(PATH_BYTES_MAX)];
        self.path.extend(String::from_utf8_lossy(shown).chars().flat_map(char::escape_debug));
    }

    fn key(&mut self, name: &[u8]) {
        if name.is_empty() {
            self.meet(Oddity::EmptyKey);
        }
        if name.contains(&b'.') {
            self.meet(Oddity::DottedKey);
        }
        if name.first() == Some(&b'$') {
            self.meet(Oddity::DollarKey);
        }
        if std::str::from_utf8(name).is_err() {
            self.meet(Oddity::KeyNotUtf8);
        }
    }

    fn value(&mut self, kind: u8, value: &[u8]) {
        match (kind, value) {
            (0x02 | 0x0d, value) => self.text(value),
            (0x05, [_, _, _, _, 2, ..]) => self.meet(Oddity::BinaryOld),
            (0x05, [_, _, _, _, 3, ..]) => self.meet(Oddity::UuidOld),
            (0x06, _) => self.meet(Oddity::Undefined),
            (0x08, [truth]) if *truth > 1 => self.meet(Oddity::BadTruth),
            (0x09, value) => {
                /// 10000-01-01T00:00:00Z
                const YEAR_10000_MS: i64 = 253_402_300_800_000;
                let date = value.first_chunk().map(|bytes| i64::from_le_bytes(*bytes));
                if date.is_some_and(|date| !(0..YEAR_10000_MS).contains(&date)) {
                    self.meet(Oddity::ExtremeDate);
                }
            }
            (0x0c, _) => self.meet(Oddity::DbPointer),
            (0x0e, value) => {
                self.meet(Oddity::Symbol);
                self.text(value);
            }
            _ => {}
        }
    }

    fn text(&mut self, value: &[u8]) {
        match value.get(4..) {
            Some([text @ .., 0]) => {
                if std::str::from_utf8(text).is_err() {
                    self.meet(Oddity::StringNotUtf8);
                }
                if text.contains(&0) {
                    self.meet(Oddity::NulInString);
                }
            }
            _ => self.meet(Oddity::Damaged),
        }
    }

    fn code_with_scope(&mut self, document: &[u8], value_at: usize, value: &[u8]) {
        self.meet(Oddity::CodeWithScope);
        let code_bytes =
            value.get(4..).and_then(|code| code.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes));
        let scope_at =
            code_bytes.and_then(|bytes| usize::try_from(bytes).ok()).and_then(|bytes| bytes.checked_add(8));
        match scope_at.filter(|scope_at| scope_at + super::DOCUMENT_BYTES_MIN <= value.len()) {
            Some(scope_at) => self.open(document, value_at + scope_at, value_at + value.len(), None),
            None => self.meet(Oddity::Damaged),
        }
    }

    fn meet(&mut self, oddity: Oddity) {
        const OTHERS: &str = "(other paths)";
        let known = (self.path.clone(), oddity);
        if let Some(count) = self.counts.get_mut(&known) {
            *count += 1;
        } else if self.counts.len() < PATHS_MAX {
            self.counts.insert(known, 1);
        } else {
            *self.counts.entry((OTHERS.to_owned(), oddity)).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::fixture::document;

    fn embedded(kind: u8, name: &str, elements: &[&[u8]]) -> Vec<u8> {
        [&[kind], name.as_bytes(), &[0], &document(elements)].concat()
    }

    fn met(document: &[u8]) -> Vec<String> {
        let mut oddities = Oddities::new();
        oddities.count(document);
        oddities.iter().map(|(path, oddity, count)| format!("{path}: {oddity}: {count}")).collect()
    }

    #[test]
    fn every_oddity_is_counted_at_its_path() {
        let scope: &[u8] = b"\x0fc\0\x13\0\0\0\x02\0\0\0x\0\x09\0\0\0\x08.\0\x02\0";
        for (elements, want) in [
            (&[&b"\x0aa\0"[..], b"\x0ab\0", b"\x0aa\0", b"\x0aa\0"][..], &["a: duplicate key: 2"][..]),
            (&[b"\x0a\0"], &[": empty key: 1"]),
            (&[b"\x0aa.b\0", b"\x0a$c\0"], &["$c: key that begins with $: 1", "a.b: key with a dot: 1"]),
            (&[b"\x0a\xff\0"], &["\u{fffd}: key that is not UTF-8: 1"]),
            (&[b"\x02s\0\x02\0\0\0\xff\0"], &["s: string that is not UTF-8: 1"]),
            (&[b"\x02s\0\x03\0\0\0\0x\0"], &["s: string with a NUL: 1"]),
            (&[b"\x05b\0\x04\0\0\0\x02\0\0\0\0"], &["b: binary of old subtype 2: 1"]),
            (&[b"\x05b\0\0\0\0\0\x03"], &["b: UUID of old subtype 3: 1"]),
            (&[b"\x06u\0"], &["u: deprecated type undefined: 1"]),
            (&[b"\x0cp\0\x02\0\0\0x\x00123456789012"], &["p: deprecated type dbPointer: 1"]),
            (&[b"\x0es\0\x02\0\0\0x\0"], &["s: deprecated type symbol: 1"]),
            (
                &[scope],
                &[
                    "c: deprecated type code with scope: 1",
                    "c..: bool that is neither 0 nor 1: 1",
                    "c..: key with a dot: 1",
                ],
            ),
            (&[b"\x09d\0\xff\xff\xff\xff\xff\xff\xff\xff"], &["d: date outside of 1970 to 9999: 1"]),
            (&[b"\x09d\0\0\0\0\0\0\0\0\0", b"\x01n\0\0\0\0\0\0\0\xf8\x7f"], &[]),
        ] {
            let mut got = met(&document(elements));
            let mut want: Vec<String> = want.iter().map(ToString::to_string).collect();
            got.sort();
            want.sort();
            assert_eq!(got, want);
        }
    }

    #[test]
    fn elements_of_arrays_share_a_path_and_odd_indexes_are_told() {
        let inner = embedded(3, "0", &[b"\x06u\0"]);
        let array = embedded(4, "a", &[&inner, &embedded(3, "1", &[b"\x06u\0"]), b"\x0a7\0"]);
        let want = ["a: array whose keys are not 0, 1, 2: 1", "a[].u: deprecated type undefined: 2"];
        assert_eq!(met(&document(&[&array])), want);
    }

    #[test]
    fn any_depth_is_taken_and_what_no_server_stores_is_told_once_a_document() {
        let mut nested = document(&[]);
        for _ in 1..DEPTH_MAX {
            nested = document(&[&[b"\x03a\0", &nested[..]].concat()]);
        }
        assert_eq!(met(&nested), [""; 0], "180 levels are stored");
        for _ in 0..100_000 {
            nested = document(&[&[b"\x03a\0", &nested[..]].concat()]);
            if nested.len() > 200_000 {
                break;
            }
        }
        let want =
            format!("{}...: nesting deeper than 180 levels, which a server refuses: 1", ["a"; 20].join("."));
        assert_eq!(met(&nested), [want]);
    }

    #[test]
    fn memory_is_bounded_whatever_the_keys_are() {
        let mut oddities = Oddities::new();
        for key in 0..5000 {
            oddities.count(&document(&[format!("\x06{key}{}\0", "x".repeat(5000)).as_bytes()]));
        }
        assert!(oddities.iter().count() <= PATHS_MAX + 1);
        assert!(oddities.iter().all(|(path, _, _)| path.len() <= 2 * PATH_BYTES_MAX));
        assert_eq!(oddities.iter().map(|(_, _, count)| count).sum::<u64>(), 5000);
    }

    proptest::proptest! {
        #[test]
        fn foreign_bytes_never_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
            let mut whole = i32::try_from(bytes.len() + 5).unwrap().to_le_bytes().to_vec();
            whole.extend(&bytes);
            whole.push(0);
            Oddities::new().count(&whole);
            Oddities::new().count(&bytes);
        }
    }
}

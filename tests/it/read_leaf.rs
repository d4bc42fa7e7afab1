//! Reads a leaf image back: the second opinion on whatever builds one.
//!
//! Written from the description of the format and not from a builder, so that a mistake has to be made
//! twice, in two ways, to go unnoticed. Collections only: every key is a packed RecordId without prefix
//! compression, values are documents.

use std::{fmt, fs, path::Path};

/// Page header and block header, in front of the first cell.
pub const HEADERS_BYTES: usize = 28 + 12;

const ROW_LEAF: u8 = 7;
const FLAG_COMPRESSED: u8 = 0x01;
const FLAG_ALL_VALUES_EMPTY: u8 = 0x02;
const FLAG_NO_VALUE_EMPTY: u8 = 0x04;

/// Key and document of each record, in page order.
pub type Records = Vec<(u64, Vec<u8>)>;

/// What is wrong with an image, and at which byte.
#[derive(Debug, PartialEq)]
pub struct LeafError {
    pub at_byte: usize,
    pub what: &'static str,
}

impl fmt::Display for LeafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at_byte, self.what)
    }
}

/// The records of an unpacked leaf image.
///
/// # Errors
///
/// When a header field contradicts the bytes, a cell is of a kind that collections never have, keys do not
/// rise, or the cells do not end where the image does.
pub fn read_leaf(image: &[u8]) -> Result<Records, LeafError> {
    let entries = check_headers(image)?;
    let mut cursor = Cursor { image, at: HEADERS_BYTES };
    let mut records: Records = Vec::new();
    let mut key: Option<u64> = None;
    for _ in 0..entries {
        let at_byte = cursor.at;
        match (cursor.cell()?, key.take()) {
            (Cell::Key(bytes), previous) => {
                if let Some(record_id) = previous {
                    records.push((record_id, Vec::new())); // a key without a value cell: an empty value
                }
                key = Some(record_id(bytes).ok_or(LeafError { at_byte, what: "not a packed RecordId" })?);
            }
            (Cell::Value(bytes), Some(record_id)) => records.push((record_id, bytes.to_vec())),
            (Cell::Value(_), None) => return Err(LeafError { at_byte, what: "a value without a key" }),
        }
    }
    records.extend(key.map(|record_id| (record_id, Vec::new())));
    if cursor.at != image.len() {
        return Err(LeafError { at_byte: cursor.at, what: "bytes behind the last cell" });
    }
    if !records.is_sorted_by(|one, other| one.0 < other.0) {
        return Err(LeafError { at_byte: HEADERS_BYTES, what: "RecordIds do not rise" });
    }
    check_value_flags(image, &records)?;
    Ok(records)
}

/// The number of cells, once both headers make sense.
fn check_headers(image: &[u8]) -> Result<u32, LeafError> {
    if image.len() < HEADERS_BYTES {
        return Err(LeafError { at_byte: image.len(), what: "shorter than its headers" });
    }
    let number = |at: usize| u32::from_le_bytes([image[at], image[at + 1], image[at + 2], image[at + 3]]);
    let known_flags = FLAG_COMPRESSED | FLAG_ALL_VALUES_EMPTY | FLAG_NO_VALUE_EMPTY;
    for (at_byte, fine, what) in [
        (0, image[..8] == [0; 8], "a record number in a row store"),
        (16, number(16) as usize == image.len(), "mem_size is not the length of the image"),
        (24, image[24] == ROW_LEAF, "not a row-store leaf"),
        (25, image[25] & !known_flags == 0, "flags that a collection's leaf never has"),
        (26, image[26] == 0, "the unused byte is used"),
        (27, image[27] <= 1, "a page version from the future"),
        (37, image[37..40] == [0; 3], "unused bytes of the block header are used"),
    ] {
        if !fine {
            return Err(LeafError { at_byte, what });
        }
    }
    Ok(number(20))
}

/// The two hints about empty values must be true where they are given.
fn check_value_flags(image: &[u8], records: &Records) -> Result<(), LeafError> {
    let empty = records.iter().filter(|record| record.1.is_empty()).count();
    let all_empty = image[25] & FLAG_ALL_VALUES_EMPTY != 0;
    let none_empty = image[25] & FLAG_NO_VALUE_EMPTY != 0;
    if all_empty && empty != records.len() || none_empty && empty != 0 {
        return Err(LeafError { at_byte: 25, what: "the flags are wrong about empty values" });
    }
    Ok(())
}

#[derive(Debug, PartialEq)]
enum Cell<'a> {
    Key(&'a [u8]),
    Value(&'a [u8]),
}

struct Cursor<'a> {
    image: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn cell(&mut self) -> Result<Cell<'a>, LeafError> {
        let at_byte = self.at;
        let descriptor = self.byte()?;
        let short_length = usize::from(descriptor >> 2);
        match descriptor & 0b11 {
            0b01 => return Ok(Cell::Key(self.take(short_length)?)),
            0b11 => return Ok(Cell::Value(self.take(short_length)?)),
            0b10 => return Err(LeafError { at_byte, what: "a prefix-compressed key in a collection" }),
            _ => {}
        }
        let (repeats, windowed) = (descriptor & 0x04 != 0, descriptor & 0x08 != 0);
        if windowed {
            self.time_window()?;
        }
        if repeats {
            self.packed()?;
        }
        // A length of 64 or more could not have been short, so it is stored less 64; not so in cells
        // with a second descriptor or a repeat count, which are long whatever their length.
        let bias = if repeats || windowed { 0 } else { 64 };
        let length = usize::try_from(self.packed()?)
            .map_err(|_| LeafError { at_byte, what: "a cell longer than memory" })?
            .saturating_add(bias);
        match descriptor >> 4 {
            5 => Ok(Cell::Key(self.take(length)?)),
            8 => Ok(Cell::Value(self.take(length)?)),
            _ => Err(LeafError { at_byte, what: "a cell that no collection's leaf has" }),
        }
    }

    /// Steps over a second descriptor byte and the fields that it announces.
    fn time_window(&mut self) -> Result<(), LeafError> {
        let at_byte = self.at;
        let fields = self.byte()?;
        if fields & 0x80 != 0 {
            return Err(LeafError { at_byte, what: "an unknown time-window field" });
        }
        // 0x01 says "prepared" and has no field of its own.
        for _ in 0..(fields & !0x01).count_ones() {
            self.packed()?;
        }
        Ok(())
    }

    fn packed(&mut self) -> Result<u64, LeafError> {
        let at_byte = self.at;
        let (value, used) = unpack_integer(&self.image[at_byte..])
            .ok_or(LeafError { at_byte, what: "not a packed unsigned integer" })?;
        self.at += used;
        Ok(value)
    }

    fn byte(&mut self) -> Result<u8, LeafError> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], LeafError> {
        let rest = &self.image[self.at..];
        let bytes = rest
            .get(..length)
            .ok_or(LeafError { at_byte: self.at, what: "cut off in the middle of a cell" })?;
        self.at += length;
        Ok(bytes)
    }
}

/// A packed integer and the bytes that it takes. Negative ones are no part of what is read here: a
/// RecordId starts at 1 and a length at 0.
fn unpack_integer(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    match first {
        0x80..=0xbf => Some((u64::from(first & 0x3f), 1)),
        0xc0..=0xdf => Some((64 + (u64::from(first & 0x1f) << 8) + u64::from(*bytes.get(1)?), 2)),
        0xe0..=0xe8 => {
            let length = usize::from(first & 0x0f);
            let digits = bytes.get(1..=length)?;
            let value = digits.iter().fold(0, |value: u64, digit| value << 8 | u64::from(*digit));
            Some((value.checked_add(8256)?, 1 + length))
        }
        _ => None,
    }
}

/// A key that is one packed integer from its first byte to its last.
fn record_id(key: &[u8]) -> Option<u64> {
    let (value, used) = unpack_integer(key)?;
    (used == key.len()).then_some(value)
}

/// An image around `cells`, with headers that fit them.
fn image_of(cells: &[u8], entries: u32) -> Vec<u8> {
    let mut image = vec![0; HEADERS_BYTES];
    image.extend_from_slice(cells);
    let mem_size = u32::try_from(image.len()).expect("small");
    image[16..20].copy_from_slice(&mem_size.to_le_bytes());
    image[20..24].copy_from_slice(&entries.to_le_bytes());
    image[24] = ROW_LEAF;
    image[27] = 1;
    image
}

/// The lengths at which a packed integer takes one byte more are the ones where document counts decide
/// about sizes, so each side of each of them is here. A value of 8256 is a special case in the format.
#[test]
fn packed_integers_are_read_as_the_format_writes_them() {
    for (bytes, want) in [
        (vec![0x80], 0),
        (vec![0x81], 1),
        (vec![0xbf], 63),
        (vec![0xc0, 0x00], 64),
        (vec![0xc3, 0xa8], 1000),
        (vec![0xdf, 0xff], 8255),
        (vec![0xe1, 0x00], 8256),
        (vec![0xe1, 0x01], 8257),
        (vec![0xe1, 0xff], 8511),
        (vec![0xe2, 0x01, 0x00], 8512),
        (vec![0xe3, 0x01, 0x00, 0x00], 73_792),
    ] {
        assert_eq!(unpack_integer(&bytes), Some((want, bytes.len())), "{bytes:02x?}");
    }
    for bytes in [vec![], vec![0xc0], vec![0xe3, 0x01], vec![0x7f], vec![0xef]] {
        assert_eq!(unpack_integer(&bytes), None, "{bytes:02x?}");
    }
}

/// The same document behind a plain value cell, behind one with a time window (whose length is not
/// reduced by 64), and an empty value both ways.
#[test]
fn cells_with_and_without_time_windows_give_the_same_documents() {
    let document = vec![0xd5; 218];
    let timestamp = [0xe8, 0x65, 0x53, 0xf1, 0x00, 0x00, 0x00, 0x00, 0x01];
    let window = [[0x8c, 0x28].as_slice(), &timestamp, &[0xc0, 0x73]].concat(); // start_ts, start_txn 179

    let plain = [[0x09, 0xc3, 0xa8, 0x80, 0xc0, 0x5a].as_slice(), &document].concat();
    let windowed = [[0x09, 0xc3, 0xa8].as_slice(), &window, &[0x80, 0xc0, 0x9a], &document].concat();
    let empty = [0x09, 0xc3, 0xa8];
    let empty_windowed = [[0x09, 0xc3, 0xa8].as_slice(), &window, &[0x80, 0x80]].concat();
    assert_eq!(empty_windowed.len() - empty.len(), 15);

    for (cells, entries, value) in [
        (plain.as_slice(), 2, document.as_slice()),
        (&windowed, 2, &document),
        (&empty, 1, &[]),
        (&empty_windowed, 2, &[]),
    ] {
        assert_eq!(read_leaf(&image_of(cells, entries)), Ok(vec![(1000, value.to_vec())]), "{cells:02x?}");
    }
}

/// All fields of a time window at once: each is stepped over, "prepared" has none.
#[test]
fn a_window_with_every_field_is_stepped_over() {
    let cells = [0x05, 0x81, 0x8c, 0x7f, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x80, 0x83, b'd', b'o', b'c'];
    assert_eq!(read_leaf(&image_of(&cells, 2)), Ok(vec![(1, b"doc".to_vec())]));
}

/// Each of these is one change away from a good image; a reader that lets one pass cannot be used to
/// judge a builder.
#[test]
fn damaged_images_are_refused_at_the_byte_that_is_wrong() {
    let good = image_of(&[0x05, 0x81, 0x07, 0xaa, 0x05, 0x82, 0x07, 0xbb], 4);
    assert_eq!(read_leaf(&good), Ok(vec![(1, vec![0xaa]), (2, vec![0xbb])]));
    for (at, byte, want_at, why) in [
        (16, 47, 16, "mem_size one too small"),
        (20, 3, 46, "one cell fewer than there are"),
        (20, 5, 48, "one cell more than there are"),
        (24, 6, 24, "an internal page"),
        (25, 0x08, 25, "encrypted"),
        (25, FLAG_ALL_VALUES_EMPTY, 25, "says that all values are empty"),
        (27, 2, 27, "version 2"),
        (40, 0x06, 40, "a prefix-compressed key"),
        (41, 0x01, 40, "no RecordId"),
        (41, 0x83, 40, "RecordIds 3, 2"),
        (42, 0xa0, 42, "an overflow value"),
        (46, 0x0b, 47, "a value that runs over the end"),
    ] {
        let mut image = good.clone();
        image[at] = byte;
        let error = read_leaf(&image).expect_err(why);
        assert_eq!(error.at_byte, want_at, "{why}: {error}");
    }
}

/// Images that servers wrote: cut from real data files and unpacked, told apart by their names. The
/// documents are those of the golden case that the image was cut from, at the place in the
/// collection that the page's keys name.
#[test]
fn leaf_images_that_servers_wrote_hold_the_documents_that_were_inserted() {
    let cases = crate::golden::cases();
    for (file, case, first, records) in [
        ("id-only.bin", "id-only", 7955, 1086), // keys of 8511 and 8512: two bytes, three bytes
        ("logs-uncompressed.bin", "logs-leaf16k", 1, 76), // values with a one-byte and a two-byte length
        ("logs-zstd.bin", "logs-leaf16k", 2669, 232), // was stored packed
        ("hex-replica-set.bin", "hex-1m", 1, 68), // every value has a time window
    ] {
        let case = cases.iter().find(|found| found.name == case).expect("the case is there");
        let documents = case.documents();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/leaf-images").join(file);
        let image = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let got = read_leaf(&image).unwrap_or_else(|error| panic!("{file}: {error}"));
        let wanted: Records = (1..).zip(documents).skip(first - 1).take(records).collect();
        assert_eq!(got, wanted, "{file}");
    }
}

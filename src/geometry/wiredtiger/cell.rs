//! Length and bytes of one cell, and the packed integers in it.

use super::facts;
use super::window::Window;
use crate::record::RecordId;

/// Bytes of an unsigned integer in `WiredTiger`'s packing.
///
/// Source: `__wt_vsize_uint`, `src/include/intpack_inline.h` at tag mongodb-8.0.0.
#[must_use]
pub fn packed_bytes(value: u64) -> u32 {
    if value <= ONE_BYTE_MAX {
        1
    } else if value <= TWO_BYTE_MAX {
        2
    } else {
        1 + tail_bytes(value - TWO_BYTE_MAX - 1)
    }
}

/// Bytes behind the first of a long packed integer. Nothing left to store still takes one.
fn tail_bytes(rest: u64) -> u32 {
    (8 - rest.leading_zeros() / 8).max(1)
}

const ONE_BYTE_MAX: u64 = 63;
const TWO_BYTE_MAX: u64 = ONE_BYTE_MAX + 1 + 0x1fff;

/// Appends an unsigned integer in `WiredTiger`'s packing. A non-negative signed one packs the same.
///
/// Source: `__wt_vpack_uint`, `src/include/intpack_inline.h` at tag mongodb-8.0.0.
#[expect(clippy::cast_possible_truncation, reason = "each byte is masked by its range")]
pub fn pack(value: u64, out: &mut Vec<u8>) {
    if value <= ONE_BYTE_MAX {
        out.push(0x80 | value as u8);
    } else if value <= TWO_BYTE_MAX {
        let rest = value - ONE_BYTE_MAX - 1;
        out.extend_from_slice(&[0xc0 | (rest >> 8) as u8, rest as u8]);
    } else {
        let rest = value - TWO_BYTE_MAX - 1;
        let bytes = tail_bytes(rest);
        out.push(0xe0 | bytes as u8);
        out.extend_from_slice(&rest.to_be_bytes()[8 - bytes as usize..]);
    }
}

/// Longest data of a cell whose descriptor byte holds the length.
const SHORT_BYTES_MAX: u64 = 63;
/// What is taken off a long cell's length before it is packed.
const LONG_BYTES_ADJUST: u64 = SHORT_BYTES_MAX + 1;

const DESCRIPTOR_SHORT_KEY: u8 = 0x01;
const DESCRIPTOR_SHORT_VALUE: u8 = 0x03;
const DESCRIPTOR_LONG_KEY: u8 = 0x50;
const DESCRIPTOR_LONG_VALUE: u8 = 0x80;

/// Bytes of the cookie that says where a block lies: its offset and length in units, and its checksum.
///
/// Source: `__wt_block_addr_pack`, `src/block/block_addr.c` at tag mongodb-8.0.0.
#[must_use]
pub fn cookie_bytes(offset: u64, stored_bytes: u64, unit_bytes: u64) -> u32 {
    packed_bytes(offset / unit_bytes - 1)
        + packed_bytes(stored_bytes.div_ceil(unit_bytes))
        + facts::COOKIE_CHECKSUM_BYTES
}

/// Bytes of a key cell without its data: the descriptor, a byte for the prefix if there is one, and the length
/// of the rest unless the descriptor holds it.
///
/// Source: `__wt_cell_pack_leaf_key` and `__wt_cell_pack_int_key`, `src/include/cell_inline.h` at tag
/// mongodb-8.0.0.
#[must_use]
pub fn key_header_bytes(prefix_bytes: u64, suffix_bytes: u64) -> u32 {
    let length =
        if suffix_bytes <= SHORT_BYTES_MAX { 0 } else { packed_bytes(suffix_bytes - LONG_BYTES_ADJUST) };
    1 + u32::from(prefix_bytes > 0) + length
}

/// Bytes of a collection's key, without its cell: a number packed, or a clustered key as it is.
#[must_use]
pub fn record_id_bytes(record_id: RecordId<'_>) -> u64 {
    match record_id {
        RecordId::Number(number) => packed_bytes(number).into(),
        RecordId::Clustered(bytes) => bytes.len() as u64,
    }
}

/// Appends a collection's key, without its cell.
pub fn push_record_id(record_id: RecordId<'_>, out: &mut Vec<u8>) {
    match record_id {
        RecordId::Number(number) => pack(number, out),
        RecordId::Clustered(bytes) => out.extend_from_slice(bytes),
    }
}

/// Bytes of the key cell of a `RecordId`: a descriptor byte, the length of a long key, and the key.
#[must_use]
pub fn record_id_key_bytes(record_id: RecordId<'_>) -> u64 {
    let bytes = record_id_bytes(record_id);
    u64::from(key_header_bytes(0, bytes)) + bytes
}

/// Appends the key cell of a `RecordId`. Collections know no prefix compression.
///
/// Source: `__wt_cell_pack_leaf_key`, `src/include/cell_inline.h` at tag mongodb-8.0.0.
#[expect(clippy::cast_possible_truncation, reason = "short lengths are at most 63")]
pub fn push_record_id_key(record_id: RecordId<'_>, out: &mut Vec<u8>) {
    let bytes = record_id_bytes(record_id);
    if bytes <= SHORT_BYTES_MAX {
        out.push((bytes as u8) << 2 | DESCRIPTOR_SHORT_KEY);
    } else {
        out.push(DESCRIPTOR_LONG_KEY);
        pack(bytes - LONG_BYTES_ADJUST, out);
    }
    push_record_id(record_id, out);
}

/// Bytes in front of the data of a value cell without time window.
#[must_use]
pub fn value_header_bytes(value_bytes: u64) -> u32 {
    if value_bytes <= SHORT_BYTES_MAX { 1 } else { 1 + packed_bytes(value_bytes - LONG_BYTES_ADJUST) }
}

/// Appends what stands in front of the data of a value cell without time window.
///
/// Source: `__wt_cell_pack_value`, `src/include/cell_inline.h` at tag mongodb-8.0.0.
#[expect(clippy::cast_possible_truncation, reason = "short lengths are at most 63")]
pub fn push_value_header(value_bytes: u64, out: &mut Vec<u8>) {
    if value_bytes <= SHORT_BYTES_MAX {
        out.push((value_bytes as u8) << 2 | DESCRIPTOR_SHORT_VALUE);
    } else {
        out.push(DESCRIPTOR_LONG_VALUE);
        pack(value_bytes - LONG_BYTES_ADJUST, out);
    }
}

/// Bytes of a collection's record on a leaf image: key cell and value cell, with a time window or without.
#[must_use]
pub fn record_bytes<'r>(record_id: impl Into<RecordId<'r>>, window: Option<Window>, value_bytes: u64) -> u64 {
    let header_bytes = match window {
        Some(window) => window.value_header_bytes(value_bytes),
        None => value_header_bytes(value_bytes),
    };
    record_id_key_bytes(record_id.into()) + u64::from(header_bytes) + value_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors stand on both sides of every change of length.
    #[test]
    fn packed_integers_match_bytes_seen_in_real_files() {
        for (value, want) in [
            (0, &b"\x80"[..]),
            (63, b"\xbf"),
            (64, b"\xc0\x00"),
            (8255, b"\xdf\xff"),
            (8256, b"\xe1\x00"),
            (8257, b"\xe1\x01"),
            (8511, b"\xe1\xff"),
            (8512, b"\xe2\x01\x00"),
            (73_791, b"\xe2\xff\xff"),
            (73_792, b"\xe3\x01\x00\x00"),
            (16_785_471, b"\xe3\xff\xff\xff"),
            (16_785_472, b"\xe4\x01\x00\x00\x00"),
            (u64::MAX, b"\xe8\xff\xff\xff\xff\xff\xff\xdf\xbf"),
        ] {
            let mut out = Vec::new();
            pack(value, &mut out);
            assert_eq!(out, want, "{value}");
            assert_eq!(packed_bytes(value) as usize, want.len(), "{value}");
        }
    }

    #[test]
    fn key_and_value_cells_match_bytes_seen_in_real_files() {
        let mut out = Vec::new();
        push_record_id_key(RecordId::Number(1000), &mut out);
        push_value_header(218, &mut out);
        assert_eq!(out, b"\x09\xc3\xa8\x80\xc0\x5a");
        assert_eq!(record_bytes(1000, None, 218), 224);
        for (value_bytes, want) in
            [(63, 1), (64, 2), (127, 2), (128, 3), (8575, 3), (8576, 4), (73_855, 4), (73_856, 5)]
        {
            let mut out = Vec::new();
            push_value_header(value_bytes, &mut out);
            assert_eq!(out.len(), want, "{value_bytes}");
            assert_eq!(value_header_bytes(value_bytes) as usize, want, "{value_bytes}");
        }
    }
}

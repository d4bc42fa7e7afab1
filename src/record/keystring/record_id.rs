//! The record's number at the end of a key, or in front of an `_id_` value.
//!
//! ```text
//!  number   eee vvvvv | e whole bytes | vvvvv eee      e = bytes between the first and the last
//!  bytes    as they are | their count in groups of 7 bits, low group first; 0x80 on all but the first
//! ```
//!
//! Both can be read from the end, which is where a reader of the key stands.
//!
//! # Source
//!
//! `BuilderBase::_appendRecordIdLong`, `_appendRecordIdStr`, `src/mongo/db/storage/key_string.cpp` of MongoDB 6.0.

/// Which document an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordId<'a> {
    /// A collection's usual numbering, from 1.
    Number(u64),
    /// A clustered collection's: the KeyString of `_id` without its end byte.
    Clustered(&'a [u8]),
}

impl From<u64> for RecordId<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

/// Appends a `RecordId` in the form that a key carries.
pub fn append_record_id(record_id: RecordId<'_>, out: &mut Vec<u8>) {
    match record_id {
        RecordId::Number(number) => append_number(number, out),
        RecordId::Clustered(bytes) => {
            out.extend_from_slice(bytes);
            let mut rest = bytes.len();
            let mut continued = 0;
            loop {
                let [group, ..] = (rest & 0x7f).to_le_bytes();
                out.push(group | continued);
                rest >>= 7;
                continued = 0x80;
                if rest == 0 {
                    break;
                }
            }
        }
    }
}

fn append_number(number: u64, out: &mut Vec<u8>) {
    let bits = u64::BITS - number.leading_zeros();
    let between = bits.saturating_sub(10).div_ceil(8); // the first and the last byte hold five bits each
    let low = |value: u64| value.to_le_bytes()[0];
    out.push(low(u64::from(between) << 5) | low(number >> (5 + between * 8)));
    let whole = (number >> 5).to_be_bytes();
    out.extend_from_slice(&whole[whole.len() - between as usize..]);
    out.push(low(number << 3) | low(u64::from(between)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(record_id: RecordId<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        append_record_id(record_id, &mut out);
        out
    }

    /// Read from real index files; the borders are where a byte more is needed.
    #[test]
    fn numbers_take_two_to_nine_bytes() {
        for (number, want) in [
            (1, &[0x00, 0x08][..]),
            (2, &[0x00, 0x10]),
            (56, &[0x01, 0xc0]),
            (1023, &[0x1f, 0xf8]),
            (1024, &[0x20, 0x20, 0x01]),
            (262_143, &[0x3f, 0xff, 0xf9]),
            (262_144, &[0x40, 0x20, 0x00, 0x02]),
            (9_223_372_036_853_727_231, &[0xe3, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff]),
        ] {
            assert_eq!(encoded(RecordId::Number(number)), want, "{number}");
        }
    }

    #[test]
    fn clustered_ids_carry_their_length_low_group_first() {
        assert_eq!(encoded(RecordId::Clustered(&[0x2b, 0x02])), [0x2b, 0x02, 0x02]);
        let long = encoded(RecordId::Clustered(&[0x3c; 1002]));
        assert_eq!(long[1002..], [0x6a, 0x87]);
    }
}

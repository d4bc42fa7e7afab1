//! What a key's bytes leave out so that equal values sort as equal: which type each value had.
//!
//! ```text
//!  code, most significant bit first                        stored form
//!  string 0          symbol 1                              all bits 0     nothing
//!  int32 00          int64 01         double 10            1 byte < 0x80  that byte
//!  decimal 11 + low 6 bits of the biased exponent          n <= 127       0x80|n, n bytes
//!  -0.0 11000        decimal zero 11010 + (w >> 12), 12 bits of w          else  0x80, n as u32, n bytes
//! ```
//!
//! Bits fill each byte from its lowest bit up.
//!
//! # Source
//!
//! `TypeBits`, `src/mongo/db/storage/key_string.h`: `getBuffer`, `appendZero`, `appendDecimalExponent`, MongoDB 6.0.

/// Bytes of data that a single length byte can announce.
const SHORT_FORM_BYTES_MAX: usize = 127;

/// The type bits of one key. Cleared and filled again for the next, so that it allocates once.
#[derive(Clone, Debug, Default)]
pub struct TypeBits {
    data: Vec<u8>,
    bit_count: usize,
    any_set: bool,
}

impl TypeBits {
    /// Forgets the last key.
    pub fn clear(&mut self) {
        self.data.clear();
        self.bit_count = 0;
        self.any_set = false;
    }

    /// The lowest `width` bits of `code`, the most significant of them first.
    pub(super) fn push(&mut self, code: u32, width: u32) {
        for place in (0..width).rev() {
            let bit = u8::from(code >> place & 1 == 1);
            let shift = self.bit_count % 8;
            if shift == 0 {
                self.data.push(bit);
            } else if let Some(last) = self.data.last_mut() {
                *last |= bit << shift;
            }
            self.any_set |= bit == 1;
            self.bit_count += 1;
        }
    }

    /// Appends the stored form; nothing when no bit is set.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        if !self.any_set {
            return;
        }
        match self.data.len() {
            1 if self.data[0] < 0x80 => {}
            bytes @ 1..=SHORT_FORM_BYTES_MAX => out.push(0x80 | u8::try_from(bytes).unwrap_or(0x7f)),
            bytes => {
                out.push(0x80);
                // A key has fewer values than its document has bytes, and that is below 2^25.
                out.extend_from_slice(&u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes());
            }
        }
        out.extend_from_slice(&self.data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(codes: &[(u32, u32)]) -> Vec<u8> {
        let mut bits = TypeBits::default();
        for (code, width) in codes {
            bits.push(*code, *width);
        }
        let mut out = Vec::new();
        bits.append_to(&mut out);
        out
    }

    #[test]
    fn stored_form_depends_on_length_and_on_the_high_bit() {
        assert!(stored(&[]).is_empty());
        assert!(stored(&[(0, 2), (0, 1)]).is_empty(), "all zero");
        assert_eq!(stored(&[(0b10, 2)]), [0x01], "double: first bit set");
        assert_eq!(stored(&[(0b01, 2)]), [0x02], "int64");
        assert_eq!(stored(&[(0, 7), (1, 1)]), [0x81, 0x80], "one byte with its high bit set");
        assert_eq!(stored(&[(0, 1), (0b1110_0000, 8)]), [0x82, 0x0e, 0x00], "trailing zero bits count");
        let long = stored(&[(1, 8); 127]);
        assert_eq!((long.len(), long[0]), (128, 0xff));
        let longer = stored(&[(1, 8); 128]);
        assert_eq!((longer.len(), &longer[..6]), (133, &[0x80, 128, 0, 0, 0, 0x80][..]));
    }
}

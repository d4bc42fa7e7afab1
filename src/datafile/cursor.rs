//! A place in foreign bytes: every step is checked, none allocates.

/// Reads forward. `None` where the bytes end or break the packing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At byte `at` of `bytes`.
    pub(super) fn at(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at: at.min(bytes.len()) }
    }

    /// Bytes from the beginning.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(bytes)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    pub(super) fn take_u64(&mut self, bytes: u64) -> Option<&'a [u8]> {
        self.take(usize::try_from(bytes).ok()?)
    }

    /// An unsigned integer in `WiredTiger`'s packing.
    ///
    /// Source: `__wt_vunpack_uint`, `src/include/intpack_inline.h` at tag mongodb-8.0.0.
    pub(super) fn packed(&mut self) -> Option<u64> {
        const ONE_BYTE_END: u64 = 64;
        const TWO_BYTES_END: u64 = ONE_BYTE_END + 0x2000;
        let first = self.byte()?;
        match first {
            0x80..=0xbf => Some(u64::from(first & 0x3f)),
            0xc0..=0xdf => Some((u64::from(first & 0x1f) << 8 | u64::from(self.byte()?)) + ONE_BYTE_END),
            0xe1..=0xe8 => {
                let tail = self.take(usize::from(first & 0x0f))?;
                let value = tail.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
                value.checked_add(TWO_BYTES_END)
            }
            _ => None,
        }
    }
}

/// The little-endian 32-bit number at `at`, which the caller knows to be there.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|tail| tail.first_chunk()).map_or(0, |four| u32::from_le_bytes(*four))
}

/// The little-endian 64-bit number at `at`; 0 where there is none.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|tail| tail.first_chunk()).map_or(0, |eight| u64::from_le_bytes(*eight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::wiredtiger::cell;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_the_page_model_packs_is_read_back(value: u64, tail: Vec<u8>) {
            let mut bytes = Vec::new();
            cell::pack(value, &mut bytes);
            let packed_bytes = bytes.len();
            bytes.extend(tail);
            let mut cursor = Cursor::at(&bytes, 0);
            prop_assert_eq!(cursor.packed(), Some(value));
            prop_assert_eq!(cursor.position(), packed_bytes);
        }
    }

    #[test]
    fn what_starts_no_packed_integer_or_ends_inside_one_is_refused() {
        for bytes in
            [&b""[..], b"\x00", b"\x7f", b"\xe0", b"\xe9", b"\xff", b"\xc0", b"\xe2\x01", b"\xe8\xff"]
        {
            assert_eq!(Cursor::at(bytes, 0).packed(), None, "{bytes:x?}");
        }
        let largest = b"\xe8\xff\xff\xff\xff\xff\xff\xff\xff";
        assert_eq!(Cursor::at(largest, 0).packed(), None, "beyond 64 bits");
    }
}

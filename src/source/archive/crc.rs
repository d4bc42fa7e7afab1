//! CRC-64/XZ, which a mongodump archive has of each namespace's documents: eight bytes at a time.
//!
//! Source: `crc64.New(crc64.MakeTable(crc64.ECMA))`, common/archive/multiplexer.go, mongo-tools 100.18.

/// ECMA-182's polynomial, reflected.
const POLYNOMIAL: u64 = 0xc96c_5795_d787_0f42;

/// `TABLES[k][b]` is what byte `b` becomes behind `k` further bytes of zero.
static TABLES: [[u64; 256]; 8] = tables();

const fn tables() -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let crc = tables[table - 1][byte];
            tables[table][byte] = crc >> 8 ^ tables[0][(crc & 0xff) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// A checksum under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crc(u64);

impl Crc {
    pub const EMPTY: Self = Self(u64::MAX);

    pub fn add(&mut self, bytes: &[u8]) {
        let (words, tail) = bytes.as_chunks::<8>();
        let mut crc = self.0;
        for word in words {
            let bytes = (crc ^ u64::from_le_bytes(*word)).to_le_bytes();
            crc = bytes
                .iter()
                .zip(TABLES.iter().rev())
                .fold(0, |crc, (byte, table)| crc ^ table[usize::from(*byte)]);
        }
        for byte in tail {
            let [low, ..] = crc.to_le_bytes();
            crc = crc >> 8 ^ TABLES[0][usize::from(low ^ byte)];
        }
        self.0 = crc;
    }

    pub fn value(self) -> u64 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: the catalogue of parametrised CRC algorithms, CRC-64/XZ.
    #[test]
    fn the_check_value_of_the_catalogue_comes_out_however_the_bytes_are_cut() {
        const DIGITS: &[u8] = b"123456789";
        for cut in 0..=DIGITS.len() {
            let mut crc = Crc::EMPTY;
            crc.add(&DIGITS[..cut]);
            crc.add(&DIGITS[cut..]);
            assert_eq!(crc.value(), 0x995d_c9bb_df19_39fa);
        }
        assert_eq!(Crc::EMPTY.value(), 0);
    }
}

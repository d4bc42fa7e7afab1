//! PNG as small as it needs to be: one 8-bit RGB image, deflated by the zlib that this crate links for its sizes.
//!
//! Written here because the `png` crate deflates with `miniz_oxide`, which this project bans from its binaries
//! (deny.toml): two zlibs of different output behind one name.
//!
//! Source: Portable Network Graphics Specification, third edition, W3C 2025, sections 5.3 (chunks), 11.2 (IHDR,
//! IDAT, IEND) and 9.2 (filters).

use flate2::{Compression, write::ZlibEncoder};
use std::io::Write;

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// 8 bits a sample, truecolour, deflate, adaptive filters, not interlaced.
const FORMAT: [u8; 5] = [8, 2, 0, 0, 0];
const CHANNELS: usize = 3;
/// Filter `Up`: each sample less the one above it. Plots are flat, so most become 0.
const FILTER_UP: u8 = 2;

/// The file of an image of `width` × `height` px, given as rows of red, green and blue.
///
/// # Panics
///
/// If `rgb` is not 3 × `width` × `height` bytes: the caller's sum is wrong.
#[must_use]
pub fn encode(width: u32, height: u32, rgb: &[u8]) -> Vec<u8> {
    let row_bytes = usize::try_from(width).unwrap_or(usize::MAX).saturating_mul(CHANNELS);
    let rows = usize::try_from(height).unwrap_or(usize::MAX);
    assert_eq!(row_bytes.checked_mul(rows), Some(rgb.len()), "a sample for each channel of each pixel");
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend(FORMAT);
    let mut file = SIGNATURE.to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &deflated(row_bytes, rgb));
    chunk(&mut file, *b"IEND", &[]);
    file
}

/// Length, name, data, and the check sum of name and data.
fn chunk(file: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("an image of a plot is far below 4 GiB");
    file.extend(length.to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend(data);
    let sum = crc32fast::hash(&file[start..]);
    file.extend(sum.to_be_bytes());
}

fn deflated(row_bytes: usize, rgb: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut above = vec![0; row_bytes];
    let mut line = Vec::with_capacity(row_bytes + 1);
    for row in rgb.chunks_exact(row_bytes.max(1)) {
        line.clear();
        line.push(FILTER_UP);
        line.extend(row.iter().zip(&above).map(|(sample, above)| sample.wrapping_sub(*above)));
        encoder.write_all(&line).expect("memory takes what is written");
        above.copy_from_slice(row);
    }
    encoder.finish().expect("memory takes what is written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// Chunks as name and data, check sums looked at.
    fn chunks(file: &[u8]) -> Vec<(String, Vec<u8>)> {
        let (mut rest, mut found) = (&file[8..], Vec::new());
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            let sum = u32::from_be_bytes(rest[8 + length..12 + length].try_into().unwrap());
            assert_eq!(sum, crc32fast::hash(&rest[4..8 + length]));
            found.push((String::from_utf8(rest[4..8].to_vec()).unwrap(), rest[8..8 + length].to_vec()));
            rest = &rest[12 + length..];
        }
        found
    }

    #[test]
    fn an_image_comes_back_from_its_file() {
        let rgb: Vec<u8> = (0..2 * 3 * 3).map(|sample| sample * 14).collect();
        let file = encode(2, 3, &rgb);
        assert!(file.starts_with(&SIGNATURE));
        let chunks = chunks(&file);
        let names: Vec<_> = chunks.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["IHDR", "IDAT", "IEND"]);
        assert_eq!(chunks[0].1, [0, 0, 0, 2, 0, 0, 0, 3, 8, 2, 0, 0, 0]);
        let mut lines = Vec::new();
        flate2::read::ZlibDecoder::new(chunks[1].1.as_slice()).read_to_end(&mut lines).unwrap();
        let mut back: Vec<u8> = Vec::new();
        for (row, line) in lines.chunks_exact(7).enumerate() {
            assert_eq!(line[0], FILTER_UP);
            for (column, sample) in line[1..].iter().enumerate() {
                let above = if row == 0 { 0 } else { back[(row - 1) * 6 + column] };
                back.push(sample.wrapping_add(above));
            }
        }
        assert_eq!(back, rgb);
    }
}

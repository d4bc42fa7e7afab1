//! One bzip2 stream of a single small block.

use super::Codec;
use ::bzip2::{Action, Compress, Compression, Decompress, Status};

/// The bzip2 encoder, with blocks of 100 kB. Its state is made anew for each input.
#[derive(Debug, Default)]
pub struct Bzip2;

/// `blockSize100k` and `workFactor`. Source: `fil_page_compress_low`, `storage/innobase/fil/fil0pagecompress.cc` of
/// `MariaDB` 10.11 (block size 1, no work factor: the library's own, 30).
const BLOCK_SIZE: u32 = 1;
const WORK_FACTOR: u32 = 0;

impl Codec for Bzip2 {
    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        // bzip2's own bound: a hundredth more, and 600 bytes.
        out.reserve(input.len() + input.len() / 100 + 600);
        let mut stream = Compress::new(Compression::new(BLOCK_SIZE), WORK_FACTOR);
        let done = matches!(stream.compress_vec(input, out, Action::Finish), Ok(Status::StreamEnd));
        if !done {
            out.clear();
        }
        done
    }

    fn unpack(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        out.reserve(raw_bytes);
        // The fast algorithm: memory is no question at these sizes.
        let mut stream = Decompress::new(SMALL_MEMORY);
        let done =
            matches!(stream.decompress_vec(packed, out), Ok(Status::StreamEnd)) && out.len() == raw_bytes;
        if !done {
            out.clear();
        }
        done
    }
}

const SMALL_MEMORY: bool = false;

/// Of the C sources in the pinned `bzip2-sys`, which does not export the library's own answer.
pub(super) fn library_version() -> String {
    "1.0.8".to_owned()
}

//! Memory does not grow with the input.
//!
//! A process's high-water mark depends on the allocator and the machine, and a counting allocator needs unsafe
//! code. What *could* grow is known, though: the buffers of segments, which a source is handed and so can watch
//! (here); the images kept for timing, in number and bytes (`pipeline/speed.rs`); the pages that lanes hold on to
//! (`pipeline/schedule.rs`). Readers are held to their buffers in `source`.

use pagepress::{
    codec::CodecKind,
    estimate::LoadState,
    geometry::wiredtiger::{Release, TableConfig},
    pipeline::{Plan, estimate_collection},
    source::{Skipped, Source, SourceError},
};
use std::num::NonZeroUsize;

/// Makes documents of `document_bytes` until `bytes_left` are used up, and watches what it is handed.
struct Endless {
    document: Vec<u8>,
    bytes_left: usize,
    bytes_made: u64,
    capacity_max: usize,
    skipped: Skipped,
}

impl Endless {
    fn new(document_bytes: usize, bytes: usize) -> Self {
        let mut document = u32::try_from(document_bytes).unwrap().to_le_bytes().to_vec();
        document.extend(b"\x05_id\0");
        document.extend(u32::try_from(document_bytes - 15).unwrap().to_le_bytes());
        document.resize(document_bytes, 0);
        Self { document, bytes_left: bytes, bytes_made: 0, capacity_max: 0, skipped: Skipped::default() }
    }
}

impl Source for Endless {
    fn name(&self) -> &'static str {
        "endless"
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        self.capacity_max = self.capacity_max.max(out.capacity());
        if self.bytes_left < self.document.len() {
            return Ok(None);
        }
        self.bytes_left -= self.document.len();
        self.bytes_made += self.document.len() as u64;
        out.extend_from_slice(&self.document);
        Ok(Some(self.document.len()))
    }

    fn document_offset(&self) -> u64 {
        self.bytes_made - self.document.len() as u64
    }

    fn position(&self) -> u64 {
        self.bytes_made
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }

    fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

#[test]
fn buffers_hold_one_memory_page_whatever_the_inputs_length() {
    const INPUT_BYTES: usize = 300 << 20;
    let plan = Plan {
        loads: vec![LoadState::Settled],
        codecs: vec![CodecKind::None],
        // Keys of an index are held to their end, up to a bound of their own.
        indexes: Vec::new(),
        threads: NonZeroUsize::new(2).unwrap(),
        ..Plan::new(TableConfig::collection(Release::NEWEST))
    };
    for (document_bytes, buffer_bytes_max, why) in [
        (1000, 16 << 20, "8 MiB, doubled on the way"),
        (16 << 20, 64 << 20, "a page that is not yet forced out takes one more document, and doubles"),
    ] {
        let mut source = Endless::new(document_bytes, INPUT_BYTES);
        let estimate = estimate_collection("endless", &mut source, &plan, &mut |_| ()).unwrap();
        assert_eq!(estimate.documents, (INPUT_BYTES / document_bytes) as u64);
        assert!(source.capacity_max <= buffer_bytes_max, "{why}: {} B", source.capacity_max);
    }
}

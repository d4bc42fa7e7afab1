//! Outcomes of segments as bytes: whole numbers of seven bits a byte, in zstd frames. docs/DISTRIBUTED.md has the
//! layout.
//!
//! What is read may come from anywhere: every count is held against what follows from others, and nothing is set aside
//! for what was not read yet.

use super::outcomes::{CutPacked, Cuts, PagePacked, SegmentOutcomes};
use crate::codec::{CodecKind, ZstdLevel};
use crate::geometry::wiredtiger::{facts, index::IndexEntries, reconcile::Chunk};
use crate::pipeline::indexes::IndexSegment;
use crate::units::PackedBytes;

/// A frame ends behind the segment that makes it as long as that, unpacked.
const FRAME_BYTES: usize = 1 << 20;
/// What a frame may unpack to: one segment of the largest memory page, under every codec at once.
const FRAME_BYTES_MAX: u64 = 1 << 30;
/// Bytes that an image may have: no document is larger than 16 MiB, and no page target than 512 MiB.
const IMAGE_BYTES_MAX: u64 = 1 << 31;
/// Longer keys stand in no index: 64 MiB is four times the largest document.
const KEY_BYTES_MAX: u64 = 64 << 20;

/// Bytes that are no outcomes of a part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct FrameFault {
    /// What is wrong with them.
    pub what: String,
}

impl FrameFault {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

/// Collects segments into frames.
pub struct FrameWriter {
    raw: Vec<u8>,
    frames: Vec<Vec<u8>>,
}

impl FrameWriter {
    /// Without segments.
    pub fn new() -> Self {
        Self { raw: Vec::new(), frames: Vec::new() }
    }

    /// Adds the next segment, in front of which there are so many documents.
    pub fn push(&mut self, outcomes: &SegmentOutcomes, documents_before: u64) {
        write_segment(outcomes, documents_before, &mut self.raw);
        if self.raw.len() >= FRAME_BYTES {
            self.end_frame();
        }
    }

    fn end_frame(&mut self) {
        let mut packed = Vec::new();
        let mut encoder = CodecKind::Zstd(ZstdLevel::SERVER).encoder().expect("zstd packs");
        encoder.pack(&self.raw, &mut packed);
        let mut frame = Vec::with_capacity(packed.len() + 4);
        push(self.raw.len() as u64, &mut frame);
        frame.extend_from_slice(&packed);
        self.frames.push(frame);
        self.raw.clear();
    }

    /// All frames.
    pub fn finish(mut self) -> Vec<Vec<u8>> {
        if !self.raw.is_empty() {
            self.end_frame();
        }
        self.frames
    }
}

/// Unpacks a frame.
pub fn unpack(frame: &[u8]) -> Result<Vec<u8>, FrameFault> {
    let mut reader = Reader::new(frame);
    let raw_bytes = reader.number_up_to("a frame's length", FRAME_BYTES_MAX)?;
    let mut raw = Vec::new();
    let mut encoder = CodecKind::Zstd(ZstdLevel::SERVER).encoder().expect("zstd packs");
    let unpacked = encoder.unpack(reader.rest, usize::try_from(raw_bytes).unwrap_or(usize::MAX), &mut raw);
    if unpacked { Ok(raw) } else { Err(FrameFault::new("a frame of its outcomes cannot be unpacked")) }
}

fn push(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn write_segment(outcomes: &SegmentOutcomes, documents_before: u64, out: &mut Vec<u8>) {
    let SegmentOutcomes { records, bson_bytes, states, tables, indexes } = outcomes;
    push(*records, out);
    push(*bson_bytes, out);
    for Cuts { cuts, at } in states {
        push(cuts.len() as u64, out);
        for chunks in cuts {
            push(chunks.len() as u64, out);
            for chunk in chunks {
                push(chunk.records.into(), out);
                push(chunk.image_bytes, out);
            }
        }
        push(at.len() as u64, out);
        for (bytes, cut) in at {
            push((*bytes).into(), out);
            push(*cut as u64, out);
        }
    }
    for pages in tables.iter().flatten() {
        push(u64::from(!pages.is_empty()), out);
        for page in pages {
            push(
                match page {
                    PagePacked::Unknown => 0,
                    PagePacked::Raw => 1,
                    PagePacked::Packed(bytes) => bytes.0 + 2,
                },
                out,
            );
        }
    }
    let first_document = document_of(documents_before);
    for index in indexes {
        write_index(index, first_document, out);
    }
}

/// As an index counts documents: those behind 2^32 as one.
fn document_of(documents_before: u64) -> u32 {
    u32::try_from(documents_before).unwrap_or(u32::MAX)
}

fn write_index(index: &IndexSegment, first_document: u32, out: &mut Vec<u8>) {
    let IndexSegment { keys, key_bytes, refused, entries } = index;
    for number in [*keys, *key_bytes, *refused, entries.len() as u64] {
        push(number, out);
    }
    let mut document = first_document;
    for entry in (0..entries.len()).map(|entry| entries.stored(entry)) {
        push((entry.document - document).into(), out);
        document = entry.document;
        push(entry.value_bytes.into(), out);
        push(entry.record_id_bytes.into(), out);
        push(entry.key.len() as u64, out);
        out.extend_from_slice(entry.key);
    }
}

/// What every segment of a part has.
pub struct Expected<'e> {
    /// By table: its state, if it packs at all.
    pub tables: &'e [usize],
    /// How many states.
    pub states: usize,
    /// By index: whether its entries have ghosts.
    pub ghosts: &'e [bool],
}

/// Reads segments off an unpacked frame.
pub struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    /// At the first.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    fn number(&mut self) -> Result<u64, FrameFault> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let Some((byte, rest)) = self.rest.split_first() else {
                return Err(FrameFault::new("its outcomes end within a number"));
            };
            self.rest = rest;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if *byte < 0x80 {
                return Ok(number);
            }
        }
        Err(FrameFault::new("a number of its outcomes has more than 64 bits"))
    }

    fn number_up_to(&mut self, what: &str, max: u64) -> Result<u64, FrameFault> {
        let number = self.number()?;
        if number <= max {
            Ok(number)
        } else {
            Err(FrameFault::new(format!("{what} is {number}, above {max}")))
        }
    }

    /// A count of what takes a byte or more each, so that no more can follow than bytes do.
    fn count(&mut self, what: &str) -> Result<usize, FrameFault> {
        let left = self.rest.len();
        let number = self.number()?;
        usize::try_from(number).ok().filter(|count| *count <= left).ok_or_else(|| {
            FrameFault::new(format!("{what}: {number} are announced, and {left} bytes follow"))
        })
    }

    fn bytes(&mut self, count: usize) -> Result<&'b [u8], FrameFault> {
        let Some((bytes, rest)) = self.rest.split_at_checked(count) else {
            return Err(FrameFault::new("its outcomes end within a key"));
        };
        self.rest = rest;
        Ok(bytes)
    }

    /// The next segment, in front of which there are so many documents.
    pub fn segment(
        &mut self,
        expected: &Expected<'_>,
        documents_before: u64,
    ) -> Result<SegmentOutcomes, FrameFault> {
        let records = self.number_up_to("a segment's number of records", u32::MAX.into())?;
        let bson_bytes = self.number_up_to("a segment's BSON", 1 << 40)?;
        if records == 0 {
            return Err(FrameFault::new("a segment has no records"));
        }
        let states = (0..expected.states).map(|_| self.cuts(records)).collect::<Result<Vec<_>, _>>()?;
        let mut tables = Vec::new();
        for state in expected.tables {
            let pages: Result<Vec<CutPacked>, _> =
                states[*state].cuts.iter().map(|chunks| self.packed(chunks)).collect();
            tables.push(pages?);
        }
        let first_document = document_of(documents_before);
        let indexes: Result<Vec<IndexSegment>, _> =
            expected.ghosts.iter().map(|ghosts| self.index(first_document, *ghosts)).collect();
        Ok(SegmentOutcomes { records, bson_bytes, states, tables, indexes: indexes? })
    }

    fn cuts(&mut self, records: u64) -> Result<Cuts, FrameFault> {
        let count = self.count("cuts of a segment")?;
        let mut cuts: Vec<Vec<Chunk>> = Vec::new();
        let mut cell_bytes = None;
        for _ in 0..count {
            let chunks = self.chunks()?;
            let header = u64::from(facts::HEADER_BYTES);
            let of_records: u64 = chunks.iter().map(|chunk| u64::from(chunk.records)).sum();
            let of_cells: u64 = chunks.iter().map(|chunk| chunk.image_bytes - header).sum();
            if of_records != records || *cell_bytes.get_or_insert(of_cells) != of_cells {
                return Err(FrameFault::new("pages of a segment do not hold its records"));
            }
            cuts.push(chunks);
        }
        let sizes = self.count("image sizes of a segment")?;
        let mut at: Vec<(u32, usize)> = Vec::new();
        for _ in 0..sizes {
            let bytes = self.number_up_to("an image size", u32::MAX.into())?;
            let cut = self.number_up_to("a cut's position", u32::MAX.into())?;
            let (bytes, cut) =
                (u32::try_from(bytes).unwrap_or(0), usize::try_from(cut).unwrap_or(usize::MAX));
            if cut >= cuts.len() || at.last().is_some_and(|(last, _)| *last >= bytes) {
                return Err(FrameFault::new("image sizes of a segment are out of order or lead nowhere"));
            }
            at.push((bytes, cut));
        }
        Ok(Cuts { cuts, at })
    }

    fn chunks(&mut self) -> Result<Vec<Chunk>, FrameFault> {
        let pages = self.count("pages of a segment")?;
        let mut chunks = Vec::new();
        for page in 0..pages {
            let records = self.number_up_to("a page's number of records", u32::MAX.into())?;
            let image_bytes = self.number_up_to("a page's image", IMAGE_BYTES_MAX)?;
            let records = u32::try_from(records).unwrap_or(0);
            if records == 0 || image_bytes <= facts::HEADER_BYTES.into() {
                return Err(FrameFault::new("a page of a segment has no records"));
            }
            chunks.push(Chunk { records, held_back: 0, image_bytes, last: page + 1 == pages });
        }
        Ok(chunks)
    }

    fn packed(&mut self, chunks: &[Chunk]) -> Result<CutPacked, FrameFault> {
        if self.number_up_to("a cut's mark", 1)? == 0 {
            return Ok(Vec::new());
        }
        let mut pages = Vec::new();
        for chunk in chunks {
            pages.push(match self.number()? {
                0 => PagePacked::Unknown,
                1 => PagePacked::Raw,
                bytes if bytes - 2 <= chunk.image_bytes => PagePacked::Packed(PackedBytes(bytes - 2)),
                bytes => {
                    let (packed, image) = (bytes - 2, chunk.image_bytes);
                    return Err(FrameFault::new(format!("a page of {image} bytes is packed to {packed}")));
                }
            });
        }
        Ok(pages)
    }

    fn index(&mut self, first_document: u32, has_ghosts: bool) -> Result<IndexSegment, FrameFault> {
        let keys = self.number_up_to("keys of a segment", 1 << 40)?;
        let key_bytes = self.number_up_to("bytes of keys of a segment", 1 << 48)?;
        let refused = self.number_up_to("documents refused of a segment", u32::MAX.into())?;
        let held = self.count("entries of a segment")?;
        let mut entries = IndexEntries::new();
        let (mut document, mut held_bytes) = (first_document, 0);
        for _ in 0..held {
            let step = self.number_up_to("a step of documents", u32::MAX.into())?;
            document = document.saturating_add(u32::try_from(step).unwrap_or(u32::MAX));
            let value_bytes = self.number_up_to("a value's length", u16::MAX.into())?;
            let record_id_bytes = self.number_up_to("a record id's length", u16::MAX.into())?;
            let length = self.number_up_to("a key's length", KEY_BYTES_MAX)?;
            let key = self.bytes(usize::try_from(length).unwrap_or(usize::MAX))?;
            held_bytes += length;
            let [value_bytes, record_id_bytes] =
                [value_bytes, record_id_bytes].map(|bytes| usize::try_from(bytes).unwrap_or(0));
            if has_ghosts {
                entries.push_unique(key, record_id_bytes, value_bytes, document);
            } else {
                entries.push(key, value_bytes, document);
            }
        }
        if held > 0 && (held as u64, held_bytes) != (keys, key_bytes) {
            return Err(FrameFault::new("entries of an index are not as many as its keys"));
        }
        Ok(IndexSegment { keys, key_bytes, refused, entries })
    }
}

//! LZO1X-1, in our own words: greedy matches of four bytes and more through one hash table without chains.
//!
//! What an encoder of this family finds depends on the size of that table alone, so one encoder stands for the
//! kernel's and for the library's. The format is that of every LZO1X decoder.

use super::Codec;

/// Logarithm of the hash table's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LzoTable(u32);

impl LzoTable {
    /// Linux. Source: `D_BITS`, `lib/lzo/lzodefs.h` at tag v6.12.
    pub const KERNEL: Self = Self(13);
    /// `lzo1x_1` of liblzo2 2.10.
    pub const LIBRARY: Self = Self(14);
    /// `lzo1x_1_15` of liblzo2 2.10, which `MariaDB` calls. Its name is the size of its table: 2^13 entries of 4 bytes.
    ///
    /// Source: measured, byte for byte.
    pub const LIBRARY_15: Self = Self(13);

    fn slot(self, word: u32) -> usize {
        (word.wrapping_mul(0x1824_429d) >> (32 - self.0)) as usize
    }
}

/// The shortest match.
const MATCH_BYTES_MIN: usize = 4;
/// No match begins in the last bytes of an input.
const TAIL_BYTES: usize = 20;
/// Matches up to this length and distance have a code of two bytes.
const SHORT_BYTES_MAX: usize = 8;
const SHORT_DISTANCE_MAX: usize = 0x800;
/// Lengths that fit into the first byte of a code of three, and its largest distance.
const NEAR_BYTES_MAX: usize = 33;
const NEAR_DISTANCE_MAX: usize = 0x4000;
const FAR_BYTES_MAX: usize = 9;
/// Input is packed in blocks of this size, each with an empty table: the largest distance there is a code for.
const BLOCK_BYTES: usize = 0xc000;
/// What ends a stream.
const END: [u8; 3] = [0x11, 0, 0];

/// The encoder.
pub struct Lzo {
    table: LzoTable,
    /// Places in the block, by hash; 0 is the block's first byte and "nothing" at once.
    places: Vec<u16>,
}

impl Lzo {
    /// With its table.
    #[must_use]
    pub fn new(table: LzoTable) -> Self {
        Self { table, places: vec![0; 1 << table.0] }
    }

    /// Packs one block behind what is in `out`. `pending` literals end where it starts. Returns the literals that
    /// are pending now.
    fn block(&mut self, input: &[u8], start: usize, pending: usize, out: &mut Vec<u8>) -> usize {
        let end = (start + BLOCK_BYTES).min(input.len());
        let last = end - TAIL_BYTES;
        self.places.fill(0);
        let mut literals = start - pending;
        let mut at = start + MATCH_BYTES_MIN.saturating_sub(pending) + 1;
        while at < last {
            let word = word(input, at);
            let slot = &mut self.places[self.table.slot(word)];
            let from = start + usize::from(*slot);
            *slot = u16::try_from(at - start).expect("a block is below 64 KiB");
            if word != self::word(input, from) {
                // What was already passed within this block decides how far is skipped.
                at += 1 + ((at - literals.max(start)) >> 5);
                continue;
            }
            push_literals(&input[literals..at], out);
            let bytes = match_bytes(input, from, at, last);
            push_match(bytes, at - from, out);
            at += bytes;
            literals = at;
        }
        end - literals
    }
}

fn word(input: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([input[at], input[at + 1], input[at + 2], input[at + 3]])
}

/// How far two places agree, eight bytes a step; no step begins at or behind `last`.
fn match_bytes(input: &[u8], from: usize, at: usize, last: usize) -> usize {
    let mut bytes = MATCH_BYTES_MIN;
    loop {
        let equal = (0..8).take_while(|i| input[from + bytes + i] == input[at + bytes + i]).count();
        bytes += equal;
        if equal < 8 || at + bytes >= last {
            return bytes;
        }
    }
}

/// A run of literals behind whatever came before.
fn push_literals(literals: &[u8], out: &mut Vec<u8>) {
    let bytes = literals.len();
    match bytes {
        0 => return,
        // Up to three ride in the low bits of the match before.
        1..=3 => {
            let at = out.len() - 2;
            out[at] |= low_byte(bytes);
        }
        4..=18 => out.push(low_byte(bytes - 3)),
        _ => {
            out.push(0);
            push_length(bytes - 18, out);
        }
    }
    out.extend_from_slice(literals);
}

/// A length that did not fit: zeroes for each 255, then the rest, 1 to 255.
fn push_length(mut rest: usize, out: &mut Vec<u8>) {
    while rest > 255 {
        rest -= 255;
        out.push(0);
    }
    out.push(low_byte(rest));
}

fn push_match(bytes: usize, distance: usize, out: &mut Vec<u8>) {
    if bytes <= SHORT_BYTES_MAX && distance <= SHORT_DISTANCE_MAX {
        let distance = distance - 1;
        out.push(low_byte((bytes - 1) << 5 | (distance & 7) << 2));
        out.push(low_byte(distance >> 3));
        return;
    }
    let (marker, distance, bytes_max) = if distance <= NEAR_DISTANCE_MAX {
        (0x20, distance - 1, NEAR_BYTES_MAX)
    } else {
        let distance = distance - NEAR_DISTANCE_MAX;
        (0x10 | (distance >> 11) & 8, distance, FAR_BYTES_MAX)
    };
    if bytes <= bytes_max {
        out.push(low_byte(marker | (bytes - 2)));
    } else {
        out.push(low_byte(marker));
        push_length(bytes - bytes_max, out);
    }
    out.push(low_byte(distance << 2));
    out.push(low_byte(distance >> 6));
}

fn low_byte(value: usize) -> u8 {
    value.to_le_bytes()[0]
}

impl Codec for Lzo {
    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        let (mut start, mut pending) = (0, 0);
        while input.len() - start > TAIL_BYTES {
            pending = self.block(input, start, pending, out);
            start = (start + BLOCK_BYTES).min(input.len());
        }
        let literals = &input[start - pending..];
        if out.is_empty() && (1..=238).contains(&literals.len()) {
            // A stream may begin with a run whose length stands above the end mark's value.
            out.push(low_byte(17 + literals.len()));
            out.extend_from_slice(literals);
        } else {
            push_literals(literals, out);
        }
        out.extend_from_slice(&END);
        true
    }

    fn unpack(&mut self, packed: &[u8], raw_bytes: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        let done = Unpacker { packed, at: 0, raw_bytes, out }.run().is_some() && out.len() == raw_bytes;
        if !done {
            out.clear();
        }
        done
    }
}

/// Reads a stream; `None` where it is not one.
struct Unpacker<'a> {
    packed: &'a [u8],
    at: usize,
    raw_bytes: usize,
    out: &'a mut Vec<u8>,
}

impl Unpacker<'_> {
    fn run(mut self) -> Option<()> {
        let first = usize::from(*self.packed.first()?);
        // Literals just before the next code: they decide what a code below 16 means.
        let mut before = 0;
        if first > 17 {
            self.at = 1;
            before = first - 17;
            self.literals(before)?;
        }
        loop {
            let code = self.byte()?;
            let (bytes, distance, trailing) = match code {
                64.. => {
                    let high = self.byte()?;
                    ((code >> 5) + 1, (high << 3 | (code >> 2) & 7) + 1, code & 3)
                }
                32.. => {
                    let bytes = if code == 32 { 31 + self.length()? } else { code & 31 };
                    let (distance, trailing) = self.distance()?;
                    (bytes + 2, distance + 1, trailing)
                }
                16.. => {
                    let bytes = match code & 7 {
                        0 => 7 + self.length()?,
                        bytes => bytes,
                    };
                    let (distance, trailing) = self.distance()?;
                    let distance = distance + ((code & 8) << 11);
                    if distance == 0 {
                        return (bytes == 1 && self.at == self.packed.len()).then_some(());
                    }
                    (bytes + 2, distance + NEAR_DISTANCE_MAX, trailing)
                }
                _ if before == 0 => {
                    let bytes = if code == 0 { 15 + self.length()? } else { code };
                    before = bytes + 3;
                    self.literals(before)?;
                    continue;
                }
                _ => {
                    let distance = (self.byte()? << 2 | code >> 2) + 1;
                    let is_run = before > 3;
                    let beyond = if is_run { SHORT_DISTANCE_MAX } else { 0 };
                    (if is_run { 3 } else { 2 }, distance + beyond, code & 3)
                }
            };
            self.copy(bytes, distance)?;
            self.literals(trailing)?;
            before = trailing;
        }
    }

    fn byte(&mut self) -> Option<usize> {
        let byte = *self.packed.get(self.at)?;
        self.at += 1;
        Some(usize::from(byte))
    }

    fn length(&mut self) -> Option<usize> {
        let mut length = 0;
        loop {
            match self.byte()? {
                0 => length += 255,
                rest => return Some(length + rest),
            }
        }
    }

    fn distance(&mut self) -> Option<(usize, usize)> {
        let (low, high) = (self.byte()?, self.byte()?);
        Some((low >> 2 | high << 6, low & 3))
    }

    fn literals(&mut self, bytes: usize) -> Option<()> {
        let run = self.packed.get(self.at..self.at.checked_add(bytes)?)?;
        self.has_room(bytes)?;
        self.out.extend_from_slice(run);
        self.at += bytes;
        Some(())
    }

    fn copy(&mut self, bytes: usize, distance: usize) -> Option<()> {
        self.has_room(bytes)?;
        let from = self.out.len().checked_sub(distance)?;
        // Byte by byte: a match may overlap what it makes.
        for at in from..from + bytes {
            self.out.push(self.out[at]);
        }
        Some(())
    }

    fn has_room(&self, bytes: usize) -> Option<()> {
        (bytes <= self.raw_bytes - self.out.len()).then_some(())
    }
}

//! A forward window over a byte stream, and where in the input a byte stands.
//!
//! The readers of text share it. It holds one buffer, whatever the input says about itself; newlines are
//! counted a buffer at a time, so that lines and columns cost nothing until an error asks for them.

use std::io::{self, Read};

/// A place in an input, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Bytes before it.
    pub offset: u64,
    /// From 1.
    pub line: u64,
    /// From 1, in bytes.
    pub column: u64,
}

/// The window. [`Input::rest`] is what is buffered and not yet consumed.
pub(super) struct Input<R> {
    reader: R,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
    /// Of `buffer[0]` in the input, and the line that it stands in.
    base: Place,
    /// Offsets worth naming, by [`Mark`].
    marks: [u64; 2],
    /// Their lines and columns, once they have left the buffer.
    marks_left: [Option<Place>; 2],
    held: Held,
    drained: bool,
}

/// Places that are remembered for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Where the token or value under construction begins.
    Token = 0,
    /// Where the record under construction begins.
    Record = 1,
}

/// Whether the window may leave what it has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    No,
    Yes,
}

impl<R: Read> Input<R> {
    /// A window of `buffer_bytes`, at least one.
    pub fn new(reader: R, buffer_bytes: usize) -> Self {
        Self {
            reader,
            buffer: vec![0; buffer_bytes.max(1)].into_boxed_slice(),
            at: 0,
            end: 0,
            base: Place { offset: 0, line: 1, column: 1 },
            marks: [0; 2],
            marks_left: [None; 2],
            held: Held::No,
            drained: false,
        }
    }

    /// Buffered bytes that are not consumed.
    #[inline]
    pub fn rest(&self) -> &[u8] {
        &self.buffer[self.at..self.end]
    }

    /// Consumes `bytes` of [`Input::rest`].
    #[inline]
    pub fn advance(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.end - self.at, "consumed more than was there");
        self.at += bytes;
    }

    /// The next byte, not consumed; `None` at the end.
    ///
    /// # Errors
    ///
    /// The reader's.
    #[inline]
    pub fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at < self.end {
            return Ok(Some(self.buffer[self.at]));
        }
        Ok(if self.refill()? { Some(self.buffer[self.at]) } else { None })
    }

    /// Reads on when [`Input::rest`] is empty; whether there is anything now.
    ///
    /// The buffer starts again only when it is full, so its borders stand at the same offsets however
    /// the reader cuts its answers.
    ///
    /// # Errors
    ///
    /// The reader's.
    #[cold]
    pub fn refill(&mut self) -> io::Result<bool> {
        if self.at < self.end {
            return Ok(true);
        }
        if self.drained {
            return Ok(false);
        }
        if self.end == self.buffer.len() {
            if self.held == Held::Yes {
                return Ok(false);
            }
            self.leave_consumed();
        }
        let bytes = read_retrying(&mut self.reader, &mut self.buffer[self.end..])?;
        self.end += bytes;
        self.drained = bytes == 0;
        Ok(bytes > 0)
    }

    /// Makes room behind [`Input::rest`]; what was consumed can no longer be gone back to.
    fn leave_consumed(&mut self) {
        for mark in [Mark::Token, Mark::Record] {
            if self.marks[mark as usize] >= self.base.offset {
                self.marks_left[mark as usize] = Some(self.place_in_buffer(self.marks[mark as usize]));
            }
        }
        self.base = self.place();
        self.buffer.copy_within(self.at..self.end, 0);
        self.end -= self.at;
        self.at = 0;
    }

    /// Consumes `prefix` if the input goes on with it. Only for the start of the input: a prefix across
    /// the border of a full buffer is not found.
    ///
    /// # Errors
    ///
    /// The reader's.
    pub fn take_prefix(&mut self, prefix: &[u8]) -> io::Result<bool> {
        while self.end - self.at < prefix.len() && !self.drained && self.end < self.buffer.len() {
            let bytes = read_retrying(&mut self.reader, &mut self.buffer[self.end..])?;
            self.end += bytes;
            self.drained = bytes == 0;
        }
        let found = self.rest().starts_with(prefix);
        if found {
            self.advance(prefix.len());
        }
        Ok(found)
    }

    /// Fills the buffer from here as far as the input goes and stays on it: until [`Input::release`] the input
    /// seems to end with it.
    ///
    /// # Errors
    ///
    /// The reader's.
    pub fn hold(&mut self) -> io::Result<()> {
        self.leave_consumed();
        while !self.drained && self.end < self.buffer.len() {
            let bytes = read_retrying(&mut self.reader, &mut self.buffer[self.end..])?;
            self.end += bytes;
            self.drained = bytes == 0;
        }
        self.held = Held::Yes;
        Ok(())
    }

    /// Reads on again where the buffer ends.
    pub fn release(&mut self) {
        self.held = Held::No;
    }

    /// Whether the end of the buffer is the end of the input.
    pub fn is_drained(&self) -> bool {
        self.drained
    }

    /// Goes back to `offset` if it is still buffered; whether it was.
    pub fn rewind(&mut self, offset: u64) -> bool {
        let Some(at) = offset.checked_sub(self.base.offset).and_then(|at| usize::try_from(at).ok()) else {
            return false;
        };
        let buffered = at <= self.at;
        if buffered {
            self.at = at;
        }
        buffered
    }

    /// Bytes consumed so far.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.base.offset + self.at as u64
    }

    /// Where the next byte stands.
    pub fn place(&self) -> Place {
        self.place_in_buffer(self.offset())
    }

    /// Remembers where the next byte stands, until `mark` is set again.
    #[inline]
    pub fn mark(&mut self, mark: Mark) {
        self.marks[mark as usize] = self.offset();
    }

    /// The offset remembered last as `mark`.
    pub fn marked_offset(&self, mark: Mark) -> u64 {
        self.marks[mark as usize]
    }

    /// The place remembered last as `mark`.
    pub fn marked_place(&self, mark: Mark) -> Place {
        let offset = self.marked_offset(mark);
        match self.marks_left[mark as usize] {
            Some(place) if place.offset == offset => place,
            _ => self.place_in_buffer(offset),
        }
    }

    fn place_in_buffer(&self, offset: u64) -> Place {
        let at = usize::try_from(offset.saturating_sub(self.base.offset)).unwrap_or(usize::MAX);
        let before = &self.buffer[..at.min(self.end)];
        let offset = self.base.offset + before.len() as u64;
        match before.iter().rposition(|byte| *byte == b'\n') {
            None => Place { offset, line: self.base.line, column: self.base.column + before.len() as u64 },
            Some(newline) => Place {
                offset,
                line: self.base.line + newlines(before),
                column: (before.len() - newline) as u64,
            },
        }
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    // Sums of bytes are made many at a time; none may overflow.
    let sums = bytes
        .chunks(usize::from(u8::MAX))
        .map(|chunk| u64::from(chunk.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>()));
    sums.sum()
}

/// Reads once, again after a signal.
pub(super) fn read_retrying(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Index of the first byte that is one of `stops` or, with `Controls::Stop`, below 0x20; the length of
/// `bytes` if there is none.
///
/// Eight bytes at a time: a byte is zero exactly where subtracting one borrows and its top bit was clear,
/// and the lowest such byte is never a false one.
#[inline]
pub(super) fn plain_bytes<const STOPS: usize>(bytes: &[u8], stops: [u8; STOPS], controls: Controls) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let (chunks, tail) = bytes.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk);
        let mut hits = match controls {
            Controls::Pass => 0,
            Controls::Stop => word.wrapping_sub(ONES * 0x20) & !word,
        };
        for stop in stops {
            let differing = word ^ (ONES * u64::from(stop));
            hits |= differing.wrapping_sub(ONES) & !differing;
        }
        hits &= TOPS;
        if hits != 0 {
            return index * 8 + (hits.trailing_zeros() / 8) as usize;
        }
    }
    let stops_here = |byte: &u8| stops.contains(byte) || (controls == Controls::Stop && *byte < 0x20);
    chunks.len() * 8 + tail.iter().position(stops_here).unwrap_or(tail.len())
}

/// Whether control characters end a plain run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Controls {
    Pass,
    Stop,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Answers with one byte a call, and is interrupted before each: the worst reader there is.
    pub struct OneByte<'a>(pub &'a [u8], pub u32);

    impl Read for OneByte<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            if self.1 % 2 == 1 {
                return Err(io::Error::from(io::ErrorKind::Interrupted));
            }
            let bytes = self.0.len().min(buffer.len()).min(1);
            buffer[..bytes].copy_from_slice(&self.0[..bytes]);
            self.0 = &self.0[bytes..];
            Ok(bytes)
        }
    }

    /// Lines and columns must not depend on where the buffer was cut.
    #[test]
    fn places_are_the_same_for_every_buffer_length_and_reader() {
        let text = b"ab\n\ncdef\ng";
        let expect = [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (4, 1), (4, 2)];
        for buffer_bytes in 1..12 {
            let mut input = Input::new(OneByte(text, 0), buffer_bytes);
            for (offset, (line, column)) in expect.into_iter().enumerate() {
                let byte = input.peek().unwrap();
                assert_eq!(byte, text.get(offset).copied());
                let want = Place { offset: offset as u64, line, column };
                assert_eq!(input.place(), want, "buffer of {buffer_bytes}");
                if byte.is_some() {
                    input.advance(1);
                }
            }
        }
    }

    #[test]
    fn a_mark_keeps_its_place_after_it_left_the_buffer() {
        let mut input = Input::new(&b"ab\ncdefgh"[..], 2);
        for _ in 0..4 {
            input.peek().unwrap();
            input.advance(1);
        }
        input.mark(Mark::Token);
        while input.peek().unwrap().is_some() {
            input.advance(1);
        }
        assert_eq!(input.marked_place(Mark::Token), Place { offset: 4, line: 2, column: 2 });
    }

    #[test]
    fn a_held_window_ends_with_its_buffer_and_rewinds_to_its_start() {
        let mut input = Input::new(&b"abcdef"[..], 4);
        input.hold().unwrap();
        input.advance(4);
        assert_eq!(input.peek().unwrap(), None);
        assert!(!input.is_drained());
        assert!(input.rewind(1));
        input.release();
        let mut seen = Vec::new();
        while let Some(byte) = input.peek().unwrap() {
            seen.push(byte);
            input.advance(1);
        }
        assert_eq!(seen, b"bcdef");
        assert!(!input.rewind(0), "left the buffer");
    }

    #[test]
    fn plain_runs_end_at_the_first_stop_wherever_it_stands() {
        for length in 0..40_usize {
            for at in 0..=length {
                let mut bytes = vec![0xff; length];
                for (stop, pass) in [(b'"', length), (b'\\', length), (0x1f, length)] {
                    if at < length {
                        bytes[at] = stop;
                    }
                    assert_eq!(plain_bytes(&bytes, [b'"', b'\\'], Controls::Stop), at);
                    assert_eq!(plain_bytes(&bytes, [b','], Controls::Pass), pass);
                }
            }
        }
        assert_eq!(plain_bytes(b"abcdefg\x20\x80\x01", [b'"'], Controls::Stop), 9);
    }
}

//! A stream that is read by a thread of its own, some pieces ahead: unpacking and what is done with the bytes take
//! their time side by side.

use crate::source::input::read_retrying;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Pieces that wait to be read.
const PIECES_MAX: usize = 4;
/// Of one piece.
const PIECE_BYTES: usize = 1 << 18;
/// Of a piece, read at a time.
const STEP_BYTES: usize = 1 << 12;

/// Gives what `stream` gives, errors in their places. After an error it is at its end.
pub(super) struct Ahead {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    /// The last piece or an error has come.
    Ended,
}

impl Ahead {
    /// Begins to read. The thread ends with the stream, or soon after this reader is gone.
    ///
    /// # Errors
    ///
    /// A system that has no thread to give.
    pub fn new(mut stream: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, pieces) = sync_channel(PIECES_MAX);
        thread::Builder::new().name("unpack".to_owned()).spawn(move || {
            loop {
                let (piece, ended) = read_piece(&mut stream);
                let is_wanted = piece.is_empty() || sender.send(Ok(piece)).is_ok();
                if let Some(last) = ended.filter(|_| is_wanted) {
                    // Nobody who would hear of it is left if this fails.
                    let _ = sender.send(last.map(|()| Vec::new()));
                    return;
                }
                if !is_wanted {
                    return;
                }
            }
        })?;
        Ok(Self { pieces, piece: Vec::new(), at: 0, state: State::Reading })
    }
}

/// What the stream gives without waiting for more, and how it ended if it did. In small steps: libzstd keeps back what
/// it unpacked in the step that finds a wrong checksum.
fn read_piece(stream: &mut impl Read) -> (Vec<u8>, Option<io::Result<()>>) {
    let mut piece = vec![0; PIECE_BYTES];
    let mut filled = 0;
    let mut ended = None;
    for step in piece.chunks_mut(STEP_BYTES) {
        let wanted = step.len();
        match read_retrying(stream, step) {
            Ok(0) => ended = Some(Ok(())),
            Ok(bytes) => {
                filled += bytes;
                if bytes == wanted {
                    continue;
                }
            }
            Err(error) => ended = Some(Err(error)),
        }
        break;
    }
    piece.truncate(filled);
    (piece, ended)
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() && self.state == State::Reading {
            (self.piece, self.at) = (Vec::new(), 0);
            let lost = || io::Error::other("the thread that unpacks it is gone");
            let next = self.pieces.recv().map_err(|_| lost()).and_then(|piece| piece);
            if !matches!(&next, Ok(piece) if !piece.is_empty()) {
                self.state = State::Ended;
            }
            self.piece = next?;
        }
        let bytes = (&self.piece[self.at..]).read(buffer)?;
        self.at += bytes;
        Ok(bytes)
    }
}

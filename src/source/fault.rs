//! What stops a reader of text, before it is known whether that is an error or a skipped document.

use super::{
    SourceError, SourceErrorKind,
    error::{SKIP_IT, skip_the_rest},
    input::Place,
    unpack::PackingFault,
};
use crate::document::{DocumentError, DocumentErrorKind};
use std::io;

pub(super) type Parsed<T> = Result<T, Fault>;

/// Why a document of a text input cannot be taken. One word, so that the good path returns little.
#[derive(Debug)]
pub(super) struct Fault(Box<FaultKind>);

/// The kinds of [`Fault`].
#[derive(Debug)]
pub(super) enum FaultKind {
    /// The reader failed; nothing can go on.
    Io(io::Error),
    /// The text is not what its format asks for.
    Text { place: Place, what: String, hint: Option<String>, after: After },
    /// The document would pass the server's limit; so many bytes were built.
    TooLong { bytes: usize, after: After },
}

/// Where reading can go on after a bad document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The grammar holds: behind the end of this document.
    Document,
    /// The grammar is broken: at most at a later line.
    Line,
    /// The input ends here.
    Nothing,
}

impl Fault {
    /// Text that breaks the grammar.
    #[cold]
    pub fn syntax(place: Place, what: String) -> Self {
        Self::text(place, what, After::Line)
    }

    /// A value that no server stores, in sound grammar.
    #[cold]
    pub fn value(place: Place, what: String) -> Self {
        Self::text(place, what, After::Document)
    }

    /// The input ends where more must follow.
    #[cold]
    pub fn truncated(place: Place, what: String) -> Self {
        Self::text(place, what, After::Nothing)
    }

    fn text(place: Place, what: String, after: After) -> Self {
        Self(Box::new(FaultKind::Text { place, what, hint: None, after }))
    }

    /// A document beyond the server's limit, of which `bytes` were built.
    #[cold]
    pub fn too_long(bytes: usize, after: After) -> Self {
        Self(Box::new(FaultKind::TooLong { bytes, after }))
    }

    /// Adds what to do next.
    pub fn with_hint(mut self, text: &str) -> Self {
        if let FaultKind::Text { hint, .. } = &mut *self.0 {
            *hint = Some(text.to_owned());
        }
        self
    }

    pub fn is_io(&self) -> bool {
        matches!(&*self.0, FaultKind::Io(error) if PackingFault::of(error).is_none())
    }

    /// Where reading can go on; `None` if nowhere, because the reader failed. A broken compressed stream is an end.
    pub fn after(&self) -> Option<After> {
        match &*self.0 {
            FaultKind::Io(error) => PackingFault::of(error).map(|_| After::Nothing),
            FaultKind::Text { after, .. } | FaultKind::TooLong { after, .. } => Some(*after),
        }
    }

    /// The error of document `ordinal`, which begins at byte `begins`. `offset` is where reading stands;
    /// `after`, where it could go on if the document were skipped, `None` where that is no way out.
    pub fn into_error(
        self,
        input: &str,
        ordinal: u64,
        begins: u64,
        offset: u64,
        after: Option<After>,
    ) -> SourceError {
        let input = input.to_owned();
        match *self.0 {
            FaultKind::Io(source) => SourceErrorKind::reading(&input, offset, source).into(),
            FaultKind::Text { place: Place { offset, line, column }, what, hint, .. } => {
                let way_out = after.and_then(|after| match after {
                    After::Document => Some(SKIP_IT.to_owned()),
                    After::Line => Some(
                        "to leave it out and go on at the next line, pass `--on-bad-document skip`"
                            .to_owned(),
                    ),
                    After::Nothing => skip_the_rest(ordinal),
                });
                let hints = hint.into_iter().chain(way_out).collect();
                SourceErrorKind::Syntax { input, ordinal, offset, line, column, what, hints }.into()
            }
            FaultKind::TooLong { bytes, .. } => SourceErrorKind::Document(DocumentError {
                input,
                ordinal,
                offset: begins,
                kind: DocumentErrorKind::BuiltTooLong { bytes },
            })
            .into(),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self(Box::new(FaultKind::Io(error)))
    }
}

/// A byte for a message: `` `x` ``, `byte 0x07`, `the end of the input`.
pub(super) fn shown(byte: Option<u8>) -> String {
    match byte {
        None => "the end of the input".to_owned(),
        Some(b'\n') => "a line end".to_owned(),
        Some(byte) if byte.is_ascii_graphic() => format!("`{}`", char::from(byte)),
        Some(byte) => format!("byte 0x{byte:02x}"),
    }
}

/// Foreign text for a message: short, one line, whatever it holds.
pub(super) fn quoted(text: &[u8]) -> String {
    let shown = escaped_head(text);
    if text.len() > SHOWN_BYTES_MAX {
        format!("`{shown}...` ({} bytes)", text.len())
    } else {
        format!("`{shown}`")
    }
}

/// As [`quoted`], without quotes, for text that stands in a list.
pub(super) fn shortened(text: &[u8]) -> String {
    let dots = if text.len() > SHOWN_BYTES_MAX { "..." } else { "" };
    format!("{}{dots}", escaped_head(text))
}

const SHOWN_BYTES_MAX: usize = 40;

fn escaped_head(text: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN_BYTES_MAX)]);
    shown.chars().flat_map(char::escape_debug).collect()
}

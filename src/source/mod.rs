//! Where documents come from: the next document, as BSON bytes, into the caller's buffer.
//!
//! A source reads its input once, forward, in bounded memory. It knows nothing of pages or codecs. Text
//! inputs (JSON, CSV) become the BSON that `mongoimport` would store.

mod archive;
pub mod bson;
pub mod csv;
mod dump;
mod error;
mod fault;
mod find;
mod float_text;
pub mod generate;
mod hops;
mod input;
pub mod json;
mod jump;
mod kept;
mod layers;
#[cfg(feature = "live")]
pub mod live;
mod metadata;
mod namespace;
mod open;
mod raw;
mod recognise;
mod shell;
mod transcode;
mod unpack;
mod watched;

pub use archive::{Damage, DamageKind};
pub use error::{SkipReason, Skipped, SourceError, SourceErrorKind};
pub use find::{Collection, Found, find, name_of_file};
pub use hops::{Hop, Hops};
pub use jump::{Entered, Jumps};
pub use kept::{Documents, Keeper};
pub use metadata::{CollectionOptions, IndexDocument, IndexTable, TimeSeries};
pub use namespace::Namespaces;
pub use open::{Format, OpenOptions, open};
pub use raw::RawSource;
pub use recognise::Foreign;
pub use transcode::WideText;
pub use unpack::{Packing, PackingFault, PackingFaultKind};
pub use watched::{Watched, Watcher};

/// The next document into a buffer, until there is none.
pub trait Source: Send {
    /// Name of the input as the user gave it; `-` for standard input.
    fn name(&self) -> &str;

    /// Appends the next document to `out` and returns its length in bytes; `None` at the end.
    ///
    /// A document counts as appended only if it is returned; on an error `out` is as it was.
    ///
    /// # Errors
    ///
    /// [`SourceError`], which names the input, the document's ordinal and its byte offset. Under
    /// [`OnBadDocument::Skip`] a bad document that can be stepped over is counted in
    /// [`Source::skipped`] instead, and the error is returned only where reading cannot go on.
    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError>;

    /// Where the document that was returned last begins: its byte offset in the (decompressed) input.
    ///
    /// Who refuses a document afterwards names this place.
    fn document_offset(&self) -> u64;

    /// Bytes of the (decompressed) input consumed so far.
    fn position(&self) -> u64;

    /// Input bytes consumed so far, as stored (compressed bytes for a compressed input).
    fn bytes_read(&self) -> u64 {
        self.position()
    }

    /// Input bytes in all, where that is known.
    fn bytes_total(&self) -> Option<u64>;

    /// What was skipped so far, and why.
    fn skipped(&self) -> &Skipped;

    /// How to read it from any byte on, where that is possible.
    fn jumps(&self) -> Option<Jumps> {
        None
    }

    /// What was recognised, one line each, for standard error: the format, inferred column types.
    fn notes(&self) -> Vec<String>;
}

/// What to do with a document that cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBadDocument {
    /// Stop with its error.
    Stop,
    /// Count it and go on where the next document can be found.
    Skip,
}

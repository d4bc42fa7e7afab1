//! One collection of an archive: its documents in turn, those of the others stepped over.

use super::{
    Archive,
    items::{Item, Items},
    scan::Header,
};
use crate::document::{DocumentError, DocumentErrorKind, Walker};
use crate::source::{OnBadDocument, Skipped, Source, SourceError, SourceErrorKind, unpack::Meter};
use std::sync::Arc;

/// Where one collection of an archive is.
pub(in crate::source) struct ArchiveMember {
    pub(super) archive: Arc<Archive>,
    /// `dump.archive: db.collection`, for messages.
    pub(super) input: String,
    /// As its blocks call it.
    pub(super) key: (String, String),
    /// Where the last block with documents of it begins.
    pub(super) last_block: u64,
    /// Stored bytes of the archive, if known.
    pub(super) bytes_total: Option<u64>,
    /// What is known to be wrong with it.
    pub(super) damages: Vec<String>,
}

impl ArchiveMember {
    pub fn open(self, on_bad: OnBadDocument) -> Result<Box<dyn Source>, SourceError> {
        let (items, meter) = self.archive.items()?;
        let mut skipped = Skipped::default();
        self.damages.iter().for_each(|damage| skipped.damage(0, damage));
        Ok(Box::new(MemberSource {
            member: self,
            items,
            meter,
            on_bad,
            place: Place::Prelude,
            ordinal: 0,
            document_offset: 0,
            skipped,
            walker: Walker::new(),
        }))
    }
}

/// Where the next item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Prelude,
    Header,
    Own,
    Foreign,
    Ended,
}

struct MemberSource {
    member: ArchiveMember,
    items: Items,
    meter: Meter,
    on_bad: OnBadDocument,
    place: Place,
    ordinal: u64,
    document_offset: u64,
    skipped: Skipped,
    walker: Walker,
}

impl MemberSource {
    /// Moves on by one item; whether a document of this collection was appended to `out`. All damage of the framing
    /// was found before, so it only ends the pass.
    fn step(&mut self, out: &mut Vec<u8>) -> std::io::Result<Option<usize>> {
        let begins = self.items.offset();
        let (item, head) = self.items.next()?;
        match (item, self.place) {
            (Item::Terminator, Place::Prelude | Place::Own | Place::Foreign) => self.place = Place::Header,
            (Item::Document(bytes), Place::Own) => {
                let present = self.items.document(bytes, head, out)?;
                self.document_offset = begins;
                if present == bytes {
                    return Ok(Some(bytes));
                }
                out.truncate(out.len() - present);
                self.skipped.bytes += present as u64;
                self.skipped.documents += 1;
                self.place = Place::Ended;
            }
            (Item::Document(bytes), Place::Header) => {
                if begins > self.member.last_block {
                    self.place = Place::Ended;
                    return Ok(None);
                }
                let mut document = Vec::new();
                self.items.document(bytes, head, &mut document)?;
                self.place = match Header::of_document(&document) {
                    Some(header) if header.end.is_none() && header.key == self.member.key => Place::Own,
                    Some(_) => Place::Foreign,
                    None => Place::Ended,
                };
            }
            (Item::Document(bytes), _) => {
                self.items.pass((bytes - head.len()) as u64, |_| {})?;
            }
            _ => self.place = Place::Ended,
        }
        Ok(None)
    }

    /// Whether the document that `out` ends with is whole; if not, it is counted or the error of the run.
    fn check(&mut self, bytes: usize, out: &[u8]) -> Result<bool, SourceError> {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        let damage = match out[out.len() - 1] {
            0 => self.walker.walk(&out[out.len() - bytes..]).err(),
            found => Some(DocumentErrorKind::NoTerminator { at: bytes - 1, found }),
        };
        let Some(kind) = damage else { return Ok(true) };
        let error =
            DocumentError { input: self.member.input.clone(), ordinal, offset: self.document_offset, kind };
        if self.on_bad == OnBadDocument::Stop {
            self.place = Place::Ended;
            return Err(SourceErrorKind::Document(error).into());
        }
        self.skipped.count(bytes as u64, &error);
        Ok(false)
    }
}

impl Source for MemberSource {
    fn name(&self) -> &str {
        &self.member.input
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        let before = out.len();
        while self.place != Place::Ended {
            match self.step(out) {
                Ok(None) => {}
                Ok(Some(bytes)) => match self.check(bytes, out) {
                    Ok(true) => return Ok(Some(bytes)),
                    Ok(false) => out.truncate(before),
                    Err(error) => {
                        out.truncate(before);
                        return Err(error);
                    }
                },
                Err(source) => {
                    self.place = Place::Ended;
                    let lost = (out.len() - before) as u64;
                    out.truncate(before);
                    let error = SourceError::from(SourceErrorKind::reading(
                        &self.member.input,
                        self.items.offset(),
                        source,
                    ));
                    // It broke in the first pass as well, and was told.
                    if !error.is_broken_packing() || self.on_bad == OnBadDocument::Stop {
                        return Err(error);
                    }
                    self.skipped.bytes += lost;
                    self.skipped.documents += u64::from(lost > 0);
                }
            }
        }
        Ok(None)
    }

    fn document_offset(&self) -> u64 {
        self.document_offset
    }

    fn position(&self) -> u64 {
        self.items.offset()
    }

    fn bytes_read(&self) -> u64 {
        self.meter.bytes()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.member.bytes_total
    }

    fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

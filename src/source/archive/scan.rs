//! One pass through an archive: what it holds, and whether it is whole.
//!
//! Holds one header and, of each namespace, its counts and a checksum; documents are not kept.

use super::{
    crc::Crc,
    damage::{Damage, DamageKind},
    items::{Item, Items},
};
use crate::document::Elements;
use crate::source::{
    SourceError, SourceErrorKind,
    metadata::{CollectionMetadata, number, text},
    namespace::{namespace, shown},
    unpack::PackingFault,
};
use std::collections::BTreeMap;
use std::io;

/// Namespaces of one archive. A server slows down long before.
const NAMESPACES_MAX: usize = 200_000;
/// Bytes of the list of collections.
const PRELUDE_BYTES_MAX: u64 = 1 << 28;

/// Bytes of a block's header. Two names of 255 bytes and two numbers take less than a tenth.
const HEADER_BYTES_MAX: usize = 1 << 13;

/// Damages that are kept; one is enough to stop, and a few show a pattern.
const DAMAGES_MAX: usize = 1000;

/// What an archive holds.
#[derive(Default)]
pub(super) struct Scan {
    /// `6.0.27`, or nothing.
    pub server_version: String,
    /// By `db.collection`, as their documents call them.
    pub namespaces: BTreeMap<(String, String), Namespace>,
    pub damages: Vec<Damage>,
    /// Collections whose documents come without metadata.
    pub unlisted: Vec<String>,
    /// How a compressed archive broke.
    pub broken: Option<PackingFault>,
}

/// One collection of an archive.
#[derive(Default)]
pub(super) struct Namespace {
    pub metadata: Option<CollectionMetadata>,
    pub documents: u64,
    pub bytes: u64,
    /// Where the last block begins that has documents of it.
    pub last_block: u64,
    stage: Stage,
    crc: Option<Crc>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Listed,
    Open,
    Ended,
}

/// The header of a block.
pub(super) struct Header {
    pub key: (String, String),
    pub end: Option<u64>,
}

impl Header {
    /// Source: `NamespaceHeader.UnmarshalBSON`, common/archive/archive.go.
    pub fn of_document(document: &[u8]) -> Option<Self> {
        let (mut db, mut collection, mut is_end, mut crc) = (None, None, None, None);
        for element in Elements::new(document).ok()? {
            let element = element.ok()?;
            match element.name {
                b"db" => db = text(&element),
                b"collection" => collection = text(&element).filter(|name| !name.is_empty()),
                b"EOF" => is_end = number(&element).map(|value| value != 0.0),
                b"CRC" => crc = element.value.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
                _ => return None,
            }
        }
        let end = if is_end? { Some(crc.unwrap_or_default()) } else { None };
        Some(Self { key: (db?, collection?), end })
    }
}

/// Why a pass stopped before the end.
pub(super) enum Stop {
    Damage(DamageKind),
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Goes through all of `items`, which stand behind the magic number.
///
/// # Errors
///
/// The system's only; damage is part of the result.
pub(super) fn scan(input: &str, items: &mut Items) -> Result<Scan, SourceError> {
    let mut scan = Scan::default();
    let stopped = scan.prelude(input, items).and_then(|()| scan.blocks(items));
    match stopped {
        Ok(()) => {}
        Err(Stop::Damage(kind)) => {
            keep(&mut scan.damages, Damage { offset: items.offset(), namespace: None, kind });
        }
        Err(Stop::Io(error)) => match PackingFault::of(&error) {
            Some(fault) => scan.broken = Some(fault.clone()),
            None => return Err(SourceErrorKind::reading(input, items.offset(), error).into()),
        },
    }
    scan.look_for_ends(items.offset());
    Ok(scan)
}

impl Scan {
    fn prelude(&mut self, input: &str, items: &mut Items) -> Result<(), Stop> {
        let mut document = Vec::new();
        let mut is_first = true;
        let mut read_bytes = 0;
        loop {
            match items.next()? {
                (Item::Document(bytes), head) => {
                    document.clear();
                    if items.document(bytes, head, &mut document)? < bytes {
                        return Err(Stop::Damage(DamageKind::TruncatedPrelude));
                    }
                    read_bytes += bytes as u64;
                    if read_bytes > PRELUDE_BYTES_MAX {
                        return Err(Stop::Damage(DamageKind::PreludeTooLong(PRELUDE_BYTES_MAX)));
                    }
                    if is_first {
                        self.server_version = field(&document, b"server_version").unwrap_or_default();
                    } else {
                        self.list(input, &document)?;
                    }
                    is_first = false;
                }
                (Item::Terminator, _) => return Ok(()),
                (Item::End | Item::Cut(_), _) => return Err(Stop::Damage(DamageKind::TruncatedPrelude)),
                (Item::BadLength(length), _) => return Err(Stop::Damage(DamageKind::BadLength(length))),
            }
        }
    }

    /// Takes in one entry of the list. A time series is listed by its own name, and comes as its buckets.
    fn list(&mut self, input: &str, document: &[u8]) -> Result<(), Stop> {
        let db = field(document, b"db").unwrap_or_default();
        let collection = field(document, b"collection").unwrap_or_default();
        let metadata = field(document, b"metadata").unwrap_or_default();
        let metadata = CollectionMetadata::parse(input, metadata.as_bytes()).unwrap_or_default();
        if self.namespaces.len() == NAMESPACES_MAX {
            return Err(Stop::Damage(DamageKind::TooMany(NAMESPACES_MAX)));
        }
        self.namespaces.entry((db, collection)).or_default().metadata = Some(metadata);
        Ok(())
    }

    fn blocks(&mut self, items: &mut Items) -> Result<(), Stop> {
        let mut document = Vec::new();
        loop {
            let begins = items.offset();
            match items.next()? {
                (Item::Document(bytes), _) if bytes > HEADER_BYTES_MAX => {
                    return Err(Stop::Damage(DamageKind::BadHeader));
                }
                (Item::Document(bytes), head) => {
                    document.clear();
                    if items.document(bytes, head, &mut document)? < bytes {
                        return Err(Stop::Damage(DamageKind::TruncatedBlock));
                    }
                    let header = Header::of_document(&document).ok_or(Stop::Damage(DamageKind::BadHeader))?;
                    self.block(items, begins, header)?;
                }
                (Item::End, _) => return Ok(()),
                (Item::Terminator, _) => return Err(Stop::Damage(DamageKind::NoHeader)),
                (Item::Cut(_), _) => return Err(Stop::Damage(DamageKind::TruncatedBlock)),
                (Item::BadLength(length), _) => return Err(Stop::Damage(DamageKind::BadLength(length))),
            }
        }
    }

    fn block(&mut self, items: &mut Items, begins: u64, header: Header) -> Result<(), Stop> {
        let name = namespace(&header.key.0, &header.key.1);
        let shown = shown(&name);
        let mut damage = |kind| {
            let namespace = Some(name.clone());
            keep(&mut self.damages, Damage { offset: begins, namespace, kind });
        };
        let known = self.namespaces.len();
        let series = header.key.1.strip_prefix("system.buckets.").map(ToOwned::to_owned);
        if !self.namespaces.contains_key(&header.key) {
            if known == NAMESPACES_MAX {
                return Err(Stop::Damage(DamageKind::TooMany(NAMESPACES_MAX)));
            }
            let logical = series.map(|series| (header.key.0.clone(), series));
            match logical.and_then(|logical| self.namespaces.remove(&logical)) {
                Some(listed) => drop(self.namespaces.insert(header.key.clone(), listed)),
                None => self.unlisted.push(name.clone()),
            }
        }
        let entry = self.namespaces.entry(header.key).or_default();
        if entry.stage == Stage::Ended {
            damage(DamageKind::Reopened(shown.clone()));
        }
        let Some(declared) = header.end else {
            entry.stage = if entry.stage == Stage::Ended { Stage::Ended } else { Stage::Open };
            entry.last_block = begins;
            return entry.documents(items, &shown);
        };
        entry.stage = Stage::Ended;
        let computed = entry.crc.unwrap_or(Crc::EMPTY).value();
        if declared != computed {
            damage(DamageKind::Checksum { namespace: shown.clone(), declared, computed });
        }
        let mut ignored = Namespace::default();
        ignored.documents(items, &shown)?;
        if ignored.documents > 0 {
            damage(DamageKind::DocumentInEnd(shown));
        }
        Ok(())
    }

    fn look_for_ends(&mut self, offset: u64) {
        for ((db, collection), found) in &self.namespaces {
            let name = namespace(db, collection);
            let kind = match found.stage {
                Stage::Ended => continue,
                Stage::Open => DamageKind::NeverEnded(shown(&name)),
                Stage::Listed => DamageKind::NeverSeen(shown(&name)),
            };
            keep(&mut self.damages, Damage { offset, namespace: Some(name), kind });
        }
    }
}

impl Namespace {
    /// Counts the documents of a block up to its terminator.
    fn documents(&mut self, items: &mut Items, name: &str) -> Result<(), Stop> {
        loop {
            match items.next()? {
                (Item::Document(declared), head) => {
                    let mut crc = self.crc.unwrap_or(Crc::EMPTY);
                    crc.add(&head);
                    let wanted = (declared - head.len()) as u64;
                    let passed = items.pass(wanted, |piece| crc.add(piece))?;
                    if passed < wanted {
                        let present = head.len() + usize::try_from(passed).unwrap_or(0);
                        let (namespace, ordinal) = (name.to_owned(), self.documents);
                        return Err(Stop::Damage(DamageKind::TruncatedDocument {
                            namespace,
                            ordinal,
                            declared,
                            present,
                        }));
                    }
                    self.crc = Some(crc);
                    self.documents += 1;
                    self.bytes += declared as u64;
                }
                (Item::Terminator, _) => return Ok(()),
                (Item::End | Item::Cut(_), _) => return Err(Stop::Damage(DamageKind::TruncatedBlock)),
                (Item::BadLength(length), _) => return Err(Stop::Damage(DamageKind::BadLength(length))),
            }
        }
    }
}

fn keep(damages: &mut Vec<Damage>, damage: Damage) {
    if damages.len() < DAMAGES_MAX {
        damages.push(damage);
    }
}

fn field(document: &[u8], name: &[u8]) -> Option<String> {
    text(&Elements::new(document).ok()?.find_name(name).ok()??)
}

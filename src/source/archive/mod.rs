//! `mongodump --archive`: the documents of many collections in turns, in one stream.
//!
//! ```text
//!  6d e2 99 81                                            magic number
//!  header, then one document a collection, ff ff ff ff    prelude
//!  {db, collection, EOF: false, CRC: 0}, documents, ff ff ff ff   a block; as many as it takes
//!  {db, collection, EOF: true, CRC}, ff ff ff ff          the end of one collection
//! ```
//!
//! An archive is read through once to learn what it holds and whether it is whole, and once more for each collection
//! that is estimated: no second copy, and memory for one document. One that comes through a pipe is put into the
//! temporary directory first.
//!
//! Source: common/archive/{archive,prelude,multiplexer,parser}.go, mongo-tools 100.18.

mod crc;
mod damage;
mod items;
mod member;
mod scan;

pub use damage::{Damage, DamageKind};
pub(super) use member::ArchiveMember;

use self::{items::Items, scan::Scan};
use super::{
    OnBadDocument, Skipped, SourceError, SourceErrorKind,
    find::{Collection, Found, Opener, no_collection},
    layers::Layers,
    metadata::View,
    namespace::{Namespaces, is_internal, namespace, shown},
    recognise::{ARCHIVE_MAGIC, archive_at},
    shell,
    unpack::Meter,
};
use crate::units::Human;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An archive that can be read as often as there are collections.
pub(super) struct Archive {
    /// As the user gave it.
    input: String,
    path: PathBuf,
    /// What came through a pipe; the file goes with it.
    _spool: Option<tempfile::TempPath>,
}

impl Archive {
    /// From its first block on, with a meter of the stored bytes.
    fn items(&self) -> Result<(Items, Meter), SourceError> {
        let layers = Layers::of_path(&self.path, None)?;
        let meter = layers.meter.clone();
        let magic_at = archive_at(layers.head()).unwrap_or(0) as u64;
        let mut items = Items::new(layers.into_stream());
        items
            .pass(magic_at + ARCHIVE_MAGIC.len() as u64, |_| {})
            .map_err(|source| SourceErrorKind::reading(&self.input, 0, source))?;
        Ok((items, meter))
    }
}

/// What an archive holds, of which `namespaces` chooses.
///
/// # Errors
///
/// Damage, unless bad documents are skipped; an archive without a collection to estimate.
pub(super) fn find(
    path: &Path,
    layers: Layers,
    on_bad: OnBadDocument,
    namespaces: &Namespaces,
) -> Result<Found, SourceError> {
    let (input, undone) = (layers.input.clone(), layers.description());
    let magic_at = archive_at(layers.head()).unwrap_or(0);
    let bytes_total = layers.bytes_total;
    let mut notes = Vec::new();
    let archive = if bytes_total.is_some() {
        Archive { input: input.clone(), path: path.to_owned(), _spool: None }
    } else {
        spooled(layers, &mut notes)?
    };
    let archive = Arc::new(archive);
    let mut scan = scan::scan(&input, &mut archive.items()?.0)?;
    if on_bad == OnBadDocument::Stop {
        if let Some(fault) = scan.broken {
            return Err(SourceErrorKind::Packed { input, fault }.into());
        }
        if !scan.damages.is_empty() {
            let damage = scan.damages.swap_remove(0);
            return Err(SourceErrorKind::Archive { input, damage }.into());
        }
    }
    let mut found = Found { notes, ..Found::default() };
    choose(&archive, &mut scan, namespaces, bytes_total, &mut found);
    if found.collections.is_empty() {
        return Err(nothing_left(input, scan, namespaces, &found.left_out));
    }
    if magic_at > 0 {
        found.notes.push(format!("{input}: {magic_at} bytes in front of the archive were passed over"));
    }
    for name in &scan.unlisted {
        found.notes.push(format!("{input}: {} is not listed, so its indexes are not known", shown(name)));
    }
    found.notes.push(described(&input, undone.as_deref(), &scan, &found));
    Ok(found)
}

/// `dump.gz: unpacked from gzip: mongodump archive of a 6.0.27 server, 3 collections, 2 left out`.
fn described(input: &str, undone: Option<&str>, scan: &Scan, found: &Found) -> String {
    let undone = undone.map(|undone| format!("{undone}: ")).unwrap_or_default();
    let server = match scan.server_version.as_str() {
        "" => String::new(),
        version => format!(" of a {} server", shown(version)),
    };
    let count = found.collections.len();
    let plural = if count == 1 { "" } else { "s" };
    let left_out = match found.left_out.len() {
        0 => String::new(),
        left_out => format!(", {left_out} left out"),
    };
    format!("{input}: {undone}mongodump archive{server}, {count} collection{plural}{left_out}")
}

fn nothing_left(input: String, scan: Scan, namespaces: &Namespaces, left_out: &[String]) -> SourceError {
    match (scan.broken, scan.damages.into_iter().next()) {
        (Some(fault), _) => SourceErrorKind::Packed { input, fault }.into(),
        (None, Some(damage)) => SourceErrorKind::Archive { input, damage }.into(),
        (None, None) => no_collection(input, namespaces, left_out),
    }
}

fn choose(
    archive: &Arc<Archive>,
    scan: &mut Scan,
    namespaces: &Namespaces,
    bytes_total: Option<u64>,
    found: &mut Found,
) {
    let broken = scan.broken.as_ref().map(|fault| format!("{}: {fault}", archive.input));
    for ((db, physical), entry) in std::mem::take(&mut scan.namespaces) {
        let metadata = entry.metadata.unwrap_or_default();
        let series =
            physical.strip_prefix("system.buckets.").filter(|_| metadata.options.time_series.is_some());
        let logical = series.unwrap_or(&physical).to_owned();
        let name = namespace(&db, &logical);
        let why = if metadata.view == View::Yes {
            Some("a view, which stores nothing".to_owned())
        } else if !namespaces.chooses(&db, &logical) && !namespaces.chooses(&db, &physical) {
            Some(if namespaces.is_empty() && is_internal(&db, &physical) {
                format!("the server's own; `--ns {}` chooses it", shell::word(&name))
            } else {
                "not chosen by `--ns`".to_owned()
            })
        } else if entry.documents == 0 {
            Some("it holds no documents".to_owned())
        } else {
            None
        };
        if let Some(why) = why {
            found.left_out.push(format!("{}: {why}", shown(&name)));
            continue;
        }
        let physical_name = namespace(&db, &physical);
        // What is about no one collection is about each: the archive may have had more of it.
        let about =
            |damage: &&Damage| damage.namespace.as_ref().is_none_or(|namespace| *namespace == physical_name);
        let damages = scan.damages.iter().filter(about).map(|damage| format!("{}: {damage}", archive.input));
        let damages = broken.clone().into_iter().chain(damages).take(Skipped::REASONS_MAX).collect();
        let input = format!("{}: {}", archive.input, shown(&name));
        let member = ArchiveMember {
            archive: Arc::clone(archive),
            input: input.clone(),
            key: (db, physical),
            last_block: entry.last_block,
            bytes_total,
            damages,
        };
        let collection = Collection::new(name, input, Opener::Archive(Box::new(member)));
        found.collections.push(Collection {
            indexes: metadata.indexes,
            options: metadata.options,
            ..collection
        });
    }
}

/// Puts what comes through a pipe into the temporary directory.
fn spooled(layers: Layers, notes: &mut Vec<String>) -> Result<Archive, SourceError> {
    let input = layers.input.clone();
    let failed = |doing: &str, source: io::Error| -> SourceError {
        let doing = format!("{doing} a copy in the temporary directory {}", std::env::temp_dir().display());
        SourceErrorKind::Io { input: input.clone(), doing, source }.into()
    };
    let spool = tempfile::NamedTempFile::new().map_err(|source| failed("cannot make", source))?;
    let (file, path) = spool.into_parts();
    let mut file: BufWriter<File> = BufWriter::new(file);
    let mut items = Items::new(layers.into_stream());
    let mut written = Ok(());
    // A pipe that breaks leaves a copy that ends early, which is told when it is read through.
    let copied = items.pass(u64::MAX, |piece| {
        if written.is_ok() {
            written = file.write_all(piece);
        }
    });
    written.and_then(|()| file.flush()).map_err(|source| failed("cannot write", source))?;
    if let Err(error) = copied
        && super::unpack::PackingFault::of(&error).is_none()
    {
        return Err(SourceErrorKind::reading(&input, items.offset(), error).into());
    }
    let bytes = Human(items.offset());
    notes.push(format!(
        "{input}: an archive is read more than once, so {bytes} were put into a temporary file"
    ));
    Ok(Archive { input, path: path.to_path_buf(), _spool: Some(path) })
}

#[cfg(test)]
mod tests;

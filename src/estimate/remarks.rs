//! What the figures say together: the lines under a table that a reader would else have to work out.

mod sample;
#[cfg(test)]
mod tests;

pub use sample::SampleRemark;

use super::{
    BandBasis, CapReach, CodecName, CollectionEstimate, CollectionKind, IndexBuild, IndexEstimate, LoadState,
    ModelFacts, StorageEstimate,
};
use crate::units::{BsonBytes, DiskBytes, Grouped, Human};
use std::fmt;

/// Share of leaf pages stored raw from which it is worth a line.
const KEPT_RAW_TENTHS_MIN: u64 = 100;

/// Width of the band from which it is worth a line.
const BAND_TENTHS_MIN: u64 = 50;

/// Tenths of a per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tenths(u64);

impl Tenths {
    /// `part` of `whole`, rounded to the nearest tenth of a per cent; `None` of nothing.
    fn of(part: u64, whole: u64) -> Option<Self> {
        let scaled = u128::from(part) * 1000;
        let rounded = (scaled + u128::from(whole / 2)).checked_div(u128::from(whole))?;
        u64::try_from(rounded).ok().map(Self)
    }
}

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(tenths) = *self;
        write!(f, "{}.{} %", Grouped(tenths / 10), tenths % 10)
    }
}

/// Tenths of a per cent more or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedTenths {
    less: bool,
    by: Tenths,
}

impl SignedTenths {
    /// How much `new` is above `old`.
    fn between(old: u64, new: u64) -> Option<Self> {
        Tenths::of(new.abs_diff(old), old).map(|by| Self { less: new < old, by })
    }
}

impl fmt::Display for SignedTenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.less { '-' } else { '+' }, self.by)
    }
}

/// One line about a collection's figures.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// The release asked for is not one whose rules are known here.
    ServerRules(String),
    /// How the collection stands on the server that it was read from.
    OnServer(String),
    /// Documents were left out.
    Skipped {
        /// How many.
        documents: u64,
        /// The first one's message.
        first_reason: Option<String>,
    },
    /// The input is damaged, and all documents that are there were taken.
    Damaged {
        /// Its message.
        reason: String,
    },
    /// A merged report whose bands are wider than those of a single run.
    Merged(BandBasis),
    /// How much a sample tells.
    Sample(SampleRemark),
    /// Documents came without an `_id`.
    IdsAdded {
        /// How many.
        documents: u64,
        /// Of how many.
        of: u64,
    },
    /// A clustered collection whose documents did not come in the order of its table.
    OutOfOrder {
        /// How many were not above the one before.
        documents: u64,
        /// Of how many.
        of: u64,
    },
    /// A clustered collection.
    NoIdIndex,
    /// A server packs a time series' buckets with another codec than other collections.
    ServerCodec(&'static str),
    /// A capped collection that was filled.
    CapReached {
        /// Documents in it then.
        documents: u64,
    },
    /// A capped collection that the input does not fill.
    BelowCap {
        /// BSON bytes in it.
        bson: BsonBytes,
        /// BSON bytes at most.
        of: BsonBytes,
    },
    /// The codec whose file is smallest.
    Smallest {
        /// In which state.
        load: LoadState,
        /// All codecs that end on this size.
        codecs: Vec<CodecName>,
        /// That file.
        storage: DiskBytes,
        /// Its share of the BSON bytes.
        of_bson: Option<Tenths>,
    },
    /// Codecs of different strength that end on the same file size.
    SameStorage {
        /// In which state.
        load: LoadState,
        /// Two or more, in the order of the table.
        codecs: Vec<CodecName>,
        /// The size they share.
        storage: DiskBytes,
        /// Size in allocation units.
        blocks: u64,
    },
    /// Many leaf pages did not pay for packing.
    KeptRaw {
        /// In which state.
        load: LoadState,
        /// Under which codec.
        codec: CodecName,
        /// Share of leaf pages.
        share: Tenths,
    },
    /// The same load can end on rather different sizes; the widest case.
    WideBand {
        /// In which state.
        load: LoadState,
        /// Under which codec.
        codec: CodecName,
        /// Largest less smallest, of the expected size.
        width: Tenths,
    },
    /// What the bulk state costs above the settled one.
    BulkAbove {
        /// Codec by codec, in the order of the table: bulk less settled.
        codecs: Vec<(CodecName, SignedTenths)>,
    },
    /// What makes the bulk state larger, and when it goes away.
    WindowsPass,
    /// A server would not take some documents because of an index.
    IndexRefuses {
        /// Which index.
        name: String,
        /// How many documents.
        documents: u64,
        /// The first one's.
        reason: String,
    },
    /// An index whose keys are more than are held in memory.
    IndexExtrapolated {
        /// Which index.
        name: String,
        /// Keys that the figures are modelled on.
        modelled: u64,
        /// All its keys.
        of: u64,
    },
    /// Each entry of a unique index has a deleted twin on the pages of a fresh load.
    Twins {
        /// Which index.
        name: String,
        /// What they add to the file.
        twins: DiskBytes,
        /// The file.
        of: DiskBytes,
    },
    /// An index that the input names and the model does not know.
    IndexUnknown {
        /// Which index.
        name: String,
        /// Why it is not known.
        reason: String,
    },
    /// Building an index on the loaded documents takes much less than having it there during the load.
    BuildAfterLoad {
        /// Which index.
        name: String,
        /// In which state of the load.
        load: LoadState,
        /// There during the load.
        before: DiskBytes,
        /// Built afterwards.
        after: DiskBytes,
    },
    /// Speeds were taken here and now.
    SpeedsMeasured {
        /// Page image bytes that one repetition packed, at most.
        image_bytes_timed: u64,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServerRules(note) | Self::OnServer(note) => f.write_str(note),
            Self::Skipped { documents, first_reason } => {
                let were = if *documents == 1 { "document was" } else { "documents were" };
                write!(f, "{} {were} skipped and not counted", Grouped(*documents))?;
                first_reason.iter().try_for_each(|reason| write!(f, "; the first: {reason}"))
            }
            Self::Damaged { reason } => write!(f, "the input is damaged, and all that is there was taken: {reason}"),
            Self::Merged(basis) => f.write_str(merged(*basis)),
            Self::Sample(remark) => remark.fmt(f),
            Self::IdsAdded { documents, of } => write!(
                f,
                "an `_id` of 17 bytes was added to {} of {} documents, as a driver would",
                Grouped(*documents),
                Grouped(*of)
            ),
            Self::OutOfOrder { documents, of } => write!(
                f,
                "clustered: the `_id` of {} of {} documents is not above the one before; predicted as if loaded in key \
                 order",
                Grouped(*documents),
                Grouped(*of)
            ),
            Self::NoIdIndex => f.write_str("clustered: the table is keyed by `_id`, so there is no index _id_"),
            Self::ServerCodec(codec) => {
                write!(f, "time-series buckets: a server packs them with {codec} unless told otherwise")
            }
            Self::CapReached { documents } => write!(
                f,
                "capped: full with the first {} documents; the rest of the input would replace them, and was not read",
                Grouped(*documents)
            ),
            Self::BelowCap { bson, of } => {
                write!(f, "capped: {} of {} are filled", Human(bson.0), Human(of.0))
            }
            Self::Smallest { load, codecs, storage, of_bson } => {
                write!(f, "{}: smallest file under {}, {}", load.name(), Listed(codecs), Human(storage.0))?;
                of_bson.iter().try_for_each(|share| write!(f, " or {share} of the BSON bytes"))
            }
            Self::SameStorage { load, codecs, storage, blocks } => write!(
                f,
                "{}: {} end on the same {} blocks ({}): {} changes nothing on disk",
                load.name(),
                Listed(codecs),
                Grouped(*blocks),
                Human(storage.0),
                if one_name(codecs) { "the level" } else { "the choice between them" }
            ),
            Self::KeptRaw { load, codec, share } => write!(
                f,
                "{}: {share} of the leaf pages under {codec} saved no whole unit and are stored raw",
                load.name()
            ),
            Self::WideBand { load, codec, width } => write!(
                f,
                "{}: server runs of the same load differ by up to {width} (under {codec}): see low and high",
                load.name()
            ),
            Self::BulkAbove { codecs } => {
                f.write_str("bulk against settled: ")?;
                for (at, (codec, difference)) in codecs.iter().enumerate() {
                    write!(f, "{}{codec} {difference}", if at == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::WindowsPass => f.write_str(
                "bulk: time windows of about 15 bytes a value stay until a page is rewritten after the history window \
                 (5 minutes; 0: settled)",
            ),
            Self::IndexRefuses { name, documents, reason } => {
                let documents = Grouped(*documents);
                write!(f, "index {name}: a server would refuse {documents} documents; the first: {reason}")
            }
            Self::IndexExtrapolated { name, modelled, of } => write!(
                f,
                "index {name}: extrapolated from its first {} of {} entries (--index-memory holds more)",
                Grouped(*modelled),
                Grouped(*of)
            ),
            Self::Twins { name, twins, of } => write!(
                f,
                "index {name}: unique, so each entry keeps a deleted twin until its page is rewritten: {} of {} in bulk",
                Human(twins.0),
                Human(of.0)
            ),
            Self::IndexUnknown { name, reason } => write!(f, "index {name}: not predicted: {reason}"),
            Self::BuildAfterLoad { name, load, before, after } => write!(
                f,
                "index {name}: {} when it is there during a {} load, {} when createIndex follows the load",
                Human(before.0),
                load.name(),
                Human(after.0)
            ),
            Self::SpeedsMeasured { image_bytes_timed } => write!(
                f,
                "speeds were measured on this machine, one thread, on {} of page images",
                Human(*image_bytes_timed)
            ),
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
struct Listed<'a>(&'a [CodecName]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, codec) in self.0.iter().enumerate() {
            let joint = match at {
                0 => "",
                _ if at + 1 == self.0.len() => " and ",
                _ => ", ",
            };
            write!(f, "{joint}{codec}")?;
        }
        Ok(())
    }
}

fn one_name(codecs: &[CodecName]) -> bool {
    codecs.iter().all(|codec| codec.name == codecs[0].name)
}

/// The lines for one collection, most urgent first; the same figures give the same lines.
#[must_use]
pub fn remarks(model: &ModelFacts, collection: &CollectionEstimate) -> Vec<Remark> {
    let mut found: Vec<Remark> = about_the_input(model, collection);
    let mut loads: Vec<LoadState> = collection.storage.iter().map(|row| row.load).collect();
    loads.sort_unstable();
    loads.dedup();
    for load in loads {
        let rows: Vec<&StorageEstimate> = collection.storage.iter().filter(|row| row.load == load).collect();
        found.extend(smallest(load, &rows, collection));
        found.extend(same_storage(load, &rows, model.allocation_bytes));
        found.extend(kept_raw(load, &rows));
        found.extend(widest_band(load, &rows));
    }
    if let Some(above) = bulk_above(collection) {
        found.extend([above, Remark::WindowsPass]);
    }
    found.extend(about_indexes(collection));
    let on_server = collection.on_server.iter().flat_map(|on_server| on_server.explained(collection));
    found.extend(on_server.map(Remark::OnServer));
    let timed = collection.storage.iter().filter_map(|row| row.speed).map(|speed| speed.image_bytes_timed);
    found.extend(timed.max().map(|image_bytes_timed| Remark::SpeedsMeasured { image_bytes_timed }));
    found
}

/// What a merged report says of its bands.
fn merged(basis: BandBasis) -> &'static str {
    match basis {
        BandBasis::Summed => {
            "sizes of several shards' files, added; low and high are sums too, and so wider than they must be"
        }
        BandBasis::Followed | BandBasis::Widened => {
            "merged from parts: some low and high are wider than those of a run over the whole, as parts could not \
             follow all orders of writing"
        }
    }
}

fn about_the_input(model: &ModelFacts, collection: &CollectionEstimate) -> Vec<Remark> {
    let mut found: Vec<Remark> = model.server_note.iter().cloned().map(Remark::ServerRules).collect();
    let first_reason = collection.skip_reasons.first().cloned();
    match (collection.documents_skipped, first_reason) {
        (0, Some(reason)) => found.push(Remark::Damaged { reason }),
        (0, None) => {}
        (documents, first_reason) => found.push(Remark::Skipped { documents, first_reason }),
    }
    let bases = collection.storage.iter().map(|row| row.band_basis);
    found.extend(bases.filter(|basis| *basis != BandBasis::Followed).max().map(Remark::Merged));
    found.extend(sample::about(collection).into_iter().map(Remark::Sample));
    if collection.ids_added > 0 {
        found.push(Remark::IdsAdded { documents: collection.ids_added, of: collection.documents });
    }
    found.extend(about_the_kind(collection));
    found
}

fn about_the_kind(collection: &CollectionEstimate) -> Vec<Remark> {
    let CollectionKind { clustered_out_of_order, capped, server_codec } = collection.kind;
    let mut found = Vec::new();
    if let Some(out_of_order) = clustered_out_of_order {
        found.push(Remark::NoIdIndex);
        if out_of_order > 0 {
            found.push(Remark::OutOfOrder { documents: out_of_order, of: collection.documents });
        }
    }
    if server_codec != CollectionKind::PLAIN.server_codec {
        found.push(Remark::ServerCodec(server_codec));
    }
    found.extend(capped.map(|cap| match cap.reach {
        CapReach::Full => Remark::CapReached { documents: collection.documents },
        CapReach::Below => Remark::BelowCap { bson: collection.bson, of: cap.bson },
    }));
    found
}

/// Saving of a build after the load from which it is worth a line.
const BUILD_AFTER_TENTHS_MIN: u64 = 200;

fn about_indexes(collection: &CollectionEstimate) -> Vec<Remark> {
    let mut found = Vec::new();
    for row in &collection.indexes {
        let name = row.name.clone();
        let told_before = found.iter().any(|remark| match remark {
            Remark::IndexRefuses { name, .. } | Remark::IndexExtrapolated { name, .. } => *name == row.name,
            _ => false,
        });
        if let Some((twins, of)) = row.twins.zip(row.storage) {
            found.push(Remark::Twins { name: name.clone(), twins, of });
        }
        if told_before {
            continue;
        }
        if let Some(reason) = row.refused_reason.clone() {
            found.push(Remark::IndexRefuses { name: name.clone(), documents: row.documents_refused, reason });
        }
        // What a sample has for all is said once, for all.
        if row.entries_modelled < row.entries && row.band.is_none() {
            let (modelled, of) = (row.entries_modelled, row.entries);
            found.push(Remark::IndexExtrapolated { name, modelled, of });
        }
    }
    for index in &collection.indexes_not_predicted {
        found.push(Remark::IndexUnknown { name: index.name.clone(), reason: index.reason.clone() });
    }
    for after in collection.indexes.iter().filter(|row| row.build == IndexBuild::AfterLoad) {
        let during = |row: &&IndexEstimate| row.build == IndexBuild::BeforeLoad && row.name == after.name;
        let largest = collection.indexes.iter().filter(during).max_by_key(|row| row.storage);
        let Some((before, load)) = largest.and_then(|row| Some((row.storage?, row.load))) else { continue };
        let Some(after_bytes) = after.storage.filter(|after| *after < before) else { continue };
        let saved = Tenths::of(before.0 - after_bytes.0, before.0);
        if saved.is_some_and(|saved| saved > Tenths(BUILD_AFTER_TENTHS_MIN)) {
            found.push(Remark::BuildAfterLoad { name: after.name.clone(), load, before, after: after_bytes });
        }
    }
    found
}

/// Only where both states were asked for.
fn bulk_above(collection: &CollectionEstimate) -> Option<Remark> {
    let of = |load| collection.storage.iter().filter(move |row| row.load == load);
    let codecs: Vec<_> = of(LoadState::Settled)
        .filter_map(|settled| {
            let bulk = of(LoadState::Bulk).find(|bulk| bulk.codec == settled.codec)?;
            Some((settled.codec.clone(), SignedTenths::between(settled.storage.0, bulk.storage.0)?))
        })
        .collect();
    (!codecs.is_empty()).then_some(Remark::BulkAbove { codecs })
}

/// With one row there is nothing to compare it with.
fn smallest(load: LoadState, rows: &[&StorageEstimate], collection: &CollectionEstimate) -> Option<Remark> {
    let storage = rows.iter().map(|row| row.storage).min().filter(|_| rows.len() > 1)?;
    let codecs = rows.iter().filter(|row| row.storage == storage).map(|row| row.codec.clone()).collect();
    let of_bson = Tenths::of(storage.0, collection.bson.0);
    Some(Remark::Smallest { load, codecs, storage, of_bson })
}

fn same_storage(load: LoadState, rows: &[&StorageEstimate], allocation_bytes: u64) -> Vec<Remark> {
    let mut found = Vec::new();
    for (at, first) in rows.iter().enumerate() {
        let told_before = rows[..at].iter().any(|row| row.storage == first.storage);
        let equals = rows.iter().filter(|row| row.storage == first.storage);
        let codecs: Vec<CodecName> = equals.map(|row| row.codec.clone()).collect();
        if !told_before && codecs.len() > 1 {
            let blocks = first.storage.0.div_ceil(allocation_bytes);
            found.push(Remark::SameStorage { load, codecs, storage: first.storage, blocks });
        }
    }
    found
}

/// Under `none` no page is tried, so none can fail to pay.
fn kept_raw(load: LoadState, rows: &[&StorageEstimate]) -> Vec<Remark> {
    rows.iter()
        .filter(|row| row.codec.name != "none")
        .filter_map(|row| {
            let share = Tenths::of(row.tally.pages_kept_raw, row.tally.leaf_pages)?;
            (share >= Tenths(KEPT_RAW_TENTHS_MIN)).then(|| Remark::KeptRaw {
                load,
                codec: row.codec.clone(),
                share,
            })
        })
        .collect()
}

fn widest_band(load: LoadState, rows: &[&StorageEstimate]) -> Option<Remark> {
    let widths = rows.iter().filter_map(|row| {
        let width = Tenths::of(row.band.high.0.saturating_sub(row.band.low.0), row.storage.0)?;
        Some((width, &row.codec))
    });
    // The first of equals, so that the order of the table decides.
    let (width, codec) = widths.reduce(|widest, next| if next.0 > widest.0 { next } else { widest })?;
    (width >= Tenths(BAND_TENTHS_MIN)).then(|| Remark::WideBand { load, codec: codec.clone(), width })
}

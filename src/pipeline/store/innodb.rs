//! A table of documents in `InnoDB`, under several methods at once.

use super::{
    StorePlan,
    packers::{PackerSet, Packers},
    threads_error,
};
use crate::codec::EncoderKind;
use crate::estimate::{
    Basis, CodecName,
    store::{Parts, StoredInput, StoredRow},
};
use crate::geometry::innodb::{
    self, Method,
    charge::{self, Server},
    dynamic::{PageCounts, Table},
    facts, page,
    space::Space,
    zip::{self, ZipTable},
};
use crate::pipeline::{PipelineError, Progress};
use crate::source::{OnBadDocument, Source};
use crate::units::{BsonBytes, DiskBytes, PackedBytes, RawBytes};

/// Documents that are taken together, in bytes: work for all threads.
const BATCH_BYTES: usize = 8 << 20;

/// Estimates the table of a source's documents under each method. `observe` is called on the calling thread.
///
/// # Errors
///
/// What the source returns; an input without documents; a system without threads.
pub fn estimate_table(
    name: &str,
    source: &mut dyn Source,
    methods: &[Method],
    plan: &StorePlan,
    observe: &mut dyn FnMut(Progress),
) -> Result<StoredInput, PipelineError> {
    let mut run = Run::new(methods, plan)?;
    let mut batch = Batch::default();
    loop {
        let more = batch.fill(source)?;
        run.take(&batch);
        observe(Progress {
            documents: run.documents,
            bytes_read: source.bytes_read(),
            bytes_total: source.bytes_total(),
        });
        if !more {
            break;
        }
    }
    let skipped = source.skipped().clone();
    debug_assert!(plan.on_bad == OnBadDocument::Skip || skipped.documents == 0);
    if run.documents == 0 {
        let first_reason = skipped.reasons.into_iter().next();
        let input = source.name().to_owned();
        return Err(PipelineError::NoDocuments { input, skipped: skipped.documents, first_reason });
    }
    Ok(StoredInput {
        name: name.to_owned(),
        source: source.name().to_owned(),
        documents: Some(run.documents),
        bson: Some(BsonBytes(run.bson_bytes)),
        input_bytes: run.bson_bytes,
        documents_skipped: skipped.documents,
        skip_reasons: skipped.reasons,
        rows: run.finish(),
    })
}

/// Documents, one behind the other.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Batch {
    /// Whether there may be more.
    fn fill(&mut self, source: &mut dyn Source) -> Result<bool, PipelineError> {
        self.bytes.clear();
        self.ends.clear();
        while self.bytes.len() < BATCH_BYTES {
            if source.next_document(&mut self.bytes)?.is_none() {
                return Ok(false);
            }
            self.ends.push(self.bytes.len());
        }
        Ok(true)
    }

    fn documents(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.bytes[std::mem::replace(&mut start, *end)..*end])
    }
}

/// One method along the run.
enum Track {
    /// Pages as they are, or packed whole: all of these share one table.
    Whole { method: Method, packing: Option<(usize, Server)>, sum: PageSum },
    /// A table of its own.
    Rows { method: Method, table: Box<ZipTable>, page: usize, lob: usize },
}

/// Pages that page compression took.
#[derive(Clone, Copy, Debug, Default)]
struct PageSum {
    disk: DiskBytes,
    packed: PackedBytes,
    kept_raw: u64,
}

struct Run {
    packers: Packers,
    tracks: Vec<Track>,
    table: Table,
    documents: u64,
    bson_bytes: u64,
}

impl Run {
    fn new(methods: &[Method], plan: &StorePlan) -> Result<Self, PipelineError> {
        let mut kinds: Vec<Option<EncoderKind>> = Vec::new();
        let mut add = |kind| {
            kinds.push(Some(kind));
            kinds.len() - 1
        };
        let tracks = methods
            .iter()
            .map(|method| match *method {
                Method::RowCompressed(key_block) => Track::Rows {
                    method: *method,
                    table: Box::new(ZipTable::new(key_block)),
                    page: add(zip::page_encoder(innodb::server_level())),
                    lob: add(zip::lob_encoder(innodb::server_level())),
                },
                method => {
                    let packing = method.page_compression().map(|(kind, server)| (add(kind), server));
                    Track::Whole { method, packing, sum: PageSum::default() }
                }
            })
            .collect();
        let packers = Packers::new(plan.threads, &kinds).map_err(threads_error(plan.threads))?;
        Ok(Self { packers, tracks, table: Table::new(), documents: 0, bson_bytes: 0 })
    }

    fn take(&mut self, batch: &Batch) {
        self.documents += batch.ends.len() as u64;
        self.bson_bytes += batch.bytes.len() as u64;
        let mut pages = Vec::new();
        for document in batch.documents() {
            self.table.insert(document, &mut |page| pages.push(page));
        }
        self.pack_pages(&pages);
        let mut rows: Vec<_> =
            self.tracks.iter_mut().filter(|track| matches!(track, Track::Rows { .. })).collect();
        self.packers.for_each(&mut rows, |track, set| insert_all(track, batch, set));
    }

    /// Packs finished pages under every method of page compression.
    fn pack_pages(&mut self, pages: &[Vec<u8>]) {
        for track in &mut self.tracks {
            let Track::Whole { packing: Some((encoder, server)), sum, .. } = track else { continue };
            let stored = self.packers.map(pages, |page, set| {
                let packed = set.pack(*encoder, charge::encoder_input(*server, page));
                charge::charge(*server, packed.and_then(|bytes| usize::try_from(bytes).ok()))
            });
            for page in stored {
                sum.disk += page.disk;
                match page.packed_bytes {
                    Some(bytes) => sum.packed += PackedBytes(bytes as u64),
                    None => sum.kept_raw += 1,
                }
            }
        }
    }

    fn finish(mut self) -> Vec<StoredRow> {
        let mut pages = Vec::new();
        let table = std::mem::take(&mut self.table);
        let (counts, space) = table.finish(&mut |page| pages.push(page));
        // The change buffer's bitmap and the inodes; the file's first page is never packed.
        pages.extend([page::inode(1), page::inode(2)]);
        self.pack_pages(&pages);
        let file = (counts, space);
        self.tracks.into_iter().map(|track| row(track, &file)).collect()
    }
}

fn insert_all(track: &mut Track, batch: &Batch, set: &mut PackerSet) {
    let Track::Rows { table, page, lob, .. } = track else { return };
    let set = std::cell::RefCell::new(set);
    let packed = |index: usize, input: &[u8]| {
        // zlib does not give up; were it to, nothing would fit.
        set.borrow_mut()
            .pack(index, input)
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(usize::MAX / 2)
    };
    let (mut page, mut lob) = (|input: &[u8]| packed(*page, input), |input: &[u8]| packed(*lob, input));
    let mut packers = zip::Packers { page: &mut page, lob: &mut lob };
    for document in batch.documents() {
        table.insert(document, &mut packers);
    }
}

fn row(track: Track, file: &(PageCounts, Space)) -> StoredRow {
    match track {
        Track::Whole { method, packing: None, .. } => whole_file(method, file.0, &file.1),
        Track::Whole { method, packing: Some(_), sum } => {
            // Pages that were never written are holes.
            let first_page = DiskBytes(facts::PAGE_BYTES as u64);
            let storage = sum.disk + first_page;
            let kept_raw = (sum.kept_raw + 1) * facts::PAGE_BYTES as u64;
            StoredRow {
                storage,
                parts: parts(file.0, facts::PAGE_BYTES as u64, Some(sum.kept_raw + 1)),
                packed: Some(sum.packed),
                kept_raw: Some(RawBytes(kept_raw)),
                padding: Some(DiskBytes(storage.0 - sum.packed.0 - kept_raw)),
                never_used: None,
                ..whole_file(method, file.0, &file.1)
            }
        }
        Track::Rows { method, table, .. } => {
            let (counts, space) = table.finish();
            whole_file(method, counts, &space)
        }
    }
}

/// A file that takes all of its length.
fn whole_file(method: Method, counts: PageCounts, space: &Space) -> StoredRow {
    let page_bytes = space.page_bytes();
    StoredRow {
        load: None,
        table_codec: None,
        table: None,
        codec: CodecName { name: method.name(), level: method.level() },
        storage: DiskBytes(space.file_bytes()),
        basis: Basis::Modelled,
        parts: parts(counts, page_bytes, None),
        packed: None,
        kept_raw: None,
        padding: None,
        metadata: None,
        never_used: Some(DiskBytes(space.file_bytes().saturating_sub(counts.total() * page_bytes))),
    }
}

fn parts(counts: PageCounts, page_bytes: u64, kept_raw: Option<u64>) -> Parts {
    let PageCounts { leaves, lobs, nodes, own } = counts;
    Parts::Pages { page_bytes, leaves, lobs, others: nodes + own, kept_raw }
}

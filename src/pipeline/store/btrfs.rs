//! A file on btrfs, written front to back.

use super::{StorePlan, packers::Packers, threads_error};
use crate::estimate::{
    Basis, CodecName,
    store::{Parts, StoredInput, StoredRow},
};
use crate::geometry::btrfs::{
    self, EXTENT_BYTES_MAX, Extents, Method, Mount, Place, SECTOR_BYTES, Trial, UNIT_BYTES,
    heuristic::{self, Verdict},
};
use crate::pipeline::{PipelineError, Progress};
use crate::source::RawSource;
use crate::units::{DiskBytes, RawBytes};

/// Units that wait until there is work for all threads.
const BATCH_UNITS: usize = 16;

/// Estimates a file under each method. `observe` is called on the calling thread.
///
/// # Errors
///
/// What the source returns; a system without threads.
pub fn estimate_file(
    name: &str,
    source: &mut RawSource,
    methods: &[Method],
    mount: Mount,
    plan: &StorePlan,
    observe: &mut dyn FnMut(Progress),
) -> Result<StoredInput, PipelineError> {
    let packers = packers(methods, plan)?;
    let mut file = FileOnBtrfs::new(methods, mount);
    let mut batch = Vec::new();
    while source.read(UNIT_BYTES as u64, &mut batch)? > 0 {
        file.push(&batch, &packers);
        batch.clear();
        observe(Progress {
            documents: 0,
            bytes_read: source.bytes_read(),
            bytes_total: source.bytes_total(),
        });
    }
    Ok(StoredInput {
        name: name.to_owned(),
        source: source.name().to_owned(),
        documents: None,
        bson: None,
        input_bytes: source.bytes_read(),
        documents_skipped: 0,
        skip_reasons: Vec::new(),
        rows: file.finish(&packers).into_iter().map(|(method, extents)| row(method, extents)).collect(),
    })
}

/// Encoders of these methods.
pub(super) fn packers(methods: &[Method], plan: &StorePlan) -> Result<Packers, PipelineError> {
    let kinds: Vec<_> = methods.iter().map(|method| method.encoder()).collect();
    Packers::new(plan.threads, &kinds).map_err(threads_error(plan.threads))
}

/// One row of the report.
pub(super) fn row(method: Method, extents: Extents) -> StoredRow {
    StoredRow {
        load: None,
        table_codec: None,
        table: None,
        codec: CodecName { name: method.name(), level: method.level() },
        storage: extents.disk,
        basis: Basis::Modelled,
        parts: Parts::Extents { extents: extents.count(), kept_raw: extents.kept_raw },
        packed: Some(extents.packed),
        kept_raw: Some(RawBytes(extents.raw_bytes)),
        padding: Some(DiskBytes(extents.padding)),
        metadata: Some(DiskBytes(extents.metadata_bytes())),
        never_used: None,
    }
}

/// A file that grows at its end, under several methods at once.
pub(super) struct FileOnBtrfs {
    mount: Mount,
    tracks: Vec<Track>,
    /// Bytes that are not stored yet: the end of the file so far, from a multiple of 512 KiB on.
    pending: Vec<u8>,
    stored_bytes: u64,
}

/// One method along the file.
struct Track {
    method: Method,
    extents: Extents,
    /// Whether what comes next is tried.
    trying: Trying,
}

/// Whether the rest of a file is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trying {
    On,
    /// The first look at it, or a piece that did not pay, ended it.
    GivenUp,
}

impl FileOnBtrfs {
    pub(super) fn new(methods: &[Method], mount: Mount) -> Self {
        let track = |method: &Method| Track {
            method: *method,
            extents: Extents::default(),
            trying: if *method == Method::None { Trying::GivenUp } else { Trying::On },
        };
        Self { mount, tracks: methods.iter().map(track).collect(), pending: Vec::new(), stored_bytes: 0 }
    }

    /// Bytes so far.
    pub(super) fn bytes(&self) -> u64 {
        self.stored_bytes + self.pending.len() as u64
    }

    pub(super) fn push(&mut self, bytes: &[u8], packers: &Packers) {
        self.pending.extend_from_slice(bytes);
        // One byte more than the batch: so the last unit of a file is always stored by `finish`.
        if self.pending.len() > BATCH_UNITS * UNIT_BYTES {
            let whole = (self.pending.len() - 1) / UNIT_BYTES * UNIT_BYTES;
            self.store(whole, packers);
        }
    }

    /// Each method's extents.
    pub(super) fn finish(mut self, packers: &Packers) -> Vec<(Method, Extents)> {
        if self.stored_bytes == 0 && self.pending.len() <= SECTOR_BYTES {
            let methods: Vec<_> = self.tracks.iter().map(|track| track.method).enumerate().collect();
            let stored = packers.map(&methods, |(index, method), set| {
                btrfs::store_small(*method, &self.pending, &mut |input| set.pack(*index, input))
            });
            return methods.into_iter().map(|(_, method)| method).zip(stored).collect();
        }
        self.store(self.pending.len(), packers);
        let file_bytes = self.stored_bytes;
        let whole = |track: Track| match track.extents {
            // Long raw extents are cut at 128 MiB, not at units.
            extents if extents.compressed == 0 && track.trying == Trying::GivenUp => {
                (track.method, Extents::uncompressed(file_bytes))
            }
            extents => (track.method, extents),
        };
        self.tracks.into_iter().map(whole).collect()
    }

    /// Stores the first `bytes` of what is pending.
    fn store(&mut self, bytes: usize, packers: &Packers) {
        let is_start = self.stored_bytes == 0;
        if is_start && self.mount == Mount::Allow {
            // The whole of what is written together is judged by its first piece.
            let first = &self.pending[..bytes.min(EXTENT_BYTES_MAX)];
            if heuristic::verdict(first) == Verdict::Raw {
                self.tracks.iter_mut().for_each(|track| track.trying = Trying::GivenUp);
            }
        }
        let trying = self.tracks.iter().enumerate().filter(|(_, track)| track.trying == Trying::On);
        let units = bytes.div_ceil(UNIT_BYTES);
        let jobs: Vec<(usize, Method, usize)> = trying
            .flat_map(|(index, track)| (0..units).map(move |unit| (index, track.method, unit)))
            .collect();
        let unit = |index: usize| &self.pending[index * UNIT_BYTES..bytes.min((index + 1) * UNIT_BYTES)];
        let mount = self.mount;
        let stored = packers.map(&jobs, |(index, method, at), set| {
            let place = if is_start && *at == 0 { Place::First } else { Place::Later };
            btrfs::store_unit(*method, mount, place, unit(*at), &mut |input| set.pack(*index, input))
        });
        let lengths: Vec<u64> = (0..units).map(|index| unit(index).len() as u64).collect();
        let mut stored = jobs.into_iter().zip(stored).peekable();
        for (index, track) in self.tracks.iter_mut().enumerate() {
            for length in &lengths {
                let unit = stored.next_if(|((of, _, _), _)| *of == index).map(|(_, unit)| unit);
                match unit.filter(|_| track.trying == Trying::On) {
                    Some(unit) => {
                        track.extents += unit.extents;
                        if mount == Mount::Allow && unit.trial == Trial::Failed {
                            track.trying = Trying::GivenUp;
                        }
                    }
                    None => track.extents += Extents::raw_unit(*length),
                }
            }
        }
        self.pending.drain(..bytes);
        self.stored_bytes += bytes as u64;
    }
}

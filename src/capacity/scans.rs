//! Cold scans of one collection: on each disk, between codecs, and where one saves how much.

use super::scan::Work;
use super::{Growth, Needs};
use crate::estimate::{Basis, CodecName, CollectionEstimate, LoadState};

/// One state, codec and disk.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanRow {
    /// Which state.
    pub load: LoadState,
    /// Which codec.
    pub codec: CodecName,
    /// Disk bandwidth.
    pub disk_mb_per_s: f64,
    /// What the disk takes.
    pub disk_s: f64,
    /// What the thread takes to unpack; `None` if the encoder was not timed.
    pub unpack_s: Option<f64>,
    /// What it takes besides: blocks, pages, documents.
    pub other_s: f64,
    /// The larger of disk and thread: the system reads ahead.
    pub scan_s: Option<f64>,
    /// Both, one after the other: it does not.
    pub scan_alone_s: Option<f64>,
    /// Time against `none` on the same disk, less one: -0.25 is a quarter less; `None` without `none`.
    pub saved_share: Option<f64>,
    /// How it is known.
    pub basis: Basis,
}

/// Where one codec begins to be faster than another.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossoverRow {
    /// Which state.
    pub load: LoadState,
    /// Smaller on disk: faster on disks below.
    pub below: CodecName,
    /// Faster on disks above; or everywhere, or nowhere.
    pub above: CodecName,
    /// The disk on which both take as long; `None` if the first is the faster one on every disk.
    pub disk_mb_per_s: Option<f64>,
    /// How it is known.
    pub basis: Basis,
}

/// The fastest disk on which a codec saves so much against `none`.
#[derive(Clone, Debug, PartialEq)]
pub struct SavingRow {
    /// Which state.
    pub load: LoadState,
    /// Which codec.
    pub codec: CodecName,
    /// Time saved.
    pub saving_pct: f64,
    /// The disk; `None` if it is never as much.
    pub disk_mb_per_s: Option<f64>,
    /// How it is known.
    pub basis: Basis,
}

/// All of them, and the work that they stand on.
pub(super) struct Scans {
    /// Codec, work and basis, in the order of the estimate.
    pub work: Vec<(CodecName, Work, Basis)>,
    pub rows: Vec<ScanRow>,
    pub crossovers: Vec<CrossoverRow>,
    pub savings: Vec<SavingRow>,
}

impl Scans {
    pub(super) fn of(collection: &CollectionEstimate, growth: &Growth, needs: &Needs) -> Self {
        let work: Vec<(CodecName, Work, Basis)> = collection
            .storage
            .iter()
            .map(|row| {
                let work = Work::of(row, collection.documents, collection.bson.0).scaled(growth.factor);
                (row.codec.clone(), work, growth.basis_of(row.basis))
            })
            .collect();
        let mut scans = Self { work, rows: Vec::new(), crossovers: Vec::new(), savings: Vec::new() };
        scans.fill(needs);
        scans
    }

    /// That of a codec in the first state that has it.
    pub(super) fn work_of(&self, name: &str) -> Option<&Work> {
        self.work.iter().find(|(codec, _, _)| codec.name == name).map(|(_, work, _)| work)
    }

    fn plain(&self, load: LoadState) -> Option<&Work> {
        self.work
            .iter()
            .find(|(codec, work, _)| codec.name == "none" && work.load == load)
            .map(|(_, work, _)| work)
    }

    fn fill(&mut self, needs: &Needs) {
        let (mut rows, mut crossovers, mut savings) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (codec, work, basis)) in self.work.iter().enumerate() {
            let plain = self.plain(work.load);
            for disk_mb_per_s in needs.disks().iter().copied() {
                let scan_s = work.scan_s(disk_mb_per_s);
                let plain_s = plain.and_then(|plain| plain.scan_s(disk_mb_per_s));
                rows.push(ScanRow {
                    load: work.load,
                    codec: codec.clone(),
                    disk_mb_per_s,
                    disk_s: work.disk_s(disk_mb_per_s),
                    unpack_s: work.unpack_s,
                    other_s: work.other_s(),
                    scan_s,
                    scan_alone_s: work.scan_alone_s(disk_mb_per_s),
                    saved_share: scan_s.zip(plain_s).map(|(own, plain)| own / plain - 1.0),
                    basis: *basis,
                });
            }
            for (other_codec, other, other_basis) in &self.work[at + 1..] {
                if other.load == work.load && other.thread_s().is_some() && work.thread_s().is_some() {
                    let first = (codec, work);
                    let second = (other_codec, other);
                    let basis = super::worse(*basis, *other_basis);
                    crossovers.push(crossover(first, second, basis));
                }
            }
            if codec.name == "none" || work.thread_s().is_none() {
                continue;
            }
            for saving_pct in needs.scan_savings().iter().copied() {
                let Some(plain) = plain else { continue };
                savings.push(SavingRow {
                    load: work.load,
                    codec: codec.clone(),
                    saving_pct,
                    disk_mb_per_s: work.disk_for_share(plain, 1.0 - saving_pct / 100.0),
                    basis: *basis,
                });
            }
        }
        (self.rows, self.crossovers, self.savings) = (rows, crossovers, savings);
    }
}

fn crossover(first: (&CodecName, &Work), second: (&CodecName, &Work), basis: Basis) -> CrossoverRow {
    let (below, above) =
        if first.1.storage_bytes <= second.1.storage_bytes { (first, second) } else { (second, first) };
    CrossoverRow {
        load: first.1.load,
        below: below.0.clone(),
        above: above.0.clone(),
        disk_mb_per_s: below.1.crossover_mb_per_s(above.1),
        basis,
    }
}

//! Which codec and level for what, each with the figures that decided it.

use super::measured::{Direction, Traffic};
use super::scans::Scans;
use super::traffic::DumpRow;
use super::{BYTES_PER_MB, Needs, float, name_of};
use crate::estimate::{Basis, CodecName, CollectionEstimate};

/// Disk that is planned for where none or several were given: one spinning disk.
const DISK_MB_PER_S: f64 = 100.0;
/// Of times this close to the best the smaller one is taken.
const AS_FAST: f64 = 1.05;
/// A dump may take so many times as long as the fastest, if it is smaller for it.
const DUMP_LONGER_MAX: f64 = 1.5;
/// A compressor of messages must save so much over a cheaper one.
const WIRE_SAVING_MIN: f64 = 0.05;

/// What a codec is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A collection's file.
    Storage,
    /// A dump that is kept.
    Backup,
    /// Messages between members, and to clients.
    Replication,
    /// A dump that is sent once.
    Transfer,
}

impl Use {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Backup => "backup",
            Self::Replication => "replication",
            Self::Transfer => "transfer",
        }
    }
}

/// A choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// For what.
    pub use_for: Use,
    /// What to take.
    pub codec: CodecName,
    /// The figures that decided.
    pub reason: String,
    /// How they are known.
    pub basis: Basis,
}

pub(super) fn advice(
    collection: &CollectionEstimate,
    traffic: &Traffic,
    scans: &Scans,
    dumps: &[DumpRow],
    needs: &Needs,
) -> Vec<Advice> {
    let all =
        [storage(collection, scans, needs), backup(dumps), replication(traffic), transfer(dumps, needs)];
    all.into_iter().flatten().collect()
}

fn least(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.min_by(f64::total_cmp)
}

fn storage(collection: &CollectionEstimate, scans: &Scans, needs: &Needs) -> Option<Advice> {
    let disk = match needs.disks_typed.as_slice() {
        [only] => *only,
        _ => DISK_MB_PER_S,
    };
    let first_load = collection.storage.first()?.load;
    let timed = || {
        let of_load = scans.work.iter().filter(move |(_, work, _)| work.load == first_load);
        of_load.filter_map(move |(codec, work, basis)| Some((codec, work, *basis, work.scan_s(disk)?)))
    };
    let fastest = least(timed().map(|(_, _, _, scan_s)| scan_s))?;
    let as_fast = timed().filter(|(_, _, _, scan_s)| *scan_s <= fastest * AS_FAST);
    let (codec, work, basis, time_s) =
        as_fast.min_by(|one, other| one.1.storage_bytes.total_cmp(&other.1.storage_bytes))?;
    let plain = scans.work_of("none").and_then(|plain| plain.scan_s(disk));
    let against = match plain {
        Some(plain_s) if codec.name != "none" => format!(", {} without", seconds(plain_s)),
        _ => String::new(),
    };
    let reason = format!(
        "a cold scan at {disk} MB/s takes {}{against}; {:.1} MB on disk, the least of those as fast",
        seconds(time_s),
        work.storage_bytes / BYTES_PER_MB
    );
    Some(Advice { use_for: Use::Storage, codec: codec.clone(), reason, basis })
}

fn backup(dumps: &[DumpRow]) -> Option<Advice> {
    let fastest = least(dumps.iter().filter_map(|dump| dump.dump_s))?;
    let is_quick = |dump: &&DumpRow| dump.dump_s.is_some_and(|dump_s| dump_s <= fastest * DUMP_LONGER_MAX);
    let best = dumps.iter().filter(is_quick).min_by_key(|dump| dump.dump_bytes)?;
    let reason = format!(
        "the smallest stream, {:.1} % of BSON, that makes the dump at most half longer: {} against {}",
        best.ratio_dump_to_bson * 100.0,
        seconds(best.dump_s?),
        seconds(fastest)
    );
    Some(Advice { use_for: Use::Backup, codec: best.codec.clone(), reason, basis: best.basis })
}

/// From the cheapest to the dearest: each must save enough over the one taken before.
fn replication(traffic: &Traffic) -> Option<Advice> {
    let order = ["none", "snappy", "zstd", "zlib"];
    let of = |name: &&str| {
        traffic.wire.iter().find(|one| one.direction == Direction::Find && one.codec.name() == *name)
    };
    let mut sent = order.iter().filter_map(of);
    let plain = sent.next()?;
    let saves = |one: u64, other: u64| float(one) < float(other) * (1.0 - WIRE_SAVING_MIN);
    let best = sent.fold(plain, |best, one| if saves(one.sent_bytes, best.sent_bytes) { one } else { best });
    let reason = format!(
        "replies take {:.1} % of their bytes; a slower compressor must save {:.0} % more",
        float(best.sent_bytes) / float(best.message_bytes.max(1)) * 100.0,
        WIRE_SAVING_MIN * 100.0
    );
    Some(Advice { use_for: Use::Replication, codec: name_of(best.codec), reason, basis: Basis::Modelled })
}

fn transfer(dumps: &[DumpRow], needs: &Needs) -> Option<Advice> {
    let network = needs.network_mb_per_s?;
    let time = |dump: &DumpRow| Some(dump.pack_s?.max(dump.unpack_s?).max(dump.transfer_s?));
    let fastest = least(dumps.iter().filter_map(time))?;
    let is_as_fast = |dump: &&DumpRow| time(dump).is_some_and(|seconds| seconds <= fastest * AS_FAST);
    let best = dumps.iter().filter(is_as_fast).min_by_key(|dump| dump.dump_bytes)?;
    let reason = format!(
        "packing, sending at {network} MB/s and unpacking side by side take {}, the least of all levels",
        seconds(time(best)?)
    );
    Some(Advice { use_for: Use::Transfer, codec: best.codec.clone(), reason, basis: best.basis })
}

/// Seconds in a sentence.
fn seconds(seconds: f64) -> String {
    match seconds {
        0.0..0.095 => format!("{:.0} ms", seconds * 1000.0),
        0.095..100.0 => format!("{seconds:.2} s"),
        _ => format!("{seconds:.0} s"),
    }
}

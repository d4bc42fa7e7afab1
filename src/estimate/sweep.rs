//! What many levels and page sizes say together: which points are worth a look, and which one to take for what.
//!
//! A *point* is one load state, leaf page size and codec. Three figures are set against each other: the file, the
//! processor time that packs all of its pages once (*write*), and the time that unpacks them once (*read*).

use super::{CodecName, Estimate, LoadState, StorageEstimate, Timing};
use crate::units::DiskBytes;

/// A whole run of `sweep`.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// One estimate a leaf page size; all have the same collections.
    pub runs: Vec<Estimate>,
    /// One entry a collection.
    pub findings: Vec<Findings>,
}

impl Sweep {
    /// Looks at the runs, of which there is one at least.
    #[must_use]
    pub fn of(runs: Vec<Estimate>) -> Self {
        let collections = runs.first().map_or(0, |run| run.collections.len());
        let findings = (0..collections).map(|at| Findings::of(&points(&runs, at), server_codec(&runs, at)));
        Self { findings: findings.collect(), runs }
    }

    /// What all runs took together.
    #[must_use]
    pub fn timing(&self) -> Timing {
        let wall_s = self.runs.iter().map(|run| run.timing.wall_s).sum();
        let cpu_s = self.runs.iter().map(|run| run.timing.cpu_s).sum();
        Timing { wall_s, cpu_s }
    }

    /// The points of the collection at this position, by leaf page size, then as in the estimates.
    #[must_use]
    pub fn points(&self, collection: usize) -> Vec<Point<'_>> {
        points(&self.runs, collection)
    }
}

fn points(runs: &[Estimate], collection: usize) -> Vec<Point<'_>> {
    let mut points = Vec::new();
    for run in runs {
        let leaf_page_bytes_max = run.model.leaf_page_bytes_max;
        let rows = run.collections.get(collection).map_or(&[][..], |collection| &collection.storage);
        points.extend(rows.iter().map(|row| Point { leaf_page_bytes_max, row }));
    }
    points
}

fn server_codec(runs: &[Estimate], collection: usize) -> &'static str {
    let of = |run: &Estimate| run.collections.get(collection).map(|collection| collection.kind.server_codec);
    runs.first().and_then(of).unwrap_or("snappy")
}

/// One state, leaf page size and codec.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// `leaf_page_max`.
    pub leaf_page_bytes_max: u64,
    /// Its figures.
    pub row: &'a StorageEstimate,
}

impl Point<'_> {
    /// Which one it is.
    #[must_use]
    pub fn place(&self) -> Place {
        let StorageEstimate { load, codec, .. } = self.row;
        Place { load: *load, leaf_page_bytes_max: self.leaf_page_bytes_max, codec: codec.clone() }
    }

    /// Processor seconds that pack all of its pages once, on one thread; 0 without a codec, `None` if not measured.
    #[must_use]
    pub fn write_s(&self) -> Option<f64> {
        self.seconds(|row| row.speed.map(|speed| speed.compress_mb_per_s))
    }

    /// Processor seconds that unpack all of its pages once.
    #[must_use]
    pub fn read_s(&self) -> Option<f64> {
        // Pages that no codec made shorter are read as they are.
        self.seconds(|row| row.speed.map(|speed| speed.decompress_mb_per_s.unwrap_or(f64::INFINITY)))
    }

    fn seconds(&self, mb_per_s: impl FnOnce(&StorageEstimate) -> Option<f64>) -> Option<f64> {
        if self.row.codec.name == "none" {
            return Some(0.0);
        }
        #[expect(clippy::cast_precision_loss, reason = "seconds, not bytes, are what is wanted")]
        let megabytes = self.row.tally.leaf_image.0 as f64 / 1e6;
        mb_per_s(self.row).filter(|speed| *speed > 0.0).map(|speed| megabytes / speed)
    }

    /// Units of a leaf block in the mean.
    #[must_use]
    pub fn blocks_per_page(&self, allocation_bytes: u64) -> Option<f64> {
        let tally = &self.row.tally;
        let units = tally.leaf_blocks.0 / allocation_bytes.max(1);
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        (tally.leaf_pages > 0).then(|| units as f64 / tally.leaf_pages as f64)
    }
}

/// Names a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which state.
    pub load: LoadState,
    /// `leaf_page_max`.
    pub leaf_page_bytes_max: u64,
    /// Codec and level.
    pub codec: CodecName,
}

/// What the points of one collection say.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Points that no other one beats in all of file, write and read; empty where speeds were not measured.
    pub front: Vec<Place>,
    /// Levels in a row that end on nearly the same file.
    pub plateaus: Vec<Plateau>,
    /// Points many of whose blocks lie just above a unit.
    pub cliffs: Vec<Cliff>,
    /// What to take for what.
    pub recommendations: Vec<Recommendation>,
}

/// Levels in a row whose files differ by a thousandth or a unit at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plateau {
    /// The lowest level of it.
    pub from: Place,
    /// The highest.
    pub to: CodecName,
    /// The largest file of it.
    pub storage: DiskBytes,
}

/// Blocks that a little better packing would make a unit shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cliff {
    /// Where.
    pub at: Place,
    /// How many.
    pub blocks: u64,
    /// Of how many.
    pub of: u64,
}

/// A question that the figures answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The smallest file, whatever it costs.
    LeastStorage,
    /// What a server does when nobody says anything.
    Default,
    /// Little time to unpack, and still a good part of the saving.
    FastestReads,
    /// Little time to pack, and still a good part of the saving.
    WriteHeavy,
    /// Where more time begins to buy little.
    Knee,
}

impl Use {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LeastStorage => "least-storage",
            Self::Default => "default",
            Self::FastestReads => "fastest-reads",
            Self::WriteHeavy => "write-heavy",
            Self::Knee => "knee",
        }
    }
}

/// A point to take, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// For what.
    pub use_for: Use,
    /// Which one.
    pub at: Place,
    /// Its file.
    pub storage: DiskBytes,
    /// A sentence each.
    pub reasons: Vec<String>,
}

/// Files that differ by less count as the same.
const SAME_THOUSANDTHS: u64 = 1;
/// Share of blocks just above a unit from which it is worth a line.
const CLIFF_PCT_MIN: u64 = 20;
/// Part of the best saving that a fast point must reach to be recommended.
const SAVING_PCT_MIN: u64 = 50;

impl Findings {
    fn of(points: &[Point<'_>], server_codec: &str) -> Self {
        let mut loads: Vec<LoadState> = points.iter().map(|point| point.row.load).collect();
        loads.sort_unstable();
        loads.dedup();
        let mut findings = Self { plateaus: plateaus(points), cliffs: cliffs(points), ..Self::default() };
        for load in loads {
            let points: Vec<Point<'_>> = points.iter().copied().filter(|p| p.row.load == load).collect();
            findings.front.extend(front(&points).iter().map(Point::place));
            findings.recommendations.extend(recommendations(&points, server_codec));
        }
        findings
    }

    /// Whether a point is on the front; `None` where there is none.
    #[must_use]
    pub fn is_on_front(&self, place: &Place) -> Option<bool> {
        (!self.front.is_empty()).then(|| self.front.contains(place))
    }
}

fn nearly_same(a: DiskBytes, b: DiskBytes) -> bool {
    let (small, large) = (a.0.min(b.0), a.0.max(b.0));
    large - small <= (small * SAME_THOUSANDTHS / 1000).max(4096)
}

fn plateaus(points: &[Point<'_>]) -> Vec<Plateau> {
    let mut sorted: Vec<&Point<'_>> = points.iter().filter(|point| point.row.codec.level.is_some()).collect();
    sorted.sort_by_key(|point| {
        (point.row.load, point.leaf_page_bytes_max, point.row.codec.name, point.row.codec.level)
    });
    let same_codec = |a: &Point<'_>, b: &Point<'_>| {
        (a.row.load, a.leaf_page_bytes_max, a.row.codec.name)
            == (b.row.load, b.leaf_page_bytes_max, b.row.codec.name)
    };
    let mut found = Vec::new();
    let mut rest = sorted.as_slice();
    while let [first, ..] = rest {
        let (mut low, mut high, mut length) = (first.row.storage, first.row.storage, 0);
        for point in rest {
            let (lower, higher) = (low.min(point.row.storage), high.max(point.row.storage));
            if !same_codec(first, point) || !nearly_same(lower, higher) {
                break;
            }
            (low, high, length) = (lower, higher, length + 1);
        }
        if length > 1 {
            let to = rest[length - 1].row.codec.clone();
            found.push(Plateau { from: first.place(), to, storage: high });
        }
        rest = &rest[length.max(1)..];
    }
    found
}

fn cliffs(points: &[Point<'_>]) -> Vec<Cliff> {
    let cliff = |point: &Point<'_>| {
        let tally = &point.row.tally;
        let packed = tally.leaf_pages - tally.pages_kept_raw;
        let blocks = tally.blocks_just_over;
        let is_many =
            packed > 0 && u128::from(blocks) * 100 >= u128::from(packed) * u128::from(CLIFF_PCT_MIN);
        is_many.then(|| Cliff { at: point.place(), blocks, of: packed })
    };
    points.iter().filter_map(cliff).collect()
}

/// File, write and read of a point whose speeds are known.
fn costs(point: &Point<'_>) -> Option<(u64, f64, f64)> {
    Some((point.row.storage.0, point.write_s()?, point.read_s()?))
}

/// Points that no other one beats in one of the three without losing in another.
fn front<'a>(points: &[Point<'a>]) -> Vec<Point<'a>> {
    let known: Vec<(Point<'a>, (u64, f64, f64))> =
        points.iter().filter_map(|point| Some((*point, costs(point)?))).collect();
    if known.len() < points.len() {
        return Vec::new();
    }
    let beats = |a: &(u64, f64, f64), b: &(u64, f64, f64)| {
        a.0 <= b.0 && a.1 <= b.1 && a.2 <= b.2 && (a.0 < b.0 || a.1 < b.1 || a.2 < b.2)
    };
    let is_beaten = |costs: &(u64, f64, f64)| known.iter().any(|(_, other)| beats(other, costs));
    known.iter().filter(|(_, costs)| !is_beaten(costs)).map(|(point, _)| *point).collect()
}

/// Seconds, or 0 where they are not known: then the order of the points decides.
fn write_or_zero(point: &Point<'_>) -> f64 {
    point.write_s().unwrap_or(0.0)
}

fn cheapest<'a>(
    points: impl Iterator<Item = Point<'a>>,
    cost: impl Fn(&Point<'a>) -> f64,
) -> Option<Point<'a>> {
    points.min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.row.storage.cmp(&b.row.storage)))
}

fn recommendations(points: &[Point<'_>], server_codec: &str) -> Vec<Recommendation> {
    // No setting of a server changes zlib's level.
    let can_be_set = |point: &Point<'_>| {
        let CodecName { name, level } = point.row.codec;
        name != "zlib" || level == Some(LEVEL_DEFAULT)
    };
    let points: Vec<Point<'_>> = points.iter().copied().filter(can_be_set).collect();
    let points = points.as_slice();
    let Some(least) = points.iter().map(|point| point.row.storage).min() else { return Vec::new() };
    let mut found = Vec::new();
    let mut recommend = |use_for, point: Option<Point<'_>>, reasons: Vec<String>| {
        if let Some(point) = point {
            found.push(Recommendation { use_for, at: point.place(), storage: point.row.storage, reasons });
        }
    };
    let smallest = points.iter().copied().filter(|point| nearly_same(point.row.storage, least));
    let smallest = cheapest(smallest, write_or_zero);
    recommend(
        Use::LeastStorage,
        smallest,
        vec![
            "smallest file of all points; of those within 0.1 % or a unit, the one that packs fastest"
                .to_owned(),
        ],
    );
    let by_itself = points.iter().copied().find(|point| is_by_itself(point, server_codec));
    recommend(
        Use::Default,
        by_itself,
        by_itself.map_or(Vec::new(), |point| vec![above_least(point.row.storage, least)]),
    );
    // What `none` takes; without it, the largest file.
    let none = points.iter().find(|point| point.row.codec.name == "none" && is_default_leaf(point));
    let whole = none.map(|point| point.row.storage).or(points.iter().map(|point| point.row.storage).max());
    let saves_enough = |point: &Point<'_>| {
        let whole = whole.map_or(0, |whole| whole.0);
        let (best, own) = (whole.saturating_sub(least.0), whole.saturating_sub(point.row.storage.0));
        u128::from(own) * 100 >= u128::from(best) * u128::from(SAVING_PCT_MIN)
    };
    if points.iter().all(|point| costs(point).is_some()) {
        let enough = || points.iter().copied().filter(saves_enough);
        let fast = |what: &str| {
            vec![format!(
                "{what} of the points that save at least {SAVING_PCT_MIN} % of what the smallest file saves"
            )]
        };
        let reads = cheapest(enough(), |point| point.read_s().unwrap_or(f64::INFINITY));
        recommend(Use::FastestReads, reads, fast("least time to unpack"));
        let writes = cheapest(enough(), |point| point.write_s().unwrap_or(f64::INFINITY));
        recommend(Use::WriteHeavy, writes, fast("least time to pack"));
        recommend(Use::Knee, knee(&front(points)), vec![
            "farthest below the straight line from the fastest point to the smallest on the front (Kneedle)".to_owned(),
        ]);
    }
    found
}

/// `leaf_page_max` of a collection that was created without a word about it.
pub(super) const LEAF_PAGE_BYTES_DEFAULT: u64 = 32 << 10;
/// The level that a server takes, of zlib and of zstd.
pub(super) const LEVEL_DEFAULT: i32 = 6;

fn is_default_leaf(point: &Point<'_>) -> bool {
    point.leaf_page_bytes_max == LEAF_PAGE_BYTES_DEFAULT
}

fn is_by_itself(point: &Point<'_>, server_codec: &str) -> bool {
    let CodecName { name, level } = point.row.codec;
    is_default_leaf(point) && name == server_codec && level.is_none_or(|level| level == LEVEL_DEFAULT)
}

fn above_least(storage: DiskBytes, least: DiskBytes) -> String {
    let tenths = u128::from(storage.0 - least.0) * 1000 / u128::from(least.0.max(1));
    format!("nothing to configure; {}.{} % above the smallest file", tenths / 10, tenths % 10)
}

/// The knee of file against write time, both scaled to their range: the point farthest below the straight line
/// between the ends.
///
/// Source: Satopää, Albrecht, Irwin, Raghavan, "Finding a 'Kneedle' in a Haystack", ICDCS Workshops 2011, without its
/// smoothing: the points are few and the first maximum of the difference curve is taken.
fn knee<'a>(front: &[Point<'a>]) -> Option<Point<'a>> {
    #[expect(clippy::cast_precision_loss, reason = "a place on a curve")]
    let curve: Vec<(Point<'a>, f64, f64)> = front
        .iter()
        .filter_map(|point| Some((*point, point.write_s()?, point.row.storage.0 as f64)))
        .collect();
    let range = |of: fn(&(Point<'a>, f64, f64)) -> f64| {
        let low = curve.iter().map(of).min_by(f64::total_cmp)?;
        let high = curve.iter().map(of).max_by(f64::total_cmp)?;
        Some((low, high - low)).filter(|(_, span)| *span > 0.0)
    };
    let (first_write, writes) = range(|(_, write, _)| *write)?;
    let (least, storages) = range(|(_, _, storage)| *storage)?;
    let below = |(_, write, storage): &(Point<'a>, f64, f64)| {
        1.0 - (storage - least) / storages - (write - first_write) / writes
    };
    let best = curve.iter().map(below).max_by(f64::total_cmp)?;
    curve.iter().find(|entry| below(entry) >= best).map(|(point, _, _)| *point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{Speed, fixture};

    /// Rows of (codec, level, storage, compress MB/s, decompress MB/s).
    fn sweep(rows: &[(&'static str, Option<i32>, u64, f64, f64)]) -> Sweep {
        let mut estimate = fixture::logs();
        let collection = &mut estimate.collections[0];
        let one = collection.storage[0].clone();
        collection.storage = rows
            .iter()
            .map(|(name, level, storage, compress, decompress)| StorageEstimate {
                codec: CodecName { name, level: *level },
                storage: DiskBytes(*storage),
                speed: (*compress > 0.0).then_some(Speed {
                    compress_mb_per_s: *compress,
                    decompress_mb_per_s: Some(*decompress),
                    image_bytes_timed: 1,
                }),
                ..one.clone()
            })
            .collect();
        Sweep::of(vec![estimate])
    }

    const MB: u64 = 1 << 20;

    fn usual() -> Sweep {
        sweep(&[
            ("none", None, 100 * MB, 0.0, 0.0),
            ("snappy", None, 60 * MB, 500.0, 1500.0),
            ("zlib", Some(6), 41 * MB, 40.0, 400.0),
            ("zstd", Some(1), 45 * MB, 400.0, 1200.0),
            ("zstd", Some(6), 40 * MB, 100.0, 1200.0),
            ("zstd", Some(9), 40 * MB, 50.0, 1200.0),
            ("zstd", Some(22), 39 * MB, 2.0, 1200.0),
        ])
    }

    fn recommended(sweep: &Sweep) -> Vec<(&'static str, String)> {
        let of = |found: &Recommendation| (found.use_for.name(), found.at.codec.to_string());
        sweep.findings[0].recommendations.iter().map(of).collect()
    }

    #[test]
    fn each_use_gets_its_point() {
        let want = [
            ("least-storage", "zstd:22"),
            ("default", "snappy"),
            ("fastest-reads", "snappy"),
            ("write-heavy", "snappy"),
            ("knee", "zstd:6"),
        ];
        let want = want.map(|(use_for, codec)| (use_for, codec.to_owned()));
        assert_eq!(recommended(&usual()), want);
        let default = &usual().findings[0].recommendations[1];
        assert_eq!(default.reasons, ["nothing to configure; 53.8 % above the smallest file"]);
    }

    /// zlib:6 packs slower, unpacks slower and is larger than zstd:6; zstd:9 only costs more.
    #[test]
    fn the_front_holds_what_nothing_beats() {
        let sweep = usual();
        let front: Vec<String> =
            sweep.findings[0].front.iter().map(|place| place.codec.to_string()).collect();
        assert_eq!(front, ["none", "snappy", "zstd:1", "zstd:6", "zstd:22"]);
        let place = sweep.points(0)[2].place();
        assert_eq!(sweep.findings[0].is_on_front(&place), Some(false));
    }

    #[test]
    fn without_speeds_there_is_no_front_and_storage_alone_is_recommended() {
        let sweep = sweep(&[("snappy", None, 60 * MB, 0.0, 0.0), ("zstd", Some(6), 40 * MB, 0.0, 0.0)]);
        assert_eq!(sweep.findings[0].is_on_front(&sweep.points(0)[0].place()), None);
        let want = [("least-storage", "zstd:6".to_owned()), ("default", "snappy".to_owned())];
        assert_eq!(recommended(&sweep), want);
    }

    #[test]
    fn levels_that_end_on_the_same_blocks_make_a_plateau() {
        let level = |level, storage| ("zstd", Some(level), storage, 100.0, 100.0);
        let sweep = sweep(&[
            level(1, 50 * MB),
            level(2, 40 * MB + 4096),
            level(3, 40 * MB),
            level(4, 40 * MB + 40_000),
            level(5, 39 * MB),
        ]);
        let [plateau] = &sweep.findings[0].plateaus[..] else { panic!("{:?}", sweep.findings[0].plateaus) };
        assert_eq!(
            (plateau.from.codec.to_string(), plateau.to.to_string()),
            ("zstd:2".into(), "zstd:4".into())
        );
        assert_eq!(plateau.storage, DiskBytes(40 * MB + 40_000));
    }

    #[test]
    fn a_cliff_is_told_from_a_fifth_of_the_blocks_on() {
        for (just_over, told) in [(120, true), (119, false)] {
            let mut estimate = fixture::logs();
            let row = &mut estimate.collections[0].storage[1];
            (row.tally.leaf_pages, row.tally.pages_kept_raw) = (701, 101);
            row.tally.blocks_just_over = just_over;
            let sweep = Sweep::of(vec![estimate]);
            assert_eq!(sweep.findings[0].cliffs.len(), usize::from(told), "{just_over} of 600");
        }
    }
}

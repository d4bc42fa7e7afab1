//! Reports of several machines as one: what a sharded collection takes is the sum of its shards' files.

use super::merging::{MergeError, Pair, Placed, listed, timing};
use super::{
    Band, BandBasis, Basis, CapFacts, CapReach, CollectionEstimate, Estimate, IndexEstimate, SampleFacts,
    Speed, StorageEstimate,
};
use crate::units::{DiskBytes, RawBytes};

/// No figure of a report that is added to others is larger: so many reports add up in 64 bits.
pub const FIGURE_MAX: u64 = 1 << 53;
/// Reports that are added at most.
pub const REPORTS_MAX: usize = 1024;

/// One report of all collections; those of one name are added, as the shards of one collection are.
///
/// Where a report has a name more than once, its n-th one is added to the n-th one of the others.
///
/// # Errors
///
/// Reports of other models, or of one collection with other rows.
pub fn merge(reports: Vec<Placed<Estimate>>) -> Result<Option<Estimate>, MergeError> {
    let mut reports = reports.into_iter();
    let Some((first_place, first)) = reports.next() else { return Ok(None) };
    let Estimate { model, collections, mut inputs_skipped, timing: first_timing } = first;
    let mut timings = vec![first_timing];
    let mut merged: Vec<Placed<CollectionEstimate>> =
        collections.into_iter().map(|collection| (first_place.clone(), collection)).collect();
    for (nth, (place, report)) in reports.enumerate() {
        if nth + 2 > REPORTS_MAX {
            return Err(MergeError::TooLarge { place });
        }
        Pair { first: &first_place, second: &place }.same_model(&model, &report.model)?;
        inputs_skipped.extend(report.inputs_skipped);
        timings.push(report.timing);
        let mut taken = vec![false; merged.len()];
        for collection in report.collections {
            let same = merged
                .iter()
                .zip(&taken)
                .position(|((_, known), taken)| known.name == collection.name && !taken);
            match same {
                Some(at) => {
                    taken[at] = true;
                    let (known_place, known) = &mut merged[at];
                    add(&Pair { first: known_place, second: &place }, known, collection)?;
                }
                None => merged.push((place.clone(), collection)),
            }
            taken.resize(merged.len(), true);
        }
    }
    let collections = merged.into_iter().map(|(_, collection)| collection).collect();
    Ok(Some(Estimate { model, collections, inputs_skipped, timing: timing(&timings) }))
}

/// Adds a shard's figures to those of the shards before it.
fn add(pair: &Pair<'_>, sum: &mut CollectionEstimate, shard: CollectionEstimate) -> Result<(), MergeError> {
    same_rows(pair, sum, &shard)?;
    // A new field will not compile until it is merged.
    let CollectionEstimate {
        name: _,
        sources,
        kind,
        documents,
        bson,
        ids_added,
        documents_skipped,
        skip_reasons,
        sampled_fraction,
        sample,
        storage,
        indexes,
        on_server: _,
        indexes_not_predicted,
        oddities,
    } = shard;
    sum.sample = samples(pair, sum, sample, documents, bson.0)?;
    sum.sampled_fraction = mean(sum.sampled_fraction, sum.bson.0, sampled_fraction, bson.0);
    sum.sources.extend(sources);
    sum.kind.clustered_out_of_order =
        sum.kind.clustered_out_of_order.zip(kind.clustered_out_of_order).map(|(one, other)| one + other);
    sum.kind.capped = sum.kind.capped.zip(kind.capped).map(|(one, other)| caps(one, other));
    sum.documents += documents;
    sum.bson += bson;
    sum.ids_added += ids_added;
    sum.documents_skipped += documents_skipped;
    sum.skip_reasons.extend(skip_reasons);
    // Each shard stands on a server of its own.
    sum.on_server = None;
    for index in indexes_not_predicted {
        if !sum.indexes_not_predicted.contains(&index) {
            sum.indexes_not_predicted.push(index);
        }
    }
    sum.oddities = sum.oddities.take().zip(oddities).map(|(mut all, more)| {
        for oddity in more {
            match all.iter_mut().find(|known| (&known.path, &known.what) == (&oddity.path, &oddity.what)) {
                Some(known) => known.count += oddity.count,
                None => all.push(oddity),
            }
        }
        all
    });
    for (row, more) in sum.storage.iter_mut().zip(storage) {
        add_storage(row, &more);
    }
    for (row, more) in sum.indexes.iter_mut().zip(&indexes) {
        add_index(row, more);
    }
    Ok(())
}

fn same_rows(
    pair: &Pair<'_>,
    first: &CollectionEstimate,
    second: &CollectionEstimate,
) -> Result<(), MergeError> {
    let name = &first.name;
    let kind = |collection: &CollectionEstimate| match collection.kind {
        kind if kind.clustered_out_of_order.is_some() => "clustered",
        kind if kind.capped.is_some() => "capped",
        _ => "plain",
    };
    pair.same(&format!("kind of {name}"), &kind(first), &kind(second), |kind| (*kind).to_owned())?;
    let server_codec = |collection: &CollectionEstimate| collection.kind.server_codec;
    pair.same(&format!("server_codec of {name}"), &server_codec(first), &server_codec(second), |codec| {
        (*codec).to_owned()
    })?;
    let storage = |collection: &CollectionEstimate| -> Vec<String> {
        collection.storage.iter().map(|row| format!("{} {}", row.load.name(), row.codec)).collect()
    };
    pair.same(&format!("storage rows of {name}"), &storage(first), &storage(second), |rows| listed(rows))?;
    let indexes = |collection: &CollectionEstimate| -> Vec<String> {
        let rows = collection.indexes.iter();
        rows.map(|row| {
            let fields = row.pattern.iter().map(|(field, value)| format!("{field}: {value:?}"));
            let pattern: Vec<String> = fields.collect();
            format!("{} {{{}}} {} {}", row.name, pattern.join(", "), row.load.name(), row.build.name())
        })
        .collect()
    };
    pair.same(&format!("index rows of {name}"), &indexes(first), &indexes(second), |rows| listed(rows))
}

/// A sharded cap is one a shard.
fn caps(one: CapFacts, other: CapFacts) -> CapFacts {
    let mut bson = one.bson;
    bson += other.bson;
    let reach = match (one.reach, other.reach) {
        (CapReach::Below, CapReach::Below) => CapReach::Below,
        _ => CapReach::Full,
    };
    CapFacts { bson, documents: one.documents.zip(other.documents).map(|(a, b)| a + b), reach }
}

/// Samples of several shards; documents of a shard that was read whole are all in the sample.
fn samples(
    pair: &Pair<'_>,
    sum: &CollectionEstimate,
    more: Option<SampleFacts>,
    documents: u64,
    bson_bytes: u64,
) -> Result<Option<SampleFacts>, MergeError> {
    let (mut all, one) = match (sum.sample, more) {
        (None, None) => return Ok(None),
        (Some(all), None) => {
            let bson = crate::units::BsonBytes(bson_bytes);
            (all, SampleFacts { runs: 1, documents, bson, scaled_to_documents: None, ..all })
        }
        (None, Some(one)) => {
            let scaled_to_documents = None;
            let (documents, bson) = (sum.documents, sum.bson);
            (SampleFacts { runs: 1, documents, bson, scaled_to_documents, ..one }, one)
        }
        (Some(all), Some(one)) => (all, one),
    };
    pair.same(&format!("sample.seed of {}", sum.name), &all.seed, &one.seed, u64::to_string)?;
    all.runs += one.runs;
    all.documents += one.documents;
    all.bson += one.bson;
    if one.documents_of_input == Basis::Extrapolated {
        all.documents_of_input = Basis::Extrapolated;
    }
    all.target_error_millionths = all.target_error_millionths.max(one.target_error_millionths);
    all.scaled_to_documents = all.scaled_to_documents.zip(one.scaled_to_documents).map(|(a, b)| a + b);
    Ok(Some(all))
}

fn add_storage(row: &mut StorageEstimate, more: &StorageEstimate) {
    // A new figure will not compile until it is merged.
    let StorageEstimate {
        load: _,
        codec: _,
        storage,
        band,
        band_basis: _,
        basis,
        sampling_error_millionths: _,
        tally,
        pages_packed,
        image_tuned,
        speed,
        walk: _,
    } = more;
    row.sampling_error_millionths = errors(row, more);
    row.image_tuned = RawBytes(whole_mean(
        (row.image_tuned.0, row.tally.leaf_image.0),
        (image_tuned.0, tally.leaf_image.0),
    ));
    row.storage += *storage;
    row.band = bands(row.band, *band);
    row.band_basis = BandBasis::Summed;
    row.basis = bases(row.basis, *basis);
    row.tally += tally;
    row.pages_packed += pages_packed;
    row.speed = speeds(row.speed, *speed);
    // Each table has its own.
    row.walk = None;
}

fn bands(one: Band, other: Band) -> Band {
    Band { low: DiskBytes(one.low.0 + other.low.0), high: DiskBytes(one.high.0 + other.high.0) }
}

fn bases(one: Basis, other: Basis) -> Basis {
    if one == other || other == Basis::Modelled { one } else { other }
}

/// As if all were off to the same side: no narrower than it is. `None` where all are modelled, or one cannot tell.
fn errors(row: &StorageEstimate, more: &StorageEstimate) -> Option<u64> {
    if row.basis == Basis::Modelled && more.basis == Basis::Modelled {
        return None;
    }
    let error = |row: &StorageEstimate| match row.basis {
        Basis::Modelled => Some(0),
        _ => row.sampling_error_millionths,
    };
    Some(whole_mean((error(row)?, row.storage.0), (error(more)?, more.storage.0)))
}

/// Mean of two (value, weight).
fn whole_mean(one: (u64, u64), other: (u64, u64)) -> u64 {
    let weight = u128::from(one.1) + u128::from(other.1);
    let sum = u128::from(one.0) * u128::from(one.1) + u128::from(other.0) * u128::from(other.1);
    sum.checked_div(weight).and_then(|mean| u64::try_from(mean).ok()).unwrap_or(one.0)
}

#[expect(clippy::cast_precision_loss, reason = "a weight")]
fn mean(one: f64, of_one: u64, other: f64, of_other: u64) -> f64 {
    let (of_one, of_other) = (of_one as f64, of_other as f64);
    if of_one + of_other > 0.0 { (one * of_one + other * of_other) / (of_one + of_other) } else { one }
}

fn speeds(one: Option<Speed>, other: Option<Speed>) -> Option<Speed> {
    let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
    let of = |a, b| mean(a, one.image_bytes_timed, b, other.image_bytes_timed);
    Some(Speed {
        compress_mb_per_s: of(one.compress_mb_per_s, other.compress_mb_per_s),
        decompress_mb_per_s: match (one.decompress_mb_per_s, other.decompress_mb_per_s) {
            (Some(one), Some(other)) => Some(of(one, other)),
            (one, other) => one.or(other),
        },
        image_bytes_timed: one.image_bytes_timed + other.image_bytes_timed,
    })
}

fn add_index(row: &mut IndexEstimate, more: &IndexEstimate) {
    // A new figure will not compile until it is merged.
    let IndexEstimate {
        name: _,
        pattern: _,
        load: _,
        build: _,
        entries,
        entries_modelled,
        storage,
        band,
        leaf_pages,
        twins,
        documents_refused,
        refused_reason,
        basis,
    } = more;
    let exact = |storage: Option<DiskBytes>| storage.map(|storage| Band { low: storage, high: storage });
    row.band = match (row.band, band) {
        (None, None) => None,
        (one, other) => {
            one.or(exact(row.storage)).zip(other.or(exact(*storage))).map(|(one, other)| bands(one, other))
        }
    };
    row.entries += entries;
    row.entries_modelled += entries_modelled;
    row.storage = row.storage.zip(*storage).map(|(one, other)| DiskBytes(one.0 + other.0));
    row.leaf_pages = row.leaf_pages.zip(*leaf_pages).map(|(one, other)| one + other);
    row.twins = match (row.twins, twins) {
        (Some(one), Some(other)) => Some(DiskBytes(one.0 + other.0)),
        (one, other) => one.or(*other),
    };
    row.documents_refused += documents_refused;
    if row.refused_reason.is_none() {
        row.refused_reason.clone_from(refused_reason);
    }
    row.basis = bases(row.basis, *basis);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::fixture;

    fn placed(name: &str, estimate: Estimate) -> Placed<Estimate> {
        (name.to_owned(), estimate)
    }

    #[test]
    fn figures_of_two_shards_are_added_and_still_have_one_owner_each() {
        let one = fixture::logs();
        let merged = merge(vec![placed("a", one.clone()), placed("b", one.clone())]).unwrap().unwrap();
        let [collection] = &merged.collections[..] else { panic!("one collection") };
        let single = &one.collections[0];
        assert_eq!(collection.documents, 2 * single.documents);
        assert_eq!(collection.sources.len(), 2 * single.sources.len());
        for (row, single) in collection.storage.iter().zip(&single.storage) {
            row.tally.assert_complete();
            assert_eq!(row.storage.0, 2 * single.storage.0);
            assert_eq!(row.storage, row.tally.storage());
            assert_eq!((row.band.low.0, row.band.high.0), (2 * single.band.low.0, 2 * single.band.high.0));
            assert_eq!(row.band_basis, BandBasis::Summed);
            assert_eq!(row.image_tuned, single.image_tuned);
        }
        assert_eq!(merged.timing.cpu_s, one.timing.cpu_s.map(|cpu_s| 2.0 * cpu_s));
        assert!((merged.timing.wall_s - one.timing.wall_s).abs() < 1e-9);
    }

    #[test]
    fn a_report_alone_stays_as_it_is_and_other_names_stand_side_by_side() {
        let one = fixture::logs();
        let alone = merge(vec![placed("a", one.clone())]).unwrap().unwrap();
        assert_eq!(alone.collections[0].storage[0].band_basis, BandBasis::Followed);
        let mut other = one.clone();
        other.collections[0].name = "other".to_owned();
        let merged = merge(vec![placed("a", one.clone()), placed("b", other)]).unwrap().unwrap();
        assert_eq!(merged.collections.len(), 2 * one.collections.len());
    }

    /// Two collections of one name in one report are two; each has its partner in the other report.
    #[test]
    fn a_name_that_a_report_has_twice_is_not_added_to_itself() {
        let mut one = fixture::logs();
        one.collections.push(one.collections[0].clone());
        let merged = merge(vec![placed("a", one.clone()), placed("b", one.clone())]).unwrap().unwrap();
        assert_eq!(merged.collections.len(), 2);
        assert!(merged.collections.iter().all(|sum| sum.documents == 2 * one.collections[0].documents));
    }
}

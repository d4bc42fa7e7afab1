//! The sentence that defines each figure, for `--explain`, for documentation and for checks.

use super::columns;

/// Name in JSON and CSV of `estimate`, and what it means.
pub const DEFINITIONS: &[(&str, &str)] = &[
    ("schema", "version of these names; it changes only when one goes or changes its meaning"),
    ("tool", "the program that wrote this"),
    ("version", "its version"),
    ("command", "the command that made the figures"),
    ("model", "the rules and parameters that were followed"),
    ("geometry", "the store whose rules were followed: `wiredtiger`, or what `--geometry` and `--on` say"),
    ("server", "release whose rules were followed"),
    ("server_note", "set when the rules of that release are not known here: which were used instead"),
    ("leaf_page_bytes_max", "`leaf_page_max`: largest leaf page image before compression"),
    ("allocation_bytes", "`allocation_size`: every block is a whole number of these units"),
    ("memory_page_bytes_max", "`memory_page_max` as given, before the cache clips it"),
    ("cache_bytes", "the server's cache; a small one makes pages in memory smaller"),
    ("codecs", "encoder libraries and their versions; another version may give other sizes"),
    ("collections", "one entry for each collection"),
    ("inputs_skipped", "inputs left out as a whole because they hold no document, each with its reason"),
    ("name", "of the tool or of the collection, which is its input's file name without endings"),
    ("collection", "name of the collection: its input's file name without endings"),
    ("sources", "inputs that the collection was read from"),
    ("clustered", "whether the table is keyed by `_id` itself; it then has no index `_id_`"),
    ("documents_out_of_order", "clustered: documents whose `_id` was not above the one before; counted"),
    ("capped_bson_bytes_max", "capped: BSON bytes that the collection holds at most"),
    ("capped_documents_max", "capped: documents that the collection holds at most, if there is such a limit"),
    (
        "cap_reached",
        "capped: whether the input had more, so that the figures are those of the full collection",
    ),
    ("server_codec", "the codec that a server takes for this collection unless it is told otherwise"),
    ("documents", "documents that the figures are about; counted, unless `sample` says otherwise"),
    (
        "bson_bytes",
        "their BSON bytes as `collStats` calls `size`, added `_id` included; counted, as documents are",
    ),
    ("ids_added", "documents that came without an `_id` and were given one, as a driver would"),
    ("documents_skipped", "documents left out because they could not be taken"),
    ("skip_reasons", "why, the first few"),
    ("sampled_fraction", "share of the documents, by bytes, that was modelled, 0 to 1"),
    ("sample", "how documents were sampled; null where all were modelled"),
    ("seed", "of the draws: the same seed draws the same documents"),
    ("runs", "sampled runs of neighbouring documents, one from each stretch of the input"),
    ("documents_sampled", "documents in the runs; counted"),
    ("bson_bytes_sampled", "BSON bytes in the runs; counted"),
    ("documents_basis", "how the documents of the input are known: counted, or extrapolated from its bytes"),
    ("target_error_fraction", "sampling error that was asked for, as a share of each size"),
    ("scaled_to_documents", "documents that all figures were scaled to, if that was asked for"),
    ("storage", "one entry for each load state and codec"),
    ("index", "name of the index that a row is about; empty in a collection's row"),
    ("indexes", "one entry for each index, load state and build"),
    ("key", "fields of the index in order, each with its direction or kind"),
    (
        "build",
        "before-load: the index was there while the documents were inserted; after-load: built on them",
    ),
    ("entries", "keys of the index; counted"),
    (
        "entries_modelled",
        "keys of the index that its size is modelled on: the first ones, where memory holds no more",
    ),
    (
        "twin_entries_bytes",
        "unique index, bulk: part of its file that is there because each entry keeps a deleted twin",
    ),
    ("documents_refused", "documents that a server would refuse because of this index; counted"),
    ("refused_reason", "why, the first one's"),
    ("on_server", "how the collection stands on the server that it was read from; null for files"),
    ("free_bytes", "part of the server's file that is free for reuse"),
    (
        "keeps_history",
        "whether the server keeps time windows beside fresh values: a replica set with a history window",
    ),
    ("layout", "plain, capped or clustered"),
    ("indexes_not_predicted", "indexes that the input names and the model does not know"),
    ("reason", "why an index is not predicted"),
    ("oddities", "unusual values and keys, one entry for each path and kind; not known without `--strict`"),
    ("path", "keys that lead to it, with dots between; `[]` is any element of an array"),
    ("what", "what is unusual there"),
    ("count", "how often it was met; counted"),
    ("load", "settled: no time windows on the pages; bulk: loaded into a replica set as fast as it goes"),
    ("codec", "block compressor, in tables with its level"),
    ("level", "compression level; not known to codecs without levels"),
    ("storage_bytes", "expected file size after the load and one checkpoint: `storageSize` of `collStats`"),
    (
        "storage_bytes_low",
        "smallest file that the same load may end on: page sizes depend on how server threads interleave",
    ),
    ("storage_bytes_high", "largest file that the same load may end on, for the same reason"),
    (
        "band_basis",
        "merged reports: widened, where some order of writing could not be followed through all parts; summed, where lows and highs of shards were added; not there where the band is that of a single run",
    ),
    ("ratio_storage_to_bson", "storage divided by the BSON bytes of the documents: 0.31 means 31 %"),
    (
        "basis",
        "how the storage is known: counted, modelled from the whole input, extrapolated from a sample, measured",
    ),
    (
        "sampling_error_fraction",
        "half the width of the interval that holds the figure of all documents in 95 of 100 samples, as a share of storage_bytes; low and high include it",
    ),
    (
        "compress_mb_per_s",
        "decimal megabytes of page image that one thread compresses in a second; measured on this machine; merged: the mean, weighted by image_bytes_timed",
    ),
    (
        "decompress_mb_per_s",
        "decimal megabytes of page image that one thread restores in a second; measured on this machine; merged: the mean, weighted by image_bytes_timed",
    ),
    ("image_bytes_timed", "page image bytes that the speeds were measured on"),
    (
        "image_size_walk_bytes",
        "with `--walk`: the size before compression that pages are cut at, after each page or every so many",
    ),
    ("image_size_walk_pages", "leaf pages from one size of `image_size_walk_bytes` to the next"),
    ("leaf_pages", "pages that hold documents"),
    (
        "pages_kept_raw",
        "leaf pages stored as they are: not tried, given up, or compression saved no whole unit",
    ),
    (
        "pages_packed",
        "leaf pages built and packed for these figures; fewer than `leaf_pages` where a slow level was sampled",
    ),
    (
        "image_bytes_tuned",
        "size of a leaf image that the next page would be cut at: it follows how well pages pack; shards: the mean, weighted by leaf_image_bytes",
    ),
    ("leaf_image_bytes", "leaf pages before compression, headers included"),
    ("leaf_packed_bytes", "compressed leaf pages before padding"),
    ("leaf_kept_raw_bytes", "leaf pages stored as they are, before padding"),
    ("padding_bytes", "part of the leaf blocks that holds no data, because disk comes in units"),
    ("leaf_block_bytes", "leaf pages as stored: packed, kept raw and padding"),
    ("internal_pages", "pages that lead to the leaves, the root included"),
    ("internal_block_bytes", "internal pages as stored"),
    ("overhead_bytes", "file descriptor, extent lists and free space"),
    ("blocks_just_over", "packed leaf blocks that two per cent fewer packed bytes would make a unit shorter"),
    ("block_histogram", "leaf blocks by size"),
    ("block_units", "size of a block in allocation units"),
    ("blocks", "leaf blocks of that size"),
    ("points", "sweep: one entry for each load state, leaf page size and codec"),
    ("blocks_per_page", "allocation units of a leaf block in the mean"),
    (
        "write_cpu_s",
        "processor seconds that pack all leaf pages once, on one thread; from the measured speed",
    ),
    (
        "read_cpu_s",
        "processor seconds that unpack all leaf pages once, on one thread; from the measured speed",
    ),
    ("on_pareto_front", "whether no other point beats it in storage, write_cpu_s and read_cpu_s together"),
    ("plateaus", "sweep: levels in a row whose files differ by 0.1 % or a unit at most"),
    ("level_to", "the last level of the plateau"),
    ("cliffs", "sweep: points where pages 2 % smaller would save a unit in a fifth of the blocks or more"),
    ("recommendations", "sweep: which point to take for what, and why"),
    ("use", "least-storage, default, fastest-reads, write-heavy or knee"),
    ("reasons", "why, a sentence each"),
    ("apply", "how to get it onto a server"),
    ("unchanged", "what applying it leaves as it is"),
    ("timing", "what the run took"),
    ("wall_s", "seconds from start to the last figure; merged: of the report that took longest"),
    ("cpu_s", "processor seconds over all threads; merged: of all reports together"),
];

/// The sentence for one name of any command.
#[must_use]
pub fn definition(name: &str) -> Option<&'static str> {
    let mut known = DEFINITIONS
        .iter()
        .chain(super::verification::DEFINITIONS)
        .chain(super::capacity::definitions::DEFINITIONS);
    known.find(|(known, _)| *known == name).map(|(_, sentence)| *sentence)
}

/// Title and sentence of each column that people see.
pub(super) fn shown() -> impl Iterator<Item = (String, &'static str)> {
    columns::shown().map(|(column, _)| (column.title(), definition(column.name).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_column_of_every_format_has_a_definition() {
        for column in columns::COLUMNS {
            assert!(definition(column.name).is_some(), "{} has no definition", column.name);
        }
        assert!(shown().all(|(_, sentence)| !sentence.is_empty()));
    }

    #[test]
    fn each_name_is_defined_once_and_in_one_line() {
        let names: BTreeSet<_> = DEFINITIONS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), DEFINITIONS.len());
        for (name, sentence) in DEFINITIONS {
            assert!(!sentence.contains('\n') && !sentence.ends_with('.'), "{name}");
        }
    }
}

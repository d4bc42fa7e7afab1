//! The sentence that defines each figure of an inspection.

use super::columns;

/// Name in JSON and CSV, and what it means.
pub const DEFINITIONS: &[(&str, &str)] = &[
    ("schema", "version of these names; it changes only when one goes or changes its meaning"),
    ("tool", "the program that wrote this"),
    ("version", "its version"),
    ("command", "the command that made the figures"),
    ("path", "the file or folder that was inspected"),
    ("server", "release whose rules repacked documents follow"),
    ("codecs", "encoder libraries and their versions; another version may give other sizes"),
    ("tables", "one entry for each data file: collections, then indexes"),
    ("unreadable", "tables of which nothing can be said"),
    ("behind", "why the files may be behind what the server knows"),
    ("file", "the data file"),
    ("name", "of the tool, or of the collection and index where the catalog names it"),
    ("namespace", "database and collection, where the catalog names them"),
    ("index", "name of the index, where it is one"),
    ("role", "collection, index, or table for one of the engine's own"),
    ("codec", "block compressor, in tables of other codecs with its level"),
    ("level", "compression level; data files do not tell theirs"),
    ("encrypted", "whether only the headers of blocks could be read"),
    ("allocation_bytes", "`allocation_size`: every block is a whole number of these units"),
    ("leaf_page_bytes_max", "`leaf_page_max`: largest leaf page image before compression"),
    ("storage_bytes", "bytes of the file: `storageSize` of `collStats`; of other codecs without free space"),
    ("storage_bytes_low", "smallest file that such a load may end on"),
    ("storage_bytes_high", "largest file that such a load may end on"),
    ("bson_bytes", "BSON bytes of the live documents; counted"),
    ("ratio_storage_to_bson", "storage divided by the BSON bytes of the documents: 0.31 means 31 %"),
    ("entries", "documents or keys that a reader finds; counted"),
    ("entries_dead", "documents or keys kept for older readers only"),
    ("entries_stored", "documents as the server last wrote their number down"),
    ("bson_bytes_stored", "their BSON bytes, likewise"),
    ("leaf_pages", "pages that hold documents or keys"),
    (
        "pages_kept_raw",
        "leaf pages stored as they are: not tried, given up, or compression saved no whole unit",
    ),
    ("leaf_image_bytes", "leaf pages before compression, headers included"),
    ("leaf_packed_bytes", "compressed leaf pages before padding"),
    ("leaf_kept_raw_bytes", "leaf pages stored as they are, before padding"),
    ("padding_bytes", "part of the leaf blocks that holds no data, because disk comes in units"),
    ("leaf_block_bytes", "leaf pages as stored"),
    ("overflow_pages", "keys or values too large for a page"),
    ("overflow_block_bytes", "these as stored"),
    ("internal_pages", "pages that lead to the leaves, the root included"),
    ("internal_block_bytes", "internal pages as stored, without the root"),
    ("root_block_bytes", "the root page as stored"),
    ("live_bytes", "all live pages as stored, summed over the pages"),
    ("checkpoint_live_bytes", "the same as the checkpoint itself counts it"),
    ("description_bytes", "the file's first unit"),
    ("extent_list_bytes", "the checkpoint's lists of extents"),
    ("free_bytes", "free space: `freeStorageSize` of `collStats`"),
    (
        "pending_bytes",
        "blocks of earlier checkpoints that are free after the next; with damaged pages, what they lead to too",
    ),
    ("damaged_block_bytes", "blocks that cannot be read, where their parent tells their size"),
    ("after_checkpoint_bytes", "written behind the end of file that the checkpoint knows"),
    ("windows", "values with a time window"),
    ("window_bytes", "what time windows take on leaf pages, before compression"),
    ("image_bytes_p05", "leaf image size, in steps of 4 KiB, that 5 % of all image bytes do not exceed"),
    ("image_bytes_p50", "the same of half of them: the image size that compression tuned the table to"),
    ("image_bytes_p95", "the same of 95 %"),
    ("image_histogram", "leaf images by size"),
    ("image_bytes_max", "images up to this size, and above the entry before"),
    ("pages", "leaf pages of that size"),
    ("block_histogram", "leaf blocks by size"),
    ("block_units", "size of a block in allocation units"),
    ("blocks", "leaf blocks of that size"),
    ("faults", "places that cannot be read or contradict each other"),
    ("checksum_faults", "blocks whose checksum is another than their parent's"),
    ("fault_messages", "the first few, each with its byte in the file"),
    ("what_if", "what the collection would take otherwise, without free space"),
    ("way", "recompressed: the same pages under another codec; repacked: its documents loaded anew"),
    ("load", "state of the repacked collection: settled, without time windows, or bulk, with them"),
    ("reason", "what is wrong with it"),
    ("timing", "what the run took"),
    ("wall_s", "seconds from start to the last figure"),
    ("cpu_s", "processor seconds over all threads"),
];

fn definition(name: &str) -> Option<&'static str> {
    DEFINITIONS.iter().find(|(known, _)| *known == name).map(|(_, sentence)| *sentence)
}

/// Title and sentence of each column that people see.
pub(super) fn shown() -> impl Iterator<Item = (String, &'static str)> {
    columns::shown().map(|(title, name)| (title, definition(name).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_column_has_a_definition_and_each_name_one_in_one_line() {
        for (name, _) in columns::COLUMNS {
            assert!(definition(name).is_some(), "{name} has no definition");
        }
        assert!(shown().all(|(_, sentence)| !sentence.is_empty()));
        let names: BTreeSet<_> = DEFINITIONS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), DEFINITIONS.len());
        for (name, sentence) in DEFINITIONS {
            assert!(!sentence.contains('\n') && !sentence.ends_with('.'), "{name}");
        }
    }
}

//! What help says about `inspect`.

pub(in crate::cli) const ABOUT: &str = "Show what real data files hold, and what they would be";

pub(in crate::cli) const ABOUT_LONG: &str = "\
Show what real data files hold, and what they would be under another codec.

Files are opened for reading only, so a running server's dbPath or the only copy of \
one is safe. The newest checkpoint is found in each file itself; every block's \
checksum is compared and every byte has an owner. What a server wrote after that \
checkpoint is not in the files, and the result says when that may be so.";

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  All collections and indexes of a server's data folder:
    pagepress inspect /var/lib/mongodb
  Would zstd be worth it? The real pages packed again, and a fresh load:
    pagepress inspect --ns shop.orders --what-if zstd:6,zlib:6 /var/lib/mongodb
  Documents out of a file, when there is no server to ask:
    pagepress inspect --export orders.bson collection-7-1834.wt";

pub(in crate::cli) const PATH: &str = "A data file, or a server's data folder";

pub(in crate::cli) const PATH_LONG: &str = "\
A data file of WiredTiger, or a server's data folder (its dbPath).

Of a folder all collections are shown, then all indexes, named by its catalog, \
_mdb_catalog.wt. A single file is named too if it lies in such a folder.";

pub(in crate::cli) const NS: &str = "Only this db.collection; repeatable";

pub(in crate::cli) const NS_LONG: &str = "\
Only this collection and its indexes, written as `db.collection`; repeatable. `db.` \
means all collections of that database.";

pub(in crate::cli) const WHAT_IF: &str = "As in zstd:6,zlib:6 [default: none of them]";

pub(in crate::cli) const WHAT_IF_LONG: &str = "\
Codecs to try on each collection, as in `--codec` of `estimate`.

`recompressed` packs the page images that are there and charges their blocks. Under \
another codec a server would also cut its pages elsewhere, so `repacked` loads the \
documents anew, as `estimate` does, with the sizes that the table was created with. \
Neither counts free space.

[default: none of them; a run then reads and checks only]";

pub(in crate::cli) const LOAD: &str = "Of repacked documents [default: both]";

pub(in crate::cli) const LOAD_LONG: &str = "\
States in which `--what-if` repacks documents: settled, bulk or both, as `estimate` \
has them.

[default: both]";

pub(in crate::cli) const EXPORT: &str = "Write the documents to FILE as BSON";

pub(in crate::cli) const EXPORT_LONG: &str = "\
Write the live documents of one collection to FILE as a BSON stream, in key order: \
what mongorestore and `estimate` read. `-` writes them to standard output; the report \
then needs `--out`.

Documents of pages that cannot be read are left out, and the exit code is 1.";

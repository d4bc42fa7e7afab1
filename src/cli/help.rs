//! What help says: a line for `-h`, and for `--help` the unit, the default and whose it is, and what follows
//! from another value. Numbers come from the constants that are enforced.

pub(super) mod capacity;
pub(super) mod generate;
pub(super) mod inspect;
pub(super) mod merge;
pub(super) mod plot;
pub(super) mod reading;
pub(super) mod sampling;
pub(super) mod sweep;
#[cfg(feature = "live")]
pub(super) mod verify;

mod stores;

pub(super) use stores::{GEOMETRY, GEOMETRY_LONG, MOUNT, MOUNT_LONG, ON, ON_LONG};

use super::sizes::{GRAMMAR, Typed};
use super::usage::THREADS_MAX;
use crate::codec::{CodecKind, ZlibLevel, ZstdLevel};
use crate::geometry::wiredtiger::{Release, TableConfig};
use crate::pipeline::INDEX_MEMORY_BYTES;

pub(super) const ABOUT: &str = "Predict how many bytes documents take in MongoDB, per compressor";

pub(super) const ABOUT_LONG: &str = "\
Predict how many bytes documents take in MongoDB, per compressor.

Pages are rebuilt from your own documents as WiredTiger would build them, and \
packed block by block with the encoders that a server uses. No database is \
needed; where there is one, `verify` compares.

The result goes to standard output, everything else to standard error. Exit \
codes: 0 complete; 1 printed, but input was skipped or a prediction lies outside \
its tolerance; 2 nothing printed.";

pub(super) const EXAMPLES: &str = "\
Examples:
  pagepress estimate dump/shop/orders.bson
  pagepress estimate --codec snappy,zstd:3,zstd:9 --output markdown orders.bson";

pub(super) const ESTIMATE: &str = "Predict a collection's size on disk from its documents, offline";

pub(super) const ESTIMATE_LONG: &str = "\
Predict a collection's size on disk from its documents, offline.

Each input is one collection, a dump all of its collections. All documents are read, in their order, for a \
server that loads them in that order.";

pub(super) const ESTIMATE_EXAMPLES: &str = "\
Examples:
  A dump, under the compressors that a server offers:
    pagepress estimate dump/shop/orders.bson
  All of a database, from its dump:
    pagepress estimate --ns 'shop.*' dump
  Is a higher level worth its time?
    pagepress estimate --codec zstd:3,zstd:6,zstd:12,zstd:19 orders.bson
  For a spreadsheet, without measuring speeds:
    pagepress estimate --no-timing --output csv --out sizes.csv *.bson
  On btrfs, as a file; and as a collection's file below each compressor:
    pagepress estimate --geometry btrfs --codec zlib:3,lzo,zstd:3 orders.bson
    pagepress estimate --on btrfs:zstd:3 orders.bson
  From a running server:
    pagepress estimate --read-mb-per-s 20 mongodb://localhost/shop.orders
    mongodump -d shop -c orders -o - | pagepress estimate -";

pub(super) const FACTS: &str = "Print the constants of the page model and the encoders' versions";

pub(super) const FACTS_LONG: &str = "\
Print the constants of the page model, each with its unit and its symbol in \
WiredTiger's source, and the versions of the encoders in this build.";

pub(super) const FACTS_EXAMPLES: &str = "\
Examples:
  pagepress facts
  pagepress facts | grep 'leaf page'";

pub(super) const COMPLETIONS: &str = "Print a script that completes commands and options in a shell";

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  pagepress completions bash > ~/.local/share/bash-completion/completions/pagepress
  pagepress completions fish > ~/.config/fish/completions/pagepress.fish";

pub(super) const MAN: &str = "Print the manual page of pagepress or of one of its commands";

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  pagepress man | man -l -
  pagepress man estimate > pagepress-estimate.1";

pub(super) const INPUTS: &str = "Files, dumps, mongodb:// addresses, or `-`";

pub(super) const INPUTS_LONG: &str = "\
Files of documents, one collection each; mongodump directories and archives, all \
their collections; `-` reads standard input. Each may be compressed with gzip or \
zstd. The indexes and the limits that a dump names are taken from it.

mongodb:// or mongodb+srv:// with a collection behind the hosts, as in \
mongodb://USER:PASSWORD@HOST/shop.orders?authSource=admin, reads that collection \
and writes nothing. Its indexes are predicted too, and how it is stored there is \
shown beside the prediction. Of a single input, the server's release, cache and the \
table's sizes are followed unless options name others. User, password and options are \
never shown.

What a file holds is recognised by its content first and its name second; \
`--format` overrides both.";

#[cfg(feature = "live")]
pub(super) const INPUTS_SEEKABLE: &str = "Files, or mongodb://HOST/DB.COLLECTION";

#[cfg(feature = "live")]
pub(super) const INPUTS_SEEKABLE_LONG: &str = "\
Files of documents, one collection each, or mongodb://HOST/DB.COLLECTION as \
`estimate` takes it. Each is read once for the prediction and once a load, so \
standard input cannot be one.";

pub(super) const READ_PREFERENCE: &str = "Member to read [default: the address's]";

pub(super) const READ_PREFERENCE_LONG: &str = "\
Which member of a replica set a collection is read from: primary, primaryPreferred, \
secondary, secondaryPreferred or nearest.

[default: the address's readPreference, which is primary unless it says otherwise]";

pub(super) const READ_MB_PER_S: &str = "Read no faster [default: no limit]";

pub(super) const READ_MB_PER_S_LONG: &str = "\
Decimal megabytes of documents that are read from a server in a second at most, so that \
a scan leaves room for its other clients. Files are read without a limit.

[default: no limit]";

pub(super) const FORMAT: &str = "bson, json, csv or tsv [default: by content]";

pub(super) const FORMAT_LONG: &str = "\
Format of all inputs: bson, json (JSON or Extended JSON), csv or tsv.

By default each input is recognised by its content, then by its name. Name the \
format where text could be either.";

pub(super) const ON_BAD: &str = "stop, or skip and count [default: stop]";

pub(super) const ON_BAD_LONG: &str = "\
What to do with a document that cannot be taken: stop, or skip.

`stop`, pagepress's default, ends with its place and what is wrong with it. \
`skip` counts it and goes on where the next document can be found; the result \
says how many were left out, and the exit code is 1. An input that holds no \
document at all is left out too, as long as there is another.";

pub(super) const CODEC: &str = "As in snappy,zlib:9,zstd [default: all]";

pub(super) fn codec_long() -> String {
    let default: Vec<_> = CodecKind::SERVER.iter().map(ToString::to_string).collect();
    format!(
        "\
Block compressors to compare, separated by commas, in the order of the report: none, snappy, \
zlib[:{}..{}], zstd[:{}..{}].

Without a level, zlib means zlib:{} and zstd means zstd:{}, which is what a server uses; the \
zstd library's own default of 3 is not. Higher levels take longer and, since disk comes in whole \
units, often end on the same size.

[default: {}: all that MongoDB offers, at a server's levels]",
        ZlibLevel::MIN,
        ZlibLevel::MAX,
        ZstdLevel::MIN,
        ZstdLevel::MAX,
        ZlibLevel::SERVER.get(),
        ZstdLevel::SERVER.get(),
        default.join(",")
    )
}

pub(super) fn server() -> String {
    format!("Release [default: {}, or the server's]", Release::NEWEST)
}

pub(super) fn server_long() -> String {
    let known: Vec<_> = Release::KNOWN.iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
    format!(
        "\
MongoDB release whose rules are followed, as MAJOR.MINOR or MAJOR.MINOR.PATCH: {}.

A newer release is taken by the rules of {newest}, and the result says that they are unverified \
there. Without a patch number the last of the line is meant.

[default: {newest}, the newest one known here; where a server measures, or is the only input, its own]",
        known.join(", "),
        newest = Release::NEWEST
    )
}

pub(super) const LOAD: &str = "States: settled, bulk, both [default: both]";

pub(super) const LOAD_LONG: &str = "\
States of the collection that are predicted: settled, bulk or both.

`settled` means that no page carries time windows: a standalone server, or a \
replica set whose pages were written after its history window had passed them by.

`bulk` means loaded into a replica set as fast as it goes (mongorestore, \
insertMany): every value carries a time window of about 14 bytes until its page \
is rewritten after the history window, 5 minutes by default.

[default: both]";

pub(super) const INDEX: &str = "An index to predict; repeatable [default: _id_]";

pub(super) const INDEX_LONG: &str = "\
An index to predict beside `_id_`, which every collection has. Repeatable.

A key pattern, `{\"user\":1,\"ts\":-1}`, or a document as createIndexes takes it, \
`{\"key\":{\"user\":1},\"unique\":true}`, with unique, sparse, partialFilterExpression \
and name. Compound, descending, dotted, multikey, hashed and wildcard indexes are \
known; text, 2d, 2dsphere and collations are refused.

Each is predicted as it comes out when it is there during the load, in each state, \
and when it is built afterwards.

[default: _id_]";

pub(super) fn index_memory() -> String {
    format!("Memory for index entries [default: {}]", Typed(INDEX_MEMORY_BYTES))
}

pub(super) fn index_memory_long() -> String {
    format!(
        "\
Memory for the entries of all indexes together: {GRAMMAR}.

Once they are more, indexes are modelled on the entries of the documents up to there, and scaled; \
their basis is then `extrapolated`. Sorting takes about twice one index's share again.

[default: {}, pagepress's own: about seven million `_id`s, or half a million documents with ten indexes]",
        Typed(INDEX_MEMORY_BYTES)
    )
}

pub(super) const CLUSTERED: &str = "Keyed by `_id` itself, without `_id_`";

pub(super) const CLUSTERED_LONG: &str = "\
The collections are clustered: their tables are keyed by `_id` itself, and there is no index `_id_`.

Documents are taken to be loaded in the order of their keys, as a dump has them; the result says how \
many were not. A collection named system.buckets.* (a time series) is clustered without this option.";

pub(super) const CAPPED: &str = "Limit of a capped collection";

pub(super) fn capped_long() -> String {
    format!(
        "\
The collections are capped at SIZE of BSON, create's own `size`: {GRAMMAR}.

What is predicted is the collection when it is first full: as many documents from the start of the \
input as the limit holds. From then on old pages make room for new ones; between two checkpoints (60 \
seconds) both take space, which depends on the rate of inserts and is not part of the figure."
    )
}

pub(super) const CAPPED_MAX: &str = "Documents that it holds at most";

pub(super) const CAPPED_MAX_LONG: &str = "\
Documents that a capped collection holds at most, create's own `max`. Goes with `--capped`.";

fn default_table() -> TableConfig {
    TableConfig::collection(Release::NEWEST)
}

pub(super) fn leaf_page_max() -> String {
    let default = Typed(default_table().leaf_page_bytes_max.into());
    format!("Largest leaf image [default: {default}]")
}

pub(super) fn leaf_page_max_long() -> String {
    format!(
        "\
Largest leaf page image before block compression: {GRAMMAR}, and a multiple of the allocation \
size. Under a compressor images grow to four times this size where their blocks stay below it.

Larger leaves pack better and are read back whole: a point read unpacks all of one.

[default: {}, WiredTiger's own; a collection keeps it unless created with a configString] \
[range: 512 to 512M]",
        Typed(default_table().leaf_page_bytes_max.into())
    )
}

pub(super) fn allocation_size() -> String {
    format!("Unit that disk comes in [default: {}]", Typed(default_table().allocation.bytes()))
}

pub(super) fn allocation_size_long() -> String {
    format!(
        "\
Unit that the data file is allocated in: a power of two; {GRAMMAR}.

Each block is a whole number of units, so a larger one pads more, and a page that packing \
shortens by less than a unit is stored raw.

[default: {}, WiredTiger's own; a collection keeps it unless created with a configString] \
[range: 512 to 128M]",
        Typed(default_table().allocation.bytes())
    )
}

pub(super) fn memory_page_max() -> String {
    let default = Typed(default_table().memory_page_bytes_max);
    format!("Largest page in memory [default: {default}]")
}

pub(super) fn memory_page_max_long() -> String {
    format!(
        "\
Size that a page in memory may reach before it is split and written: {GRAMMAR}.

It decides how many documents are cut into pages together, so it moves where pages end, and \
little else.

[default: {}, what mongod asks for] [range: 512 to 10T]",
        Typed(default_table().memory_page_bytes_max)
    )
}

pub(super) fn cache_size() -> String {
    format!("Cache of the server [default: {}]", Typed(default_table().cache_bytes))
}

pub(super) fn cache_size_long() -> String {
    format!(
        "\
WiredTiger cache of the server that loads the documents: {GRAMMAR}.

A page in memory takes a fiftieth of the cache at most: below 500M it is split before \
`--memory-page-max`, and above that the cache changes nothing here.

[default: {}, pagepress's own; a server takes half of its memory less 1G] [range: 256M and more]",
        Typed(default_table().cache_bytes)
    )
}

pub(super) const OUTPUT: &str = "table, json, csv or markdown [default: table]";

pub(super) const OUTPUT_LONG: &str = "\
Format of the result: table (for people), json (schema 1, every figure), csv (every figure of \
a row, its unit in the column's name) or markdown.

What is not known is `-` in a table, an empty cell in csv and null in json; never 0.

[default: table]";

pub(super) const OUT: &str = "Write to FILE instead of standard output";

pub(super) const OUT_LONG: &str = "\
Write the result to FILE instead of standard output.

It is written beside its place and renamed when it is whole, so a run that fails leaves a file \
that was there before as it was.";

pub(super) const EXPLAIN: &str = "Say what each column means";

pub(super) const EXPLAIN_LONG: &str = "\
Say what each column means, in a sentence each under the table. Goes with table and markdown.";

pub(super) const NO_TIMING: &str = "Do not measure how fast encoders are";

pub(super) const NO_TIMING_LONG: &str = "\
Do not measure how fast encoders are: a run takes less time, and speeds stay unknown. Sizes \
are the same.";

pub(super) const THREADS: &str = "Worker threads [default: all cores]";

pub(super) fn threads_long() -> String {
    format!(
        "\
Worker threads, 1 to {THREADS_MAX}. The result does not depend on it; time and memory do.

[default: all cores]"
    )
}

pub(super) const QUIET: &str = "No progress, notes or warnings on standard error";

pub(super) const QUIET_LONG: &str = "\
No progress, notes or warnings on standard error; errors only. The exit code still says \
whether input was skipped.";

//! What help says of `plan`.

use crate::capacity::DISKS_MB_PER_S;

pub(in crate::cli) const ABOUT: &str = "Plan disk, cache, scans, dumps, oplog, journal and network";

pub(in crate::cli) const ABOUT_LONG: &str = "\
Plan disk, cache, scans, dumps, oplog, journal and network for your documents.

Documents are read as `estimate` reads them. The first 64 MiB are also made into \
insert commands and replies, journal records, oplog entries and the stream of a dump, \
and packed with a server's encoders. Every figure has its basis; what needs a number \
that was not given is left out, never 0. Codecs and states are those of `estimate`, \
but settled alone by default.";

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  Three members, two shards, a billion documents, one disk:
    pagepress plan --documents 1000000000 --shards 2 --disk-mb-per-s 250 \\
      orders.bson
  How large a cache, if a tenth of the data is read?
    pagepress plan --working-set 10% --hit-rate 99% --cache 4G orders.bson
  A day's oplog, with what it costs:
    pagepress plan --writes-per-s 2000 --oplog-hours 48 \\
      --price-per-gb-month 0.1 dump
  Which level for a dump through a slow line?
    pagepress plan --network-mb-per-s 12 --dump-codec none,zlib:6,zstd:1,zstd:9 \\
      orders.bson";

pub(in crate::cli) const DOCUMENTS: &str = "Documents that there will be";
pub(in crate::cli) const DOCUMENTS_LONG: &str = "\
Documents that each collection will have. Figures grow with them and are then \
`extrapolated`.

[default: as many as were read]";

pub(in crate::cli) const REPLICAS: &str = "Members of each replica set [default: 3]";
pub(in crate::cli) const REPLICAS_LONG: &str = "\
Members of each replica set. 1 is a standalone, without an oplog.

[default: 3, of the MongoDB manual] [range: 1 to 50]";

pub(in crate::cli) const SHARDS: &str = "Shards, each its own set [default: 1]";
pub(in crate::cli) const SHARDS_LONG: &str = "\
Shards that documents are spread over, evenly. Each is a replica set.

[default: 1] [range: 1 to 1024]";

pub(in crate::cli) const CACHE: &str = "The server's cache [default: 1G]";
pub(in crate::cli) const CACHE_LONG: &str = "\
The server's cache, as its own `--wiredTigerCacheSizeGB`. It decides how often a \
random read goes to the disk, and as `--cache-size` how large pages in memory become.

[default: 1G, of the measured servers] [range: from 256M, the server's own]";

pub(in crate::cli) const WORKING_SET: &str = "Data that is read [default: 100%]";
pub(in crate::cli) const WORKING_SET_LONG: &str = "\
Data that is read: BSON bytes of its documents, or a share of all. Its documents are \
taken to lie together; what they want in the cache if they lie anywhere is said too.

[default: 100%]";

pub(in crate::cli) const HIT_RATE: &str = "Pages wanted in the cache [default: 95%]";
pub(in crate::cli) const HIT_RATE_LONG: &str = "\
Share of the pages with documents that random reads of the working set should find in \
the cache: the plan says which cache that takes.

[default: 95%, pagepress's] [range: above 0 to 100]";

pub(in crate::cli) const DISK: &str = "Disk bandwidths that scans are planned on";
pub(in crate::cli) const DISK_LONG: &str = "\
Disk bandwidths that scans are planned on, in decimal megabytes a second, with commas \
between. A single one also bounds dumps and decides which codec is recommended.";

/// With the disks that are taken unless others are typed.
pub(in crate::cli) fn disk_long() -> String {
    let disks: Vec<String> = DISKS_MB_PER_S.iter().map(ToString::to_string).collect();
    format!("{DISK_LONG}\n\n[default: {}, pagepress's]", disks.join(","))
}

pub(in crate::cli) const SAVING: &str = "Time that scans save [default: 25,50]";
pub(in crate::cli) const SAVING_LONG: &str = "\
Time that a scan should save against none, in per cent, with commas between: the plan \
names the fastest disk on which each codec does.

[default: 25,50, pagepress's] [range: above 0, below 100]";

pub(in crate::cli) const NETWORK: &str = "Network for dumps, in MB/s";
pub(in crate::cli) const NETWORK_LONG: &str = "\
Network to where dumps go, in decimal megabytes a second. Without it times of \
transfers are not known.";

pub(in crate::cli) const WRITES: &str = "Documents inserted a second";
pub(in crate::cli) const WRITES_LONG: &str = "\
Documents inserted a second, over all shards and collections. Without it, figures a day \
are not known.";

pub(in crate::cli) const UPDATES: &str = "Documents updated a second";
pub(in crate::cli) const UPDATES_LONG: &str = "\
Documents updated a second, over all shards and collections, each anywhere. In oplog and \
journal they count as replacements of the whole document, the most that they can be.";

pub(in crate::cli) const OPLOG_HOURS: &str = "Hours that the oplog reaches back";
pub(in crate::cli) const OPLOG_HOURS_LONG: &str = "\
Hours that the oplog must reach back. With a rate of writes or updates its size follows; \
without them it is left out of the sum.";

pub(in crate::cli) const HEADROOM: &str = "Free disk to keep [default: 20%]";
pub(in crate::cli) const HEADROOM_LONG: &str = "\
Free disk to keep, in per cent of what is used.

[default: 20%, the lower end of IONOS' sizing guide for MongoDB] [range: 0 to 1000]";

pub(in crate::cli) const PRICE: &str = "Price of a gigabyte for a month";
pub(in crate::cli) const PRICE_LONG: &str = "\
Price of a decimal gigabyte of disk for a month, in any currency. Without it no price is \
shown.";

pub(in crate::cli) const BATCH: &str = "Documents of a message [default: 1000]";
pub(in crate::cli) const BATCH_LONG: &str = "\
Documents of one insert command, and of one reply to a query. Messages are also cut at \
the server's own limits of bytes.

[default: 1000, pagepress's] [range: 1 to 100000]";

pub(in crate::cli) const DUMP_CODEC: &str = "Codecs and levels of a dump's stream";
pub(in crate::cli) const DUMP_CODEC_LONG: &str = "\
Codecs and levels that a dump is packed with, as one stream. zlib stands for gzip, whose \
stream it is. Snappy has no streams here.

[default: none,zlib:6,zstd:1,zstd:3,zstd:6,zstd:9, pagepress's]";

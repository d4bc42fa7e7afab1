//! What help says of `pagepress merge` and of partial reports.

pub(in crate::cli) const ABOUT: &str = "Make one report of the reports of several machines";

pub(in crate::cli) const ABOUT_LONG: &str = "\
Make one report of the reports of several machines.

Parts of one file, made by `pagepress estimate --partial K/N`, give the report of a run \
over the whole file: the same bytes of JSON but for `timing`, and for a band that is \
wider where parts could not follow it (`band_basis`).

Whole reports, such as those of a sharded cluster's shards, are added: collections of \
one name become one, whose sizes are the sums of its shards' files. Others are listed \
side by side.";

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  One large file on three machines:
    pagepress estimate --partial 1/3 --no-timing --out 1.json orders.bson
    pagepress estimate --partial 2/3 --no-timing --out 2.json orders.bson
    pagepress estimate --partial 3/3 --no-timing --out 3.json orders.bson
    pagepress merge 1.json 2.json 3.json
  A collection that is sharded over two replica sets:
    pagepress estimate -o json --out a.json mongodb://shard-a/shop.orders
    pagepress estimate -o json --out b.json mongodb://shard-b/shop.orders
    pagepress merge --output markdown a.json b.json";

pub(in crate::cli) const REPORTS: &str = "JSON of estimate, partial or whole; `-` reads standard input";

pub(in crate::cli) const REPORTS_LONG: &str = "\
Reports that `pagepress estimate` wrote: all parts of one input in any order, or whole \
reports with `--output json`; `-` reads standard input. All of one model.";

pub(in crate::cli) const PARTIAL: &str = "Make part K of N, for `pagepress merge`";

pub(in crate::cli) const PARTIAL_LONG: &str = "\
Make part K of N of a file, for `pagepress merge`: the segments (what a server holds in \
one page in memory) that begin in the K-th of N equal ranges of its bytes. The merged \
report is that of a run over the whole file.

For one plain BSON file, or lines of JSON. The file is the same for every part; in BSON a \
part passes over the lengths of the documents in front of its own, in lines of JSON it \
reads them. The result is JSON and holds the keys of the part's indexes.

[default: the whole input]";

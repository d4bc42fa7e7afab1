//! What help says of `sweep`.

pub(in crate::cli) const ABOUT: &str = "Compare levels and page sizes, and recommend";

pub(in crate::cli) const ABOUT_LONG: &str = "\
Compare levels and leaf page sizes, and recommend one for each use.

Each point is a load state, a leaf page size and a codec with its level. The \
result says which points nothing beats (the Pareto front of storage, time to pack \
and time to unpack), which levels end on the same blocks, where a little better \
packing would save many blocks, and what to configure.

`--codec` takes ranges of levels, `zstd:1..22`, and `--leaf-page-max` lists and \
ranges of powers of two, `16K,64K` or `4K..1M`; each size reads the input once \
more. By default: none, snappy, zlib:1..9 and zstd:1..22 at 32K, settled.";

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  Where do zstd's levels stop paying?
    pagepress sweep dump/shop/orders.bson
  Would larger pages help?
    pagepress sweep --codec snappy,zstd:6 --leaf-page-max 16K..256K orders.bson
  Every page at every level, for a script:
    pagepress sweep --full --output json --out sweep.json orders.bson";

pub(in crate::cli) const FULL: &str = "Pack every page at every level";

pub(in crate::cli) const FULL_LONG: &str = "\
Pack every page at every level. Without it slow levels (zstd above 9, zlib above 7) \
pack one page in 4 to 16; their figures say extrapolated, and low and high hold the \
sample's error.";

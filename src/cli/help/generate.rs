//! Help texts of `generate`.

pub(in crate::cli) const GENERATE: &str = "Write seeded documents of a known shape";

pub(in crate::cli) const GENERATE_LONG: &str = "\
Write seeded documents of a known shape, for trying out codecs, levels and servers.

The same shape, seed and options make the same bytes on every platform.";

pub(in crate::cli) const GENERATE_EXAMPLES: &str = "\
Examples:
  What would logs take under each compressor?
    pagepress generate logs | pagepress estimate -
  What do shorter field names save?
    pagepress generate nested --field-names short --out short.bson
  The same documents in a server:
    pagepress generate catalogue --format ndjson | mongoimport -c catalogue";

pub(in crate::cli) const SHAPE: &str = "logs, random, nested, mixed, ... (--help)";

pub(in crate::cli) const SHAPE_LONG: &str = "\
Shape of the documents:

  logs         lines of nineteen words from a vocabulary of 220
  random       200 random bytes: nothing to compress
  nested       orders with their lines
  long-text    a few thousand letters of sentences
  numeric      thirty numbers that walk slowly
  time-series  measurements of a hundred sensors
  catalogue    products with tags and attributes
  uuid         three random UUIDs
  base64       random bytes as text
  mixed        all of these in turn";

pub(in crate::cli) const DOCUMENTS: &str = "How many [default: 100000]";

pub(in crate::cli) const DOCUMENTS_LONG: &str = "\
How many documents.

[default: 100000]";

pub(in crate::cli) const SEED: &str = "Another makes other bytes [default: 42]";

pub(in crate::cli) const SEED_LONG: &str = "\
Start of the random numbers, a whole number from 0. Another one makes other bytes.

[default: 42]";

pub(in crate::cli) const FIELD_NAMES: &str = "long or short [default: long]";

pub(in crate::cli) const FIELD_NAMES_LONG: &str = "\
Length of field names: long, as people write them, or short, one or two letters.

[default: long]";

pub(in crate::cli) const FORMAT: &str = "bson or ndjson [default: by FILE's name]";

pub(in crate::cli) const FORMAT_LONG: &str = "\
Format of the documents: bson, or ndjson for canonical Extended JSON, a line each.

[default: ndjson if the name of `--out FILE` ends in .ndjson, .jsonl or .json, \
else bson]";

pub(in crate::cli) const OUT: &str = "Write to FILE [default: standard output]";

pub(in crate::cli) const OUT_LONG: &str = "\
Write the documents to FILE instead of standard output. FILE is there only when all \
of them are written.";

//! Help texts about how inputs are read.

pub(in crate::cli) const NS: &str = "Collections of a dump, as in 'shop.*'";

pub(in crate::cli) const NS_LONG: &str = "\
Collections of a dump to estimate, as DB.COLLECTION patterns in which `*` stands \
for any characters. Repeatable, or with commas between.

[default: all but the server's own: admin, config, local, the oplog and system \
collections other than a time series' buckets]";

pub(in crate::cli) const DIALECT: &str = "auto, v1, v2 or plain [default: auto]";

pub(in crate::cli) const DIALECT_LONG: &str = "\
How `$`-keys of JSON are read: auto, v1, v2 or plain.

`auto` reads Extended JSON version 2, and what of version 1 and of the mongo \
shell's text does not contradict it; `{\"$regex\",\"$options\"}`, where the two differ, \
is a regular expression once the input has shown that it is of version 1. `v1` is \
what `mongoimport --legacy` reads, `v2` what mongoimport reads without it, `plain` \
takes `$`-keys for ordinary ones.

[default: auto]";

pub(in crate::cli) const TYPES: &str = "Types of CSV columns, as in zip:string";

pub(in crate::cli) const TYPES_LONG: &str = "\
Types of CSV or TSV columns, as NAME:TYPE with commas between: int, int32, int64, \
double, decimal, string, boolean, date (ISO 8601), binary (base64), auto. Columns \
that are not named keep the type that their first rows have.

`--types each-cell` types each cell alone, as mongoimport does, with all that \
follows: 007 becomes 7, and cells beyond the header are named by their place.";

pub(in crate::cli) const COLUMNS_HAVE_TYPES: &str = "The CSV header has types, as n.int32()";

pub(in crate::cli) const COLUMNS_HAVE_TYPES_LONG: &str = "\
The header of CSV or TSV names each column's type, as for `mongoimport \
--columnsHaveTypes`: name.int32(), name.date(2006-01-02), name.binary(hex).";

pub(in crate::cli) const STRICT: &str = "Report oddities as path: type: count";

pub(in crate::cli) const STRICT_LONG: &str = "\
Report what is unusual about the documents, as `path: type: count` on standard \
error and in JSON: duplicate, empty and dotted keys, odd array keys, invalid \
UTF-8, old binary subtypes, deprecated types, extreme dates, nesting deeper than \
a server stores. All of it is priced as it is; the exit code is 1 if there is any.";

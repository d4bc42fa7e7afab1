//! Help of `verify`.

pub(in crate::cli) const ABOUT: &str = "Load documents into a real server and compare with the prediction";

pub(in crate::cli) const ABOUT_LONG: &str = "\
Load documents into a real server and compare what it stores with the prediction.

Each input is loaded under each compressor as one client would bring it: in order, a \
thousand documents a command. After a checkpoint the sizes of the data and of every \
index are read and set beside the prediction. Indexes are there during the load, and \
are then built again on the loaded documents.

`settled` is measured on a standalone server, `bulk` on a replica set.

Exit codes: 0 every prediction is within the tolerance; 1 printed, but one is not or \
input was skipped; 2 nothing printed.";

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  Against a server that is started for this and removed afterwards:
    pagepress verify --spawn /usr/bin/mongod orders.bson
  How far does the server agree with itself?
    pagepress verify --spawn mongod --codec zstd:6 --repeat 5 orders.bson
  Against a running server, in a database of its own:
    pagepress verify --uri mongodb://localhost --allow-writes orders.bson
  A database that a killed run left there:
    pagepress verify --uri mongodb://localhost --allow-writes --drop-left-over";

pub(in crate::cli) const SPAWN: &str = "Start this mongod, and remove it afterwards";

pub(in crate::cli) const SPAWN_LONG: &str = "\
Path of a mongod that is started on a folder below TMPDIR, on the loopback interface and \
a free port: standalone for `settled`, a replica set of one for `bulk`; with the cache of \
`--cache-size`, and once for each zstd level. It is stopped and its folder removed at the \
end, also after Ctrl-C, and when pagepress is killed.";

pub(in crate::cli) const URI: &str = "A running server; needs --allow-writes";

pub(in crate::cli) const URI_LONG: &str = "\
Address of a running server, mongodb:// or mongodb+srv://, without a collection. Documents \
go into a database `pagepress_verify_` and 24 digits, which is always dropped, also after \
Ctrl-C; no other database is touched. A standalone server measures `settled`, a replica \
set `bulk`; its own zstd level is the one that is measured.

If pagepress is killed, the database stays. The next run names it; `--drop-left-over` \
drops it.";

pub(in crate::cli) const ALLOW_WRITES: &str = "The server of --uri may be written to";

pub(in crate::cli) const ALLOW_WRITES_LONG: &str = "\
Confirm that documents may be written to the server of `--uri`, in a database of their own. \
A load takes room on its disk and in its cache, and time of its other clients.";

pub(in crate::cli) const DROP_LEFT_OVER: &str = "First drop databases of killed runs";

pub(in crate::cli) const DROP_LEFT_OVER_LONG: &str = "\
First drop every database `pagepress_verify_` and 24 digits on the server of `--uri`: what \
runs left that were killed. One that is at work there loses its database too. Without an \
input nothing else is done.";

pub(in crate::cli) const REPEAT: &str = "Loads of each, for the spread [default: 1]";

pub(in crate::cli) const REPEAT_LONG: &str = "\
Load each input so often under each compressor, and show the smallest and largest size: a \
server does not agree with itself. The median is what the prediction is compared with.

[default: 1] [range: 1 to 100]";

pub(in crate::cli) const SCAN: &str = "Measure full scans with a cold cache too";

pub(in crate::cli) const SCAN_LONG: &str = "\
Measure a full scan of each collection with nothing in the server's cache, beside the time \
that decompression is predicted to take: the median of 3, each after a restart of the \
server. Goes with `--spawn`. The system's own cache is not emptied.";

pub(in crate::cli) const TOLERANCE: &str = "How far off is good enough [default: 2%]";

pub(in crate::cli) const TOLERANCE_LONG: &str = "\
How far a prediction may lie from the measured median, in per cent of it. A difference of \
three blocks is taken in any case, as files grow by blocks.

[default: 2%] [range: 0% to 100%]";

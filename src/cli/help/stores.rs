//! Help on other stores.

pub(in crate::cli) const GEOMETRY: &str = "Another store [default: wiredtiger]";

pub(in crate::cli) const GEOMETRY_LONG: &str = "\
The store that the bytes are predicted in: wiredtiger, btrfs or innodb.

`wiredtiger`: a MongoDB collection; all other options are about it.

`btrfs`: each input is a file that is stored as it lies there, whatever it holds, on a \
btrfs: written once front to back, then synced. \
`--codec` takes none, zlib[:1..9], lzo, zstd[:1..15] (and -15..-1, kernel 6.15 and later); \
without a level 3. Storage is what compsize calls disk usage; metadata is told apart.

`innodb`: each input is a table `(id BIGINT PRIMARY KEY, doc LONGBLOB)`, one row a document: \
its BSON as read, ids from 1, in order, in one transaction. `--codec` takes none \
(ROW_FORMAT=DYNAMIC); MariaDB's page compression as zlib[:1..9], lz4, lzo, lzma[:0..9], bzip2, \
snappy; MySQL's as mysql-zlib[:1..9], mysql-lz4; and kbs:1|2|4|8|16 \
(ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=1..16). Storage is the .ibd file after a clean shutdown.

Neither has `--index`: a file system has none, and InnoDB's secondary ones are not modelled.

[default: wiredtiger]";

pub(in crate::cli) const ON: &str = "File system below, as in btrfs:zstd:3";

pub(in crate::cli) const ON_LONG: &str = "\
File system that the collection's file lies on, as in `btrfs:zstd:3`: what it still gains on \
top of each of `--codec`. Several behind commas; `btrfs` alone means none, lzo, zlib:3 and zstd:3.

The file is rebuilt byte by byte as a load leaves it, in the settled state unless `--load` \
says otherwise, and stored as `--geometry btrfs` stores files. Indexes are not part of it.

[default: a file system that packs nothing]";

pub(in crate::cli) const MOUNT: &str = "btrfs: compress-force or compress";

pub(in crate::cli) const MOUNT_LONG: &str = "\
Mount option of the btrfs: compress-force or compress.

`compress-force` tries every piece of 128 KiB. `compress` looks at a sixteenth of each first, \
and tries nothing any more behind a piece that did not pay.

[default: compress-force]";

//! What was typed for another store, checked: its methods, levels within its ranges, and no option that it has not.

use super::UsageError;
use super::args::{EstimateArgs, GeometryArg};
use super::plan::EstimatePlan;
use crate::codec::{XzPreset, ZlibLevel};
use crate::estimate::LoadState;
use crate::geometry::{btrfs, innodb};
use crate::pipeline::store::{Store, StorePlan};
use crate::report::OutputKind;
use std::path::PathBuf;

/// What `estimate` is to do for another store.
#[derive(Clone, Debug)]
pub(super) struct StoreRun {
    /// Files; `-` at most once.
    pub inputs: Vec<PathBuf>,
    /// How they are read, and where the result goes.
    pub shared: EstimatePlan,
    /// The store.
    pub plan: StorePlan,
}

impl StoreRun {
    /// Checks `args`.
    pub(super) fn new(args: &EstimateArgs) -> Result<Self, UsageError> {
        let geometry = args.store.geometry.unwrap_or(GeometryArg::Wiredtiger);
        refuse_options(args, geometry)?;
        let mut typed = args.shared.clone();
        let mut codecs = Vec::new();
        if geometry != GeometryArg::Wiredtiger {
            // Other stores have codecs of their own.
            codecs = std::mem::take(&mut typed.model.codec);
        }
        let shared = EstimatePlan::shared(&args.inputs, &typed)?;
        let files = |place: &super::inputs::InputPlace| place.file().map(Into::into);
        let inputs: Option<Vec<PathBuf>> = shared.inputs.iter().map(files).collect();
        let inputs = inputs.ok_or_else(|| {
            refused(
                "a collection on a server can be predicted in WiredTiger only, without a file system below",
                &["dump it, and give the dump"],
            )
        })?;
        let plan = StorePlan {
            store: store(args, geometry, &codecs, &shared)?,
            threads: shared.model.threads,
            on_bad: shared.model.on_bad,
        };
        Ok(Self { inputs, shared, plan })
    }
}

fn store(
    args: &EstimateArgs,
    geometry: GeometryArg,
    codecs: &[String],
    shared: &EstimatePlan,
) -> Result<Store, UsageError> {
    let mount = args.store.mount.map_or(btrfs::Mount::Force, Into::into);
    match geometry {
        GeometryArg::Btrfs => {
            Ok(Store::Btrfs(list("--codec", codecs, btrfs::Method::defaults, btrfs_method)?, mount))
        }
        GeometryArg::Innodb => {
            Ok(Store::Innodb(list("--codec", codecs, innodb::Method::defaults, innodb_method)?))
        }
        GeometryArg::Wiredtiger => Ok(Store::WiredTigerOnBtrfs {
            table: shared.model.table,
            loads: match args.shared.model.load {
                None => vec![LoadState::Settled],
                Some(_) => shared.model.loads.clone(),
            },
            codecs: shared.model.codecs.clone(),
            methods: on_methods(&args.store.on)?,
            mount,
        }),
    }
}

/// Options that the store has not.
fn refuse_options(args: &EstimateArgs, geometry: GeometryArg) -> Result<(), UsageError> {
    if geometry != GeometryArg::Wiredtiger && !args.store.on.is_empty() {
        return Err(refused(
            "--on: only a collection of WiredTiger can lie on a file system",
            &["leave out `--geometry`, or give the file to `--geometry btrfs` itself"],
        ));
    }
    refuse_pictures(args)?;
    match geometry {
        GeometryArg::Btrfs => {
            refuse_foreign(args, "btrfs", "a file system has no indexes")?;
            refuse_documents(args)
        }
        GeometryArg::Innodb => refuse_foreign(
            args,
            "innodb",
            "its primary key is the table itself, and no other index is modelled",
        ),
        GeometryArg::Wiredtiger if args.store.on.is_empty() => Err(refused(
            "--mount: it is about btrfs, and none is named",
            &["name it: `--geometry btrfs` for a file, `--on btrfs:zstd:3` for a collection's file"],
        )),
        GeometryArg::Wiredtiger => refuse_beside_collection(args),
    }
}

fn refused(what: impl Into<String>, hints: &[&str]) -> UsageError {
    UsageError::Store { what: what.into(), hints: hints.iter().map(|hint| (*hint).to_owned()).collect() }
}

/// Pictures and pages show what only a collection's estimate has.
fn refuse_pictures(args: &EstimateArgs) -> Result<(), UsageError> {
    let typed = [
        (
            "--output html",
            args.shared.output.is_some_and(|output| OutputKind::from(output) == OutputKind::Html),
        ),
        ("--plots", args.plots.plots.is_some()),
        ("--walk", args.walk),
        ("--sample", args.shared.sampling.sample.is_some()),
        ("--target-error", args.shared.sampling.target_error.is_some()),
        ("--scale-to", args.shared.sampling.scale_to.is_some()),
    ];
    match typed.iter().find(|(_, is_typed)| *is_typed) {
        Some((flag, _)) => Err(refused(
            format!("{flag}: not with another store: it shows collections of WiredTiger by themselves"),
            &["take `--output markdown`, `csv` or `json`"],
        )),
        None => Ok(()),
    }
}

/// Options that only tables of `WiredTiger` have.
fn refuse_foreign(args: &EstimateArgs, geometry: &str, no_index: &str) -> Result<(), UsageError> {
    let leave_out: &[&str] = &["leave it out, or leave out `--geometry`"];
    if geometry != "btrfs" && args.store.mount.is_some() {
        return Err(refused(
            format!("--mount: not with `--geometry {geometry}`: it is about btrfs"),
            leave_out,
        ));
    }
    if !args.shared.model.index.is_empty() {
        return Err(refused(format!("--index: not with `--geometry {geometry}`: {no_index}"), leave_out));
    }
    let typed = [
        ("--server", args.shared.model.server.is_some()),
        ("--load", args.shared.model.load.is_some()),
        ("--clustered", args.shared.model.clustered),
        ("--capped", args.shared.model.capped.is_some()),
        ("--leaf-page-max", args.shared.model.leaf_page_max.is_some()),
        ("--allocation-size", args.shared.model.allocation_size.is_some()),
        ("--memory-page-max", args.shared.model.memory_page_max.is_some()),
        ("--cache-size", args.shared.model.cache_size.is_some()),
        ("--index-memory", args.shared.index_memory.is_some()),
    ];
    match typed.iter().find(|(_, is_typed)| *is_typed) {
        Some((flag, _)) => Err(refused(
            format!("{flag}: not with `--geometry {geometry}`: it is about tables of WiredTiger"),
            leave_out,
        )),
        None => Ok(()),
    }
}

fn refuse_documents(args: &EstimateArgs) -> Result<(), UsageError> {
    let typed = [
        ("--format", args.shared.format.is_some()),
        ("--on-bad-document", args.shared.on_bad_document.is_some()),
    ];
    match typed.iter().find(|(_, is_typed)| *is_typed) {
        Some((flag, _)) => Err(refused(
            format!("{flag}: not with `--geometry btrfs`: a file is stored as it is, whatever it holds"),
            &["leave it out"],
        )),
        None => Ok(()),
    }
}

/// Options about more than a collection's own file.
fn refuse_beside_collection(args: &EstimateArgs) -> Result<(), UsageError> {
    let typed = [
        ("--index", !args.shared.model.index.is_empty()),
        ("--clustered", args.shared.model.clustered),
        ("--capped", args.shared.model.capped.is_some()),
        ("--index-memory", args.shared.index_memory.is_some()),
    ];
    match typed.iter().find(|(_, is_typed)| *is_typed) {
        Some((flag, _)) => Err(refused(
            format!("{flag}: not with `--on`: only the file of a plain collection is rebuilt byte by byte"),
            &["leave out one of them"],
        )),
        None => Ok(()),
    }
}

/// From comma-separated lists; no method twice.
fn list<M: Copy + PartialEq>(
    flag: &str,
    lists: &[String],
    defaults: impl FnOnce() -> Vec<M>,
    parse: impl Fn(Typed<'_>) -> Result<M, UsageError>,
) -> Result<Vec<M>, UsageError> {
    if lists.is_empty() {
        return Ok(defaults());
    }
    let mut methods = Vec::new();
    for list in lists {
        for typed in list.split(',').map(str::trim) {
            if typed.is_empty() {
                return Err(refused(
                    format!("{flag}: a name is missing in `{list}`"),
                    &["write them as in `none,zlib:3`"],
                ));
            }
            let (name, level) = match typed.split_once(':') {
                None => (typed, None),
                Some((name, level)) => (name, Some(level)),
            };
            let method = parse(Typed { flag, whole: typed, name, level })?;
            if methods.contains(&method) {
                return Err(refused(
                    format!("{flag}: `{typed}` is listed twice"),
                    &["a codec without a level means its default level"],
                ));
            }
            methods.push(method);
        }
    }
    Ok(methods)
}

/// One item of a list.
#[derive(Clone, Copy)]
struct Typed<'t> {
    flag: &'t str,
    /// All of it.
    whole: &'t str,
    name: &'t str,
    /// Behind the colon.
    level: Option<&'t str>,
}

/// `--on btrfs`, `--on btrfs:zstd:3`.
fn on_methods(lists: &[String]) -> Result<Vec<btrfs::Method>, UsageError> {
    let mut typed = Vec::new();
    for list in lists {
        for item in list.split(',').map(str::trim) {
            let (file_system, method) = match item.split_once(':') {
                None => (item, None),
                Some((file_system, method)) => (file_system, Some(method)),
            };
            if file_system != "btrfs" {
                return Err(refused(
                    format!("--on: `{item}` is not on btrfs, the only file system that is known"),
                    &["write it as in `--on btrfs:zstd:3`, or `--on btrfs` for all of its codecs"],
                ));
            }
            typed.extend(method.map(str::to_owned));
        }
    }
    list("--on", &typed, btrfs::Method::defaults, btrfs_method)
}

/// The levels of a store's codec.
#[derive(Clone, Copy)]
struct Range<'r> {
    store: &'r str,
    codec: &'r str,
    /// In words.
    levels: &'r str,
}

impl Typed<'_> {
    /// `value`, if no level was typed.
    fn without_level<M>(self, value: M) -> Result<M, UsageError> {
        let Self { flag, whole: typed, name, level } = self;
        match level {
            None => Ok(value),
            Some(_) => Err(refused(
                format!("{flag}: `{typed}` has a level, and {name} has no levels"),
                &[&format!("write `{name}`")],
            )),
        }
    }

    /// The level that was typed, or `default`; `new` says which there are.
    fn level<L>(
        self,
        range: Range<'_>,
        default: i32,
        new: impl Fn(i32) -> Option<L>,
        hint: &str,
    ) -> Result<L, UsageError> {
        let Self { flag, whole: typed, level, .. } = self;
        let Range { store, codec, levels } = range;
        let number = match level {
            None => default,
            Some(text) => text.parse().ok().filter(|_| !text.starts_with('+')).ok_or_else(|| {
                let what = format!("`{text}` in `{typed}` is not a level: {store}'s {codec} takes {levels}");
                refused(format!("{flag}: {what}"), &[])
            })?,
        };
        new(number).ok_or_else(|| {
            let what =
                format!("level {number} in `{typed}` is outside {store}'s range for {codec}: {levels}");
            refused(format!("{flag}: {what}"), &[hint])
        })
    }

    fn zlib_level(self, store: &str, default: i32) -> Result<ZlibLevel, UsageError> {
        let range = Range { store, codec: "zlib", levels: "1 to 9" };
        self.level(range, default, ZlibLevel::new, "not to pack at all is `none`")
    }
}

fn btrfs_method(typed: Typed<'_>) -> Result<btrfs::Method, UsageError> {
    use btrfs::{BtrfsZstdLevel, Method};
    match typed.name {
        "none" => typed.without_level(Method::None),
        "lzo" => typed.without_level(Method::Lzo),
        "zlib" => typed.zlib_level("btrfs", Method::ZLIB_LEVEL_DEFAULT).map(Method::Zlib),
        "zstd" => {
            let range = Range { store: "btrfs", codec: "zstd", levels: "1 to 15, and -15 to -1" };
            let hint = "a mount would take the nearest level without a word: write that one";
            let level = typed.level(range, BtrfsZstdLevel::DEFAULT.get(), BtrfsZstdLevel::new, hint);
            level.map(Method::Zstd)
        }
        name => Err(refused(
            format!("{}: `{name}` is none of btrfs's: none, zlib, lzo and zstd", typed.flag),
            &["levels go behind a colon, further codecs behind a comma: `--codec zlib:3,lzo,zstd:3`"],
        )),
    }
}

fn innodb_method(typed: Typed<'_>) -> Result<innodb::Method, UsageError> {
    use innodb::{Method, MySqlCodec, PageCodec};
    let default = innodb::server_level().get();
    let page = |codec| typed.without_level(Method::PageCompressed(codec));
    match typed.name {
        "none" => typed.without_level(Method::Dynamic),
        "lz4" => page(PageCodec::Lz4),
        "lzo" => page(PageCodec::Lzo),
        "snappy" => page(PageCodec::Snappy),
        "bzip2" => page(PageCodec::Bzip2),
        "mysql-lz4" => typed.without_level(Method::MySqlPageCompressed(MySqlCodec::Lz4)),
        "zlib" => {
            let level = typed.zlib_level("innodb", default)?;
            Ok(Method::PageCompressed(PageCodec::Zlib(level)))
        }
        "mysql-zlib" => {
            let level = typed.zlib_level("innodb", default)?;
            Ok(Method::MySqlPageCompressed(MySqlCodec::Zlib(level)))
        }
        "lzma" => {
            let range = Range { store: "innodb", codec: "lzma", levels: "0 to 9" };
            let hint = "a server uses `lzma:6` unless told otherwise";
            let preset = typed.level(range, default, XzPreset::new, hint)?;
            Ok(Method::PageCompressed(PageCodec::Lzma(preset)))
        }
        "kbs" => key_block(typed).map(Method::RowCompressed),
        "zstd" => Err(refused(
            format!("{}: `zstd` packs no table of InnoDB, neither in MySQL nor in MariaDB", typed.flag),
            &["zstd is there for MySQL's connections and binary log; tables have `zlib`, `lz4` and `kbs:8`"],
        )),
        name => {
            let known = "none, zlib, lz4, lzo, lzma, bzip2, snappy, kbs, mysql-zlib and mysql-lz4";
            Err(refused(
                format!("{}: `{name}` is none of innodb's: {known}", typed.flag),
                &["levels go behind a colon, further codecs behind a comma: `--codec none,zlib:6,kbs:8`"],
            ))
        }
    }
}

fn key_block(typed: Typed<'_>) -> Result<innodb::KeyBlock, UsageError> {
    let Typed { flag, whole: typed, level, .. } = typed;
    let Some(text) = level else { return Ok(innodb::KeyBlock::DEFAULT) };
    text.parse().ok().and_then(innodb::KeyBlock::new).ok_or_else(|| {
        refused(
            format!("{flag}: `{typed}` is no KEY_BLOCK_SIZE: it is 1, 2, 4, 8 or 16 (KiB)"),
            &["as in `--codec kbs:8`, which is half a page, a server's default"],
        )
    })
}

//! What was typed, checked: from here on only values that cannot be wrong.

use super::args::{EstimateArgs, LoadArg, ModelArgs, ReadingArgs, SharedArgs};
use super::described::Described;
use super::index::parse_indexes;
use super::inputs::{InputPlace, Reading};
use super::progress::Verbosity;
use super::sampling::sampling;
use super::sizes::parse_size;
use super::usage::{CAPPED_DOCUMENTS_LIMIT, THREADS_MAX, UsageError};
use crate::codec::{CodecKind, ZlibLevel, ZstdLevel};
use crate::geometry::wiredtiger::{Release, TableConfig};
use crate::pipeline;
use crate::record::collection::{Cap, Keys, Purpose, Shape};
use crate::report::{Detail, OutputKind};
use crate::source::csv::Columns;
use crate::source::{Namespaces, OnBadDocument, OpenOptions};
use crate::units::AllocationUnit;
use std::collections::HashMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Whether documents are looked at for what is unusual about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scrutiny {
    /// Not at all.
    None,
    /// All of it is counted.
    Strict,
}

/// Which tables are predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Collections and their indexes.
    WithIndexes,
    /// Collections only.
    CollectionsOnly,
}

/// What `estimate` is to do.
#[derive(Clone, Debug)]
pub struct EstimatePlan {
    /// One or more; `-` at most once.
    pub inputs: Vec<InputPlace>,
    /// How files are opened.
    pub reading: OpenOptions,
    /// How collections on servers are read.
    pub live: Reading,
    /// Collections of a dump that are wanted.
    pub namespaces: Namespaces,
    /// Whether documents are looked at for what is unusual about them.
    pub scrutiny: Scrutiny,
    /// Whether indexes are predicted.
    pub tables: Tables,
    /// What the page model is asked: one or more codecs, none twice, and sizes within the engine's ranges.
    pub model: pipeline::Plan,
    /// What of the model was typed; the rest may come from a server.
    pub typed: TypedTable,
    /// Format of the result.
    pub output: OutputKind,
    /// File of the result; `None` for standard output.
    pub out: Option<PathBuf>,
    /// Folder of plots; `None` for none.
    pub plots: Option<PathBuf>,
    /// How much is said about each figure.
    pub detail: Detail,
    /// How much is said on standard error.
    pub verbosity: Verbosity,
}

impl EstimatePlan {
    /// Checks `args`.
    pub(super) fn new(args: &EstimateArgs) -> Result<Self, UsageError> {
        let mut plan = Self::shared(&args.inputs, &args.shared)?;
        plan.plots.clone_from(&args.plots.plots);
        if args.walk {
            plan.model.walk = pipeline::Walk::Record;
        }
        Ok(plan)
    }

    /// Checks what commands share.
    pub(super) fn shared(inputs: &[PathBuf], args: &SharedArgs) -> Result<Self, UsageError> {
        let output = args.output.map_or(OutputKind::Table, Into::into);
        if args.explain && !output.has_prose() {
            return Err(UsageError::NothingToExplain { output: output.name() });
        }
        let out = args.out.clone().filter(|path| path != Path::new("-"));
        let inputs = inputs.iter().map(|typed| InputPlace::new(typed)).collect::<Result<Vec<_>, _>>()?;
        let files: Vec<&Path> = inputs.iter().filter_map(InputPlace::file).collect();
        check_paths(&files, out.as_deref())?;
        let typed = TypedTable::new(&args.model)?;
        let model = pipeline::Plan {
            table: typed.over(TableConfig::collection(Release::NEWEST))?,
            effort: pipeline::Effort::Full,
            shape: shape(&args.model)?,
            loads: args.model.load.unwrap_or(LoadArg::Both).loads(),
            codecs: match args.model.codec.as_slice() {
                [] => CodecKind::SERVER.to_vec(),
                lists => parse_codecs(lists)?,
            },
            indexes: parse_indexes(&args.model.index)?,
            index_memory_bytes: size("--index-memory", args.index_memory.as_deref())?
                .unwrap_or(pipeline::INDEX_MEMORY_BYTES),
            threads: match &args.threads {
                None => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
                Some(text) => parse_threads(text)?,
            },
            on_bad: args.on_bad_document.map_or(OnBadDocument::Stop, Into::into),
            walk: pipeline::Walk::Skip,
            sampling: sampling(&args.sampling)?,
            timing: if args.no_timing { pipeline::Timing::Skip } else { pipeline::Timing::Measure },
        };
        Ok(Self {
            inputs,
            reading: OpenOptions {
                format: args.format.map(Into::into),
                on_bad: model.on_bad,
                json: args.reading.json_dialect.map(Into::into).unwrap_or_default(),
                columns: columns(&args.reading)?,
            },
            live: Reading::new(&args.live)?,
            namespaces: Namespaces::new(&args.reading.ns),
            tables: Tables::WithIndexes,
            scrutiny: if args.reading.strict { Scrutiny::Strict } else { Scrutiny::None },
            model,
            typed,
            output,
            out,
            plots: None,
            detail: if args.explain { Detail::Definitions } else { Detail::Figures },
            verbosity: if args.quiet { Verbosity::Quiet } else { Verbosity::Normal },
        })
    }
}

impl EstimatePlan {
    /// The same at another leaf page size.
    pub(super) fn with_leaf(&self, bytes: u64) -> Result<Self, UsageError> {
        let typed = TypedTable { leaf_page_bytes_max: Some(bytes), ..self.typed };
        let model = pipeline::Plan { table: typed.over(self.model.table)?, ..self.model.clone() };
        Ok(Self { model, typed, ..self.clone() })
    }
}

/// Sizes and release as they were typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypedTable {
    /// `--server`.
    pub release: Option<Release>,
    allocation: Option<AllocationUnit>,
    leaf_page_bytes_max: Option<u64>,
    memory_page_bytes_max: Option<u64>,
    /// `--cache-size`.
    pub cache_bytes: Option<u64>,
}

impl TypedTable {
    fn new(args: &ModelArgs) -> Result<Self, UsageError> {
        let allocation = match size("--allocation-size", args.allocation_size.as_deref())? {
            None => None,
            Some(bytes) => Some(AllocationUnit::new(bytes).ok_or(UsageError::Allocation { bytes })?),
        };
        Ok(Self {
            release: args.server.as_deref().map(parse_release).transpose()?,
            allocation,
            leaf_page_bytes_max: size("--leaf-page-max", args.leaf_page_max.as_deref())?,
            memory_page_bytes_max: size("--memory-page-max", args.memory_page_max.as_deref())?,
            cache_bytes: size("--cache-size", args.cache_size.as_deref())?,
        })
    }

    /// What was typed, and the rest of `table`.
    pub(super) fn over(self, table: TableConfig) -> Result<TableConfig, UsageError> {
        let release = self.release.unwrap_or(table.release);
        TableConfig { release, ..table }
            .with_sizes(
                self.allocation.unwrap_or(table.allocation),
                self.leaf_page_bytes_max.unwrap_or(table.leaf_page_bytes_max.into()),
                self.memory_page_bytes_max.unwrap_or(table.memory_page_bytes_max),
                self.cache_bytes.unwrap_or(table.cache_bytes),
            )
            .map_err(|error| UsageError::Table { error })
    }
}

fn columns(args: &ReadingArgs) -> Result<Columns, UsageError> {
    if args.columns_have_types {
        return Ok(Columns::Header);
    }
    match args.types.as_slice() {
        [] => Ok(Columns::Inferred),
        [only] if only == "each-cell" => Ok(Columns::EachCell),
        lists => Columns::parse(lists).map_err(|what| UsageError::Types { what }),
    }
}

/// The plan of one input: a collection's name tells that it holds a time series' buckets or a file's chunks.
pub(super) fn model_of(model: &pipeline::Plan, collection: &str) -> pipeline::Plan {
    Described::by_name(model, collection).model
}

fn shape(args: &ModelArgs) -> Result<Shape, UsageError> {
    let capped = match &args.capped {
        None => None,
        Some(text) => {
            let bytes = size("--capped", Some(text))?.unwrap_or(0);
            let documents = args.capped_max.as_deref().map(parse_capped_max).transpose()?;
            if bytes == 0 {
                return Err(UsageError::CappedAtNothing);
            }
            Some(Cap::new(bytes, documents))
        }
    };
    let keys = if args.clustered { Keys::Clustered } else { Keys::Numbers };
    Ok(Shape { keys, capped, purpose: Purpose::Plain })
}

fn parse_capped_max(text: &str) -> Result<u64, UsageError> {
    let documents = text.parse().ok().filter(|documents| (1..CAPPED_DOCUMENTS_LIMIT).contains(documents));
    documents.ok_or_else(|| UsageError::CappedMax { text: text.to_owned() })
}

fn check_paths(inputs: &[&Path], out: Option<&Path>) -> Result<(), UsageError> {
    if inputs.iter().filter(|path| **path == Path::new("-")).count() > 1 {
        return Err(UsageError::StandardInputTwice);
    }
    let mut seen = HashMap::with_capacity(inputs.len());
    for again in inputs {
        let Some(identity) = identity(again) else { continue };
        if let Some(first) = seen.insert(identity, again) {
            let (first, again) = (first.display().to_string(), again.display().to_string());
            return Err(UsageError::InputTwice { first, again });
        }
    }
    let Some(out) = out else { return Ok(()) };
    let real = |path: &Path| fs::canonicalize(path).ok().filter(|path| path.is_file());
    let real_out = real(out);
    if inputs.iter().any(|input| real_out.is_some() && real(input) == real_out) {
        return Err(UsageError::OutIsInput { path: out.display().to_string() });
    }
    Ok(())
}

/// What a path leads to, whatever it is called; `None` if there is nothing. A pipe that is opened twice would
/// share its bytes out, or never end.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let path = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

fn size(flag: &'static str, text: Option<&str>) -> Result<Option<u64>, UsageError> {
    text.map(parse_size).transpose().map_err(|error| UsageError::Size { flag, error })
}

/// From `8.0` or `6.0.5`.
pub(super) fn parse_release(text: &str) -> Result<Release, UsageError> {
    if let Some(release) = Release::parse(text) {
        return Ok(release);
    }
    let is_number = |part: &str| part.parse::<u16>().is_ok() && !part.starts_with('+');
    let text = text.to_owned();
    if (2..=3).contains(&text.split('.').count()) && text.split('.').all(is_number) {
        Err(UsageError::UnknownRelease { text })
    } else {
        Err(UsageError::NotARelease { text })
    }
}

/// From comma-separated lists; no codec twice.
pub(super) fn parse_codecs(lists: &[String]) -> Result<Vec<CodecKind>, UsageError> {
    let mut codecs: Vec<CodecKind> = Vec::new();
    for list in lists {
        for typed in list.split(',').map(str::trim) {
            if typed.is_empty() {
                return Err(UsageError::NoCodec { list: list.clone() });
            }
            let codec = parse_codec(typed)?;
            if codecs.contains(&codec) {
                return Err(UsageError::CodecTwice { codec: codec.to_string(), typed: typed.to_owned() });
            }
            codecs.push(codec);
        }
    }
    Ok(codecs)
}

/// From `zstd:9` or, at a server's level, `zstd`.
fn parse_codec(typed: &str) -> Result<CodecKind, UsageError> {
    let (name, level) = match typed.split_once(':') {
        None => (typed, None),
        Some((name, level)) => (name, Some(level)),
    };
    let no_levels = |kind, codec| match level {
        None => Ok(kind),
        Some(_) => Err(UsageError::NoLevels { typed: typed.to_owned(), codec }),
    };
    let out_of_range = |level, codec| UsageError::LevelRange { typed: typed.to_owned(), level, codec };
    match name {
        "none" => no_levels(CodecKind::None, "none"),
        "snappy" => no_levels(CodecKind::Snappy, "snappy"),
        "zlib" => match level {
            None => Ok(CodecKind::Zlib(ZlibLevel::SERVER)),
            Some(level) => {
                let level = parse_level(typed, level, "zlib")?;
                ZlibLevel::new(level).map(CodecKind::Zlib).ok_or(out_of_range(level, "zlib"))
            }
        },
        "zstd" => match level {
            None => Ok(CodecKind::Zstd(ZstdLevel::SERVER)),
            Some(level) => {
                let level = parse_level(typed, level, "zstd")?;
                ZstdLevel::new(level).map(CodecKind::Zstd).ok_or(out_of_range(level, "zstd"))
            }
        },
        _ => Err(UsageError::UnknownCodec { name: name.to_owned() }),
    }
}

fn parse_level(typed: &str, level: &str, codec: &'static str) -> Result<i32, UsageError> {
    let level = level.trim();
    let not_a_level = || UsageError::NotALevel { typed: typed.to_owned(), level: level.to_owned(), codec };
    if level.starts_with('+') { Err(not_a_level()) } else { level.parse().map_err(|_| not_a_level()) }
}

pub(super) fn parse_threads(text: &str) -> Result<NonZeroUsize, UsageError> {
    text.parse()
        .ok()
        .filter(|threads: &NonZeroUsize| threads.get() <= THREADS_MAX)
        .ok_or_else(|| UsageError::Threads { text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codecs(list: &str) -> Result<Vec<String>, UsageError> {
        let codecs = parse_codecs(&[list.to_owned()])?;
        Ok(codecs.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn codecs_are_read_with_the_levels_that_a_server_uses() {
        for (list, want) in [
            ("none,snappy,zlib,zstd", vec!["none", "snappy", "zlib:6", "zstd:6"]),
            ("zstd:1, zstd:22 ,zlib:1,zlib:9", vec!["zstd:1", "zstd:22", "zlib:1", "zlib:9"]),
        ] {
            assert_eq!(codecs(list).unwrap(), want, "{list}");
        }
    }

    #[test]
    fn codecs_that_no_server_has_are_refused() {
        for list in [
            "",
            ",",
            "none,",
            "lz4",
            "ZSTD",
            "zstd:",
            "zstd:0",
            "zstd:23",
            "zstd:-1",
            "zstd:+6",
            "zstd:6:7",
            "zstd:99999999999",
            "zlib:0",
            "zlib:10",
            "snappy:3",
            "none:1",
            "none:",
            "zstd,zstd:6",
            "none,none",
            "snappy;zstd",
            "zstd 6",
        ] {
            assert!(codecs(list).is_err(), "{list}");
        }
    }

    #[test]
    fn threads_are_at_least_one_and_no_typing_error() {
        for (text, want) in
            [("1", Some(1)), ("1024", Some(1024)), ("0", None), ("1025", None), ("-1", None), ("x", None)]
        {
            assert_eq!(parse_threads(text).ok().map(NonZeroUsize::get), want, "{text}");
        }
    }

    #[test]
    fn releases_that_are_refused_say_which_kind_of_wrong_they_are() {
        for (text, looks_like_one) in [
            ("3.6", true),
            ("5.1", true),
            ("4.2.24", true),
            ("abc", false),
            ("8", false),
            ("8.0.0-rc1", false),
        ] {
            let error = parse_release(text).unwrap_err();
            assert_eq!(matches!(error, UsageError::UnknownRelease { .. }), looks_like_one, "{text}");
        }
        assert!(parse_release("9.0").is_ok());
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text in "\\PC*|[0-9.:,a-z]*") {
            let _ = codecs(&text);
            let _ = parse_release(&text);
            let _ = parse_threads(&text);
        }
    }
}

//! What was typed, checked: from here on only values that cannot be wrong.

use super::args::{EstimateArgs, LoadArg};
use super::index::{INDEXES_MAX, parse_indexes};
use super::progress::Verbosity;
use super::sizes::parse_size;
use super::usage::{CAPPED_DOCUMENTS_LIMIT, THREADS_MAX, UsageError};
use crate::codec::{CodecKind, ZlibLevel, ZstdLevel};
use crate::geometry::wiredtiger::{Release, TableConfig};
use crate::pipeline;
use crate::record::collection::{Cap, Keys, Purpose, Shape};
use crate::record::index::{IndexKind, IndexSpec};
use crate::report::{Detail, OutputKind};
use crate::source::{Format, OnBadDocument};
use crate::units::AllocationUnit;
use std::collections::HashMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// What `estimate` is to do.
#[derive(Clone, Debug)]
pub struct EstimatePlan {
    /// One or more; `-` at most once.
    pub inputs: Vec<PathBuf>,
    /// Format of all inputs; `None` to recognise each.
    pub format: Option<Format>,
    /// What the page model is asked: one or more codecs, none twice, and sizes within the engine's ranges.
    pub model: pipeline::Plan,
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
        let output = args.output.map_or(OutputKind::Table, Into::into);
        if args.explain && !output.has_prose() {
            return Err(UsageError::NothingToExplain { output: output.name() });
        }
        let out = args.out.clone().filter(|path| path != Path::new("-"));
        check_paths(&args.inputs, out.as_deref())?;
        let model = pipeline::Plan {
            table: table(args)?,
            effort: pipeline::Effort::Full,
            shape: shape(args)?,
            loads: args.load.unwrap_or(LoadArg::Both).loads(),
            codecs: match args.codec.as_slice() {
                [] => CodecKind::SERVER.to_vec(),
                lists => parse_codecs(lists)?,
            },
            indexes: parse_indexes(&args.index)?,
            index_memory_bytes: size(
                "--index-memory",
                args.index_memory.as_deref(),
                pipeline::INDEX_MEMORY_BYTES,
            )?,
            threads: match &args.threads {
                None => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
                Some(text) => parse_threads(text)?,
            },
            on_bad: args.on_bad_document.map_or(OnBadDocument::Stop, Into::into),
            walk: if args.walk { pipeline::Walk::Record } else { pipeline::Walk::Skip },
            timing: if args.no_timing { pipeline::Timing::Skip } else { pipeline::Timing::Measure },
        };
        Ok(Self {
            inputs: args.inputs.clone(),
            format: args.format.map(Into::into),
            model,
            output,
            out,
            plots: args.plots.clone(),
            detail: if args.explain { Detail::Definitions } else { Detail::Figures },
            verbosity: if args.quiet { Verbosity::Quiet } else { Verbosity::Normal },
        })
    }
}

impl EstimatePlan {
    /// The plan of one input: a collection's name tells that it holds a time series' buckets or a file's chunks.
    pub(super) fn model_of(&self, collection: &str) -> pipeline::Plan {
        let named = Shape::of_name(collection);
        let mut model = self.model.clone();
        model.shape.purpose = named.purpose;
        if named.keys == Keys::Clustered {
            model.shape.keys = Keys::Clustered;
        }
        if model.shape.keys == Keys::Clustered {
            model.indexes.retain(|index| index.kind() != IndexKind::Id);
        }
        if named.purpose == Purpose::GridFsChunks {
            let chunks = IndexSpec::gridfs_chunks();
            let is_known = model.indexes.iter().any(|index| index.pattern() == chunks.pattern());
            if !is_known && model.indexes.len() < INDEXES_MAX {
                model.indexes.push(chunks);
            }
        }
        model
    }
}

fn shape(args: &EstimateArgs) -> Result<Shape, UsageError> {
    let capped = match &args.capped {
        None => None,
        Some(text) => {
            let bytes = size("--capped", Some(text), 0)?;
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

fn check_paths(inputs: &[PathBuf], out: Option<&Path>) -> Result<(), UsageError> {
    if inputs.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
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

fn table(args: &EstimateArgs) -> Result<TableConfig, UsageError> {
    let release = match &args.server {
        None => Release::NEWEST,
        Some(text) => parse_release(text)?,
    };
    let default = TableConfig::collection(release);
    let allocation_bytes =
        size("--allocation-size", args.allocation_size.as_deref(), default.allocation.bytes())?;
    let allocation =
        AllocationUnit::new(allocation_bytes).ok_or(UsageError::Allocation { bytes: allocation_bytes })?;
    let leaf = size("--leaf-page-max", args.leaf_page_max.as_deref(), default.leaf_page_bytes_max.into())?;
    let memory = size("--memory-page-max", args.memory_page_max.as_deref(), default.memory_page_bytes_max)?;
    let cache = size("--cache-size", args.cache_size.as_deref(), default.cache_bytes)?;
    default.with_sizes(allocation, leaf, memory, cache).map_err(|error| UsageError::Table { error })
}

fn size(flag: &'static str, text: Option<&str>, default_bytes: u64) -> Result<u64, UsageError> {
    match text {
        None => Ok(default_bytes),
        Some(text) => parse_size(text).map_err(|error| UsageError::Size { flag, error }),
    }
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

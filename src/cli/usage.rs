//! Everything that can be wrong with what was typed: one text each, with the value, the limit and a remedy.

use super::SizeError;
use crate::codec::{ZlibLevel, ZstdLevel};
use crate::geometry::wiredtiger::{ConfigError, Release};
use crate::mongod::MongodError;
use crate::units::Exact;

/// Threads above which a typing error is likelier than a machine.
pub(super) const THREADS_MAX: usize = 1024;

/// First number of documents that `create` refuses as `max`.
///
/// Source: `CollectionOptions::parse`, mongod 6.0 ("max in a capped collection has to be < 2^31").
pub(super) const CAPPED_DOCUMENTS_LIMIT: u64 = 1 << 31;

/// What was typed makes no sense. Exit code 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UsageError {
    /// The grammar of options and commands is broken.
    #[error("{what}")]
    Grammar {
        /// What is wrong.
        what: String,
        /// What to do, one line each.
        hints: Vec<String>,
    },
    /// An index that no server would build, or whose keys cannot be made exactly.
    #[error("--index{}: {what}", typed.as_ref().map_or(String::new(), |typed| format!(" `{typed}`")))]
    Index {
        /// As typed; `None` if no single one is at fault.
        typed: Option<String>,
        /// The rule that it breaks.
        what: String,
    },
    /// A count that is none.
    #[error("{flag}: `{text}` is not a whole number from 0")]
    WholeNumber {
        /// Which option.
        flag: &'static str,
        /// As typed.
        text: String,
    },
    /// Types of columns that cannot be read.
    #[error("--types: {what}")]
    Types {
        /// What is wrong with them.
        what: String,
    },
    /// Nothing to do.
    #[error("no command given")]
    NoCommand,
    /// `man` for a command that is not there.
    #[error("`{name}` is no command")]
    UnknownCommand {
        /// As typed.
        name: String,
    },
    /// A name that no server knows.
    #[error("--codec: `{name}` is none of none, snappy, zlib and zstd")]
    UnknownCodec {
        /// As typed.
        name: String,
    },
    /// Nothing between two commas, or nothing at all.
    #[error("--codec: a name is missing in `{list}`")]
    NoCodec {
        /// As typed.
        list: String,
    },
    /// A level for a codec without levels.
    #[error("--codec: `{typed}` has a level, and {codec} has no levels")]
    NoLevels {
        /// As typed.
        typed: String,
        /// Which codec.
        codec: &'static str,
    },
    /// A level that is not a number.
    #[error("--codec: {}: {codec} takes a whole number from {} to {}", not_a_level(typed, level), levels(codec).0, levels(codec).1)]
    NotALevel {
        /// As typed.
        typed: String,
        /// Behind the colon.
        level: String,
        /// Which codec.
        codec: &'static str,
    },
    /// A number that is no level.
    #[error(
        "--codec: level {level} in `{typed}` is outside {codec}'s range of {} to {}",
        levels(codec).0,
        levels(codec).1
    )]
    LevelRange {
        /// As typed.
        typed: String,
        /// Behind the colon.
        level: i32,
        /// Which codec.
        codec: &'static str,
    },
    /// The same codec and level again.
    #[error("--codec: {codec} is listed twice")]
    CodecTwice {
        /// With its level.
        codec: String,
        /// As typed the second time.
        typed: String,
    },
    /// Not the shape of a release.
    #[error("--server: `{text}` is not a release: write MAJOR.MINOR or MAJOR.MINOR.PATCH")]
    NotARelease {
        /// As typed.
        text: String,
    },
    /// A release whose rules are not known and cannot be guessed.
    #[error(
        "--server: the rules of release {text} are not known; known are {}, and newer ones follow the last",
        known_releases()
    )]
    UnknownRelease {
        /// As typed.
        text: String,
    },
    /// Text that is no size.
    #[error("{flag}: {error}")]
    Size {
        /// Which option.
        flag: &'static str,
        /// What is wrong with it.
        error: SizeError,
    },
    /// A limit that holds nothing.
    #[error("--capped: a limit of 0 bytes holds no document")]
    CappedAtNothing,
    /// Text that is no number of documents.
    #[error("--capped-max: `{text}` is not a whole number of documents from 1 to {}", CAPPED_DOCUMENTS_LIMIT - 1)]
    CappedMax {
        /// As typed.
        text: String,
    },
    /// An allocation size that the engine would refuse.
    #[error("--allocation-size: {bytes} is not a power of two from 512 to 134217728 bytes (128 MiB)")]
    Allocation {
        /// As typed, in bytes.
        bytes: u64,
    },
    /// Sizes that the engine would refuse.
    #[error("{}: {error}", flag_of(error))]
    Table {
        /// What is wrong.
        error: ConfigError,
    },
    /// Not a number of threads.
    #[error("--threads: `{text}` is not a whole number from 1 to {THREADS_MAX}")]
    Threads {
        /// As typed.
        text: String,
    },
    /// Standard input can be read once.
    #[error("`-` is given twice, and standard input can be read only once")]
    StandardInputTwice,
    /// One file or stream under two names, or under one.
    #[error("{}", input_twice(first, again))]
    InputTwice {
        /// As typed the first time.
        first: String,
        /// As typed the second time.
        again: String,
    },
    /// The result would replace what it is made from.
    #[error("--out: `{path}` is also an input")]
    OutIsInput {
        /// As typed.
        path: String,
    },
    /// An address that cannot be used.
    #[error("{what}")]
    Address {
        /// What is wrong, without secrets.
        what: String,
        /// What to do, one line each.
        hints: Vec<String>,
    },
    /// Not a rate.
    #[error("--read-mb-per-s: `{text}` is not a number of megabytes above 0")]
    ReadRate {
        /// As typed.
        text: String,
    },
    /// `verify` cannot do what was typed.
    #[error(transparent)]
    Verify(#[from] super::VerifyUsageError),
    /// Another store has no such option, codec or level.
    #[error("{what}")]
    Store {
        /// What is wrong.
        what: String,
        /// What to do, one line each.
        hints: Vec<String>,
    },
    /// Definitions asked of a format that has no place for them.
    #[error("--explain: {output} output holds figures only")]
    NothingToExplain {
        /// The format.
        output: &'static str,
    },
}

impl UsageError {
    /// The same about another option that is typed as `flag` is.
    pub(super) fn of_flag(&self, flag: &str, other: &str) -> Self {
        let renamed = |text: String| text.replace(flag, other);
        Self::Grammar {
            what: renamed(self.to_string()),
            hints: self.hints().into_iter().map(renamed).collect(),
        }
    }

    /// An address that cannot be used.
    #[must_use]
    pub fn address(error: &MongodError) -> Self {
        Self::Address { what: error.to_string(), hints: error.hints() }
    }

    /// What the user can do next, one line each, best first.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Grammar { hints, .. } | Self::Address { hints, .. } | Self::Store { hints, .. } => {
                hints.clone()
            }
            Self::ReadRate { .. } => vec!["as in `--read-mb-per-s 20`".to_owned()],
            Self::Verify(error) => error.hints(),
            Self::Index { .. } => vec![
                "write a key pattern, `--index '{\"user\":1,\"ts\":-1}'`, or a createIndexes document, \
                 `--index '{\"key\":{\"user\":1},\"unique\":true}'`"
                    .to_owned(),
            ],
            Self::WholeNumber { flag, .. } => vec![format!("write it as in `{flag} 1000000`")],
            Self::Types { .. } => vec!["write them as in `--types zip:string,n:int,at:date`".to_owned()],
            Self::NoCommand => vec![
                "to estimate from a file, run `pagepress estimate FILE`".to_owned(),
                "`pagepress --help` lists the commands".to_owned(),
            ],
            Self::UnknownCommand { .. } => vec!["`pagepress --help` lists the commands".to_owned()],
            Self::UnknownCodec { name } => unknown_codec(name),
            Self::NoCodec { .. } => vec!["write them as in `--codec none,snappy,zlib:6,zstd:6`".to_owned()],
            Self::NoLevels { codec, .. } => vec![format!("write `{codec}`")],
            Self::LevelRange { level: 0, codec: "zlib", .. } => {
                vec!["zlib's level 0 packs nothing; what a server has for that is `none`".to_owned()]
            }
            Self::LevelRange { level: 0, codec: "zstd", .. } => {
                vec![
                    "to the zstd library 0 means its own default of 3; a server's default is `zstd:6`"
                        .to_owned(),
                ]
            }
            Self::NotALevel { codec, .. } | Self::LevelRange { codec, .. } => vec![server_level(codec)],
            Self::CodecTwice { codec, typed } if codec != typed => {
                vec![format!("`{typed}` without a level means `{codec}`, as on a server")]
            }
            Self::CodecTwice { typed, .. } => vec![format!("leave out one `{typed}`")],
            Self::NotARelease { .. } => vec!["as in `--server 8.0` or `--server 6.0.5`".to_owned()],
            Self::UnknownRelease { .. } => vec!["pass the known release that is nearest to it".to_owned()],
            Self::Size { flag, .. } => vec![format!("as in `{flag} {}`", example(flag))],
            Self::CappedAtNothing => {
                vec!["as in `--capped 1G`; leave it out for a collection without a limit".to_owned()]
            }
            Self::CappedMax { .. } => vec!["as in `--capped 1G --capped-max 1000000`".to_owned()],
            Self::Allocation { bytes } => nearest_powers(*bytes),
            Self::Table { error } => table_hints(error),
            Self::Threads { .. } => {
                vec!["leave it out to use all cores; the result does not depend on it".to_owned()]
            }
            Self::StandardInputTwice => vec!["give `-` once, or save the stream to a file".to_owned()],
            Self::InputTwice { .. } => {
                vec!["leave out one of them: each input is a collection of its own".to_owned()]
            }
            Self::OutIsInput { .. } => vec!["give the result a name of its own".to_owned()],
            Self::NothingToExplain { .. } => {
                vec!["`--explain` goes with `--output table` and `--output markdown`".to_owned()]
            }
        }
    }
}

fn input_twice(first: &str, again: &str) -> String {
    if first == again {
        format!("`{first}` is given twice")
    } else {
        format!("`{first}` and `{again}` are the same file")
    }
}

fn not_a_level(typed: &str, level: &str) -> String {
    if level.is_empty() {
        format!("the level is missing in `{typed}`")
    } else {
        format!("`{level}` in `{typed}` is not a level")
    }
}

fn levels(codec: &str) -> (i32, i32) {
    match codec {
        "zlib" => (ZlibLevel::MIN, ZlibLevel::MAX),
        _ => (ZstdLevel::MIN, ZstdLevel::MAX),
    }
}

fn server_level(codec: &str) -> String {
    let level = match codec {
        "zlib" => ZlibLevel::SERVER.get(),
        _ => ZstdLevel::SERVER.get(),
    };
    format!("a server uses `{codec}:{level}` unless told otherwise")
}

fn unknown_codec(name: &str) -> Vec<String> {
    let lower = name.to_ascii_lowercase();
    let mut hints = Vec::new();
    if ["none", "snappy", "zlib", "zstd"].contains(&lower.as_str()) {
        hints.push(format!("names are in lower case: `{lower}`"));
    }
    hints.push("levels go behind a colon, further codecs behind a comma: `--codec snappy,zstd:9`".to_owned());
    hints
}

fn known_releases() -> String {
    let known: Vec<_> = Release::KNOWN.iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
    known.join(", ")
}

fn example(flag: &str) -> &'static str {
    match flag {
        "--allocation-size" => "4K",
        "--leaf-page-max" => "32K",
        "--memory-page-max" => "10M",
        _ => "1G",
    }
}

fn flag_of(error: &ConfigError) -> &'static str {
    match error {
        ConfigError::LeafRange { .. } | ConfigError::LeafMultiple { .. } => "--leaf-page-max",
        ConfigError::MemoryRange { .. } => "--memory-page-max",
        _ => "--cache-size",
    }
}

fn nearest_powers(bytes: u64) -> Vec<String> {
    let bytes = bytes.clamp(512, 128 << 20);
    let above = bytes.next_power_of_two();
    let below = if above == bytes { bytes } else { above / 2 };
    let sizes = if below == above { format!("{below}") } else { format!("{below} or {above}") };
    vec![format!("nearest to it: {sizes}"), "a server's tables use 4096".to_owned()]
}

fn table_hints(error: &ConfigError) -> Vec<String> {
    match error {
        ConfigError::LeafMultiple { bytes, allocation } => {
            let above = bytes.next_multiple_of(*allocation);
            let below = bytes - bytes % allocation;
            let sizes = if below == 0 { format!("{above}") } else { format!("{below} or {above}") };
            vec![format!("nearest to it: {sizes}")]
        }
        ConfigError::LeafRange { .. } => vec!["a server's collections use 32768 (32 KiB)".to_owned()],
        ConfigError::MemoryRange { .. } => vec!["a server's collections use 10485760 (10 MiB)".to_owned()],
        _ => vec![format!("without `--cache-size` it is 1073741824 ({})", Exact(1 << 30))],
    }
}

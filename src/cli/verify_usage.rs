//! What `verify` cannot do, although it can be typed.

/// See the variants. Exit code 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyUsageError {
    /// Neither `--spawn` nor `--uri`.
    #[error("there is no server to measure on")]
    NoServer,
    /// `--uri` alone.
    #[error("--uri: a running server is written to only with --allow-writes")]
    NoAllowWrites,
    /// `--uri` with a collection.
    #[error("--uri: {address}: names a collection, and `verify` makes its own database")]
    CollectionNamed {
        /// Without secrets.
        address: String,
    },
    /// `--drop-left-over` without a server that could have anything left.
    #[error("--drop-left-over: goes with --uri; what --spawn starts leaves nothing")]
    NothingLeftOver,
    /// Standard input, or a pipe.
    #[error(
        "`{input}` cannot be read again, and `verify` reads each input for the prediction and for each load"
    )]
    NotRepeatable {
        /// As typed.
        input: String,
    },
    /// Not a number of loads.
    #[error("--repeat: `{text}` is not a whole number from 1 to 100")]
    Repeat {
        /// As typed.
        text: String,
    },
    /// Not a share.
    #[error("--tolerance: `{text}` is not a number of per cent from 0 to 100")]
    Tolerance {
        /// As typed.
        text: String,
    },
    /// A scan is cold only after a restart.
    #[error("--scan: only a server of --spawn can be restarted to empty its cache")]
    ScanOfRunning,
    /// What is predicted is the moment when it is first full.
    #[error(
        "--capped: a capped collection cannot be measured: it is predicted for the moment when it is first full"
    )]
    Capped,
    /// Buckets and chunks are made by other means than inserts.
    #[error("{input}: {what} cannot be measured: a server takes no inserts into them")]
    NotInsertable {
        /// Name of the collection.
        input: String,
        /// What it holds.
        what: &'static str,
    },
    /// A level that no server has.
    #[error("--codec: {codec} cannot be measured: a server packs with zlib:6 and no other level")]
    ZlibLevel {
        /// With its level.
        codec: String,
    },
    /// A level that a running server does not have.
    #[error("--codec: {codec} cannot be measured on {place}: its level is {level}")]
    ZstdLevel {
        /// With its level.
        codec: String,
        /// Without secrets.
        place: String,
        /// Of the server.
        level: i32,
    },
    /// A state that a running server does not make.
    #[error("--load: {load} cannot be measured on {place}, which is a {what}")]
    Load {
        /// As typed.
        load: &'static str,
        /// Without secrets.
        place: String,
        /// What it is.
        what: &'static str,
    },
}

impl VerifyUsageError {
    /// What the user can do next, one line each, best first.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::NoServer => {
                "pass `--spawn MONGOD` to start one and remove it afterwards, or `--uri URI --allow-writes`"
            }
            Self::NoAllowWrites => {
                "documents go into a database `pagepress_verify_...` of their own, which is dropped afterwards"
            }
            Self::CollectionNamed { .. } => "name hosts only, as in `--uri mongodb://localhost:27017`",
            Self::NothingLeftOver | Self::NotInsertable { .. } => "leave it out",
            Self::NotRepeatable { .. } => "save it to a file and pass that",
            Self::Repeat { .. } => "as in `--repeat 3`",
            Self::Tolerance { .. } => "as in `--tolerance 2%`",
            Self::ScanOfRunning => "pass `--spawn MONGOD`",
            Self::Capped => "cut the input, and leave out `--capped`",
            Self::ZlibLevel { .. } => "write `zlib`",
            Self::ZstdLevel { .. } => {
                "the level is an option of the whole server: `--spawn MONGOD` starts one at any level"
            }
            Self::Load { .. } => "`--spawn MONGOD` starts servers for both states",
        };
        vec![hint.to_owned()]
    }
}

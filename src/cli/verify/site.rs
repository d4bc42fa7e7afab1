//! Where it is measured: servers that are started, or one that runs.

use super::look_for_left_over;
use crate::cli::progress::Progress;
use crate::cli::verify_plan::{Loads, Target, VerifyPlan};
use crate::cli::{CliError, UsageError, VerifyUsageError};
use crate::codec::{CodecKind, ZstdLevel};
use crate::estimate::LoadState;
use crate::geometry::wiredtiger::Release;
use crate::mongod::{
    Membership, MongodError, MongodErrorKind, Scratch, Server, ThrowAway, ThrowAwayOptions, VERSION_MIN,
    version_of,
};
use crate::verify::ServerRun;
use std::path::PathBuf;

/// Where servers come from.
pub(super) enum Site {
    /// Each is started.
    Spawn { mongod: PathBuf, version: String },
    /// There is one.
    Running(Server),
}

impl Site {
    /// Looks at the program or at the server, and for what earlier runs left there.
    pub(super) fn new(plan: &VerifyPlan, progress: &dyn Progress) -> Result<Self, CliError> {
        match &plan.target {
            Target::Spawn(mongod) => {
                let version = version_of(mongod)?;
                let mut line = version.split('.').map(|part| part.parse::<u16>().unwrap_or(0));
                if (line.next().unwrap_or(0), line.next().unwrap_or(0)) < VERSION_MIN {
                    return Err(MongodErrorKind::TooOld { version }.at(&mongod.display().to_string()).into());
                }
                Ok(Self::Spawn { mongod: mongod.clone(), version })
            }
            Target::Running(address, left_over) => {
                let server = Server::connect(address, None)?;
                server.check_measurable()?;
                let level = server.facts().zstd_level.unwrap_or(ZstdLevel::SERVER.get());
                for codec in &plan.shared.model.codecs {
                    if matches!(codec, CodecKind::Zstd(wanted) if wanted.get() != level) {
                        let (codec, place) = (codec.to_string(), server.shown().to_owned());
                        let error = VerifyUsageError::ZstdLevel { codec, place, level };
                        return Err(UsageError::from(error).into());
                    }
                }
                look_for_left_over(&server, *left_over, progress)?;
                Ok(Self::Running(server))
            }
        }
    }

    fn version(&self) -> &str {
        match self {
            Self::Spawn { version, .. } => version,
            Self::Running(server) => server.facts().plain_version(),
        }
    }

    /// The rules of its version.
    pub(super) fn release(&self) -> Result<Release, UsageError> {
        let plain = self.version().split(['-', '+']).next().unwrap_or_default();
        Release::parse(plain).ok_or_else(|| UsageError::UnknownRelease { text: plain.to_owned() })
    }

    /// The cache of a server that runs, where it tells.
    pub(super) fn cache_bytes(&self) -> Option<u64> {
        match self {
            Self::Spawn { .. } => None,
            Self::Running(server) => server.facts().cache_bytes,
        }
    }

    /// States that can be measured. A running server makes one of them; another that was typed is refused.
    pub(super) fn loads(&self, plan: &VerifyPlan) -> Result<Vec<LoadState>, UsageError> {
        let loads = &plan.shared.model.loads;
        let Self::Running(server) = self else { return Ok(loads.clone()) };
        let (made, what) = if server.facts().keeps_history() {
            (LoadState::Bulk, "member of a replica set with a history window")
        } else {
            (LoadState::Settled, "server without a history window")
        };
        match loads.iter().find(|load| **load != made) {
            Some(load) if plan.loads == Loads::Typed => {
                let place = server.shown().to_owned();
                Err(VerifyUsageError::Load { load: load.name(), place, what }.into())
            }
            _ => Ok(vec![made]),
        }
    }

    /// A server that makes this state, packing at this zstd level, and a database on it.
    pub(super) fn open(
        &self,
        load: LoadState,
        zstd_level: Option<i32>,
        cache_bytes: u64,
    ) -> Result<Open, CliError> {
        Ok(match self {
            Self::Spawn { mongod, .. } => {
                let membership = match load {
                    LoadState::Settled => Membership::Standalone,
                    LoadState::Bulk => Membership::ReplicaSet,
                };
                let mongod = mongod.clone();
                let options = ThrowAwayOptions { mongod, membership, cache_bytes, zstd_level };
                Open::ThrowAway(Box::new(ThrowAway::start(options)?), self.place())
            }
            Self::Running(server) => Open::Running(Scratch::new(server)?),
        })
    }

    fn place(&self) -> String {
        match self {
            Self::Spawn { mongod, .. } => mongod.display().to_string(),
            Self::Running(server) => server.shown().to_owned(),
        }
    }
}

/// A server with a database.
pub(super) enum Open {
    /// It goes with its server.
    ThrowAway(Box<ThrowAway>, String),
    /// It is dropped.
    Running(Scratch),
}

impl Open {
    pub(super) fn scratch(&self) -> &Scratch {
        match self {
            Self::ThrowAway(server, _) => server.scratch(),
            Self::Running(scratch) => scratch,
        }
    }

    pub(super) fn throw_away(&mut self) -> Option<&mut ThrowAway> {
        match self {
            Self::ThrowAway(server, _) => Some(server),
            Self::Running(_) => None,
        }
    }

    /// Who measures.
    pub(super) fn run(&self, load: LoadState) -> ServerRun {
        let server = self.scratch().server();
        let place = match self {
            Self::ThrowAway(_, place) => place.clone(),
            Self::Running(_) => server.shown().to_owned(),
        };
        let facts = server.facts();
        ServerRun { version: facts.version.clone(), place, load, cache_bytes: facts.cache_bytes }
    }

    /// A better reason, if it is a server of ours that has ended.
    pub(super) fn explained(&mut self, error: CliError) -> CliError {
        match (self, error) {
            (Self::ThrowAway(server, _), CliError::Mongod(error)) => {
                CliError::Mongod(server.explained(error, "loading"))
            }
            (_, error) => error,
        }
    }

    /// Stops the server, or drops the database.
    pub(super) fn close(self) -> Result<(), MongodError> {
        match self {
            Self::ThrowAway(..) => Ok(()),
            Self::Running(scratch) => scratch.close(),
        }
    }
}

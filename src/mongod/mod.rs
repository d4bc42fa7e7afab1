//! A MongoDB server: connection, throw-away servers, documents in and out, what `collStats` tells. The only place
//! that knows the driver, and that only with feature `live`; addresses, errors and figures are always there.
//!
//! ```text
//!  Address ──► Server ──► Reader          documents of a collection, read only
//!                 │  ╲
//!   ThrowAway ────┘   ╲─► Scratch ──► Loader ──► TableStats
//!   own process            own database, always dropped
//! ```
//!
//! What is started is stopped and what is created is dropped: at the end of its scope, on a panic, on SIGINT, SIGTERM
//! and SIGHUP. A throw-away server goes even when this process is killed, because a watchdog of its own waits for
//! that; a database on somebody's server then stays, and the next run names it ([`Server::left_over`]).

mod address;
mod error;
mod facts;

#[cfg(feature = "live")]
mod client;
#[cfg(feature = "live")]
mod load;
#[cfg(feature = "live")]
mod log;
#[cfg(feature = "live")]
mod read;
#[cfg(feature = "live")]
mod scratch;
#[cfg(feature = "live")]
mod signals;
#[cfg(feature = "live")]
mod spawn;
#[cfg(feature = "live")]
mod stats;
#[cfg(feature = "live")]
mod watchdog;

pub use address::{Address, Namespace, ReadFrom, is_uri, without_secrets};
pub use error::{MongodError, MongodErrorKind};
pub use facts::{CollectionFacts, IndexStats, ServerFacts, TableStats, config_value};

#[cfg(feature = "live")]
pub use client::Server;
#[cfg(feature = "live")]
pub use load::{KeyedBy, Loader, NewCollection};
#[cfg(feature = "live")]
pub use read::Reader;
#[cfg(feature = "live")]
pub use scratch::Scratch;
#[cfg(feature = "live")]
pub use spawn::{Membership, ThrowAway, ThrowAwayOptions, version_of};

/// The oldest server that is measured: the rules of older ones are not known here.
pub const VERSION_MIN: (u16, u16) = (4, 4);

//! What has to be dropped before this process may end by a signal.
//!
//! SIGINT, SIGTERM and SIGHUP wait for the command that is running, drop what is registered and then end the process
//! as they would have. A second signal does not wait: what is left over is named by the next run.

use mongodb::bson::doc;
use mongodb::sync::Client;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread;

/// A database to be dropped.
pub(super) struct Registered {
    pub client: Client,
    pub database: String,
}

/// Locked while a command changes a registered database, so that none is dropped and created again.
static REGISTERED: Mutex<Vec<Registered>> = Mutex::new(Vec::new());

/// The lock; for ever held by whoever ends the process.
pub(super) fn lock() -> MutexGuard<'static, Vec<Registered>> {
    // A list that a panic left behind is as good as before: it is only pushed to and retained.
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on the process does not end by a signal without dropping what is registered.
pub(super) fn watch() -> std::io::Result<()> {
    static WATCHING: Once = Once::new();
    let mut outcome = Ok(());
    WATCHING.call_once(|| outcome = begin());
    outcome
}

fn begin() -> std::io::Result<()> {
    let seen = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the first signal finds the flag unset and sets it.
        flag::register_conditional_default(signal, Arc::clone(&seen))?;
        flag::register(signal, Arc::clone(&seen))?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let registered = lock();
            for Registered { client, database } in registered.iter() {
                // Nobody is left to be told of a failure; the next run names what is left over.
                let _ = client.database(database).run_command(doc! { "dropDatabase": 1 }).run();
            }
            let _ = low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

//! The states in which a collection is predicted, as what they put on its pages.

use crate::estimate::LoadState;
use crate::geometry::wiredtiger::{
    Release,
    window::{Aggregate, LoadClock, Window},
};

/// One state of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Its name.
    pub load: LoadState,
    /// Time windows beside values, if the state has them.
    pub clock: Option<LoadClock>,
    /// Whether fresh inserts press on their pages.
    pub fresh_inserts: FreshInserts,
}

/// Whether an insert that not every reader may see yet is kept as a saved update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreshInserts {
    /// From 6.0.7 on, and wherever updates are visible to all.
    NotSaved,
    /// In replica sets on 6.0.0 to 6.0.6: pages are cut at half their size.
    Saved,
}

impl State {
    /// A state on a server of this release.
    #[must_use]
    pub fn new(load: LoadState, release: Release) -> Self {
        match load {
            LoadState::Settled => Self { load, clock: None, fresh_inserts: FreshInserts::NotSaved },
            LoadState::Bulk => {
                let saves = release.saves_fresh_inserts();
                let fresh_inserts = if saves { FreshInserts::Saved } else { FreshInserts::NotSaved };
                Self { load, clock: Some(LoadClock::new(release)), fresh_inserts }
            }
        }
    }

    /// The time window of a record, by its number in the order of the inserts, from 1.
    #[must_use]
    pub fn window(&self, number: u64) -> Option<Window> {
        self.clock.map(|clock| clock.window(number - 1))
    }

    /// The windows of a page that holds the records `first..=last`, by their numbers.
    #[must_use]
    pub fn aggregate(&self, first: u64, last: u64) -> Option<Aggregate> {
        let of = |number| self.window(number).map(Aggregate::of);
        Some(of(first)?.with(of(last)?))
    }
}

//! The one integration binary: what only the whole program shows.
//!
//! `case` runs the program; each other file is about one thing that a user sees.

#![expect(clippy::unwrap_used, reason = "a test that cannot run its program has failed")]

mod case;
mod estimate;
mod help;
mod usage;

//! The one integration binary: what only the whole program shows.
//!
//! `case` runs the program; each other file is about one thing that a user sees.

mod case;
mod estimate;
mod help;
mod usage;

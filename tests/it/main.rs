//! The one integration binary: what only the whole program, or the whole model, shows.
//!
//! `case` runs the program, `golden` loads the measured cases; each other file is about one thing.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests print what they skip, compare sizes as percentages, and fail by panicking"
)]

mod accuracy;
mod architecture;
mod bad_input;
mod bombs;
mod capacity;
mod capacity_accuracy;
mod case;
mod conformance;
mod docs;
mod dumps;
mod estimate;
#[cfg(all(feature = "live", unix))]
mod fake_server;
mod fuzz_corpus;
mod golden;
mod help;
mod imports;
mod index_accuracy;
mod index_pages;
mod inputs;
mod inspect_files;
mod inspect_live;
mod keystring;
mod kinds;
#[cfg(all(feature = "live", unix))]
mod live;
#[cfg(all(feature = "live", unix))]
mod live_faults;
mod memory;
mod merge;
mod mutated_inputs;
mod mutations;
mod pages;
mod plot;
mod properties;
mod read_leaf;
mod reading;
mod sampling;
mod schema;
mod server;
mod stores;
mod stores_usage;
mod sweep;
#[cfg(all(feature = "live", unix))]
mod test_server;
mod usage;

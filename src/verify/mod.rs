//! A prediction beside a measurement: difference, tolerance, verdict.
//!
//! The figures of [`crate::estimate`] stand beside those of a server that stored the same documents. What was measured
//! several times is judged by its median, and shown with its spread: a server does not agree with itself either.

mod comparison;
#[cfg(test)]
pub(crate) mod fixture;
#[cfg(feature = "live")]
mod measure;
mod remarks;

pub use comparison::{
    Check, Measured, Pair, ScanCheck, ServerRun, Subject, Tolerance, Verdict, Verification,
    VerifiedCollection, compare,
};
#[cfg(feature = "live")]
pub use measure::{Measurement, Task, measure};
pub use remarks::remarks;

//! What is said of a sample.

use crate::estimate::{Basis, CollectionEstimate, SampleFacts};
use crate::units::Grouped;
use std::fmt;

/// One line about how much a sample tells.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SampleRemark {
    /// Only a part of the documents was modelled.
    Taken {
        /// Share of the documents, by bytes, 0 to 1.
        fraction: f64,
        /// What it took.
        sample: SampleFacts,
        /// The largest sampling error of all sizes, in millionths of them.
        error_millionths: Option<u64>,
    },
    /// The sample's documents stand for more.
    ScaledTo {
        /// So many.
        documents: u64,
    },
    /// The error is larger than asked for.
    TargetMissed {
        /// The error that was asked for, in millionths.
        millionths: u64,
    },
}

impl fmt::Display for SampleRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { fraction, sample, error_millionths } => {
                let SampleFacts { runs, documents, .. } = sample;
                write!(
                    f,
                    "{:.1} % of the documents were modelled, {} in {} runs: sizes are extrapolated, ",
                    fraction * 100.0,
                    Grouped(*documents),
                    Grouped(*runs)
                )?;
                match error_millionths {
                    Some(error) => write!(f, "95 % within \u{b1}{} % for the sampling", Percent(*error))?,
                    None => f.write_str("and a single run does not tell how well")?,
                }
                match sample.documents_of_input {
                    Basis::Extrapolated => f.write_str("; the number of documents is extrapolated too"),
                    _ => Ok(()),
                }
            }
            Self::ScaledTo { documents } => {
                write!(
                    f,
                    "scaled to {} documents: every stretch of the input in proportion",
                    Grouped(*documents)
                )
            }
            Self::TargetMissed { millionths } => write!(
                f,
                "the sampling error that was asked for, {} %, was not reached with the documents that memory is given for",
                Percent(*millionths)
            ),
        }
    }
}

/// Nothing, where all documents were modelled.
pub(super) fn about(collection: &CollectionEstimate) -> Vec<SampleRemark> {
    let Some(sample) = collection.sample else { return Vec::new() };
    let errors: Option<Vec<u64>> =
        collection.storage.iter().map(|row| row.sampling_error_millionths).collect();
    let error_millionths = errors.and_then(|errors| errors.into_iter().max());
    let mut found =
        vec![SampleRemark::Taken { fraction: collection.sampled_fraction, sample, error_millionths }];
    found.extend(sample.scaled_to_documents.map(|documents| SampleRemark::ScaledTo { documents }));
    let missed =
        sample.target_error_millionths.filter(|target| error_millionths.is_none_or(|error| error > *target));
    found.extend(missed.map(|millionths| SampleRemark::TargetMissed { millionths }));
    found
}

/// Millionths, as per cent with two decimals, rounded up.
struct Percent(u64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = self.0.div_ceil(100);
        write!(f, "{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

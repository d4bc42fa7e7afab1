//! Which reports go together, and what is said where they do not.

use super::partial::{Part, Partial};
use super::{ModelFacts, Timing};
use std::fmt::Display;

/// Parts that a message names.
const PARTS_SHOWN_MAX: usize = 10;

/// Why reports do not make one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// Reports of different models, rows or inputs.
    #[error("{first} and {second}: `{what}` differs: {of_first} in the first, {of_second} in the second")]
    Differ {
        /// A report.
        first: String,
        /// Another.
        second: String,
        /// Which field.
        what: String,
        /// What the first has.
        of_first: String,
        /// What the second has.
        of_second: String,
    },
    /// A report of a whole input among partial ones.
    #[error("{whole}: is a whole report, and {part} is part {number}: they cannot be merged into one")]
    Mixed {
        /// The whole one.
        whole: String,
        /// A partial one.
        part: String,
        /// Which part it is.
        number: Part,
    },
    /// Not all parts are there.
    #[error("{}", missing(numbers, *of))]
    Missing {
        /// Which are not.
        numbers: Vec<u32>,
        /// How many there are to be.
        of: u32,
    },
    /// A part that is there twice.
    #[error("{first} and {second}: both are part {part}")]
    Twice {
        /// A report.
        first: String,
        /// Another.
        second: String,
        /// The part.
        part: Part,
    },
    /// A part that does not begin where the one before ends.
    #[error(
        "{place}: part {part} begins behind {begins} documents, and the parts in front of it hold {ends}"
    )]
    Gap {
        /// The report.
        place: String,
        /// Which part it is.
        part: Part,
        /// Documents in front of it, as it says.
        begins: u64,
        /// Documents of all parts in front of it.
        ends: u64,
    },
    /// A report whose figures contradict each other.
    #[error("{place}: is damaged: {reason}")]
    Damaged {
        /// The report.
        place: String,
        /// What contradicts what.
        reason: String,
    },
    /// Figures that no storage has.
    #[error("{place}: its figures added to those of the other reports exceed what can be counted")]
    TooLarge {
        /// The report at which they do.
        place: String,
    },
}

fn missing(numbers: &[u32], of: u32) -> String {
    let shown: Vec<String> = numbers.iter().take(PARTS_SHOWN_MAX).map(u32::to_string).collect();
    let more = numbers.len().saturating_sub(PARTS_SHOWN_MAX);
    match (&shown[..], more) {
        ([only], _) => format!("part {only} of {of} is missing"),
        ([front @ .., last], 0) => format!("parts {} and {last} of {of} are missing", front.join(", ")),
        (shown, more) => format!("parts {} and {more} more of {of} are missing", shown.join(", ")),
    }
}

impl MergeError {
    /// What the user can do next, one line each, best first.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Differ { what, .. } if what.starts_with("input") || what == "part" => {
                vec!["the parts of one merge are of one file and have one N in `--partial K/N`".to_owned()]
            }
            Self::Differ { .. } => {
                vec!["make both with the same options and the same pagepress, then merge them".to_owned()]
            }
            Self::Mixed { .. } => {
                vec!["merge the parts first, then the report of that merge with the whole ones".to_owned()]
            }
            Self::Missing { numbers, of } => {
                let number = numbers.first().copied().unwrap_or(1);
                vec![format!("run `pagepress estimate --partial {number}/{of} … --out part.json`")]
            }
            Self::Twice { .. } => vec!["name each part once".to_owned()],
            Self::Gap { .. } => {
                vec!["was the input written in between? Make all parts of the same bytes".to_owned()]
            }
            Self::Damaged { .. } => {
                vec!["run the command that made it again, with this pagepress".to_owned()]
            }
            Self::TooLarge { .. } => Vec::new(),
        }
    }
}

/// A report, and the name of its file for messages.
pub type Placed<T> = (String, T);

/// Two reports that are held against each other.
pub(super) struct Pair<'p> {
    pub(super) first: &'p str,
    pub(super) second: &'p str,
}

impl Pair<'_> {
    /// Refuses what is not the same in both.
    pub(super) fn same<T: PartialEq>(
        &self,
        what: &str,
        of_first: &T,
        of_second: &T,
        shown: impl Fn(&T) -> String,
    ) -> Result<(), MergeError> {
        if of_first == of_second {
            return Ok(());
        }
        Err(MergeError::Differ {
            first: self.first.to_owned(),
            second: self.second.to_owned(),
            what: what.to_owned(),
            of_first: shown(of_first),
            of_second: shown(of_second),
        })
    }

    /// Refuses other rules, sizes or encoders.
    pub(super) fn same_model(&self, first: &ModelFacts, second: &ModelFacts) -> Result<(), MergeError> {
        // A new fact will not compile until it is compared; the note follows from the release.
        let ModelFacts {
            server,
            server_note: _,
            leaf_page_bytes_max,
            allocation_bytes,
            memory_page_bytes_max,
            cache_bytes,
            codec_versions,
        } = first;
        self.same("model.server", server, &second.server, String::clone)?;
        for (what, of_first, of_second) in [
            ("model.leaf_page_bytes_max", leaf_page_bytes_max, second.leaf_page_bytes_max),
            ("model.allocation_bytes", allocation_bytes, second.allocation_bytes),
            ("model.memory_page_bytes_max", memory_page_bytes_max, second.memory_page_bytes_max),
            ("model.cache_bytes", cache_bytes, second.cache_bytes),
        ] {
            self.same(what, of_first, &of_second, u64::to_string)?;
        }
        let version = |model: &ModelFacts, name| {
            model.codec_versions.iter().find(|(known, _)| *known == name).map(|(_, version)| version.clone())
        };
        let names = codec_versions.iter().chain(&second.codec_versions).map(|(name, _)| *name);
        for name in names {
            let shown = |version: &Option<String>| version.clone().unwrap_or_else(|| "none".to_owned());
            self.same(&format!("model.codecs.{name}"), &version(first, name), &version(second, name), shown)?;
        }
        Ok(())
    }
}

/// Items as a message lists them.
pub(super) fn listed<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

/// What several runs took: the time of the longest, and the processors' time of all.
pub(super) fn timing<'t>(timings: impl IntoIterator<Item = &'t Timing>) -> Timing {
    let mut all = Timing { wall_s: 0.0, cpu_s: Some(0.0) };
    for timing in timings {
        all.wall_s = all.wall_s.max(timing.wall_s);
        all.cpu_s = all.cpu_s.zip(timing.cpu_s).map(|(all, one)| all + one);
    }
    all
}

/// What the parts took together.
#[must_use]
pub fn timing_of(parts: &[Placed<Partial>]) -> Timing {
    timing(parts.iter().map(|(_, part)| &part.timing))
}

/// All parts of one input in their order.
///
/// # Errors
///
/// Parts of several inputs or models, parts that are missing or twice there.
pub fn in_order(mut parts: Vec<Placed<Partial>>) -> Result<Vec<Placed<Partial>>, MergeError> {
    let Some(((first_place, first), others)) = parts.split_first() else { return Ok(parts) };
    for (place, part) in others {
        same_set(&Pair { first: first_place, second: place }, first, part)?;
    }
    let of = first.part.of();
    parts.sort_by_key(|(_, part)| part.part);
    for pair in parts.windows(2) {
        if let [(first, one), (second, other)] = pair
            && one.part == other.part
        {
            return Err(MergeError::Twice { first: first.clone(), second: second.clone(), part: one.part });
        }
    }
    let mut there = parts.iter().map(|(_, part)| part.part.number()).peekable();
    let numbers: Vec<u32> = (1..=of).filter(|number| there.next_if_eq(number).is_none()).collect();
    if numbers.is_empty() { Ok(parts) } else { Err(MergeError::Missing { numbers, of }) }
}

fn same_set(pair: &Pair<'_>, first: &Partial, second: &Partial) -> Result<(), MergeError> {
    pair.same("part", &first.part.of(), &second.part.of(), |of| format!("one of {of}"))?;
    let (one, other) = (&first.collection, &second.collection);
    pair.same("input.bytes", &one.input.bytes, &other.input.bytes, u64::to_string)?;
    pair.same("input.digest", &one.input.digest, &other.input.digest, String::clone)?;
    pair.same("name", &one.name, &other.name, String::clone)?;
    pair.same_model(&first.model, &second.model)?;
    pair.same("loads", &first.loads, &second.loads, |loads| listed(loads.iter().map(|load| load.name())))?;
    pair.same("codecs", &first.codecs, &second.codecs, |codecs| listed(codecs))?;
    pair.same("walk", &first.walk, &second.walk, |walk| format!("{walk:?}").to_lowercase())?;
    pair.same("index_memory_bytes", &first.index_memory_bytes, &second.index_memory_bytes, u64::to_string)?;
    let indexes = |part: &Partial| -> Vec<_> {
        let indexes = part.collection.indexes.iter();
        indexes.map(|index| (index.name.clone(), index.pattern.clone(), index.uniqueness)).collect()
    };
    pair.same("indexes", &indexes(first), &indexes(second), |all| listed(all.iter().map(|(name, _, _)| name)))
}

//! Which of the JSON notations for BSON an input is written in.

/// How `$`-keys and the shell's constructors are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonDialect {
    /// Version 2, and what of version 1 and of the shell does not contradict it. `{"$regex", "$options"}`, which
    /// differs, is read as version 1 has it once the input has shown that it is of that version.
    #[default]
    Auto,
    /// Version 1 and the shell's text, as `mongoimport --legacy` reads them.
    V1,
    /// Version 2, relaxed or canonical, to the letter.
    V2,
    /// JSON and no more: `$`-keys are keys.
    Plain,
}

impl JsonDialect {
    /// The words for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Auto | Self::V2 => "read as Extended JSON version 2",
            Self::V1 => "read as Extended JSON version 1",
            Self::Plain => "whose `$`-keys are ordinary keys",
        }
    }

    /// Whether the first key of a sub-document may make a value of it.
    pub(super) fn has_wrappers(self) -> bool {
        matches!(self, Self::Auto | Self::V2)
    }

    /// Whether the shell's text is read.
    pub(super) fn has_shell(self) -> bool {
        matches!(self, Self::Auto | Self::V1)
    }
}

/// What an input has shown about its dialect so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    /// Forms that only version 1 writes: `{ "$oid" : `, `{"$binary": "..", "$type": ".."}`, bare `Infinity`.
    pub version_1: u64,
    /// Wrappers that only version 2 has.
    pub version_2: u64,
    /// Values and keys that only the shell writes.
    pub shell: u64,
    /// Regular expressions of version 1 that were read as such.
    pub regexes: u64,
}

impl Evidence {
    /// Whether what both versions can mean is meant as version 1 has it.
    pub fn is_version_1(&self) -> bool {
        self.version_1 + self.shell > 0 && self.version_2 == 0
    }
}

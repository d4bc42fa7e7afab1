//! A table before its punctuation: heads, alignment, rows of finished cells.

/// Where a column's cells stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    /// Words.
    Left,
    /// Numbers, so that their digits stand one below the other.
    Right,
}

/// A column's head: a label, and below it the unit or the label's second half.
pub(super) struct Head {
    pub label: &'static str,
    pub unit: String,
    pub align: Align,
}

/// Heads and rows; every row has a cell for each head.
pub(super) struct Grid {
    pub heads: Vec<Head>,
    pub rows: Vec<Vec<String>>,
}

//! What a cell is stored as: its column's type where the cell fits it, else what mongoimport would store.

use crate::source::float_text;

/// A cell as BSON stores it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Int32(i32),
    Int64(i64),
    Double(f64),
    /// The cell's text as it is.
    Text,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ColumnType {
    Int32,
    Int64,
    Double,
    Text,
    /// No type of the column: each cell alone, as mongoimport has it.
    Each,
}

impl ColumnType {
    pub fn name(self) -> &'static str {
        match self {
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Double => "double",
            Self::Text => "string",
            Self::Each => "auto",
        }
    }
}

/// What a cell's text can be read as.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reading {
    Integer(i64),
    /// Digits that begin with a zero, which a number would lose.
    LeadingZero,
    Float(f64),
    Text,
}

fn read(cell: &[u8]) -> Reading {
    let digits = match cell {
        [b'+' | b'-', digits @ ..] | digits => digits,
    };
    let starts_as_number = match digits.first() {
        Some(byte) => byte.is_ascii_digit() || matches!(byte, b'.' | b'i' | b'I' | b'n' | b'N'),
        None => false,
    };
    if !starts_as_number {
        return Reading::Text;
    }
    if digits.iter().all(u8::is_ascii_digit) {
        if digits.len() > 1 && digits[0] == b'0' {
            return Reading::LeadingZero;
        }
        if let Some(value) = std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok()) {
            return Reading::Integer(value);
        }
    }
    float_text::parse(cell).map_or(Reading::Text, Reading::Float)
}

/// What `cell` is stored as in a column of `column_type`.
///
/// Text columns hold text. In a column of numbers an integer takes the column's type, or int64 where
/// int32 cannot hold it; a fraction is a double; what is no number stays text, as mongoimport has it.
pub(super) fn value(cell: &[u8], column_type: ColumnType) -> Value {
    if column_type == ColumnType::Text {
        return Value::Text;
    }
    match read(cell) {
        Reading::LeadingZero if column_type == ColumnType::Each => {
            match std::str::from_utf8(cell).map(str::parse) {
                Ok(Ok(value)) => integer(value),
                _ => float_text::parse(cell).map_or(Value::Text, Value::Double),
            }
        }
        Reading::Text | Reading::LeadingZero => Value::Text,
        Reading::Float(value) => Value::Double(value),
        Reading::Integer(value) => match (column_type, i32::try_from(value)) {
            (ColumnType::Double, _) => float_text::parse(cell).map_or(Value::Text, Value::Double),
            (ColumnType::Int32 | ColumnType::Each, Ok(value)) => Value::Int32(value),
            _ => Value::Int64(value),
        },
    }
}

fn integer(value: i64) -> Value {
    i32::try_from(value).map_or(Value::Int64(value), Value::Int32)
}

/// A cell that is a number as a double.
pub(super) fn float(cell: &[u8]) -> Option<f64> {
    float_text::parse(cell).ok()
}

/// What the sampled cells of one column were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Column {
    int32: u64,
    int64: u64,
    double: u64,
    /// NaN and infinities: numbers, but no reason to store integers as doubles.
    not_finite: u64,
    leading_zero: u64,
    text: u64,
}

impl Column {
    /// Counts a sampled cell. Empty cells say nothing.
    pub fn count(&mut self, cell: &[u8]) {
        if cell.is_empty() {
            return;
        }
        match read(cell) {
            Reading::Integer(value) if i32::try_from(value).is_ok() => self.int32 += 1,
            Reading::Integer(_) => self.int64 += 1,
            Reading::Float(value) if value.is_finite() => self.double += 1,
            Reading::Float(_) => self.not_finite += 1,
            Reading::LeadingZero => self.leading_zero += 1,
            Reading::Text => self.text += 1,
        }
    }

    /// Text if any cell begins with a zero that a number would lose, if more cells are text than numbers,
    /// or if there is no number; else the widest type of its numbers.
    pub fn column_type(&self) -> ColumnType {
        let finite = self.int32 + self.int64 + self.double;
        let numbers = finite + self.not_finite;
        if self.leading_zero > 0 || self.text > numbers || numbers == 0 {
            ColumnType::Text
        } else if self.double > 0 || finite == 0 {
            ColumnType::Double
        } else if self.int64 > 0 {
            ColumnType::Int64
        } else {
            ColumnType::Int32
        }
    }

    pub fn has_leading_zeros(&self) -> bool {
        self.leading_zero > 0
    }

    /// Whether mongoimport, which types each cell alone, would store numbers of this column in another
    /// type.
    pub fn is_mixed(&self) -> bool {
        match self.column_type() {
            ColumnType::Int32 | ColumnType::Each => false,
            ColumnType::Int64 => self.int32 > 0,
            ColumnType::Double => self.int32 + self.int64 > 0,
            ColumnType::Text => self.int32 + self.int64 + self.double + self.not_finite > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_takes_its_columns_type_or_stands_for_itself() {
        use ColumnType::{Double, Int32, Int64, Text};
        for (cell, column_type, want, why) in [
            ("5", Int32, Value::Int32(5), "fits"),
            ("+5", Int32, Value::Int32(5), "a sign is dropped"),
            ("-0", Int32, Value::Int32(0), "an integer has no negative zero"),
            ("2147483648", Int32, Value::Int64(2_147_483_648), "too large for the column"),
            ("5", Int64, Value::Int64(5), "takes the column's type"),
            ("9223372036854775808", Int64, Value::Double(9_223_372_036_854_775_808.0), "too large for int64"),
            ("5", Double, Value::Double(5.0), "takes the column's type"),
            ("1.5", Int32, Value::Double(1.5), "does not fit: itself"),
            ("1.", Double, Value::Double(1.0), "mongoimport's floats"),
            ("0x1p4", Int32, Value::Double(16.0), "mongoimport's floats"),
            ("1_000", Int32, Value::Double(1000.0), "mongoimport's floats"),
            ("-inf", Double, Value::Double(f64::NEG_INFINITY), "mongoimport's floats"),
            ("0", Int32, Value::Int32(0), "one zero leads nothing"),
            ("007", Int32, Value::Text, "a number would lose the zeros"),
            ("-01", Double, Value::Text, "nor behind a sign"),
            ("00.5", Double, Value::Double(0.5), "only digits are taken for codes"),
            ("NA", Double, Value::Text, "no number"),
            ("", Int32, Value::Text, "empty is the empty string"),
            ("1e400", Double, Value::Text, "beyond doubles"),
            ("0x10", Int32, Value::Text, "no float without its exponent"),
            ("5", Text, Value::Text, "text columns hold text"),
        ] {
            assert_eq!(value(cell.as_bytes(), column_type), want, "{cell}: {why}");
        }
    }

    #[test]
    fn a_columns_type_is_the_widest_of_its_numbers_unless_it_holds_text() {
        for (cells, want, mixed, why) in [
            (&["1", "2"][..], ColumnType::Int32, false, "integers"),
            (&["1", "", ""], ColumnType::Int32, false, "empty cells say nothing"),
            (&["1", "3000000000"], ColumnType::Int64, true, "one needs int64"),
            (&["1", "2.5"], ColumnType::Double, true, "one has a fraction"),
            (&["517.0", "NA"], ColumnType::Double, false, "a word for a missing number"),
            (&["1", "NaN"], ColumnType::Int32, false, "nor does NaN make integers doubles"),
            (&["nan", "inf"], ColumnType::Double, false, "unless there is nothing else"),
            (&["10001", "02134"], ColumnType::Text, true, "a post code"),
            (&["A1", "B2", "3"], ColumnType::Text, true, "mostly text"),
            (&["", ""], ColumnType::Text, false, "nothing"),
            (&["Bern"], ColumnType::Text, false, "text"),
        ] {
            let mut column = Column::default();
            for cell in cells {
                column.count(cell.as_bytes());
            }
            assert_eq!((column.column_type(), column.is_mixed()), (want, mixed), "{why}");
        }
    }
}

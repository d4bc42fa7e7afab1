//! Rows of CSV and TSV text, cut as mongoimport cuts them.
//!
//! The `csv` crate is not used here: it takes a quote inside a bare cell and text behind a closing quote,
//! which mongoimport refuses, and does not tell whether a cell was quoted, on which trimming depends.
//!
//! Source: measured with mongoimport 100.18 (`mongoimport/csv/reader.go`, `mongoimport/tsv.go`).

use crate::document::DOCUMENT_BYTES_MAX;
use crate::source::{
    fault::{After, Fault, Parsed, shown},
    input::{Controls, Input, Mark, plain_bytes},
};
use std::io::Read;

/// How cells are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Commas and double quotes.
    ///
    /// A quoted cell may hold commas, line ends and `""` for a quote. White space round a cell is
    /// dropped, but not inside quotes. Empty lines are no rows. Bytes that are not UTF-8 become U+FFFD.
    Csv,
    /// Tabs, no quotes.
    ///
    /// Nothing is trimmed but the line end. An empty line is a row. A last line without its line end is
    /// dropped. Bytes are kept as they are.
    Tsv,
}

impl Dialect {
    /// What may be wrong with a row of too many cells.
    pub(super) fn hint_on_delimiters(self) -> &'static str {
        match self {
            Self::Csv => "a cell that holds a comma must be quoted",
            Self::Tsv => "a cell cannot hold a tab: TSV has no quotes",
        }
    }
}

/// The cells of one row; reused for the next.
#[derive(Debug, Default)]
pub(super) struct Cells {
    text: Vec<u8>,
    /// Where each cell ends in `text`.
    ends: Vec<usize>,
}

impl Cells {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Cell `index`; `None` behind the last.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let start = index.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..*self.ends.get(index)?)
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Where the cell under construction begins.
    fn open(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Ends the cell under construction, unless no document could hold so many.
    fn close(&mut self) -> Parsed<()> {
        self.ends.push(self.text.len());
        let bytes = self.ends.len() * EMPTY_CELL_BYTES;
        if bytes > DOCUMENT_BYTES_MAX {
            return Err(Fault::too_long(bytes, After::Line));
        }
        Ok(())
    }
}

/// BSON bytes of an empty string without its name: its type, the NUL behind its name, its length, its own NUL.
pub(super) const EMPTY_CELL_BYTES: usize = 1 + 1 + 4 + 1;

/// What stands where a row belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// The cells hold it.
    Whole,
    /// A last TSV line without its line end; the cells hold it, mongoimport drops it.
    Unended,
    End,
}

/// Why a cell ended.
enum CellEnd {
    Delimiter,
    Line,
    /// A line without a single byte, which is no row.
    EmptyLine,
    Input,
}

/// Cuts an input into rows.
pub(super) struct Rows<R> {
    pub input: Input<R>,
    dialect: Dialect,
}

impl<R: Read> Rows<R> {
    pub fn new(input: Input<R>, dialect: Dialect) -> Self {
        Self { input, dialect }
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Reads the next row. [`Mark::Record`] is set to where it begins.
    pub fn next(&mut self, cells: &mut Cells) -> Parsed<Row> {
        match self.dialect {
            Dialect::Csv => self.next_csv(cells),
            Dialect::Tsv => self.next_tsv(cells),
        }
    }

    fn next_csv(&mut self, cells: &mut Cells) -> Parsed<Row> {
        loop {
            cells.clear();
            self.input.mark(Mark::Record);
            if self.input.peek()?.is_none() {
                return Ok(Row::End);
            }
            let end = loop {
                match self.csv_cell(cells)? {
                    CellEnd::Delimiter => {}
                    end => break end,
                }
            };
            if !matches!(end, CellEnd::EmptyLine) {
                return Ok(Row::Whole);
            }
        }
    }

    fn csv_cell(&mut self, cells: &mut Cells) -> Parsed<CellEnd> {
        let start = cells.open();
        loop {
            let rest = self.input.rest();
            let plain = plain_bytes(rest, [b',', b'\n', b'"'], Controls::Pass);
            cells.text.extend_from_slice(&rest[..plain]);
            let stop = rest.get(plain).copied();
            self.input.advance(plain);
            check_bytes(&cells.text)?;
            let end = match stop {
                Some(b'"') => {
                    if !cells.text[start..].trim_ascii().is_empty() {
                        let what = "found `\"` inside a cell that is not quoted".to_owned();
                        return Err(Fault::syntax(self.input.place(), what));
                    }
                    cells.text.truncate(start);
                    return self.quoted_cell(cells);
                }
                Some(b',') => CellEnd::Delimiter,
                Some(_) if cells.ends.is_empty() && matches!(&cells.text[..], b"" | b"\r") => {
                    CellEnd::EmptyLine
                }
                Some(_) => CellEnd::Line,
                None if self.input.refill()? => continue,
                None => CellEnd::Input,
            };
            if stop.is_some() {
                self.input.advance(1);
            }
            repair_utf8(&mut cells.text, start);
            trim(&mut cells.text, start);
            cells.close()?;
            return Ok(end);
        }
    }

    /// Reads a cell whose opening quote is next.
    fn quoted_cell(&mut self, cells: &mut Cells) -> Parsed<CellEnd> {
        let start = cells.open();
        self.input.mark(Mark::Token);
        self.input.advance(1);
        loop {
            let rest = self.input.rest();
            let plain = plain_bytes(rest, [b'"'], Controls::Pass);
            cells.text.extend_from_slice(&rest[..plain]);
            let is_quote = plain < rest.len();
            self.input.advance(plain);
            check_bytes(&cells.text)?;
            if is_quote {
                self.input.advance(1);
                if self.input.peek()? != Some(b'"') {
                    break;
                }
                cells.text.push(b'"');
                self.input.advance(1);
            } else if !self.input.refill()? {
                let what = "the input ends inside the quoted cell that begins here".to_owned();
                return Err(Fault::truncated(self.input.marked_place(Mark::Token), what));
            }
        }
        fold_line_ends(&mut cells.text, start);
        repair_utf8(&mut cells.text, start);
        cells.close()?;
        loop {
            let end = match self.input.peek()? {
                None => return Ok(CellEnd::Input),
                Some(b',') => CellEnd::Delimiter,
                Some(b'\n') => CellEnd::Line,
                Some(byte) if byte.is_ascii_whitespace() || byte == 0x0b => {
                    self.input.advance(1);
                    continue;
                }
                found => {
                    let what = format!(
                        "found {} behind a closing quote, where `,` or a line end belongs",
                        shown(found)
                    );
                    return Err(Fault::syntax(self.input.place(), what));
                }
            };
            self.input.advance(1);
            return Ok(end);
        }
    }

    fn next_tsv(&mut self, cells: &mut Cells) -> Parsed<Row> {
        cells.clear();
        self.input.mark(Mark::Record);
        if self.input.peek()?.is_none() {
            return Ok(Row::End);
        }
        loop {
            let rest = self.input.rest();
            let plain = plain_bytes(rest, [b'\t', b'\n'], Controls::Pass);
            cells.text.extend_from_slice(&rest[..plain]);
            let stop = rest.get(plain).copied();
            self.input.advance(plain);
            check_bytes(&cells.text)?;
            match stop {
                Some(b'\t') => cells.close()?,
                Some(_) => {
                    self.input.advance(1);
                    while cells.text.len() > cells.open() && cells.text.last() == Some(&b'\r') {
                        cells.text.pop();
                    }
                    cells.close()?;
                    return Ok(Row::Whole);
                }
                None if self.input.refill()? => continue,
                None => {
                    cells.close()?;
                    return Ok(Row::Unended);
                }
            }
            self.input.advance(1);
        }
    }

    /// Goes behind the next line end; whether there is one.
    pub fn step_over_line(&mut self) -> Parsed<bool> {
        loop {
            let rest = self.input.rest();
            let plain = plain_bytes(rest, [b'\n'], Controls::Pass);
            let has_newline = plain < rest.len();
            self.input.advance(plain);
            if has_newline {
                self.input.advance(1);
                return Ok(true);
            }
            if !self.input.refill()? {
                return Ok(false);
            }
        }
    }

    /// Goes to the end of the input.
    pub fn step_to_end(&mut self) -> Parsed<()> {
        while self.step_over_line()? {}
        Ok(())
    }
}

fn check_bytes(text: &[u8]) -> Parsed<()> {
    if text.len() > DOCUMENT_BYTES_MAX {
        return Err(Fault::too_long(text.len(), After::Line));
    }
    Ok(())
}

/// Each byte that is not part of a UTF-8 character becomes U+FFFD.
fn repair_utf8(text: &mut Vec<u8>, start: usize) {
    const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
    if text[start..].is_ascii() {
        return;
    }
    let Err(error) = std::str::from_utf8(&text[start..]) else { return };
    let broken = text.split_off(start + error.valid_up_to());
    let mut rest = &broken[..];
    while let Err(error) = std::str::from_utf8(rest) {
        let (valid, invalid) = rest.split_at(error.valid_up_to());
        text.extend_from_slice(valid);
        text.extend_from_slice(REPLACEMENT);
        rest = &invalid[1..];
    }
    text.extend_from_slice(rest);
}

/// Drops Unicode white space at both ends of valid UTF-8.
fn trim(text: &mut Vec<u8>, start: usize) {
    let is_plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if is_plain(text[start..].first()) && is_plain(text[start..].last()) {
        return;
    }
    let Ok(cell) = std::str::from_utf8(&text[start..]) else { return };
    let blanks = cell.len() - cell.trim_start().len();
    let kept = cell.trim().len();
    text.drain(start..start + blanks);
    text.truncate(start + kept);
}

/// `\r\n` becomes `\n`.
fn fold_line_ends(text: &mut Vec<u8>, start: usize) {
    if !text[start..].contains(&b'\r') {
        return;
    }
    let cell = text.split_off(start);
    let mut bytes = cell.iter().peekable();
    while let Some(byte) = bytes.next() {
        if *byte != b'\r' || bytes.peek() != Some(&&b'\n') {
            text.push(*byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::input::tests::OneByte;

    fn rows(text: &[u8], dialect: Dialect, buffer_bytes: usize) -> Vec<(Row, Vec<Vec<u8>>)> {
        let mut rows = Rows::new(Input::new(OneByte(text, 0), buffer_bytes), dialect);
        let mut cells = Cells::default();
        let mut all = Vec::new();
        loop {
            match rows.next(&mut cells).unwrap() {
                Row::End => return all,
                row => all.push((row, cells.iter().map(<[u8]>::to_vec).collect())),
            }
        }
    }

    fn shown_rows(text: &[u8], dialect: Dialect, buffer_bytes: usize) -> String {
        let shown = |(row, cells): &(Row, Vec<Vec<u8>>)| {
            let cells: Vec<_> = cells.iter().map(|cell| cell.escape_ascii().to_string()).collect();
            format!("{}[{}]", if *row == Row::Unended { "unended" } else { "" }, cells.join("|"))
        };
        rows(text, dialect, buffer_bytes).iter().map(shown).collect::<Vec<_>>().concat()
    }

    #[test]
    fn rows_are_cut_as_mongoimport_cuts_them_wherever_the_buffer_ends() {
        for (text, dialect, want, why) in [
            (&b"a,b\n1,2\n"[..], Dialect::Csv, "[a|b][1|2]", "plain"),
            (b"a,b\n1,2", Dialect::Csv, "[a|b][1|2]", "no last line end"),
            (b"a,\n,\n", Dialect::Csv, "[a|][|]", "empty cells"),
            (b"a\n\n\r\nb\n\n", Dialect::Csv, "[a][b]", "empty lines are no rows"),
            (b"a\n \nb\n", Dialect::Csv, "[a][][b]", "a blank is one"),
            (b"a\n\"\"\nb\n", Dialect::Csv, "[a][][b]", "so is an empty quoted cell"),
            (b" a\t,  b c  \r\n", Dialect::Csv, "[a|b c]", "blanks round bare cells"),
            (b"\xc2\xa0a\xe3\x80\x80,b\n", Dialect::Csv, "[a|b]", "Unicode blanks too"),
            (b" \" a \" , \"b\"\r\n", Dialect::Csv, "[ a |b]", "blanks round quotes, not in them"),
            (b"\"x,y\",\"he said \"\"hi\"\"\"\n", Dialect::Csv, "[x,y|he said \\\"hi\\\"]", "quotes"),
            (b"\"a\nb\",\"c\r\nd\re\"\n", Dialect::Csv, "[a\\nb|c\\nd\\re]", "line ends in quotes, folded"),
            (b"a\rb,c\n", Dialect::Csv, "[a\\rb|c]", "a lone CR ends no line"),
            (
                b"caf\xe9,\xe2\x82,\xc3\xa9\n",
                Dialect::Csv,
                "[caf\\xef\\xbf\\xbd|\\xef\\xbf\\xbd\\xef\\xbf\\xbd|\\xc3\\xa9]",
                "a U+FFFD a byte",
            ),
            (b"# a,b\n", Dialect::Csv, "[# a|b]", "no comments"),
            (b"a;b\n", Dialect::Csv, "[a;b]", "no other delimiter"),
            (b"x\0y\n", Dialect::Csv, "[x\\x00y]", "NUL is kept"),
            (b"a\tb\n1\t2\n", Dialect::Tsv, "[a|b][1|2]", "plain"),
            (b"a\tb\r\n1\t\r\n", Dialect::Tsv, "[a|b][1|]", "CRLF"),
            (b"a\n\nb\n", Dialect::Tsv, "[a][][b]", "an empty line is a row"),
            (b"a\tb\n1\t2", Dialect::Tsv, "[a|b]unended[1|2]", "no last line end"),
            (b"\"x\t y \"\n", Dialect::Tsv, "[\\\"x| y \\\"]", "no quotes, no trimming"),
            (b"\xff\t1\n", Dialect::Tsv, "[\\xff|1]", "bytes are kept"),
            (b"", Dialect::Csv, "", "nothing"),
            (b"", Dialect::Tsv, "", "nothing"),
        ] {
            for buffer_bytes in [1, 2, 3, 5, 64] {
                assert_eq!(shown_rows(text, dialect, buffer_bytes), want, "{why}, buffer of {buffer_bytes}");
            }
        }
    }

    #[test]
    fn broken_quotes_are_placed_at_the_byte_that_breaks_them() {
        for (text, message, after) in [
            (
                &b"a,b\n5\" pipe,2\n"[..],
                "a: document 0 at byte 5 (line 2, column 2): found `\"` inside a cell that is not quoted",
                After::Line,
            ),
            (
                b"\"x\"y,2\n",
                "a: document 0 at byte 3 (line 1, column 4): found `y` behind a closing quote, where `,` or a line end belongs",
                After::Line,
            ),
            (
                b"a\n\"open,2\n3,z\n",
                "a: document 0 at byte 2 (line 2, column 1): the input ends inside the quoted cell that begins here",
                After::Nothing,
            ),
        ] {
            let mut rows = Rows::new(Input::new(text, 64), Dialect::Csv);
            let mut cells = Cells::default();
            let fault = loop {
                match rows.next(&mut cells) {
                    Ok(row) => assert_eq!(row, Row::Whole),
                    Err(fault) => break fault,
                }
            };
            assert_eq!(fault.after(), Some(after));
            assert_eq!(fault.into_error("a", 0, 0, 0, None).to_string(), message);
        }
    }

    proptest::proptest! {
        /// What the csv crate writes, ours reads: two programs' idea of quoting.
        #[test]
        fn quoted_rows_of_another_writer_are_read_back(
            table in proptest::collection::vec(proptest::collection::vec("[ -~\n]{0,12}|é ☃", 3), 1..6),
            buffer_bytes in 1_usize..40,
        ) {
            let mut writer = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
            for row in &table {
                writer.write_record(row).unwrap();
            }
            let text = writer.into_inner().unwrap();
            let read: Vec<Vec<Vec<u8>>> =
                rows(&text, Dialect::Csv, buffer_bytes).into_iter().map(|(_, cells)| cells).collect();
            let expect: Vec<Vec<Vec<u8>>> =
                table.into_iter().map(|row| row.into_iter().map(String::into_bytes).collect()).collect();
            proptest::prop_assert_eq!(read, expect);
        }
    }
}

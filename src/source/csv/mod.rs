//! CSV and TSV with a header row, to BSON.
//!
//! Rows, trimming, quotes, dots in the header, empty cells (empty strings) and missing cells (absent
//! fields) follow mongoimport without further options. Types do not altogether: mongoimport types each
//! cell alone, so that one column holds int32, double and string side by side. Here a column has one
//! type, inferred from the first 1000 rows, at most 1 MiB of them:
//!
//! | sampled cells | column | a cell |
//! | --- | --- | --- |
//! | integers | int32, or int64 if one needs it | int64 where int32 cannot hold it |
//! | numbers, one with a fraction or exponent | double | integers too are doubles |
//! | more text than numbers, or no number | string | numbers too are strings |
//! | one integer with leading zeros, as `02134` | string | all are strings |
//!
//! A cell that does not fit its column of numbers stands for itself as in mongoimport: a fraction is a
//! double, other text (`NA`) a string. Integers with leading zeros always stay strings: mongoimport would
//! store `007` as 7. [`Source::notes`] tells the types, and which columns mongoimport would store
//! otherwise.
//!
//! A row with more cells than the header has columns is an error; mongoimport invents names for them.

mod cell;
mod header;
mod layout;
mod rows;
mod typed;

pub use rows::Dialect;
pub use typed::{CellType, Columns};

use self::{
    cell::{Column, ColumnType, Value},
    header::Step,
    rows::{Cells, EMPTY_CELL_BYTES, Row, Rows},
};
use super::{
    OnBadDocument, Skipped, Source, SourceError,
    fault::{After, Fault, Parsed, quoted, shortened},
    input::{Input, Mark},
};
use crate::document::{DOCUMENT_BYTES_MAX, DOCUMENT_BYTES_MIN};
use std::io::Read;
use std::sync::Arc;

/// Read-ahead, and most bytes of the rows that types are inferred from.
const BUFFER_BYTES: usize = 1 << 20;

/// Most rows that types are inferred from.
const SAMPLE_ROWS_MAX: u64 = 1000;

/// Byte order mark of UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads documents from CSV or TSV text.
pub struct CsvSource<R> {
    name: String,
    rows: Rows<R>,
    cells: Cells,
    bytes_total: Option<u64>,
    on_bad: OnBadDocument,
    ordinal: u64,
    state: State,
    skipped: Skipped,
    shape: Shape,
    rows_unended: u64,
    types_from: Columns,
    /// Starts of the documents under construction, innermost last; reused.
    open: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Fresh,
    Reading,
    Ended,
}

/// What the header and the sampled rows say about every document.
#[derive(Debug, Default)]
struct Shape {
    names: Vec<Vec<u8>>,
    steps: Vec<Step>,
    columns: Vec<Column>,
    types: Vec<Typed>,
    sampled_rows: u64,
}

/// The type of a column, inferred or given.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Typed {
    Inferred(ColumnType),
    Given(CellType),
}

impl Typed {
    fn name(&self) -> &'static str {
        match self {
            Self::Inferred(column_type) => column_type.name(),
            Self::Given(cell_type) => cell_type.name(),
        }
    }
}

impl<R: Read + Send> CsvSource<R> {
    /// `name` is the name for messages; `bytes_total` what the whole stream holds, if known. The header
    /// is read with the first document, or by [`CsvSource::read_header`].
    pub fn new(
        name: String,
        reader: R,
        dialect: Dialect,
        bytes_total: Option<u64>,
        on_bad: OnBadDocument,
    ) -> Self {
        Self {
            name,
            rows: Rows::new(Input::new(reader, BUFFER_BYTES), dialect),
            cells: Cells::default(),
            bytes_total,
            on_bad,
            ordinal: 0,
            state: State::Fresh,
            skipped: Skipped::default(),
            shape: Shape::default(),
            rows_unended: 0,
            types_from: Columns::default(),
            open: Vec::new(),
        }
    }

    /// The same source, with the types of its columns from `columns`.
    #[must_use]
    pub fn with_columns(mut self, columns: Columns) -> Self {
        self.types_from = columns;
        self
    }

    /// Reads the header and infers the columns' types, so that [`Source::notes`] knows them before the
    /// first document. Does nothing the second time.
    ///
    /// # Errors
    ///
    /// A header that is missing, broken, or makes no document; the reader's. They cannot be skipped.
    pub fn read_header(&mut self) -> Result<(), SourceError> {
        if self.state != State::Fresh {
            return Ok(());
        }
        self.state = State::Ended;
        match self.header_and_types() {
            Ok(()) => {
                self.state = State::Reading;
                Ok(())
            }
            Err(fault) => Err(fault.into_error(&self.name, 0, 0, self.rows.input.offset(), None)),
        }
    }

    fn header_and_types(&mut self) -> Parsed<()> {
        self.rows.input.take_prefix(BOM)?;
        match self.rows.next(&mut self.cells)? {
            Row::Whole => {}
            Row::Unended => {
                let place = self.rows.input.place();
                return Err(Fault::truncated(
                    place,
                    "the input ends inside the header, which has no line end".to_owned(),
                ));
            }
            Row::End => {
                let place = self.rows.input.place();
                return Err(Fault::truncated(place, "the input ends where a header belongs".to_owned()));
            }
        }
        self.check_width()?;
        self.shape.names = self.cells.iter().map(<[u8]>::to_vec).collect();
        let mut given = Vec::new();
        if self.types_from == Columns::Header {
            for name in &mut self.shape.names {
                let (bare, cell_type) = typed::typed_name(name).map_err(|what| {
                    let place = self.rows.input.marked_place(Mark::Record);
                    Fault::value(place, format!("in the header, {what}"))
                })?;
                *name = bare;
                given.push(Typed::Given(cell_type));
            }
        }
        self.shape.steps = header::steps(&self.shape.names).map_err(|what| {
            Fault::value(self.rows.input.marked_place(Mark::Record), format!("in the header, {what}"))
                .with_hint("the first line must name the columns; add it if it is missing")
        })?;
        match &self.types_from {
            Columns::Header => self.shape.types = given,
            Columns::EachCell => {
                self.shape.types = vec![Typed::Inferred(ColumnType::Each); self.shape.names.len()];
            }
            Columns::Inferred => self.infer_types()?,
            Columns::Named(named) => {
                let named = Arc::clone(named);
                self.infer_types()?;
                self.take_named(&named)?;
            }
        }
        Ok(())
    }

    fn take_named(&mut self, named: &[(Vec<u8>, CellType)]) -> Parsed<()> {
        for (wanted, cell_type) in named {
            let Some(column) = self.shape.names.iter().position(|name| name == wanted) else {
                let what =
                    format!("in the header, there is no column {}, whose type was given", quoted(wanted));
                return Err(Fault::value(self.rows.input.marked_place(Mark::Record), what));
            };
            self.shape.types[column] = Typed::Given(cell_type.clone());
            self.shape.columns[column] = Column::default();
        }
        Ok(())
    }

    /// Refuses a header that no whole row could follow. Before names are kept, since each costs more memory than
    /// its text.
    fn check_width(&self) -> Parsed<()> {
        let keys = self.cells.iter().map(|name| name.rsplit(|byte| *byte == b'.').next().unwrap_or_default());
        let bytes = DOCUMENT_BYTES_MIN + keys.map(|key| key.len() + EMPTY_CELL_BYTES).sum::<usize>();
        if bytes <= DOCUMENT_BYTES_MAX {
            return Ok(());
        }
        let what = format!(
            "in the header, {} columns make documents of {bytes} bytes even of empty cells, above MongoDB's document limit of {DOCUMENT_BYTES_MAX} bytes (16 MiB and 16 KiB)",
            self.cells.len()
        );
        let place = self.rows.input.marked_place(Mark::Record);
        Err(Fault::value(place, what).with_hint("does each of its lines end in a line end?"))
    }

    /// Looks ahead in the buffer and goes back. Bad rows say nothing about types; one that does not end in the
    /// buffer ends the sample.
    fn infer_types(&mut self) -> Parsed<()> {
        let first_row = self.rows.input.offset();
        self.rows.input.hold()?;
        let mut columns = vec![Column::default(); self.shape.names.len()];
        while self.shape.sampled_rows < SAMPLE_ROWS_MAX {
            let row = match self.rows.next(&mut self.cells) {
                Ok(row) => row,
                Err(fault) if fault.is_io() => return Err(fault),
                Err(fault) if fault.after() == Some(After::Line) && self.rows.step_over_line()? => continue,
                Err(_) => break,
            };
            // The row that the buffer ends in may go on behind it.
            let ends_here = self.rows.input.rest().is_empty() && !self.rows.input.is_drained();
            if row != Row::Whole || ends_here {
                break;
            }
            if self.cells.len() > columns.len() {
                continue;
            }
            for (column, cell) in columns.iter_mut().zip(self.cells.iter()) {
                column.count(cell);
            }
            self.shape.sampled_rows += 1;
        }
        self.rows.input.release();
        let went_back = self.rows.input.rewind(first_row);
        assert!(went_back, "a held buffer keeps what it has shown");
        self.shape.types = columns.iter().map(|column| Typed::Inferred(column.column_type())).collect();
        self.shape.columns = columns;
        Ok(())
    }

    /// Appends the next row's document; `false` at the end.
    fn next(&mut self, out: &mut Vec<u8>) -> Parsed<Found> {
        match self.rows.next(&mut self.cells)? {
            Row::Whole => {}
            Row::Unended => {
                self.rows_unended += 1;
                return Ok(Found::End);
            }
            Row::End => return Ok(Found::End),
        }
        let Shape { names, steps, types, .. } = &self.shape;
        if self.cells.len() > names.len() && self.types_from != Columns::EachCell {
            let what = format!(
                "row {} holds {} where the header names {}",
                self.ordinal + 1,
                counted(self.cells.len() as u64, "cell"),
                counted(names.len() as u64, "column")
            );
            return Err(Fault::value(self.rows.input.marked_place(Mark::Record), what)
                .with_hint(self.rows.dialect().hint_on_delimiters()));
        }
        let before = out.len();
        let row_place = |input: &Input<R>| input.marked_place(Mark::Record);
        write_fields(out, steps, types, &self.cells, &mut self.open)
            .and_then(|()| write_unnamed(out, names, &self.cells))
            .map_err(|what| {
                Fault::value(row_place(&self.rows.input), format!("row {}: {what}", self.ordinal + 1))
            })?;
        close_document(out, self.open.pop());
        let bytes = out.len() - before;
        if bytes > DOCUMENT_BYTES_MAX {
            return Err(Fault::too_long(bytes, After::Document));
        }
        self.ordinal += 1;
        Ok(Found::Document)
    }

    fn recover(&mut self, fault: Fault) -> Result<(), SourceError> {
        let after = fault.after();
        let begins = self.rows.input.marked_offset(Mark::Record);
        let error = fault.into_error(&self.name, self.ordinal, begins, self.rows.input.offset(), after);
        let Some(after) = after.filter(|_| self.on_bad == OnBadDocument::Skip) else {
            self.state = State::Ended;
            return Err(error);
        };
        let stepped = match after {
            After::Document => Ok(()),
            After::Line => self.rows.step_over_line().map(|_| ()),
            After::Nothing => self.rows.step_to_end(),
        };
        let here = self.rows.input.offset();
        stepped.map_err(|fault| fault.into_error(&self.name, self.ordinal, begins, here, None))?;
        let how = match after {
            After::Document => "",
            After::Line => "; reading went on at the next line",
            After::Nothing => "; nothing was read behind it",
        };
        if error.is_broken_packing() {
            self.skipped.damage(here - begins, &error);
            self.state = State::Ended;
        } else {
            self.skipped.count(here - begins, &format_args!("{error}{how}"));
        }
        self.ordinal += 1;
        Ok(())
    }
}

enum Found {
    Document,
    End,
}

/// Writes all of a document but its end.
fn write_fields(
    out: &mut Vec<u8>,
    steps: &[Step],
    types: &[Typed],
    cells: &Cells,
    open: &mut Vec<usize>,
) -> Result<(), String> {
    open.clear();
    open.push(open_document(out));
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        match step {
            Step::Cell { column, key } => match (cells.get(*column), types.get(*column)) {
                (Some(cell), Some(Typed::Inferred(column_type))) => {
                    push_element(out, key, cell, *column_type);
                }
                (Some(cell), Some(Typed::Given(cell_type))) => cell_type.push(out, key, cell)?,
                _ => {}
            },
            Step::Open { first_column, close, .. } if *first_column >= cells.len() => at = *close,
            Step::Open { key, .. } => {
                push_key(out, 0x03, key);
                open.push(open_document(out));
            }
            Step::Close => close_document(out, open.pop()),
        }
        at += 1;
    }
    Ok(())
}

/// Cells that the header has no names for, under mongoimport's: `field2`, by their place from 0.
fn write_unnamed(out: &mut Vec<u8>, names: &[Vec<u8>], cells: &Cells) -> Result<(), String> {
    for column in names.len()..cells.len() {
        let key = format!("field{column}");
        if names.iter().any(|name| name == key.as_bytes()) {
            return Err(format!("cell {} would be named `{key}`, which is a column already", column + 1));
        }
        push_element(out, key.as_bytes(), cells.get(column).unwrap_or_default(), ColumnType::Each);
    }
    Ok(())
}

fn push_key(out: &mut Vec<u8>, element_type: u8, key: &[u8]) {
    out.push(element_type);
    out.extend_from_slice(key);
    out.push(0);
}

fn push_element(out: &mut Vec<u8>, key: &[u8], cell: &[u8], column_type: ColumnType) {
    match cell::value(cell, column_type) {
        Value::Int32(value) => {
            push_key(out, 0x10, key);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Value::Int64(value) => {
            push_key(out, 0x12, key);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Value::Double(value) => {
            push_key(out, 0x01, key);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Value::Text => {
            push_key(out, 0x02, key);
            out.extend_from_slice(&length(cell.len() + 1));
            out.extend_from_slice(cell);
            out.push(0);
        }
    }
}

fn open_document(out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(&[0; 4]);
    out.len() - 4
}

fn close_document(out: &mut Vec<u8>, start: Option<usize>) {
    let start = start.expect("steps close what they open");
    out.push(0);
    let bytes = length(out.len() - start);
    out[start..start + 4].copy_from_slice(&bytes);
}

/// A length field. Rows are refused far below 4 GiB, and the header with them.
fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).expect("a row and its header are shorter than two documents").to_le_bytes()
}

impl<R: Read + Send> Source for CsvSource<R> {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_document(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, SourceError> {
        self.read_header()?;
        let before = out.len();
        while self.state != State::Ended {
            match self.next(out) {
                Ok(Found::Document) => return Ok(Some(out.len() - before)),
                Ok(Found::End) => self.state = State::Ended,
                Err(fault) => {
                    out.truncate(before);
                    self.recover(fault)?;
                }
            }
        }
        Ok(None)
    }

    fn document_offset(&self) -> u64 {
        self.rows.input.marked_offset(Mark::Record)
    }

    fn position(&self) -> u64 {
        self.rows.input.offset()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    fn notes(&self) -> Vec<String> {
        let Self { name, shape: Shape { names, columns, types, sampled_rows, .. }, .. } = self;
        let mut notes = Vec::new();
        if !names.is_empty() {
            let listed = listed(
                names
                    .iter()
                    .zip(types)
                    .map(|(name, column_type)| format!("{} {}", shortened(name), column_type.name())),
            );
            notes.push(format!(
                "{name}: {listed}; {} from the first {}",
                counted(names.len() as u64, "column"),
                counted(*sampled_rows, "row"),
            ));
            if matches!(self.types_from, Columns::EachCell | Columns::Header)
                && let Some(note) = notes.last_mut()
                && let Some((listed, _)) = note.rsplit_once(" from the first ")
            {
                let from = if self.types_from == Columns::Header {
                    "typed by the header"
                } else {
                    "each cell typed alone"
                };
                *note = format!("{listed}, {from}");
            }
        }
        let named = |wanted: fn(&Column) -> bool| {
            let mut found = names
                .iter()
                .zip(columns)
                .filter(|(_, column)| wanted(column))
                .map(|(name, _)| quoted(name))
                .peekable();
            found.peek().is_some().then(|| listed_all(found.collect()))
        };
        if let Some(columns) = named(Column::has_leading_zeros) {
            notes.push(format!(
                "{name}: integers with leading zeros stay strings in {columns}; mongoimport would store numbers"
            ));
        }
        if let Some(columns) = named(|column| column.is_mixed() && !column.has_leading_zeros()) {
            notes.push(format!(
                "{name}: one type a column in {columns}; mongoimport would store each cell in the smallest type of its own"
            ));
        }
        if self.rows_unended > 0 {
            notes.push(format!(
                "{name}: the last line has no line end and is left out, as mongoimport does with TSV"
            ));
        }
        notes
    }
}

/// `1 row`, `2 rows`.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Most columns that a note lists.
const LISTED_MAX: usize = 12;

fn listed(items: impl Iterator<Item = String>) -> String {
    listed_all(items.collect())
}

fn listed_all(mut items: Vec<String>) -> String {
    let left = items.len().saturating_sub(LISTED_MAX);
    items.truncate(LISTED_MAX);
    let listed = items.join(", ");
    if left > 0 { format!("{listed} and {left} more") } else { listed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document;
    use crate::source::input::tests::OneByte;
    use bson::doc;

    fn source(text: &[u8], dialect: Dialect, on_bad: OnBadDocument) -> CsvSource<&[u8]> {
        CsvSource::new("a.csv".to_owned(), text, dialect, None, on_bad)
    }

    /// All documents, and the error that ended them.
    fn documents(source: &mut dyn Source) -> (Vec<Vec<u8>>, Option<String>) {
        let mut out = b"before".to_vec();
        let mut documents = Vec::new();
        loop {
            let before = out.len();
            match source.next_document(&mut out) {
                Ok(Some(bytes)) => {
                    assert_eq!(out.len(), before + bytes);
                    assert_eq!(document::check(&out[before..]), Ok(()));
                    documents.push(out[before..].to_vec());
                }
                outcome => {
                    assert_eq!(out.len(), before, "what is not returned is not appended");
                    assert_eq!(source.next_document(&mut out).ok(), Some(None), "an end is an end");
                    return (documents, outcome.err().map(|error| error.to_string()));
                }
            }
        }
    }

    #[test]
    fn rows_become_the_bson_that_another_encoder_makes_of_them() {
        for (text, dialect, want, why) in [
            (
                &b"_id,name,price,n\n1,tea,2.5,5\n2,\"a, b\",3,\n"[..],
                Dialect::Csv,
                vec![
                    doc! {"_id": 1, "name": "tea", "price": 2.5, "n": 5},
                    doc! {"_id": 2, "name": "a, b", "price": 3.0, "n": ""},
                ],
                "typed by column; an empty cell is an empty string",
            ),
            (
                b"\xef\xbb\xbf\"a\",b\n1\n\n1,2\n",
                Dialect::Csv,
                vec![doc! {"a": 1}, doc! {"a": 1, "b": 2}],
                "a mark, a missing cell, an empty line",
            ),
            (
                b"a.x,b,a.y.z\n1,2,3\n1,2\n1\n",
                Dialect::Csv,
                vec![
                    doc! {"a": {"x": 1, "y": {"z": 3}}, "b": 2},
                    doc! {"a": {"x": 1}, "b": 2},
                    doc! {"a": {"x": 1}},
                ],
                "sub-documents, absent where all their cells are",
            ),
            (
                b"zip,code\n02134,A\n10001,7\n10002,B\n",
                Dialect::Csv,
                vec![
                    doc! {"zip": "02134", "code": "A"},
                    doc! {"zip": "10001", "code": "7"},
                    doc! {"zip": "10002", "code": "B"},
                ],
                "columns of strings keep what looks like numbers",
            ),
            (
                b"a\tb\r\n1\t x\r\n\r\nlast\tline",
                Dialect::Tsv,
                vec![doc! {"a": 1, "b": " x"}, doc! {"a": ""}],
                "tabs; the last line has no end and is dropped",
            ),
            (b"a,b\n", Dialect::Csv, vec![], "only a header"),
        ] {
            let expect: Vec<Vec<u8>> = want.iter().map(|document| document.to_vec().unwrap()).collect();
            let mut at_once = source(text, dialect, OnBadDocument::Stop);
            assert_eq!(documents(&mut at_once), (expect.clone(), None), "{why}");
            assert_eq!(at_once.bytes_read(), text.len() as u64, "{why}");
            let mut in_bytes =
                CsvSource::new("a.csv".to_owned(), OneByte(text, 0), dialect, None, OnBadDocument::Stop);
            assert_eq!(documents(&mut in_bytes), (expect, None), "{why}, a byte at a time");
        }
    }

    #[test]
    fn notes_tell_types_their_sample_and_where_mongoimport_differs() {
        let text = b"year,carrier,dep_time,zip,price\n2013,UA,517.0,02134,1\n2013,AA,NA,10001,1.5\n";
        let mut source = source(text, Dialect::Csv, OnBadDocument::Stop);
        assert_eq!(source.notes(), [] as [&str; 0], "nothing was read yet");
        source.read_header().unwrap();
        assert_eq!(
            source.notes(),
            [
                "a.csv: year int32, carrier string, dep_time double, zip string, price double; 5 columns from the first 2 rows",
                "a.csv: integers with leading zeros stay strings in `zip`; mongoimport would store numbers",
                "a.csv: one type a column in `price`; mongoimport would store each cell in the smallest type of its own",
            ]
        );
    }

    /// The sample is bounded in rows and in bytes, and what lies behind it does not change a type.
    #[test]
    fn types_come_from_the_first_rows_only() {
        let mut text = b"a,b\n".to_vec();
        text.extend(b"1,x\n".repeat(1000));
        text.extend(b"2.5,7\n3000000000,y\nno,z\n");
        let mut by_rows = source(&text, Dialect::Csv, OnBadDocument::Stop);
        let (rows, error) = documents(&mut by_rows);
        assert_eq!((rows.len(), error), (1003, None));
        let last: Vec<Vec<u8>> =
            [doc! {"a": 2.5, "b": "7"}, doc! {"a": 3_000_000_000_i64, "b": "y"}, doc! {"a": "no", "b": "z"}]
                .iter()
                .map(|document| document.to_vec().unwrap())
                .collect();
        assert_eq!(rows[1000..], last);
        assert!(by_rows.notes()[0].ends_with("a int32, b string; 2 columns from the first 1000 rows"));

        let long_name = "n".repeat(BUFFER_BYTES - 5);
        let long_header = format!("a,{long_name}\n{}", "1,2\n".repeat(50));
        let mut by_header = source(long_header.as_bytes(), Dialect::Csv, OnBadDocument::Stop);
        assert_eq!(documents(&mut by_header).0.len(), 50);
        assert!(
            by_header.notes()[0].ends_with("from the first 50 rows"),
            "a long header leaves room for rows"
        );

        let wide = format!("a,b\n{}", format!("1,{}\n", "x".repeat(9999)).repeat(300));
        let mut by_bytes = source(wide.as_bytes(), Dialect::Csv, OnBadDocument::Stop);
        assert_eq!(documents(&mut by_bytes).0.len(), 300);
        assert!(by_bytes.notes()[0].ends_with("2 columns from the first 104 rows"), "{:?}", by_bytes.notes());
    }

    /// Else one bad row near the top would make strings of all columns.
    #[test]
    fn bad_rows_say_nothing_about_types() {
        let text = b"a,b\n1,2\n1,2,3\n5\" pipe,2\n2.5,4\n3,4\n";
        let mut source = source(text, Dialect::Csv, OnBadDocument::Skip);
        let (rows, error) = documents(&mut source);
        assert_eq!((rows.len(), error, source.skipped().documents), (3, None, 2));
        assert_eq!(source.notes()[0], "a.csv: a double, b int32; 2 columns from the first 3 rows");
    }

    #[test]
    fn bad_rows_stop_with_their_place_or_are_counted() {
        for (text, good, message, skipped_good, skipped, why) in [
            (
                &b"a,b\n1,2\n1,2,3\n3,4\n"[..],
                1,
                "a.csv: document 1 at byte 8 (line 3, column 1): row 2 holds 3 cells where the header names 2 columns",
                2,
                (1, 6),
                "too many cells",
            ),
            (
                b"a,b\n1,2\n5\" pipe,2\n3,4\n",
                1,
                "a.csv: document 1 at byte 9 (line 3, column 2): found `\"` inside a cell that is not quoted",
                2,
                (1, 10),
                "a quote in a bare cell",
            ),
            (
                b"a,b\n\"x\"y,2\n3,4\n",
                0,
                "a.csv: document 0 at byte 7 (line 2, column 4): found `y` behind a closing quote, where `,` or a line end belongs",
                1,
                (1, 7),
                "text behind a quote",
            ),
            (
                b"a,b\n1,2\n\"open,2\n3,4\n",
                1,
                "a.csv: document 1 at byte 8 (line 3, column 1): the input ends inside the quoted cell that begins here",
                1,
                (1, 12),
                "a quote that is not closed",
            ),
        ] {
            let (rows, error) = documents(&mut source(text, Dialect::Csv, OnBadDocument::Stop));
            assert_eq!((rows.len(), error.as_deref()), (good, Some(message)), "{why}");
            let mut skipping = source(text, Dialect::Csv, OnBadDocument::Skip);
            let (rows, error) = documents(&mut skipping);
            assert_eq!((rows.len(), error), (skipped_good, None), "{why}");
            assert_eq!((skipping.skipped().documents, skipping.skipped().bytes), skipped, "{why}");
            assert!(skipping.skipped().reasons[0].starts_with(message), "{why}");
        }
    }

    #[test]
    fn a_header_that_makes_no_document_is_an_error_even_when_rows_may_be_skipped() {
        for (text, dialect, message) in [
            (
                &b"a,a.b\n1,2\n"[..],
                Dialect::Csv,
                "a.csv: document 0 at byte 0 (line 1, column 1): in the header, columns `a` and `a.b` cannot both be fields",
            ),
            (
                b"\n\n",
                Dialect::Csv,
                "a.csv: document 0 at byte 2 (line 3, column 1): the input ends where a header belongs",
            ),
            (
                b"a\tb",
                Dialect::Tsv,
                "a.csv: document 0 at byte 3 (line 1, column 4): the input ends inside the header, which has no line end",
            ),
        ] {
            let (rows, error) = documents(&mut source(text, dialect, OnBadDocument::Skip));
            assert_eq!((rows.len(), error.as_deref()), (0, Some(message)));
        }
    }

    /// Two million names take some 500 MB, and lead to nothing.
    #[test]
    fn a_header_that_no_whole_row_can_follow_is_refused_before_its_names_are_kept() {
        let text = format!("{}\n1,2\n", "a,".repeat(DOCUMENT_BYTES_MAX / 8));
        let (rows, error) = documents(&mut source(text.as_bytes(), Dialect::Csv, OnBadDocument::Skip));
        assert_eq!(rows.len(), 0);
        assert_eq!(
            error.unwrap(),
            "a.csv: document 0 at byte 0 (line 1, column 1): in the header, 2099201 columns make documents of 16793612 bytes even of empty cells, above MongoDB's document limit of 16793600 bytes (16 MiB and 16 KiB)"
        );
        let shared = format!(
            "{}\n1,2\n",
            (0..100_000).map(|n| format!("{}.{n}", "p".repeat(160))).collect::<Vec<_>>().join(",")
        );
        let mut shared = source(shared.as_bytes(), Dialect::Csv, OnBadDocument::Stop);
        assert_eq!(documents(&mut shared).0.len(), 1, "names in one sub-document share its name");
    }

    #[test]
    fn rows_longer_than_a_document_are_refused_in_bounded_memory() {
        let text = format!("a,b\n1,2\n1,{}\n3,4\n", "x".repeat(DOCUMENT_BYTES_MAX + 1));
        let mut skipping = source(text.as_bytes(), Dialect::Csv, OnBadDocument::Skip);
        let (rows, error) = documents(&mut skipping);
        assert_eq!((rows.len(), error), (2, None));
        assert_eq!(skipping.skipped().documents, 1);
        assert!(skipping.skipped().reasons[0].contains("exceed MongoDB's document limit"));
        let text = format!("a,b\n1,2\n1{}\n3,4\n", ",".repeat(DOCUMENT_BYTES_MAX));
        let mut skipping = source(text.as_bytes(), Dialect::Csv, OnBadDocument::Skip);
        assert_eq!(documents(&mut skipping).0.len(), 2, "no cell of it holds a byte");
        assert!(skipping.skipped().reasons[0].contains("16793602 bytes of BSON (16.0 MiB) exceed"));
    }

    proptest::proptest! {
        #[test]
        fn foreign_bytes_never_panic(
            text in proptest::collection::vec(proptest::prelude::prop_oneof![
                proptest::sample::select(b"\",\n\r\t. $a1".to_vec()),
                proptest::prelude::any::<u8>(),
            ], 0..200),
        ) {
            for dialect in [Dialect::Csv, Dialect::Tsv] {
                for on_bad in [OnBadDocument::Stop, OnBadDocument::Skip] {
                    documents(&mut source(&text, dialect, on_bad));
                }
            }
        }
    }
}

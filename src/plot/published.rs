//! Figures that others published, from a CSV file with a head: `origin`, `codec`, `level`, `ratio_storage_to_data` or
//! both `data_bytes` and `storage_bytes`, and if known `compress_mb_per_s`. Other columns are passed over.

/// Rows that a file may have.
pub const ROWS_MAX: usize = 200;

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Where it was published.
    pub origin: String,
    /// As shown: `zstd:6`.
    pub codec: String,
    name: String,
    level: Option<i64>,
    /// Storage over data.
    pub ratio: Option<f64>,
    /// On the publisher's machine.
    pub compress_mb_per_s: Option<f64>,
}

/// Why a file holds no published figures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishedError {
    /// No CSV.
    #[error("{place}: is no table: {reason}")]
    NotCsv {
        /// The file.
        place: String,
        /// The reader's answer.
        reason: String,
    },
    /// A column that must be there.
    #[error("{place}: has no column `{column}`")]
    Column {
        /// The file.
        place: String,
        /// Its name.
        column: &'static str,
    },
    /// A cell that should hold a number above 0.
    #[error("{place}: line {line}: `{column}` is `{text}`, not a number above 0")]
    Number {
        /// The file.
        place: String,
        /// From 1, the head included.
        line: u64,
        /// Of the cell.
        column: &'static str,
        /// What stands there.
        text: String,
    },
    /// More than a picture holds.
    #[error("{place}: has more than {ROWS_MAX} rows")]
    TooMany {
        /// The file.
        place: String,
    },
}

impl Published {
    /// Reads the bytes of a file; `place` names it in messages.
    ///
    /// # Errors
    ///
    /// Bytes that are no CSV, a column that is missing, a cell that is no number, too many rows.
    pub fn read(place: &str, bytes: &[u8]) -> Result<Vec<Self>, PublishedError> {
        let not_csv =
            |error: csv::Error| PublishedError::NotCsv { place: place.to_owned(), reason: error.to_string() };
        let mut lines = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(bytes);
        let heads = lines.headers().map_err(not_csv)?.clone();
        let column = |name: &str| heads.iter().position(|head| head == name);
        for name in ["origin", "codec"] {
            if column(name).is_none() {
                return Err(PublishedError::Column { place: place.to_owned(), column: name });
            }
        }
        let mut rows = Vec::new();
        for record in lines.records() {
            let record = record.map_err(not_csv)?;
            if rows.len() == ROWS_MAX {
                return Err(PublishedError::TooMany { place: place.to_owned() });
            }
            let text =
                |name: &str| column(name).and_then(|at| record.get(at)).filter(|text| !text.is_empty());
            let number = |name: &'static str| match text(name) {
                None => Ok(None),
                Some(text) => match text.parse::<f64>() {
                    Ok(value) if value.is_finite() && value > 0.0 => Ok(Some(value)),
                    _ => Err(PublishedError::Number {
                        place: place.to_owned(),
                        line: record.position().map_or(0, csv::Position::line),
                        column: name,
                        text: text.chars().take(40).collect(),
                    }),
                },
            };
            let name = text("codec").unwrap_or_default().to_owned();
            let level = text("level").and_then(|text| text.parse::<i64>().ok());
            let ratio = number("ratio_storage_to_data")?;
            let sizes = number("storage_bytes")?.zip(number("data_bytes")?);
            rows.push(Self {
                origin: text("origin").unwrap_or_default().to_owned(),
                codec: level.map_or_else(|| name.clone(), |level| format!("{name}:{level}")),
                name,
                level,
                ratio: ratio.or(sizes.map(|(storage, data)| storage / data)),
                compress_mb_per_s: number("compress_mb_per_s")?,
            });
        }
        Ok(rows)
    }

    /// Whether it is about this codec; one published without a level is that of a server, which the report spells out.
    #[must_use]
    pub fn is_codec(&self, name: &str, level: Option<i64>) -> bool {
        self.name == name && (self.level == level || self.level.is_none() && level == Some(SERVER_LEVEL))
    }
}

/// zlib's and zstd's in a server.
const SERVER_LEVEL: i64 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_or_made_of_sizes() {
        let csv =
            b"# said\norigin,codec,level,data_bytes,storage_bytes,ratio_storage_to_data,compress_mb_per_s\n\
            a,zstd,,100,31,,\nb,zstd,3,,,0.369,174\n";
        let rows = Published::read("p.csv", csv).unwrap();
        assert_eq!((rows[0].codec.as_str(), rows[0].ratio), ("zstd", Some(0.31)));
        assert!(rows[0].is_codec("zstd", Some(6)) && !rows[0].is_codec("zstd", Some(3)));
        assert_eq!((rows[1].codec.as_str(), rows[1].compress_mb_per_s), ("zstd:3", Some(174.0)));
    }
}

//! A collection as it stands on the server that it was read from, and why that is not what is predicted.

use super::{CodecName, CollectionEstimate, LoadState, StorageEstimate};
use crate::units::{BsonBytes, DiskBytes, Human};

/// What a server tells of a collection that was read from it.
#[derive(Clone, Debug, PartialEq)]
pub struct OnServer {
    /// The server's version.
    pub version: String,
    /// The table's codec; `None` through a router. zstd's level is the server's of now, not of when a page was written.
    pub codec: Option<CodecName>,
    /// `storageSize`.
    pub storage: DiskBytes,
    /// The part of it that is free for reuse; `None` where it is not told.
    pub free: Option<DiskBytes>,
    /// Documents that it counts.
    pub documents: u64,
    /// Their BSON bytes.
    pub bson: BsonBytes,
    /// Each index's file.
    pub indexes: Vec<(String, DiskBytes)>,
    /// Whether time windows may be on its pages.
    pub history: History,
    /// How it is laid out.
    pub layout: Layout,
}

/// Whether a server keeps time windows beside fresh values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// A replica set with a history window.
    Kept,
    /// A standalone server, or a window of 0 seconds.
    NotKept,
}

/// What decides the order and the fate of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As they are inserted.
    Plain,
    /// The oldest are deleted.
    Capped,
    /// By `_id`, in the place of record numbers.
    Clustered,
}

impl Layout {
    /// The word that reports print.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Capped => "capped",
            Self::Clustered => "clustered",
        }
    }
}

impl OnServer {
    /// Bytes of the file that hold something.
    #[must_use]
    pub fn used(&self) -> DiskBytes {
        DiskBytes(self.storage.0.saturating_sub(self.free.unwrap_or_default().0))
    }

    /// The row that predicts the same codec: settled, since pages do not stay in the bulk state.
    #[must_use]
    pub fn same_codec<'c>(&self, collection: &'c CollectionEstimate) -> Option<&'c StorageEstimate> {
        let rows = || collection.storage.iter().filter(|row| Some(&row.codec) == self.codec.as_ref());
        rows().find(|row| row.load == LoadState::Settled).or_else(|| rows().next())
    }

    /// Lines that set the server's figures beside the prediction, and say where a difference comes from.
    #[must_use]
    pub fn explained(&self, collection: &CollectionEstimate) -> Vec<String> {
        let codec = self.codec.as_ref().map_or_else(|| "no one codec".to_owned(), ToString::to_string);
        let mut lines = vec![format!(
            "on the server ({}): {} under {codec}{}",
            self.version,
            Human(self.storage.0),
            match self.free {
                Some(free) if free.0 > 0 => format!(", of which {} are free for reuse", Human(free.0)),
                _ => String::new(),
            }
        )];
        lines.extend(self.same_codec(collection).map(|row| self.difference(row)));
        if self.history == History::Kept {
            lines.push(
                "its pages may carry time windows: those written less than the history window ago are in the bulk state"
                    .to_owned(),
            );
        }
        if self.documents != collection.documents {
            lines.push(format!(
                "the server counts {} documents, {} were read: it is being written, or its count is off",
                self.documents, collection.documents
            ));
        }
        match self.layout {
            Layout::Plain => {}
            Layout::Capped => lines.push("capped: predicted as if it were not".to_owned()),
            Layout::Clustered => {
                lines
                    .push("clustered: predicted with record numbers for keys and an `_id_` index".to_owned());
            }
        }
        lines
    }

    /// A fresh load beside the file as it has become.
    #[expect(clippy::cast_precision_loss, reason = "byte counts stay below 2^53")]
    fn difference(&self, row: &StorageEstimate) -> String {
        let used = self.used();
        if (row.band.low..=row.band.high).contains(&used) {
            return format!("a fresh {} load under {} gives what is used there", row.load.name(), row.codec);
        }
        let percent = (used.0 as f64 / row.storage.0.max(1) as f64 - 1.0) * 100.0;
        let because = if percent > 0.0 {
            "pages that updates, deletes or inserts out of order left partly filled, or time windows"
        } else {
            "pages that were packed by another encoder or in another order"
        };
        let (load, codec, storage) = (row.load.name(), &row.codec, Human(row.storage.0));
        format!("a fresh {load} load under {codec} gives {storage}; {percent:+.1} % is used there: {because}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::fixture;

    #[test]
    fn a_server_s_file_is_set_beside_the_prediction_and_explained() {
        let estimate = fixture::logs();
        let collection = &estimate.collections[0];
        let snappy = collection.storage[1].storage;
        let mut there = fixture::on_server();
        there.documents = collection.documents;
        there.layout = Layout::Plain;
        there.history = History::NotKept;
        there.storage = DiskBytes(snappy.0 + 2_000_000);
        let equal = [
            format!(
                "on the server (6.0.27): {} under snappy, of which 1.91 MiB are free for reuse",
                Human(there.storage.0)
            ),
            "a fresh settled load under snappy gives what is used there".to_owned(),
        ];
        assert_eq!(there.explained(collection), equal);
        there.storage = DiskBytes(snappy.0 * 11 / 10);
        there.free = None;
        there.history = History::Kept;
        there.layout = Layout::Capped;
        there.documents = 1;
        let grown = there.explained(collection);
        assert!(grown[1].contains("+10.0 % is used there: pages that updates"), "{grown:?}");
        assert!(grown[2].contains("time windows") && grown[3].contains("counts 1 documents"), "{grown:?}");
        assert!(grown[4].starts_with("capped: "), "{grown:?}");
        there.codec = None;
        assert!(there.explained(collection)[0].ends_with("under no one codec"));
        assert!(there.same_codec(collection).is_none());
    }
}

//! Seeded documents of known shapes, the same bytes on every platform.
//!
//! All randomness is of `ChaCha8Rng` from the seed and the shape's name; no floating-point text is made by the
//! platform, and no clock or address is looked at.

mod shapes;
mod writer;

use self::shapes::Maker;
use self::writer::{BsonWriter, JsonWriter};

/// A shape of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// Log lines of nineteen words from a vocabulary of 220.
    Logs,
    /// `_id` and 200 random bytes: nothing to compress.
    Random,
    /// Documents in documents and arrays of them, as an order with its lines.
    Nested,
    /// A few thousand characters of sentences.
    LongText,
    /// Thirty numbers, most of them walking slowly.
    Numeric,
    /// One measurement of one of a hundred sensors.
    TimeSeries,
    /// Products with categories, prices, tags and attributes that differ.
    Catalogue,
    /// Random UUIDs as binaries.
    Uuid,
    /// Random bytes as base64 text.
    Base64,
    /// All of the others in turn.
    Mixed,
}

impl Shape {
    /// Every shape, in the order of the help.
    pub const ALL: [Self; 10] = [
        Self::Logs,
        Self::Random,
        Self::Nested,
        Self::LongText,
        Self::Numeric,
        Self::TimeSeries,
        Self::Catalogue,
        Self::Uuid,
        Self::Base64,
        Self::Mixed,
    ];

    /// As it is typed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Logs => "logs",
            Self::Random => "random",
            Self::Nested => "nested",
            Self::LongText => "long-text",
            Self::Numeric => "numeric",
            Self::TimeSeries => "time-series",
            Self::Catalogue => "catalogue",
            Self::Uuid => "uuid",
            Self::Base64 => "base64",
            Self::Mixed => "mixed",
        }
    }
}

/// How long the names of fields are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldNames {
    /// As people write them.
    #[default]
    Long,
    /// One or two letters.
    Short,
}

/// What documents are written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// BSON, one behind the other.
    #[default]
    Bson,
    /// Canonical Extended JSON, a line each.
    Json,
}

/// What to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which documents.
    pub shape: Shape,
    /// How many.
    pub documents: u64,
    /// Equal seeds make equal bytes.
    pub seed: u64,
    /// How their fields are called.
    pub field_names: FieldNames,
    /// What they are written as.
    pub notation: Notation,
}

/// Documents on their way out, a piece at a time.
pub struct Generator {
    request: Request,
    maker: Maker,
    next: u64,
}

impl Generator {
    /// At the first document.
    #[must_use]
    pub fn new(request: Request) -> Self {
        Self { request, maker: Maker::new(&request), next: 0 }
    }

    /// Appends documents to `out` until it has grown by `bytes` or more; `false` when there are none left.
    pub fn fill(&mut self, out: &mut Vec<u8>, bytes: usize) -> bool {
        let end = out.len() + bytes;
        while out.len() < end {
            if self.next == self.request.documents {
                return false;
            }
            match self.request.notation {
                Notation::Bson => self.maker.document(self.next, &mut BsonWriter::new(out)),
                Notation::Json => self.maker.document(self.next, &mut JsonWriter::new(out)),
            }
            self.next += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{self, Walker};
    use crate::source::{OnBadDocument, Source, bson::BsonSource, json::JsonSource};
    use sha2::{Digest, Sha256};

    fn generated(shape: Shape, field_names: FieldNames, notation: Notation, seed: u64) -> Vec<u8> {
        let mut out = Vec::new();
        let request = Request { shape, documents: 200, seed, field_names, notation };
        assert!(!Generator::new(request).fill(&mut out, usize::MAX >> 1));
        out
    }

    fn documents(source: &mut dyn Source) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        let mut out = Vec::new();
        while source.next_document(&mut out).unwrap().is_some() {
            assert_eq!(document::check(&out), Ok(()));
            assert_eq!(Walker::new().walk(&out), Ok(()));
            all.push(std::mem::take(&mut out));
        }
        all
    }

    /// Both notations are read back by readers that know nothing of the writers, to the same bytes.
    #[test]
    fn both_notations_hold_the_same_documents() {
        for shape in Shape::ALL {
            for names in [FieldNames::Long, FieldNames::Short] {
                let bson = generated(shape, names, Notation::Bson, 7);
                let json = generated(shape, names, Notation::Json, 7);
                let as_bytes_of =
                    documents(&mut BsonSource::new(String::new(), &bson[..], None, OnBadDocument::Stop));
                let as_text =
                    documents(&mut JsonSource::new(String::new(), &json[..], None, OnBadDocument::Stop));
                assert_eq!(as_bytes_of.len(), 200, "{shape:?}");
                assert!(as_bytes_of == as_text, "{shape:?} {names:?}");
            }
        }
    }

    #[test]
    fn a_seed_decides_every_byte_and_another_seed_others() {
        for shape in Shape::ALL {
            let bytes = |seed| generated(shape, FieldNames::Long, Notation::Bson, seed);
            assert!(bytes(1) == bytes(1), "{shape:?}");
            assert!(bytes(1) != bytes(2), "{shape:?}");
            let short = generated(shape, FieldNames::Short, Notation::Bson, 1);
            assert!(short.len() < bytes(1).len() || shape == Shape::Random, "{shape:?}");
        }
    }

    #[test]
    fn pieces_make_the_same_bytes_as_a_whole() {
        let request = Request {
            shape: Shape::Mixed,
            documents: 50,
            seed: 3,
            field_names: FieldNames::Long,
            notation: Notation::Bson,
        };
        let (mut whole, mut pieces) = (Vec::new(), Vec::new());
        Generator::new(request).fill(&mut whole, 1 << 30);
        let mut generator = Generator::new(request);
        while generator.fill(&mut pieces, 1) {}
        assert!(whole == pieces);
    }

    /// Holds the bytes themselves: another release of the generator's crate, or another platform, must make these.
    #[test]
    fn the_bytes_are_those_of_every_release() {
        let mut hash = Sha256::new();
        for shape in Shape::ALL {
            hash.update(generated(shape, FieldNames::Long, Notation::Bson, 42));
            hash.update(generated(shape, FieldNames::Short, Notation::Json, 42));
        }
        let digest = hash.finalize();
        let hexadecimal: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hexadecimal.concat(), "e0b30ce4d0a6f967e844b5b7c87574c744f33d2d82902dccba2a24628e385e76");
    }
}

//! What the documents of each shape hold.

use super::writer::{Kind, Truth, Writer, base64};
use super::{FieldNames, Request, Shape};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Words that texts are made of.
const VOCABULARY: usize = 220;
/// 2023-11-14T22:13:20Z, as in the measured logs.
const START_SECONDS: i32 = 1_700_000_000;

/// Makes the documents of one request.
pub(super) struct Maker {
    shape: Shape,
    names: FieldNames,
    numbers: Numbers,
    words: Vec<String>,
    /// Numbers that walk from document to document.
    walks: [i32; 32],
    scratch: String,
}

/// A portable generator, and what is drawn from it.
struct Numbers(ChaCha8Rng);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// From 0 to below `limit`, by the high half of a product: no division, and the same everywhere.
    fn below(&mut self, limit: u32) -> u32 {
        let product = u64::from(self.next()) * u64::from(limit);
        u32::try_from(product >> 32).unwrap_or(0)
    }

    fn index(&mut self, limit: usize) -> usize {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        self.below(limit) as usize
    }

    fn signed(&mut self, limit: u32) -> i32 {
        i32::try_from(self.below(limit)).unwrap_or(i32::MAX)
    }
}

impl Maker {
    pub fn new(request: &Request) -> Self {
        // Shapes of one seed have nothing in common.
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&request.seed.to_le_bytes());
        for (byte, letter) in seed[8..].iter_mut().zip(request.shape.name().bytes()) {
            *byte = letter;
        }
        let mut numbers = Numbers(ChaCha8Rng::from_seed(seed));
        let word = |numbers: &mut Numbers| {
            let letters = 3 + numbers.index(6);
            (0..letters).map(|_| char::from(b'a' + u8::try_from(numbers.below(26)).unwrap_or(0))).collect()
        };
        let words = (0..VOCABULARY).map(|_| word(&mut numbers)).collect();
        let walks = std::array::from_fn(|_| numbers.signed(100_000));
        Self {
            shape: request.shape,
            names: request.field_names,
            numbers,
            words,
            walks,
            scratch: String::new(),
        }
    }

    /// Writes document `number`, counted from 0.
    pub fn document(&mut self, number: u64, out: &mut impl Writer) {
        let shape = match self.shape {
            Shape::Mixed => {
                let others = Shape::ALL.len() as u64 - 1;
                Shape::ALL[usize::try_from(number % others).unwrap_or(0)]
            }
            shape => shape,
        };
        out.begin();
        match i32::try_from(number) {
            Ok(number) => out.int32("_id", number),
            Err(_) => out.int64("_id", i64::try_from(number).unwrap_or(i64::MAX)),
        }
        match shape {
            Shape::Logs | Shape::Mixed => self.log(number, out),
            Shape::Random => self.random(out),
            Shape::Nested => self.nested(number, out),
            Shape::LongText => self.long_text(out),
            Shape::Numeric => self.numeric(out),
            Shape::TimeSeries => self.time_series(number, out),
            Shape::Catalogue => self.catalogue(out),
            Shape::Uuid => self.uuid(out),
            Shape::Base64 => self.base64(out),
        }
        out.end();
    }

    fn name(&self, long: &'static str, short: &'static str) -> &'static str {
        match self.names {
            FieldNames::Long => long,
            FieldNames::Short => short,
        }
    }

    /// `count` words with blanks between, in `scratch`.
    fn sentence(&mut self, count: usize) {
        self.scratch.clear();
        for index in 0..count {
            if index > 0 {
                self.scratch.push(' ');
            }
            let word = self.numbers.index(VOCABULARY);
            self.scratch.push_str(&self.words[word]);
        }
    }

    fn seconds(number: u64) -> i32 {
        START_SECONDS.saturating_add(i32::try_from(number).unwrap_or(i32::MAX))
    }

    fn log(&mut self, number: u64, out: &mut impl Writer) {
        const LEVELS: [&str; 4] = ["info", "warn", "error", "debug"];
        out.int32(self.name("user", "u"), self.numbers.signed(5000));
        out.text(self.name("level", "l"), LEVELS[self.numbers.index(LEVELS.len())]);
        out.int32(self.name("ts", "t"), Self::seconds(number));
        self.sentence(19);
        out.text(self.name("msg", "m"), &self.scratch);
        let host = self.numbers.below(40);
        self.scratch.clear();
        self.scratch.push_str("srv-");
        self.push_digits(host, 2);
        out.text(self.name("host", "h"), &self.scratch);
    }

    /// Appends a number with leading zeros.
    fn push_digits(&mut self, number: u32, digits: u32) {
        for place in (0..digits).rev() {
            let digit = number / 10_u32.pow(place) % 10;
            self.scratch.push(char::from(b'0' + u8::try_from(digit).unwrap_or(0)));
        }
    }

    fn random(&mut self, out: &mut impl Writer) {
        let mut bytes = [0; 200];
        self.numbers.0.fill_bytes(&mut bytes);
        out.binary("b", 0, &bytes);
    }

    fn nested(&mut self, number: u64, out: &mut impl Writer) {
        out.date(self.name("placed_at", "p"), i64::from(Self::seconds(number)) * 1000);
        out.open(self.name("customer", "c"), Kind::Document);
        out.int32(self.name("id", "i"), self.numbers.signed(100_000));
        self.sentence(2);
        out.text(self.name("name", "n"), &self.scratch);
        out.open(self.name("address", "a"), Kind::Document);
        self.sentence(3);
        out.text(self.name("street", "s"), &self.scratch);
        out.int32(self.name("post_code", "p"), self.numbers.signed(99_999));
        out.close(Kind::Document);
        out.close(Kind::Document);
        out.open(self.name("lines", "l"), Kind::Array);
        for line in ["0", "1", "2", "3", "4"].iter().take(1 + self.numbers.index(5)) {
            out.open(line, Kind::Document);
            out.int32(self.name("product", "p"), self.numbers.signed(20_000));
            out.int32(self.name("quantity", "q"), 1 + self.numbers.signed(9));
            out.hundredths(self.name("price", "e"), self.numbers.signed(50_000));
            out.close(Kind::Document);
        }
        out.close(Kind::Array);
        let paid = if self.numbers.below(10) > 0 { Truth::Yes } else { Truth::No };
        out.truth(self.name("paid", "d"), paid);
    }

    fn long_text(&mut self, out: &mut impl Writer) {
        self.sentence(6);
        out.text(self.name("title", "t"), &self.scratch);
        let words = 300 + self.numbers.index(600);
        self.sentence(words);
        out.text(self.name("body", "b"), &self.scratch);
    }

    fn numeric(&mut self, out: &mut impl Writer) {
        const LONG: [&str; 30] = [
            "value_00", "value_01", "value_02", "value_03", "value_04", "value_05", "value_06", "value_07",
            "value_08", "value_09", "value_10", "value_11", "value_12", "value_13", "value_14", "value_15",
            "value_16", "value_17", "value_18", "value_19", "value_20", "value_21", "value_22", "value_23",
            "value_24", "value_25", "value_26", "value_27", "value_28", "value_29",
        ];
        const SHORT: [&str; 30] = [
            "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
            "t", "u", "v", "w", "x", "y", "z", "A", "B", "C", "D",
        ];
        let names = if self.names == FieldNames::Long { LONG } else { SHORT };
        for (index, name) in names.iter().enumerate() {
            self.walks[index] = self.walks[index].wrapping_add(self.numbers.signed(21) - 10) % 1_000_000;
            match index % 3 {
                0 => out.hundredths(name, self.walks[index]),
                1 => out.int32(name, self.walks[index]),
                _ => out
                    .int64(name, i64::from(self.walks[index]) << 24 | i64::from(self.numbers.below(1 << 24))),
            }
        }
    }

    fn time_series(&mut self, number: u64, out: &mut impl Writer) {
        let sensor = self.numbers.index(100);
        let milliseconds = i64::from(START_SECONDS) * 1000
            + i64::try_from(number).unwrap_or(0).saturating_mul(250)
            + i64::from(self.numbers.below(250));
        out.date(self.name("timestamp", "t"), milliseconds);
        out.int32(self.name("sensor", "s"), i32::try_from(sensor).unwrap_or(0));
        let walk = &mut self.walks[sensor % 32];
        *walk = (*walk + self.numbers.signed(41) - 20) % 10_000;
        let value = *walk;
        out.hundredths(self.name("temperature", "v"), value);
        out.hundredths(self.name("humidity", "h"), 4000 + self.numbers.signed(500));
    }

    fn catalogue(&mut self, out: &mut impl Writer) {
        const CATEGORIES: [&str; 8] =
            ["books", "garden", "kitchen", "music", "office", "outdoor", "toys", "electronics"];
        const COLOURS: [&str; 6] = ["black", "white", "red", "green", "blue", "yellow"];
        self.scratch.clear();
        self.scratch.push_str("SKU-");
        let sku = self.numbers.below(100_000_000);
        self.push_digits(sku, 8);
        out.text(self.name("sku", "s"), &self.scratch);
        self.sentence(4);
        out.text(self.name("name", "n"), &self.scratch);
        out.text(self.name("category", "c"), CATEGORIES[self.numbers.index(CATEGORIES.len())]);
        out.hundredths(self.name("price", "p"), 99 + self.numbers.signed(200_000));
        out.open(self.name("tags", "t"), Kind::Array);
        for tag in ["0", "1", "2", "3"].iter().take(self.numbers.index(5)) {
            let word = self.numbers.index(VOCABULARY);
            out.text(tag, &self.words[word]);
        }
        out.close(Kind::Array);
        out.open(self.name("attributes", "a"), Kind::Document);
        if self.numbers.below(2) == 0 {
            out.text(self.name("colour", "c"), COLOURS[self.numbers.index(COLOURS.len())]);
        }
        if self.numbers.below(3) == 0 {
            out.int32(self.name("weight_g", "w"), self.numbers.signed(20_000));
        }
        out.close(Kind::Document);
        let words = 20 + self.numbers.index(60);
        self.sentence(words);
        out.text(self.name("description", "d"), &self.scratch);
    }

    fn uuid(&mut self, out: &mut impl Writer) {
        for name in [self.name("session", "s"), self.name("device", "d"), self.name("account", "a")] {
            let mut bytes = [0; 16];
            self.numbers.0.fill_bytes(&mut bytes);
            bytes[6] = bytes[6] & 0x0f | 0x40; // version 4
            bytes[8] = bytes[8] & 0x3f | 0x80; // its variant
            out.binary(name, 4, &bytes);
        }
    }

    fn base64(&mut self, out: &mut impl Writer) {
        let mut bytes = [0; 384];
        self.numbers.0.fill_bytes(&mut bytes);
        self.scratch.clear();
        base64(&bytes, &mut self.scratch);
        out.text(self.name("payload", "p"), &self.scratch);
    }
}

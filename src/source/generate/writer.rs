//! One document as BSON or as canonical Extended JSON, field by field.

/// Takes the fields of a document in order.
pub(super) trait Writer {
    fn begin(&mut self);
    fn end(&mut self);
    fn int32(&mut self, name: &str, value: i32);
    fn int64(&mut self, name: &str, value: i64);
    /// A double of whole hundredths, whose text needs no platform's help.
    fn hundredths(&mut self, name: &str, hundredths: i32);
    fn text(&mut self, name: &str, text: &str);
    fn date(&mut self, name: &str, milliseconds: i64);
    fn truth(&mut self, name: &str, truth: Truth);
    fn binary(&mut self, name: &str, subtype: u8, bytes: &[u8]);
    fn open(&mut self, name: &str, kind: Kind);
    fn close(&mut self, kind: Kind);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    No,
    Yes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Document,
    Array,
}

/// Deepest nesting of any shape.
const LEVELS_MAX: usize = 4;

/// BSON.
pub(super) struct BsonWriter<'a> {
    out: &'a mut Vec<u8>,
    starts: [usize; LEVELS_MAX],
    level: usize,
}

impl<'a> BsonWriter<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, starts: [0; LEVELS_MAX], level: 0 }
    }

    fn key(&mut self, kind: u8, name: &str) {
        self.out.push(kind);
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(0);
    }

    fn length(&mut self, bytes: usize) {
        let bytes = u32::try_from(bytes).expect("generated documents are small");
        self.out.extend_from_slice(&bytes.to_le_bytes());
    }

    fn push_level(&mut self) {
        self.starts[self.level] = self.out.len();
        self.level += 1;
        self.out.extend_from_slice(&[0; 4]);
    }
}

impl Writer for BsonWriter<'_> {
    fn begin(&mut self) {
        self.push_level();
    }

    fn end(&mut self) {
        self.out.push(0);
        self.level -= 1;
        let start = self.starts[self.level];
        let bytes = u32::try_from(self.out.len() - start).expect("generated documents are small");
        self.out[start..start + 4].copy_from_slice(&bytes.to_le_bytes());
    }

    fn int32(&mut self, name: &str, value: i32) {
        self.key(0x10, name);
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    fn int64(&mut self, name: &str, value: i64) {
        self.key(0x12, name);
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    fn hundredths(&mut self, name: &str, hundredths: i32) {
        self.key(0x01, name);
        self.out.extend_from_slice(&(f64::from(hundredths) / 100.0).to_le_bytes());
    }

    fn text(&mut self, name: &str, text: &str) {
        self.key(0x02, name);
        self.length(text.len() + 1);
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(0);
    }

    fn date(&mut self, name: &str, milliseconds: i64) {
        self.key(0x09, name);
        self.out.extend_from_slice(&milliseconds.to_le_bytes());
    }

    fn truth(&mut self, name: &str, truth: Truth) {
        self.key(0x08, name);
        self.out.push(u8::from(truth == Truth::Yes));
    }

    fn binary(&mut self, name: &str, subtype: u8, bytes: &[u8]) {
        self.key(0x05, name);
        self.length(bytes.len());
        self.out.push(subtype);
        self.out.extend_from_slice(bytes);
    }

    fn open(&mut self, name: &str, kind: Kind) {
        self.key(if kind == Kind::Document { 0x03 } else { 0x04 }, name);
        self.push_level();
    }

    fn close(&mut self, _kind: Kind) {
        self.end();
    }
}

/// Canonical Extended JSON. Texts of the shapes need no escapes.
pub(super) struct JsonWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Whether each open bracket is of an array and has no member yet.
    levels: [(Kind, First); LEVELS_MAX],
    level: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    No,
    Yes,
}

impl<'a> JsonWriter<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, levels: [(Kind::Document, First::Yes); LEVELS_MAX], level: 0 }
    }

    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn key(&mut self, name: &str) {
        let (kind, first) = self.levels[self.level];
        if first == First::No {
            self.out.push(b',');
        }
        self.levels[self.level].1 = First::No;
        if kind == Kind::Document {
            self.out.push(b'"');
            self.raw(name);
            self.raw("\":");
        }
    }

    fn wrapped(&mut self, name: &str, wrapper: &str, value: &str) {
        self.key(name);
        self.raw("{\"");
        self.raw(wrapper);
        self.raw("\":\"");
        self.raw(value);
        self.raw("\"}");
    }
}

impl Writer for JsonWriter<'_> {
    fn begin(&mut self) {
        self.levels[0] = (Kind::Document, First::Yes);
        self.out.push(b'{');
    }

    fn end(&mut self) {
        self.raw("}\n");
    }

    fn int32(&mut self, name: &str, value: i32) {
        self.wrapped(name, "$numberInt", &value.to_string());
    }

    fn int64(&mut self, name: &str, value: i64) {
        self.wrapped(name, "$numberLong", &value.to_string());
    }

    fn hundredths(&mut self, name: &str, hundredths: i32) {
        let sign = if hundredths < 0 { "-" } else { "" };
        let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
        self.wrapped(name, "$numberDouble", &format!("{sign}{whole}.{rest:02}"));
    }

    fn text(&mut self, name: &str, text: &str) {
        self.key(name);
        self.out.push(b'"');
        self.raw(text);
        self.out.push(b'"');
    }

    fn date(&mut self, name: &str, milliseconds: i64) {
        self.key(name);
        self.raw(&format!("{{\"$date\":{{\"$numberLong\":\"{milliseconds}\"}}}}"));
    }

    fn truth(&mut self, name: &str, truth: Truth) {
        self.key(name);
        self.raw(if truth == Truth::Yes { "true" } else { "false" });
    }

    fn binary(&mut self, name: &str, subtype: u8, bytes: &[u8]) {
        let mut text = String::new();
        base64(bytes, &mut text);
        self.key(name);
        self.raw(&format!("{{\"$binary\":{{\"base64\":\"{text}\",\"subType\":\"{subtype:02x}\"}}}}"));
    }

    fn open(&mut self, name: &str, kind: Kind) {
        self.key(name);
        self.level += 1;
        self.levels[self.level] = (kind, First::Yes);
        self.out.push(if kind == Kind::Document { b'{' } else { b'[' });
    }

    fn close(&mut self, kind: Kind) {
        self.level -= 1;
        self.out.push(if kind == Kind::Document { b'}' } else { b']' });
    }
}

/// Appends padded base64 of the standard alphabet.
pub(super) fn base64(bytes: &[u8], out: &mut String) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4_usize {
            let digit = bits >> (18 - 6 * index) & 63;
            let is_there = index <= chunk.len();
            out.push(if is_there { char::from(ALPHABET[digit as usize]) } else { '=' });
        }
    }
}

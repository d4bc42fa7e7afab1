//! Elements of the documents that a server makes round a user's own.

/// Writes one document: elements in order, then the length in front.
pub(super) struct Writer<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
}

impl<'o> Writer<'o> {
    /// Begins a document at the end of `out`.
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        Self { out, start }
    }

    /// One element, its value as it stands.
    pub(super) fn element(&mut self, kind: u8, name: &[u8], value: &[u8]) {
        self.head(kind, name);
        self.out.extend_from_slice(value);
    }

    pub(super) fn string(&mut self, name: &[u8], text: &str) {
        self.head(0x02, name);
        push_length(text.len() + 1, self.out);
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(0);
    }

    /// Binary of subtype 4.
    pub(super) fn uuid(&mut self, name: &[u8], uuid: [u8; 16]) {
        self.head(0x05, name);
        push_length(uuid.len(), self.out);
        self.out.push(0x04);
        self.out.extend_from_slice(&uuid);
    }

    /// A document or array within: its elements are those that `write` adds.
    pub(super) fn nested(&mut self, kind: u8, name: &[u8], write: impl FnOnce(&mut Writer<'_>)) {
        self.head(kind, name);
        let mut inner = Writer::new(self.out);
        write(&mut inner);
        inner.end();
    }

    fn head(&mut self, kind: u8, name: &[u8]) {
        self.out.push(kind);
        self.out.extend_from_slice(name);
        self.out.push(0);
    }

    pub(super) fn end(self) {
        self.out.push(0);
        let bytes = u32::try_from(self.out.len() - self.start).unwrap_or(u32::MAX);
        self.out[self.start..self.start + 4].copy_from_slice(&bytes.to_le_bytes());
    }
}

fn push_length(bytes: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes());
}

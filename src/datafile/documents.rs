//! The documents of a collection's file, one after the other, as the server stores them.

use super::DataFile;
use super::block::Address;
use super::error::{DataFileError, Fault, Read};
use super::leaf::{ValueData, for_each_record, read_overflow};
use super::page::PageReader;
use super::walk::{Step, Walk};
use crate::document;

/// Live documents in key order. Holds one leaf's documents at a time.
///
/// A page that cannot be read is left out and told of in [`Documents::faults`]; a value that is no document too.
pub struct Documents<'f> {
    file: &'f DataFile,
    walk: Walk<'f>,
    reader: PageReader<'f>,
    /// Documents of the current leaf, one behind the other, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    next: usize,
    blocks_read_bytes: u64,
    offset: u64,
    faults: u64,
    first_fault: Option<DataFileError>,
}

impl<'f> Documents<'f> {
    pub(super) fn new(file: &'f DataFile) -> Self {
        Self {
            file,
            walk: file.walk(),
            reader: file.page_reader(),
            bytes: Vec::new(),
            ends: Vec::new(),
            next: 0,
            blocks_read_bytes: 0,
            offset: 0,
            faults: 0,
            first_fault: None,
        }
    }

    /// Appends the next document to `out` and returns its length; `None` at the end.
    pub fn next_document(&mut self, out: &mut Vec<u8>) -> Option<usize> {
        while self.next == self.ends.len() {
            match self.walk.next()? {
                Step::Internal { .. } => {}
                Step::Leaf(address) => self.load(address),
                Step::Fault { fault, .. } => self.tell(fault),
            }
        }
        let start = if self.next == 0 { 0 } else { self.ends[self.next - 1] };
        let document = &self.bytes[start..self.ends[self.next]];
        self.next += 1;
        out.extend_from_slice(document);
        Some(document.len())
    }

    /// Bytes of the blocks read so far.
    #[must_use]
    pub fn blocks_read_bytes(&self) -> u64 {
        self.blocks_read_bytes
    }

    /// Of the block that holds the document returned last.
    #[must_use]
    pub fn block_offset(&self) -> u64 {
        self.offset
    }

    /// Pages and values that could not be read.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// The first of them.
    #[must_use]
    pub fn first_fault(&self) -> Option<&DataFileError> {
        self.first_fault.as_ref()
    }

    /// The first of them, at the end.
    pub(super) fn into_first_fault(self) -> Option<DataFileError> {
        self.first_fault
    }

    fn tell(&mut self, fault: Fault) {
        self.faults += 1;
        self.first_fault.get_or_insert(self.file.failed(fault));
    }

    fn load(&mut self, address: Address) {
        self.bytes.clear();
        self.ends.clear();
        (self.next, self.offset) = (0, address.offset);
        self.blocks_read_bytes += address.bytes;
        if let Err(fault) = self.load_leaf(address) {
            self.tell(fault);
        }
    }

    fn load_leaf(&mut self, address: Address) -> Read<()> {
        let unit = self.file.checkpoint().config.unit;
        let page = self.reader.read(address)?;
        let (bytes, ends) = (&mut self.bytes, &mut self.ends);
        let (mut overflow, mut strangers) = (Vec::new(), 0);
        for_each_record(&page, unit, |record| match record.value.map(|value| value.data) {
            Some(ValueData::Here(value)) if record.is_live => {
                if document::check(value).is_ok() {
                    bytes.extend_from_slice(value);
                    ends.push(bytes.len());
                } else {
                    strangers += 1;
                }
            }
            Some(ValueData::Overflow(address)) if record.is_live => overflow.push(address),
            None => strangers += 1,
            Some(_) => {}
        })?;
        // No collection of mongod's has them; behind the leaf's other documents if one does.
        for address in overflow {
            self.walk.claim(address)?;
            let start = self.bytes.len();
            read_overflow(&mut self.reader, address, &mut self.bytes)?;
            if document::check(&self.bytes[start..]).is_ok() {
                self.ends.push(self.bytes.len());
            } else {
                self.bytes.truncate(start);
                strangers += 1;
            }
        }
        if strangers > 0 {
            let what = "values that are no documents";
            return Err(Fault::Damaged { offset: address.offset, at: None, what });
        }
        Ok(())
    }
}

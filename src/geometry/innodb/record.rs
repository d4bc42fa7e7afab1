//! One row `(id BIGINT PRIMARY KEY, doc LONGBLOB)` as a record of the clustered index.

use super::facts;

/// Where a row's document lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// In the record.
    OnPage,
    /// On pages of its own; the record has a reference.
    OffPage,
}

/// Length and placement of a row's document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes of the document.
    pub document_bytes: usize,
    /// Where it lies.
    pub placement: Placement,
}

impl Shape {
    /// In a table whose pages are stored whole: off the page from 8,097 bytes.
    #[must_use]
    pub fn dynamic(document_bytes: usize) -> Self {
        let on_page = Self { document_bytes, placement: Placement::OnPage };
        if on_page.record_bytes() >= facts::OFF_PAGE_RECORD_BYTES { on_page.moved() } else { on_page }
    }

    /// In a table whose pages take `page_bytes` in the file: off the page where a page of one record might not fit.
    ///
    /// Source: `page_zip_rec_needs_ext` and `page_zip_empty_size`, include/page0zip.inl, for two columns.
    #[must_use]
    pub fn compressed(document_bytes: usize, page_bytes: usize) -> Self {
        let dynamic = Self::dynamic(document_bytes);
        let is_too_long = dynamic.record_bytes() - facts::SLOT_BYTES >= page_bytes - ZIP_EMPTY_BYTES;
        if is_too_long { dynamic.moved() } else { dynamic }
    }

    fn moved(self) -> Self {
        Self { placement: Placement::OffPage, ..self }
    }

    /// Bytes of the length before the record: with two bits of it taken, 127 is the largest that one byte holds.
    #[must_use]
    pub fn length_bytes(self) -> usize {
        if self.placement == Placement::OnPage && self.document_bytes < 128 { 1 } else { 2 }
    }

    /// Bytes of the whole record: lengths, null bits, header, key, system columns, document or reference.
    ///
    /// Source: `rec_get_converted_size_comp`, rem/rem0rec.cc.
    #[must_use]
    pub fn record_bytes(self) -> usize {
        self.length_bytes()
            + NULL_BITS_BYTES
            + facts::RECORD_HEADER_BYTES
            + facts::KEY_BYTES
            + facts::SYSTEM_BYTES
            + self.value_bytes()
    }

    /// Bytes of the document's column on the page.
    #[must_use]
    pub fn value_bytes(self) -> usize {
        match self.placement {
            Placement::OnPage => self.document_bytes,
            Placement::OffPage => facts::REFERENCE_BYTES,
        }
    }

    /// The length as the record has it, low byte first.
    pub fn push_length(self, out: &mut Vec<u8>) {
        let [low, high, ..] = self.value_bytes().to_le_bytes();
        match (self.length_bytes(), self.placement) {
            (1, _) => out.push(low),
            (_, Placement::OnPage) => out.extend([low, high | LENGTH_OF_TWO_BYTES]),
            (_, Placement::OffPage) => out.extend([low, high | LENGTH_OF_TWO_BYTES | LENGTH_IS_OFF_PAGE]),
        }
    }
}

/// One column may be null.
pub(super) const NULL_BITS_BYTES: usize = 1;
/// Flags in the high byte of a length. Source: `rec_convert_dtuple_to_rec_comp`, rem/rem0rec.cc.
const LENGTH_OF_TWO_BYTES: u8 = 0x80;
const LENGTH_IS_OFF_PAGE: u8 = 0x40;
/// What a row-compressed page of no records takes, by the server's own bound for four columns.
const ZIP_EMPTY_BYTES: usize = 129;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_leave_the_page_at_the_lengths_that_were_measured() {
        for (page_bytes, last_on_page) in
            [(1024, 867), (2048, 1891), (4096, 3939), (8192, 8035), (16_384, 8096)]
        {
            let at = |bytes| Shape::compressed(bytes, page_bytes).placement;
            assert_eq!(at(last_on_page), Placement::OnPage, "{page_bytes}");
            assert_eq!(at(last_on_page + 1), Placement::OffPage, "{page_bytes}");
        }
        assert_eq!(Shape::dynamic(8096).placement, Placement::OnPage);
        assert_eq!(Shape::dynamic(8097).placement, Placement::OffPage);
    }

    #[test]
    fn a_record_is_28_or_29_bytes_longer_than_its_document_and_49_without_it() {
        for (document_bytes, want) in [(127, 155), (128, 157), (314, 343), (100_000, 49)] {
            assert_eq!(Shape::dynamic(document_bytes).record_bytes(), want);
        }
    }
}

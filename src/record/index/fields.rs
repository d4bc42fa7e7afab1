//! Keys of ordinary indexes: one field or several, arrays expanded.
//!
//! A path is followed through objects to its end or to the first array. All paths that end at an array must end
//! at the same one; then there is a key for each of its elements, and paths that go on do so inside the element.
//!
//! ```text
//!  {a: [{b: 1, c: 2}, {b: 3}]}    on  a.b, a.c     (1, 2) (3, null)
//!  {a: [1, 1, 2]}                 on  a            (1) (2)
//!  {a: [[1, 2], 3]}               on  a            ([1, 2]) (3)       one level only
//!  {a: []}                        on  a, a.b       (undefined, null)
//!  {a: [{b: 1}, {b: 2}]}          on  a.0.b        (1)                a position, if no element has a field "0"
//!  {a: [1], b: [2]}               on  a, b         refused
//! ```
//!
//! # Source
//!
//! `BtreeKeyGenerator::_getKeysWithArray`, `src/mongo/db/index/btree_key_generator.cpp` of MongoDB 6.0.

use super::entries::{Entries, Header};
use super::path::{component, follow};
use super::{Field, Refusal, Stop};
use crate::document::Elements;
use crate::record::keystring::{Value, bson_type, check_depth};

/// Bytes of the document; both ends 0 for "not there".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    start: usize,
    end: usize,
}

/// What is known of one field's value: all of it, or how far its path has been followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    kind: u8,
    value: Span,
    /// Where the rest of the path begins; its length once it has been followed to the end.
    rest: usize,
}

/// An array element that a path names by its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// Whether the element itself is an array.
    element_is_array: bool,
    reached: Option<Slot>,
}

impl Slot {
    fn new(value: Value<'_>, rest: usize) -> Self {
        Self { kind: value.kind, value: Span { start: value.at, end: value.at + value.bytes.len() }, rest }
    }

    fn value<'d>(&self, document: &'d [u8]) -> Value<'d> {
        let Span { start, end } = self.value;
        Value { kind: self.kind, bytes: &document[start..end], at: start }
    }
}

/// Adds the entries of a document to `out`.
pub(super) fn add_entries(
    fields: &[Field],
    sparse: bool,
    document: &[u8],
    header: &Header<'_>,
    out: &mut Entries,
) -> Result<(), Stop> {
    let slots = std::mem::take(&mut out.scratch.slots);
    let positions = std::mem::take(&mut out.scratch.positions);
    let mut expansion = Expansion { fields, sparse, document, header, out, slots, positions };
    expansion.open_frame(0);
    for slot in &mut expansion.slots[..fields.len()] {
        *slot = Slot::new(Value::NULL, 0);
    }
    expansion.positions[..fields.len()].fill(None);
    let result = expansion.expand(Span { start: 0, end: document.len() }, 0, 0, 1);
    let Expansion { slots, positions, .. } = expansion;
    (out.scratch.slots, out.scratch.positions) = (slots, positions);
    result
}

/// How many entries a document has, where that is known without making them: no path meets an array, and no value can
/// fail to be a key. A document that is damaged is left to [`add_entries`] as well.
pub(super) fn count_plain(fields: &[Field], sparse: bool, document: &[u8]) -> Option<usize> {
    let mut missing = 0;
    for field in fields {
        match follow(Elements::new(document).ok()?, &field.path, 0).ok()?.0 {
            None => missing += 1,
            Some(value) if is_plain(value.kind) => (),
            Some(_) => return None,
        }
    }
    Some(usize::from(!sparse || missing < fields.len()))
}

/// Whether every value of this type makes one key, whatever the index's version.
fn is_plain(kind: u8) -> bool {
    use bson_type::{BOOL, DATE, DOUBLE, INT32, INT64, NULL, OBJECT_ID, STRING, TIMESTAMP};
    matches!(kind, DOUBLE | STRING | OBJECT_ID | BOOL | DATE | NULL | INT32 | TIMESTAMP | INT64)
}

/// A document on its way to keys. Each array on the way opens a frame: a slot for each field, on a stack.
struct Expansion<'a> {
    fields: &'a [Field],
    sparse: bool,
    document: &'a [u8],
    header: &'a Header<'a>,
    out: &'a mut Entries,
    slots: Vec<Slot>,
    positions: Vec<Option<Position>>,
}

/// The array that a frame's paths have met.
#[derive(Clone, Copy)]
struct Met {
    span: Span,
    /// Bit i: field i ends at it or passes through it.
    fields: u32,
    /// A position named an element that is an array itself: it is stored whole, not expanded.
    whole: bool,
}

impl<'a> Expansion<'a> {
    fn open_frame(&mut self, base: usize) {
        let end = base + self.fields.len();
        if self.slots.len() < end {
            self.slots.resize(end, Slot::new(Value::NULL, 0));
            self.positions.resize(end, None);
        }
    }

    fn elements(&self, span: Span) -> Result<Elements<'a>, Stop> {
        if span == Span::default() {
            return Ok(Elements::none());
        }
        Ok(Elements::nested(&self.document[span.start..span.end], span.start)?)
    }

    /// Follows what is left of each path in `object`, then adds a key or opens a frame for each array element.
    fn expand(&mut self, object: Span, base: usize, missing: usize, levels: usize) -> Result<(), Stop> {
        check_depth(object.start, levels)?;
        let mut missing = missing;
        let mut met: Option<Met> = None;
        for index in 0..self.fields.len() {
            let (slot, position) = (self.slots[base + index], self.positions[base + index]);
            let path = &self.fields[index].path;
            if slot.rest == path.len() {
                continue;
            }
            let (reached, whole) = self.next_value(object, path, slot.rest, position)?;
            let Some(reached) = reached else {
                self.slots[base + index] = Slot::new(Value::NULL, path.len());
                missing += 1;
                continue;
            };
            self.slots[base + index] = reached;
            if reached.kind == bson_type::ARRAY {
                let met = met.get_or_insert(Met { span: reached.value, fields: 0, whole: false });
                if met.span != reached.value {
                    return Err(Refusal::ParallelArrays.into());
                }
                met.fields |= 1 << index;
                met.whole |= whole;
            }
        }
        match met {
            Some(met) => self.expand_array(met, base, missing, levels),
            None if self.sparse && missing == self.fields.len() => Ok(()),
            None => self.add(base),
        }
    }

    fn next_value(
        &self,
        object: Span,
        path: &[u8],
        rest: usize,
        position: Option<Position>,
    ) -> Result<(Option<Slot>, bool), Stop> {
        let Some(position) = position else {
            let (reached, rest) = follow(self.elements(object)?, path, rest)?;
            return Ok((reached.map(|value| Slot::new(value, rest)), false));
        };
        if self.elements(object)?.find_name(component(path, rest).0)?.is_some() {
            return Err(Refusal::AmbiguousPosition.into());
        }
        Ok((position.reached, position.element_is_array))
    }

    fn expand_array(&mut self, met: Met, base: usize, missing: usize, levels: usize) -> Result<(), Stop> {
        let child = base + self.fields.len();
        self.open_frame(child);
        self.positions[child..child + self.fields.len()].fill(None);
        let whole = Slot { kind: bson_type::ARRAY, value: met.span, rest: 0 };
        let mut elements = self.elements(met.span)?.peekable();
        if elements.peek().is_none() {
            self.fill_frame(child, met.fields, Slot::new(Value::UNDEFINED, 0));
            return self.expand(Span::default(), child, missing, levels + 1);
        }
        for index in 0..self.fields.len() {
            self.positions[child + index] = self.position(met.span, index, self.slots[base + index].rest)?;
        }
        for element in elements {
            let value = Value::from(element?);
            let element = Slot::new(value, 0);
            self.fill_frame(child, met.fields, if met.whole { whole } else { element });
            let object = if value.kind == bson_type::OBJECT { element.value } else { Span::default() };
            self.expand(object, child, missing, levels + 1)?;
        }
        Ok(())
    }

    /// The array element that the rest of a path names by position, followed to where that leads.
    fn position(&self, array: Span, index: usize, rest: usize) -> Result<Option<Position>, Stop> {
        let path = &self.fields[index].path;
        if rest == path.len() {
            return Ok(None);
        }
        let Some(element) = self.elements(array)?.find_name(component(path, rest).0)? else {
            return Ok(None);
        };
        let (reached, rest) = follow(self.elements(array)?, path, rest)?;
        let reached = reached.map(|value| Slot::new(value, rest));
        Ok(Some(Position { element_is_array: element.kind == bson_type::ARRAY, reached }))
    }

    /// Copies the parent's slots; fields that end at the array take `at_array`.
    fn fill_frame(&mut self, child: usize, fields: u32, at_array: Slot) {
        let parent = child - self.fields.len();
        for (index, field) in self.fields.iter().enumerate() {
            let slot = self.slots[parent + index];
            let ends_here = fields >> index & 1 == 1 && slot.rest == field.path.len();
            self.slots[child + index] = if ends_here { Slot { rest: slot.rest, ..at_array } } else { slot };
        }
    }

    fn add(&mut self, base: usize) -> Result<(), Stop> {
        let slots = &self.slots[base..base + self.fields.len()];
        let (fields, document) = (self.fields, self.document);
        self.out.add(self.header, |writer| {
            fields
                .iter()
                .zip(slots)
                .try_for_each(|(field, slot)| writer.field(slot.value(document), field.direction))
        })
    }
}

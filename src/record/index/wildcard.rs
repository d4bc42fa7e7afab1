//! Keys of wildcard indexes: (path, value) for every leaf of a document.
//!
//! ```text
//!  {a: 1, b: {c: [2, {d: 3}], e: {}}}     ("a", 1) ("b.c", 2) ("b.c.d", 3) ("b.e", {})
//! ```
//!
//! Arrays add nothing to the path. An array inside an array is a value; an empty array is undefined. Names with a
//! dot are passed over. Beside them a whole index has one metadata entry, (1, path), for each path at which any
//! document had an array.
//!
//! # Source
//!
//! `WildcardKeyGenerator::_traverseWildcard`, `src/mongo/db/index/wildcard_key_generator.cpp` of MongoDB 6.0.

use super::Stop;
use super::entries::{Entries, Header};
use super::projection::Projection;
use crate::document::{Element, Elements};
use crate::record::keystring::{Direction, Value, bson_type, check_depth};

/// Which part of a document the index covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All but `_id`.
    AllButId,
    /// What a projection leaves; for `a.$**` that is `a`.
    Projected(Projection),
}

/// Adds the entries of a document to `out`.
pub(super) fn add_entries(
    scope: &Scope,
    document: &[u8],
    header: &Header<'_>,
    out: &mut Entries,
) -> Result<(), Stop> {
    let mut path = std::mem::take(&mut out.scratch.path);
    let mut projected = std::mem::take(&mut out.scratch.projected);
    path.clear();
    let mut walk = Walk { header, out, path, part_count: 0 };
    let result = match scope {
        Scope::AllButId => walk.root(document, |element| element.name != b"_id"),
        Scope::Projected(projection) => projection
            .apply(document, &mut projected)
            .map_err(Stop::from)
            .and_then(|()| walk.root(&projected, |_| true)),
    };
    let Walk { path, .. } = walk;
    (out.scratch.path, out.scratch.projected) = (path, projected);
    result
}

struct Walk<'a> {
    header: &'a Header<'a>,
    out: &'a mut Entries,
    path: Vec<u8>,
    part_count: usize,
}

impl Walk<'_> {
    fn root(&mut self, document: &[u8], covered: impl Fn(&Element<'_>) -> bool) -> Result<(), Stop> {
        for element in Elements::new(document)? {
            let element = element?;
            if covered(&element) {
                self.element(element, Enclosing::Object, 1)?;
            }
        }
        Ok(())
    }

    fn element(&mut self, element: Element<'_>, enclosing: Enclosing, levels: usize) -> Result<(), Stop> {
        check_depth(element.at, levels)?;
        if element.name.contains(&b'.') {
            return Ok(());
        }
        let path_bytes = self.path.len();
        if enclosing == Enclosing::Object {
            if self.part_count > 0 {
                self.path.push(b'.');
            }
            self.path.extend_from_slice(element.name);
            self.part_count += 1;
        }
        let inside = match element.kind {
            bson_type::ARRAY if enclosing == Enclosing::Object => {
                self.out.note_array_path(&self.path);
                Some((Enclosing::Array, Value::UNDEFINED))
            }
            bson_type::OBJECT => Some((Enclosing::Object, element.into())),
            _ => None,
        };
        match inside {
            None => self.add(element.into())?,
            Some((enclosing, when_empty)) => {
                let mut elements = element.elements()?.peekable();
                if elements.peek().is_none() {
                    self.add(when_empty)?;
                }
                for inner in elements {
                    self.element(inner?, enclosing, levels + 1)?;
                }
            }
        }
        if enclosing == Enclosing::Object {
            self.part_count -= 1;
        }
        self.path.truncate(path_bytes);
        Ok(())
    }

    fn add(&mut self, value: Value<'_>) -> Result<(), Stop> {
        let path = &self.path;
        self.out.add(self.header, |writer| {
            writer.string(path);
            writer.field(value, Direction::Ascending)
        })
    }
}

/// What an element stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Enclosing {
    /// Its name is part of the path.
    Object,
    /// Its name is a position and is not.
    Array,
}

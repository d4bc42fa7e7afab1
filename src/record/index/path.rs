//! Dotted paths through documents: to the end, to a missing name, or to the first array.

use crate::document::{DocumentErrorKind, Elements};
use crate::record::keystring::{Value, bson_type};

/// Splits off the component that begins at `from`: its bytes, and where the next one begins.
pub(super) fn component(path: &[u8], from: usize) -> (&[u8], usize) {
    match path[from..].iter().position(|byte| *byte == b'.') {
        Some(dot) => (&path[from..from + dot], from + dot + 1),
        None => (&path[from..], path.len()),
    }
}

/// Follows `path` from its component at `from` on. Returns what stands at its end or is the first array on the
/// way, and where the rest of the path begins. A missing value leaves no rest.
///
/// # Source
///
/// `dotted_path_support::extractElementAtPathOrArrayAlongPath`, `src/mongo/db/bson/dotted_path_support.cpp` of MongoDB 6.0.
pub(super) fn follow<'d>(
    object: Elements<'d>,
    path: &[u8],
    from: usize,
) -> Result<(Option<Value<'d>>, usize), DocumentErrorKind> {
    let (mut object, mut from) = (object, from);
    loop {
        let (name, next) = component(path, from);
        let Some(element) = object.find_name(name)? else { return Ok((None, path.len())) };
        if element.kind == bson_type::ARRAY || next == path.len() {
            return Ok((Some(element.into()), next));
        }
        if element.kind != bson_type::OBJECT {
            return Ok((None, path.len()));
        }
        object = element.elements()?;
        from = next;
    }
}

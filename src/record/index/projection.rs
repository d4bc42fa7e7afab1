//! `wildcardProjection`: the part of a document that a wildcard index covers, as a document of its own.
//!
//! Including keeps the named paths, and of every object and array on the way to them what is left; excluding
//! drops them. `_id` is left out unless it is named.
//!
//! # Source
//!
//! `WildcardKeyGenerator::createProjectionExecutor`, `src/mongo/db/index/wildcard_key_generator.cpp`;
//! `ProjectionPolicies::wildcardIndexSpecProjectionPolicies`, `src/mongo/db/query/projection_policies.h`, MongoDB 6.0.

use super::IndexError;
use super::path::component;
use super::spec::as_number;
use crate::document::{Element, Elements};
use crate::record::keystring::{KeyError, bson_type, check_depth};

/// Paths to keep or to drop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Projection {
    effect: Effect,
    root: Node,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Include,
    Exclude,
}

/// The names below a path. None: the path ends here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Node {
    children: Vec<(Vec<u8>, Node)>,
}

impl Node {
    fn child(&self, name: &[u8]) -> Option<&Node> {
        self.children.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }

    /// Adds a path; `false` if it collides with one that is there.
    fn add(&mut self, path: &[u8]) -> bool {
        let (name, next) = component(path, 0);
        let known = self.children.iter().position(|(known, _)| known == name);
        let ends = next == path.len();
        let index = match known {
            Some(_) if ends => return false,
            Some(index) if self.children[index].1.children.is_empty() => return false,
            Some(index) => index,
            None => {
                self.children.push((name.to_vec(), Node::default()));
                self.children.len() - 1
            }
        };
        ends || self.children[index].1.add(&path[next..])
    }
}

impl Projection {
    /// Of the index `path.$**`.
    pub(super) fn subtree(path: &[u8]) -> Self {
        let mut root = Node::default();
        root.add(path);
        Self { effect: Effect::Include, root }
    }

    /// From the value of `wildcardProjection`.
    pub(super) fn parse(specification: &Element<'_>) -> Result<Self, IndexError> {
        let mut paths = Vec::new();
        collect(specification.elements()?, &mut Vec::new(), &mut paths, 1)?;
        if paths.is_empty() {
            return Err(IndexError::EmptyProjection);
        }
        let mut named_id = None;
        let mut effect = None;
        let mut root = Node::default();
        for (path, keep) in paths {
            if path == b"_id" {
                named_id = Some(keep);
                continue;
            }
            let this = if keep { Effect::Include } else { Effect::Exclude };
            if *effect.get_or_insert(this) != this {
                return Err(IndexError::MixedProjection);
            }
            if !root.add(&path) {
                return Err(IndexError::CollidingProjection {
                    path: String::from_utf8_lossy(&path).into_owned(),
                });
            }
        }
        // `_id` alone says by itself which of the two it is.
        let effect = effect.unwrap_or(if named_id == Some(true) { Effect::Include } else { Effect::Exclude });
        let keep_id = named_id == Some(true);
        if keep_id == (effect == Effect::Include) {
            root.add(b"_id");
        }
        Ok(Self { effect, root })
    }

    /// Writes what is left of `document` into `out`, which is cleared.
    pub(super) fn apply(&self, document: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
        out.clear();
        self.object(Elements::new(document)?, &self.root, document, out, 1)
    }

    fn object(
        &self,
        elements: Elements<'_>,
        node: &Node,
        document: &[u8],
        out: &mut Vec<u8>,
        levels: usize,
    ) -> Result<(), KeyError> {
        document_of(out, |out| {
            for element in elements {
                let element = element?;
                match node.child(element.name) {
                    Some(child) if child.children.is_empty() => {
                        self.whole(&element, Effect::Include, document, out);
                    }
                    Some(child) => self.inside(&element, child, document, out, levels)?,
                    None => self.whole(&element, Effect::Exclude, document, out),
                }
            }
            Ok(())
        })
    }

    /// An element on the way to a path: objects and the elements of arrays are looked into, at any depth.
    fn inside(
        &self,
        element: &Element<'_>,
        node: &Node,
        document: &[u8],
        out: &mut Vec<u8>,
        levels: usize,
    ) -> Result<(), KeyError> {
        check_depth(element.at, levels + 1)?;
        match element.kind {
            bson_type::OBJECT => {
                out.extend_from_slice(&document[element.at..element.value_at()]);
                self.object(element.elements()?, node, document, out, levels + 1)
            }
            bson_type::ARRAY => {
                out.extend_from_slice(&document[element.at..element.value_at()]);
                let elements = element.elements()?;
                document_of(out, |out| {
                    elements
                        .into_iter()
                        .try_for_each(|inner| self.inside(&inner?, node, document, out, levels + 1))
                })
            }
            _ => {
                self.whole(element, Effect::Exclude, document, out);
                Ok(())
            }
        }
    }

    /// Copies an element if the projection has this effect.
    fn whole(&self, element: &Element<'_>, kept_when: Effect, document: &[u8], out: &mut Vec<u8>) {
        if self.effect == kept_when {
            out.extend_from_slice(&document[element.at..element.value_at() + element.value.len()]);
        }
    }
}

/// Length in front, NUL behind what `write` appends.
fn document_of(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), KeyError>,
) -> Result<(), KeyError> {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out)?;
    out.push(0);
    // Never longer than the document it is made from.
    let length = i32::try_from(out.len() - start).unwrap_or(i32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// All paths of a projection, nested objects joined with dots, and whether each is kept.
fn collect(
    elements: Elements<'_>,
    prefix: &mut Vec<u8>,
    paths: &mut Vec<(Vec<u8>, bool)>,
    levels: usize,
) -> Result<(), IndexError> {
    check_depth(0, levels).map_err(|_| IndexError::BadProjection { path: "nested too deep".to_owned() })?;
    for element in elements {
        let element = element?;
        let prefix_bytes = prefix.len();
        prefix.extend_from_slice(element.name);
        let parts_ok = prefix.split(|byte| *byte == b'.').all(|part| !part.is_empty() && part[0] != b'$');
        let keep = match element.kind {
            bson_type::BOOL => Some(element.value != [0]),
            _ => as_number(element.into()).map(|number| number != 0.0),
        };
        match keep {
            Some(keep) if parts_ok => paths.push((prefix.clone(), keep)),
            None if parts_ok && element.kind == bson_type::OBJECT => {
                prefix.push(b'.');
                collect(element.elements()?, prefix, paths, levels + 1)?;
            }
            _ => {
                return Err(IndexError::BadProjection { path: String::from_utf8_lossy(prefix).into_owned() });
            }
        }
        prefix.truncate(prefix_bytes);
    }
    Ok(())
}

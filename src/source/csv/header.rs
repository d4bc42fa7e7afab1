//! A header row as the shape of every document: dots make sub-documents.

use crate::source::fault::quoted;
use std::collections::HashMap;

/// One step of writing a document, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A cell's element.
    Cell { column: usize, key: Vec<u8> },
    /// A sub-document begins. If the row ends before `first_column` it is absent, and writing goes on
    /// behind step `close`.
    Open { key: Vec<u8>, first_column: usize, close: usize },
    /// The innermost open sub-document ends.
    Close,
}

/// A document's steps. Columns of one sub-document need not be neighbours: it stands where the first of
/// them does.
///
/// # Errors
///
/// What mongoimport refuses: a name that begins with `$`, begins or ends with `.` or holds `..`; equal
/// names; a name that is also the start of another, as `a` and `a.b`. And a NUL, which no BSON key holds.
pub(super) fn steps(names: &[Vec<u8>]) -> Result<Vec<Step>, String> {
    let mut tree = Tree { nodes: vec![Node::new(&[], 0)], by_key: HashMap::new() };
    for (column, name) in names.iter().enumerate() {
        check_name(name)?;
        tree.insert(name, column, names)?;
    }
    let mut steps = Vec::new();
    tree.write(&tree.nodes[ROOT], &mut steps);
    Ok(steps)
}

fn check_name(name: &[u8]) -> Result<(), String> {
    let shown = quoted(name);
    if name.starts_with(b"$") {
        return Err(format!("column {shown} begins with `$`"));
    }
    if name.starts_with(b".") || name.ends_with(b".") {
        return Err(format!("column {shown} begins or ends with `.`"));
    }
    if name.windows(2).any(|pair| pair == b"..") {
        return Err(format!("column {shown} holds `..`"));
    }
    if name.contains(&0) {
        return Err(format!("column {shown} holds a NUL, which BSON keys cannot"));
    }
    Ok(())
}

const ROOT: usize = 0;

/// Levels of one column's name, as deep as a server stores documents.
const PATH_KEYS_MAX: usize = 180;

/// Fields by their place in a list; a map finds them, since foreign text may hold millions of columns.
struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    by_key: HashMap<(usize, &'a [u8]), usize>,
}

struct Node<'a> {
    key: &'a [u8],
    first_column: usize,
    /// Empty for a cell.
    children: Vec<usize>,
}

impl<'a> Node<'a> {
    fn new(key: &'a [u8], first_column: usize) -> Self {
        Self { key, first_column, children: Vec::new() }
    }
}

impl<'a> Tree<'a> {
    fn insert(&mut self, name: &'a [u8], column: usize, names: &[Vec<u8>]) -> Result<(), String> {
        let keys = name.split(|byte| *byte == b'.');
        let keys_count = keys.clone().count();
        if keys_count > PATH_KEYS_MAX {
            return Err(format!("column {} has more than {PATH_KEYS_MAX} levels", quoted(name)));
        }
        let mut parent = ROOT;
        for (level, key) in keys.enumerate() {
            let is_cell = level + 1 == keys_count;
            let Some(node) = self.by_key.get(&(parent, key)).copied() else {
                let node = self.nodes.len();
                self.nodes.push(Node::new(key, column));
                self.nodes[parent].children.push(node);
                self.by_key.insert((parent, key), node);
                parent = node;
                continue;
            };
            let was_cell = self.nodes[node].children.is_empty();
            if is_cell && was_cell {
                return Err(format!("two columns are named {}", quoted(name)));
            }
            if is_cell || was_cell {
                return Err(format!(
                    "columns {} and {} cannot both be fields",
                    quoted(&names[self.nodes[node].first_column]),
                    quoted(name)
                ));
            }
            parent = node;
        }
        Ok(())
    }

    /// Appends the steps of what `parent` holds. No deeper than [`PATH_KEYS_MAX`].
    fn write(&self, parent: &Node<'_>, steps: &mut Vec<Step>) {
        for node in parent.children.iter().map(|child| &self.nodes[*child]) {
            let (key, column) = (node.key.to_vec(), node.first_column);
            if node.children.is_empty() {
                steps.push(Step::Cell { column, key });
                continue;
            }
            let open_at = steps.len();
            steps.push(Step::Close);
            self.write(node, steps);
            steps[open_at] = Step::Open { key, first_column: column, close: steps.len() };
            steps.push(Step::Close);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(names: &[&str]) -> Result<String, String> {
        let names: Vec<Vec<u8>> = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        Ok(steps(&names)?
            .iter()
            .map(|step| match step {
                Step::Cell { column, key } => format!("{}={column} ", String::from_utf8_lossy(key)),
                Step::Open { key, first_column, close } => {
                    format!("{}@{first_column}->{close}( ", String::from_utf8_lossy(key))
                }
                Step::Close => ") ".to_owned(),
            })
            .collect())
    }

    #[test]
    fn dots_make_sub_documents_where_their_first_column_stands() {
        for (names, want, why) in [
            (&["a", "b"][..], "a=0 b=1 ", "plain"),
            (&["", "a"], "=0 a=1 ", "an empty name is one"),
            (&["a.x", "b", "a.y"], "a@0->3( x=0 y=2 ) b=1 ", "columns apart are brought together"),
            (&["a.b.c", "a.d"], "a@0->5( b@0->3( c=0 ) d=1 ) ", "two levels"),
            (&["a.0", "a.1"], "a@0->3( 0=0 1=1 ) ", "digits are keys"),
        ] {
            assert_eq!(shown(names).as_deref(), Ok(want), "{why}");
        }
    }

    #[test]
    fn headers_that_make_no_document_are_refused_by_name() {
        for (names, want) in [
            (&["$a"][..], "column `$a` begins with `$`"),
            (&[".a"], "column `.a` begins or ends with `.`"),
            (&["a."], "column `a.` begins or ends with `.`"),
            (&["a..b"], "column `a..b` holds `..`"),
            (&["a\0"], "column `a\\0` holds a NUL, which BSON keys cannot"),
            (&["a", "b", "a"], "two columns are named `a`"),
            (&["a.b", "a.b"], "two columns are named `a.b`"),
            (&["a", "a.b"], "columns `a` and `a.b` cannot both be fields"),
            (&["a.b", "a"], "columns `a.b` and `a` cannot both be fields"),
        ] {
            assert_eq!(shown(names), Err(want.to_owned()));
        }
        let deep = "a.".repeat(100_000) + "a";
        assert!(shown(&[&deep]).is_err_and(|what| what.ends_with("has more than 180 levels")));
    }
}

//! The live pages of a file, from the root down, in key order: a stack of our own, and no page twice.

use super::block::Address;
use super::cells::{Cell, CellKind, Cells};
use super::error::{Fault, Read};
use super::page::{PageKind, PageReader};
use super::space::Space;
use super::{DataFile, PageFacts};
use crate::units::AllocationUnit;

/// Levels of a tree that are followed. Three hold a terabyte.
const LEVELS_MAX: usize = 32;

/// What a walk comes to next.
#[derive(Debug)]
pub enum Step {
    /// A page that leads on; the root is at level 0.
    Internal {
        /// Pages above it.
        level: usize,
        /// Its sizes.
        facts: PageFacts,
    },
    /// A leaf, not read yet: whoever walks may have others read it.
    Leaf(Address),
    /// A page that cannot be followed. What it leads to is not visited.
    Fault {
        /// The block, as its parent has it.
        address: Address,
        /// What is wrong.
        fault: Fault,
        /// Whether the block's bytes are its own: they are not where its address is at fault.
        owned: Owned,
    },
}

/// Whether the bytes of a block that cannot be read have it as their owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owned {
    /// Yes: its contents are at fault.
    Yes,
    /// No: its address is.
    No,
}

#[derive(Clone, Copy, Debug)]
struct Child {
    address: Address,
    is_leaf: bool,
}

/// Visits every live page. Holds the addresses below the pages on its way down, and a bit for each unit of the
/// file; every block is claimed when its address is read, so a cycle ends where it closes.
pub struct Walk<'f> {
    file: &'f DataFile,
    reader: PageReader<'f>,
    space: Space,
    /// Children not yet visited, the next one last.
    stack: Vec<Vec<Child>>,
    /// Faults of addresses, to be told before the walk goes on.
    refused: Vec<(Address, Fault)>,
    description_bytes: u64,
    list_bytes: u64,
}

impl<'f> Walk<'f> {
    pub(super) fn new(file: &'f DataFile) -> Self {
        let checkpoint = file.checkpoint();
        let mut walk = Self {
            file,
            reader: file.page_reader(),
            space: Space::new(checkpoint.config.unit),
            stack: Vec::new(),
            refused: Vec::new(),
            description_bytes: 0,
            list_bytes: 0,
        };
        walk.begin();
        walk
    }

    /// The description block and the extent lists are owned before any page is.
    fn begin(&mut self) {
        let checkpoint = self.file.checkpoint();
        let description = Address { offset: 0, bytes: checkpoint.config.unit.bytes(), checksum: 0 };
        let lists = checkpoint.lists.iter().copied().chain([checkpoint.available]);
        for address in std::iter::once(description).chain(lists) {
            match self.claim(address) {
                Ok(()) if address.offset == 0 => self.description_bytes = address.bytes,
                Ok(()) => self.list_bytes += address.bytes,
                Err(fault) => self.refused.push((address, fault)),
            }
        }
        if let Some(root) = checkpoint.root {
            let child = Child { address: root, is_leaf: false };
            let known = self.admit(child).into_iter().collect();
            self.stack.push(known);
        }
    }

    /// The space that has an owner so far.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Bytes of the description block.
    #[must_use]
    pub fn description_bytes(&self) -> u64 {
        self.description_bytes
    }

    /// Bytes of the checkpoint's extent lists.
    #[must_use]
    pub fn list_bytes(&self) -> u64 {
        self.list_bytes
    }

    /// Gives an overflow item's block, or a free extent, its owner.
    ///
    /// # Errors
    ///
    /// A place outside the checkpoint's file, or with an owner.
    pub fn claim(&mut self, address: Address) -> Read<()> {
        claim(&mut self.space, self.file, address)
    }

    /// Claims a child; tells of it instead if that fails.
    fn admit(&mut self, child: Child) -> Option<Child> {
        match claim(&mut self.space, self.file, child.address) {
            Ok(()) => Some(child),
            Err(fault) => {
                self.refused.push((child.address, fault));
                None
            }
        }
    }

    /// Reads an internal page and puts its children on the stack.
    fn descend(&mut self, address: Address) -> Read<Step> {
        let offset = address.offset;
        let level = self.stack.len() - 1;
        if level >= LEVELS_MAX {
            return Err(Fault::TooDeep { offset, limit: LEVELS_MAX });
        }
        let page = self.reader.read(address)?;
        if page.header.kind != PageKind::Internal {
            return Err(Fault::Damaged {
                offset,
                at: None,
                what: "no internal page, although its parent says so",
            });
        }
        let (unit, space, file) = (self.file.checkpoint().config.unit, &mut self.space, self.file);
        let mut children = Vec::new();
        let mut fault = None;
        for cell in Cells::of(&page)? {
            match cell.map(|cell| child_of(&cell, unit)) {
                Ok(ChildCell::Child(child)) => match claim(space, file, child.address) {
                    Ok(()) => children.push(child),
                    Err(fault) => self.refused.push((child.address, fault)),
                },
                Ok(ChildCell::Other) => {}
                Ok(ChildCell::Damaged(what)) => fault = Some(Fault::Damaged { offset, at: None, what }),
                Err(damaged) => fault = Some(damaged),
            }
        }
        let facts = PageFacts::of(&page);
        children.reverse();
        // Of a damaged page too: what was claimed is visited.
        self.stack.push(children);
        fault.map_or(Ok(Step::Internal { level, facts }), Err)
    }
}

fn claim(space: &mut Space, file: &DataFile, address: Address) -> Read<()> {
    let Address { offset, bytes, .. } = address;
    let (checkpoint, unit) = (file.checkpoint(), file.checkpoint().config.unit.bytes());
    let within = [("file", file.blocks().length()), ("checkpoint", checkpoint.file_bytes)];
    for (what, limit) in within {
        if address.end() > limit {
            return Err(Fault::Outside { offset, bytes, limit, what });
        }
    }
    if !offset.is_multiple_of(unit) || !bytes.is_multiple_of(unit) {
        return Err(Fault::Damaged { offset, at: None, what: "a block that is no whole number of units" });
    }
    space.claim(offset, bytes)
}

enum ChildCell {
    Child(Child),
    /// A key, or a child that was truncated.
    Other,
    Damaged(&'static str),
}

fn child_of(cell: &Cell<'_>, unit: AllocationUnit) -> ChildCell {
    match cell.kind {
        CellKind::Child { is_leaf } => match Address::of_cookie(cell.data, unit) {
            Some(address) => ChildCell::Child(Child { address, is_leaf }),
            None => ChildCell::Damaged("a child's address cannot be read"),
        },
        CellKind::Key { .. } | CellKind::OverflowKey | CellKind::DeletedChild | CellKind::Removed => {
            ChildCell::Other
        }
        CellKind::Value | CellKind::OverflowValue => ChildCell::Damaged("a value on an internal page"),
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if let Some((address, fault)) = self.refused.pop() {
            return Some(Step::Fault { address, fault, owned: Owned::No });
        }
        let child = loop {
            match self.stack.last_mut()?.pop() {
                Some(child) => break child,
                None => drop(self.stack.pop()),
            }
        };
        if child.is_leaf {
            return Some(Step::Leaf(child.address));
        }
        let fault = |fault| Step::Fault { address: child.address, fault, owned: Owned::Yes };
        Some(self.descend(child.address).unwrap_or_else(fault))
    }
}

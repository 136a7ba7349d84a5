//! An edge of the call graph: a site, the method entered from there, and how its numbers are given.
//!
//! Invariant: an edge that was used in one way stays so. Source: Lucce section 2 (call site, edge);
//! docs/FORMAT.md, "Numbering".

use lucce_words::{MethodId, SiteId};

use crate::link::Passage;

/// How the numbering treats an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeState {
    /// Part of the topological order; numbered by whole blocks.
    Ordered,
    /// Always pushed.
    Cut,
    /// On a cycle of constructors; numbered in pieces as contexts come up.
    Unrolled,
}

/// An edge of the call graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The calling instruction.
    pub site: SiteId,
    /// The method that owns it.
    pub caller: MethodId,
    /// The method entered.
    pub callee: MethodId,
    /// How the numbering treats it.
    pub state: EdgeState,
    pub(crate) used: [bool; 2],
    pub(crate) cut_used: bool,
}

impl Edge {
    /// Has it had a segment for this passage?
    pub fn used(&self, passage: Passage) -> bool {
        self.used[usize::from(passage.restoring())]
    }
}

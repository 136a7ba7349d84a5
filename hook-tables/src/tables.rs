//! The tables that the hooks of every encoder may read, as one part of the agent.
//!
//! Invariant: reserved once a run, before any hook can ask for their addresses. Tables of one event
//! source or one counter belong to that one, and are not here.
//! Source: docs/design/link-tables.md, docs/design/thread-state.md ("Captures").

use crate::calls::Calls;
use crate::context_table::ContextTable;
use crate::links::Links;

/// What the hooks read by address.
pub struct HookTables {
    /// From (site, callee, word) to the callee's word.
    pub links: Links,
    /// Captured contexts that the hooks find.
    pub contexts: ContextTable,
    /// What each thread counted, with `encoder=count`.
    pub calls: Calls,
}

impl HookTables {
    /// Reserves address space for them; `None` if there is none.
    pub fn reserve() -> Option<Self> {
        Some(Self { links: Links::reserve()?, contexts: ContextTable::reserve()?, calls: Calls::default() })
    }
}

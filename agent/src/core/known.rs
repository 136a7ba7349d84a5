//! What the log must know before an event names it: nodes of captured contexts, kinds, sites and methods.
//!
//! Invariant: a number is given once, and its record queued when it is given.

use lucce_log::Record;
use lucce_words::{Lost, MethodId, NodeId, SiteId};

use super::Inner;
use crate::catalog::Catalog;

impl Inner {
    /// The node of a captured frame: `site`'s method at `site`, called from `parent`.
    pub fn node(&mut self, catalog: &Catalog, parent: NodeId, site: SiteId) -> Option<NodeId> {
        if let Some(&node) = self.tree.get(&(parent, site)) {
            return Some(node);
        }
        self.know_site(catalog, site).ok()?;
        let node = NodeId(u32::try_from(self.nodes.len()).ok()?);
        self.nodes.push((parent, site));
        self.tree.insert((parent, site), node);
        self.captured.insert(site);
        self.journal.records.push(Record::Node { id: node, parent, site });
        Some(node)
    }

    /// Parent and site of a node; `None` for the empty context and for numbers that are no node.
    pub fn node_at(&self, node: NodeId) -> Option<(NodeId, SiteId)> {
        if node.0 == 0 { None } else { self.nodes.get(node.index()).copied() }
    }

    /// Captured contexts so far.
    pub fn node_count(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The number of an event kind.
    pub fn kind(&mut self, name: &str) -> u32 {
        if let Some(&kind) = self.kinds.get(name) {
            return kind;
        }
        let kind = self.kinds.len() as u32 + 1;
        self.kinds.insert(name.into(), kind);
        self.record(Record::Kind { id: kind, name: name.into() });
        kind
    }

    /// Makes sure that the log describes a site before an event names it.
    pub fn describe(&mut self, catalog: &Catalog, site: SiteId) {
        // Without ids the event's trace says "unknown here".
        let _ = self.know_site(catalog, site);
    }

    /// Makes sure that the log describes both ends of a call.
    ///
    /// # Errors
    /// The reason why the context is lost.
    pub fn describe_call(&mut self, catalog: &Catalog, site: SiteId, callee: MethodId) -> Result<(), Lost> {
        self.know_site(catalog, site)?;
        self.know_method(catalog, callee)
    }

    pub(super) fn know_site(&mut self, catalog: &Catalog, site: SiteId) -> Result<(), Lost> {
        self.journal.know_site(&mut self.encoder, catalog, site)
    }

    pub(super) fn know_method(&mut self, catalog: &Catalog, method: MethodId) -> Result<(), Lost> {
        self.journal.know_method(&mut self.encoder, catalog, method)
    }
}

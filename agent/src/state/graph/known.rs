//! What the log must know before an event names it: nodes of captured contexts, kinds, sites and
//! methods.
//!
//! Invariant: a number is given once, and its record queued when it is given.

use lucce_log::Record;
use lucce_words::{Lost, MethodId, NodeId, SiteId};

use super::LockedGraph;
use super::contexts::Contexts;
use crate::support::kinds::{self, EventKind, Numbered};

impl LockedGraph {
    /// The node of a captured frame: `site`'s method at `site`, called from `parent`.
    pub fn node(&mut self, parent: NodeId, site: SiteId) -> Option<NodeId> {
        self.numbered((parent, site), |contexts| contexts.add(parent, site))
    }

    /// The same of an encoder whose entries ask for nothing: a new node is the first that is known
    /// of its call, whose edge is made with it. `None` also where the parent was forgotten.
    pub fn node_of_call(&mut self, parent: NodeId, site: SiteId) -> Option<NodeId> {
        if let Some(node) = self.contexts.find(parent, site) {
            return Some(node);
        }
        let from = if parent == NodeId(0) { SiteId::ROOT } else { self.contexts.at(parent)?.1 };
        let callee = self.method_at(site)?;
        let node = self.node(parent, site)?;
        self.encoder.meet(from, callee);
        Some(node)
    }

    /// Makes the edge of a call where entries ask for nothing and no node is made either.
    pub fn meet(&mut self, (site, callee): (SiteId, MethodId)) {
        // Without ids nothing can name it.
        if !self.has_edge((site, callee)) && self.describe_call(site, callee).is_ok() {
            self.encoder.meet(site, callee);
        }
    }

    /// The number by which the log knows a context, which is not remembered: its own if it is
    /// captured, else a new one.
    pub fn name(&mut self, parent: NodeId, site: SiteId) -> Option<NodeId> {
        self.numbered((parent, site), Contexts::name)
    }

    /// The number of a captured context, or else that which `new` gives it.
    fn numbered(
        &mut self,
        (parent, site): (NodeId, SiteId),
        new: impl FnOnce(&mut Contexts) -> Option<NodeId>,
    ) -> Option<NodeId> {
        if let Some(node) = self.contexts.find(parent, site) {
            return Some(node);
        }
        self.know_site(site).ok()?;
        let id = new(&mut self.contexts)?;
        self.journal.records.push(Record::Node { id, parent, site });
        Some(id)
    }

    /// The program gets the number of the context of these sites, innermost first. `is_named`: the
    /// log has named it before, so if it knows nothing of a site by now, its class was unloaded;
    /// then there is none.
    pub fn give_path(&mut self, sites: &[SiteId], is_named: bool) -> Option<NodeId> {
        let is_gone = is_named && sites.iter().any(|site| !self.journal.sites.contains(site));
        let node = sites.iter().rev().try_fold(NodeId(0), |parent, &site| {
            if is_gone { self.contexts.find(parent, site) } else { self.node(parent, site) }
        })?;
        self.contexts.give(node);
        Some(node)
    }

    /// The program gets the number of this node, and may ask for it at any time.
    pub fn give(&mut self, node: NodeId) {
        self.contexts.give(node);
    }

    /// Parent and site of a node; `None` for the empty context and for numbers that nobody was
    /// given.
    pub fn node_at(&self, node: NodeId) -> Option<(NodeId, SiteId)> {
        self.contexts.at(node)
    }

    /// The method whose instruction the site is.
    pub fn method_at(&self, site: SiteId) -> Option<MethodId> {
        self.catalog.site(site).map(|entry| entry.method)
    }

    /// Captured contexts so far.
    pub fn node_count(&self) -> usize {
        self.contexts.count()
    }

    /// How many of them were forgotten.
    pub fn forgotten_nodes(&self) -> u64 {
        self.contexts.forgotten()
    }

    /// The last number given to a captured context in this process.
    pub fn last_node(&self) -> NodeId {
        self.contexts.last()
    }

    /// Numbers up to this one are those of earlier runs.
    pub fn go_on_behind(&mut self, last: NodeId) {
        self.contexts.go_on_behind(last);
    }

    /// The number of an event kind. The agent's own kinds always have one each.
    pub fn kind(&mut self, kind: EventKind<'_>) -> u32 {
        let (id, given) = match self.kinds.number(kind, kinds::MOST) {
            Numbered::Before(id) => return id,
            Numbered::Now(id, given) => (id, given),
        };
        if *given == *kinds::OTHERS && kind.name != kinds::OTHERS {
            let text = format!("there are {} kinds of events; those of further kinds are under '{given}'", kinds::MOST);
            self.record(Record::Note { text });
        }
        self.record(Record::Kind { id, owner: kind.owner, name: given.as_ref().into() });
        id
    }

    /// Makes sure that the log describes a site before an event names it.
    pub fn describe(&mut self, site: SiteId) {
        // Without ids the event's trace says "unknown here".
        let _ = self.know_site(site);
    }

    /// Makes sure that the log describes both ends of a call.
    ///
    /// # Errors
    /// The reason why the context is lost.
    pub fn describe_call(&mut self, site: SiteId, callee: MethodId) -> Result<(), Lost> {
        self.know_site(site)?;
        self.know_method(callee)
    }

    pub(super) fn know_site(&mut self, site: SiteId) -> Result<(), Lost> {
        self.journal.know_site(&mut self.encoder, &self.catalog, site)
    }

    pub(super) fn know_method(&mut self, method: MethodId) -> Result<(), Lost> {
        self.journal.know_method(&mut self.encoder, &self.catalog, method)
    }
}

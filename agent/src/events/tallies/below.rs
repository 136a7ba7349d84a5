//! What was counted below one activation, for `Lucce.measure`.
//!
//! Invariant: a sum is below the activation if its path leads through the activation's method, under the same caller. Whatever could be missing
//! makes another number grow: uses without a record, sums of lost contexts, and records that were closed with their classes.
//! Source: docs/design/tallies.md ("Below an activation").

use lucce_words::{MethodId, NodeId};
use rustc_hash::FxHashMap;

use super::{Counted, Sum, Table, Tallies, TallyKind};
use crate::state::agent::Agent;
use crate::state::catalog::Catalog;
use crate::state::graph::LockedGraph;

/// The activation: the node of its caller's frame, and its method.
struct Activation {
    caller: NodeId,
    method: MethodId,
    /// Nodes that were looked at: do they lie below it?
    seen: FxHashMap<NodeId, bool>,
}

impl Tallies {
    /// What was counted below the activation that has captured this number. First comes a sum for each kind that is counted, of the node 0: what is
    /// in no known context. `None` for other numbers, and after the kill switch.
    ///
    /// That the program has stopped a source for the log changes nothing: the hooks count on.
    pub fn below(&self, agent: &Agent, captured: i64) -> Option<Vec<Counted>> {
        let captured = NodeId(u32::try_from(captured).ok()?);
        if agent.switch.is_ended() {
            return None;
        }
        let (all, closed) = {
            let ledger = self.ledger.lock();
            (ledger.counted(), ledger.closed())
        };
        let (alloc, entries) = (agent.options.alloc_all, !agent.options.entries.is_empty());
        let counted = [(TallyKind::Alloc, alloc), (TallyKind::Entry, entries)].into_iter().filter(|(_, is)| *is);
        let mut sums: Vec<Counted> = counted
            .map(|(kind, _)| {
                let lost = all.iter().filter(|(what, _)| what.kind == kind && what.node == NodeId(0));
                let count = lost.map(|(_, sum)| sum.count).sum::<u64>() + Table::lost(kind).count() + closed;
                Counted { kind, node: NodeId(0), class: None, count, value: 0 }
            })
            .collect();
        let below = agent.graph.locked(|graph| {
            let mut activation = Activation::of(graph, &agent.catalog, captured)?;
            let mut below = all;
            below.retain(|(what, sum)| sum.count > 0 && activation.is_above(graph, &agent.catalog, what.node));
            below.iter().for_each(|(what, _)| graph.give(what.node));
            Some(below)
        })?;
        sums.extend(below.into_iter().map(|(what, Sum { count, value })| Counted {
            kind: what.kind,
            node: what.node,
            class: self.class(agent, what),
            count,
            value,
        }));
        Some(sums)
    }
}

impl Activation {
    fn of(graph: &LockedGraph, catalog: &Catalog, captured: NodeId) -> Option<Self> {
        let (caller, site) = graph.node_at(captured)?;
        Some(Self { caller, method: catalog.site(site)?.method, seen: FxHashMap::default() })
    }

    /// Does the node's path lead through it? A node has a greater number than its parent.
    fn is_above(&mut self, graph: &LockedGraph, catalog: &Catalog, mut node: NodeId) -> bool {
        let mut path = Vec::new();
        let is_above = loop {
            if node <= self.caller {
                break false;
            }
            if let Some(&known) = self.seen.get(&node) {
                break known;
            }
            path.push(node);
            let Some((parent, site)) = graph.node_at(node) else { break false };
            if parent == self.caller {
                break catalog.site(site).is_some_and(|site| site.method == self.method);
            }
            node = parent;
        };
        self.seen.extend(path.into_iter().map(|node| (node, is_above)));
        is_above
    }
}

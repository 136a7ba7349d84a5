//! What was counted below one activation, and in the tasks that were handed over there, for
//! `Lucce.measure`.
//!
//! Invariant: a sum is below the activation if its path leads through the activation's method,
//! under the same caller; or if its task was handed over there, or by such a task. Whatever could
//! be missing makes another number grow: uses without a record, sums of lost contexts, sums of
//! tasks that may be such, and records that were closed with their classes.
//! Source: docs/design/tallies.md ("Below an activation", "Tasks of a measurement").

use lucce_words::{MethodId, NodeId, OriginId};
use rustc_hash::FxHashMap;

use super::{Counted, Sum, Table, Tallies, TallyKind};
use crate::events::origins::HandedOver;
use crate::state::agent::Agent;
use crate::state::graph::LockedGraph;

/// The activation: the node of its caller's frame, and its method.
struct Activation {
    caller: NodeId,
    method: MethodId,
    /// Nodes that were looked at: do they lie below it?
    seen: FxHashMap<NodeId, bool>,
}

/// Where a sum belongs.
enum Part {
    /// It is no part of the measurement.
    Other,
    /// Of it, by the thread itself, or by a task that was handed over at these contexts.
    Of(Vec<NodeId>),
    /// Perhaps of it.
    Unknown,
}

impl Tallies {
    /// What was counted below the activation that has captured this number, and in tasks of the
    /// measurement unless that is 0. First comes a sum for each kind that is counted, of the node
    /// 0: what is in no known context, or of a task of which too little is known. `None` for other
    /// numbers, and after the kill switch.
    ///
    /// That the program has stopped a source for the log changes nothing: the hooks count on.
    pub fn below(&self, agent: &Agent, captured: i64, measurement: OriginId) -> Option<Vec<Counted>> {
        let captured = NodeId(u32::try_from(captured).ok()?);
        if agent.run.switch.is_ended() {
            return None;
        }
        let (all, closed) = {
            let ledger = self.ledger.lock();
            (ledger.counted(), ledger.closed())
        };
        let keys = all.iter().map(|(_, key, _)| *key).filter(|key| *key != OriginId(0));
        let places = agent.events.origins.handed_over(keys, measurement);
        let mut unknown = [closed; TallyKind::ALL.len()];
        let below = agent.graph.locked(|graph| {
            let mut activation = Activation::of(graph, captured)?;
            let mut below = Vec::new();
            for (what, key, sum) in all.into_iter().filter(|(_, _, sum)| sum.count > 0) {
                match activation.part(graph, what.node, places.get(&key)) {
                    Part::Other => {}
                    Part::Of(handed_over) => {
                        handed_over.iter().chain([&what.node]).for_each(|node| graph.give(*node));
                        below.push((what, handed_over, sum));
                    }
                    Part::Unknown => unknown[what.kind as usize] += sum.count,
                }
            }
            Some(below)
        })?;
        let (alloc, entries) = (agent.options.alloc_all, !agent.options.entries.is_empty());
        let counted = [(TallyKind::Alloc, alloc), (TallyKind::Entry, entries)].into_iter().filter(|(_, is)| *is);
        let mut sums: Vec<Counted> = counted
            .map(|(kind, _)| {
                let count = unknown[kind as usize] + Table::lost(kind).count();
                Counted { kind, node: NodeId(0), class: None, count, value: 0, handed_over: Vec::new() }
            })
            .collect();
        sums.extend(below.into_iter().map(|(what, handed_over, Sum { count, value })| Counted {
            kind: what.kind,
            node: what.node,
            class: self.class(&agent.classes, what),
            count,
            value,
            handed_over,
        }));
        Some(sums)
    }
}

impl Activation {
    fn of(graph: &LockedGraph, captured: NodeId) -> Option<Self> {
        let (caller, site) = graph.node_at(captured)?;
        Some(Self { caller, method: graph.method_at(site)?, seen: FxHashMap::default() })
    }

    /// Where a sum belongs that was counted in that context, in a task that was handed over there
    /// if it is one.
    fn part(&mut self, graph: &LockedGraph, node: NodeId, task: Option<&HandedOver>) -> Part {
        match task {
            // Whoever has lost the context may have been anywhere.
            None if node == NodeId(0) => Part::Unknown,
            None if self.is_above(graph, node) => Part::Of(Vec::new()),
            None | Some(HandedOver::Elsewhere) => Part::Other,
            Some(_) if node == NodeId(0) => Part::Unknown,
            Some(HandedOver::Unknown) => Part::Unknown,
            // By the thread itself, which runs its own task.
            Some(HandedOver::At(_)) if self.is_above(graph, node) => Part::Of(Vec::new()),
            Some(HandedOver::At(nodes)) => {
                // The thread itself may have done so in a task of its own.
                let own = nodes.iter().position(|node| self.is_above(graph, *node));
                own.map_or(Part::Unknown, |own| Part::Of(nodes.iter().take(own + 1).copied().collect()))
            }
        }
    }

    /// Does the node's path lead through it? A node has a greater number than its parent.
    fn is_above(&mut self, graph: &LockedGraph, mut node: NodeId) -> bool {
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
                break graph.method_at(site) == Some(self.method);
            }
            node = parent;
        };
        self.seen.extend(path.into_iter().map(|node| (node, is_above)));
        is_above
    }
}

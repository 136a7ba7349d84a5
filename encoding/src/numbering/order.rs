//! Incremental topological order of the edges that are not cut: does a new edge close a cycle?
//!
//! Invariant: for each edge kept here, the caller comes before the callee. A search runs from both
//! ends and takes at most [`BOUND`] steps, so an insertion has a bounded cost; the order is
//! repaired by moving only nodes the search has met.
//! Source: Haeupler, Kavitha, Mathew, Sen, Tarjan: Incremental Cycle Detection, Topological
//! Ordering, and Strong Component Maintenance (2012), two-way compatible search. A one-way search,
//! as that of Pearce and Kelly, walks all that a widely used method calls.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use lucce_words::{EdgeId, MethodId, Paged};

use crate::numbering::label::Labels;

/// Most edges one search may look at.
pub(crate) const BOUND: usize = 4096;

/// What came of an insertion.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// The edge is part of the order.
    Kept,
    /// It would close a cycle with these edges (from the callee to the caller); it was not
    /// inserted.
    Cycle(Vec<EdgeId>),
    /// The search was given up; it was not inserted.
    Bound,
}

#[derive(Clone, Copy)]
struct Arc {
    edge: EdgeId,
    node: u32,
}

/// One direction of the search at one node.
#[derive(Clone, Copy, Default)]
struct Visit {
    epoch: u32,
    cursor: u32,
    /// The arc that led here, as (edge, node it came from).
    parent: (EdgeId, u32),
}

#[derive(Clone, Default)]
struct OrderNode {
    callees: Vec<Arc>,
    callers: Vec<Arc>,
    forward: Visit,
    backward: Visit,
}

pub(crate) struct Order {
    nodes: Paged<OrderNode>,
    labels: Labels,
    epoch: u32,
}

impl Order {
    pub(crate) fn new() -> Self {
        Self { nodes: Paged::new(OrderNode::default()), labels: Labels::new(), epoch: 0 }
    }

    /// Adds the edge unless it would close a cycle.
    pub(crate) fn insert(&mut self, caller: MethodId, callee: MethodId, edge: EdgeId) -> Insertion {
        let (p, n) = (caller.0, callee.0);
        if p == n {
            return Insertion::Cycle(Vec::new());
        }
        // Methods come into the order with their first edge: most are entered before they call.
        match (self.labels.listed(p), self.labels.listed(n)) {
            (false, true) => self.labels.insert_before(p, n),
            (false, false) => self.labels.push_last(p),
            _ => {}
        }
        if !self.labels.listed(n) {
            self.labels.push_last(n);
        }
        if self.labels.label(p) >= self.labels.label(n) {
            match self.search(p, n) {
                Insertion::Kept => {}
                refused => return refused,
            }
        }
        self.nodes[p as usize].callees.push(Arc { edge, node: n });
        self.nodes[n as usize].callers.push(Arc { edge, node: p });
        Insertion::Kept
    }

    /// Takes an edge out; the order of the others stays right.
    pub(crate) fn remove(&mut self, caller: MethodId, callee: MethodId, edge: EdgeId) {
        self.nodes[caller.index()].callees.retain(|arc| arc.edge != edge);
        self.nodes[callee.index()].callers.retain(|arc| arc.edge != edge);
    }

    /// The edges from a method, with their callees.
    pub(crate) fn callees(&self, caller: MethodId) -> impl Iterator<Item = (EdgeId, MethodId)> {
        self.nodes[caller.index()].callees.iter().map(|arc| (arc.edge, MethodId(arc.node)))
    }

    /// Takes methods out with all their edges; the order of the others stays right.
    pub(crate) fn forget(&mut self, gone: &BTreeSet<MethodId>) {
        let mut neighbours = BTreeSet::new();
        for method in gone {
            let node = &self.nodes[method.index()];
            neighbours.extend(node.callees.iter().chain(&node.callers).map(|arc| arc.node));
            self.nodes.forget(method.index());
            if self.labels.listed(method.0) {
                self.labels.remove(method.0);
            }
        }
        for node in neighbours.into_iter().filter(|node| !gone.contains(&MethodId(*node))) {
            let node = &mut self.nodes[node as usize];
            for arcs in [&mut node.callees, &mut node.callers] {
                arcs.retain(|arc| !gone.contains(&MethodId(arc.node)));
                arcs.shrink_to(2 * arcs.len());
            }
        }
    }

    /// Looks for a path from `n` to `p`, from both ends; if there is none, moves `p` before `n`.
    fn search(&mut self, p: u32, n: u32) -> Insertion {
        self.next_epoch();
        let epoch = self.epoch;
        let start = Visit { epoch, cursor: 0, parent: (EdgeId(0), u32::MAX) };
        self.nodes[n as usize].forward = start;
        self.nodes[p as usize].backward = start;
        let (mut ahead, mut behind) = (vec![n], vec![p]);
        let mut live_ahead = BinaryHeap::from([Reverse((self.labels.label(n), n))]);
        let mut live_behind = BinaryHeap::from([(self.labels.label(p), p)]);
        let mut looked = 0;
        let turn = loop {
            while let Some(&Reverse((_, u))) = live_ahead.peek()
                && self.nodes[u as usize].forward.cursor as usize == self.nodes[u as usize].callees.len()
            {
                live_ahead.pop();
            }
            while let Some(&(_, z)) = live_behind.peek()
                && self.nodes[z as usize].backward.cursor as usize == self.nodes[z as usize].callers.len()
            {
                live_behind.pop();
            }
            let u = live_ahead.peek().map(|&Reverse(at)| at);
            let (Some((low, u)), Some(&(high, z))) = (u, live_behind.peek()) else { break u };
            if low >= high {
                break Some((low, u));
            }
            if looked >= BOUND {
                return Insertion::Bound;
            }
            looked += 2;

            let visit = &mut self.nodes[u as usize].forward;
            visit.cursor += 1;
            let cursor = visit.cursor as usize - 1;
            let Arc { edge, node: x } = self.nodes[u as usize].callees[cursor];
            let node = &mut self.nodes[x as usize];
            if node.backward.epoch == epoch {
                return Insertion::Cycle(self.cycle(u, edge, x));
            }
            if node.forward.epoch != epoch {
                node.forward = Visit { epoch, cursor: 0, parent: (edge, u) };
                ahead.push(x);
                live_ahead.push(Reverse((self.labels.label(x), x)));
            }

            let visit = &mut self.nodes[z as usize].backward;
            visit.cursor += 1;
            let cursor = visit.cursor as usize - 1;
            let Arc { edge, node: y } = self.nodes[z as usize].callers[cursor];
            let node = &mut self.nodes[y as usize];
            if node.forward.epoch == epoch {
                return Insertion::Cycle(self.cycle(y, edge, z));
            }
            if node.backward.epoch != epoch {
                node.backward = Visit { epoch, cursor: 0, parent: (edge, z) };
                behind.push(y);
                live_behind.push((self.labels.label(y), y));
            }
        };
        self.reorder(p, turn, ahead, behind);
        Insertion::Kept
    }

    /// Everything met ahead below the turning point goes right before it, and what was met behind
    /// above it goes before that.
    fn reorder(&mut self, p: u32, turn: Option<(u64, u32)>, mut ahead: Vec<u32>, mut behind: Vec<u32>) {
        let last = self.labels.label(p);
        let (limit, turn) = turn.filter(|&(label, _)| label < last).unwrap_or((last, p));
        ahead.retain(|&node| self.labels.label(node) < limit);
        ahead.sort_unstable_by_key(|&node| self.labels.label(node));
        behind.retain(|&node| self.labels.label(node) > limit);
        behind.sort_unstable_by_key(|&node| self.labels.label(node));
        for &node in ahead.iter().chain(&behind) {
            self.labels.remove(node);
        }
        if turn == p {
            for &node in ahead.iter().rev() {
                self.labels.insert_after(node, p);
            }
        } else {
            for &node in behind.iter().chain(&ahead) {
                self.labels.insert_before(node, turn);
            }
        }
    }

    /// The edges from the forward start over `u -edge-> x` to the backward start.
    fn cycle(&self, u: u32, edge: EdgeId, x: u32) -> Vec<EdgeId> {
        let climb = |from: u32, side: fn(&OrderNode) -> &Visit| {
            let mut at = from;
            std::iter::from_fn(move || {
                let (edge, next) = side(&self.nodes[at as usize]).parent;
                at = next;
                (next != u32::MAX).then_some(edge)
            })
        };
        let mut edges: Vec<_> = climb(u, |node| &node.forward).collect();
        edges.reverse();
        edges.push(edge);
        edges.extend(climb(x, |node| &node.backward));
        edges
    }

    fn next_epoch(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            for node in self.nodes.iter_mut() {
                (node.forward.epoch, node.backward.epoch) = (0, 0);
            }
            self.epoch = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Is there a path from `from` to `to` over `edges`?
    fn reaches(edges: &[(u32, u32, EdgeId)], from: u32, to: u32) -> bool {
        let (mut open, mut seen) = (vec![from], std::collections::BTreeSet::from([from]));
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            open.extend(edges.iter().filter(|e| e.0 == at).map(|e| e.1).filter(|&x| seen.insert(x)));
        }
        false
    }

    #[test]
    fn exactly_the_edges_that_close_a_cycle_are_refused() {
        let mut random = 12_345u64;
        let mut next = move |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for round in 0..60 {
            let mut order = Order::new();
            let mut kept: Vec<(u32, u32, EdgeId)> = Vec::new();
            let nodes = 5 + round % 30;
            for id in 0..150 {
                let (p, n, edge) = (next(nodes) as u32, 1 + next(nodes) as u32, EdgeId(id));
                let closes = reaches(&kept, n, p);
                match order.insert(MethodId(p), MethodId(n), edge) {
                    Insertion::Kept => {
                        assert!(!closes);
                        kept.push((p, n, edge));
                    }
                    Insertion::Cycle(path) => {
                        assert!(closes);
                        let end = path.iter().fold(n, |at, edge| {
                            let step = kept.iter().find(|e| e.2 == *edge).unwrap();
                            assert_eq!(step.0, at, "the path is connected");
                            step.1
                        });
                        assert_eq!(end, p);
                    }
                    Insertion::Bound => panic!("the graph is small"),
                }
                assert!(kept.iter().all(|e| order.labels.label(e.0) < order.labels.label(e.1)));
                if next(10) == 0 && !kept.is_empty() {
                    let (p, n, edge) = kept.swap_remove(next(kept.len() as u64) as usize);
                    order.remove(MethodId(p), MethodId(n), edge);
                }
            }
        }
    }
}

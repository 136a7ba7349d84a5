//! The order in which methods get their numbers: callers before callees.
//!
//! Invariant: the order follows from the ordered edges alone. Its price is theirs: ids serve to
//! compare methods, not to count them.
//! Source: Lucce section 2; docs/FORMAT.md, "Numbering".

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lucce_words::{MethodId, Paged};

use crate::graph::edge::{Edge, EdgeState};

/// The methods that edges connect, and the root, by ascending id: no other has numbers. Below, a
/// method is its place among them.
pub(crate) struct Nodes {
    pub ids: Vec<MethodId>,
    places: Paged<u32>,
}

impl Nodes {
    pub(crate) fn of<'a>(edges: impl Iterator<Item = &'a Edge>) -> Self {
        let mut places = Paged::new(0);
        places[MethodId::ROOT.index()] = 0;
        for edge in edges {
            places[edge.caller.index()] = 0;
            places[edge.callee.index()] = 0;
        }
        let ids: Vec<MethodId> = places.iter().map(|(id, _)| MethodId(id as u32)).collect();
        for (place, id) in (0..).zip(&ids) {
            places[id.index()] = place;
        }
        Self { ids, places }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn at(&self, method: MethodId) -> u32 {
        self.places[method.index()]
    }
}

/// The methods in topological order of the ordered edges, smallest ids first; those on a cycle (of
/// a damaged log) are left out.
pub(crate) struct TopologicalOrder {
    pub nodes: Vec<u32>,
    /// Edges of the longest way down to a method that calls none, by method.
    pub heights: Vec<u32>,
}

impl TopologicalOrder {
    pub(crate) fn of<'a>(nodes: &Nodes, edges: impl Iterator<Item = &'a Edge> + Clone) -> Self {
        let ordered = edges.filter(|edge| edge.state == EdgeState::Ordered);
        let out = Buckets::new(nodes.len(), ordered.clone().map(|edge| (nodes.at(edge.caller), nodes.at(edge.callee))));
        let mut waiting = vec![0u32; nodes.len()];
        ordered.for_each(|edge| waiting[nodes.at(edge.callee) as usize] += 1);
        let mut ready: BinaryHeap<Reverse<u32>> =
            (0..nodes.len() as u32).filter(|&n| waiting[n as usize] == 0).map(Reverse).collect();
        let mut order = Self { nodes: Vec::with_capacity(nodes.len()), heights: vec![0; nodes.len()] };
        while let Some(Reverse(n)) = ready.pop() {
            order.nodes.push(n);
            for &callee in out.get(n) {
                waiting[callee as usize] -= 1;
                if waiting[callee as usize] == 0 {
                    ready.push(Reverse(callee));
                }
            }
        }
        for &n in order.nodes.iter().rev() {
            let below = out.get(n).iter().map(|&callee| order.heights[callee as usize] + 1);
            order.heights[n as usize] = below.max().unwrap_or(0);
        }
        order
    }
}

/// Numbers grouped by a method's place, in the order in which they come.
pub(crate) struct Buckets {
    starts: Vec<u32>,
    ids: Vec<u32>,
}

impl Buckets {
    pub(crate) fn new(methods: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; methods + 1];
        pairs.clone().for_each(|(method, _)| starts[method as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut free = starts.clone();
        let mut ids = vec![0; starts[methods] as usize];
        for (method, id) in pairs {
            ids[free[method as usize] as usize] = id;
            free[method as usize] += 1;
        }
        Self { starts, ids }
    }

    pub(crate) fn get(&self, method: u32) -> &[u32] {
        &self.ids[self.starts[method as usize] as usize..self.starts[method as usize + 1] as usize]
    }
}

//! The monitored calling context tree: the contexts that a summary keeps, and those above them.
//!
//! Invariant: behind each entry the tree has exactly what the summary keeps, the context entered
//! last, and the ancestors of these.
//! Source: HCCT, sections 3.1 to 3.3, Fig. 3, Algorithm 1.

use std::collections::{BTreeMap, BTreeSet};

use crate::summary::{Bounds, StreamSummary};
use crate::trace::{TraceContext, TracePaths};

/// A node that is in the tree.
#[derive(Clone, Copy, Debug)]
struct KeptNode {
    parent: TraceContext,
    children: u32,
}

/// The tree and its summary.
#[derive(Clone, Debug)]
pub struct Monitored<S> {
    summary: S,
    nodes: BTreeMap<TraceContext, KeptNode>,
    /// The context entered last.
    current: TraceContext,
    victims: Vec<TraceContext>,
    most: usize,
}

impl<S: StreamSummary<TraceContext>> Monitored<S> {
    /// An empty one.
    pub const fn new(summary: S) -> Self {
        Self { summary, nodes: BTreeMap::new(), current: TraceContext::UNKNOWN, victims: Vec::new(), most: 0 }
    }

    /// A context of the tree `paths` was entered, or weighs so much.
    pub fn enter(&mut self, paths: &TracePaths, context: TraceContext, weight: u64) {
        let last = std::mem::replace(&mut self.current, context);
        self.add(paths, context);
        self.summary.offer(context, weight, &mut self.victims);
        while let Some(victim) = self.victims.pop() {
            self.prune(victim);
        }
        // The paper's cursor has left it; if the summary did not take it, nothing else would prune
        // it.
        self.prune(last);
        self.most = self.most.max(self.nodes.len());
    }

    /// Adds a context, and those above it that are missing.
    fn add(&mut self, paths: &TracePaths, context: TraceContext) {
        let (mut at, mut children) = (context, 0);
        while at != TraceContext::UNKNOWN {
            if let Some(held) = self.nodes.get_mut(&at) {
                held.children += children;
                return;
            }
            let parent = paths.node(at).map_or(TraceContext::UNKNOWN, |node| node.parent);
            self.nodes.insert(at, KeptNode { parent, children });
            (at, children) = (parent, 1);
        }
    }

    /// Algorithm 1, from one victim upwards.
    fn prune(&mut self, mut victim: TraceContext) {
        while let Some(&KeptNode { parent, children: 0 }) = self.nodes.get(&victim)
            && victim != self.current
            && self.summary.bounds(&victim).is_none()
        {
            self.nodes.remove(&victim);
            if let Some(parent) = self.nodes.get_mut(&parent) {
                parent.children -= 1;
            }
            victim = parent;
        }
    }

    /// The summary.
    pub const fn summary(&self) -> &S {
        &self.summary
    }

    /// The contexts in the tree.
    pub fn contexts(&self) -> impl Iterator<Item = TraceContext> {
        self.nodes.keys().copied()
    }

    /// The most nodes that there were.
    pub const fn most(&self) -> usize {
        self.most
    }

    /// The (phi, eps)-hot tree: the heavy hitters with their bounds, and with those above them all
    /// nodes of that tree.
    pub fn hot(&self, phi: f64) -> (Vec<(TraceContext, Bounds)>, BTreeSet<TraceContext>) {
        let hitters = self.summary.frequent(phi);
        let mut tree = BTreeSet::new();
        for (context, _) in &hitters {
            let mut at = *context;
            while let Some(held) = self.nodes.get(&at)
                && tree.insert(at)
            {
                at = held.parent;
            }
        }
        (hitters, tree)
    }
}

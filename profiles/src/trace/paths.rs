//! The contexts of a trace as a tree.
//!
//! Invariant: a context's parent was added before it, so every path ends at a thread's base.

use lucce_words::{MethodId, Paged};

use super::{TraceContext, TraceNode};

/// All contexts that were defined so far.
pub struct TracePaths {
    nodes: Paged<Option<TraceNode>>,
    depths: Paged<u32>,
    count: usize,
    deepest: u32,
}

impl Default for TracePaths {
    fn default() -> Self {
        Self { nodes: Paged::new(None), depths: Paged::new(0), count: 0, deepest: 0 }
    }
}

impl TracePaths {
    /// Adds a context; false if its parent is not there, or it is itself.
    pub fn add(&mut self, id: TraceContext, node: TraceNode) -> bool {
        let is_base = node.parent == TraceContext::UNKNOWN;
        if id == TraceContext::UNKNOWN || self.node(id).is_some() || !is_base && self.node(node.parent).is_none() {
            return false;
        }
        let depth = if is_base { 0 } else { self.depth(node.parent) + 1 };
        self.nodes[id.index()] = Some(node);
        self.depths[id.index()] = depth;
        self.count += usize::from(node.method != MethodId::ROOT);
        self.deepest = self.deepest.max(depth);
        true
    }

    /// What a context is.
    pub fn node(&self, id: TraceContext) -> Option<TraceNode> {
        self.nodes[id.index()]
    }

    /// Its number of frames; 0 for a thread's base.
    pub fn depth(&self, id: TraceContext) -> u32 {
        self.depths[id.index()]
    }

    /// Contexts, bases left out.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Frames of the deepest.
    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    /// The calls that lead to a context, innermost first.
    pub fn path(&self, id: TraceContext) -> impl Iterator<Item = TraceNode> {
        std::iter::successors(self.node(id), |node| self.node(node.parent)).filter(|node| node.method != MethodId::ROOT)
    }
}

//! The stacks of some sums as a tree, each node with all that is above it.
//!
//! Invariant: the roots add up to the sums. Children stand in the order of their values, the
//! largest first; ties go to what was seen first.
//! Source: docs/guide/decoder.md; Lucce section 2 (calling context tree).

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::export::{FrameId, Profile, StackId, Sum};

/// A frame, in all contexts that share what leads to it.
#[derive(Clone, Debug)]
pub struct CallTreeNode<'a> {
    /// The frame; `None` for contexts without frames.
    pub frame: Option<FrameId>,
    /// The stack of which it is the innermost frame: where the tree begins innermost, that of the
    /// first context.
    pub stack: StackId,
    /// Number of events.
    pub events: u64,
    /// Sum of values.
    pub value: i128,
    /// Its children, [`CallTree::node`].
    pub children: Vec<usize>,
    /// The first sum in it.
    pub first: &'a Sum,
    /// Does a context end here? What is below then has less than the node.
    pub ends: bool,
    /// The class of all its events, if they have one.
    pub class: Option<usize>,
    /// Is all of it one context?
    pub one: bool,
}

/// The tree.
#[derive(Clone, Debug)]
pub struct CallTree<'a> {
    nodes: Vec<CallTreeNode<'a>>,
    roots: Vec<usize>,
    /// Number of all events.
    pub events: u64,
    /// Sum of all values.
    pub value: i128,
}

impl<'a> CallTree<'a> {
    /// The tree of these sums, outermost frames first; `callers`: innermost frames first.
    pub fn new(profile: &'a Profile, sums: impl Iterator<Item = &'a Sum>, callers: bool) -> Self {
        Self::merged(profile, sums, callers, |frame| frame)
    }

    /// The same of frames of which some stand for others.
    pub fn merged(
        profile: &'a Profile,
        sums: impl Iterator<Item = &'a Sum>,
        callers: bool,
        stands_for: impl Fn(FrameId) -> FrameId,
    ) -> Self {
        let mut tree = Self { nodes: Vec::new(), roots: Vec::new(), events: 0, value: 0 };
        let mut known: HashMap<(Option<usize>, Option<FrameId>), usize> = HashMap::new();
        for sum in sums {
            tree.events = tree.events.saturating_add(sum.count);
            tree.value += sum.value;
            let below = std::iter::successors(Some(sum.stack), |stack| Some(profile.stacks().split(*stack)?.0));
            let split =
                |stack: StackId| profile.stacks().split(stack).map(|(_, frame)| (Some(stands_for(frame)), stack));
            let mut path: Vec<(Option<FrameId>, StackId)> = below.filter_map(split).collect();
            if path.is_empty() {
                path.push((None, sum.stack));
            }
            if !callers {
                path.reverse();
            }
            let mut parent = None;
            for (frame, stack) in path {
                let at = *known.entry((parent, frame)).or_insert_with(|| {
                    let children = Vec::new();
                    let class = sum.class;
                    tree.nodes.push(CallTreeNode {
                        frame,
                        stack,
                        events: 0,
                        value: 0,
                        children,
                        first: sum,
                        ends: false,
                        class,
                        one: true,
                    });
                    let at = tree.nodes.len() - 1;
                    match parent {
                        Some(parent) => tree.nodes[parent].children.push(at),
                        None => tree.roots.push(at),
                    }
                    at
                });
                let node = &mut tree.nodes[at];
                node.events = node.events.saturating_add(sum.count);
                node.value += sum.value;
                node.class = node.class.filter(|class| Some(*class) == sum.class);
                node.one &= node.first.stack == sum.stack;
                parent = Some(at);
            }
            if let Some(last) = parent {
                tree.nodes[last].ends = true;
            }
        }
        let values: Vec<i128> = tree.nodes.iter().map(|node| node.value).collect();
        let order = |list: &mut Vec<usize>| list.sort_by_key(|&at| Reverse(values[at]));
        tree.nodes.iter_mut().for_each(|node| order(&mut node.children));
        order(&mut tree.roots);
        tree
    }

    /// A node.
    ///
    /// # Panics
    /// For a number that the tree did not give.
    pub fn node(&self, at: usize) -> &CallTreeNode<'a> {
        &self.nodes[at]
    }

    /// The first level.
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// The share of a sum in percent.
    pub fn share(&self, value: i128) -> f64 {
        if self.value > 0 && value >= 0 { 100.0 * value as f64 / self.value as f64 } else { 0.0 }
    }
}

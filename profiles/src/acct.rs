//! The approximate calling context tree: stack samples, of each the frames that are new, spliced in
//! where the last sample ended.
//!
//! A sample says how many frames were there at the last one ([`Bits`] and [`LowWater`] find that
//! out in two ways), and the whole stack.
//! Invariant: the tree is the one that walking each whole stack from its base would make; with a
//! period of 1 and the weight at the last edge it is the calling context tree. Source: ACCT,
//! section 3; Whaley 2000 (the limit K).

mod frames;

pub use frames::{Bits, LowWater, NewFrames};

use std::collections::BTreeMap;

use crate::trace::TraceContext;

/// Which edges of the new frames a sample counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedEdges {
    /// Each.
    AllNew,
    /// That of the innermost call.
    Last,
}

/// A node's place in the tree; 0 is above all bases.
type Place = usize;

#[derive(Clone, Debug)]
struct AcctNode<F> {
    parent: Place,
    frame: Option<F>,
    weight: u64,
}

/// The tree of one thread's samples. A frame is a call: its site and method, or whatever tells
/// siblings apart.
#[derive(Clone, Debug)]
pub struct Acct<F> {
    weights: CountedEdges,
    /// Most frames that a sample looks at.
    limit: Option<usize>,
    nodes: Vec<AcctNode<F>>,
    children: BTreeMap<(Place, F), Place>,
    /// The nodes of the stack at the last sample, base first, the last of which is P_acct; behind
    /// the node above all.
    path: Vec<Place>,
    /// Frames at the base of that stack that were not looked at, with a limit.
    lacks: usize,
    looked: u64,
}

impl<F: Ord + Clone> Acct<F> {
    /// An empty tree. With a limit K no sample looks at more than K frames (Whaley); if it reaches
    /// no known frame, it hangs below the root.
    pub fn new(weights: CountedEdges, limit: Option<usize>) -> Self {
        let root = AcctNode { parent: 0, frame: None, weight: 0 };
        Self { weights, limit, nodes: vec![root], children: BTreeMap::new(), path: vec![0], lacks: 0, looked: 0 }
    }

    /// A sample of a stack, base first, whose first `old` frames are those of the last sample.
    pub fn sample(&mut self, stack: &[F], old: usize) {
        let new = stack.len() - old.min(stack.len());
        // The walk goes upwards to a frame that was looked at before. With a limit it may end
        // earlier; or the frame may never have been.
        let reaches = old > self.lacks && self.limit.is_none_or(|limit| new <= limit);
        let seen = if reaches { new } else { self.limit.map_or(stack.len(), |limit| limit.min(stack.len())) };
        if reaches {
            self.path.truncate(old - self.lacks + 1);
        } else {
            self.path.truncate(1);
            self.lacks = stack.len() - seen;
        }
        self.looked += seen as u64;
        for (at, frame) in stack[stack.len() - seen..].iter().enumerate() {
            let parent = self.path.last().copied().unwrap_or(0);
            let place = self.child(parent, frame);
            self.path.push(place);
            let counts = self.weights == CountedEdges::AllNew || at + 1 == seen;
            self.nodes[place].weight += u64::from(counts);
        }
        if seen == 0
            && self.weights == CountedEdges::Last
            && let Some(&last) = self.path.last()
        {
            // No call since the last sample: the same edge once more.
            self.nodes[last].weight += 1;
        }
    }

    fn child(&mut self, parent: Place, frame: &F) -> Place {
        let fresh = self.nodes.len();
        let place = *self.children.entry((parent, frame.clone())).or_insert(fresh);
        if place == fresh {
            self.nodes.push(AcctNode { parent, frame: Some(frame.clone()), weight: 0 });
        }
        place
    }

    /// The weight of each path, base first.
    pub fn weights(&self) -> BTreeMap<Vec<F>, u64> {
        let path = |mut place: Place| {
            let mut frames = Vec::new();
            while let Some(frame) = &self.nodes[place].frame {
                frames.push(frame.clone());
                place = self.nodes[place].parent;
            }
            frames.reverse();
            frames
        };
        (1..self.nodes.len()).map(|place| (path(place), self.nodes[place].weight)).collect()
    }

    /// Frames that samples looked at in all.
    pub const fn looked(&self) -> u64 {
        self.looked
    }
}

/// The same weights by context, for the tree of a trace: `stack` are contexts, each of which says
/// its whole path.
impl Acct<TraceContext> {
    /// The weight of each context.
    pub fn by_context(&self) -> BTreeMap<TraceContext, u64> {
        let mut sums = BTreeMap::new();
        for node in &self.nodes {
            if let Some(context) = node.frame {
                *sums.entry(context).or_default() += node.weight;
            }
        }
        sums
    }
}

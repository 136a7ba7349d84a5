//! The sampled contexts of a run that goes on: a tree of sites, in memory that follows the number
//! of counters.
//!
//! A sample is a path of sites. The tree shares what paths have in common, and a word leads to the
//! end of a path that is there already.
//! Invariant: the tree has exactly the contexts with a counter, and those that lead to them. What
//! loses its counter goes at once, with its word, its number and all above it that leads to nothing
//! else. So there are at most as many nodes as counters, times the frames of the deepest context.
//! Each sample is in one sum, or is counted as replaced or as nameless.
//! Source: HCCT, sections 3.1 to 3.3, Algorithm 1; docs/design/profiles.md ("Memory").

use lucce_words::{NodeId, SiteId};
use rustc_hash::FxHashMap;

use crate::summary::{Bounds, Lazy, SpaceSaving, StreamSummary};

/// A context of the tree. Once it has gone, this leads nowhere, whatever has its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextRef {
    place: u32,
    generation: u32,
}

/// A frame of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampledFrame {
    /// Where it stands.
    pub site: SiteId,
    /// What its thread has there in this context, and in no other that stands at this site.
    pub word: Option<u64>,
}

/// The context of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// What its outermost frames are, if the tree has that; `None` for the thread base.
    pub below: Option<ContextRef>,
    /// The frames above, outermost first.
    pub steps: Vec<SampledFrame>,
}

/// The parent of outermost frames, and the place of words that mean two contexts.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct SampledNode {
    parent: u32,
    site: SiteId,
    word: Option<u64>,
    children: u32,
    generation: u32,
    /// Has it a counter?
    counted: bool,
    /// Is its place among those to be written?
    listed: bool,
    unwritten: u64,
    /// Its number in the log, once it has one.
    number: NodeId,
}

/// The tree.
#[derive(Clone, Debug)]
pub struct SampledTree {
    summary: SpaceSaving<u32, Lazy>,
    nodes: Vec<SampledNode>,
    /// Places of nodes that have gone.
    free: Vec<u32>,
    children: FxHashMap<(u32, SiteId), u32>,
    words: FxHashMap<(u64, SiteId), u32>,
    listed: Vec<u32>,
    victims: Vec<u32>,
    /// Samples that wait to be written.
    waiting: u64,
    replaced: u64,
    nameless: u64,
}

impl SampledTree {
    /// With so many counters.
    pub fn new(counters: usize) -> Self {
        Self {
            summary: SpaceSaving::new(counters),
            nodes: Vec::new(),
            free: Vec::new(),
            children: FxHashMap::default(),
            words: FxHashMap::default(),
            listed: Vec::new(),
            victims: Vec::new(),
            waiting: 0,
            replaced: 0,
            nameless: 0,
        }
    }

    /// The context in which a thread has that word at that site.
    pub fn find(&self, word: u64, site: SiteId) -> Option<ContextRef> {
        let place = self.words.get(&(word, site)).copied().filter(|place| *place != NONE)?;
        Some(self.held(place))
    }

    /// Counts a sample of that context, if it is known.
    pub fn count_known(&mut self, word: u64, site: SiteId) -> bool {
        let known = self.find(word, site);
        if let Some(ContextRef { place, .. }) = known {
            self.count_at(place);
        }
        known.is_some()
    }

    /// Counts a sample. False if what it was found by has gone meanwhile, or it has no frame.
    pub fn count(&mut self, sample: &Sample) -> bool {
        let below = match sample.below {
            Some(held) if self.node(held).is_none() => return false,
            below => below.map_or(NONE, |held| held.place),
        };
        let place = sample.steps.iter().fold(below, |parent, step| self.child(parent, *step));
        if place != NONE {
            self.count_at(place);
        }
        place != NONE
    }

    fn count_at(&mut self, place: u32) {
        let node = &mut self.nodes[place as usize];
        node.counted = true;
        node.unwritten += 1;
        self.waiting += 1;
        if !std::mem::replace(&mut node.listed, true) {
            self.listed.push(place);
        }
        self.summary.offer(place, 1, &mut self.victims);
        while let Some(victim) = self.victims.pop() {
            let node = &mut self.nodes[victim as usize];
            node.counted = false;
            let lost = std::mem::take(&mut node.unwritten);
            self.waiting -= lost;
            self.replaced += lost;
            self.prune(victim);
        }
    }

    fn child(&mut self, parent: u32, SampledFrame { site, word }: SampledFrame) -> u32 {
        let place = match self.children.get(&(parent, site)) {
            Some(&known) => known,
            None => self.add(parent, site),
        };
        if let Some(word) = word {
            self.know(place, word);
        }
        place
    }

    fn add(&mut self, parent: u32, site: SiteId) -> u32 {
        let place = self.free.pop().unwrap_or(self.nodes.len() as u32);
        let new = |generation, listed| SampledNode {
            parent,
            site,
            word: None,
            children: 0,
            generation,
            counted: false,
            listed,
            unwritten: 0,
            number: NodeId(0),
        };
        match self.nodes.get_mut(place as usize) {
            Some(gone) => *gone = new(gone.generation, gone.listed),
            None => self.nodes.push(new(0, false)),
        }
        self.children.insert((parent, site), place);
        if let Some(parent) = self.nodes.get_mut(parent as usize) {
            parent.children += 1;
        }
        place
    }

    /// The context is found by this word from now on, unless another one is: then neither is, ever.
    /// An entry for each such word stays.
    fn know(&mut self, place: u32, word: u64) {
        let SampledNode { site, word: before, .. } = self.nodes[place as usize];
        if before == Some(word) {
            return;
        }
        match self.words.get(&(word, site)).copied() {
            None => {
                self.words.insert((word, site), place);
                self.nodes[place as usize].word = Some(word);
                if let Some(before) = before {
                    self.words.remove(&(before, site));
                }
            }
            Some(NONE) => {}
            Some(other) => {
                self.words.insert((word, site), NONE);
                self.nodes[other as usize].word = None;
            }
        }
    }

    /// Algorithm 1, from one victim upwards.
    fn prune(&mut self, mut place: u32) {
        while let Some(node) = self.nodes.get_mut(place as usize)
            && !node.counted
            && node.children == 0
        {
            node.generation = node.generation.wrapping_add(1);
            let SampledNode { parent, site, word, .. } = *node;
            self.children.remove(&(parent, site));
            if let Some(word) = word {
                self.words.remove(&(word, site));
            }
            self.free.push(place);
            if let Some(parent) = self.nodes.get_mut(parent as usize) {
                parent.children -= 1;
            }
            place = parent;
        }
    }

    /// The contexts with samples that were not written: for [`Self::write`], which has to see each
    /// of them.
    pub fn unwritten(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.listed)
    }

    /// Adds the samples of these contexts that were not written to `sums`, by the numbers of the
    /// contexts. `name` gives the context of a site its number, below the one with that number.
    pub fn write(
        &mut self,
        contexts: &[u32],
        sums: &mut FxHashMap<NodeId, u64>,
        mut name: impl FnMut(NodeId, SiteId) -> Option<NodeId>,
    ) {
        for &place in contexts {
            let node = &mut self.nodes[place as usize];
            node.listed = false;
            let count = std::mem::take(&mut node.unwritten);
            if count == 0 {
                continue;
            }
            self.waiting -= count;
            match self.number(place, &mut name) {
                Some(number) => *sums.entry(number).or_default() += count,
                None => self.nameless += count,
            }
        }
    }

    /// The number of a context, given to it and to those that lead to it where they have none.
    fn number(&mut self, place: u32, name: &mut impl FnMut(NodeId, SiteId) -> Option<NodeId>) -> Option<NodeId> {
        let (mut at, mut nameless) = (place, Vec::new());
        let mut number = NodeId(0);
        while let Some(node) = self.nodes.get(at as usize) {
            number = node.number;
            if number != NodeId(0) {
                break;
            }
            nameless.push(at);
            at = node.parent;
        }
        for place in nameless.into_iter().rev() {
            let node = &mut self.nodes[place as usize];
            number = name(number, node.site)?;
            node.number = number;
        }
        Some(number)
    }

    /// The contexts with a counter, and how often each was sampled.
    pub fn kept(&self) -> Vec<(ContextRef, Bounds)> {
        self.summary.kept().into_iter().map(|(place, bounds)| (self.held(place), bounds)).collect()
    }

    /// The same by their numbers, of those that have one and have taken over another's counter.
    pub fn taken_over(&self) -> Vec<(NodeId, Bounds)> {
        let all = self.summary.kept().into_iter().filter(|(_, bounds)| bounds.low < bounds.high);
        let numbered = all.map(|(place, bounds)| (self.nodes[place as usize].number, bounds));
        numbered.filter(|(number, _)| *number != NodeId(0)).collect()
    }

    /// The sites of a context, innermost first, and whether the log has named it. `None` once it
    /// has gone.
    pub fn path(&self, held: ContextRef) -> Option<(Vec<SiteId>, bool)> {
        let is_named = self.node(held)?.number != NodeId(0);
        let node = |place: u32| self.nodes.get(place as usize);
        let up = std::iter::successors(node(held.place), |below| node(below.parent));
        Some((up.map(|node| node.site).collect(), is_named))
    }

    fn held(&self, place: u32) -> ContextRef {
        ContextRef { place, generation: self.nodes[place as usize].generation }
    }

    fn node(&self, ContextRef { place, generation }: ContextRef) -> Option<&SampledNode> {
        self.nodes.get(place as usize).filter(|node| node.generation == generation)
    }

    /// How the counters stand: for totals and bounds.
    pub const fn summary(&self) -> &SpaceSaving<u32, Lazy> {
        &self.summary
    }

    /// The nodes that there are.
    pub const fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Is there none?
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The most nodes that there were at once.
    pub const fn most(&self) -> usize {
        self.nodes.len()
    }

    /// Samples of contexts that lost their counter before these were written.
    pub const fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Samples that were to be written when there was no number for their context.
    pub const fn nameless(&self) -> u64 {
        self.nameless
    }

    /// Samples in the sums that were written.
    pub fn written(&self) -> u64 {
        self.summary.total() - self.replaced - self.nameless - self.waiting
    }
}

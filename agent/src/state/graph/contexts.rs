//! The tree of captured contexts: a node is a frame's site, under the node of the frame that has
//! called it.
//!
//! Invariants: a number stands for one path, for ever, and equal paths have one number as long as
//! anybody can ask for it. Whoever below a node was given to the program, the node is. Those are
//! kept; others are forgotten with the classes on their path, which nobody enters again, or where
//! walks have not met them for long. Whoever meets a node has met those below it.
//! Source: docs/design/thread-state.md ("Captures"), docs/design/unloading.md.

use lucce_words::{NodeId, Paged, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The first number of those that only the log knows; captured contexts have smaller ones.
const NAMES: u32 = 1 << 31;

/// The tree.
#[derive(Default)]
pub(super) struct Contexts {
    numbers: FxHashMap<(NodeId, SiteId), NodeId>,
    nodes: Paged<Option<Node>>,
    /// The last number given.
    count: u32,
    /// Up to which of them earlier runs in this process have given them: to these they are none.
    earlier: u32,
    /// Numbers given for the log alone.
    named: u32,
    /// The first node of each site that has one.
    first: FxHashMap<SiteId, NodeId>,
    /// How often unused ones were forgotten.
    turn: u32,
    /// The last number before this turn.
    before: u32,
    /// Nodes forgotten so far.
    forgotten: u64,
}

#[derive(Clone, Copy)]
struct Node {
    parent: NodeId,
    site: SiteId,
    /// May the program ask for it, or for one above?
    given: bool,
    /// The turn in which it was met last.
    met: u32,
}

impl Contexts {
    /// The node, if it is there.
    pub(super) fn find(&mut self, parent: NodeId, site: SiteId) -> Option<NodeId> {
        let node = *self.numbers.get(&(parent, site))?;
        if let Some(known) = &mut self.nodes[node.index()] {
            known.met = self.turn;
        }
        Some(node)
    }

    /// A new node; `None` where there are no more numbers.
    pub(super) fn add(&mut self, parent: NodeId, site: SiteId) -> Option<NodeId> {
        self.count = self.count.checked_add(1).filter(|count| *count < NAMES)?;
        let node = NodeId(self.count);
        self.nodes[node.index()] = Some(Node { parent, site, given: false, met: self.turn });
        self.numbers.insert((parent, site), node);
        self.first.entry(site).or_insert(node);
        Some(node)
    }

    /// A number that the log may say a context by, and that is no node. `None` where there are no
    /// more.
    pub(super) fn name(&mut self) -> Option<NodeId> {
        let name = NAMES.checked_add(self.named)?;
        self.named += 1;
        Some(NodeId(name))
    }

    /// The program gets this number: it keeps its path for ever.
    pub(super) fn give(&mut self, mut node: NodeId) {
        while let Some(known) = self.nodes[node.index()]
            && !known.given
        {
            self.nodes[node.index()] = Some(Node { given: true, ..known });
            node = known.parent;
        }
    }

    /// Parent and site of a node; `None` for the empty context, for what was forgotten, and for
    /// numbers that are no node.
    pub(super) fn at(&self, node: NodeId) -> Option<(NodeId, SiteId)> {
        self.nodes[node.index()].map(|node| (node.parent, node.site))
    }

    /// Numbers given so far.
    pub(super) fn count(&self) -> usize {
        (self.count - self.earlier) as usize
    }

    /// The last number given in this process; 0 if there is none.
    pub(super) fn last(&self) -> NodeId {
        NodeId(self.count)
    }

    /// Goes on behind the last number of earlier runs, before the first of this one is given.
    pub(super) fn go_on_behind(&mut self, last: NodeId) {
        self.count = self.count.max(last.0);
        self.earlier = self.count;
    }

    /// Begins a new turn if this one has had so many new nodes. Those that were not met in it go,
    /// but not those that were given. The turn.
    pub(super) fn turn(&mut self, new: u32) -> u32 {
        if self.count - self.before >= new {
            let Self { numbers, nodes, forgotten, turn, .. } = self;
            numbers.retain(|_, node| {
                let kept = nodes[node.index()].is_some_and(|known| known.given || known.met == *turn);
                if !kept {
                    nodes.forget(node.index());
                    *forgotten += 1;
                }
                kept
            });
            self.turn += 1;
            self.before = self.count;
        }
        self.turn
    }

    /// Nodes forgotten so far.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Forgets the paths through these sites but those that were given. Which of the sites these
    /// name.
    pub(super) fn forget(&mut self, sites: &[SiteId]) -> FxHashSet<SiteId> {
        let dead: FxHashMap<SiteId, NodeId> =
            sites.iter().filter_map(|site| Some((*site, self.first.remove(site)?))).collect();
        let mut kept = FxHashSet::default();
        let Some(begin) = dead.values().min().copied() else { return kept };
        // Parents come before their children.
        let mut given = FxHashSet::default();
        for id in (begin.0..=self.count).map(NodeId) {
            let Some(node) = self.nodes[id.index()] else { continue };
            let is_dead = dead.contains_key(&node.site);
            let leads_through = is_dead
                || given.contains(&node.parent)
                || node.parent != NodeId(0) && self.nodes[node.parent.index()].is_none();
            if !leads_through {
                continue;
            }
            if node.given {
                given.insert(id);
                if is_dead && kept.insert(node.site) {
                    self.first.insert(node.site, id);
                }
            } else {
                self.numbers.remove(&(node.parent, node.site));
                self.nodes.forget(id.index());
                self.forgotten += 1;
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path of these sites, outermost first: its node.
    fn path(contexts: &mut Contexts, sites: &[u32]) -> NodeId {
        sites.iter().fold(NodeId(0), |parent, &site| {
            let site = SiteId(site);
            contexts.find(parent, site).or_else(|| contexts.add(parent, site)).expect("there are numbers left")
        })
    }

    fn sites(contexts: &Contexts, mut node: NodeId) -> Vec<u32> {
        let mut sites = Vec::new();
        while let Some((parent, site)) = contexts.at(node) {
            sites.push(site.0);
            node = parent;
        }
        sites
    }

    #[test]
    fn what_was_given_is_kept_and_what_else_leads_through_a_dead_site_is_not() {
        let mut contexts = Contexts::default();
        let (before, live) = (path(&mut contexts, &[10, 11]), path(&mut contexts, &[10, 12]));
        let (given, other) = (path(&mut contexts, &[10, 20, 13]), path(&mut contexts, &[10, 20, 14]));
        let beside = path(&mut contexts, &[10, 21, 13]);
        contexts.give(given);
        let kept = contexts.forget(&[20, 21, 22].map(SiteId));
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), [SiteId(20)]);
        assert_eq!(sites(&contexts, given), [13, 20, 10]);
        assert_eq!((sites(&contexts, before), sites(&contexts, live)), (vec![11, 10], vec![12, 10]));
        assert_eq!((contexts.at(other), contexts.at(beside)), (None, None));
        assert_eq!((contexts.find(NodeId(0), SiteId(10)).is_some(), contexts.count()), (true, 8));
        assert_eq!(path(&mut contexts, &[10, 12]), live);
    }

    #[test]
    fn what_nobody_meets_in_a_turn_is_forgotten_unless_it_was_given() {
        let mut contexts = Contexts::default();
        let (given, met, other) =
            (path(&mut contexts, &[1, 2]), path(&mut contexts, &[3, 4]), path(&mut contexts, &[3, 5]));
        contexts.give(given);
        assert_eq!((contexts.turn(6), contexts.turn(5), contexts.turn(1)), (0, 1, 1), "all were met in the first turn");
        assert_eq!(path(&mut contexts, &[3, 4]), met);
        path(&mut contexts, &[6]);
        assert_eq!((contexts.turn(1), contexts.forgotten()), (2, 1));
        assert_eq!((sites(&contexts, given), sites(&contexts, met)), (vec![2, 1], vec![4, 3]));
        assert_eq!(contexts.at(other), None);
        assert!(path(&mut contexts, &[3, 5]) > other, "it has a new number");
    }

    #[test]
    fn names_are_numbers_of_their_own_and_no_nodes() {
        let mut contexts = Contexts::default();
        let node = path(&mut contexts, &[1]);
        let names = [contexts.name(), contexts.name()].map(|name| name.expect("there are numbers left"));
        assert!(node < names[0] && names[0] < names[1]);
        assert_eq!((contexts.at(names[0]), contexts.count()), (None, 1));
        contexts.named = NAMES - 1;
        assert_eq!([contexts.name(), contexts.name()], [Some(NodeId(u32::MAX)), None]);
        contexts.count = NAMES - 1;
        assert_eq!(contexts.add(NodeId(0), SiteId(2)), None);
    }

    #[test]
    fn numbers_of_earlier_runs_are_no_nodes() {
        let mut before = Contexts::default();
        let old = path(&mut before, &[1, 2, 3]);
        let mut contexts = Contexts::default();
        contexts.go_on_behind(before.last());
        assert_eq!((contexts.count(), contexts.last()), (0, old));
        let new = path(&mut contexts, &[4, 5]);
        assert_eq!((contexts.at(old), sites(&contexts, new), contexts.count()), (None, vec![5, 4], 2));
        assert!(contexts.forget(&[SiteId(5)]).is_empty() && contexts.at(new).is_none());
    }

    #[test]
    fn numbers_are_not_given_again() {
        let mut contexts = Contexts::default();
        let gone = path(&mut contexts, &[1, 2]);
        assert!(contexts.forget(&[SiteId(2)]).is_empty());
        assert!(path(&mut contexts, &[1, 3]) > gone);
        assert_eq!(contexts.at(gone), None);
    }
}

//! `encoder=icpp`: when the stack is walked for a word, and what such walks have taught.
//!
//! Invariant: a word is learned at a site only for a path whose word it is. Nothing prevents that
//! two paths have one word: that is found out by walks, and such a word is walked from then on. So
//! a word is probable, and never more than that.
//! Source: "Inferred Call Path Profiling", section 6.4; docs/design/icpp.md.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use lucce_log::Record;
use lucce_words::{NodeId, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::path::PathStep;
use crate::state::agent::{Agent, count};
use crate::state::graph::Graph;
use crate::support::lock::Shared;

/// What was learned.
#[derive(Default)]
pub struct Icpp {
    /// Is nothing walked, and words go to the log?
    pub passive: bool,
    learned: Shared<Learned>,
    /// Contexts that were looked up.
    pub found: AtomicU64,
    /// Contexts that were walked since their words were not known, were due, or are ambiguous.
    pub walked: AtomicU64,
    /// Words, at a site, that mean more than one context.
    pub ambiguous: AtomicU64,
}

#[derive(Default)]
struct Learned {
    words: FxHashMap<(u64, SiteId), Meaning>,
    /// Those that the log has been told of.
    told: FxHashSet<NodeId>,
}

struct Meaning {
    /// The first context that was met.
    node: NodeId,
    /// Was another one met?
    ambiguous: bool,
    uses: AtomicU32,
}

impl Icpp {
    /// Nothing is learned yet.
    pub fn new(passive: bool) -> Self {
        Self { passive, ..Self::default() }
    }

    /// The context of a word that was published at that site; `None` if it is to be walked: at its
    /// first use, at powers of two, and whenever it is known to be ambiguous.
    pub fn look_up(&self, word: u64, site: SiteId) -> Option<NodeId> {
        let learned = self.learned.read();
        let found = learned.words.get(&(word, site)).filter(|meaning| {
            let uses = meaning.uses.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            !meaning.ambiguous && !uses.is_power_of_two()
        });
        count(if found.is_some() { &self.found } else { &self.walked });
        found.map(|meaning| meaning.node)
    }

    /// Words that were learned.
    pub fn learned(&self) -> usize {
        self.learned.read().words.len()
    }

    /// Remembers the words of a path, and tells the log.
    pub(super) fn learn<'s>(&self, agent: &Agent, steps: impl Iterator<Item = (&'s PathStep, NodeId)> + Clone) {
        let knows_all = {
            let told = &self.learned.read().told;
            steps.clone().all(|(_, node)| told.contains(&node))
        };
        if knows_all {
            return;
        }
        let mut news = Vec::new();
        {
            let Learned { words, told } = &mut *self.learned.write();
            for (step, node) in steps.filter(|(_, node)| told.insert(*node)) {
                let new = || Meaning { node, ambiguous: false, uses: AtomicU32::new(0) };
                let meaning = words.entry((step.published, step.site)).or_insert_with(new);
                let is_other = meaning.node != node;
                if is_other && !std::mem::replace(&mut meaning.ambiguous, true) {
                    count(&self.ambiguous);
                }
                let method = agent.classes.catalog.site(step.site).map(|site| site.method).unwrap_or_default();
                news.push(Record::Learned { word: step.published, method, node, ambiguous: is_other });
            }
        }
        agent.graph.locked(|graph| news.into_iter().for_each(|new| graph.record(new)));
    }

    /// What was learned of paths that were forgotten goes. A word that was ambiguous is learned
    /// anew.
    pub(super) fn forget(&self, graph: &Graph) {
        let told: Vec<NodeId> = self.learned.read().told.iter().copied().collect();
        let gone: FxHashSet<NodeId> =
            graph.locked(|graph| told.into_iter().filter(|node| graph.node_at(*node).is_none()).collect());
        let Learned { words, told } = &mut *self.learned.write();
        words.retain(|_, meaning| !gone.contains(&meaning.node));
        told.retain(|node| !gone.contains(node));
    }
}

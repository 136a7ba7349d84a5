//! What a profile needs of the agent: the turn of an entry to be sampled, and the numbers that the
//! log gives contexts.
//!
//! Invariant: an entry whose turn it is is counted in its context, or as lost. Source:
//! docs/design/profiles.md.

use std::sync::atomic::Ordering;

use lucce_words::random::Random;
use lucce_words::{MethodId, NodeId};
use rustc_hash::FxHashMap;

use super::{Hot, Profile};
use crate::encode::begun::Begun;
use crate::encode::entered;
use crate::jvm::thread::JavaThread;
use crate::options::Source;
use crate::state::agent::Agent;
use crate::state::graph::{Graph, LockedGraph};
use crate::support::counters::count;

/// What `LucceHooks` gives as the place of the countdown at a thread's first entry.
const FIRST: i32 = 1;
/// Contexts that are written while threads wait with their samples.
const PART: usize = 1 << 12;

impl Profile {
    /// A method was entered, for which the hooks gave that, and it is the entry's turn: in how many
    /// the next one is.
    pub fn sample(&self, agent: &Agent, thread: JavaThread, (method, given): (MethodId, u64), at: i32) -> i32 {
        let period = u64::from(self.period());
        // From the kill switch on, entries have no context.
        if self.has_ended() || agent.run.switch.is_ended() {
            return i32::MAX;
        }
        if agent.run.switch.is_stopped(Source::Profile) {
            return period as i32;
        }
        let mut random = Random::new(self.seed.fetch_add(1, Ordering::Relaxed));
        if period != 1 && at == FIRST {
            // Else the first entry of each thread would be sampled, or none.
            return 1 + random.below(period) as i32;
        }
        self.entries.fetch_add(period, Ordering::Relaxed);
        let begun = entered::begun(&agent.classes, thread, method, given);
        if !begun.is_some_and(|begun| self.count(agent, &begun)) {
            count(&self.lost);
        }
        let eighth = period / 8;
        (period - eighth + random.below(2 * eighth + 1)) as i32
    }

    /// Counts an entry in its context. False if that is lost.
    fn count(&self, agent: &Agent, begun: &Begun) -> bool {
        let own = agent.encoder.entry_word(agent, begun);
        if own.is_some_and(|word| self.tree.lock().count_known(word, begun.site)) {
            return true;
        }
        let find = |word, site| self.tree.lock().find(word, site);
        let Some(sample) = entered::path(agent, begun, own, &find) else { return false };
        if self.tree.lock().count(&sample) {
            return true;
        }
        // The part of it that was known has lost its counter meanwhile.
        let whole = entered::path(agent, begun, own, &|_, _| None);
        whole.is_some_and(|sample| self.tree.lock().count(&sample))
    }

    /// The samples of each context since the last time. The log knows their numbers; one thread at
    /// a time asks.
    pub fn sums(&self, graph: &Graph) -> FxHashMap<NodeId, u64> {
        let mut sums = FxHashMap::default();
        let unwritten = self.tree.lock().unwritten();
        for part in unwritten.chunks(PART) {
            graph.locked(|graph| {
                self.tree.lock().write(part, &mut sums, |parent, site| graph.name(parent, site));
            });
        }
        sums
    }
}

impl Hot {
    /// The program gets its number; 0 where its classes were unloaded.
    pub fn give(&self, graph: &Graph) -> NodeId {
        graph.locked(|graph| self.number(graph))
    }

    /// The same of all, under the graph's lock once.
    pub fn give_all(graph: &Graph, all: &[Self]) -> Vec<NodeId> {
        graph.locked(|graph| all.iter().map(|hot| hot.number(graph)).collect())
    }

    fn number(&self, graph: &mut LockedGraph) -> NodeId {
        graph.give_path(&self.sites, self.is_named).unwrap_or(NodeId(0))
    }
}

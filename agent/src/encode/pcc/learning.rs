//! What a word means that was never met at its site: the stack is looked at from the top, only as far as the nearest activation whose word is known.
//!
//! Invariant: each step down undoes one step of the hash. So the word that is found for an activation below is the one that it has published, if
//! what the thread says is true; and at the thread base nothing is left. Where that fails nothing is learned.
//! Source: docs/design/hashed-words.md; `lucce_words::hashed`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use lucce_words::hashed::{ADRIFT, ROOT};
use lucce_words::{NodeId, SiteId};

use super::path::{Step, is_odd};
use super::{Meaning, Pcc};
use crate::encode::walk;
use crate::jvm::jni::Jni;
use crate::stack::frames::{self, Frame};
use crate::state::agent::{Agent, count};
use crate::state::catalog::MethodEntry;

/// Frames that are asked for at first, and how much larger each lot is than the one before.
const FIRST: usize = 16;
const LARGER: usize = 4;

/// How a descent ends.
enum Descent {
    /// At an activation that is known, or at the base: its node, and the steps above, innermost first.
    Known(NodeId, Vec<Step>),
    /// The frames that were asked for do not reach that far.
    Deeper,
    /// The thread says what is not so.
    Adrift,
}

impl Pcc {
    /// Learns what the current thread has published at `site`, at which one of its two innermost frames with hooks stands.
    pub(super) fn learn(&self, agent: &Agent, jni: Jni, word: u64, site: SiteId) -> Option<NodeId> {
        count(&agent.counters.looks);
        let mut asked = FIRST;
        loop {
            let frames = frames::first(agent.jvmti, jni, &agent.methods, &agent.catalog, asked);
            walk::note_foreign(agent);
            self.frames.fetch_add(frames.len() as u64, Ordering::Relaxed);
            match self.descend(agent, &frames, frames.len() < asked, (word, site)) {
                Descent::Known(below, steps) => return self.remember(agent, below, steps.iter().rev()),
                Descent::Deeper => asked *= LARGER,
                Descent::Adrift => return None,
            }
        }
    }

    fn descend(&self, agent: &Agent, frames: &[Frame], whole: bool, (word, site): (u64, SiteId)) -> Descent {
        let mut hooked =
            frames.iter().filter(|frame| frame.method.is_some()).map(|frame| walk::standing(agent, frame)).peekable();
        // A method above that has not begun has published nothing.
        hooked.next_if(|first| first.is_some_and(|first| first.site != site));
        if hooked.peek().is_some_and(|first| first.is_none_or(|first| first.site != site)) {
            return Descent::Adrift;
        }
        let (mut steps, mut published) = (Vec::new(), word);
        // A constructor in its call of `super(...)`: what called it must name it.
        let mut weak: Option<Arc<MethodEntry>> = None;
        for standing in hooked {
            let Some(known) =
                standing.and_then(|at| Some((at, agent.catalog.method(at.method)?, agent.catalog.site(at.site)?)))
            else {
                return Descent::Adrift;
            };
            let (at, method, site) = known;
            if weak.take().is_some_and(|above| is_odd(Some(&site), &above)) {
                return Descent::Adrift;
            }
            if let Some(node) = self.node(published, at.site).filter(|_| !steps.is_empty()) {
                return Descent::Known(node, steps);
            }
            steps.push(Step { site: at.site, published });
            let base = self.weights.base_of(published, &method, (at.site, &site));
            published = self.weights.called_before(&method, base);
            if published == ADRIFT {
                // What lies below has forgotten its own word, so no step from here leads on.
                return Descent::Adrift;
            }
            weak = (method.is_constructor() && site.is_weak()).then_some(method);
        }
        match (whole, weak) {
            (false, _) => Descent::Deeper,
            (true, None) if published == ROOT && !steps.is_empty() => Descent::Known(NodeId(0), steps),
            (true, _) => Descent::Adrift,
        }
    }

    /// The nodes of these steps above one, outermost first, are made and remembered. The last.
    pub(super) fn remember<'s>(
        &self,
        agent: &Agent,
        below: NodeId,
        steps: impl Iterator<Item = &'s Step> + Clone,
    ) -> Option<NodeId> {
        let nodes = agent.core.with(&agent.catalog, &agent.writer, |core, catalog| {
            steps.clone().try_fold(vec![below], |mut nodes, step| {
                nodes.push(core.node(catalog, *nodes.last()?, step.site)?);
                Some(nodes)
            })
        })?;
        if let Some(icpp) = &self.icpp {
            icpp.learn(agent, steps.zip(nodes[1..].iter().copied()));
            return nodes.last().copied();
        }
        let mut learned = self.learned.write();
        for (step, &node) in steps.zip(&nodes[1..]) {
            let meaning = Meaning { site: step.site, node };
            let known = learned.entry(step.published).or_insert(meaning);
            if *known != meaning && known.node != NodeId(0) {
                known.node = NodeId(0);
                count(&self.ambiguous);
                agent.note("encoder=pcc: two contexts have one word; both are walked from now on");
            }
        }
        nodes.last().copied()
    }
}

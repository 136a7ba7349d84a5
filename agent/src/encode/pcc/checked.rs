//! Under `verify`: what a method was entered with, held against the real stack.
//!
//! Invariant: a word that says another path than the real one is told as that other path. One that
//! says none is unknown: what is asked for below it is walked.
//! Source: docs/design/verifier.md; docs/design/hashed-words.md.

use lucce_words::{MethodId, NodeId, SiteId};

use super::Icpp;
use super::Pcc;
use super::learning::nodes;
use super::path::{Path, calls};
use crate::encode::encoder::Said;
use crate::encode::walk;
use crate::jvm::thread::JavaThread;
use crate::stack::frames::StackView;
use crate::stack::skipped_frames;
use crate::state::agent::Agent;
use crate::state::catalog::MethodEntry;
use crate::state::graph::SkippedFrames;

impl Pcc {
    /// The caller's context as `callee` was entered with it; `kept` is what its local holds.
    pub fn entered(&self, agent: &Agent, thread: JavaThread, callee: MethodId, kept: u64) -> Said {
        let view = StackView::of(agent, thread.jni);
        let Some(stack) = walk::instrumented(view) else { return Said::Unanswered };
        let Some(path) = stack
            .first()
            .filter(|frame| frame.method == Some(callee))
            .and_then(|_| Path::of(&agent.classes, &self.weights, &stack[1..]))
        else {
            return Said::Unanswered;
        };
        let Some(method) = agent.classes.catalog.method(callee) else { return Said::Unanswered };
        if let Some(icpp) = &self.icpp {
            let skipped = |calls: &[_]| skipped_frames::along(view, &stack, calls);
            let parent = self.parent_of_event(agent, icpp, (&method, kept), path, skipped);
            return parent.map_or(Said::Unknown, |parent| Said::Context(parent, stack));
        }
        let base = self.weights.base_of_local(&method, kept);
        let node = if path.base_of(&agent.classes, &self.weights, callee) == Some(base) {
            self.walked(agent, thread, &stack[1..]).map_or(NodeId(0), |context| context.node)
        } else {
            // Whatever is learned of the word: what is entered below may be taken for called from
            // there.
            match self.meaning(self.weights.called_before(&method, base)) {
                Some(other) => other.node,
                None => return Said::Unknown,
            }
        };
        Said::Context(node, stack)
    }

    /// The caller's context as an event would be told it that stands at the method's first site: as
    /// events are, it is looked up or walked.
    fn parent_of_event(
        &self,
        agent: &Agent,
        icpp: &Icpp,
        (method, kept): (&MethodEntry, u64),
        mut path: Path,
        skipped: impl FnOnce(&[(SiteId, MethodId)]) -> Vec<SkippedFrames>,
    ) -> Option<NodeId> {
        let first = method.all_sites().into_iter().min_by_key(|site| site.0);
        let (id, site) = first.and_then(|id| Some((id, agent.classes.catalog.site(id)?)))?;
        let parent_of = |node| agent.graph.locked(|graph| graph.node_at(node));
        let word = self.weights.published(self.weights.base_of_local(method, kept), method, (id, &site));
        if let Some(node) = icpp.look_up(word, id) {
            return parent_of(node).map(|(parent, _)| parent);
        }
        let below = path.steps.last().and_then(|step| agent.classes.catalog.site(step.site));
        path.push(&self.weights, below.as_ref(), method, (id, &site));
        let told = path.steps.last().is_some_and(|step| step.published == word);
        let is_whole = path.trusted().len() == path.steps.len();
        let skipped = skipped(&calls(SiteId::ROOT, path.steps.iter()));
        let nodes = nodes(&agent.graph, NodeId(0), path.trusted().iter(), skipped)?;
        self.remember(agent, path.trusted().iter().zip(nodes[1..].iter().copied()));
        parent_of(nodes.last().copied().filter(|_| told && is_whole)?).map(|(parent, _)| parent)
    }
}

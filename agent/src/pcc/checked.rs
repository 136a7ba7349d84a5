//! Under `verify`: what a method was entered with, compared with the real stack.
//!
//! Invariant: a word that says another path than the real one is a mismatch. One that says none is counted as lost: it is unknown, and what is
//! asked for below it is walked.
//! Source: ARCHITECTURE ("The oracle"); docs/design/hashed-words.md.

use jvmti_bindings::sys::jni::jobject;
use lucce_words::{MethodId, NodeId};

use super::Icpp;
use super::Pcc;
use super::path::Path;
use crate::agent::{Agent, count};
use crate::catalog::MethodEntry;
use crate::jvm::frames::Frame;
use crate::jvm::jni::Jni;
use crate::{oracle, walk};

impl Pcc {
    /// Compares the entry of `callee`, whose word is `mixed`.
    pub fn check_entry(&self, agent: &Agent, jni: Jni, thread: jobject, callee: MethodId, mixed: u64) {
        if agent.is_dead() {
            return;
        }
        let Some(stack) = walk::instrumented(agent, jni) else { return count(&agent.oracle.unanswered) };
        // Its own frame may be another agent's by now, or hidden.
        let Some(path) = stack
            .first()
            .filter(|frame| frame.method == Some(callee))
            .and_then(|_| Path::of(agent, &self.weights, &stack[1..]))
        else {
            return count(&agent.oracle.unanswered);
        };
        let Some(method) = agent.catalog.method(callee) else { return count(&agent.oracle.unanswered) };
        if let Some(icpp) = &self.icpp {
            return self.check_event(agent, jni, icpp, (callee, &method, mixed), (path, &stack));
        }
        let base = self.weights.base_of_local(&method, mixed);
        let node = if path.base_of(agent, &self.weights, callee) == Some(base) {
            self.walked(agent, jni, thread, &stack[1..]).map_or(NodeId(0), |context| context.node)
        } else {
            // Whatever is learned of the word: what is entered below may be taken for called from there.
            match self.meaning(self.weights.called_before(&method, base)) {
                Some(other) => other.node,
                None => return self.unknown(agent),
            }
        };
        oracle::check_entered(agent, jni, callee, node, &stack);
    }

    /// Compares what an event would be told that stands at the first site of `callee`: as events are, it is looked up or walked.
    fn check_event(
        &self,
        agent: &Agent,
        jni: Jni,
        icpp: &Icpp,
        (callee, method, kept): (MethodId, &MethodEntry, u64),
        (mut path, stack): (Path, &[Frame]),
    ) {
        let first = method.all_sites().into_iter().min_by_key(|site| site.0);
        let Some((id, site)) = first.and_then(|id| Some((id, agent.catalog.site(id)?))) else {
            return self.unknown(agent);
        };
        let word = self.weights.published(self.weights.base_of_local(method, kept), method, (id, &site));
        if let Some(node) = icpp.look_up(word, id) {
            let parent = agent.core.with(&agent.catalog, &agent.writer, |core, _| core.node_at(node));
            let Some((parent, _)) = parent else { return self.unknown(agent) };
            return oracle::check_entered(agent, jni, callee, parent, stack);
        }
        let below = path.steps.last().and_then(|step| agent.catalog.site(step.site));
        path.push(&self.weights, below.as_ref(), method, (id, &site));
        let told = path.steps.last().is_some_and(|step| step.published == word);
        let node = self.remember(agent, NodeId(0), path.trusted().iter());
        let is_whole = path.trusted().len() == path.steps.len();
        let parent = node.filter(|_| told && is_whole).and_then(|node| {
            agent.core.with(&agent.catalog, &agent.writer, |core, _| core.node_at(node)).map(|(parent, _)| parent)
        });
        match parent {
            Some(parent) => oracle::check_entered(agent, jni, callee, parent, stack),
            None => self.unknown(agent),
        }
    }

    fn unknown(&self, agent: &Agent) {
        count(&agent.oracle.checks);
        count(&agent.oracle.lost);
    }
}

//! Under `verify`: what a method was entered with, compared with the real stack.
//!
//! Invariant: a word that says another path than the real one is a mismatch. One that says none is unknown: what is asked for
//! below it is walked.
//! Source: ARCHITECTURE ("The oracle"); docs/design/hashed-words.md.

use jvmti_bindings::sys::jni::jobject;
use lucce_words::hashed::unmixed;
use lucce_words::{MethodId, NodeId};

use super::Pcc;
use super::path::{Path, called_before};
use crate::agent::{Agent, count};
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
        let Some(path) =
            stack.first().filter(|frame| frame.method == Some(callee)).and_then(|_| Path::of(agent, &stack[1..]))
        else {
            return count(&agent.oracle.unanswered);
        };
        let base = unmixed(mixed);
        let node = if path.base_of(agent, callee) == Some(base) {
            self.walked(agent, jni, thread, &stack[1..]).map_or(NodeId(0), |context| context.node)
        } else {
            // Whatever is learned of the word: what is entered below may be taken for called from there.
            let published = agent.catalog.method(callee).map(|method| called_before(&method, base));
            match published.and_then(|published| self.meaning(published)) {
                Some(other) => other.node,
                None => return self.unknown(agent),
            }
        };
        oracle::check_entered(agent, jni, callee, node, &stack);
    }

    fn unknown(&self, agent: &Agent) {
        count(&agent.oracle.checks);
        count(&agent.oracle.unknown);
    }
}

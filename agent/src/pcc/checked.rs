//! Under `verify`: what a method was entered with, held against the real stack.
//!
//! Invariant: a word that says another path than the real one is told as that other path. One that says none is unknown: what is asked for
//! below it is walked.
//! Source: ARCHITECTURE ("The oracle"); docs/design/hashed-words.md.

use jvmti_bindings::sys::jni::jobject;
use lucce_words::hashed::unmixed;
use lucce_words::{MethodId, NodeId};

use super::Pcc;
use super::path::{Path, called_before};
use crate::agent::Agent;
use crate::frames::Frame;
use crate::jvm::jni::Jni;
use crate::walk;

/// What a hashed word says of the caller.
pub enum Said {
    /// There is nothing to compare with: its own frame is another agent's by now, or hidden.
    Unanswered,
    /// No path.
    Unknown,
    /// This context. The real stack, its own frame first.
    Context(NodeId, Vec<Frame>),
}

impl Pcc {
    /// The caller's context as `callee` was entered with it, whose word is `mixed`.
    pub fn entered(&self, agent: &Agent, jni: Jni, thread: jobject, callee: MethodId, mixed: u64) -> Said {
        let Some(stack) = walk::instrumented(agent, jni) else { return Said::Unanswered };
        let Some(path) =
            stack.first().filter(|frame| frame.method == Some(callee)).and_then(|_| Path::of(agent, &stack[1..]))
        else {
            return Said::Unanswered;
        };
        let base = unmixed(mixed);
        let node = if path.base_of(agent, callee) == Some(base) {
            self.walked(agent, jni, thread, &stack[1..]).map_or(NodeId(0), |context| context.node)
        } else {
            // Whatever is learned of the word: what is entered below may be taken for called from there.
            let published = agent.catalog.method(callee).map(|method| called_before(&method, base));
            match published.and_then(|published| self.meaning(published)) {
                Some(other) => other.node,
                None => return Said::Unknown,
            }
        };
        Said::Context(node, stack)
    }
}

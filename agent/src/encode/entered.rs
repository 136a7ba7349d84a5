//! The context of an activation that has just begun: what its method was entered in, at its first instruction.
//!
//! Invariant: an entry has one node, whatever version, chain, thread or encoder its word is of; where the word says no context, the stack does,
//! and where that does not answer either, there is none. Source: docs/design/profiles.md.

use jvmti_bindings::sys::jni::jobject;
use lucce_words::{Bci, MethodId, NodeId, Signal, SiteId, Word};

use crate::encode::capture::{self, Context};
use crate::encode::walk;
use crate::jvm::jni::Jni;
use crate::state::agent::Agent;

/// The node of the context that the method was entered in, to which the hooks gave that; `None` if it is lost.
pub fn node(agent: &Agent, jni: Jni, thread: jobject, method: MethodId, given: u64) -> Option<NodeId> {
    let entry = agent.catalog.method(method)?;
    let site = agent.catalog.site_at(method, &entry, Bci(0))?;
    let answer = agent.encoder.entered_at(agent, jni, (thread, given), (method, &entry), site);
    answer.or(|| by_word(agent, jni, (thread, given), method, site))
}

/// The same where the hooks gave the word.
fn by_word(agent: &Agent, jni: Jni, (thread, given): (jobject, u64), method: MethodId, site: SiteId) -> Option<NodeId> {
    let word = Signal(given).word();
    if word == Word::NONE && agent.demand.is_on() {
        return of_sleeper(agent, jni, thread, method, site);
    }
    if word.version().0 == 0 {
        return None;
    }
    let chain = agent.fields.get()?.chain_of(jni, thread, word)?;
    let context = Context::chained(word, site, chain, true);
    capture::node(agent, jni, thread, &context).map(|(node, _)| node)
}

/// The same for a method that sleeps: it has no word, and its stack is walked.
fn of_sleeper(agent: &Agent, jni: Jni, thread: jobject, method: MethodId, site: SiteId) -> Option<NodeId> {
    let stack = walk::instrumented(agent, jni)?;
    if stack.first()?.method != Some(method) {
        return None;
    }
    // Its frame stands in inserted code, which may belong to a later instruction.
    let context = Context { site, ..capture::walked(agent, jni, thread, &stack)? };
    capture::node(agent, jni, thread, &context).map(|(node, _)| node)
}

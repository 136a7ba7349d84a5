//! The end of a run: of the JVM's, or of the agent's alone where no class was rewritten.
//!
//! Invariant: a log is closed once. An agent that leaves lets nothing of its own run on: threads,
//! socket and file go, and the JVM sends no events and keeps no ability for it. What the run has
//! learned goes once no thread is in a callback; what stays is counted in docs/design/attach.md.
//! Source: JVMTI VMDeath, RelinquishCapabilities; docs/design/attach.md ("The end").

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::report;
use crate::events::sources::cpu;
use crate::hook_tables::heap;
use crate::jvm::jni::Jni;
use crate::jvm::walks_class;
use crate::state::agent::Agent;

/// Closes the log, unless that was done before.
pub fn end(agent: &Agent) {
    if !agent.run.dead.swap(true, Ordering::AcqRel) {
        agent.control.close();
        report::finish(agent);
    }
}

/// The agent leaves the JVM, in which no class was rewritten.
///
/// # Errors
/// It has left before.
pub fn leave(agent: &Agent, jni: Jni) -> Result<(), String> {
    if agent.run.switch.is_ended() {
        return Err("it was killed before".into());
    }
    walks_class::close();
    agent.jvm.jvmti.stop_events();
    // What these have yet to say is taken.
    cpu::finish(agent, jni);
    agent.events.consumers.close(jni.raw());
    agent.events.sources.looks.end();
    agent.run.switch.end();
    end(agent);
    agent.jvm.jvmti.relinquish();
    agent.run.mark.remove();
    let is_empty = agent.run.stays.close(0, PATIENCE);
    walks_class::keep_given(jni, agent.graph.locked(|graph| graph.last_node().0));
    if is_empty {
        give_back(agent);
    }
    Ok(())
}

/// The writer's thread ends. If the agent leaves a program that goes on, what that thread has
/// needed goes, too.
pub fn log_has_ended() {
    let leaves = |agent: &Agent| agent.run.switch.is_ended() && !agent.options.has_hooks();
    if Agent::get().is_some_and(leaves) {
        heap::trim_own();
    }
}

/// How long the end waits for threads that are in a callback.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a run has learned goes; nobody asks for it any more. The catalogue stays, for threads
/// remember its ids.
fn give_back(agent: &Agent) {
    agent.graph.clear();
    agent.stack.clear();
    agent.events.seen_places.clear();
    agent.events.threads.clear();
    agent.oracle.clear();
    heap::trim_own();
}

//! Entries whose context cannot be kept: LOST, with the reason; what they call is walked.
//!
//! Invariant: such an activation restores UNKNOWN when it leaves, or leaves a word that says
//! nothing, so nothing is taken for its caller's that is not. A method counts as another agent's
//! only by proof: the JVM has shown the code that its frame runs.
//! Source: JVMTI GetStackTrace; `JvmtiEnvBase::check_and_skip_hidden_frames` of HotSpot 21 and 25.

use lucce_words::{Lost, MethodId, Signal, SiteId, Word};

use crate::encode::foreign;
use crate::jvm::thread::{Entry, JavaThread};
use crate::stack::continuations;
use crate::stack::frames::StackView;
use crate::state::agent::{Agent, Counters, count};
use crate::state::catalog::MethodEntry;

/// Why `callee`, which runs its hooks, has no frame of ours on the stack.
///
/// Its code is another agent's, or the JVM hides its frame: while a virtual thread is mounted or
/// unmounted, HotSpot shows only the frames below that. The hooks' own frames, on top of all
/// others, are hidden then, too.
pub fn absent(view: StackView<'_>, callee: MethodId, target: &MethodEntry) -> Lost {
    let agent = view.agent;
    let proven = agent.stack.methods.is_foreign(callee) || view.shows_hooks() || agent.fault("proof");
    if !proven {
        return Lost::OnCarrier;
    }
    foreign::note(agent, callee, target);
    Lost::Foreign
}

/// Why no activation that the current thread enters now can keep a context, if that is so: it lends
/// its identity to a virtual thread
/// ([`ThreadFields::carried`](crate::jvm::thread::ThreadFields::carried)), or runs another
/// continuation.
pub fn adrift(agent: &Agent, thread: JavaThread) -> Option<Lost> {
    let others = continuations::exist();
    if !agent.options.jdk && !others {
        return None;
    }
    let carried = agent.jvm.fields.get()?.carried(thread);
    if carried.is_null() {
        return None;
    }
    let is_other = others && !continuations::is_virtual_threads(&agent.jvm, thread.jni, carried);
    thread.jni.release(carried);
    if is_other {
        (!agent.fault("continuation")).then_some(Lost::Continuation)
    } else {
        agent.options.jdk.then_some(Lost::OnCarrier)
    }
}

/// The word of an activation whose context cannot be kept. It restores UNKNOWN when it leaves.
///
/// Some reasons are no loss: the frame is not ours any more, or the JVM gives no stack by design.
/// After the JVM's death, while other threads still run, entries are late, and no event is left
/// that would want their context.
pub fn mark_lost(agent: &Agent, thread: JavaThread, callee: MethodId, reason: Lost) -> Signal {
    let Counters { late, lost, .. } = &agent.run.counters;
    match reason {
        Lost::Foreign | Lost::OnCarrier | Lost::Ended | Lost::Continuation => {}
        Lost::Death => count(late),
        _ => count(lost),
    }
    if reason == Lost::Continuation {
        // What it would push could be popped by whatever runs on the thread when it goes on. A word
        // that says nothing needs no restore.
        return Signal::plain(Word::lost(reason));
    }
    if let Some(fields) = agent.jvm.fields.get() {
        if agent.classes.is_constructor(callee) {
            fields.publish(thread, Word::NONE, SiteId::UNKNOWN);
        } else {
            fields.push(thread, &[Entry::barrier()]);
        }
    }
    Signal::restoring(Word::lost(reason))
}

//! Entries whose context cannot be kept: LOST, with the reason; what they call is walked.
//!
//! Invariant: such an activation restores UNKNOWN when it leaves, so nothing is taken for its caller's that is not.

use jvmti_bindings::sys::jni::jobject;
use lucce_words::{Lost, MethodId, Signal, SiteId, Word};

use crate::agent::{Agent, Counters, count};
use crate::jvm::jni::Jni;
use crate::jvm::thread::Entry;

/// Entry of a foreign method: what it calls is walked and restores, so that the frames around it stay exact without it.
pub fn disown(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId) -> Signal {
    lose_quietly(agent, jni, thread, callee, Lost::Foreign)
}

/// Does the current thread lend its identity to a virtual thread ([`ThreadFields::is_lent`](crate::jvm::thread::ThreadFields::is_lent))?
pub fn is_lent(agent: &Agent, jni: Jni, thread: jobject) -> bool {
    agent.fields.get().is_some_and(|fields| fields.is_lent(jni, thread))
}

/// Entry of a method on such a thread: nobody may ask for its stack.
pub fn lend(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId) -> Signal {
    lose_quietly(agent, jni, thread, callee, Lost::Lent)
}

/// Entry of a method whose class is about to be given back as it was.
pub fn end(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId) -> Signal {
    lose_quietly(agent, jni, thread, callee, Lost::Ended)
}

/// The word of an activation whose context cannot be kept. It restores UNKNOWN when it leaves. After the JVM's death, while other threads still
/// run, none can be kept, and no event is left that would want one: such entries are late, not lost.
pub fn lose(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId, reason: Lost) -> Signal {
    let Counters { late, lost, .. } = &agent.counters;
    count(if reason == Lost::Death { late } else { lost });
    lose_quietly(agent, jni, thread, callee, reason)
}

fn lose_quietly(agent: &Agent, jni: Jni, thread: jobject, callee: MethodId, reason: Lost) -> Signal {
    if let Some(fields) = agent.fields.get() {
        if agent.is_constructor(callee) {
            fields.publish(jni, thread, Word::NONE, SiteId::UNKNOWN);
        } else {
            fields.push(jni, thread, &[Entry::mark()]);
        }
    }
    Signal::restoring(Word::lost(reason))
}

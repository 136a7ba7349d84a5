//! Threads of a JIT compiler that is itself written in Java (JVMCI): with `jdk=on` its methods have hooks.
//!
//! Such a thread runs nothing of the program's, so nobody asks for words there. Its entries have the word 0, as those of methods that sleep:
//! no link, no version and no walk is made for them. What happens there is walked, and as exact as elsewhere.
//! Invariant: a thread is a compiler's from its first entry on, or never, so no frame of it has another word.
//! Source: HotSpot's `compileBroker.cpp` (names of compiler threads).

use jvmti_bindings::sys::jni::jobject;

use crate::agent::Agent;
use crate::jvm::jni::Jni;
use crate::options::EncoderKind;

/// Is the running thread, which enters a method whose caller is not known, a compiler's?
pub fn have(agent: &Agent, jni: Jni, thread: jobject) -> bool {
    if !matter(agent) {
        return false;
    }
    let Some(fields) = agent.fields.get() else { return false };
    if fields.is_compilers(jni, thread) {
        return true;
    }
    let is_theirs = fields.is_untouched(jni, thread)
        && agent.jvmti.thread_name(jni.raw(), thread).is_some_and(|name| is_compilers(&name));
    if is_theirs {
        fields.give_to_compiler(jni, thread);
    }
    is_theirs
}

/// Have they hooks, and does nothing count their calls?
fn matter(agent: &Agent) -> bool {
    let options = &agent.options;
    options.jdk && options.encoder == EncoderKind::Lucce && !options.has_tallies()
}

fn is_compilers(thread: &str) -> bool {
    thread.starts_with("JVMCI") && thread.contains("CompilerThread")
}

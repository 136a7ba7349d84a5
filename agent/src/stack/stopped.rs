//! Threads that are stopped: an exception strikes at any instruction, also within a hook.
//!
//! A hook that has just pushed ends then before its method knows of it, and the entry stays on the
//! shadow stack. What took place cannot be told afterwards. So the thread is marked before it is
//! stopped, for good: nothing is told by its shadow stack any more unless the real stack agrees,
//! frame by frame. Words that need the shadow stack are replaced by a walk, in captures, events,
//! sums and the oracle; words that say their context by themselves stay as good as they were. Where
//! it strikes while a method leaves, the method's own handler takes back what was published (fault
//! `exit_watched`). No handler watches the first three instructions of that handler.
//! Invariant: the mark is set before the exception can strike, and only ever set. Entries do not
//! look at it.
//! Source: `Thread.stop` of JDK 11 and 17, JVMTI StopThread; docs/design/mechanisms.md ("Threads
//! that are stopped").

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jobject};

use crate::jvm::thread::JavaThread;
use crate::state::agent::{Agent, count};
use crate::state::native_call;

/// The thread is about to be stopped.
pub fn mark(agent: &Agent, thread: JavaThread) {
    count(&agent.run.counters.stops);
    if let Some(fields) = agent.jvm.fields.get().filter(|_| !agent.fault("stopped")) {
        fields.doubt(thread);
    }
}

/// The native of `java.lang.LucceOrigins`, which the JVM finds by its name.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_LucceOrigins_stopped0(env: *mut JNIEnv, _: jclass, thread: jobject) {
    native_call::with("stopped", (), |agent| mark(agent, native_call::java_thread(env, thread)));
}

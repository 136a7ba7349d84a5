//! Frames that another agent drops (PopFrame, ForceEarlyReturn): they go without the exits that
//! Lucce has put into them.
//!
//! What such a frame has published stays, and what it has pushed lies on the shadow stack. So the
//! agent clears the published site, and the top entry of its shadow stack becomes one that
//! decoding ends at. An activation below that has pushed puts the shadow stack's top back when it
//! leaves, and all is as it should be; until then contexts that need the shadow stack are LOST, and
//! all others are exact.
//! Invariant: nothing of a thread is written but where the JVM has taken the drop: it is stopped
//! then, or calls this itself. No frame of the hooks is dropped: they change the state in several
//! steps.
//! Source: docs/design/mechanisms.md ("Frames that are dropped"); JVMTI PopFrame, ForceEarlyReturn.

use jvmti_bindings::sys::jni::jobject;

use crate::jvm::jvmti::Drops;
use crate::jvm::thread::JavaThread;
use crate::stack::{frames::StackView, stopped};
use crate::state::agent::{Agent, count};

/// Sees what is dropped from now on.
pub fn watch(agent: &Agent) {
    if !agent.fault("dropped") && !agent.jvm.jvmti.watch_drops(Drops { may, done, stops }) {
        agent.run.note(
            "frames that another agent drops, and threads that it stops, are not seen: the JVM's table of functions cannot be written",
        );
    }
}

/// May the thread's top frame be dropped?
fn may(thread: jobject) -> bool {
    let of_hooks = on(thread, |agent, thread| {
        let (method, _) = agent.jvm.jvmti.top_frame(thread.object)?;
        StackView::of(agent, thread.jni).named(method?).filter(|named| named.is_hook())
    });
    of_hooks.flatten().is_none()
}

/// The thread's top frame will be gone when the thread goes on.
fn done(thread: jobject) {
    on(thread, |agent, thread| {
        count(&agent.run.counters.drops);
        if let Some(fields) = agent.jvm.fields.get() {
            fields.dropped(thread);
        }
    });
}

/// An exception is about to strike the thread.
fn stops(thread: jobject) {
    on(thread, stopped::mark);
}

fn on<T>(thread: jobject, body: impl FnOnce(&Agent, JavaThread) -> T) -> Option<T> {
    let agent = Agent::get().filter(|agent| !agent.run.is_dead())?;
    let jni = agent.jvm.invocation.current()?;
    // Null is the running thread.
    let running = if thread.is_null() { agent.jvm.jvmti.current_thread() } else { std::ptr::null_mut() };
    let asked = if thread.is_null() { running } else { thread };
    let result = body(agent, JavaThread::new(jni, asked));
    jni.release(running);
    Some(result)
}

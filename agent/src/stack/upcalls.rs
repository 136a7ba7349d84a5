//! Java code that another agent calls by JNI out of an event.
//!
//! INV says of what is published that it belongs to the nearest activation, whenever a method is
//! entered. That holds where code calls, and in native methods. But JVMTI tells agents of events at
//! any instruction, also between the two stores of a publish, and there they may call methods: a
//! debugger does, to show an object. So each JNI function that can run Java code is surrounded
//! where the thread's topmost frame is no native method: the thread's state is kept, what is called
//! walks, and then the state is put back as it was.
//! Invariant: a call out of a native method costs a look at one frame, and nothing else. Nothing is
//! surrounded as long as no native agent is there.
//! Source: docs/design/mechanisms.md ("Called out of an event"); JVMTI SetJNIFunctionTable.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::jvm::jni::Jni;
use crate::jvm::jni::surrounded::{Around, surround};
use crate::jvm::others;
use crate::jvm::thread::{JavaThread, SavedState};
use crate::stack::dropped;
use crate::stack::frames::StackView;
use crate::state::agent::{Agent, count};

/// Has it begun?
static WATCHES: AtomicBool = AtomicBool::new(false);

/// Surrounds the functions, and watches what drops frames, once there is an agent that may use
/// them.
pub fn watch(agent: &Agent) {
    // Nothing is rewritten, and no function may be replaced, before that.
    let may = agent.classes.origin.is_ready() && !WATCHES.load(Ordering::Relaxed);
    if !may || !others::are_native() || WATCHES.swap(true, Ordering::Relaxed) {
        return;
    }
    dropped::watch(agent);
    if agent.fault("upcall") {
        return;
    }
    if let Err(error) = surround(agent.jvm.jvmti, Around { before, after }) {
        agent.run.note(&format!("JVMTI error {error}: the JVM's own JNI functions stay. {WRONG}"));
    }
}

const WRONG: &str = "Contexts may be wrong of methods that another agent calls out of an event";

fn before(jni: Jni) -> Option<SavedState> {
    let agent = Agent::get().filter(|agent| !agent.run.is_dead())?;
    let fields = agent.jvm.fields.get()?;
    let exception = jni.take_exception();
    let thread = JavaThread::new(jni, agent.jvm.jvmti.current_thread());
    let saved = strikes(agent, thread).then(|| {
        count(&agent.run.counters.upcalls);
        fields.hold(thread)
    });
    if saved.is_none() {
        thread.release();
    }
    jni.throw_again(exception);
    saved
}

fn after(jni: Jni, saved: SavedState) {
    let Some(fields) = Agent::get().and_then(|agent| agent.jvm.fields.get()) else { return };
    let exception = jni.take_exception();
    fields.put_back(saved);
    jni.throw_again(exception);
}

/// Does the thread stand where nothing calls? The natives of the hooks do not, for they are about
/// to change the state.
fn strikes(agent: &Agent, thread: JavaThread) -> bool {
    let Some((method, location)) = agent.jvm.jvmti.top_frame(thread.object) else { return false };
    let is_native = location == -1;
    let view = StackView::of(agent, thread.jni);
    !is_native || method.and_then(|id| view.named(id)).is_some_and(|named| named.is_hook())
}

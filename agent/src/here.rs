//! The exact context of the current thread at whatever instruction it stands: for events that strike anywhere.
//!
//! Invariant: a published context is used only where the innermost frame with hooks stands at a published instruction, has its word, and the
//! thread says this very site: the instruction right behind the publish, with nothing entered since but what it waits for. Everywhere
//! else (a method's entry or exit, an exception that the JVM makes, inserted code, a site that only walks met) the stack is walked.
//! Source: DESIGN section 3 ("JVMTI callbacks read the thread's fields"); ARCHITECTURE, "INV".

use jvmti_bindings::sys::jni::jobject;

use crate::agent::Agent;
use crate::capture::{self, Context};
use crate::catalog::Place;
use crate::jvm::frames::{self, Frame};
use crate::jvm::jni::Jni;
use crate::walk;

/// Frames looked at for the innermost instrumented one before the whole stack is.
const LOOK: usize = 32;

/// The innermost frame of the current thread that has hooks; `None` where none has.
pub fn innermost(agent: &Agent, jni: Jni) -> Option<Frame> {
    let hooked = |frames: &[Frame]| frames.iter().find(|frame| frame.method.is_some()).copied();
    let top = frames::top(agent.jvmti, jni, &agent.methods, &agent.catalog, LOOK);
    let found = hooked(&top);
    if found.is_none() && top.len() == LOOK {
        return hooked(&frames::all(agent.jvmti, jni, &agent.methods, &agent.catalog));
    }
    found
}

/// The context whose innermost activation is that frame: as published, or by a walk. `None` if it is lost.
pub fn context(agent: &Agent, jni: Jni, thread: jobject, frame: &Frame) -> Option<Context> {
    let standing = walk::standing(agent, frame)?;
    let state = agent.fields.get()?.state(jni, thread);
    let published = state.site == standing.site
        && state.is_known()
        && walk::has_word(agent, frame)
        && agent.catalog.site(standing.site).is_some_and(|site| site.place != Place::Met);
    if published {
        return capture::current(agent, jni, thread);
    }
    capture::walked(agent, jni, thread, &walk::instrumented(agent, jni)?)
}

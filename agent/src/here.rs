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

/// The frames of the current thread, innermost first, down to the innermost with hooks at least.
pub struct Top {
    frames: Vec<Frame>,
    innermost: usize,
}

impl Top {
    /// Looks; `None` where no frame has hooks.
    pub fn look(agent: &Agent, jni: Jni) -> Option<Self> {
        let hooked = |frames: &[Frame]| frames.iter().position(|frame| frame.method.is_some());
        let mut frames = frames::top(agent.jvmti, jni, &agent.methods, &agent.catalog, LOOK);
        let mut innermost = hooked(&frames);
        if innermost.is_none() && frames.len() == LOOK {
            frames = frames::all(agent.jvmti, jni, &agent.methods, &agent.catalog);
            innermost = hooked(&frames);
        }
        innermost.map(|innermost| Self { frames, innermost })
    }

    /// The frames without hooks above the innermost that has some, innermost first.
    pub fn above(&self) -> &[Frame] {
        &self.frames[..self.innermost]
    }

    /// The context whose innermost activation is the innermost frame with hooks: as published, or by a walk. `None` if it is lost.
    pub fn context(&self, agent: &Agent, jni: Jni, thread: jobject) -> Option<Context> {
        let frame = self.frames.get(self.innermost)?;
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
}

//! The exact context of the current thread at whatever instruction it stands: for events that
//! strike anywhere.
//!
//! Invariant: a published context is used only where the innermost frame with hooks stands at a
//! published instruction, has begun, and the thread says this very site (while an activation is
//! inactive, it says none): the instruction right behind the publish, with nothing entered since
//! but what it waits for. Everywhere else (a method's entry or exit, an exception that the JVM
//! makes, inserted code, a site that only walks met) the stack is walked.
//! Source: docs/design/native-agents.md ("Published or walked"), docs/design/thread-state.md.

use lucce_words::SiteId;

use crate::encode::capture;
use crate::encode::context::Context;
use crate::encode::walk;
use crate::jvm::thread::JavaThread;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::Agent;
use crate::state::catalog::SiteRole;

/// The innermost frame of the current thread that has hooks; `None` where none has.
pub fn innermost(view: StackView<'_>) -> Option<Frame> {
    let frames = view.innermost(0, |_| {});
    frames.last().copied().filter(|frame| frame.method.is_some())
}

/// The context whose innermost activation is that frame: as published, or by a walk. `None` if it
/// is lost.
pub fn context(agent: &Agent, thread: JavaThread, frame: &Frame) -> Option<Context> {
    let at = walk::frame_site(&agent.classes, frame)?;
    if walk::past_entry(&agent.classes, frame)
        && let Some(published) = published(agent, thread, at.site)
    {
        return Some(published);
    }
    capture::walked(agent, thread, &walk::instrumented(StackView::of(agent, thread.jni))?)
}

/// The context that the thread has published at that site, in which a frame that has begun stands.
/// `None` if it has published another place since.
pub fn published(agent: &Agent, thread: JavaThread, site: SiteId) -> Option<Context> {
    if agent.run.switch.is_ended() {
        return None;
    }
    agent.encoder.published(agent, thread, site).or(|| by_site(agent, thread, site))
}

/// The same where the hooks publish sites. `None` for a site that only walks met: no code publishes
/// it, what the thread says then was left by a walk.
fn by_site(agent: &Agent, thread: JavaThread, site: SiteId) -> Option<Context> {
    let fields = agent.jvm.fields.get()?;
    let state = fields.state(thread);
    let published = state.site == site && state.is_known() && agent.classes.catalog.site(site)?.role != SiteRole::Met;
    // Where the shadow stack is not to be believed, a capture walks, and tells of the innermost
    // frame whichever was asked for.
    let told = published && !(state.ctx.chained() && fields.is_doubted(thread));
    if told { capture::current(agent, thread) } else { None }
}

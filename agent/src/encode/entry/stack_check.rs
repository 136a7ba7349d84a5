//! What the frames say of a (site, callee) that is met for the first time, and what follows for how
//! it may be entered.
//! Source: docs/design/mechanisms.md ("Plain links").

use lucce_classfile::SiteKind;
use lucce_encoding::Passage;
use lucce_words::MethodId;

use super::call_ends::CallEnds;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::{Agent, count};
use crate::state::catalog::{MethodEntry, SiteEntry, SiteRole};
use crate::{encode::walk, stack::skipped_frames};

/// Frames looked at when a link is made: the hooks' own, the callee, the caller, and some between
/// them for the log's "via".
pub const CHECKED_FRAMES: usize = 16;

/// What a check of the frames of (site, callee) shows.
pub enum StackCheck {
    /// How it may be entered, and the names of the uninstrumented frames between the two.
    Seen(Passage, Vec<String>),
    /// The nearest instrumented frame does not stand at the site: nobody published for it. So it is
    /// where another agent has put calls into code before which nothing is published (JDK leaf
    /// calls, leaf methods).
    Elsewhere,
    /// The callee's own frame is not there.
    Absent,
}

/// The first stack check of (site, callee).
pub(super) fn check_stack(view: StackView<'_>, ends: CallEnds<'_>) -> StackCheck {
    let CallEnds { origin, callee, target, .. } = ends;
    let agent = view.agent;
    count(&agent.run.counters.looks);
    let frames = seen(view);
    if frames.is_empty() {
        return StackCheck::Seen(Passage::Restoring, Vec::new());
    }
    let Some(at) = own_frame(view, &frames, callee) else { return StackCheck::Absent };
    let below = &frames[at + 1..];
    let between: Vec<_> = below.iter().take_while(|frame| frame.method.is_none()).copied().collect();
    let caller = below.get(between.len());
    let stands = |frame: &Frame| {
        origin.is_some_and(|origin| {
            frame.method == Some(origin.method)
                && walk::frame_site(&agent.classes, frame)
                    .and_then(|at| agent.classes.catalog.site(at.site))
                    .is_some_and(|site| site.bci == origin.bci)
        })
    };
    if agent.options.faults.is_empty() && caller.is_some_and(|caller| !stands(caller)) {
        return StackCheck::Elsewhere;
    }
    let adjacent = agent.fault("look") || between.is_empty() && caller.is_some_and(stands);
    let plain = adjacent
        && origin.is_some_and(|origin| fits(origin, target))
        && !is_interposable(agent, ends)
        && (!is_static(origin) || is_initialised(view, &frames[at]));
    StackCheck::Seen(if plain { Passage::Plain } else { Passage::Restoring }, skipped_frames::names(view, &between))
}

/// Where the frame of `callee` is, which is being entered: the first with hooks, below the hooks'
/// own.
///
/// An older activation of the same method must not be taken for it. That would need a stack whose
/// top the JVM hides, as it does while a virtual thread is mounted or unmounted, with such an
/// activation below. What the JDK calls there waits for nothing, so none is known to be there.
pub(super) fn own_frame(view: StackView<'_>, frames: &[Frame], callee: MethodId) -> Option<usize> {
    let top = frames.first().and_then(|top| view.named(top.raw))?;
    let at = frames.iter().position(|frame| frame.method.is_some())?;
    (top.is_hook() && frames[at].method == Some(callee)).then_some(at)
}

/// The topmost frames, down to the second with hooks at least: whoever has called, however much
/// code without hooks stands between.
fn seen(view: StackView<'_>) -> Vec<Frame> {
    let frames = view.top(CHECKED_FRAMES);
    let hooked = frames.iter().filter(|frame| frame.method.is_some()).count();
    if frames.len() < CHECKED_FRAMES || hooked > 1 {
        return frames;
    }
    view.innermost(1, |_| ())
}

/// Does the callee fit the site's kind: could the site's own instruction have entered it?
pub fn fits(site: &SiteEntry, target: &MethodEntry) -> bool {
    let direct = matches!(
        site.role,
        SiteRole::Published(
            SiteKind::Static | SiteKind::Special | SiteKind::Virtual | SiteKind::Interface | SiteKind::WeakInit
        )
    );
    direct && site.member.name() == target.member.name() && site.member.desc() == target.member.desc()
}

pub(super) fn is_virtual(site: Option<&SiteEntry>) -> bool {
    site.is_some_and(|site| matches!(site.role, SiteRole::Published(SiteKind::Virtual | SiteKind::Interface)))
}

fn is_static(site: Option<&SiteEntry>) -> bool {
    site.is_some_and(|site| site.role == SiteRole::Published(SiteKind::Static))
}

/// Is the class of the frame's method initialised? As long as it is not, an uninstrumented
/// initialiser (of a superclass, say) can stand between a static site and its method, although the
/// first stack check showed them side by side.
fn is_initialised(view: StackView<'_>, frame: &Frame) -> bool {
    let jvmti = view.agent.jvm.jvmti;
    let class = jvmti.declaring_class(frame.raw);
    let initialised = jvmti.is_initialised(class);
    view.jni.release(class);
    initialised
}

/// Could uninstrumented code of the same signature stand between a virtual site and a callee that
/// leaves garbage behind?
pub(super) fn is_interposable(agent: &Agent, CallEnds { origin, target, .. }: CallEnds<'_>) -> bool {
    is_virtual(origin)
        && !target.interposable_exit
        && !agent.fault("demotion")
        && !agent.fault("interposable_exit")
        && agent.classes.interposable.is_interposable(target.member.name().as_bytes(), target.member.desc().as_bytes())
}

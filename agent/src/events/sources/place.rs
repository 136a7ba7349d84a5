//! Where an event stands, without walking the stack: the innermost frame with hooks, and its
//! context.
//!
//! Invariant: a published context is used only if that frame stands at the published site. Else its
//! word is read from its own local, where that can be read and the frame is sure to have one; and
//! only what neither tells is walked, and counted as such.
//! Source: JVMTI GetStackTrace, GetLocalLong; docs/design/event-sources.md.

use std::sync::atomic::Ordering;

use jvmti_bindings::sys::jni::jmethodID;
use jvmti_bindings::sys::jvmti::jvmtiFrameInfo;
use lucce_classfile::SiteKind;
use lucce_words::Word;

use super::Scene;
use super::seen_places::{FoundPlace, Stack};
use crate::encode::capture;
use crate::encode::context::Context;
use crate::encode::current_context;
use crate::encode::walk;
use crate::events::recording::walked_frames;
use crate::stack::frames::{self, Frame, StackView};
use crate::stack::methods::Moment;
use crate::state::agent::count;
use crate::state::catalog::SiteRole;

const MONITORENTER: u8 = 194;

/// The topmost frames down to the innermost with hooks behind `skip` others, looked at in growing
/// lots; one that is known is not looked at.
pub fn top(scene: Scene<'_>, known: Option<Frame>, skip: usize) -> Vec<Frame> {
    if let Some(frame) = known.filter(|frame| frame.method.is_some() && skip == 0) {
        return vec![frame];
    }
    let Scene { agent, thread, figures } = scene;
    StackView::of(agent, thread.jni).innermost(skip, |seen| {
        count(&figures.looks);
        figures.frames.fetch_add(seen as u64, Ordering::Relaxed);
    })
}

/// What the running thread is about.
#[derive(Clone, Copy)]
pub enum Doing {
    /// It has allocated.
    Allocating,
    /// An exception is thrown; the JVM tells the top frame.
    Throwing(Frame),
    /// It has waited for a monitor.
    Entering,
    /// It has waited in uninstrumented code.
    Parking,
}

/// Where the running thread stands. A method that has not begun is named above the place that calls
/// it, for what was published last is the caller's. `None` (counted) outside instrumented code, and
/// where the context is lost.
pub fn find(scene: Scene<'_>, doing: Doing) -> Option<FoundPlace> {
    if scene.agent.options.has_hooks() {
        return found(scene, doing);
    }
    match doing {
        Doing::Allocating => seen(scene),
        Doing::Entering => {
            let moment = scene.agent.stack.methods.moment();
            walked_whole(scene, doing, moment, frames::raw(scene.agent.jvm.jvmti))
        }
        Doing::Throwing(_) | Doing::Parking => found(scene, doing),
    }
}

/// Where it has allocated, where no class is rewritten: the stack alone says it, and may have been
/// seen before.
fn seen(scene: Scene<'_>) -> Option<FoundPlace> {
    let Scene { agent, figures, .. } = scene;
    let methods = &agent.stack.methods;
    let (moment, turn) = (methods.moment(), agent.graph.turn());
    let raw = frames::raw(agent.jvm.jvmti);
    let stack: Stack = raw.iter().map(|frame| (frame.method as usize, frame.location)).collect();
    let known = agent.events.seen_places.get(methods, (moment, turn), &stack);
    if known.is_some() {
        count(&figures.seen);
        return known;
    }
    let place = walked_whole(scene, Doing::Allocating, moment, raw)?;
    let mut all = methods.all_remembered(stack.iter().map(|&(method, _)| method as jmethodID)).into_iter();
    if all.all(|known| known.is_some()) && methods.is_still(moment) {
        agent.events.seen_places.keep((moment, turn), stack, &place);
    }
    Some(place)
}

/// The place that a whole walk of the running thread shows, which began at that moment, where no
/// class is rewritten.
fn walked_whole(scene: Scene<'_>, doing: Doing, moment: Moment, raw: Vec<jvmtiFrameInfo>) -> Option<FoundPlace> {
    let Scene { agent, thread, figures } = scene;
    let mut frames = StackView::of(agent, thread.jni).of_walk(moment, raw);
    let Some(depth) = frames.iter().position(|frame| frame.method.is_some()) else {
        count(&figures.outside);
        return None;
    };
    settle_monitor(scene, doing, &mut frames[..=depth]);
    count(&figures.walks);
    let stack: Vec<Frame> = frames.iter().filter(|frame| frame.method.is_some()).copied().collect();
    let context = capture::walked(agent, thread, &stack);
    place(scene, context, &frames[..=depth], 0)
}

fn found(scene: Scene<'_>, doing: Doing) -> Option<FoundPlace> {
    let known = if let Doing::Throwing(frame) = doing { Some(frame) } else { None };
    let mut frames = top(scene, known, 0);
    let mut above = 0;
    if frames.last().is_some_and(|frame| !past_entry(scene, frame, doing)) {
        above = 1;
        frames = top(scene, None, above);
    }
    // Below a method that has not begun there may be nothing, and then it is the last that was
    // found.
    if frames.iter().filter(|frame| frame.method.is_some()).count() <= above {
        count(&scene.figures.outside);
        return None;
    }
    settle_monitor(scene, doing, &mut frames);
    let depth = frames.len() - 1;
    place(scene, context(scene, &frames[depth], (depth, above)), &frames, above)
}

/// Corrects where the top frame waits for a monitor, if it is the one that the event stands in.
fn settle_monitor(scene: Scene<'_>, doing: Doing, frames: &mut [Frame]) {
    if let (Doing::Entering, [top]) = (doing, frames) {
        top.location = entering_monitor(scene, top).unwrap_or(top.location);
    }
}

/// The place with this context, which the last of the frames stands in; `above` of the others have
/// hooks. `None` (counted) if it is lost.
fn place(scene: Scene<'_>, context: Option<Context>, frames: &[Frame], above: usize) -> Option<FoundPlace> {
    let Scene { agent, thread, figures } = scene;
    let Some(context) = context else {
        agent.run.count_lost(Some(&figures.lost));
        return None;
    };
    let (innermost, others) = frames.split_last()?;
    let view = StackView::of(agent, thread.jni);
    let is_hook = |frame: &Frame| view.named(frame.raw).is_some_and(|named| named.is_hook() && named.method != "trace");
    let by_hooks = others.first().is_some_and(is_hook);
    Some(FoundPlace { context, walked: walked_frames(view, others), above, location: innermost.location, by_hooks })
}

/// Has the frame begun? A method that is entered late may allocate before; that place is worth a
/// walk.
fn past_entry(scene: Scene<'_>, frame: &Frame, doing: Doing) -> bool {
    if !matches!(doing, Doing::Allocating) {
        return walk::past_entry(&scene.agent.classes, frame);
    }
    let method = frame.method.and_then(|method| scene.agent.classes.catalog.method(method));
    let inserted = |location| method.is_some_and(|method| method.map.is_inserted(location));
    !u32::try_from(frame.location).is_ok_and(inserted)
}

/// The location of the `monitorenter` that a frame runs, where the JVM gives the next
/// instruction's: HotSpot's interpreter goes on before it waits (`TemplateTable::monitorenter`),
/// compiled code does not. That the `monitorenter` has published, and nothing since, is the proof;
/// where no class is rewritten, the code is: a thread waits in a method at a `monitorenter`, or
/// before its first instruction.
fn entering_monitor(scene: Scene<'_>, frame: &Frame) -> Option<i64> {
    let Scene { agent, thread, .. } = scene;
    let before = Frame { location: frame.location - 1, ..*frame };
    if !agent.options.has_hooks() {
        let code = agent.jvm.jvmti.bytecodes(frame.raw)?;
        let is_monitor = |location: i64| usize::try_from(location).is_ok_and(|at| code.get(at) == Some(&MONITORENTER));
        return (!is_monitor(frame.location) && is_monitor(before.location)).then_some(before.location);
    }
    if agent.encoder.weights().is_some() {
        let site =
            walk::frame_site(&agent.classes, &before).filter(|_| walk::past_entry(&agent.classes, &before))?.site;
        let is_monitor = agent.classes.catalog.site(site)?.role == SiteRole::Published(SiteKind::Monitor);
        return (is_monitor && current_context::published(agent, thread, site).is_some()).then_some(before.location);
    }
    let published = agent.jvm.fields.get()?.state(thread).site;
    let site = agent.classes.catalog.site(published).filter(|site| Some(site.method) == frame.method)?;
    let is_monitor = site.role == SiteRole::Published(SiteKind::Monitor);
    let stands = is_monitor
        && walk::past_entry(&agent.classes, &before)
        && walk::frame_site(&agent.classes, &before)?.site == published;
    stands.then_some(before.location)
}

/// The context whose innermost activation is `frame`, which stands `depth` frames below the top,
/// `above` of them with hooks.
fn context(scene: Scene<'_>, frame: &Frame, (depth, above): (usize, usize)) -> Option<Context> {
    let Scene { agent, thread, .. } = scene;
    if walk::past_entry(&agent.classes, frame) {
        let at = walk::frame_site(&agent.classes, frame)?;
        if let Some(published) = current_context::published(agent, thread, at.site) {
            return Some(published);
        }
        // The shadow stack may hold an entry of the method above, which has pushed and not begun.
        if above == 0
            && agent.options.reads_locals()
            && walk::has_word(&agent.classes, frame)
            && let Some(word) = own_word(scene, frame, depth)
        {
            return agent.encoder.of_local(agent, thread, word, at.site).or_else(|| walked(scene, frame, above));
        }
    }
    walked(scene, frame, above)
}

/// The same by a walk, in which that frame stands where it is known to.
fn walked(scene: Scene<'_>, frame: &Frame, above: usize) -> Option<Context> {
    let Scene { agent, thread, figures } = scene;
    count(&figures.walks);
    let mut stack = walk::instrumented(StackView::of(agent, thread.jni))?;
    let stack = stack.get_mut(above..)?;
    stack.first_mut()?.location = frame.location;
    capture::walked(agent, thread, stack)
}

/// What is in the frame's local for its word; `None` if the JVM does not give it.
fn own_word(scene: Scene<'_>, frame: &Frame, depth: usize) -> Option<Word> {
    let method = scene.agent.classes.catalog.method(frame.method?)?;
    let local = scene.agent.jvm.jvmti.local_long(i32::try_from(depth).ok()?, method.word_local)?;
    Some(Word(local as u64))
}

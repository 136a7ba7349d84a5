//! Entries where what is published may be somebody else's: methods that the JVM calls, constructors
//! behind a non-plain one, unknown callers.
//!
//! Invariant: a published state is believed only where a frame that must have published it stands
//! right below; everything else walks.
//! Source: docs/design/mechanisms.md ("Walks", "Untrusted", "Weak sites").

use lucce_encoding::{LinkKind, Passage};
use lucce_words::{Lost, MethodId, Signal, SiteId, Word};

use super::stack_check::{CHECKED_FRAMES, own_frame};
use super::{CallEnds, absent, enter, finish, fits, mark_lost, publish, record_kind};
use crate::encode::walk::{self, Need};
use crate::hook_tables::links::RecordKind;
use crate::jvm::thread::{Entry, JavaThread};
use crate::stack::frames::StackView;
use crate::stack::skipped_frames;
use crate::state::agent::{Agent, count};

/// Entry of `callee` with `ctx` published before `super(...)` by a constructor that had not been
/// entered through a plain link.
///
/// Such a constructor (of an object made by reflection, or by `Foo::new` in a stream) cannot watch
/// that instruction, so what it has published may be left over from one that failed. It is taken at
/// its word only if it stands right below, at that very instruction.
pub fn enter_super(agent: &Agent, thread: JavaThread, callee: MethodId, ctx: Word) -> Signal {
    match super_link(StackView::of(agent, thread.jni), callee, ctx) {
        Some(word) => Signal::restoring(word),
        None => {
            count(&agent.run.counters.slow_entries);
            enter_walked(agent, thread, callee)
        }
    }
}

fn super_link(view: StackView<'_>, callee: MethodId, ctx: Word) -> Option<Word> {
    let agent = view.agent;
    if agent.run.is_dead()
        || agent.classes.foreign.contains(callee)
        || ctx.version().0 == 0
        || !agent.classes.is_constructor(callee)
    {
        return None;
    }
    let frames = view.top(CHECKED_FRAMES);
    let below = frames.get(own_frame(view, &frames, callee)? + 1)?;
    let at = walk::frame_site(&agent.classes, below).filter(|_| walk::past_entry(&agent.classes, below))?;
    let target = agent.classes.catalog.method(callee)?;
    let site = agent.classes.catalog.site(at.site)?;
    // Before any link is taken: at another site `ctx` is what a constructor that failed has left,
    // and a link made by a walk may answer.
    if !site.is_weak() || !fits(&site, &target) {
        return None;
    }
    if let Some(word) = agent.tables.links.constructor(at.site, callee, ctx) {
        return Some(word);
    }
    count(&agent.run.counters.slow_entries);
    let link = agent.graph.link(
        |graph| graph.enter(ctx, at.site, callee, Passage::Restoring),
        |graph, link| {
            let link = link.ok().filter(|link| link.kind != LinkKind::Cut)?;
            graph.publish(&agent.tables.links, &link, at.site, callee, RecordKind::Constructor);
            Some(link)
        },
    )?;
    Some(link.word)
}

/// Entry of `callee`, which the JVM calls whenever it likes.
///
/// A method walks. A constructor (of an exception, mostly) cannot push, and would walk again at
/// each `super(...)`, so what is published is believed if the nearest frame with hooks stands at
/// that very call: then that frame has published it, and nothing has been left over.
pub fn enter_untrusted(agent: &Agent, thread: JavaThread, callee: MethodId) -> Signal {
    let fields = agent.jvm.fields.get().filter(|_| agent.classes.is_constructor(callee));
    let Some(fields) = fields else { return enter_walked(agent, thread, callee) };
    if let Some(ctx) = fields.constructing(thread) {
        return enter_super(agent, thread, callee, ctx);
    }
    let state = fields.state(thread);
    if !agent.run.is_dead() && state.is_known() && stands_below(StackView::of(agent, thread.jni), callee, state.site) {
        return enter(agent, thread, callee, state.ctx, state.site);
    }
    enter_walked(agent, thread, callee)
}

/// Does the nearest frame with hooks below that of `callee` stand at `site`, its own entry done?
fn stands_below(view: StackView<'_>, callee: MethodId, site: SiteId) -> bool {
    let frames = view.top(CHECKED_FRAMES);
    let Some(own) = own_frame(view, &frames, callee) else { return false };
    frames[own + 1..].iter().find(|frame| frame.method.is_some()).is_some_and(|frame| {
        walk::has_word(&view.agent.classes, frame)
            && walk::frame_site(&view.agent.classes, frame).is_some_and(|at| at.site == site)
    })
}

/// Entry of `callee` with an unknown or untrusted caller.
pub fn enter_walked(agent: &Agent, thread: JavaThread, callee: MethodId) -> Signal {
    if agent.run.is_dead() {
        return mark_lost(agent, thread, callee, Lost::Death);
    }
    let view = StackView::of(agent, thread.jni);
    let Some(stack) = walk::instrumented(view) else {
        let reason = if agent.run.is_dead() { Lost::Death } else { Lost::Hook };
        return mark_lost(agent, thread, callee, reason);
    };
    let Some(target) = agent.classes.catalog.method(callee) else {
        return mark_lost(agent, thread, callee, Lost::Hook);
    };
    if stack.first().and_then(|frame| frame.method) != Some(callee) {
        return mark_lost(agent, thread, callee, absent(view, callee, &target));
    }
    let need = if target.is_constructor() { Need::Constructor(callee) } else { Need::Entry(callee) };
    let walked = match walk::encode(agent, thread, &stack[1..], need) {
        Ok(walked) => walked,
        Err(reason) => return mark_lost(agent, thread, callee, reason),
    };
    let site = agent.classes.catalog.site(walked.site);
    let unsure = walked.entering || site.as_ref().is_some_and(|site| site.is_weak());
    let skipped = skipped_frames::along(view, &stack, &[(walked.site, callee)]);
    let encoded = agent.graph.link(
        |graph| {
            graph.note(skipped);
            graph.enter(walked.ctx, walked.site, callee, Passage::Restoring)
        },
        |graph, link| {
            let link = link?;
            // A link for the next callback from the same code; where a direct call may come, that
            // call decides first.
            if !walked.entering && site.as_ref().is_none_or(|site| !fits(site, &target)) {
                graph.decide(walked.site, callee, Passage::Restoring, false);
                let kind = record_kind(&link, Passage::Restoring, &target);
                publish(&agent.tables, graph, (walked.ctx, walked.site, callee), &link, kind);
            }
            Ok(link)
        },
    );
    match encoded {
        Ok(link) => {
            let mut below = Vec::with_capacity(walked.extra.len() + 1);
            if unsure || !walked.extra.is_empty() {
                // The exit goes back to where the push began, and finds UNKNOWN there: the walked
                // caller's entries are gone then, or the caller has not begun, or it calls
                // `super(...)`, which no handler of its own watches: an exception ends it unseen.
                below.push(Entry::barrier());
                below.extend(walked.extra);
            }
            let ends = CallEnds { site: walked.site, origin: site.as_ref(), callee, target: &target };
            finish(agent, thread, walked.ctx, ends, below, &link)
        }
        Err(reason) => mark_lost(agent, thread, callee, reason),
    }
}

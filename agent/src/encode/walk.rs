//! From a walked stack to a word: what an entry, an event or a capture does when the published
//! state does not tell its caller.
//!
//! Invariant: the word and the shadow stack entries that a walk gives decode to exactly the frames
//! that were walked. The walk starts from the topmost pushed activation where the thread's shadow
//! stack is confirmed by the real stack, else from the thread base; in the latter case the shadow
//! stack's own entries are not needed to decode what is found.
//! Source: docs/design/mechanisms.md ("Walks").

use std::cell::Cell;
use std::sync::Arc;

use lucce_classfile::BciMap;
use lucce_encoding::{End, ShadowEntry};
use lucce_words::{Lost, MethodId, SiteId, Word};

use crate::encode::context::Context;
use crate::jvm::thread::{Entry, JavaThread};
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::{Agent, count};
use crate::state::catalog::MethodEntry;
use crate::state::classes::Classes;
use crate::state::demand::Passed;
use crate::state::graph::SkippedFrames;
use crate::{encode::foreign, stack::skipped_frames};

/// The caller that a walk found.
pub struct Walked {
    /// Its word.
    pub ctx: Word,
    /// Where it stands.
    pub site: SiteId,
    /// Cut entries that the word needs on top of the thread's shadow stack.
    pub extra: Vec<Entry>,
    /// The caller has perhaps no word yet: its own entry is under way (resolving the hooks' class
    /// called a class loader) or comes later, and what its caller published for it must not be
    /// replaced by its own place.
    pub entering: bool,
}

/// An instrumented frame of the real stack: its method and the site at which it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameSite {
    /// The method.
    pub method: MethodId,
    /// The site at its bytecode index.
    pub site: SiteId,
}

/// All instrumented frames of the current thread, innermost first. `None` if the JVM does not
/// answer: a thread that runs our code has a frame at least, so no frame at all is no stack.
pub fn instrumented(view: StackView<'_>) -> Option<Vec<Frame>> {
    let frames = view.all();
    PASSED.set(frames.len());
    note_foreign(view.agent);
    (!frames.is_empty()).then(|| frames.into_iter().filter(|frame| frame.method.is_some()).collect())
}

/// Names the methods that a look has found changed by another agent. One that is inactive has asked
/// nobody at its entry, and its frame is invisible to walks: what it calls must not be taken for
/// its caller's.
pub fn note_foreign(agent: &Agent) {
    for method in agent.stack.methods.take_foreign() {
        if let Some(target) = agent.classes.catalog.method(method) {
            foreign::note(agent, method, &target);
        }
    }
}

thread_local! {
    /// Frames that the thread's last walk has passed, those without hooks included.
    static PASSED: Cell<usize> = const { Cell::new(0) };
}

/// Who needs a context, and what for.
#[derive(Clone, Copy)]
pub enum Need {
    /// An event, or a capture.
    Event,
    /// The entry of this method, to whom the stack is the caller's.
    Entry(MethodId),
    /// The same of a constructor: the path must fit one word above the confirmed shadow stack, for
    /// a constructor cannot push what a cut would need.
    Constructor(MethodId),
}

/// Where a frame stands: the site at its original bytecode index.
pub fn frame_site(classes: &Classes, frame: &Frame) -> Option<FrameSite> {
    let entry = classes.catalog.method(frame.method?)?;
    frame_site_in(classes, frame, &entry)
}

/// The same of all frames of a stack, each with its method; `None` if one of them cannot be placed.
pub fn placed(classes: &Classes, frames: &[Frame]) -> Option<Vec<(FrameSite, Arc<MethodEntry>)>> {
    let methods = classes.catalog.methods(frames.iter().map(|frame| frame.method));
    let place = |(frame, entry): (&Frame, Option<Arc<MethodEntry>>)| {
        let entry = entry?;
        Some((frame_site_in(classes, frame, &entry)?, entry))
    };
    frames.iter().zip(methods).map(place).collect()
}

/// The same without their methods.
pub fn all_frame_sites(classes: &Classes, frames: &[Frame]) -> Option<Vec<FrameSite>> {
    Some(placed(classes, frames)?.into_iter().map(|(at, _)| at).collect())
}

fn frame_site_in(classes: &Classes, frame: &Frame, entry: &MethodEntry) -> Option<FrameSite> {
    let method = frame.method?;
    let bci = entry.original(frame.location)?;
    Some(FrameSite { method, site: classes.catalog.site_at(method, entry, bci)? })
}

/// Encodes the context whose innermost activation is `stack[0]` (the rest of the instrumented stack
/// below it); an empty stack is the thread base.
///
/// # Errors
/// The reason why the context is lost.
pub fn encode(agent: &Agent, thread: JavaThread, stack: &[Frame], need: Need) -> Result<Walked, Lost> {
    count(&agent.run.counters.walks);
    let frames = stack;
    let entering = frames.first().is_some_and(|frame| !has_word(&agent.classes, frame));
    let stack = all_frame_sites(&agent.classes, frames).ok_or(Lost::Ids)?;
    let fields = agent.jvm.fields.get();
    if let Some(fields) = fields.filter(|_| agent.classes.demand.is_on()) {
        let entered = match need {
            Need::Entry(method) | Need::Constructor(method) if entering => Some(method),
            _ => None,
        };
        let passed = Passed { entered, frames: PASSED.get() };
        let left = fields.state(thread).of_inactive().and_then(|site| agent.classes.catalog.site(site));
        agent.classes.demand.found(stack.iter().map(|at| at.method), left.map(|site| site.method), &passed);
        if agent.classes.demand.has_activated() && !fields.has_hooks_enabled(thread) {
            fields.enable_hooks(thread);
        }
    }
    let shadow_stack = fields.map_or_else(Vec::new, |fields| fields.shadow_stack(thread));
    let (base, path) = match confirmed(agent, &stack, &shadow_stack) {
        Some((word, depth)) => (Some(word), steps(&stack[..=stack.len() - depth])),
        None => (None, from_base(&stack)),
    };
    let skipped = skipped_frames::along(StackView::of(agent, thread.jni), frames, &path);
    let (ctx, extra) = follow(agent, base, &path, skipped, matches!(need, Need::Constructor(_)))?;
    Ok(Walked { ctx, site: stack.first().map_or(SiteId::ROOT, |innermost| innermost.site), extra, entering })
}

/// The context of a stack that was seen some time ago, perhaps of another thread: all its frames,
/// and those of them that have hooks; at the thread base if there is none. It needs nothing of the
/// thread.
///
/// # Errors
/// The reason why the context is lost.
pub fn of_sample(view: StackView<'_>, all: &[Frame], hooked: &[Frame]) -> Result<Context, Lost> {
    let agent = view.agent;
    let stack = all_frame_sites(&agent.classes, hooked).ok_or(Lost::Ids)?;
    let path = from_base(&stack);
    let skipped = skipped_frames::among(view, all, hooked, &path);
    let (word, shadow_stack) = follow(agent, None, &path, skipped, false)?;
    let site = stack.first().map_or(SiteId::ROOT, |innermost| innermost.site);
    Ok(Context::chained(word, site, shadow_stack, false))
}

/// The word at the end of these calls from the thread base on.
///
/// # Errors
/// The reason why the context is lost.
pub fn word_of(agent: &Agent, calls: &[(SiteId, MethodId)]) -> Result<Word, Lost> {
    follow(agent, None, calls, Vec::new(), false).map(|(word, _)| word)
}

/// Encodes a path that begins at the activation with the word `base`, or at the thread base: the
/// word of its end, and the cut entries that this needs on top of those of `base`. `whole`: none.
fn follow(
    agent: &Agent,
    base: Option<Word>,
    path: &[(SiteId, MethodId)],
    skipped: Vec<SkippedFrames>,
    whole: bool,
) -> Result<(Word, Vec<Entry>), Lost> {
    agent.graph.locked(|graph| {
        graph.renumber_if_due(&agent.tables.links);
        graph.note(skipped);
        let mut ctx = base.unwrap_or_else(|| graph.root());
        let mut extra = Vec::new();
        for step in graph.path(ctx, path, whole)? {
            if step.cut {
                extra.push(Entry::pushed(ctx, step.site, step.callee, step.word, true));
            }
            ctx = step.word;
        }
        Ok((ctx, extra))
    })
}

/// Is it certain that the activation has its word? Where it stands in inserted code, or where its
/// method may not have been entered yet, what was published last is still meant for it; and one
/// that is inactive has none.
pub fn has_word(classes: &Classes, frame: &Frame) -> bool {
    is_certain(classes, frame, BciMap::has_word)
}

/// Is it certain that what was published last is not meant for the activation, but by it or by one
/// that it has called?
pub fn past_entry(classes: &Classes, frame: &Frame) -> bool {
    is_certain(classes, frame, BciMap::past_entry)
}

fn is_certain(classes: &Classes, frame: &Frame, told: impl Fn(&BciMap, u32) -> bool) -> bool {
    let entry = frame.method.and_then(|method| classes.catalog.method(method));
    entry.zip(u32::try_from(frame.location).ok()).is_none_or(|(entry, location)| told(&entry.map, location))
}

/// The topmost pushed activation, if the shadow stack up to it decodes to exactly the bottom of the
/// real stack: its word, and the number of frames from it to the base.
fn confirmed(agent: &Agent, stack: &[FrameSite], shadow_stack: &[Entry]) -> Option<(Word, usize)> {
    let top = shadow_stack.iter().rposition(|entry| !entry.shadow.barrier)?;
    let entry = &shadow_stack[top];
    let links: Vec<ShadowEntry> = shadow_stack[..=top].iter().map(|entry| entry.shadow).collect();
    let decoded = agent.graph.snapshot().decode(entry.shadow.method, entry.word, &links);
    let depth = decoded.frames.len();
    let agrees =
        decoded.end == End::Root && depth <= stack.len() && {
            let real = &stack[stack.len() - depth..];
            decoded.frames.iter().zip(real).enumerate().all(|(index, (frame, real))| {
                frame.method == real.method && (index == 0 || frame.site == Some(real.site))
            })
        };
    if !agrees {
        count(&agent.run.counters.chain_repairs);
        return None;
    }
    Some((entry.word, depth))
}

/// The calls of a stack from the thread base on.
pub fn from_base(stack: &[FrameSite]) -> Vec<(SiteId, MethodId)> {
    stack.last().map(|first| (SiteId::ROOT, first.method)).into_iter().chain(steps(stack)).collect()
}

/// The calls between neighbours of a stack, bottom first.
pub fn steps(stack: &[FrameSite]) -> Vec<(SiteId, MethodId)> {
    stack.windows(2).rev().map(|pair| (pair[1].site, pair[0].method)).collect()
}

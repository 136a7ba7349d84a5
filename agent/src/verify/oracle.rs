//! The oracle: does the decoded context equal the JVM's own stack walk at this very moment?
//!
//! Invariant: left out of the walk are frames without hooks (the JDK's, native and hidden ones,
//! what the log names as skipped), nothing else; every other frame must agree in method, bytecode
//! index and line. A disagreement is counted, logged and printed, never filtered. There are three
//! ways to compare, each cheaper than the next and each leaving what it cannot confirm to the next:
//! the top of a deep stack ([`deep`]), both sides step by step, both sides collected, whose
//! disagreement is final.
//! Source: ARCHITECTURE ("The contract"), docs/design/verifier.md.

mod deep;
mod figures;
mod mismatch;
mod places;
mod ticks;

use std::hash::Hasher;

use lucce_encoding::{Activation, End};
use lucce_words::{Lost, MethodId, NodeId, SiteId, Version, Word};
use rustc_hash::FxHasher;

use crate::encode::capture;
use crate::encode::context::Context;
use crate::encode::encoder::{Expectation, Said};
use crate::encode::walk;
use crate::jvm::thread::{JavaThread, ThreadFields};
use crate::stack::frames::{Frame, StackView, Walk};
use crate::state::agent::{Agent, count};
pub use figures::Oracle;
use places::Stack;

/// An entry that is checked.
#[derive(Clone, Copy)]
struct Entered<'a> {
    agent: &'a Agent,
    fields: &'a ThreadFields,
    thread: JavaThread,
    method: MethodId,
    word: Word,
}

/// A comparison that agreed.
struct Match {
    /// Frames with hooks.
    depth: u32,
    /// The innermost and the one that called it, in one number for each pair.
    top: u64,
    /// Where the second of them stands.
    caller: SiteId,
    /// The activations with an entry of their own.
    owners: Vec<Owner>,
    /// Of all that were compared.
    hash: FxHasher,
}

/// An activation and its entry of the shadow stack.
struct Owner {
    /// Where in the shadow stack that was decoded.
    index: usize,
    /// Frames above the activation.
    above: u32,
    /// Its word.
    word: Word,
}

impl Match {
    fn new() -> Self {
        Self { depth: 0, top: 0, caller: SiteId::ROOT, owners: Vec::new(), hash: FxHasher::default() }
    }

    /// The next activation below.
    fn add(&mut self, at: &Activation) {
        // A site is of one method.
        self.hash.write_u64(at.site.map_or(u64::from(at.method.0) << 32, |site| site.0.into()));
        if self.depth == 1 {
            (self.caller, self.top) = (at.site.unwrap_or(SiteId::UNKNOWN), self.hash.finish());
        }
        self.owners.extend(at.own.map(|index| Owner { index, above: self.depth, word: at.word }));
        self.depth += 1;
    }

    /// Equal for equal contexts.
    fn context(&self) -> u64 {
        if self.depth > deep::WHOLE { self.top ^ u64::from(self.depth) << 40 } else { self.hash.finish() }
    }
}

/// Compares the entry of `method` with `word`.
pub fn check_entry(agent: &Agent, thread: JavaThread, method: MethodId, word: Word) {
    if agent.run.is_dead()
        || matches!(word.lost_reason(), Some(Lost::Foreign | Lost::OnCarrier | Lost::Ended | Lost::Continuation))
    {
        return;
    }
    let Some(fields) = agent.jvm.fields.get() else { return };
    let needs_shadow_stack = agent.encoder.has_shadow_stack() && word.version().0 != 0 && word.chained();
    if needs_shadow_stack && fields.is_doubted(thread) {
        return check_walked(agent, thread);
    }
    let entered = Entered { agent, fields, thread, method, word };
    if let Some(matched) = deep::holds(&entered) {
        count(&agent.oracle.checks);
        count(&agent.oracle.incremental);
        note(
            agent,
            &Expectation { method, site: None, word, version: Version(0), shadow_stack: &[], node: NodeId(0) },
            &matched,
        );
        return;
    }
    let shadow_stack = fields.shadow_stack(thread);
    let expected = Expectation {
        method,
        site: None,
        word,
        version: fields.version(thread),
        shadow_stack: &shadow_stack,
        node: NodeId(0),
    };
    let view = StackView::of(agent, thread.jni);
    let matched = if agent.stack.methods.any_redefined() {
        walk::instrumented(view).map(|stack| compare(view, &expected, Stack::Walked(stack.iter())))
    } else {
        Walk::whole(agent.jvm.jvmti).map(|walk| compare(view, &expected, Stack::Walking(walk)))
    };
    match matched {
        Some(Some(matched)) => deep::matched_whole(&entered, &shadow_stack, &matched),
        Some(None) => {}
        None => count(&agent.oracle.unanswered),
    }
}

/// Compares what an event would tell where the shadow stack is not to be believed.
fn check_walked(agent: &Agent, thread: JavaThread) {
    let view = StackView::of(agent, thread.jni);
    match walk::instrumented(view) {
        Some(stack) => match capture::walked(agent, thread, &stack) {
            Some(context) => check_event(view, &context, &stack),
            None => {
                count(&agent.oracle.checks);
                count(&agent.oracle.lost);
            }
        },
        None => count(&agent.oracle.unanswered),
    }
}

/// Compares the context of an event.
pub fn check_event(view: StackView<'_>, context: &Context, stack: &[Frame]) {
    let Some(entry) = view.agent.classes.catalog.site(context.site) else { return };
    let Context { word, version, ref shadow_stack, node, .. } = *context;
    let expected = Expectation { method: entry.method, site: Some(context.site), word, version, shadow_stack, node };
    compare(view, &expected, Stack::Walked(stack.iter()));
}

/// Compares the entry of `method`, whose hashed word is `mixed`, with the stack (`encoder=pcc`).
pub fn check_hashed(agent: &Agent, thread: JavaThread, method: MethodId, mixed: u64) {
    if agent.run.is_dead() {
        return;
    }
    match agent.encoder.said(agent, thread, method, mixed) {
        Said::Unanswered => count(&agent.oracle.unanswered),
        Said::Unknown => {
            count(&agent.oracle.checks);
            count(&agent.oracle.unknown);
        }
        Said::Context(node, stack) => {
            let expected =
                Expectation { method, site: None, word: Word::NONE, version: Version(0), shadow_stack: &[], node };
            compare(StackView::of(agent, thread.jni), &expected, Stack::Walked(stack.iter()));
        }
    }
}

/// Compares to the base, and counts. What agreed, if it did.
fn compare(view: StackView<'_>, expected: &Expectation<'_>, stack: Stack<'_>) -> Option<Match> {
    let agent = view.agent;
    if agent.encoder.is_lost(expected.word, expected.version) {
        count(&agent.oracle.checks);
        count(&agent.oracle.lost);
        return None;
    }
    let matched = match whole(view, expected, stack) {
        Some(matched) => {
            count(&agent.oracle.checks);
            matched
        }
        None => mismatch::settle(view, expected)?,
    };
    note(agent, expected, &matched);
    Some(matched)
}

/// Both sides step by step; `None` at the first disagreement.
fn whole(view: StackView<'_>, expected: &Expectation<'_>, mut stack: Stack<'_>) -> Option<Match> {
    let walking = matches!(stack, Stack::Walking(_));
    let mut matched = Match::new();
    let end = decode(view.agent, expected, |at| {
        let agrees = stack.next_is(view, at.method, at.site);
        matched.add(at);
        agrees
    })?;
    let whole = end == End::Root
        && stack.is_at_base(view)
        && misplaced(expected, &matched).is_none()
        // A redefinition may have begun meanwhile.
        && !(walking && view.agent.stack.methods.any_redefined());
    whole.then_some(matched)
}

/// The depth at which an incremental check has confirmed an activation that stands elsewhere.
fn misplaced(expected: &Expectation<'_>, matched: &Match) -> Option<u32> {
    let mut heights = matched.owners.iter().filter_map(|owner| {
        let confirmed = expected.shadow_stack[owner.index].confirmed;
        (confirmed != 0).then_some(confirmed + owner.above)
    });
    heights.find(|&height| height != matched.depth)
}

/// Decodes from the top until `visit` says no. How it ends, if it does not end so.
fn decode(agent: &Agent, expected: &Expectation<'_>, mut visit: impl FnMut(&Activation) -> bool) -> Option<End> {
    // An event's innermost activation stands at its site.
    let mut innermost = expected.site;
    let mut visit = |at: Activation| visit(&Activation { site: innermost.take().or(at.site), ..at });
    agent.encoder.decode(agent, expected, &mut visit)
}

/// Remembers the context, and the edge it came by.
fn note(agent: &Agent, expected: &Expectation<'_>, matched: &Match) {
    agent.oracle.distinct.lock().insert(matched.context());
    agent.encoder.saw(agent, matched.caller, expected.method, expected.word);
}

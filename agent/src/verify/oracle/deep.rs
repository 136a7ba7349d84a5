//! Checks of deep stacks without walking them to the base: from the top down to an activation that
//! was confirmed before.
//!
//! Invariant: an entry of the shadow stack is marked as confirmed only by a check that held and
//! whose decoding took the entry for an activation of its path. A push clears the mark. So a marked
//! entry below `top` has not been pushed anew, and as long as it is not popped that activation
//! stands: it has pushed the entry itself, or one above it has, for a path it walked. What is below
//! a standing activation changes neither in the real stack (its callers wait in the same calls) nor
//! in what it decodes to (entries below are kept, numbers never change meaning). So a check that
//! agrees down to a marked activation, and reaches it in decoding with the entry's word, holds to
//! the base. What this takes for granted, that a frame does not leave without popping its entry, is
//! for the whole checks between.
//! Source: docs/design/verifier.md.

use std::cell::Cell;

use lucce_encoding::ShadowEntry;

use super::places::Stack;
use super::{Entered, Match, Owner};
use crate::jvm::thread::Entry;
use crate::stack::frames::{StackView, Walk};

/// Frames of a stack that every check walks to its base; the activations of deeper ones are marked.
pub const WHOLE: u32 = 512;
/// On a stack of n frames a whole check follows n / SHARE incremental ones: all of them together
/// then cost no more than walking SHARE frames with each.
const SHARE: u32 = 4;
/// Entries of the shadow stack, and frames of the stack, that are asked for at first.
const TOP: usize = 16;

thread_local! {
    /// Incremental checks since the last whole one of a deep stack; virtual threads share their
    /// carrier's.
    static SINCE: Cell<u32> = const { Cell::new(0) };
}

/// Does the entry agree with the real stack down to a confirmed activation? `None` if that cannot
/// be said, or if it is time for a whole check.
pub fn holds(entered: &Entered<'_>) -> Option<Match> {
    let Entered { agent, thread, method, word, .. } = *entered;
    if !agent.encoder.has_shadow_stack() || !word.chained() || agent.stack.methods.any_redefined() {
        return None;
    }
    let (first, shadow_stack) = from_confirmed(entered)?;
    let confirmed = shadow_stack.first()?;
    let since = SINCE.get();
    if since >= confirmed.confirmed / SHARE {
        return None;
    }
    SINCE.set(since + 1);
    let links: Vec<ShadowEntry> = shadow_stack.iter().map(|entry| entry.shadow).collect();
    let view = StackView::of(agent, thread.jni);
    let mut stack = Stack::Walking(Walk::from_top(agent.jvm.jvmti, TOP)?);
    let snapshot = agent.graph.snapshot();
    let mut matched = Match::new();
    for at in snapshot.descend(method, word, &links) {
        if !stack.next_is(view, at.method, at.site) {
            return None;
        }
        matched.add(&at);
        if at.own == Some(0) {
            let same = at.method == confirmed.shadow.method && at.word == confirmed.word;
            // A redefinition may have begun meanwhile.
            if !same || agent.stack.methods.any_redefined() {
                return None;
            }
            matched.depth += confirmed.confirmed - 1;
            mark(entered, first, &shadow_stack, &matched);
            return Some(matched);
        }
    }
    None
}

/// A whole check has held.
pub fn matched_whole(entered: &Entered<'_>, shadow_stack: &[Entry], matched: &Match) {
    if matched.depth > WHOLE {
        SINCE.set(0);
        mark(entered, 0, shadow_stack, matched);
    }
}

/// Marks the entries in `shadow_stack`, whose first one is the thread's `first`, of the activations
/// that were walked.
fn mark(entered: &Entered<'_>, first: usize, shadow_stack: &[Entry], matched: &Match) {
    let Entered { agent, fields, thread, .. } = *entered;
    if !agent.encoder.has_shadow_stack() || agent.stack.methods.any_redefined() {
        return;
    }
    let new = matched.owners.iter().rev().filter_map(|&Owner { index, above, word }| {
        let depth = matched.depth - above;
        let entry = &shadow_stack[index];
        (depth > WHOLE && entry.confirmed == 0 && entry.word == word).then_some((first + index, depth))
    });
    fields.set_confirmed(thread, &new.collect::<Vec<_>>());
}

/// The shadow stack from its topmost confirmed entry on, and that entry's index.
fn from_confirmed(entered: &Entered<'_>) -> Option<(usize, Vec<Entry>)> {
    let mut most = TOP;
    loop {
        let (first, mut shadow_stack) = entered.fields.shadow_stack_top(entered.thread, most);
        if let Some(at) = shadow_stack.iter().rposition(|entry| entry.confirmed != 0) {
            shadow_stack.drain(..at);
            return Some((first + at, shadow_stack));
        }
        if first == 0 || shadow_stack.is_empty() {
            return None;
        }
        most *= 8;
    }
}

//! Checks of deep stacks without walking them to the base: from the top down to an activation that was confirmed before.
//!
//! Invariant: an entry of the chain is marked as confirmed only by a check that held and whose decoding took the entry for an activation of
//! its path. A push clears the mark. So a marked entry below `top` has not been pushed anew, and as long as it is not popped that activation
//! stands: it has pushed the entry itself, or one above it has, for a path it walked. What is below a standing activation changes neither
//! in the real stack (its callers wait in the same calls) nor in what it decodes to (entries below are kept, numbers never change meaning).
//! So a check that agrees down to a marked activation, and reaches it in decoding with the entry's word, holds to the base.
//! What this takes for granted, that a frame does not leave without popping its entry, is for the whole checks between.
//! Source: docs/design/verifier.md.

use std::cell::Cell;

use lucce_encoding::ChainEntry;

use super::places::Stack;
use super::{Entered, Match, Owner};
use crate::jvm::thread::Entry;
use crate::stack::frames::Walk;

/// Frames of a stack that every check walks to its base; the activations of deeper ones are marked.
pub const WHOLE: u32 = 512;
/// On a stack of n frames a whole check follows n / SHARE incremental ones: all of them together then cost no more than walking SHARE
/// frames with each.
const SHARE: u32 = 4;
/// Entries of the chain, and frames of the stack, that are asked for at first.
const TOP: usize = 16;

thread_local! {
    /// Incremental checks since the last whole one of a deep stack; virtual threads share their carrier's.
    static SINCE: Cell<u32> = const { Cell::new(0) };
}

/// Does the entry agree with the real stack down to a confirmed activation? `None` if that cannot be said, or if it is time for a whole
/// check.
pub fn holds(entered: &Entered<'_>) -> Option<Match> {
    let Entered { agent, jni, method, word, .. } = *entered;
    if !agent.encoder.has_chains() || !word.chained() || agent.methods.any_redefined() {
        return None;
    }
    let (first, chain) = from_confirmed(entered)?;
    let confirmed = chain.first()?;
    let since = SINCE.get();
    if since >= confirmed.confirmed / SHARE {
        return None;
    }
    SINCE.set(since + 1);
    let links: Vec<ChainEntry> = chain.iter().map(|entry| entry.chain).collect();
    let mut stack = Stack::Walking(Walk::from_top(agent.jvmti, TOP)?);
    let snapshot = agent.graph.snapshot();
    let mut matched = Match::new();
    for at in snapshot.descend(method, word, &links) {
        if !stack.next_is(agent, jni, at.method, at.site) {
            return None;
        }
        matched.add(&at);
        if at.own == Some(0) {
            let same = at.method == confirmed.chain.method && at.word == confirmed.word;
            // A redefinition may have begun meanwhile.
            if !same || agent.methods.any_redefined() {
                return None;
            }
            matched.depth += confirmed.confirmed - 1;
            mark(entered, first, &chain, &matched);
            return Some(matched);
        }
    }
    None
}

/// A whole check has held.
pub fn matched_whole(entered: &Entered<'_>, chain: &[Entry], matched: &Match) {
    if matched.depth > WHOLE {
        SINCE.set(0);
        mark(entered, 0, chain, matched);
    }
}

/// Marks the entries in `chain`, whose first one is the thread's `first`, of the activations that were walked.
fn mark(entered: &Entered<'_>, first: usize, chain: &[Entry], matched: &Match) {
    let Entered { agent, fields, jni, thread, .. } = *entered;
    if !agent.encoder.has_chains() || agent.methods.any_redefined() {
        return;
    }
    let new = matched.owners.iter().rev().filter_map(|&Owner { index, above, word }| {
        let depth = matched.depth - above;
        let entry = &chain[index];
        (depth > WHOLE && entry.confirmed == 0 && entry.word == word).then_some((first + index, depth))
    });
    fields.set_confirmed(jni, thread, &new.collect::<Vec<_>>());
}

/// The chain from its topmost confirmed entry on, and that entry's index.
fn from_confirmed(entered: &Entered<'_>) -> Option<(usize, Vec<Entry>)> {
    let mut most = TOP;
    loop {
        let (first, mut chain) = entered.fields.chain_top(entered.jni, entered.thread, most);
        if let Some(at) = chain.iter().rposition(|entry| entry.confirmed != 0) {
            chain.drain(..at);
            return Some((first + at, chain));
        }
        if first == 0 || chain.is_empty() {
            return None;
        }
        most *= 8;
    }
}

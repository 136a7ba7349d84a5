//! What did not agree at once: both sides collected, compared again, and shown if they differ.
//!
//! Invariant: every mismatch is counted; the first are printed and logged in full, both sides
//! aligned from the base.

use std::fmt::Write;
use std::sync::atomic::Ordering;

use lucce_encoding::{End, Unknown};
use lucce_log::Record;

use super::places::{StackPlace, place_of_frame, place_of_site};
use super::{Expectation, Match, decode, misplaced};
use crate::encode::walk;
use crate::jvm::thread::Entry;
use crate::stack::frames::StackView;
use crate::state::agent::count;
use crate::state::classes::Classes;

/// Mismatches that are printed and logged in full.
const SHOWN: u64 = 10;

/// The last word on a context whose comparison step by step has not held; what holds, if it does
/// after all (a class was redefined meanwhile).
pub fn settle(view: StackView<'_>, expected: &Expectation<'_>) -> Option<Match> {
    let agent = view.agent;
    let Some(stack) = walk::instrumented(view) else {
        count(&agent.oracle.unanswered);
        return None;
    };
    count(&agent.oracle.checks);
    let mut ours = Vec::new();
    let mut matched = Match::new();
    let end = decode(agent, expected, |at| {
        ours.push(place_of_site(&agent.classes, at.method, at.site));
        matched.add(at);
        true
    })?;
    let theirs: Vec<StackPlace> = stack
        .iter()
        .enumerate()
        .filter_map(|(index, frame)| match frame.method.filter(|_| index == 0 && expected.site.is_none()) {
            Some(method) => Some(place_of_site(&agent.classes, method, None)),
            None => place_of_frame(view, frame),
        })
        .collect();
    if end == End::Unknown(Unknown::Chain)
        && expected.shadow_stack.iter().any(Entry::is_dropped)
        && ours.len() <= theirs.len()
        && ours[..] == theirs[..ours.len()]
    {
        // Known to be unknown from here down.
        count(&agent.oracle.lost);
        return None;
    }
    let agree = end == End::Root && ours == theirs;
    let misplaced = misplaced(expected, &matched);
    if agree && misplaced.is_none() {
        return Some(matched);
    }
    if agent.oracle.mismatches.fetch_add(1, Ordering::Relaxed) < SHOWN {
        let text = match misplaced {
            Some(height) if agree => format!(
                "MISMATCH: an incremental check took this stack of {} frames for one of {height}; the frames agree\n",
                matched.depth
            ),
            _ => report(&agent.classes, expected, &end, &ours, &theirs),
        };
        say!("{}", text.trim_end());
        agent.graph.locked(|graph| graph.record(Record::Mismatch { text }));
    }
    None
}

/// Both sides, aligned from the base.
fn report(
    classes: &Classes,
    expected: &Expectation<'_>,
    end: &End,
    ours: &[StackPlace],
    theirs: &[StackPlace],
) -> String {
    let Expectation { word, version, .. } = *expected;
    let packed = version.0 == 0;
    let mut text = format!(
        "MISMATCH: <{}, {}> decodes to {} frames ({end:?}), the JVM has {}\n",
        if packed { word.version() } else { version },
        if packed { word.call_id() } else { word.0 },
        ours.len(),
        theirs.len()
    );
    let show = |place: Option<&StackPlace>| {
        place.map_or_else(String::new, |place| match classes.catalog.method(place.method) {
            Some(entry) => {
                let bci = place.bci.map_or(-1, i32::from);
                let (line, member) = (place.line.map_or(-1, |line| line as i32), &entry.member);
                format!("{}.{}{} bci {bci} line {line}", member.owner(), member.name(), member.desc())
            }
            None => format!("method {}", place.method),
        })
    };
    let depth = ours.len().max(theirs.len());
    let common = ours.iter().rev().zip(theirs.iter().rev()).take_while(|(one, other)| one == other).count();
    for height in (common.saturating_sub(3)..depth).rev().take(60) {
        let at = |side: &[StackPlace]| side.len().checked_sub(height + 1).map(|index| side[index]);
        let (one, other) = (at(ours), at(theirs));
        let sign = if one == other { ' ' } else { '!' };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {sign} {:<80} | {}", show(one.as_ref()), show(other.as_ref()));
    }
    text
}

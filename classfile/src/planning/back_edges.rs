//! Where a method that is inactive looks again whether it was activated: where a loop that calls
//! goes back.
//!
//! An activation may go on for ever: `main`, in its loop. What it calls when it is active would be
//! walked each time. A loop that counts within another ends soon enough, and is as fast as it was:
//! the outer one looks. It looks before it goes back, where a `goto` does that, and else where the
//! next round begins: HotSpot's C2 makes a loop that tests at its top into one that tests at its
//! bottom, which all it does with counting loops begins with, but only if the test is what the loop
//! begins with (`ciTypeFlow::clone_loop_heads`).
//! Invariant: the operand stack is empty where it looks. Source: docs/design/lazy-hooks.md.

use crate::analyze::flow::Flow;
use crate::format::code::Code;
use crate::format::opcode::{GOTO, GOTO_W, IINC, ILOAD};
use crate::planning::plan::{Action, Plan};

/// The instructions of a loop: from where a round begins to the last that leads back there.
#[derive(Clone, Copy)]
struct Loop {
    first: usize,
    last: usize,
}

/// So many instructions before the last of a loop may belong to its condition: `i < a.length` of a
/// field.
const CONDITION: usize = 4;

/// Before which instructions it looks, ascending, for the loops in which something is published.
/// Where it is entered `late` no loop begins or goes back, though a jump may lead back there or
/// stand there.
pub(crate) fn back_edges(code: &Code<'_>, flow: &Flow, plan: &Plan<'_>, late: &[usize]) -> Vec<usize> {
    let calls = |first: usize, last: usize| {
        let behind = &plan.steps[plan.steps.partition_point(|step| step.0 < first)..];
        behind.iter().take_while(|step| step.0 <= last).any(|step| matches!(step.1, Action::Publish(_)))
    };
    let back = || code.jumps().iter().filter(|jump| jump.to <= jump.from && flow.depth(jump.to) == Some(0));
    let mut loops: Vec<Loop> = back().map(|jump| Loop { first: jump.to, last: jump.from }).collect();
    loops.retain(|one| !late.contains(&one.first) && calls(one.first, one.last));
    // Several jumps may lead back to one place: the last tells the loop's end.
    loops.sort_unstable_by_key(|one| (one.first, std::cmp::Reverse(one.last)));
    loops.dedup_by_key(|one| one.first);
    let counters = if loops.len() > 1 { Counters::of(code) } else { Counters::default() };
    // The last instruction of those that begin before: there may be so many loops that none can be
    // held against each other.
    let mut end = None;
    loops.retain(|one| {
        let within = end >= Some(one.last);
        end = end.max(Some(one.last));
        !(within && counters.end(*one, code))
    });
    let leads = |to: usize| loops.binary_search_by_key(&to, |one| one.first).is_ok();
    let goes = |from: usize| matches!(code.opcode(from), GOTO | GOTO_W);
    let mut looks: Vec<usize> = back()
        .filter(|jump| flow.depth(jump.from).is_some() && leads(jump.to))
        .map(|jump| if goes(jump.from) { jump.from } else { jump.to })
        // The one way into a loop may be a jump back, too.
        .filter(|look| !late.contains(look))
        .collect();
    looks.sort_unstable();
    looks.dedup();
    looks
}

/// Where a method adds to its locals: local and instruction, ascending.
#[derive(Default)]
struct Counters(Vec<(usize, usize)>);

impl Counters {
    fn of(code: &Code<'_>) -> Self {
        let local = |number: usize| usize::from(code.instruction(number)[1]);
        let adds = (0..code.count()).filter(|number| code.opcode(*number) == IINC);
        let mut all: Vec<_> = adds.map(|number| (local(number), number)).collect();
        all.sort_unstable();
        Self(all)
    }

    /// Does the loop count in a local that its condition reads? That stands where a round begins or
    /// right before it ends, as compilers write it.
    fn end(&self, one: Loop, code: &Code<'_>) -> bool {
        let read = |number: usize| code.local_access(number).filter(|access| access.0 == ILOAD).map(|access| access.1);
        let counted = |local: usize| {
            let next = self.0.partition_point(|add| *add < (local, one.first));
            self.0.get(next).is_some_and(|add| *add <= (local, one.last))
        };
        let condition = one.last.saturating_sub(CONDITION).max(one.first)..one.last;
        std::iter::once(one.first).chain(condition).filter_map(read).any(counted)
    }
}

//! Where a method that sleeps looks again whether it was woken: at the beginning of each round of a loop that calls.
//!
//! An activation may go on for ever: `main`, in its loop. What it calls when it is awake would be walked each time.
//! Invariant: the operand stack is empty where a round begins. Source: ARCHITECTURE, "Hooks on demand".

use crate::code::Code;
use crate::flow::Flow;
use crate::plan::{Action, Plan};

/// The first instructions of loops in which something is published, ascending.
pub(crate) fn rounds(code: &Code<'_>, flow: &Flow, plan: &Plan<'_>) -> Vec<usize> {
    let calls = |first: usize, last: usize| {
        let behind = &plan.steps[plan.steps.partition_point(|step| step.0 < first)..];
        behind.iter().take_while(|step| step.0 <= last).any(|step| matches!(step.1, Action::Publish(_)))
    };
    let back = code.jumps().iter().filter(|jump| jump.to <= jump.from && flow.depth(jump.to) == Some(0));
    let mut rounds: Vec<usize> = back.filter(|jump| calls(jump.to, jump.from)).map(|jump| jump.to).collect();
    rounds.sort_unstable();
    rounds.dedup();
    rounds
}

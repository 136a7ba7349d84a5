//! Where a method that sleeps looks again whether it was woken: at the beginning of each round of a loop that calls.
//!
//! An activation may go on for ever: `main`, in its loop. What it calls when it is awake would be walked each time.
//! Invariant: the operand stack is empty where a round begins. Source: ARCHITECTURE, "Hooks on demand".

use crate::code::Code;
use crate::flow::Flow;
use crate::plan::{Action, Plan};

/// The first instructions of loops in which something is published, ascending.
pub(crate) fn rounds(code: &Code<'_>, flow: &Flow, plan: &Plan<'_>) -> Vec<usize> {
    let published = |step: &&(usize, Action)| matches!(step.1, Action::Publish(_));
    let calls: Vec<usize> = plan.steps.iter().filter(published).map(|step| step.0).collect();
    let within = |first: usize, last: usize| calls.get(calls.partition_point(|&call| call < first)) <= Some(&last);
    let back = code.jumps().iter().filter(|jump| jump.to <= jump.from && flow.depth(jump.to) == Some(0));
    let loops = back.filter(|jump| calls.last() >= Some(&jump.to) && within(jump.to, jump.from));
    let mut rounds: Vec<usize> = loops.map(|jump| jump.to).collect();
    rounds.sort_unstable();
    rounds.dedup();
    rounds
}

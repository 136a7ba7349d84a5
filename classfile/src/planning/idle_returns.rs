//! The returns that a method reaches without having published or cleared anything.
//!
//! Where words are hashed each exit puts back what the entry found. On these ways it still stands
//! there, so nothing is stored. Many methods answer from what they have already, and call only if
//! that fails.
//! Invariant: no way from an action of the plan leads to a return that is dropped.
//! Source: docs/design/hashed-words.md ("What a word means").

use crate::analyze::flow::Flow;
use crate::format::code::Code;
use crate::planning::blocks::{BlockGraph, each};
use crate::planning::plan::{Action, Plan};
use crate::planning::shrink_wrap::may_return_early;

/// Drops them from the plan of a method.
pub(crate) fn drop_idle_returns(code: &Code<'_>, flow: &Flow, plan: &mut Plan<'_>, graph: &mut BlockGraph) {
    if !may_return_early(code, plan) || graph.make(code, flow, plan).is_none() {
        return;
    }
    let touched = each(graph.acts).fold(graph.acts, |touched, block| touched | graph.reached_from(block));
    plan.steps.retain(|step| step.1 != Action::Return || touched >> graph.block_of(step.0) & 1 != 0);
}

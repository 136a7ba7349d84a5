//! Where a method is entered: behind the early returns, if it has some.
//!
//! Activations that return before they call or initialise anything need no word. So the entry hook
//! moves down the dominator tree, as far as every instruction that needs the word still has one
//! entry above it.
//! Invariant: no path passes two entries, none passes one twice, and none reaches an action without
//! one. At an entry the operand stack is empty, the types of the locals are known, and no handler
//! of the method's own watches.
//! Source: docs/design/emitted-code.md ("Shrink-wrapped prologues").

use crate::analyze::flow::Flow;
use crate::format::code::Code;
use crate::format::opcode::*;
use crate::planning::blocks::{BlockGraph, Set, acts, each};
use crate::planning::plan::{Action, Plan};
use std::ops::Range;

/// So many entries are worth their code.
const ENTRIES: u32 = 3;

/// The entries of a method that is not entered at its start.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shrunk {
    /// The instructions before which it is entered, ascending.
    pub(crate) entries: Vec<usize>,
    /// Runs of instructions that are reached without an entry, ascending: there the method may not
    /// have been entered.
    pub(crate) before: Vec<Range<usize>>,
}

impl Shrunk {
    /// Looks for shrink-wrapped entries; `None` if the method is best entered at its start.
    /// `known(k)`: can a frame be written before instruction `k`?
    pub(crate) fn find(
        code: &Code<'_>,
        flow: &Flow,
        plan: &Plan<'_>,
        graph: &mut BlockGraph,
        mut known: impl FnMut(usize) -> bool,
    ) -> Option<Self> {
        if !may_return_early(code, plan) {
            return None;
        }
        graph.make(code, flow, plan)?;
        graph.find_dominators();
        let at = graph.entries(0, &mut known)?;
        if at.count_ones() > ENTRIES || at & 1 != 0 || !graph.returns_before(code, at) {
            return None;
        }
        let before = graph.blocks().filter(|&block| graph.dominators[block] & at == 0);
        let mut runs: Vec<Range<usize>> = Vec::new();
        for run in before.map(|block| graph.leader(block)..graph.leader(block + 1)) {
            match runs.last_mut() {
                Some(last) if last.end == run.start => last.end = run.end,
                _ => runs.push(run),
            }
        }
        Some(Self { entries: each(at).map(|block| graph.leader(block)).collect(), before: runs })
    }
}

impl BlockGraph {
    /// The lowest entries for all that acts in what `block` dominates; `None` if they must stand
    /// above it.
    fn entries(&self, block: usize, known: &mut impl FnMut(usize) -> bool) -> Option<Set> {
        let here = |known: &mut dyn FnMut(usize) -> bool| {
            let fits = self.fit >> block & 1 != 0 && self.reached_from(block) >> block & 1 == 0;
            (fits && known(self.leader(block))).then_some(1 << block)
        };
        if self.acts >> block & 1 != 0 {
            return here(known);
        }
        let mut below = 0;
        for child in self.children(block).filter(|&child| self.acts & self.dominated[child] != 0) {
            match self.entries(child, known) {
                Some(entries) => below |= entries,
                None => return here(known),
            }
        }
        if each(below).any(|entry| self.reached_from(entry) & below != 0) { here(known) } else { Some(below) }
    }

    /// The blocks whose nearest other dominator is `block`.
    fn children(&self, block: usize) -> impl Iterator<Item = usize> {
        let above = self.dominators[block];
        each(self.dominated[block] & !(1 << block)).filter(move |&child| self.dominators[child] == above | 1 << child)
    }

    /// Does a way from the start come to a return without passing one of `entries`?
    fn returns_before(&self, code: &Code<'_>, entries: Set) -> bool {
        let (mut seen, mut work): (Set, Set) = (1, 1);
        while work != 0 {
            let block = work.trailing_zeros() as usize;
            work &= work - 1;
            if is_return(code.opcode(self.leader(block + 1) - 1)) {
                return true;
            }
            let fresh = self.successors[block] & !seen & !entries;
            seen |= fresh;
            work |= fresh;
        }
        false
    }
}

/// May there be a way to a return on which nothing is done? Most methods are done with here.
pub(super) fn may_return_early(code: &Code<'_>, plan: &Plan<'_>) -> bool {
    branches_before_it_acts(code, plan) && may_return_without_acting(code, plan)
}

/// Is there a branch before the first action?
fn branches_before_it_acts(code: &Code<'_>, plan: &Plan<'_>) -> bool {
    let first = acts(plan).next().unwrap_or(0);
    code.transfers().first().is_some_and(|transfer| (*transfer as usize) < first)
}

/// Can there be a way to a return on which nothing is done? Its last straight line, from a label or
/// the start, then holds no action.
fn may_return_without_acting(code: &Code<'_>, plan: &Plan<'_>) -> bool {
    let mut acts = acts(plan).peekable();
    let mut last = 0;
    plan.steps.iter().filter(|step| step.1 == Action::Return).any(|step| {
        while let Some(act) = acts.next_if(|act| *act < step.0) {
            last = act + 1;
        }
        last == 0 || code.has_label(last..step.0 + 1)
    })
}

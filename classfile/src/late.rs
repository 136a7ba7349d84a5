//! Where a method is entered: behind the early returns, if it has some.
//!
//! Activations that return before they call or initialise anything need no word. So the entry hook moves down the dominator tree, as far as
//! every instruction that needs the word still has one entry above it.
//! Invariant: no path passes two entries, none passes one twice, and none reaches an action without one. At an entry the operand stack is
//! empty, the types of the locals are known, and no handler of the method's own watches.
//! Source: ARCHITECTURE ("Late entries"); dominators as in Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm (2001), in bit sets.

use crate::code::{Code, is_jump};
use crate::flow::Flow;
use crate::opcode::*;
use crate::plan::{Action, Plan};
use std::ops::Range;

/// Methods of more blocks are entered at their start.
const BLOCKS: usize = 64;
/// So many entries are worth their code.
const ENTRIES: usize = 3;

/// The entries of a method that is not entered at its start.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Late {
    /// The instructions before which it is entered, ascending.
    pub(crate) entries: Vec<usize>,
    /// Runs of instructions that are reached without an entry, ascending: there the method may not have been entered.
    pub(crate) before: Vec<Range<usize>>,
}

/// A set of blocks.
type Set = u64;

struct Graph {
    /// First instruction of each block, and the end of the code.
    leaders: Vec<usize>,
    successors: Vec<Set>,
    /// The blocks on every way to a block, itself included; 0 for one that is never reached.
    dominators: Vec<Set>,
    /// The blocks that a block leads to, itself only if it stands in a loop.
    reaches: Vec<Set>,
    acts: Set,
    /// Blocks that an entry may stand before.
    fit: Set,
}

impl Late {
    /// Looks for late entries; `None` if the method is best entered at its start. `known(k)`: can a frame be written before instruction `k`?
    pub(crate) fn find(
        code: &Code<'_>,
        flow: &Flow,
        plan: &Plan<'_>,
        mut known: impl FnMut(usize) -> bool,
    ) -> Option<Self> {
        if !branches_before_it_acts(code, plan) || !may_return_without_acting(code, plan) {
            return None;
        }
        let graph = Graph::new(code, flow, plan)?;
        let mut entries = graph.entries(0, &mut known)?;
        entries.sort_unstable();
        let at: Set = entries.iter().map(|&block| 1 << block).sum();
        if entries.len() > ENTRIES || at & 1 != 0 || !graph.returns_before(code, at) {
            return None;
        }
        let before = graph.blocks().filter(|&block| graph.dominators[block] & at == 0);
        let mut runs: Vec<Range<usize>> = Vec::new();
        for run in before.map(|block| graph.leaders[block]..graph.leaders[block + 1]) {
            match runs.last_mut() {
                Some(last) if last.end == run.start => last.end = run.end,
                _ => runs.push(run),
            }
        }
        Some(Self { entries: entries.into_iter().map(|block| graph.leaders[block]).collect(), before: runs })
    }
}

impl Graph {
    fn new(code: &Code<'_>, flow: &Flow, plan: &Plan<'_>) -> Option<Self> {
        let leaders = leaders(code)?;
        let count = leaders.len() - 1;
        let block_of = |number: usize| leaders.partition_point(|&leader| leader <= number) - 1;
        let mut successors = vec![0; count];
        let mut fit = 0;
        for block in 0..count {
            let last = leaders[block + 1] - 1;
            let opcode = code.opcode(last);
            match opcode {
                TABLESWITCH | LOOKUPSWITCH => {
                    for at in code.switch_offsets(last) {
                        successors[block] |= 1 << block_of(code.switch_target(last, at).ok()?);
                    }
                }
                JSR | JSR_W | RET => return None,
                _ if is_jump(opcode) => {
                    let jump = code.jumps().binary_search_by_key(&last, |jump| jump.from).ok()?;
                    successors[block] |= 1 << block_of(code.jumps()[jump].to);
                }
                _ => {}
            }
            if !ends_flow(opcode) && block + 1 < count {
                successors[block] |= 1 << (block + 1);
            }
            let mut watched = false;
            for handler in code.handlers().iter().filter(|one| one.start <= last && leaders[block] < one.end) {
                watched = true;
                successors[block] |= 1 << block_of(handler.target);
            }
            fit |= Set::from(!watched && flow.depth(leaders[block]) == Some(0)) << block;
        }
        let acts = plan.steps.iter().filter(|step| step.1 != Action::Return).map(|step| 1 << block_of(step.0));
        let acts = acts.fold(0, |acts: Set, one| acts | one);
        let reaches = reaches(&successors);
        let dominators = dominators(&successors, reaches[0] | 1);
        Some(Self { leaders, successors, dominators, reaches, acts, fit })
    }

    fn blocks(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.successors.len()
    }

    /// The lowest entries for all that acts in what `block` dominates; `None` if they must stand above it.
    fn entries(&self, block: usize, known: &mut impl FnMut(usize) -> bool) -> Option<Vec<usize>> {
        let here = |known: &mut dyn FnMut(usize) -> bool| {
            let fits = self.fit >> block & 1 != 0 && self.reaches[block] >> block & 1 == 0;
            (fits && known(self.leaders[block])).then(|| vec![block])
        };
        if self.acts >> block & 1 != 0 {
            return here(known);
        }
        let mut below = Vec::new();
        for child in self.children(block).filter(|&child| self.acts & self.dominated(child) != 0) {
            match self.entries(child, known) {
                Some(entries) => below.extend(entries),
                None => return here(known),
            }
        }
        let all: Set = below.iter().fold(0, |all, &entry| all | 1 << entry);
        if below.iter().any(|&entry| self.reaches[entry] & all != 0) { here(known) } else { Some(below) }
    }

    /// The blocks whose nearest other dominator is `block`.
    fn children(&self, block: usize) -> impl Iterator<Item = usize> {
        let above = self.dominators[block];
        self.blocks().filter(move |&child| child != block && self.dominators[child] == above | 1 << child)
    }

    /// The blocks that `block` dominates.
    fn dominated(&self, block: usize) -> Set {
        self.blocks().filter(|&other| self.dominators[other] >> block & 1 != 0).fold(0, |all, other| all | 1 << other)
    }

    /// Does a way from the start come to a return without passing one of `entries`?
    fn returns_before(&self, code: &Code<'_>, entries: Set) -> bool {
        let (mut seen, mut work): (Set, Set) = (1, 1);
        while work != 0 {
            let block = work.trailing_zeros() as usize;
            work &= work - 1;
            if is_return(code.opcode(self.leaders[block + 1] - 1)) {
                return true;
            }
            let fresh = self.successors[block] & !seen & !entries;
            seen |= fresh;
            work |= fresh;
        }
        false
    }
}

/// Is there a branch before the first action? Most methods have none, and are done with here.
fn branches_before_it_acts(code: &Code<'_>, plan: &Plan<'_>) -> bool {
    let first = acts(plan).next().unwrap_or(0);
    code.transfers().first().is_some_and(|transfer| (*transfer as usize) < first)
}

/// The instructions at which something is done before the method returns, ascending.
fn acts(plan: &Plan<'_>) -> impl Iterator<Item = usize> {
    plan.steps.iter().filter(|step| step.1 != Action::Return).map(|step| step.0)
}

/// Can there be a way to a return on which nothing is done? Its last straight line, from a label or the start, then holds no action.
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

/// The first instruction of each block, and the end of the code; `None` if there are too many.
fn leaders(code: &Code<'_>) -> Option<Vec<usize>> {
    let mut leaders = Vec::with_capacity(BLOCKS + 1);
    leaders.push(0);
    for number in 1..code.count() {
        let behind = code.opcode(number - 1);
        let bound = |handler: &crate::code::Handler| handler.start == number || handler.end == number;
        if code.is_label(number) || ends_flow(behind) || is_jump(behind) || code.handlers().iter().any(bound) {
            leaders.push(number);
            if leaders.len() > BLOCKS {
                return None;
            }
        }
    }
    leaders.push(code.count());
    Some(leaders)
}

/// `reached`: the blocks that are.
fn dominators(successors: &[Set], reached: Set) -> Vec<Set> {
    let count = successors.len();
    let mut predecessors = [0; BLOCKS];
    for (block, set) in successors.iter().enumerate() {
        each(*set).for_each(|next| predecessors[next] |= 1 << block);
    }
    let all = Set::MAX >> (BLOCKS - count);
    let mut dominators = vec![all; count];
    dominators[0] = 1;
    let mut changed = true;
    while changed {
        changed = false;
        for block in 1..count {
            let above = each(predecessors[block]);
            let common = above.fold(all, |common: Set, one| common & dominators[one]) | 1 << block;
            changed |= std::mem::replace(&mut dominators[block], common) != common;
        }
    }
    for (block, set) in dominators.iter_mut().enumerate() {
        if reached >> block & 1 == 0 {
            *set = 0;
        }
    }
    dominators
}

/// The blocks of a set, ascending.
fn each(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let block = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            block
        })
    })
}

/// The blocks that each block leads to in one step or more.
fn reaches(successors: &[Set]) -> Vec<Set> {
    let mut reaches = successors.to_vec();
    for through in 0..reaches.len() {
        let behind = reaches[through];
        for set in &mut reaches {
            if *set >> through & 1 != 0 {
                *set |= behind;
            }
        }
    }
    reaches
}

//! Where a method is entered: behind the early returns, if it has some.
//!
//! Activations that return before they call or initialise anything need no word. So the entry hook
//! moves down the dominator tree, as far as every instruction that needs the word still has one
//! entry above it.
//! Invariant: no path passes two entries, none passes one twice, and none reaches an action without
//! one. At an entry the operand stack is empty, the types of the locals are known, and no handler
//! of the method's own watches.
//! Source: docs/design/emitted-code.md ("Shrink-wrapped prologues"); dominators as in Cooper,
//! Harvey, Kennedy: A Simple, Fast Dominance Algorithm (2001), in bit sets.

use crate::analyze::flow::Flow;
use crate::format::code::Code;
use crate::format::opcode::*;
use crate::planning::plan::{Action, Plan};
use std::ops::Range;

/// Methods of more blocks are entered at their start.
const BLOCKS: usize = 64;
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

/// A set of blocks.
type Set = u64;

/// The blocks of a method; memory that goes from method to method. What the lists hold behind the
/// last block means nothing.
pub(crate) struct BlockGraph {
    count: usize,
    /// First instruction of each block, and the end of the code.
    leaders: [u32; BLOCKS + 1],
    successors: [Set; BLOCKS],
    /// The blocks on every way to a block, itself included; 0 for one that is never reached.
    dominators: [Set; BLOCKS],
    /// The blocks that a block dominates, itself included.
    dominated: [Set; BLOCKS],
    acts: Set,
    /// Blocks that an entry may stand before.
    fit: Set,
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
        if !branches_before_it_acts(code, plan) || !may_return_without_acting(code, plan) {
            return None;
        }
        graph.make(code, flow, plan)?;
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

impl Default for BlockGraph {
    fn default() -> Self {
        let (leaders, none) = ([0; BLOCKS + 1], [0; BLOCKS]);
        Self { count: 0, leaders, successors: none, dominators: none, dominated: none, acts: 0, fit: 0 }
    }
}

impl BlockGraph {
    /// Makes the graph of a method in place of what was there; `None` if it has too many blocks, or
    /// some that are not followed.
    fn make(&mut self, code: &Code<'_>, flow: &Flow, plan: &Plan<'_>) -> Option<()> {
        let graph = self;
        (graph.count, graph.acts, graph.fit) = (0, 0, 0);
        graph.find_blocks(code)?;
        let mut jumps = code.jumps().iter().peekable();
        for block in graph.blocks() {
            let last = graph.leader(block + 1) - 1;
            let opcode = code.opcode(last);
            let mut successors = 0;
            match opcode {
                TABLESWITCH | LOOKUPSWITCH => {
                    for at in code.switch_offsets(last) {
                        successors |= 1 << graph.block_of(code.switch_target(last, at).ok()?);
                    }
                }
                JSR | JSR_W | RET => return None,
                // Each jump ends a block.
                _ => {
                    for jump in std::iter::from_fn(|| jumps.next_if(|jump| jump.from <= last)) {
                        successors |= 1 << graph.block_of(jump.to);
                    }
                }
            }
            if !ends_flow(opcode) && block + 1 < graph.count {
                successors |= 1 << (block + 1);
            }
            let first = graph.leader(block);
            let mut watched = false;
            for handler in code.handlers().iter().filter(|one| one.start <= last && first < one.end) {
                watched = true;
                successors |= 1 << graph.block_of(handler.target);
            }
            graph.successors[block] = successors;
            graph.fit |= Set::from(!watched && flow.depth(first) == Some(0)) << block;
        }
        let mut block = 0;
        for act in acts(plan) {
            while graph.leader(block + 1) <= act {
                block += 1;
            }
            graph.acts |= 1 << block;
        }
        graph.find_dominators();
        Some(())
    }

    /// Sets the leaders; `None` if there are too many.
    fn find_blocks(&mut self, code: &Code<'_>) -> Option<()> {
        let mut behind = 0;
        for (number, flags) in code.flags().iter().enumerate() {
            if number == 0 || *flags != 0 || behind & (JUMP | ENDS) != 0 {
                *self.leaders[..BLOCKS].get_mut(self.count)? = number as u32;
                self.count += 1;
            }
            behind = kind(code.opcode(number));
        }
        self.leaders[self.count] = code.count() as u32;
        Some(())
    }

    fn find_dominators(&mut self) {
        let mut predecessors = [0; BLOCKS];
        for block in self.blocks() {
            each(self.successors[block]).for_each(|next| predecessors[next] |= 1 << block);
        }
        let all = Set::MAX >> (BLOCKS - self.count);
        let dominators = &mut self.dominators[..self.count];
        dominators.fill(all);
        dominators[0] = 1;
        let mut changed = true;
        while changed {
            changed = false;
            for block in 1..dominators.len() {
                let above = each(predecessors[block]);
                let common = above.fold(all, |common: Set, one| common & dominators[one]) | 1 << block;
                changed |= std::mem::replace(&mut dominators[block], common) != common;
            }
        }
        let reached = self.reached_from(0) | 1;
        self.dominated[..self.count].fill(0);
        for block in self.blocks() {
            if reached >> block & 1 == 0 {
                self.dominators[block] = 0;
            }
            each(self.dominators[block]).for_each(|above| self.dominated[above] |= 1 << block);
        }
    }

    /// The first instruction of a block; that behind the last is the end of the code.
    fn leader(&self, block: usize) -> usize {
        self.leaders[block] as usize
    }

    fn block_of(&self, number: usize) -> usize {
        self.leaders[..self.count].partition_point(|&leader| leader as usize <= number) - 1
    }

    fn blocks(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.count
    }

    /// The blocks that a block leads to in one step or more, itself only if it stands in a loop.
    fn reached_from(&self, block: usize) -> Set {
        let (mut seen, mut work) = (0, 1 << block);
        while work != 0 {
            let fresh = self.successors[(work as Set).trailing_zeros() as usize] & !seen;
            seen |= fresh;
            work = work & (work - 1) | fresh;
        }
        seen
    }

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

/// Is there a branch before the first action? Most methods have none, and are done with here.
fn branches_before_it_acts(code: &Code<'_>, plan: &Plan<'_>) -> bool {
    let first = acts(plan).next().unwrap_or(0);
    code.transfers().first().is_some_and(|transfer| (*transfer as usize) < first)
}

/// The instructions at which something is done before the method returns, ascending.
fn acts(plan: &Plan<'_>) -> impl Iterator<Item = usize> {
    plan.steps.iter().filter(|step| step.1 != Action::Return).map(|step| step.0)
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

//! The basic blocks of a method, what they lead to, and where a plan acts in them.
//!
//! Invariant: a block's successors are all that may follow it, handlers of any of its instructions
//! included.
//! Source: dominators as in Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm (2001), in
//! bit sets.

use crate::analyze::flow::Flow;
use crate::format::code::Code;
use crate::format::opcode::*;
use crate::planning::plan::{Action, Plan};

/// Methods of more blocks have no graph.
const BLOCKS: usize = 64;

/// A set of blocks.
pub(super) type Set = u64;

/// The blocks of a method; memory that goes from method to method. What the lists hold behind the
/// last block means nothing.
pub(crate) struct BlockGraph {
    count: usize,
    /// First instruction of each block, and the end of the code.
    leaders: [u32; BLOCKS + 1],
    pub(super) successors: [Set; BLOCKS],
    /// The blocks on every way to a block, itself included; 0 for one that is never reached.
    pub(super) dominators: [Set; BLOCKS],
    /// The blocks that a block dominates, itself included.
    pub(super) dominated: [Set; BLOCKS],
    /// Blocks in which something is done before the method returns.
    pub(super) acts: Set,
    /// Blocks that an entry may stand before.
    pub(super) fit: Set,
}

impl Default for BlockGraph {
    fn default() -> Self {
        let (leaders, none) = ([0; BLOCKS + 1], [0; BLOCKS]);
        Self { count: 0, leaders, successors: none, dominators: none, dominated: none, acts: 0, fit: 0 }
    }
}

impl BlockGraph {
    /// Makes the graph of a method, without dominators, in place of what was there; `None` if it
    /// has too many blocks, or some that are not followed.
    pub(super) fn make(&mut self, code: &Code<'_>, flow: &Flow, plan: &Plan<'_>) -> Option<()> {
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

    /// Sets what dominates what, which not all need.
    pub(super) fn find_dominators(&mut self) {
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
    pub(super) fn leader(&self, block: usize) -> usize {
        self.leaders[block] as usize
    }

    pub(super) fn block_of(&self, number: usize) -> usize {
        self.leaders[..self.count].partition_point(|&leader| leader as usize <= number) - 1
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.count
    }

    /// The blocks that a block leads to in one step or more, itself only if it stands in a loop.
    pub(super) fn reached_from(&self, block: usize) -> Set {
        let (mut seen, mut work) = (0, 1 << block);
        while work != 0 {
            let fresh = self.successors[(work as Set).trailing_zeros() as usize] & !seen;
            seen |= fresh;
            work = work & (work - 1) | fresh;
        }
        seen
    }
}

/// The instructions at which something is done before the method returns, ascending.
pub(super) fn acts(plan: &Plan<'_>) -> impl Iterator<Item = usize> {
    plan.steps.iter().filter(|step| step.1 != Action::Return).map(|step| step.0)
}

/// The blocks of a set, ascending.
pub(super) fn each(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let block = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            block
        })
    })
}

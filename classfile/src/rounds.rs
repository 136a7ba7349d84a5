//! Where a method that sleeps looks again whether it was woken: at the beginning of each round of a loop that calls.
//!
//! An activation may go on for ever: `main`, in its loop. What it calls when it is awake would be walked each time. A loop that counts within
//! another ends soon enough, and is as fast as it was: the outer one looks.
//! Invariant: the operand stack is empty where a round begins. Source: ARCHITECTURE, "Hooks on demand".

use crate::code::Code;
use crate::flow::Flow;
use crate::opcode::{IINC, ILOAD};
use crate::plan::{Action, Plan};

/// The instructions of a loop: from where a round begins to the last that leads back there.
#[derive(Clone, Copy)]
struct Loop {
    first: usize,
    last: usize,
}

impl Loop {
    fn is_within(self, other: Self) -> bool {
        other.first <= self.first && self.last <= other.last && (other.first, other.last) != (self.first, self.last)
    }

    /// Does it count in a local that its condition reads? That stands where a round begins or right before it ends, as compilers write it.
    fn counts(self, code: &Code<'_>) -> bool {
        let read = |number: usize| code.local_access(number).filter(|access| access.0 == ILOAD).map(|access| access.1);
        let counted = |local: usize| {
            let adds = |number: usize| code.opcode(number) == IINC && usize::from(code.instruction(number)[1]) == local;
            (self.first..=self.last).any(adds)
        };
        let condition = self.last.saturating_sub(CONDITION).max(self.first)..self.last;
        std::iter::once(self.first).chain(condition).filter_map(read).any(counted)
    }
}

/// So many instructions before the last of a loop may belong to its condition: `i < a.length` of a field.
const CONDITION: usize = 4;

/// The first instructions of loops in which something is published, ascending.
pub(crate) fn rounds(code: &Code<'_>, flow: &Flow, plan: &Plan<'_>) -> Vec<usize> {
    let calls = |first: usize, last: usize| {
        let behind = &plan.steps[plan.steps.partition_point(|step| step.0 < first)..];
        behind.iter().take_while(|step| step.0 <= last).any(|step| matches!(step.1, Action::Publish(_)))
    };
    let back = code.jumps().iter().filter(|jump| jump.to <= jump.from && flow.depth(jump.to) == Some(0));
    let mut loops: Vec<Loop> = back.map(|jump| Loop { first: jump.to, last: jump.from }).collect();
    loops.retain(|one| calls(one.first, one.last));
    // Several jumps may lead back to one place.
    loops.sort_unstable_by_key(|one| (one.first, one.last));
    loops.dedup_by(|next, one| {
        next.first == one.first && {
            one.last = next.last;
            true
        }
    });
    let looks = |one: &&Loop| !(one.counts(code) && loops.iter().any(|other| one.is_within(*other)));
    loops.iter().filter(looks).map(|one| one.first).collect()
}

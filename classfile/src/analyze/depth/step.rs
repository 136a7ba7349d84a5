//! What each opcode does to the depth of the stack, in the form in which no branch is needed to
//! tell those apart that name a member.
//!
//! Invariant: opcodes whose effect this cannot say need a kind of member that there is not.
//! Source: JVMS chapter 6 (operand stack).

use crate::format::member_refs::{Effect, FIELD, METHOD};
use crate::format::opcode::{self as op, *};

/// What one opcode does.
#[derive(Clone, Copy)]
pub(crate) struct OpcodeEffect {
    /// Slots popped and pushed, whatever the operand says.
    pub(crate) popped: u8,
    pub(crate) pushed: u8,
    /// All bits where those of the member come on top, or none.
    pub(crate) member_popped: u8,
    pub(crate) member_pushed: u8,
    /// All bits of an index of the pool, where one follows, and by how many it stands higher in
    /// what follows.
    pub(crate) operand: u16,
    pub(crate) shift: u8,
    /// The kind of member that must be there: [`FIELD`], [`METHOD`], none, or more than any is.
    pub(crate) needs: u8,
    /// May control go elsewhere than to the next instruction?
    pub(crate) leaves: bool,
}

impl OpcodeEffect {
    /// The index of the pool in the two bytes behind the opcode, or 0.
    pub(crate) fn operand(self, behind: u16) -> u16 {
        behind >> self.shift & self.operand
    }

    /// Does it take such a member, or none?
    pub(crate) fn fits(self, member: Effect) -> bool {
        member.kind & self.needs == self.needs
    }

    /// Slots popped and pushed with a member that fits.
    pub(crate) fn slots(self, member: Effect) -> (usize, usize) {
        let popped = usize::from(self.popped) + usize::from(member.popped & self.member_popped);
        (popped, usize::from(self.pushed) + usize::from(member.pushed & self.member_pushed))
    }
}

/// What no member is.
const NOTHING: u8 = u8::MAX;

pub(crate) static STEPS: [OpcodeEffect; 256] = {
    let mut table = [of(0); 256];
    let mut opcode = 1;
    while opcode < table.len() {
        table[opcode] = of(opcode as u8);
        opcode += 1;
    }
    table
};

const fn of(opcode: u8) -> OpcodeEffect {
    let leaves = op::kind(opcode) & (op::JUMP | op::SWITCH | op::ENDS) != 0 || opcode == WIDE;
    let (popped, pushed) = match opcode {
        DUP => (1, 2),
        DUP_X1 => (2, 3),
        DUP_X2 => (3, 4),
        DUP2 => (2, 4),
        DUP2_X1 => (3, 5),
        DUP2_X2 => (4, 6),
        SWAP => (2, 2),
        GETFIELD | PUTFIELD | INVOKEVIRTUAL | INVOKESPECIAL | INVOKEINTERFACE => (1, 0),
        GETSTATIC | PUTSTATIC | INVOKESTATIC | INVOKEDYNAMIC => (0, 0),
        _ => op::effect(opcode),
    };
    let (needs, member_popped, member_pushed) = match opcode {
        GETSTATIC | GETFIELD => (FIELD, 0, u8::MAX),
        PUTSTATIC | PUTFIELD => (FIELD, u8::MAX, 0),
        INVOKEVIRTUAL..=INVOKEDYNAMIC => (METHOD, u8::MAX, u8::MAX),
        _ if popped == SPECIAL => (NOTHING, 0, 0),
        _ => (0, 0, 0),
    };
    let (operand, shift) = match opcode {
        LDC => (u8::MAX as u16, 8),
        LDC_W | LDC2_W | NEW | ANEWARRAY | CHECKCAST | INSTANCEOF | MULTIANEWARRAY | GETSTATIC..=INVOKEDYNAMIC => {
            (u16::MAX, 0)
        }
        _ => (0, 0),
    };
    OpcodeEffect { popped, pushed, member_popped, member_pushed, operand, shift, needs, leaves }
}

//! Constructors as compilers write them: `super(...)` or `this(...)` stands on the straight line
//! from their start.
//!
//! Invariant: the same answers as the fixpoint gives, or none. Up to the call only one thing is
//! asked: which slots of the stack hold `this`. Local 0 holds it all the time, and no other local
//! does; no handler watches, and nothing jumps there. Behind the call nothing is uninitialised.
//! Source: JVMS 4.10.2.4.

use crate::analyze::depth;
use crate::format::code::Code;
use crate::format::member_refs::MemberRefs;
use crate::format::opcode::{self as op, *};

/// Deeper stacks are left to the fixpoint.
const SLOTS: usize = 64;

/// The instruction that initialises `this`, if it is of that form.
pub(super) fn initialiser<'a>(code: &Code<'a>, members: &mut MemberRefs<'_, 'a>) -> Option<usize> {
    // Bit by bit from the bottom of the stack: does the slot hold `this`?
    let (mut this, mut depth) = (0_u64, 0_usize);
    for number in 0..code.count() {
        let (opcode, kind) = (code.opcode(number), op::kind(code.opcode(number)));
        if code.flags()[number] != 0 || kind & (op::JUMP | op::SWITCH | op::ENDS) != 0 {
            return None;
        }
        let (popped, pushed) = depth::effect(code.instruction(number), members).ok()?;
        let left = depth.checked_sub(popped)?;
        let taken = this & !mask(left);
        this &= mask(left);
        depth = left + pushed;
        if depth >= SLOTS || depth > usize::from(code.max_stack) {
            return None;
        }
        if let Some((access, local)) = code.local_access(number) {
            match access {
                ALOAD if local == 0 => this |= 1 << left,
                // A store may take `this` away from local 0, or to another.
                ISTORE.. if local == 0 || taken != 0 => return None,
                RET => return None,
                _ => {}
            }
            continue;
        }
        match opcode {
            DUP if taken != 0 => this |= 3 << left,
            DUP_X1..=SWAP if taken != 0 => return None,
            INVOKESPECIAL if taken >> left & 1 != 0 && is_initialiser(code, members, number) => return Some(number),
            _ => {}
        }
    }
    None
}

fn is_initialiser<'a>(code: &Code<'a>, members: &mut MemberRefs<'_, 'a>, number: usize) -> bool {
    members.get(code.operand(number)).is_some_and(|named| named.member.name == b"<init>")
}

/// The lowest slots.
fn mask(slots: usize) -> u64 {
    (1 << slots) - 1
}

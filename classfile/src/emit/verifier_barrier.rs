//! For class files without frames: a branch that is never taken, and that keeps the verifier from
//! comparing the program's types.
//!
//! Where paths meet, the verifier by type inference looks for the common superclass of what each
//! local holds, and loads the classes for that. A shared exit, and a handler that watches
//! everything, are such places, and the classes may be absent: the program has lived without them.
//! The branch leads to both with nothing in any local but the hooks' own, and with a result of the
//! declared type, so that there is nothing left to compare.
//! Invariant: it stands before the method's own code, so the verifier, which goes through the code
//! in order, comes to it first.
//! Source: JVMS 4.10.2.2 (merging).

use lucce_words::signature;

use crate::SkipReason;
use crate::emit::assembler::Assembler;
use crate::format::code::Code;
use crate::format::descriptor::{field_slots, result, split_type};
use crate::format::opcode::*;

/// The places, in the prologue, of the jumps into the tail.
pub(crate) struct Barrier {
    pub(crate) to_exit: Option<usize>,
    pub(crate) to_handlers: Vec<usize>,
}

/// Can there be anything to compare in an ordinary method: more than one of the `returns` leads to
/// the exit, or an argument becomes something else? The handler watches from the beginning, where
/// nothing is in the other locals.
pub(crate) fn is_needed(code: &Code<'_>, is_static: bool, desc: &[u8], returns: usize) -> bool {
    let argument = |local: usize| references(is_static, desc).any(|argument| usize::from(argument) == local);
    returns > 1 || stores(code).any(argument)
}

/// The same for a constructor, which returns in place: a handler that watches behind `super(...)`
/// meets whatever any local holds there.
pub(crate) fn is_needed_in_constructor(code: &Code<'_>) -> bool {
    stores(code).next().is_some()
}

/// The locals in which references are stored, one for each instruction.
fn stores(code: &Code<'_>) -> impl Iterator<Item = usize> {
    let access = |number| code.local_access(number).filter(|access| access.0 == ASTORE);
    (0..code.count()).filter_map(access).map(|access| access.1)
}

/// Writes the branch, which needs less of the stack than an entry does; `exits`: is there an exit?
pub(crate) fn build(
    asm: &mut Assembler<'_, '_>,
    is_static: bool,
    desc: &[u8],
    exits: bool,
    handlers: usize,
) -> Result<Barrier, SkipReason> {
    asm.op(ICONST_0); //                               0
    let begin = asm.branch(IFEQ); //                   -
    for argument in references(is_static, desc) {
        asm.op(ICONST_0); //                           0
        asm.local(ISTORE, argument); //                -
    }
    let mut to_exit = None;
    if exits {
        asm.op(ICONST_0); //                           0
        let other = asm.branch(IFEQ); //               -
        push_result(asm, desc)?; //                    x (x)
        to_exit = Some(asm.long_jump());
        asm.bind(other);
    }
    let mut to_handlers = Vec::with_capacity(handlers);
    for left in (0..handlers).rev() {
        let other = (left > 0).then(|| {
            asm.op(ICONST_0); //                       0
            asm.branch(IFEQ) //                        -
        });
        asm.op(ACONST_NULL); //                        null
        to_handlers.push(asm.long_jump());
        other.into_iter().for_each(|other| asm.bind(other));
    }
    asm.bind(begin);
    Ok(Barrier { to_exit, to_handlers })
}

/// A value of the declared result type; its class is not loaded for that.
fn push_result(asm: &mut Assembler<'_, '_>, desc: &[u8]) -> Result<(), SkipReason> {
    match result(desc) {
        Some(b"J") => asm.op(LCONST_0),
        Some(b"F") => asm.op(FCONST_0),
        Some(b"D") => asm.op(DCONST_0),
        Some(name @ ([b'[', ..] | [b'L', ..])) => {
            let class = asm.constants.additions.class(signature::class_of_bytes(name).unwrap_or(name))?;
            asm.op(ACONST_NULL);
            asm.with_u2(CHECKCAST, class);
        }
        Some(b"V") | None => {}
        Some(_) => asm.op(ICONST_0),
    }
    Ok(())
}

/// The locals of the arguments that are references, the receiver's among them.
fn references(is_static: bool, desc: &[u8]) -> impl Iterator<Item = u16> {
    let mut rest = desc.strip_prefix(b"(").unwrap_or(b"");
    let mut next = u16::from(!is_static);
    let arguments = std::iter::from_fn(move || {
        loop {
            let (argument, behind) = split_type(rest)?;
            let local = next;
            next += field_slots(argument)? as u16;
            rest = behind;
            if matches!(argument[0], b'L' | b'[') {
                return Some(local);
            }
        }
    });
    (!is_static).then_some(0).into_iter().chain(arguments)
}

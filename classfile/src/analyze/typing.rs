//! The types of the locals before an instruction that has no frame of its own.
//!
//! Invariant: exactly what the verifier infers, or nothing: a reference counts only where the
//! instruction before its store names its class.
//! Source: JVMS 4.10.1.

use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::format::descriptor;
use crate::format::opcode::*;
use crate::format::pool::Additions;
use crate::stack_maps::frames::{Frames, Type, value_type};

/// The locals before a reached instruction, from the nearest frame at or before it (`initial` at
/// the start of the method) and the stores between. `None` if a stored type is not known, or if a
/// constructor may have been called on an object that a local holds.
pub(crate) fn locals_before(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    frames: &Frames,
    initial: &[Type],
    number: usize,
    additions: &mut Additions<'_>,
) -> Option<Vec<Type>> {
    let (from, locals) = frames.governing(number, initial)?;
    if from == number {
        return Some(locals);
    }
    let mut locals = Locals::new(&locals);
    for at in from..number {
        if code.opcode(at) == INVOKESPECIAL && locals.holds_uninitialised() {
            return None;
        }
        let Some((opcode, index)) = code.local_access(at) else { continue };
        let stored = match opcode {
            ISTORE => Type::INTEGER,
            LSTORE => Type::LONG,
            FSTORE => Type::FLOAT,
            DSTORE => Type::DOUBLE,
            ASTORE if at > from && !code.is_label(at) => reference(class, code, at - 1, &locals, additions)?,
            ASTORE => return None,
            _ => continue,
        };
        locals.store(index, stored);
    }
    Some(locals.types())
}

/// The class of the reference that an instruction leaves on the stack.
fn reference(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    number: usize,
    locals: &Locals,
    additions: &mut Additions<'_>,
) -> Option<Type> {
    let opcode = code.opcode(number);
    match opcode {
        GETFIELD | GETSTATIC => value_type(class.pool.member(code.operand(number))?.desc, additions).ok(),
        INVOKEVIRTUAL..=INVOKEDYNAMIC => {
            let result = descriptor::result(class.pool.member(code.operand(number))?.desc)?;
            // Behind a constructor it is the object that is stored.
            matches!(result.first()?, b'L' | b'[').then_some(())?;
            value_type(result, additions).ok()
        }
        CHECKCAST => Some(Type::object(code.operand(number))),
        ACONST_NULL => Some(Type::NULL),
        _ => match code.local_access(number)? {
            (ALOAD, index) => locals.slots.get(index).copied().flatten(),
            _ => None,
        },
    }
}

/// Types by slot; the second slot of a long or double holds `None`.
struct Locals {
    slots: Vec<Option<Type>>,
}

impl Locals {
    fn new(types: &[Type]) -> Self {
        let mut slots = Vec::with_capacity(types.len() + 4);
        for one in types {
            slots.push(Some(*one));
            if one.slots() == 2 {
                slots.push(None);
            }
        }
        Self { slots }
    }

    fn holds_uninitialised(&self) -> bool {
        self.slots.iter().flatten().any(|one| one.is_uninitialised())
    }

    fn store(&mut self, index: usize, stored: Type) {
        let end = index + stored.slots();
        if self.slots.len() < end {
            self.slots.resize(end, Some(Type::TOP));
        }
        // What is overwritten by half is gone.
        if index > 0 && self.slots[index].is_none() {
            self.slots[index - 1] = Some(Type::TOP);
        }
        if self.slots.get(end).is_some_and(Option::is_none) {
            self.slots[end] = Some(Type::TOP);
        }
        self.slots[index] = Some(stored);
        self.slots[index + 1..end].fill(None);
    }

    fn types(&self) -> Vec<Type> {
        self.slots.iter().copied().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_into_half_of_a_long_leaves_nothing_of_it() {
        let mut locals = Locals::new(&[Type::INTEGER, Type::LONG, Type::DOUBLE]);
        locals.store(2, Type::LONG);
        assert_eq!(locals.types(), [Type::INTEGER, Type::TOP, Type::LONG, Type::TOP]);
        locals.store(6, Type::FLOAT);
        assert_eq!(locals.types(), [Type::INTEGER, Type::TOP, Type::LONG, Type::TOP, Type::TOP, Type::FLOAT]);
    }
}

//! How deep the operand stack is, where nothing else about it matters: outside constructors, unless a return leaves values behind.
//!
//! Invariant: the same depths and the same errors as [`crate::flow`], which follows each slot.
//! Source: JVMS 4.10.2, cut down to depths.

use crate::SkipReason;
use crate::code::Code;
use crate::descriptor::{field_slots, method_slots};
use crate::flow::UNREACHED;
use crate::opcode::{self as op, *};
use crate::pool::PoolView;

/// What members take from the stack and leave there, by pool index: read once for each class.
#[derive(Default)]
pub(crate) struct Effects {
    known: Vec<u32>,
}

/// Bits of an entry of [`Effects`]; the slots of the arguments stand below.
const KNOWN: u32 = 1 << 31;
const METHOD: u32 = 1 << 30;
const RESULT: u32 = 27;
const FIELD: u32 = 24;
const ARGUMENTS: u32 = (1 << 24) - 1;

impl Effects {
    /// Forgets the last class.
    pub(crate) fn reset(&mut self, pool: &PoolView<'_>) {
        self.known.clear();
        self.known.resize(pool.count(), 0);
    }

    fn entry(&mut self, pool: &PoolView<'_>, index: u16) -> u32 {
        let Some(known) = self.known.get_mut(usize::from(index)) else { return KNOWN };
        if *known == 0 {
            *known = KNOWN;
            if let Some(member) = pool.member(index) {
                *known |= (field_slots(member.desc).unwrap_or(0) as u32) << FIELD;
                if let Some(slots) = method_slots(member.desc) {
                    *known |= METHOD | (slots.result as u32) << RESULT | slots.arguments as u32;
                }
            }
        }
        *known
    }

    /// Slots of a field.
    fn field(&mut self, pool: &PoolView<'_>, index: u16) -> Option<usize> {
        Some(self.entry(pool, index) >> FIELD & 3).filter(|slots| *slots > 0).map(|slots| slots as usize)
    }

    /// Slots of a method's arguments and of its result.
    fn method(&mut self, pool: &PoolView<'_>, index: u16) -> Option<(usize, usize)> {
        let entry = self.entry(pool, index);
        (entry & METHOD != 0).then_some(((entry & ARGUMENTS) as usize, (entry >> RESULT & 3) as usize))
    }
}

/// Buffers of the analysis, handed from method to method.
#[derive(Default)]
pub(crate) struct Buffers {
    work: Vec<u32>,
    waiting: Vec<u32>,
}

/// The depth before each instruction from `work` on, or false where a return leaves values behind. `depths` holds [`UNREACHED`] at first.
pub(crate) fn analyse(
    code: &Code<'_>,
    pool: &PoolView<'_>,
    effects: &mut Effects,
    buffers: &mut Buffers,
    depths: &mut Vec<u16>,
) -> Result<bool, SkipReason> {
    depths.clear();
    depths.resize(code.count(), UNREACHED);
    buffers.work.clear();
    buffers.work.push(0);
    buffers.waiting.clear();
    buffers.waiting.extend(0..code.handlers().len() as u32);
    depths[0] = 0;
    let most = usize::from(code.max_stack).min(usize::from(UNREACHED) - 1);
    let mut run = Run { code, pool, effects, buffers, depths, most };
    while let Some(start) = run.buffers.work.pop() {
        if !run.line(start as usize)? {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Run<'r, 'a> {
    code: &'r Code<'a>,
    pool: &'r PoolView<'a>,
    effects: &'r mut Effects,
    buffers: &'r mut Buffers,
    depths: &'r mut [u16],
    /// The greatest depth that is taken.
    most: usize,
}

impl Run<'_, '_> {
    #[cold]
    fn error(&self, what: &'static str, number: usize) -> SkipReason {
        SkipReason::malformed(what, self.code.at + self.code.bci(number))
    }

    #[cold]
    fn too_deep(&self, depth: usize, number: usize) -> SkipReason {
        if depth > usize::from(self.code.max_stack) {
            return self.error("stack overflow", number);
        }
        // The largest number stands for no depth at all.
        SkipReason::StackTooDeep { depth: depth as u32 }
    }

    /// Follows the code from a label to where it ends or meets what is known. False at a return that leaves values behind.
    fn line(&mut self, start: usize) -> Result<bool, SkipReason> {
        let code = self.code;
        let (bytes, starts) = (code.bytes, &code.starts()[..code.count()]);
        let mut depth = usize::from(self.depths[start]);
        // Handlers watch from where their range begins, and from wherever control comes into it.
        let mut enters = true;
        for number in start.. {
            let Some(&bci) = starts.get(number) else {
                return Err(self.error("code falls off its end", number));
            };
            if number > start && code.is_label(number) {
                if self.depths[number] != UNREACHED {
                    self.meet(number, depth, number)?;
                    return Ok(true);
                }
                enters = true;
            }
            if depth > self.most {
                return Err(self.too_deep(depth, number));
            }
            self.depths[number] = depth as u16;
            if !self.buffers.waiting.is_empty() && (enters || code.is_watched_from(number)) {
                self.enter_handlers(number)?;
            }
            enters = false;
            let opcode = bytes[bci as usize];
            let kind = op::kind(opcode);
            let (popped, pushed) = if kind & op::OPERANDS == 0 {
                let (popped, pushed) = op::effect(opcode);
                (usize::from(popped), usize::from(pushed))
            } else {
                self.effect(opcode, number)?
            };
            let left = depth.checked_sub(popped).ok_or_else(|| self.error("stack underflow", number))?;
            depth = left + pushed;
            if kind & (op::JUMP | op::SWITCH | op::ENDS) != 0 {
                if matches!(opcode, IRETURN..=RETURN) {
                    return Ok(left == 0);
                }
                self.leave(opcode, depth, number)?;
                if kind & op::ENDS != 0 {
                    break;
                }
            } else if opcode == WIDE && code.instruction(number)[1] == RET {
                break;
            }
        }
        Ok(true)
    }

    /// Passes the depth to jump targets.
    fn leave(&mut self, opcode: u8, depth: usize, number: usize) -> Result<(), SkipReason> {
        let code = self.code;
        match opcode {
            TABLESWITCH | LOOKUPSWITCH => {
                for at in code.switch_offsets(number) {
                    self.meet(code.switch_target(number, at)?, depth, number)?;
                }
            }
            _ if op::kind(opcode) & op::JUMP != 0 => {
                let to = code.jump_target(number)?;
                self.meet(to, depth + usize::from(matches!(opcode, JSR | JSR_W)), number)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Control comes to `target` with this depth, from instruction `number`.
    fn meet(&mut self, target: usize, depth: usize, number: usize) -> Result<(), SkipReason> {
        match self.depths[target] {
            UNREACHED => {
                self.depths[target] = u16::try_from(depth).unwrap_or(UNREACHED - 1);
                self.buffers.work.push(target as u32);
                Ok(())
            }
            known if usize::from(known) == depth => Ok(()),
            _ => Err(self.error("stack depths differ", number)),
        }
    }

    /// A handler is reached as soon as an instruction that it watches is.
    fn enter_handlers(&mut self, number: usize) -> Result<(), SkipReason> {
        let code = self.code;
        let mut waiting = std::mem::take(&mut self.buffers.waiting);
        let mut result = Ok(());
        waiting.retain(|handler| {
            let handler = code.handlers()[*handler as usize];
            let watches = (handler.start..handler.end).contains(&number);
            if watches && result.is_ok() {
                result = self.meet(handler.target, 1, number);
            }
            !watches
        });
        self.buffers.waiting = waiting;
        result
    }

    /// Slots that an instruction needs, and what is there instead behind it.
    fn effect(&mut self, opcode: u8, number: usize) -> Result<(usize, usize), SkipReason> {
        let code = self.code;
        Ok(match opcode {
            DUP => (1, 2),
            DUP_X1 => (2, 3),
            DUP_X2 => (3, 4),
            DUP2 => (2, 4),
            DUP2_X1 => (3, 5),
            DUP2_X2 => (4, 6),
            SWAP => (2, 2),
            GETSTATIC..=PUTFIELD => {
                let slots = self.effects.field(self.pool, code.operand(number));
                let slots = slots.ok_or_else(|| self.error("field", number))?;
                match opcode {
                    GETSTATIC => (0, slots),
                    GETFIELD => (1, slots),
                    _ => (slots + usize::from(opcode == PUTFIELD), 0),
                }
            }
            INVOKEVIRTUAL..=INVOKEDYNAMIC => {
                let Some((arguments, result)) = self.effects.method(self.pool, code.operand(number)) else {
                    let known = self.pool.member(code.operand(number)).is_some();
                    return Err(self.error(if known { "descriptor" } else { "method" }, number));
                };
                (arguments + usize::from(!matches!(opcode, INVOKESTATIC | INVOKEDYNAMIC)), result)
            }
            MULTIANEWARRAY => (usize::from(code.instruction(number)[3]), 1),
            WIDE => {
                let (popped, pushed) = op::effect(code.instruction(number)[1]);
                (usize::from(popped), usize::from(pushed))
            }
            _ => {
                let (popped, pushed) = op::effect(opcode);
                (usize::from(popped), usize::from(pushed))
            }
        })
    }
}

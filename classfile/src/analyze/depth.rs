//! How deep the operand stack is, where nothing else about it matters: outside constructors, unless
//! a return leaves values behind.
//!
//! Invariant: the same depths and the same errors as [`crate::analyze::flow`], which follows each
//! slot.
//! Source: JVMS 4.10.2, cut down to depths.

mod step;

use crate::SkipReason;
use crate::format::code::{Code, LABEL, WATCHED};
use crate::format::member_refs::{Effect, FIELD, MemberRefs};
use crate::format::opcode::{self as op, *};
pub(crate) use step::STEPS;

/// The depth of what nothing reaches.
pub(crate) const UNREACHED: u16 = u16::MAX;

/// Buffers of the analysis, handed from method to method.
#[derive(Default)]
pub(crate) struct DepthBuffers {
    work: Vec<u32>,
    waiting: Vec<u32>,
}

/// The depth before each instruction from `work` on, or false where a return leaves values behind.
/// `depths` holds [`UNREACHED`] at first.
pub(crate) fn analyse<'a>(
    code: &Code<'a>,
    members: &mut MemberRefs<'_, 'a>,
    buffers: &mut DepthBuffers,
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
    let mut run = DepthPass { code, members, buffers, depths, most };
    while let Some(start) = run.buffers.work.pop() {
        if !run.line(start as usize)? {
            return Ok(false);
        }
    }
    Ok(true)
}

struct DepthPass<'r, 'm, 'a> {
    code: &'r Code<'a>,
    members: &'r mut MemberRefs<'m, 'a>,
    buffers: &'r mut DepthBuffers,
    depths: &'r mut [u16],
    /// The greatest depth that is taken.
    most: usize,
}

impl DepthPass<'_, '_, '_> {
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

    /// Follows the code from a label to where it ends or meets what is known. False at a return
    /// that leaves values behind.
    fn line(&mut self, start: usize) -> Result<bool, SkipReason> {
        let code = self.code;
        let (bytes, starts, flags) = (code.bytes, &code.starts()[..code.count()], code.flags());
        let mut depth = usize::from(self.depths[start]);
        // Handlers watch from where their range begins, and from wherever control comes into it.
        let mut enters = true;
        let mut number = start;
        while let Some(&bci) = starts.get(number) {
            if depth > self.most {
                return Err(self.too_deep(depth, number));
            }
            self.depths[number] = depth as u16;
            if (enters || flags[number] & WATCHED != 0) && !self.buffers.waiting.is_empty() {
                self.enter_handlers(number)?;
            }
            enters = false;
            let opcode = bytes[bci as usize];
            let step = STEPS[usize::from(opcode)];
            // Whether an instruction names a member cannot be predicted: all are taken for such,
            // and most for one of a member that is nothing.
            let member = self
                .members
                .effect(step.operand(op::u2(bytes, bci as usize + 1)))
                .ok_or_else(|| self.error("operand", number))?;
            let (mut popped, mut pushed) = step.slots(member);
            if !step.fits(member) {
                (popped, pushed) = self.effect(&bytes[bci as usize..], number)?;
            }
            let left = depth.checked_sub(popped).ok_or_else(|| self.error("stack underflow", number))?;
            depth = left + pushed;
            if step.leaves {
                if matches!(opcode, IRETURN..=RETURN) {
                    return Ok(left == 0);
                }
                self.leave(opcode, depth, number)?;
                if op::kind(opcode) & op::ENDS != 0 || opcode == WIDE && code.instruction(number)[1] == RET {
                    return Ok(true);
                }
            }
            number += 1;
            if flags.get(number).is_some_and(|flags| flags & LABEL != 0) {
                if self.depths[number] != UNREACHED {
                    self.meet(number, depth, number)?;
                    return Ok(true);
                }
                enters = true;
            }
        }
        Err(self.error("code falls off its end", number))
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

    /// [`effect`] where its operand names a member that nothing was asked about yet, or says
    /// something else.
    #[cold]
    fn effect(&mut self, instruction: &[u8], number: usize) -> Result<(usize, usize), SkipReason> {
        effect(instruction, self.members).map_err(|what| self.error(what, number))
    }
}

/// The index of the pool that the instruction at `bci` has; 0 if it has none.
pub(crate) fn operand(code: &[u8], bci: usize) -> u16 {
    code.get(bci).map_or(0, |opcode| STEPS[usize::from(*opcode)].operand(op::u2(code, bci + 1)))
}

/// Slots that an instruction needs, and what is there instead behind it; what is wrong with its
/// operand, if something is.
pub(crate) fn effect(instruction: &[u8], members: &mut MemberRefs<'_, '_>) -> Result<(usize, usize), &'static str> {
    let step = STEPS[usize::from(instruction[0])];
    match instruction[0] {
        MULTIANEWARRAY => Ok((usize::from(instruction[3]), 1)),
        WIDE => Ok(STEPS[usize::from(instruction[1])].slots(Effect::default())),
        _ if step.needs == 0 => Ok(step.slots(Effect::default())),
        _ => {
            let index = op::u2(instruction, 1);
            let known = members.get(index).is_some();
            let member = members.effect(index).filter(|member| step.fits(*member));
            member.map(|member| step.slots(member)).ok_or(match (step.needs, known) {
                (FIELD, _) => "field",
                (_, false) => "method",
                _ => "descriptor",
            })
        }
    }
}

//! Slots of the stack and of the locals, and what each instruction makes of them.
//!
//! Invariant: an instruction that finds fewer slots than it takes is an error, never a guess. Only
//! constructors have their locals followed, and only those that hold `this`, for nothing else
//! matters there.
//! Source: JVMS 4.10.2.3, chapter 6 (operand stack).

use super::Receiver;
use super::fixpoint::FlowPass;
use crate::SkipReason;
use crate::analyze::depth;
use crate::format::opcode::{self as op, *};

/// One slot of the stack or of the locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Any one-slot value.
    One,
    /// The lower half of a long or double, below its `High`.
    Low,
    High,
    /// The receiver of a constructor, before `super(...)`.
    This,
    /// Different kinds meet here.
    Mixed,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) stack: Vec<Slot>,
    /// The locals that hold [`Slot::This`], ascending; only followed in constructors.
    pub(super) this: Vec<u16>,
    pub(super) receiver: Receiver,
}

impl State {
    /// What it costs to pass it on.
    pub(super) fn size(&self) -> usize {
        1 + self.stack.len() + self.this.len()
    }
}

impl FlowPass<'_, '_, '_> {
    fn pop(&self, state: &mut State, slots: usize) -> Result<(), SkipReason> {
        let left = state.stack.len().checked_sub(slots).ok_or_else(|| self.error("stack underflow"))?;
        state.stack.truncate(left);
        Ok(())
    }

    /// The effect of one instruction on stack and locals.
    pub(super) fn step(&mut self, state: &mut State) -> Result<(), SkipReason> {
        let number = self.at;
        let opcode = self.code.opcode(number);
        if self.constructor && self.local(state, number)? {
            return Ok(());
        }
        match opcode {
            DUP..=SWAP => return self.shuffle(state, opcode),
            INVOKEVIRTUAL..=INVOKEDYNAMIC => self.invoke(state, opcode)?,
            IRETURN..=RETURN => {
                let popped = usize::from(op::effect(opcode).0);
                if state.stack.len() > popped {
                    let below = state.stack.len() - popped;
                    self.spend(below + self.flow.garbage.len())?;
                    let odd = || SkipReason::NotFollowed { what: "mixed slots at return", offset: self.offset() };
                    let pops = self.clear(&state.stack[..below]).ok_or_else(odd)?;
                    self.flow.garbage.retain(|garbage| garbage.0 != number);
                    self.flow.garbage.push((number, pops));
                }
                self.pop(state, popped)?;
            }
            _ => {
                let effect = depth::effect(self.code.instruction(number), self.members);
                let (popped, pushed) = effect.map_err(|what| self.error(what))?;
                self.pop(state, popped)?;
                push(state, pushed);
            }
        }
        Ok(())
    }

    /// Loads and stores of a constructor, which may move `this` about. True if the instruction is
    /// one.
    fn local(&mut self, state: &mut State, number: usize) -> Result<bool, SkipReason> {
        let Some((opcode, local)) = self.code.local_access(number) else { return Ok(false) };
        let slots = match opcode {
            ALOAD => 1,
            ISTORE..=ASTORE => usize::from(op::effect(opcode).0),
            _ => return Ok(false),
        };
        let holds = |local: usize| state.this.binary_search(&(local as u16));
        if opcode == ALOAD {
            state.stack.push(if holds(local).is_ok() { Slot::This } else { Slot::One });
            return Ok(true);
        }
        let stored = state.stack.last().copied();
        let (first, behind) = (holds(local), holds(local + slots).unwrap_or_else(|place| place));
        let (Ok(first) | Err(first)) = first;
        let kept = opcode == ASTORE && stored == Some(Slot::This);
        if behind - first != usize::from(kept) {
            self.entered = false;
            state.this.splice(first..behind, kept.then_some(local as u16));
        }
        self.pop(state, slots)?;
        Ok(true)
    }

    fn invoke(&mut self, state: &mut State, opcode: u8) -> Result<(), SkipReason> {
        let number = self.at;
        let named = self.members.get(self.code.operand(number)).map(|named| (named.member.name, named.method));
        let (name, slots) = named.ok_or_else(|| self.error("method"))?;
        let slots = slots.ok_or_else(|| self.error("descriptor"))?;
        self.pop(state, slots.arguments)?;
        if !matches!(opcode, INVOKESTATIC | INVOKEDYNAMIC) {
            let receiver = state.stack.pop().ok_or_else(|| self.error("stack underflow"))?;
            if receiver == Slot::This && opcode == INVOKESPECIAL && name == b"<init>" {
                self.flow.super_calls.push(number);
                state.receiver = Receiver::Initialised;
                state.stack.iter_mut().filter(|slot| **slot == Slot::This).for_each(|slot| *slot = Slot::One);
                state.this.clear();
                self.entered = false;
            }
        }
        push(state, slots.result);
        Ok(())
    }

    fn shuffle(&self, state: &mut State, opcode: u8) -> Result<(), SkipReason> {
        // How many slots are copied, and how far below themselves the copies go.
        let (copied, under) = match opcode {
            DUP => (1, 0),
            DUP_X1 => (1, 1),
            DUP_X2 => (1, 2),
            DUP2 => (2, 0),
            DUP2_X1 => (2, 1),
            DUP2_X2 => (2, 2),
            _ => {
                let len = state.stack.len();
                let below = len.checked_sub(2).ok_or_else(|| self.error("stack underflow"))?;
                state.stack.swap(below, len - 1);
                return Ok(());
            }
        };
        let len = state.stack.len();
        let below = len.checked_sub(copied + under).ok_or_else(|| self.error("stack underflow"))?;
        let copies: Vec<_> = state.stack[len - copied..].to_vec();
        state.stack.splice(below..below, copies);
        Ok(())
    }

    fn clear(&self, below: &[Slot]) -> Option<Vec<u8>> {
        let mut pops = Vec::new();
        let mut slots = below.iter().rev();
        while let Some(slot) = slots.next() {
            pops.push(match slot {
                Slot::High if slots.next() == Some(&Slot::Low) => POP2,
                Slot::One | Slot::This => POP,
                _ => return None,
            });
        }
        Some(pops)
    }
}

fn push(state: &mut State, slots: usize) {
    match slots {
        0 => {}
        1 => state.stack.push(Slot::One),
        _ => state.stack.extend([Slot::Low, Slot::High]),
    }
}

//! The fixpoint: states pass from each instruction to those that follow it, until none changes.
//!
//! Invariant: states that meet are of the same depth, slots that differ are [`Slot::Mixed`] from
//! then on, and locals hold `this` where all that lead there say so; each changes once at most, so
//! the analysis ends. A constructor's handler meets the locals of every instruction that it
//! watches.
//! Source: JVMS 4.10.2.2.

use super::slots::{Slot, State};
use super::{Flow, Receiver, UNREACHED};
use crate::SkipReason;
use crate::format::code::{Code, is_jump};
use crate::format::member_refs::MemberRefs;
use crate::format::opcode::{self as op, *};

impl Flow {
    pub(super) fn of_slots<'a>(
        code: &Code<'a>,
        members: &mut MemberRefs<'_, 'a>,
        constructor: bool,
    ) -> Result<Self, SkipReason> {
        let receiver = if constructor { Receiver::Uninitialised } else { Receiver::Initialised };
        if constructor && code.max_locals == 0 {
            return Err(SkipReason::malformed("max_locals", code.at));
        }
        let this = if constructor { vec![0] } else { Vec::new() };
        let flow = Self {
            depths: vec![UNREACHED; code.count()],
            receivers: vec![receiver; if constructor { code.count() } else { 0 }],
            super_calls: Vec::new(),
            overwritten: false,
            garbage: Vec::new(),
        };
        let mut states = vec![None; code.count()];
        states[0] = Some(Box::new(State { stack: Vec::new(), this, receiver }));
        let waiting = (0..code.handlers().len()).collect();
        let mut run = FlowPass {
            code,
            members,
            constructor,
            flow,
            states,
            work: vec![0],
            waiting,
            at: 0,
            entered: false,
            left: MOST,
        };
        while let Some(start) = run.work.pop() {
            run.line(start)?;
        }
        run.flow.super_calls.sort_unstable();
        run.flow.super_calls.dedup();
        Ok(run.flow)
    }
}

pub(super) struct FlowPass<'c, 'm, 'a> {
    pub(super) code: &'c Code<'a>,
    pub(super) members: &'c mut MemberRefs<'m, 'a>,
    pub(super) constructor: bool,
    pub(super) flow: Flow,
    states: Vec<Option<Box<State>>>,
    work: Vec<usize>,
    /// Handlers that no reached instruction leads to yet (outside constructors).
    waiting: Vec<usize>,
    /// The instruction at work.
    pub(super) at: usize,
    /// Have the handlers here met what the locals hold now?
    pub(super) entered: bool,
    /// How many more slots may be passed on.
    left: usize,
}

/// Slots that are passed on from instruction to instruction, and so more than are held at once. No
/// compiler's methods come near.
const MOST: usize = 1 << 26;

impl FlowPass<'_, '_, '_> {
    /// Counts slots that are passed on, and handlers that are looked at.
    pub(super) fn spend(&mut self, slots: usize) -> Result<(), SkipReason> {
        self.left = self.left.checked_sub(slots).ok_or(SkipReason::FlowTooLarge { slots: MOST as u32 })?;
        Ok(())
    }

    pub(super) fn error(&self, what: &'static str) -> SkipReason {
        SkipReason::malformed(what, self.offset() as usize)
    }

    /// Where in the class file the instruction at work is.
    pub(super) fn offset(&self) -> u32 {
        (self.code.at + self.code.bci(self.at)) as u32
    }

    /// Follows the code from a label to the next label or the end of the straight line.
    fn line(&mut self, start: usize) -> Result<(), SkipReason> {
        let Some(state) = self.states[start].as_deref() else { return Ok(()) };
        let mut state = state.clone();
        self.spend(state.size())?;
        self.at = start;
        // Handlers watch from where their range begins, and from wherever control or another value
        // of a local comes into it.
        self.entered = false;
        loop {
            let number = self.at;
            if state.stack.len() > usize::from(self.code.max_stack) {
                return Err(self.error("stack overflow"));
            }
            if state.stack.len() >= usize::from(UNREACHED) {
                return Err(SkipReason::StackTooDeep { depth: state.stack.len() as u32 });
            }
            self.flow.depths[number] = state.stack.len() as u16;
            if self.constructor {
                self.flow.receivers[number] = state.receiver;
                self.flow.overwritten |= state.receiver == Receiver::Uninitialised && state.this.first() != Some(&0);
            }
            if !std::mem::replace(&mut self.entered, true) || self.code.is_watched_from(number) {
                self.enter_handlers(&state)?;
            }
            self.step(&mut state)?;
            if !self.leave(&state)? {
                return Ok(());
            }
            self.at += 1;
            if self.at >= self.code.count() {
                return Err(self.error("code falls off its end"));
            }
            if self.code.is_label(self.at) {
                return self.flow_to(self.at, &state);
            }
        }
    }

    /// Passes the state to jump targets; true if the next instruction follows.
    fn leave(&mut self, state: &State) -> Result<bool, SkipReason> {
        let number = self.at;
        let opcode = self.code.opcode(number);
        match opcode {
            TABLESWITCH | LOOKUPSWITCH => {
                for at in self.code.switch_offsets(number) {
                    let target = self.code.switch_target(number, at)?;
                    self.flow_to(target, state)?;
                }
            }
            _ if is_jump(opcode) => {
                let to = self.code.jump_target(number)?;
                if matches!(opcode, JSR | JSR_W) {
                    let mut state = state.clone();
                    state.stack.push(Slot::One);
                    self.flow_to(to, &state)?;
                } else {
                    self.flow_to(to, state)?;
                }
            }
            WIDE => return Ok(self.code.instruction(number)[1] != RET),
            _ => {}
        }
        Ok(!op::ends_flow(opcode))
    }

    fn enter_handlers(&mut self, state: &State) -> Result<(), SkipReason> {
        let number = self.at;
        let code = self.code;
        if code.handlers().is_empty() {
            return Ok(());
        }
        if self.constructor {
            self.spend(code.handlers().len())?;
            let state = State { stack: vec![Slot::One], this: state.this.clone(), receiver: state.receiver };
            for handler in code.handlers().iter().filter(|handler| (handler.start..handler.end).contains(&number)) {
                self.flow_to(handler.target, &state)?;
            }
        } else if !self.waiting.is_empty() {
            self.spend(self.waiting.len())?;
            let covers =
                |handler: &usize| (code.handlers()[*handler].start..code.handlers()[*handler].end).contains(&number);
            let (now, later): (Vec<_>, Vec<_>) = self.waiting.iter().copied().partition(covers);
            self.waiting = later;
            let state = State { stack: vec![Slot::One], this: Vec::new(), receiver: state.receiver };
            for handler in now {
                self.flow_to(code.handlers()[handler].target, &state)?;
            }
        }
        Ok(())
    }

    fn flow_to(&mut self, target: usize, state: &State) -> Result<(), SkipReason> {
        self.spend(state.size())?;
        let Some(known) = self.states[target].as_deref_mut() else {
            self.states[target] = Some(Box::new(state.clone()));
            self.work.push(target);
            return Ok(());
        };
        if known.stack.len() != state.stack.len() {
            return Err(self.error("stack depths differ"));
        }
        let mut changed = false;
        for (slot, other) in known.stack.iter_mut().zip(&state.stack) {
            if *slot != *other && *slot != Slot::Mixed {
                *slot = Slot::Mixed;
                changed = true;
            }
        }
        if known.this != state.this {
            let before = known.this.len();
            known.this.retain(|local| state.this.binary_search(local).is_ok());
            changed |= known.this.len() < before;
        }
        if known.receiver != state.receiver && known.receiver != Receiver::Either {
            known.receiver = Receiver::Either;
            changed = true;
        }
        if changed {
            self.work.push(target);
        }
        Ok(())
    }
}

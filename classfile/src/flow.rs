//! What is on the operand stack before each instruction, as far as the hooks must know it.
//!
//! Each slot is one of a few kinds ([`Slot`]); that gives the exact depth, the way to drop what lies below a returned
//! value, and in constructors where `this` is still uninitialised and which `<init>` call initialises it.
//! Invariant: an instruction without a depth is never reached. Behind a `jsr` the depth is that before it.
//! Source: JVMS 4.10.2 (verification by type inference), cut down to what is needed.

use crate::SkipReason;
use crate::code::Code;
use crate::depth::{self, Effects};
use crate::descriptor::{field_slots, method_slots};
use crate::opcode::{self as op, *};
use crate::pool::PoolView;

/// One slot of the stack or of the locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
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

/// Is `this` initialised?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// Before `super(...)` or `this(...)`.
    Uninitialised,
    /// Behind it; always so outside constructors.
    Initialised,
    /// Both ways lead here (only the old verifier allows it, and only where `this` is not used).
    Either,
}

#[derive(Clone, PartialEq, Eq)]
struct State {
    stack: Vec<Slot>,
    /// Only followed in constructors.
    locals: Vec<Slot>,
    receiver: Receiver,
}

/// The result of the analysis, by instruction number.
pub(crate) struct Flow {
    depths: Vec<u16>,
    receivers: Vec<Receiver>,
    supers: Vec<usize>,
    overwritten: bool,
    /// By instruction, what clears the stack below the value that it returns; seldom any.
    garbage: Vec<(usize, Vec<u8>)>,
}

/// Handed from method to method, so that few of them allocate.
#[derive(Default)]
pub(crate) struct Buffers {
    depths: Vec<u16>,
    depth: depth::Buffers,
}

pub(crate) const UNREACHED: u16 = u16::MAX;

impl Flow {
    /// Runs the analysis to its fixpoint. `constructor` says that local 0 starts uninitialised. What the buffers hold of other methods
    /// does not matter, but `effects` must be of this class.
    pub(crate) fn analyse(
        code: &Code<'_>,
        pool: &PoolView<'_>,
        constructor: bool,
        effects: &mut Effects,
        buffers: &mut Buffers,
    ) -> Result<Self, SkipReason> {
        if !constructor {
            let mut depths = std::mem::take(&mut buffers.depths);
            if depth::analyse(code, pool, effects, &mut buffers.depth, &mut depths)? {
                return Ok(Self {
                    depths,
                    receivers: Vec::new(),
                    supers: Vec::new(),
                    overwritten: false,
                    garbage: Vec::new(),
                });
            }
        }
        Self::of_slots(code, pool, constructor)
    }

    /// Gives a buffer back, to be filled again.
    pub(crate) fn recycle(self, buffers: &mut Buffers) {
        buffers.depths = self.depths;
    }

    fn of_slots(code: &Code<'_>, pool: &PoolView<'_>, constructor: bool) -> Result<Self, SkipReason> {
        let receiver = if constructor { Receiver::Uninitialised } else { Receiver::Initialised };
        let mut locals = vec![Slot::One; if constructor { usize::from(code.max_locals) } else { 0 }];
        if constructor {
            *locals.first_mut().ok_or(SkipReason::malformed("max_locals", code.at))? = Slot::This;
        }
        let flow = Self {
            depths: vec![UNREACHED; code.count()],
            receivers: vec![receiver; if constructor { code.count() } else { 0 }],
            supers: Vec::new(),
            overwritten: false,
            garbage: Vec::new(),
        };
        let mut states = vec![None; code.count()];
        states[0] = Some(Box::new(State { stack: Vec::new(), locals, receiver }));
        let waiting = (0..code.handlers().len()).collect();
        let mut run = Run { code, pool, constructor, flow, states, work: vec![0], waiting, at: 0 };
        while let Some(start) = run.work.pop() {
            run.line(start)?;
        }
        run.flow.supers.sort_unstable();
        run.flow.supers.dedup();
        Ok(run.flow)
    }

    /// Slots on the stack before the instruction, or `None` if it is never reached.
    pub(crate) fn depth(&self, number: usize) -> Option<usize> {
        self.depths.get(number).filter(|depth| **depth != UNREACHED).map(|depth| usize::from(*depth))
    }

    /// Is `this` initialised before the instruction?
    pub(crate) fn receiver(&self, number: usize) -> Receiver {
        self.receivers.get(number).copied().unwrap_or(Receiver::Initialised)
    }

    /// The `super(...)` and `this(...)` calls, ascending.
    pub(crate) fn supers(&self) -> &[usize] {
        &self.supers
    }

    /// Does an instruction run before `super(...)` without `this` in local 0?
    pub(crate) fn overwritten(&self) -> bool {
        self.overwritten
    }

    /// Does anything lie below the value that some return takes?
    pub(crate) fn has_garbage(&self) -> bool {
        self.garbage.iter().any(|garbage| !garbage.1.is_empty())
    }

    /// `pop` and `pop2` instructions that clear what lies below the value a return takes; empty if nothing does.
    pub(crate) fn garbage(&self, number: usize) -> &[u8] {
        self.garbage.iter().find(|garbage| garbage.0 == number).map_or(&[], |garbage| garbage.1.as_slice())
    }
}

struct Run<'c, 'a> {
    code: &'c Code<'a>,
    pool: &'c PoolView<'a>,
    constructor: bool,
    flow: Flow,
    states: Vec<Option<Box<State>>>,
    work: Vec<usize>,
    /// Handlers that no reached instruction leads to yet (outside constructors).
    waiting: Vec<usize>,
    /// The instruction at work.
    at: usize,
}

impl Run<'_, '_> {
    fn error(&self, what: &'static str) -> SkipReason {
        SkipReason::malformed(what, self.code.at + self.code.bci(self.at))
    }

    /// Follows the code from a label to the next label or the end of the straight line.
    fn line(&mut self, start: usize) -> Result<(), SkipReason> {
        let Some(state) = self.states[start].as_deref() else { return Ok(()) };
        let mut state = state.clone();
        self.at = start;
        loop {
            let number = self.at;
            if state.stack.len() > usize::from(self.code.max_stack) {
                return Err(self.error("stack overflow"));
            }
            self.flow.depths[number] = state.stack.len() as u16;
            if self.constructor {
                self.flow.receivers[number] = state.receiver;
                self.flow.overwritten |= state.receiver == Receiver::Uninitialised && state.locals[0] != Slot::This;
            }
            self.enter_handlers(&state)?;
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
            _ if crate::code::is_jump(opcode) => {
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
        if self.constructor {
            for handler in code.handlers().iter().filter(|handler| (handler.start..handler.end).contains(&number)) {
                let state = State { stack: vec![Slot::One], locals: state.locals.clone(), receiver: state.receiver };
                self.flow_to(handler.target, &state)?;
            }
        } else if !self.waiting.is_empty() {
            let covers =
                |handler: &usize| (code.handlers()[*handler].start..code.handlers()[*handler].end).contains(&number);
            let (now, later): (Vec<_>, Vec<_>) = self.waiting.iter().copied().partition(covers);
            self.waiting = later;
            let state = State { stack: vec![Slot::One], locals: Vec::new(), receiver: state.receiver };
            for handler in now {
                self.flow_to(code.handlers()[handler].target, &state)?;
            }
        }
        Ok(())
    }

    fn flow_to(&mut self, target: usize, state: &State) -> Result<(), SkipReason> {
        let Some(known) = self.states[target].as_deref_mut() else {
            self.states[target] = Some(Box::new(state.clone()));
            self.work.push(target);
            return Ok(());
        };
        if known.stack.len() != state.stack.len() {
            return Err(self.error("stack depths differ"));
        }
        let mut changed = false;
        let slots = known.stack.iter_mut().chain(&mut known.locals);
        for (slot, other) in slots.zip(state.stack.iter().chain(&state.locals)) {
            if *slot != *other && *slot != Slot::Mixed {
                *slot = Slot::Mixed;
                changed = true;
            }
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

    fn pop(&self, state: &mut State, slots: usize) -> Result<(), SkipReason> {
        let left = state.stack.len().checked_sub(slots).ok_or_else(|| self.error("stack underflow"))?;
        state.stack.truncate(left);
        Ok(())
    }

    /// The effect of one instruction on stack and locals.
    fn step(&mut self, state: &mut State) -> Result<(), SkipReason> {
        let number = self.at;
        let opcode = self.code.opcode(number);
        if self.constructor && self.local(state, number)? {
            return Ok(());
        }
        match opcode {
            DUP..=SWAP => return self.shuffle(state, opcode),
            GETSTATIC..=PUTFIELD => {
                let member = self.pool.member(self.code.operand(number));
                let slots = member.and_then(|member| field_slots(member.desc)).ok_or_else(|| self.error("field"))?;
                self.pop(state, usize::from(opcode >= GETFIELD))?;
                if matches!(opcode, GETSTATIC | GETFIELD) {
                    push(state, slots);
                } else {
                    self.pop(state, slots)?;
                }
            }
            INVOKEVIRTUAL..=INVOKEDYNAMIC => self.invoke(state, opcode)?,
            MULTIANEWARRAY => {
                self.pop(state, usize::from(self.code.instruction(number)[3]))?;
                push(state, 1);
            }
            WIDE => {
                let inner = self.code.instruction(number)[1];
                let (popped, pushed) = op::effect(inner);
                self.pop(state, usize::from(popped))?;
                push(state, usize::from(pushed));
            }
            IRETURN..=RETURN => {
                let popped = usize::from(op::effect(opcode).0);
                if state.stack.len() > popped {
                    let below = state.stack.len() - popped;
                    let pops = self.clear(&state.stack[..below]).ok_or_else(|| self.error("mixed slots at return"))?;
                    self.flow.garbage.retain(|garbage| garbage.0 != number);
                    self.flow.garbage.push((number, pops));
                }
                self.pop(state, popped)?;
            }
            _ => {
                let (popped, pushed) = op::effect(opcode);
                self.pop(state, usize::from(popped))?;
                push(state, usize::from(pushed));
            }
        }
        Ok(())
    }

    /// Loads and stores of a constructor, which may move `this` about. True if the instruction is one.
    fn local(&self, state: &mut State, number: usize) -> Result<bool, SkipReason> {
        let Some((opcode, local)) = self.code.local_access(number) else { return Ok(false) };
        match opcode {
            ALOAD => {
                let slot = state.locals.get(local).copied().ok_or_else(|| self.error("local"))?;
                state.stack.push(slot);
            }
            ISTORE..=ASTORE => {
                let slots = usize::from(op::effect(opcode).0);
                let stored = state.stack.last().copied().unwrap_or(Slot::One);
                self.pop(state, slots)?;
                let locals = state.locals.get_mut(local..local + slots).ok_or_else(|| self.error("local"))?;
                locals.fill(if opcode == ASTORE { stored } else { Slot::One });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn invoke(&mut self, state: &mut State, opcode: u8) -> Result<(), SkipReason> {
        let number = self.at;
        let member = self.pool.member(self.code.operand(number)).ok_or_else(|| self.error("method"))?;
        let slots = method_slots(member.desc).ok_or_else(|| self.error("descriptor"))?;
        self.pop(state, slots.arguments)?;
        if !matches!(opcode, INVOKESTATIC | INVOKEDYNAMIC) {
            let receiver = state.stack.pop().ok_or_else(|| self.error("stack underflow"))?;
            if receiver == Slot::This && opcode == INVOKESPECIAL && member.name == b"<init>" {
                self.flow.supers.push(number);
                state.receiver = Receiver::Initialised;
                let slots = state.stack.iter_mut().chain(&mut state.locals);
                slots.filter(|slot| **slot == Slot::This).for_each(|slot| *slot = Slot::One);
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

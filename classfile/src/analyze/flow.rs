//! What is on the operand stack before each instruction, as far as the hooks must know it.
//!
//! Each slot is one of a few kinds ([`slots::Slot`]); that gives the exact depth, the way to drop
//! what lies below a returned value, and in constructors where `this` is still uninitialised and
//! which `<init>` call initialises it.
//! Invariant: an instruction without a depth is never reached. Behind a `jsr` the depth is that
//! before it: code where it is not is refused.
//! Source: JVMS 4.10.2 (verification by type inference), cut down to what is needed.

mod fixpoint;
mod slots;
mod straight;

use crate::SkipReason;
use crate::analyze::depth::{self, UNREACHED};
use crate::format::code::Code;
use crate::format::member_refs::MemberRefs;
use crate::format::opcode::{JSR, JSR_W, RET, WIDE};

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

/// The result of the analysis, by instruction number.
pub(crate) struct Flow {
    depths: Vec<u16>,
    /// Those behind these are initialised.
    receivers: Vec<Receiver>,
    super_calls: Vec<usize>,
    overwritten: bool,
    /// By instruction, what clears the stack below the value that it returns; seldom any.
    garbage: Vec<(usize, Vec<u8>)>,
}

/// Handed from method to method, so that few of them allocate.
#[derive(Default)]
pub(crate) struct FlowBuffers {
    depths: Vec<u16>,
    depth: depth::DepthBuffers,
}

impl Flow {
    /// Runs the analysis to its fixpoint. `constructor` says that local 0 starts uninitialised.
    /// What the buffers hold of other methods does not matter, but `members` must be of this class.
    pub(crate) fn analyse<'a>(
        code: &Code<'a>,
        constructor: bool,
        members: &mut MemberRefs<'_, 'a>,
        buffers: &mut FlowBuffers,
    ) -> Result<Self, SkipReason> {
        let mut depths = std::mem::take(&mut buffers.depths);
        let super_call = if constructor { straight::initialiser(code, members) } else { None };
        let mut depths_alone = |depths: &mut Vec<u16>| match code.depths() {
            Some(known) => {
                depths.clear();
                depths.extend_from_slice(known);
                Ok(true)
            }
            None => depth::analyse(code, members, &mut buffers.depth, depths),
        };
        let flow = if constructor && super_call.is_none() || !depths_alone(&mut depths)? {
            Self::of_slots(code, members, constructor)?
        } else {
            let before = super_call.map_or(0, |call| call + 1);
            let (receivers, super_calls) = (vec![Receiver::Uninitialised; before], super_call.into_iter().collect());
            Self { depths, receivers, super_calls, overwritten: false, garbage: Vec::new() }
        };
        let balanced = flow.returns_as_deep_as_called(code);
        balanced
            .then_some(flow)
            .ok_or(SkipReason::NotFollowed { what: "depths in subroutines", offset: code.at as u32 })
    }

    /// Do all subroutines leave the stack as deep as it was where they were called? A `ret` names
    /// no `jsr`, so all must be called at one depth.
    fn returns_as_deep_as_called(&self, code: &Code<'_>) -> bool {
        let calls = code.jumps().iter().filter(|jump| matches!(code.opcode(jump.from), JSR | JSR_W));
        let mut called = calls.filter_map(|call| self.depth(call.from));
        let Some(first) = called.next() else { return true };
        let returns = |number: &usize| match code.opcode(*number) {
            WIDE => code.instruction(*number)[1] == RET,
            opcode => opcode == RET,
        };
        let mut left = (0..code.count()).filter(returns).filter_map(|number| self.depth(number));
        called.all(|depth| depth == first) && left.all(|depth| depth == first)
    }

    /// Gives a buffer back, to be filled again.
    pub(crate) fn recycle(self, buffers: &mut FlowBuffers) {
        buffers.depths = self.depths;
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
    pub(crate) fn super_calls(&self) -> &[usize] {
        &self.super_calls
    }

    /// Does an instruction run before `super(...)` without `this` in local 0?
    pub(crate) fn overwritten(&self) -> bool {
        self.overwritten
    }

    /// Does anything lie below the value that some return takes?
    pub(crate) fn has_garbage(&self) -> bool {
        self.garbage.iter().any(|garbage| !garbage.1.is_empty())
    }

    /// `pop` and `pop2` instructions that clear what lies below the value a return takes; empty if
    /// nothing does.
    pub(crate) fn garbage(&self, number: usize) -> &[u8] {
        self.garbage.iter().find(|garbage| garbage.0 == number).map_or(&[], |garbage| garbage.1.as_slice())
    }
}

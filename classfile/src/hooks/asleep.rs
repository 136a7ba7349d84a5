//! What is different in a method that may sleep.
//!
//! Invariant: the same code as in one that never does, but for the hooks that are called, and what stands where a round of a loop begins.
//! Source: ARCHITECTURE, "Hooks on demand".

use super::Hooks;
use crate::SkipReason;
use crate::constants::Ref;
use crate::opcode::*;

impl Hooks<'_, '_, '_> {
    /// A round of a loop begins: enters method `id`, if it has not been entered and was woken. Ends with jumps to its own end, where a frame
    /// is due.
    pub(crate) fn begin_round(&mut self, id: u32) -> Result<(), SkipReason> {
        self.asm.local(LLOAD, self.locals.word); //            w w
        self.asm.op(LCONST_0); //                              w w 0 0
        self.asm.op(LCMP); //                                  c
        let entered = self.asm.branch(IFNE); //                -
        self.enter_by(Ref::BeginRound, id)?;
        self.asm.bind(entered);
        Ok(())
    }

    /// The hook that enters the method.
    pub(super) fn entering(&self) -> Ref {
        match (self.sleeps, self.untrusted) {
            (false, false) => Ref::Enter,
            (false, true) => Ref::EnterUntrusted,
            (true, false) => Ref::EnterAwake,
            (true, true) => Ref::EnterAwakeUntrusted,
        }
    }

    /// The hook that publishes.
    pub(super) fn publishing(&self) -> Ref {
        if self.sleeps { Ref::PublishAwake } else { Ref::Publish }
    }

    /// The hook that publishes before `super(...)`.
    pub(super) fn publishing_super(&self) -> Ref {
        if self.sleeps { Ref::PublishSuperAwake } else { Ref::Publish }
    }
}

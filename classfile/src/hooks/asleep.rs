//! What is different in a method that may sleep.
//!
//! One local says everything of its activation: 0 if it sleeps, its word, or, if it has pushed, where on the chain its word is and what `top` must
//! go back to (`LucceAwake.roused`); in a constructor the word and whether it restores. So there is no slot, and entry and exit are a call each, for
//! code is short that has neither a branch nor a frame: the verifier reads less, and the JIT puts more of the program in line.
//! Invariant: the handler holds no invocation, and watches the exit, whose call may overflow the stack.
//! Source: ARCHITECTURE, "Hooks on demand".

use super::Hooks;
use crate::SkipReason;
use crate::constants::Ref;
use crate::opcode::*;

impl Hooks<'_, '_, '_> {
    /// Enters method `id` at its start.
    pub(super) fn prologue_of_sleeper(&mut self, id: u32) -> Result<(), SkipReason> {
        self.asm.member(INVOKESTATIC, Ref::CurrentThread)?; // t
        self.asm.op(DUP); //                                   t t
        self.asm.local(ASTORE, self.locals.thread); //         t
        self.asm.immediate(id); //                             t n
        self.asm.member(INVOKESTATIC, self.entering())?; //    w w
        self.asm.local(LSTORE, self.locals.word); //           -
        Ok(())
    }

    /// What that hook gives is what the activation keeps.
    pub(super) fn keep_by(&mut self, enter: Ref, id: u32) -> Result<(), SkipReason> {
        self.call(enter, id)?; //                              w w
        self.asm.local(LSTORE, self.locals.word); //           -
        Ok(())
    }

    /// A round of a loop begins: enters method `id`, if it has not been entered and was woken. Ends with a jump to its own end, where a frame
    /// is due.
    pub(crate) fn begin_round(&mut self, id: u32) -> Result<(), SkipReason> {
        self.asm.local(LLOAD, self.locals.word); //            w w
        self.asm.op(LCONST_0); //                              w w 0 0
        self.asm.op(LCMP); //                                  c
        let entered = self.asm.branch(IFNE); //                -
        self.keep_by(Ref::BeginRound, id)?;
        self.asm.bind(entered);
        Ok(())
    }

    /// What stands before the return: the hook that publishes, with LEAVE or LEAVE_RISKY for a site, so that a class names one hook less. The JVM
    /// looks each up once a class, which a program pays for while it starts.
    pub(super) fn leave(&mut self, risky: bool) -> Result<(), SkipReason> {
        if self.faults.restore_at_exit() {
            return if risky { self.forget() } else { Ok(()) };
        }
        self.asm.local(LLOAD, self.locals.word); //            w w
        if risky {
            self.asm.out.extend_from_slice(&[BIPUSH, -2_i8 as u8]); // w w -2
        } else {
            self.asm.op(ICONST_M1); //                         w w -1
        }
        self.asm.member(INVOKESTATIC, Ref::PublishAwake)
    }

    /// The exceptional exit, as [`Hooks::handler`]. Whoever catches finds UNKNOWN, which is always true.
    pub(super) fn handler_of_sleeper(&mut self) -> Result<usize, SkipReason> {
        if !self.faults.exceptional_store() {
            self.forget()?;
        }
        self.asm.local(LLOAD, self.locals.word); //            w w
        self.asm.op(LCONST_0); //                              w w 0 0
        self.asm.op(LCMP); //                                  c
        let plain = self.asm.branch(IFGE); //                  -
        if !self.faults.restore_at_exit() {
            self.asm.local(ALOAD, self.locals.thread); //      t
            self.asm.local(LLOAD, self.locals.word); //        t w w
            self.asm.op(L2I); //                               t i
            self.asm.member(PUTFIELD, Ref::Top)?; //           -
        }
        self.asm.bind(plain);
        let frame = self.asm.out.len();
        self.asm.op(ATHROW);
        Ok(frame)
    }

    /// The hook that enters the method.
    pub(super) fn entering(&self) -> Ref {
        match (self.sleeps, self.constructor, self.untrusted) {
            (false, _, false) => Ref::Enter,
            (false, _, true) => Ref::EnterUntrusted,
            (true, false, false) => Ref::EnterAwake,
            (true, false, true) => Ref::EnterAwakeUntrusted,
            (true, true, false) => Ref::ConstructAwake,
            (true, true, true) => Ref::ConstructAwakeUntrusted,
        }
    }

    /// The hook that publishes.
    pub(super) fn publishing(&self) -> Ref {
        match (self.sleeps, self.constructor) {
            (false, _) => Ref::Publish,
            (true, false) => Ref::PublishAwake,
            (true, true) => Ref::PublishAwakeConstructor,
        }
    }
}

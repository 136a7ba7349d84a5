//! What is different in a method that may be inactive: the hook that enters it, and where a loop
//! looks before it goes back whether it was activated.
//!
//! Invariant: an activation that is inactive keeps 0 and does all else like any other, so that what
//! it publishes is a word without a version, which nobody takes for a caller's.
//! Source: docs/design/lazy-hooks.md.

use super::Hooks;
use crate::SkipReason;
use crate::emit::constants::Ref;
use crate::format::opcode::*;

impl Hooks<'_, '_, '_> {
    /// A round of a loop begins: enters method `id`, if it has not been entered and was activated.
    /// Ends with a jump to its own end, where a frame is due.
    pub(crate) fn poll_back_edge(&mut self, id: u32) -> Result<(), SkipReason> {
        self.asm.local(LLOAD, self.locals.word); //            w w
        self.asm.op(LCONST_0); //                              w w 0 0
        self.asm.op(LCMP); //                                  c
        let entered = self.asm.branch(IFNE); //                -
        let plain = self.enter_by(Ref::PollBackEdge, id)?;
        self.asm.bind(entered);
        self.asm.bind(plain);
        Ok(())
    }

    /// The hook that enters the method.
    pub(super) fn entering(&self) -> Ref {
        match (self.is_lazy, self.untrusted) {
            (false, false) => Ref::Enter,
            (false, true) => Ref::EnterUntrusted,
            (true, false) => Ref::EnterLazy,
            (true, true) => Ref::EnterLazyUntrusted,
        }
    }
}

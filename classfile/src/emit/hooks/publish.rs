//! What stands before a call: the activation's word and the call's site become the thread's state.
//!
//! Invariant: two stores, or one call of a hook that makes them; the word is that of this
//! activation, whatever it has called before.
//! Source: docs/design/mechanisms.md, docs/design/emitted-code.md.

use super::{Hooks, Locals};
use crate::SkipReason;
use crate::emit::assembler::PUSH_EXTRA;
use crate::emit::constants::Ref;
use crate::format::opcode::*;

/// Operand slots of [`Hooks::publish`] or [`Hooks::publish_super`] on top of what is there.
pub(crate) const fn publish_stack(compact: bool, before_super: bool) -> usize {
    match (compact, before_super) {
        (false, false) => 3,
        (false, true) => 5,
        (true, false) => 4 + PUSH_EXTRA,
        (true, true) => 7,
    }
}

impl Hooks<'_, '_, '_> {
    /// Publishes word and site.
    pub(crate) fn publish(&mut self, site: u32) -> Result<(), SkipReason> {
        if let Some((before, behind)) = &self.published {
            self.asm.copy(before);
            self.asm.int(site);
            self.asm.copy(behind);
            return Ok(());
        }
        let start = self.asm.begin();
        let mut parts = None;
        self.publish_with(|hooks| {
            let before = hooks.asm.end(start);
            hooks.asm.int(site);
            parts = Some((before, hooks.asm.begin()));
        })?;
        self.published = parts.map(|(before, behind)| (before, self.asm.end(behind)));
        Ok(())
    }

    /// Publishes word and site before `super(...)`: CONSTRUCTING (-2) in place of the site, in a
    /// constructor entered through a link that is not plain.
    pub(crate) fn publish_super(&mut self, site: u32) -> Result<(), SkipReason> {
        if self.faults.constructor_unknown_at_super() {
            return self.publish(site);
        }
        self.publish_with(|hooks| {
            hooks.asm.local(ILOAD, hooks.locals.slot); //  t r
            hooks.asm.op(DUP); //                          t r r
            hooks.asm.int(site); //                        t r r s
            hooks.asm.op(IOR); //                          t r s
            hooks.asm.op(IADD); //                         t s
        })
    }

    fn publish_with(&mut self, site: impl FnOnce(&mut Self)) -> Result<(), SkipReason> {
        let Locals { thread, word, version, .. } = self.locals;
        if let Some(version) = version {
            self.asm.local(ALOAD, thread); //              t
            self.asm.local(ILOAD, version); //             t v
            self.asm.member(PUTFIELD, Ref::Version)?; //   -
        }
        self.asm.local(ALOAD, thread); //                  t
        self.asm.local(LLOAD, word); //                    t w w
        if self.compact {
            site(self); //                                 t w w s
            return self.asm.member(INVOKESTATIC, Ref::Publish);
        }
        self.asm.member(PUTFIELD, Ref::Ctx)?; //           -
        self.asm.local(ALOAD, thread); //                  t
        site(self); //                                     t s
        self.asm.member(PUTFIELD, Ref::Site)
    }
}

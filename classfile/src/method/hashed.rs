//! The pieces of a method whose words are hashed: prologue, what stands at each step of the plan, and the handlers.
//!
//! Invariant: a site adds its id, and the constant of the constructor that it calls.
//! Source: docs/design/hashed-words.md; the code itself is in `crate::hooks`.

use lucce_words::hashed::{LIMIT, constructor};

use super::Method;
use super::pieces::Pieces;
use crate::SkipReason;
use crate::constants::API;
use crate::hooks::{Entry, HASHED_STACK, Hooks};
use crate::layout::Body;
use crate::plan::Action;

impl Method<'_, '_> {
    /// The prologue, which ends where no frame is due.
    pub(super) fn hashed_prologue(&self, hooks: &mut Hooks<'_, '_, '_>) -> Result<(), SkipReason> {
        hooks.hashed_prologue(self.id.0, self.constant())?;
        if self.check_entries { hooks.hashed_check(self.id.0) } else { Ok(()) }
    }

    /// What stands at one step of the plan. Each return has its own exit: that is as short as a jump to a common one.
    pub(super) fn hashed_step(
        &self,
        hooks: &mut Hooks<'_, '_, '_>,
        number: usize,
        action: Action,
    ) -> Result<(usize, Body), SkipReason> {
        match action {
            Action::Publish(site) | Action::PublishSuper(site) => {
                hooks.hashed_publish(self.addition(site)?)?;
                let site = &self.sites[site];
                if *site.owner == *API {
                    hooks.hashed_site(site.id.0)?;
                }
            }
            Action::Forget => hooks.hashed_forget()?,
            Action::Stand | Action::ReadContext | Action::ReadSite(_) => {}
            Action::Return if self.is_other_return(self.code.opcode(number)) => {}
            Action::Return if self.faults.restore_at_exit() => {}
            Action::Return if self.entry == Entry::Constructor && self.faults.constructor_exit_store() => {}
            Action::Return => hooks.hashed_restore()?,
        }
        Ok((HASHED_STACK, Body::Keep))
    }

    /// What a site adds to a hashed word.
    fn addition(&self, site: usize) -> Result<u32, SkipReason> {
        let site = &self.sites[site];
        let constant = if site.name == b"<init>" { constructor(&site.owner, site.desc) } else { 0 };
        if site.id.0 < LIMIT { Ok(site.id.0 + constant) } else { Err(SkipReason::IdsExhausted) }
    }

    /// The constant of a constructor.
    fn constant(&self) -> Option<u32> {
        (self.entry == Entry::Constructor).then(|| constructor(self.class.name, self.desc))
    }

    /// The exceptional exits.
    pub(super) fn hashed_tail(&self, hooks: &mut Hooks<'_, '_, '_>, pieces: &mut Pieces) -> Result<(), SkipReason> {
        for catch in self.catches() {
            pieces.tail_frames.push((hooks.asm.len(), catch));
            hooks.hashed_handler(self.id.0)?;
            pieces.max_stack = pieces.max_stack.max(1 + HASHED_STACK);
        }
        Ok(())
    }
}

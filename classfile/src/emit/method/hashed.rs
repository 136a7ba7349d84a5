//! The parts of a method whose words are hashed: prologue, what stands at each step of the plan,
//! and the handlers.
//!
//! Invariant: a site adds its id, or what its index says, and the constant of the constructor that
//! it calls.
//! Source: docs/design/hashed-words.md; the code itself is in `crate::emit::hooks`.

use lucce_words::hashed::{LIMIT, constructor};
use lucce_words::weights::Scheme;

use super::Method;
use super::emit_parts::EmitParts;
use crate::SkipReason;
use crate::emit::constants::{API, Ref};
use crate::emit::hooks::{EntryHook, HASHED_STACK, Hooks};
use crate::emit::layout::Body;
use crate::planning::plan::Action;

impl Method<'_, '_> {
    /// The prologue, which ends where no frame is due.
    pub(super) fn hashed_prologue(&self, hooks: &mut Hooks<'_, '_, '_>, scheme: Scheme) -> Result<(), SkipReason> {
        hooks.hashed_prologue(self.id.0, (scheme, self.weight), self.constant(scheme))?;
        let told = [(self.check_entries, Ref::CheckHashed), (self.sample_entries, Ref::EnteredHashed)];
        told.into_iter().filter(|(wanted, _)| *wanted).try_for_each(|(_, hook)| hooks.hashed_entered(hook, self.id.0))
    }

    /// What stands at one step of the plan. Each return has its own exit: that is as short as a
    /// jump to a common one.
    pub(super) fn hashed_step(
        &self,
        hooks: &mut Hooks<'_, '_, '_>,
        scheme: Scheme,
        number: usize,
        action: Action,
    ) -> Result<(usize, Body), SkipReason> {
        match action {
            Action::Publish(site) | Action::PublishSuper(site) => {
                hooks.hashed_publish(self.addition(scheme, site)?)?;
                let site = &self.sites[site];
                if *site.owner == *API {
                    hooks.hashed_site(site.id.0)?;
                }
            }
            Action::Clear => hooks.hashed_clear()?,
            Action::Stand | Action::ReadContext | Action::ReadSite(_) => {}
            Action::Return if self.is_other_return(self.code.opcode(number)) => {}
            Action::Return if self.faults.restore_at_exit() => {}
            Action::Return if self.entry == EntryHook::Constructor && self.faults.constructor_exit_store() => {}
            Action::Return => hooks.hashed_restore()?,
        }
        Ok((HASHED_STACK, Body::Keep))
    }

    /// What a site adds to a word.
    fn addition(&self, scheme: Scheme, site: usize) -> Result<u32, SkipReason> {
        let site = &self.sites[site];
        let constant = match scheme.has_constants() && site.name == b"<init>" {
            true => constructor(&site.owner, site.desc),
            false => 0,
        };
        match scheme {
            Scheme::Ids if site.id.0 < LIMIT => Ok(site.id.0 + constant),
            Scheme::Ids => Err(SkipReason::IdsExhausted),
            Scheme::Natural => Ok(self.policy.wrapped(self.class.name, self.name, self.desc, site.bci)),
            Scheme::Names | Scheme::Mixed => Ok(scheme.addition(self.weight, site.bci.0) + constant),
        }
    }

    /// The constant of a constructor.
    fn constant(&self, scheme: Scheme) -> Option<u32> {
        (scheme.has_constants() && self.entry == EntryHook::Constructor)
            .then(|| constructor(self.class.name, self.desc))
    }

    /// The exceptional exits.
    pub(super) fn hashed_tail(&self, hooks: &mut Hooks<'_, '_, '_>, parts: &mut EmitParts) -> Result<(), SkipReason> {
        for catch in self.catches() {
            parts.tail_frames.push((hooks.asm.len(), catch));
            hooks.hashed_handler(self.id.0)?;
            parts.max_stack = parts.max_stack.max(1 + HASHED_STACK);
        }
        Ok(())
    }
}

//! What is emitted where words are computed: no hook is called at an entry, and every exit puts
//! back what was found.
//!
//! ```text
//! prologue   invokestatic Thread.currentThread; dup; astore T; getfield ctx; dup2; lstore W
//!            [constructor: constant; i2l; lsub]; mix; [weight; ladd]; lstore M
//!            [aload T; n; lload M; invokestatic LucceHooks.checkHashed, enteredHashed(Thread,I,J)V]  with verify, with profile
//! mix        dup2; bipush 32; lushr; lxor; ldc2_w K; lmul                     nothing with weights that are only added
//! untrusted  ...; lstore W; aload T; n; invokestatic LucceHooks.enterUntrusted(Thread,I)J; mix; [weight; ladd]; lstore M
//! publish    aload T; lload M; [addition; i2l; ladd]; putfield ctx
//! API        aload T; s; putfield site                                        also, before calls of org.lucce.Lucce
//! clear      aload T; lconst_1; putfield ctx
//! return     aload T; lload W; putfield ctx; xreturn
//! handler    aload T; lload W; putfield ctx; n in two halves, each popped; athrow
//! ```
//! Invariant: `ctx` is the same behind every exit as before the entry, but where an exception
//! leaves a constructor's `super(...)`, which no handler can watch. The last handler says whose
//! code it is: it ends the code, and costs nothing where no exception passes.
//! Source: docs/design/hashed-words.md, docs/design/icpp.md; `lucce_words::hashed`,
//! `lucce_words::weights`.

use lucce_words::hashed::{MULTIPLIER, SHIFT};
use lucce_words::weights::Scheme;

use super::Hooks;
use crate::SkipReason;
use crate::emit::constants::Ref;
use crate::format::opcode::*;

/// Operand slots of all of it, on top of what is there.
pub(crate) const HASHED_STACK: usize = 7;

impl Hooks<'_, '_, '_> {
    /// Enters method `id` of this weight; `constructor` is its constant, if it is one.
    pub(crate) fn hashed_prologue(
        &mut self,
        id: u32,
        (scheme, weight): (Scheme, u64),
        constructor: Option<u32>,
    ) -> Result<(), SkipReason> {
        self.asm.member(INVOKESTATIC, Ref::CurrentThread)?; // t
        self.asm.op(DUP); //                                   t t
        self.asm.local(ASTORE, self.locals.thread); //         t
        self.asm.member(GETFIELD, Ref::Ctx)?; //               w w
        if self.untrusted {
            self.asm.local(LSTORE, self.locals.word); //       -
            self.call(Ref::EnterUntrusted, id)?; //            b b
        } else {
            self.asm.op(DUP2); //                              w w w w
            self.asm.local(LSTORE, self.locals.word); //       w w
            if let Some(constant) = constructor {
                self.asm.int(constant); //                     w w c
                self.asm.ops(&[I2L, LSUB]); //                 b b
            }
        }
        if scheme.mixes() {
            self.mix()?; //                                    m m
        }
        self.weigh(weight)?; //                                m m
        self.asm.local(LSTORE, self.locals.mixed); //          -
        Ok(())
    }

    fn weigh(&mut self, weight: u64) -> Result<(), SkipReason> {
        match i32::try_from(weight) {
            Ok(0) => return Ok(()),
            Ok(small) => {
                self.asm.int(small as u32); //                 m m a
                self.asm.op(I2L); //                           m m a a
            }
            Err(_) => {
                let weight = self.asm.constants.long(weight)?;
                self.asm.with_u2(LDC2_W, weight); //           m m a a
            }
        }
        self.asm.op(LADD); //                                  m m
        Ok(())
    }

    /// [`lucce_words::hashed::mixed`].
    fn mix(&mut self) -> Result<(), SkipReason> {
        self.asm.op(DUP2); //                                  b b b b
        self.asm.with_u1(BIPUSH, SHIFT); //                    b b b b 32
        self.asm.ops(&[LUSHR, LXOR]); //                       x x
        let multiplier = self.asm.constants.long(MULTIPLIER)?;
        self.asm.with_u2(LDC2_W, multiplier); //               x x k k
        self.asm.op(LMUL); //                                  m m
        Ok(())
    }

    /// Tells a hook what method `id` was entered with.
    pub(crate) fn hashed_entered(&mut self, hook: Ref, id: u32) -> Result<(), SkipReason> {
        self.asm.local(ALOAD, self.locals.thread); //          t
        self.asm.immediate(id); //                             t n
        self.asm.local(LLOAD, self.locals.mixed); //           t n m m
        self.asm.member(INVOKESTATIC, hook) //                 -
    }

    /// Publishes a site by its addition.
    pub(crate) fn hashed_publish(&mut self, addition: u32) -> Result<(), SkipReason> {
        self.asm.local(ALOAD, self.locals.thread); //          t
        self.asm.local(LLOAD, self.locals.mixed); //           t m m
        if addition != 0 {
            self.asm.int(addition); //                         t m m a
            self.asm.ops(&[I2L, LADD]); //                     t w w
        }
        self.asm.member(PUTFIELD, Ref::Ctx)
    }

    /// Says the site besides, for captured contexts that the hooks find by themselves.
    pub(crate) fn hashed_site(&mut self, site: u32) -> Result<(), SkipReason> {
        self.asm.local(ALOAD, self.locals.thread); //          t
        self.asm.int(site); //                                 t s
        self.asm.member(PUTFIELD, Ref::Site)
    }

    /// Stores [`lucce_words::hashed::ADRIFT`].
    pub(crate) fn hashed_clear(&mut self) -> Result<(), SkipReason> {
        self.asm.local(ALOAD, self.locals.thread); //          t
        self.asm.op(LCONST_1); //                              t 1 1
        self.asm.member(PUTFIELD, Ref::Ctx)
    }

    /// Puts back what was found.
    pub(crate) fn hashed_restore(&mut self) -> Result<(), SkipReason> {
        self.asm.local(ALOAD, self.locals.thread); //          t
        self.asm.local(LLOAD, self.locals.word); //            t w w
        self.asm.member(PUTFIELD, Ref::Ctx)
    }

    /// The exceptional exit of method `id`, with the exception on the stack. It restores at once,
    /// as no handler watches it.
    pub(crate) fn hashed_handler(&mut self, id: u32) -> Result<(), SkipReason> {
        // The code must still say whose it is, so that with the fault something else is stored.
        let restored = if self.faults.exceptional_store() { self.locals.mixed } else { self.locals.word };
        self.asm.local(ALOAD, self.locals.thread); //          e t
        self.asm.local(LLOAD, restored); //                    e t w w
        self.asm.member(PUTFIELD, Ref::Ctx)?; //               e
        for half in [id >> 16, id & 0xFFFF] {
            self.asm.with_u2(SIPUSH, half as u16);
            self.asm.op(POP);
        }
        self.asm.op(ATHROW);
        Ok(())
    }
}

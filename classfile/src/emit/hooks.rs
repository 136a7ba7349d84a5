//! The code that is emitted: prologue, publish, clear, exit, handlers.
//!
//! Invariant: exactly docs/design/emitted-code.md. Exit and handler code holds no invocation, so it
//! cannot overflow the stack. Every emitter says how many operand slots it needs.
//! Source: docs/design/mechanisms.md, docs/design/emitted-code.md.

mod hashed;
mod lazy;
mod publish;

use crate::emit::assembler::{Assembler, CodeSpan};
use crate::emit::constants::Ref;
use crate::format::opcode::*;
use crate::{Faults, SkipReason};

pub(crate) use hashed::HASHED_STACK;
pub(crate) use publish::publish_stack;

/// Where the hooks' locals are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Locals {
    pub(crate) thread: u16,
    pub(crate) word: u16,
    /// Only where [`version_local`](crate::RewriteOptions::version_local) asks for it.
    pub(crate) version: Option<u16>,
    /// The index in the shadow stack to restore; in a constructor whether it restores: -1 or 0.
    pub(crate) slot: u16,
    /// Where a constructor keeps its uninitialised `this`, if it does.
    pub(crate) this: u16,
    /// Where words are hashed: the word mixed, to which the sites' additions are added.
    pub(crate) mixed: u16,
    /// For a result that waits while what lies below it is dropped.
    pub(crate) spill: u16,
    /// How many locals the method has now.
    pub(crate) count: u16,
}

impl Locals {
    /// Behind the method's own locals, with room for a version, `this`, and a result to be spilled,
    /// if those are wanted.
    pub(crate) fn behind(max_locals: u16, version: bool, keeps_this: bool, spills: bool) -> Result<Self, SkipReason> {
        let added = 4 + u16::from(version);
        let count = local_count(max_locals, u32::from(added) + u32::from(keeps_this), spills)?;
        let (thread, word, this) = (max_locals, max_locals + 1, max_locals + added);
        let spill = this + u16::from(keeps_this);
        Ok(Self { thread, word, version: version.then_some(word + 2), slot: this - 1, this, mixed: 0, spill, count })
    }

    /// What counts go by: the word, or the mixed one where words are hashed.
    pub(crate) fn counted(&self) -> u16 {
        if self.mixed == 0 { self.word } else { self.mixed }
    }

    /// The same where words are hashed: behind T and W only what W becomes.
    pub(crate) fn hashed(max_locals: u16, keeps_this: bool) -> Result<Self, SkipReason> {
        let count = local_count(max_locals, 5 + u32::from(keeps_this), false)?;
        let (thread, word, mixed, this) = (max_locals, max_locals + 1, max_locals + 3, max_locals + 5);
        Ok(Self { thread, word, version: None, slot: 0, this, mixed, spill: 0, count })
    }
}

/// The locals of a method with `added` more, and two for a spilled result.
pub(crate) fn local_count(max_locals: u16, added: u32, spills: bool) -> Result<u16, SkipReason> {
    let locals = u32::from(max_locals) + added + if spills { 2 } else { 0 };
    u16::try_from(locals).map_err(|_| SkipReason::TooManyLocals { locals })
}

/// How a method is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryHook {
    Ordinary,
    /// What is published is not to be believed.
    Untrusted,
    Constructor,
}

/// The emitter of one method's hooks.
pub(crate) struct Hooks<'h, 'c, 'k> {
    pub(crate) asm: &'h mut Assembler<'c, 'k>,
    pub(crate) locals: Locals,
    pub(crate) compact: bool,
    /// What is published is not to be believed.
    pub(crate) untrusted: bool,
    /// May the method be inactive?
    pub(crate) is_lazy: bool,
    /// A site of the method, if it has any.
    pub(crate) own_site: Option<u32>,
    pub(crate) constructor: bool,
    pub(crate) faults: Faults,
    /// Where the first publication stands, before its site and behind it: the others are copies.
    pub(crate) published: Option<(CodeSpan, CodeSpan)>,
}

/// Operand slots of [`Hooks::prologue`] and [`Hooks::enter`].
pub(crate) const PROLOGUE_STACK: usize = 4;
/// Operand slots of everything that stores UNKNOWN or restores, on top of what is there.
pub(crate) const STORE_STACK: usize = 2;
/// Those of [`Hooks::exit`] and [`Hooks::clear_at_exit`], likewise.
pub(crate) const EXIT_STACK: usize = 3;

impl Hooks<'_, '_, '_> {
    /// The thread and, where there is one to be restored, a slot of a frame that has not pushed.
    fn open(&mut self) -> Result<(), SkipReason> {
        self.asm.member(INVOKESTATIC, Ref::CurrentThread)?; // t
        self.asm.local(ASTORE, self.locals.thread); //         -
        if !self.constructor {
            self.asm.op(ICONST_M1); //                         -1
            self.asm.local(ISTORE, self.locals.slot); //       -
        }
        Ok(())
    }

    /// The beginning of a method that is entered later. W holds the id meanwhile, which says whose
    /// code this is: a word without a version.
    pub(crate) fn prologue_without_entry(&mut self, id: u32) -> Result<(), SkipReason> {
        self.open()?;
        self.asm.immediate(id); //                             n
        self.asm.op(I2L); //                                   n n
        self.asm.local(LSTORE, self.locals.word); //           -
        if let Some(version) = self.locals.version {
            self.asm.op(ICONST_0); //                          0
            self.asm.local(ISTORE, version); //                -
        }
        Ok(())
    }

    /// Enters method `id` at its start. True if it ends with a jump to its own end, where a frame
    /// is due.
    ///
    /// `branch_free` takes the slot without a jump, for a method whose entry frame cannot be
    /// written.
    pub(crate) fn prologue(&mut self, id: u32, branch_free: bool) -> Result<bool, SkipReason> {
        self.open()?;
        if self.constructor || branch_free {
            self.call(self.entering(), id)?; //                w w
            self.asm.local(LSTORE, self.locals.word); //       -
            self.read_version()?;
            if self.constructor {
                self.restoring(); //                           r
            } else {
                // slot = t.slot | ~(w >> 63)
                self.asm.local(ALOAD, self.locals.thread); //  t
                self.asm.member(GETFIELD, Ref::Slot)?; //      s
                self.restoring(); //                           s r
                self.asm.ops(&[ICONST_M1, IXOR, IOR]);
            }
            self.asm.local(ISTORE, self.locals.slot); //       -
            self.take_off_sign();
            return Ok(false);
        }
        self.enter(id)?;
        Ok(true)
    }

    /// Enters method `id`. Ends with a jump to its own end, where a frame is due.
    pub(crate) fn enter(&mut self, id: u32) -> Result<(), SkipReason> {
        let plain = self.enter_by(self.entering(), id)?;
        self.asm.bind(plain);
        Ok(())
    }

    /// Enters method `id` by that hook; the jump is taken if it has not pushed.
    fn enter_by(&mut self, hook: Ref, id: u32) -> Result<usize, SkipReason> {
        let Locals { thread, word, slot, .. } = self.locals;
        self.call(hook, id)?; //                               w w
        self.asm.op(DUP2); //                                  w w w w
        self.asm.local(LSTORE, word); //                       w w
        self.read_version()?;
        self.asm.op(LCONST_0); //                              w w 0 0
        self.asm.op(LCMP); //                                  c
        let plain = self.asm.branch(IFGE); //                  -
        self.asm.local(ALOAD, thread); //                      t
        self.asm.member(GETFIELD, Ref::Slot)?; //              s
        self.asm.local(ISTORE, slot); //                       -
        self.take_off_sign();
        Ok(plain)
    }

    fn call(&mut self, enter: Ref, id: u32) -> Result<(), SkipReason> {
        self.asm.local(ALOAD, self.locals.thread); //          t
        self.asm.immediate(id); //                             t n
        self.asm.member(INVOKESTATIC, enter) //                w w
    }

    /// The version that belongs to W, which the hooks left in the thread's state.
    fn read_version(&mut self) -> Result<(), SkipReason> {
        let Some(version) = self.locals.version else { return Ok(()) };
        self.asm.local(ALOAD, self.locals.thread); //          t
        self.asm.member(GETFIELD, Ref::Version)?; //           v
        self.asm.local(ISTORE, version); //                    -
        Ok(())
    }

    /// Copies the uninitialised `this` of a constructor to a local of its own.
    pub(crate) fn keep_this(&mut self) {
        self.asm.local(ALOAD, 0); //                 this
        self.asm.local(ASTORE, self.locals.this); // -
    }

    /// What the hooks add to the word of an activation that restores goes, so that callees find
    /// their links with any caller's word.
    fn take_off_sign(&mut self) {
        self.asm.local(LLOAD, self.locals.word); //                        w w
        self.asm.ops(&[ICONST_1, LSHL, ICONST_1, LUSHR]);
        self.asm.local(LSTORE, self.locals.word); //                       -
    }

    /// `(int)(W >> 63)` of what the hooks gave: -1 for an activation that restores, 0 for a plain
    /// one.
    fn restoring(&mut self) {
        self.asm.local(LLOAD, self.locals.word); // w w
        self.asm.with_u1(BIPUSH, 63); //            w w 63
        self.asm.ops(&[LSHR, L2I]); //              r
    }

    /// Stores UNKNOWN.
    pub(crate) fn clear_site(&mut self) -> Result<(), SkipReason> {
        self.store_site(ICONST_0)
    }

    /// Nothing is left published when the method returns. One that may be inactive leaves a site of
    /// its own, without a word: that says whom a walk for what is called next is to activate. What
    /// stands there may be RESUME, of a callee, and would tell of this activation still.
    pub(crate) fn clear_at_exit(&mut self) -> Result<(), SkipReason> {
        let Some(site) = self.own_site.filter(|_| self.is_lazy) else {
            return self.clear_site();
        };
        self.asm.local(ALOAD, self.locals.thread); // t
        self.asm.op(LCONST_0); //                     t 0 0
        self.asm.member(PUTFIELD, Ref::Ctx)?; //      -
        self.asm.local(ALOAD, self.locals.thread); // t
        self.asm.int(site); //                        t s
        self.asm.member(PUTFIELD, Ref::Site)
    }

    fn store_site(&mut self, constant: u8) -> Result<(), SkipReason> {
        self.asm.local(ALOAD, self.locals.thread); // t
        self.asm.op(constant); //                     t s
        self.asm.member(PUTFIELD, Ref::Site)
    }

    /// Restores caller and site if this frame pushed; the jump is taken if not.
    fn restore(&mut self) -> Result<usize, SkipReason> {
        let Locals { thread, slot, .. } = self.locals;
        self.asm.local(ILOAD, slot); //               i
        let plain = self.asm.branch(IFLT); //         -
        if !self.faults.restore_at_exit() {
            self.asm.local(ALOAD, thread); //         t
            self.asm.local(ILOAD, slot); //           t i
            self.asm.member(PUTFIELD, Ref::Top)?; //  -
            self.store_site(ICONST_M1)?;
        }
        Ok(plain)
    }

    /// The common exit; gives the place, behind the start of this code, where a frame is due.
    pub(crate) fn exit(&mut self, xreturn: u8, interposable: bool) -> Result<usize, SkipReason> {
        let plain = self.restore()?;
        if interposable {
            self.asm.op(xreturn);
        }
        self.asm.bind(plain);
        let frame = self.asm.len();
        if interposable {
            self.clear_at_exit()?;
        }
        self.asm.op(xreturn);
        Ok(frame)
    }

    /// The exceptional exit, with the exception on the stack; gives the place where a second frame
    /// is due. It clears the site at once: no handler watches it, and another exception may strike
    /// here.
    pub(crate) fn handler(&mut self) -> Result<usize, SkipReason> {
        if !self.faults.exceptional_store() {
            self.clear_site()?;
        }
        let plain = self.restore()?;
        self.asm.bind(plain);
        let frame = self.asm.len();
        self.asm.op(ATHROW);
        Ok(frame)
    }

    /// The exceptional exit of a constructor.
    pub(crate) fn constructor_handler(&mut self) -> Result<(), SkipReason> {
        if !self.faults.exceptional_store() {
            self.clear_site()?;
        }
        self.asm.op(ATHROW);
        Ok(())
    }
}

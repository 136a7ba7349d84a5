//! The Guard: Java code that the JVM calls up while it loads a class leaves the thread's state as
//! it found it; and code of the JDK that runs tasks leaves the thread's origins so.
//!
//! Invariant: caller (with its version), site and height of the shadow stack are the same behind
//! every exit as before the entry, and UNKNOWN in between (a hashed word: adrift).
//! Source: docs/design/mechanisms.md ("Guard"), docs/design/emitted-code.md,
//! docs/design/origins.md.

use crate::edit::method_wrapper::{self, Wrapper};
use crate::emit::assembler::Assembler;
use crate::emit::constants::{Constants, Ref};
use crate::format::class::ClassFile;
use crate::format::members::Member;
use crate::format::opcode::*;
use crate::stack_maps::frames::Type;
use crate::{Inserted, SkipReason};

/// Guards the given methods (name, descriptor) of an uninstrumented class. `None` if it declares
/// none of them with code; constructors are never guarded. Errors as [`crate::instrument()`] names
/// them, also where only one method is at fault.
pub fn guard(bytes: &[u8], methods: &[(&[u8], &[u8])]) -> Result<Option<Inserted>, SkipReason> {
    let class = ClassFile::read(bytes)?;
    let wanted = |method: &Member<'_>| methods.contains(&(method.name, method.desc));
    method_wrapper::rewrite(&class, wanted, |_, max_locals| Saved::behind(max_locals))
}

/// What of a thread's origins a method leaves as it found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptOrigin {
    /// The one in force; until the method returns it is that of its object, if that has one.
    InForce,
    /// The one that is in force while the thread runs no task.
    BetweenTasks,
}

/// Lets the instance methods of these names leave the thread's origins as they found them.
/// Otherwise as [`guard`].
pub fn guard_origins(bytes: &[u8], methods: &[(&[u8], KeptOrigin)]) -> Result<Option<Inserted>, SkipReason> {
    let class = ClassFile::read(bytes)?;
    let kept = |method: &Member<'_>| methods.iter().find(|kept| kept.0 == method.name).map(|kept| kept.1);
    let wanted = |method: &Member<'_>| kept(method).is_some() && method.access & 0x0008 == 0;
    method_wrapper::rewrite(&class, wanted, |method, thread| Origin {
        thread,
        kept: kept(method).unwrap_or(KeptOrigin::InForce),
    })
}

/// The locals that hold the thread and what is kept.
struct Origin {
    thread: u16,
    kept: KeptOrigin,
}

impl Origin {
    fn field(&self) -> Ref {
        match self.kept {
            KeptOrigin::InForce => Ref::Origin,
            KeptOrigin::BetweenTasks => Ref::Started,
        }
    }
}

impl Wrapper for Origin {
    const LOCALS: u16 = 2;
    const STACK: usize = 2;
    const SWALLOWS: bool = false;

    fn types(&self, constants: &mut Constants<'_>) -> Result<Vec<Type>, SkipReason> {
        Ok(vec![Type::object(constants.thread()?), Type::INTEGER])
    }

    fn open(&self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason> {
        asm.member(INVOKESTATIC, Ref::CurrentThread)?; //           t
        asm.op(DUP); //                                             t t
        asm.local(ASTORE, self.thread); //                          t
        asm.member(GETFIELD, self.field())?; //                     o
        asm.local(ISTORE, self.thread.saturating_add(1)); //        -
        if self.kept == KeptOrigin::InForce {
            asm.local(ALOAD, 0); //                                 this
            asm.member(INVOKESTATIC, Ref::Runs)?; //                -
        }
        Ok(())
    }

    fn close(&self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason> {
        asm.local(ALOAD, self.thread); //                           t
        asm.local(ILOAD, self.thread.saturating_add(1)); //         t o
        asm.member(PUTFIELD, self.field())
    }
}

/// Operand slots of saving and restoring, on top of what is there.
const RESTORE_STACK: usize = 3;

/// The locals that hold what was found.
#[derive(Clone, Copy)]
struct Saved {
    thread: u16,
    ctx: u16,
    site: u16,
    top: u16,
    version: u16,
}

impl Saved {
    fn behind(thread: u16) -> Self {
        // The sums are looked at where the locals are counted.
        let at = |behind| thread.saturating_add(behind);
        Self { thread, ctx: at(1), site: at(3), top: at(4), version: at(5) }
    }

    /// Each field with its local and the opcodes that load and store that.
    fn parts(self) -> [(Ref, u16, u8, u8); 4] {
        [
            (Ref::Ctx, self.ctx, LLOAD, LSTORE),
            (Ref::Site, self.site, ILOAD, ISTORE),
            (Ref::Top, self.top, ILOAD, ISTORE),
            (Ref::Version, self.version, ILOAD, ISTORE),
        ]
    }
}

impl Wrapper for Saved {
    const LOCALS: u16 = 6;
    const STACK: usize = RESTORE_STACK;
    const SWALLOWS: bool = false;

    fn types(&self, constants: &mut Constants<'_>) -> Result<Vec<Type>, SkipReason> {
        let thread = Type::object(constants.thread()?);
        Ok(vec![thread, Type::LONG, Type::INTEGER, Type::INTEGER, Type::INTEGER])
    }

    fn open(&self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason> {
        asm.member(INVOKESTATIC, Ref::CurrentThread)?; // t
        asm.op(DUP); //                                   t t
        asm.local(ASTORE, self.thread); //                t
        asm.member(INVOKESTATIC, Ref::ResolveResume)?; //        -
        for (field, local, _, store) in self.parts() {
            asm.local(ALOAD, self.thread); //             t
            asm.member(GETFIELD, field)?; //              v
            asm.local(store, local); //                   -
        }
        asm.local(ALOAD, self.thread); //                 t
        asm.op(DUP); //                                   t t
        asm.op(ICONST_0); //                              t t 0
        asm.member(PUTFIELD, Ref::Site)?; //              t
        asm.op(LCONST_1); //                              t 1 1
        asm.member(PUTFIELD, Ref::Ctx)
    }

    fn close(&self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason> {
        for (field, local, load, _) in self.parts() {
            asm.local(ALOAD, self.thread); //             t
            asm.local(load, local); //                    t v
            asm.member(PUTFIELD, field)?; //              -
        }
        Ok(())
    }
}

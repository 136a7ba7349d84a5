//! `LockSupport` with its waits timed: `LucceLocks.parking(blocker)` is called before and gives the
//! time, `LucceLocks.parked(blocker, start)` behind.
//!
//! Invariant: whatever the hooks throw, the caller of `park` sees nothing of it at a normal exit: a
//! thread that parks holds half-made locks. `parking` catches what is thrown in it, and needs no
//! more stack to begin than the native park itself.
//! Source: docs/design/event-sources.md; java.util.concurrent.locks.LockSupport.

use crate::edit::method_wrapper::{self, Wrapper};
use crate::emit::assembler::Assembler;
use crate::emit::constants::{Constants, Ref};
use crate::format::class::ClassFile;
use crate::format::opcode::*;
use crate::stack_maps::frames::Type;
use crate::{Inserted, SkipReason};

/// Times the static methods without a result whose names begin with `park`. `None` if there are
/// none. Errors as [`crate::instrument()`] names them for a whole class.
pub fn time_parks(bytes: &[u8]) -> Result<Option<Inserted>, SkipReason> {
    const STATIC: u16 = 0x0008;
    let class = ClassFile::read(bytes)?;
    method_wrapper::rewrite(
        &class,
        |method| method.access & STATIC != 0 && method.name.starts_with(b"park") && method.desc.ends_with(b")V"),
        |method, blocker| Timed {
            is_given: method.desc.starts_with(b"(Ljava/lang/Object;"),
            blocker,
            start: blocker.saturating_add(1),
        },
    )
}

/// The locals that hold whom the thread waits for, and since when.
struct Timed {
    /// Is the blocker the first argument?
    is_given: bool,
    blocker: u16,
    start: u16,
}

impl Wrapper for Timed {
    const LOCALS: u16 = 3;
    const STACK: usize = 3;
    const SWALLOWS: bool = true;

    fn types(&self, constants: &mut Constants<'_>) -> Result<Vec<Type>, SkipReason> {
        Ok(vec![Type::object(constants.additions.class(b"java/lang/Object")?), Type::LONG])
    }

    fn open(&self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason> {
        if self.is_given {
            asm.local(ALOAD, 0); //                       b
        } else {
            asm.op(ACONST_NULL); //                       b
        }
        asm.local(ASTORE, self.blocker); //               -
        asm.local(ALOAD, self.blocker); //                b
        asm.member(INVOKESTATIC, Ref::Parking)?; //       n n
        asm.local(LSTORE, self.start); //                 -
        Ok(())
    }

    fn close(&self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason> {
        asm.local(ALOAD, self.blocker); //                b
        asm.local(LLOAD, self.start); //                  b n n
        asm.member(INVOKESTATIC, Ref::Parked) //          -
    }
}

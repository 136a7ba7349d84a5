//! What is counted: allocations and invocations, at the instruction itself, by a call of
//! `LucceTallies` behind it.
//!
//! Invariant: a count stands behind its instruction, so that only what has succeeded is counted,
//! and in its place: a frame that stands in the inserted call stands at the instruction. Nothing is
//! stored in the thread: word and site are arguments.
//! Source: docs/design/tallies.md; JVMS 6.5 (`new`, `multianewarray`, `invokespecial`), 4.4.1 and
//! 5.1 (class constants of arrays).

use crate::emit::assembler::PUSH_EXTRA;
use crate::emit::constants::Ref;
use crate::emit::hooks::Hooks;
use crate::format::annotations::is_annotated;
use crate::format::class::ClassFile;
use crate::format::members::Member;
use crate::format::opcode::*;
use crate::format::pool::MemberRef;
use crate::{Policy, SkipReason};

/// What an instruction makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// `new`.
    Object,
    /// `newarray`, `anewarray`.
    Array,
    /// `multianewarray`.
    Arrays,
    /// A call of `clone()` whose result is of the class that says whether `Object.clone` has run.
    Clone,
    /// `invokevirtual` of `clone()`: the class of the receiver says it.
    CloneOf,
}

/// One counted instruction: its number, its place in [`crate::planning::plan::Plan::sites`], and
/// what it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) number: usize,
    pub(crate) site: usize,
    pub(crate) made: Made,
}

/// Operand slots of [`Hooks::count_entry`].
pub(crate) const ENTRY_STACK: usize = 4 + PUSH_EXTRA;
/// Operand slots of what stands at a counted instruction, on top of what is there before it.
pub(crate) const TALLY_STACK: usize = 6 + PUSH_EXTRA;

/// Are the invocations of the method counted?
pub(crate) fn counts_entries(class: &ClassFile<'_>, method: &Member<'_>, policy: &dyn Policy) -> bool {
    policy.counts_entries(class.name, method.name, method.desc) && !is_replaced(class, method, policy)
}

/// May the JIT compiler run something else in its place ([`Policy::replaced`])? Then counts would
/// depend on what was compiled.
pub(crate) fn is_replaced(class: &ClassFile<'_>, method: &Member<'_>, policy: &dyn Policy) -> bool {
    is_annotated(class, method, |annotation| policy.replaced(annotation))
}

impl Made {
    /// What an allocation instruction makes.
    pub(crate) fn by(opcode: u8) -> Self {
        match opcode {
            NEW => Self::Object,
            MULTIANEWARRAY => Self::Arrays,
            _ => Self::Array,
        }
    }

    /// What a call makes if it may be one of `Object.clone` itself; `None` for any other.
    pub(crate) fn by_call(class: &ClassFile<'_>, opcode: u8, member: MemberRef<'_>) -> Option<Self> {
        const DESC: &[u8] = b"()Ljava/lang/Object;";
        if member.name != b"clone" || member.desc != DESC {
            return None;
        }
        let declares = || class.methods.iter().any(|own| (own.name, own.desc) == (b"clone", DESC));
        match opcode {
            INVOKEVIRTUAL if member.owner.first() == Some(&b'[') => Some(Self::Clone),
            // The method of the own class, or one that overrides it: neither is `Object.clone`.
            INVOKEVIRTUAL if member.owner == class.name && declares() => None,
            INVOKEVIRTUAL => Some(Self::CloneOf),
            INVOKESPECIAL if member.owner == class.name && declares() => None,
            INVOKESPECIAL => Some(Self::Clone),
            _ => None,
        }
    }
}

impl Hooks<'_, '_, '_> {
    /// Counts an invocation, behind the prologue.
    pub(crate) fn count_entry(&mut self, site: u32) -> Result<(), SkipReason> {
        self.count_with(site, Ref::Entered)
    }

    /// What stands before a counted instruction, behind what is published.
    pub(crate) fn before_count(&mut self, made: Made) {
        if made == Made::CloneOf {
            self.asm.op(DUP); //                       o o
        }
    }

    /// Counts behind an instruction. `class`: the pool index of the class that `new` names, where
    /// the class file may have class constants.
    pub(crate) fn count(&mut self, made: Made, site: u32, class: Option<u16>) -> Result<(), SkipReason> {
        match made {
            Made::Object => {
                match class {
                    None => self.asm.op(ACONST_NULL), // o c
                    Some(index) => self.asm.constant(index),
                }
                self.count_with(site, Ref::Allocated)
            }
            Made::Array | Made::Arrays | Made::Clone => {
                self.asm.op(DUP); //                   a a
                self.count_with(
                    site,
                    match made {
                        Made::Array => Ref::AllocatedArray,
                        Made::Arrays => Ref::AllocatedArrays,
                        _ => Ref::Cloned,
                    },
                )
            }
            Made::CloneOf => {
                self.asm.op(SWAP); //                  a o
                self.count_with(site, Ref::Cloned)
            }
        }
    }

    /// Thread, word and site on top of what is there, and the call that takes them all.
    fn count_with(&mut self, site: u32, hook: Ref) -> Result<(), SkipReason> {
        self.asm.local(ALOAD, self.locals.thread); //  .. t
        self.asm.local(LLOAD, self.locals.counted()); // .. t w w
        self.asm.int(site); //                         .. t w w s
        self.asm.member(INVOKESTATIC, hook) //         -
    }
}

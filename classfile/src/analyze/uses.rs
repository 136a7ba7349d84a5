//! What the instructions that name an entry of the constant pool may do: enter instrumented code,
//! initialise a class.
//!
//! Invariant: an answer is the policy's, which is asked once for each entry and kind of
//! instruction.
//! Source: docs/design/emitted-code.md ("JDK leaf calls"), docs/design/mechanisms.md ("Clear");
//! JVMS 5.5, 6.5 (`invokespecial`).

use crate::Policy;
use crate::format::class::ClassFile;
use crate::format::member_refs::{self, MemberRefs, Named};
use crate::format::opcode::*;

/// A use that initialises a class once: the kind of instruction and its pool index.
pub(crate) type Use = (u8, u16);

/// The answers for a class.
pub(crate) struct Uses<'u, 'a> {
    class: &'u ClassFile<'a>,
    policy: &'u dyn Policy,
    pub(crate) members: MemberRefs<'u, 'a>,
    /// By pool index, bits: whether something is known, and the answer.
    known: Vec<u8>,
}

/// The memory, for the next class.
#[derive(Default)]
pub(crate) struct UseBuffers {
    members: member_refs::MemberRefBuffers,
    known: Vec<u8>,
}

/// JVMS table 4.1-B.
const INTERFACE: u16 = 0x0200;

/// Where the two bits of each question stand in an entry of [`Uses::known`].
const JDK_LEAF: u8 = 0;
const JDK_LEAF_SPECIAL: u8 = 2;
const INITIALISES: u8 = 4;

impl<'u, 'a> Uses<'u, 'a> {
    pub(crate) fn new(class: &'u ClassFile<'a>, policy: &'u dyn Policy, buffers: UseBuffers) -> Self {
        let UseBuffers { members, mut known } = buffers;
        known.clear();
        known.resize(class.pool.count(), 0);
        Self { class, policy, members: MemberRefs::new(class, members), known }
    }

    /// Its memory.
    pub(crate) fn into_buffers(self) -> UseBuffers {
        UseBuffers { members: self.members.into_buffers(), known: self.known }
    }

    /// Can the invocation enter no instrumented code? `None` if the index is wrong.
    pub(crate) fn is_jdk_leaf(&mut self, opcode: u8, index: u16) -> Option<bool> {
        let bits = if opcode == INVOKESPECIAL { JDK_LEAF_SPECIAL } else { JDK_LEAF };
        self.answer(bits, index, |uses| uses.ask_jdk_leaf(opcode == INVOKESPECIAL, index))
    }

    /// The use that may initialise a class at an instruction with this pool index; `Some(None)` if
    /// there is none, `None` if the index is wrong.
    #[allow(clippy::option_option)]
    pub(crate) fn initialises(&mut self, opcode: u8, index: u16) -> Option<Option<Use>> {
        let (may, kind) = match opcode {
            LDC..=LDC2_W => (self.class.pool.is_computed(index)?, LDC),
            // Such an entry is a class, and those of fields are none.
            NEW => (self.answer(INITIALISES, index, |uses| uses.ask_new(index))?, NEW),
            _ => (self.answer(INITIALISES, index, |uses| uses.ask_field(index))?, GETSTATIC),
        };
        Some(may.then_some((kind, index)))
    }

    #[inline]
    fn answer(&mut self, bits: u8, index: u16, ask: impl FnOnce(&mut Self) -> Option<bool>) -> Option<bool> {
        let known = *self.known.get(usize::from(index))? >> bits;
        if known & 1 != 0 {
            return Some(known & 2 != 0);
        }
        let answer = ask(self)?;
        self.known[usize::from(index)] |= (1 | u8::from(answer) << 1) << bits;
        Some(answer)
    }

    fn ask_jdk_leaf(&mut self, special: bool, index: u16) -> Option<bool> {
        let member = self.members.get(index)?.member;
        // A method but <init> that `super.` names is looked for from the superclass on (JVMS 6.5,
        // invokespecial).
        let exact = !special || member.name == b"<init>" || Some(member.owner) == self.class.super_name;
        let jdk_leaf = || self.policy.jdk_leaf(member.owner, member.name, member.desc, special);
        // A dynamic one has no owner.
        Some(exact && !member.owner.is_empty() && jdk_leaf())
    }

    fn ask_new(&self, index: u16) -> Option<bool> {
        let owner = self.class.pool.class(index)?;
        Some(owner != self.class.name && Some(owner) != self.class.super_name && !self.policy.inert(owner))
    }

    fn ask_field(&mut self, index: u16) -> Option<bool> {
        let Named { member: field, own, .. } = *self.members.get(index)?;
        // A field named through the own class may be inherited from an interface that is not
        // initialised yet. Nor need the own class be, if it is an interface: its methods may be
        // called by the initialiser of a superclass of who implements it.
        let declared =
            || self.class.access & INTERFACE == 0 && self.class.fields.find(field.name, field.desc).is_some();
        Some(!(self.policy.inert(field.owner) || own && declared()))
    }
}

//! What another agent has put into a class that may call something, and the Guard around it.
//!
//! What was decided about a method's code (that it calls nothing that has hooks, what it publishes)
//! says nothing of code that came later. So a method whose calls are not those that were looked at
//! leaves the thread's state as it found it, and UNKNOWN in between: around all of its code,
//! whoever put it there.
//! Invariant: a method that is left without a Guard calls and initialises what it did before, in
//! the same order, and else only methods of its own class that have one.
//! Source: docs/design/mechanisms.md ("Changed behind Lucce"); JVMS 5.5, 6.5.

use crate::edit::guard::guard;
use crate::edit::insertion::{Argument, Insertion, InsertionPoint, insert};
use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::format::members::Member;
use crate::format::opcode::*;
use crate::format::pool::{METHOD_HANDLE, Spelling};
use crate::{MethodSummary, SkipReason};

/// JVMS table 4.1-B.
const INTERFACE: u16 = 0x0200;

/// The methods of the class `after` that call or initialise, with code of its own, what the class
/// `before` does not, or in another order. Errors as [`crate::instrument()`] names them for a whole
/// class, of either.
pub fn changed<'a>(before: &[u8], after: &'a [u8]) -> Result<Vec<MethodSummary<'a>>, SkipReason> {
    let (before, after) = (ClassFile::read(before)?, ClassFile::read(after)?);
    let (old, new) = (Calls::of(&before, &before), Calls::of(&after, &before));
    let mut changed = Vec::new();
    for method in after.methods.iter().filter(|method| method.code().is_some()) {
        let known = before.methods.find(method.name, method.desc).map(|known| &before.methods[known]);
        let had = known.map_or(Ok(Vec::new()), |known| old.made_by(known))?;
        if new.made_by(method)? != had {
            changed.push(MethodSummary { name: method.name, desc: method.desc, access: method.access });
        }
    }
    Ok(changed)
}

/// The class with a Guard around these methods. Constructors, whose first part no handler can
/// watch, and all methods if the current thread `changes` in them, only clear what was published
/// before they begin. Errors as [`crate::instrument()`] names them.
pub fn guard_changed(bytes: &[u8], methods: &[MethodSummary<'_>], changes: bool) -> Result<Vec<u8>, SkipReason> {
    let clears = |method: &&MethodSummary<'_>| changes || method.name == b"<init>";
    let (begun, guarded): (Vec<&MethodSummary<'_>>, Vec<_>) = methods.iter().partition(clears);
    let guarded: Vec<_> = guarded.iter().map(|method| (method.name, method.desc)).collect();
    let with_guards = if guarded.is_empty() { None } else { guard(bytes, &guarded)?.map(|class| class.bytes) };
    let begun = begun.iter().map(|method| Insertion {
        method: Some((method.name, method.desc)),
        at: InsertionPoint::Start,
        argument: Argument::None,
        hook: b"clear",
    });
    let clearing = insert(with_guards.as_deref().unwrap_or(bytes), &[], &begun.collect::<Vec<_>>())?;
    Ok(clearing.map(|class| class.bytes).or(with_guards).unwrap_or_else(|| bytes.to_vec()))
}

/// What the methods of a class call and initialise.
struct Calls<'c, 'a> {
    class: &'c ClassFile<'a>,
    /// The class that was looked at.
    before: &'c ClassFile<'c>,
    spelling: Spelling<'c, 'a>,
}

impl<'c, 'a> Calls<'c, 'a> {
    fn of(class: &'c ClassFile<'a>, before: &'c ClassFile<'c>) -> Self {
        let bootstraps = class.attributes.iter().find(|attribute| attribute.name == b"BootstrapMethods");
        let bootstraps = bootstraps.and_then(|attribute| class.bytes.get(attribute.body())).unwrap_or_default();
        Self { class, before, spelling: Spelling::new(&class.pool, bootstraps) }
    }

    /// The instructions of the method that may run other code, with what they name.
    fn made_by(&self, method: &Member<'_>) -> Result<Vec<u8>, SkipReason> {
        let mut made = Vec::new();
        let Some(attribute) = method.code() else { return Ok(made) };
        let ClassFile { bytes, ref pool, version, .. } = *self.class;
        let code = Code::read(bytes, pool, version, attribute, Box::default())?;
        for number in 0..code.count() {
            let opcode = code.opcode(number);
            let index = match opcode {
                LDC => u16::from(code.instruction(number)[1]),
                LDC_W | LDC2_W | GETSTATIC | PUTSTATIC | NEW | INVOKEVIRTUAL..=INVOKEDYNAMIC => code.operand(number),
                _ => continue,
            };
            if !self.is_harmless(opcode, index) {
                made.push(opcode);
                self.spelling.spell(index, &mut made);
            }
        }
        Ok(made)
    }

    /// A constant that is not computed, a static field of the class itself, which is initialised,
    /// and a method of it that was added, has code and so a Guard.
    fn is_harmless(&self, opcode: u8, index: u16) -> bool {
        if (LDC..=LDC2_W).contains(&opcode) {
            return self.class.pool.tag(index).is_some_and(|tag| !(METHOD_HANDLE..=METHOD_HANDLE + 2).contains(&tag));
        }
        let Some(member) = self.class.pool.member(index).filter(|member| member.owner == self.class.name) else {
            return false;
        };
        match opcode {
            GETSTATIC | PUTSTATIC => {
                let declares = |class: &ClassFile<'_>| class.fields.find(member.name, member.desc).is_some();
                self.class.access & INTERFACE == 0 && declares(self.class)
            }
            INVOKESTATIC | INVOKESPECIAL => {
                let own = self.class.methods.find(member.name, member.desc).map(|own| &self.class.methods[own]);
                let was = self.before.methods.find(member.name, member.desc);
                was.is_none() && own.is_some_and(|own| own.code().is_some() && member.name != b"<init>")
            }
            _ => false,
        }
    }
}

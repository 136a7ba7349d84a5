//! What the agent must know of a class that it does not instrument.
//!
//! Invariant: nothing is copied; every name borrows from the class file.
//! Source: JVMS 4.1, 4.6.

use memchr::memmem;

use crate::SkipReason;
use crate::format::annotations::is_annotated;
use crate::format::class::ClassFile;
use crate::format::members::Member;

/// A class as seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary<'a> {
    /// Internal name.
    pub name: &'a [u8],
    /// Internal name of the superclass; none for `java/lang/Object` and `module-info`.
    pub super_name: Option<&'a [u8]>,
    /// Internal names of the direct superinterfaces.
    pub interfaces: Vec<&'a [u8]>,
    /// Access flags, JVMS 4.1.
    pub access: u16,
    /// Does it declare `<clinit>`?
    pub has_clinit: bool,
    /// The declared methods, in the order of the file.
    pub methods: Vec<MethodSummary<'a>>,
}

/// A declared method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodSummary<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its descriptor.
    pub desc: &'a [u8],
    /// Access flags, JVMS 4.6.
    pub access: u16,
}

/// Reads a class's summary. Errors as [`crate::instrument()`] names them for a whole class.
pub fn summary(bytes: &[u8]) -> Result<Summary<'_>, SkipReason> {
    let class = ClassFile::read(bytes)?;
    let methods: Vec<_> = class.methods.iter().map(summed).collect();
    Ok(Summary {
        name: class.name,
        super_name: class.super_name,
        interfaces: class.interfaces,
        access: class.access,
        has_clinit: methods.iter().any(|method| method.name == b"<clinit>"),
        methods,
    })
}

/// The methods that have one of these annotations at run time, which are named by descriptors.
/// Errors as [`summary`], but not of a class that nowhere has such a name.
pub fn annotated<'a>(bytes: &'a [u8], wanted: &[&[u8]]) -> Result<Vec<MethodSummary<'a>>, SkipReason> {
    // Most classes name none, and need not be read.
    if wanted.iter().all(|name| memmem::find(bytes, name).is_none()) {
        return Ok(Vec::new());
    }
    let class = ClassFile::read(bytes)?;
    let has = |annotation: &[u8]| wanted.contains(&annotation);
    let methods = class.methods.iter();
    Ok(methods.filter(|method| is_annotated(&class, method, has)).map(summed).collect())
}

fn summed<'a>(method: &Member<'a>) -> MethodSummary<'a> {
    MethodSummary { name: method.name, desc: method.desc, access: method.access }
}

//! Indices that the constant pool does not have, in attributes.
//!
//! Invariant: the JVM refuses a class that has one. So such a class is malformed, also when the
//! hooks of its methods have appended entries that it would name. Where code is rewritten, its
//! readers look at their indices; `crate::validate::untouched` looks at the other code. Indices
//! between entries of the pool are not looked at, nor are annotations, which the JVM does not read.
//! Source: JVMS 4.4, 4.7.

use crate::SkipReason;
use crate::format::attribute::{Attribute, attribute};
use crate::format::pool::PoolView;
use crate::format::reader::Reader;

/// Reads indices of a pool of so many entries.
pub(crate) struct Indices<'r, 'a> {
    pub(crate) reader: &'r mut Reader<'a>,
    pub(crate) entries: usize,
}

impl Indices<'_, '_> {
    pub(crate) fn next(&mut self, what: &'static str) -> Result<(), SkipReason> {
        let index = self.reader.u2()?;
        if usize::from(index) < self.entries { Ok(()) } else { Err(self.reader.error(what)) }
    }

    pub(crate) fn several(&mut self, count: u16, what: &'static str) -> Result<(), SkipReason> {
        (0..count).try_for_each(|_| self.next(what))
    }
}

/// Looks at an attribute of a class, field or method, but for a method's code.
pub(crate) fn check_attribute(bytes: &[u8], pool: &PoolView<'_>, whole: &Attribute<'_>) -> Result<(), SkipReason> {
    let mut reader = Reader::within(bytes, whole.body());
    let mut indices = Indices { reader: &mut reader, entries: pool.count() };
    match whole.name {
        b"Signature" | b"ConstantValue" | b"SourceFile" | b"NestHost" => indices.next("index in attribute"),
        b"EnclosingMethod" => indices.several(2, "index in attribute"),
        b"Exceptions" | b"NestMembers" | b"PermittedSubclasses" => {
            let count = indices.reader.u2()?;
            indices.several(count, "index in attribute")
        }
        b"InnerClasses" => {
            for _ in 0..indices.reader.u2()? {
                indices.several(3, "inner class")?;
                indices.reader.skip(2)?;
            }
            Ok(())
        }
        b"BootstrapMethods" => {
            for _ in 0..indices.reader.u2()? {
                indices.next("bootstrap method")?;
                let count = indices.reader.u2()?;
                indices.several(count, "bootstrap argument")?;
            }
            Ok(())
        }
        b"MethodParameters" => {
            for _ in 0..indices.reader.u1()? {
                indices.next("method parameter")?;
                indices.reader.skip(2)?;
            }
            Ok(())
        }
        b"Record" => {
            for _ in 0..indices.reader.u2()? {
                indices.several(2, "record component")?;
                for _ in 0..indices.reader.u2()? {
                    let own = attribute(indices.reader, pool)?;
                    // A component is no class: a record within it is nothing to the JVM, however
                    // deep they are nested.
                    if own.name != b"Record" {
                        check_attribute(bytes, pool, &own)?;
                    }
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

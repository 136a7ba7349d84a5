//! Indices of the pool that name nothing, in the tables of methods that stay as they are.
//!
//! Invariant: the JVM refuses a class that has one, also when the hooks of other methods have appended entries that it would name: such a class is
//! malformed. Where a method is rewritten, whoever reads a table looks at its indices; of code that stays as it is they are not looked at, for no
//! instruction that is verified takes an entry of the hooks but by a strange chance.
//! Source: JVMS 4.4, 4.7.3, 4.7.13.

use crate::SkipReason;
use crate::class::{Attribute, ClassFile, attribute};
use crate::reader::Reader;

/// Looks at a method's Code attribute, of a version that is no pre-release.
pub(crate) fn check_tables(class: &ClassFile<'_>, code: &Attribute<'_>) -> Result<(), SkipReason> {
    let mut reader = Reader::within(class.bytes, code.body());
    reader.skip(4)?;
    let length = reader.u4()?;
    reader.skip(length as usize)?;
    let entries = class.pool.count();
    for _ in 0..reader.u2()? {
        reader.skip(6)?;
        if usize::from(reader.u2()?) >= entries {
            return Err(reader.error("exception table entry"));
        }
    }
    for _ in 0..reader.u2()? {
        let table = attribute(&mut reader, &class.pool)?;
        if !matches!(table.name, b"LocalVariableTable" | b"LocalVariableTypeTable") {
            continue;
        }
        let mut table = Reader::within(class.bytes, table.body());
        for _ in 0..table.u2()? {
            table.skip(4)?;
            if usize::from(table.u2()?.max(table.u2()?)) >= entries {
                return Err(table.error("local variable"));
            }
            table.skip(2)?;
        }
    }
    Ok(())
}

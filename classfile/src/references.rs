//! The classes that a class file names.
//!
//! Invariant: nothing is copied; every name borrows from the class file.
//! Source: JVMS 4.1, 4.4.1.

use crate::SkipReason;
use crate::class::Head;
use crate::pool::Buffers;
use crate::reader::Reader;

/// Internal names of the classes that a class names, in the order in which it probably needs them: superclass, superinterfaces, then the others in
/// that of its constant pool. Arrays are left out, and the class itself; a name may come twice. Nothing behind the superinterfaces is read. Errors
/// as [`crate::instrument()`] names them for a whole class.
pub fn references(bytes: &[u8]) -> Result<Vec<&[u8]>, SkipReason> {
    let class = Head::read(bytes, &mut Reader::new(bytes, 0), Buffers::default(), Vec::new())?;
    let above = class.super_name.into_iter().chain(class.interfaces.iter().copied());
    let named = class.pool.classes().filter(|name| name.first() != Some(&b'[') && *name != class.name);
    Ok(above.chain(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_to_define_the_class_comes_first() {
        let utf8 = |text: &[u8]| [&[1, 0, text.len() as u8], text].concat();
        let class = |index: u8| vec![7, 0, index];
        let pool: Vec<u8> = [
            utf8(b"A"),
            class(1),
            utf8(b"C"),
            class(3),
            utf8(b"[LX;"),
            class(5),
            utf8(b"I"),
            class(7),
            utf8(b"S"),
            class(9),
        ]
        .concat();
        let head = [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 11];
        let tail = [0, 0x21, 0, 2, 0, 10, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0];
        let bytes = [&head[..], &pool, &tail].concat();
        assert_eq!(references(&bytes).unwrap(), [&b"S"[..], b"I", b"C", b"I", b"S"]);
        assert!(references(&bytes[..20]).is_err());
    }
}

//! Indices that the constant pool does not have, in methods that stay as they are, and in code that
//! nothing reaches.
//!
//! Invariant: code that is not rewritten is asked only for indices of entries that were appended,
//! for the JVM finds all others.
//! Source: JVMS 4.4, 4.7.3; `crate::validate::pool_index_check`.

use crate::SkipReason;
use crate::analyze::depth::operand;
use crate::analyze::flow::Flow;
use crate::format::attribute::{Attribute, attribute};
use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::format::opcode::{LDC, end};
use crate::format::reader::Reader;
use crate::validate::pool_index_check::Indices;

/// So many bytes are looked at as one.
const LANES: usize = 32;

/// Can code at the start of `text` name one of `added` entries from `entries` on? Not if two bytes
/// never are such an index, wherever they stand, nor the one behind a byte that would be `ldc`: no
/// length is waited for.
fn may_name(text: &[u8], len: usize, entries: u16, added: u16) -> bool {
    let is = |index: u16| index.wrapping_sub(entries) < added;
    let mut padded = [0; LANES + 2];
    (0..len).step_by(LANES).any(|at| {
        let lanes = text[at..].first_chunk().unwrap_or_else(|| {
            padded[..text.len() - at].copy_from_slice(&text[at..]);
            &padded
        });
        let named = |at: usize| {
            let (code, first, second): (u8, u8, u8) = (lanes[at], lanes[at + 1], lanes[at + 2]);
            is(u16::from_be_bytes([first, second])) | ((code == LDC) & is(first.into()))
        };
        (0..LANES).fold(false, |any, at| any | named(at))
    })
}

/// Looks at a method's Code attribute, of a version that is no pre-release, for indices that so
/// many appended entries make right.
pub(crate) fn check_code(class: &ClassFile<'_>, code: &Attribute<'_>, added: usize) -> Result<(), SkipReason> {
    let mut reader = Reader::within(class.bytes, code.body());
    reader.skip(4)?;
    let length = reader.u4()?;
    let (start, entries) = (reader.at(), class.pool.count());
    let own = reader.take(length as usize)?;
    if may_name(&class.bytes[start..], own.len(), entries as u16, added as u16) {
        check_operands(own, start, entries)?;
    }
    for _ in 0..reader.u2()? {
        reader.skip(6)?;
        Indices { reader: &mut reader, entries }.next("exception table entry")?;
    }
    for _ in 0..reader.u2()? {
        let table = attribute(&mut reader, &class.pool)?;
        if !matches!(table.name, b"LocalVariableTable" | b"LocalVariableTypeTable") {
            continue;
        }
        let mut table = Reader::within(class.bytes, table.body());
        for _ in 0..table.u2()? {
            table.skip(4)?;
            Indices { reader: &mut table, entries }.several(2, "local variable")?;
            table.skip(2)?;
        }
    }
    Ok(())
}

/// Looks at the instructions of a method to be rewritten that nothing reaches, for the analysis has
/// looked at what the others name.
pub(crate) fn check_unreached(code: &Code<'_>, flow: &Flow) -> Result<(), SkipReason> {
    // Where the scan knows all depths, all is reached.
    let count = if code.depths().is_some() { 0 } else { code.count() };
    let unreached = (0..count).filter(|number| flow.depth(*number).is_none());
    let mut named = unreached.map(|number| code.bci(number));
    match named.find(|at| usize::from(operand(code.bytes, *at)) >= code.entries) {
        Some(at) => Err(SkipReason::malformed("operand", code.at + at)),
        None => Ok(()),
    }
}

#[cold]
fn check_operands(code: &[u8], start: usize, entries: usize) -> Result<(), SkipReason> {
    let mut at = 0;
    while let Some(opcode) = code.get(at) {
        if usize::from(operand(code, at)) >= entries {
            return Err(SkipReason::malformed("operand", start + at));
        }
        at = end(code, at, *opcode).ok_or(SkipReason::malformed("instruction", start + at))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::opcode::{GETFIELD, LDC_W};

    #[test]
    fn an_appended_index_is_seen_wherever_it_stands_and_no_other() {
        for at in 0..3 * LANES {
            for (code, entries, seen) in [
                ([GETFIELD, 0, 200], 200, true),
                ([GETFIELD, 0, 204], 200, true),
                ([GETFIELD, 0, 205], 200, false),
                ([GETFIELD, 0, 199], 200, false),
                ([LDC, 200, 9], 200, true),
                ([LDC, 199, 9], 200, false),
                ([LDC_W, 1, 44], 300, true),
                ([LDC_W, 44, 1], 300, false),
            ] {
                for behind in [0, 1, 40] {
                    let text = [&vec![177; at][..], &code, &vec![177; behind]].concat();
                    assert_eq!(may_name(&text, text.len(), entries, 5), seen, "{code:?} at {at}");
                }
            }
        }
        assert!(!may_name(&[], 0, 1, 9));
    }
}

//! Type annotations within code, relocated.
//!
//! Invariant: only the offsets of a target change. An attribute that does not parse is copied as it
//! is: the JVM does not look into it either.
//! Source: JVMS 4.7.16 (element values), 4.7.20 (targets and paths).

use crate::SkipReason;
use crate::emit::layout::Layout;
use crate::format::code::Code;
use crate::format::reader::Reader;
use crate::format::tables::span;
use std::ops::Range;

/// RuntimeVisibleTypeAnnotations or RuntimeInvisibleTypeAnnotations of a Code attribute.
pub(crate) fn type_annotations(code: &Code<'_>, layout: &Layout, range: Range<usize>) -> Vec<u8> {
    relocate(code, layout, range.clone()).unwrap_or_else(|_| code.class[range].to_vec())
}

fn relocate(code: &Code<'_>, layout: &Layout, range: Range<usize>) -> Result<Vec<u8>, SkipReason> {
    let base = range.start;
    let mut out = code.class[range.clone()].to_vec();
    let mut reader = Reader::within(code.class, range);
    let mut patch = |at: usize, value: u16| out[at - base..at - base + 2].copy_from_slice(&value.to_be_bytes());
    for _ in 0..reader.u2()? {
        let target = reader.u1()?;
        match target {
            0x00 | 0x01 | 0x16 => skip(&mut reader, 1)?,
            0x10..=0x12 | 0x17 | 0x42 => skip(&mut reader, 2)?,
            0x13..=0x15 => {}
            0x40 | 0x41 => {
                for _ in 0..reader.u2()? {
                    let at = reader.at();
                    let (start, len) = (reader.u2()?, reader.u2()?);
                    reader.skip(2)?;
                    let (start, len) = span(code, layout, start, len).ok_or_else(|| reader.error("range"))?;
                    patch(at, start);
                    patch(at + 2, len);
                }
            }
            0x43..=0x4B => {
                let at = reader.at();
                let bci = u32::from(reader.u2()?);
                let (number, behind) = code.containing(bci).ok_or_else(|| reader.error("offset"))?;
                let new = if number < code.count() { layout.here(number) + behind } else { layout.end() };
                patch(at, new as u16);
                if target >= 0x47 {
                    reader.skip(1)?;
                }
            }
            _ => return Err(reader.error("target type")),
        }
        let path = usize::from(reader.u1()?);
        reader.skip(2 * path)?;
        annotation(&mut reader)?;
    }
    if reader.is_at_end() { Ok(out) } else { Err(reader.error("type annotations length")) }
}

/// Skips one annotation, without its target, however deep its values are nested; the pool index of
/// its type.
pub(crate) fn annotation(reader: &mut Reader<'_>) -> Result<u16, SkipReason> {
    /// Values still to come, and whether each has a name before it.
    struct Open {
        left: u16,
        named: bool,
    }
    let class = reader.u2()?;
    let mut open = vec![Open { left: reader.u2()?, named: true }];
    while let Some(top) = open.last_mut() {
        if top.left == 0 {
            open.pop();
            continue;
        }
        top.left -= 1;
        if top.named {
            reader.skip(2)?;
        }
        match reader.u1()? {
            b'e' => skip(reader, 4)?,
            b'@' => {
                reader.skip(2)?;
                open.push(Open { left: reader.u2()?, named: true });
            }
            b'[' => open.push(Open { left: reader.u2()?, named: false }),
            _ => skip(reader, 2)?,
        }
    }
    Ok(class)
}

fn skip(reader: &mut Reader<'_>, len: usize) -> Result<(), SkipReason> {
    reader.skip(len).map(drop)
}

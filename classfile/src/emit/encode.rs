//! Writing a Code attribute again: the new code, and every table that holds offsets into it.
//!
//! Invariant: attributes keep their order; those whose contents are not known are copied byte for
//! byte. Frames that the JVM does not go by are left out where the code changes, for they do not
//! fit it.
//! Source: JVMS 4.7.3.

use crate::SkipReason;
use crate::emit::layout::{Edits, Layout};
use crate::format::code::{Code, Contents};
use crate::format::pool::Additions;
use crate::format::tables::{Lines, Repeated, lines, variables};
use crate::format::type_annotations::type_annotations;
use crate::stack_maps::frames::Frames;
use std::ops::Range;

/// What the hooks add to a method besides their [`Edits`].
pub(crate) struct Extension<'e> {
    /// Code behind the last instruction.
    pub(crate) tail: &'e [u8],
    /// Ranges caught, whatever is thrown: start, end and handler, as new indices.
    pub(crate) handlers: &'e [(u32, u32, u32)],
    pub(crate) max_stack: usize,
    pub(crate) max_locals: usize,
    /// Contents of the StackMapTable, and the name to give it where there was none; `None`
    /// relocates the old one.
    pub(crate) frames: Option<(&'e [u8], u16)>,
    /// One more entry of the first LocalVariableTable: start, length, name, descriptor, local.
    pub(crate) variable: Option<[u16; 5]>,
}

/// Reads the method's frames, if the JVM goes by them, into a buffer that may come from another
/// method.
pub(crate) fn read_frames(code: &Code<'_>, frames: &mut Frames) -> Result<(), SkipReason> {
    let mut tables = code.attributes().iter().filter(|attribute| attribute.contents == Contents::Frames);
    match (tables.next(), tables.next()) {
        (Some(_), Some(second)) => Err(SkipReason::malformed("second StackMapTable", second.whole.start)),
        (Some(table), None) if code.version.has_frames() => frames.read(code, table.body()),
        _ => {
            frames.clear();
            Ok(())
        }
    }
}

/// The name for a StackMapTable where there was none; 0 where the old one's name stays.
pub(crate) fn frames_name(code: &Code<'_>, additions: &mut Additions<'_>) -> Result<u16, SkipReason> {
    let named = code.attributes().iter().any(|attribute| attribute.contents == Contents::Frames);
    if named { Ok(0) } else { additions.utf8(b"StackMapTable") }
}

/// Writes the whole attribute, with its name and length; gives the place of the code in `out`.
/// `name` is the index of `Code`. What an error leaves in `out` is for the caller to drop.
pub(crate) fn encode(
    code: &Code<'_>,
    name: &[u8],
    edits: &Edits,
    layout: &Layout,
    frames: &Frames,
    extension: &Extension<'_>,
    out: &mut Vec<u8>,
) -> Result<Range<usize>, SkipReason> {
    let len = layout.end() as usize + extension.tail.len();
    if len > 65535 {
        return Err(SkipReason::MethodTooLarge { bytes: len as u32 });
    }
    let start = out.len();
    out.extend_from_slice(name);
    out.extend_from_slice(&[0; 4]);
    limits(code, extension, len, out)?;
    let text = out.len();
    layout.emit(code, edits, out);
    out.extend_from_slice(extension.tail);
    debug_assert_eq!(out.len(), text + len);
    handlers(code, layout, extension, out)?;
    tables(code, edits, layout, frames, (extension, text..text + len), out)?;
    let whole = (out.len() - start - 6) as u32;
    out[start + 2..start + 6].copy_from_slice(&whole.to_be_bytes());
    Ok(text..text + len)
}

fn limits(code: &Code<'_>, extension: &Extension<'_>, len: usize, out: &mut Vec<u8>) -> Result<(), SkipReason> {
    let (stack, locals) = (extension.max_stack, extension.max_locals);
    let deep = SkipReason::StackTooDeep { depth: stack as u32 };
    let wide = SkipReason::TooManyLocals { locals: locals as u32 };
    if code.version.is_pre_release() {
        out.push(u8::try_from(stack).map_err(|_| deep)?);
        out.push(u8::try_from(locals).map_err(|_| wide)?);
        out.extend_from_slice(&(len as u16).to_be_bytes());
    } else {
        out.extend_from_slice(&u16::try_from(stack).map_err(|_| deep)?.to_be_bytes());
        out.extend_from_slice(&u16::try_from(locals).map_err(|_| wide)?.to_be_bytes());
        out.extend_from_slice(&(len as u32).to_be_bytes());
    }
    Ok(())
}

fn handlers(code: &Code<'_>, layout: &Layout, extension: &Extension<'_>, out: &mut Vec<u8>) -> Result<(), SkipReason> {
    let count = u16::try_from(code.handlers().len() + extension.handlers.len());
    out.extend_from_slice(&count.map_err(|_| SkipReason::TooManyHandlers)?.to_be_bytes());
    for handler in code.handlers() {
        let [a, b] = (layout.start(handler.start) as u16).to_be_bytes();
        let [c, d] = (layout.start(handler.end) as u16).to_be_bytes();
        let [e, f] = (layout.start(handler.target) as u16).to_be_bytes();
        let [g, h] = handler.catch_type.to_be_bytes();
        out.extend_from_slice(&[a, b, c, d, e, f, g, h]);
    }
    for (start, end, target) in extension.handlers {
        [*start, *end, *target, 0].iter().for_each(|place| out.extend_from_slice(&(*place as u16).to_be_bytes()));
    }
    Ok(())
}

fn tables(
    code: &Code<'_>,
    edits: &Edits,
    layout: &Layout,
    frames: &Frames,
    (extension, text): (&Extension<'_>, Range<usize>),
    out: &mut Vec<u8>,
) -> Result<(), SkipReason> {
    let count_at = out.len();
    let mut count = code.attributes().len();
    out.extend_from_slice(&[0; 2]);
    let mut has_frames = false;
    let mut variable = extension.variable;
    let repeated = Repeated::default();
    let several = code.attributes().iter().filter(|attribute| attribute.contents == Contents::Lines).count() > 1;
    let mut which = if several { Lines::First } else { Lines::Only };
    for attribute in code.attributes() {
        let body = attribute.body();
        let head = attribute.whole.start..attribute.whole.start + 2;
        let stale = attribute.contents == Contents::Frames && !code.version.has_frames();
        if stale && !edits.is_empty() {
            count -= 1;
            continue;
        }
        if stale || attribute.contents == Contents::Other {
            out.extend_from_slice(&code.class[attribute.whole.clone()]);
            continue;
        }
        let start = begin(out, &code.class[head]);
        match (attribute.contents, &extension.frames) {
            (Contents::Frames, Some((frames, _))) => out.extend_from_slice(frames),
            (Contents::Frames, None) => frames.relocated(layout, out),
            (Contents::Lines, _) => {
                lines(code, layout, (body, text.clone()), which, out)?;
                which = Lines::Further;
            }
            (Contents::Variables, _) => variables(code, layout, body, variable.take(), &repeated, out)?,
            (Contents::VariableTypes, _) => variables(code, layout, body, None, &repeated, out)?,
            (Contents::TypeAnnotations, _) => out.extend_from_slice(&type_annotations(code, layout, body)),
            (Contents::Other, _) => {}
        }
        has_frames |= attribute.contents == Contents::Frames;
        end(out, start);
    }
    if let (false, Some((contents, name))) = (has_frames, &extension.frames) {
        let start = begin(out, &name.to_be_bytes());
        out.extend_from_slice(contents);
        end(out, start);
        count += 1;
    }
    let count = u16::try_from(count).map_err(|_| SkipReason::TableTooLong { what: "attributes" })?;
    out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
    Ok(())
}

/// Writes an attribute's name, and room for its length; gives where its contents begin.
fn begin(out: &mut Vec<u8>, name: &[u8]) -> usize {
    out.extend_from_slice(name);
    out.extend_from_slice(&[0; 4]);
    out.len()
}

fn end(out: &mut [u8], start: usize) {
    let len = (out.len() - start) as u32;
    out[start - 4..start].copy_from_slice(&len.to_be_bytes());
}

//! Writing a Code attribute again: the new code, and every table that holds offsets into it.
//!
//! Invariant: attributes keep their order; those whose contents are not known are copied byte for byte.
//! Source: JVMS 4.7.3.

use crate::SkipReason;
use crate::class::Attribute;
use crate::code::Code;
use crate::frames::Frames;
use crate::layout::{Edits, Layout};
use crate::pool::Additions;
use crate::tables::{lines, variables};
use crate::type_annotations::type_annotations;

/// What the hooks add to a method besides their [`Edits`].
pub(crate) struct Extension {
    /// Code behind the last instruction.
    pub(crate) tail: Vec<u8>,
    /// Ranges caught, whatever is thrown: start, end and handler, as new indices.
    pub(crate) handlers: Vec<(u32, u32, u32)>,
    pub(crate) max_stack: usize,
    pub(crate) max_locals: usize,
    /// Contents of the StackMapTable, and the name to give it where there was none; `None` relocates the old one.
    pub(crate) frames: Option<(Vec<u8>, u16)>,
}

/// Reads the method's frames, if its version has them.
pub(crate) fn read_frames(code: &Code<'_>) -> Result<Frames, SkipReason> {
    let mut tables = code.attributes.iter().filter(|attribute| is_frames(code, attribute));
    match (tables.next(), tables.next()) {
        (None, _) => Ok(Frames::default()),
        (Some(table), None) => Frames::read(code, table.body()),
        (Some(_), Some(second)) => Err(SkipReason::malformed("second StackMapTable", second.whole.start)),
    }
}

/// The name for a StackMapTable where there was none; 0 where the old one's name stays.
pub(crate) fn frames_name(code: &Code<'_>, additions: &mut Additions<'_>) -> Result<u16, SkipReason> {
    let named = code.attributes.iter().any(|attribute| is_frames(code, attribute));
    if named { Ok(0) } else { additions.utf8(b"StackMapTable") }
}

fn is_frames(code: &Code<'_>, attribute: &Attribute<'_>) -> bool {
    code.version.has_frames() && attribute.name == b"StackMapTable"
}

/// The whole attribute, with its name and length. `name` is the index of `Code`.
pub(crate) fn encode(
    code: &Code<'_>,
    name: &[u8],
    edits: &Edits,
    layout: &Layout,
    frames: &Frames,
    extension: &Extension,
) -> Result<Vec<u8>, SkipReason> {
    let mut text = layout.emit(code, edits);
    text.extend_from_slice(&extension.tail);
    if text.len() > 65535 {
        return Err(SkipReason::MethodTooLarge { bytes: text.len() as u32 });
    }
    let mut out = Vec::with_capacity(text.len() + 512);
    out.extend_from_slice(name);
    out.extend_from_slice(&[0; 4]);
    limits(code, extension, text.len(), &mut out)?;
    out.extend_from_slice(&text);
    handlers(code, layout, extension, &mut out)?;
    tables(code, layout, frames, extension, &mut out)?;
    let len = (out.len() - 6) as u32;
    out[2..6].copy_from_slice(&len.to_be_bytes());
    Ok(out)
}

fn limits(code: &Code<'_>, extension: &Extension, len: usize, out: &mut Vec<u8>) -> Result<(), SkipReason> {
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

fn handlers(code: &Code<'_>, layout: &Layout, extension: &Extension, out: &mut Vec<u8>) -> Result<(), SkipReason> {
    let count = u16::try_from(code.handlers.len() + extension.handlers.len());
    out.extend_from_slice(&count.map_err(|_| SkipReason::TooManyHandlers)?.to_be_bytes());
    for handler in &code.handlers {
        let places = [handler.start, handler.end, handler.target].map(|number| layout.start(number) as u16);
        places.iter().for_each(|place| out.extend_from_slice(&place.to_be_bytes()));
        out.extend_from_slice(&handler.catch_type.to_be_bytes());
    }
    for (start, end, target) in &extension.handlers {
        [*start, *end, *target, 0].iter().for_each(|place| out.extend_from_slice(&(*place as u16).to_be_bytes()));
    }
    Ok(())
}

fn tables(
    code: &Code<'_>,
    layout: &Layout,
    frames: &Frames,
    extension: &Extension,
    out: &mut Vec<u8>,
) -> Result<(), SkipReason> {
    let count_at = out.len();
    let mut count = code.attributes.len();
    out.extend_from_slice(&[0; 2]);
    let mut has_frames = false;
    for attribute in &code.attributes {
        let body = attribute.body();
        let contents = match attribute.name {
            b"StackMapTable" if is_frames(code, attribute) => {
                has_frames = true;
                extension.frames.as_ref().map_or_else(|| frames.relocated(layout), |frames| frames.0.clone())
            }
            b"LineNumberTable" => lines(code, layout, body)?,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => variables(code, layout, body)?,
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                type_annotations(code, layout, body)
            }
            _ => code.class[body].to_vec(),
        };
        out.extend_from_slice(&code.class[attribute.whole.start..attribute.whole.start + 2]);
        write(out, &contents);
    }
    if let (false, Some((contents, name))) = (has_frames, &extension.frames) {
        out.extend_from_slice(&name.to_be_bytes());
        write(out, contents);
        count += 1;
    }
    let count = u16::try_from(count).map_err(|_| SkipReason::malformed("too many attributes", code.at))?;
    out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
    Ok(())
}

fn write(out: &mut Vec<u8>, contents: &[u8]) {
    out.extend_from_slice(&(contents.len() as u32).to_be_bytes());
    out.extend_from_slice(contents);
}

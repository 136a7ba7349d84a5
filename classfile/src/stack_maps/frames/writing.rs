//! The table written: with the frames it had, or with the hooks' locals in each and the hooks' own
//! frames among them.
//!
//! Invariant: without hook locals each frame keeps its form, so the table of an unchanged method is
//! written byte for byte.
//! Source: JVMS 4.7.4.

use super::table::FrameTable;
use super::types::write_types;
use super::{Form, Frames, HeldBytes, Type};
use crate::SkipReason;
use crate::emit::layout::Layout;
use crate::format::code::Code;
use std::ops::Range;

/// A frame that the hooks add: `locals` at the front, tops up to the hooks' locals, those, and the
/// stack.
#[derive(Clone, Copy)]
pub(crate) struct ExtraFrame<'l> {
    pub(crate) at: u32,
    pub(crate) locals: Front<'l>,
    /// Does it stand before `super(...)`?
    pub(crate) early: bool,
    pub(crate) stack: Option<Type>,
}

/// The method's own locals in a frame that the hooks add.
#[derive(Clone, Copy)]
pub(crate) enum Front<'l> {
    Own(&'l [Type]),
    /// Those at the method's entry, from which its frames go on.
    Entry(&'l [Type]),
    /// Those at the method's entry where they are all that it has: no other frame is before this
    /// one than such, and the first of these has an empty stack.
    Whole,
}

/// The hooks' locals, behind the method's own.
#[derive(Clone, Copy)]
pub(crate) struct Tail<'t> {
    pub(crate) types: &'t [Type],
    /// Does `this` follow them as long as it is uninitialised?
    pub(crate) keeps_this: bool,
}

/// A table that was written, and memory for the next.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) bytes: Vec<u8>,
    locals: Vec<Type>,
}

impl Frames {
    /// The table with every offset relocated and no frame added, each in its own form.
    pub(crate) fn relocated(&self, layout: &Layout, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.frames.len() as u16).to_be_bytes());
        let mut next = 0;
        for frame in &self.frames {
            let at = layout.start(frame.number);
            let delta = at - next;
            next = at + 1;
            let (locals, stack) = (&self.types[frame.locals.clone()], &self.types[frame.stack.clone()]);
            match frame.form {
                Form::Same { extended: false } if delta < 64 => out.push(delta as u8),
                Form::SameStack { extended: false } if delta < 64 => out.push(64 + delta as u8),
                form => {
                    out.push(match form {
                        Form::Same { .. } => 251,
                        Form::SameStack { .. } => 247,
                        Form::Chop(count) => 251 - count,
                        Form::Append => 251 + locals.len() as u8,
                        Form::Full => 255,
                    });
                    out.extend_from_slice(&(delta as u16).to_be_bytes());
                }
            }
            if frame.form == Form::Full {
                out.extend_from_slice(&(locals.len() as u16).to_be_bytes());
            }
            write_types(out, layout, locals);
            if frame.form == Form::Full {
                out.extend_from_slice(&(stack.len() as u16).to_be_bytes());
            }
            write_types(out, layout, stack);
        }
    }

    /// Writes the table with `tail` behind the method's own locals of each frame, and the added
    /// frames among them: in full, but for those that have the locals of the frame before.
    /// `initial` gives the locals at method entry.
    pub(crate) fn widened(
        &self,
        code: &Code<'_>,
        layout: &Layout,
        tail: Tail<'_>,
        initial: &[Type],
        extra: &mut [ExtraFrame<'_>],
        Written { bytes: out, locals }: &mut Written,
    ) -> Result<(), SkipReason> {
        extra.sort_by_key(|frame| frame.at);
        let mut extra = extra.iter().peekable();
        let mut table = FrameTable::new(layout, code.max_locals.into(), tail, out);
        let mut write = |at: u32, locals: &[Type], same: bool, stack: &[Type]| {
            while let Some(frame) = extra.next_if(|frame| frame.at < at) {
                table.add(frame)?;
            }
            // The original frame at the same place says at least as much.
            extra.next_if(|frame| frame.at == at);
            // Only a frame before `super(...)` has `this` uninitialised, and always in some local.
            let early = tail.keeps_this && locals.contains(&Type::UNINITIALIZED_THIS);
            table.write(at, locals, same, early, stack)
        };
        let mut bridges = self.bridges(code, layout, initial)?.into_iter().peekable();
        locals.clear();
        locals.extend_from_slice(initial);
        for frame in &self.frames {
            let mut same = self.follow(frame, locals).ok_or(SkipReason::malformed("chop frame", layout.code_at()))?;
            let at = layout.start(frame.number);
            while let Some(bridge) = bridges.next_if(|bridge| bridge.at < at) {
                write(bridge.at, &bridge.locals, false, &self.types[bridge.stack])?;
                same = false;
            }
            write(at, locals, same, &self.types[frame.stack.clone()])?;
        }
        for bridge in bridges {
            write(bridge.at, &bridge.locals, false, &self.types[bridge.stack])?;
        }
        for frame in extra {
            table.add(frame)?;
        }
        table.finish()
    }

    /// The frames of the trampolines, by place.
    fn bridges(&self, code: &Code<'_>, layout: &Layout, initial: &[Type]) -> Result<Vec<Bridge>, SkipReason> {
        let trampolines = layout.trampolines();
        let mut bridges = Vec::with_capacity(trampolines.len());
        if trampolines.is_empty() {
            return Ok(bridges);
        }
        let mut wanted: Vec<usize> = (0..trampolines.len()).collect();
        wanted.sort_by_key(|index| trampolines[*index].to);
        let mut wanted = wanted.into_iter().peekable();
        let mut held = HeldBytes::default();
        let mut locals = initial.to_vec();
        for frame in &self.frames {
            self.follow(frame, &mut locals).ok_or(SkipReason::malformed("chop frame", layout.code_at()))?;
            while let Some(index) = wanted.next_if(|index| trampolines[*index].to == frame.number) {
                held.add(&locals)?;
                let at = layout.trampoline_at(code, index);
                bridges.push(Bridge { at, locals: locals.clone(), stack: frame.stack.clone() });
            }
        }
        if wanted.peek().is_some() {
            return Err(SkipReason::malformed("jump target without frame", layout.code_at()));
        }
        bridges.sort_by_key(|bridge| bridge.at);
        Ok(bridges)
    }
}

/// The frame of a trampoline: that of its target.
struct Bridge {
    at: u32,
    locals: Vec<Type>,
    /// In [`Frames::types`].
    stack: Range<usize>,
}

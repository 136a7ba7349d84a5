//! StackMapTable: read into frames by instruction, written again with the hooks' locals in every
//! frame.
//!
//! Invariant: a frame stays with its instruction, and an `Uninitialized` type with its `new`.
//! Source: JVMS 4.7.4, 4.10.1.

mod table;
mod types;
mod writing;

pub(crate) use table::HeldBytes;
pub(crate) use types::{Type, entry_locals, value_type};
pub(crate) use writing::{ExtraFrame, Front, Tail, Written};

use crate::SkipReason;
use crate::format::code::{Code, Handler};
use crate::format::opcode::{ASTORE, ISTORE, ends_flow};
use crate::format::reader::Reader;
use std::ops::Range;

/// How a frame was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Same { extended: bool },
    SameStack { extended: bool },
    Chop(u8),
    Append,
    Full,
}

/// A frame of the original table.
struct MapFrame {
    number: usize,
    form: Form,
    /// Where its own types stand in [`Frames::types`]: locals appended or all, then the stack.
    locals: Range<usize>,
    stack: Range<usize>,
}

/// A scanned StackMapTable.
#[derive(Default)]
pub(crate) struct Frames {
    frames: Vec<MapFrame>,
    types: Vec<Type>,
}

impl Frames {
    /// Forgets what was read.
    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.types.clear();
    }

    /// Reads the contents of the attribute.
    pub(crate) fn read(&mut self, code: &Code<'_>, range: Range<usize>) -> Result<(), SkipReason> {
        let mut reader = Reader::within(code.class, range);
        let frames = self;
        frames.clear();
        let mut next = 0;
        for _ in 0..reader.u2()? {
            let tag = reader.u1()?;
            let (form, delta) = match tag {
                0..=63 => (Form::Same { extended: false }, u32::from(tag)),
                64..=127 => (Form::SameStack { extended: false }, u32::from(tag - 64)),
                247 => (Form::SameStack { extended: true }, u32::from(reader.u2()?)),
                248..=250 => (Form::Chop(251 - tag), u32::from(reader.u2()?)),
                251 => (Form::Same { extended: true }, u32::from(reader.u2()?)),
                252..=254 => (Form::Append, u32::from(reader.u2()?)),
                255 => (Form::Full, u32::from(reader.u2()?)),
                _ => return Err(reader.error("frame type")),
            };
            let bci = next + delta;
            next = bci + 1;
            let number = code.number(bci).filter(|number| *number < code.count());
            let number = number.ok_or_else(|| reader.error("frame offset"))?;
            let locals = match form {
                Form::Append => u16::from(tag - 251),
                Form::Full => reader.u2()?,
                _ => 0,
            };
            let locals = frames.read_types(code, &mut reader, locals)?;
            let stack = match form {
                Form::SameStack { .. } => 1,
                Form::Full => reader.u2()?,
                _ => 0,
            };
            let stack = frames.read_types(code, &mut reader, stack)?;
            // The JVM takes no such class, and a deeper stack would make it one that it takes.
            let slots: usize = frames.types[stack.clone()].iter().map(|one| one.slots()).sum();
            if slots > usize::from(code.max_stack) {
                return Err(reader.error("frame's stack"));
            }
            frames.frames.push(MapFrame { number, form, locals, stack });
        }
        if reader.is_at_end() { Ok(()) } else { Err(reader.error("StackMapTable length")) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// May a trampoline to `to` stand behind the instruction? So behind an unconditional transfer,
    /// and where the next instruction has a frame or needs none, if the handlers allow it.
    pub(crate) fn allow_trampoline(&self, code: &Code<'_>, behind: usize, to: usize) -> bool {
        let next = behind + 1;
        let is_passed = !ends_flow(code.opcode(behind));
        let is_typed = next < code.count() && (!code.version.has_frames() || self.has(next));
        // Whoever watches the instruction watches the trampoline, whose frame is that of its
        // target, and the `goto` round it. That has the next instruction's types. A store is
        // watched with what was in its local before, so they may be new to its handlers.
        let is_store = matches!(code.local_access(behind), Some((ISTORE..=ASTORE, _)));
        let fits = |handler: &Handler| {
            let watched = handler.start..handler.end;
            !watched.contains(&behind) || watched.contains(&to) && (!is_store || watched.contains(&next))
        };
        (!is_passed || is_typed) && code.handlers().iter().all(fits)
    }

    /// Does the instruction have a frame?
    pub(crate) fn has(&self, number: usize) -> bool {
        self.frames.binary_search_by_key(&number, |frame| frame.number).is_ok()
    }

    /// The last frame at or before an instruction, and its locals; the start of the method and
    /// `initial` if there is none.
    pub(crate) fn governing(&self, number: usize, initial: &[Type]) -> Option<(usize, Vec<Type>)> {
        let mut locals = initial.to_vec();
        let mut from = 0;
        for frame in self.frames.iter().take_while(|frame| frame.number <= number) {
            self.follow(frame, &mut locals)?;
            from = frame.number;
        }
        Some((from, locals))
    }

    /// Turns the locals of the frame before into those of this one; true if they are the same,
    /// `None` if it chops more than there is.
    fn follow(&self, frame: &MapFrame, locals: &mut Vec<Type>) -> Option<bool> {
        let own = &self.types[frame.locals.clone()];
        match frame.form {
            Form::Chop(count) => locals.truncate(locals.len().checked_sub(usize::from(count))?),
            Form::Append => locals.extend_from_slice(own),
            Form::Full => {
                locals.clear();
                locals.extend_from_slice(own);
            }
            Form::Same { .. } | Form::SameStack { .. } => return Some(true),
        }
        Some(false)
    }
}

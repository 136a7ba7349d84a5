//! The table written: with the frames it had, or with the hooks' locals in each and the hooks' own frames among them.
//!
//! Invariant: without hook locals each frame keeps its form, so the table of an unchanged method is written byte for byte.
//! Source: JVMS 4.7.4.

use super::types::write_types;
use super::{Form, Frames, Type};
use crate::SkipReason;
use crate::code::Code;
use crate::layout::Layout;
use std::ops::Range;

/// A frame that the hooks add: `locals` at the front, tops up to the hooks' locals, those, and the stack.
#[derive(Clone, Copy)]
pub(crate) struct ExtraFrame<'l> {
    pub(crate) at: u32,
    pub(crate) locals: &'l [Type],
    /// Does it stand before `super(...)`?
    pub(crate) early: bool,
    pub(crate) stack: Option<Type>,
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

    /// Writes the table with `tail` behind the method's own locals of each frame, and the added frames among them: in full, but for those that have
    /// the locals of the frame before.
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
        out.clear();
        out.extend_from_slice(&[0, 0]);
        let max_locals = usize::from(code.max_locals);
        let (last, before, bare, types) = (0..0, 0..0, 0..0, 0..0);
        let mut table = Table { layout, max_locals, tail, out, count: 0, next: 0, locals: last, before, bare, types };
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
        let mut held = Held::default();
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

struct Table<'l, 'o> {
    layout: &'l Layout,
    max_locals: usize,
    tail: Tail<'l>,
    out: &'o mut Vec<u8>,
    count: usize,
    next: u32,
    /// Where the method's frame written last has its locals, with their number.
    locals: Range<usize>,
    /// Likewise the frame before, whosever it is.
    before: Range<usize>,
    /// Likewise a frame that has none but the hooks'.
    bare: Range<usize>,
    /// Where the types of the hooks' locals were written first.
    types: Range<usize>,
}

/// Most frames are written whole, so many locals in many frames take much memory: bytes of a method's frames that are enough. No compiler's come near.
const LARGEST: usize = 1 << 24;

/// Bytes of locals that are held until their frames are written, at most [`LARGEST`].
#[derive(Default)]
pub(crate) struct Held {
    bytes: usize,
}

impl Held {
    /// Counts the locals of one more frame.
    pub(crate) fn add(&mut self, locals: &[Type]) -> Result<(), SkipReason> {
        self.bytes += size_of_val(locals);
        if self.bytes > LARGEST {
            return Err(SkipReason::FramesTooLarge { bytes: self.bytes as u32 });
        }
        Ok(())
    }
}

impl Table<'_, '_> {
    /// Writes a frame. `same` says that its locals are those of the last call but for what the hooks have added.
    fn write(&mut self, at: u32, locals: &[Type], same: bool, early: bool, stack: &[Type]) -> Result<(), SkipReason> {
        let error = SkipReason::malformed("frame", self.layout.code_at());
        let delta = at.checked_sub(self.next).ok_or(error)?;
        self.next = at + 1;
        self.count += 1;
        let [high, low] = (delta as u16).to_be_bytes();
        if self.out.len() > LARGEST {
            return Err(SkipReason::FramesTooLarge { bytes: self.out.len() as u32 });
        }
        let same = same && !self.locals.is_empty();
        if same && self.locals == self.before && stack.len() < 2 {
            let (short, long) = if stack.is_empty() { (0, 251) } else { (64, 247) };
            match delta {
                0..64 => self.out.push(short + delta as u8),
                _ => self.out.extend_from_slice(&[long, high, low]),
            }
            write_types(self.out, self.layout, stack);
            return Ok(());
        }
        self.out.extend_from_slice(&[255, high, low]);
        if same {
            let start = self.out.len();
            self.out.extend_from_within(self.locals.clone());
            self.locals = start..self.out.len();
        } else {
            let slots: usize = locals.iter().map(|local| local.slots()).sum();
            let tops = self.max_locals.checked_sub(slots).ok_or(error)?;
            let this: &[Type] = if early && self.tail.keeps_this { &[Type::UNINITIALIZED_THIS] } else { &[] };
            let count = locals.len() + tops + self.tail.types.len() + this.len();
            let start = self.out.len();
            self.out.extend_from_slice(&u16::try_from(count).map_err(|_| error)?.to_be_bytes());
            write_types(self.out, self.layout, locals);
            self.out.resize(self.out.len() + tops, Type::TOP.tag);
            if self.types.is_empty() {
                let start = self.out.len();
                write_types(self.out, self.layout, self.tail.types);
                self.types = start..self.out.len();
            } else {
                self.out.extend_from_within(self.types.clone());
            }
            if !this.is_empty() {
                write_types(self.out, self.layout, this);
            }
            self.locals = start..self.out.len();
        }
        self.before = self.locals.clone();
        let [high, low] = (stack.len() as u16).to_be_bytes();
        self.out.extend_from_slice(&[high, low]);
        if !stack.is_empty() {
            write_types(self.out, self.layout, stack);
        }
        Ok(())
    }

    fn add(&mut self, frame: &ExtraFrame<'_>) -> Result<(), SkipReason> {
        let locals = self.locals.clone();
        let bare = frame.locals.is_empty() && !frame.early;
        if bare {
            self.locals = self.bare.clone();
        }
        self.write(frame.at, frame.locals, bare, frame.early, frame.stack.as_slice())?;
        if bare {
            self.bare = self.locals.clone();
        }
        self.locals = locals;
        Ok(())
    }

    fn finish(self) -> Result<(), SkipReason> {
        let count = u16::try_from(self.count).map_err(|_| SkipReason::TableTooLong { what: "frames" })?;
        self.out[..2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }
}

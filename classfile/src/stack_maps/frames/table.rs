//! A StackMapTable in the making, frame by frame, with the hooks' locals in each.
//!
//! Invariant: a frame is written whole only where it cannot be said by what is new in it. How much
//! memory that takes has a bound.
//! Source: JVMS 4.7.4.

use super::types::write_types;
use super::{ExtraFrame, Front, Tail, Type};
use crate::SkipReason;
use crate::emit::layout::Layout;
use std::ops::Range;

pub(super) struct FrameTable<'l, 'o> {
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

/// Most frames are written whole, so many locals in many frames take much memory: bytes of a
/// method's frames that are enough. No compiler's come near.
const LARGEST: usize = 1 << 24;

/// Bytes of locals that are held until their frames are written, at most [`LARGEST`].
#[derive(Default)]
pub(crate) struct HeldBytes {
    bytes: usize,
}

impl HeldBytes {
    /// Counts the locals of one more frame.
    pub(crate) fn add(&mut self, locals: &[Type]) -> Result<(), SkipReason> {
        self.bytes += size_of_val(locals);
        if self.bytes > LARGEST {
            return Err(SkipReason::FramesTooLarge { bytes: self.bytes as u32 });
        }
        Ok(())
    }
}

impl<'l, 'o> FrameTable<'l, 'o> {
    /// An empty table in place of what `out` holds.
    pub(super) fn new(layout: &'l Layout, max_locals: usize, tail: Tail<'l>, out: &'o mut Vec<u8>) -> Self {
        out.clear();
        out.extend_from_slice(&[0, 0]);
        let (locals, before, bare, types) = (0..0, 0..0, 0..0, 0..0);
        Self { layout, max_locals, tail, out, count: 0, next: 0, locals, before, bare, types }
    }

    /// Writes a frame. `same` says that its locals are those of the last call but for what the
    /// hooks have added.
    pub(super) fn write(
        &mut self,
        at: u32,
        locals: &[Type],
        same: bool,
        early: bool,
        stack: &[Type],
    ) -> Result<(), SkipReason> {
        let error = SkipReason::malformed("frame", self.layout.code_at());
        let delta = self.begin(at)?;
        let [high, low] = (delta as u16).to_be_bytes();
        if self.out.len() > LARGEST {
            return Err(SkipReason::FramesTooLarge { bytes: self.out.len() as u32 });
        }
        let same = same && !self.locals.is_empty();
        if same && self.locals == self.before && stack.len() < 2 {
            self.same(delta, stack);
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

    /// Begins a frame; gives what it says of its place.
    fn begin(&mut self, at: u32) -> Result<u32, SkipReason> {
        let delta = at.checked_sub(self.next).ok_or(SkipReason::malformed("frame", self.layout.code_at()))?;
        self.next = at + 1;
        self.count += 1;
        Ok(delta)
    }

    /// Writes a frame with the locals of the method's entry, and the hooks' behind them: they are
    /// appended to the first.
    #[inline(never)]
    fn go_on(&mut self, at: u32, stack: &[Type]) -> Result<(), SkipReason> {
        let delta = self.begin(at)?;
        if self.count > 1 {
            self.same(delta, stack);
            return Ok(());
        }
        let [high, low] = (delta as u16).to_be_bytes();
        self.out.extend_from_slice(&[251 + self.tail.types.len() as u8, high, low]);
        write_types(self.out, self.layout, self.tail.types);
        Ok(())
    }

    /// Writes a frame with the locals of the frame before, and at most one value on the stack.
    #[inline]
    fn same(&mut self, delta: u32, stack: &[Type]) {
        let (short, long) = if stack.is_empty() { (0, 251) } else { (64, 247) };
        let [high, low] = (delta as u16).to_be_bytes();
        match delta {
            0..64 => self.out.push(short + delta as u8),
            _ => self.out.extend_from_slice(&[long, high, low]),
        }
        write_types(self.out, self.layout, stack);
    }

    pub(super) fn add(&mut self, frame: &ExtraFrame<'_>) -> Result<(), SkipReason> {
        let stack = frame.stack.as_slice();
        let own = match frame.locals {
            Front::Whole => return self.go_on(frame.at, stack),
            Front::Entry(own) => return self.write(frame.at, own, false, frame.early, stack),
            Front::Own(own) => own,
        };
        let locals = self.locals.clone();
        let bare = own.is_empty() && !frame.early;
        if bare {
            self.locals = self.bare.clone();
        }
        self.write(frame.at, own, bare, frame.early, stack)?;
        if bare {
            self.bare = self.locals.clone();
        }
        self.locals = locals;
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), SkipReason> {
        let count = u16::try_from(self.count).map_err(|_| SkipReason::TableTooLong { what: "frames" })?;
        self.out[..2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }
}

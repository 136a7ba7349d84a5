//! What a method's attributes get besides code: handlers, frames, and the word's entry in the table
//! of local variables.
//!
//! Invariant: every reached instruction is watched by one handler of the hooks, and so is the exit,
//! but for a constructor's calls of `super(...)` and `this(...)`.
//! Source: docs/design/emitted-code.md, JVMS 4.7.3 (exception table), 4.7.4, 4.7.13.

use super::emit_parts::{Catch, EmitParts};
use super::{Method, MethodBuffers};
use crate::SkipReason;
use crate::analyze::flow::Receiver;
use crate::analyze::typing::locals_before;
use crate::emit::constants::Constants;
use crate::emit::encode::frames_name;
use crate::emit::hooks::{EntryHook, Locals};
use crate::emit::layout::{Body, Layout};
use crate::format::code::Contents;
use crate::memory::vec_reuse::emptied;
use crate::stack_maps::frames::{ExtraFrame, Front, HeldBytes, Tail, Type, value_type};

impl Method<'_, '_> {
    /// The word's entry in a table of local variables, if there is one: from behind the prologue to
    /// the end of the method's own code. A pool that is too full for its name costs the entry, not
    /// the hooks.
    pub(super) fn variable(&self, constants: &mut Constants<'_>, layout: &Layout, locals: Locals) -> Option<[u16; 5]> {
        let listed = self.code.attributes().iter().any(|attribute| attribute.contents == Contents::Variables);
        if !self.reads_word || !listed {
            return None;
        }
        let (start, end) = (layout.start(0), layout.end());
        let (name, desc) = (constants.additions.utf8(b"$lucce$word").ok()?, constants.additions.utf8(b"J").ok()?);
        Some([start as u16, (end - start) as u16, name, desc, locals.word])
    }

    /// Runs of reached instructions (first, behind the last) that one handler of a constructor
    /// watches. The calls of `super(...)` and `this(...)` belong to none: there `this` is neither.
    pub(super) fn ranges(&self, receiver: Receiver) -> impl Iterator<Item = (usize, usize)> {
        let watched = move |number: usize| {
            let own = self.flow.receiver(number);
            let own = if own == Receiver::Either { Receiver::Initialised } else { own };
            own == receiver && self.flow.depth(number).is_some()
        };
        let count = self.code.count();
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = (at..count).find(|number| watched(*number) && !self.is_super(*number))?;
            let end = (start..count).find(|number| !watched(*number) || self.is_super(*number)).unwrap_or(count);
            at = end;
            Some((start, end))
        })
    }

    /// The hooks' own handlers, in place of what is in the list.
    pub(super) fn handlers(&self, layout: &Layout, parts: &EmitParts, handlers: &mut Vec<(u32, u32, u32)>) {
        handlers.clear();
        let mut entries = parts.tail_frames.iter().filter(|frame| frame.1 != Catch::Exit);
        if self.entry != EntryHook::Constructor {
            let target = layout.end() + entries.next().map_or(0, |frame| frame.0) as u32;
            let end = if self.faults.exit_watched() { layout.end() } else { target };
            return handlers.push((layout.start(0) - parts.counting, end, target));
        }
        for (at, catch) in entries {
            let before = *catch == Catch::BeforeSuper;
            let receiver = if before { Receiver::Uninitialised } else { Receiver::Initialised };
            for (start, end) in self.ranges(receiver) {
                // The code inserted before `super(...)` is watched, the call is not.
                let is_super = end < self.code.count() && self.is_super(end);
                let stop = if is_super { layout.here(end) } else { layout.start(end) };
                handlers.push((layout.start(start), stop, layout.end() + *at as u32));
            }
        }
    }

    pub(super) fn widen(
        &self,
        constants: &mut Constants<'_>,
        layout: &Layout,
        parts: &EmitParts,
        initial: &[Type],
        buffers: &mut MethodBuffers,
    ) -> Result<u16, SkipReason> {
        let thread = Type::object(constants.thread()?);
        let types: &[Type] = match (self.hashed.is_some(), self.version_local) {
            (true, _) => &[thread, Type::LONG, Type::LONG],
            (false, false) => &[thread, Type::LONG, Type::INTEGER],
            (false, true) => &[thread, Type::LONG, Type::INTEGER, Type::INTEGER],
        };
        let tail = Tail { types, keeps_this: self.keeps_this() };
        let mut late = Vec::with_capacity(parts.late_frames.len());
        let mut held = HeldBytes::default();
        for &(number, len) in &parts.late_frames {
            let locals = locals_before(self.class, self.code, self.frames, initial, number, &mut constants.additions);
            let locals = locals.ok_or(SkipReason::malformed("frame", self.code.at))?;
            held.add(&locals)?;
            late.push((layout.start(number) + len, locals));
        }
        let mut extra = emptied(std::mem::take(&mut buffers.extra));
        let straight = self.is_straight();
        if parts.entry_frame {
            let at = layout.start(0) - parts.counting;
            let locals = if straight { Front::Whole } else { Front::Entry(initial) };
            extra.push(ExtraFrame { at, locals, early: false, stack: None });
        }
        for (at, locals) in &late {
            extra.push(ExtraFrame { at: *at, locals: Front::Own(locals), early: false, stack: None });
        }
        // What falls into the exit, and alone leads there, needs no frame: its types go on.
        let falls = layout.is_plain() && parts.edits.list.iter().all(|edit| !matches!(edit.body, Body::Exit));
        let needed = |&&(at, catch): &&(usize, Catch)| at > 0 || catch != Catch::Exit || !falls;
        let kept = parts.entry_frame && straight && !self.code.stores();
        for (at, catch) in parts.tail_frames.iter().filter(needed) {
            let stack = match *catch {
                Catch::Exit if self.result == b"V" => None,
                Catch::Exit => Some(value_type(self.result, &mut constants.additions)?),
                Catch::Any | Catch::BeforeSuper => Some(Type::object(constants.thrown()?)),
            };
            let early = *catch == Catch::BeforeSuper;
            let in_local_0 = early && !self.keeps_this();
            let locals: &[Type] = if in_local_0 { &[Type::UNINITIALIZED_THIS] } else { &[] };
            let locals = if kept { Front::Whole } else { Front::Own(locals) };
            extra.push(ExtraFrame { at: layout.end() + *at as u32, locals, early, stack });
        }
        self.frames.widened(self.code, layout, tail, initial, &mut extra, &mut buffers.frames)?;
        buffers.extra = emptied(extra);
        frames_name(self.code, &mut constants.additions)
    }
}

//! The parts of code that a method gets: prologue, what stands at each step of the plan, and the
//! tail with exit and handlers.
//!
//! Invariant: pieces know neither their places nor the frames' types; `max_stack` covers each of
//! them on top of what the method has on its stack there.
//! Source: docs/design/emitted-code.md.

use super::{Method, MethodBuffers};
use crate::SkipReason;
use crate::analyze::flow::Receiver;
use crate::bci_map::opcode_hash::Weight;
use crate::emit::assembler::Assembler;
use crate::emit::constants::Constants;
use crate::emit::hooks::{
    EXIT_STACK, EntryHook, HASHED_STACK, Hooks, Locals, PROLOGUE_STACK, STORE_STACK, publish_stack,
};
use crate::emit::layout::{Body, Edit, Edits};
use crate::emit::tally::{ENTRY_STACK, TALLY_STACK};
use crate::emit::verifier_barrier::{self, Barrier};
use crate::format::descriptor::own_return;
use crate::format::opcode::*;
use crate::planning::plan::{Action, falls_into_exit};
use crate::planning::shrink_wrap::Shrunk;
use std::ops::Range;

/// The emitted pieces of a method, and what they need.
pub(super) struct EmitParts {
    pub(super) edits: Edits,
    pub(super) tail: Vec<u8>,
    /// Of all that was written, the tail included.
    pub(super) weight: Weight,
    pub(super) max_stack: usize,
    /// Frames at the end of the entry and, by offset in the tail, at exit and handlers.
    pub(super) entry_frame: bool,
    /// How much of the prologue stands behind the entry: what counts it.
    pub(super) counting: u32,
    /// Shrink-wrapped entries: the instruction, and how long the code before it is up to where a
    /// frame is due.
    pub(super) late_frames: Vec<(usize, u32)>,
    pub(super) tail_frames: Vec<(usize, Catch)>,
}

/// The stack of a frame in the tail, and whether `this` is uninitialised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Catch {
    Exit,
    Any,
    BeforeSuper,
}

/// Where a method is entered behind its start, ascending: late, or (true) at the beginning of a
/// back_edge.
fn entries(late: Option<&Shrunk>, back_edges: &[usize]) -> Vec<(usize, bool)> {
    let late = late.map_or(&[][..], |late| &late.entries).iter().map(|&entry| (entry, false));
    let mut all: Vec<_> = late.chain(back_edges.iter().map(|&back_edge| (back_edge, true))).collect();
    all.sort_unstable();
    all
}

impl Method<'_, '_> {
    pub(super) fn parts(
        &self,
        constants: &mut Constants<'_>,
        locals: Locals,
        compact: bool,
        branch_free: bool,
        (late, back_edges): (Option<&Shrunk>, &[usize]),
        buffers: &mut MethodBuffers,
    ) -> Result<EmitParts, SkipReason> {
        let Edits { mut bytes, mut list, .. } = std::mem::take(&mut buffers.edits);
        bytes.clear();
        list.clear();
        let mut asm = Assembler::new(bytes, constants);
        let (untrusted, is_lazy, faults) = (self.untrusted, self.is_lazy, self.faults);
        let constructor = self.entry == EntryHook::Constructor;
        let own_site = self.sites.first().map(|site| site.id.0);
        let mut hooks = Hooks {
            asm: &mut asm,
            locals,
            compact,
            untrusted,
            is_lazy,
            own_site,
            constructor,
            faults,
            published: None,
        };
        let entry_frame = self.begin(&mut hooks, branch_free, late.is_some())?;
        let mut max_stack =
            usize::from(self.code.max_stack).max(if self.hashed.is_some() { HASHED_STACK } else { PROLOGUE_STACK });
        let barrier = self.barrier(&mut hooks)?;
        let entered = hooks.asm.len();
        if let Some(site) = self.plan.entry.filter(|_| self.counts_entries) {
            hooks.count_entry(self.sites[site].id.0)?;
            max_stack = max_stack.max(ENTRY_STACK);
        }
        let counting = (hooks.asm.len() - entered) as u32;
        let mut edits = Edits { prologue: 0..hooks.asm.len(), list, ..Edits::default() };
        let mut tallies = self.plan.tallies.iter().peekable();
        let mut xreturn = None;
        let entries = entries(late, back_edges);
        let mut late = entries.as_slice();
        let mut late_frames = Vec::new();
        for (number, action) in &self.plan.steps {
            let number = *number;
            let depth = self.flow.depth(number).unwrap_or(0);
            while let Some((&entry, rest)) = late.split_first().filter(|late| late.0.0 < number) {
                let before = self.enter(&mut hooks, entry, &mut late_frames)?;
                edits.list.push(Edit { number: entry.0, before, body: Body::Keep });
                late = rest;
            }
            let start = hooks.asm.len();
            if let Some((&entry, rest)) = late.split_first().filter(|late| late.0.0 == number) {
                self.enter(&mut hooks, entry, &mut late_frames)?;
                late = rest;
            }
            let entered = start..hooks.asm.len();
            let (needs, mut body) = self.step(&mut hooks, number, *action, &mut xreturn)?;
            max_stack = max_stack.max(depth + needs);
            let tally = tallies.next_if(|tally| tally.number == number);
            if let Some(tally) = tally {
                hooks.before_count(tally.made);
            }
            let end = hooks.asm.len();
            let mut before = start..end;
            if let Some(tally) = tally {
                hooks.asm.instruction(self.code.instruction(number));
                let class = self.code.version.has_class_constants().then(|| self.code.operand(number));
                hooks.count(tally.made, self.sites[tally.site].id.0, class)?;
                max_stack = max_stack.max(depth + TALLY_STACK);
                body = Body::Bytes(end..hooks.asm.len());
            } else if let Body::Bytes(range) = &mut body {
                *range = entered.end..end;
                before = entered;
            }
            edits.list.push(Edit { number, before, body });
        }
        for &entry in late {
            let before = self.enter(&mut hooks, entry, &mut late_frames)?;
            edits.list.push(Edit { number: entry.0, before, body: Body::Keep });
        }
        if hooks.asm.constants.merged {
            self.lengthen(hooks.asm, &mut edits.list);
        }
        let mut tail = std::mem::take(&mut buffers.tail);
        tail.clear();
        let mut tail_frames = std::mem::take(&mut buffers.tail_frames);
        tail_frames.clear();
        edits.bytes = hooks.asm.take(tail);
        let (tail, weight) = (Vec::new(), Weight::default());
        let mut parts = EmitParts { edits, tail, weight, max_stack, entry_frame, counting, late_frames, tail_frames };
        self.tail(&mut hooks, xreturn, &mut parts)?;
        if let Some(barrier) = barrier {
            let place = |wanted: Catch| parts.tail_frames.iter().find(|frame| frame.1 == wanted).map(|frame| frame.0);
            let exit = barrier.to_exit.zip(place(Catch::Exit));
            let handlers = barrier.to_handlers.into_iter().zip(self.catches().filter_map(place));
            parts.edits.leaps = exit.into_iter().chain(handlers).collect();
        }
        Ok(parts)
    }

    /// One of the [`entries`], and the frame that is due behind it; gives the place of its code.
    fn enter(
        &self,
        hooks: &mut Hooks<'_, '_, '_>,
        (number, back_edge): (usize, bool),
        frames: &mut Vec<(usize, u32)>,
    ) -> Result<Range<usize>, SkipReason> {
        let start = hooks.asm.len();
        if back_edge {
            hooks.poll_back_edge(self.id.0)?;
        } else {
            hooks.enter(self.id.0)?;
        }
        let end = hooks.asm.len();
        frames.push((number, (end - start) as u32));
        Ok(start..end)
    }

    /// The prologue; true if it ends where a frame is due.
    fn begin(&self, hooks: &mut Hooks<'_, '_, '_>, branch_free: bool, late: bool) -> Result<bool, SkipReason> {
        let frame = if let Some(scheme) = self.hashed {
            self.hashed_prologue(hooks, scheme)?;
            false
        } else if late {
            hooks.prologue_without_entry(self.id.0)?;
            false
        } else {
            hooks.prologue(self.id.0, branch_free)?
        };
        if self.keeps_this() {
            hooks.keep_this();
        }
        Ok(frame)
    }

    /// What keeps the types of a class file without frames apart, where there are some to compare.
    fn barrier(&self, hooks: &mut Hooks<'_, '_, '_>) -> Result<Option<Barrier>, SkipReason> {
        if self.code.version.has_frames() {
            return Ok(None);
        }
        let leaves = |&&(number, action): &&(usize, Action)| {
            matches!(action, Action::Return) && !self.is_other_return(self.code.opcode(number))
        };
        let (needed, exits) = if self.entry == EntryHook::Constructor {
            (verifier_barrier::is_needed_in_constructor(self.code), false)
        } else {
            let returns = if self.hashed.is_some() { 0 } else { self.plan.steps.iter().filter(leaves).count() };
            (verifier_barrier::is_needed(self.code, self.is_static, self.desc, returns), returns > 0)
        };
        let handlers = if needed { self.catches().count() } else { 0 };
        (handlers > 0)
            .then(|| verifier_barrier::build(hooks.asm, self.is_static, self.desc, exits, handlers))
            .transpose()
    }

    /// The handlers of the tail, in their order.
    pub(super) fn catches(&self) -> impl Iterator<Item = Catch> {
        let constructor = self.entry == EntryHook::Constructor;
        let watches = move |catch: &Catch| match catch {
            Catch::BeforeSuper => {
                constructor
                    && !self.faults.handler_before_super()
                    && self.ranges(Receiver::Uninitialised).next().is_some()
            }
            Catch::Any => {
                !constructor
                    || !self.faults.handler_after_super() && self.ranges(Receiver::Initialised).next().is_some()
            }
            Catch::Exit => false,
        };
        [Catch::BeforeSuper, Catch::Any].into_iter().filter(watches)
    }

    /// What stands at one step of the plan: the operand slots that it needs, and what becomes of
    /// the instruction. Returns tell the `xreturn` that the exit is for.
    fn step(
        &self,
        hooks: &mut Hooks<'_, '_, '_>,
        number: usize,
        action: Action,
        xreturn: &mut Option<u8>,
    ) -> Result<(usize, Body), SkipReason> {
        if let Some(scheme) = self.hashed {
            return self.hashed_step(hooks, scheme, number, action);
        }
        let done = match action {
            Action::Publish(site) => {
                hooks.publish(self.sites[site].id.0)?;
                (publish_stack(hooks.compact, false), Body::Keep)
            }
            Action::PublishSuper(site) => {
                hooks.publish_super(self.sites[site].id.0)?;
                (publish_stack(hooks.compact, true), Body::Keep)
            }
            Action::Clear => {
                hooks.clear_site()?;
                (STORE_STACK, Body::Keep)
            }
            Action::Stand => (0, Body::Keep),
            Action::ReadContext => {
                hooks.asm.local(LLOAD, hooks.locals.word);
                (2, Body::Bytes(0..0))
            }
            Action::ReadSite(site) => {
                hooks.asm.int(self.sites[site].id.0);
                (2, Body::Bytes(0..0))
            }
            Action::Return if self.entry == EntryHook::Constructor => {
                if !self.faults.constructor_exit_store() {
                    hooks.clear_at_exit()?;
                }
                (EXIT_STACK, Body::Keep)
            }
            Action::Return if self.is_other_return(self.code.opcode(number)) => (0, Body::Keep),
            Action::Return => {
                let opcode = self.code.opcode(number);
                *xreturn = Some(opcode);
                let falls = falls_into_exit(self.code, number) && !self.frames.has(number);
                self.clear_below(hooks, number, opcode);
                (0, if falls { Body::Fall } else { Body::Exit })
            }
        };
        Ok(done)
    }

    /// Is it another return than that of the method?
    pub(super) fn is_other_return(&self, opcode: u8) -> bool {
        own_return(self.result) != opcode
    }

    /// Drops what lies below the value of a return, so that every return meets the exit alike.
    fn clear_below(&self, hooks: &mut Hooks<'_, '_, '_>, number: usize, opcode: u8) {
        let pops = self.flow.garbage(number);
        if pops.is_empty() {
            return;
        }
        let typed = opcode - IRETURN;
        if opcode != RETURN {
            hooks.asm.local(ISTORE + typed, hooks.locals.spill);
        }
        hooks.asm.ops(pops);
        if opcode != RETURN {
            hooks.asm.local(ILOAD + typed, hooks.locals.spill);
        }
    }

    fn tail(
        &self,
        hooks: &mut Hooks<'_, '_, '_>,
        xreturn: Option<u8>,
        parts: &mut EmitParts,
    ) -> Result<(), SkipReason> {
        if self.hashed.is_some() {
            self.hashed_tail(hooks, parts)?;
        } else if self.entry == EntryHook::Constructor {
            for catch in self.catches() {
                parts.tail_frames.push((hooks.asm.len(), catch));
                hooks.constructor_handler()?;
                parts.max_stack = parts.max_stack.max(1 + STORE_STACK);
            }
        } else {
            if let Some(xreturn) = xreturn {
                parts.tail_frames.push((hooks.asm.len(), Catch::Exit));
                let frame = hooks.exit(xreturn, self.interposable)?;
                parts.tail_frames.push((frame, Catch::Exit));
                parts.max_stack = parts.max_stack.max(usize::from(effect(xreturn).0) + EXIT_STACK);
            }
            parts.tail_frames.push((hooks.asm.len(), Catch::Any));
            let frame = hooks.handler()?;
            parts.tail_frames.push((frame, Catch::Any));
            parts.max_stack = parts.max_stack.max(1 + STORE_STACK);
        }
        parts.tail = hooks.asm.take(Vec::new());
        parts.weight = hooks.asm.weight();
        Ok(())
    }
}

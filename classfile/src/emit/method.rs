//! One method with its hooks: plan and emitters put together.
//!
//! Invariant: a method comes out whole or not at all; what it appended to the pool goes again if it
//! is given up.
//! Source: docs/design/emitted-code.md.

mod emit_parts;
mod extension;
mod hashed;
mod lengthened;

use crate::analyze::flow::Flow;
use crate::analyze::typing::locals_before;
use crate::bci_map::maps::BciMap;
use crate::bci_map::opcode_hash::opcode_hash;
use crate::emit::constants::Constants;
use crate::emit::encode::{Extension, encode};
use crate::emit::hooks::{EntryHook, Locals};
use crate::emit::layout::{Edits, Layout, Places};
use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::planning::back_edges::back_edges;
use crate::planning::blocks::BlockGraph;
use crate::planning::plan::Plan;
use crate::planning::shrink_wrap::Shrunk;
use crate::stack_maps::frames::{ExtraFrame, Frames, Type, Written, entry_locals};
use crate::{Faults, Policy, PublishedSite, SkipReason};
use emit_parts::{Catch, EmitParts};
use lucce_words::MethodId;
use lucce_words::weights::Scheme;

/// A method that is about to get hooks.
pub(crate) struct Method<'m, 'a> {
    pub(crate) class: &'m ClassFile<'a>,
    pub(crate) code: &'m Code<'a>,
    pub(crate) flow: &'m Flow,
    pub(crate) frames: &'m Frames,
    pub(crate) plan: &'m Plan<'a>,
    pub(crate) name: &'a [u8],
    pub(crate) desc: &'a [u8],
    /// So many locals hold its arguments, the receiver's included.
    pub(crate) arguments: usize,
    /// The type in the descriptor that it gives back.
    pub(crate) result: &'a [u8],
    pub(crate) is_static: bool,
    pub(crate) entry: EntryHook,
    /// Is what is published at the entry not believed? Constructors can be told so, too.
    pub(crate) untrusted: bool,
    pub(crate) interposable: bool,
    /// May it be inactive?
    pub(crate) is_lazy: bool,
    pub(crate) id: MethodId,
    pub(crate) sites: &'m [PublishedSite<'a>],
    pub(crate) faults: Faults,
    pub(crate) version_local: bool,
    /// Are words computed, with which weights, what does the method add at its entry, and are
    /// entries checked then?
    pub(crate) hashed: Option<Scheme>,
    pub(crate) weight: u64,
    pub(crate) policy: &'m dyn Policy,
    pub(crate) check_entries: bool,
    /// See [`crate::RewriteOptions`].
    pub(crate) sample_entries: bool,
    /// Are its invocations counted at its entry?
    pub(crate) counts_entries: bool,
    /// Will somebody read the word's local while the method runs
    /// ([`crate::RewriteOptions::publish_throws`])?
    pub(crate) reads_word: bool,
}

/// The new Code attribute.
pub(crate) struct Rewritten {
    pub(crate) map: BciMap,
    /// Bytes of code.
    pub(crate) len: usize,
    /// Of the code.
    pub(crate) opcode_hash: u64,
    /// The local that holds the word.
    pub(crate) word_local: u16,
}

/// Memory that one method leaves for the next.
#[derive(Default)]
pub(crate) struct MethodBuffers {
    edits: Edits,
    tail: Vec<u8>,
    /// The types of the locals at the method's entry.
    initial: Vec<Type>,
    extra: Vec<ExtraFrame<'static>>,
    frames: Written,
    tail_frames: Vec<(usize, Catch)>,
    handlers: Vec<(u32, u32, u32)>,
    places: Places,
    pub(crate) graph: BlockGraph,
}

/// HotSpot never compiles a larger method (`HugeMethodLimit`).
pub(crate) const HUGE: usize = 8000;

impl Method<'_, '_> {
    /// Rewrites with inline hooks, or with compact ones if that keeps the method within a limit.
    /// The new Code attribute goes to `out`, but for an error, which may leave a part of it there.
    pub(crate) fn rewrite(
        &self,
        name: &[u8],
        constants: &mut Constants<'_>,
        buffers: &mut MethodBuffers,
        out: &mut Vec<u8>,
    ) -> Result<Rewritten, SkipReason> {
        let (mark, start) = (constants.mark(), out.len());
        let inline = self.attempt(name, constants, false, buffers, out);
        let crosses = |rewritten: &Rewritten| rewritten.len > HUGE && self.code.bytes.len() <= HUGE;
        let result = match inline {
            Ok(rewritten) if !crosses(&rewritten) => Ok(rewritten),
            Ok(_) | Err(SkipReason::MethodTooLarge { .. } | SkipReason::JumpOverflow { .. }) => {
                constants.rewind(mark);
                out.truncate(start);
                self.attempt(name, constants, true, buffers, out)
            }
            Err(reason) => Err(reason),
        };
        if result.is_err() {
            constants.rewind(mark);
        }
        result
    }

    fn attempt(
        &self,
        name: &[u8],
        constants: &mut Constants<'_>,
        compact: bool,
        buffers: &mut MethodBuffers,
        out: &mut Vec<u8>,
    ) -> Result<Rewritten, SkipReason> {
        let code = self.code;
        let locals = match self.hashed.is_some() {
            true => Locals::hashed(code.max_locals, self.keeps_this())?,
            false => Locals::behind(code.max_locals, self.version_local, self.keeps_this(), self.flow.has_garbage())?,
        };
        let has_frames = code.version.has_frames();
        // The frame at the end of the prologue spells out the arguments' types; where the pool is
        // too full for them, the prologue does without a jump.
        let (initial, branch_free) = match self.initial(constants, std::mem::take(&mut buffers.initial)) {
            Ok(initial) => (initial, false),
            Err(SkipReason::ConstantPoolFull) if has_frames && self.frames.is_empty() => (Vec::new(), true),
            Err(reason) => return Err(reason),
        };
        let late = if branch_free { None } else { self.late(constants, &initial, &mut buffers.graph) };
        let back_edges = if branch_free { Vec::new() } else { self.back_edges(constants, &initial, late.as_ref()) };
        let parts = self.parts(constants, locals, compact, branch_free, (late.as_ref(), &back_edges), buffers)?;
        let host = |behind: usize, to: usize| self.may_host(behind, to);
        let layout = Layout::place(code, &parts.edits, std::mem::take(&mut buffers.places), &host)?;
        let frames = if has_frames {
            let name = self.widen(constants, &layout, &parts, &initial, buffers)?;
            Some((buffers.frames.bytes.as_slice(), name))
        } else {
            None
        };
        let variable = self.variable(constants, &layout, locals);
        self.handlers(&layout, &parts, &mut buffers.handlers);
        let unentered = late.map_or_else(Vec::new, |late| late.before);
        let extension = Extension {
            handlers: &buffers.handlers,
            tail: &parts.tail,
            max_stack: parts.max_stack,
            max_locals: usize::from(locals.count),
            frames,
            variable,
        };
        let text = encode(code, name, &parts.edits, &layout, self.frames, &extension, out)?;
        let map = BciMap::new(code, &parts.edits, &layout, &unentered, self.is_lazy);
        let len = text.len();
        let text = &out[text];
        let opcode_hash = if layout.is_plain() {
            let weighed = parts.edits.weight(code, parts.weight).opcode_hash(len);
            debug_assert_eq!(weighed, opcode_hash(text));
            weighed
        } else {
            opcode_hash(text)
        };
        EmitParts { edits: buffers.edits, tail: buffers.tail, tail_frames: buffers.tail_frames, .. } = parts;
        buffers.initial = initial;
        buffers.places = layout.into_places();
        Ok(Rewritten { map, len, opcode_hash, word_local: locals.word })
    }

    fn initial(&self, constants: &mut Constants<'_>, mut buffer: Vec<Type>) -> Result<Vec<Type>, SkipReason> {
        if !self.code.version.has_frames() || self.is_straight() {
            buffer.clear();
            return Ok(buffer);
        }
        let this = match (self.is_static, self.entry) {
            (true, _) => None,
            (false, EntryHook::Constructor) => Some(Type::UNINITIALIZED_THIS),
            (false, _) => Some(Type::object(self.class.this_index)),
        };
        entry_locals(self.desc, this, &mut constants.additions, buffer)
    }

    /// Has the method no locals but its arguments, and nothing that a frame could be at? Then the
    /// hooks' locals are appended to those it begins with, whatever they are.
    fn is_straight(&self) -> bool {
        let code = self.code;
        let plain = code.transfers().is_empty() && code.handlers().is_empty() && self.frames.is_empty();
        plain && self.arguments == usize::from(code.max_locals) && !self.version_local
    }

    /// Where it looks again whether it was activated, if it may be inactive. A constructor does
    /// not, for it cannot push what a walk finds.
    fn back_edges(&self, constants: &mut Constants<'_>, initial: &[Type], late: Option<&Shrunk>) -> Vec<usize> {
        if !self.is_lazy || self.entry == EntryHook::Constructor {
            return Vec::new();
        }
        let late = late.map_or(&[][..], |late| &late.entries);
        let mut back_edges = back_edges(self.code, self.flow, self.plan, late);
        back_edges.retain(|&back_edge| self.is_typed(constants, initial, back_edge));
        back_edges
    }

    /// Can a frame be written before this instruction?
    fn is_typed(&self, constants: &mut Constants<'_>, initial: &[Type], number: usize) -> bool {
        let typed = |additions| locals_before(self.class, self.code, self.frames, initial, number, additions).is_some();
        !self.code.version.has_frames() || self.frames.has(number) || typed(&mut constants.additions)
    }

    /// The shrink-wrapped entries, where an ordinary method has some.
    fn late(&self, constants: &mut Constants<'_>, initial: &[Type], graph: &mut BlockGraph) -> Option<Shrunk> {
        if self.entry != EntryHook::Ordinary || self.hashed.is_some() || self.reads_word || self.plan.entry.is_some() {
            return None;
        }
        Shrunk::find(self.code, self.flow, self.plan, graph, |number| self.is_typed(constants, initial, number))
    }

    /// The hooks' own handlers watch a trampoline, too: they must find `this` there as at its
    /// target.
    fn may_host(&self, behind: usize, to: usize) -> bool {
        self.flow.depth(behind).is_some()
            && !self.is_super(behind)
            && self.flow.receiver(behind) == self.flow.receiver(to)
            && self.frames.allow_trampoline(self.code, behind, to)
    }

    /// The handler before `super(...)` needs an uninitialised `this` in its frame, as those whom it
    /// watches have it. Where the method overwrites local 0 (optimisers do), the hooks keep it in a
    /// local of their own.
    fn keeps_this(&self) -> bool {
        self.entry == EntryHook::Constructor && self.flow.overwritten() && self.code.version.has_frames()
    }

    fn is_super(&self, number: usize) -> bool {
        self.flow.super_calls().binary_search(&number).is_ok()
    }
}

//! One method with its hooks: plan and emitters put together.
//!
//! Invariant: a method comes out whole or not at all; what it appended to the pool goes again if it is given up.
//! Source: ARCHITECTURE ("Emitted code"), DESIGN section 3.

use crate::assembler::Assembler;
use crate::class::ClassFile;
use crate::code::{Code, Contents};
use crate::constants::{Constants, THREAD};
use crate::encode::{Extension, encode, frames_name};
use crate::flow::{Flow, Receiver};
use crate::frames::{ExtraFrame, Frames, Tail, Type, entry_locals, value_type};
use crate::hooks::{Entry, Hooks, Locals, PROLOGUE_STACK, STORE_STACK, publish_stack};
use crate::late::Late;
use crate::layout::{Body, Edit, Edits, Layout, Places};
use crate::maps::BciMap;
use crate::opcode::*;
use crate::plan::{Action, Plan, falls_into_exit};
use crate::skeleton::skeleton;
use crate::tally::{ENTRY_STACK, TALLY_STACK};
use crate::typing::locals_before;
use crate::{Faults, SiteInfo, SkipReason, descriptor};
use lucce_words::MethodId;

/// A method that is about to get hooks.
pub(crate) struct Method<'m, 'a> {
    pub(crate) class: &'m ClassFile<'a>,
    pub(crate) code: &'m Code<'a>,
    pub(crate) flow: &'m Flow,
    pub(crate) frames: &'m Frames,
    pub(crate) plan: &'m Plan<'a>,
    pub(crate) desc: &'a [u8],
    pub(crate) is_static: bool,
    pub(crate) entry: Entry,
    /// Is what is published at the entry not believed? Constructors can be told so, too.
    pub(crate) untrusted: bool,
    pub(crate) risky: bool,
    pub(crate) id: MethodId,
    pub(crate) sites: &'m [SiteInfo<'a>],
    pub(crate) faults: Faults,
    pub(crate) version_local: bool,
    /// Will somebody read the word's local while the method runs ([`crate::Options::publish_throws`])?
    pub(crate) reads_word: bool,
}

/// The new Code attribute.
pub(crate) struct Rewritten {
    pub(crate) map: BciMap,
    /// Bytes of code.
    pub(crate) len: usize,
    /// Of the code.
    pub(crate) skeleton: u64,
    /// The local that holds the word.
    pub(crate) word_local: u16,
}

/// Memory that one method leaves for the next.
#[derive(Default)]
pub(crate) struct Buffers {
    edits: Edits,
    tail: Vec<u8>,
    frames: Vec<u8>,
    places: Places,
}

/// HotSpot never compiles a larger method (`HugeMethodLimit`).
pub(crate) const HUGE: usize = 8000;

/// The emitted pieces of a method, and what they need.
struct Pieces {
    edits: Edits,
    tail: Vec<u8>,
    max_stack: usize,
    /// Frames at the end of the entry and, by offset in the tail, at exit and handlers.
    entry_frame: bool,
    /// How much of the prologue stands behind the entry: what counts it.
    counting: u32,
    /// Late entries: the instruction, and how long the code before it is up to where a frame is due.
    late_frames: Vec<(usize, u32)>,
    tail_frames: Vec<(usize, Catch)>,
}

/// The stack of a frame in the tail, and whether `this` is uninitialised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Catch {
    Exit,
    Any,
    BeforeSuper,
}

impl Method<'_, '_> {
    /// Rewrites with inline hooks, or with compact ones if that keeps the method within a limit. The new Code attribute goes to `out`,
    /// but for an error, which may leave a part of it there.
    pub(crate) fn rewrite(
        &self,
        name: &[u8],
        constants: &mut Constants<'_>,
        buffers: &mut Buffers,
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
        buffers: &mut Buffers,
        out: &mut Vec<u8>,
    ) -> Result<Rewritten, SkipReason> {
        let code = self.code;
        let locals = Locals::behind(code.max_locals, self.version_local, self.keeps_this(), self.flow.has_garbage())?;
        let has_frames = code.version.has_frames();
        // The frame at the end of the prologue spells out the arguments' types; where the pool is too full for them,
        // the prologue does without a jump.
        let (initial, branch_free) = match self.initial(constants) {
            Ok(initial) => (initial, false),
            Err(SkipReason::ConstantPoolFull) if has_frames && self.frames.is_empty() => (Vec::new(), true),
            Err(reason) => return Err(reason),
        };
        let late = if branch_free { None } else { self.late(constants, &initial) };
        let pieces = self.pieces(constants, locals, compact, branch_free, late.as_ref(), buffers)?;
        let host = |behind: usize, to: usize| self.may_host(behind, to);
        let layout = Layout::place(code, &pieces.edits, std::mem::take(&mut buffers.places), &host)?;
        let frames = if has_frames {
            let name = self.widen(constants, &layout, &pieces, &initial, &mut buffers.frames)?;
            Some((buffers.frames.as_slice(), name))
        } else {
            None
        };
        let variable = self.variable(constants, &layout, locals);
        let unentered = late.map_or_else(Vec::new, |late| late.before);
        let extension = Extension {
            handlers: self.handlers(&layout, &pieces),
            tail: &pieces.tail,
            max_stack: pieces.max_stack,
            max_locals: usize::from(locals.count),
            frames,
            variable,
        };
        let text = encode(code, name, &pieces.edits, &layout, self.frames, &extension, out)?;
        let map = BciMap::new(code, &pieces.edits, &layout, &unentered);
        let len = text.len();
        let skeleton = skeleton(&out[text]);
        Pieces { edits: buffers.edits, tail: buffers.tail, .. } = pieces;
        buffers.places = layout.into_places();
        Ok(Rewritten { map, len, skeleton, word_local: locals.word })
    }

    /// The word's entry in a table of local variables, if there is one: from behind the prologue to the end of the method's own code. A pool
    /// that is too full for its name costs the entry, not the hooks.
    fn variable(&self, constants: &mut Constants<'_>, layout: &Layout, locals: Locals) -> Option<[u16; 5]> {
        let listed = self.code.attributes().iter().any(|attribute| attribute.contents == Contents::Variables);
        if !self.reads_word || !listed {
            return None;
        }
        let (start, end) = (layout.start(0), layout.end());
        let (name, desc) = (constants.additions.utf8(b"$lucce$word").ok()?, constants.additions.utf8(b"J").ok()?);
        Some([start as u16, (end - start) as u16, name, desc, locals.word])
    }

    fn initial(&self, constants: &mut Constants<'_>) -> Result<Vec<Type>, SkipReason> {
        if !self.code.version.has_frames() {
            return Ok(Vec::new());
        }
        let this = match (self.is_static, self.entry) {
            (true, _) => None,
            (false, Entry::Constructor) => Some(Type::UNINITIALIZED_THIS),
            (false, _) => Some(Type::object(self.class.this_index)),
        };
        entry_locals(self.desc, this, &mut constants.additions)
    }

    /// The late entries, where an ordinary method has some.
    fn late(&self, constants: &mut Constants<'_>, initial: &[Type]) -> Option<Late> {
        if self.entry != Entry::Ordinary || self.reads_word || self.plan.entry.is_some() {
            return None;
        }
        let additions = &mut constants.additions;
        let known = |number| {
            !self.code.version.has_frames()
                || locals_before(self.class, self.code, self.frames, initial, number, additions).is_some()
        };
        Late::find(self.code, self.flow, self.plan, known)
    }

    /// A trampoline may only stand where the same handlers watch as at its target: its frame is checked against them.
    fn may_host(&self, behind: usize, to: usize) -> bool {
        let covers = |start: usize, end: usize, number: usize| (start..end).contains(&number);
        self.flow.depth(behind).is_some()
            && self.frames.allow_trampoline(self.code, behind)
            && !self.is_super(behind)
            && self.flow.receiver(behind) == self.flow.receiver(to)
            && self
                .code
                .handlers()
                .iter()
                .all(|handler| !covers(handler.start, handler.end, behind) || covers(handler.start, handler.end, to))
    }

    fn pieces(
        &self,
        constants: &mut Constants<'_>,
        locals: Locals,
        compact: bool,
        branch_free: bool,
        late: Option<&Late>,
        buffers: &mut Buffers,
    ) -> Result<Pieces, SkipReason> {
        let constructor = self.entry == Entry::Constructor;
        let Edits { mut bytes, mut list, .. } = std::mem::take(&mut buffers.edits);
        bytes.clear();
        list.clear();
        let mut asm = Assembler { out: bytes, constants };
        let mut hooks = Hooks { asm: &mut asm, locals, compact, untrusted: self.untrusted, faults: self.faults };
        let entry_frame = match late {
            Some(_) => {
                hooks.prologue_without_entry(self.id.0)?;
                false
            }
            None => hooks.prologue(self.id.0, self.entry, branch_free)?,
        };
        if self.keeps_this() {
            hooks.keep_this();
        }
        let mut max_stack = usize::from(self.code.max_stack).max(PROLOGUE_STACK);
        let entered = hooks.asm.out.len();
        if let Some(site) = self.plan.entry {
            hooks.count_entry(self.sites[site].id.0)?;
            max_stack = max_stack.max(ENTRY_STACK);
        }
        let counting = (hooks.asm.out.len() - entered) as u32;
        let mut edits = Edits { bytes: Vec::new(), prologue: 0..hooks.asm.out.len(), list };
        let mut tallies = self.plan.tallies.iter().peekable();
        let mut xreturn = None;
        let mut late = late.map_or(&[][..], |late| &late.entries).iter().copied().peekable();
        let mut late_frames = Vec::new();
        for (number, action) in &self.plan.steps {
            let number = *number;
            let depth = self.flow.depth(number).unwrap_or(0);
            let mut start = hooks.asm.out.len();
            while let Some(entry) = late.next_if(|entry| *entry <= number) {
                hooks.enter(self.id.0)?;
                let end = hooks.asm.out.len();
                late_frames.push((entry, (end - start) as u32));
                if entry < number {
                    edits.list.push(Edit { number: entry, before: start..end, body: Body::Keep });
                    start = end;
                }
            }
            let entered = start..hooks.asm.out.len();
            let (needs, mut body) = match *action {
                Action::Publish(site) => {
                    hooks.publish(self.sites[site].id.0)?;
                    (publish_stack(compact, false), Body::Keep)
                }
                Action::PublishSuper(site) => {
                    hooks.publish_super(self.sites[site].id.0)?;
                    (publish_stack(compact, true), Body::Keep)
                }
                Action::Forget => {
                    hooks.forget()?;
                    (STORE_STACK, Body::Keep)
                }
                Action::Stand => (0, Body::Keep),
                Action::ReadContext => {
                    hooks.asm.local(LLOAD, locals.word);
                    (2, Body::Bytes(0..0))
                }
                Action::ReadSite(site) => {
                    hooks.asm.int(self.sites[site].id.0);
                    (2, Body::Bytes(0..0))
                }
                Action::Return if constructor => {
                    if !self.faults.constructor_exit_store() {
                        hooks.forget()?;
                    }
                    (STORE_STACK, Body::Keep)
                }
                Action::Return => {
                    let opcode = self.code.opcode(number);
                    xreturn = Some(opcode);
                    let falls = falls_into_exit(self.code, number) && !self.frames.has(number);
                    self.clear_below(&mut hooks, number, opcode);
                    (0, if falls { Body::Fall } else { Body::Exit })
                }
            };
            max_stack = max_stack.max(depth + needs);
            let tally = tallies.next_if(|tally| tally.number == number);
            if let Some(tally) = tally {
                hooks.before_count(tally.made);
            }
            let end = hooks.asm.out.len();
            let mut before = start..end;
            if let Some(tally) = tally {
                hooks.asm.out.extend_from_slice(self.code.instruction(number));
                let class = self.code.version.has_class_constants().then(|| self.code.operand(number));
                hooks.count(tally.made, self.sites[tally.site].id.0, class)?;
                max_stack = max_stack.max(depth + TALLY_STACK);
                body = Body::Bytes(end..hooks.asm.out.len());
            } else if let Body::Bytes(range) = &mut body {
                *range = entered.end..end;
                before = entered;
            }
            edits.list.push(Edit { number, before, body });
        }
        let mut tail = std::mem::take(&mut buffers.tail);
        tail.clear();
        edits.bytes = std::mem::replace(&mut hooks.asm.out, tail);
        let mut pieces = Pieces {
            edits,
            tail: Vec::new(),
            max_stack,
            entry_frame,
            counting,
            late_frames,
            tail_frames: Vec::with_capacity(4),
        };
        self.tail(&mut hooks, xreturn, &mut pieces)?;
        Ok(pieces)
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
        hooks.asm.out.extend_from_slice(pops);
        if opcode != RETURN {
            hooks.asm.local(ILOAD + typed, hooks.locals.spill);
        }
    }

    fn tail(&self, hooks: &mut Hooks<'_, '_, '_>, xreturn: Option<u8>, pieces: &mut Pieces) -> Result<(), SkipReason> {
        let caught = 1 + STORE_STACK;
        if self.entry == Entry::Constructor {
            let before = !self.faults.handler_before_super() && self.ranges(Receiver::Uninitialised).next().is_some();
            let after = !self.faults.handler_after_super() && self.ranges(Receiver::Initialised).next().is_some();
            for (wanted, catch) in [(before, Catch::BeforeSuper), (after, Catch::Any)] {
                if wanted {
                    pieces.tail_frames.push((hooks.asm.out.len(), catch));
                    hooks.constructor_handler()?;
                    pieces.max_stack = pieces.max_stack.max(caught);
                }
            }
        } else {
            if let Some(xreturn) = xreturn {
                pieces.tail_frames.push((hooks.asm.out.len(), Catch::Exit));
                let frame = hooks.exit(xreturn, self.risky)?;
                pieces.tail_frames.push((frame, Catch::Exit));
                pieces.max_stack = pieces.max_stack.max(usize::from(effect(xreturn).0) + STORE_STACK);
            }
            pieces.tail_frames.push((hooks.asm.out.len(), Catch::Any));
            let frame = hooks.handler()?;
            pieces.tail_frames.push((frame, Catch::Any));
            pieces.max_stack = pieces.max_stack.max(caught);
        }
        pieces.tail = std::mem::take(&mut hooks.asm.out);
        Ok(())
    }

    /// Runs of reached instructions (first, behind the last) that one handler of a constructor watches. The calls of
    /// `super(...)` and `this(...)` belong to none: there `this` is neither.
    fn ranges(&self, receiver: Receiver) -> impl Iterator<Item = (usize, usize)> {
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

    /// The handler before `super(...)` needs an uninitialised `this` in its frame, as those whom it watches have it.
    /// Where the method overwrites local 0 (optimisers do), the hooks keep it in a local of their own.
    fn keeps_this(&self) -> bool {
        self.entry == Entry::Constructor && self.flow.overwritten() && self.code.version.has_frames()
    }

    fn is_super(&self, number: usize) -> bool {
        self.flow.supers().binary_search(&number).is_ok()
    }

    fn handlers(&self, layout: &Layout, pieces: &Pieces) -> Vec<(u32, u32, u32)> {
        let mut handlers = Vec::new();
        let mut entries = pieces.tail_frames.iter().filter(|frame| frame.1 != Catch::Exit);
        if self.entry != Entry::Constructor {
            let target = entries.next().map_or(0, |frame| frame.0) as u32;
            return vec![(layout.start(0) - pieces.counting, layout.end(), layout.end() + target)];
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
        handlers
    }

    fn widen(
        &self,
        constants: &mut Constants<'_>,
        layout: &Layout,
        pieces: &Pieces,
        initial: &[Type],
        out: &mut Vec<u8>,
    ) -> Result<u16, SkipReason> {
        let additions = &mut constants.additions;
        let mut types = Vec::with_capacity(4);
        types.extend([Type::object(additions.class(THREAD)?), Type::LONG]);
        if self.version_local {
            types.push(Type::INTEGER);
        }
        types.push(Type::INTEGER);
        let tail = Tail { types: &types, keeps_this: self.keeps_this() };
        let late = pieces.late_frames.iter().map(|&(number, len)| {
            let locals = locals_before(self.class, self.code, self.frames, initial, number, additions);
            locals.map(|locals| (layout.start(number) + len, locals))
        });
        let late: Vec<_> = late.collect::<Option<_>>().ok_or(SkipReason::malformed("frame", self.code.at))?;
        let mut extra = Vec::with_capacity(8);
        if pieces.entry_frame {
            let at = layout.start(0) - pieces.counting;
            extra.push(ExtraFrame { at, locals: initial, early: false, stack: None });
        }
        for (at, locals) in &late {
            extra.push(ExtraFrame { at: *at, locals, early: false, stack: None });
        }
        for (at, catch) in &pieces.tail_frames {
            let stack = match *catch {
                Catch::Exit => match descriptor::result(self.desc) {
                    Some(b"V") | None => None,
                    Some(result) => Some(value_type(result, additions)?),
                },
                Catch::Any | Catch::BeforeSuper => Some(Type::object(additions.class(b"java/lang/Throwable")?)),
            };
            let early = *catch == Catch::BeforeSuper;
            let in_local_0 = early && !self.keeps_this();
            let locals: &[Type] = if in_local_0 { &[Type::UNINITIALIZED_THIS] } else { &[] };
            extra.push(ExtraFrame { at: layout.end() + *at as u32, locals, early, stack });
        }
        self.frames.widened(self.code, layout, tail, initial, &mut extra, out)?;
        frames_name(self.code, additions)
    }
}

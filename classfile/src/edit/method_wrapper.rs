//! A method of an uninstrumented class with code before its own and behind every exit of it.
//!
//! Invariant: what stands before runs once; what stands behind runs once at each exit, normal or
//! exceptional, unless what stood before has failed. Nothing else of the method changes.
//! Source: docs/design/emitted-code.md, JVMS 4.7.3.

use crate::analyze::flow::{Flow, FlowBuffers};
use crate::edit::insertion::{Codes, Splice, spliced};
use crate::emit::assembler::Assembler;
use crate::emit::constants::Constants;
use crate::emit::encode::{Extension, encode, frames_name, read_frames};
use crate::emit::hooks::local_count;
use crate::emit::layout::{Body, Edit, Edits, Layout, Places};
use crate::emit::verifier_barrier;
use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::format::descriptor::own_return;
use crate::format::member_refs::{self, MemberRefs};
use crate::format::members::Member;
use crate::format::opcode::*;
use crate::planning::plan::falls_into_exit;
use crate::stack_maps::frames::{ExtraFrame, Frames, Front, Tail, Type, Written, entry_locals, value_type};
use crate::{BciMap, Inserted, SkipReason};

/// What stands around a method.
pub(crate) trait Wrapper {
    /// Slots of the locals that it adds behind the method's own.
    const LOCALS: u16;
    /// Operand slots it needs, on top of an exception.
    const STACK: usize;
    /// Does what `close` throws at a normal exit of a method without a result vanish?
    const SWALLOWS: bool;
    /// The types of its locals.
    fn types(&self, constants: &mut Constants<'_>) -> Result<Vec<Type>, SkipReason>;
    /// Writes what stands before.
    fn open(&self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason>;
    /// Writes what stands behind.
    fn close(&self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason>;
}

/// The class with something around its `wanted` methods; `wrapper` is asked for what, with the
/// first free local. `None` if there is no such method with code; constructors are left alone.
pub(crate) fn rewrite<A: Wrapper>(
    class: &ClassFile<'_>,
    wanted: impl Fn(&Member<'_>) -> bool,
    wrapper: impl Fn(&Member<'_>, u16) -> A,
) -> Result<Option<Inserted>, SkipReason> {
    let mut constants = Constants::new(&class.pool);
    let mut codes = Codes::new();
    for (number, method) in class.methods.iter().enumerate().filter(|(_, method)| wanted(method)) {
        if method.code().is_some() && method.name != b"<init>" {
            let (splice, map) = one(class, method, &mut constants, &wrapper)?;
            codes.push((number, splice, map));
        }
    }
    if codes.is_empty() { Ok(None) } else { spliced(class, &constants, Vec::new(), codes).map(Some) }
}

fn one<A: Wrapper>(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    constants: &mut Constants<'_>,
    wrapper: impl Fn(&Member<'_>, u16) -> A,
) -> Result<(Splice, BciMap), SkipReason> {
    let attribute = method.code().ok_or(SkipReason::malformed("no code", 0))?;
    let code = Code::read(class.bytes, &class.pool, class.version, attribute, Box::default())?;
    let is_static = method.access & 0x0008 != 0;
    let (_, result) = code.own_slots(method.desc, is_static)?;
    let mut members = MemberRefs::new(class, member_refs::MemberRefBuffers::default());
    let flow = Flow::analyse(&code, false, &mut members, &mut FlowBuffers::default())?;
    let mut frames = Frames::default();
    read_frames(&code, &mut frames)?;
    let max_locals = local_count(code.max_locals, u32::from(A::LOCALS), flow.has_garbage())?;
    let (spill, wrapper) = (code.max_locals + A::LOCALS, wrapper(method, code.max_locals));
    let mut asm = Assembler::new(Vec::new(), constants);
    wrapper.open(&mut asm)?;
    let is_own = |opcode| opcode == own_return(result);
    let leaves = |number: &usize| flow.depth(*number).is_some() && is_own(code.opcode(*number));
    let returns: Vec<_> = (0..code.count()).filter(leaves).collect();
    let xreturn = returns.last().map(|last| code.opcode(*last));
    let needs_barrier =
        !class.version.has_frames() && verifier_barrier::is_needed(&code, is_static, method.desc, returns.len());
    let barrier = needs_barrier
        .then(|| verifier_barrier::build(&mut asm, is_static, method.desc, xreturn.is_some(), 1))
        .transpose()?;
    let mut edits = Edits { prologue: 0..asm.len(), ..Edits::default() };
    for number in returns {
        let (opcode, start) = (code.opcode(number), asm.len());
        clear_below(&mut asm, spill, opcode, flow.garbage(number));
        let falls = falls_into_exit(&code, number) && !frames.has(number);
        let body = if falls { Body::Fall } else { Body::Exit };
        edits.list.push(Edit { number, before: start..asm.len(), body });
    }
    edits.bytes = asm.take(Vec::new());
    let mut swallower = None;
    if let Some(xreturn) = xreturn {
        wrapper.close(&mut asm)?;
        let closed = asm.len() as u32;
        asm.op(xreturn);
        if A::SWALLOWS && xreturn == RETURN {
            swallower = Some((closed, asm.len() as u32));
            asm.op(POP);
            asm.op(RETURN);
        }
    }
    let handler = asm.len() as u32;
    wrapper.close(&mut asm)?;
    asm.op(ATHROW);
    let tail = asm.take(Vec::new());
    if let Some(barrier) = barrier {
        let to_exit = barrier.to_exit.map(|at| (at, 0));
        let to_handlers = barrier.to_handlers.into_iter().map(|at| (at, handler as usize));
        edits.leaps = to_exit.into_iter().chain(to_handlers).collect();
    }
    let host = |behind: usize, to: usize| flow.depth(behind).is_some() && frames.allow_trampoline(&code, behind, to);
    let layout = Layout::place(&code, &edits, Places::default(), &host)?;
    let mut contents = Written::default();
    let mut table = None;
    if class.version.has_frames() {
        let types = wrapper.types(constants)?;
        let additions = &mut constants.additions;
        let this = (!is_static).then(|| Type::object(class.this_index));
        let initial = entry_locals(method.desc, this, additions, Vec::new())?;
        let tail = Tail { types: &types, keeps_this: false };
        let thrown = Some(Type::object(additions.class(b"java/lang/Throwable")?));
        let mut extra =
            vec![ExtraFrame { at: layout.end() + handler, locals: Front::Own(&[]), early: false, stack: thrown }];
        if let Some((_, at)) = swallower {
            extra.push(ExtraFrame { at: layout.end() + at, locals: Front::Own(&[]), early: false, stack: thrown });
        }
        if xreturn.is_some() {
            let stack = if result == b"V" { None } else { Some(value_type(result, additions)?) };
            extra.push(ExtraFrame { at: layout.end(), locals: Front::Own(&[]), early: false, stack });
        }
        frames.widened(&code, &layout, tail, &initial, &mut extra, &mut contents)?;
        table = Some((contents.bytes.as_slice(), frames_name(&code, additions)?));
    }
    let mut handlers = vec![(layout.start(0), layout.end(), layout.end() + handler)];
    handlers.extend(swallower.map(|(closed, at)| (layout.end(), layout.end() + closed, layout.end() + at)));
    let extension = Extension {
        tail: &tail,
        handlers: &handlers,
        max_stack: usize::from(code.max_stack).max(2 + A::STACK),
        max_locals: usize::from(max_locals),
        frames: table,
        variable: None,
    };
    let name = &class.bytes[attribute.whole.start..attribute.whole.start + 2];
    let mut encoded = Vec::new();
    encode(&code, name, &edits, &layout, &frames, &extension, &mut encoded)?;
    Ok(((attribute.whole.clone(), encoded), BciMap::new(&code, &edits, &layout, &[], false)))
}

/// Drops what lies below the value of a return, so that every return meets the exit alike.
fn clear_below(asm: &mut Assembler<'_, '_>, spill: u16, opcode: u8, pops: &[u8]) {
    if pops.is_empty() {
        return;
    }
    if opcode != RETURN {
        asm.local(ISTORE + (opcode - IRETURN), spill);
    }
    asm.ops(pops);
    if opcode != RETURN {
        asm.local(ILOAD + (opcode - IRETURN), spill);
    }
}

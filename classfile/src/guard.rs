//! The Guard: Java code that the JVM calls up while it loads a class leaves the thread's state as it found it.
//!
//! Invariant: caller (with its version), site and height of the chain are the same behind every exit as before the entry, and UNKNOWN in between.
//! Source: ARCHITECTURE ("Emitted code"), DESIGN section 3 (Guard).

use crate::SkipReason;
use crate::assembler::Assembler;
use crate::class::{ClassFile, Member};
use crate::code::{Code, Tables};
use crate::constants::{Constants, Ref, THREAD};
use crate::depth::Effects;
use crate::encode::{Extension, encode, frames_name, read_frames};
use crate::flow::{Buffers, Flow};
use crate::frames::{ExtraFrame, Frames, Tail, Type, entry_locals, value_type};
use crate::hooks::local_count;
use crate::layout::{Body, Edit, Edits, Layout, Places};
use crate::opcode::*;
use crate::plan::falls_into_exit;
use std::ops::Range;

/// Guards the given methods (name, descriptor) of an uninstrumented class. `None` if it declares none of them with code;
/// constructors are never guarded. Errors as [`crate::instrument`] names them, also where only one method is at fault.
pub fn guard(bytes: &[u8], methods: &[(&[u8], &[u8])]) -> Result<Option<Vec<u8>>, SkipReason> {
    let class = ClassFile::read(bytes)?;
    let mut constants = Constants::new(&class.pool);
    let mut splices = Vec::new();
    for method in class.methods.iter().filter(|method| methods.contains(&(method.name, method.desc))) {
        if method.code().is_some() && !method.name.starts_with(b"<") {
            splices.push(guarded(&class, method, &mut constants)?);
        }
    }
    Ok((!splices.is_empty()).then(|| class.splice(&constants.additions, &splices)))
}

fn guarded(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    constants: &mut Constants<'_>,
) -> Result<(Range<usize>, Vec<u8>), SkipReason> {
    let attribute = method.code().ok_or(SkipReason::malformed("no code", 0))?;
    let code = Code::read(class.bytes, &class.pool, class.version, attribute, Tables::default())?;
    let mut effects = Effects::default();
    effects.reset(&class.pool);
    let flow = Flow::analyse(&code, &class.pool, false, &mut effects, &mut Buffers::default())?;
    let mut frames = Frames::default();
    read_frames(&code, &mut frames)?;
    let saved = Saved::behind(code.max_locals, flow.has_garbage())?;
    let mut asm = Assembler { out: Vec::new(), constants };
    saved.save(&mut asm)?;
    let mut edits = Edits { prologue: 0..asm.out.len(), ..Edits::default() };
    let mut xreturn = None;
    for number in (0..code.count()).filter(|number| flow.depth(*number).is_some()) {
        let opcode = code.opcode(number);
        if is_return(opcode) {
            xreturn = Some(opcode);
            let start = asm.out.len();
            saved.clear_below(&mut asm, opcode, flow.garbage(number));
            let falls = falls_into_exit(&code, number) && !frames.has(number);
            let body = if falls { Body::Fall } else { Body::Exit };
            edits.list.push(Edit { number, before: start..asm.out.len(), body });
        }
    }
    edits.bytes = std::mem::take(&mut asm.out);
    if let Some(xreturn) = xreturn {
        saved.restore(&mut asm)?;
        asm.op(xreturn);
    }
    let handler = asm.out.len() as u32;
    saved.restore(&mut asm)?;
    asm.op(ATHROW);
    let tail = std::mem::take(&mut asm.out);
    let host = |behind: usize, to: usize| {
        flow.depth(behind).is_some()
            && frames.allow_trampoline(&code, behind)
            && code.handlers().iter().all(|handler| {
                let watched = handler.start..handler.end;
                !watched.contains(&behind) || watched.contains(&to)
            })
    };
    let layout = Layout::place(&code, &edits, Places::default(), &host)?;
    let mut contents = Vec::new();
    let mut table = None;
    if class.version.has_frames() {
        let additions = &mut constants.additions;
        let this = (method.access & 0x0008 == 0).then(|| Type::object(class.this_index));
        let initial = entry_locals(method.desc, this, additions)?;
        let types = [Type::object(additions.class(THREAD)?), Type::LONG, Type::INTEGER, Type::INTEGER, Type::INTEGER];
        let tail = Tail { types: &types, keeps_this: false };
        let thrown = Some(Type::object(additions.class(b"java/lang/Throwable")?));
        let mut extra = vec![ExtraFrame { at: layout.end() + handler, locals: &[], early: false, stack: thrown }];
        if xreturn.is_some() {
            let stack = match crate::descriptor::result(method.desc) {
                Some(b"V") | None => None,
                Some(result) => Some(value_type(result, additions)?),
            };
            extra.push(ExtraFrame { at: layout.end(), locals: &[], early: false, stack });
        }
        frames.widened(&code, &layout, tail, &initial, &mut extra, &mut contents)?;
        table = Some((contents.as_slice(), frames_name(&code, additions)?));
    }
    let extension = Extension {
        tail: &tail,
        handlers: vec![(layout.start(0), layout.end(), layout.end() + handler)],
        max_stack: usize::from(code.max_stack).max(2 + RESTORE_STACK),
        max_locals: usize::from(saved.count),
        frames: table,
    };
    let name = &class.bytes[attribute.whole.start..attribute.whole.start + 2];
    let mut encoded = Vec::new();
    encode(&code, name, &edits, &layout, &frames, &extension, &mut encoded)?;
    Ok((attribute.whole.clone(), encoded))
}

/// Operand slots of saving and restoring, on top of what is there.
const RESTORE_STACK: usize = 3;

/// The locals that hold what was found.
#[derive(Clone, Copy)]
struct Saved {
    thread: u16,
    ctx: u16,
    site: u16,
    top: u16,
    version: u16,
    spill: u16,
    count: u16,
}

impl Saved {
    fn behind(max_locals: u16, spills: bool) -> Result<Self, SkipReason> {
        let count = local_count(max_locals, 6, spills)?;
        let thread = max_locals;
        let (ctx, site, top, version, spill) = (thread + 1, thread + 3, thread + 4, thread + 5, thread + 6);
        Ok(Self { thread, ctx, site, top, version, spill, count })
    }

    /// Each field with its local and the opcodes that load and store that.
    fn parts(self) -> [(Ref, u16, u8, u8); 4] {
        [
            (Ref::Ctx, self.ctx, LLOAD, LSTORE),
            (Ref::Site, self.site, ILOAD, ISTORE),
            (Ref::Top, self.top, ILOAD, ISTORE),
            (Ref::Version, self.version, ILOAD, ISTORE),
        ]
    }

    fn save(self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason> {
        asm.member(INVOKESTATIC, Ref::CurrentThread)?; // t
        asm.op(DUP); //                                   t t
        asm.local(ASTORE, self.thread); //                t
        asm.member(INVOKESTATIC, Ref::Settle)?; //        -
        for (field, local, _, store) in self.parts() {
            asm.local(ALOAD, self.thread); //             t
            asm.member(GETFIELD, field)?; //              v
            asm.local(store, local); //                   -
        }
        asm.local(ALOAD, self.thread); //                 t
        asm.op(ICONST_0); //                              t 0
        asm.member(PUTFIELD, Ref::Site)
    }

    fn restore(self, asm: &mut Assembler<'_, '_>) -> Result<(), SkipReason> {
        for (field, local, load, _) in self.parts() {
            asm.local(ALOAD, self.thread); //             t
            asm.local(load, local); //                    t v
            asm.member(PUTFIELD, field)?; //              -
        }
        Ok(())
    }

    fn clear_below(self, asm: &mut Assembler<'_, '_>, opcode: u8, pops: &[u8]) {
        if pops.is_empty() {
            return;
        }
        if opcode != RETURN {
            asm.local(ISTORE + (opcode - IRETURN), self.spill);
        }
        asm.out.extend_from_slice(pops);
        if opcode != RETURN {
            asm.local(ILOAD + (opcode - IRETURN), self.spill);
        }
    }
}

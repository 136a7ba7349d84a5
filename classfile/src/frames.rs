//! StackMapTable: read into frames by instruction, written again with the hooks' locals in every frame.
//!
//! Invariant: a frame stays with its instruction, and an `Uninitialized` type with its `new`. Without hook locals each
//! frame keeps its form, so the table of an unchanged method is written byte for byte.
//! Source: JVMS 4.7.4, 4.10.1.

use crate::SkipReason;
use crate::code::Code;
use crate::descriptor;
use crate::layout::Layout;
use crate::opcode::ends_flow;
use crate::pool::Additions;
use crate::reader::Reader;
use std::ops::Range;

/// A verification type: tag, and class index or instruction number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    tag: u8,
    data: u32,
}

const OBJECT: u8 = 7;
const UNINITIALIZED: u8 = 8;

impl Type {
    pub(crate) const TOP: Self = Self { tag: 0, data: 0 };
    pub(crate) const INTEGER: Self = Self { tag: 1, data: 0 };
    pub(crate) const FLOAT: Self = Self { tag: 2, data: 0 };
    pub(crate) const DOUBLE: Self = Self { tag: 3, data: 0 };
    pub(crate) const LONG: Self = Self { tag: 4, data: 0 };
    pub(crate) const NULL: Self = Self { tag: 5, data: 0 };
    pub(crate) const UNINITIALIZED_THIS: Self = Self { tag: 6, data: 0 };

    pub(crate) const fn object(class: u16) -> Self {
        Self { tag: OBJECT, data: class as u32 }
    }

    pub(crate) fn slots(self) -> usize {
        if matches!(self.tag, 3 | 4) { 2 } else { 1 }
    }
}

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
struct Frame {
    number: usize,
    form: Form,
    /// Where its own types stand in [`Frames::types`]: locals appended or all, then the stack.
    locals: Range<usize>,
    stack: Range<usize>,
}

/// A scanned StackMapTable.
#[derive(Default)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    types: Vec<Type>,
}

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
            frames.frames.push(Frame { number, form, locals, stack });
        }
        if reader.is_at_end() { Ok(()) } else { Err(reader.error("StackMapTable length")) }
    }

    fn read_types(&mut self, code: &Code<'_>, reader: &mut Reader<'_>, count: u16) -> Result<Range<usize>, SkipReason> {
        let start = self.types.len();
        for _ in 0..count {
            let tag = reader.u1()?;
            let data = match tag {
                0..=6 => 0,
                OBJECT => u32::from(reader.u2()?),
                UNINITIALIZED => {
                    let number = code.number(u32::from(reader.u2()?)).filter(|number| *number < code.count());
                    number.ok_or_else(|| reader.error("Uninitialized offset"))? as u32
                }
                _ => return Err(reader.error("verification type")),
            };
            self.types.push(Type { tag, data });
        }
        Ok(start..self.types.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// May a trampoline stand behind the instruction, if the handlers allow it? So behind an unconditional transfer, and
    /// where the next instruction has a frame or needs none.
    pub(crate) fn allow_trampoline(&self, code: &Code<'_>, behind: usize) -> bool {
        let next = behind + 1;
        ends_flow(code.opcode(behind)) || next < code.count() && (!code.version.has_frames() || self.has(next))
    }

    /// Does the instruction have a frame?
    pub(crate) fn has(&self, number: usize) -> bool {
        self.frames.binary_search_by_key(&number, |frame| frame.number).is_ok()
    }

    /// The last frame at or before an instruction, and its locals; the start of the method and `initial` if there is none.
    pub(crate) fn governing(&self, number: usize, initial: &[Type]) -> Option<(usize, Vec<Type>)> {
        let mut locals = initial.to_vec();
        let mut from = 0;
        for frame in self.frames.iter().take_while(|frame| frame.number <= number) {
            self.follow(frame, &mut locals)?;
            from = frame.number;
        }
        Some((from, locals))
    }

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

    /// Writes the table with full frames only, each with `tail` behind the method's own locals, and the added frames among them.
    /// `initial` gives the locals at method entry.
    pub(crate) fn widened(
        &self,
        code: &Code<'_>,
        layout: &Layout,
        tail: Tail<'_>,
        initial: &[Type],
        extra: &mut [ExtraFrame<'_>],
        out: &mut Vec<u8>,
    ) -> Result<(), SkipReason> {
        extra.sort_by_key(|frame| frame.at);
        let mut extra = extra.iter().peekable();
        out.clear();
        out.extend_from_slice(&[0, 0]);
        let max_locals = usize::from(code.max_locals);
        let mut table = Table { layout, max_locals, tail, out, count: 0, next: 0, locals: 0..0 };
        let mut write = |at: u32, locals: &[Type], same: bool, stack: &[Type]| {
            while let Some(frame) = extra.next_if(|frame| frame.at < at) {
                table.add(frame)?;
            }
            // The original frame at the same place says at least as much.
            extra.next_if(|frame| frame.at == at);
            // Only a frame before `super(...)` has `this` uninitialised, and always in some local.
            let early = locals.contains(&Type::UNINITIALIZED_THIS);
            table.write(at, locals, same, early, stack)
        };
        let mut locals = initial.to_vec();
        if layout.trampolines().is_empty() {
            for frame in &self.frames {
                let same =
                    self.follow(frame, &mut locals).ok_or(SkipReason::malformed("chop frame", layout.code_at()))?;
                write(layout.start(frame.number), &locals, same, &self.types[frame.stack.clone()])?;
            }
        } else {
            for (at, locals, stack) in self.with_trampolines(code, layout, locals)? {
                write(at, &locals, false, &self.types[stack])?;
            }
        }
        for frame in extra {
            table.add(frame)?;
        }
        table.finish()
    }

    /// Turns the locals of the frame before into those of this one; true if they are the same, `None` if it chops more than there is.
    fn follow(&self, frame: &Frame, locals: &mut Vec<Type>) -> Option<bool> {
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

    /// Every frame, those of the trampolines among them: place, locals, and stack in [`Frames::types`].
    #[allow(clippy::type_complexity)]
    fn with_trampolines(
        &self,
        code: &Code<'_>,
        layout: &Layout,
        mut locals: Vec<Type>,
    ) -> Result<Vec<(u32, Vec<Type>, Range<usize>)>, SkipReason> {
        let mut written: Vec<(u32, Vec<Type>, Range<usize>)> = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            self.follow(frame, &mut locals).ok_or(SkipReason::malformed("chop frame", layout.code_at()))?;
            written.push((layout.start(frame.number), locals.clone(), frame.stack.clone()));
        }
        for (index, tramp) in layout.trampolines().iter().enumerate() {
            let frame = self.frames.binary_search_by_key(&tramp.to, |frame| frame.number);
            let frame = frame.map_err(|_| SkipReason::malformed("jump target without frame", layout.code_at()))?;
            let (_, locals, stack) = &written[frame];
            written.push((layout.trampoline_at(code, index), locals.clone(), stack.clone()));
        }
        written.sort_by_key(|frame| frame.0);
        Ok(written)
    }
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
}

impl Table<'_, '_> {
    /// Writes a frame. `same` says that its locals are those of the last call but for what the hooks have added.
    fn write(&mut self, at: u32, locals: &[Type], same: bool, early: bool, stack: &[Type]) -> Result<(), SkipReason> {
        let error = SkipReason::malformed("frame", self.layout.code_at());
        let delta = at.checked_sub(self.next).ok_or(error)?;
        self.next = at + 1;
        self.count += 1;
        let [high, low] = (delta as u16).to_be_bytes();
        self.out.extend_from_slice(&[255, high, low]);
        if same && !self.locals.is_empty() {
            self.out.extend_from_within(self.locals.clone());
        } else {
            let slots: usize = locals.iter().map(|local| local.slots()).sum();
            let tops = self.max_locals.checked_sub(slots).ok_or(error)?;
            let this: &[Type] = if early && self.tail.keeps_this { &[Type::UNINITIALIZED_THIS] } else { &[] };
            let count = locals.len() + tops + self.tail.types.len() + this.len();
            let start = self.out.len();
            self.out.extend_from_slice(&u16::try_from(count).map_err(|_| error)?.to_be_bytes());
            write_types(self.out, self.layout, locals);
            self.out.resize(self.out.len() + tops, Type::TOP.tag);
            write_types(self.out, self.layout, self.tail.types);
            write_types(self.out, self.layout, this);
            self.locals = start..self.out.len();
        }
        self.out.extend_from_slice(&(stack.len() as u16).to_be_bytes());
        write_types(self.out, self.layout, stack);
        Ok(())
    }

    fn add(&mut self, frame: &ExtraFrame<'_>) -> Result<(), SkipReason> {
        let locals = self.locals.clone();
        self.write(frame.at, frame.locals, false, frame.early, frame.stack.as_slice())?;
        self.locals = locals;
        Ok(())
    }

    fn finish(self) -> Result<(), SkipReason> {
        let error = SkipReason::malformed("too many frames", self.layout.code_at());
        let count = u16::try_from(self.count).map_err(|_| error)?;
        self.out[..2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }
}

fn write_types(out: &mut Vec<u8>, layout: &Layout, types: &[Type]) {
    for one in types {
        match one.tag {
            OBJECT => {
                let [high, low] = (one.data as u16).to_be_bytes();
                out.extend_from_slice(&[OBJECT, high, low]);
            }
            UNINITIALIZED => {
                let [high, low] = (layout.here(one.data as usize) as u16).to_be_bytes();
                out.extend_from_slice(&[UNINITIALIZED, high, low]);
            }
            tag => out.push(tag),
        }
    }
}

/// The locals at method entry. `this` is its type, if there is a receiver.
pub(crate) fn entry_locals(
    desc: &[u8],
    this: Option<Type>,
    additions: &mut Additions<'_>,
) -> Result<Vec<Type>, SkipReason> {
    let mut locals = Vec::with_capacity(16);
    locals.extend(this);
    for one in descriptor::arguments(desc) {
        locals.push(value_type(one, additions)?);
    }
    Ok(locals)
}

/// The verification type of a field descriptor.
pub(crate) fn value_type(desc: &[u8], additions: &mut Additions<'_>) -> Result<Type, SkipReason> {
    Ok(match desc.first() {
        Some(b'J') => Type::LONG,
        Some(b'D') => Type::DOUBLE,
        Some(b'F') => Type::FLOAT,
        Some(b'L') => Type::object(additions.class(&desc[1..desc.len() - 1])?),
        Some(b'[') => Type::object(additions.class(desc)?),
        _ => Type::INTEGER,
    })
}

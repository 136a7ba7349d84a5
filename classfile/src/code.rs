//! The Code attribute: instruction boundaries, jumps, handlers, and the attributes within.
//!
//! Invariant: every instruction lies whole within the code, and every jump, switch and handler names a boundary.
//! Source: JVMS 4.7.3, 4.9.1.

use crate::SkipReason;
use crate::class::{Attribute, Version, attributes};
use crate::opcode::{self as op, GOTO, GOTO_W, JSR, JSR_W, LOOKUPSWITCH, TABLESWITCH, WIDE};
use crate::pool::PoolView;
use crate::reader::Reader;

/// A scanned Code attribute. Instructions are named by their number; `count` names the end of the code.
pub(crate) struct Code<'a> {
    pub(crate) class: &'a [u8],
    pub(crate) version: Version,
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) bytes: &'a [u8],
    /// Offset of the code in the class file.
    pub(crate) at: usize,
    /// Bytecode index of each instruction, and the code's length.
    starts: Vec<u32>,
    /// Number of the instruction at each bytecode index, `NONE` within one.
    numbers: Vec<u32>,
    pub(crate) jumps: Vec<Jump>,
    pub(crate) handlers: Vec<Handler>,
    pub(crate) attributes: Vec<Attribute<'a>>,
    labels: Vec<bool>,
}

const NONE: u32 = u32::MAX;

/// A jump with one target (not a switch).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Jump {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// An exception-table entry, by instruction numbers. `end` may be the end of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handler {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) target: usize,
    pub(crate) catch_type: u16,
}

impl<'a> Code<'a> {
    /// Scans the attribute.
    pub(crate) fn read(
        class: &'a [u8],
        pool: &PoolView<'a>,
        version: Version,
        attribute: &Attribute<'_>,
    ) -> Result<Self, SkipReason> {
        let mut reader = Reader::within(class, attribute.body());
        let (max_stack, max_locals, len) = if version.is_pre_release() {
            (u16::from(reader.u1()?), u16::from(reader.u1()?), u32::from(reader.u2()?))
        } else {
            (reader.u2()?, reader.u2()?, reader.u4()?)
        };
        if !(1..=65535).contains(&len) {
            return Err(reader.error("code length"));
        }
        let at = reader.at();
        let bytes = reader.take(len as usize)?;
        let (starts, numbers) = boundaries(bytes, at)?;
        let count = starts.len() - 1;
        let mut code = Self {
            class,
            version,
            max_stack,
            max_locals,
            bytes,
            at,
            starts,
            numbers,
            jumps: Vec::new(),
            handlers: Vec::new(),
            attributes: Vec::new(),
            labels: vec![false; count],
        };
        code.find_jumps()?;
        code.read_handlers(&mut reader)?;
        code.attributes = attributes(&mut reader, pool)?;
        if !reader.is_at_end() {
            return Err(reader.error("Code attribute length"));
        }
        if !op::ends_flow(code.opcode(count - 1)) {
            return Err(SkipReason::malformed("code falls off its end", at + bytes.len()));
        }
        Ok(code)
    }

    fn find_jumps(&mut self) -> Result<(), SkipReason> {
        for from in 0..self.count() {
            let bci = self.bci(from);
            match self.opcode(from) {
                TABLESWITCH | LOOKUPSWITCH => {
                    let targets: Vec<_> = self.switch_offsets(from).collect();
                    for at in targets {
                        let target = self.target(bci, op::i4(self.bytes, at).unwrap_or(0))?;
                        self.labels[target] = true;
                    }
                }
                opcode if is_jump(opcode) => {
                    let offset = match opcode {
                        GOTO_W | JSR_W => op::i4(self.bytes, bci + 1).unwrap_or(0),
                        _ => i32::from(op::u2(self.bytes, bci + 1) as i16),
                    };
                    let to = self.target(bci, offset)?;
                    self.labels[to] = true;
                    self.jumps.push(Jump { from, to });
                    // Where a subroutine comes back to is a label as well: `ret` jumps there.
                    if matches!(opcode, JSR | JSR_W) && from + 1 < self.count() {
                        self.labels[from + 1] = true;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_handlers(&mut self, reader: &mut Reader<'a>) -> Result<(), SkipReason> {
        for _ in 0..reader.u2()? {
            let error = reader.error("exception table entry");
            let mut number = || Ok::<_, SkipReason>(self.number(u32::from(reader.u2()?)));
            let (start, end, target) = (number()?, number()?, number()?);
            let catch_type = reader.u2()?;
            match (start, end, target) {
                (Some(start), Some(end), Some(target)) if start < end && target < self.count() => {
                    self.labels[target] = true;
                    self.handlers.push(Handler { start, end, target, catch_type });
                }
                _ => return Err(error),
            }
        }
        Ok(())
    }

    /// How many instructions there are.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Bytecode index of an instruction, or of the end.
    pub(crate) fn bci(&self, number: usize) -> usize {
        self.starts[number] as usize
    }

    pub(crate) fn length(&self, number: usize) -> usize {
        (self.starts[number + 1] - self.starts[number]) as usize
    }

    pub(crate) fn opcode(&self, number: usize) -> u8 {
        self.bytes[self.bci(number)]
    }

    /// The instruction's own bytes.
    pub(crate) fn instruction(&self, number: usize) -> &'a [u8] {
        &self.bytes[self.bci(number)..self.bci(number + 1)]
    }

    /// The two-byte operand behind the opcode.
    pub(crate) fn operand(&self, number: usize) -> u16 {
        op::u2(self.bytes, self.bci(number) + 1)
    }

    /// The instruction that begins at `bci`; the end of the code counts as one.
    pub(crate) fn number(&self, bci: u32) -> Option<usize> {
        self.numbers.get(bci as usize).filter(|number| **number != NONE).map(|number| *number as usize)
    }

    /// The instruction that holds `bci`, and how far behind its start `bci` lies. The end of the code counts as one.
    pub(crate) fn containing(&self, bci: u32) -> Option<(usize, u32)> {
        if bci as usize > self.bytes.len() {
            return None;
        }
        let number = self.starts.partition_point(|start| *start <= bci) - 1;
        Some((number, bci - self.starts[number]))
    }

    /// Can control arrive here other than from the instruction before?
    pub(crate) fn is_label(&self, number: usize) -> bool {
        self.labels.get(number).copied().unwrap_or(false)
    }

    /// Offsets in the code of each four-byte target of a switch, the default first.
    pub(crate) fn switch_offsets(&self, number: usize) -> impl Iterator<Item = usize> + use<> {
        let bci = self.bci(number);
        let base = op::aligned(bci);
        let end = self.bci(number + 1);
        let (first, step) = if self.opcode(number) == TABLESWITCH { (base + 12, 4) } else { (base + 12, 8) };
        std::iter::once(base).chain((first..end).step_by(step))
    }

    /// The instruction a four-byte switch target at code offset `at` names.
    pub(crate) fn switch_target(&self, number: usize, at: usize) -> Result<usize, SkipReason> {
        self.target(self.bci(number), op::i4(self.bytes, at).unwrap_or(0))
    }

    fn target(&self, bci: usize, offset: i32) -> Result<usize, SkipReason> {
        let target = bci as i64 + i64::from(offset);
        let number = u32::try_from(target).ok().and_then(|target| self.number(target));
        number.filter(|number| *number < self.count()).ok_or(SkipReason::malformed("jump target", self.at + bci))
    }

    /// Opcode and local index of a load or store, `wide` and short forms resolved to the long form.
    pub(crate) fn local_access(&self, number: usize) -> Option<(u8, usize)> {
        let bytes = self.instruction(number);
        Some(match bytes[0] {
            WIDE => (bytes[1], usize::from(op::u2(bytes, 2))),
            opcode @ (op::ILOAD..=op::ALOAD | op::ISTORE..=op::ASTORE) => (opcode, usize::from(bytes[1])),
            opcode @ op::ILOAD_0..=op::ALOAD_3 => {
                (op::ILOAD + (opcode - op::ILOAD_0) / 4, usize::from((opcode - op::ILOAD_0) % 4))
            }
            opcode @ op::ISTORE_0..=op::ASTORE_3 => {
                (op::ISTORE + (opcode - op::ISTORE_0) / 4, usize::from((opcode - op::ISTORE_0) % 4))
            }
            _ => return None,
        })
    }
}

/// A jump with one target.
pub(crate) fn is_jump(opcode: u8) -> bool {
    op::is_conditional(opcode) || matches!(opcode, GOTO | JSR | GOTO_W | JSR_W)
}

fn boundaries(bytes: &[u8], at: usize) -> Result<(Vec<u32>, Vec<u32>), SkipReason> {
    let mut starts = Vec::with_capacity(bytes.len() / 2 + 2);
    let mut numbers = vec![NONE; bytes.len() + 1];
    let mut bci = 0;
    while bci < bytes.len() {
        numbers[bci] = starts.len() as u32;
        starts.push(bci as u32);
        bci += op::length(bytes, bci).ok_or(SkipReason::malformed("instruction", at + bci))?;
    }
    numbers[bci] = starts.len() as u32;
    starts.push(bci as u32);
    Ok((starts, numbers))
}

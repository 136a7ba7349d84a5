//! The Code attribute: instruction boundaries, jumps, handlers, and the attributes within.
//!
//! Invariant: every instruction lies whole within the code, and every jump, switch and handler
//! names a boundary.
//! Source: JVMS 4.7.3, 4.9.1.

mod passing;
mod scan;

use crate::SkipReason;
use crate::bci_map::opcode_hash::Weight;
use crate::format::descriptor::split_method;
use crate::format::opcode::{self as op, WIDE};
use crate::format::version::Version;
use crate::memory::reusable_vec::ReusableVec;
use std::ops::Range;

/// A scanned Code attribute. Instructions are named by their number; `count` names the end of the
/// code.
pub(crate) struct Code<'a> {
    pub(crate) class: &'a [u8],
    pub(crate) version: Version,
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) bytes: &'a [u8],
    /// Offset of the code in the class file.
    pub(crate) at: usize,
    /// One more than the last index of the pool.
    pub(crate) entries: usize,
    /// In a place of their own: they are large, and a code is moved.
    tables: Box<Tables>,
}

/// What a scan fills; handed from method to method, so that each allocates nothing.
#[derive(Default)]
pub(crate) struct Tables {
    /// Bytecode index of each instruction, and the code's length.
    starts: ReusableVec,
    /// Of all instructions.
    weight: Weight,
    /// How many locals they name: one more than the greatest.
    locals: u32,
    /// Number of the instruction at a bytecode index, if that is where `starts` has it; anything
    /// else within one.
    numbers: ReusableVec,
    /// Bits of each instruction: [`LABEL`], [`WATCHED`], [`LEFT`].
    flags: Vec<u8>,
    /// Depth of the stack before each instruction, if a single look at each was enough.
    depths: ReusableVec<u16>,
    sure: bool,
    marks: Vec<u16>,
    /// Jumps and switches, ascending.
    transfers: ReusableVec,
    jumps: Vec<Jump>,
    /// Ascending.
    switches: Vec<u32>,
    /// The instructions at which the hooks may have something to do, ascending.
    points: ReusableVec,
    handlers: Vec<Handler>,
    attributes: Vec<Attribute>,
}

/// Control can arrive here other than from the instruction before.
pub(crate) const LABEL: u8 = 1;
/// The range of a handler begins here.
pub(crate) const WATCHED: u8 = 2;
/// The range of a handler has ended before.
pub(crate) const LEFT: u8 = 4;

/// An attribute of the Code attribute.
#[derive(Clone)]
pub(crate) struct Attribute {
    pub(crate) contents: Contents,
    /// The whole attribute, name index and length included.
    pub(crate) whole: Range<usize>,
}

/// What is in an attribute, as far as it holds offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    Frames,
    Lines,
    Variables,
    VariableTypes,
    TypeAnnotations,
    Other,
}

impl Attribute {
    /// The contents, behind name index and length.
    pub(crate) fn body(&self) -> Range<usize> {
        self.whole.start + 6..self.whole.end
    }
}

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
    /// Gives the tables away, to be filled again.
    pub(crate) fn into_tables(self) -> Box<Tables> {
        self.tables
    }

    /// How many locals hold the arguments of the method, which has this descriptor, and the type
    /// that it gives back. Refuses one whose locals cannot hold them: the JVM takes no such class,
    /// and more locals would make it one that it takes.
    pub(crate) fn own_slots<'d>(&self, desc: &'d [u8], is_static: bool) -> Result<(usize, &'d [u8]), SkipReason> {
        let (arguments, result) = split_method(desc).ok_or(SkipReason::malformed("descriptor", self.at))?;
        let slots = arguments + usize::from(!is_static);
        let fits = slots <= usize::from(self.max_locals);
        fits.then_some((slots, result)).ok_or(SkipReason::malformed("max_locals", self.at))
    }

    /// What its instructions add to an opcode hash.
    pub(crate) fn weight(&self) -> Weight {
        self.tables.weight
    }

    /// Does an instruction put a value in a local? None that stays an int does so by `iinc`.
    pub(crate) fn stores(&self) -> bool {
        let starts = &self.tables.starts[..self.count()];
        starts.iter().any(|bci| matches!(self.bytes[*bci as usize], op::ISTORE..=op::ASTORE_3 | WIDE))
    }

    /// Slots on the stack before each instruction, where all are reached and the scan could see it.
    pub(crate) fn depths(&self) -> Option<&[u16]> {
        self.tables.sure.then_some(&*self.tables.depths)
    }

    /// Every jump with one target, ascending.
    pub(crate) fn jumps(&self) -> &[Jump] {
        &self.tables.jumps
    }

    /// Every jump and switch, ascending.
    pub(crate) fn transfers(&self) -> &[u32] {
        &self.tables.transfers
    }

    /// Every switch, ascending.
    pub(crate) fn switches(&self) -> &[u32] {
        &self.tables.switches
    }

    /// Every instruction at which the hooks may have something to do, ascending.
    pub(crate) fn points(&self) -> &[u32] {
        &self.tables.points
    }

    /// The exception table.
    pub(crate) fn handlers(&self) -> &[Handler] {
        &self.tables.handlers
    }

    /// The attributes within.
    pub(crate) fn attributes(&self) -> &[Attribute] {
        &self.tables.attributes
    }

    /// Bytecode index of each instruction, and the code's length.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.tables.starts
    }

    /// How many instructions there are.
    pub(crate) fn count(&self) -> usize {
        self.tables.starts.len() - 1
    }

    /// Bytecode index of an instruction, or of the end.
    pub(crate) fn bci(&self, number: usize) -> usize {
        self.tables.starts[number] as usize
    }

    pub(crate) fn length(&self, number: usize) -> usize {
        (self.tables.starts[number + 1] - self.tables.starts[number]) as usize
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
        self.tables.number(bci)
    }

    /// The instruction that holds `bci`, and how far behind its start `bci` lies. The end of the
    /// code counts as one.
    pub(crate) fn containing(&self, bci: u32) -> Option<(usize, u32)> {
        if bci as usize > self.bytes.len() {
            return None;
        }
        let number = self.tables.starts.partition_point(|start| *start <= bci) - 1;
        Some((number, bci - self.tables.starts[number]))
    }

    /// Can control arrive here other than from the instruction before?
    pub(crate) fn is_label(&self, number: usize) -> bool {
        self.tables.flags.get(number).is_some_and(|flags| flags & LABEL != 0)
    }

    /// Is there a label among these instructions?
    pub(crate) fn has_label(&self, numbers: Range<usize>) -> bool {
        self.tables.flags.get(numbers).is_none_or(|flags| flags.iter().any(|flags| flags & LABEL != 0))
    }

    /// Where control can arrive other than from the instruction before, and where the range of a
    /// handler begins or has ended: bits by instruction.
    pub(crate) fn flags(&self) -> &[u8] {
        &self.tables.flags
    }

    /// Does the range of a handler begin here?
    pub(crate) fn is_watched_from(&self, number: usize) -> bool {
        self.tables.flags.get(number).is_some_and(|flags| flags & WATCHED != 0)
    }

    /// Offsets in the code of each four-byte target of a switch, the default first.
    pub(crate) fn switch_offsets(&self, number: usize) -> impl Iterator<Item = usize> + use<> {
        op::switch_offsets(self.opcode(number), self.bci(number), self.bci(number + 1))
    }

    /// The instruction a four-byte switch target at code offset `at` names.
    pub(crate) fn switch_target(&self, number: usize, at: usize) -> Result<usize, SkipReason> {
        self.target(self.bci(number), op::i4(self.bytes, at).unwrap_or(0))
    }

    /// The instruction that a jump leads to.
    pub(crate) fn jump_target(&self, number: usize) -> Result<usize, SkipReason> {
        let bci = self.bci(number);
        self.target(bci, op::jump_offset(self.bytes, bci))
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
    op::kind(opcode) & op::JUMP != 0
}

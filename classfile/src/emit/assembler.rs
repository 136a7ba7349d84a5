//! Single instructions of the emitted code, in their shortest form.
//!
//! Invariant: the same call gives the same bytes, so a prologue can be recognised again; every
//! instruction is weighed once. Where pools are merged, no length depends on an index.
//! Source: JVMS chapter 6.

use crate::SkipReason;
use crate::bci_map::opcode_hash::Weight;
use crate::emit::constants::{Constants, Ref};
use crate::format::opcode::*;
use std::ops::Range;

/// Extra operand slots of the longest way to push an int.
pub(crate) const PUSH_EXTRA: usize = 1;

/// Writes instructions behind each other.
pub(crate) struct Assembler<'c, 'k> {
    out: Vec<u8>,
    weight: Weight,
    pub(crate) constants: &'c mut Constants<'k>,
}

/// Where a piece begins.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    at: usize,
    weight: Weight,
}

/// Instructions that were written, to be copied.
pub(crate) struct CodeSpan {
    at: Range<usize>,
    weight: Weight,
}

impl<'c, 'k> Assembler<'c, 'k> {
    /// Writes behind `out`.
    pub(crate) fn new(out: Vec<u8>, constants: &'c mut Constants<'k>) -> Self {
        Self { out, weight: Weight::default(), constants }
    }

    /// Gives away what was written, and goes on in `next`.
    pub(crate) fn take(&mut self, next: Vec<u8>) -> Vec<u8> {
        std::mem::replace(&mut self.out, next)
    }

    /// How much was written since the last was taken.
    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// All that was written, whatever was taken.
    pub(crate) fn weight(&self) -> Weight {
        self.weight
    }

    /// Begins a piece.
    pub(crate) fn begin(&self) -> Begun {
        Begun { at: self.out.len(), weight: self.weight }
    }

    /// Ends a piece.
    pub(crate) fn end(&self, begun: Begun) -> CodeSpan {
        CodeSpan { at: begun.at..self.out.len(), weight: self.weight - begun.weight }
    }

    /// A piece again.
    pub(crate) fn copy(&mut self, piece: &CodeSpan) {
        self.out.extend_from_within(piece.at.clone());
        self.weight = self.weight + piece.weight;
    }

    /// An instruction of one byte.
    pub(crate) fn op(&mut self, opcode: u8) {
        self.out.push(opcode);
        self.weight = self.weight + Weight::of(opcode);
    }

    /// Instructions of one byte each.
    pub(crate) fn ops(&mut self, opcodes: &[u8]) {
        self.out.extend_from_slice(opcodes);
        opcodes.iter().for_each(|opcode| self.weight = self.weight + Weight::of(*opcode));
    }

    /// One instruction with its operands.
    pub(crate) fn instruction(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.weight = self.weight + bytes.first().map_or(Weight::default(), |opcode| Weight::of(*opcode));
    }

    pub(crate) fn with_u1(&mut self, opcode: u8, operand: u8) {
        self.instruction(&[opcode, operand]);
    }

    pub(crate) fn with_u2(&mut self, opcode: u8, operand: u16) {
        let [high, low] = operand.to_be_bytes();
        self.instruction(&[opcode, high, low]);
    }

    /// A load or store in its long form's opcode; short, plain or `wide` form as the local allows.
    pub(crate) fn local(&mut self, opcode: u8, local: u16) {
        match (local, u8::try_from(local)) {
            (0..=3, _) => {
                let short = match opcode {
                    ISTORE.. => ISTORE_0 + (opcode - ISTORE) * 4,
                    _ => ILOAD_0 + (opcode - ILOAD) * 4,
                };
                self.op(short + local as u8);
            }
            (_, Ok(local)) => self.with_u1(opcode, local),
            _ => {
                let [high, low] = local.to_be_bytes();
                self.instruction(&[WIDE, opcode, high, low]);
            }
        }
    }

    /// Pushes an int: an immediate, a pool constant, or, where the pool is nearly full, two halves.
    pub(crate) fn int(&mut self, value: u32) {
        let signed = value as i32;
        if (-1..=5).contains(&signed) {
            self.op((i32::from(ICONST_0) + signed) as u8);
        } else if let Ok(byte) = i8::try_from(signed) {
            self.with_u1(BIPUSH, byte as u8);
        } else if let Ok(short) = i16::try_from(signed) {
            self.with_u2(SIPUSH, short as u16);
        } else if let Some(index) = self.constants.integer(value) {
            self.constant(index);
        } else {
            self.halves(value);
        }
    }

    /// Pushes what stands at an index of the pool, of one slot.
    pub(crate) fn constant(&mut self, index: u16) {
        match u8::try_from(index) {
            Ok(index) if !self.constants.merged => self.with_u1(LDC, index),
            _ => self.with_u2(LDC_W, index),
        }
    }

    /// Pushes an int without the pool: what stands in the code is the value, whatever becomes of
    /// the pool.
    pub(crate) fn immediate(&mut self, value: u32) {
        match i16::try_from(value as i32) {
            Ok(_) => self.int(value),
            Err(_) => self.halves(value),
        }
    }

    /// (high << 16) ^ low, where the sign of `low` has been taken out of `high`.
    fn halves(&mut self, value: u32) {
        let low = value as u16;
        let high = (value >> 16) as u16 ^ if low & 0x8000 == 0 { 0 } else { 0xFFFF };
        self.with_u2(SIPUSH, high);
        self.with_u1(BIPUSH, 16);
        self.op(ISHL);
        self.with_u2(SIPUSH, low);
        self.op(IXOR);
    }

    /// An instruction on a field or method of the hooks.
    pub(crate) fn member(&mut self, opcode: u8, member: Ref) -> Result<(), SkipReason> {
        let index = self.constants.member(member)?;
        self.with_u2(opcode, index);
        Ok(())
    }

    /// A forward jump to be bound later; gives its place.
    pub(crate) fn branch(&mut self, opcode: u8) -> usize {
        let at = self.out.len();
        self.with_u2(opcode, 0);
        at
    }

    /// A jump whose target is not known yet; gives its place.
    pub(crate) fn long_jump(&mut self) -> usize {
        let at = self.out.len();
        self.instruction(&[GOTO_W, 0, 0, 0, 0]);
        at
    }

    /// Lets the jump at `branch` lead to the current end.
    pub(crate) fn bind(&mut self, branch: usize) {
        let offset = (self.out.len() - branch) as u16;
        self.out[branch + 1..branch + 3].copy_from_slice(&offset.to_be_bytes());
    }
}

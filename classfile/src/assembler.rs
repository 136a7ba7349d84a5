//! Single instructions of the emitted code, in their shortest form.
//!
//! Invariant: the same call gives the same bytes, so a prologue can be recognised again.
//! Source: JVMS chapter 6.

use crate::SkipReason;
use crate::constants::{Constants, Ref};
use crate::opcode::*;

/// Extra operand slots of the longest way to push an int.
pub(crate) const PUSH_EXTRA: usize = 1;

/// Writes instructions behind each other.
pub(crate) struct Assembler<'c, 'k> {
    pub(crate) out: Vec<u8>,
    pub(crate) constants: &'c mut Constants<'k>,
}

impl Assembler<'_, '_> {
    pub(crate) fn op(&mut self, opcode: u8) {
        self.out.push(opcode);
    }

    fn with_u2(&mut self, opcode: u8, operand: u16) {
        self.out.push(opcode);
        self.out.extend_from_slice(&operand.to_be_bytes());
    }

    /// A load or store in its long form's opcode; short, plain or `wide` form as the local allows.
    pub(crate) fn local(&mut self, opcode: u8, local: u16) {
        match (local, u8::try_from(local)) {
            (0..=3, _) => {
                let short = match opcode {
                    ISTORE.. => ISTORE_0 + (opcode - ISTORE) * 4,
                    _ => ILOAD_0 + (opcode - ILOAD) * 4,
                };
                self.out.push(short + local as u8);
            }
            (_, Ok(local)) => self.out.extend_from_slice(&[opcode, local]),
            _ => {
                self.out.push(WIDE);
                self.with_u2(opcode, local);
            }
        }
    }

    /// Pushes an int: an immediate, a pool constant, or, where the pool is nearly full, two halves.
    pub(crate) fn int(&mut self, value: u32) {
        let signed = value as i32;
        if (-1..=5).contains(&signed) {
            self.out.push((i32::from(ICONST_0) + signed) as u8);
        } else if let Ok(byte) = i8::try_from(signed) {
            self.out.extend_from_slice(&[BIPUSH, byte as u8]);
        } else if let Ok(short) = i16::try_from(signed) {
            self.with_u2(SIPUSH, short as u16);
        } else if let Some(index) = self.constants.integer(value) {
            match u8::try_from(index) {
                Ok(index) => self.out.extend_from_slice(&[LDC, index]),
                Err(_) => self.with_u2(LDC_W, index),
            }
        } else {
            self.halves(value);
        }
    }

    /// Pushes an int without the pool: what stands in the code is the value, whatever becomes of the pool.
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
        self.out.extend_from_slice(&[BIPUSH, 16, ISHL]);
        self.with_u2(SIPUSH, low);
        self.out.push(IXOR);
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

    /// Lets the jump at `branch` lead to the current end.
    pub(crate) fn bind(&mut self, branch: usize) {
        let offset = (self.out.len() - branch) as u16;
        self.out[branch + 1..branch + 3].copy_from_slice(&offset.to_be_bytes());
    }
}

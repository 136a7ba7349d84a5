//! Recognising rewritten code by its prologue.
//!
//! Invariant: only the exact shape that the emitter writes counts, and the id stands in the code
//! itself: the code of an obsolete method belongs to a constant pool that the JVM no longer gives
//! away. A program could hold the same shape by chance, so callers compare the names of the method
//! that the id leads to.
//! Source: docs/design/emitted-code.md; JVMTI GetBytecodes, "obsolete methods".

use crate::format::opcode::*;
use lucce_words::MethodId;

/// The id that the prologue of rewritten `code` passes to the hooks; `None` for code of any other
/// shape.
pub fn method_id_of(code: &[u8]) -> Option<MethodId> {
    let mut cursor = Cursor { code, at: 0 };
    cursor.skips(INVOKESTATIC, 2)?;
    if cursor.peek() == Some(DUP) {
        return hashed(code);
    }
    let thread = cursor.local(ASTORE)?;
    let pushes = cursor.peek() == Some(ICONST_M1);
    if pushes {
        cursor.skips(ICONST_M1, 0)?;
        cursor.local(ISTORE)?;
    }
    let behind = cursor.at;
    if let Some(id) = cursor.int() {
        // The method is entered later.
        cursor.skips(I2L, 0)?;
        cursor.local(LSTORE)?;
        return Some(MethodId(id));
    }
    cursor.at = behind;
    (cursor.local(ALOAD)? == thread).then_some(())?;
    let id = cursor.int()?;
    cursor.skips(INVOKESTATIC, 2)?;
    if pushes && cursor.peek() == Some(DUP2) {
        cursor.skips(DUP2, 0)?;
        cursor.local(LSTORE)?;
        if cursor.peek() != Some(LCONST_0) {
            // The version's local.
            (cursor.local(ALOAD)? == thread).then_some(())?;
            cursor.skips(GETFIELD, 2)?;
            cursor.local(ISTORE)?;
        }
        cursor.skips(LCONST_0, 0)?;
        cursor.skips(LCMP, 0)?;
        cursor.skips(IFGE, 2)?;
    } else {
        cursor.local(LSTORE)?;
    }
    Some(MethodId(id))
}

/// Where words are hashed the id stands at the end: in the handler, whose length the locals'
/// numbers decide.
fn hashed(code: &[u8]) -> Option<MethodId> {
    let mut cursor = Cursor { code, at: 3 };
    cursor.skips(DUP, 0)?;
    let thread = cursor.local(ASTORE)?;
    cursor.skips(GETFIELD, 2)?;
    let lengths = [1, 2, 4];
    let starts = lengths.iter().flat_map(|thread| lengths.map(|word| thread + word));
    starts.filter_map(|locals| code.len().checked_sub(HALVES + locals + 4)).find_map(|at| {
        let mut cursor = Cursor { code, at };
        (cursor.local(ALOAD)? == thread).then_some(())?;
        cursor.local(LLOAD)?;
        cursor.skips(PUTFIELD, 2)?;
        let mut half = || {
            let half = (cursor.byte()? == SIPUSH).then(|| cursor.u2())??;
            (cursor.byte()? == POP).then_some(u32::from(half))
        };
        let id = half()? << 16 | half()?;
        cursor.skips(ATHROW, 0)?;
        (cursor.at == code.len()).then_some(MethodId(id))
    })
}

/// Bytes of an id in two halves, each pushed and popped.
const HALVES: usize = 8;

struct Cursor<'c> {
    code: &'c [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.code.get(self.at).copied()
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn u2(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes([self.byte()?, self.byte()?]))
    }

    /// Goes behind `opcode` and its operand bytes, if it stands here.
    fn skips(&mut self, opcode: u8, operands: usize) -> Option<()> {
        (self.byte()? == opcode).then_some(())?;
        self.at += operands;
        (self.at <= self.code.len()).then_some(())
    }

    /// The local of a load or store in any form of `opcode`.
    fn local(&mut self, opcode: u8) -> Option<u16> {
        let short = if opcode >= ISTORE { ISTORE_0 + (opcode - ISTORE) * 4 } else { ILOAD_0 + (opcode - ILOAD) * 4 };
        match self.byte()? {
            WIDE if self.byte()? == opcode => self.u2(),
            op if op == opcode => self.byte().map(u16::from),
            op if (short..short + 4).contains(&op) => Some(u16::from(op - short)),
            _ => None,
        }
    }

    /// The int pushed here as an immediate.
    fn int(&mut self) -> Option<u32> {
        match self.byte()? {
            op @ ICONST_M1..=8 => Some(i32::from(op).wrapping_sub(i32::from(ICONST_0)) as u32),
            BIPUSH => Some(i32::from(self.byte()? as i8) as u32),
            SIPUSH => {
                let high = i32::from(self.u2()? as i16);
                if self.code.get(self.at..self.at + 3) != Some(&[BIPUSH, 16, ISHL]) {
                    return Some(high as u32);
                }
                self.at += 3;
                (self.byte()? == SIPUSH).then_some(())?;
                let low = i32::from(self.u2()? as i16);
                (self.byte()? == IXOR).then_some((high << 16 ^ low) as u32)
            }
            _ => None,
        }
    }
}

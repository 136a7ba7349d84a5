//! Recognising rewritten code by its prologue.
//!
//! Invariant: only the exact shape that the emitter writes counts, read through the pool the code belongs to, whose
//! indices a JVM may have renumbered.
//! Source: ARCHITECTURE ("Emitted code"); JVMTI GetBytecodes, GetConstantPool.

use crate::constants::Ref;
use crate::opcode::*;
use crate::pool::PoolView;
use lucce_words::MethodId;

/// The id that the prologue of rewritten `code` passes to the hooks; `None` for any other code.
/// `pool` is the pool of the code's class version, as JVMTI `GetConstantPool` gives it.
pub fn method_id_of(code: &[u8], pool: &PoolView<'_>) -> Option<MethodId> {
    let mut cursor = Cursor { code, at: 0, pool };
    cursor.invokes(Ref::CurrentThread).then_some(())?;
    let thread = cursor.local(ASTORE)?;
    if code.get(cursor.at) == Some(&ICONST_M1) {
        cursor.at += 1;
        cursor.local(ISTORE)?;
    }
    if cursor.local(ALOAD)? != thread {
        return None;
    }
    let id = cursor.int()?;
    (cursor.invokes(Ref::Enter) || cursor.invokes(Ref::EnterUntrusted)).then_some(MethodId(id))
}

struct Cursor<'c, 'a> {
    code: &'c [u8],
    at: usize,
    pool: &'c PoolView<'a>,
}

impl Cursor<'_, '_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = self.code.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    fn u2(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes([self.byte()?, self.byte()?]))
    }

    /// Does a call of `member` stand here? If so the cursor goes behind it.
    fn invokes(&mut self, member: Ref) -> bool {
        let is_call = self.code.get(self.at) == Some(&INVOKESTATIC) && self.at + 3 <= self.code.len();
        let found = is_call && self.pool.member(u2(self.code, self.at + 1)) == Some(member.parts().1);
        self.at += if found { 3 } else { 0 };
        found
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

    /// The int pushed here.
    fn int(&mut self) -> Option<u32> {
        match self.byte()? {
            op @ ICONST_M1..=8 => Some(i32::from(op).wrapping_sub(i32::from(ICONST_0)) as u32),
            BIPUSH => Some(i32::from(self.byte()? as i8) as u32),
            LDC => self.byte().and_then(|index| self.pool.integer(u16::from(index))),
            LDC_W => self.u2().and_then(|index| self.pool.integer(index)),
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

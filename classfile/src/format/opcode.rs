//! The instruction set: lengths, and what ends a straight line.
//!
//! Invariant: every opcode up to `jsr_w` has a length.
//! Source: JVMS chapter 6.

#![allow(missing_docs)]

mod effects;
mod locals;

pub(crate) use effects::{SPECIAL, effect};
pub(crate) use locals::{locals, wide_locals};

pub(crate) const ACONST_NULL: u8 = 1;
pub(crate) const ICONST_M1: u8 = 2;
pub(crate) const ICONST_0: u8 = 3;
pub(crate) const ICONST_1: u8 = 4;
pub(crate) const LCONST_0: u8 = 9;
pub(crate) const LCONST_1: u8 = 10;
pub(crate) const FCONST_0: u8 = 11;
pub(crate) const DCONST_0: u8 = 14;
pub(crate) const BIPUSH: u8 = 16;
pub(crate) const SIPUSH: u8 = 17;
pub(crate) const LDC: u8 = 18;
pub(crate) const LDC_W: u8 = 19;
pub(crate) const LDC2_W: u8 = 20;
pub(crate) const ILOAD: u8 = 21;
pub(crate) const LLOAD: u8 = 22;
pub(crate) const ALOAD: u8 = 25;
pub(crate) const ILOAD_0: u8 = 26;
pub(crate) const ALOAD_3: u8 = 45;
pub(crate) const ISTORE: u8 = 54;
pub(crate) const LSTORE: u8 = 55;
pub(crate) const FSTORE: u8 = 56;
pub(crate) const DSTORE: u8 = 57;
pub(crate) const ASTORE: u8 = 58;
pub(crate) const ISTORE_0: u8 = 59;
pub(crate) const ASTORE_3: u8 = 78;
pub(crate) const POP: u8 = 87;
pub(crate) const POP2: u8 = 88;
pub(crate) const DUP: u8 = 89;
pub(crate) const DUP_X1: u8 = 90;
pub(crate) const DUP_X2: u8 = 91;
pub(crate) const DUP2: u8 = 92;
pub(crate) const DUP2_X1: u8 = 93;
pub(crate) const DUP2_X2: u8 = 94;
pub(crate) const SWAP: u8 = 95;
pub(crate) const IADD: u8 = 96;
pub(crate) const LADD: u8 = 97;
pub(crate) const LSUB: u8 = 101;
pub(crate) const LMUL: u8 = 105;
pub(crate) const ISHL: u8 = 120;
pub(crate) const LSHL: u8 = 121;
pub(crate) const LSHR: u8 = 123;
pub(crate) const LUSHR: u8 = 125;
pub(crate) const IOR: u8 = 128;
pub(crate) const IXOR: u8 = 130;
pub(crate) const LXOR: u8 = 131;
pub(crate) const IINC: u8 = 132;
pub(crate) const I2L: u8 = 133;
pub(crate) const L2I: u8 = 136;
pub(crate) const LCMP: u8 = 148;
pub(crate) const IFEQ: u8 = 153;
pub(crate) const IFNE: u8 = 154;
pub(crate) const IFLT: u8 = 155;
pub(crate) const IFGE: u8 = 156;
pub(crate) const GOTO: u8 = 167;
pub(crate) const JSR: u8 = 168;
pub(crate) const RET: u8 = 169;
pub(crate) const TABLESWITCH: u8 = 170;
pub(crate) const LOOKUPSWITCH: u8 = 171;
pub(crate) const IRETURN: u8 = 172;
pub(crate) const RETURN: u8 = 177;
pub(crate) const GETSTATIC: u8 = 178;
pub(crate) const PUTSTATIC: u8 = 179;
pub(crate) const GETFIELD: u8 = 180;
pub(crate) const PUTFIELD: u8 = 181;
pub(crate) const INVOKEVIRTUAL: u8 = 182;
pub(crate) const INVOKESPECIAL: u8 = 183;
pub(crate) const INVOKESTATIC: u8 = 184;
pub(crate) const INVOKEINTERFACE: u8 = 185;
pub(crate) const INVOKEDYNAMIC: u8 = 186;
pub(crate) const NEW: u8 = 187;
pub(crate) const NEWARRAY: u8 = 188;
pub(crate) const ANEWARRAY: u8 = 189;
pub(crate) const ATHROW: u8 = 191;
pub(crate) const CHECKCAST: u8 = 192;
pub(crate) const INSTANCEOF: u8 = 193;
pub(crate) const MONITORENTER: u8 = 194;
pub(crate) const WIDE: u8 = 196;
pub(crate) const MULTIANEWARRAY: u8 = 197;
pub(crate) const IFNULL: u8 = 198;
pub(crate) const IFNONNULL: u8 = 199;
pub(crate) const GOTO_W: u8 = 200;
pub(crate) const JSR_W: u8 = 201;

const COUNT: usize = 202;

/// `(how many opcodes, length)`; 0 where the length depends on operands.
const LENGTHS: &[(usize, u8)] = &[
    (16, 1), // nop .. dconst_1
    (1, 2),  // bipush
    (1, 3),  // sipush
    (1, 2),  // ldc
    (2, 3),  // ldc_w, ldc2_w
    (5, 2),  // iload .. aload
    (28, 1), // iload_0 .. saload
    (5, 2),  // istore .. astore
    (73, 1), // istore_0 .. lxor
    (1, 3),  // iinc
    (20, 1), // i2l .. dcmpg
    (16, 3), // ifeq .. jsr
    (1, 2),  // ret
    (2, 0),  // switches
    (6, 1),  // returns
    (7, 3),  // getstatic .. invokestatic
    (2, 5),  // invokeinterface, invokedynamic
    (1, 3),  // new
    (1, 2),  // newarray
    (1, 3),  // anewarray
    (2, 1),  // arraylength, athrow
    (2, 3),  // checkcast, instanceof
    (2, 1),  // monitorenter, monitorexit
    (1, 0),  // wide
    (1, 4),  // multianewarray
    (2, 3),  // ifnull, ifnonnull
    (2, 5),  // goto_w, jsr_w
];

/// 0 for what is no opcode, too.
pub(crate) const LENGTH: [u8; 256] = {
    let mut table = [0; 256];
    let (mut run, mut op) = (0, 0);
    while run < LENGTHS.len() {
        let mut left = LENGTHS[run].0;
        while left > 0 {
            table[op] = LENGTHS[run].1;
            op += 1;
            left -= 1;
        }
        run += 1;
    }
    assert!(op == COUNT, "the lengths cover every opcode");
    table
};

/// What a scan must know of an opcode, as bits of [`kind`].
pub(crate) const JUMP: u8 = 1;
pub(crate) const SWITCH: u8 = 2;
/// Control never goes on to the next instruction (but for `wide ret`).
pub(crate) const ENDS: u8 = 4;
/// The hooks may have something to do here.
pub(crate) const POINT: u8 = 8;

const KIND: [u8; 256] = {
    let mut table = [0; 256];
    let mut op = 0;
    while op < COUNT {
        let opcode = op as u8;
        let mut kind = 0;
        if is_conditional(opcode) || matches!(opcode, GOTO | JSR | GOTO_W | JSR_W) {
            kind |= JUMP;
        }
        if matches!(opcode, TABLESWITCH | LOOKUPSWITCH) {
            kind |= SWITCH;
        }
        if ends_flow(opcode) {
            kind |= ENDS;
        }
        if matches!(opcode, LDC..=LDC2_W | IRETURN..=PUTSTATIC | INVOKEVIRTUAL..=ANEWARRAY | ATHROW | MONITORENTER | MULTIANEWARRAY)
        {
            kind |= POINT;
        }
        table[op] = kind;
        op += 1;
    }
    table
};

/// The bits [`JUMP`], [`SWITCH`], [`ENDS`] and [`POINT`].
pub(crate) const fn kind(op: u8) -> u8 {
    KIND[op as usize]
}

/// Length of the instruction at `bci`, if it lies whole within `code`.
#[inline]
pub(crate) fn length(code: &[u8], bci: usize) -> Option<usize> {
    let op = *code.get(bci)?;
    match usize::from(LENGTH[usize::from(op)]) {
        0 => variable_length(code, bci, op),
        len => (bci + len <= code.len()).then_some(len),
    }
}

/// Where the instruction at `bci` ends, which may be behind `code`; `None` for what is none.
#[inline]
pub(crate) fn end(code: &[u8], bci: usize, op: u8) -> Option<usize> {
    match usize::from(LENGTH[usize::from(op)]) {
        0 => variable_length(code, bci, op).map(|len| bci + len),
        len => Some(bci + len),
    }
}

#[cold]
fn variable_length(code: &[u8], bci: usize, op: u8) -> Option<usize> {
    let len = match op {
        TABLESWITCH => {
            let base = aligned(bci);
            let (low, high) = (i4(code, base + 4)?, i4(code, base + 8)?);
            let cases = i64::from(high) - i64::from(low) + 1;
            let cases = usize::try_from(cases).ok().filter(|cases| *cases <= code.len())?;
            base + 12 + 4 * cases - bci
        }
        LOOKUPSWITCH => {
            let base = aligned(bci);
            let pairs = usize::try_from(i4(code, base + 4)?).ok().filter(|pairs| *pairs <= code.len())?;
            base + 8 + 8 * pairs - bci
        }
        WIDE => match *code.get(bci + 1)? {
            IINC => 6,
            ILOAD..=ALOAD | ISTORE..=ASTORE | RET => 4,
            _ => return None,
        },
        _ => return None,
    };
    (bci + len <= code.len()).then_some(len)
}

/// Where the operands of a switch at `bci` begin.
pub(crate) fn aligned(bci: usize) -> usize {
    (bci & !3) + 4
}

/// Offsets in the code of each four-byte target of the switch from `bci` to `end`, the default
/// first.
pub(crate) fn switch_offsets(opcode: u8, bci: usize, end: usize) -> impl Iterator<Item = usize> {
    let base = aligned(bci);
    let step = if opcode == TABLESWITCH { 4 } else { 8 };
    std::iter::once(base).chain((base + 12..end).step_by(step))
}

/// How far the jump at `bci` leads.
pub(crate) fn jump_offset(code: &[u8], bci: usize) -> i32 {
    match code[bci] {
        GOTO_W | JSR_W => i4(code, bci + 1).unwrap_or(0),
        _ => i32::from(u2(code, bci + 1) as i16),
    }
}

pub(crate) fn i4(code: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_be_bytes(code.get(at..at + 4)?.try_into().ok()?))
}

/// What is not there counts as 0.
pub(crate) fn u2(code: &[u8], at: usize) -> u16 {
    match code.get(at..).and_then(<[u8]>::first_chunk) {
        Some(bytes) => u16::from_be_bytes(*bytes),
        None => u16::from(code.get(at).copied().unwrap_or(0)) << 8,
    }
}

/// A conditional jump with a two-byte offset.
pub(crate) const fn is_conditional(op: u8) -> bool {
    matches!(op, 153..=166 | IFNULL | IFNONNULL)
}

pub(crate) fn is_return(op: u8) -> bool {
    matches!(op, IRETURN..=RETURN)
}

/// Does control never go on to the next instruction?
pub(crate) const fn ends_flow(op: u8) -> bool {
    matches!(op, GOTO | RET..=RETURN | ATHROW | GOTO_W)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_instructions_with_operands() {
        assert_eq!(length(&[TABLESWITCH, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0], 0), None);
        let mut table = vec![TABLESWITCH, 0, 0, 0];
        table.extend([0u32, 5, 6, 9, 9].into_iter().flat_map(u32::to_be_bytes));
        assert_eq!(length(&table, 0), Some(24));
        assert_eq!(length(&[WIDE, IINC, 0, 0, 0, 0], 0), Some(6));
        assert_eq!(length(&[WIDE, POP, 0, 0], 0), None);
        assert_eq!(length(&[INVOKEINTERFACE, 0, 0, 0, 0], 0), Some(5));
        assert_eq!(length(&[202], 0), None);
    }
}

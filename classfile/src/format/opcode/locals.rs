//! How many locals each instruction takes the method to have.
//!
//! Invariant: one more than the greatest local that it names, whichever form it has.
//! Source: JVMS 4.9.1 (static constraints), chapter 6.

use super::*;

/// What the opcode alone says, and all bits where the byte behind it comes on top.
const LOCALS: [(u8, u8); 256] = {
    let mut table = [(0, 0); 256];
    let mut op = 0;
    while op < COUNT {
        table[op] = of(op as u8);
        op += 1;
    }
    table
};

const fn of(op: u8) -> (u8, u8) {
    match op {
        ILOAD..=ALOAD => (slots(op - ILOAD), u8::MAX),
        ISTORE..=ASTORE => (slots(op - ISTORE), u8::MAX),
        IINC | RET => (1, u8::MAX),
        ILOAD_0..=ALOAD_3 => ((op - ILOAD_0) % 4 + slots((op - ILOAD_0) / 4), 0),
        ISTORE_0..=ASTORE_3 => ((op - ISTORE_0) % 4 + slots((op - ISTORE_0) / 4), 0),
        _ => (0, 0),
    }
}

/// Slots of an int, long, float, double or reference.
const fn slots(kind: u8) -> u8 {
    if matches!(kind, 1 | 3) { 2 } else { 1 }
}

/// Of an instruction with these two bytes behind its opcode; the operand of a `wide` one is not
/// looked at.
#[inline]
pub(crate) fn locals(opcode: u8, behind: u16) -> u32 {
    let (own, operand) = LOCALS[usize::from(opcode)];
    u32::from(own) + u32::from((behind >> 8) as u8 & operand)
}

/// Of a `wide` instruction.
pub(crate) fn wide_locals(code: &[u8], bci: usize) -> u32 {
    let own = code.get(bci + 1).map_or(0, |op| LOCALS[usize::from(*op)].0);
    u32::from(own) + u32::from(u2(code, bci + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_names_its_greatest_local() {
        for (code, most) in [
            (&[ILOAD, 7][..], 8),
            (&[LLOAD, 255], 257),
            (&[DSTORE, 7], 9),
            (&[IINC, 7, 9], 8),
            (&[RET, 7], 8),
            (&[ILOAD_0 + 5, 99], 3),
            (&[ALOAD_3, 99], 4),
            (&[ISTORE_0 + 13], 3),
            (&[ALOAD_3 + 1, 99], 0),
            (&[SIPUSH, 9, 9], 0),
        ] {
            assert_eq!(locals(code[0], u2(code, 1)), most, "{code:?}");
        }
        assert_eq!(wide_locals(&[WIDE, LSTORE, 1, 2], 0), 260);
        assert_eq!(wide_locals(&[WIDE, IINC, 1, 2, 0, 0], 0), 259);
    }
}

//! Stack effects: how many slots each instruction pops and pushes.
//!
//! Invariant: every opcode up to `jsr_w` has an effect; only those whose effect needs an operand
//! are left to the flow analysis.
//! Source: JVMS chapter 6 (operand stack).

use super::COUNT;

/// `(how many opcodes, slots popped, slots pushed)`; popped is [`SPECIAL`] where operands or copies
/// decide.
const EFFECTS: &[(usize, u8, u8)] = &[
    (1, 0, 0),       // nop
    (8, 0, 1),       // aconst_null .. iconst_5
    (2, 0, 2),       // lconst
    (3, 0, 1),       // fconst
    (2, 0, 2),       // dconst
    (4, 0, 1),       // bipush, sipush, ldc, ldc_w
    (1, 0, 2),       // ldc2_w
    (1, 0, 1),       // iload
    (1, 0, 2),       // lload
    (1, 0, 1),       // fload
    (1, 0, 2),       // dload
    (1, 0, 1),       // aload
    (4, 0, 1),       // iload_n
    (4, 0, 2),       // lload_n
    (4, 0, 1),       // fload_n
    (4, 0, 2),       // dload_n
    (4, 0, 1),       // aload_n
    (1, 2, 1),       // iaload
    (1, 2, 2),       // laload
    (1, 2, 1),       // faload
    (1, 2, 2),       // daload
    (4, 2, 1),       // aaload .. saload
    (1, 1, 0),       // istore
    (1, 2, 0),       // lstore
    (1, 1, 0),       // fstore
    (1, 2, 0),       // dstore
    (1, 1, 0),       // astore
    (4, 1, 0),       // istore_n
    (4, 2, 0),       // lstore_n
    (4, 1, 0),       // fstore_n
    (4, 2, 0),       // dstore_n
    (4, 1, 0),       // astore_n
    (1, 3, 0),       // iastore
    (1, 4, 0),       // lastore
    (1, 3, 0),       // fastore
    (1, 4, 0),       // dastore
    (4, 3, 0),       // aastore .. sastore
    (1, 1, 0),       // pop
    (1, 2, 0),       // pop2
    (7, SPECIAL, 0), // dup .. swap
    (1, 2, 1),       // iadd
    (1, 4, 2),       // ladd
    (1, 2, 1),       // fadd
    (1, 4, 2),       // dadd
    (1, 2, 1),       // isub
    (1, 4, 2),       // lsub
    (1, 2, 1),       // fsub
    (1, 4, 2),       // dsub
    (1, 2, 1),       // imul
    (1, 4, 2),       // lmul
    (1, 2, 1),       // fmul
    (1, 4, 2),       // dmul
    (1, 2, 1),       // idiv
    (1, 4, 2),       // ldiv
    (1, 2, 1),       // fdiv
    (1, 4, 2),       // ddiv
    (1, 2, 1),       // irem
    (1, 4, 2),       // lrem
    (1, 2, 1),       // frem
    (1, 4, 2),       // drem
    (1, 1, 1),       // ineg
    (1, 2, 2),       // lneg
    (1, 1, 1),       // fneg
    (1, 2, 2),       // dneg
    (1, 2, 1),       // ishl
    (1, 3, 2),       // lshl
    (1, 2, 1),       // ishr
    (1, 3, 2),       // lshr
    (1, 2, 1),       // iushr
    (1, 3, 2),       // lushr
    (1, 2, 1),       // iand
    (1, 4, 2),       // land
    (1, 2, 1),       // ior
    (1, 4, 2),       // lor
    (1, 2, 1),       // ixor
    (1, 4, 2),       // lxor
    (1, 0, 0),       // iinc
    (1, 1, 2),       // i2l
    (1, 1, 1),       // i2f
    (1, 1, 2),       // i2d
    (2, 2, 1),       // l2i, l2f
    (1, 2, 2),       // l2d
    (1, 1, 1),       // f2i
    (2, 1, 2),       // f2l, f2d
    (1, 2, 1),       // d2i
    (1, 2, 2),       // d2l
    (1, 2, 1),       // d2f
    (3, 1, 1),       // i2b, i2c, i2s
    (1, 4, 1),       // lcmp
    (2, 2, 1),       // fcmp
    (2, 4, 1),       // dcmp
    (6, 1, 0),       // ifeq .. ifle
    (8, 2, 0),       // if_icmpeq .. if_acmpne
    (3, 0, 0),       // goto, jsr, ret
    (2, 1, 0),       // switches
    (1, 1, 0),       // ireturn
    (1, 2, 0),       // lreturn
    (1, 1, 0),       // freturn
    (1, 2, 0),       // dreturn
    (1, 1, 0),       // areturn
    (1, 0, 0),       // return
    (9, SPECIAL, 0), // fields and invocations
    (1, 0, 1),       // new
    (3, 1, 1),       // newarray, anewarray, arraylength
    (1, 1, 0),       // athrow
    (2, 1, 1),       // checkcast, instanceof
    (2, 1, 0),       // monitors
    (2, SPECIAL, 0), // wide, multianewarray
    (2, 1, 0),       // ifnull, ifnonnull
    (2, 0, 0),       // goto_w, jsr_w
];

pub(crate) const SPECIAL: u8 = u8::MAX;

/// [`SPECIAL`] for what is no opcode, too.
pub(super) static EFFECT: [(u8, u8); 256] = {
    let mut table = [(SPECIAL, 0); 256];
    let (mut run, mut op) = (0, 0);
    while run < EFFECTS.len() {
        let mut left = EFFECTS[run].0;
        while left > 0 {
            table[op] = (EFFECTS[run].1, EFFECTS[run].2);
            op += 1;
            left -= 1;
        }
        run += 1;
    }
    assert!(op == COUNT, "the effects cover every opcode");
    table
};

/// `(popped, pushed)` in slots.
pub(crate) const fn effect(op: u8) -> (u8, u8) {
    EFFECT[op as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::opcode::*;

    #[test]
    fn effects_stand_at_their_opcodes() {
        assert_eq!((effect(LCMP), effect(L2I), effect(ATHROW), effect(LDC2_W)), ((4, 1), (2, 1), (1, 0), (0, 2)));
        assert_eq!((effect(IFNULL), effect(IRETURN + 1), effect(NEW)), ((1, 0), (2, 0), (0, 1)));
    }
}

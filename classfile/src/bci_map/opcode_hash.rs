//! What of a method's code survives in the JVM: its opcodes.
//!
//! Invariant: equal for the code as emitted and as JVMTI GetBytecodes gives it, also when a
//! redefinition has renumbered the constant pool; different as soon as another agent has inserted
//! or replaced an instruction of another length or opcode. It does not say where they stand:
//! [`BciMap::fits`](crate::BciMap::fits) does, for the places that matter.
//! Source: JVMTI GetBytecodes; HotSpot rewrites operands only.

use crate::format::opcode::end;

/// A hash of the opcodes and of the code's length. 0 for what is not code.
pub fn opcode_hash(code: &[u8]) -> u64 {
    let (mut sum, mut at) = (Weight::default(), 0);
    while let Some(&opcode) = code.get(at) {
        sum = sum + Weight::of(opcode);
        let Some(end) = end(code, at, opcode) else { return 0 };
        at = end;
    }
    if at == code.len() { sum.opcode_hash(at) } else { 0 }
}

/// What instructions add to an opcode hash: a sum, so that each piece of code is gone through once,
/// where it is read or emitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight(u64);

impl Weight {
    /// Of an instruction with this opcode.
    pub(crate) const fn of(opcode: u8) -> Self {
        Self(WEIGHTS[opcode as usize])
    }

    /// The opcode hash of code of this length, whose instructions weigh so much.
    pub(crate) fn opcode_hash(self, len: usize) -> u64 {
        self.0.wrapping_add(len as u64)
    }
}

impl std::ops::Add for Weight {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl std::ops::Sub for Weight {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

/// Sums of few of them are equal by chance only: steps of the generator splitmix64.
static WEIGHTS: [u64; 256] = {
    let mut table = [0; 256];
    let mut opcode = 0;
    while opcode < table.len() {
        let mut mixed = (opcode as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        table[opcode] = mixed ^ mixed >> 31;
        opcode += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_do_not_count_and_instructions_do() {
        // ldc 1, pop, return; with another constant; with an instruction more; with others.
        assert_eq!(opcode_hash(&[18, 1, 87, 177]), opcode_hash(&[18, 9, 87, 177]));
        assert_ne!(opcode_hash(&[18, 1, 87, 177]), opcode_hash(&[0, 18, 1, 87, 177]));
        assert_ne!(opcode_hash(&[18, 1, 87, 177]), opcode_hash(&[16, 1, 87, 177]));
        assert_eq!(opcode_hash(&[18]), 0);
    }

    #[test]
    fn pieces_weigh_as_much_as_the_whole() {
        let whole = [18, 87, 0, 177].into_iter().map(Weight::of).fold(Weight::default(), std::ops::Add::add);
        assert_eq!((whole - Weight::of(0)).opcode_hash(4), opcode_hash(&[18, 1, 87, 177]));
    }
}

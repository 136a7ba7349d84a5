//! What of a method's code survives in the JVM: the opcodes and where they stand.
//!
//! Invariant: equal for the code as emitted and as JVMTI GetBytecodes gives it, also when a redefinition has renumbered the constant pool;
//! different as soon as another agent has inserted or replaced an instruction of another length or opcode.
//! Source: JVMTI GetBytecodes; HotSpot rewrites operands only.

use crate::opcode::length;

/// A hash of the opcodes and their places. 0 for what is not code.
pub fn skeleton(code: &[u8]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut at = 0;
    while at < code.len() {
        let Some(length) = length(code, at) else { return 0 };
        for byte in [code[at], at as u8, (at >> 8) as u8] {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
        at += length;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_do_not_count_and_instructions_do() {
        // ldc 1, pop, return; with another constant; with an instruction more.
        assert_eq!(skeleton(&[18, 1, 87, 177]), skeleton(&[18, 9, 87, 177]));
        assert_ne!(skeleton(&[18, 1, 87, 177]), skeleton(&[0, 18, 1, 87, 177]));
        assert_eq!(skeleton(&[18]), 0);
    }
}

//! What of a method's code survives in the JVM: the opcodes and where they stand.
//!
//! Invariant: equal for the code as emitted and as JVMTI GetBytecodes gives it, also when a redefinition has renumbered the constant pool;
//! different as soon as another agent has inserted or replaced an instruction of another length or opcode.
//! Source: JVMTI GetBytecodes; HotSpot rewrites operands only.

use crate::opcode::end;

/// A hash of the opcodes and their places. 0 for what is not code.
pub fn skeleton(code: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    // A sum of hashes, each of an opcode with its place, so that no step waits for the one before.
    let mut sum = code.len() as u64;
    let mut at = 0;
    while let Some(&opcode) = code.get(at) {
        let word = ((at as u64) << 8 | u64::from(opcode)).wrapping_mul(FACTOR);
        sum = sum.wrapping_add((word ^ word >> 32).wrapping_mul(FACTOR));
        let Some(end) = end(code, at, opcode) else { return 0 };
        at = end;
    }
    if at == code.len() { sum } else { 0 }
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

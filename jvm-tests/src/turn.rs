//! Whose turn it is: the part of a product of targets, JVMs, encoders and compilers that a run
//! takes.
//!
//! Invariant: pairs of a hazard occur, as in a Latin square: with one JVM of each of [`PAIRS`],
//! with each encoder, and with both compilers, C1 and C2. Other targets keep what CONTRIBUTING
//! says. Where a target has its turn depends on its name alone, so all runs take the same part.
//! With `LUCCE_WHOLE=1` they take the whole product.
//! Source: CONTRIBUTING ("Which combinations run").

use std::env;

use crate::Jvm;

/// The JVMs of these feature releases whose turn it is for that target: one of those that there are
/// for this machine, or all in a whole run.
pub fn of(target: &str, features: &[u32]) -> impl Iterator<Item = Jvm> + use<> {
    let there: Vec<Jvm> = features.iter().copied().filter_map(Jvm::of).collect();
    let turn = hash(target) % there.len().max(1) as u64;
    let whole = is_whole();
    there.into_iter().zip(0..).filter(move |(_, place)| whole || *place == turn).map(|(jvm, _)| jvm)
}

/// JVMs that are much alike, beside those that are not.
pub const PAIRS: [[u32; 2]; 2] = [[11, 17], [21, 25]];

/// One of each of the [`PAIRS`] whose turn it is for that target, as far as they are among these
/// feature releases; or all in a whole run.
pub fn of_pairs(target: &str, among: &[u32]) -> Vec<u32> {
    let turn = |pair: &[u32; 2]| {
        let there: Vec<u32> = pair.iter().copied().filter(|feature| among.contains(feature)).collect();
        of(&format!("{target} of {}", pair[0]), &there)
    };
    PAIRS.iter().flat_map(turn).map(|jvm| jvm.feature).collect()
}

/// Is it a run of the whole product, and of what takes too long for the usual run?
pub fn is_whole() -> bool {
    env::var_os("LUCCE_WHOLE").is_some_and(|value| value == "1")
}

/// Is it the turn of `feature`, which is one of these?
pub fn is(target: &str, features: &[u32], feature: u32) -> bool {
    of(target, features).any(|jvm| jvm.feature == feature)
}

/// FNV-1a, the upper half: names that are alike differ in it.
fn hash(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, step) >> 32
}

//! Weights: what methods and sites add to a word that is computed and not looked up, in each scheme
//! that an encoder may run with.
//!
//! ```text
//! kept      = base + weight            an activation; a scheme that mixes takes mixed(base)
//! published = kept + addition          before the instruction at a site
//! ```
//! | scheme | mixes | weight of a method | addition of a site |
//! |---|---|---|---|
//! | `Ids` | yes | 0 | its id |
//! | `Natural` | no | size of its frame, as in Inferred Call Path Profiling | 0, or what a trained map gives |
//! | `Names` | no | hash of its names | hash of its bytecode index |
//! | `Mixed` | yes | hash of its names | hash of its bytecode index |
//!
//! Invariant: each step can be undone. All but `Ids` depend on names, sizes and bytecode indices
//! alone, so they are the same in each run.
//! Source: Mytkowicz, Coughlin and Diwan, "Inferred Call Path Profiling"; docs/design/icpp.md.

use crate::hashed::{LIMIT, mixed, unmixed};

/// Which weights words are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Ids of sites: `encoder=pcc`.
    Ids,
    /// Sizes of frames.
    Natural,
    /// Hashes of names, added up.
    Names,
    /// Hashes of names, mixed at each step.
    Mixed,
}

impl Scheme {
    /// Is the base mixed?
    pub const fn mixes(self) -> bool {
        matches!(self, Self::Ids | Self::Mixed)
    }

    /// Do constructors and those that call them have the constant of
    /// [`crate::hashed::constructor`]?
    pub const fn has_constants(self) -> bool {
        !matches!(self, Self::Natural)
    }

    /// What an activation of a method of this weight keeps of its base.
    pub const fn kept(self, base: u64, weight: u64) -> u64 {
        (if self.mixes() { mixed(base) } else { base }).wrapping_add(weight)
    }

    /// The base of an activation that keeps that.
    pub const fn base_of(self, kept: u64, weight: u64) -> u64 {
        let base = kept.wrapping_sub(weight);
        if self.mixes() { unmixed(base) } else { base }
    }

    /// What the instruction at a bytecode index adds, in a method of this weight: the part of it
    /// that names and indices say.
    pub const fn addition(self, weight: u64, bci: u16) -> u32 {
        match self {
            Self::Ids | Self::Natural => 0,
            Self::Names | Self::Mixed => of_site(weight, bci),
        }
    }
}

/// The size of a frame with so many locals and operands: words of eight bytes, rounded up to
/// sixteen.
pub const fn natural(slots: u32) -> u64 {
    (slots as u64 * 8).next_multiple_of(16)
}

/// The hash of a method's names, as its class file writes them.
pub fn of_method(class: &[u8], name: &[u8], desc: &[u8]) -> u64 {
    let hash =
        [class, b".", name, desc].into_iter().flatten().fold(1, |hash, &byte| mixed(hash ^ u64::from(byte) << 8));
    mixed(mixed(hash))
}

/// The hash of a bytecode index: no two of a method have the same one, and none is as large as a
/// constructor's constant.
const fn of_site(method: u64, bci: u16) -> u32 {
    const BITS: u32 = LIMIT.trailing_zeros();
    let mut hash = bci as u32 ^ (method >> (u64::BITS - BITS)) as u32;
    let mut round = 0;
    while round < 3 {
        // A permutation of these bits, as in RC6, and another one.
        hash = hash.wrapping_mul(2u32.wrapping_mul(hash).wrapping_add(1)) % LIMIT;
        hash ^= hash >> (BITS / 2);
        round += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SCHEMES: [Scheme; 4] = [Scheme::Ids, Scheme::Natural, Scheme::Names, Scheme::Mixed];

    #[test]
    fn every_step_can_be_undone() {
        for scheme in SCHEMES {
            let mut base = 0;
            for step in 1..1000 {
                let weight = of_method(b"A", &[step as u8 | 1], b"()V") % (1 << (step % 63));
                let kept = scheme.kept(base, weight);
                assert_eq!(scheme.base_of(kept, weight), base);
                base = kept.wrapping_add(scheme.addition(weight, step).into());
            }
        }
    }

    #[test]
    fn the_indices_of_a_method_add_different_numbers_below_a_constructors_constant() {
        for weight in [0, 1, of_method(b"a/B", b"run", b"()V"), u64::MAX] {
            let all: HashSet<_> = (0..=u16::MAX).map(|bci| of_site(weight, bci)).collect();
            assert_eq!(all.len(), 1 << 16);
            assert!(all.into_iter().all(|addition| addition < LIMIT));
        }
    }

    #[test]
    fn a_frame_is_as_large_as_the_papers_rule_says() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(natural), [0, 16, 16, 32, 32, 48]);
    }

    #[test]
    fn names_are_told_apart_and_their_parts_are_not_interchanged() {
        let all = [("A", "f", "()V"), ("A", "g", "()V"), ("Af", "", "()V"), ("A", "f", "(I)V"), ("B", "f", "()V")];
        let weights: HashSet<_> = all
            .iter()
            .map(|(class, name, desc)| of_method(class.as_bytes(), name.as_bytes(), desc.as_bytes()))
            .collect();
        assert_eq!(weights.len(), all.len());
    }

    /// These are in maps that were trained: they never change.
    #[test]
    fn weights_are_the_same_in_each_run_and_release() {
        let weight = of_method(b"shop/Main", b"main", b"([Ljava/lang/String;)V");
        assert_eq!((weight, of_site(weight, 7)), (9_549_284_944_172_603_166, 92_717_542));
    }
}

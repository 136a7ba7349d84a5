//! The hashed word: a context as one pseudo-random number that needs no graph, and the steps that
//! lead from a caller's to its callee's.
//!
//! ```text
//! published = mixed(base) + addition         before the instruction at a site
//! base      = published                      at the entry of a method
//! base      = published - constructors'      at the entry of a constructor
//! ```
//! A site's addition is its id; where the instruction calls a constructor, a constant of that
//! constructor is added. So a constructor finds its caller's base only if the instruction that was
//! published last names it. Called by anything else it has a base that belongs to no context, and
//! so have all that it calls: no handler can watch its `super(...)`, and what that leaves behind
//! must not be taken for anybody's context.
//!
//! Invariant: every step can be undone ([`base_of`]), so two contexts with one published number and
//! one site have one base. Mixing is no polynomial, so that no order of sites cancels out: sites in
//! the order of the Thue-Morse sequence would, with a product alone.
//! Source: Bond and McKinley, "Probabilistic calling context"; docs/design/hashed-words.md.

/// Odd, next to 2^64 divided by the golden ratio: small differences of bases become large ones of
/// what they publish.
pub const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
/// By how many bits a base is shifted before it is multiplied.
pub const SHIFT: u8 = 32;

/// The base of what a thread enters first.
pub const ROOT: u64 = 0;
/// A base that belongs to no context: as if the id of the thread base's own site had been
/// published, which no code does.
pub const ADRIFT: u64 = 1;

/// A base, mixed: what an activation adds its sites' additions to.
pub const fn mixed(base: u64) -> u64 {
    (base ^ base >> SHIFT).wrapping_mul(MULTIPLIER)
}

/// The inverse of [`mixed`].
pub const fn unmixed(mixed: u64) -> u64 {
    let shifted = mixed.wrapping_mul(INVERSE);
    shifted ^ shifted >> SHIFT
}

/// What an activation with this base publishes at a site with this addition.
pub const fn published(base: u64, addition: u32) -> u64 {
    mixed(base).wrapping_add(addition as u64)
}

/// The base of the activation that has published that.
pub const fn base_of(published: u64, addition: u32) -> u64 {
    unmixed(published.wrapping_sub(addition as u64))
}

/// Ids of sites whose words are hashed stay below this.
pub const LIMIT: u32 = 1 << 28;

/// The constant of a constructor, by the class that declares it and its descriptor: larger than any
/// site's id, and less than 2^31, so that a site's addition is an int. Characters beyond ASCII
/// count for nothing, for class files and logs write some of them differently.
pub fn constructor(owner: &[u8], desc: &[u8]) -> u32 {
    let letters = owner.iter().chain(b".").chain(desc).filter(|byte| (1..0x80).contains(*byte));
    let hash = letters.fold(MULTIPLIER, |hash, &byte| mixed(hash ^ u64::from(byte)));
    LIMIT + (mixed(hash) >> SHIFT) as u32 % (LARGEST - LIMIT)
}

/// Leaves room for a site's id below 2^31.
const LARGEST: u32 = (1 << 31) - LIMIT;

/// The inverse of [`MULTIPLIER`] modulo 2^64, by Newton's iteration: each step doubles the bits
/// that are right.
const INVERSE: u64 = {
    let mut inverse = MULTIPLIER;
    let mut step = 0;
    while step < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(MULTIPLIER.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_undone() {
        let mut base = ROOT;
        for site in 2..10_000 {
            let word = published(base, site);
            assert_eq!(base_of(word, site), base);
            base = word;
        }
    }

    /// One of two sites, in the order of the Thue-Morse sequence, or of its complement.
    fn thue_morse(level: u32, complement: u32) -> u32 {
        7 + (level.count_ones() & 1 ^ complement)
    }

    /// The first depth at which the two paths have one base.
    fn collision(depth: u32, step: impl Fn(u64, u32) -> u64) -> Option<u32> {
        let mut bases = (ROOT, ROOT);
        (0..depth).find(|&level| {
            bases = (step(bases.0, thue_morse(level, 0)), step(bases.1, thue_morse(level, 1)));
            bases.0 == bases.1
        })
    }

    #[test]
    fn sites_in_the_order_of_thue_and_morse_do_not_cancel_out() {
        let product = |base: u64, site: u32| base.wrapping_mul(MULTIPLIER).wrapping_add(site.into());
        assert!(collision(1 << 12, product).is_some(), "a product alone collides");
        assert_eq!(collision(1 << 20, published), None);
    }

    #[test]
    fn a_constructors_constant_is_none_of_a_sites() {
        for name in ["A", "B", "java/lang/Object", ""] {
            let constant = constructor(name.as_bytes(), b"(I)V");
            assert!((LIMIT..LARGEST).contains(&constant));
            assert_ne!(constant, constructor(name.as_bytes(), b"()V"));
        }
    }
}

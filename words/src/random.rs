//! Numbers that look random, from a seed: the same in each run.
//!
//! Source: Steele, Lea, Flood 2014 (SplitMix64); Lemire 2019 (numbers below a bound, here without
//! the rejection, whose bias is below 2^-32 for bounds below 2^32).

/// A stream of numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// That of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// One below a bound; 0 for 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.next() as u128 * bound as u128) >> 64) as u64
    }

    /// A place in a list of that length; 0 for an empty one.
    pub const fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }
}

//! Where a context's number lies: in its method's block of the main line, or among the late ones.
//!
//! ```text
//! 0    .. 2^52           never given: the distance from the version before
//! 2^52 .. 2^52 + 2^51    the main line: each method's block of one numbering, disjoint from all others
//! 2^53 .. 2^54           late numbers: what is added to a version after it was numbered, of each method by itself
//! ```
//!
//! Invariant: whatever number one adds to a number of the main line, if it is less than the line is long the sum is in the main line of the
//! same version, or in no main line. So "the sum lies in the callee's block" proves that the caller's word was one of that block's version
//! and line. Source: ARCHITECTURE, "Blocks".

/// Bits of a number.
pub const NUMBER_BITS: u32 = 54;
/// First number of the main line.
pub const LINE: u64 = 1 << (NUMBER_BITS - 2);
/// The end of the main line.
pub const LINE_END: u64 = LINE + LINE / 2;
/// The first late number.
pub const LATE: u64 = 1 << (NUMBER_BITS - 1);
/// No number is as large.
pub const NUMBER_LIMIT: u64 = 1 << NUMBER_BITS;

/// Is it late? If not, it is of the main line.
pub const fn is_late(number: u64) -> bool {
    number >= LATE
}

/// The number counted from the beginning of its part.
pub const fn within_part(number: u64) -> u64 {
    if is_late(number) { number - LATE } else { number.saturating_sub(LINE) }
}

/// `len` numbers from `base` on, within an aligned block: `base` is an odd multiple of the power of two that holds `len`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block {
    /// The first number.
    pub base: u64,
    /// How many are used; 0 for no block.
    pub len: u64,
}

impl Block {
    /// The first block of that length from `cursor` on, if it ends within the main line.
    pub fn from_cursor(cursor: u64, len: u64) -> Option<Self> {
        let size = len.checked_next_power_of_two()?;
        let base = ((cursor.checked_next_multiple_of(size)? / size) | 1).checked_mul(size)?;
        (base.checked_add(size)? <= LINE_END).then_some(Self { base, len })
    }

    /// Behind the last number that is used.
    pub const fn end(self) -> u64 {
        self.base + self.len
    }

    /// Behind the power of two: where the next block may begin.
    pub const fn reach(self) -> u64 {
        self.base + (self.base & self.base.wrapping_neg())
    }

    /// Is it one of the block's numbers?
    pub const fn contains(self, number: u64) -> bool {
        number.wrapping_sub(self.base) < self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_odd_multiples_of_their_size_and_do_not_meet() {
        let mut cursor = LINE;
        for len in (1..70).chain([1 << 20, 3, 1, 5 << 30, 2]) {
            let block = Block::from_cursor(cursor, len).unwrap();
            assert!(block.base >= cursor && block.len == len);
            let size = len.next_power_of_two();
            assert_eq!(1 << block.base.trailing_zeros(), size, "{len}");
            assert!(block.end() <= block.reach());
            cursor = block.reach();
        }
    }

    #[test]
    fn a_block_that_does_not_fit_is_none() {
        assert_eq!(Block::from_cursor(LINE_END, 1), None);
        assert_eq!(Block::from_cursor(LINE, LINE / 2 + 1), None);
        assert_eq!(Block::from_cursor(LINE, u64::MAX), None);
        assert!(Block::from_cursor(LINE, LINE / 4).is_some());
    }
}

//! Where a context's number lies: in its method's block, or among the appended ones.
//!
//! ```text
//! 0    .. 2^52           never given
//! 2^52 .. 2^52 + 2^36    the block: the numbers that a numbering gave the method
//! 2^53 .. 2^54           appended numbers: what was added to a version after it was numbered
//! ```
//!
//! Invariant: in a word, the sixteen bits above those that count within a block are zero if the
//! number is one of a block's. There a [`Value`](crate::Value) says whose it is. Source:
//! docs/design/words-and-numbering.md ("Values").

/// Bits of a number.
pub const NUMBER_BITS: u32 = 54;
/// Bits that count within a block.
pub const BLOCK_BITS: u32 = 36;
/// First number of each block.
pub const BLOCK: u64 = 1 << (NUMBER_BITS - 2);
/// Most numbers of a block.
pub const LONGEST_BLOCK: u64 = 1 << BLOCK_BITS;
/// The first appended number.
pub const APPENDED: u64 = 1 << (NUMBER_BITS - 1);
/// No number is as large.
pub const NUMBER_LIMIT: u64 = 1 << NUMBER_BITS;

/// Is it appended? If not, it is of a block.
pub const fn is_appended(number: u64) -> bool {
    number >= APPENDED
}

/// The number counted from the beginning of its part.
pub const fn within_part(number: u64) -> u64 {
    if is_appended(number) { number - APPENDED } else { number.saturating_sub(BLOCK) }
}

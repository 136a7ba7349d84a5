//! What the hooks find at a call site for a callee: one `long` that tells the callee's word, or
//! that it does not know.
//!
//! ```text
//! bit 63        0; set in what is no value: the address of a link's record
//! 62 .. 53      version, 0, 1    as in a word whose number is of a block
//! 52 .. 37      callee           which of the methods that share the place it is for, from 1
//! 36 .. 0       addition value   in words
//! ```
//!
//! Invariant: `(ctx ^ value) >>> 37` is the callee's [`tag`] only if the value was made for that
//! callee, and `ctx` is a word of the value's version whose number is of a block. For where `ctx`
//! has bits of a block, those of the callee are zero in it; where it has others (a late number, no
//! version), 62 to 53 do not become zero, nor do they in a value of another version, or in none
//! (zero). So a place can be overwritten at any time, with a value of another callee or version:
//! one load tells all.
//! Source: docs/design/words-and-numbering.md ("Values").

use crate::number::BLOCK_BITS;
use crate::{BLOCK, LONGEST_BLOCK, MethodId, Version, Word};

/// Callees that differ in these low bits have different places at a site.
pub const WAYS: u32 = 8;
/// Bits of the addition value: of a number, and the flag below it.
pub const ADDITION_BITS: u32 = BLOCK_BITS + 1;
const ADDITION: u64 = (1 << ADDITION_BITS) - 1;

/// An addition value with what it is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(pub i64);

impl Value {
    /// Of an edge that moves its caller's whole block by `addition` numbers, into the block of
    /// `callee`. `None` for a callee with an id so large that a value cannot name it, and an
    /// addition that leads out of any block.
    pub const fn new(version: Version, callee: MethodId, addition: u64) -> Option<Self> {
        match tag(callee) {
            Some(tag) if addition < LONGEST_BLOCK => {
                let block = Word::new(version, false, BLOCK).0;
                Some(Self((block | tag << ADDITION_BITS | addition << 1) as i64))
            }
            _ => None,
        }
    }

    /// The word of `callee`, entered from `ctx` at this value's site, if the value knows it. What
    /// the hooks do.
    pub const fn answer(self, ctx: Word, callee: MethodId) -> Option<Word> {
        match tag(callee) {
            Some(tag) if (ctx.0 ^ self.0 as u64) >> ADDITION_BITS == tag => {
                Some(Word(ctx.0 + (self.0 as u64 & ADDITION)))
            }
            _ => None,
        }
    }
}

/// No callee with a tag as large has values.
pub const TAGS: u32 = 1 << 16;

/// What tells a callee from the others whose values would have the same place; never 0.
pub const fn tag(callee: MethodId) -> Option<u64> {
    let tag = callee.0 / WAYS + 1;
    if tag < TAGS { Some(tag as u64) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{APPENDED, Lost, NUMBER_LIMIT};

    const CALLEE: MethodId = MethodId(77);
    /// Shares its place.
    const OTHER: MethodId = MethodId(77 + 300 * WAYS);
    const VERSION: Version = Version(6);

    fn word(version: u32, number: u64) -> Word {
        Word::new(Version(version), false, number)
    }

    #[test]
    fn a_value_moves_each_word_of_the_block_and_keeps_the_flag() {
        let value = Value::new(VERSION, CALLEE, 5).unwrap();
        assert!(value.0 > 0);
        for number in [BLOCK, BLOCK + 1, BLOCK + (1 << 20), BLOCK + LONGEST_BLOCK - 6] {
            for chained in [false, true] {
                let (ctx, moved) = (Word::new(VERSION, chained, number), Word::new(VERSION, chained, number + 5));
                assert_eq!(value.answer(ctx, CALLEE), Some(moved));
            }
        }
        let furthest = Value::new(VERSION, CALLEE, LONGEST_BLOCK - 1).unwrap();
        assert_eq!(furthest.answer(word(6, BLOCK), CALLEE), Some(word(6, BLOCK + LONGEST_BLOCK - 1)));
        let unmoved = Value::new(VERSION, CALLEE, 0).unwrap();
        assert_eq!(unmoved.answer(word(6, BLOCK), CALLEE), Some(word(6, BLOCK)));
    }

    #[test]
    fn a_value_says_nothing_of_other_callees_versions_and_late_numbers() {
        let value = Value::new(VERSION, CALLEE, 5).unwrap();
        let words = (1..=255).flat_map(|version| {
            [BLOCK, BLOCK + 9, BLOCK + LONGEST_BLOCK - 1, APPENDED, APPENDED + 9, NUMBER_LIMIT - 1]
                .map(|number| word(version, number))
        });
        let words: Vec<_> = words.chain([Word::NONE, Word::lost(Lost::Memory), Word::lost(Lost::Ended)]).collect();
        let values = [value.0, Value::new(VERSION, OTHER, 5).unwrap().0, 0, i64::MIN | 4096, -1, i64::MIN];
        for &ctx in &words {
            for (at, value) in values.into_iter().enumerate() {
                for (callee, own) in [(CALLEE, 0), (OTHER, 1)] {
                    let right = at == own && ctx.version() == VERSION && ctx.number() < APPENDED;
                    assert_eq!(Value(value).answer(ctx, callee).is_some(), right, "{ctx:?} {value:x} {callee:?}");
                }
            }
        }
    }

    #[test]
    fn a_callee_without_a_tag_has_no_values() {
        let last = MethodId((1 << 16) * WAYS - WAYS - 1);
        assert!(Value::new(VERSION, last, 1).is_some());
        assert_eq!(Value::new(VERSION, MethodId(last.0 + 1), 1), None);
        assert_eq!(Value::new(VERSION, MethodId(1), LONGEST_BLOCK), None);
        assert_eq!(Value(-1).answer(word(6, BLOCK), MethodId(u32::MAX)), None);
    }
}

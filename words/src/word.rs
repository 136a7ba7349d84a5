//! The packed context word: `<version, callId>` in one `long`, DESIGN section 2.
//!
//! ```text
//! bit 63     RESTORING  this activation restores the thread's state when it leaves
//! bit 62     CHAINED    a cut edge lies on the path: the thread's chain belongs to the word
//! 61 .. 45   version    17 bits; 0 means "no number": the word is NONE or LOST
//! 44 .. 0    number     the context's number at its method, within version and space
//! ```
//!
//! Invariant: a word with a version is never 0. The two flag bits choose one of four number spaces of a
//! method ([`Space`]); adding an addition value with wrapping arithmetic moves a word from one space to another.

use crate::Version;

/// Bits of a number within one space of one method in one version.
pub const NUMBER_BITS: u32 = 45;

const RESTORING: u64 = 1 << 63;
const CHAINED: u64 = 1 << 62;
const VERSION_SHIFT: u32 = NUMBER_BITS;
const VERSION_MASK: u64 = (1 << 17) - 1;
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;

/// One of the four number spaces a method has in each version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space {
    /// The activation restores the thread's state when it leaves (it was entered through a pushed link).
    pub restoring: bool,
    /// A cut edge lies on the path, so the chain belongs to the word.
    pub chained: bool,
}

impl Space {
    /// All four, in the order of [`Space::index`].
    pub const ALL: [Self; 4] = [
        Self { restoring: false, chained: false },
        Self { restoring: false, chained: true },
        Self { restoring: true, chained: false },
        Self { restoring: true, chained: true },
    ];

    /// 0 to 3: bit 1 is `restoring`, bit 0 is `chained`.
    pub const fn index(self) -> usize {
        (self.restoring as usize) << 1 | self.chained as usize
    }
}

/// Why a context could not be kept. The number of a LOST word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Lost {
    /// No memory for the thread's chain.
    Memory = 1,
    /// Method, site or version ids are exhausted.
    Ids = 2,
    /// An error inside a hook.
    Hook = 3,
    /// The thread's chain and its real stack disagree.
    Chain = 4,
    /// The JVM is shutting down and no longer answers stack walks.
    Death = 5,
    /// `encoder=algorithm1` ran out of callIds or versions.
    Overflow = 6,
    /// The method's code was changed by another agent after Lucce: its frames are not instrumented ones any more.
    Foreign = 7,
}

/// A packed `<version, callId>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(pub u64);

impl Word {
    /// "No context": an activation that was never entered, or no agent.
    pub const NONE: Self = Self(0);

    /// Packs a number. `number` must be below 2^45 and `version` at most [`Version::LAST`]; higher bits are dropped.
    pub const fn new(version: Version, space: Space, number: u64) -> Self {
        let mut bits = (version.0 as u64 & VERSION_MASK) << VERSION_SHIFT | number & NUMBER_MASK;
        if space.restoring {
            bits |= RESTORING;
        }
        if space.chained {
            bits |= CHAINED;
        }
        Self(bits)
    }

    /// The reserved word for a lost context.
    pub const fn lost(reason: Lost) -> Self {
        Self(reason as u64)
    }

    /// Why the context was lost, if this is a LOST word (with or without the RESTORING flag).
    pub const fn lost_reason(self) -> Option<Lost> {
        if self.version().0 != 0 {
            return None;
        }
        match self.number() {
            1 => Some(Lost::Memory),
            2 => Some(Lost::Ids),
            4 => Some(Lost::Chain),
            5 => Some(Lost::Death),
            6 => Some(Lost::Overflow),
            7 => Some(Lost::Foreign),
            0 => None,
            _ => Some(Lost::Hook),
        }
    }

    /// The numbering this word belongs to; 0 for NONE and LOST.
    pub const fn version(self) -> Version {
        Version((self.0 >> VERSION_SHIFT & VERSION_MASK) as u32)
    }

    /// The space this word's number belongs to.
    pub const fn space(self) -> Space {
        Space { restoring: self.restoring(), chained: self.chained() }
    }

    /// The number within [`Word::space`].
    pub const fn number(self) -> u64 {
        self.0 & NUMBER_MASK
    }

    /// Does this activation restore the thread's state when it leaves?
    pub const fn restoring(self) -> bool {
        self.0 & RESTORING != 0
    }

    /// Does the thread's chain belong to this word?
    pub const fn chained(self) -> bool {
        self.0 & CHAINED != 0
    }

    /// The callId as shown to people: 47 bits, RESTORING above CHAINED above the number.
    pub const fn call_id(self) -> u64 {
        (self.0 >> 62) << NUMBER_BITS | self.number()
    }

    /// The bits as format 1 of the log has them: CHAINED in bit 45, below the version. No bit is lost, whatever the word.
    pub const fn to_log(self) -> u64 {
        let version = self.0 >> VERSION_SHIFT & VERSION_MASK;
        self.0 & RESTORING | version << (VERSION_SHIFT + 1) | (self.chained() as u64) << NUMBER_BITS | self.number()
    }

    /// The word of which [`Word::to_log`] gives these bits.
    pub const fn from_log(bits: u64) -> Self {
        let version = bits >> (VERSION_SHIFT + 1) & VERSION_MASK;
        let chained = (bits >> NUMBER_BITS & 1) * CHAINED;
        Self(bits & (RESTORING | NUMBER_MASK) | chained | version << VERSION_SHIFT)
    }

    /// This word with the RESTORING flag set.
    pub const fn with_restoring(self) -> Self {
        Self(self.0 | RESTORING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_word_gives_back_its_parts() {
        for space in Space::ALL {
            let word = Word::new(Version(99), space, 12_345);
            assert_eq!((word.version(), word.space(), word.number()), (Version(99), space, 12_345));
            assert_eq!(word.lost_reason(), None);
        }
        let largest = (1 << NUMBER_BITS) - 1;
        let word = Word::new(Version::LAST, Space::ALL[3], largest);
        assert_eq!((word.version(), word.number()), (Version::LAST, largest));
    }

    #[test]
    fn the_log_has_every_bit_of_a_word_in_a_place_of_its_own() {
        for bit in 0..64 {
            let word = Word(1 << bit);
            assert_eq!(word.to_log().count_ones(), 1);
            assert_eq!(Word::from_log(word.to_log()), word);
        }
        let word = Word::new(Version(3), Space::ALL[3], 77);
        assert_eq!(word.to_log(), 1 << 63 | 3 << 46 | 1 << 45 | 77);
    }

    #[test]
    fn a_lost_word_keeps_its_reason_when_it_restores() {
        let word = Word::lost(Lost::Chain).with_restoring();
        assert_eq!(word.lost_reason(), Some(Lost::Chain));
        assert!(word.restoring());
        assert_eq!(Word::NONE.lost_reason(), None);
    }
}

//! The packed context word: `<version, callId>` in one `long`: docs/design/words-and-numbering.md
//! ("Words").
//!
//! ```text
//! bit 63        0 in a word; the hooks set it in what they return to say "this activation restores the thread's state"
//! 62 .. 55      version    8 bits; 0 means "no number": the word is NONE or LOST
//! 54 .. 1       number     the context's number at its method within the version (see `number.rs`)
//! bit 0         CHAINED    a cut edge lies on the path: the thread's chain belongs to the word
//! ```
//!
//! Invariant: a word with a version is never 0. Adding an addition value with wrapping arithmetic
//! moves a caller's word to its callee's, whatever the flag: it stands below the number, so that it
//! is kept and ranges of words need not know of it.

use crate::{NUMBER_BITS, Version};

const CHAINED: u64 = 1;
const VERSION_SHIFT: u32 = NUMBER_BITS + 1;
const VERSION_MASK: u64 = (1 << 8) - 1;
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;

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
    /// `encoder=algorithm1` ran out of callIds or versions, or a constructor of numbers.
    Overflow = 6,
    /// The method's code was changed by another agent after Lucce: its frames are not instrumented
    /// ones any more.
    Foreign = 7,
    /// The thread lends its identity to a virtual thread that is being mounted, unmounted or
    /// scheduled.
    OnCarrier = 8,
    /// The kill switch was used.
    Ended = 9,
    /// CPU time at a moment when the JVM could not show the thread's stack.
    Unseen = 10,
    /// CPU time that a thread has used since its last sample.
    Rest = 11,
    /// Another agent, such as a debugger, has dropped frames of the thread.
    Dropped = 12,
    /// The activation runs in a `jdk.internal.vm.Continuation` that is no virtual thread's.
    Continuation = 13,
    /// A holder of a lock: the JVM has named none.
    Unheld = 14,
    /// A holder of a lock: it was another one after the look at its stack than before.
    Passed = 15,
}

/// A packed `<version, callId>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(pub u64);

impl Word {
    /// "No context": an activation that was never entered, or no agent.
    pub const NONE: Self = Self(0);

    /// Packs a number. `number` must be below 2^54 and `version` at most [`Version::LAST`]; higher
    /// bits are dropped.
    pub const fn new(version: Version, chained: bool, number: u64) -> Self {
        Self((version.0 as u64 & VERSION_MASK) << VERSION_SHIFT | (number & NUMBER_MASK) << 1 | chained as u64)
    }

    /// The reserved word for a lost context.
    pub const fn lost(reason: Lost) -> Self {
        Self(reason as u64)
    }

    /// Why the context was lost, if this is a LOST word.
    pub const fn lost_reason(self) -> Option<Lost> {
        if self.version().0 != 0 {
            return None;
        }
        match self.0 {
            1 => Some(Lost::Memory),
            2 => Some(Lost::Ids),
            4 => Some(Lost::Chain),
            5 => Some(Lost::Death),
            6 => Some(Lost::Overflow),
            7 => Some(Lost::Foreign),
            8 => Some(Lost::OnCarrier),
            9 => Some(Lost::Ended),
            10 => Some(Lost::Unseen),
            11 => Some(Lost::Rest),
            12 => Some(Lost::Dropped),
            13 => Some(Lost::Continuation),
            14 => Some(Lost::Unheld),
            15 => Some(Lost::Passed),
            0 => None,
            _ => Some(Lost::Hook),
        }
    }

    /// The numbering this word belongs to; 0 for NONE and LOST.
    pub const fn version(self) -> Version {
        Version((self.0 >> VERSION_SHIFT & VERSION_MASK) as u32)
    }

    /// The number at its method.
    pub const fn number(self) -> u64 {
        self.0 >> 1 & NUMBER_MASK
    }

    /// Does the thread's chain belong to this word?
    pub const fn chained(self) -> bool {
        self.0 & CHAINED != 0
    }

    /// The callId as shown to people: the number above CHAINED.
    pub const fn call_id(self) -> u64 {
        self.0 & ((1 << VERSION_SHIFT) - 1)
    }
}

/// What a hook returns at an entry: the word, and whether the activation restores the thread's
/// state when it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal(pub u64);

impl Signal {
    const RESTORING: u64 = 1 << 63;

    /// Of an activation that leaves the thread's state alone.
    pub const fn plain(word: Word) -> Self {
        Self(word.0)
    }

    /// Of an activation that restores.
    pub const fn restoring(word: Word) -> Self {
        Self(word.0 | Self::RESTORING)
    }

    /// The word.
    pub const fn word(self) -> Word {
        Word(self.0 & !Self::RESTORING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_word_gives_back_its_parts() {
        let largest = (1 << NUMBER_BITS) - 1;
        for (version, chained, number) in [(Version(99), false, 12_345), (Version::LAST, true, largest)] {
            let word = Word::new(version, chained, number);
            assert_eq!((word.version(), word.chained(), word.number()), (version, chained, number));
            assert_eq!(word.lost_reason(), None);
            assert_eq!(word.0 >> 63, 0);
        }
    }

    #[test]
    fn a_signal_gives_back_its_word() {
        for word in [Word::new(Version(3), true, 77), Word::lost(Lost::Chain), Word::NONE] {
            assert_eq!((Signal::plain(word).word(), Signal::restoring(word).word()), (word, word));
            assert!(Signal::plain(word).0 as i64 >= 0 && (Signal::restoring(word).0 as i64) < 0);
        }
    }

    #[test]
    fn a_lost_word_keeps_its_reason() {
        assert_eq!(Word::lost(Lost::Chain).lost_reason(), Some(Lost::Chain));
        assert_eq!(Word::NONE.lost_reason(), None);
    }
}

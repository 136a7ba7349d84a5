//! An event as it is read, of which a log has millions: what it shares with others stands as
//! numbers of the tables.
//!
//! Invariant: a number is one of the tables that the event was read with. Source: docs/FORMAT.md,
//! "Tables".

use lucce_words::{NodeId, SiteId, Word};

/// A string by its definition: what was defined anew has another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringNumber(pub(crate) u32);

/// Likewise a list of walked frames; 0 is the empty one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkNumber(pub(crate) u32);

impl StringNumber {
    /// From 0, without gaps.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl WalkNumber {
    /// From 0, without gaps.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// [`Record::Event`](crate::Record::Event) with its class and its walked frames by their numbers in
/// the tables: nothing is counted or copied for it.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "as in `Record::Event`")]
pub struct EventRecord {
    pub time_ns: u64,
    pub thread: u32,
    pub kind: u32,
    pub value: i64,
    pub word: Word,
    pub site: SiteId,
    pub chain: NodeId,
    pub class: Option<StringNumber>,
    pub walked: WalkNumber,
    pub node: NodeId,
}

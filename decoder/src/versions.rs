//! The numberings of a run: why each version was made, what that cost and what it came to.
//!
//! Invariant: each version behind the first has its place, also where its record is lost, or was
//! never written: then it is unknown.
//! Source: docs/FORMAT.md, record Numbering.

pub use lucce_log::Cause;
use lucce_words::Version;

use crate::Log;

/// One numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbering {
    /// When it began, in nanoseconds since the start of the run.
    pub time_ns: u64,
    /// Why it was made.
    pub cause: Cause,
    /// How long it held the graph's lock.
    pub nanos: u64,
    /// Methods that have numbers, the thread base included.
    pub methods: u64,
    /// Edges that have numbers.
    pub edges: u64,
    /// The most contexts of a method.
    pub largest: u64,
    /// Edges behind which numbers start anew.
    pub cut: u64,
}

impl Log {
    /// Each version that was numbered, and what is known of it.
    pub fn numberings(&self) -> impl Iterator<Item = (Version, Option<&Numbering>)> {
        let last = self.numberings.keys().next_back().copied().max(Some(self.snapshot.version()));
        let versions = Version::FIRST.0 + 1..=last.map_or(0, |last| last.0);
        versions.map(|version| (Version(version), self.numberings.get(&Version(version))))
    }
}

//! The sources' counters, and what they remember between two reports.
//!
//! Invariant: an event is counted once, as logged, dropped, outside or lost. Source:
//! docs/design/event-sources.md.

use std::sync::atomic::AtomicU64;

use super::locks::{Looks, Waiting};
use crate::options::Source;

/// The sources' counters, and what they remember between two reports.
#[derive(Default)]
pub struct Sources {
    /// Of each source.
    figures: [SourceFigures; Source::COUNT],
    /// Threads that wait.
    pub waiting: Waiting,
    /// Looks at holders of locks.
    pub looks: Looks,
}

impl Sources {
    /// The counters of a source.
    pub fn of(&self, source: Source) -> &SourceFigures {
        &self.figures[source as usize]
    }
}

/// What became of a source's events.
#[derive(Default)]
pub struct SourceFigures {
    /// Logged.
    pub events: AtomicU64,
    /// Not logged, for the writer could not keep up.
    pub dropped: AtomicU64,
    /// Not logged, for no frame with hooks was on the stack.
    pub outside: AtomicU64,
    /// Their context could not be kept.
    pub lost: AtomicU64,
    /// Those for which the whole stack was walked.
    pub walks: AtomicU64,
    /// Those whose whole stack was seen before: its context was known.
    pub seen: AtomicU64,
    /// Looks at topmost frames.
    pub looks: AtomicU64,
    /// Frames that those looks have shown.
    pub frames: AtomicU64,
}

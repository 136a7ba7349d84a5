//! What the writer asks of the program that it is part of, and what it knows of that program's
//! events.
//!
//! Invariant: none of it holds a thread up or waits for the writer; of the writer it reads counts
//! at most.

use std::fmt::Arguments;

/// Counters by name, always in the same order; read on the writer's thread, so never under the
/// encoder's lock.
pub type CounterSource = fn() -> Vec<(&'static str, u64)>;

/// The functions of the host.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Says a line to people.
    pub say: fn(Arguments<'_>),
    /// What blocks end with, as far as it has changed.
    pub figures: CounterSource,
    /// Gives memory back to the system, for the encoder has let go of much.
    pub trim: fn(),
    /// The writer's thread has written the end of the log, and needs no memory any more.
    pub ended: fn(),
}

/// How many sources of events a host can have at most.
pub const SOURCES: usize = 16;

/// Where an event comes from, as a number that the host gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(u8);

impl SourceId {
    /// The source with this number.
    ///
    /// # Panics
    /// There are not so many ([`SOURCES`]).
    pub const fn new(number: usize) -> Self {
        assert!(number < SOURCES);
        Self(number as u8)
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

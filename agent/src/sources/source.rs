//! Where events come from, as options, counters and commands name it.
//!
//! Invariant: each event and each count has exactly one source.

use crate::options::Options;

/// A source of events or counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Source {
    /// Allocations, sampled or counted.
    Alloc,
    /// Exceptions that are thrown.
    Exceptions,
    /// Waits for monitors, and parks.
    Locks,
    /// CPU time by ticks.
    Cpu,
    /// Invocations that are counted.
    Entries,
    /// The program's own, and those of other agents.
    Events,
}

impl Source {
    /// How many there are.
    pub const COUNT: usize = 6;

    /// All, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Alloc, Self::Exceptions, Self::Locks, Self::Cpu, Self::Entries, Self::Events];

    /// What commands call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alloc => "alloc",
            Self::Exceptions => "exceptions",
            Self::Locks => "locks",
            Self::Cpu => "cpu",
            Self::Entries => "entries",
            Self::Events => "events",
        }
    }

    /// The source of events of a kind.
    pub fn of(kind: &str) -> Self {
        match kind {
            "alloc" => Self::Alloc,
            "exception" => Self::Exceptions,
            "monitor" | "park" => Self::Locks,
            "cpu" => Self::Cpu,
            "entry" => Self::Entries,
            _ => Self::Events,
        }
    }

    /// The source that a command names.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }

    /// Does the run have it?
    pub fn is_on(self, options: &Options) -> bool {
        match self {
            Self::Alloc => options.alloc.is_some() || options.alloc_all,
            Self::Exceptions => options.exceptions.is_some(),
            Self::Locks => options.locks,
            Self::Cpu => options.cpu.is_some(),
            Self::Entries => !options.entries.is_empty(),
            Self::Events => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_is_found_by_its_name_and_by_its_number() {
        for (index, source) in Source::ALL.into_iter().enumerate() {
            assert_eq!((source as usize, Source::named(source.name())), (index, Some(source)));
        }
        assert_eq!(Source::named("exception"), None);
    }
}

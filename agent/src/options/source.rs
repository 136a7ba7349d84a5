//! Where events come from, as options, counters and commands name it.
//!
//! Invariant: each event and each count has exactly one source.

use lucce_log::Owner;

use super::Options;
use crate::support::kinds::Kind;
use crate::writer::{SOURCES, SourceId};

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
    /// Entries that are sampled.
    Profile,
    /// The program's own, and those of other agents.
    Events,
    /// What the leak detector says.
    Leaks,
}

impl Source {
    /// How many there are.
    pub const COUNT: usize = SOURCES;

    /// All, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Alloc,
        Self::Exceptions,
        Self::Locks,
        Self::Cpu,
        Self::Entries,
        Self::Profile,
        Self::Events,
        Self::Leaks,
    ];

    /// What commands call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alloc => "alloc",
            Self::Exceptions => "exceptions",
            Self::Locks => "locks",
            Self::Cpu => "cpu",
            Self::Entries => "entries",
            Self::Profile => "profile",
            Self::Events => "events",
            Self::Leaks => "leaks",
        }
    }

    /// The source of events of a kind.
    pub fn of(kind: Kind<'_>) -> Self {
        match (kind.owner, kind.name) {
            (Owner::Program, _) => Self::Events,
            (Owner::Agent, "alloc") => Self::Alloc,
            (Owner::Agent, "exception") => Self::Exceptions,
            (Owner::Agent, "monitor" | "park" | "holder") => Self::Locks,
            (Owner::Agent, "cpu") => Self::Cpu,
            (Owner::Agent, "entry") => Self::Entries,
            (Owner::Agent, "profile") => Self::Profile,
            (Owner::Agent, name) if name == "leak" || name.starts_with("leak.") => Self::Leaks,
            (Owner::Agent, _) => Self::Events,
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
            Self::Profile => options.profile.is_some(),
            Self::Events => true,
            Self::Leaks => options.leaks,
        }
    }
}

impl From<Source> for SourceId {
    fn from(source: Source) -> Self {
        Self::new(source as usize)
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

    #[test]
    fn whatever_the_program_calls_its_events_they_are_its_own() {
        for (name, source) in [
            ("alloc", Source::Alloc),
            ("exception", Source::Exceptions),
            ("monitor", Source::Locks),
            ("park", Source::Locks),
            ("holder", Source::Locks),
            ("cpu", Source::Cpu),
            ("entry", Source::Entries),
            ("profile", Source::Profile),
            ("leak", Source::Leaks),
            ("leak.objects", Source::Leaks),
        ] {
            assert_eq!(
                (Source::of(Kind::own(name)), Source::of(Kind::programs(name))),
                (source, Source::Events),
                "{name}"
            );
        }
    }
}

//! Where events come from, as options, counters and commands name it.
//!
//! Invariant: each event and each count has exactly one source. Source: `agent/src/registry.rs`.

use lucce_log::Owner;

use super::Options;
use crate::support::kinds::EventKind;
use crate::writer::SourceId;

macro_rules! all {
    ($($source:ident $name:literal [$($kind:literal),*] $(when ($on:expr))? $(by $of:path)?;)*) => {
        /// A source of events or counts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Source {
            $($source,)*
        }

        impl Source {
            /// All, in the order of their numbers.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$source,)*];

            /// How many there are.
            pub const COUNT: usize = [$($name,)*].len();

            /// What commands call it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$source => $name,)*
                }
            }

            /// The kinds of its events.
            const fn kinds(self) -> &'static [&'static str] {
                match self {
                    $(Self::$source => &[$($kind,)*],)*
                }
            }

            /// When runs have it; `None`: with the option of its name.
            fn when(self) -> Option<fn(&Options) -> bool> {
                let on: &[fn(&Options) -> bool] = match self {
                    $(Self::$source => &[$($on)?],)*
                };
                on.first().copied()
            }
        }
    };
}
sources!(all);

impl Source {
    /// The source of events of a kind.
    pub fn of(kind: EventKind<'_>) -> Self {
        let has = |source: &Self| {
            let is = |own: &&str| kind.name == *own || own.ends_with('.') && kind.name.starts_with(*own);
            kind.owner == Owner::Agent && source.kinds().iter().any(is)
        };
        Self::ALL.into_iter().find(has).unwrap_or(Self::Events)
    }

    /// The source that a command names.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }

    /// The source that the option of this name turns on, and that is all of the option.
    pub fn of_option(name: &str) -> Option<Self> {
        Self::named(name).filter(|source| source.when().is_none())
    }

    /// Does the run have it?
    pub fn is_on(self, options: &Options) -> bool {
        self.when().map_or_else(|| options.sources.contains(&self), |on| on(options))
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
                (Source::of(EventKind::own(name)), Source::of(EventKind::programs(name))),
                (source, Source::Events),
                "{name}"
            );
        }
    }
}

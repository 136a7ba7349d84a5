//! Which encoder runs, and what follows from that.

use lucce_words::weights::Scheme;

/// The code in rewritten methods that an encoder runs with, by its number in `LucceHooks`.
#[derive(Clone, Copy)]
#[repr(i32)]
enum Hooks {
    /// They look words up, and ask at first sight.
    Linked = 0,
    /// They ask at each entry.
    Asking = 1,
    /// They do nothing.
    Idle = 2,
    /// They count entries.
    Counting = 3,
    /// They go through the thread's tree.
    Trees = 4,
    /// They compute words.
    Hashed = 5,
}

/// What an encoder is capable of.
#[derive(Clone, Copy)]
struct Abilities {
    /// Activations get contexts.
    contexts: bool,
    /// Words say their contexts outside the process, too.
    public_words: bool,
    /// It goes with every event source.
    all_sources: bool,
    /// It goes with counts by context.
    counts: bool,
    /// A part of all entries can be sampled, each with its context.
    profiles: bool,
    /// Activations keep a version beside their word.
    versions: bool,
    /// It hears of the ends of threads.
    thread_ends: bool,
}

impl Abilities {
    const NONE: Self = Self {
        contexts: false,
        public_words: false,
        all_sources: false,
        counts: false,
        profiles: false,
        versions: false,
        thread_ends: false,
    };
}

macro_rules! kinds {
    ($($kind:ident $name:literal $hooks:ident [$($ability:ident),*] $of:ty;)*) => {
        /// The encoder of a run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum EncoderKind {
            $($kind,)*
        }

        impl EncoderKind {
            /// All, with their names in options and in the log's header.
            pub const ALL: &[(&str, Self)] = &[$(($name, Self::$kind),)*];

            fn hooks(self) -> Hooks {
                match self {
                    $(Self::$kind => Hooks::$hooks,)*
                }
            }

            fn abilities(self) -> Abilities {
                match self {
                    $(Self::$kind => Abilities { $($ability: true,)* ..Abilities::NONE },)*
                }
            }
        }
    };
}
encoders!(kinds);

impl EncoderKind {
    /// The one with that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The code of its hooks in `LucceHooks`.
    pub fn code(self) -> i32 {
        self.hooks() as i32
    }

    /// Do words say nothing outside the process, so that captured nodes stand for them in the log?
    pub fn has_private_words(self) -> bool {
        self.has_contexts() && !self.abilities().public_words
    }

    /// Does it go with every event source?
    pub fn has_all_sources(self) -> bool {
        self.abilities().all_sources
    }

    /// Does it go with counts by context?
    pub fn has_counts(self) -> bool {
        self.abilities().counts
    }

    /// Can a part of all entries be sampled, each with its context?
    pub fn has_profiles(self) -> bool {
        self.abilities().profiles
    }

    /// Do activations get contexts?
    pub fn has_contexts(self) -> bool {
        self.abilities().contexts
    }

    /// Do activations keep a version beside their word?
    pub fn has_versions(self) -> bool {
        self.abilities().versions
    }

    /// Does it hear of the ends of threads?
    pub fn hears_of_thread_ends(self) -> bool {
        self.abilities().thread_ends
    }
}

/// What words are made of, with `encoder=icpp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Sizes of frames.
    Natural,
    /// Hashes of names, added up.
    Names,
    /// Hashes of names, mixed.
    Mixed,
    /// Sizes of frames, as this map has resized them.
    Map(String),
}

impl Weights {
    /// As they are written. What is none of the words is a file.
    pub(super) fn read(text: &str) -> Self {
        match text {
            "natural" => Self::Natural,
            "names" => Self::Names,
            "mixed" => Self::Mixed,
            file => Self::Map(file.into()),
        }
    }
}

/// How words are computed by that encoder, if they are.
pub(super) fn scheme(encoder: EncoderKind, icpp: Option<&Weights>) -> Option<Scheme> {
    match (encoder, icpp) {
        (EncoderKind::Pcc, _) => Some(Scheme::Ids),
        (EncoderKind::Icpp, Some(Weights::Natural | Weights::Map(_))) => Some(Scheme::Natural),
        (EncoderKind::Icpp, Some(Weights::Names)) => Some(Scheme::Names),
        (EncoderKind::Icpp, Some(Weights::Mixed) | None) => Some(Scheme::Mixed),
        _ => None,
    }
}

//! Which encoder runs, and what follows from that.

use lucce_words::weights::Scheme;

use super::Options;

/// The encoder of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncoderKind {
    /// Versioned numbering with segments: docs/design/words-and-numbering.md ("Numbering").
    Lucce,
    /// The paper's Algorithm 1: Lucce section 5.
    Algorithm1,
    /// The calling context tree of each thread.
    Cct,
    /// Hashed words: docs/design/hashed-words.md.
    Pcc,
    /// Words of names or sizes, learned by walks: docs/design/icpp.md.
    Icpp,
    /// No contexts at all: what the rewritten code costs by itself.
    None,
    /// As `None`, and each thread counts the methods it enters.
    Count,
}

impl EncoderKind {
    /// All, with their names in options and in the log's header.
    pub const ALL: [(&str, Self); 7] = [
        ("lucce", Self::Lucce),
        ("algorithm1", Self::Algorithm1),
        ("cct", Self::Cct),
        ("pcc", Self::Pcc),
        ("icpp", Self::Icpp),
        ("none", Self::None),
        ("count", Self::Count),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Its code in `LucceHooks`.
    pub fn code(self) -> i32 {
        match self {
            Self::Lucce => 0,
            Self::Algorithm1 => 1,
            Self::None => 2,
            Self::Count => 3,
            Self::Cct => 4,
            Self::Pcc => 5,
            Self::Icpp => 6,
        }
    }

    /// Do words say nothing outside the process, so that captured nodes stand for them in the log?
    pub fn has_private_words(self) -> bool {
        matches!(self, Self::Algorithm1 | Self::Cct | Self::Pcc | Self::Icpp)
    }

    /// Does it go with every event source?
    pub fn has_all_sources(self) -> bool {
        matches!(self, Self::Lucce | Self::Pcc | Self::Icpp)
    }

    /// Does it go with counts by context?
    pub fn has_counts(self) -> bool {
        matches!(self, Self::Lucce | Self::Pcc)
    }

    /// Can a part of all entries be sampled, each with its context?
    pub fn has_profiles(self) -> bool {
        matches!(self, Self::Lucce | Self::Pcc | Self::Cct)
    }

    /// Do activations get contexts?
    pub fn has_contexts(self) -> bool {
        !matches!(self, Self::None | Self::Count)
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

impl Options {
    /// How words are computed, in a run where they are.
    pub fn scheme(&self) -> Option<Scheme> {
        match (self.encoder, &self.icpp) {
            (EncoderKind::Pcc, _) => Some(Scheme::Ids),
            (EncoderKind::Icpp, Some(Weights::Natural | Weights::Map(_))) => Some(Scheme::Natural),
            (EncoderKind::Icpp, Some(Weights::Names)) => Some(Scheme::Names),
            (EncoderKind::Icpp, Some(Weights::Mixed) | None) => Some(Scheme::Mixed),
            _ => None,
        }
    }
}

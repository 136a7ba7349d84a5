//! "Unknown here": why a word does not lead further down.
//!
//! Invariant: a trace that does not reach the thread base ends with one of these. Source:
//! docs/FORMAT.md, "From an event to its trace".

use lucce_words::{Lost, Version};

/// "Unknown here": why a word does not lead further down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// The word is LOST.
    Lost(Lost),
    /// The word is NONE.
    None,
    /// This version is not known, or its numbering could not be repeated and nothing else tells
    /// this number.
    Version(Version),
    /// No range of the method holds the number.
    Number,
    /// The edge or site the number leads to is not known.
    Edge,
    /// The shadow stack ends early, or its next entry belongs to another activation.
    Chain,
    /// More frames than a stack can hold.
    Depth,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Lost(reason) => write!(out, "context lost: {reason:?}"),
            Self::None => out.write_str("no context"),
            Self::Version(version) => write!(out, "version {version} is not known"),
            Self::Number => out.write_str("the number has no meaning"),
            Self::Edge => out.write_str("the edge is not known"),
            Self::Chain => out.write_str("the chain does not belong to the word"),
            Self::Depth => out.write_str("too deep"),
        }
    }
}

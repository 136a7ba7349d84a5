//! Why a change does not fit what is known.
//!
//! Invariant: each case names what is missing or contradicts. Source: docs/FORMAT.md, "Damage".

use lucce_words::{EdgeId, MethodId, SiteId, Version};

/// Why a change could not be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// No such site.
    Site(SiteId),
    /// No such method.
    Method(MethodId),
    /// No such edge.
    Edge(EdgeId),
    /// The edge is there already, and is another one.
    Twice(EdgeId),
    /// The edge's numbers overlap others or are too large.
    Range(EdgeId),
    /// A version that is not the next one, or that has not begun.
    Version(Version),
    /// The numbering of this version differs from the recorded one: changes before it are missing.
    /// Its words decode to unknown but for what later changes say, a keyframe above all.
    Digest(Version),
    /// An id that no run gives, or an edge's far beyond those known so far.
    Leap,
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Site(site) => write!(out, "site {site} is unknown"),
            Self::Method(method) => write!(out, "method {method} is unknown"),
            Self::Edge(edge) => write!(out, "edge {edge} is unknown"),
            Self::Twice(edge) => write!(out, "edge {edge} is defined in two ways"),
            Self::Range(edge) => write!(out, "numbers of edge {edge} contradict earlier ones"),
            Self::Version(version) => write!(out, "version {version} is out of turn"),
            Self::Digest(version) => write!(out, "the numbering of version {version} cannot be repeated"),
            Self::Leap => out.write_str("an id is out of reach"),
        }
    }
}

impl std::error::Error for ReplayError {}

//! Rebuilds the graph from its changes, as a decoder does.
//!
//! Invariant: a missing or damaged change makes what depends on it unknown, and nothing else wrong.
//! Source: docs/FORMAT.md, "Numbering" and "Damage".

use lucce_words::{EdgeId, MethodId, SiteId, Version};

use crate::change::Change;
use crate::graph::Graph;
use crate::snapshot::Snapshot;

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
    /// The numbering of this version differs from the recorded one: changes before it are missing. Its words
    /// decode to unknown but for what later changes say, a keyframe above all.
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

/// The graph as far as it was replayed.
#[derive(Clone)]
pub struct Replay {
    graph: Graph,
}

impl Default for Replay {
    fn default() -> Self {
        Self::new()
    }
}

impl Replay {
    /// The root alone, in version 1.
    pub fn new() -> Self {
        Self { graph: Graph::new() }
    }

    /// Makes a method known. Fails for an id from [`MethodId::LIMIT`] up.
    pub fn add_method(&mut self, method: MethodId, constructor: bool) -> Result<(), ReplayError> {
        self.graph.add_method(method, constructor)
    }

    /// Makes a site of a method known.
    pub fn add_site(&mut self, site: SiteId, method: MethodId) {
        self.graph.add_site(site, method);
    }

    /// Performs one change. After an error go on with the next: the graph then lacks this change only.
    pub fn apply(&mut self, change: &Change) -> Result<(), ReplayError> {
        self.graph.apply(change)
    }

    /// The version being replayed.
    pub fn version(&self) -> Version {
        self.graph.version()
    }

    /// The graph as of now; constant time.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.graph.clone())
    }
}

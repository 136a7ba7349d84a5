//! Rebuilds the graph from its changes, as a decoder does.
//!
//! Invariant: a missing or damaged change makes what depends on it unknown, and nothing else wrong.
//! Source: docs/FORMAT.md, "Numbering" and "Damage".

pub(crate) mod error;

use lucce_words::{MethodId, SiteId, Version};

use crate::change::Change;
use crate::graph::Graph;
use crate::replay::error::ReplayError;
use crate::snapshot::Snapshot;

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

    /// Performs one change. After an error go on with the next: the graph then lacks this change
    /// only.
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

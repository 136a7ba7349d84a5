//! Which contexts were written as events (`contexts`). Invariant: each node is written once.

use lucce_words::NodeId;
use rustc_hash::FxHashSet;

use crate::support::lock::Lock;

/// Contexts that were written.
#[derive(Default)]
pub struct ContextDump {
    pub(super) known: Lock<FxHashSet<NodeId>>,
}

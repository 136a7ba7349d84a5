//! What an event's record says of its context. Source: docs/FORMAT.md ("Event").

use lucce_words::{NodeId, Word};

/// What an event says of its context.
#[derive(Clone, Copy)]
pub struct KeptContext {
    /// Its word.
    pub word: Word,
    /// The node below the topmost cut of a chained word.
    pub below: NodeId,
    /// The node that stands for word and site.
    pub node: NodeId,
}

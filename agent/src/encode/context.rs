//! A context at hand, and what its captured number stands for.
//!
//! Invariant: word, site, shadow stack and node say the same context, or the word is LOST. Source:
//! docs/design/thread-state.md ("Captures").

use lucce_words::{NodeId, SiteId, Version, Word};

use crate::jvm::thread::Entry;

/// A context at hand: what the thread published, or what a walk found.
#[derive(Clone)]
pub struct Context {
    /// The word of the innermost instrumented activation.
    pub word: Word,
    /// Where it stands.
    pub site: SiteId,
    /// The word's version where it does not hold it itself (Algorithm 1), else 0.
    pub version: Version,
    /// The shadow stack that belongs to the word, bottom first.
    pub shadow_stack: Vec<Entry>,
    /// The captured node, where the context came with it (hashed words, walks); else 0.
    pub node: NodeId,
    /// Was the shadow stack (all but the walk's own entries) the thread's?
    pub published: bool,
}

impl Context {
    /// One that needs no shadow stack, and was not published.
    pub fn alone(word: Word, site: SiteId) -> Self {
        Self { word, site, version: Version(0), shadow_stack: Vec::new(), node: NodeId(0), published: false }
    }

    /// One whose word needs this shadow stack.
    pub fn chained(word: Word, site: SiteId, shadow_stack: Vec<Entry>, published: bool) -> Self {
        Self { shadow_stack, published, ..Self::alone(word, site) }
    }

    /// Does its word, or its node, say a context? Not so of one that is lost.
    pub fn is_known(&self) -> bool {
        self.node != NodeId(0) || self.word.version().0 != 0
    }
}

/// What a captured number stands for.
pub struct Captured {
    /// The word of the innermost activation.
    pub word: Word,
    /// Where it stands.
    pub site: SiteId,
    /// The node below the topmost cut; 0 if no cut lies on the path.
    pub below: NodeId,
    /// The number.
    pub node: NodeId,
}

impl Captured {
    /// The only one of a context without cuts.
    pub fn alone(context: &Context, node: NodeId) -> Vec<Self> {
        vec![Self { word: context.word, site: context.site, below: NodeId(0), node }]
    }
}

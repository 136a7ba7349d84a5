//! What an entry gets from the encoder: a link for the hooks to cache, or the steps of an encoded
//! path.
//!
//! Invariant: a link is right for every word in its range and stays right, whatever happens to the
//! graph.
//! Source: docs/design/link-tables.md.

use lucce_words::{EdgeId, MethodId, SiteId, Value, Word};

/// How an activation is entered, as far as its exit is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Passage {
    /// It leaves the thread's state alone.
    Plain,
    /// It restores the thread's state.
    Restoring,
}

impl Passage {
    /// The passage of an activation that restores, or does not.
    pub const fn of(restoring: bool) -> Self {
        if restoring { Self::Restoring } else { Self::Plain }
    }

    /// Do the activations entered so restore?
    pub const fn restoring(self) -> bool {
        matches!(self, Self::Restoring)
    }
}

/// What the word of a [`Link`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// The number tells the whole path (down to the next cut, if the word is chained); nothing is
    /// pushed.
    Plain,
    /// As [`LinkKind::Plain`], and the activation restores the thread's state.
    Restoring,
    /// The number names the edge only: the caller's word and site must be pushed as a cut entry of
    /// the shadow stack.
    Cut,
}

/// For packed caller words in `[lo, lo + len)` the callee's word is `ctx + av` (wrapping), and for
/// [`LinkKind::Cut`] it is [`Link::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// First packed caller word.
    pub lo: u64,
    /// How many packed words from `lo` on; `u64::MAX` with `lo` 0 for "every word".
    pub len: u64,
    /// The addition value: callee's packed word less caller's (wrapping). For a cut link the
    /// callee's packed word itself.
    pub av: u64,
    /// What the callee's word stands for.
    pub kind: LinkKind,
    /// The callee's word for the caller's word that was asked about.
    pub word: Word,
    /// The edge.
    pub edge: EdgeId,
    /// Of a plain link that holds for the caller's whole block and leads into the callee's: the
    /// same as one number, which answers for no other word of the caller's method, whatever its
    /// version.
    pub value: Option<Value>,
}

impl Link {
    /// Does this link answer for the caller's word `ctx`?
    pub const fn covers(&self, ctx: Word) -> bool {
        ctx.0.wrapping_sub(self.lo) < self.len
    }

    /// The callee's word when the caller's is `ctx`; meaningful only where [`Link::covers`] holds.
    pub const fn apply(&self, ctx: Word) -> Word {
        match self.kind {
            LinkKind::Cut => self.word,
            LinkKind::Plain | LinkKind::Restoring => Word(ctx.0.wrapping_add(self.av)),
        }
    }
}

/// One step of an encoded path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodedStep {
    /// The calling instruction.
    pub site: SiteId,
    /// The method entered.
    pub callee: MethodId,
    /// The callee's word.
    pub word: Word,
    /// The word is a cut number: a cut entry of (word before this step, site) belongs into the
    /// shadow stack.
    pub cut: bool,
}

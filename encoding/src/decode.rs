//! From a word (and the thread's shadow stack) back to the frames.
//!
//! Invariant: frames are only given as far as ranges and shadow stack agree; whatever is missing
//! ends the trace with a reason.
//! Source: Lucce section 5 (De); docs/design/words-and-numbering.md ("The way down");
//! docs/FORMAT.md, "From an event to its trace".

pub(crate) mod unknown;

use lucce_words::{MethodId, SiteId, Word};

use crate::decode::unknown::Unknown;
use crate::snapshot::{Below, Snapshot};

/// Most frames between two cuts, so that damaged ranges cannot lead round for ever. Only
/// constructors of one class inside each other get deep without a cut, and four million of them
/// need a stack of hundreds of megabytes.
const LONGEST: usize = 1 << 22;

/// An entry of a thread's shadow stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShadowEntry {
    /// The caller's word.
    pub ctx: Word,
    /// The caller's site.
    pub site: SiteId,
    /// Decoding goes on with `ctx` at `site`; otherwise the entry only serves the restore.
    pub cut: bool,
    /// The method that was pushed.
    pub method: MethodId,
    /// Not an activation's entry: decoding skips it.
    pub barrier: bool,
}

/// One activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecodedFrame {
    /// The method.
    pub method: MethodId,
    /// The site in it at which it called the frame above; `None` for the innermost.
    pub site: Option<SiteId>,
}

/// How a decoded trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// At the thread base: the trace is complete.
    Root,
    /// Unknown from here down.
    Unknown(Unknown),
}

/// A decoded context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Innermost first; the thread base is not a frame.
    pub frames: Vec<DecodedFrame>,
    /// What is below the last frame.
    pub end: End,
}

/// One activation on the way down, with what tells the frames below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// The method.
    pub method: MethodId,
    /// Its word.
    pub word: Word,
    /// The site in it at which it called the activation above; `None` for the innermost.
    pub site: Option<SiteId>,
    /// The index of its own entry in the shadow stack; `None` where it owns none, or none of it is
    /// left, or none is needed.
    pub own: Option<usize>,
}

/// The way down from a word: its activations, innermost first.
///
/// What is still to come follows from the last activation's method, word and own entry with the
/// shadow stack below it, and from nothing above.
pub struct Descent<'a> {
    snapshot: &'a Snapshot,
    entries: &'a [ShadowEntry],
    /// Entries from here on are given away.
    left: usize,
    /// The next activation; or how the way has ended.
    next: Result<(MethodId, Word, Option<SiteId>), End>,
    /// Activations given, and how many may be.
    given: usize,
    limit: usize,
}

impl Snapshot {
    /// The context of an activation of `method` with `word`; `shadow_stack` is the thread's shadow
    /// stack at that moment, last entry on top. Each restoring activation on a chained path, but
    /// for constructors, owns one entry (barriers are skipped).
    pub fn decode(&self, method: MethodId, word: Word, shadow_stack: &[ShadowEntry]) -> Decoded {
        let mut descent = self.descend(method, word, shadow_stack);
        let frames = descent.by_ref().map(|Activation { method, site, .. }| DecodedFrame { method, site }).collect();
        Decoded { frames, end: descent.end() }
    }

    /// The same step by step. `shadow_stack` need only reach down as far as the steps that are
    /// taken.
    pub fn descend<'a>(&'a self, method: MethodId, word: Word, shadow_stack: &'a [ShadowEntry]) -> Descent<'a> {
        Descent {
            snapshot: self,
            entries: shadow_stack,
            left: shadow_stack.len(),
            next: Ok((method, word, None)),
            given: 0,
            limit: LONGEST,
        }
    }
}

impl Descent<'_> {
    /// What is below the last activation, once there is none left.
    pub fn end(&self) -> End {
        self.next.err().unwrap_or(End::Unknown(Unknown::None))
    }

    /// What is below an activation, `below` by its number, `own` by its entry.
    fn below(
        &mut self,
        method: MethodId,
        below: Result<Below, Unknown>,
        own: Option<usize>,
    ) -> Result<(MethodId, Word, Option<SiteId>), End> {
        if self.given > self.limit {
            return Err(End::Unknown(Unknown::Depth));
        }
        let own = own.map(|index| self.entries[index]);
        match below.map_err(End::Unknown)? {
            Below::Root => Err(End::Root),
            Below::Caller { site, caller, word, .. } => {
                if own.is_some_and(|entry| entry.cut || entry.method != method) {
                    return Err(End::Unknown(Unknown::Chain));
                }
                Ok((caller, word, Some(site)))
            }
            Below::ShadowStack { site, .. } => {
                let entry = own
                    .filter(|entry| entry.cut && entry.site == site && entry.method == method)
                    .ok_or(End::Unknown(Unknown::Chain))?;
                let caller = self.snapshot.site_method(site).ok_or(End::Unknown(Unknown::Edge))?;
                self.limit = self.given + LONGEST;
                Ok((caller, entry.ctx, Some(site)))
            }
        }
    }

    /// The topmost entry that is left.
    fn take_entry(&mut self) -> Option<usize> {
        let own = self.entries[..self.left].iter().rposition(|entry| !entry.barrier);
        self.left = own.unwrap_or(0);
        own
    }
}

impl Iterator for Descent<'_> {
    type Item = Activation;

    fn next(&mut self) -> Option<Activation> {
        let (method, word, site) = self.next.ok()?;
        let below = self.snapshot.step(method, word);
        if below == Ok(Below::Root) {
            self.next = Err(End::Root);
            return None;
        }
        self.given += 1;
        // Where nothing below is cut the numbers say all, and the shadow stack need not be at hand.
        let restores = below.is_ok_and(|below| below.restores());
        let owns = restores && word.chained() && !self.snapshot.is_constructor(method);
        let own = if owns { self.take_entry() } else { None };
        self.next = self.below(method, below, own);
        Some(Activation { method, word, site, own })
    }
}

//! From a word (and the thread's chain) back to the frames.
//!
//! Invariant: frames are only given as far as ranges and chain agree; whatever is missing ends the trace with a reason.
//! Source: Lucce section 5 (De); DESIGN section 6.

use lucce_words::{Lost, MethodId, SiteId, Version, Word};

use crate::snapshot::{Below, Snapshot};

/// Most frames between two cuts, so that damaged ranges cannot lead round for ever. Only constructors of one class inside each other get
/// deep without a cut, and four million of them need a stack of hundreds of megabytes.
const LONGEST: usize = 1 << 22;

/// An entry of a thread's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChainEntry {
    /// The caller's word.
    pub ctx: Word,
    /// The caller's site.
    pub site: SiteId,
    /// Decoding goes on with `ctx` at `site`; otherwise the entry only serves the restore.
    pub cut: bool,
    /// The method that was pushed.
    pub method: MethodId,
    /// Not an activation's entry: decoding skips it.
    pub mark: bool,
}

/// One activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The method.
    pub method: MethodId,
    /// The site in it at which it called the frame above; `None` for the innermost.
    pub site: Option<SiteId>,
}

/// "Unknown here": why a word does not lead further down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// The word is LOST.
    Lost(Lost),
    /// The word is NONE.
    None,
    /// This version is not known, or its numbering could not be repeated and nothing else tells this number.
    Version(Version),
    /// No range of the method holds the number.
    Number,
    /// The edge or site the number leads to is not known.
    Edge,
    /// The chain ends early, or its next entry belongs to another activation.
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
    pub frames: Vec<Frame>,
    /// What is below the last frame.
    pub end: End,
}

impl Snapshot {
    /// The context of an activation of `method` with `word`; `chain` is the thread's chain at that moment, last entry on top.
    /// Each restoring activation on a chained path, but for constructors, owns one entry (marks are skipped).
    pub fn decode(&self, method: MethodId, word: Word, chain: &[ChainEntry]) -> Decoded {
        let mut frames = Vec::new();
        let end = self.unwind(method, word, chain, &mut frames).map_or_else(End::Unknown, |()| End::Root);
        Decoded { frames, end }
    }

    fn unwind(
        &self,
        method: MethodId,
        word: Word,
        chain: &[ChainEntry],
        frames: &mut Vec<Frame>,
    ) -> Result<(), Unknown> {
        let mut entries = chain.iter().rev().filter(|entry| !entry.mark);
        let (mut method, mut word, mut site) = (method, word, None);
        let mut limit = LONGEST;
        loop {
            let below = self.step(method, word);
            if below == Ok(Below::Root) {
                return Ok(());
            }
            frames.push(Frame { method, site });
            if frames.len() > limit {
                return Err(Unknown::Depth);
            }
            let below = below?;
            // Where nothing below is cut the numbers say all, and the chain need not be at hand.
            let own =
                if word.chained() && word.restoring() && !self.is_constructor(method) { entries.next() } else { None };
            match below {
                Below::Root => return Ok(()),
                Below::Caller { site: at, caller, word: callers, .. } => {
                    if own.is_some_and(|entry| entry.cut || entry.method != method) {
                        return Err(Unknown::Chain);
                    }
                    (method, word, site) = (caller, callers, Some(at));
                }
                Below::Chain { site: at, .. } => {
                    let entry = own
                        .filter(|entry| entry.cut && entry.site == at && entry.method == method)
                        .ok_or(Unknown::Chain)?;
                    let caller = self.site_method(at).ok_or(Unknown::Edge)?;
                    (method, word, site) = (caller, entry.ctx, Some(at));
                    limit = frames.len() + LONGEST;
                }
            }
        }
    }
}

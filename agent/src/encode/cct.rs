//! `encoder=cct`: the exact calling context tree of each thread, as profilers keep it, to compare
//! with.
//!
//! A word is the address of a node; a call looks for the child (site, callee) of the caller's node
//! and makes it at first sight. Who is plain and who restores is decided as for Lucce's words
//! ([`crate::encode::entry::decided`]), so the contexts are as exact; shadow stack entries serve
//! the restore alone, for a node says its whole path. Recursion gets a node for each level.
//!
//! Invariants: a tree has one thread at a time, so look-ups need no lock and no atomic instruction;
//! a node never moves, is never freed and never changes its path, so a word stays right for ever.
//! Once the trees' memory is used up, contexts without a node are LOST (Memory) until a call meets
//! a node that there is; nothing is ever collapsed.
//! Source: Ammons, Ball, Larus 1997 (calling context trees); D'Elia, Demetrescu, Finocchi, section
//! 2.1; `crate::hook_tables::cct`.

mod contexts;
mod entry;
mod natives;
mod trace;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lucce_encoding::{Decoded, DecodedFrame, End};
use lucce_words::{Lost, MethodId, SiteId, Word};
use rustc_hash::FxHashSet;

use crate::hook_tables::cct::edges::Edges;
use crate::hook_tables::cct::node::{self, CctNode};
use crate::hook_tables::cct::tree::{Tree, Trees};
use crate::state::run::Run;
use crate::support::lock::Lock;

use self::trace::EntryTrace;

pub use self::natives::register;

/// All trees, and what is known of their edges.
pub struct Cct {
    trees: Trees,
    edges: Edges,
    /// The memory is used up, and that was said.
    exhausted: AtomicBool,
    /// Edges that the oracle has seen at least once.
    checked: Lock<FxHashSet<(SiteId, MethodId)>>,
    /// Edges that a walk found and that a direct call would have to decide.
    walked: Lock<FxHashSet<(SiteId, MethodId)>>,
    /// Nodes of all trees.
    nodes: AtomicU64,
    /// Where all entries go, with `trace`.
    trace: Option<EntryTrace>,
}

impl Cct {
    /// No trees yet, at most so many bytes for them, and where entries are written. `None` if the
    /// address space does not allow the tables.
    fn reserve(limit: u64, trace: Option<EntryTrace>) -> Option<Self> {
        Some(Self {
            trees: Trees::reserve(limit)?,
            edges: Edges::reserve()?,
            exhausted: AtomicBool::new(false),
            checked: Lock::default(),
            walked: Lock::default(),
            nodes: AtomicU64::new(0),
            trace,
        })
    }

    /// The frames of an activation with this word.
    fn frames(word: Word) -> Option<Decoded> {
        // SAFETY: an activation's word, which the hooks or the agent made.
        unsafe { node::of(word) }.map(decoded)
    }

    /// The child of `parent`, made if it is not there yet.
    fn child(&self, run: &Run, tree: &Tree, parent: &'static CctNode, key: u64) -> Result<&'static CctNode, Lost> {
        if let Some(node) = tree.find(parent, key) {
            return Ok(node);
        }
        match self.trees.add(tree, parent, key) {
            Some(node) => {
                self.nodes.fetch_add(1, Ordering::Relaxed);
                Ok(node)
            }
            None => {
                self.say_exhausted(run);
                Err(Lost::Memory)
            }
        }
    }

    fn say_exhausted(&self, run: &Run) {
        if !self.exhausted.swap(true, Ordering::Relaxed) {
            let text = format!(
                "encoder=cct: {} nodes fill the memory of the trees; contexts that have no node yet are unknown from now on, \
                raise cct-memory or use encoder=lucce",
                self.nodes.load(Ordering::Relaxed)
            );
            say!("{text}");
            run.note(&text);
        }
    }
}

/// The frames of a node.
fn decoded(node: &'static CctNode) -> Decoded {
    let mut frames = Vec::new();
    let (mut node, mut site) = (node, None);
    while let Some(parent) = node.parent() {
        let (from, method) = node.call();
        frames.push(DecodedFrame { method, site });
        (node, site) = (parent, Some(from));
    }
    Decoded { frames, end: End::Root }
}

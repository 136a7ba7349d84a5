//! `encoder=cct`: the exact calling context tree of each thread, as profilers keep it, to compare with.
//!
//! A word is the address of a node; a call looks for the child (site, callee) of the caller's node and makes it at first sight. Who is plain
//! and who restores is decided as for Lucce's words ([`crate::encode::entry::decided`]), so the contexts are as exact; chain entries serve the
//! restore alone, for a node says its whole path. Recursion gets a node for each level.
//!
//! Invariants: a tree has one thread at a time, so look-ups need no lock and no atomic instruction; a node never moves, is never freed and
//! never changes its path, so a word stays right for ever. Once the trees' memory is used up, contexts without a node are LOST (Memory)
//! until a call meets a node that there is; nothing is ever collapsed.
//! Source: Ammons, Ball, Larus 1997 (calling context trees); D'Elia, Demetrescu, Finocchi, section 2.1; layout in `LucceTree`.

mod contexts;
mod edges;
mod entry;
mod natives;
mod node;
mod trace;
mod tree;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lucce_words::{Lost, MethodId, SiteId};
use rustc_hash::FxHashSet;

use self::edges::Edges;
use self::node::Node;
use self::tree::Trees;
use crate::hook_tables::links::RecordKind;
use crate::state::agent::Agent;
use crate::support::lock::Lock;

use self::trace::Trace;

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
    trace: Option<Trace>,
}

impl Cct {
    /// No trees yet, at most so many bytes for them, and where entries are written. `None` if the address space does not allow the tables.
    fn reserve(limit: u64, trace: Option<Trace>) -> Option<Self> {
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

    /// The child of `parent`, made if it is not there yet.
    fn child(&self, agent: &Agent, tree: &tree::Tree, parent: &'static Node, key: u64) -> Result<&'static Node, Lost> {
        if let Some(node) = tree.find(parent, key) {
            return Ok(node);
        }
        match self.trees.add(tree, parent, key) {
            Some(node) => {
                self.nodes.fetch_add(1, Ordering::Relaxed);
                Ok(node)
            }
            None => {
                self.say_exhausted(agent);
                Err(Lost::Memory)
            }
        }
    }

    fn say_exhausted(&self, agent: &Agent) {
        if !self.exhausted.swap(true, Ordering::Relaxed) {
            let text = format!(
                "encoder=cct: {} nodes fill the memory of the trees; contexts that have no node yet are unknown from now on, \
                raise cct-memory or use encoder=lucce",
                self.nodes.load(Ordering::Relaxed)
            );
            say!("{text}");
            agent.writer.queue(vec![lucce_log::Record::Note { text }]);
        }
    }
}

/// A call as one number: the edge's site above its callee.
const fn key(site: SiteId, callee: MethodId) -> u64 {
    (site.0 as u64) << 32 | callee.0 as u64
}

/// What the hooks do at an edge.
const fn code(kind: RecordKind) -> i32 {
    kind as i32
}

//! What happens to the graph, one record a change: the encoder's write-ahead output and the
//! replay's input.
//!
//! Invariant: changes are absolute (ids and numbers, never differences), so a lost one harms only
//! what depends on it.
//! Source: docs/design/log-files.md ("Write-ahead"); docs/FORMAT.md, "Records".

use lucce_words::{EdgeId, MethodId, SiteId, Version};

/// One change of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A site was first seen entering a method.
    Edge {
        /// Its dense id.
        edge: EdgeId,
        /// The calling instruction.
        site: SiteId,
        /// The method entered.
        callee: MethodId,
    },
    /// The edge is cut from now on: it keeps its segments, and new versions give it none.
    Cut {
        /// Which edge.
        edge: EdgeId,
    },
    /// The edge lies on a cycle of constructors: numbered in pieces as contexts come up, and left
    /// out of the topological order.
    Unrolled {
        /// Which edge.
        edge: EdgeId,
    },
    /// Numbers `[lo, lo+len)` of the caller map to `[base, base+len)` at the callee.
    Segment {
        /// Which edge.
        edge: EdgeId,
        /// The numbering it belongs to.
        version: Version,
        /// First number of the caller.
        lo: u64,
        /// How many numbers.
        len: u64,
        /// The activations entered so restore.
        restoring: bool,
        /// First number at the callee.
        base: u64,
    },
    /// `number` at the callee, in a chained word, means "entered through `edge`, the rest is in the
    /// shadow stack".
    CutNumber {
        /// Which edge.
        edge: EdgeId,
        /// The numbering it belongs to.
        version: Version,
        /// The number.
        number: u64,
    },
    /// The method's class was unloaded: no activation of it is left, and none will come. New
    /// versions give it, and its edges, no numbers.
    Unloaded {
        /// Which method.
        method: MethodId,
    },
    /// The graph was numbered anew; the numbering follows from the changes before this one.
    NewVersion {
        /// The new numbering.
        version: Version,
        /// Hash of all its sizes and ranges.
        digest: u64,
    },
}

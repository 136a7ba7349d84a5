//! The trees of `encoder=cct`: nodes, edges, and for each thread its tree.
//!
//! Invariant: a node never moves, is never freed and never changes its path, so a word stays right
//! for ever.
//! Source: docs/design/published-encoders.md ("The calling context tree"); layout in `LucceLayout`.

pub mod buffer;
pub mod edges;
pub mod node;
pub mod tree;

use lucce_words::{MethodId, SiteId};

/// A call as one number: the edge's site above its callee.
pub const fn key(site: SiteId, callee: MethodId) -> u64 {
    (site.0 as u64) << 32 | callee.0 as u64
}

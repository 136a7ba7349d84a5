//! How large the tables are.
//!
//! Invariant: each is a power of two, for the hooks find an entry's place by a mask or a shift.
//! Miri and the models (`tests/protocols`) have small ones: what they look at is what is done with
//! an entry, not how many there are.

/// Buckets of the table of links.
pub(crate) const BUCKETS: usize = 1 << if cfg!(miri) { 4 } else { 18 };
/// Shortcuts into long buckets of links.
pub(crate) const SHORTCUTS: usize = 1 << if cfg!(miri) { 4 } else { 16 };
/// Buckets of a table of captured contexts.
pub(crate) const CAPTURES: usize = 1 << if cfg!(miri) { 4 } else { 17 };
/// Bytes of the values of all sites, for one way: that of the callees with the same low bits. So
/// the callees of one site seldom push each other out.
pub(crate) const WAY: usize = 1 << if cfg!(miri) { 17 } else { 26 };
/// Bytes before the first value, for the special sites below 0. Whole pages, whatever their size.
pub(crate) const BEFORE: usize = 1 << 16;
/// Binary logarithm of the buckets of edges of trees.
pub(crate) const EDGE_BITS: u32 = if cfg!(miri) { 4 } else { 16 };
/// Most trees of a run; their heads are reserved.
pub(crate) const TREES: u32 = 1 << if cfg!(miri) { 4 } else { 20 };
/// Numbers of origins, those of measurements with them.
pub(crate) const ORIGIN_KEYS: usize = 1 << if cfg!(miri) { 6 } else { 21 };

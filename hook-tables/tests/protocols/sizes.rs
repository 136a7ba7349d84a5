//! Sizes of the tables in a model: one bucket or two, and the values of eight sites.

pub(crate) const BUCKETS: usize = 1;
pub(crate) const SHORTCUTS: usize = 1;
pub(crate) const WAY: usize = 64;
pub(crate) const BEFORE: usize = 0;
pub(crate) const EDGE_BITS: u32 = 1;
pub(crate) const TREES: u32 = 1;

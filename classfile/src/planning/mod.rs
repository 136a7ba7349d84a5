//! Where hooks go: the decision, before any byte is emitted.

pub(crate) mod back_edges;
pub(crate) mod blocks;
pub(crate) mod idle_returns;
pub(crate) mod plan;
pub(crate) mod shrink_wrap;

//! Where hooks go: the decision, before any byte is emitted.

pub(crate) mod plan;
pub(crate) mod rounds;
pub(crate) mod shrink_wrap;

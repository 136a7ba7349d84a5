//! What the rewriter must know of code: depths, types, what it may enter or initialise.

pub(crate) mod depth;
pub(crate) mod flow;
pub(crate) mod leaf;
pub(crate) mod points;
pub(crate) mod typing;
pub(crate) mod uses;
